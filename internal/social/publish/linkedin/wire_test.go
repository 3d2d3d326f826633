// SPDX-License-Identifier: Apache-2.0

package linkedin_test

import (
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/reelops/reelops/internal/social/publish"
)

// Requests have the form that LinkedIn documents, as seen by the server.
func TestRequests_MatchTheDocumentation(t *testing.T) {
	r := newRig(t)
	d := r.film(9 << 20)
	note := r.prepared(r.acme, d)
	receipt, err := r.Commit(t.Context(), r.acme, d, note)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.Find(t.Context(), r.acme, d, note, r.clock.Now()); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Look(t.Context(), r.acme, d, receipt.Handle); err != nil {
		t.Fatal(err)
	}
	escaped := url.QueryEscape(r.acme.ID)
	for _, c := range []struct{ method, uri, body, rest string }{
		{"GET", "/rest/me", "", ""},
		{"GET", "/rest/organizationAcls?q=roleAssignee&state=APPROVED&start=100&count=100", "", "FINDER"},
		{"GET", "/rest/organizations/" + strings.TrimPrefix(r.acme.ID, "urn:li:organization:"), "", ""},
		{"POST", "/rest/videos?action=initializeUpload", `{"initializeUploadRequest":{"fileSizeBytes":9437184,"owner":"` + r.acme.ID + `","uploadCaptions":false,"uploadThumbnail":false}}`, ""},
		{"GET", "/rest/videos/urn%3Ali%3Avideo%3A", "", ""},
		{"GET", "/rest/posts?q=author&author=" + escaped + "&count=50&start=0&sortBy=CREATED", "", "FINDER"},
		{"GET", "/rest/posts/" + url.QueryEscape(receipt.Handle), "", ""},
	} {
		s := r.wire(c.method, c.uri)
		got := []string{
			s.body, s.header.Get("Authorization"), s.header.Get("LinkedIn-Version"), s.header.Get("X-Restli-Protocol-Version"), s.header.Get("X-RestLi-Method"),
		}
		if diff := cmp.Diff([]string{c.body, "Bearer " + r.acme.AccessToken, "202607", "2.0.0", c.rest}, got); diff != "" {
			t.Errorf("%s %s (-want +got):\n%s", c.method, c.uri, diff)
		}
		if c.method == "POST" && s.header.Get("Content-Type") != "application/json" {
			t.Errorf("%s: got content type %s", c.uri, s.header.Get("Content-Type"))
		}
	}
	end := r.wire("POST", "/rest/videos?action=finalizeUpload")
	if !strings.HasPrefix(end.body, `{"finalizeUploadRequest":{"uploadToken":"","uploadedPartIds":["/ambry-video/`) || strings.Count(end.body, "ambry") != 3 {
		t.Errorf("three parts are finalized with %s", end.body)
	}
	part := r.wire("PUT", "/dms-uploads/")
	if part.length != 1<<20 || part.header.Get("Content-Type") != "application/octet-stream" {
		t.Errorf("the last part has %d bytes of %s", part.length, part.header.Get("Content-Type"))
	}
	post := r.wire("POST", "/rest/posts")
	want := `{"author":"` + r.acme.ID + `","commentary":"Slow \\(very\\) 🥖 #bread","visibility":"PUBLIC",` +
		`"distribution":{"feedDistribution":"MAIN_FEED","targetEntities":[],"thirdPartyDistributionChannels":[]},` +
		`"content":{"media":{"id":"ASSET","title":"Bread & <butter>"}},"lifecycleState":"PUBLISHED","isReshareDisabledByAuthor":false}`
	_, rest, _ := strings.Cut(post.body, `"media":{"id":"`)
	asset, _, _ := strings.Cut(rest, `"`)
	if diff := cmp.Diff(want, strings.Replace(post.body, asset, "ASSET", 1)); diff != "" || !strings.HasPrefix(asset, "urn:li:video:") {
		t.Errorf("body of the post (-want +got):\n%s", diff)
	}
}

// Tokens are requested with a form that contains the app's secret. No header contains it.
func TestRequests_OfTokens(t *testing.T) {
	r := newRig(t)
	s := r.wire("POST", "/oauth/v2/accessToken")
	form, err := url.ParseQuery(s.body)
	if err != nil || s.header.Get("Content-Type") != "application/x-www-form-urlencoded" || s.header.Get("Authorization") != "" {
		t.Errorf("code exchange: got headers %q, %v", s.header, err)
	}
	if len(form.Get("code")) < 10 {
		t.Error("the form has no code")
	}
	form.Del("code")
	want := url.Values{"grant_type": {"authorization_code"}, "client_id": {"sandbox-app"}, "client_secret": {"sandbox-secret"}, "redirect_uri": {redirectURI}}
	if diff := cmp.Diff(want, form); diff != "" {
		t.Errorf("code exchange (-want +got):\n%s", diff)
	}
}

func TestAuthorizeURL(t *testing.T) {
	r := newRig(t)
	for pages, want := range map[bool]string{
		true:  "r_basicprofile w_member_social w_organization_social r_organization_social rw_organization_admin",
		false: "openid profile w_member_social",
	} {
		c := r.config
		c.Pages, c.WebBase = pages, ""
		r.open(c)
		u, err := url.Parse(r.AuthorizeURL(publish.Authorization{State: "a b", Verifier: strings.Repeat("v", 43), RedirectURI: redirectURI}))
		if err != nil {
			t.Fatal(err)
		}
		wanted := url.Values{"response_type": {"code"}, "client_id": {"sandbox-app"}, "redirect_uri": {redirectURI}, "scope": {want}, "state": {"a b"}}
		if diff := cmp.Diff(wanted, u.Query()); diff != "" || u.Host != "www.linkedin.com" || u.Path != "/oauth/v2/authorization" {
			t.Errorf("pages %v: %s (-want +got):\n%s", pages, u, diff)
		}
	}
}
