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
	"strconv"
	"strings"

	"github.com/reelops/reelops/apiserver/idempotency"
	"github.com/reelops/reelops/apiserver/problem"
	"github.com/reelops/reelops/apiserver/view"
)

type failure struct {
	Success bool       `json:"success"`
	Errors  []APIError `json:"errors"`
}

// APIError is one error of an answer.
type APIError struct {
	Code      view.ErrorCode  `json:"code" doc:"Branch on this."`
	Message   string          `json:"message" doc:"For people; may be reworded."`
	Retryable bool            `json:"retryable" doc:"Whether sending the same request later can succeed."`
	Details   problem.Details `json:"details,omitempty" doc:"Machine-readable specifics."`
}

func newRequestID() string { return "req_" + strings.ToLower(rand.Text()) }

// succeed writes the envelope of a success. Under an idempotency key the answer is stored before it is sent.
func (h *Handler) succeed(ctx context.Context, c *call, r *result) (int, error) {
	answer, err := h.answer(ctx, c, r)
	if err != nil {
		return 0, err
	}
	h.ceilingHeaders(ctx, c)
	if r != nil && r.etag != "" {
		c.w.Header().Set("ETag", `"`+r.etag+`"`)
		// The caller's own cache may keep what has a tag, and asks each time whether it is current.
		c.w.Header().Set("Cache-Control", "private, no-cache")
		c.w.Header().Set("Vary", "Authorization")
		if known(c.r.Header.Values("If-None-Match"), r.etag) {
			c.w.WriteHeader(http.StatusNotModified)
			return http.StatusNotModified, nil
		}
	}
	doc := slices.Concat([]byte(`{"success":true,"data":`), answer.Data, []byte(`,"meta":`), answer.Meta, []byte("}"))
	if answer.RetryAfter > 0 {
		c.w.Header().Set("Retry-After", problem.Seconds(answer.RetryAfter))
	}
	write(c.w, answer.Status, doc)
	return answer.Status, nil
}

// answer is what is sent: the remembered answer, or the handler's result, which is remembered then.
func (h *Handler) answer(ctx context.Context, c *call, r *result) (a idempotency.Answer, err error) {
	if c.remembered != nil {
		a = *c.remembered
	} else {
		r.meta.IgnoredFields = c.ignored
		if a, err = encode(c.op, r); err == nil {
			a, err = c.once.Commit(ctx, a)
		}
		a.Replayed = a.Replayed || r.found
	}
	if err != nil || !a.Replayed {
		return a, err
	}
	var meta Meta
	if err := json.Unmarshal(a.Meta, &meta); err != nil {
		return a, fmt.Errorf("reading a remembered answer: %w", err)
	}
	meta.IdempotentReplay = true
	a.Meta, err = marshal(meta)
	return a, err
}

func encode(o *Operation, r *result) (a idempotency.Answer, err error) {
	a.Status, a.RetryAfter = status(o), r.retryAfter
	if a.Data, err = marshal(r.data); err == nil {
		a.Meta, err = marshal(r.meta)
	}
	if err != nil {
		err = fmt.Errorf("writing the answer of %s: %w", o.Name, err)
	}
	return a, err
}

// marshal writes JSON in which an address stands as it is used: its & is not escaped for pages that nobody makes of it.
func marshal(v any) ([]byte, error) {
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return bytes.TrimSuffix(out.Bytes(), []byte("\n")), err
}

// known says whether the caller has the state that the tag names; validators are compared weakly (RFC 9110, 13.1.2).
func known(headers []string, tag string) bool {
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

// fail writes the envelope of a failure.
func (h *Handler) fail(ctx context.Context, c *call, err error) int {
	h.ceilingHeaders(context.WithoutCancel(ctx), c)
	return h.tell(c, problem.From(err, c.id))
}

func (h *Handler) tell(c *call, p *problem.Problem) int {
	for name, values := range p.Header {
		c.w.Header()[name] = values
	}
	if p.RetryAfter > 0 {
		c.w.Header().Set("Retry-After", problem.Seconds(p.RetryAfter))
	}
	all := failure{}
	for _, one := range append([]*problem.Problem{p}, p.Also...) {
		all.Errors = append(all.Errors, APIError{Code: view.ErrorCode(one.Code), Message: one.Message, Retryable: one.Retryable, Details: one.Details})
	}
	doc, merr := marshal(all)
	if merr != nil {
		// Details are made of strings and numbers; without them the answer can always be written.
		doc, _ = marshal(failure{Errors: []APIError{{Code: view.ErrorCode(p.Code), Message: p.Message, Retryable: p.Retryable}}})
	}
	write(c.w, p.Status, doc)
	return p.Status
}

func write(w http.ResponseWriter, status int, doc []byte) {
	h := w.Header()
	h.Set("Content-Type", "application/json; charset=utf-8")
	h.Set("Content-Length", strconv.Itoa(len(doc)+1))
	if h.Get("Cache-Control") == "" {
		h.Set("Cache-Control", "no-store")
	}
	h.Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	_, _ = w.Write(append(doc, '\n')) // the caller may be gone
}
