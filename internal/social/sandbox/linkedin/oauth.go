// SPDX-License-Identifier: Apache-2.0

package linkedin

import (
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/reelops/reelops/internal/social/sandbox"
)

var known = []string{
	"openid", "profile", "email", scopeMember, scopeProfile, scopePage, scopeReadPage, scopeAdmin, "r_organization_admin", scopeMine, scopeFollow,
	"w_member_social_feed", "w_organization_social_feed", "r_organization_social_feed",
}

// authorize validates the request and shows the consent page. The user grants all scopes or none.
func (p *Platform) authorize(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	back, err := url.Parse(q.Get("redirect_uri"))
	scopes := strings.FieldsFunc(q.Get("scope"), func(c rune) bool { return c == ' ' || c == ',' }) // clients join scopes with spaces or commas
	switch {
	case q.Get("client_id") != sandbox.ClientID:
		p.core.Refuse(w, name, "The passed in client_id is invalid.")
		return
	case err != nil || back.Host == "" || strings.Contains(q.Get("redirect_uri"), "#"):
		p.core.Refuse(w, name, "The redirect_uri does not match the registered value.")
		return
	case q.Get("response_type") != "code":
		p.core.Refuse(w, name, "The response_type has to be code.")
		return
	case len(scopes) == 0 || slices.ContainsFunc(scopes, func(s string) bool { return !slices.Contains(known, s) }):
		p.core.Refuse(w, name, "A scope is not authorized for your application.")
		return
	}
	to := func(with url.Values) string {
		with.Set("state", q.Get("state"))
		u := *back
		u.RawQuery = with.Encode()
		return u.String()
	}
	// A page cannot log in. The member who administers a page approves in its name.
	if a, ok := p.core.AccountByName(name, q.Get("approve")); ok && a.Owner != "" {
		q.Set("approve", a.Owner)
		r = r.Clone(r.Context())
		r.URL.RawQuery = q.Encode()
	}
	p.core.Consent(w, r, sandbox.Consent{
		Platform: name, Scopes: scopes,
		Approve: func(a sandbox.Account, _ []string) string {
			return to(url.Values{"code": {p.tokens.Code(sandbox.Grant{Account: a.Name, ClientID: sandbox.ClientID, RedirectURI: q.Get("redirect_uri"), Scopes: scopes})}})
		},
		Deny: func() string {
			return to(url.Values{"error": {"user_cancelled_authorize"}, "error_description": {"The user cancelled the authorization"}})
		},
	})
}

func (p *Platform) accessToken(w http.ResponseWriter, r *http.Request) {
	if !app(w, r) {
		return
	}
	switch r.PostFormValue("grant_type") {
	case "authorization_code":
		g, err := p.tokens.Redeem(r.PostFormValue("code"))
		switch {
		case errors.Is(err, sandbox.ErrExpiredToken):
			oauthError(w, http.StatusBadRequest, "invalid_request", "Unable to retrieve access token: authorization code expired")
			return
		case err != nil:
			oauthError(w, http.StatusUnauthorized, "invalid_request", "Unable to retrieve access token: authorization code not found")
			return
		case g.RedirectURI != r.PostFormValue("redirect_uri"):
			oauthError(w, http.StatusBadRequest, "invalid_request", "Unable to retrieve access token: appid/redirect uri/code verifier does not match authorization code")
			return
		}
		p.consented(g)
		p.give(w, p.tokens.Issue(g))
	case "refresh_token":
		k, err := p.tokens.Refresh(r.PostFormValue("refresh_token"))
		if err != nil {
			oauthError(w, http.StatusBadRequest, "invalid_request", "The provided authorization grant or refresh token is invalid, expired or revoked")
			return
		}
		p.give(w, k)
	default:
		oauthError(w, http.StatusBadRequest, "invalid_request", "A required parameter \"grant_type\" is missing or not known")
	}
}

// consented revokes a member's tokens when the granted scopes differ from those granted before.
func (p *Platform) consented(g sandbox.Grant) {
	s := slices.Clone(g.Scopes)
	slices.Sort(s)
	all := strings.Join(s, " ")
	p.mu.Lock()
	before := p.scopes[g.Account]
	p.scopes[g.Account] = all
	p.mu.Unlock()
	if before != "" && before != all {
		p.tokens.Revoke(g.Account)
	}
}

func (p *Platform) give(w http.ResponseWriter, k sandbox.Token) {
	now := p.core.Now()
	seconds := func(t time.Time) int64 { return int64(t.Sub(now).Round(time.Second) / time.Second) }
	// A refresh token expires one year after the consent, and access tokens expire with it.
	ends := k.AccessEnds
	if k.RefreshEnds.Before(ends) {
		ends = k.RefreshEnds
	}
	out := map[string]any{
		"access_token": k.Access, "expires_in": seconds(ends), "scope": strings.Join(k.Grant.Scopes, ","), "token_type": "Bearer",
	}
	p.mu.Lock()
	none := p.rules.NoRefresh
	p.mu.Unlock()
	if !none {
		out["refresh_token"], out["refresh_token_expires_in"] = k.Refresh, seconds(k.RefreshEnds)
	}
	write(w, http.StatusOK, out)
}

func (p *Platform) introspect(w http.ResponseWriter, r *http.Request) {
	if !app(w, r) {
		return
	}
	k, err := p.tokens.Lookup(r.PostFormValue("token"))
	state := "active"
	switch {
	case errors.Is(err, sandbox.ErrExpiredToken):
		state = "expired"
	case errors.Is(err, sandbox.ErrRevokedToken):
		state = "revoked"
	case err != nil:
		oauthError(w, http.StatusBadRequest, "invalid_request", "The token is not known")
		return
	}
	write(w, http.StatusOK, map[string]any{
		"active": state == "active", "status": state, "scope": strings.Join(k.Grant.Scopes, ","), "created_at": k.IssuedAt.Unix(),
		"authorized_at": k.IssuedAt.Unix(), "expires_at": k.AccessEnds.Unix(), "auth_type": "3L", "client_id": sandbox.ClientID,
	})
}

func (p *Platform) revoke(w http.ResponseWriter, r *http.Request) {
	if !app(w, r) {
		return
	}
	if !p.tokens.RevokeToken(r.PostFormValue("token")) {
		oauthError(w, http.StatusBadRequest, "invalid_request", "The token is not known")
		return
	}
	w.WriteHeader(http.StatusOK)
}

func app(w http.ResponseWriter, r *http.Request) bool {
	if kind, _, _ := strings.Cut(r.Header.Get("Content-Type"), ";"); kind != "application/x-www-form-urlencoded" {
		oauthError(w, http.StatusBadRequest, "invalid_request", "The content type has to be application/x-www-form-urlencoded")
		return false
	}
	if r.PostFormValue("client_id") != sandbox.ClientID || r.PostFormValue("client_secret") != sandbox.ClientSecret {
		oauthError(w, http.StatusUnauthorized, "invalid_client", "Client authentication failed")
		return false
	}
	return true
}

func oauthError(w http.ResponseWriter, status int, code, description string) {
	write(w, status, map[string]string{"error": code, "error_description": description})
}

// userinfo is the OpenID Connect endpoint.
func (p *Platform) userinfo(w http.ResponseWriter, r *http.Request) {
	k, a, ok := p.who(w, r)
	if !ok {
		return
	}
	if !k.Allows("openid") {
		denied(w, "userinfo.GET.NO_VERSION")
		return
	}
	write(w, http.StatusOK, map[string]any{"sub": strings.TrimPrefix(a.ID, personURN), "name": a.Display, "picture": a.Avatar, "locale": map[string]string{"country": "US", "language": "en"}})
}

func (p *Platform) me(w http.ResponseWriter, r *request) {
	if !r.token.Allows(scopeProfile) {
		denied(w, "me.GET.NO_VERSION")
		return
	}
	write(w, http.StatusOK, map[string]any{"id": strings.TrimPrefix(r.member.ID, personURN), "vanityName": r.member.Username, "localizedFirstName": r.member.Display, "localizedLastName": ""})
}

// others is the number of pages on which a member is only an analyst. They precede the page that the member
// administers.
const others = 120

// acls lists the member's roles on pages. field is the JSON field that names the page.
func (p *Platform) acls(w http.ResponseWriter, r *request, field string) {
	switch {
	case !r.finds("roleAssignee"):
		refuse(w, http.StatusBadRequest, "ILLEGAL_ARGUMENT", "The finder is not known.")
		return
	case !r.token.Allows(scopeAdmin) && !r.token.Allows("r_organization_admin"):
		denied(w, "organizationAcls.FINDER-roleAssignee.NO_VERSION")
		return
	}
	all := []any{}
	only := r.URL.Query().Get("role")
	add := func(role, page string) {
		if only == "" || only == role {
			all = append(all, map[string]string{"roleAssignee": r.member.ID, "role": role, "state": "APPROVED", field: page})
		}
	}
	for i := range others {
		add(roleAnalyst, organizationURN+itoa(5_000_000+i))
	}
	for _, a := range p.core.Accounts(name) {
		if a.Owner == r.member.Name {
			add("DIRECT_SPONSORED_CONTENT_POSTER", a.ID)
			add(p.role(), a.ID)
		}
	}
	r.page(w, all, 100)
}

func (p *Platform) organization(w http.ResponseWriter, r *request) {
	a, ok := p.core.AccountByName(name, organizationURN+r.PathValue("id"))
	if !ok || a.Owner == "" {
		refuse(w, http.StatusNotFound, "NOT_FOUND", "Could not find entity")
		return
	}
	write(w, http.StatusOK, map[string]any{"id": atoi(r.PathValue("id"), 0), "localizedName": a.Display, "vanityName": a.Username, "logoV2": map[string]string{"original": a.Avatar}})
}

// usualCount is the default page size of a list.
const usualCount = 10

// page writes one page of a list.
func (r *request) page(w http.ResponseWriter, all []any, most int) {
	q := r.URL.Query()
	start, count := atoi(q.Get("start"), 0), min(atoi(q.Get("count"), usualCount), most)
	some := all[min(start, len(all)):min(start+count, len(all))]
	paging := map[string]any{"start": start, "count": count, "total": len(all), "links": []any{}}
	if start+count < len(all) {
		next := *r.URL
		v := next.Query()
		v.Set("start", itoa(start+count))
		next.RawQuery = v.Encode()
		paging["links"] = []any{map[string]string{"rel": "next", "href": next.RequestURI()}}
	}
	write(w, http.StatusOK, map[string]any{"elements": some, "paging": paging})
}
