// SPDX-License-Identifier: Apache-2.0

package youtube

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"

	"k8s.io/utils/ptr"

	"github.com/reelops/reelops/internal/social/publish"
)

// progress is how far an upload has come.
type progress struct {
	// next byte that YouTube waits for.
	next int64
	// id of the video when it has them all.
	id string
	// lost says that the session is not known any more.
	lost bool
}

// upload brings all bytes to YouTube and answers with the id of the video that they became. An error comes with whether YouTube
// took any.
func (p *Platform) upload(ctx context.Context, a publish.Account, d publish.Draft, t texts, n *note, save func([]byte) error) (id string, advanced bool, err error) {
	var at progress
	if n.Session != "" {
		if at, err = p.ask(ctx, a, n); err != nil {
			return "", false, err
		}
		if at.lost {
			// The last byte may have arrived before the session was forgotten.
			if at.id, err = p.reconcile(ctx, a, d, t, n); err != nil {
				return "", false, err
			}
			if at.id == "" {
				n.Session = ""
			}
		}
		if at.id != "" {
			return at.id, true, nil
		}
	}
	if n.Session == "" {
		at = progress{}
		if err := p.open(ctx, a, d, t, n); err != nil {
			return "", false, err
		}
		if err := save(n.bytes()); err != nil {
			return "", false, err
		}
	}
	next, id, err := p.send(ctx, a, d, n, at.next)
	return id, next > at.next, err
}

// open begins a session. No video exists by it: one whose answer is lost is forgotten.
func (p *Platform) open(ctx context.Context, a publish.Account, d publish.Draft, t texts, n *note) error {
	s := settings(d)
	status := map[string]any{"privacyStatus": private, "selfDeclaredMadeForKids": ptr.Deref(s.MadeForKids, false)}
	if s.SyntheticMedia != nil {
		status["containsSyntheticMedia"] = *s.SyntheticMedia
	}
	body, err := json.Marshal(metadata{
		Snippet: snippet{Title: t.title, Description: t.description, Tags: t.tags, CategoryID: cmp.Or(s.Category, category)},
		Status:  status,
	})
	if err != nil {
		return err
	}
	// YouTube notifies subscribers when the private upload becomes public, unless that was declined here.
	notify := strconv.FormatBool(ptr.Deref(s.NotifySubscribers, true))
	q := url.Values{"uploadType": {"resumable"}, "part": {"snippet,status"}, "notifySubscribers": {notify}}
	req, err := request(ctx, a, http.MethodPost, p.c.APIURL+"/upload/youtube/v3/videos?"+q.Encode(), body)
	if err != nil {
		return err
	}
	req.Header.Set("X-Upload-Content-Length", strconv.FormatInt(d.Video.Bytes, 10))
	req.Header.Set("X-Upload-Content-Type", contentType(d.Video))
	req.Header.Set("Slug", slug(d.Key))
	at := p.c.Clock.Now()
	ans, err := publish.Do(p.c.HTTP, req)
	if err != nil {
		return unreachable(err)
	}
	if ans.Status < 200 || ans.Status > 299 {
		return refused(ans, at)
	}
	session := ans.Header.Get("Location")
	if !p.trusts(session) {
		return unreadable(errors.New("the upload session is somewhere else"))
	}
	n.Session, n.Total, n.OpenedAt = session, d.Video.Bytes, at
	return nil
}

// trusts says whether tokens and bytes may go to a session's address: to the place that was asked, or to Google.
func (p *Platform) trusts(session string) bool {
	s, err := url.Parse(session)
	if err != nil {
		return false
	}
	base, err := url.Parse(p.c.APIURL)
	if err != nil {
		return false
	}
	return s.Scheme == base.Scheme && s.Host == base.Host ||
		s.Scheme == "https" && s.User == nil && strings.HasSuffix(s.Hostname(), ".googleapis.com") && strings.HasSuffix(base.Hostname(), ".googleapis.com")
}

// ask asks a session how much it has.
func (p *Platform) ask(ctx context.Context, a publish.Account, n *note) (progress, error) {
	return p.put(ctx, a, n, nil, 0, fmt.Sprintf("bytes */%d", n.Total))
}

// put makes one request to a session.
func (p *Platform) put(ctx context.Context, a publish.Account, n *note, piece *lent, size int64, content string) (progress, error) {
	req, err := request(ctx, a, http.MethodPut, n.Session, nil)
	if err != nil {
		return progress{}, gone("session", "The upload session of YouTube cannot be used any more.")
	}
	req.Header.Set("Content-Range", content)
	if piece != nil {
		req.Body, req.ContentLength = piece, size
		req.Header.Set("Content-Type", piece.contentType)
	}
	ans, err := publish.Do(p.c.HTTP, req)
	if err != nil {
		return progress{}, unreachable(err)
	}
	switch ans.Status {
	case http.StatusOK, http.StatusCreated:
		var v video
		if err := json.Unmarshal(ans.Body, &v); err != nil || v.ID == "" {
			return progress{}, unreadable(err)
		}
		return progress{next: n.Total, id: v.ID}, nil
	case http.StatusPermanentRedirect: // "Resume Incomplete"
		next, err := received(ans.Header.Get("Range"))
		if err != nil || next > n.Total {
			return progress{}, unreadable(err)
		}
		return progress{next: next}, nil
	case http.StatusNotFound, http.StatusGone:
		return progress{lost: true}, nil
	}
	return progress{}, refused(ans, p.c.Clock.Now())
}

// received reads how many bytes a session has: "bytes=0-99" are 100, nothing is none.
func received(s string) (int64, error) {
	if s == "" {
		return 0, nil
	}
	first, last, ok := strings.Cut(strings.TrimPrefix(s, "bytes="), "-")
	n, err := strconv.ParseInt(last, 10, 64)
	if !ok || first != "0" || err != nil || n < 0 {
		return 0, fmt.Errorf("a range that cannot be read: %.40q", s)
	}
	return n + 1, nil
}

// send sends the bytes from next on, piece by piece, as far as YouTube says that it took them. It answers with the id of the video,
// or with how far it came.
func (p *Platform) send(ctx context.Context, a publish.Account, d publish.Draft, n *note, next int64) (int64, string, error) {
	film := &film{media: d.Video}
	defer film.close()
	for stuck := 0; ; {
		size := min(p.chunk, n.Total-next)
		if size == 0 { // all bytes are there and the answer was not the video
			at, err := p.ask(ctx, a, n)
			if err != nil || at.id != "" {
				return next, at.id, err
			}
			if at.lost || at.next == n.Total {
				return next, "", unreadable(errors.New("the upload is complete and is no video"))
			}
			next = at.next
			continue
		}
		piece, err := film.lend(ctx, next, size)
		if err != nil {
			return next, "", err
		}
		at, err := p.put(ctx, a, n, piece, size, fmt.Sprintf("bytes %d-%d/%d", next, next+size-1, n.Total))
		if cause := film.takeBack(piece); cause != nil {
			return next, "", cause
		}
		switch {
		case err != nil:
			return next, "", err
		case at.lost:
			return 0, "", &publish.Error{Kind: publish.Transient, Code: "session", Safe: "YouTube forgot the upload."}
		case at.id != "":
			return n.Total, at.id, nil
		case at.next <= next:
			// Kept nothing of it: once may happen.
			if stuck++; stuck > 1 {
				return next, "", unreadable(errors.New("the upload does not advance"))
			}
		default:
			stuck = 0
		}
		next = at.next
	}
}

func contentType(m *publish.Media) string {
	if strings.HasPrefix(m.ContentType, "video/") {
		return m.ContentType
	}
	return "video/mp4"
}

// slugs begin like this.
const slugPrefix = "reelops-"

// slug is a file's name that tells a draft's upload from all others, where YouTube keeps it.
func slug(key string) string {
	sum := sha256.Sum256([]byte(key))
	return slugPrefix + hex.EncodeToString(sum[:10]) + ".mp4"
}

// film reads a file once for as long as the pieces follow each other.
type film struct {
	media *publish.Media
	r     io.ReadCloser
	at    int64
}

func (f *film) close() {
	if f.r != nil {
		_ = f.r.Close()
		f.r = nil
	}
}

// lend gives a piece of the file to a request.
func (f *film) lend(ctx context.Context, from, size int64) (*lent, error) {
	if f.r != nil && f.at != from {
		f.close()
	}
	if f.r == nil {
		r, err := f.media.Open(ctx, from)
		if err != nil {
			return nil, unstored(err)
		}
		f.r, f.at = r, from
	}
	return &lent{r: f.r, left: size, contentType: contentType(f.media)}, nil
}

// takeBack ends a loan. Its error is that of the store, if the store failed.
func (f *film) takeBack(l *lent) error {
	_ = l.Close()
	if l.err != nil {
		f.close()
		return unstored(l.err)
	}
	f.at += l.read
	return nil
}

func unstored(err error) error {
	return &publish.Error{Kind: publish.Transient, Code: "storage", Safe: "The video could not be read from the store.", Err: err}
}

// lent is a piece of a file in the hands of a request. A transport may go on reading after it has answered: until the loan is over.
type lent struct {
	contentType string

	mu   sync.Mutex
	r    io.Reader
	left int64
	read int64
	over bool
	err  error
}

func (l *lent) Read(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.over {
		return 0, io.ErrClosedPipe
	}
	if l.left == 0 {
		return 0, io.EOF
	}
	n, err := l.r.Read(b[:min(int64(len(b)), l.left)])
	l.left -= int64(n)
	l.read += int64(n)
	if l.left > 0 && err != nil {
		if err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		l.err = err
		return n, err
	}
	return n, nil
}

func (l *lent) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.over = true
	return nil
}
