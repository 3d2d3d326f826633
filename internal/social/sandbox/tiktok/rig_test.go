// SPDX-License-Identifier: Apache-2.0

package tiktok

import (
	"bytes"
	"encoding/json"
	"fmt"
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

// rig is the platform with maya's token.
type rig struct {
	*Platform
	t     *testing.T
	clock *testclock.FakeClock
	base  string
	token string
}

var allScopes = known

func newRig(t *testing.T) *rig {
	t.Helper()
	clk := testclock.NewFakeClock(time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC))
	core, err := sandbox.New(sandbox.Config{Dir: t.TempDir(), Clock: clk, Processing: 5 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = core.Close() })
	p := New(core)
	core.Mount(name, p)
	server := httptest.NewServer(core)
	t.Cleanup(server.Close)
	core.SetBaseURL(server.URL)
	r := &rig{Platform: p, t: t, clock: clk, base: server.URL + "/tiktok"}
	r.token = r.grant("maya", allScopes...)
	return r
}

func (r *rig) grant(account string, scopes ...string) string {
	return r.tokens.Issue(sandbox.Grant{Account: account, Scopes: scopes}).Access
}

// said holds the fields of a response that tests check.
type said struct {
	status int
	header http.Header
	Data   struct {
		PublishID  string        `json:"publish_id"`
		UploadURL  string        `json:"upload_url"`
		Status     string        `json:"status"`
		FailReason string        `json:"fail_reason"`
		Uploaded   *int64        `json:"uploaded_bytes"`
		Downloaded *int64        `json:"downloaded_bytes"`
		Posts      []json.Number `json:"publicaly_available_post_id"` //nolint:misspell // TikTok spells it so
		Options    []string      `json:"privacy_level_options"`
		NoComment  bool          `json:"comment_disabled"`
		NoDuet     bool          `json:"duet_disabled"`
		NoStitch   bool          `json:"stitch_disabled"`
		User       map[string]any
		Videos     []map[string]any
		HasMore    bool `json:"has_more"`
		Cursor     int64
	}
	Error json.RawMessage
	// OAuth's flat format.
	Access  string `json:"access_token"`
	Refresh string `json:"refresh_token"`
	Expires int64  `json:"expires_in"`
	Scope   string
	OpenID  string `json:"open_id"`
}

// code returns the error code, in either format.
func (s said) code() string {
	var word string
	if json.Unmarshal(s.Error, &word) == nil {
		return word
	}
	var e apiError
	_ = json.Unmarshal(s.Error, &e)
	return e.Code
}

func (r *rig) do(req *http.Request) said {
	r.t.Helper()
	res, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		r.t.Fatal(err)
	}
	defer res.Body.Close()
	doc, err := io.ReadAll(res.Body)
	if err != nil {
		r.t.Fatal(err)
	}
	out := said{status: res.StatusCode, header: res.Header}
	if len(doc) > 0 && strings.HasPrefix(res.Header.Get("Content-Type"), "application/json") {
		if err := json.Unmarshal(doc, &out); err != nil {
			r.t.Fatalf("%s: %s", err, doc)
		}
	}
	return out
}

// post calls the API with the rig's token.
func (r *rig) post(path, body string) said {
	r.t.Helper()
	req, err := http.NewRequestWithContext(r.t.Context(), http.MethodPost, r.base+path, strings.NewReader(body))
	if err != nil {
		r.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+r.token)
	req.Header.Set("Content-Type", "application/json; charset=UTF-8")
	return r.do(req)
}

func (r *rig) get(path string) said {
	r.t.Helper()
	req, err := http.NewRequestWithContext(r.t.Context(), http.MethodGet, r.base+path, nil)
	if err != nil {
		r.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+r.token)
	return r.do(req)
}

func (r *rig) form(path string, form url.Values) said {
	r.t.Helper()
	req, err := http.NewRequestWithContext(r.t.Context(), http.MethodPost, r.base+path, strings.NewReader(form.Encode()))
	if err != nil {
		r.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	return r.do(req)
}

// put uploads bytes of a video that start at first, of total bytes.
func (r *rig) put(to string, doc []byte, first, total int) said {
	r.t.Helper()
	req, err := http.NewRequestWithContext(r.t.Context(), http.MethodPut, to, bytes.NewReader(doc))
	if err != nil {
		r.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "video/mp4")
	req.Header.Set("Content-Range", fmt.Sprintf("bytes %d-%d/%d", first, first+len(doc)-1, total))
	return r.do(req)
}

func (r *rig) begin(info string, size, chunk, count int) said {
	r.t.Helper()
	body := fmt.Sprintf(`{"post_info":%s,"source_info":{"source":"FILE_UPLOAD","video_size":%d,"chunk_size":%d,"total_chunk_count":%d}}`, info, size, chunk, count)
	return r.post("/v2/post/publish/video/init/", body)
}

// published uploads a video in one part.
func (r *rig) published(info string, doc []byte) (publishID string) {
	r.t.Helper()
	a := r.begin(info, len(doc), len(doc), 1)
	if a.status != http.StatusOK {
		r.t.Fatalf("starting: got %d %s", a.status, a.code())
	}
	if s := r.put(a.Data.UploadURL, doc, 0, len(doc)).status; s != http.StatusCreated {
		r.t.Fatalf("uploading: got %d", s)
	}
	return a.Data.PublishID
}

func (r *rig) status(id string) said {
	r.t.Helper()
	return r.post("/v2/post/publish/status/fetch/", `{"publish_id":"`+id+`"}`)
}

const (
	everybody = `{"title":"Bread 🥖","privacy_level":"PUBLIC_TO_EVERYONE","brand_content_toggle":false,"brand_organic_toggle":false}`
	nobody    = `{"title":"Bread 🥖","privacy_level":"SELF_ONLY"}`
)

// films caches the created videos.
var films sync.Map

// footage returns a video created by ffmpeg with the arguments after its input.
func footage(t *testing.T, source string, more ...string) []byte {
	t.Helper()
	key := source + strings.Join(more, " ")
	if doc, ok := films.Load(key); ok {
		return doc.([]byte)
	}
	kind := ".mp4"
	if len(more) > 0 && strings.HasPrefix(more[len(more)-1], ".") {
		kind, more = more[len(more)-1], more[:len(more)-1]
	}
	path := filepath.Join(t.TempDir(), "film"+kind)
	args := append([]string{"-v", "error", "-f", "lavfi", "-i", source, "-pix_fmt", "yuv420p", "-preset", "ultrafast"}, more...)
	if out, err := exec.Command("ffmpeg", append(args, path)...).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	doc, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	films.Store(key, doc)
	return doc
}

func good(t *testing.T) []byte { return footage(t, "testsrc2=size=540x960:rate=30:duration=3") }
