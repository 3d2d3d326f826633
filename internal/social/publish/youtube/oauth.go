// SPDX-License-Identifier: Apache-2.0

package youtube

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/reelops/reelops/internal/social/publish"
)

// Google's scopes. scopeManage covers uploading, publishing, reading, and the channel's reports. Comments need
// scopeComments.
const (
	scopeManage   = "https://www.googleapis.com/auth/youtube"
	scopeComments = "https://www.googleapis.com/auth/youtube.force-ssl"
)

// DefaultScopes are requested if no scopes are configured. With a single scope, Google's consent page has nothing to
// deselect.
var DefaultScopes = []string{scopeManage}

// AllScopes also permit first comments.
var AllScopes = []string{scopeManage, scopeComments}

// sufficient lists the scopes of which one is required.
var sufficient = []string{scopeManage, scopeComments}

// Scopes returns the requested scopes.
func (p *Platform) Scopes() []string { return slices.Clone(p.c.Scopes) }

// tries is how often Exchange attempts the read on which the user's approval depends, without a wait.
const tries = 3

// Missing returns the missing configuration.
func (p *Platform) Missing() []string {
	if p.c.ClientID == "" {
		return []string{"client_id"}
	}
	return nil
}

// AuthorizeURL returns the URL of Google's consent page. It always requests consent, because Google returns a refresh
// token only then.
func (p *Platform) AuthorizeURL(a publish.Authorization) string {
	sum := sha256.Sum256([]byte(a.Verifier))
	return p.c.AccountsURL + "/o/oauth2/v2/auth?" + url.Values{
		"client_id": {p.c.ClientID}, "redirect_uri": {a.RedirectURI}, "response_type": {"code"}, "scope": {strings.Join(p.c.Scopes, " ")}, "state": {a.State},
		"access_type": {"offline"}, "prompt": {"consent"},
		"code_challenge": {base64.RawURLEncoding.EncodeToString(sum[:])}, "code_challenge_method": {"S256"},
	}.Encode()
}

// Exchange exchanges a code for tokens and reads the channel that they belong to.
func (p *Platform) Exchange(ctx context.Context, code string, a publish.Authorization) (*publish.Grant, error) {
	t, err := p.token(ctx, url.Values{
		"grant_type": {"authorization_code"}, "code": {code}, "redirect_uri": {a.RedirectURI}, "code_verifier": {a.Verifier},
	}, publish.Tokens{})
	if err != nil {
		return nil, err
	}
	g := &publish.Grant{Tokens: t}
	if !slices.ContainsFunc(sufficient, func(s string) bool { return slices.Contains(t.Scopes, s) }) {
		g.Lacking = []string{scopeManage}
	}
	if t.RefreshToken == "" {
		return nil, &publish.Error{Kind: publish.Auth, Code: "no_refresh_token", Safe: "Google granted a permission that expires within an hour: remove the app under the Google account's connections, and connect again."}
	}
	var who *publish.Identity
	for range tries { // a code can be exchanged only once: one failed read must not cost the user's approval
		if who, err = p.Identify(ctx, publish.Account{AccessToken: t.AccessToken}); err == nil || publish.KindOf(err) != publish.Transient {
			break
		}
	}
	if err != nil {
		return nil, err
	}
	g.Identities = []publish.Identity{*who}
	return g, nil
}

// Refresh renews the access token. The refresh token stays the same unless Google returns another one.
func (p *Platform) Refresh(ctx context.Context, t publish.Tokens) (publish.Tokens, error) {
	return p.token(ctx, url.Values{"grant_type": {"refresh_token"}, "refresh_token": {t.RefreshToken}}, t)
}

// granted is the response of the token endpoint.
type granted struct {
	AccessToken      string `json:"access_token"`
	ExpiresIn        int64  `json:"expires_in"`
	RefreshToken     string `json:"refresh_token"`
	RefreshExpiresIn int64  `json:"refresh_token_expires_in"`
	Scope            string `json:"scope"`
}

// token requests tokens. Values that the response omits are copied from old.
func (p *Platform) token(ctx context.Context, form url.Values, old publish.Tokens) (publish.Tokens, error) {
	form.Set("client_id", p.c.ClientID)
	form.Set("client_secret", p.c.ClientSecret)
	req, err := publish.Once(ctx, http.MethodPost, p.c.TokenURL+"/token", []byte(form.Encode()))
	if err != nil {
		return old, err
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	req.Header.Set("Accept", "application/json")
	requested := p.c.Clock.Now()
	ans, err := publish.Do(p.c.HTTP, req)
	if err != nil {
		return old, unreachable(err)
	}
	if ans.Status != http.StatusOK {
		return old, tokenError(ans, requested, form.Get("grant_type"), old)
	}
	var g granted
	if err := json.Unmarshal(ans.Body, &g); err != nil || g.AccessToken == "" {
		return old, unreadable(err)
	}
	t := publish.Tokens{AccessToken: g.AccessToken, RefreshToken: old.RefreshToken, RefreshExpiresAt: old.RefreshExpiresAt, IssuedAt: requested, Scopes: old.Scopes}
	if g.ExpiresIn > 0 {
		t.AccessExpiresAt = requested.Add(time.Duration(g.ExpiresIn) * time.Second)
	}
	if g.RefreshToken != "" {
		t.RefreshToken, t.RefreshExpiresAt = g.RefreshToken, time.Time{}
	}
	if g.RefreshExpiresIn > 0 {
		t.RefreshExpiresAt = requested.Add(time.Duration(g.RefreshExpiresIn) * time.Second)
	}
	if s := strings.Fields(g.Scope); len(s) > 0 {
		t.Scopes = s
	}
	return t, nil
}

// Identify returns the channel that the token belongs to.
func (p *Platform) Identify(ctx context.Context, a publish.Account) (*publish.Identity, error) {
	c, err := p.channel(ctx, a, "snippet")
	if err != nil {
		return nil, err
	}
	id := &publish.Identity{
		ID: c.ID, Name: c.Snippet.Title, Username: strings.TrimPrefix(c.Snippet.CustomURL, "@"), AvatarURL: c.Snippet.Thumbnails.Default.URL, Type: "channel",
		ProfileURL: p.c.SiteURL + "/channel/" + url.PathEscape(c.ID),
	}
	if id.Username != "" {
		id.ProfileURL = p.c.SiteURL + "/@" + url.PathEscape(id.Username)
	}
	return id, nil
}

// channel returns parts of the account's own channel.
func (p *Platform) channel(ctx context.Context, a publish.Account, part string) (*channel, error) {
	var list struct {
		Items []channel `json:"items"`
	}
	if err := p.get(ctx, a, "/youtube/v3/channels", url.Values{"part": {part}, "mine": {"true"}}, &list); err != nil {
		return nil, err
	}
	if len(list.Items) == 0 || list.Items[0].ID == "" {
		return nil, &publish.Error{Kind: publish.Rejected, Code: "youtubeSignupRequired", Safe: known["youtubeSignupRequired"].safe}
	}
	return &list.Items[0], nil
}
