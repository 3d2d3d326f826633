// SPDX-License-Identifier: Apache-2.0

package instagram_test

import (
	"bytes"
	"context"
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
	"strings"
	"sync"
	"testing"
	"time"

	testclock "k8s.io/utils/clock/testing"

	"github.com/reelops/reelops/internal/social/publish"
	"github.com/reelops/reelops/internal/social/publish/instagram"
	"github.com/reelops/reelops/internal/social/sandbox"
	sandboxinstagram "github.com/reelops/reelops/internal/social/sandbox/instagram"
)

var begin = time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)

const redirectURI = "http://127.0.0.1:9/oauth/instagram/callback"

// world is a sandbox and an adapter that share one clock.
type world struct {
	t     *testing.T
	core  *sandbox.Sandbox
	there *sandboxinstagram.Platform
	p     *instagram.Platform
	clock *testclock.FakeClock
	files *httptest.Server
	base  string
	media map[string][]byte
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{t: t, clock: testclock.NewFakeClock(begin), media: map[string][]byte{}}
	core, err := sandbox.New(sandbox.Config{Dir: t.TempDir(), Clock: w.clock, Processing: 5 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = core.Close() })
	w.core, w.there = core, sandboxinstagram.New(core)
	core.Mount("instagram", w.there)
	server := httptest.NewServer(core)
	t.Cleanup(server.Close)
	core.SetBaseURL(server.URL)
	w.files = httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		b, ok := w.media[r.URL.Path]
		if !ok {
			http.NotFound(rw, r)
			return
		}
		_, _ = rw.Write(b)
	}))
	t.Cleanup(w.files.Close)
	w.base = server.URL + "/instagram"
	w.open(nil)
	return w
}

// open creates the adapter with the scopes that it requests.
func (w *world) open(scopes []string) {
	w.t.Helper()
	c := instagram.Config{ClientID: sandbox.ClientID, ClientSecret: sandbox.ClientSecret, Clock: w.clock, Scopes: scopes}
	var err error
	if w.p, err = instagram.New(c.At(w.base)); err != nil {
		w.t.Fatal(err)
	}
}

// approve submits the consent page and returns the code.
func (w *world) approve(more string) string {
	w.t.Helper()
	browser := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	res, err := browser.Get(w.p.AuthorizeURL(publish.Authorization{State: "s", RedirectURI: redirectURI}) + more)
	if err != nil {
		w.t.Fatal(err)
	}
	_ = res.Body.Close()
	to := res.Header.Get("Location")
	if !strings.HasSuffix(to, "#_") {
		w.t.Fatalf("the redirect is %q", to)
	}
	u, err := url.Parse(to)
	if err != nil {
		w.t.Fatal(err)
	}
	return u.Query().Get("code")
}

func (w *world) connect(name string) (publish.Account, *publish.Grant) {
	w.t.Helper()
	g, err := w.p.Exchange(w.t.Context(), w.approve("&approve="+name), publish.Authorization{RedirectURI: redirectURI})
	if err != nil {
		w.t.Fatal(err)
	}
	id := g.Identities[0]
	return publish.Account{ID: id.ID, Username: id.Username, AccessToken: g.Tokens.AccessToken, Scopes: g.Tokens.Scopes}, g
}

func (w *world) file(name string, b []byte) publish.Media {
	w.media["/"+name] = b
	return publish.Media{
		Bytes: int64(len(b)), URL: func(context.Context) (string, error) { return w.files.URL + "/" + name, nil },
		Open: func(_ context.Context, offset int64) (io.ReadCloser, error) {
			return io.NopCloser(bytes.NewReader(b[offset:])), nil
		},
	}
}

func picture(w, h int) []byte {
	img := image.NewRGBA(image.Rect(0, 0, w, h))
	for i := range img.Pix {
		img.Pix[i] = uint8(i / 4 % 251)
	}
	img.Set(0, 0, color.White)
	var b bytes.Buffer
	_ = jpeg.Encode(&b, img, nil)
	return b.Bytes()
}

var film = sync.OnceValues(func() ([]byte, error) {
	dir, err := os.MkdirTemp("", "instagram")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	path := filepath.Join(dir, "film.mp4")
	err = exec.Command("ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc2=size=270x480:rate=30:duration=4", "-c:v", "libx264",
		"-preset", "ultrafast", "-pix_fmt", "yuv420p", "-movflags", "+faststart", path).Run()
	if err != nil {
		return nil, err
	}
	return os.ReadFile(path)
})

func (w *world) reel(caption string) publish.Draft {
	w.t.Helper()
	b, err := film()
	if err != nil {
		w.t.Fatal(err)
	}
	m := w.file("film.mp4", b)
	m.Duration = 4 * time.Second
	return publish.Draft{Key: "k", Kind: "video", Mode: "direct", Caption: caption, Video: &m}
}

func (w *world) photos(caption string, n int) publish.Draft {
	d := publish.Draft{Key: "k", Kind: "photo_set", Mode: "direct", Caption: caption}
	for i := range n {
		m := w.file(string(rune('a'+i))+".jpg", picture(400, 500))
		m.AltText = "picture"
		d.Photos = append(d.Photos, m)
	}
	return d
}

// prepare calls Prepare until only publishing is left, and returns the note.
func (w *world) prepare(a publish.Account, d publish.Draft) []byte {
	w.t.Helper()
	var note []byte
	for range 20 {
		s, err := w.p.Prepare(w.t.Context(), a, d, note, func([]byte) error { return nil })
		if err != nil {
			w.t.Fatal(err)
		}
		note = s.Note
		if s.Ready {
			return note
		}
		w.clock.Step(s.Wait)
	}
	w.t.Fatal("the draft is never ready")
	return nil
}

func (w *world) faults(f ...sandbox.Fault) {
	w.t.Helper()
	for i := range f {
		f[i].Platform = "instagram"
	}
	if err := w.core.SetFaults(f...); err != nil {
		w.t.Fatal(err)
	}
}

// calls returns the number of calls of a name.
func (w *world) calls(name string) int {
	n := 0
	for _, c := range w.core.Calls() {
		if c.Call == name {
			n++
		}
	}
	return n
}
