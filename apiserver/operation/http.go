// SPDX-License-Identifier: Apache-2.0

package operation

import (
	"bytes"
	"context"
	"errors"
	"io"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/reelops/reelops/apiserver/auth"
	"github.com/reelops/reelops/apiserver/idempotency"
	"github.com/reelops/reelops/apiserver/limit"
	"github.com/reelops/reelops/apiserver/problem"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/process/tracing"
)

// ServeHTTP runs the operation that a REST request addresses.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	result, done := h.Run(r.Context(), h.httpCall(w, r))
	defer done()
	result.Write(w)
}

// ServeAs runs the operation that a request of the named transport addresses, for the caller that the transport has
// authenticated. Every rule for calls applies, as for a REST request.
func (h *Handler) ServeAs(
	w http.ResponseWriter, r *http.Request, transport string, identify func(context.Context, *Operation) (*auth.Caller, error),
) {
	c := h.httpCall(w, r)
	c.Transport, c.Identify = transport, identify
	result, done := h.Run(r.Context(), c)
	defer done()
	result.Write(w)
}

// Refuse sends an error in the envelope of the API. It is for requests that address no operation.
func Refuse(w http.ResponseWriter, r *http.Request, err error) {
	c := &Call{RequestID: RequestID(r), header: http.Header{}}
	c.header.Set(requestIDHeader, c.RequestID)
	c.reject(err).Write(w)
}

// httpCall returns a request as a call.
func (h *Handler) httpCall(w http.ResponseWriter, r *http.Request) *Call {
	return &Call{
		Sender: Sender{
			Authorization: r.Header.Get("Authorization"), BrandID: r.Header.Get("X-Brand-Id"),
			Address: limit.ClientAddress(r, h.TrustedProxies),
		},
		RequestID: RequestID(r), Method: r.Method, Path: r.URL.EscapedPath(), Query: r.URL.RawQuery,
		IdempotencyKeys: r.Header.Values(idempotency.Header), IfNoneMatch: r.Header.Values("If-None-Match"),
		TraceParent: r.Header.Get(tracing.Header),
		Body:        func() ([]byte, error) { return readText(w, r) },
		extend: func(most time.Duration) {
			// A slow body must not hold a connection for longer than the call may take. A client that does not read the
			// response may hold it only slightly longer. The server resets both deadlines.
			control, now := http.NewResponseController(w), time.Now()
			_ = control.SetReadDeadline(now.Add(most))
			_ = control.SetWriteDeadline(now.Add(most + h.CallTime))
		},
	}
}

// RequestID returns the X-Request-Id of a request if it is safe to echo; otherwise a new id.
func RequestID(r *http.Request) string {
	id := r.Header.Get(requestIDHeader)
	if pattern(`^[A-Za-z0-9._-]{1,128}$`).MatchString(id) {
		return id
	}
	return newRequestID()
}

// Write sends the result.
func (r *Result) Write(w http.ResponseWriter) {
	h := w.Header()
	for name, values := range r.Header {
		h[name] = values
	}
	if r.Body == nil {
		w.WriteHeader(r.Status)
		return
	}
	h.Set("Content-Type", "application/json; charset=utf-8")
	h.Set("Content-Length", strconv.Itoa(len(r.Body)+1))
	if h.Get("Cache-Control") == "" {
		h.Set("Cache-Control", "no-store")
	}
	h.Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(r.Status)
	_, _ = w.Write(append(r.Body, '\n')) // the client may have disconnected
}

// readText reads the body of a request; nil when it is blank.
func readText(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	wrongType := checkType(r.Header.Get("Content-Type"))
	tooLarge := errTooLarge()
	if wrongType != nil {
		tooLarge = wrongType // a file in a form is usually large, but the size is not its main problem
	}
	if r.ContentLength > catalog.MaxBodyBytes {
		return nil, tooLarge // reject it without reading the body
	}
	doc, err := io.ReadAll(http.MaxBytesReader(w, r.Body, catalog.MaxBodyBytes))
	if err != nil {
		var passed *http.MaxBytesError
		if errors.As(err, &passed) {
			return nil, tooLarge
		}
		return nil, problem.Body("The body ended before it was whole.")
	}
	if wrongType != nil && len(bytes.TrimSpace(doc)) > 0 {
		return nil, wrongType
	}
	return checkText(doc)
}

// checkType returns the problem of a body whose Content-Type is not JSON in UTF-8; nil if it is, or is not given.
func checkType(t string) *problem.Problem {
	if t == "" {
		return nil
	}
	kind, params, err := mime.ParseMediaType(t)
	charset := params["charset"]
	switch {
	case err == nil && kind == "application/json" && (charset == "" || strings.EqualFold(charset, "utf-8")):
		return nil
	case strings.HasPrefix(strings.ToLower(t), "multipart/"):
		return problem.Body("The Content-Type must be application/json, not a form: " +
			"declare files with POST /api/v1/direct_uploads.")
	}
	return problem.Body("The Content-Type must be application/json.")
}
