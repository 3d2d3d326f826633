// SPDX-License-Identifier: Apache-2.0

package tiktok

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/reelops/reelops/internal/social/sandbox"
)

var known = []string{scopeBasic, scopeProfile, scopeStats, scopeVideos, scopePublish, scopeUpload}

// authorize validates the request and shows the consent page.
func (p *Platform) authorize(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	if q.Get("client_key") != sandbox.ClientID {
		p.core.Refuse(w, name, "There is no app with the client_key "+q.Get("client_key")+".")
		return
	}
	back := redirect(q.Get("redirect_uri"))
	if back == nil {
		p.core.Refuse(w, name, "The redirect_uri has to be absolute, https (or http on localhost with a port), without query and fragment.")
		return
	}
	to := func(with url.Values) string {
		with.Set("state", q.Get("state"))
		u := *back
		u.RawQuery = with.Encode()
		return u.String()
	}
	fail := func(code, why string) {
		http.Redirect(w, r, to(url.Values{"error": {code}, "error_description": {why}}), http.StatusFound)
	}
	scopes := strings.Split(q.Get("scope"), ",")
	switch {
	case q.Get("response_type") != "code":
		fail("unsupported_response_type", "response_type has to be code")
		return
	case slices.ContainsFunc(scopes, func(s string) bool { return !slices.Contains(known, s) }):
		fail("invalid_scope", "scope has to be a list of the app's scopes with commas between")
		return
	case !hexadecimal.MatchString(q.Get("code_challenge")) || q.Get("code_challenge_method") != "S256":
		fail("invalid_request", "code_challenge has to be the SHA-256 of the verifier in hexadecimal digits (10007)")
		return
	}
	p.core.Consent(w, r, sandbox.Consent{
		Platform: name, Scopes: scopes,
		Approve: func(a sandbox.Account, granted []string) string {
			code := p.tokens.Code(sandbox.Grant{
				Account: a.Name, ClientID: q.Get("client_key"), RedirectURI: q.Get("redirect_uri"), Scopes: granted,
				Challenge: q.Get("code_challenge"), ChallengeMethod: q.Get("code_challenge_method"),
			})
			return to(url.Values{"code": {code}, "scopes": {strings.Join(granted, ",")}})
		},
		Deny: func() string {
			return to(url.Values{"error": {"access_denied"}, "error_description": {"The user denied the request"}})
		},
	})
}

var (
	hexadecimal = regexp.MustCompile(`^[0-9a-f]{64}$`)
	verifiers   = regexp.MustCompile(`^[A-Za-z0-9._~-]{43,128}$`)
)

// redirect parses a redirect URI. It returns nil when TikTok would not accept the URI.
func redirect(address string) *url.URL {
	u, err := url.Parse(address)
	if err != nil || len(address) >= 512 || u.Host == "" || u.RawQuery != "" || u.Fragment != "" || u.User != nil {
		return nil
	}
	if h := u.Hostname(); (h == "localhost" || h == "127.0.0.1") && u.Port() != "" && (u.Scheme == "http" || u.Scheme == "https") {
		return u
	}
	if u.Scheme != "https" {
		return nil
	}
	return u
}

// token exchanges a code or a refresh token for tokens.
func (p *Platform) token(w http.ResponseWriter, r *http.Request) {
	if !app(w, r) {
		return
	}
	switch r.PostFormValue("grant_type") {
	case "authorization_code":
		p.redeem(w, r)
	case "refresh_token":
		k, err := p.tokens.Refresh(r.PostFormValue("refresh_token"))
		switch {
		case errors.Is(err, sandbox.ErrNoToken):
			flat(w, http.StatusBadRequest, "invalid_request", "The request parameters are malformed: refresh_token is missing.")
		case err != nil:
			flat(w, http.StatusBadRequest, "invalid_grant", "Refresh token is invalid or expired.")
		default:
			p.give(w, k)
		}
	default:
		flat(w, http.StatusBadRequest, "unsupported_grant_type", "The grant type is not supported.")
	}
}

func (p *Platform) redeem(w http.ResponseWriter, r *http.Request) {
	g, err := p.tokens.Redeem(r.PostFormValue("code"))
	switch {
	case err != nil:
		flat(w, http.StatusBadRequest, "invalid_grant", "Authorization code is expired, was used or is invalid.")
		return
	case g.RedirectURI != r.PostFormValue("redirect_uri"):
		flat(w, http.StatusBadRequest, "invalid_request", "Redirect_uri is not matched with the uri when requesting code.")
		return
	}
	if g.Challenge != "" {
		v := r.PostFormValue("code_verifier")
		sum := sha256.Sum256([]byte(v))
		if !verifiers.MatchString(v) || hex.EncodeToString(sum[:]) != g.Challenge {
			flat(w, http.StatusBadRequest, "invalid_request", "Code verifier or code challenge is invalid.")
			return
		}
	}
	p.give(w, p.tokens.Issue(g))
}

func (p *Platform) give(w http.ResponseWriter, k sandbox.Token) {
	a, _ := p.core.AccountByName(name, k.Grant.Account)
	now := p.core.Now()
	write(w, http.StatusOK, map[string]any{
		"access_token": k.Access, "expires_in": int64(k.AccessEnds.Sub(now).Round(time.Second) / time.Second), "open_id": a.ID,
		"refresh_token": k.Refresh, "refresh_expires_in": int64(k.RefreshEnds.Sub(now).Round(time.Second) / time.Second),
		"scope": strings.Join(k.Grant.Scopes, ","), "token_type": "Bearer",
	})
}

// revoke revokes all tokens of the token's account.
func (p *Platform) revoke(w http.ResponseWriter, r *http.Request) {
	if !app(w, r) {
		return
	}
	k, err := p.tokens.Lookup(r.PostFormValue("token"))
	if err != nil {
		flat(w, http.StatusBadRequest, "invalid_request", "The token is invalid.")
		return
	}
	p.tokens.RevokeToken(k.Access)
	a, _ := p.core.AccountByName(name, k.Grant.Account)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.notify(event{Event: "authorization.removed", User: a.ID, content: map[string]any{"reason": 5}})
	w.WriteHeader(http.StatusOK)
}

// app checks the content type and the client credentials. It writes the error if there is one.
func app(w http.ResponseWriter, r *http.Request) bool {
	if kind, _, _ := strings.Cut(r.Header.Get("Content-Type"), ";"); kind != "application/x-www-form-urlencoded" {
		flat(w, http.StatusBadRequest, "invalid_request", "Only application/x-www-form-urlencoded is supported.")
		return false
	}
	if r.PostFormValue("client_key") != sandbox.ClientID || r.PostFormValue("client_secret") != sandbox.ClientSecret {
		flat(w, http.StatusUnauthorized, "invalid_client", "Client key or secret is incorrect.")
		return false
	}
	return true
}

// flat writes an error in OAuth's format.
func flat(w http.ResponseWriter, status int, code, description string) {
	write(w, status, map[string]string{"error": code, "error_description": description, "log_id": logID()})
}
