// SPDX-License-Identifier: Apache-2.0

package tiktok

import (
	"net/url"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/reelops/reelops/internal/social/publish"
)

func TestAuthorizeURL(t *testing.T) {
	p, err := New(Config{ClientID: "app"})
	if err != nil {
		t.Fatal(err)
	}
	const verifier = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQ"
	for _, c := range []struct {
		back, challenge string
	}{
		{"https://reelops.example/oauth/tiktok/callback", "46a2199782c8827f0ac56f503be9d39efee97f40a736b92cc7d7c5f825cfd851"},
		{"http://localhost:8080/oauth/tiktok/callback", "46a2199782c8827f0ac56f503be9d39efee97f40a736b92cc7d7c5f825cfd851"},
		{"http://127.0.0.1:8080/oauth/tiktok/callback", "46a2199782c8827f0ac56f503be9d39efee97f40a736b92cc7d7c5f825cfd851"},
	} {
		u, err := url.Parse(p.AuthorizeURL(publish.Authorization{State: "a state&", Verifier: verifier, RedirectURI: c.back}))
		if err != nil {
			t.Fatal(err)
		}
		if got := u.Scheme + "://" + u.Host + u.Path; got != "https://www.tiktok.com/v2/auth/authorize/" {
			t.Errorf("got page %s", got)
		}
		want := url.Values{
			"client_key": {"app"}, "response_type": {"code"}, "redirect_uri": {c.back}, "state": {"a state&"}, "disable_auto_auth": {"1"},
			"scope": {"user.info.basic,video.publish,video.upload"},
		}
		if c.challenge != "" {
			want["code_challenge"], want["code_challenge_method"] = []string{c.challenge}, []string{"S256"}
		}
		if d := cmp.Diff(want, u.Query()); d != "" {
			t.Error(d)
		}
	}
	if d := cmp.Diff([]string(nil), p.Missing()); d != "" {
		t.Error(d)
	}
}

func TestRefresh_KeepsMissingFields(t *testing.T) {
	old := publish.Tokens{AccessToken: "act.1", RefreshToken: "rft.1", RefreshExpiresAt: noon.Add(time.Hour), Scopes: []string{"video.publish"}}
	for name, c := range map[string]struct {
		body string
		want publish.Tokens
	}{
		"required fields only": {`{"access_token":"act.2","expires_in":86400}`, publish.Tokens{
			AccessToken: "act.2", RefreshToken: "rft.1", AccessExpiresAt: noon.Add(24 * time.Hour), RefreshExpiresAt: old.RefreshExpiresAt, IssuedAt: noon, Scopes: old.Scopes,
		}},
		"an empty refresh token": {`{"access_token":"act.2","refresh_token":"","refresh_expires_in":0,"scope":""}`, publish.Tokens{
			AccessToken: "act.2", RefreshToken: "rft.1", RefreshExpiresAt: old.RefreshExpiresAt, IssuedAt: noon, Scopes: old.Scopes,
		}},
		"all fields": {`{"access_token":"act.2","refresh_token":"rft.2","expires_in":1,"refresh_expires_in":2,"scope":"video.list,video.upload"}`, publish.Tokens{
			AccessToken: "act.2", RefreshToken: "rft.2", AccessExpiresAt: noon.Add(time.Second), RefreshExpiresAt: noon.Add(2 * time.Second), IssuedAt: noon,
			Scopes: []string{"video.list", "video.upload"},
		}},
	} {
		got, err := saying(t, 200, c.body).Refresh(t.Context(), old)
		if err != nil {
			t.Errorf("%s: got %v", name, err)
		}
		if d := cmp.Diff(c.want, got); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
}

func TestTokenErrors(t *testing.T) {
	said := func(s string) string { return `{"error":"` + s + `","error_description":"rft.1 is bad","log_id":"x"}` }
	for _, c := range []struct {
		name    string
		status  int
		body    string
		ended   bool
		kind    publish.Kind
		revoked bool
	}{
		{"rejected before the expiry", 400, said("invalid_grant"), false, publish.Auth, true},
		{"rejected after the expiry", 400, said("invalid_grant"), true, publish.Auth, false},
		{"rejected with status 200", 200, said("invalid_grant"), false, publish.Auth, true},
		{"revoked", 400, said("access_denied"), false, publish.Auth, true},
		{"the app", 401, said("invalid_client"), false, publish.Misconfigured, false},
		{"the app's permissions", 400, said("unauthorized_client"), false, publish.Misconfigured, false},
		{"its scopes", 400, said("invalid_scope"), false, publish.Misconfigured, false},
		{"unavailable", 200, said("temporarily_unavailable"), false, publish.Transient, false},
		{"a server error", 500, said("invalid_grant"), false, publish.Transient, false},
		{"a server error with status 200", 200, said("server_error"), false, publish.Transient, false},
		{"a gateway", 502, "<html>", false, publish.Transient, false},
		{"too many calls", 429, said("invalid_grant"), false, publish.RateLimited, false},
		{"nothing", 200, "{}", false, publish.Transient, false},
		{"no JSON", 200, "<html>", false, publish.Transient, false},
	} {
		old := publish.Tokens{AccessToken: "act.1", RefreshToken: "rft.1", RefreshExpiresAt: noon.Add(time.Hour)}
		if c.ended {
			old.RefreshExpiresAt = noon.Add(-time.Second)
		}
		_, err := saying(t, c.status, c.body).Refresh(t.Context(), old)
		e, _ := err.(*publish.Error) //nolint:errorlint // it is what the function answers with
		if e == nil || e.Kind != c.kind || e.Revoked != c.revoked || e.Safe == "" {
			t.Errorf("%s: got %v, want %s, revoked %v", c.name, err, c.kind, c.revoked)
		}
	}
	if _, err := saying(t, 200, `{"access_token":"a"}`).Refresh(t.Context(), publish.Tokens{}); publish.KindOf(err) != publish.Auth {
		t.Errorf("without a refresh token: got %v", err)
	}
}
