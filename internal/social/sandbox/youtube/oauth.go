// SPDX-License-Identifier: Apache-2.0

package youtube

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/reelops/reelops/internal/social/sandbox"
)

// liveTokens is the maximum number of valid refresh tokens per account and app. Google silently invalidates older ones.
const liveTokens = 100

// codeRequest holds the options of an authorization request.
type codeRequest struct{ offline, consent bool }

// authorize serves Google's consent page.
func (p *Platform) authorize(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	back, problem := checkAuthorize(q)
	if problem != "" {
		p.core.Refuse(w, name, problem)
		return
	}
	answer := func(more url.Values) string {
		u := *back
		v := u.Query()
		for k, x := range more {
			v[k] = x
		}
		if s := q.Get("state"); s != "" {
			v.Set("state", s)
		}
		u.RawQuery = v.Encode()
		return u.String()
	}
	p.core.Consent(w, r, sandbox.Consent{
		Platform: name, Scopes: strings.Fields(q.Get("scope")),
		Approve: func(a sandbox.Account, granted []string) string {
			if len(granted) == 0 {
				return answer(url.Values{"error": {"access_denied"}})
			}
			code := p.tokens.Code(sandbox.Grant{
				Account: a.Name, ClientID: q.Get("client_id"), RedirectURI: q.Get("redirect_uri"),
				Challenge: q.Get("code_challenge"), ChallengeMethod: q.Get("code_challenge_method"), Scopes: granted,
			})
			p.mu.Lock()
			defer p.mu.Unlock()
			p.requested[code] = codeRequest{offline: q.Get("access_type") == "offline", consent: slices.Contains(strings.Fields(q.Get("prompt")), "consent")}
			return answer(url.Values{"code": {code}, "scope": {strings.Join(granted, " ")}})
		},
		Deny: func() string { return answer(url.Values{"error": {"access_denied"}}) },
	})
}

// checkAuthorize returns the redirect URI, or the error that Google's page shows.
func checkAuthorize(q url.Values) (*url.URL, string) {
	back, err := url.Parse(q.Get("redirect_uri"))
	switch {
	case q.Get("client_id") != sandbox.ClientID:
		return nil, "Error 401: invalid_client. The OAuth client was not found."
	case err != nil || back.Host == "" || back.Fragment != "" || strings.ContainsRune(back.String(), '*'):
		return nil, "Error 400: redirect_uri_mismatch."
	case !sandbox.ThisMachine(back.Hostname()) && (back.Scheme != "https" || net.ParseIP(back.Hostname()) != nil):
		return nil, "Error 400: redirect_uri_mismatch. Addresses are https and have names, unless they are local."
	case q.Get("response_type") != "code":
		return nil, "Error 400: invalid_request. Required parameter is missing: response_type."
	case q.Get("scope") == "":
		return nil, "Error 400: invalid_request. Missing required parameter: scope."
	case slices.ContainsFunc(strings.Fields(q.Get("scope")), func(s string) bool { return !slices.Contains(everyone, s) }):
		return nil, "Error 400: invalid_scope. Some requested scopes were invalid."
	case q.Has("code_challenge") && q.Get("code_challenge_method") != "S256" && q.Get("code_challenge_method") != "plain":
		return nil, "Error 400: invalid_request. Invalid code_challenge_method."
	case q.Has("access_type") && q.Get("access_type") != "offline" && q.Get("access_type") != "online":
		return nil, "Error 400: invalid_request. Invalid access_type."
	}
	return back, ""
}

// token exchanges codes and refresh tokens.
func (p *Platform) token(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, 1<<16)
	if ct := r.Header.Get("Content-Type"); !strings.HasPrefix(ct, "application/x-www-form-urlencoded") || r.ParseForm() != nil {
		oauthError(w, http.StatusBadRequest, "invalid_request", "The body is no form.")
		return
	}
	f := r.PostForm
	switch {
	case f.Get("client_id") != sandbox.ClientID:
		oauthError(w, http.StatusUnauthorized, "invalid_client", "The OAuth client was not found.")
	case f.Get("client_secret") != sandbox.ClientSecret:
		oauthError(w, http.StatusUnauthorized, "invalid_client", "Unauthorized")
	case f.Get("grant_type") == "authorization_code":
		p.exchange(w, f)
	case f.Get("grant_type") == "refresh_token":
		p.refresh(w, f)
	default:
		oauthError(w, http.StatusBadRequest, "unsupported_grant_type", "Invalid grant_type: "+f.Get("grant_type"))
	}
}

func (p *Platform) exchange(w http.ResponseWriter, f url.Values) {
	g, err := p.tokens.Redeem(f.Get("code"))
	switch {
	case err != nil:
		oauthError(w, http.StatusBadRequest, "invalid_grant", "Malformed auth code.")
		return
	case g.RedirectURI != f.Get("redirect_uri"):
		oauthError(w, http.StatusBadRequest, "redirect_uri_mismatch", "Bad Request")
		return
	case g.Challenge != "" && f.Get("code_verifier") == "":
		oauthError(w, http.StatusBadRequest, "invalid_grant", "Missing code verifier.")
		return
	case !proves(g, f.Get("code_verifier")):
		oauthError(w, http.StatusBadRequest, "invalid_grant", "Invalid code verifier.")
		return
	}
	k := p.tokens.Issue(g)
	p.mu.Lock()
	options := p.requested[f.Get("code")]
	delete(p.requested, f.Get("code"))
	lasting := options.offline && (options.consent || !p.given[g.Account])
	p.given[g.Account] = true
	if lasting {
		live := append(p.refreshers[g.Account], k.Refresh)
		for ; len(live) > liveTokens; live = live[1:] {
			p.dropped[live[0]] = true
		}
		p.refreshers[g.Account] = live
	}
	testing := p.rules.Testing
	p.mu.Unlock()
	doc := granted(k)
	if lasting {
		doc["refresh_token"] = k.Refresh
		if testing {
			doc["refresh_token_expires_in"] = int(testingLife.Seconds())
		}
	}
	writeJSON(w, http.StatusOK, doc)
}

func granted(k sandbox.Token) map[string]any {
	return map[string]any{
		"access_token": k.Access, "expires_in": int(accessLife.Seconds()) - 1, "scope": strings.Join(k.Grant.Scopes, " "), "token_type": "Bearer",
	}
}

// proves reports whether the verifier matches the code challenge of the authorization request (PKCE).
func proves(g sandbox.Grant, verifier string) bool {
	if g.Challenge == "" {
		return true
	}
	got := verifier
	if g.ChallengeMethod == "S256" {
		sum := sha256.Sum256([]byte(verifier))
		got = base64.RawURLEncoding.EncodeToString(sum[:])
	}
	return len(verifier) >= 43 && len(verifier) <= 128 && subtle.ConstantTimeCompare([]byte(got), []byte(g.Challenge)) == 1
}

func (p *Platform) refresh(w http.ResponseWriter, f url.Values) {
	p.mu.Lock()
	dropped := p.dropped[f.Get("refresh_token")]
	p.mu.Unlock()
	k, err := p.tokens.Refresh(f.Get("refresh_token"))
	switch {
	case f.Get("refresh_token") == "":
		oauthError(w, http.StatusBadRequest, "invalid_request", "Missing required parameter: refresh_token")
	case err != nil || dropped:
		oauthError(w, http.StatusBadRequest, "invalid_grant", "Token has been expired or revoked.")
	default:
		writeJSON(w, http.StatusOK, granted(k)) // the refresh token stays valid and is not returned again
	}
}

// revoke revokes all tokens that the account granted to the app.
func (p *Platform) revoke(w http.ResponseWriter, r *http.Request) {
	if !p.tokens.RevokeToken(r.FormValue("token")) {
		oauthError(w, http.StatusBadRequest, "invalid_token", "Token expired or revoked")
		return
	}
	p.mu.Lock()
	p.given = map[string]bool{} // the next authorization requires consent again
	p.mu.Unlock()
	writeJSON(w, http.StatusOK, map[string]any{})
}

func oauthError(w http.ResponseWriter, status int, code, text string) {
	writeJSON(w, status, map[string]string{"error": code, "error_description": text})
}
