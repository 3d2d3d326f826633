// SPDX-License-Identifier: Apache-2.0

package operation

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/reelops/reelops/apiserver/idempotency"
	"github.com/reelops/reelops/apiserver/limit"
	"github.com/reelops/reelops/apiserver/problem"
	"github.com/reelops/reelops/apiserver/view"
)

type failure struct {
	Success bool       `json:"success"`
	Errors  []APIError `json:"errors"`
}

// APIError is one error of a response.
type APIError struct {
	Code      view.ErrorCode  `json:"code" doc:"Stable code for programs."`
	Message   string          `json:"message" doc:"Description for users; its wording may change."`
	Retryable bool            `json:"retryable" doc:"Whether sending the same request later can succeed."`
	Details   problem.Details `json:"details,omitempty" doc:"Machine-readable specifics."`
}

func newRequestID() string { return "req_" + strings.ToLower(rand.Text()) }

// respond returns the envelope of a success. With an idempotency key the response is stored first.
func (h *Handler) respond(ctx context.Context, c *Call, r *reply) (*Result, error) {
	answer, err := h.answer(ctx, c, r)
	if err != nil {
		return nil, err
	}
	h.setRateLimit(ctx, c)
	if r != nil && r.etag != "" {
		c.header.Set("ETag", `"`+r.etag+`"`)
		// The caller's own cache may store the response, and revalidates it each time.
		c.header.Set("Cache-Control", "private, no-cache")
		c.header.Set("Vary", "Authorization")
		if matches(c.IfNoneMatch, r.etag) {
			return &Result{Status: http.StatusNotModified, Header: c.header}, nil
		}
	}
	doc := slices.Concat([]byte(`{"success":true,"data":`), answer.Data, []byte(`,"meta":`), answer.Meta, []byte("}"))
	if answer.RetryAfter > 0 {
		c.header.Set("Retry-After", problem.Seconds(answer.RetryAfter))
	}
	return &Result{Status: answer.Status, Header: c.header, Body: doc}, nil
}

// answer returns the stored response of an earlier run. Otherwise it returns the response for the handler's reply,
// which it stores under the idempotency key.
func (h *Handler) answer(ctx context.Context, c *Call, r *reply) (a idempotency.Answer, err error) {
	if c.replay != nil {
		a = *c.replay
	} else {
		r.meta.IgnoredFields = c.Ignored
		if a, err = encode(c.Operation, r); err == nil {
			a, err = c.tx.Commit(ctx, a)
		}
		a.Replayed = a.Replayed || r.found
	}
	if err != nil || !a.Replayed {
		return a, err
	}
	var meta Meta
	if err := json.Unmarshal(a.Meta, &meta); err != nil {
		return a, fmt.Errorf("reading a stored answer: %w", err)
	}
	meta.IdempotentReplay = true
	a.Meta, err = marshal(meta)
	return a, err
}

func encode(o *Operation, r *reply) (a idempotency.Answer, err error) {
	a.Status, a.RetryAfter = status(o), r.retryAfter
	if a.Data, err = marshal(r.data); err == nil {
		a.Meta, err = marshal(r.meta)
	}
	if err != nil {
		err = fmt.Errorf("encoding the answer of %s: %w", o.Name, err)
	}
	return a, err
}

// marshal returns v as JSON in which URLs can be read: their & is not escaped.
func marshal(v any) ([]byte, error) {
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return bytes.TrimSuffix(out.Bytes(), []byte("\n")), err
}

// matches reports whether one of the entity tags is the given one, by weak comparison (RFC 9110, 13.1.2).
func matches(headers []string, tag string) bool {
	for _, h := range headers {
		for one := range strings.SplitSeq(h, ",") {
			one = strings.TrimSpace(one)
			if one == "*" || strings.TrimPrefix(one, "W/") == `"`+tag+`"` {
				return true
			}
		}
	}
	return false
}

// fail returns the envelope of a failure.
func (h *Handler) fail(ctx context.Context, c *Call, err error) *Result {
	h.setRateLimit(context.WithoutCancel(ctx), c)
	return c.reject(err)
}

// reject returns the envelope of a failure without rate-limit headers, because no limiter was consulted for a call that
// was not admitted.
func (c *Call) reject(err error) *Result {
	p := problem.From(err, c.RequestID)
	for name, values := range p.Header {
		c.header[name] = values
	}
	if p.RetryAfter > 0 {
		c.header.Set("Retry-After", problem.Seconds(p.RetryAfter))
	}
	all := failure{}
	for _, one := range append([]*problem.Problem{p}, p.Also...) {
		all.Errors = append(all.Errors, APIError{Code: view.ErrorCode(one.Code), Message: one.Message, Retryable: one.Retryable, Details: one.Details})
	}
	doc, merr := marshal(all)
	if merr != nil {
		// Details consist of strings and numbers. Without them the response can always be encoded.
		doc, _ = marshal(failure{Errors: []APIError{{Code: view.ErrorCode(p.Code), Message: p.Message, Retryable: p.Retryable}}})
	}
	return &Result{Status: p.Status, Header: c.header, Body: doc}
}

// setRateLimit sets the headers of the rate limit that refused the call. If none did, it uses the most specific one
// that the call counts against.
func (h *Handler) setRateLimit(ctx context.Context, c *Call) {
	b := limit.Unauthenticated
	if c.Caller != nil {
		b = c.callBucket()
		if c.Operation != nil && c.Operation.Bucket != limit.Global {
			b = c.Operation.Bucket
		}
	}
	if c.limit == nil || (!c.limit.Refused && c.limit.Bucket != b) {
		state := h.Limits.Peek(ctx, b, c.subject(b))
		c.limit = &state
	}
	c.limit.SetHeaders(c.header)
}
