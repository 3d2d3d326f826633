// SPDX-License-Identifier: Apache-2.0

package linkedin

import (
	"fmt"
	"net/http"
	"net/url"
	"testing"
	"time"

	"github.com/reelops/reelops/internal/social/sandbox"
)

func TestTokens(t *testing.T) {
	r := newRig(t)
	ask := func(kv ...string) answer {
		form := url.Values{"client_id": {sandbox.ClientID}, "client_secret": {sandbox.ClientSecret}}
		for i := 0; i < len(kv); i += 2 {
			form.Set(kv[i], kv[i+1])
		}
		return r.call("POST", "/oauth/v2/accessToken", form, "Authorization: ")
	}
	const back = "http://127.0.0.1:9/back"
	code := func(more string) string {
		q := url.Values{"client_id": {sandbox.ClientID}, "response_type": {"code"}, "redirect_uri": {back}, "scope": {"openid profile w_member_social"}, "state": {"s"}}
		a := r.call("GET", "/oauth/v2/authorization?"+q.Encode()+more, nil, "Authorization: ")
		to, err := url.Parse(a.header.Get("Location"))
		if a.status != http.StatusFound || err != nil || to.Query().Get("state") != "s" {
			t.Fatalf("got %d, redirect to %s", a.status, to)
		}
		return to.Query().Get("code") + to.Query().Get("error")
	}
	if got := code("&deny=1"); got != "user_cancelled_authorize" {
		t.Errorf("rejected: the page is %s", got)
	}
	errorOf := func(a answer) string { return fmt.Sprint(a.status, " ", a.doc["error"]) }
	good := []string{"grant_type", "authorization_code", "code", code("&approve=acme"), "redirect_uri", back} // the administrator approves for a page
	for what, c := range map[string]struct {
		add  []string
		want string
	}{
		"a wrong secret":     {[]string{"client_secret", "x"}, "401 invalid_client"},
		"unknown code":       {[]string{"code", "x"}, "401 invalid_request"},
		"unknown grant type": {[]string{"grant_type", "x"}, "400 invalid_request"},
	} {
		if got := errorOf(ask(append(append([]string{}, good...), c.add...)...)); got != c.want {
			t.Errorf("%s: got %s, want %s", what, got, c.want)
		}
	}
	a := ask(good...)
	if a.status != 200 || a.doc["scope"] != "openid,profile,w_member_social" || a.doc["expires_in"] != 5184000.0 || a.doc["refresh_token_expires_in"] != 31536000.0 {
		t.Fatalf("got %d %v", a.status, a.doc)
	}
	if got := errorOf(ask(good...)); got != "401 invalid_request" {
		t.Errorf("a used code: got %s", got)
	}
	other := code("&approve=maya")
	r.clock.Step(30 * time.Minute)
	if got := errorOf(ask("grant_type", "authorization_code", "code", other, "redirect_uri", back)); got != "400 invalid_request" {
		t.Errorf("an expired code: got %s", got)
	}
	introspect := func(token string) any {
		return r.call("POST", "/oauth/v2/introspectToken", url.Values{"client_id": {sandbox.ClientID}, "client_secret": {sandbox.ClientSecret}, "token": {token}}).doc["status"]
	}
	token := a.doc["access_token"].(string)
	if got := introspect(token); got != "active" {
		t.Errorf("got token %v", got)
	}
	if who := r.call("GET", "/v2/userinfo", nil, "Authorization: Bearer "+token); "urn:li:person:"+fmt.Sprint(who.doc["sub"]) != r.maya {
		t.Errorf("the token belongs to %v", who.doc)
	}
	refresh := a.doc["refresh_token"].(string)
	r.clock.Step(360*24*time.Hour - 30*time.Minute)
	last := ask("grant_type", "refresh_token", "refresh_token", refresh)
	if last.doc["expires_in"] != 432000.0 || last.doc["refresh_token"] != refresh || last.doc["refresh_token_expires_in"] != 432000.0 {
		t.Errorf("on day 360: got %v, want both to end on day 365", last.doc)
	}
	if got := introspect(token); got != "expired" {
		t.Errorf("the first token: got %v", got)
	}
	r.call("POST", "/oauth/v2/revoke", url.Values{"client_id": {sandbox.ClientID}, "client_secret": {sandbox.ClientSecret}, "token": {refresh}})
	if got := introspect(last.doc["access_token"].(string)); got != "revoked" {
		t.Errorf("revoked: got %v", got)
	}
}
