// SPDX-License-Identifier: Apache-2.0

package operation

import (
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"k8s.io/utils/ptr"

	"github.com/reelops/reelops/apiserver/problem"
	"github.com/reelops/reelops/apiserver/view"
	"github.com/reelops/reelops/internal/catalog"
)

const requestIDHeader = "X-Request-Id"

// ErrorEnvelope is the body of every error response.
type ErrorEnvelope struct {
	Success bool       `json:"success" enum:"false" doc:"Always false."`
	Errors  []APIError `json:"errors" minItems:"1" doc:"The errors. The first one determines the HTTP status."`
}

// answerHeaders returns the response headers by name.
func answerHeaders() map[string]*huma.Header {
	whole := func(least float64) *huma.Schema { return &huma.Schema{Type: huma.TypeInteger, Minimum: &least} }
	return map[string]*huma.Header{
		requestIDHeader: {
			Description: "Id of this request; include it in support requests.", Required: true,
			Schema: &huma.Schema{Type: huma.TypeString, Pattern: `^[A-Za-z0-9._-]{1,128}$`},
		},
		"X-RateLimit-Limit":     {Description: "Requests allowed in the window.", Required: true, Schema: whole(1)},
		"X-RateLimit-Remaining": {Description: "Requests left in the window.", Required: true, Schema: whole(0)},
		"X-RateLimit-Window":    {Description: "Length of the window in seconds.", Required: true, Schema: whole(1)},
		"Retry-After":           {Description: "Seconds to wait; on a job the same value as `poll_after_seconds`.", Required: true, Schema: whole(1)},
		"ETag":                  {Description: "Version of the returned data, for `If-None-Match`.", Required: true, Schema: &huma.Schema{Type: huma.TypeString, Pattern: `^"[^"]+"$`}},
		"Allow":                 {Description: "The methods that the path accepts.", Required: true, Schema: &huma.Schema{Type: huma.TypeString}},
		"WWW-Authenticate": {
			Description: "`Bearer` with the realm, the error `invalid_token` and a description.", Required: true,
			Schema: &huma.Schema{Type: huma.TypeString, Pattern: `^Bearer realm="[^"]*", error="invalid_token"`},
		},
	}
}

// headers returns references to the headers of every response and to those named.
func headers(more ...string) map[string]*huma.Header {
	out := map[string]*huma.Header{}
	for _, name := range append([]string{requestIDHeader, "X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Window"}, more...) {
		out[name] = &huma.Header{Ref: "#/components/headers/" + name}
	}
	return out
}

func (d *describer) responses(o *Operation) map[string]*huma.Response {
	out := map[string]*huma.Response{}
	var more []string
	if o.Polls {
		more = append(more, "Retry-After")
	}
	if o.Tagged {
		more = append(more, "ETag")
		out[statusText(http.StatusNotModified)] = &huma.Response{Description: "The data did not change.", Headers: headers("ETag")}
	}
	out[statusText(status(o))] = &huma.Response{
		Description: http.StatusText(status(o)), Headers: headers(more...),
		Content: map[string]*huma.MediaType{"application/json": successContent(d.envelope(o.out), o)},
	}
	for n, codes := range failuresOf(o) {
		out[statusText(n)] = d.failure(n, codes)
	}
	return out
}

// failuresOf returns the error codes of an operation by status.
func failuresOf(o *Operation) map[int][]catalog.Code {
	codes := []catalog.Code{
		catalog.MissingToken, catalog.InvalidToken, catalog.KeyRevoked, catalog.KeyExpired, catalog.BadRequest, catalog.RateLimited, catalog.InternalError,
	}
	codes = append(codes, o.Errors...)
	if o.Scope != "" || o.ForBrand {
		codes = append(codes, catalog.MissingScope)
	}
	if o.ForBrand {
		codes = append(codes, catalog.NotFound)
	}
	if len(o.params) > 0 && o.params[0].isID {
		codes = append(codes, o.NoSuch)
	}
	if o.body != nil || len(o.query) > 0 {
		codes = append(codes, catalog.ValidationFailed)
	}
	if o.Idempotent {
		codes = append(codes, catalog.IdempotencyConflict)
	}
	out := map[int][]catalog.Code{http.StatusMethodNotAllowed: {catalog.BadRequest}}
	add := func(n int, code catalog.Code) {
		if !slices.Contains(out[n], code) {
			out[n] = append(out[n], code)
		}
	}
	// Use the order of the catalog, so that equal sets have equal descriptions.
	for _, e := range catalog.Errors {
		if slices.Contains(codes, e.Code) {
			add(e.HTTPStatus, e.Code)
		}
	}
	for _, e := range catalog.Errors {
		if slices.Contains(o.Unprocessable, e.Code) {
			add(http.StatusUnprocessableEntity, e.Code)
		}
	}
	add(http.StatusServiceUnavailable, catalog.InternalError)
	return out
}

// shared maps failures common to many operations to component names.
var shared = map[string]string{
	"400 bad_request": "BadRequest", "401 missing_token invalid_token key_revoked key_expired": "Unauthorized", "403 missing_scope": "MissingScope",
	"404 not_found": "NotFound", "405 bad_request": "MethodNotAllowed", "422 validation_failed": "ValidationFailed",
	"429 rate_limited": "RateLimited", "500 internal_error": "InternalError", "503 internal_error": "Unavailable",
}

func (d *describer) failure(n int, codes []catalog.Code) *huma.Response {
	id := statusText(n)
	var lines, names []string
	examples := map[string]*huma.Example{}
	for _, code := range codes {
		id += " " + string(code)
		names = append(names, string(code))
		e := failureExample(n, code)
		lines = append(lines, fmt.Sprintf("`%s`: %s", code, e.Errors[0].Message))
		examples[string(code)] = &huma.Example{Summary: e.Errors[0].Message, Value: e}
	}
	text := lines[0]
	if len(lines) > 1 {
		text = "- " + strings.Join(lines, "\n- ")
	}
	var more []string
	switch n {
	case http.StatusUnauthorized:
		more = append(more, "WWW-Authenticate")
	case http.StatusMethodNotAllowed:
		more = append(more, "Allow")
		text = "Another method was used on this path. " + text
	case http.StatusTooManyRequests, http.StatusServiceUnavailable:
		more = append(more, "Retry-After")
	}
	r := &huma.Response{
		Description: text, Headers: headers(more...), Extensions: map[string]any{"x-error-codes": names},
		Content: map[string]*huma.MediaType{"application/json": {Schema: d.failures, Examples: examples}},
	}
	// retrying later does not configure a platform
	if n == http.StatusServiceUnavailable && slices.Contains(codes, catalog.PlatformNotConfigured) {
		r.Headers["Retry-After"] = &huma.Header{Description: "Seconds to wait; absent with `platform_not_configured`.", Schema: &huma.Schema{Type: huma.TypeInteger, Minimum: ptr.To(1.0)}}
	}
	name, ok := shared[id]
	if !ok {
		return r
	}
	d.components.Responses[name] = r
	return &huma.Response{Ref: "#/components/responses/" + name}
}

func successContent(schema *huma.Schema, o *Operation) *huma.MediaType {
	out := &huma.MediaType{Schema: schema}
	if o.DataExample != nil {
		out.Example = successExample(o, o.DataExample)
	}
	for name, data := range o.DataExamples {
		if out.Examples == nil {
			out.Examples = map[string]*huma.Example{}
		}
		out.Examples[name] = &huma.Example{Value: successExample(o, data)}
	}
	return out
}

func successExample(o *Operation, data any) any {
	var meta Meta
	for _, q := range o.query {
		if q.name == "per_page" {
			meta.Pagination = &Pagination{Page: 1, PerPage: 25, TotalPages: 1, TotalCount: 1}
			if v := reflect.ValueOf(data); v.Kind() == reflect.Slice {
				meta.Pagination.TotalCount = max(v.Len(), 1)
			}
		}
	}
	return struct {
		Success bool `json:"success"`
		Data    any  `json:"data"`
		Meta    Meta `json:"meta"`
	}{true, data, meta}
}

// failureExample returns an example response for a code.
func failureExample(httpStatus int, code catalog.Code) failure {
	p := problem.New(code, exampleDetails[code])
	switch httpStatus {
	case http.StatusServiceUnavailable:
		if code == catalog.InternalError {
			p.Message = "The service is temporarily unavailable."
		}
	case http.StatusMethodNotAllowed:
		p.Details = problem.Details{"parameter": "method"}
		p.Message = "This path does not accept the method."
	}
	return failure{Errors: []APIError{{Code: view.ErrorCode(code), Message: p.Message, Retryable: p.Retryable, Details: p.Details}}}
}

// exampleDetails are example details of a code.
var exampleDetails = map[catalog.Code]problem.Details{
	catalog.MissingScope:        {"required_scope": "content:write", "key_scopes": []string{"brand:read", "media:read", "posts:read", "analytics:read"}},
	catalog.QuotaExceeded:       {"slideshow_limit_exceeded": true, "limit": 50, "used": 50, "remaining": 0, "resets_at": "2026-12-01T00:00:00Z"},
	catalog.InsufficientCredits: {"credits_required": 14, "current_credits": 6},
	catalog.ValidationFailed:    {"field": "aspect_ratio", "allowed": aspectRatios()},
	catalog.BadRequest:          {"parameter": "body"},
	catalog.UnknownErrorCode:    {"code": "no_such_code", "known_codes": catalog.ErrorCodes()},
	catalog.JobInProgress:       {"short_id": 123, "render_requested_at": "2026-11-21T12:00:00Z"},
	catalog.IdempotencyConflict: {"endpoint": "POST /api/v1/slideshows", "in_flight": false},
	catalog.RateLimited:         {"retry_after_seconds": 12, "limit": 300, "window_seconds": 300, "bucket": "global"},
	catalog.Conflict:            {"status": "failed"},
	catalog.InternalError:       {"request_id": "req_5x2m7kq4s3jv6c2m5gq7ld3aan"},
}

func aspectRatios() []string {
	var out []string
	for _, r := range catalog.AspectRatios {
		out = append(out, r.Value)
	}
	return out
}
