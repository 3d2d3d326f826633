// SPDX-License-Identifier: Apache-2.0

package instagram

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/reelops/reelops/internal/social/sandbox"
)

// authorize serves the consent page.
func (p *Platform) authorize(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	back, err := url.Parse(q.Get("redirect_uri"))
	switch {
	case q.Get("client_id") != sandbox.ClientID:
		p.core.Refuse(w, Name, "Invalid platform app: the app with this client_id is not known.")
		return
	case err != nil || back.Host == "" || (back.Scheme != "http" && back.Scheme != "https"):
		p.core.Refuse(w, Name, "Invalid redirect_uri: it is none that the app has registered.")
		return
	case q.Get("response_type") != "code":
		p.core.Refuse(w, Name, "Invalid response_type: it has to be code.")
		return
	}
	scopes := strings.FieldsFunc(q.Get("scope"), func(c rune) bool { return c == ',' || c == ' ' })
	for _, s := range scopes {
		if !strings.HasPrefix(s, "instagram_business_") || s == "instagram_business_content_publishing" {
			p.core.Refuse(w, Name, "Invalid scopes: "+s)
			return
		}
	}
	if !slices.Contains(scopes, scopeBasic) {
		p.core.Refuse(w, Name, "Invalid scopes: "+scopeBasic+" is always needed.")
		return
	}
	to := func(v url.Values) string {
		out := *back
		if state := q.Get("state"); state != "" {
			v.Set("state", state)
		}
		for k, old := range back.Query() {
			v[k] = old
		}
		out.RawQuery = v.Encode()
		return out.String() + "#_"
	}
	p.core.Consent(w, r, sandbox.Consent{
		Platform: Name, Scopes: scopes,
		Approve: func(a sandbox.Account, granted []string) string {
			code := p.tokens.Code(sandbox.Grant{Account: a.Name, ClientID: sandbox.ClientID, RedirectURI: q.Get("redirect_uri"), Scopes: granted})
			return to(url.Values{"code": {code}})
		},
		Deny: func() string {
			return to(url.Values{"error": {"access_denied"}, "error_reason": {"user_denied"}, "error_description": {"The user denied your request"}})
		},
	})
}

// redeem exchanges a code for a short-lived token of one hour.
func (p *Platform) redeem(w http.ResponseWriter, r *http.Request) {
	in, unread := params(r)
	no := func(message string) {
		reply(w, http.StatusBadRequest, map[string]any{"error_type": "OAuthException", "code": 400, "error_message": message})
	}
	switch {
	case unread != nil:
		no("Invalid request")
		return
	case in["client_id"] != sandbox.ClientID:
		no("Invalid platform app")
		return
	case in["client_secret"] != sandbox.ClientSecret:
		no("Error validating client secret.")
		return
	case in["grant_type"] != "authorization_code":
		no("Invalid grant_type: " + in["grant_type"])
		return
	}
	g, err := p.tokens.Redeem(in["code"])
	if err != nil {
		no("This authorization code has been used, has expired or was never given.")
		return
	}
	if g.RedirectURI != in["redirect_uri"] {
		no("Error validating verification code. Please make sure your redirect_uri is identical to the one you used in the OAuth dialog request")
		return
	}
	k := p.short.Issue(g)
	a, _ := p.core.AccountByName(Name, g.Account)
	if p.now().TokenShape == ShapeFlat {
		n, _ := strconv.ParseInt(a.ID, 10, 64)
		reply(w, http.StatusOK, map[string]any{"access_token": k.Access, "user_id": n, "permissions": g.Scopes})
		return
	}
	reply(w, http.StatusOK, map[string]any{"data": []any{
		map[string]any{"access_token": k.Access, "user_id": a.ID, "permissions": strings.Join(g.Scopes, ",")},
	}})
}

// lengthen exchanges a short-lived token for a long-lived token of 60 days.
func (p *Platform) lengthen(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	switch {
	case q.Get("grant_type") != "ig_exchange_token":
		refuse(100, 0, "Unsupported grant_type").write(w)
		return
	case q.Get("client_secret") != sandbox.ClientSecret:
		refuse(101, 0, "Error validating client secret.").write(w)
		return
	}
	k, err := p.short.Lookup(q.Get("access_token"))
	if g := tokenError(err); g != nil {
		g.write(w)
		return
	}
	p.long(w, k.Grant)
}

// refresh renews a long-lived token that is at least 24 hours old.
func (p *Platform) refresh(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	if q.Get("grant_type") != "ig_refresh_token" {
		refuse(100, 0, "Unsupported grant_type").write(w)
		return
	}
	k, err := p.tokens.Lookup(q.Get("access_token"))
	if g := tokenError(err); g != nil {
		g.write(w)
		return
	}
	switch {
	case !k.Allows(scopeBasic):
		(&graphError{http.StatusForbidden, 10, 0, "(#10) Application does not have permission for this action"}).write(w)
	case p.core.Now().Sub(k.IssuedAt) < minAge:
		refuse(100, 0, "The access token cannot be refreshed before it is 24 hours old.").write(w)
	default:
		p.long(w, k.Grant)
	}
}

func (p *Platform) long(w http.ResponseWriter, g sandbox.Grant) {
	k := p.tokens.Issue(g)
	reply(w, http.StatusOK, map[string]any{
		"access_token": k.Access, "token_type": "bearer", "expires_in": int64(k.AccessEnds.Sub(k.IssuedAt).Seconds()),
		"permissions": strings.Join(g.Scopes, ","),
	})
}
