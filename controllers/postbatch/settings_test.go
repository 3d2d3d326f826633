// SPDX-License-Identifier: Apache-2.0

package postbatch_test

import (
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
)

// defaults sets the posting defaults of the brand.
func (u *run) defaults(s v1beta1.PostSettings) {
	u.t.Helper()
	b := &v1beta1.Brand{}
	u.must(cluster.Client.Get(u.t.Context(), u.key("acme"), b))
	b.Spec.PostingDefaults = &s
	u.must(cluster.Client.Update(u.t.Context(), b))
}

// image creates a ready image of a brand or of the whole account. It returns the image's id and blob key.
func (u *run) image(brand string) (id int64, key string) {
	u.t.Helper()
	id = ids.Add(1)
	key = "media/" + strconv.FormatInt(id, 10) + "/file.jpg"
	m := &v1beta1.MediaAsset{
		ObjectMeta: metav1.ObjectMeta{Namespace: u.ns, Name: "image-" + strconv.FormatInt(id, 10), Labels: map[string]string{v1beta1.LabelID: strconv.FormatInt(id, 10)}},
		Spec:       v1beta1.MediaAssetSpec{Source: v1beta1.MediaSource{BlobKey: ptr.To("imports/" + key)}},
	}
	if brand != "" {
		m.Spec.BrandRef = &v1beta1.LocalRef{Name: brand}
	}
	u.must(cluster.Client.Create(u.t.Context(), m))
	m.Status.BlobKey, m.Status.Probe = key, &v1beta1.MediaProbe{Kind: "image", ContentType: "image/jpeg", Bytes: 9, Width: 1080, Height: 1920}
	u.must(cluster.Client.Status().Update(u.t.Context(), m))
	return id, key
}

func TestSettings(t *testing.T) {
	t.Run("completes settings by those of the brand, field by field, and fixes them in the post", func(t *testing.T) {
		u := start(t)
		u.defaults(v1beta1.PostSettings{
			TikTok:       &v1beta1.TikTokSettings{PrivacyLevel: "MUTUAL_FOLLOW_FRIENDS", AllowDuet: ptr.To(false), Commercial: &v1beta1.TikTokCommercial{BrandedContent: true}},
			YouTube:      &v1beta1.YouTubeSettings{Privacy: "unlisted", Category: "27"},
			FirstComment: ptr.To("Of the brand"),
		})
		u.account("tiktok", "tik")
		u.account("youtube", "tube")
		u.filmed(u.video("tidy"))
		id, key := u.image("acme")
		u.batch("promo", func(b *v1beta1.PostBatch) {
			b.Spec.Accounts = accounts("tik", "tube")
			b.Spec.Accounts[0].PostSettings = v1beta1.PostSettings{
				TikTok: &v1beta1.TikTokSettings{AllowComment: ptr.To(false), Commercial: &v1beta1.TikTokCommercial{YourBrand: true}},
				Cover:  &v1beta1.PostCover{OffsetMillis: ptr.To[int64](1500)},
			}
			b.Spec.Accounts[1].PostSettings = v1beta1.PostSettings{
				YouTube: &v1beta1.YouTubeSettings{NotifySubscribers: ptr.To(false), Privacy: "public"},
				Cover:   &v1beta1.PostCover{MediaID: &id}, FirstComment: ptr.To("More below"),
			}
		})
		u.settle("promo")
		posts := map[string]v1beta1.PostSpec{}
		for _, p := range u.posts() {
			posts[p.Spec.Account] = p.Spec
		}
		if len(posts) != 2 {
			t.Fatalf("got posts %+v, batch %+v", posts, u.live("promo").Status)
		}
		for account, want := range map[string]struct {
			settings v1beta1.PostSettings
			cover    v1beta1.PostMediaCover
		}{
			"tik": {v1beta1.PostSettings{
				TikTok: &v1beta1.TikTokSettings{
					PrivacyLevel: "MUTUAL_FOLLOW_FRIENDS", AllowComment: ptr.To(false), AllowDuet: ptr.To(false),
					Commercial: &v1beta1.TikTokCommercial{YourBrand: true},
				},
				Cover: &v1beta1.PostCover{OffsetMillis: ptr.To[int64](1500)},
			}, *v1beta1.VideoCoverAt(1500)}, // TikTok has no API for comments: the brand's default is left out
			"tube": {v1beta1.PostSettings{
				YouTube: &v1beta1.YouTubeSettings{Privacy: "public", NotifySubscribers: ptr.To(false), Category: "27"},
				Cover:   &v1beta1.PostCover{MediaID: &id}, FirstComment: ptr.To("More below"),
			}, v1beta1.PostMediaCover{ImageKey: key}},
		} {
			if diff := cmp.Diff(&want.settings, posts[account].Settings); diff != "" {
				t.Errorf("settings of %s (-want +got):\n%s", account, diff)
			}
			if diff := cmp.Diff(&want.cover, posts[account].Media.Cover); diff != "" {
				t.Errorf("cover of %s (-want +got):\n%s", account, diff)
			}
		}
	})

	t.Run("rejects impossible settings with the code and the field of the REST API", func(t *testing.T) {
		u := start(t)
		u.account("tiktok", "tik")
		u.account("youtube", "tube")
		u.account("linkedin", "link")
		u.filmed(u.video("tidy"))
		a := &v1beta1.Brand{ObjectMeta: metav1.ObjectMeta{Namespace: u.ns, Name: "other"}}
		u.must(client.IgnoreAlreadyExists(cluster.Client.Create(t.Context(), a)))
		other, _ := u.image("other")
		for name, c := range map[string]struct {
			account, field string
			settings       v1beta1.PostSettings
		}{
			"private": {"tik", "tiktok.commercial.branded_content", v1beta1.PostSettings{TikTok: &v1beta1.TikTokSettings{
				PrivacyLevel: "SELF_ONLY", Commercial: &v1beta1.TikTokCommercial{BrandedContent: true},
			}}},
			"comment": {"tik", "first_comment", v1beta1.PostSettings{FirstComment: ptr.To("More")}},
			"alone":   {"tube", "first_comment", v1beta1.PostSettings{YouTube: &v1beta1.YouTubeSettings{Privacy: "private"}, FirstComment: ptr.To("More")}},
			"moment":  {"tube", "cover.offset_ms", v1beta1.PostSettings{Cover: &v1beta1.PostCover{OffsetMillis: ptr.To[int64](1)}}},
			"foreign": {"link", "cover.media_id", v1beta1.PostSettings{Cover: &v1beta1.PostCover{MediaID: &other}}},
			"slide":   {"link", "cover.slide", v1beta1.PostSettings{Cover: &v1beta1.PostCover{Slide: ptr.To[int32](9)}}},
		} {
			u.batch(name, func(b *v1beta1.PostBatch) {
				b.Spec.Accounts = accounts(c.account)
				b.Spec.Accounts[0].PostSettings = c.settings
			})
			u.settle(name)
			var account v1beta1.SocialAccount
			u.must(cluster.Client.Get(t.Context(), u.key(c.account), &account))
			want := "platform_customizations." + account.Labels[v1beta1.LabelID] + "." + c.field
			if e := u.live(name).Status.Targets[0].Error; e == nil || e.Code != "validation_failed" || e.Details["field"] != want {
				t.Errorf("%s: got error %+v, want the field %s", name, e, want)
			}
		}
		if posts := u.posts(); len(posts) > 0 {
			t.Errorf("got posts %+v", posts)
		}
	})
}
