// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	testclock "k8s.io/utils/clock/testing"

	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/social/publish"
	"github.com/reelops/reelops/internal/social/sandbox"
)

const redirectURI = "http://127.0.0.1:9/oauth/callback"

// verifier is a PKCE code verifier of the minimum length, 43 characters.
const verifier = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQ"

// world is a platform's sandbox, the adapter's settings, and the clock that both share.
type world struct {
	c      Case
	core   *sandbox.Sandbox
	base   string
	clock  *testclock.FakeClock
	client *http.Client
	store  *store
	// there is the sandbox of the platform.
	there sandbox.Platform

	mu sync.Mutex
	// onFault is called when a fault is injected; nil does nothing.
	onFault func()
}

func newWorld(t *testing.T, c Case) *world {
	t.Helper()
	w := &world{c: c, clock: testclock.NewFakeClock(time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)), store: newStore(t)}
	if c.Processing == 0 {
		c.Processing = 5 * time.Second
	}
	var err error
	w.core, err = sandbox.New(sandbox.Config{Dir: t.TempDir(), Clock: w.clock, Processing: c.Processing, OnFault: func(sandbox.CallRecord, sandbox.Fault) {
		w.mu.Lock()
		f := w.onFault
		w.mu.Unlock()
		if f != nil {
			f()
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.core.Close() })
	w.there = c.Mount(w.core)
	w.core.Mount(c.Platform, w.there)
	server := httptest.NewServer(w.core)
	t.Cleanup(server.Close)
	w.core.SetBaseURL(server.URL)
	w.base = server.URL + "/" + c.Platform
	w.client = &http.Client{Transport: &http.Transport{}}
	t.Cleanup(w.client.CloseIdleConnections)
	return w
}

func (w *world) strikes(f func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.onFault = f
}

// open returns a new adapter without in-process state, as after a restart.
func (w *world) open(t *testing.T) publish.Platform {
	t.Helper()
	p, err := w.c.Open(Options{Base: w.base, ClientID: sandbox.ClientID, ClientSecret: sandbox.ClientSecret, HTTP: w.client, Clock: w.clock})
	if err != nil {
		t.Fatal("opening the adapter:", err)
	}
	return p
}

// approve submits the platform's consent page as the user, and returns the query of the redirect.
func (w *world) approve(t *testing.T, p publish.Platform, a publish.Authorization, more string) url.Values {
	t.Helper()
	browser := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	res, err := browser.Get(p.AuthorizeURL(a) + more)
	if err != nil {
		t.Fatal("opening the platform's page:", err)
	}
	_ = res.Body.Close()
	to, err := res.Location()
	if err != nil {
		t.Fatalf("the platform's page returned %d without a redirect", res.StatusCode)
	}
	if !strings.HasPrefix(to.String(), a.RedirectURI) {
		t.Fatalf("the redirect is %s", to)
	}
	return to.Query()
}

// connection is an account with its tokens.
type connection struct {
	name    string
	account publish.Account
	tokens  publish.Tokens
}

// connect connects an account with the OAuth flow of a user.
func (w *world) connect(t *testing.T, name string) *connection {
	t.Helper()
	p := w.open(t)
	known, ok := w.core.AccountByName(w.c.Platform, name)
	if !ok {
		t.Fatalf("the stand-in has no account %s", name)
	}
	who := name
	if known.Owner != "" {
		who = known.Owner
	}
	a := publish.Authorization{State: "state of " + name, Verifier: verifier, RedirectURI: redirectURI}
	back := w.approve(t, p, a, "&approve="+who)
	if back.Get("state") != a.State {
		t.Fatalf("got state %q", back.Get("state"))
	}
	g, err := p.Exchange(t.Context(), back.Get("code"), a)
	if err != nil {
		t.Fatal("exchanging the code:", err)
	}
	i := slices.IndexFunc(g.Identities, func(i publish.Identity) bool { return i.ID == known.ID })
	if i < 0 {
		t.Fatalf("the grant has the identities %+v, want an account with the id %s", g.Identities, known.ID)
	}
	id := g.Identities[i]
	if id.Name == "" {
		t.Errorf("the account has no name: %+v", id)
	}
	if len(g.Lacking) > 0 {
		t.Errorf("everything was granted, and %v is reported as lacking", g.Lacking)
	}
	c := &connection{name: name, tokens: g.Tokens}
	c.account = publish.Account{ID: id.ID, Username: id.Username, Type: id.Type, AccessToken: g.Tokens.AccessToken, Scopes: g.Tokens.Scopes}
	return c
}

// renew renews the tokens, as the token keeper does after an Unauthorized error.
func (c *connection) renew(ctx context.Context, p publish.Platform) error {
	next, err := p.Refresh(ctx, c.tokens)
	if err != nil {
		return err
	}
	c.tokens = next
	c.account.AccessToken = next.AccessToken
	return nil
}

// visible returns the posts that the draft's posting mode creates: public posts and posts in an inbox. Private uploads
// count only for drafts.
func (w *world) visible(d publish.Draft) []sandbox.Landing {
	return slices.DeleteFunc(w.core.Landed(w.c.Platform), func(l sandbox.Landing) bool {
		return l.Visibility == sandbox.Private && d.Mode == catalog.PostDirect
	})
}
