// SPDX-License-Identifier: Apache-2.0

package youtube

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
)

// receive handles a request to an upload session. The session URL is an authorization of its own: a token is optional,
// and checked if it is sent.
func (p *Platform) receive(w http.ResponseWriter, r *http.Request) {
	who := ""
	if r.Header.Get("Authorization") != "" {
		a, e := p.admit(r, uploading)
		if e != nil {
			e.write(w)
			return
		}
		who = a.Name
	}
	p.mu.Lock()
	s := p.sessions[r.URL.Query().Get("upload_id")]
	if s != nil && (who != "" && s.account.Name != who || p.core.Now().Sub(s.opened) >= p.rules.Session) {
		s = nil
	}
	p.mu.Unlock()
	if s == nil {
		w.WriteHeader(http.StatusNotFound)
		return
	}
	at, err := readSpan(r)
	if err != nil {
		invalid("badRequest", "Failed to parse Content-Range header.").write(w)
		return
	}
	p.take(w, r, s, at, r.Body)
}

// span is the parsed Content-Range of a request.
type span struct {
	// query marks a status query without a body.
	query bool
	// first byte, and last byte or -1 if the body has no fixed end.
	first, last int64
	// total size in bytes; -1 when unknown.
	total int64
}

// readSpan parses Content-Range: "bytes 0-99/100", "bytes 0-99/*", "bytes */100" or no header.
func readSpan(r *http.Request) (span, error) {
	v := r.Header.Get("Content-Range")
	if v == "" {
		return span{last: -1, total: r.ContentLength}, nil
	}
	rest, ok := strings.CutPrefix(v, "bytes ")
	what, all, both := strings.Cut(rest, "/")
	if !ok || !both {
		return span{}, errors.New("no range")
	}
	s := span{total: -1}
	var err error
	if all != "*" {
		if s.total, err = strconv.ParseInt(all, 10, 64); err != nil {
			return s, err
		}
	}
	if what == "*" {
		s.query = true
		return s, nil
	}
	first, last, ok := strings.Cut(what, "-")
	if !ok {
		return s, errors.New("no range")
	}
	if s.first, err = strconv.ParseInt(first, 10, 64); err != nil {
		return s, err
	}
	if s.last, err = strconv.ParseInt(last, 10, 64); err != nil {
		return s, err
	}
	if s.first < 0 || s.last < s.first || (s.total >= 0 && s.last >= s.total) || (r.ContentLength >= 0 && r.ContentLength != s.last-s.first+1) {
		return s, errors.New("a range that is none")
	}
	return s, nil
}

// take stores the body of a request and writes the response: the video when the upload is complete, else the stored
// range.
func (p *Platform) take(w http.ResponseWriter, r *http.Request, s *session, at span, body io.Reader) {
	p.mu.Lock()
	if s.video == nil {
		if e := s.accepts(at); e != nil {
			p.mu.Unlock()
			e.write(w)
			return
		}
		if at.total >= 0 {
			s.total = at.total
		}
		s.turn++
		mine := s.turn
		p.mu.Unlock()
		if !at.query {
			if e := p.store(s, mine, at, body); e != nil {
				e.write(w)
				return
			}
		}
		p.mu.Lock()
		if k := p.rules.Keeps; k > 0 && !at.query && s.turn == mine && s.have != s.total {
			s.have = min(s.have, at.first+k)
		}
		ended := !at.query && r.Header.Get("Content-Range") == "" // a single request with the whole file
		if s.turn == mine && (ended || s.total >= 0 && s.have == s.total) {
			p.mu.Unlock()
			_, _ = s.file.Probe(r.Context()) // probe without holding the lock; the result is cached
			p.mu.Lock()
			if s.video == nil && s.turn == mine {
				if err := p.complete(s); err != nil {
					p.mu.Unlock()
					broken.write(w)
					return
				}
			}
		}
	}
	v, have := s.video, s.have
	var doc map[string]any
	if v != nil {
		doc = p.show(v, strings.Split(s.parts, ","), true)
	}
	completed := p.rules.Completed
	p.mu.Unlock()
	if v != nil {
		writeJSON(w, completed, doc)
		return
	}
	if have > 0 {
		w.Header().Set("Range", fmt.Sprintf("bytes=0-%d", have-1))
	}
	w.Header().Set("X-GUploader-UploadID", s.id)
	if r.Header.Get("X-GUploader-No-308") == "yes" {
		w.Header().Set("X-Http-Status-Code-Override", "308")
		w.WriteHeader(http.StatusOK)
		return
	}
	w.WriteHeader(http.StatusPermanentRedirect)
}

// accepts returns the error when a session does not accept a request, or nil. The caller holds the lock.
func (s *session) accepts(at span) *problem {
	size := at.last - at.first + 1
	switch {
	case at.total >= 0 && s.total >= 0 && at.total != s.total:
		return invalid("badRequest", "The size of the upload is not the one that was announced.")
	case at.query:
		return nil
	case at.first > s.have:
		return invalid("badRequest", fmt.Sprintf("Invalid request. The upload has %d bytes: there would be a gap.", s.have))
	case at.last >= 0 && size%granule != 0 && (at.total < 0 || at.last != at.total-1):
		return invalid("badRequest", fmt.Sprintf("Invalid request. The number of bytes uploaded is required to be a multiple of %d, except for the final request.", granule))
	}
	return nil
}

// store writes the body until a newer request takes over the session. Of a chunk that breaks off, only whole granules
// are stored.
func (p *Platform) store(s *session, mine int, at span, body io.Reader) *problem {
	next := at.first
	limit := int64(maxVideo)
	if at.last >= 0 {
		limit = at.last - at.first + 1
	} else if s.total >= 0 {
		limit = s.total
	}
	source := &watched{r: io.LimitReader(body, limit)}
	buf := make([]byte, step)
	for {
		n, err := io.ReadFull(source, buf)
		whole := errors.Is(source.end, io.EOF) && (at.last < 0 && s.total < 0 || next+int64(n) == at.first+limit)
		p.mu.Lock()
		if s.turn != mine {
			p.mu.Unlock()
			return reason(http.StatusServiceUnavailable, "backendError", "Another request to this upload came.")
		}
		kept := n
		if err != nil && !whole {
			kept = int((next+int64(n))/granule*granule - next)
		}
		if kept > 0 {
			if _, err := s.file.WriteFrom(bytes.NewReader(buf[:kept]), next); err != nil {
				p.mu.Unlock()
				return broken
			}
			next += int64(kept)
			s.have = max(s.have, next)
		}
		p.mu.Unlock()
		if err == nil {
			continue
		}
		if whole || at.last >= 0 && next == at.last+1 {
			return nil
		}
		return reason(http.StatusServiceUnavailable, "backendError", "The request broke off.")
	}
}

// watched records the error with which a reader ended.
type watched struct {
	r   io.Reader
	end error
}

func (w *watched) Read(b []byte) (int, error) {
	n, err := w.r.Read(b)
	if err != nil {
		w.end = err
	}
	return n, err
}
