// SPDX-License-Identifier: Apache-2.0

package linkedin

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/reelops/reelops/internal/social/publish"
)

// Scopes. A member consents to all requested scopes or to none. Consent to different scopes ends every token that the
// app has of the member, so all accounts of one app request the same scopes.
const (
	scopeMember = "w_member_social"
	scopePage   = "w_organization_social"
	// scopeOpenID and scopeName identify the member: the first with Sign In with LinkedIn, the second with Community
	// Management.
	scopeOpenID = "openid"
	scopeName   = "r_basicprofile"
	// scopeReadPage permits reading a page's posts, which resolves attempts whose response was lost.
	scopeReadPage = "r_organization_social"
	scopeAdmin    = "rw_organization_admin"
	// scopePostNumbers and scopeFollowers permit reading a member's own metrics.
	scopePostNumbers = "r_member_postAnalytics"
	scopeFollowers   = "r_member_profileAnalytics"
)

// Types of accounts.
const (
	typePersonal = "personal"
	typePage     = "page"
)

const (
	personURN       = "urn:li:person:"
	organizationURN = "urn:li:organization:"
	ugcPostURN      = "urn:li:ugcPost:"
	maxPages        = 49 // together with the member, the 50 accounts of one request
)

// scopes returns the scopes of one product set: LinkedIn does not give both to one app.
func (p *Platform) scopes() []string {
	if !p.c.Pages && !p.c.Analytics {
		return []string{scopeOpenID, "profile", scopeMember}
	}
	out := []string{scopeName, scopeMember}
	if p.c.Pages {
		out = append(out, scopePage, scopeReadPage, scopeAdmin)
	}
	if p.c.Analytics {
		out = append(out, scopePostNumbers, scopeFollowers)
	}
	return out
}

// AuthorizeURL returns the address of LinkedIn's consent page. LinkedIn documents no PKCE for web apps.
func (p *Platform) AuthorizeURL(a publish.Authorization) string {
	q := url.Values{
		"response_type": {"code"}, "client_id": {p.c.ClientID}, "redirect_uri": {a.RedirectURI},
		"scope": {strings.Join(p.scopes(), " ")}, "state": {a.State},
	}
	return p.c.WebBase + "/oauth/v2/authorization?" + strings.ReplaceAll(q.Encode(), "+", "%20")
}

// Exchange exchanges the code for tokens and reads the member and the pages that the member administers.
func (p *Platform) Exchange(ctx context.Context, code string, a publish.Authorization) (*publish.Grant, error) {
	t, err := p.token(ctx, url.Values{"grant_type": {"authorization_code"}, "code": {code}, "redirect_uri": {a.RedirectURI}}, publish.Tokens{})
	if err != nil {
		return nil, err
	}
	g := &publish.Grant{Tokens: t}
	if !slices.Contains(t.Scopes, scopeMember) {
		g.Lacking = append(g.Lacking, scopeMember)
	}
	me, err := p.member(ctx, t.AccessToken, t.Scopes)
	if err != nil {
		return nil, err
	}
	g.Identities = []publish.Identity{*me}
	if !slices.Contains(t.Scopes, scopePage) || !slices.Contains(t.Scopes, scopeAdmin) {
		return g, nil
	}
	pages, err := p.pages(ctx, t.AccessToken)
	if err != nil {
		return nil, err
	}
	g.Identities = append(g.Identities, pages...)
	return g, nil
}

// Refresh renews the access token if the app has a refresh token; otherwise a person has to connect again.
func (p *Platform) Refresh(ctx context.Context, t publish.Tokens) (publish.Tokens, error) {
	if t.RefreshToken == "" {
		return t, &publish.Error{
			Kind: publish.Auth, Code: "no_refresh_token", Revoked: p.revoked(ctx, t.AccessToken),
			Safe: "LinkedIn returned no refresh token to this app: reconnect the account.",
		}
	}
	next, err := p.token(ctx, url.Values{"grant_type": {"refresh_token"}, "refresh_token": {t.RefreshToken}}, t)
	if e := asError(err); e != nil && e.Kind == publish.Auth {
		e.Revoked = p.revoked(ctx, t.AccessToken)
	}
	return next, err
}

// revoked reports whether a token was revoked, rather than expired; refusals do not distinguish the two. It returns
// false if the state cannot be read.
func (p *Platform) revoked(ctx context.Context, token string) bool {
	a, err := p.form(ctx, "/oauth/v2/introspectToken", url.Values{"token": {token}})
	var t struct {
		Status string `json:"status"`
	}
	return err == nil && a.Status == http.StatusOK && json.Unmarshal(a.Body, &t) == nil && t.Status == "revoked"
}

// form sends a call with the app's own credentials.
func (p *Platform) form(ctx context.Context, path string, form url.Values) (*publish.Answer, error) {
	form.Set("client_id", p.c.ClientID)
	form.Set("client_secret", p.c.ClientSecret)
	req, err := publish.Once(ctx, http.MethodPost, p.c.WebBase+path, []byte(form.Encode()))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	req.Header.Set("Accept", "application/json")
	return publish.Do(p.c.HTTP, req)
}

type tokenAnswer struct {
	AccessToken      string `json:"access_token"`
	ExpiresIn        int64  `json:"expires_in"`
	RefreshToken     string `json:"refresh_token"`
	RefreshExpiresIn int64  `json:"refresh_token_expires_in"`
	Scope            string `json:"scope"`
	Error            string `json:"error"`
	Description      string `json:"error_description"`
}

// token requests tokens. Fields that the response lacks keep the value of the old tokens.
func (p *Platform) token(ctx context.Context, form url.Values, old publish.Tokens) (publish.Tokens, error) {
	a, err := p.form(ctx, "/oauth/v2/accessToken", form)
	if err != nil {
		return old, transportError(err, false)
	}
	var t tokenAnswer
	err = json.Unmarshal(a.Body, &t)
	if a.Status != http.StatusOK || err != nil || t.AccessToken == "" {
		return old, tokenRefused(a, t, p.c.Clock.Now())
	}
	now := p.c.Clock.Now()
	out := publish.Tokens{
		AccessToken: t.AccessToken, IssuedAt: now, RefreshToken: old.RefreshToken, RefreshExpiresAt: old.RefreshExpiresAt, Scopes: old.Scopes,
	}
	if t.ExpiresIn > 0 {
		out.AccessExpiresAt = now.Add(time.Duration(t.ExpiresIn) * time.Second)
	}
	if t.RefreshToken != "" {
		out.RefreshToken = t.RefreshToken
	}
	if t.RefreshExpiresIn > 0 {
		out.RefreshExpiresAt = now.Add(time.Duration(t.RefreshExpiresIn) * time.Second)
	}
	// The scopes are documented with spaces and were observed with commas.
	if s := strings.FieldsFunc(t.Scope, func(r rune) bool { return r == ' ' || r == ',' }); len(s) > 0 {
		out.Scopes = s
	}
	return out, nil
}

// Identify reads the account's identity again.
func (p *Platform) Identify(ctx context.Context, a publish.Account) (*publish.Identity, error) {
	if n, ok := strings.CutPrefix(a.ID, organizationURN); ok {
		return p.page(ctx, a.AccessToken, n)
	}
	return p.member(ctx, a.AccessToken, a.Scopes)
}

// member returns the member's identity. Apps with Community Management may not have the OpenID scope, and vice versa.
func (p *Platform) member(ctx context.Context, token string, scopes []string) (*publish.Identity, error) {
	if slices.Contains(scopes, scopeOpenID) {
		var u struct{ Sub, Name, Picture string }
		err := p.get(ctx, token, "/v2/userinfo", &u)
		switch {
		case err == nil && u.Sub != "":
			return &publish.Identity{ID: personURN + u.Sub, Name: u.Name, AvatarURL: u.Picture, Type: typePersonal}, nil
		case err == nil:
			return nil, inconclusive(false)
		case publish.KindOf(err) != publish.Scope:
			return nil, err
		}
	}
	var me struct {
		ID         string `json:"id"`
		VanityName string `json:"vanityName"`
		First      string `json:"localizedFirstName"`
		Last       string `json:"localizedLastName"`
	}
	err := p.get(ctx, token, "/rest/me", &me)
	// LinkedIn documents /v2/me; /rest/me does not exist in every version
	if e := asError(err); e != nil && (e.Code == notFound || e.Code == noResource) {
		err = p.get(ctx, token, "/v2/me", &me)
	}
	if err != nil {
		return nil, err
	}
	if me.ID == "" {
		return nil, inconclusive(false)
	}
	i := &publish.Identity{ID: personURN + me.ID, Name: strings.TrimSpace(me.First + " " + me.Last), Username: me.VanityName, Type: typePersonal}
	if me.VanityName != "" {
		i.ProfileURL = p.c.WebBase + "/in/" + url.PathEscape(me.VanityName) + "/"
	}
	return i, nil
}

// pageRoles are the roles with which a member may post for a page. A content administrator cannot send videos: LinkedIn
// refuses the upload.
var pageRoles = []string{"ADMINISTRATOR", "CONTENT_ADMINISTRATOR", "CONTENT_ADMIN"}

const (
	// rolesPerPage is how many roles one call lists, maxRoles how many are read in total.
	rolesPerPage = 100
	maxRoles     = 2000
)

// pages returns the pages that the member may post for, at most maxPages. The finder filters by only one role, so all
// roles are read and filtered here. A member has one element for each role on a page.
func (p *Platform) pages(ctx context.Context, token string) ([]publish.Identity, error) {
	var out []publish.Identity
	var seen []string
	for start := 0; start < maxRoles; {
		var l struct {
			Elements []struct {
				Role         string `json:"role"`
				Organization string `json:"organization"`
				Target       string `json:"organizationalTarget"`
			} `json:"elements"`
			Paging struct {
				Links []struct {
					Rel string `json:"rel"`
				} `json:"links"`
			} `json:"paging"`
		}
		path := "/rest/organizationAcls?q=roleAssignee&state=APPROVED&start=" + strconv.Itoa(start) + "&count=" + strconv.Itoa(rolesPerPage)
		if err := p.find(ctx, token, path, &l); err != nil {
			return nil, err
		}
		for _, e := range l.Elements {
			n, ok := strings.CutPrefix(cmp.Or(e.Organization, e.Target), organizationURN)
			if !ok || !slices.Contains(pageRoles, e.Role) || slices.Contains(seen, n) || len(out) == maxPages {
				continue
			}
			seen = append(seen, n)
			i, err := p.page(ctx, token, n)
			switch e := asError(err); {
			case err == nil:
				out = append(out, *i)
			case e == nil || (e.Code != notFound && e.Kind != publish.Scope):
				// a page that does not exist or is not shown is left out
				return nil, err
			}
		}
		start += len(l.Elements)
		more := len(l.Elements) >= rolesPerPage
		for _, k := range l.Paging.Links {
			more = more || k.Rel == "next"
		}
		if !more || len(l.Elements) == 0 {
			break
		}
	}
	return out, nil
}

func (p *Platform) page(ctx context.Context, token, n string) (*publish.Identity, error) {
	var o struct {
		Name   string `json:"localizedName"`
		Vanity string `json:"vanityName"`
	}
	if err := p.get(ctx, token, "/rest/organizations/"+url.PathEscape(n), &o); err != nil {
		return nil, err
	}
	i := &publish.Identity{ID: organizationURN + n, Name: o.Name, Username: o.Vanity, Type: typePage, ProfileURL: p.c.WebBase + "/company/" + url.PathEscape(n) + "/"}
	if o.Vanity != "" {
		i.ProfileURL = p.c.WebBase + "/company/" + url.PathEscape(o.Vanity) + "/"
	}
	return i, nil
}
