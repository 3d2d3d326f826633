// SPDX-License-Identifier: Apache-2.0

package console_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/zitadel/oidc/v3/example/server/exampleop"
	"github.com/zitadel/oidc/v3/example/server/storage"
	"github.com/zitadel/oidc/v3/pkg/oidc"

	"github.com/reelops/reelops/apiserver/console"
)

const (
	clientID     = "reelops-console"
	clientSecret = "client-secret"
	password     = "verysecure"
)

// people are the users of the identity provider.
type people map[string]*storage.User

// GetUserByID returns a user by id.
func (p people) GetUserByID(id string) *storage.User { return p[id] }

// GetUserByUsername returns a user by the name at the login.
func (p people) GetUserByUsername(name string) *storage.User { return p[name] }

// ExampleClientID is part of the interface of the store.
func (people) ExampleClientID() string { return "" }

// directory is the storage of the identity provider. It has groups as well.
type directory struct {
	*storage.Storage
	groups []string
}

// SetUserinfoFromToken returns the claims of the userinfo endpoint.
func (d *directory) SetUserinfoFromToken(
	ctx context.Context, info *oidc.UserInfo, token, subject, origin string,
) error {
	info.AppendClaims("groups", d.groups)
	return d.Storage.SetUserinfoFromToken(ctx, info, token, subject, origin)
}

// newIssuer starts an identity provider and returns its URL.
func newIssuer(t *testing.T, users people, groups ...string) string {
	t.Helper()
	web := httptest.NewUnstartedServer(nil)
	issuer := "http://" + web.Listener.Addr().String()
	d := &directory{Storage: storage.NewStorage(users), groups: groups}
	web.Config.Handler = exampleop.SetupServer(issuer, d, nil, false)
	web.Start()
	t.Cleanup(web.Close)
	return issuer
}

// withOIDC starts a front end whose users sign in at an identity provider.
func withOIDC(t *testing.T, issuer string) *replica {
	t.Helper()
	r := newReplica(t, func(s *console.Settings) {
		s.OIDC = &console.OIDC{
			Issuer: issuer, ClientID: clientID, ClientSecret: clientSecret, UsernameClaim: "email", GroupsClaim: "groups",
			GroupsPrefix: "login:",
		}
	})
	storage.RegisterClients(storage.WebClient(clientID, clientSecret, r.url+"/console/callback"))
	return r
}

// visit follows redirects until a response that is none, or one whose address begins with until, which is returned.
func (b *browser) visit(address, until string) (answer, string) {
	b.t.Helper()
	for range 10 {
		r, err := http.NewRequestWithContext(b.t.Context(), http.MethodGet, address, nil)
		must(b.t, err)
		got := b.send(r)
		to := got.header.Get("Location")
		if to == "" {
			return got, address
		}
		next, err := mustURL(b.t, address).Parse(to)
		must(b.t, err)
		if address = next.String(); until != "" && strings.HasPrefix(address, until) {
			return got, address
		}
	}
	b.t.Fatalf("too many redirects: %s", address)
	return answer{}, ""
}

// logIn starts a sign-in, logs in at the provider, and returns the address to which the provider redirects.
func (b *browser) logIn(user, back string) (callback string) {
	b.t.Helper()
	page, at := b.visit(b.url+"/console/sign-in?return="+url.QueryEscape(back), "")
	if page.status != http.StatusOK {
		b.t.Fatalf("got no login page: %d: %s", page.status, page.raw)
	}
	login := mustURL(b.t, at)
	form := url.Values{"username": {user}, "password": {password}, "id": {login.Query().Get("authRequestID")}}
	r, err := http.NewRequestWithContext(b.t.Context(), http.MethodPost, at, strings.NewReader(form.Encode()))
	must(b.t, err)
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	got := b.send(r)
	next, err := login.Parse(got.header.Get("Location"))
	must(b.t, err)
	_, callback = b.visit(next.String(), b.url+"/console/callback")
	return callback
}

// finish opens the address to which the provider redirects.
func (b *browser) finish(callback string) answer {
	b.t.Helper()
	return b.get(strings.TrimPrefix(callback, b.url))
}

func TestOIDC_SignsInAUserOfTheProvider(t *testing.T) {
	prepare(t)
	account := newAccount(t, "acme")
	anna := &storage.User{ID: "id1", Username: "anna", Password: password, EmailVerified: true}
	anna.Email = account + "@example.com"
	bind(t, account, "reelops-editor", anna.Email)
	r := withOIDC(t, newIssuer(t, people{"id1": anna, "anna": anna}, "team", "system:masters"))
	b := newBrowser(t, r)
	if got := b.session(); got.body["sign_in"].(map[string]any)["oidc"] != true {
		t.Errorf("got %s", got.raw)
	}
	callback := b.logIn("anna", "/console/calendar?month=2026-11")
	got := b.finish(callback)
	if got.status != http.StatusSeeOther || got.header.Get("Location") != "/console/calendar?month=2026-11" {
		t.Fatalf("got %d to %q: %s", got.status, got.header.Get("Location"), got.raw)
	}
	session := b.session()
	user, _ := session.body["user"].(map[string]any)
	groups, _ := user["groups"].([]any)
	want := []any{"system:authenticated", "login:team", "login:system:masters"}
	if user["name"] != anna.Email || !slices.Equal(groups, want) || session.body["account"] != account {
		t.Errorf("got %s", session.raw)
	}
	b.get("/console/api/v1/account").want(t, "a call", http.StatusOK, "")
	for _, cookie := range b.jar.Cookies(mustURL(t, r.url)) {
		if cookie.Name != "reelops-console" {
			t.Errorf("the cookie %s is left", cookie.Name)
		}
	}
	if again := b.finish(callback); again.status != http.StatusBadRequest {
		t.Errorf("the callback worked twice: %d", again.status)
	}
	if stolen := newBrowser(t, r).finish(b.logIn("anna", "/console")); stolen.status != http.StatusBadRequest {
		t.Errorf("the callback worked in another browser: %d", stolen.status)
	}
}

func TestOIDC_SeveralSignInsOfOneBrowser(t *testing.T) {
	prepare(t)
	anna := &storage.User{ID: "id1", Username: "anna", Password: password, Email: "anna@example.com", EmailVerified: true}
	r := withOIDC(t, newIssuer(t, people{"id1": anna, "anna": anna}))
	b := newBrowser(t, r)
	first, second := b.logIn("anna", "/console/calendar"), b.logIn("anna", "/console/media")
	for _, c := range []struct{ callback, want string }{{second, "/console/media"}, {first, "/console/calendar"}} {
		if got := b.finish(c.callback); got.status != http.StatusSeeOther || got.header.Get("Location") != c.want {
			t.Errorf("got %d to %q, want %s: %s", got.status, got.header.Get("Location"), c.want, got.raw)
		}
	}
	if again := b.finish(first); again.status != http.StatusBadRequest {
		t.Errorf("the callback worked twice: %d", again.status)
	}
	if cookies := b.jar.Cookies(mustURL(t, r.url)); len(cookies) != 1 {
		t.Errorf("got cookies %v", cookies)
	}
}

func TestOIDC_ReturnsToTheConsoleOnly(t *testing.T) {
	prepare(t)
	anna := &storage.User{ID: "id1", Username: "anna", Password: password, Email: "anna@example.com", EmailVerified: true}
	r := withOIDC(t, newIssuer(t, people{"id1": anna, "anna": anna}))
	for _, back := range []string{
		"https://evil.example/", "//evil.example", "/\\evil.example", "/api/v1/account", "javascript:alert(1)",
	} {
		b := newBrowser(t, r)
		if got := b.finish(b.logIn("anna", back)); got.status != http.StatusSeeOther ||
			got.header.Get("Location") != "/console" {
			t.Errorf("%s: got %d to %q", back, got.status, got.header.Get("Location"))
		}
	}
}

func TestOIDC_RefusedSignIns(t *testing.T) {
	prepare(t)
	bert := &storage.User{ID: "id2", Username: "bert", Password: password, Email: "bert@example.com"}
	r := withOIDC(t, newIssuer(t, people{"id2": bert, "bert": bert}))
	b := newBrowser(t, r)
	if got := b.finish(b.logIn("bert", "/console/shorts?query=tea")); got.status != http.StatusForbidden ||
		!strings.Contains(got.raw, "not verified") ||
		!strings.Contains(got.raw, `href="/console/sign-in?return=%2Fconsole%2Fshorts%3Fquery%3Dtea"`) {
		t.Errorf("an unverified email: got %d: %s", got.status, got.raw)
	}
	callback := b.logIn("bert", "/console")
	if got := b.finish(strings.Replace(callback, "state=", "state=x", 1)); got.status != http.StatusBadRequest {
		t.Errorf("another state: got %d", got.status)
	}
	callback = b.logIn("bert", "/console")
	if got := b.finish(strings.Replace(callback, "code=", "code=x", 1)); got.status != http.StatusBadGateway {
		t.Errorf("another code: got %d: %s", got.status, got.raw)
	}
	b.logIn("bert", "/console")
	flow := mustURL(t, callback).Query().Get("state")
	if got := b.get("/console/callback?error=access_denied&state=" + flow); got.status == http.StatusSeeOther {
		t.Errorf("a refusal signs in: %d", got.status)
	}
	if got := b.session(); got.status != http.StatusUnauthorized {
		t.Errorf("got a session: %s", got.raw)
	}
}

func TestOIDC_WithoutTheProviderIsExplained(t *testing.T) {
	r := withOIDC(t, "http://127.0.0.1:1")
	got := newBrowser(t, r).get("/console/sign-in?return=/console/media")
	if got.status != http.StatusServiceUnavailable ||
		!strings.Contains(got.raw, `href="/console/sign-in?return=%2Fconsole%2Fmedia"`) {
		t.Errorf("got %d: %s", got.status, got.raw)
	}
}
