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

// progress is the progress of an upload.
type progress struct {
	// next is the offset of the next byte that YouTube expects.
	next int64
	// id is the video's ID once YouTube has all bytes.
	id string
	// lost indicates that YouTube no longer knows the session.
	lost bool
}

// upload sends all bytes to YouTube and returns the ID of the new video. advanced reports whether the upload
// progressed, also with an error.
func (p *Platform) upload(ctx context.Context, a publish.Account, d publish.Draft, t texts, n *note, save func([]byte) error) (id string, advanced bool, err error) {
	var at progress
	if n.Session != "" {
		if at, err = p.queryProgress(ctx, a, n); err != nil {
			return "", false, err
		}
		if at.lost {
			// YouTube may have received the last byte before it dropped the session.
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

// open creates an upload session and stores it in n. The call creates no video, so a session whose response is lost is
// abandoned.
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
	// YouTube notifies subscribers when the private upload becomes public, unless the author declined it in this
	// request.
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

// trusts reports whether tokens and bytes may be sent to a session URL: it must have the API's origin, or be Google's
// if the API is.
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

// queryProgress returns how many bytes a session has received.
func (p *Platform) queryProgress(ctx context.Context, a publish.Account, n *note) (progress, error) {
	return p.put(ctx, a, n, nil, 0, fmt.Sprintf("bytes */%d", n.Total))
}

// put sends one request to a session.
func (p *Platform) put(ctx context.Context, a publish.Account, n *note, piece *lent, size int64, content string) (progress, error) {
	req, err := request(ctx, a, http.MethodPut, n.Session, nil)
	if err != nil {
		return progress{}, gone("session", "The upload session of YouTube can no longer be used.")
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

// received returns the number of bytes in a Range header: 100 for "bytes=0-99", 0 for an empty header.
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

// send uploads the bytes from next on, one chunk at a time, and follows the offsets that YouTube acknowledges. It
// returns the next offset, and the ID of the video once the upload is complete.
func (p *Platform) send(ctx context.Context, a publish.Account, d publish.Draft, n *note, next int64) (int64, string, error) {
	source := &mediaReader{media: d.Video}
	defer source.close()
	for stuck := 0; ; {
		size := min(p.chunk, n.Total-next)
		if size == 0 { // all bytes were sent, and no response contained the video
			at, err := p.queryProgress(ctx, a, n)
			if err != nil || at.id != "" {
				return next, at.id, err
			}
			if at.lost || at.next == n.Total {
				return next, "", unreadable(errors.New("the upload is complete and is no video"))
			}
			next = at.next
			continue
		}
		piece, err := source.lend(ctx, next, size)
		if err != nil {
			return next, "", err
		}
		at, err := p.put(ctx, a, n, piece, size, fmt.Sprintf("bytes %d-%d/%d", next, next+size-1, n.Total))
		if cause := source.takeBack(piece); cause != nil {
			return next, "", cause
		}
		switch {
		case err != nil:
			return next, "", err
		case at.lost:
			return 0, "", &publish.Error{Kind: publish.Transient, Code: "session", Safe: "YouTube no longer has the upload."}
		case at.id != "":
			return n.Total, at.id, nil
		case at.next <= next:
			// YouTube stored nothing of the chunk. This is tolerated once.
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

// slugPrefix is the prefix of every slug.
const slugPrefix = "reelops-"

// slug returns a file name that identifies the upload of a draft where YouTube keeps file names.
func slug(key string) string {
	sum := sha256.Sum256([]byte(key))
	return slugPrefix + hex.EncodeToString(sum[:10]) + ".mp4"
}

// mediaReader reads a media file sequentially. It keeps one reader open while the requested pieces are contiguous.
type mediaReader struct {
	media *publish.Media
	r     io.ReadCloser
	at    int64
}

func (f *mediaReader) close() {
	if f.r != nil {
		_ = f.r.Close()
		f.r = nil
	}
}

// lend returns a piece of the file as the body of a request.
func (f *mediaReader) lend(ctx context.Context, from, size int64) (*lent, error) {
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

// takeBack revokes the piece's access to the file. It returns an error if reading from the store failed.
func (f *mediaReader) takeBack(l *lent) error {
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

// lent is the body of one upload request. A transport may keep reading after the response; takeBack stops such reads.
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
