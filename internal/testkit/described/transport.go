// SPDX-License-Identifier: Apache-2.0

package described

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/gorillamux"
)

// Transport sends requests and validates the responses against the description. RoundTrip returns an error for a
// status, header or body that is not described, a missing header, and an error code that is not described for the
// status. A request that the description forbids but the service accepts is an error too.
//
// Requests outside of Below are not validated.
type Transport struct {
	// Below is the prefix of described paths, such as /api/.
	Below string
	// Next sends the requests; http.DefaultTransport when nil.
	Next http.RoundTripper

	doc    *openapi3.T
	router routers.Router

	mu   sync.Mutex
	seen map[string]bool
}

// New parses a description in JSON. It fails if the description is not a valid OpenAPI document, or an example does not
// match its schema.
func New(description []byte, below string) (*Transport, error) {
	doc, err := openapi3.NewLoader().LoadFromData(description)
	if err != nil {
		return nil, fmt.Errorf("reading the description: %w", err)
	}
	if err := doc.Validate(context.Background(), openapi3.EnableExamplesValidation()); err != nil {
		return nil, fmt.Errorf("the description is not valid: %w", err)
	}
	doc.Servers = nil // accept any host
	t := &Transport{Below: below, doc: doc, seen: map[string]bool{}}
	if t.router, err = gorillamux.NewRouter(doc); err != nil {
		return nil, fmt.Errorf("reading the paths of the description: %w", err)
	}
	return t, nil
}

type loosely struct{}

// Loosely returns a context for calls that send more than the description permits. Their responses are validated.
func Loosely(ctx context.Context) context.Context { return context.WithValue(ctx, loosely{}, true) }

type aside struct{}

// Aside returns a context for calls whose responses are validated but not counted as seen, because they occur only by
// chance.
func Aside(ctx context.Context) context.Context { return context.WithValue(ctx, aside{}, true) }

// RoundTrip sends and validates a request.
func (t *Transport) RoundTrip(req *http.Request) (*http.Response, error) {
	next := t.Next
	if next == nil {
		next = http.DefaultTransport
	}
	if !strings.HasPrefix(req.URL.Path, t.Below) {
		return next.RoundTrip(req)
	}
	sent, err := drain(&req.Body)
	if err != nil {
		return nil, err
	}
	resp, err := next.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	got, err := drain(&resp.Body)
	if err != nil {
		return nil, fmt.Errorf("reading the answer: %w", err)
	}
	if err := t.judge(req, sent, resp, got); err != nil {
		return nil, fmt.Errorf("%s %s answered %d, and that is not as described: %w\n%s", req.Method, req.URL.Path, resp.StatusCode, err, got)
	}
	return resp, nil
}

// drain reads a body and restores it.
func drain(body *io.ReadCloser) ([]byte, error) {
	if *body == nil || *body == http.NoBody {
		return nil, nil
	}
	b, err := io.ReadAll(*body)
	_ = (*body).Close()
	*body = io.NopCloser(bytes.NewReader(b))
	return b, err
}

func (t *Transport) judge(req *http.Request, sent []byte, resp *http.Response, got []byte) error {
	// A HEAD request is described by the GET operation.
	asked := req.Clone(req.Context())
	if asked.Method == http.MethodHead {
		asked.Method = http.MethodGet
	}
	asked.Body = io.NopCloser(bytes.NewReader(sent))
	route, params, err := t.router.FindRoute(asked)
	var answering []*routers.Route // the operations that describe this response
	switch {
	case errors.Is(err, routers.ErrPathNotFound):
		route, err = t.elsewhere("NotFound", http.StatusNotFound, asked)
	case errors.Is(err, routers.ErrMethodNotAllowed):
		answering = t.beside(asked)
		route, err = t.elsewhere("MethodNotAllowed", http.StatusMethodNotAllowed, asked)
	default:
		answering = []*routers.Route{route}
	}
	if err != nil {
		return err
	}
	options := &openapi3filter.Options{
		IncludeResponseStatus: true, MultiError: true, ExcludeResponseBody: req.Method == http.MethodHead,
		AuthenticationFunc: openapi3filter.NoopAuthenticationFunc, SkipSettingDefaults: true,
		SchemaValidationOptions: []openapi3.SchemaValidationOption{openapi3.EnableFormatValidation()},
	}
	in := &openapi3filter.RequestValidationInput{Request: asked, PathParams: params, Route: route, Options: options}
	out := (&openapi3filter.ResponseValidationInput{
		RequestValidationInput: in, Status: resp.StatusCode, Header: resp.Header, Options: options,
	}).SetBodyBytes(got)
	described := route.Operation.Responses.Status(resp.StatusCode)
	if described == nil {
		return errors.New("the status is not described")
	}
	if err := openapi3filter.ValidateResponse(req.Context(), out); err != nil {
		return err
	}
	if err := codes(described.Value, got); err != nil {
		return err
	}
	if req.Context().Value(aside{}) == nil {
		t.note(answering, resp.StatusCode, got)
	}
	if resp.StatusCode >= http.StatusMultipleChoices || req.Context().Value(loosely{}) != nil {
		return nil
	}
	if err := openapi3filter.ValidateRequest(req.Context(), in); err != nil {
		return fmt.Errorf("the service took a request that its description refuses: %w", err)
	}
	return nil
}

// elsewhere returns a route for a path or method without an operation. Its responses are those of the components.
func (t *Transport) elsewhere(component string, status int, req *http.Request) (*routers.Route, error) {
	r := t.doc.Components.Responses[component]
	if r == nil {
		return nil, fmt.Errorf("the description has no response %s", component)
	}
	o := &openapi3.Operation{Responses: openapi3.NewResponses(openapi3.WithStatus(status, r))}
	for n, name := range map[int]string{http.StatusTooManyRequests: "RateLimited", http.StatusInternalServerError: "InternalError", http.StatusServiceUnavailable: "Unavailable"} {
		o.Responses.Set(strconv.Itoa(n), t.doc.Components.Responses[name])
	}
	return &routers.Route{Spec: t.doc, Path: req.URL.Path, Method: req.Method, Operation: o}, nil
}

// beside returns the operations of a path, for any method.
func (t *Transport) beside(req *http.Request) []*routers.Route {
	var out []*routers.Route
	for _, method := range []string{http.MethodGet, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete} {
		asked := req.Clone(req.Context())
		asked.Method = method
		if r, _, err := t.router.FindRoute(asked); err == nil {
			out = append(out, r)
		}
	}
	return out
}

// codes returns an error if a response contains an error code that is not described for its status.
func codes(r *openapi3.Response, got []byte) error {
	known, ok := r.Extensions["x-error-codes"].([]any)
	if !ok {
		return nil
	}
	for _, code := range codesOf(got) {
		if !slices.Contains(known, any(code)) {
			return fmt.Errorf("the code %s is not described for the status, only %v", code, known)
		}
	}
	return nil
}

// codesOf returns the error codes of a response. The response to a HEAD request has none; the schema validates any
// other body.
func codesOf(got []byte) []string {
	var envelope struct{ Errors []struct{ Code string } }
	if json.Unmarshal(got, &envelope) != nil {
		return nil
	}
	var out []string
	for _, e := range envelope.Errors {
		out = append(out, e.Code)
	}
	return out
}

func (t *Transport) note(answering []*routers.Route, status int, got []byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, r := range answering {
		at := fmt.Sprintf("%s %s %d", r.Method, r.Path, status)
		t.seen[at] = true
		for _, code := range codesOf(got) {
			t.seen[at+" "+code] = true
		}
	}
}

// Unanswered returns what is described and was never seen: "GET /path 200", and with its code "GET /path 404
// not_found".
func (t *Transport) Unanswered() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	var out []string
	for path, item := range t.doc.Paths.Map() {
		for method, o := range item.Operations() {
			for status, r := range o.Responses.Map() {
				at := fmt.Sprintf("%s %s %s", method, path, status)
				all := []string{at}
				if codes, ok := r.Value.Extensions["x-error-codes"].([]any); ok {
					all = nil
					for _, code := range codes {
						all = append(all, fmt.Sprintf("%s %s", at, code))
					}
				}
				for _, one := range all {
					if !t.seen[one] {
						out = append(out, one)
					}
				}
			}
		}
	}
	slices.Sort(out)
	return out
}

// Unseen returns the operations, as "GET /path", without a successful response so far.
func (t *Transport) Unseen() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	var out []string
	for path, item := range t.doc.Paths.Map() {
		for method, o := range item.Operations() {
			found := false
			for text := range o.Responses.Map() {
				n, err := strconv.Atoi(text)
				found = found || err == nil && n < http.StatusMultipleChoices && t.seen[fmt.Sprintf("%s %s %d", method, path, n)]
			}
			if !found {
				out = append(out, method+" "+path)
			}
		}
	}
	slices.Sort(out)
	return out
}
