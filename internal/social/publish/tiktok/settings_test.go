// SPDX-License-Identifier: Apache-2.0

package tiktok_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/utils/ptr"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/social/publish"
	"github.com/reelops/reelops/internal/social/publish/tiktok"
	"github.com/reelops/reelops/internal/social/sandbox"
	stand "github.com/reelops/reelops/internal/social/sandbox/tiktok"
)

var everything = v1beta1.TikTokSettings{
	PrivacyLevel: "MUTUAL_FOLLOW_FRIENDS", AllowComment: ptr.To(false), AllowDuet: ptr.To(false), AllowStitch: ptr.To(false),
	Commercial: &v1beta1.TikTokCommercial{YourBrand: true, BrandedContent: true}, AIGenerated: ptr.To(true),
}

func TestPublish_SendsTheSettings(t *testing.T) {
	for name, c := range map[string]struct {
		settings *v1beta1.TikTokSettings
		cover    *publish.Cover
		off      stand.Interactions
		photos   bool
		want     stand.Post
	}{
		"none":                             {want: stand.Post{Privacy: "PUBLIC_TO_EVERYONE"}},
		"no settings, restrictive account": {off: stand.Interactions{Duet: true}, want: stand.Post{Privacy: "PUBLIC_TO_EVERYONE", NoDuet: true}},
		"all":                              {settings: &everything, cover: &publish.Cover{Offset: ptr.To(1500 * time.Millisecond)}, want: stand.Post{Privacy: "MUTUAL_FOLLOW_FRIENDS", NoComment: true, NoDuet: true, NoStitch: true, BrandContent: true, BrandOrganic: true, AIGenerated: true, CoverMillis: 1500}},
		"all allowed, restrictive account": {settings: &v1beta1.TikTokSettings{AllowComment: ptr.To(true)}, off: stand.Interactions{Comment: true}, want: stand.Post{Privacy: "PUBLIC_TO_EVERYONE", NoComment: true}},
		"own business, visible to oneself": {settings: &v1beta1.TikTokSettings{PrivacyLevel: "SELF_ONLY", Commercial: &v1beta1.TikTokCommercial{YourBrand: true}}, want: stand.Post{Privacy: "SELF_ONLY", BrandOrganic: true}},
		"no settings, photos":              {photos: true, want: stand.Post{Privacy: "PUBLIC_TO_EVERYONE"}},
		"all settings, photos":             {photos: true, settings: &everything, cover: &publish.Cover{Photo: ptr.To(1)}, want: stand.Post{Privacy: "MUTUAL_FOLLOW_FRIENDS", NoComment: true, BrandContent: true, BrandOrganic: true, AIGenerated: true, CoverPhoto: 1}},
		"photos, restrictive account":      {photos: true, off: stand.Interactions{Comment: true}, want: stand.Post{Privacy: "PUBLIC_TO_EVERYONE", NoComment: true}},
		"an image that is not accepted":    {cover: &publish.Cover{Image: &publish.Media{}}, want: stand.Post{Privacy: "PUBLIC_TO_EVERYONE"}},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			r.stand.SetDisabled("maya", c.off)
			d := r.film(catalog.PostDirect, 0)
			if c.photos {
				d = r.photos(catalog.PostDirect)
			}
			d.Settings.TikTok, d.Cover = c.settings, c.cover
			receipt := r.accepted(d)
			posts := r.stand.Posts()
			if len(posts) != 1 {
				t.Fatalf("got %d posts", len(posts))
			}
			c.want.ID, c.want.Account = r.one().ID, "maya"
			if diff := cmp.Diff(c.want, posts[0]); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
			warned := receipt.View != nil && len(receipt.View.Warnings) > 0
			if image := c.cover != nil && c.cover.Image != nil; image != warned {
				t.Errorf("got receipt %+v", receipt.View)
			}
		})
	}
}

// A chosen audience is never replaced by another one.
func TestPrepare_RejectsAnUnavailableAudience(t *testing.T) {
	branded := &v1beta1.TikTokCommercial{BrandedContent: true}
	for name, c := range map[string]struct {
		settings v1beta1.TikTokSettings
		ceiling  string
		private  bool
		want     string
	}{
		"the account does not offer it":      {settings: v1beta1.TikTokSettings{PrivacyLevel: "PUBLIC_TO_EVERYONE"}, private: true, want: "FOLLOWER_OF_CREATOR, MUTUAL_FOLLOW_FRIENDS, SELF_ONLY"},
		"the installation does not allow it": {settings: v1beta1.TikTokSettings{PrivacyLevel: "PUBLIC_TO_EVERYONE"}, ceiling: "SELF_ONLY", want: "no wider audience than SELF_ONLY"},
		"branded content for oneself":        {settings: v1beta1.TikTokSettings{PrivacyLevel: "SELF_ONLY", Commercial: branded}, want: "Branded content"},
		"branded content, with such a limit": {settings: v1beta1.TikTokSettings{Commercial: branded}, ceiling: "SELF_ONLY", want: "Branded content"},
		"an unknown audience":                {settings: v1beta1.TikTokSettings{PrivacyLevel: "EVERYBODY"}, want: "no wider audience"},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			r.config.Privacy = c.ceiling
			r.open(r.config)
			r.stand.SetPrivate("maya", c.private)
			for _, d := range []publish.Draft{r.film(catalog.PostDirect, 0), r.photos(catalog.PostDirect)} {
				d.Settings.TikTok = &c.settings
				_, err := r.Prepare(t.Context(), r.maya, d, nil, r.save)
				var e *publish.Error
				if !errors.As(err, &e) || e.Kind != publish.Rejected || !strings.Contains(e.Safe, c.want) {
					t.Errorf("%s: got %v", d.Kind, err)
				}
			}
			if n := r.calls("video.init"); n > 0 {
				t.Errorf("got %d uploads", n)
			}
		})
	}
}

// Drafts are finished in TikTok's app, where the user chooses these settings.
func TestPrepare_DraftsHaveNoSettings(t *testing.T) {
	r := newRig(t)
	d := r.film(catalog.PostDraft, 0)
	d.Settings.TikTok = &v1beta1.TikTokSettings{PrivacyLevel: "SELF_ONLY", Commercial: &v1beta1.TikTokCommercial{BrandedContent: true}}
	r.accepted(d)
	if l := r.one(); l.Visibility != sandbox.Inbox {
		t.Errorf("got %+v", l)
	}
}

// A preparation with other settings is started again, because the settings are sent in its first call.
func TestPrepare_RestartsWhenSettingsChange(t *testing.T) {
	r := newRig(t)
	d := r.film(catalog.PostDirect, 0)
	note := r.prepared(d)
	d.Settings.TikTok = &v1beta1.TikTokSettings{PrivacyLevel: "SELF_ONLY"}
	_, err := r.Prepare(t.Context(), r.maya, d, note, r.save)
	kind(t, err, publish.Expired)
	r.accepted(d)
	if p := r.stand.Posts(); len(p) != 1 || p[0].Privacy != "SELF_ONLY" {
		t.Errorf("got %+v", p)
	}
}

func TestCover_MissingOffsets(t *testing.T) {
	r := newRig(t)
	for _, offset := range []time.Duration{-1, 4 * time.Second} {
		d := r.film(catalog.PostDirect, 0)
		d.Cover = &publish.Cover{Offset: &offset}
		_, err := r.Prepare(t.Context(), r.maya, d, nil, r.save)
		kind(t, err, publish.Rejected)
	}
	for _, photo := range []int{-1, 2} {
		d := r.photos(catalog.PostDirect)
		d.Cover = &publish.Cover{Photo: &photo}
		_, err := r.Prepare(t.Context(), r.maya, d, nil, r.save)
		kind(t, err, publish.Rejected)
	}
}

func TestCreator(t *testing.T) {
	r := newRig(t)
	r.stand.SetPrivate("maya", true)
	r.stand.SetDisabled("maya", stand.Interactions{Stitch: true})
	got, err := r.Creator(t.Context(), r.maya)
	if err != nil {
		t.Fatal(err)
	}
	a, _ := r.core.AccountByName("tiktok", "maya")
	want := &publish.Creator{
		Nickname: a.Display, AvatarURL: a.Avatar, PrivacyLevels: []string{"FOLLOWER_OF_CREATOR", "MUTUAL_FOLLOW_FRIENDS", "SELF_ONLY"},
		StitchDisabled: true, MaxVideoDuration: 10 * time.Minute,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	r.fault(sandbox.Fault{Call: "creator_info.query", Do: sandbox.Status, Status: http.StatusForbidden, Code: "spam_risk_too_many_posts"})
	_, err = r.Creator(t.Context(), r.maya)
	kind(t, err, publish.RateLimited)
}

// TikTok accepts five unfinished drafts of an account in 24 hours. The user can finish them.
func TestPrepare_SixthDraft(t *testing.T) {
	r := newRig(t)
	d := r.film(catalog.PostDraft, 0)
	var first string
	for i := range 5 {
		receipt := r.accepted(d)
		if i == 0 {
			first = receipt.Handle
		}
	}
	_, err := r.Prepare(t.Context(), r.maya, d, nil, r.save)
	var e *publish.Error
	if !errors.As(err, &e) || e.Kind != publish.RateLimited || e.RetryAfter != time.Hour || e.AppWide || !strings.Contains(e.Safe, "inbox") {
		t.Fatalf("got %v", err)
	}
	r.clock.Step(time.Minute)
	id := first[strings.Index(first, "v_inbox"):]
	if err := r.stand.Finish(id[:strings.Index(id, `"`)], 1); err != nil {
		t.Fatal(err)
	}
	r.accepted(d)
}

// Limits for which TikTok reports no end block the account for a fixed time.
func TestLimits_Duration(t *testing.T) {
	for code, c := range map[string]struct {
		hold    time.Duration
		appWide bool
	}{
		"spam_risk_too_many_posts":         {hold: 24 * time.Hour},
		"spam_risk_too_many_pending_share": {hold: time.Hour},
		"reached_active_user_cap":          {hold: time.Hour, appWide: true},
		"rate_limit_exceeded":              {hold: time.Minute},
	} {
		for _, call := range []string{"creator_info.query", "video.init"} {
			r := newRig(t)
			r.fault(sandbox.Fault{Call: call, Do: sandbox.Status, Status: http.StatusForbidden, Code: code, Times: -1})
			_, err := r.Prepare(t.Context(), r.maya, r.film(catalog.PostDirect, 0), nil, r.save)
			var e *publish.Error
			if !errors.As(err, &e) || e.Kind != publish.RateLimited || e.RetryAfter != c.hold || e.AppWide != c.appWide {
				t.Errorf("%s from %s: got %+v", code, call, e)
			}
		}
	}
	r := newRig(t)
	r.fault(sandbox.Fault{Call: sandbox.CallProcessing, Do: sandbox.Fail, Code: "spam_risk_too_many_posts"})
	d := r.film(catalog.PostDirect, 0)
	receipt := r.accepted(d)
	r.clock.Step(time.Minute)
	if v := r.look(d, receipt.Handle); v.Failed == nil || v.Failed.RetryAfter != 24*time.Hour {
		t.Errorf("got %+v", v)
	}
	r.fault(sandbox.Fault{Call: "creator_info.query", Do: sandbox.Status, Status: http.StatusForbidden, Code: "spam_risk_too_many_posts"})
	if h, err := r.Headroom(t.Context(), r.maya); err != nil || !h.Limited || !h.ResetsAt.Equal(r.clock.Now().Add(24*time.Hour)) {
		t.Errorf("got %+v, %v", h, err)
	}
}

// SELF_ONLY does not help a public account of an app that was not audited. The message names both remedies.
func TestCommit_UnauditedApp(t *testing.T) {
	r := newRig(t)
	l := stand.Default()
	l.Unaudited = true
	r.stand.SetLimits(l)
	d := r.film(catalog.PostDirect, 0)
	d.Settings.TikTok = &v1beta1.TikTokSettings{PrivacyLevel: "SELF_ONLY"}
	_, err := r.Prepare(t.Context(), r.maya, d, nil, r.save)
	var e *publish.Error
	if !errors.As(err, &e) || !strings.Contains(e.Safe, "Make the account private in TikTok and choose SELF_ONLY, or post as a draft.") {
		t.Errorf("got %v", err)
	}
	r.stand.SetPrivate("maya", true)
	r.accepted(d)
}

// Scopes for which the app was not approved are not requested, and scopes that were not requested are not lacking.
func TestScopes(t *testing.T) {
	r := newRig(t)
	for name, c := range map[string]struct {
		scopes   []string
		withhold string
		lacking  []string
	}{
		"the default":             {},
		"the default, one denied": {withhold: "video.publish", lacking: []string{"video.publish"}},
		"everything":              {scopes: tiktok.AllScopes},
		"an optional one denied":  {scopes: tiktok.AllScopes, withhold: "video.list"},
		"drafts only":             {scopes: []string{"user.info.basic", "video.upload"}},
	} {
		r.config.Scopes = c.scopes
		r.open(r.config)
		a := publish.Authorization{State: "s", Verifier: strings.Repeat("v", 43), RedirectURI: "https://reelops.example/oauth/tiktok/callback"}
		page := r.AuthorizeURL(a) + "&approve=maya"
		if c.withhold != "" {
			page += "&withhold=" + c.withhold
		}
		browser := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
		res, err := browser.Get(page)
		if err != nil {
			t.Fatal(err)
		}
		_ = res.Body.Close()
		back, err := res.Location()
		if err != nil {
			t.Fatalf("%s: the page returned %d", name, res.StatusCode)
		}
		g, err := r.Exchange(t.Context(), back.Query().Get("code"), a)
		if err != nil {
			t.Fatalf("%s: got %v (%s)", name, err, back.RawQuery)
		}
		if diff := cmp.Diff(c.lacking, g.Lacking); diff != "" {
			t.Errorf("%s: lacking -want +got\n%s", name, diff)
		}
		want := len(r.Scopes())
		if c.withhold != "" {
			want--
		}
		if len(g.Tokens.Scopes) != want {
			t.Errorf("%s: granted %v of %v", name, g.Tokens.Scopes, r.Scopes())
		}
	}
	if _, err := tiktok.New(tiktok.Config{Scopes: []string{"user.info.basic"}}); err == nil || !strings.Contains(err.Error(), "video.publish") {
		t.Errorf("scopes without publishing: got %v", err)
	}
}
