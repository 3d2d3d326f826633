// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"testing"
	"time"

	"github.com/reelops/reelops/internal/social/publish"
	"github.com/reelops/reelops/internal/social/sandbox"
)

// connecting tests the connection of an account, from the platform's consent page to the renewal of tokens.
func connecting(t *testing.T, c Case) {
	as := c.paths()[0].as
	t.Run("an account", func(t *testing.T) {
		w := newWorld(t, c)
		p := w.open(t)
		if string(p.Name()) != c.Platform {
			t.Errorf("got the adapter name %s", p.Name())
		}
		if m := p.Missing(); len(m) > 0 {
			t.Errorf("everything is configured, and %v is reported as missing", m)
		}
		conn := w.connect(t, as)
		id, err := p.Identify(t.Context(), conn.account)
		if err != nil || id.ID != "" && id.ID != conn.account.ID || id.Name == "" {
			t.Errorf("got the account %+v, %v", id, err)
		}
		if again := w.connect(t, as); again.account.ID != conn.account.ID {
			t.Errorf("after a reconnect the account is %s, was %s", again.account.ID, conn.account.ID)
		}
	})
	t.Run("nothing configured", func(t *testing.T) {
		w := newWorld(t, c)
		p, err := c.Open(Options{Base: w.base, HTTP: w.client, Clock: w.clock})
		if err != nil {
			t.Fatal("an adapter without an app must open and report the missing settings:", err)
		}
		if len(p.Missing()) == 0 {
			t.Error("no missing setting is reported")
		}
	})
	t.Run("denied by the user", func(t *testing.T) {
		w := newWorld(t, c)
		if back := w.approve(t, w.open(t), publish.Authorization{State: "s", Verifier: verifier, RedirectURI: redirectURI}, "&deny=1"); back.Get("error") == "" || back.Get("state") != "s" {
			t.Errorf("got the redirect %v", back)
		}
	})
	t.Run("a scope withheld", func(t *testing.T) {
		if c.NeedsScope == "" {
			t.Skip("the platform's scopes cannot be withheld")
		}
		w := newWorld(t, c)
		p := w.open(t)
		a := publish.Authorization{State: "s", Verifier: verifier, RedirectURI: redirectURI}
		g, err := p.Exchange(t.Context(), w.approve(t, p, a, "&approve="+as+"&withhold="+c.NeedsScope).Get("code"), a)
		if err != nil {
			t.Fatal(err)
		}
		if len(g.Lacking) != 1 || g.Lacking[0] != c.NeedsScope {
			t.Errorf("got lacking scopes %v, want %s", g.Lacking, c.NeedsScope)
		}
	})
	t.Run("a code works once", func(t *testing.T) {
		w := newWorld(t, c)
		p := w.open(t)
		a := publish.Authorization{State: "s", Verifier: verifier, RedirectURI: redirectURI}
		code := w.approve(t, p, a, "&approve="+as).Get("code")
		if _, err := p.Exchange(t.Context(), code, a); err != nil {
			t.Fatal(err)
		}
		for _, wrong := range []string{code, "nonsense"} {
			if g, err := p.Exchange(t.Context(), wrong, a); err == nil || publish.KindOf(err) == publish.Ambiguous || publish.KindOf(err) == publish.Transient {
				t.Errorf("an invalid code: got %+v, %v", g, err)
			}
		}
	})
	t.Run("tokens are renewed", func(t *testing.T) { renewing(t, newWorld(t, c), as) })
	t.Run("failures of read calls", func(t *testing.T) { asking(t, c, as) })
	t.Run("a failed renewal changes nothing", func(t *testing.T) { renewalFails(t, c, as) })
}

// renewing tests tokens that age, are renewed, expire and are revoked.
func renewing(t *testing.T, w *world, as string) {
	p, conn := w.open(t), w.connect(t, as)
	old := conn.tokens
	if old.AccessExpiresAt.IsZero() {
		t.Fatal("the access token has no expiry")
	}
	w.clock.Step(old.AccessExpiresAt.Sub(w.clock.Now()) / 2)
	if err := conn.renew(t.Context(), p); err != nil {
		t.Fatal("renewing in time:", err)
	}
	if !conn.tokens.AccessExpiresAt.After(old.AccessExpiresAt) || conn.tokens.AccessToken == "" || (old.RefreshToken != "" && conn.tokens.RefreshToken == "") || len(conn.tokens.Scopes) != len(old.Scopes) {
		t.Errorf("after a renewal: until %s, refresh token %v, scopes %v", conn.tokens.AccessExpiresAt, conn.tokens.RefreshToken != "", conn.tokens.Scopes)
	}
	if _, err := p.Identify(t.Context(), conn.account); err != nil {
		t.Error("with the new token:", err)
	}
	if old.RefreshToken != "" {
		w.clock.Step(conn.tokens.AccessExpiresAt.Sub(w.clock.Now()) + time.Second)
		if _, err := p.Identify(t.Context(), conn.account); publish.KindOf(err) != publish.Unauthorized {
			t.Errorf("with an expired token: got %v, want the kind %s", err, publish.Unauthorized)
		}
		if err := conn.renew(t.Context(), p); err != nil {
			t.Error("renewing too late:", err)
		}
	}
	if err := w.revoke(t, conn.name); err != nil {
		t.Fatal(err)
	}
	_, err := p.Identify(t.Context(), conn.account)
	if k := publish.KindOf(err); err == nil || k != publish.Unauthorized && k != publish.Auth {
		t.Errorf("with a revoked token: %v", err)
	}
	if _, err := p.Refresh(t.Context(), conn.tokens); publish.KindOf(err) != publish.Auth {
		t.Errorf("renewing a revoked token: got %v, want the kind %s", err, publish.Auth)
	}
}

// revoke revokes an account's permission, like its owner on the platform.
func (w *world) revoke(t *testing.T, name string) error {
	t.Helper()
	if a, ok := w.core.AccountByName(w.c.Platform, name); ok && a.Owner != "" {
		name = a.Owner
	}
	return w.core.RevokeAccount(w.c.Platform, name)
}

// renewalFails injects transient failures into the call that renews tokens. The old tokens must stay valid.
func renewalFails(t *testing.T, c Case, as string) {
	w := newWorld(t, c)
	p, conn := w.open(t), w.connect(t, as)
	w.clock.Step(conn.tokens.AccessExpiresAt.Sub(w.clock.Now()) / 2)
	if err := w.core.Reset(); err != nil {
		t.Fatal(err)
	}
	if err := conn.renew(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	calls := w.core.Calls()
	if len(calls) == 0 {
		t.Fatal("renewing makes no named call of the sandbox")
	}
	for _, f := range []sandbox.Fault{
		{Do: sandbox.Drop}, {Do: sandbox.Status, Status: 500}, {Do: sandbox.Status, Status: 503}, {Do: sandbox.Status, Status: 429, RetryAfter: 60},
	} {
		w.clock.Step(conn.tokens.AccessExpiresAt.Sub(w.clock.Now()) / 2)
		f.Platform, f.Call = c.Platform, calls[0].Call
		if err := w.core.SetFaults(f); err != nil {
			t.Fatal(err)
		}
		if _, err := p.Refresh(t.Context(), conn.tokens); err == nil || publish.KindOf(err) != publish.Transient && publish.KindOf(err) != publish.RateLimited {
			t.Errorf("renewing while the platform returns %s %d: %v", f.Do, f.Status, err)
		}
		if err := conn.renew(t.Context(), p); err != nil {
			t.Errorf("renewing after the platform returned %s %d: %v", f.Do, f.Status, err)
		}
	}
}

// asking injects failures into the calls that only read and belong to no post. Each error must have the expected kind.
func asking(t *testing.T, c Case, as string) {
	w := newWorld(t, c)
	p, conn := w.open(t), w.connect(t, as)
	for name, ask := range map[string]func() error{
		"Identify": func() error { _, err := p.Identify(t.Context(), conn.account); return err },
		"Headroom": func() error { _, err := p.Headroom(t.Context(), conn.account); return err },
	} {
		w.reset(t)
		if err := ask(); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for _, s := range w.steps() {
			for _, f := range []struct {
				fault sandbox.Fault
				want  publish.Kind
			}{
				{sandbox.Fault{Do: sandbox.Drop}, publish.Transient},
				{sandbox.Fault{Do: sandbox.Cut, When: sandbox.After}, publish.Transient},
				{sandbox.Fault{Do: sandbox.Status, Status: 500}, publish.Transient},
				{sandbox.Fault{Do: sandbox.Status, Status: 503}, publish.Transient},
				{sandbox.Fault{Do: sandbox.Status, Status: 429, RetryAfter: 60}, publish.RateLimited},
			} {
				w.reset(t)
				f.fault.Times = -1 // a transport retries requests that only read
				if err := w.core.SetFaults(w.at(s, f.fault)); err != nil {
					t.Fatal(err)
				}
				if err := ask(); err == nil || publish.KindOf(err) != f.want {
					t.Errorf("%s with %s %s %d: got %v, want the kind %s", name, s.call, f.fault.Do, f.fault.Status, err, f.want)
				}
			}
		}
	}
}
