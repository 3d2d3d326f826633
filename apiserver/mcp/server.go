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

// Path is the path of the MCP server, and Transport its name as a transport of calls.
const (
	Path      = "/mcp"
	Transport = "mcp"
)

// versions are the supported protocol versions, newest first.
var versions = []string{"2025-11-25", "2025-06-18", "2025-03-26"}

// mostMessages is the maximum size of a batch. Only the oldest version has batches.
const mostMessages = 20

// Config of a Server.
type Config struct {
	// API holds the operations that tools call.
	API *operation.Handler
	// BaseURL is the public address.
	BaseURL string
	// Version of the program, which clients may show.
	Version string
	// Picture opens a blob, for tools with include_images. If nil, they return no images.
	Picture func(ctx context.Context, key string) (io.ReadCloser, error)
	Log     *slog.Logger
}

// Server is the MCP server.
type Server struct {
	Config
	document *document
	origin   string
	drawing  chan struct{} // limits the calls that scale images at the same time
	protocol http.Handler
}

// New returns a server with all tools. It returns an error for a tool whose operation is not in the description.
func New(c Config) (*Server, error) {
	doc, err := documentOf(c.API.Description())
	if err != nil {
		return nil, err
	}
	s := &Server{Config: c, document: doc, drawing: make(chan struct{}, mostDrawing)}
	if base, err := url.Parse(c.BaseURL); err == nil {
		s.origin = base.Scheme + "://" + base.Host
	}
	quiet := slog.New(slog.DiscardHandler) // the caller receives the errors of the SDK
	server := sdk.NewServer(&sdk.Implementation{
		Name: "reelops", Title: "Reelops", Version: cmp.Or(c.Version, operation.Version),
	}, &sdk.ServerOptions{
		Instructions: instructions, Logger: quiet, SupportedProtocolVersions: versions,
		// Nothing changes while the server runs, and there are no MCP sessions to notify.
		Capabilities: &sdk.ServerCapabilities{Tools: &sdk.ToolCapabilities{}, Resources: &sdk.ResourceCapabilities{}, Prompts: &sdk.PromptCapabilities{}},
	})
	limits := numbers(c.API.Limits.Ceiling)
	for _, t := range tools {
		if err := s.add(server, t, limits.Replace(t.about)); err != nil {
			return nil, err
		}
	}
	s.addResources(server)
	addPrompts(server)
	server.AddReceivingMiddleware(s.contained, counted)
	s.protocol = sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return server }, &sdk.StreamableHTTPOptions{
		Stateless: true, JSONResponse: true, Logger: quiet, MaxRequestBodyBytes: catalog.MaxBodyBytes,
		// Behind a proxy the listening address is unrelated to the host that callers use. This option protects from
		// requests of foreign web pages. Those are rejected by their origin, and have no key.
		DisableLocalhostProtection: true,
	})
	return s, nil
}

// add adds a tool with its description.
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

// call runs the operation for a tool call.
func (s *Server) call(ctx context.Context, t *tool, doc json.RawMessage) (*sdk.CallToolResult, error) {
	request, in := s.document.request(t, doc)
	c := request.call()
	var signed *blobs
	if t.images != nil && in.flag(includeImages) && s.Picture != nil {
		signed = &blobs{}
		c.Signed = signed.add
	}
	answer := messageOf(ctx).run(ctx, c)
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
		if signed != nil {
			out.Content = append(out.Content, s.pictures(ctx, t.images(envelope["data"]), signed)...)
		}
	}
	if more != "" {
		out.Content = append(out.Content, &sdk.TextContent{Text: more})
	}
	return out, nil
}

// ServeHTTP serves a request to the MCP server.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.API.Serve(w, r, Transport, func(ctx context.Context, session *operation.Session) (*operation.Result, error) {
		body, err := s.message(session, r)
		if err == nil {
			return s.answer(ctx, session, r, body)
		}
		if limited := session.Count(ctx); limited != nil {
			return nil, limited
		}
		return nil, err
	})
}

// message returns the JSON-RPC message or batch of a request.
func (s *Server) message(session *operation.Session, r *http.Request) ([]byte, error) {
	if origin := r.Header.Get("Origin"); origin != "" && origin != s.origin {
		return nil, refused(http.StatusForbidden, "Origin", "Requests from web pages are not accepted.")
	}
	body, err := session.Body()
	if err != nil {
		return nil, err
	}
	return body, checked(body)
}

// checked returns an error for a body that cannot be JSON-RPC.
func checked(body []byte) error {
	if !json.Valid(body) { // also rejects documents nested too deeply for the next parser
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

// answer passes a message to the SDK and returns its response. Errors of the SDK's HTTP transport become errors of the
// API.
func (s *Server) answer(ctx context.Context, session *operation.Session, r *http.Request, body []byte) (*operation.Result, error) {
	if answer := unknownMethod(body); answer != nil {
		return answer, session.Count(ctx)
	}
	// Calls of operations have their own timeouts. This is the timeout for everything else.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.API.CallTime*3/2+operation.MaxWait)
	defer cancel()
	e := &exchange{Session: session}
	to := &recorder{header: http.Header{}}
	s.protocol.ServeHTTP(to, e.request(ctx, r, body))
	if e.refusal != nil && !isBatch(body) {
		return nil, e.refusal
	}
	if e.lacking != nil && !isBatch(body) { // the client can ask the user for more scopes
		return e.lacking, nil
	}
	if !e.counted() {
		if err := session.Count(ctx); err != nil {
			return nil, err
		}
	}
	if to.status == http.StatusNotFound { // a method that newer versions do not have; the path exists
		to.status = http.StatusBadRequest
	}
	isJSON := strings.HasPrefix(to.header.Get("Content-Type"), "application/json")
	switch {
	case to.status == 0:
		return nil, errors.New("the protocol returned no response")
	case to.status >= http.StatusBadRequest && !isJSON:
		return nil, translated(to.status, to.body.String())
	case to.body.Len() > 0 && !isJSON:
		return nil, refused(http.StatusBadRequest, "body", "Event streams are not supported.")
	}
	return &operation.Result{Status: to.status, Body: bytes.TrimSuffix(to.body.Bytes(), []byte("\n"))}, nil
}

// translated returns a plain-text error of the SDK as a problem.
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

// refused returns a bad_request error with the given status.
func refused(status int, parameter, message string) *problem.Problem {
	p := problem.New(catalog.BadRequest, problem.Details{"parameter": parameter}).Saying(message)
	p.Status = status
	return p
}

// contained is middleware that turns a panic into an internal error. Details are logged only.
func (s *Server) contained(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, r sdk.Request) (out sdk.Result, err error) {
		defer func() {
			if p := recover(); p != nil {
				s.Log.Error("panic", "request_id", messageOf(ctx).RequestID(), "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
				out, err = nil, errInternal
			}
		}()
		return next(ctx, method, r)
	}
}
