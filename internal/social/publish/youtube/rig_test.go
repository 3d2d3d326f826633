// SPDX-License-Identifier: Apache-2.0

package youtube

import (
	"bytes"
	"context"
	"errors"
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

	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/social/publish"
	"github.com/reelops/reelops/internal/social/sandbox"
	stand "github.com/reelops/reelops/internal/social/sandbox/youtube"
)

const verifier = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJ"

// rig is an adapter and its sandbox, with a common clock.
type rig struct {
	*Platform
	t       *testing.T
	core    *sandbox.Sandbox
	youtube *stand.Platform
	clock   *testclock.FakeClock
	wire    *recorder
	account publish.Account
	tokens  publish.Tokens
	note    []byte
	saved   int
}

func newRig(t *testing.T) *rig {
	t.Helper()
	r := bareRig(t)
	g, err := r.connect(r.AuthorizeURL(authorization))
	if err != nil {
		t.Fatal(err)
	}
	r.tokens = g.Tokens
	r.account = publish.Account{ID: g.Identities[0].ID, Username: g.Identities[0].Username, AccessToken: g.Tokens.AccessToken}
	return r
}

var authorization = publish.Authorization{State: "s t", Verifier: verifier, RedirectURI: "http://127.0.0.1:9/callback"}

func bareRig(t *testing.T) *rig {
	t.Helper()
	r := &rig{t: t, clock: testclock.NewFakeClock(time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)), wire: &recorder{}}
	var err error
	if r.core, err = sandbox.New(sandbox.Config{Dir: t.TempDir(), Clock: r.clock, Processing: 10 * time.Second}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.core.Close() })
	r.youtube = stand.New(r.core)
	r.core.Mount("youtube", r.youtube)
	server := httptest.NewServer(r.core)
	t.Cleanup(server.Close)
	r.core.SetBaseURL(server.URL)
	if r.Platform, err = New(Config{
		ClientID: sandbox.ClientID, ClientSecret: sandbox.ClientSecret, HTTP: &http.Client{Transport: r.wire}, Clock: r.clock,
	}.At(server.URL + "/youtube")); err != nil {
		t.Fatal(err)
	}
	r.chunk = 256 << 10
	return r
}

// connect approves as maya on the consent page and exchanges the code.
func (r *rig) connect(page string) (*publish.Grant, error) {
	r.t.Helper()
	browser := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	res, err := browser.Get(page + "&approve=maya")
	if err != nil {
		r.t.Fatal(err)
	}
	_ = res.Body.Close()
	back, err := url.Parse(res.Header.Get("Location"))
	if err != nil || back.Query().Get("code") == "" || back.Query().Get("state") != authorization.State {
		r.t.Fatalf("the page returned %d and redirects to %s", res.StatusCode, back)
	}
	return r.Exchange(r.t.Context(), back.Query().Get("code"), authorization)
}

// aFilm returns a vertical video of one second, padded to a size with a box that players skip.
func aFilm(t *testing.T, size int) []byte {
	t.Helper()
	doc, err := second()
	if err != nil {
		t.Fatal("creating a video:", err)
	}
	if size <= len(doc)+8 {
		t.Fatalf("the video has more than %d bytes", len(doc)+8)
	}
	out := make([]byte, size)
	n := size - len(doc)
	copy(out, doc)
	copy(out[len(doc):], []byte{byte(n >> 24), byte(n >> 16), byte(n >> 8), byte(n), 'f', 'r', 'e', 'e'})
	return out
}

var second = sync.OnceValues(func() ([]byte, error) {
	dir, err := os.MkdirTemp("", "film")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	path := filepath.Join(dir, "film.mp4")
	if out, err := exec.Command("ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc2=size=90x160:rate=10:duration=1", "-pix_fmt", "yuv420p", "-movflags", "+faststart", path).CombinedOutput(); err != nil {
		return nil, errors.New(string(out))
	}
	return os.ReadFile(path)
})

// media is a file in memory. opened counts how often it was opened. broken makes its readers fail after that many
// bytes.
type media struct {
	publish.Media
	opened int
	broken int
}

func newMedia(doc []byte) *media {
	m := &media{Media: publish.Media{ContentType: "video/mp4", Bytes: int64(len(doc)), Width: 90, Height: 160, Duration: time.Second}}
	m.Open = func(_ context.Context, offset int64) (io.ReadCloser, error) {
		m.opened++
		var r io.Reader = bytes.NewReader(doc[offset:])
		if m.broken > 0 {
			r = io.MultiReader(io.LimitReader(r, int64(m.broken)), failing{})
		}
		return io.NopCloser(r), nil
	}
	return m
}

type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, errors.New("the disk is gone") }

func draft(m *media, key string) publish.Draft {
	return publish.Draft{
		Key: key, Kind: catalog.MediaVideo, Mode: catalog.PostDirect, Title: "Bread & <butter>", Caption: "Five steps\n#bread", Tags: []string{"bread", "slow food"}, Video: &m.Media,
	}
}

// prepare calls Prepare once and stores the saved note.
func (r *rig) prepare(d publish.Draft) (publish.Step, error) {
	r.t.Helper()
	step, err := r.Prepare(r.t.Context(), r.account, d, r.note, func(note []byte) error {
		r.saved++
		r.note = bytes.Clone(note)
		return nil
	})
	if err == nil {
		r.note = step.Note
	}
	return step, err
}

// ready calls Prepare until only Commit is left.
func (r *rig) ready(d publish.Draft) {
	r.t.Helper()
	for range 20 {
		step, err := r.prepare(d)
		if err != nil {
			r.t.Fatal(err)
		}
		if step.Ready {
			return
		}
		r.clock.Step(step.Wait)
	}
	r.t.Fatal("the draft is never ready")
}

// commit publishes.
func (r *rig) commit(d publish.Draft) *publish.Receipt {
	r.t.Helper()
	rec, err := r.Commit(r.t.Context(), r.account, d, r.note)
	if err != nil {
		r.t.Fatal(err)
	}
	return rec
}

func (r *rig) fault(f sandbox.Fault) {
	r.t.Helper()
	f.Platform = "youtube"
	if err := r.core.SetFaults(f); err != nil {
		r.t.Fatal(err)
	}
}

func kindOf(err error) publish.Kind {
	if err == nil {
		return ""
	}
	return publish.KindOf(err)
}

// recorder records the outgoing requests.
type recorder struct {
	mu    sync.Mutex
	lines []string
	heads []http.Header
	docs  []string
}

func (r *recorder) RoundTrip(req *http.Request) (*http.Response, error) {
	r.mu.Lock()
	doc := ""
	if req.Body != nil && req.ContentLength > 0 && !strings.HasPrefix(req.Header.Get("Content-Type"), "video/") {
		b, err := io.ReadAll(req.Body)
		if err != nil {
			r.mu.Unlock()
			return nil, err
		}
		doc = string(b)
		req.Body = io.NopCloser(bytes.NewReader(b))
	}
	r.lines = append(r.lines, req.Method+" "+req.URL.RequestURI())
	r.heads = append(r.heads, req.Header.Clone())
	r.docs = append(r.docs, doc)
	r.mu.Unlock()
	return http.DefaultTransport.RoundTrip(req)
}

func (r *recorder) clear() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.lines, r.heads, r.docs = nil, nil, nil
}

// ranges returns the byte ranges that were sent.
func (r *recorder) ranges() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	var out []string
	for _, h := range r.heads {
		if v := h.Get("Content-Range"); v != "" {
			out = append(out, v)
		}
	}
	return out
}
