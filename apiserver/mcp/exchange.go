// SPDX-License-Identifier: Apache-2.0

package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/reelops/reelops/apiserver/operation"
	"github.com/reelops/reelops/apiserver/problem"
)

// exchange is an HTTP request with one JSON-RPC message or a batch of them, and its response.
type exchange struct {
	*operation.Session
	mu      sync.Mutex
	counts  int
	refusal *problem.Problem // for the last message that the rate limit refused
	// lacking is the result of the last call for which the access token lacks a scope.
	lacking *operation.Result
}

// message is one message of an exchange.
type message struct {
	*exchange
	called atomic.Bool // an operation was called for it
}

// inMessage is the key of the message in the contexts that the SDK passes to its handlers.
type inMessage struct{}

func messageOf(ctx context.Context) *message {
	m, _ := ctx.Value(inMessage{}).(*message)
	return m
}

// in returns a context that holds the message.
func (m *message) in(ctx context.Context) context.Context {
	return context.WithValue(ctx, inMessage{}, m)
}

// request returns the request for the SDK's HTTP transport.
func (e *exchange) request(ctx context.Context, r *http.Request, body []byte) *http.Request {
	out := r.Clone((&message{exchange: e}).in(ctx))
	out.Body, out.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	out.Header.Set("Content-Type", "application/json")
	// the server has one response format, independent of what a client prefers
	out.Header.Set("Accept", "application/json, text/event-stream")
	out.Header.Del("Last-Event-Id") // there are no streams to resume
	return out
}

// counted reports whether the exchange was counted against a rate limit.
func (e *exchange) counted() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.counts > 0
}

func (e *exchange) count() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.counts++
}

// run runs a call for the message. The call counts against the rate limits of its operation.
func (m *message) run(ctx context.Context, c *operation.Call) *operation.Result {
	m.called.Store(true)
	m.count()
	out := m.Call(ctx, c)
	if out.Status == http.StatusForbidden && out.Header.Get("WWW-Authenticate") != "" {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.lacking = out
	}
	return out
}

// counted is middleware that counts every message once. A message that calls an operation counts as that call; others
// count by themselves.
func counted(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, r sdk.Request) (sdk.Result, error) {
		m := &message{exchange: messageOf(ctx).exchange}
		ctx = m.in(ctx)
		if method != "tools/call" && method != "resources/read" {
			if err := m.spend(ctx); err != nil {
				return nil, err
			}
			if method == "subscriptions/listen" { // it would wait for events that never arrive
				return nil, &jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound, Message: noMethod}
			}
			return next(ctx, method, r)
		}
		out, err := next(ctx, method, r)
		if m.called.Load() {
			return out, err
		}
		// The tool or the resource does not exist.
		if err := m.spend(ctx); err != nil {
			return nil, err
		}
		if read, ok := r.(*sdk.ReadResourceRequest); ok && err != nil {
			return nil, missing(read.Params.URI)
		}
		return out, err
	}
}

// spend counts a message against the rate limit on all calls. Its error is the refusal if the limit is reached.
func (e *exchange) spend(ctx context.Context) error {
	e.count()
	err := e.Count(ctx)
	if err == nil {
		return nil
	}
	var p *problem.Problem
	if !errors.As(err, &p) {
		return errInternal
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.refusal = p
	data, _ := json.Marshal(object{"code": p.Code, "retryable": p.Retryable, "details": p.Details})
	return &jsonrpc.Error{Code: codeRefused, Message: p.Message, Data: data}
}

// codeRefused is one of JSON-RPC's codes for server-defined errors. The data then holds an error of the catalog.
const codeRefused = -32000

var errInternal = &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "An internal error occurred."}

// methods are the methods of the protocol, in the supported versions.
var methods = []string{
	"initialize", "ping", "tools/list", "tools/call", "resources/list", "resources/templates/list", "resources/read", "resources/subscribe",
	"resources/unsubscribe", "prompts/list", "prompts/get", "completion/complete", "logging/setLevel", "server/discover",
}

const noMethod = "There is no such method."

// unknownMethod returns the response to a single request of a method that the protocol does not define; nil for
// anything else.
func unknownMethod(body []byte) *operation.Result {
	var in struct {
		JSONRPC string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Method  *string         `json:"method"`
	}
	if json.Unmarshal(body, &in) != nil || in.JSONRPC != "2.0" || in.Method == nil || slices.Contains(methods, *in.Method) || !isRequestID(in.ID) {
		return nil
	}
	doc, err := json.Marshal(object{"jsonrpc": "2.0", "id": in.ID, "error": object{"code": jsonrpc.CodeMethodNotFound, "message": noMethod}})
	if err != nil {
		return nil
	}
	return &operation.Result{Status: http.StatusOK, Body: doc}
}

// isRequestID reports whether a value can be the id of a request: a number or a string.
func isRequestID(id json.RawMessage) bool {
	id = bytes.TrimSpace(id)
	return len(id) > 0 && (id[0] == '"' || id[0] == '-' || id[0] >= '0' && id[0] <= '9')
}

// recorder records the response of the SDK's HTTP transport. status is 0 until there is one.
type recorder struct {
	status int
	header http.Header
	body   bytes.Buffer
}

func (r *recorder) Header() http.Header { return r.header }

// WriteHeader records the first status.
func (r *recorder) WriteHeader(status int) {
	if r.status == 0 {
		r.status = status
	}
}

func (r *recorder) Write(b []byte) (int, error) {
	r.WriteHeader(http.StatusOK)
	return r.body.Write(b)
}
