// SPDX-License-Identifier: Apache-2.0

package operation

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/reelops/reelops/apiserver/problem"
	"github.com/reelops/reelops/apiserver/view"
)

type success struct {
	Success bool `json:"success"`
	Data    any  `json:"data"`
	Meta    Meta `json:"meta"`
}

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

// succeed writes the envelope of a success.
func (h *Handler) succeed(ctx context.Context, c *call, r *result) (int, error) {
	r.meta.IgnoredFields = c.ignored
	h.ceilingHeaders(ctx, c)
	if r.etag != "" {
		c.w.Header().Set("ETag", `"`+r.etag+`"`)
		if known(c.r.Header.Values("If-None-Match"), r.etag) {
			c.w.WriteHeader(http.StatusNotModified)
			return http.StatusNotModified, nil
		}
	}
	doc, err := json.Marshal(success{Success: true, Data: r.data, Meta: r.meta})
	if err != nil {
		return 0, fmt.Errorf("writing the answer of %s: %w", c.op.Name, err)
	}
	if r.retryAfter > 0 {
		c.w.Header().Set("Retry-After", problem.Seconds(r.retryAfter))
	}
	write(c.w, status(c.op), doc)
	return status(c.op), nil
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
	p := problem.From(err, c.id)
	for name, values := range p.Header {
		c.w.Header()[name] = values
	}
	if p.RetryAfter > 0 {
		c.w.Header().Set("Retry-After", problem.Seconds(p.RetryAfter))
	}
	doc, merr := json.Marshal(failure{Errors: []APIError{{Code: view.ErrorCode(p.Code), Message: p.Message, Retryable: p.Retryable, Details: p.Details}}})
	if merr != nil {
		// Details are made of strings and numbers; without them the answer can always be written.
		doc, _ = json.Marshal(failure{Errors: []APIError{{Code: view.ErrorCode(p.Code), Message: p.Message, Retryable: p.Retryable}}})
	}
	write(c.w, p.Status, doc)
	return p.Status
}

func write(w http.ResponseWriter, status int, doc []byte) {
	h := w.Header()
	h.Set("Content-Type", "application/json; charset=utf-8")
	h.Set("Content-Length", strconv.Itoa(len(doc)+1))
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	_, _ = w.Write(append(doc, '\n')) // the caller may be gone
}
