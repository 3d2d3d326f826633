// SPDX-License-Identifier: Apache-2.0

package sandbox

import (
	"bytes"
	"io"
	"maps"
	"net/http"
	"strconv"
	"time"
)

// maxCalls bounds how many calls are remembered: the newest.
const maxCalls = 200_000

// Up to which size a request's body is read before anything else happens, in bytes: always, and when the caller will be gone.
const (
	maxKept = 4 << 20
	maxLate = 256 << 20
)

// CallRecord is a call that came.
type CallRecord struct {
	Sequence int       `json:"sequence"`
	Time     time.Time `json:"time"`
	Platform string    `json:"platform"`
	Call     string    `json:"call"`
	Account  string    `json:"account,omitempty"`
	Method   string    `json:"method"`
	// Path without its query, which may hold secrets.
	Path string `json:"path"`
	// Status that was answered; 0 when no answer was given.
	Status int `json:"status"`
	// Carried out or not: what the platform would have answered is then Outcome.
	Carried bool `json:"carried_out"`
	Outcome int  `json:"outcome,omitempty"`
	// Fault that struck it, as "after drop".
	Fault string `json:"fault,omitempty"`
}

// Call makes a handler a named operation: it appears among the calls and takes faults. who says which account a request is
// for and may read the form.
func (s *Sandbox) Call(platform, name string, who func(*http.Request) string, h http.HandlerFunc) http.HandlerFunc {
	s.mu.Lock()
	s.know(platform, name)
	s.mu.Unlock()
	return func(w http.ResponseWriter, r *http.Request) {
		again := keepBody(r, maxKept)
		account := ""
		if who != nil {
			account = who(r)
			again()
		}
		c := s.begin(&CallRecord{Time: s.Now(), Platform: platform, Call: name, Account: account, Method: r.Method, Path: r.URL.Path})
		defer s.finish()
		s.carry(w, r, h, c, s.take(platform, name, account))
	}
}

// carry answers a call as the fault, if there is one, wants it.
func (s *Sandbox) carry(w http.ResponseWriter, r *http.Request, h http.HandlerFunc, c *CallRecord, f *Fault) {
	if f == nil {
		s.send(w, s.handle(h, r, c), c)
		return
	}
	s.note(func() { c.Fault = f.When + " " + f.Do })
	if f.When == After {
		done := s.handle(h, r, c)
		if f.Do == Cut {
			if s.cfg.OnFault != nil {
				s.cfg.OnFault(s.snapshot(c), *f)
			}
			s.cut(w, done)
		}
		if s.strike(w, r, c, f) {
			s.send(w, done, c)
		}
		return
	}
	if s.strike(w, r, c, f) {
		s.send(w, s.handle(h, r, c), c)
	}
}

// strike does what a fault does, and says whether the call goes on. Breaking the connection does not return.
func (s *Sandbox) strike(w http.ResponseWriter, r *http.Request, c *CallRecord, f *Fault) (on bool) {
	if s.cfg.OnFault != nil {
		s.cfg.OnFault(s.snapshot(c), *f)
	}
	switch f.Do {
	case Drop:
		panic(http.ErrAbortHandler)
	case Delay:
		wait := time.NewTimer(time.Duration(f.DelayMS) * time.Millisecond)
		defer wait.Stop()
		<-wait.C // whoever stopped waiting does not stop the platform
	case Hang:
		// That the caller has gone is seen when its body was read to the end.
		_, _ = io.Copy(io.Discard, r.Body)
		<-r.Context().Done()
		panic(http.ErrAbortHandler)
	case Late:
		keepBody(r, maxLate)
		<-r.Context().Done()
	case Revoke:
		s.tokensOf(c.Platform).Revoke(c.Account)
	case Expire:
		s.tokensOf(c.Platform).Expire(c.Account)
	case Status:
		_, _ = io.Copy(io.Discard, r.Body)
		s.send(w, s.scripted(c, f), c)
		return false
	}
	return true
}

// tokensOf is the book of a platform as it opened it.
func (s *Sandbox) tokensOf(platform string) *Tokens {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.book(platform)
}

// scripted is an error answer in the platform's words.
func (s *Sandbox) scripted(c *CallRecord, f *Fault) *answer {
	a := &answer{header: http.Header{}}
	if f.RetryAfter > 0 {
		a.header.Set("Retry-After", strconv.Itoa(f.RetryAfter))
	}
	s.mu.Lock()
	p := s.platforms[c.Platform]
	s.mu.Unlock()
	if failing, ok := p.(Failing); ok {
		failing.Fail(a, c.Call, *f)
		return a
	}
	writeJSON(a, f.Status, map[string]string{"error": f.Code})
	return a
}

func (s *Sandbox) handle(h http.HandlerFunc, r *http.Request, c *CallRecord) *answer {
	a := &answer{header: http.Header{}}
	h(a, r)
	s.note(func() { c.Carried, c.Outcome = true, a.code() })
	return a
}

func (s *Sandbox) send(w http.ResponseWriter, a *answer, c *CallRecord) {
	s.note(func() { c.Status = a.code() })
	maps.Copy(w.Header(), a.header)
	w.WriteHeader(a.code())
	_, _ = w.Write(a.body.Bytes())
}

// cut sends half of an answer and breaks the connection.
func (s *Sandbox) cut(w http.ResponseWriter, a *answer) {
	maps.Copy(w.Header(), a.header)
	w.Header().Set("Content-Length", strconv.Itoa(a.body.Len()+1))
	w.WriteHeader(a.code())
	_, _ = w.Write(a.body.Bytes()[:a.body.Len()/2])
	_ = http.NewResponseController(w).Flush()
	panic(http.ErrAbortHandler)
}

func (s *Sandbox) begin(c *CallRecord) *CallRecord {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sequence++
	s.inFlight++
	c.Sequence = s.sequence
	if len(s.calls) >= maxCalls {
		s.calls = append([]*CallRecord(nil), s.calls[maxCalls/2:]...)
	}
	s.calls = append(s.calls, c)
	return c
}

func (s *Sandbox) finish() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.inFlight--
	s.quiet.Broadcast()
}

func (s *Sandbox) snapshot(c *CallRecord) CallRecord {
	s.mu.Lock()
	defer s.mu.Unlock()
	return *c
}

func (s *Sandbox) note(change func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change()
}

// Quiet waits until no call is being carried out: a caller that went away may have left some.
func (s *Sandbox) Quiet() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.inFlight > 0 {
		s.quiet.Wait()
	}
}

// Calls lists the calls that came, oldest first.
func (s *Sandbox) Calls() []CallRecord {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := make([]CallRecord, len(s.calls))
	for i, c := range s.calls {
		out[i] = *c
	}
	return out
}

// keepBody reads a body that is not large, so that it is here whatever becomes of the connection. again begins it anew.
func keepBody(r *http.Request, most int64) (again func()) {
	if r.ContentLength < 0 || r.ContentLength > most {
		return func() {}
	}
	doc, err := io.ReadAll(r.Body)
	again = func() {
		r.Body = io.NopCloser(bytes.NewReader(doc))
		if err != nil {
			r.Body = io.NopCloser(io.MultiReader(bytes.NewReader(doc), broken{err}))
		}
		r.Form, r.PostForm, r.MultipartForm = nil, nil, nil
	}
	again()
	return again
}

// broken is the end of a body that did not come whole.
type broken struct{ err error }

func (b broken) Read([]byte) (int, error) { return 0, b.err }

// answer holds what a handler answers until it is decided whether it is sent.
type answer struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (a *answer) Header() http.Header { return a.header }

func (a *answer) WriteHeader(status int) {
	if a.status == 0 {
		a.status = status
	}
}

func (a *answer) Write(b []byte) (int, error) {
	a.WriteHeader(http.StatusOK)
	return a.body.Write(b)
}

func (a *answer) code() int {
	if a.status == 0 {
		return http.StatusOK
	}
	return a.status
}
