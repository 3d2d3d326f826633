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

// maxCalls is the maximum number of recorded calls. At the limit the older half is dropped.
const maxCalls = 200_000

// Maximum size in bytes of a request body that is read before the handler runs: maxKept for every call, maxLate for the
// Late fault, where the client has disconnected before the handler runs.
const (
	maxKept = 4 << 20
	maxLate = 256 << 20
)

// CallRecord is one recorded API call.
type CallRecord struct {
	Sequence int       `json:"sequence"`
	Time     time.Time `json:"time"`
	Platform string    `json:"platform"`
	Call     string    `json:"call"`
	Account  string    `json:"account,omitempty"`
	Method   string    `json:"method"`
	// Path without its query, which may hold secrets.
	Path string `json:"path"`
	// Status is the HTTP status that was sent; 0 when no response was sent.
	Status int `json:"status"`
	// Carried reports whether the handler ran. Outcome is then the status that the handler returned.
	Carried bool `json:"carried_out"`
	Outcome int  `json:"outcome,omitempty"`
	// Fault that was applied to the call, for example "after drop".
	Fault string `json:"fault,omitempty"`
}

// Call wraps a handler as a named API call: the call is recorded and faults apply to it. who returns the account of a
// request and may parse the form.
func (s *Sandbox) Call(platform, name string, who func(*http.Request) string, h http.HandlerFunc) http.HandlerFunc {
	s.mu.Lock()
	s.know(platform, name)
	s.mu.Unlock()
	return func(w http.ResponseWriter, r *http.Request) {
		rewind := keepBody(r, maxKept)
		account := ""
		if who != nil {
			account = who(r)
			rewind()
		}
		c := s.begin(&CallRecord{Time: s.Now(), Platform: platform, Call: name, Account: account, Method: r.Method, Path: r.URL.Path})
		defer s.finish()
		s.carry(w, r, h, c, s.take(platform, name, account))
	}
}

// carry runs the handler and applies the fault f, if any.
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

// strike applies a fault before the response is sent and reports whether the call continues. Faults that break the
// connection panic with http.ErrAbortHandler.
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
		<-wait.C // a client that disconnects does not stop the platform
	case Hang:
		// net/http detects a disconnected client only after the request body was read to its end.
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

// tokensOf returns the token store of a platform.
func (s *Sandbox) tokensOf(platform string) *Tokens {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.book(platform)
}

// scripted returns an error response in the platform's format.
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

// cut sends half of the response body and breaks the connection.
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

// Quiet waits until no call is in flight. A client that disconnected may have left calls running.
func (s *Sandbox) Quiet() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.inFlight > 0 {
		s.quiet.Wait()
	}
}

// Calls returns the recorded calls, oldest first.
func (s *Sandbox) Calls() []CallRecord {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := make([]CallRecord, len(s.calls))
	for i, c := range s.calls {
		out[i] = *c
	}
	return out
}

// keepBody buffers the request body if it is at most most bytes long, so that a broken connection does not affect the
// handler. again rewinds the body and clears the parsed forms.
func keepBody(r *http.Request, most int64) (rewind func()) {
	if r.ContentLength < 0 || r.ContentLength > most {
		return func() {}
	}
	doc, err := io.ReadAll(r.Body)
	rewind = func() {
		r.Body = io.NopCloser(bytes.NewReader(doc))
		if err != nil {
			r.Body = io.NopCloser(io.MultiReader(bytes.NewReader(doc), broken{err}))
		}
		r.Form, r.PostForm, r.MultipartForm = nil, nil, nil
	}
	rewind()
	return rewind
}

// broken is a reader that returns the error with which reading the body failed.
type broken struct{ err error }

func (b broken) Read([]byte) (int, error) { return 0, b.err }

// answer buffers the response of a handler until carry decides whether to send it.
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
