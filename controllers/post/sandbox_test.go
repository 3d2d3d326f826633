// SPDX-License-Identifier: Apache-2.0

package post

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/social/platforms"
	"github.com/reelops/reelops/internal/social/publish"
	"github.com/reelops/reelops/internal/social/sandbox"
	"github.com/reelops/reelops/internal/social/sandbox/instagram"
	"github.com/reelops/reelops/internal/social/sandbox/linkedin"
	"github.com/reelops/reelops/internal/social/sandbox/tiktok"
	"github.com/reelops/reelops/internal/social/sandbox/youtube"
	"github.com/reelops/reelops/internal/store/blob"
)

// fixture runs the sandbox with the real adapters. Stories use it one after the other.
type fixture struct {
	t     *testing.T
	name  string
	core  *sandbox.Sandbox
	clock *shared
	real  publish.Platform
	store *blob.Store
	film  []byte
	token publish.Tokens
	who   *publish.Identity
	fresh int // number of calls before the story began

	mu      sync.Mutex
	strikes func()
}

// shared is the clock of the current world, for components that outlive a world.
type shared struct {
	mu    sync.Mutex
	world *world
	last  time.Time
}

func (s *shared) Now() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.world != nil {
		if n := s.world.clock.Now(); n.After(s.last) {
			s.last = n
		}
	}
	return s.last
}

func (s *shared) Since(t time.Time) time.Duration { return s.Now().Sub(t) }

func newFixture(t *testing.T, name string) *fixture {
	t.Helper()
	g := &fixture{t: t, name: name, clock: &shared{last: noon}}
	var err error
	g.core, err = sandbox.New(sandbox.Config{Dir: t.TempDir(), Clock: g.clock, Processing: 5 * time.Second, OnFault: func(sandbox.CallRecord, sandbox.Fault) {
		g.mu.Lock()
		f := g.strikes
		g.mu.Unlock()
		if f != nil {
			f()
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = g.core.Close() })
	g.core.Mount(catalog.TikTok, tiktok.New(g.core))
	g.core.Mount(catalog.YouTube, youtube.New(g.core))
	g.core.Mount(catalog.Instagram, instagram.New(g.core))
	g.core.Mount(catalog.LinkedIn, linkedin.New(g.core))
	server := httptest.NewServer(g.core)
	t.Cleanup(server.Close)
	g.core.SetBaseURL(server.URL)
	settings := &platforms.Settings{Sandbox: server.URL}
	settings.Flags(newFlags(), true)
	settings.Sandbox = server.URL
	set, err := settings.Open(g.clock)
	if err != nil {
		t.Fatal(err)
	}
	g.real = set[v1beta1.Platform(name)]
	g.stock()
	g.connect()
	return g
}

// stock stores a video and serves the store.
func (g *fixture) stock() {
	film := filepath.Join(g.t.TempDir(), "film.mp4")
	if out, err := exec.Command("ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc2=size=540x960:rate=30:duration=4", "-f", "lavfi", "-i",
		"sine=frequency=330:duration=4:sample_rate=48000", "-shortest", "-c:v", "libx264", "-preset", "ultrafast", "-pix_fmt", "yuv420p", "-c:a", "aac",
		"-movflags", "+faststart", film).CombinedOutput(); err != nil {
		g.t.Fatalf("creating a video: %v: %s", err, out)
	}
	doc, err := os.ReadFile(film)
	if err != nil {
		g.t.Fatal(err)
	}
	g.film = doc
	mux := http.NewServeMux()
	server := httptest.NewServer(mux)
	g.t.Cleanup(server.Close)
	g.store, err = blob.Open(g.t.Context(), blob.Config{
		URL: "file://" + g.t.TempDir(), SigningKey: bytes.Repeat([]byte{1}, 32), BaseURL: server.URL, Clock: g.clock,
	})
	if err != nil {
		g.t.Fatal(err)
	}
	mux.Handle(blob.HandlerPath, g.store.Handler(0))
	if err := g.store.Put(g.t.Context(), "shorts/tea.mp4", "video/mp4", bytes.NewReader(doc)); err != nil {
		g.t.Fatal(err)
	}
}

func (g *fixture) connect() {
	a := publish.Authorization{State: "s", Verifier: "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQ", RedirectURI: "http://127.0.0.1:9/back"}
	browser := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	res, err := browser.Get(g.real.AuthorizeURL(a) + "&approve=maya")
	if err != nil {
		g.t.Fatal(err)
	}
	_ = res.Body.Close()
	back, err := res.Location()
	if err != nil {
		g.t.Fatal(res.Status, err)
	}
	grant, err := g.real.Exchange(g.t.Context(), back.Query().Get("code"), a)
	if err != nil {
		g.t.Fatal(err)
	}
	g.token, g.who = grant.Tokens, &grant.Identities[0]
}

// Account returns the token of the fixture.

func (g *fixture) Account(ctx context.Context, a *v1beta1.SocialAccount) (publish.Account, error) {
	if end := g.token.AccessExpiresAt; !end.IsZero() && g.clock.Now().Add(5*time.Minute).After(end) {
		return g.Renew(ctx, a, g.token.AccessToken)
	}
	return publish.Account{ID: g.who.ID, Username: g.who.Username, Type: g.who.Type, AccessToken: g.token.AccessToken, Scopes: g.token.Scopes}, nil
}

func (g *fixture) Renew(ctx context.Context, a *v1beta1.SocialAccount, used string) (publish.Account, error) {
	if used == g.token.AccessToken {
		next, err := g.real.Refresh(ctx, g.token)
		if err != nil {
			return publish.Account{}, err
		}
		g.token = next
	}
	if end := g.token.AccessExpiresAt; !end.IsZero() && g.clock.Now().After(end) {
		return publish.Account{}, errors.New("the new token has ended as well")
	}
	return g.Account(ctx, a)
}

func (*fixture) Refused(context.Context, *v1beta1.SocialAccount, string, error) error { return nil }

// strike is one way in which a call to a platform fails.
type strike struct {
	name  string
	fault sandbox.Fault
	// dies reports whether the process dies at the call, ends whether the token ends.
	dies, ends bool
}

var strikes = []strike{
	{name: "lost before", fault: sandbox.Fault{Do: sandbox.Drop}},
	{name: "response lost", fault: sandbox.Fault{Do: sandbox.Drop, When: sandbox.After}},
	{name: "half a response", fault: sandbox.Fault{Do: sandbox.Cut, When: sandbox.After}},
	{name: "429", fault: sandbox.Fault{Do: sandbox.Status, Status: 429, RetryAfter: 90}},
	{name: "500 before it is accepted", fault: sandbox.Fault{Do: sandbox.Status, Status: 500}},
	{name: "500 after it is accepted", fault: sandbox.Fault{Do: sandbox.Status, Status: 500, When: sandbox.After}},
	{name: "crash before", fault: sandbox.Fault{Do: sandbox.Hang}, dies: true},
	{name: "crash after", fault: sandbox.Fault{Do: sandbox.Hang, When: sandbox.After}, dies: true},
	{name: "crash, arrives late", fault: sandbox.Fault{Do: sandbox.Late}, dies: true},
	{name: "token expires", fault: sandbox.Fault{Do: sandbox.Expire}, ends: true},
}

// play publishes one post with a fault at a write or at a call.
func (g *fixture) play(t *testing.T, failAt int, f fault, script *sandbox.Fault, dies bool) *world {
	t.Helper()
	if err := g.core.Reset(); err != nil {
		t.Fatal(err)
	}
	g.core.ClearFaults()
	start := g.clock.Now().Add(25 * time.Hour).Truncate(time.Second) // a new day: the platforms' daily limits start again
	account, batch, p := socialAccount(), postBatch(start), aPost("1", start)
	account.Spec.Platform, p.Spec.Platform = v1beta1.Platform(g.name), v1beta1.Platform(g.name)
	p.Spec.Media.Bytes, p.Spec.Media.SHA256 = int64(len(g.film)), fmt.Sprintf("%x", sha256.Sum256(g.film))
	p.Spec.Media.DurationMillis, p.Spec.Media.Width, p.Spec.Media.Height = 4000, 540, 960
	p.Spec.Immediate, p.CreationTimestamp.Time, batch.CreationTimestamp.Time = true, start, start
	w := newWorld(t, failAt, f, account, batch, p)
	w.clock.SetTime(start)
	w.over = g
	g.clock.mu.Lock()
	g.clock.world = w
	g.clock.mu.Unlock()
	w.start()
	var cancel context.CancelFunc
	w.ctx, cancel = context.WithCancel(t.Context())
	defer cancel()
	g.connect() // storing tokens is tested elsewhere
	g.fresh = len(g.core.Calls())
	if script != nil {
		if err := g.core.SetFaults(*script); err != nil {
			t.Fatal(err)
		}
	}
	g.mu.Lock()
	g.strikes = nil
	if dies {
		g.strikes = func() { w.dying.Store(true); cancel() }
	}
	g.mu.Unlock()
	w.settle()
	g.core.Quiet()
	return w
}

func (g *fixture) judge(t *testing.T, w *world, startGraceTimer, ended bool) {
	t.Helper()
	landed := 0
	for _, l := range g.core.Landed(g.name) {
		if l.Visibility == sandbox.Public {
			landed++
		}
	}
	p := w.post("post-1")
	unknown := p.Status.State == v1beta1.PostFailed && p.Status.DeliveryState == v1beta1.DeliveryUnconfirmed
	switch {
	case landed > 1:
		t.Fatalf("DUPLICATE: published %d times: %+v", landed, p.Status)
	case ended && landed == 0 && p.Status.State == v1beta1.PostFailed && p.Status.Error.Code == string(catalog.TokenExpired):
	case unknown && startGraceTimer: // the platform has no lookup
	case landed != 1 || p.Status.State != v1beta1.PostSuccess:
		t.Fatalf("LOST OR WRONG: published %d times, the status is %+v, %+v", landed, p.Status, p.Status.Error)
	}
}

// TestFaultsOnSandbox makes every write and every call to the platform fail while a post is published, with the real
// adapters and the sandbox. The calls are recorded in a run without faults.
func TestFaultsOnSandbox(t *testing.T) {
	if testing.Short() {
		t.Skip("publishes videos")
	}
	for _, name := range catalog.Platforms() {
		t.Run(name, func(t *testing.T) {
			g := newFixture(t, name)
			clean := g.play(t, 0, none, nil, false)
			g.judge(t, clean, false, false)
			type call struct {
				name string
				nth  int
			}
			var calls []call
			count := map[string]int{}
			for i, c := range g.core.Calls() {
				if count[c.Call]++; i < g.fresh {
					continue
				}
				calls = append(calls, call{c.Call, count[c.Call]})
			}
			// Members of LinkedIn may publish posts but not read them.
			startGraceTimer := name == catalog.LinkedIn
			// Expired tokens of these platforms cannot be renewed: a user has to connect the account again.
			renews := name != catalog.Instagram && name != catalog.LinkedIn
			cells := 0
			for i, write := range clean.calls {
				for _, f := range []fault{crashBefore, crashAfter, replyLost, conflict, tooMany, broken, slow, stale, missedEvent} {
					cells++
					t.Run(fmt.Sprintf("%d %s/%s", i+1, write, f), func(t *testing.T) { g.judge(t, g.play(t, i+1, f, nil, false), startGraceTimer, false) })
				}
			}
			for _, c := range calls {
				for _, s := range strikes {
					cells++
					t.Run(fmt.Sprintf("%s %d/%s", c.name, c.nth, s.name), func(t *testing.T) {
						script := s.fault
						script.Platform, script.Call, script.Skip = name, c.name, c.nth-1
						g.judge(t, g.play(t, 0, none, &script, s.dies), startGraceTimer, s.ends && !renews)
					})
				}
			}
			t.Logf("%d writes, %d calls, %d cells", len(clean.calls), len(calls), cells)
		})
	}
}
