// SPDX-License-Identifier: Apache-2.0

package tiktok

import (
	"maps"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/reelops/reelops/internal/social/sandbox"
)

const (
	verifier  = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQ"
	challenge = "46a2199782c8827f0ac56f503be9d39efee97f40a736b92cc7d7c5f825cfd851"
	web       = "https://reelops.example/oauth/tiktok/callback"
	local     = "http://127.0.0.1:8080/oauth/tiktok/callback"
)

// visit opens the consent page with changes to a valid link, and returns the redirect.
func (r *rig) visit(change url.Values) (int, *url.URL) {
	r.t.Helper()
	q := url.Values{
		"client_key": {sandbox.ClientID}, "response_type": {"code"}, "scope": {strings.Join(allScopes, ",")}, "redirect_uri": {web}, "state": {"s&1"},
		"code_challenge": {challenge}, "code_challenge_method": {"S256"},
	}
	maps.Copy(q, change)
	req, err := http.NewRequestWithContext(r.t.Context(), http.MethodGet, r.base+"/v2/auth/authorize/?"+q.Encode(), nil)
	if err != nil {
		r.t.Fatal(err)
	}
	res, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		r.t.Fatal(err)
	}
	_ = res.Body.Close()
	to, err := url.Parse(res.Header.Get("Location"))
	if err != nil {
		r.t.Fatal(err)
	}
	return res.StatusCode, to
}

func TestConsentPage(t *testing.T) {
	r := newRig(t)
	for _, c := range []struct {
		name   string
		change url.Values
		status int
		err    string
	}{
		{"asks", nil, 200, ""},
		{"approved", url.Values{"approve": {"maya"}}, 302, ""},
		{"denied", url.Values{"deny": {"1"}}, 302, "access_denied"},
		{"another app", url.Values{"client_key": {"x"}}, 400, ""},
		{"client_id instead of client_key", url.Values{"client_key": nil, "client_id": {sandbox.ClientID}}, 400, ""},
		{"scopes with spaces", url.Values{"scope": {"video.publish video.upload"}}, 302, "invalid_scope"},
		{"another response type", url.Values{"response_type": {"token"}}, 302, "unsupported_response_type"},
		{"redirect over http", url.Values{"redirect_uri": {"http://reelops.example/x"}}, 400, ""},
		{"redirect with a query", url.Values{"redirect_uri": {web + "?a=b"}}, 400, ""},
		{"redirect with a fragment", url.Values{"redirect_uri": {web + "#a"}}, 400, ""},
		{"redirect to localhost without a port", url.Values{"redirect_uri": {"http://localhost/x"}}, 400, ""},
		{"redirect to localhost without a challenge", url.Values{"redirect_uri": {local}, "code_challenge": nil}, 302, "invalid_request"},
		{"redirect to the web without a challenge", url.Values{"code_challenge": nil}, 302, "invalid_request"},
		{"with a base64 challenge", url.Values{"redirect_uri": {local}, "code_challenge": {"RqIZl4LIgn8KxW9QO-nTnv7pf0Cnc2uSzH19xfgl_PhR"}}, 302, "invalid_request"},
		{"with a hexadecimal challenge", url.Values{"redirect_uri": {local}, "code_challenge": {challenge}}, 200, ""},
	} {
		status, to := r.visit(c.change)
		if status != c.status || to.Query().Get("error") != c.err || (status == 302 && to.Query().Get("state") != "s&1") {
			t.Errorf("%s: got %d to %s", c.name, status, to)
		}
	}
}

func TestTokens_Lifecycle(t *testing.T) {
	r := newRig(t)
	_, to := r.visit(url.Values{"approve": {"studio"}, "withhold": {scopeVideos}, "redirect_uri": {local}, "code_challenge": {challenge}, "code_challenge_method": {"S256"}})
	code := to.Query().Get("code")
	if !strings.ContainsAny(code, "*!") || strings.Contains(to.Query().Get("scopes"), scopeVideos) || !strings.Contains(to.Query().Get("scopes"), ",") {
		t.Errorf("redirected to %s", to)
	}
	right := url.Values{
		"client_key": {sandbox.ClientID}, "client_secret": {sandbox.ClientSecret}, "grant_type": {"authorization_code"}, "code": {code}, "redirect_uri": {local},
		"code_verifier": {verifier},
	}
	ask := func(change url.Values) said {
		q := maps.Clone(right)
		maps.Copy(q, change)
		return r.form("/v2/oauth/token/", q)
	}
	for want, change := range map[string]url.Values{
		"invalid_client": {"client_secret": {"x"}}, "unsupported_grant_type": {"grant_type": {"password"}}, "invalid_grant": {"code": {"x"}},
	} {
		if a := ask(change); a.code() != want || a.status < 400 {
			t.Errorf("%v: got %d %s, want %s", change, a.status, a.code(), want)
		}
	}
	a := ask(nil)
	if a.status != 200 || !strings.HasPrefix(a.Access, "act.") || !strings.HasPrefix(a.Refresh, "rft.") || a.Expires != 86400 || strings.Contains(a.Scope, scopeVideos) {
		t.Fatalf("got %d %+v", a.status, a)
	}
	if again := ask(nil); again.code() != "invalid_grant" {
		t.Errorf("a used code: got %s", again.code())
	}
	refresh := func(token string) said {
		return ask(url.Values{"grant_type": {"refresh_token"}, "refresh_token": {token}, "code": nil})
	}
	b := refresh(a.Refresh)
	if b.Access == "" || b.Access == a.Access || b.Refresh == a.Refresh || b.Scope != a.Scope || b.OpenID != a.OpenID {
		t.Errorf("renewed: got %+v", b)
	}
	if old := refresh(a.Refresh); old.code() != "invalid_grant" {
		t.Errorf("an old refresh token: got %s", old.code())
	}
	r.token = b.Access
	if me := r.get("/v2/user/info/?fields=open_id,username"); me.Data.User["username"] != "studio.north" {
		t.Errorf("got %+v", me.Data.User)
	}
	if x := r.form("/v2/oauth/revoke/", url.Values{"client_key": {sandbox.ClientID}, "client_secret": {sandbox.ClientSecret}, "token": {b.Access}}); x.status != 200 {
		t.Errorf("revoking: got %d", x.status)
	}
	if me := r.get("/v2/user/info/?fields=open_id"); me.code() != "access_token_invalid" {
		t.Errorf("a revoked token: got %s", me.code())
	}
	if x := refresh(b.Refresh); x.code() != "invalid_grant" {
		t.Errorf("a revoked refresh token: got %s", x.code())
	}
}

func TestCode_IsBoundToItsLink(t *testing.T) {
	r := newRig(t)
	for name, change := range map[string]url.Values{
		"another redirect URL": {"redirect_uri": {web}}, "another verifier": {"code_verifier": {strings.Repeat("x", 43)}}, "no verifier": {"code_verifier": nil},
	} {
		_, to := r.visit(url.Values{"approve": {"maya"}, "redirect_uri": {local}, "code_challenge": {challenge}})
		q := url.Values{
			"client_key": {sandbox.ClientID}, "client_secret": {sandbox.ClientSecret}, "grant_type": {"authorization_code"}, "code": {to.Query().Get("code")},
			"redirect_uri": {local}, "code_verifier": {verifier},
		}
		maps.Copy(q, change)
		if a := r.form("/v2/oauth/token/", q); a.code() != "invalid_request" {
			t.Errorf("%s: %s", name, a.code())
		}
	}
	_, to := r.visit(url.Values{"approve": {"maya"}})
	r.clock.Step(10 * time.Minute)
	q := url.Values{
		"client_key": {sandbox.ClientID}, "client_secret": {sandbox.ClientSecret}, "grant_type": {"authorization_code"}, "code": {to.Query().Get("code")}, "redirect_uri": {web},
	}
	if a := r.form("/v2/oauth/token/", q); a.code() != "invalid_grant" {
		t.Errorf("an expired code: got %s", a.code())
	}
}
