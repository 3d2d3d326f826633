// SPDX-License-Identifier: Apache-2.0

package youtube

import (
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/reelops/reelops/internal/social/sandbox"
)

const verifier = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJ"

func ask(change ...string) url.Values {
	sum := sha256.Sum256([]byte(verifier))
	q := url.Values{
		"client_id": {sandbox.ClientID}, "redirect_uri": {"https://app.example/back?x=1"}, "response_type": {"code"}, "scope": {managing[0] + " " + reporting[0]}, "state": {"s"},
		"access_type": {"offline"}, "prompt": {"consent"}, "code_challenge": {base64.RawURLEncoding.EncodeToString(sum[:])}, "code_challenge_method": {"S256"},
	}
	for i := 0; i+1 < len(change); i += 2 {
		q.Set(change[i], change[i+1])
	}
	return q
}

func (r *rig) page(q url.Values) (int, url.Values) {
	r.t.Helper()
	a := r.call("GET", "/o/oauth2/v2/auth?"+q.Encode(), nil, "Authorization", "")
	back, err := url.Parse(a.header.Get("Location"))
	if err != nil {
		r.t.Fatal(err)
	}
	return a.status, back.Query()
}

func (r *rig) form(path string, q url.Values) answer {
	return r.call("POST", path, []byte(q.Encode()), "Content-Type", "application/x-www-form-urlencoded", "Authorization", "")
}

func (r *rig) exchange(code string, change ...string) answer {
	q := url.Values{
		"client_id": {sandbox.ClientID}, "client_secret": {sandbox.ClientSecret}, "grant_type": {"authorization_code"}, "code": {code},
		"redirect_uri": {"https://app.example/back?x=1"}, "code_verifier": {verifier},
	}
	for i := 0; i+1 < len(change); i += 2 {
		q.Set(change[i], change[i+1])
	}
	return r.form("/token", q)
}

func (r *rig) renew(token string) answer {
	return r.form("/token", url.Values{"client_id": {sandbox.ClientID}, "client_secret": {sandbox.ClientSecret}, "grant_type": {"refresh_token"}, "refresh_token": {token}})
}

func TestConsentPage(t *testing.T) {
	r := newRig(t)
	for name, c := range map[string]struct {
		q      url.Values
		status int
	}{
		"asks":                       {ask(), http.StatusOK},
		"unknown app":                {ask("client_id", "x"), http.StatusBadRequest},
		"plain http":                 {ask("redirect_uri", "http://app.example/back"), http.StatusBadRequest},
		"plain http to this machine": {ask("redirect_uri", "http://127.0.0.1:8080/back"), http.StatusOK},
		"a numeric address":          {ask("redirect_uri", "https://192.0.2.1/back"), http.StatusBadRequest},
		"a fragment":                 {ask("redirect_uri", "https://app.example/#x"), http.StatusBadRequest},
		"unknown scope":              {ask("scope", "everything"), http.StatusBadRequest},
		"no scope":                   {ask("scope", ""), http.StatusBadRequest},
		"no code":                    {ask("response_type", "token"), http.StatusBadRequest},
	} {
		t.Run(name, func(t *testing.T) {
			if got, _ := r.page(c.q); got != c.status {
				t.Errorf("got %d, want %d", got, c.status)
			}
		})
	}
	if _, back := r.page(ask("deny", "1")); back.Get("error") != "access_denied" || back.Get("state") != "s" || back.Get("x") != "1" {
		t.Errorf("denied: got %v", back)
	}
	_, back := r.page(ask("approve", "maya", "withhold", reporting[0]))
	a := r.exchange(back.Get("code"))
	if a.doc["scope"] != managing[0] || back.Get("scope") != managing[0] {
		t.Errorf("granted in part: got %v, %v", back, a.doc)
	}
}

func TestTokens(t *testing.T) {
	r := newRig(t)
	code := func(change ...string) string {
		_, back := r.page(ask(append([]string{"approve", "maya"}, change...)...))
		return back.Get("code")
	}
	for name, c := range map[string]struct {
		change []string
		status int
		want   string
	}{
		"another app":              {[]string{"client_id", "x"}, 401, "invalid_client"},
		"another secret":           {[]string{"client_secret", "x"}, 401, "invalid_client"},
		"another redirect URL":     {[]string{"redirect_uri", "https://app.example/"}, 400, "redirect_uri_mismatch"},
		"another verifier":         {[]string{"code_verifier", verifier + "x"}, 400, "invalid_grant"},
		"no verifier":              {[]string{"code_verifier", ""}, 400, "invalid_grant"},
		"another code":             {[]string{"code", "x"}, 400, "invalid_grant"},
		"another challenge method": {[]string{"grant_type", "password"}, 400, "unsupported_grant_type"},
	} {
		t.Run(name, func(t *testing.T) {
			if a := r.exchange(code(), c.change...); a.status != c.status || a.doc["error"] != c.want {
				t.Errorf("got %d %v, want %d %s", a.status, a.doc, c.status, c.want)
			}
		})
	}
	used := code()
	a := r.exchange(used)
	refresh, _ := a.doc["refresh_token"].(string)
	if a.status != 200 || refresh == "" || a.doc["expires_in"] != 3599.0 || a.doc["token_type"] != "Bearer" {
		t.Fatalf("got %d %v", a.status, a.doc)
	}
	if a := r.exchange(used); a.doc["error"] != "invalid_grant" {
		t.Errorf("a used code: got %v", a.doc)
	}
	if a := r.renew(refresh); a.status != 200 || a.doc["refresh_token"] != nil || a.doc["access_token"] == "" {
		t.Errorf("renewed: got %v", a.doc)
	}
	if a := r.exchange(code("prompt", "")); a.status != 200 || a.doc["refresh_token"] != nil {
		t.Errorf("without consent, again: got %v", a.doc)
	}
	if a := r.exchange(code("access_type", "online")); a.status != 200 || a.doc["refresh_token"] != nil {
		t.Errorf("online access: got %v", a.doc)
	}
	// The 101st valid token invalidates the first one.
	for range liveTokens - 1 {
		r.exchange(code())
	}
	if a := r.renew(refresh); a.status != 200 {
		t.Errorf("one of a hundred: got %v", a.doc)
	}
	last, _ := r.exchange(code()).doc["refresh_token"].(string)
	if a := r.renew(refresh); a.doc["error"] != "invalid_grant" || !strings.Contains(a.doc["error_description"].(string), "revoked") {
		t.Errorf("the first of a hundred and one: got %v", a.doc)
	}
	// Revoking one token revokes all.
	access, _ := r.renew(last).doc["access_token"].(string)
	if a := r.form("/revoke", url.Values{"token": {access}}); a.status != 200 {
		t.Fatalf("revoking: got %d %v", a.status, a.doc)
	}
	if a := r.renew(last); a.doc["error"] != "invalid_grant" {
		t.Errorf("revoked: got %v", a.doc)
	}
	if a := r.form("/revoke", url.Values{"token": {"x"}}); a.status != 400 {
		t.Errorf("revoking an unknown token: got %d", a.status)
	}
}

func TestTokens_End(t *testing.T) {
	r := newRig(t)
	if a := r.call("GET", "/youtube/v3/channels?part=id&mine=true", nil); a.status != 200 {
		t.Fatal(a.doc)
	}
	r.clock.Step(time.Hour)
	if a := r.call("GET", "/youtube/v3/channels?part=id&mine=true", nil); a.status != 401 || a.reason() != "authError" {
		t.Errorf("after an hour: got %d %v", a.status, a.doc)
	}
}
