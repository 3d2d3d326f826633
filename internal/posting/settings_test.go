// SPDX-License-Identifier: Apache-2.0

package posting

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/utils/ptr"

	"github.com/reelops/reelops/api/v1alpha1"
)

func TestEffective(t *testing.T) {
	defaults := &v1alpha1.PostSettings{
		TikTok: &v1alpha1.TikTokSettings{
			PrivacyLevel: "FOLLOWER_OF_CREATOR", AllowDuet: ptr.To(false), Commercial: &v1alpha1.TikTokCommercial{YourBrand: true},
		},
		YouTube:      &v1alpha1.YouTubeSettings{Category: "22", NotifySubscribers: ptr.To(false)},
		FirstComment: ptr.To("More on our site"),
	}
	for name, tc := range map[string]struct {
		platform v1alpha1.Platform
		own      v1alpha1.PostSettings
		want     *v1alpha1.PostSettings
	}{
		"the defaults of its platform, without a comment where there are none": {
			platform: "tiktok", want: &v1alpha1.PostSettings{TikTok: defaults.TikTok},
		},
		"own fields win one by one": {
			platform: "tiktok",
			own: v1alpha1.PostSettings{TikTok: &v1alpha1.TikTokSettings{
				PrivacyLevel: "SELF_ONLY", AllowDuet: ptr.To(true), AllowStitch: ptr.To(false), Commercial: &v1alpha1.TikTokCommercial{},
			}},
			want: &v1alpha1.PostSettings{TikTok: &v1alpha1.TikTokSettings{
				PrivacyLevel: "SELF_ONLY", AllowDuet: ptr.To(true), AllowStitch: ptr.To(false), Commercial: &v1alpha1.TikTokCommercial{},
			}},
		},
		"a false default completes": {
			platform: "youtube", own: v1alpha1.PostSettings{YouTube: &v1alpha1.YouTubeSettings{Privacy: "unlisted"}},
			want: &v1alpha1.PostSettings{
				YouTube:      &v1alpha1.YouTubeSettings{Privacy: "unlisted", Category: "22", NotifySubscribers: ptr.To(false)},
				FirstComment: defaults.FirstComment,
			},
		},
		"an empty comment writes none": {platform: "linkedin", own: v1alpha1.PostSettings{FirstComment: ptr.To("")}},
		"settings of other platforms are left out": {
			platform: "instagram", own: v1alpha1.PostSettings{TikTok: defaults.TikTok, FirstComment: ptr.To("x")},
			want: &v1alpha1.PostSettings{FirstComment: ptr.To("x")},
		},
		"an own comment stays where there are none, to be refused": {
			platform: "tiktok", own: v1alpha1.PostSettings{FirstComment: ptr.To("x"), TikTok: &v1alpha1.TikTokSettings{}},
			want: &v1alpha1.PostSettings{FirstComment: ptr.To("x"), TikTok: defaults.TikTok},
		},
	} {
		t.Run(name, func(t *testing.T) {
			if d := cmp.Diff(tc.want, Effective(tc.own, defaults, tc.platform)); d != "" {
				t.Error(d)
			}
		})
	}
	if got := Effective(v1alpha1.PostSettings{}, nil, "tiktok"); got != nil {
		t.Errorf("no settings give %v, want nil", got)
	}
}
