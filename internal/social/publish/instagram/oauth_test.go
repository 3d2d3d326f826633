// SPDX-License-Identifier: Apache-2.0

package instagram_test

import (
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/reelops/reelops/internal/social/publish"
	"github.com/reelops/reelops/internal/social/publish/instagram"
	"github.com/reelops/reelops/internal/social/sandbox"
	sandboxinstagram "github.com/reelops/reelops/internal/social/sandbox/instagram"
)

func TestExchange(t *testing.T) {
	for name, change := range map[string]func(*sandboxinstagram.Behaviour){
		"flat":       func(*sandboxinstagram.Behaviour) {},
		"nested":     func(b *sandboxinstagram.Behaviour) { b.TokenShape = sandboxinstagram.ShapeNested },
		"wrapped me": func(b *sandboxinstagram.Behaviour) { b.WrappedMe = true },
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			b := sandboxinstagram.Usual
			change(&b)
			w.there.Behave(b)
			_, g := w.connect("maya")
			known, _ := w.core.AccountByName("instagram", "maya")
			want := publish.Identity{
				ID: known.ID, Name: "Maya's Kitchen", Username: "mayas.kitchen", ProfileURL: w.core.URL("instagram", "/mayas.kitchen/"),
				AvatarURL: known.Avatar, Type: "creator",
			}
			if diff := cmp.Diff([]publish.Identity{want}, g.Identities); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if g.Tokens.RefreshToken != "" || !g.Tokens.IssuedAt.Equal(begin) || !g.Tokens.AccessExpiresAt.Equal(begin.Add(60*24*time.Hour)) || len(g.Lacking) != 0 {
				t.Errorf("issued %v until %v, lacking %v", g.Tokens.IssuedAt, g.Tokens.AccessExpiresAt, g.Lacking)
			}
		})
	}
}

func TestExchange_Errors(t *testing.T) {
	w := newWorld(t)
	a := publish.Authorization{RedirectURI: redirectURI}
	code := w.approve("&approve=maya")
	if _, err := w.p.Exchange(t.Context(), code+"#_", a); err != nil {
		t.Errorf("with Instagram's suffix: got %v", err)
	}
	if _, err := w.p.Exchange(t.Context(), code, a); publish.KindOf(err) != publish.Auth {
		t.Errorf("used: got %v", err)
	}
	code = w.approve("&approve=maya")
	w.clock.Step(2 * time.Hour)
	if _, err := w.p.Exchange(t.Context(), code, a); publish.KindOf(err) != publish.Auth {
		t.Errorf("two hours old: got %v", err)
	}
	if _, err := w.p.Exchange(t.Context(), w.approve("&approve=maya"), publish.Authorization{RedirectURI: "http://127.0.0.1:9/other"}); publish.KindOf(err) != publish.Misconfigured {
		t.Errorf("another redirect URL: got %v", err)
	}
	g, err := w.p.Exchange(t.Context(), w.approve("&approve=maya&withhold="+instagram.ScopePublish), a)
	if err != nil || !cmp.Equal(g.Lacking, []string{instagram.ScopePublish}) {
		t.Errorf("without the publishing scope: got %+v, %v", g, err)
	}
	if g, err = w.p.Exchange(t.Context(), w.approve("&approve=maya&withhold="+instagram.ScopeInsights), a); err != nil || len(g.Lacking) != 0 {
		t.Errorf("without the insights scope: got %+v, %v", g, err)
	}
}

// The code is consumed by the first response, so the calls that follow it are retried.
func TestExchange_RetriesAfterTheCode(t *testing.T) {
	w := newWorld(t)
	w.faults(sandbox.Fault{Call: sandboxinstagram.CallLengthen, Do: sandbox.Status, Status: 503, Times: 2})
	if _, err := w.p.Exchange(t.Context(), w.approve("&approve=maya"), publish.Authorization{RedirectURI: redirectURI}); err != nil {
		t.Error(err)
	}
}

func TestRefresh(t *testing.T) {
	w := newWorld(t)
	a, g := w.connect("maya")
	// On the first day a token cannot be renewed and does not need to be.
	got, err := w.p.Refresh(t.Context(), g.Tokens)
	if err != nil || !cmp.Equal(got, g.Tokens) || w.calls(sandboxinstagram.CallRefresh) != 0 {
		t.Errorf("on the first day: got %v, %d calls", err, w.calls(sandboxinstagram.CallRefresh))
	}
	w.clock.Step(30 * 24 * time.Hour)
	got, err = w.p.Refresh(t.Context(), g.Tokens)
	if err != nil || got.AccessToken == g.Tokens.AccessToken || !got.AccessExpiresAt.Equal(begin.Add(90*24*time.Hour)) || len(got.Scopes) != 3 {
		t.Fatalf("after thirty days: until %v, %v, %v", got.AccessExpiresAt, got.Scopes, err)
	}
	a.AccessToken = got.AccessToken
	if _, err := w.p.Identify(t.Context(), a); err != nil {
		t.Error(err)
	}
	// A transient error changes nothing, and the call is sent once.
	w.clock.Step(2 * 24 * time.Hour)
	n := w.calls(sandboxinstagram.CallRefresh)
	w.faults(sandbox.Fault{Call: sandboxinstagram.CallRefresh, Do: sandbox.Drop, When: sandbox.After})
	kept, err := w.p.Refresh(t.Context(), got)
	if publish.KindOf(err) != publish.Transient || !cmp.Equal(kept, got) || w.calls(sandboxinstagram.CallRefresh) != n+1 {
		t.Errorf("with a lost response: got %v, %d calls", err, w.calls(sandboxinstagram.CallRefresh)-n)
	}
	// After sixty days the token cannot be renewed.
	w.clock.Step(60 * 24 * time.Hour)
	if _, err := w.p.Refresh(t.Context(), got); publish.KindOf(err) != publish.Auth {
		t.Errorf("after the expiry: got %v", err)
	}
}

func TestRefresh_RevokedOnTheFirstDay(t *testing.T) {
	w := newWorld(t)
	_, g := w.connect("maya")
	w.faults(sandbox.Fault{Call: sandboxinstagram.CallMe, Do: sandbox.Revoke})
	_, err := w.p.Refresh(t.Context(), g.Tokens)
	if publish.KindOf(err) != publish.Auth {
		t.Errorf("got %v", err)
	}
}

// An API that does not know a field rejects the call. The adapter then requests fewer fields.
func TestIdentify_WithFewerFields(t *testing.T) {
	w := newWorld(t)
	a, _ := w.connect("maya")
	w.faults(sandbox.Fault{Call: sandboxinstagram.CallMe, Do: sandbox.Status, Status: 400, Code: "100"})
	id, err := w.p.Identify(t.Context(), a)
	if err != nil || id.ID != a.ID || id.Name != "mayas.kitchen" {
		t.Errorf("got %+v, %v", id, err)
	}
}

// A code is exchanged with a multipart form, as Meta documents, with every field once.
func TestExchange_Multipart(t *testing.T) {
	var form *multipart.Form
	there := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if err := r.ParseMultipartForm(1 << 20); err == nil {
			form = r.MultipartForm
		}
		rw.WriteHeader(http.StatusServiceUnavailable)
	}))
	defer there.Close()
	p, err := instagram.New(instagram.Config{ClientID: "1", ClientSecret: "s & ü", HTTP: there.Client()}.At(there.URL))
	if err != nil {
		t.Fatal(err)
	}
	_, err = p.Exchange(t.Context(), "c#_", publish.Authorization{RedirectURI: redirectURI})
	if publish.KindOf(err) != publish.Transient || form == nil {
		t.Fatalf("got %v; the form is %v", err, form)
	}
	want := map[string][]string{
		"client_id": {"1"}, "client_secret": {"s & ü"}, "grant_type": {"authorization_code"}, "redirect_uri": {redirectURI}, "code": {"c"},
	}
	if diff := cmp.Diff(want, form.Value); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
