// SPDX-License-Identifier: Apache-2.0

package operation

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"runtime/debug"
	"strings"
	"sync"

	"github.com/reelops/reelops/apiserver/auth"
	"github.com/reelops/reelops/apiserver/idempotency"
	"github.com/reelops/reelops/apiserver/problem"
)

// Visit is a request to a door: an address that is no operation itself, such as the tool server's, and turns what it is
// asked for into calls of operations. The visitor has been authenticated. It is safe for concurrent use.
type Visit struct {
	h *Handler
	c *call

	mu     sync.Mutex
	caller *auth.Caller // as authenticated at the door, until the first call takes it over
	calls  int
	last   *Answer // of the last call
}

// Answer is an answer that is not sent yet.
type Answer struct {
	Status int
	Header http.Header
	Body   []byte
}

// visiting finds the call of a visitor in the context of its request.
type visiting struct{}

// Errand is one call of an operation in a visitor's name.
type Errand struct {
	Method string
	// Target is the path, escaped, and the query.
	Target string
	// Body is JSON; nil is none.
	Body []byte
	// Key is the idempotency key; nil is none.
	Key *string
	// Fault is a mistake in what the visitor asked for that leaves no request to make of it. It is told where the request's
	// own faults are told: after those of the key, the ceiling, the brand and the scope.
	Fault *problem.Problem
	// Ignored names what the visitor sent and nothing used.
	Ignored []string

	visit *Visit
}

// Enter lets in a request to the door with the name, when it shows a good key and the service is ready. What inside answers is
// sent, an error of it told, as an operation's would be. Nothing is counted against the ceiling on all calls but by
// Visit.Count and by the operations that are called.
func (h *Handler) Enter(w http.ResponseWriter, r *http.Request, name string, inside func(context.Context, *Visit) (*Answer, error)) {
	ctx, c, done := h.begin(w, r)
	defer done()
	c.door = name
	v := &Visit{h: h, c: c}
	leave, err := h.Gate.Enter(false)
	if err != nil {
		v.observe(h.turnAway(c, shed(err)), err)
		return
	}
	defer leave()
	answer, err := h.admit(ctx, v, inside)
	if err != nil {
		status := h.fail(ctx, c, err)
		v.observe(status, err)
		return
	}
	v.headers(ctx, answer)
	if len(answer.Body) == 0 {
		w.WriteHeader(answer.Status)
	} else {
		write(w, answer.Status, answer.Body)
	}
	v.observe(answer.Status, nil)
}

// admit takes the steps of every call that do not depend on an operation. A panic becomes an error.
func (h *Handler) admit(ctx context.Context, v *Visit, inside func(context.Context, *Visit) (*Answer, error)) (a *Answer, err error) {
	defer func() {
		if p := recover(); p != nil {
			h.Log.Error("panic", "request_id", v.c.id, "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
			a, err = nil, errors.New("panic")
		}
	}()
	for _, step := range []func(*Handler, context.Context, *call) error{(*Handler).ready, (*Handler).authenticate} {
		if err := step(h, ctx, v.c); err != nil {
			return nil, err
		}
	}
	caller := *v.c.caller
	v.caller = &caller
	return inside(ctx, v)
}

// headers gives the answer those that every answer has: of the ceiling that the one call counted against, else of that on
// all calls.
func (v *Visit) headers(ctx context.Context, a *Answer) {
	to := v.c.w.Header()
	for name, values := range a.Header {
		to[name] = values
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.calls != 1 {
		v.h.ceilingHeaders(ctx, v.c)
		return
	}
	for name, values := range v.last.Header {
		if strings.HasPrefix(name, "X-Ratelimit-") || name == "Retry-After" {
			to[name] = values
		}
	}
}

// observe logs and counts a visit that called nothing; calls log and count themselves.
func (v *Visit) observe(status int, err error) {
	v.mu.Lock()
	calls := v.calls
	v.mu.Unlock()
	if calls == 0 || err != nil {
		v.h.observe(v.c, status, err)
	}
}

// ID names the request.
func (v *Visit) ID() string { return v.c.id }

// Body reads the body, with the limits of every body: at most a mebibyte of JSON in UTF-8.
func (v *Visit) Body() ([]byte, error) { return readText(v.c.w, v.c.r) }

// Count counts the visit against the ceiling on all calls of the key, or tells that this is reached. It is for what is
// asked for and is no call of an operation.
func (v *Visit) Count(ctx context.Context) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.h.spendGlobal(ctx, v.c)
}

// Do calls an operation in the visitor's name: every rule for calls holds, as if the visitor had sent the request.
func (v *Visit) Do(ctx context.Context, e Errand) (*Answer, error) {
	if e.Method == http.MethodGet { // as a read by itself would, it ends when the visitor hangs up
		reading, cancel := context.WithCancel(ctx)
		defer cancel()
		defer context.AfterFunc(v.c.r.Context(), cancel)()
		ctx = reading
	}
	e.visit = v
	r, err := http.NewRequestWithContext(context.WithValue(ctx, visiting{}, &e), e.Method, e.Target, bytes.NewReader(e.Body))
	if err != nil {
		return nil, fmt.Errorf("calling %s: %w", e.Method, err)
	}
	r.RemoteAddr = v.c.r.RemoteAddr
	for _, name := range []string{"Authorization", "X-Brand-Id", "X-Forwarded-For", "User-Agent"} {
		if values := v.c.r.Header.Values(name); len(values) > 0 {
			r.Header[name] = values
		}
	}
	r.Header.Set(requestIDHeader, v.c.id)
	if e.Body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	if e.Key != nil {
		r.Header[idempotency.Header] = []string{*e.Key}
	}
	to := &Recorder{}
	v.h.ServeHTTP(to, r)
	out := to.Answer()
	v.mu.Lock()
	v.calls, v.last = v.calls+1, out
	v.mu.Unlock()
	return out, nil
}

// errand is what a visitor sent the call for; nil for a call that came by itself.
func errand(ctx context.Context) *Errand {
	e, _ := ctx.Value(visiting{}).(*Errand)
	return e
}

// known gives the caller who was authenticated at the door. It does so once: every further call is authenticated anew, so
// that each is counted as a use of the key. So is one that changes something when the cluster could not tell of the key.
func (e *Errand) known(changes bool) *auth.Caller {
	if e == nil {
		return nil
	}
	e.visit.mu.Lock()
	defer e.visit.mu.Unlock()
	out := e.visit.caller
	if out == nil || changes && out.Remembered {
		return nil
	}
	e.visit.caller = nil
	return out
}

// Recorder keeps an answer instead of sending it. Status is 0 until there is one.
type Recorder struct {
	Status int
	Body   bytes.Buffer
	header http.Header
}

// Header are the headers of the answer.
func (r *Recorder) Header() http.Header {
	if r.header == nil {
		r.header = http.Header{}
	}
	return r.header
}

// WriteHeader keeps the first status.
func (r *Recorder) WriteHeader(status int) {
	if r.Status == 0 {
		r.Status = status
	}
}

func (r *Recorder) Write(b []byte) (int, error) {
	r.WriteHeader(http.StatusOK)
	return r.Body.Write(b)
}

// Answer is what was kept.
func (r *Recorder) Answer() *Answer {
	return &Answer{Status: r.Status, Header: r.Header(), Body: bytes.TrimSuffix(r.Body.Bytes(), []byte("\n"))}
}
