// SPDX-License-Identifier: Apache-2.0

package mcp

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"runtime/debug"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/reelops/reelops/apiserver/operation"
	"github.com/reelops/reelops/apiserver/problem"
	"github.com/reelops/reelops/internal/catalog"
)

// Path of the tool server.
const Path = "/mcp"

// versions of the protocol that are spoken, the newest first.
var versions = []string{"2025-11-25", "2025-06-18", "2025-03-26"}

// mostMessages bounds a batch, which the oldest of the versions knows.
const mostMessages = 20

// Config of a Server.
type Config struct {
	// API has the operations that tools call.
	API *operation.Handler
	// BaseURL is the public address.
	BaseURL string
	// Version of the program, for clients to show.
	Version string
	// Picture opens a blob, for tools with include_images; nil: they give no pictures.
	Picture func(ctx context.Context, key string) (io.ReadCloser, error)
	Log     *slog.Logger
}

// Server is the tool server.
type Server struct {
	Config
	document *document
	origin   string
	drawing  chan struct{} // bounds the calls that scale pictures at the same time
	protocol http.Handler
}

// New makes the tools. An operation that is named by a tool and not described is an error.
func New(c Config) (*Server, error) {
	doc, err := documentOf(c.API.Description())
	if err != nil {
		return nil, err
	}
	s := &Server{Config: c, document: doc, drawing: make(chan struct{}, mostDrawing)}
	if base, err := url.Parse(c.BaseURL); err == nil {
		s.origin = base.Scheme + "://" + base.Host
	}
	quiet := slog.New(slog.DiscardHandler) // what the SDK complains of, the caller is told
	server := sdk.NewServer(&sdk.Implementation{
		Name: "reelops", Title: "Reelops", Version: cmp.Or(c.Version, operation.Version),
	}, &sdk.ServerOptions{
		Instructions: instructions, Logger: quiet, SupportedProtocolVersions: versions,
		// Nothing changes while the server runs, and there are no sessions to tell of a change.
		Capabilities: &sdk.ServerCapabilities{Tools: &sdk.ToolCapabilities{}, Resources: &sdk.ResourceCapabilities{}, Prompts: &sdk.PromptCapabilities{}},
	})
	told := numbers(c.API.Limits.Ceiling)
	for _, t := range tools {
		if err := s.add(server, t, told.Replace(t.about)); err != nil {
			return nil, err
		}
	}
	s.addResources(server)
	addPrompts(server)
	server.AddReceivingMiddleware(s.contained, counted)
	s.protocol = sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return server }, &sdk.StreamableHTTPOptions{
		Stateless: true, JSONResponse: true, Logger: quiet, MaxRequestBodyBytes: catalog.MaxBodyBytes,
		// Behind a proxy the address that is listened on says nothing of the host that callers name. What such a check is
		// for, pages of strangers, is kept out by the origin and by the key that a page does not have.
		DisableLocalhostProtection: true,
	})
	return s, nil
}

// add offers a tool, with what is told of it.
func (s *Server) add(server *sdk.Server, t *tool, about string) error {
	for _, v := range t.variants {
		o := s.document.operations[v.operation]
		if o == nil {
			return fmt.Errorf("tool %s: there is no operation %s", t.name, v.operation)
		}
		if (o.param != nil) != (v.id != "") {
			return fmt.Errorf("tool %s: the path of %s and its argument do not go together", t.name, v.operation)
		}
	}
	output, err := s.document.output(t)
	if err != nil {
		return err
	}
	server.AddTool(&sdk.Tool{
		Name: t.name, Title: t.title, Description: about, InputSchema: s.document.input(t), OutputSchema: output,
		Annotations: &sdk.ToolAnnotations{
			Title: t.title, ReadOnlyHint: t.reads, DestructiveHint: &t.destroys, IdempotentHint: t.repeatable, OpenWorldHint: &t.outside,
		},
	}, func(ctx context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		return s.call(ctx, t, r.Params.Arguments)
	})
	return nil
}

// call does what a tool is called for.
func (s *Server) call(ctx context.Context, t *tool, doc json.RawMessage) (*sdk.CallToolResult, error) {
	errand, in := s.document.request(t, doc)
	var blobs *blobs
	if t.images != nil && in.flag(includeImages) && s.Picture != nil {
		ctx, blobs = collecting(ctx)
	}
	answer, err := do(ctx, errand)
	if err != nil {
		return nil, err
	}
	out := &sdk.CallToolResult{
		Content: []sdk.Content{&sdk.TextContent{Text: string(answer.Body)}}, StructuredContent: json.RawMessage(answer.Body),
		IsError: answer.Status >= http.StatusBadRequest,
	}
	var more string
	if envelope := decoded(answer.Body); out.IsError {
		more = helped(envelope)
	} else {
		if t.next != nil {
			more = t.next(envelope["data"], in)
		}
		if blobs != nil {
			out.Content = append(out.Content, s.pictures(ctx, t.images(envelope["data"]), blobs)...)
		}
	}
	if more != "" {
		out.Content = append(out.Content, &sdk.TextContent{Text: more})
	}
	return out, nil
}

// ServeHTTP answers whatever is posted to the tool server.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.API.Enter(w, r, "mcp", func(ctx context.Context, v *operation.Visit) (*operation.Answer, error) {
		body, err := s.admitted(v, r)
		if err == nil {
			return s.spoken(ctx, v, r, body)
		}
		if full := v.Count(ctx); full != nil {
			return nil, full
		}
		return nil, err
	})
}

// admitted gives the message of a request, or tells why none can be made of it.
func (s *Server) admitted(v *operation.Visit, r *http.Request) ([]byte, error) {
	if origin := r.Header.Get("Origin"); origin != "" && origin != s.origin {
		return nil, refused(http.StatusForbidden, "Origin", "Calls by web pages are not served.")
	}
	body, err := v.Body()
	if err != nil {
		return nil, err
	}
	return body, checked(body)
}

// checked tells what no JSON-RPC can be made of.
func checked(body []byte) error {
	if !json.Valid(body) { // also what is nested too deep for whoever reads it next
		return problem.Body("The body is not readable JSON.")
	}
	if isBatch(body) {
		var all []json.RawMessage
		if json.Unmarshal(body, &all) != nil || len(all) == 0 || len(all) > mostMessages {
			return problem.Body(fmt.Sprintf("A batch has 1 to %d messages.", mostMessages))
		}
	}
	return nil
}

func isBatch(body []byte) bool {
	body = bytes.TrimSpace(body)
	return len(body) > 0 && body[0] == '['
}

// spoken has the protocol answer. What it refuses as HTTP is told in the interface's own envelope.
func (s *Server) spoken(ctx context.Context, v *operation.Visit, r *http.Request, body []byte) (*operation.Answer, error) {
	if answer := unknownMethod(body); answer != nil {
		return answer, v.Count(ctx)
	}
	// The operations have their own time. This is for what leads to none, and ends in any case.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.API.CallTime*3/2+operation.MaxWait)
	defer cancel()
	seen := &visit{Visit: v}
	in := r.Clone(context.WithValue(ctx, visiting{}, seen))
	in.Body, in.ContentLength = http.NoBody, 0
	if len(body) > 0 {
		in.Body, in.ContentLength = readCloser{bytes.NewReader(body)}, int64(len(body))
	}
	in.Header.Set("Content-Type", "application/json")
	in.Header.Set("Accept", "application/json, text/event-stream") // there is one form of answers, whatever a client prefers
	in.Header.Del("Last-Event-Id")                                 // nothing is resumed: there are no streams
	to := &operation.Recorder{}
	s.protocol.ServeHTTP(to, in)
	if seen.refusal != nil && !isBatch(body) {
		return nil, seen.refusal
	}
	if !seen.counted() {
		if err := v.Count(ctx); err != nil {
			return nil, err
		}
	}
	if to.Status == http.StatusNotFound { // a method that newer versions do not have; the address is there
		to.Status = http.StatusBadRequest
	}
	isJSON := strings.HasPrefix(to.Header().Get("Content-Type"), "application/json")
	switch {
	case to.Status == 0:
		return nil, errors.New("the protocol gave no answer")
	case to.Status >= http.StatusBadRequest && !isJSON:
		return nil, translated(to.Status, to.Body.String())
	case to.Body.Len() > 0 && !isJSON:
		return nil, refused(http.StatusBadRequest, "body", "There are no streams of events here.")
	}
	return &operation.Answer{Status: to.Status, Body: to.Answer().Body}, nil
}

// translated puts what the protocol says in plain text into a problem.
func translated(status int, text string) error {
	text = strings.TrimPrefix(strings.TrimSpace(text), "Bad Request: ")
	if status >= http.StatusInternalServerError {
		return errors.New(text)
	}
	if r := []rune(text); len(r) > 300 {
		text = string(r[:299]) + "…"
	}
	parameter := "body"
	if strings.Contains(text, "protocol version") {
		parameter = "MCP-Protocol-Version"
	}
	return refused(status, parameter, "The message is not accepted: "+strings.TrimSuffix(text, ".")+".")
}

// refused is a bad request with another status than usual.
func refused(status int, parameter, message string) *problem.Problem {
	p := problem.New(catalog.BadRequest, problem.Details{"parameter": parameter}).Saying(message)
	p.Status = status
	return p
}

// contained turns a panic into an internal error, which the log explains.
func (s *Server) contained(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, r sdk.Request) (out sdk.Result, err error) {
		defer func() {
			if p := recover(); p != nil {
				s.Log.Error("panic", "request_id", visitOf(ctx).ID(), "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
				out, err = nil, errInternal
			}
		}()
		return next(ctx, method, r)
	}
}
