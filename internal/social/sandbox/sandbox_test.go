// SPDX-License-Identifier: Apache-2.0

package sandbox

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	testclock "k8s.io/utils/clock/testing"
)

// counter is a platform that counts calls.
type counter struct {
	s      *Sandbox
	tokens *Tokens
	n      int
}

func (c *counter) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /count", c.s.Call("counter", "count", c.tokens.Who, func(w http.ResponseWriter, r *http.Request) {
		if _, err := c.tokens.Bearer(r); err != nil {
			writeJSON(w, http.StatusUnauthorized, map[string]string{"error": err.Error()})
			return
		}
		_, _ = io.Copy(io.Discard, r.Body)
		c.n++
		writeJSON(w, http.StatusOK, map[string]int{"n": c.n})
	}))
	mux.HandleFunc("GET /authorize", func(w http.ResponseWriter, r *http.Request) {
		c.s.Consent(w, r, Consent{
			Platform: "counter", Scopes: []string{"read", "write"},
			Approve: func(a Account, scopes []string) string {
				return "http://app.example/back?code=" + c.tokens.Code(Grant{Account: a.Name, Scopes: scopes}) + "&scope=" + strings.Join(scopes, ",")
			},
			Deny: func() string { return "http://app.example/back?error=access_denied" },
		})
	})
	return mux
}

func (c *counter) Reset() { c.n = 0 }

func (c *counter) Fail(w http.ResponseWriter, _ string, f Fault) {
	writeJSON(w, f.Status, map[string]string{"code": f.Code})
}

type rig struct {
	*counter
	clock  *testclock.FakeClock
	server *httptest.Server
	token  Token
	// onFault is called when a fault applies.
	onFault func()
}

func newRig(t *testing.T, dir string) *rig {
	t.Helper()
	clk := testclock.NewFakeClock(time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC))
	r := &rig{clock: clk, onFault: func() {}}
	s, err := New(Config{Dir: dir, Clock: clk, OnFault: func(CallRecord, Fault) { r.onFault() }})
	if err != nil {
		t.Fatal(err)
	}
	c := &counter{s: s, tokens: s.Tokens("counter", TokenRules{Code: time.Minute, Access: time.Hour, Rotate: true})}
	s.Mount("counter", c)
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	s.SetBaseURL(server.URL)
	r.counter, r.server, r.token = c, server, c.tokens.Issue(Grant{Account: "maya", Scopes: []string{"write"}})
	return r
}

// post sends one call, and returns the status and the Retry-After header.
func (r *rig) post(ctx context.Context, t *testing.T) (status int, after string, err error) {
	t.Helper()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, r.server.URL+"/counter/count", strings.NewReader("one"))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+r.token.Access)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, "", err
	}
	defer func() { _ = res.Body.Close() }()
	_, err = io.Copy(io.Discard, res.Body)
	return res.StatusCode, res.Header.Get("Retry-After"), err
}

func TestFaults_BeforeAndAfterTheCall(t *testing.T) {
	for name, c := range map[string]struct {
		fault   Fault
		status  int // 0: no complete response
		carried int
	}{
		"drop before":   {Fault{Do: Drop}, 0, 0},
		"drop after":    {Fault{Do: Drop, When: After}, 0, 1},
		"cut after":     {Fault{Do: Cut, When: After}, 0, 1},
		"status before": {Fault{Do: Status, Status: 429, RetryAfter: 7}, 429, 0},
		"status after":  {Fault{Do: Status, When: After, Status: 500}, 500, 1},
		"hang before":   {Fault{Do: Hang}, 0, 0},
		"hang after":    {Fault{Do: Hang, When: After}, 0, 1},
		"late":          {Fault{Do: Late}, 0, 1},
		"delay":         {Fault{Do: Delay, DelayMS: 1}, 200, 1},
		"revoke":        {Fault{Do: Revoke}, 401, 0},
		"expire":        {Fault{Do: Expire}, 401, 0},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, t.TempDir())
			c.fault.Platform, c.fault.Call = "counter", "count"
			if err := r.s.SetFaults(c.fault); err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			if c.fault.Do == Hang || c.fault.Do == Late {
				r.onFault = cancel // the caller gives up
			}
			status, after, err := r.post(ctx, t)
			r.s.Quiet()
			switch {
			case c.status == 0 && err == nil:
				t.Errorf("got %d, want no complete response", status)
			case c.status != 0 && (err != nil || status != c.status):
				t.Errorf("got %d, %v, want %d", status, err, c.status)
			}
			if c.fault.RetryAfter > 0 && after != "7" {
				t.Errorf("got Retry-After %q", after)
			}
			if r.n != c.carried {
				t.Errorf("got %d executed calls, want %d", r.n, c.carried)
			}
			if left := r.s.Faults(); len(left) != 0 {
				t.Errorf("still waiting: %v", left)
			}
		})
	}
}

func TestFaults_OrderAndCount(t *testing.T) {
	r := newRig(t, t.TempDir())
	post := func(path, body string) (int, string) {
		res, err := http.Post(r.server.URL+path, "application/json", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = res.Body.Close() }()
		doc, _ := io.ReadAll(res.Body)
		return res.StatusCode, string(doc)
	}
	status, body := post("/faults", `[{"platform":"counter","call":"count","do":"status","status":503,"skip":1,"times":2},
		{"platform":"counter","call":"*","do":"status","status":429,"account":"maya"}]`)
	if status != 200 {
		t.Fatal(status, body)
	}
	var got []int
	for range 5 {
		status, _, err := r.post(t.Context(), t)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, status)
	}
	want := []int{429, 503, 503, 200, 200}
	for i := range want {
		if got[i] != want[i] {
			t.Fatalf("got %v, want %v", got, want)
		}
	}
	for _, wrong := range []string{
		`[{"platform":"myspace","call":"count","do":"drop"}]`, `[{"platform":"counter","call":"cont","do":"drop"}]`,
		`[{"platform":"counter","call":"count","do":"drop","why":1}]`, `[{"platform":"counter","call":"count","do":"explode"}]`,
		`[{"platform":"counter","call":"count","do":"status","status":200}]`, `[{"platform":"counter","call":"count","do":"fail"}]`, `nonsense`,
		`[{"platform":"counter","call":"count","do":"cut"}]`,
	} {
		status, body := post("/faults", wrong)
		if status != 400 || !strings.Contains(body, `"counter":["count","processing"]`) {
			t.Errorf("%s: got %d %s", wrong, status, body)
		}
	}
	if left := r.s.Faults(); len(left) != 0 {
		t.Errorf("an invalid list is accepted: %v", left)
	}
	if calls := r.s.Calls(); len(calls) != 5 || calls[1].Fault != "before status" || calls[1].Carried || !calls[3].Carried || calls[0].Account != "maya" {
		t.Errorf("got calls %+v", calls)
	}
	if status, _ := post("/reset", ""); status != 204 || len(r.s.Calls()) != 0 || r.n != 0 {
		t.Errorf("reset: got %d, %d calls left", status, len(r.s.Calls()))
	}
}

func TestTokens_ExpireRotateAndAreRevoked(t *testing.T) {
	r := newRig(t, t.TempDir())
	code := r.tokens.Code(Grant{Account: "studio"})
	if g, err := r.tokens.Redeem(code); err != nil || g.Account != "studio" {
		t.Error(g, err)
	}
	if _, err := r.tokens.Redeem(code); !errors.Is(err, ErrRevokedToken) {
		t.Error("a used code is accepted:", err)
	}
	late := r.tokens.Code(Grant{Account: "studio"})
	r.clock.Step(time.Minute)
	if _, err := r.tokens.Redeem(late); !errors.Is(err, ErrExpiredToken) {
		t.Error("an expired code:", err)
	}
	r.clock.Step(time.Hour)
	if _, err := r.tokens.Lookup(r.token.Access); !errors.Is(err, ErrExpiredToken) {
		t.Error("an expired access token:", err)
	}
	next, err := r.tokens.Refresh(r.token.Refresh)
	if err != nil || next.Refresh == r.token.Refresh {
		t.Error("renewed", next, err)
	}
	if _, err := r.tokens.Refresh(r.token.Refresh); !errors.Is(err, ErrUnknownToken) {
		t.Error("an old refresh token:", err)
	}
	r.tokens.Revoke("maya")
	if _, err := r.tokens.Lookup(next.Access); !errors.Is(err, ErrRevokedToken) {
		t.Error("a revoked token:", err)
	}
	if _, err := r.tokens.Refresh(next.Refresh); !errors.Is(err, ErrRevokedToken) {
		t.Error("a revoked refresh token:", err)
	}
}

func TestConsentPage_Redirects(t *testing.T) {
	r := newRig(t, t.TempDir())
	c := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	get := func(query string) (status int, to, page string) {
		res, err := c.Get(r.server.URL + "/counter/authorize?state=a%26b" + query)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = res.Body.Close() }()
		doc, _ := io.ReadAll(res.Body)
		return res.StatusCode, res.Header.Get("Location"), string(doc)
	}
	if _, _, page := get(""); !strings.Contains(page, `name="approve" value="maya"`) || !strings.Contains(page, `name="state" value="a&amp;b"`) {
		t.Error("the page has no link to continue:", page)
	}
	if status, to, _ := get("&approve=maya&withhold=write"); status != http.StatusFound || !strings.HasSuffix(to, "&scope=read") {
		t.Error(status, to)
	}
	if _, to, _ := get("&deny=1"); to != "http://app.example/back?error=access_denied" {
		t.Error(to)
	}
	if status, _, _ := get("&approve=nobody"); status != http.StatusBadRequest {
		t.Error(status)
	}
}

func film(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "film.mp4")
	out, err := exec.Command("ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc2=size=180x320:rate=30:duration=1", "-pix_fmt", "yuv420p", path).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return path
}

func TestLedger_SurvivesARestart(t *testing.T) {
	dir := t.TempDir()
	r := newRig(t, dir)
	f, err := r.s.NewFile("video/mp4")
	if err != nil {
		t.Fatal(err)
	}
	doc, err := exec.Command("cat", film(t)).Output()
	if err != nil {
		t.Fatal(err)
	}
	if n, err := f.WriteFrom(strings.NewReader(string(doc)), 0); err != nil || n != int64(len(doc)) {
		t.Fatal(n, err)
	}
	if p, err := f.Probe(t.Context()); err != nil || p.Width != 180 || p.Height != 320 || p.Duration != time.Second || p.FrameRate != 30 || p.VideoCodec != "h264" {
		t.Errorf("got %+v, %v", p, err)
	}
	l := Landing{Platform: "counter", Account: "maya", Kind: "video", Visibility: Private, Title: "<b>Bread</b> 🍞", Caption: "one\ntwo", ID: "v1", URL: r.s.URL("counter", "/watch?v=v1"), File: f}
	if err := r.s.Land(l); err != nil {
		t.Fatal(err)
	}
	r.server.Close()
	if err := r.s.Close(); err != nil {
		t.Fatal(err)
	}

	again := newRig(t, dir)
	ledger := func() []Landing {
		res, err := http.Get(again.server.URL + "/ledger")
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = res.Body.Close() }()
		var out []Landing
		if err := json.NewDecoder(res.Body).Decode(&out); err != nil {
			t.Fatal(err)
		}
		return out
	}
	if got := ledger(); len(got) != 0 {
		t.Errorf("a private post is in the public ledger: %v", got)
	}
	kept := again.s.Landed("counter")
	if len(kept) != 1 || kept[0].File == nil {
		t.Fatalf("got stored %+v", kept)
	}
	kept[0].Visibility, kept[0].URL = Public, again.s.URL("counter", "/watch?v=v1")
	if err := again.s.Land(kept[0]); err != nil {
		t.Fatal(err)
	}
	got := ledger()
	if len(got) != 1 || got[0].Mode != "direct" || got[0].Bytes != int64(len(doc)) || len(got[0].SHA256) != 64 || got[0].Title != "<b>Bread</b> 🍞" {
		t.Fatalf("got ledger %+v", got)
	}
	if _, err := again.tokens.Lookup(r.token.Access); err != nil {
		t.Error("the token is lost after the restart:", err)
	}
	defer func() {
		if err := again.s.Reset(); err != nil {
			t.Error(err)
		}
		if left, _ := filepath.Glob(filepath.Join(dir, "files", "*")); len(left) > 0 || len(ledger()) > 0 {
			t.Errorf("after a reset: got %v", left)
		}
		if _, err := again.tokens.Lookup(r.token.Access); err != nil {
			t.Error("the reset deleted a token:", err)
		}
	}()
	for path, want := range map[string]string{
		"/": "&lt;b&gt;Bread&lt;/b&gt; 🍞", "/counter/watch?v=v1": kept[0].File.URL(), "/avatars/counter/maya.svg": ">M</text>",
	} {
		res, err := http.Get(again.server.URL + path)
		if err != nil {
			t.Fatal(err)
		}
		page, _ := io.ReadAll(res.Body)
		_ = res.Body.Close()
		if res.StatusCode != http.StatusOK || !strings.Contains(string(page), want) {
			t.Errorf("%s: got %d without %q:\n%s", path, res.StatusCode, want, page)
		}
	}
}
