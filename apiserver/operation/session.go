// SPDX-License-Identifier: Apache-2.0

package operation

import (
	"context"
	"maps"
	"net/http"
	"strings"
	"sync"

	"github.com/reelops/reelops/apiserver/auth"
)

// Session is an authenticated HTTP request of another transport, such as the MCP server, that runs calls of operations.
// It is safe for concurrent use.
type Session struct {
	h *Handler
	c *Call // the HTTP request itself, which addresses no operation
	w http.ResponseWriter
	r *http.Request

	mu     sync.Mutex
	caller *auth.Caller // authenticated for the session; nil after the first call has used it
	calls  int
	last   *Result // of the last call
}

// Serve serves an HTTP request of the named transport. It authenticates the request, calls answer and sends its result;
// errors are sent as those of an operation. Serve itself counts nothing against the rate limit on all calls:
// Session.Count and the called operations do.
func (h *Handler) Serve(w http.ResponseWriter, r *http.Request, transport string, answer func(context.Context, *Session) (*Result, error)) {
	c := h.httpCall(w, r)
	c.Transport = transport
	s := &Session{h: h, c: c, w: w, r: r}
	ctx, end := h.begin(r.Context(), c)
	defer end()
	release, err := h.Gate.Enter(false)
	if err != nil {
		err = shed(err)
		s.finish(c.reject(err), err)
		return
	}
	defer release()
	out, err := s.process(ctx, answer)
	if err != nil {
		s.finish(h.fail(ctx, c, err), err)
		return
	}
	maps.Copy(c.header, out.Header)
	s.setRateLimit(ctx)
	if len(out.Body) == 0 {
		out.Body = nil
	}
	s.finish(&Result{Status: out.Status, Header: c.header, Body: out.Body}, nil)
}

// process runs the steps of every call that do not depend on an operation. A panic becomes an error.
func (s *Session) process(ctx context.Context, answer func(context.Context, *Session) (*Result, error)) (out *Result, err error) {
	defer s.h.recovered(s.c, &err)
	if err := s.h.ready(ctx, s.c); err != nil {
		return nil, err
	}
	if err := s.h.authenticate(ctx, s.c); err != nil {
		return nil, err
	}
	caller := *s.c.Caller
	s.caller = &caller
	return answer(ctx, s)
}

// setRateLimit sets the rate limit headers: those of the session's only call, or those of the limit on all calls.
func (s *Session) setRateLimit(ctx context.Context) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.calls != 1 {
		s.h.setRateLimit(ctx, s.c)
		return
	}
	for name, values := range s.last.Header {
		if strings.HasPrefix(name, "X-Ratelimit-") || name == "Retry-After" {
			s.c.header[name] = values
		}
	}
}

// finish sends the result. It logs and counts a session that had no calls or failed. Calls log and count themselves.
func (s *Session) finish(out *Result, err error) {
	out.Write(s.w)
	s.mu.Lock()
	calls := s.calls
	s.mu.Unlock()
	if calls == 0 || err != nil {
		s.h.observe(s.c, out.Status, err)
	}
}

// RequestID returns the id of the request.
func (s *Session) RequestID() string { return s.c.RequestID }

// Body reads the body, with the limits of every body: at most 1 MiB of JSON in UTF-8.
func (s *Session) Body() ([]byte, error) { return s.c.Body() }

// Count counts the request against the rate limit on all calls of the key. Its error is the refusal if the limit is
// reached. Use it for messages that call no operation.
func (s *Session) Count(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.h.admit(ctx, s.c)
}

// Call runs a call for the sender of the session. Every rule for calls applies, as for a REST request. The caller must
// set the method, path, arguments and Signed of c.
func (s *Session) Call(ctx context.Context, c *Call) *Result {
	if c.Method == http.MethodGet { // like a REST request, a read ends when the client disconnects
		reading, cancel := context.WithCancel(ctx)
		defer cancel()
		defer context.AfterFunc(s.r.Context(), cancel)()
		ctx = reading
	}
	c.Sender, c.RequestID, c.Transport = s.c.Sender, s.c.RequestID, s.c.Transport
	c.session, c.extend = s, s.c.extend
	out, done := s.h.Run(ctx, c)
	done()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls, s.last = s.calls+1, out
	return out
}

// takeCaller returns the caller that was authenticated for the session, once. Further calls are authenticated again, so
// that each counts as a use of the key. A change is also authenticated again if the cluster could not confirm the key.
func (s *Session) takeCaller(changes bool) *auth.Caller {
	if s == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	out := s.caller
	if out == nil || changes && out.Remembered {
		return nil
	}
	s.caller = nil
	return out
}
