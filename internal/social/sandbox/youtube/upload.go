// SPDX-License-Identifier: Apache-2.0

package youtube

import (
	"encoding/json"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/reelops/reelops/internal/social/sandbox"
)

const (
	// granule is the chunk granularity in bytes: all chunks except the last are multiples of it.
	granule = 256 << 10
	// maxVideo is the maximum size of a file in bytes.
	maxVideo = 256 << 30
	// step is the number of bytes written at once.
	step = 1 << 20
)

// session is an upload session.
type session struct {
	id       string
	account  sandbox.Account
	resource *resource
	parts    string
	notify   bool
	fileName string
	opened   time.Time
	file     *sandbox.File
	// total size in bytes; -1 until known. have is the number of stored bytes.
	total, have int64
	// turn counts the requests. A request stops writing when a newer one has arrived.
	turn int
	// video that the upload created.
	video *video
}

// insert starts a resumable upload, or uploads the video in this request.
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

// related splits a multipart request into the metadata and the video.
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

// begin validates the metadata and opens an upload session.
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

// recent counts the videos that an account uploaded in the last 24 hours. The caller holds the lock.
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

// complete creates the video. The caller holds the lock.
func (p *Platform) complete(s *session) error {
	v := &video{
		id: sandbox.Letters(11), account: s.account, file: s.file, uploaded: p.core.Now(), notify: s.notify, fileName: s.fileName,
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
	if p.rules.Unverified && p.rules.LocksAfter == 0 {
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

// raw returns a JSON value unchanged, or nil when it is empty.
func raw(v json.RawMessage) any {
	if len(v) == 0 {
		return nil
	}
	return v
}
