// SPDX-License-Identifier: Apache-2.0

package contract_test

import (
	"fmt"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"k8s.io/utils/ptr"

	"github.com/reelops/reelops/api/v1alpha1"
	"github.com/reelops/reelops/internal/catalog"
)

var _ = Describe("Platform settings", func() {
	var t *tenant
	var key string
	var f *front
	BeforeEach(func() {
		t = newTenant()
		key, f = t.everything(), generous()
	})
	body := func(short, account int64, settings object) object {
		return object{"short_id": short, "social_data_ids": []int64{account}, "platform_customizations": object{fmt.Sprint(account): settings}}
	}
	create := func(body any) *request { return post("/posts", body).with(key).at(f) }

	It("are taken per account and completed by the brand's posting defaults, field by field, when the post is accepted", func() {
		change(t.acme, func() {
			t.acme.Spec.PostingDefaults = &v1alpha1.PostSettings{
				TikTok:   &v1alpha1.TikTokSettings{PrivacyLevel: "MUTUAL_FOLLOW_FRIENDS", AllowDuet: ptr.To(false)},
				LinkedIn: &v1alpha1.LinkedInSettings{Visibility: "public"},
			}
		})
		short, account := t.drawn(), t.social("tiktok")
		Eventually(func() any { return get("/brand").with(key).at(f).succeeds(200).at("data.posting_defaults") }).Should(Equal(object{
			"tiktok": object{"privacy_level": "MUTUAL_FOLLOW_FRIENDS", "allow_duet": false}, "linkedin": object{"visibility": "public"},
		}))
		id := create(body(short, account, object{"tiktok": object{
			"privacy_level": "SELF_ONLY", "allow_comment": false, "commercial": object{"your_brand": true}, "ai_generated": true,
		}})).succeeds(202).id("data.results.0.share_id")
		want := &v1alpha1.PostSettings{TikTok: &v1alpha1.TikTokSettings{
			PrivacyLevel: "SELF_ONLY", AllowComment: ptr.To(false), AllowDuet: ptr.To(false),
			Commercial: &v1alpha1.TikTokCommercial{YourBrand: true}, AIGenerated: ptr.To(true),
		}}
		Expect(t.post(id).Spec.Settings).To(Equal(want))
		Expect(t.batches()[0].Spec.Accounts[0].PostSettings).To(Equal(*want), "whoever creates the post creates the same one")
	})

	DescribeTable("refuse a value that no post could have, by its field", func(platform string, settings object, field string) {
		account := t.social(platform)
		b := body(t.drawn(), account, settings)
		field = fmt.Sprintf("platform_customizations.%d.%s", account, field)
		create(b).loosely().refused(422, catalog.ValidationFailed).about(field)
		post("/posts/validate", b).with(key).at(f).loosely().refused(422, catalog.ValidationFailed).about(field)
		Expect(t.batches()).To(BeEmpty())
	},
		Entry("an audience of TikTok", "tiktok", object{"tiktok": object{"privacy_level": "EVERYBODY"}}, "tiktok.privacy_level"),
		Entry("an audience of YouTube", "youtube", object{"youtube": object{"privacy": "hidden"}}, "youtube.privacy"),
		Entry("a category that is no number", "youtube", object{"youtube": object{"category": "music"}}, "youtube.category"),
		Entry("a moment before the video", "instagram", object{"instagram": object{"cover_offset_ms": -1}}, "instagram.cover_offset_ms"),
		Entry("a cover that is chosen twice", "tiktok", object{"cover": object{"slide": 1, "offset_ms": 5}}, "cover"),
		Entry("a cover that is not chosen", "tiktok", object{"cover": object{}}, "cover"),
	)
})
