// SPDX-License-Identifier: Apache-2.0

package instagram

import (
	"bytes"
	"context"
	"errors"
	"io"
	"mime/multipart"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/reelops/reelops/internal/social/publish"
)

// Scopes that the app can request.
const (
	ScopeBasic    = "instagram_business_basic"
	ScopePublish  = "instagram_business_content_publish"
	ScopeInsights = "instagram_business_manage_insights"
	ScopeComments = "instagram_business_manage_comments"
)

var (
	// DefaultScopes are requested if nothing else is configured.
	DefaultScopes = []string{ScopeBasic, ScopePublish, ScopeInsights}
	// AllScopes also permit first comments.
	AllScopes = []string{ScopeBasic, ScopePublish, ScopeInsights, ScopeComments}
	// needed scopes are required for publishing; without the others, only metrics are missing.
	needed = []string{ScopeBasic, ScopePublish}
)

const (
	// minAge is the minimum age of an access token before it can be renewed.
	minAge = 24 * time.Hour
	// longLife is the lifetime of a long-lived token if the response does not report it.
	longLife = 60 * 24 * time.Hour
)

// Scopes returns the requested scopes.
func (p *Platform) Scopes() []string { return slices.Clone(p.c.Scopes) }

// AuthorizeURL returns the address of Instagram's consent page. Instagram has no PKCE.
func (p *Platform) AuthorizeURL(a publish.Authorization) string {
	q := url.Values{
		"client_id":     {p.c.ClientID},
		"redirect_uri":  {a.RedirectURI},
		"response_type": {"code"},
		"scope":         {strings.Join(p.c.Scopes, ",")},
		"state":         {a.State},
	}
	return p.c.WebBase + "/oauth/authorize?" + q.Encode()
}

// Exchange exchanges the code for a token of one hour, exchanges that for one of sixty days, and reads its identity.
func (p *Platform) Exchange(ctx context.Context, code string, a publish.Authorization) (*publish.Grant, error) {
	short, err := p.redeem(ctx, cleanCode(code), a)
	if err != nil {
		return nil, err
	}
	long, err := p.lengthen(ctx, short.AccessToken)
	if err != nil {
		return nil, err
	}
	if len(long.Scopes) == 0 {
		long.Scopes = short.Permissions
	}
	who, err := p.identify(ctx, long.AccessToken)
	if err != nil {
		return nil, err
	}
	g := &publish.Grant{Tokens: long, Identities: []publish.Identity{*who}}
	for _, s := range needed {
		if len(long.Scopes) > 0 && !slices.Contains(long.Scopes, s) {
			g.Lacking = append(g.Lacking, s)
		}
	}
	return g, nil
}

// cleanCode removes the suffix that Instagram appends to the redirect address.
func cleanCode(code string) string { return strings.TrimSuffix(code, "#_") }

// redeem exchanges the code, which can be used once.
func (p *Platform) redeem(ctx context.Context, code string, a publish.Authorization) (*tokenAnswer, error) {
	// Meta's example of this call sends a multipart form. Other forms are not documented.
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	for _, f := range [][2]string{
		{"client_id", p.c.ClientID},
		{"client_secret", p.c.ClientSecret},
		{"grant_type", "authorization_code"},
		{"redirect_uri", a.RedirectURI},
		{"code", code},
	} {
		_ = form.WriteField(f[0], f[1]) // a buffer accepts everything
	}
	_ = form.Close()
	req, err := publish.Once(ctx, http.MethodPost, p.c.TokenBase+"/oauth/access_token", body.Bytes())
	if err != nil {
		return nil, misconfigured(err)
	}
	req.Header.Set("Content-Type", form.FormDataContentType())
	ans, err := p.do(req, exchanging)
	if err != nil {
		return nil, err
	}
	var t tokenAnswer
	if err := one(ans.Body, &t); err != nil {
		return nil, unreadable(errors.New("the token's shape is unknown"), exchanging)
	}
	if t.AccessToken == "" {
		return nil, unreadable(errors.New("there is no token in it"), exchanging)
	}
	return &t, nil
}

// lengthen exchanges a short-lived token for a long-lived one. It retries, because the code is already used; that is
// safe while the short-lived token is valid.
func (p *Platform) lengthen(ctx context.Context, short string) (publish.Tokens, error) {
	q := url.Values{"grant_type": {"ig_exchange_token"}, "client_secret": {p.c.ClientSecret}, "access_token": {short}}
	var t publish.Tokens
	var err error
	for range 3 {
		t, err = p.token(ctx, "access_token", q, reading)
		if err == nil || publish.KindOf(err) != publish.Transient || ctx.Err() != nil {
			break
		}
	}
	return t, err
}

// Refresh renews the token with itself. A token younger than a day cannot be renewed: Refresh checks that Instagram
// still accepts it and returns it unchanged.
func (p *Platform) Refresh(ctx context.Context, t publish.Tokens) (publish.Tokens, error) {
	if now := p.c.Clock.Now(); !t.IssuedAt.IsZero() && now.Sub(t.IssuedAt) < minAge {
		err := p.get(ctx, t.AccessToken, p.versioned("me"), url.Values{"fields": {"user_id"}}, ignore)
		return t, lasting(err)
	}
	q := url.Values{"grant_type": {"ig_refresh_token"}, "access_token": {t.AccessToken}}
	n, err := p.token(ctx, "refresh_access_token", q, renewing)
	if err != nil {
		return t, err
	}
	if len(n.Scopes) == 0 {
		n.Scopes = t.Scopes
	}
	return n, nil
}

func ignore([]byte) error { return nil }

// lasting turns a rejected token into the permanent end of the permission: nothing can renew it.
func lasting(err error) error {
	var e *publish.Error
	if r := about(err); r != nil && r.code != 0 && errors.As(err, &e) && e.Kind == publish.Unauthorized {
		ended := *e
		ended.Kind = publish.Auth
		return &ended
	}
	return err
}

// token requests a long-lived token.
func (p *Platform) token(ctx context.Context, path string, q url.Values, what call) (publish.Tokens, error) {
	now := p.c.Clock.Now()
	req, err := publish.Once(ctx, http.MethodGet, p.c.GraphBase+"/"+path+"?"+q.Encode(), nil)
	if err != nil {
		return publish.Tokens{}, misconfigured(err)
	}
	if what == renewing {
		// If the connection breaks, the transport repeats a GET without a body. It is not documented whether the old
		// token can be renewed twice. The transport does not repeat a request that may have a body.
		req.Body = io.NopCloser(strings.NewReader(""))
	}
	a, err := p.do(req, what)
	if err != nil {
		return publish.Tokens{}, err
	}
	var ans tokenAnswer
	if err := one(a.Body, &ans); err != nil || ans.AccessToken == "" {
		return publish.Tokens{}, unreadable(errors.New("there is no token in it"), what)
	}
	life := time.Duration(ans.ExpiresIn) * time.Second
	if life <= 0 {
		life = longLife
	}
	return publish.Tokens{AccessToken: ans.AccessToken, AccessExpiresAt: now.Add(life), IssuedAt: now, Scopes: ans.Permissions}, nil
}

// Identify reads the account's identity.
func (p *Platform) Identify(ctx context.Context, a publish.Account) (*publish.Identity, error) {
	return p.identify(ctx, a.AccessToken)
}

// Fields of an account. A field that the API does not know fails the whole call, so there is a smaller set as a
// fallback.
const (
	fieldsAll = "user_id,username,name,account_type,profile_picture_url"
	fieldsFew = "user_id,username"
)

func (p *Platform) identify(ctx context.Context, token string) (*publish.Identity, error) {
	var me meAnswer
	read := func(b []byte) error { return one(b, &me) }
	err := p.get(ctx, token, p.versioned("me"), url.Values{"fields": {fieldsAll}}, read)
	if r := about(err); r != nil && r.code == 100 && r.subcode != 33 {
		err = p.get(ctx, token, p.versioned("me"), url.Values{"fields": {fieldsFew}}, read)
	}
	if err != nil {
		return nil, ofAccount(err)
	}
	if me.UserID == "" {
		return nil, unreadable(errors.New("it does not say whose account it is"), reading)
	}
	out := &publish.Identity{ID: string(me.UserID), Name: me.Name, Username: me.Username, AvatarURL: me.Picture, Type: accountType(me.AccountType)}
	if out.Name == "" {
		out.Name = me.Username
	}
	if me.Username != "" {
		out.ProfileURL = p.c.WebBase + "/" + url.PathEscape(me.Username) + "/"
	}
	return out, nil
}

// accountType returns the type of account in the service's own terms; empty if unknown.
func accountType(s string) string {
	switch strings.ToUpper(s) {
	case "BUSINESS":
		return "business"
	case "MEDIA_CREATOR", "CREATOR":
		return "creator"
	case "PERSONAL":
		return "personal"
	}
	return ""
}
