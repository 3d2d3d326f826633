// SPDX-License-Identifier: Apache-2.0

package linkedin_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/reelops/reelops/internal/social/publish"
	"github.com/reelops/reelops/internal/social/sandbox"
	stand "github.com/reelops/reelops/internal/social/sandbox/linkedin"
)

// One approval covers the member and the pages that the member administers.
func TestExchange_MemberAndPages(t *testing.T) {
	r := newRig(t)
	page := strings.TrimPrefix(r.acme.ID, "urn:li:organization:")
	web := r.config.WebBase
	want := []publish.Identity{
		{ID: r.maya.ID, Name: "Maya's Kitchen", Username: "mayas.kitchen", ProfileURL: web + "/in/mayas.kitchen/", Type: "personal"},
		{ID: "urn:li:organization:" + page, Name: "Acme Bikes", Username: "acmebikes", ProfileURL: web + "/company/acmebikes/", Type: "page"},
	}
	if diff := cmp.Diff(want, r.grant.Identities); diff != "" || !strings.HasPrefix(r.maya.ID, "urn:li:person:") {
		t.Errorf("(-want +got):\n%s", diff)
	}
	tokens := r.grant.Tokens
	if !tokens.AccessExpiresAt.Equal(noon.AddDate(0, 0, 60)) || !tokens.RefreshExpiresAt.Equal(noon.AddDate(0, 0, 365)) || len(tokens.Scopes) != 5 || len(r.grant.Lacking) != 0 {
		t.Errorf("tokens until %s and %s, scopes %v, lacking %v", tokens.AccessExpiresAt, tokens.RefreshExpiresAt, tokens.Scopes, r.grant.Lacking)
	}
	for i, a := range []publish.Account{r.maya, r.acme} {
		if id, err := r.Identify(t.Context(), a); err != nil || *id != want[i] {
			t.Errorf("got %+v, %v", id, err)
		}
	}
}

// An app without pages reads only the member, through OpenID.
func TestExchange_MemberOnly(t *testing.T) {
	r := newRig(t)
	c := r.config
	c.Pages = false
	r.open(c)
	r.connect()
	if len(r.grant.Identities) != 1 || r.grant.Identities[0].ID != r.maya.ID || r.grant.Identities[0].AvatarURL == "" {
		t.Errorf("got %+v", r.grant.Identities)
	}
	d := r.photos(1)
	if _, err := r.Commit(t.Context(), r.maya, d, r.prepared(r.maya, d)); err != nil {
		t.Error(err)
	}
	// OpenID is not available to apps with the other product.
	r.fault(sandbox.Fault{Call: "userinfo", Do: sandbox.Status, Status: 403})
	_, err := r.Identify(t.Context(), r.maya)
	kind(t, err, publish.Scope)
}

// A page that no longer exists is left out. Any other error fails the exchange.
func TestExchange_DeletedPages(t *testing.T) {
	for status, want := range map[int]int{404: 1, 403: 1, 500: 0} {
		r := newRig(t)
		r.fault(sandbox.Fault{Call: "organizations", Do: sandbox.Status, Status: status})
		a := publish.Authorization{State: "s", RedirectURI: redirectURI}
		g, err := r.Exchange(t.Context(), r.approve(a), a)
		switch {
		case want == 0:
			kind(t, err, publish.Transient)
		case err != nil || len(g.Identities) != want:
			t.Errorf("%d: got %+v, %v", status, g, err)
		}
	}
}

// A refresh token expires a year after the consent, regardless of its use.
func TestRefresh_KeepsTheExpiry(t *testing.T) {
	r := newRig(t)
	tokens, end := r.grant.Tokens, noon.AddDate(0, 0, 365)
	for range 7 {
		r.clock.Step(50 * 24 * time.Hour)
		next, err := r.Refresh(t.Context(), tokens)
		if err != nil {
			t.Fatal(err)
		}
		if next.RefreshToken != tokens.RefreshToken || !next.RefreshExpiresAt.Equal(end) || next.AccessToken == tokens.AccessToken || next.AccessExpiresAt.After(end) {
			t.Errorf("on %s: access until %s, refresh until %s", r.clock.Now(), next.AccessExpiresAt, next.RefreshExpiresAt)
		}
		tokens = next
	}
	r.clock.Step(20 * 24 * time.Hour)
	_, err := r.Refresh(t.Context(), tokens)
	auth(t, err, false)
}

// Most apps receive no refresh token: the user has to reconnect.
func TestExchange_WithoutRefreshToken(t *testing.T) {
	r := newRig(t)
	r.stand.SetRules(stand.Rules{NoRefresh: true})
	r.connect()
	tokens := r.grant.Tokens
	if tokens.RefreshToken != "" || !tokens.RefreshExpiresAt.IsZero() || tokens.AccessExpiresAt.IsZero() {
		t.Fatalf("got a refresh token: %v until %s", tokens.RefreshToken != "", tokens.RefreshExpiresAt)
	}
	r.clock.Step(60 * 24 * time.Hour)
	_, err := r.Identify(t.Context(), r.maya)
	kind(t, err, publish.Unauthorized)
	_, err = r.Refresh(t.Context(), tokens)
	auth(t, err, false)
}

// If a renewal returns no refresh token, the old one is kept.
func TestRefresh_KeepsTheRefreshToken(t *testing.T) {
	r := newRig(t)
	old := r.grant.Tokens
	r.stand.SetRules(stand.Rules{NoRefresh: true})
	got, err := r.Refresh(t.Context(), old)
	if err != nil || got.RefreshToken != old.RefreshToken || !got.RefreshExpiresAt.Equal(old.RefreshExpiresAt) || got.AccessToken == old.AccessToken {
		t.Errorf("got %+v, %v", got.RefreshExpiresAt, err)
	}
}

// Consent to other scopes revokes older tokens. Consent to the same scopes does not.
func TestExchange_OtherScopesRevokeOlderTokens(t *testing.T) {
	r := newRig(t)
	before, tokens := r.maya, r.grant.Tokens
	r.connect()
	if _, err := r.Identify(t.Context(), before); err != nil {
		t.Error("after consent to the same scopes:", err)
	}
	c := r.config
	c.Pages = false
	r.open(c)
	r.connect()
	_, err := r.Identify(t.Context(), before)
	auth(t, err, true)
	_, err = r.Refresh(t.Context(), tokens)
	auth(t, err, true)
	if _, err := r.Identify(t.Context(), r.maya); err != nil {
		t.Error("with the new token:", err)
	}
}

// Temporary errors and errors of the app itself do not end the permission.
func TestRefresh_Errors(t *testing.T) {
	r := newRig(t)
	for _, c := range []struct {
		fault sandbox.Fault
		want  publish.Kind
	}{
		{sandbox.Fault{Do: sandbox.Drop}, publish.Transient},
		{sandbox.Fault{Do: sandbox.Status, Status: 500}, publish.Transient},
		{sandbox.Fault{Do: sandbox.Status, Status: 429, RetryAfter: 9}, publish.RateLimited},
		{sandbox.Fault{Do: sandbox.Status, Status: 401, Code: "invalid_client"}, publish.Misconfigured},
		{sandbox.Fault{Do: sandbox.Status, Status: 400, Code: "unauthorized_client"}, publish.Misconfigured},
		{sandbox.Fault{Do: sandbox.Status, Status: 400, Code: "invalid_request"}, publish.Misconfigured},
		{sandbox.Fault{Do: sandbox.Status, Status: 400, Code: "invalid_grant"}, publish.Auth},
	} {
		c.fault.Call = "oauth.accessToken"
		r.fault(c.fault)
		_, err := r.Refresh(t.Context(), r.grant.Tokens)
		kind(t, err, c.want)
	}
	c := r.config
	c.ClientSecret = "another"
	r.open(c)
	_, err := r.Refresh(t.Context(), r.grant.Tokens)
	kind(t, err, publish.Misconfigured)
}

// auth checks that the user has to reconnect, and whether the error reports a revocation.
func auth(t *testing.T, err error, revoked bool) {
	t.Helper()
	kind(t, err, publish.Auth)
	if e := asError(err); e != nil && e.Revoked != revoked {
		t.Errorf("got revoked %v, want %v", e.Revoked, revoked)
	}
}

// Pages are found among the roles of a member with many of them, beyond the first page of the list. Administrators and
// content administrators qualify; other roles do not.
func TestExchange_PagesOfEveryRole(t *testing.T) {
	for role, want := range map[string]bool{"ADMINISTRATOR": true, "CONTENT_ADMINISTRATOR": true, "CONTENT_ADMIN": true, "ANALYST": false} {
		r := newRig(t)
		r.stand.SetRules(stand.Rules{Role: role})
		r.connect()
		n := len(r.grant.Identities)
		if (n == 2) != want || n == 2 && r.grant.Identities[1].ID != r.acme.ID {
			t.Errorf("%s: got identities %+v", role, r.grant.Identities)
		}
		if got := r.calls("organizations"); got > 2 { // one call belongs to the first connection
			t.Errorf("%s: got %d page reads", role, got)
		}
	}
}

// A content administrator posts images for a page and no videos.
func TestPrepare_ContentAdministrator(t *testing.T) {
	r := newRig(t)
	r.stand.SetRules(stand.Rules{Role: "CONTENT_ADMINISTRATOR"})
	r.connect()
	d := r.photos(2)
	if _, err := r.Commit(t.Context(), r.acme, d, r.prepared(r.acme, d)); err != nil {
		t.Error(err)
	}
	_, err := r.Prepare(t.Context(), r.acme, r.film(0), nil, unsaved)
	kind(t, err, publish.Scope)
}

// An API version without /rest/me still has /v2/me.
func TestIdentify_WithoutVersionedMe(t *testing.T) {
	r := newRig(t)
	want, err := r.Identify(t.Context(), r.maya)
	if err != nil {
		t.Fatal(err)
	}
	for _, code := range []string{"NOT_FOUND", "RESOURCE_NOT_FOUND"} {
		r.fault(sandbox.Fault{Call: "me", Do: sandbox.Status, Status: 404, Code: code})
		if got, err := r.Identify(t.Context(), r.maya); err != nil || *got != *want {
			t.Errorf("%s: got %+v, %v", code, got, err)
		}
	}
	if h := r.wire("GET", "/v2/me").header; h.Get("LinkedIn-Version") != "" {
		t.Errorf("/v2/me is called with the version %s", h.Get("LinkedIn-Version"))
	}
	r.fault(sandbox.Fault{Call: "me", Do: sandbox.Status, Status: 500})
	_, err = r.Identify(t.Context(), r.maya)
	kind(t, err, publish.Transient)
}
