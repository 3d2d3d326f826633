// SPDX-License-Identifier: Apache-2.0

package posting

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/reelops/reelops/api/v1beta1"
)

func TestEffective(t *testing.T) {
	defaults := &v1beta1.PostSettings{
		TikTok: &v1beta1.TikTokSettings{
			PrivacyLevel: "FOLLOWER_OF_CREATOR", AllowDuet: ptr.To(false), Commercial: &v1beta1.TikTokCommercial{YourBrand: true},
		},
		YouTube:      &v1beta1.YouTubeSettings{Category: "22", NotifySubscribers: ptr.To(false)},
		FirstComment: ptr.To("More on our site"),
	}
	for name, tc := range map[string]struct {
		platform v1beta1.Platform
		own      v1beta1.PostSettings
		want     *v1beta1.PostSettings
	}{
		"defaults of the platform, without a comment if not supported": {
			platform: "tiktok", want: &v1beta1.PostSettings{TikTok: defaults.TikTok},
		},
		"own fields override defaults": {
			platform: "tiktok",
			own: v1beta1.PostSettings{TikTok: &v1beta1.TikTokSettings{
				PrivacyLevel: "SELF_ONLY", AllowDuet: ptr.To(true), AllowStitch: ptr.To(false), Commercial: &v1beta1.TikTokCommercial{},
			}},
			want: &v1beta1.PostSettings{TikTok: &v1beta1.TikTokSettings{
				PrivacyLevel: "SELF_ONLY", AllowDuet: ptr.To(true), AllowStitch: ptr.To(false), Commercial: &v1beta1.TikTokCommercial{},
			}},
		},
		"a false default is applied": {
			platform: "youtube", own: v1beta1.PostSettings{YouTube: &v1beta1.YouTubeSettings{Privacy: "unlisted"}},
			want: &v1beta1.PostSettings{
				YouTube:      &v1beta1.YouTubeSettings{Privacy: "unlisted", Category: "22", NotifySubscribers: ptr.To(false)},
				FirstComment: defaults.FirstComment,
			},
		},
		"an empty comment writes none": {platform: "linkedin", own: v1beta1.PostSettings{FirstComment: ptr.To("")}},
		"settings of other platforms are omitted": {
			platform: "instagram", own: v1beta1.PostSettings{TikTok: defaults.TikTok, FirstComment: ptr.To("x")},
			want: &v1beta1.PostSettings{FirstComment: ptr.To("x")},
		},
		"an own comment is kept if not supported, and rejected later": {
			platform: "tiktok", own: v1beta1.PostSettings{FirstComment: ptr.To("x"), TikTok: &v1beta1.TikTokSettings{}},
			want: &v1beta1.PostSettings{FirstComment: ptr.To("x"), TikTok: defaults.TikTok},
		},
	} {
		t.Run(name, func(t *testing.T) {
			if d := cmp.Diff(tc.want, Effective(tc.own, defaults, tc.platform)); d != "" {
				t.Error(d)
			}
		})
	}
	if got := Effective(v1beta1.PostSettings{}, nil, "tiktok"); got != nil {
		t.Errorf("no settings: got %v, want nil", got)
	}
}

// TestSettingsIssues checks settings against the rules of the platforms. An author's setting is an error; a default
// of the brand is a warning and is omitted.
func TestSettingsIssues(t *testing.T) {
	film := &Content{
		ShortID: 1, Video: &v1beta1.RenderOutput{BlobKey: "film", Bytes: 1, DurationMilliseconds: 9000},
		Photos: []Photo{{Key: "one"}, {Key: "two"}}, SlideMillis: []int64{0, 4500},
	}
	photos := &Content{ShortID: 1, Photos: film.Photos}
	image := func(kind string) *v1beta1.MediaAsset {
		return &v1beta1.MediaAsset{Status: v1beta1.MediaAssetStatus{BlobKey: "picture", Probe: &v1beta1.MediaProbe{Kind: kind}}}
	}
	images := map[int64]*v1beta1.MediaAsset{5: image("image"), 6: image("video"), 7: {}}
	creator := &v1beta1.Creator{PrivacyLevels: []string{"FOLLOWER_OF_CREATOR", "SELF_ONLY"}, DuetDisabled: true, MaxVideoSeconds: 10}
	tiktok := func(s v1beta1.TikTokSettings) v1beta1.PostSettings { return v1beta1.PostSettings{TikTok: &s} }
	cover := func(c v1beta1.PostCover) v1beta1.PostSettings { return v1beta1.PostSettings{Cover: &c} }
	comment := func(text string) v1beta1.PostSettings { return v1beta1.PostSettings{FirstComment: &text} }
	for name, tc := range map[string]struct {
		platform string
		content  *Content
		own      v1beta1.PostSettings
		defaults *v1beta1.PostSettings
		draft    bool
		account  func(*v1beta1.SocialAccountStatus)
		want     string // field of the issue, with ? for a warning; empty for none
		cover    *v1beta1.PostMediaCover
	}{
		"an offered audience":             {platform: "tiktok", own: tiktok(v1beta1.TikTokSettings{PrivacyLevel: "SELF_ONLY"})},
		"an audience that is not offered": {platform: "tiktok", own: tiktok(v1beta1.TikTokSettings{PrivacyLevel: "PUBLIC_TO_EVERYONE"}), want: "platform_customizations.3.tiktok.privacy_level"},
		"a default audience":              {platform: "tiktok", defaults: ptr.To(tiktok(v1beta1.TikTokSettings{PrivacyLevel: "PUBLIC_TO_EVERYONE"})), want: "posting_defaults.tiktok.privacy_level"},
		"an unknown creator":              {platform: "tiktok", own: tiktok(v1beta1.TikTokSettings{PrivacyLevel: "PUBLIC_TO_EVERYONE"}), account: func(s *v1beta1.SocialAccountStatus) { s.Creator = nil }},
		"hidden branded content":          {platform: "tiktok", own: tiktok(v1beta1.TikTokSettings{PrivacyLevel: "SELF_ONLY", Commercial: &v1beta1.TikTokCommercial{BrandedContent: true}}), want: "platform_customizations.3.tiktok.commercial.branded_content"},
		"a disabled interaction":          {platform: "tiktok", own: tiktok(v1beta1.TikTokSettings{AllowDuet: ptr.To(true)}), want: "platform_customizations.3.tiktok.allow_duet?"},
		"a video that is too long":        {platform: "tiktok", account: func(s *v1beta1.SocialAccountStatus) { s.Creator.MaxVideoSeconds = 8 }, want: "short_not_postable"},
		"a draft on TikTok":               {platform: "tiktok", draft: true, own: tiktok(v1beta1.TikTokSettings{PrivacyLevel: "PUBLIC_TO_EVERYONE"}), want: "platform_customizations.3.tiktok?"},
		"settings of another platform":    {platform: "youtube", own: tiktok(v1beta1.TikTokSettings{}), want: "platform_customizations.3.tiktok?"},
		"kids and subscribers": {
			platform: "youtube", own: v1beta1.PostSettings{YouTube: &v1beta1.YouTubeSettings{MadeForKids: ptr.To(true), NotifySubscribers: ptr.To(true)}},
			want: "platform_customizations.3.youtube.notify_subscribers?",
		},
		"a page and connections": {
			platform: "linkedin", own: v1beta1.PostSettings{LinkedIn: &v1beta1.LinkedInSettings{Visibility: "connections"}},
			account: func(s *v1beta1.SocialAccountStatus) { s.AccountType = "page" }, want: "platform_customizations.3.linkedin.visibility",
		},
		"a member and connections": {platform: "linkedin", own: v1beta1.PostSettings{LinkedIn: &v1beta1.LinkedInSettings{Visibility: "connections"}}},
		"a cover after the end of the reel": {
			platform: "instagram", own: v1beta1.PostSettings{Instagram: &v1beta1.InstagramSettings{CoverOffsetMillis: ptr.To[int64](9000)}},
			want: "platform_customizations.3.instagram.cover_offset_ms",
		},
		"a slide of a video":                    {platform: "tiktok", own: cover(v1beta1.PostCover{Slide: ptr.To[int32](2)}), cover: v1beta1.VideoCoverAt(4500)},
		"a slide if images are accepted":        {platform: "youtube", own: cover(v1beta1.PostCover{Slide: ptr.To[int32](2)}), cover: &v1beta1.PostMediaCover{ImageKey: "two"}},
		"a photo of a set":                      {platform: "tiktok", content: photos, own: cover(v1beta1.PostCover{Slide: ptr.To[int32](2)}), cover: &v1beta1.PostMediaCover{Photo: ptr.To[int32](1)}},
		"a photo if the first is used":          {platform: "linkedin", content: photos, own: cover(v1beta1.PostCover{Slide: ptr.To[int32](2)}), want: "platform_customizations.3.cover.slide"},
		"a missing slide":                       {platform: "tiktok", own: cover(v1beta1.PostCover{Slide: ptr.To[int32](3)}), want: "platform_customizations.3.cover.slide"},
		"a missing default slide":               {platform: "tiktok", defaults: ptr.To(cover(v1beta1.PostCover{Slide: ptr.To[int32](3)})), want: "posting_defaults.cover.slide?"},
		"a time offset":                         {platform: "instagram", own: cover(v1beta1.PostCover{OffsetMilliseconds: ptr.To[int64](8999)}), cover: v1beta1.VideoCoverAt(8999)},
		"a time offset in the earlier spelling": {platform: "instagram", own: cover(v1beta1.PostCover{OffsetMillis: ptr.To[int64](8999)}), cover: v1beta1.VideoCoverAt(8999)},
		"a time offset after the end":           {platform: "instagram", own: cover(v1beta1.PostCover{OffsetMillis: ptr.To[int64](9000)}), want: "platform_customizations.3.cover.offset_ms"},
		"a time offset if images are accepted":  {platform: "youtube", own: cover(v1beta1.PostCover{OffsetMillis: ptr.To[int64](1)}), want: "platform_customizations.3.cover.offset_ms"},
		"an image":                              {platform: "instagram", own: cover(v1beta1.PostCover{MediaID: ptr.To[int64](5)}), cover: &v1beta1.PostMediaCover{ImageKey: "picture"}},
		"a clip as image":                       {platform: "instagram", own: cover(v1beta1.PostCover{MediaID: ptr.To[int64](6)}), want: "platform_customizations.3.cover.media_id"},
		"an image that is not ready":            {platform: "instagram", own: cover(v1beta1.PostCover{MediaID: ptr.To[int64](7)}), want: "platform_customizations.3.cover.media_id"},
		"a missing image":                       {platform: "instagram", own: cover(v1beta1.PostCover{MediaID: ptr.To[int64](8)}), want: "platform_customizations.3.cover.media_id"},
		"an image if not accepted":              {platform: "tiktok", own: cover(v1beta1.PostCover{MediaID: ptr.To[int64](5)}), want: "platform_customizations.3.cover.media_id"},
		"a comment on TikTok":                   {platform: "tiktok", own: comment("x"), want: "platform_customizations.3.first_comment"},
		"a default comment on TikTok":           {platform: "tiktok", defaults: ptr.To(comment("x"))},
		"a comment":                             {platform: "instagram", own: comment("x")},
		"a comment that is too long":            {platform: "linkedin", own: comment(strings.Repeat("x", 1251)), want: "platform_customizations.3.first_comment"},
		"a comment without a permission": {
			platform: "instagram", own: comment("x"), want: "platform_customizations.3.first_comment",
			account: func(s *v1beta1.SocialAccountStatus) { s.MissingCommentScopes = []string{"comments"} },
		},
		"a default comment without a permission": {
			platform: "instagram", defaults: ptr.To(comment("x")), want: "posting_defaults.first_comment?",
			account: func(s *v1beta1.SocialAccountStatus) { s.MissingCommentScopes = []string{"comments"} },
		},
		"a comment on a private video": {
			platform: "youtube", own: v1beta1.PostSettings{FirstComment: ptr.To("x"), YouTube: &v1beta1.YouTubeSettings{Privacy: "private"}},
			want: "platform_customizations.3.first_comment",
		},
	} {
		t.Run(name, func(t *testing.T) {
			a := &v1beta1.SocialAccount{
				ObjectMeta: metav1.ObjectMeta{Name: "a", Labels: map[string]string{v1beta1.LabelID: "3"}},
				Spec:       v1beta1.SocialAccountSpec{Platform: v1beta1.Platform(tc.platform)},
			}
			if tc.platform == "tiktok" {
				a.Status.Creator = creator.DeepCopy()
			}
			if tc.account != nil {
				tc.account(&a.Status)
			}
			ask := Ask{Mode: "direct", Defaults: tc.defaults, Images: images}
			if tc.draft {
				ask.Mode = "draft"
			}
			content := film
			if tc.content != nil {
				content = tc.content
			}
			content.Title = "Tea"
			v := Judge(content, ask, []Target{{Platform: v1beta1.Platform(tc.platform), Account: a, Settings: tc.own}})[0]
			got := ""
			for _, i := range v.Issues {
				if got != "" {
					t.Errorf("got more than one issue: %+v", v.Issues)
				}
				name, ok := i.Details["field"].(string)
				if !ok {
					name = string(i.Code)
				}
				if i.Warning {
					name += "?"
				}
				got = name
			}
			if got != tc.want {
				t.Errorf("got the issue %q, want %q", got, tc.want)
			}
			if d := cmp.Diff(tc.cover, v.Media.Cover); d != "" {
				t.Error(d)
			}
		})
	}
}
