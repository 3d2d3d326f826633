// SPDX-License-Identifier: Apache-2.0

package console

import (
	"errors"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/zitadel/oidc/v3/pkg/oidc"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/apiserver/oauth"
	"github.com/reelops/reelops/apiserver/problem"
	"github.com/reelops/reelops/internal/catalog"
)

// longestGrant is how long an OAuth client can have access until the user has to approve it again.
const longestGrant = 366 * 24 * time.Hour

// shownClient is the request of an OAuth client in a response. Redirect is set instead for a request that is refused:
// the page opens it, so that the client learns of the refusal.
type shownClient struct {
	// Name that the client gave itself, and Host that published its metadata document; Host is empty for a registered
	// client.
	Name string `json:"name"`
	Host string `json:"host"`
	// RedirectHost is where the response is sent. ThisComputer reports that a program on the user's computer receives
	// it.
	RedirectHost string          `json:"redirect_host"`
	ThisComputer bool            `json:"this_computer"`
	Scopes       []v1beta1.Scope `json:"scopes"`
	Redirect     string          `json:"redirect,omitempty"`
}

// requestOf returns the request of a client in a query. redirect is set instead for one that is refused.
func (h *Handler) requestOf(r *http.Request, query url.Values) (request *oauth.Request, redirect string, err error) {
	request, err = h.OAuth.Parse(r.Context(), query)
	if refused := (*oauth.RefusedError)(nil); errors.As(err, &refused) {
		return nil, refused.Redirect, nil
	}
	if e := (*oidc.Error)(nil); errors.As(err, &e) {
		return nil, "", problem.New(catalog.BadRequest, problem.Details{"parameter": "client_id"}).Saying(
			"The program that sent you here is not accepted. " + e.Description)
	}
	return request, "", err
}

// showClient describes the client that the query of the page names.
func (h *Handler) showClient(w http.ResponseWriter, r *http.Request, s *session) error {
	if err := h.mayManageKeys(r.Context(), s, createKeys); err != nil {
		return err
	}
	request, redirect, err := h.requestOf(r, r.URL.Query())
	if err != nil {
		return err
	}
	out := shownClient{Redirect: redirect, Scopes: []v1beta1.Scope{}}
	if request != nil {
		out = shownClient{
			Name: request.Client.Name, Host: oauth.HostOf(request.Client.ID), RedirectHost: request.RedirectHost(),
			ThisComputer: request.ToThisComputer(), Scopes: request.Scopes,
		}
	}
	return writeJSON(w, http.StatusOK, map[string]any{"data": out})
}

// decideClient approves a client or refuses it, and returns the address that the page opens then. A grant is an API
// key, so it needs the same permission.
func (h *Handler) decideClient(w http.ResponseWriter, r *http.Request, s *session) error {
	if err := h.mayManageKeys(r.Context(), s, createKeys); err != nil {
		return err
	}
	var in struct {
		// Query of the page.
		Query   string `json:"query"`
		Approve bool   `json:"approve"`
		grantIn
	}
	if err := readJSON(w, r, &in); err != nil {
		return err
	}
	query, err := url.ParseQuery(in.Query)
	if err != nil {
		return problem.Field("query", "query must be the query of the page.")
	}
	request, redirect, err := h.requestOf(r, query)
	switch {
	case err != nil:
		return err
	case request != nil && in.Approve:
		redirect, err = h.approve(r, s, request, in.grantIn)
	case request != nil:
		redirect = h.OAuth.Deny(request)
	}
	if err != nil {
		return err
	}
	return writeJSON(w, http.StatusOK, map[string]any{"data": map[string]string{"redirect": redirect}})
}

// grantIn is what the user grants.
type grantIn struct {
	// BrandID is the id of the brand; 0 for the first brand of the account.
	BrandID   int64           `json:"brand_id"`
	Scopes    []v1beta1.Scope `json:"scopes"`
	ExpiresAt time.Time       `json:"expires_at"`
}

// approve returns the address to which the approval is sent.
func (h *Handler) approve(r *http.Request, s *session, request *oauth.Request, in grantIn) (string, error) {
	now := h.Clock.Now()
	switch {
	case len(in.Scopes) == 0:
		return "", problem.NotAllowed("scopes", request.Scopes, "scopes must name at least one scope.")
	case slices.ContainsFunc(in.Scopes, func(one v1beta1.Scope) bool { return !slices.Contains(request.Scopes, one) }):
		return "", problem.NotAllowed("scopes", request.Scopes, "scopes must be of those that the client requests.")
	case !in.ExpiresAt.After(now) || in.ExpiresAt.After(now.Add(longestGrant)):
		return "", problem.Field("expires_at", "expires_at must be in the future, at most a year.")
	}
	if err := h.mayGrant(r.Context(), s, in.Scopes); err != nil {
		return "", err
	}
	brand, err := h.brandWith(r.Context(), s, in.BrandID)
	if err != nil {
		return "", err
	}
	return h.OAuth.Approve(request, oauth.Approval{
		User: s.User, Account: s.Account, Brand: brand.Name, Scopes: unique(in.Scopes), Expires: in.ExpiresAt,
	})
}
