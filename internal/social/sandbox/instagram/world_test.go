// SPDX-License-Identifier: Apache-2.0

package instagram_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image"
	"image/jpeg"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	testclock "k8s.io/utils/clock/testing"

	"github.com/reelops/reelops/internal/social/sandbox"
	"github.com/reelops/reelops/internal/social/sandbox/instagram"
)

// world is the platform with a token of maya.
type world struct {
	t      *testing.T
	core   *sandbox.Sandbox
	p      *instagram.Platform
	clock  *testclock.FakeClock
	base   string
	files  *httptest.Server
	dir    string
	token  string
	maya   sandbox.Account
	client *http.Client
}

func newWorld(t *testing.T, fetchFrom ...string) *world {
	t.Helper()
	w := &world{t: t, clock: testclock.NewFakeClock(time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)), dir: t.TempDir()}
	core, err := sandbox.New(sandbox.Config{Dir: t.TempDir(), Clock: w.clock, Processing: 10 * time.Second, FetchFrom: fetchFrom})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = core.Close() })
	w.core, w.p = core, instagram.New(core)
	core.Mount(instagram.Name, w.p)
	server := httptest.NewServer(core)
	t.Cleanup(server.Close)
	core.SetBaseURL(server.URL)
	w.base = server.URL + "/instagram"
	w.files = httptest.NewServer(http.FileServer(http.Dir(w.dir)))
	t.Cleanup(w.files.Close)
	w.maya, _ = core.AccountByName(instagram.Name, "maya")
	w.client = &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	w.token = w.connect("")
	return w
}

// connect completes the consent and exchanges both tokens.
func (w *world) connect(more string) string {
	w.t.Helper()
	q := url.Values{
		"client_id": {sandbox.ClientID}, "redirect_uri": {"http://127.0.0.1:9/cb"}, "response_type": {"code"}, "state": {"s"},
		"scope": {"instagram_business_basic,instagram_business_content_publish,instagram_business_manage_insights"}, "approve": {"maya"},
	}
	res, err := w.client.Get(w.base + "/oauth/authorize?" + q.Encode() + more)
	if err != nil {
		w.t.Fatal(err)
	}
	_ = res.Body.Close()
	to, err := res.Location()
	if err != nil || to.Fragment != "_" || to.Query().Get("state") != "s" {
		w.t.Fatalf("redirected to %v, %v", to, err)
	}
	short := w.form("/oauth/access_token", url.Values{
		"client_id": {sandbox.ClientID}, "client_secret": {sandbox.ClientSecret}, "grant_type": {"authorization_code"},
		"redirect_uri": {"http://127.0.0.1:9/cb"}, "code": {to.Query().Get("code")},
	})
	access, ok := short["access_token"].(string)
	if !ok {
		w.t.Fatalf("the code: got %v", short)
	}
	long := w.get("/access_token?grant_type=ig_exchange_token&client_secret=" + sandbox.ClientSecret + "&access_token=" + access)
	token, _ := long["access_token"].(string)
	if token == "" {
		w.t.Fatalf("the short-lived token: got %v", long)
	}
	return token
}

func (w *world) do(method, path, contentType string, body io.Reader) map[string]any {
	w.t.Helper()
	req, err := http.NewRequestWithContext(w.t.Context(), method, w.base+path, body)
	if err != nil {
		w.t.Fatal(err)
	}
	if w.token != "" {
		req.Header.Set("Authorization", "Bearer "+w.token)
	}
	if contentType != "" {
		req.Header.Set("Content-Type", contentType)
	}
	res, err := w.client.Do(req)
	if err != nil {
		w.t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	var out map[string]any
	if err := json.NewDecoder(res.Body).Decode(&out); err != nil {
		w.t.Fatalf("%s %s: %v", method, path, err)
	}
	return out
}

func (w *world) get(path string) map[string]any { return w.do(http.MethodGet, path, "", nil) }

func (w *world) form(path string, v url.Values) map[string]any {
	return w.do(http.MethodPost, path, "application/x-www-form-urlencoded", strings.NewReader(v.Encode()))
}

func (w *world) post(path string, v map[string]any) map[string]any {
	b, err := json.Marshal(v)
	if err != nil {
		w.t.Fatal(err)
	}
	return w.do(http.MethodPost, "/v25.0/"+w.maya.ID+path, "application/json", bytes.NewReader(b))
}

// code returns a response's error as code/subcode; empty for a success.
func code(answer map[string]any) string {
	e, ok := answer["error"].(map[string]any)
	if !ok {
		return ""
	}
	if e["type"] != "OAuthException" {
		return fmt.Sprintf("type %v", e["type"])
	}
	if e["error_subcode"] == nil {
		return fmt.Sprint(e["code"])
	}
	return fmt.Sprintf("%v/%.0f", e["code"], e["error_subcode"])
}

func (w *world) refused(want string, answer map[string]any) {
	w.t.Helper()
	if got := code(answer); got != want {
		w.t.Errorf("got %v, want the error %s", answer, want)
	}
}

func (w *world) jpeg(name string, width, height int) string {
	w.t.Helper()
	var b bytes.Buffer
	if err := jpeg.Encode(&b, image.NewGray(image.Rect(0, 0, width, height)), nil); err != nil {
		w.t.Fatal(err)
	}
	return w.store(name, b.Bytes())
}

func (w *world) store(name string, b []byte) string {
	w.t.Helper()
	if err := writeFile(filepath.Join(w.dir, name), b); err != nil {
		w.t.Fatal(err)
	}
	return w.files.URL + "/" + name
}

// film creates a video with ffmpeg's arguments.
func (w *world) film(name string, args ...string) string {
	w.t.Helper()
	all := append([]string{"-v", "error", "-f", "lavfi", "-i"}, args...)
	if out, err := exec.CommandContext(w.t.Context(), "ffmpeg", append(all, filepath.Join(w.dir, name))...).CombinedOutput(); err != nil {
		w.t.Fatalf("%v: %s", err, out)
	}
	return w.files.URL + "/" + name
}

var good = []string{
	"testsrc2=size=270x480:rate=30:duration=4", "-c:v", "libx264", "-preset", "ultrafast", "-pix_fmt", "yuv420p", "-movflags", "+faststart",
}

func (w *world) container(v map[string]any) string {
	w.t.Helper()
	answer := w.post("/media", v)
	id, _ := answer["id"].(string)
	if id == "" {
		w.t.Fatalf("got no container: %v", answer)
	}
	return id
}

func (w *world) state(id string) string {
	w.t.Helper()
	s, _ := w.get("/v25.0/" + id + "?fields=status_code,status")["status_code"].(string)
	return s
}

func writeFile(path string, b []byte) error { return os.WriteFile(path, b, 0o600) }

func readFile(t *testing.T, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// jpegHead returns a complete small JPEG, to which bytes can be appended.
func jpegHead() []byte {
	var b bytes.Buffer
	_ = jpeg.Encode(&b, image.NewGray(image.Rect(0, 0, 400, 500)), nil)
	return b.Bytes()
}
