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

// visit is a request to the tool server on its way through the SDK, which hands its context on.
type visit struct {
	*operation.Visit
	mu      sync.Mutex
	counts  int
	refusal *problem.Problem
}

type visiting struct{}

func visitOf(ctx context.Context) *visit {
	v, _ := ctx.Value(visiting{}).(*visit)
	return v
}

// counted says whether a ceiling knows of the request.
func (v *visit) counted() bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.counts > 0
}

func (v *visit) count() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.counts++
}

// message is one message of a request.
type message struct{ called atomic.Bool }

type inMessage struct{}

// do calls an operation for the message at hand, which counts as that call does.
func do(ctx context.Context, e operation.Errand) (*operation.Answer, error) {
	v := visitOf(ctx)
	if m, _ := ctx.Value(inMessage{}).(*message); m != nil {
		m.called.Store(true)
	}
	v.count()
	return v.Do(ctx, e)
}

// counted counts every message once: those that lead to an operation count as that, all others by themselves.
func counted(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, r sdk.Request) (sdk.Result, error) {
		v := visitOf(ctx)
		if method != "tools/call" && method != "resources/read" {
			if err := v.spend(ctx); err != nil {
				return nil, err
			}
			if method == "subscriptions/listen" { // it would wait for events that never come
				return nil, &jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound, Message: noMethod}
			}
			return next(ctx, method, r)
		}
		m := &message{}
		out, err := next(context.WithValue(ctx, inMessage{}, m), method, r)
		if m.called.Load() {
			return out, err
		}
		// There is no such tool, or no such resource.
		if err := v.spend(ctx); err != nil {
			return nil, err
		}
		if read, ok := r.(*sdk.ReadResourceRequest); ok && err != nil {
			return nil, missing(read.Params.URI)
		}
		return out, err
	}
}

// spend counts a message, or tells that there is no room for it.
func (v *visit) spend(ctx context.Context) error {
	v.count()
	err := v.Count(ctx)
	if err == nil {
		return nil
	}
	var p *problem.Problem
	if !errors.As(err, &p) {
		return errInternal
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	v.refusal = p
	data, _ := json.Marshal(object{"code": p.Code, "retryable": p.Retryable, "details": p.Details})
	return &jsonrpc.Error{Code: codeRefused, Message: p.Message, Data: data}
}

// codeRefused is JSON-RPC's for what a server refuses for reasons of its own; data then holds an error of the catalog.
const codeRefused = -32000

var errInternal = &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "Something went wrong on our side."}

// methods that the protocol knows, in the versions that are spoken.
var methods = []string{
	"initialize", "ping", "tools/list", "tools/call", "resources/list", "resources/templates/list", "resources/read", "resources/subscribe",
	"resources/unsubscribe", "prompts/list", "prompts/get", "completion/complete", "logging/setLevel", "server/discover",
}

const noMethod = "There is no such method."

// unknownMethod answers a single request of a method that the protocol does not know, as JSON-RPC has it; nil for anything else.
func unknownMethod(body []byte) *operation.Answer {
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
	return &operation.Answer{Status: http.StatusOK, Body: doc}
}

// isRequestID says that a request may be named so: by a number or a word.
func isRequestID(id json.RawMessage) bool {
	id = bytes.TrimSpace(id)
	return len(id) > 0 && (id[0] == '"' || id[0] == '-' || id[0] >= '0' && id[0] <= '9')
}

type readCloser struct{ io.Reader }

func (readCloser) Close() error { return nil }
