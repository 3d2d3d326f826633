// SPDX-License-Identifier: Apache-2.0

package linkedin_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	testclock "k8s.io/utils/clock/testing"

	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/social/publish"
	"github.com/reelops/reelops/internal/social/publish/linkedin"
	"github.com/reelops/reelops/internal/social/sandbox"
	stand "github.com/reelops/reelops/internal/social/sandbox/linkedin"
)

const redirectURI = "http://127.0.0.1:9/oauth/linkedin/callback"

var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

// rig holds the adapter and the fake platform, with maya and her page acme connected.
type rig struct {
	*linkedin.Platform
	t          *testing.T
	core       *sandbox.Sandbox
	stand      *stand.Platform
	clock      *testclock.FakeClock
	config     linkedin.Config
	maya, acme publish.Account
	grant      *publish.Grant

	mu   sync.Mutex
	seen []sent
}

// sent is a request as received by the server.
type sent struct {
	method, uri, body string
	header            http.Header
	length            int64
}

func newRig(t *testing.T) *rig {
	t.Helper()
	r := &rig{t: t, clock: testclock.NewFakeClock(noon)}
	var err error
	if r.core, err = sandbox.New(sandbox.Config{Dir: t.TempDir(), Clock: r.clock, Processing: 5 * time.Second}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.core.Close() })
	r.stand = stand.New(r.core)
	r.core.Mount("linkedin", r.stand)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		doc, _ := io.ReadAll(q.Body)
		q.Body = io.NopCloser(bytes.NewReader(doc))
		r.mu.Lock()
		r.seen = append(r.seen, sent{q.Method, strings.TrimPrefix(q.RequestURI, "/linkedin"), string(doc), q.Header.Clone(), q.ContentLength})
		r.mu.Unlock()
		r.core.ServeHTTP(w, q)
	}))
	t.Cleanup(server.Close)
	r.core.SetBaseURL(server.URL)
	r.config = linkedin.Config{ClientID: sandbox.ClientID, ClientSecret: sandbox.ClientSecret, Pages: true, Clock: r.clock}.At(server.URL + "/linkedin")
	r.open(r.config)
	r.connect()
	return r
}

func (r *rig) open(c linkedin.Config) {
	r.t.Helper()
	p, err := linkedin.New(c)
	if err != nil {
		r.t.Fatal(err)
	}
	p.SaveEvery(4 << 20)
	r.Platform = p
}

// connect approves the consent page as maya.
func (r *rig) connect() {
	r.t.Helper()
	a := publish.Authorization{State: "s", RedirectURI: redirectURI}
	g, err := r.Exchange(r.t.Context(), r.approve(a), a)
	if err != nil {
		r.t.Fatal("connecting:", err)
	}
	r.grant = g
	for i, to := range []*publish.Account{&r.maya, &r.acme} {
		if i < len(g.Identities) {
			id := g.Identities[i]
			*to = publish.Account{ID: id.ID, Username: id.Username, Type: id.Type, AccessToken: g.Tokens.AccessToken, Scopes: g.Tokens.Scopes}
		}
	}
}

func (r *rig) approve(a publish.Authorization) (code string) {
	r.t.Helper()
	browser := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	res, err := browser.Get(r.AuthorizeURL(a) + "&approve=maya")
	if err != nil {
		r.t.Fatal(err)
	}
	_ = res.Body.Close()
	to, err := url.Parse(res.Header.Get("Location"))
	if err != nil || to.Query().Get("state") != a.State {
		r.t.Fatalf("the redirect is %q (%d)", res.Header.Get("Location"), res.StatusCode)
	}
	return to.Query().Get("code")
}

// short returns a video of four seconds, created once.
var short = sync.OnceValues(func() ([]byte, error) {
	dir, err := os.MkdirTemp("", "film")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	path := filepath.Join(dir, "film.mp4")
	out, err := exec.Command("ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc2=size=540x960:rate=30:duration=4", "-c:v", "libx264",
		"-preset", "ultrafast", "-pix_fmt", "yuv420p", "-movflags", "+faststart", path).CombinedOutput()
	if err != nil {
		return nil, fmt.Errorf("%w: %s", err, out)
	}
	return os.ReadFile(path)
})

// film returns a draft of a video with the given size, or with its own size if that is larger.
func (r *rig) film(size int64) publish.Draft {
	r.t.Helper()
	doc, err := short()
	if err != nil {
		r.t.Fatal(err)
	}
	if free := size - int64(len(doc)); free >= 8 { // a box that players skip
		box := make([]byte, free)
		binary.BigEndian.PutUint32(box, uint32(free))
		copy(box[4:], "free")
		doc = append(doc[:len(doc):len(doc)], box...)
	}
	m := media("video/mp4", doc)
	m.Duration = 4 * time.Second
	return publish.Draft{Key: "k", Kind: catalog.MediaVideo, Mode: catalog.PostDirect, Title: "Bread & <butter>", Caption: "Slow (very) 🥖 #bread", Video: &m}
}

// photos returns a draft of a set of n photos.
func (r *rig) photos(n int) publish.Draft {
	d := publish.Draft{Key: "k", Kind: catalog.MediaPhotoSet, Mode: catalog.PostDirect, Title: "ignored", Caption: "Slow 🥖"}
	for i := range n {
		img := image.NewGray(image.Rect(0, 0, 108, 135))
		img.SetGray(i, 0, color.Gray{255})
		var b bytes.Buffer
		if err := jpeg.Encode(&b, img, nil); err != nil {
			r.t.Fatal(err)
		}
		m := media("image/jpeg", b.Bytes())
		m.AltText = fmt.Sprintf("Step %d", i+1)
		d.Photos = append(d.Photos, m)
	}
	return d
}

func media(contentType string, doc []byte) publish.Media {
	return publish.Media{ContentType: contentType, Bytes: int64(len(doc)), Open: func(_ context.Context, offset int64) (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader(doc[offset:])), nil
	}}
}

func unsaved([]byte) error { return errors.New("the note is saved unexpectedly") }

// prepared calls Prepare until the draft is ready to commit, and returns the note.
func (r *rig) prepared(a publish.Account, d publish.Draft) []byte {
	r.t.Helper()
	var note []byte
	for range 20 {
		s, err := r.Prepare(r.t.Context(), a, d, note, func(doc []byte) error { return nil })
		if err != nil {
			r.t.Fatal("preparing:", err)
		}
		note = s.Note
		if s.Ready {
			return note
		}
		r.clock.Step(s.Wait)
	}
	r.t.Fatal("the draft is never ready")
	return nil
}

func (r *rig) fault(f sandbox.Fault) {
	r.t.Helper()
	f.Platform = "linkedin"
	if err := r.core.SetFaults(f); err != nil {
		r.t.Fatal(err)
	}
}

// calls returns the number of calls with the name.
func (r *rig) calls(name string) int {
	n := 0
	for _, c := range r.core.Calls() {
		if c.Call == name {
			n++
		}
	}
	return n
}

// one returns the only post that was published.
func (r *rig) one() sandbox.Landing {
	r.t.Helper()
	all := r.core.Landed("linkedin")
	if len(all) != 1 {
		r.t.Fatalf("published %d times: %+v", len(all), all)
	}
	return all[0]
}

// wire returns the last request with the method whose URL starts with uri.
func (r *rig) wire(method, uri string) sent {
	r.t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, s := range slices.Backward(r.seen) {
		if s.method == method && strings.HasPrefix(s.uri, uri) {
			return s
		}
	}
	r.t.Fatalf("no request %s %s", method, uri)
	return sent{}
}

func kind(t *testing.T, err error, want publish.Kind) {
	t.Helper()
	if err == nil || publish.KindOf(err) != want {
		t.Errorf("got %v, want the kind %s", err, want)
	}
}

func asError(err error) *publish.Error {
	var e *publish.Error
	_ = errors.As(err, &e)
	return e
}
