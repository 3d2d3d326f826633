// SPDX-License-Identifier: Apache-2.0

package youtube

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/reelops/reelops/internal/sandbox"
)

const (
	// granule is what pieces of an upload are multiples of, but for the last.
	granule = 256 << 10
	// maxVideo is how large a file may be.
	maxVideo = 256 << 30
	// step is how much is written at once.
	step = 1 << 20
)

// session is an upload on its way.
type session struct {
	id       string
	account  sandbox.Account
	resource *resource
	parts    string
	notify   bool
	fileName string
	opened   time.Time
	file     *sandbox.File
	// total bytes; -1 until they are told. have is how many are kept.
	total, have int64
	// turn counts requests: one that is overtaken by another writes no more.
	turn int
	// video that it became.
	video *video
}

// insert begins an upload: of several requests, or of this one.
func (p *Platform) insert(w http.ResponseWriter, r request) {
	q := r.URL.Query()
	parts, e := partsOf(r, "snippet", "status", "contentDetails", "recordingDetails", "localizations", "id", "processingDetails", "fileDetails", "statistics", "player")
	var media io.Reader
	var doc []byte
	contentType := r.Header.Get("X-Upload-Content-Type")
	kind := q.Get("uploadType")
	if e == nil {
		switch kind {
		case "resumable":
			doc, e = document(r.Body)
		case "multipart":
			doc, media, contentType, e = related(r)
		case "media":
			doc, media, contentType = []byte("{}"), r.Body, r.Header.Get("Content-Type")
		default:
			e = invalid("mediaBodyRequired", "The request does not include the video content.")
		}
	}
	var s *session
	if e == nil {
		s, e = p.begin(r, doc, parts, contentType)
	}
	if e != nil {
		e.write(w)
		return
	}
	if media == nil {
		u := p.core.URL(name, r.URL.Path) + "?uploadType=resumable&part=" + s.parts + "&upload_id=" + s.id
		w.Header().Set("Location", u)
		w.Header().Set("X-GUploader-UploadID", s.id)
		w.WriteHeader(http.StatusOK)
		return
	}
	p.take(w, r.Request, s, span{last: -1, total: -1}, media)
}

func document(body io.Reader) ([]byte, *problem) {
	doc, err := io.ReadAll(io.LimitReader(body, 1<<20))
	if err != nil {
		return nil, invalid("parseError", "Parse Error")
	}
	return doc, nil
}

// related splits a request that holds both the words and the film.
func related(r request) (doc []byte, media io.Reader, contentType string, e *problem) {
	kind, params, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	bad := invalid("badContent", "Bad content: a request of two parts is expected.")
	if err != nil || kind != "multipart/related" {
		return nil, nil, "", bad
	}
	parts := multipart.NewReader(r.Body, params["boundary"])
	first, err := parts.NextPart()
	if err != nil {
		return nil, nil, "", bad
	}
	if doc, e = document(first); e != nil {
		return nil, nil, "", e
	}
	second, err := parts.NextPart()
	if err != nil {
		return nil, nil, "", invalid("mediaBodyRequired", "The request does not include the video content.")
	}
	return doc, second, second.Header.Get("Content-Type"), nil
}

// begin checks what is said of a video and opens an upload.
func (p *Platform) begin(r request, doc []byte, parts []string, contentType string) (*session, *problem) {
	said, e := read(doc, parts)
	if e != nil {
		return nil, e
	}
	if said.Snippet == nil {
		said.Snippet = &snippet{Title: "unknown"}
	} else if e := checkSnippet(said.Snippet); e != nil {
		return nil, e
	}
	if said.Status == nil {
		said.Status = &status{}
	}
	if _, e := checkStatus(said.Status, false); e != nil {
		return nil, e
	}
	if contentType != "" && contentType != "application/octet-stream" && !strings.HasPrefix(contentType, "video/") {
		return nil, invalid("badContent", "Media type '"+contentType+"' is not supported. Valid media types: [video/*, application/octet-stream]")
	}
	s := &session{
		id: sandbox.Letters(64), account: r.account, resource: said, parts: strings.Join(parts, ","), notify: r.URL.Query().Get("notifySubscribers") != "false",
		fileName: r.Header.Get("Slug"), opened: p.core.Now(), total: -1,
	}
	if strings.ContainsAny(s.fileName, "/\\\x00") || len(s.fileName) > 255 {
		return nil, invalid("invalidFilename", "The video filename specified in the Slug header is invalid.")
	}
	if v := r.Header.Get("X-Upload-Content-Length"); v != "" {
		n, err := strconv.ParseInt(v, 10, 64)
		if err != nil || n < 0 || n > maxVideo {
			return nil, invalid("badRequest", "Invalid upload size.")
		}
		s.total = n
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.rules.NoChannel[r.account.Name]:
		return nil, reason(http.StatusUnauthorized, "youtubeSignupRequired", "Unauthorized")
	case p.recent(r.account.Name) >= p.rules.ChannelUploads:
		return nil, invalid("uploadLimitExceeded", "The user has exceeded the number of videos they may upload.")
	}
	if p.rules.ForgetNames {
		s.fileName = ""
	}
	var err error
	if s.file, err = p.core.NewFile(contentType); err != nil {
		return nil, broken
	}
	p.sessions[s.id] = s
	return s, nil
}

// recent counts the videos that an account uploaded within a day. The lock is held.
func (p *Platform) recent(account string) int {
	n, since := 0, p.core.Now().Add(-24*time.Hour)
	for _, v := range slices.Backward(p.of[account]) {
		if !v.uploaded.After(since) {
			break
		}
		n++
	}
	return n
}

// receive takes a request to a session.
func (p *Platform) receive(w http.ResponseWriter, r *http.Request) {
	a, e := p.admit(r, uploading)
	if e != nil {
		e.write(w)
		return
	}
	p.mu.Lock()
	s := p.sessions[r.URL.Query().Get("upload_id")]
	if s != nil && (s.account.Name != a.Name || p.core.Now().Sub(s.opened) >= p.rules.Session) {
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

// span is what a request says that it carries.
type span struct {
	// query asks for the state and carries nothing.
	query bool
	// first byte, and last or -1 for as far as it goes.
	first, last int64
	// total bytes; -1 when they are not known.
	total int64
}

// readSpan reads Content-Range: "bytes 0-99/100", "bytes 0-99/*", "bytes */100" or nothing.
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

// take takes what a request carries, and answers: with the video when that was all.
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
		ended := !at.query && r.Header.Get("Content-Range") == "" // one request with everything
		if s.turn == mine && (ended || s.total >= 0 && s.have == s.total) {
			p.mu.Unlock()
			_, _ = s.file.Probe(r.Context()) // looked at while nobody waits: it is remembered
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

// accepts says why a session does not take a request. The lock is held.
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

// store writes what comes for as long as it is the newest request's. Of a piece that breaks off whole granules are kept.
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

// watched remembers how a reader ended.
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

// complete makes the video. The lock is held.
func (p *Platform) complete(s *session) error {
	v := &video{
		id: sandbox.Letters(11), account: s.account, file: s.file, uploaded: p.core.Now(), notified: s.notify, fileName: s.fileName,
		snippet: *s.resource.Snippet, privacy: s.resource.Status.Privacy, status: *s.resource.Status,
		outcome: p.core.Outcome(name, s.account.Name),
	}
	if v.fileName == "" {
		v.fileName = "unknown"
	}
	if v.snippet.CategoryID == "" {
		v.snippet.CategoryID = "22"
	}
	if v.privacy == "" {
		v.privacy = sandbox.Public
	}
	if p.rules.Unverified {
		v.privacy, v.locked = sandbox.Private, true
	}
	v.publishAt, _ = checkStatus(&v.status, false)
	v.verified = p.rules.Verified[s.account.Name]
	if err := p.land(v, v.uploaded); err != nil {
		return err
	}
	s.video = v
	p.add(v)
	p.turn()
	return nil
}

// raw is a value as it came, for showing.
func raw(v json.RawMessage) any {
	if len(v) == 0 {
		return nil
	}
	return v
}
