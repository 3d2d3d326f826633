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

// Session is an authenticated HTTP request of another transport, such as the MCP server, that leads to calls of
// operations. It is safe for concurrent use.
type Session struct {
	h *Handler
	c *Call // the HTTP request itself, which addresses no operation
	w http.ResponseWriter
	r *http.Request

	mu     sync.Mutex
	caller *auth.Caller // as authenticated for the session, until the first call takes it
	calls  int
	last   *Result // of the last call
}

// Serve answers an HTTP request of the transport with the name: it authenticates the request and sends what answer
// returns, an error as an operation's would be. Serve counts nothing against the rate limit on all calls:
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
		s.finish(h.reject(c, err), err)
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

// process takes the steps of every call that do not depend on an operation. A panic becomes an error.
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

// setRateLimit sets the headers of the rate limit that the one call of the session reported, else of that on all
// calls.
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

// finish sends the result. It logs and counts a session without calls, or one that failed; calls log and count
// themselves.
func (s *Session) finish(out *Result, err error) {
	out.write(s.w)
	s.mu.Lock()
	calls := s.calls
	s.mu.Unlock()
	if calls == 0 || err != nil {
		s.h.observe(s.c, out.Status, err)
	}
}

// RequestID names the request.
func (s *Session) RequestID() string { return s.c.RequestID }

// Body reads the body, with the limits of every body: at most 1 MiB of JSON in UTF-8.
func (s *Session) Body() ([]byte, error) { return s.c.Body() }

// Count counts the request against the rate limit on all calls of the key. Its error is the refusal if the limit is
// reached. It is for messages that call no operation.
func (s *Session) Count(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.h.admit(ctx, s.c)
}

// Call runs a call for the sender of the session. Every rule for calls applies, as if the sender had made a REST
// request. The caller sets what the call addresses, its arguments and Signed.
func (s *Session) Call(ctx context.Context, c *Call) *Result {
	if c.Method == http.MethodGet { // like a REST request, a read ends when the client hangs up
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

// takeCaller returns the caller that was authenticated for the session, once: further calls are authenticated again,
// so that each counts as a use of the key. So is a change if the cluster could not confirm the key.
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
