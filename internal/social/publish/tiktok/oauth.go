// SPDX-License-Identifier: Apache-2.0

package tiktok

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/reelops/reelops/internal/social/publish"
)

// TikTok's scopes.
const (
	scopeBasic   = "user.info.basic"
	scopeProfile = "user.info.profile"
	scopeStats   = "user.info.stats"
	scopeVideos  = "video.list"
	scopePublish = "video.publish" // direct posts
	scopeUpload  = "video.upload"  // drafts
)

// DefaultScopes are requested if no scopes are configured: the account's identity and both posting modes. TikTok's
// consent page fails if an app requests a scope for which it was not approved.
var DefaultScopes = []string{scopeBasic, scopePublish, scopeUpload}

// AllScopes additionally permit reading the handle, followers and public posts, which analytics and links need.
var AllScopes = []string{scopeBasic, scopeProfile, scopeStats, scopeVideos, scopePublish, scopeUpload}

// needed are the scopes that publishing requires, as far as they are requested.
var needed = []string{scopePublish, scopeUpload}

// oauthErrors are the error codes of the token endpoint.
var oauthErrors = map[string]meaning{
	"invalid_grant":             {kind: publish.Auth, safe: "TikTok no longer accepts the permission: reconnect the account."},
	"access_denied":             {kind: publish.Auth, revoked: true, safe: "The permission was revoked on TikTok: reconnect the account."},
	"invalid_client":            {kind: publish.Misconfigured, safe: "TikTok does not accept the app's client key and secret."},
	"unauthorized_client":       {kind: publish.Misconfigured, safe: "TikTok does not allow the app to do this."},
	"invalid_scope":             {kind: publish.Misconfigured, safe: "The app lacks permissions on TikTok that Reelops requests."},
	"invalid_request":           {kind: publish.Misconfigured, safe: "TikTok rejected the request: check the app's redirect URL on TikTok."},
	"unsupported_grant_type":    {kind: publish.Misconfigured, safe: "TikTok rejected the request."},
	"unsupported_response_type": {kind: publish.Misconfigured, safe: "TikTok rejected the request."},
	"server_error":              {kind: publish.Transient, safe: "TikTok had an internal error."},
	"temporarily_unavailable":   {kind: publish.Transient, safe: "TikTok is not available for the moment."},
}

// Missing returns client_id if the app has no client key.
func (p *Platform) Missing() []string {
	if p.key == "" {
		return []string{"client_id"}
	}
	return nil
}

// Scopes returns the requested scopes.
func (p *Platform) Scopes() []string { return slices.Clone(p.scopes) }

// AuthorizeURL requests every configured scope at once. The PKCE challenge is sent for every redirect address, because
// TikTok refuses some apps without one (error 10007). TikTok expects the challenge in hexadecimal digits, not in
// base64.
func (p *Platform) AuthorizeURL(a publish.Authorization) string {
	q := url.Values{
		"client_key":        {p.key},
		"response_type":     {"code"},
		"scope":             {strings.Join(p.scopes, ",")},
		"redirect_uri":      {a.RedirectURI},
		"state":             {a.State},
		"disable_auto_auth": {"1"}, // a user who is signed in still sees which account is connected
	}
	if a.Verifier != "" {
		q.Set("code_challenge", challenge(a.Verifier))
		q.Set("code_challenge_method", "S256")
	}
	return p.web.String() + "/v2/auth/authorize/?" + q.Encode()
}

// Exchange exchanges a code for tokens. The response contains the account's id. If the profile cannot be read, only the
// id is known.
func (p *Platform) Exchange(ctx context.Context, code string, a publish.Authorization) (*publish.Grant, error) {
	form := url.Values{"code": {code}, "grant_type": {"authorization_code"}, "redirect_uri": {a.RedirectURI}}
	if a.Verifier != "" {
		form.Set("code_verifier", a.Verifier)
	}
	t, err := p.token(ctx, form)
	if err != nil {
		if e := (*publish.Error)(nil); errors.As(err, &e) && e.Kind == publish.Auth {
			e.Safe = "TikTok no longer accepts the approval: create a new link and approve again."
		}
		return nil, err
	}
	if t.OpenID == "" || t.RefreshToken == "" {
		return nil, &publish.Error{Kind: publish.Transient, Safe: "TikTok's response lacks the account or its tokens: approve again."}
	}
	g := &publish.Grant{Tokens: p.tokens(t, publish.Tokens{})}
	for _, s := range needed {
		if slices.Contains(p.scopes, s) && !slices.Contains(g.Tokens.Scopes, s) {
			g.Lacking = append(g.Lacking, s)
		}
	}
	id, err := p.Identify(ctx, publish.Account{ID: t.OpenID, AccessToken: t.AccessToken, Scopes: g.Tokens.Scopes})
	if err != nil {
		id = &publish.Identity{}
	}
	id.ID = t.OpenID
	g.Identities = []publish.Identity{*id}
	return g, nil
}

// Refresh renews the tokens. TikTok may issue another refresh token, which replaces the old one.
func (p *Platform) Refresh(ctx context.Context, old publish.Tokens) (publish.Tokens, error) {
	if old.RefreshToken == "" {
		return publish.Tokens{}, oauthErrors["invalid_grant"].as("", errors.New("there is no refresh token"))
	}
	t, err := p.token(ctx, url.Values{"grant_type": {"refresh_token"}, "refresh_token": {old.RefreshToken}})
	if err != nil {
		// A refresh token that is refused before it expires was revoked.
		if e := (*publish.Error)(nil); errors.As(err, &e) && e.Kind == publish.Auth && !old.RefreshExpiresAt.IsZero() {
			e.Revoked = e.Revoked || p.clock.Now().Before(old.RefreshExpiresAt)
		}
		return publish.Tokens{}, err
	}
	return p.tokens(t, old), nil
}

// Identify reads the fields of the account that the granted scopes permit.
func (p *Platform) Identify(ctx context.Context, a publish.Account) (*publish.Identity, error) {
	fields := []string{"open_id", "display_name", "avatar_url"}
	if slices.Contains(a.Scopes, scopeProfile) {
		fields = append(fields, "username", "profile_deep_link")
	}
	var u userAnswer
	err := p.send(ctx, call{method: http.MethodGet, path: "/v2/user/info/", fields: strings.Join(fields, ","), token: a.AccessToken}, &u)
	if err != nil {
		return nil, err
	}
	id := &publish.Identity{ID: u.User.OpenID, Name: u.User.DisplayName, Username: strings.TrimPrefix(u.User.Username, "@"), AvatarURL: u.User.AvatarURL}
	id.ProfileURL = u.User.ProfileLink
	if id.Username != "" {
		id.ProfileURL = p.web.String() + "/@" + url.PathEscape(id.Username)
	}
	return id, nil
}

// token sends a request to the token endpoint.
func (p *Platform) token(ctx context.Context, form url.Values) (*tokenAnswer, error) {
	form.Set("client_key", p.key)
	form.Set("client_secret", p.secret)
	req, err := publish.Once(ctx, http.MethodPost, p.api.String()+"/v2/oauth/token/", []byte(form.Encode()))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	req.Header.Set("Accept", "application/json")
	a, err := publish.Do(p.http, req)
	if err != nil {
		return nil, transportError(err, false)
	}
	var t tokenAnswer
	if json.Unmarshal(a.Body, &t) != nil {
		t = tokenAnswer{}
	}
	// An error code counts regardless of the status. The description is left out: it may repeat the request.
	cause := fmt.Errorf("/v2/oauth/token/ answered %d %s (log id %s)", a.Status, word(t.Error), word(t.LogID))
	m, known := oauthErrors[word(t.Error)]
	switch {
	case a.Status >= 500:
		m = oauthErrors["server_error"]
	case a.Status == http.StatusTooManyRequests || word(t.Error) == "rate_limit_exceeded":
		e := meaning{kind: publish.RateLimited, appWide: true, safe: "TikTok accepts no more calls for a while."}.as(word(t.Error), cause)
		e.RetryAfter = max(a.RetryAfter(p.clock.Now()), window)
		return nil, e
	case known:
	case t.Error != "" || a.Status >= 400:
		m = meaning{kind: publish.Misconfigured, safe: "TikTok rejected the request."}
	case t.AccessToken == "":
		m = meaning{kind: publish.Transient, safe: "TikTok's response is invalid."}
	default:
		return &t, nil
	}
	e := m.as(word(t.Error), cause)
	e.RetryAfter = a.RetryAfter(p.clock.Now())
	return nil, e
}

// tokens returns the tokens of the response; fields that the response lacks keep their old values.
func (p *Platform) tokens(t *tokenAnswer, old publish.Tokens) publish.Tokens {
	now := p.clock.Now()
	n := publish.Tokens{AccessToken: t.AccessToken, RefreshToken: old.RefreshToken, RefreshExpiresAt: old.RefreshExpiresAt, IssuedAt: now, Scopes: old.Scopes}
	if t.ExpiresIn > 0 {
		n.AccessExpiresAt = now.Add(time.Duration(t.ExpiresIn) * time.Second)
	}
	if t.RefreshToken != "" {
		n.RefreshToken = t.RefreshToken
	}
	if t.RefreshExpiresIn > 0 {
		n.RefreshExpiresAt = now.Add(time.Duration(t.RefreshExpiresIn) * time.Second)
	}
	if t.Scope != "" {
		n.Scopes = strings.FieldsFunc(t.Scope, func(r rune) bool { return r == ',' || r == ' ' })
	}
	return n
}

// challenge returns the PKCE challenge of a verifier.
func challenge(verifier string) string {
	sum := sha256.Sum256([]byte(verifier))
	return hex.EncodeToString(sum[:])
}
