// SPDX-License-Identifier: Apache-2.0

package analytics_test

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	testclock "k8s.io/utils/clock/testing"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/social/analytics"
	"github.com/reelops/reelops/internal/social/platforms"
	"github.com/reelops/reelops/internal/social/publish"
	"github.com/reelops/reelops/internal/social/sandbox"
	"github.com/reelops/reelops/internal/social/sandbox/instagram"
	"github.com/reelops/reelops/internal/social/sandbox/linkedin"
	"github.com/reelops/reelops/internal/social/sandbox/tiktok"
	"github.com/reelops/reelops/internal/social/sandbox/youtube"
	"github.com/reelops/reelops/internal/store/blob"
	"github.com/reelops/reelops/internal/testkit/need"
)

// begin is the start of a simulation, at night.
var begin = time.Date(2026, 10, 3, 0, 30, 0, 0, time.UTC)

// world is the sandbox over HTTP, the real adapters, a real store, and their clock.
type world struct {
	clock     *testclock.FakeClock
	core      *sandbox.Sandbox
	set       platforms.Set
	sources   map[v1beta1.Platform]analytics.Source
	store     *blob.Store
	instagram *instagram.Platform
	youtube   *youtube.Platform
	film      publish.Media
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{clock: testclock.NewFakeClock(begin)}
	var err error
	if w.core, err = sandbox.New(sandbox.Config{Dir: t.TempDir(), Clock: w.clock, Processing: 5 * time.Second}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.core.Close() })
	w.instagram, w.youtube = instagram.New(w.core), youtube.New(w.core)
	w.core.Mount(catalog.TikTok, tiktok.New(w.core))
	w.core.Mount(catalog.YouTube, w.youtube)
	w.core.Mount(catalog.Instagram, w.instagram)
	w.core.Mount(catalog.LinkedIn, linkedin.New(w.core))
	server := httptest.NewServer(w.core)
	t.Cleanup(server.Close)
	w.core.SetBaseURL(server.URL)

	s := platforms.Settings{}
	s.Flags(flag.NewFlagSet("", flag.ContinueOnError), true)
	s.Sandbox, s.LinkedInAnalytics = server.URL, true
	if w.set, err = s.Open(w.clock); err != nil {
		t.Fatal(err)
	}
	w.sources = w.set.Sources()
	if w.store, err = blob.Open(t.Context(), blob.Config{
		URL: "file://" + t.TempDir(), SigningKey: bytes.Repeat([]byte("k"), 32), BaseURL: "http://127.0.0.1:9", Clock: w.clock,
	}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.store.Close() })
	return w
}

// account is a connected account with its document.
type account struct {
	platform v1beta1.Platform
	name     string
	publish.Account
	tokens publish.Tokens
	ours   []analytics.Ours
	doc    *analytics.Document
	// key of the document in the store; next is when the refresh is due.
	key  string
	next time.Time
}

// connect connects an account with the consent page.
func (w *world) connect(t *testing.T, platform, name string) *account {
	t.Helper()
	known, there := w.core.AccountByName(platform, name)
	if !there {
		t.Fatalf("%s has no %s", platform, name)
	}
	who := name
	if known.Owner != "" {
		who = known.Owner
	}
	p := w.set[v1beta1.Platform(platform)]
	a := publish.Authorization{State: "s", Verifier: "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQ", RedirectURI: "http://127.0.0.1:9/oauth/callback"}
	browser := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	res, err := browser.Get(p.AuthorizeURL(a) + "&approve=" + url.QueryEscape(who))
	if err != nil {
		t.Fatal(err)
	}
	_ = res.Body.Close()
	to, err := res.Location()
	if err != nil {
		t.Fatal(err)
	}
	g, err := p.Exchange(t.Context(), to.Query().Get("code"), a)
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(g.Identities, func(i publish.Identity) bool { return i.ID == known.ID })
	if i < 0 {
		t.Fatalf("the grant has the identities %+v", g.Identities)
	}
	id := g.Identities[i]
	return &account{
		platform: v1beta1.Platform(platform), name: name, tokens: g.Tokens,
		Account: publish.Account{ID: id.ID, Username: id.Username, Type: id.Type, AccessToken: g.Tokens.AccessToken, Scopes: g.Tokens.Scopes},
	}
}

// renew obtains tokens that are valid for the next steps.
func (w *world) renew(t *testing.T, a *account) {
	t.Helper()
	if ends := a.tokens.AccessExpiresAt; ends.IsZero() || ends.Sub(w.clock.Now()) > 30*time.Minute {
		return
	}
	next, err := w.set[a.platform].Refresh(t.Context(), a.tokens)
	if err != nil {
		t.Fatalf("renewing %s: %v", a.platform, err)
	}
	a.tokens, a.AccessToken, a.Scopes = next, next.AccessToken, next.Scopes
}

// refresh refreshes the document in the store.
func (w *world) refresh(t *testing.T, a *account) *analytics.Document {
	t.Helper()
	w.renew(t, a)
	started := w.clock.Now()
	if a.key != "" {
		a.doc = w.read(t, a.key)
	}
	d, err := (&analytics.Refresher{Clock: w.clock}).Refresh(t.Context(), w.sources[a.platform], analytics.Ask{Account: a.Account, Before: a.doc, Ours: a.ours})
	if err != nil {
		t.Fatalf("%s of %s: %v", a.platform, a.name, err)
	}
	key := fmt.Sprintf("analytics/acme/%s-%s/%d.jsonl", a.platform, a.name, started.UnixNano())
	r, out := io.Pipe()
	go func() { _ = out.CloseWithError(d.Encode(out)) }()
	if err := w.store.Put(t.Context(), key, blob.ContentType(key), r); err != nil {
		t.Fatal(err)
	}
	if a.key != "" {
		if err := w.store.Delete(t.Context(), a.key); err != nil {
			t.Fatal(err)
		}
	}
	a.key, a.doc, a.next = key, d, analytics.Next(d, analytics.DefaultInterval, 0, started)
	return d
}

func (w *world) read(t *testing.T, key string) *analytics.Document {
	t.Helper()
	r, err := w.store.Get(t.Context(), key)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = r.Close() }()
	d, err := analytics.Decode(r)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// media returns a video that all platforms accept, created once.
func (w *world) media(t *testing.T) *publish.Media {
	t.Helper()
	if w.film.Bytes > 0 {
		return &w.film
	}
	need.Program(t, "ffmpeg")
	path := filepath.Join(t.TempDir(), "film.mp4")
	out, err := exec.Command("ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc2=size=540x960:rate=30:duration=4", "-f", "lavfi", "-i", "sine=duration=4",
		"-c:v", "libx264", "-preset", "ultrafast", "-pix_fmt", "yuv420p", "-c:a", "aac", "-shortest", "-movflags", "+faststart", path).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	doc, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		http.ServeContent(rw, r, "film.mp4", time.Time{}, bytes.NewReader(doc))
	}))
	t.Cleanup(server.Close)
	w.film = publish.Media{
		ContentType: "video/mp4", Bytes: int64(len(doc)), Width: 540, Height: 960, Duration: 4 * time.Second,
		Open: func(_ context.Context, offset int64) (io.ReadCloser, error) {
			return io.NopCloser(bytes.NewReader(doc[offset:])), nil
		},
		URL: func(context.Context) (string, error) { return server.URL + "/film.mp4", nil },
	}
	return &w.film
}

// publish publishes a video through the adapter, and returns its id on the platform.
func (w *world) publish(t *testing.T, a *account, caption string) string {
	t.Helper()
	w.renew(t, a)
	p := w.set[a.platform]
	d := publish.Draft{Key: fmt.Sprint("draft of ", caption, a.platform), Kind: catalog.MediaVideo, Mode: catalog.PostDirect, Title: "Title of " + caption, Caption: caption, Video: w.media(t)}
	step := publish.Step{}
	for try := 0; !step.Ready; try++ {
		var err error
		if step, err = p.Prepare(t.Context(), a.Account, d, step.Note, func([]byte) error { return nil }); err != nil || try > 50 {
			t.Fatalf("preparing for %s: %v", a.platform, err)
		}
		w.clock.Step(step.Wait)
	}
	got, err := p.Commit(t.Context(), a.Account, d, step.Note)
	if err != nil {
		t.Fatalf("publishing on %s: %v", a.platform, err)
	}
	for v := got.View; ; {
		if v != nil && v.Settled && v.PostID != "" {
			return v.PostID
		}
		w.clock.Step(5 * time.Second)
		if v, err = p.Look(t.Context(), a.Account, d, got.Handle); err != nil || v.Failed != nil {
			t.Fatalf("polling %s: %v, %+v", a.platform, err, v)
		}
	}
}
