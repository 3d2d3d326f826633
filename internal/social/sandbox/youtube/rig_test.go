// SPDX-License-Identifier: Apache-2.0

package youtube

import (
	"bytes"
	"encoding/json"
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

	"github.com/reelops/reelops/internal/social/sandbox"
)

type rig struct {
	*Platform
	t     *testing.T
	clock *testclock.FakeClock
	base  string
	token string
}

func newRig(t *testing.T) *rig {
	t.Helper()
	return rigIn(t, t.TempDir(), testclock.NewFakeClock(time.Date(2026, 11, 21, 20, 0, 0, 0, time.UTC)))
}

func rigIn(t *testing.T, dir string, clk *testclock.FakeClock) *rig {
	t.Helper()
	core, err := sandbox.New(sandbox.Config{Dir: dir, Clock: clk, Processing: 10 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = core.Close() })
	r := &rig{Platform: New(core), t: t, clock: clk}
	core.Mount(name, r.Platform)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		if strings.HasPrefix(q.URL.Path, "/youtube/upload/") || strings.HasPrefix(q.URL.Path, "/youtube/youtube/") {
			core.ServeHTTP(w, q)
			return
		}
		r.Handler().ServeHTTP(w, q) // as on a separate host
	}))
	t.Cleanup(server.Close)
	core.SetBaseURL(server.URL)
	r.base = server.URL
	r.token = r.grant("maya", managing[0])
	return r
}

// grant issues a token without the consent page.
func (r *rig) grant(account string, scopes ...string) string {
	return r.tokens.Issue(sandbox.Grant{Account: account, ClientID: sandbox.ClientID, Scopes: scopes}).Access
}

// answer is a response.
type answer struct {
	status int
	header http.Header
	doc    map[string]any
}

// reason returns the reason in an error response.
func (a answer) reason() string {
	e, _ := a.doc["error"].(map[string]any)
	list, _ := e["errors"].([]any)
	if len(list) == 0 {
		return ""
	}
	first, _ := list[0].(map[string]any)
	s, _ := first["reason"].(string)
	return s
}

func (a answer) items() []any {
	list, _ := a.doc["items"].([]any)
	return list
}

// call sends a request; head is name, value, name, value.
func (r *rig) call(method, path string, body []byte, head ...string) answer {
	r.t.Helper()
	if !strings.HasPrefix(path, "http") {
		path = r.base + path
	}
	req, err := http.NewRequestWithContext(r.t.Context(), method, path, bytes.NewReader(body))
	if err != nil {
		r.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+r.token)
	for i := 0; i+1 < len(head); i += 2 {
		req.Header.Set(head[i], head[i+1])
		if head[i+1] == "" {
			req.Header.Del(head[i])
		}
	}
	c := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	res, err := c.Do(req)
	if err != nil {
		r.t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	out := answer{status: res.StatusCode, header: res.Header}
	text, err := io.ReadAll(res.Body)
	if err != nil {
		r.t.Fatal(err)
	}
	_ = json.Unmarshal(text, &out.doc)
	return out
}

// open starts an upload and returns the session URL.
func (r *rig) open(meta string, head ...string) string {
	r.t.Helper()
	a := r.call("POST", "/upload/youtube/v3/videos?uploadType=resumable&part=snippet,status", []byte(meta), append([]string{"Content-Type", "application/json"}, head...)...)
	if a.status != http.StatusOK || a.header.Get("Location") == "" {
		r.t.Fatalf("opening an upload: %d %v", a.status, a.doc)
	}
	return a.header.Get("Location")
}

const private = `{"snippet":{"title":"Bread","categoryId":"22"},"status":{"privacyStatus":"private"}}`

// upload uploads a video and returns its ID.
func (r *rig) upload(meta string) string {
	r.t.Helper()
	a := r.call("PUT", r.open(meta), aFilm(r.t))
	id, _ := a.doc["id"].(string)
	if a.status != http.StatusCreated || id == "" {
		r.t.Fatalf("uploading: %d %v", a.status, a.doc)
	}
	return id
}

func (r *rig) status(id string) map[string]any {
	r.t.Helper()
	a := r.call("GET", "/youtube/v3/videos?part=status&id="+url.QueryEscape(id), nil)
	if len(a.items()) != 1 {
		r.t.Fatalf("got %d %v", a.status, a.doc)
	}
	return a.items()[0].(map[string]any)["status"].(map[string]any)
}

func aFilm(t *testing.T) []byte {
	t.Helper()
	doc, err := second()
	if err != nil {
		t.Fatal("making a film:", err)
	}
	return doc
}

// padded returns the video with an added box that players skip.
func padded(t *testing.T, size int) []byte {
	doc := aFilm(t)
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
	if err := exec.Command("ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc2=size=90x160:rate=10:duration=1", "-pix_fmt", "yuv420p", "-movflags", "+faststart", path).Run(); err != nil {
		return nil, err
	}
	return os.ReadFile(path)
})
