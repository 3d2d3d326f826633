// SPDX-License-Identifier: Apache-2.0

package linkedin

import (
	"bytes"
	"encoding/json"
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
	"sync"
	"testing"
	"time"

	testclock "k8s.io/utils/clock/testing"

	"github.com/reelops/reelops/internal/social/sandbox"
)

var everything = []string{"openid", "profile", scopeMember, scopePage, scopeReadPage, scopeAdmin, scopeProfile, scopeMine, scopeFollow}

type rig struct {
	*Platform
	t          *testing.T
	clock      *testclock.FakeClock
	base       string
	token      string
	maya, acme string
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
	server := httptest.NewServer(core)
	t.Cleanup(server.Close)
	core.SetBaseURL(server.URL)
	r.base = server.URL + "/" + name
	r.token = r.grant("maya", everything...)
	for to, who := range map[*string]string{&r.maya: "maya", &r.acme: "acme"} {
		a, _ := core.AccountByName(name, who)
		*to = a.ID
	}
	return r
}

// grant issues a token without the consent page.
func (r *rig) grant(account string, scopes ...string) string {
	return r.tokens.Issue(sandbox.Grant{Account: account, ClientID: sandbox.ClientID, Scopes: scopes}).Access
}

type answer struct {
	status int
	header http.Header
	doc    map[string]any
}

// code returns the code of an error, or that in its inputErrors.
func (a answer) code() string {
	s, _ := a.doc["code"].(string)
	if details, ok := a.doc["errorDetails"].(map[string]any); ok && s == "" {
		s, _ = details["inputErrors"].([]any)[0].(map[string]any)["code"].(string)
	}
	return s
}

// value returns a member of "value" in the response of an action.
func (a answer) value(member string) string {
	v, _ := a.doc["value"].(map[string]any)
	s, _ := v[member].(string)
	return s
}

// call sends a request with the usual headers. header, as "Name: value", adds a header, or removes one if the value is
// empty.
func (r *rig) call(method, address string, body any, header ...string) answer {
	r.t.Helper()
	var in io.Reader
	switch b := body.(type) {
	case nil:
	case []byte:
		in = bytes.NewReader(b)
	case url.Values:
		in = strings.NewReader(b.Encode())
		header = append(header, "Content-Type: application/x-www-form-urlencoded")
	default:
		doc, err := json.Marshal(b)
		if err != nil {
			r.t.Fatal(err)
		}
		in = bytes.NewReader(doc)
	}
	if !strings.HasPrefix(address, "http") {
		address = r.base + address
	}
	req, err := http.NewRequestWithContext(r.t.Context(), method, address, in)
	if err != nil {
		r.t.Fatal(err)
	}
	req.Header = http.Header{"Authorization": {"Bearer " + r.token}, "Linkedin-Version": {"202607"}, "X-Restli-Protocol-Version": {"2.0.0"}}
	for _, h := range header {
		k, v, _ := strings.Cut(h, ": ")
		if req.Header.Set(k, v); v == "" {
			req.Header.Del(k)
		}
	}
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	res, err := client.Do(req)
	if err != nil {
		r.t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	doc, err := io.ReadAll(res.Body)
	if err != nil {
		r.t.Fatal(err)
	}
	a := answer{status: res.StatusCode, header: res.Header}
	_ = json.Unmarshal(doc, &a.doc)
	return a
}

// want checks the status and the code.
func (r *rig) want(what string, a answer, status int, code string) {
	r.t.Helper()
	if a.status != status || a.code() != code {
		r.t.Errorf("%s: got %d %v, want %d %s", what, a.status, a.doc, status, code)
	}
}

func object(kv ...any) map[string]any {
	out := map[string]any{}
	for i := 0; i < len(kv); i += 2 {
		out[kv[i].(string)] = kv[i+1]
	}
	return out
}

func picture(w, h int) []byte {
	var b bytes.Buffer
	_ = jpeg.Encode(&b, image.NewGray(image.Rect(0, 0, w, h)), &jpeg.Options{Quality: 1})
	return b.Bytes()
}

// image uploads an image and returns its URN.
func (r *rig) image(owner string, doc []byte) string {
	r.t.Helper()
	a := r.call("POST", "/rest/images?action=initializeUpload", object("initializeUploadRequest", object("owner", owner)))
	if b := r.call("PUT", a.value("uploadUrl"), doc); b.status != http.StatusCreated {
		r.t.Fatalf("got %d %v, %d", a.status, a.doc, b.status)
	}
	return a.value("image")
}

// text returns a post with one image.
func (r *rig) text(author, urn, commentary string) map[string]any {
	return object("author", author, "commentary", commentary, "visibility", "PUBLIC", "distribution", object("feedDistribution", "MAIN_FEED"),
		"content", object("media", object("id", urn)), "lifecycleState", "PUBLISHED")
}

// post creates a post of a page or a member and returns its URN.
func (r *rig) post(author, commentary string) string {
	r.t.Helper()
	urn := r.image(author, picture(10, 10))
	r.clock.Step(10 * time.Second)
	a := r.call("POST", "/rest/posts", r.text(author, urn, commentary))
	if a.status != http.StatusCreated {
		r.t.Fatalf("got %d %v", a.status, a.doc)
	}
	return a.header.Get("x-restli-id")
}

var film = sync.OnceValues(func() ([]byte, error) {
	dir, err := os.MkdirTemp("", "film")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	path := filepath.Join(dir, "film.mp4")
	err = exec.Command("ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc2=size=540x960:rate=30:duration=10,noise=alls=40", "-c:v", "libx264",
		"-preset", "ultrafast", "-qp", "10", "-pix_fmt", "yuv420p", path).Run()
	if err != nil {
		return nil, err
	}
	return os.ReadFile(path)
})

func escape(urn string) string { return url.QueryEscape(urn) }
