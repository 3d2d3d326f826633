// SPDX-License-Identifier: Apache-2.0

package contract_test

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"slices"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/reelops/reelops/api/v1beta1"
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

	It("are set per account and completed from the brand's posting defaults, field by field, on acceptance", func() {
		change(t.acme, func() {
			t.acme.Spec.PostingDefaults = &v1beta1.PostSettings{
				TikTok:   &v1beta1.TikTokSettings{PrivacyLevel: "MUTUAL_FOLLOW_FRIENDS", AllowDuet: ptr.To(false)},
				LinkedIn: &v1beta1.LinkedInSettings{Visibility: "public"},
			}
		})
		short, account := t.laidOut(), t.social("tiktok")
		Eventually(func() any { return get("/brand").with(key).at(f).succeeds(200).at("data.posting_defaults") }).Should(Equal(object{
			"tiktok": object{"privacy_level": "MUTUAL_FOLLOW_FRIENDS", "allow_duet": false}, "linkedin": object{"visibility": "public"},
		}))
		id := create(body(short, account, object{"tiktok": object{
			"privacy_level": "SELF_ONLY", "allow_comment": false, "commercial": object{"your_brand": true}, "ai_generated": true,
		}})).succeeds(202).id("data.results.0.share_id")
		want := &v1beta1.PostSettings{TikTok: &v1beta1.TikTokSettings{
			PrivacyLevel: "SELF_ONLY", AllowComment: ptr.To(false), AllowDuet: ptr.To(false),
			Commercial: &v1beta1.TikTokCommercial{YourBrand: true}, AIGenerated: ptr.To(true),
		}}
		Expect(t.post(id).Spec.Settings).To(Equal(want))
		Expect(t.batches()[0].Spec.Accounts[0].PostSettings).To(Equal(*want),
			"whichever process creates the post, it is the same")
	})

	It("warn while posting of the brand is suspended", func() {
		b := body(t.laidOut(), t.social("tiktok"), object{})
		Expect(create(b).succeeds(202).meta()).NotTo(HaveKey("warnings"))
		change(t.acme, func() { t.acme.Spec.PostingSuspended = true })
		suspended := And(HaveKeyWithValue("code", "conflict"), HaveKeyWithValue("message", HavePrefix("Posting of the brand is suspended")))
		Eventually(func() any { return post("/posts/validate", b).with(key).at(f).succeeds(200).at("data.issues") }).Should(ContainElement(suspended))
		Expect(post("/posts/validate", b).with(key).at(f).succeeds(200).at("data.ok")).To(BeTrue())
		Expect(create(b).succeeds(202).at("meta.warnings")).To(ContainElement(suspended))
	})

	DescribeTable("reject a value that no post can have, by its field", func(platform string, settings object, field string) {
		account := t.social(platform)
		b := body(t.laidOut(), account, settings)
		field = fmt.Sprintf("platform_customizations.%d.%s", account, field)
		create(b).loosely().refused(422, catalog.ValidationFailed).about(field)
		post("/posts/validate", b).with(key).at(f).loosely().refused(422, catalog.ValidationFailed).about(field)
		Expect(t.batches()).To(BeEmpty())
	},
		Entry("an unknown audience of TikTok", "tiktok", object{"tiktok": object{"privacy_level": "EVERYBODY"}}, "tiktok.privacy_level"),
		Entry("an unknown audience of YouTube", "youtube", object{"youtube": object{"privacy": "hidden"}}, "youtube.privacy"),
		Entry("a category that is not a number", "youtube", object{"youtube": object{"category": "music"}}, "youtube.category"),
		Entry("a cover time before the start", "instagram", object{"instagram": object{"cover_offset_ms": -1}}, "instagram.cover_offset_ms"),
		Entry("two kinds of cover", "tiktok", object{"cover": object{"slide": 1, "offset_ms": 5}}, "cover"),
		Entry("an empty cover", "tiktok", object{"cover": object{}}, "cover"),
	)

	It("are checked against the platform's rules alike by validation and posting, each issue with its field", func() {
		account := t.social("tiktok", func(s *v1beta1.SocialAccountStatus) {
			s.Creator = &v1beta1.Creator{PrivacyLevels: []string{"FOLLOWER_OF_CREATOR", "SELF_ONLY"}, DuetDisabled: true, ObservedAt: metav1.Now()}
		})
		short := t.laidOut()
		for _, tc := range []struct {
			settings object
			field    string
			warning  bool
		}{
			{object{"tiktok": object{"privacy_level": "PUBLIC_TO_EVERYONE"}}, "tiktok.privacy_level", false},
			{object{"tiktok": object{"privacy_level": "SELF_ONLY", "commercial": object{"branded_content": true}}}, "tiktok.commercial.branded_content", false},
			{object{"tiktok": object{"allow_duet": true}}, "tiktok.allow_duet", true},
			{object{"youtube": object{"privacy": "private"}}, "youtube", true},
			{object{"cover": object{"slide": 9}}, "cover.slide", false},
			{object{"cover": object{"media_id": 77}}, "cover.media_id", false},
			{object{"first_comment": "More below"}, "first_comment", false},
		} {
			b := body(short, account, tc.settings)
			field := fmt.Sprintf("platform_customizations.%d.%s", account, tc.field)
			a := post("/posts/validate", b).with(key).at(f).succeeds(200)
			Expect(a.at("data.ok")).To(Equal(tc.warning), a.raw)
			Expect(a.at("data.verdicts.0.issues.0")).To(And(HaveKeyWithValue("code", "validation_failed"),
				HaveKeyWithValue("details", HaveKeyWithValue("field", field))), a.raw)
			if tc.warning {
				Expect(a.at("data.verdicts.0.issues.0.severity")).To(Equal("warning"))
				continue
			}
			create(b).refused(422, catalog.ValidationFailed).about(field)
		}
		Expect(t.batches()).To(BeEmpty())
	})

	It("fix the cover on acceptance: a photo of a set, and an image of the brand", func() {
		one := create(body(t.laidOut(), t.social("tiktok"), object{"cover": object{"slide": 2}})).succeeds(202).id("data.results.0.share_id")
		Expect(t.post(one).Spec.Media.Cover).To(Equal(&v1beta1.PostMediaCover{Photo: ptr.To[int32](1)}))

		short := t.filmed(key)
		file := &bytes.Buffer{}
		Expect(png.Encode(file, image.NewRGBA(image.Rect(0, 0, 400, 600)))).To(Succeed())
		id := post("/media", object{"file": uploaded(key, file.Bytes(), "image/png"), "title": "A cover"}).with(key).succeeds(201).id("data.id")
		awaitMedia(t.namespace)
		items := assets(t.namespace)
		i := slices.IndexFunc(items, func(m v1beta1.MediaAsset) bool { return m.Labels[v1beta1.LabelID] == fmt.Sprint(id) })
		Expect(i).To(BeNumerically(">=", 0))
		Expect(items[i].Status.BlobKey).NotTo(BeEmpty())
		for _, platform := range []string{"youtube", "instagram", "linkedin"} {
			b := body(short, t.social(platform), object{"cover": object{"media_id": id}})
			Expect(post("/posts/validate", b).with(key).at(f).succeeds(200).at("data.ok")).To(BeTrue(), platform)
			one := create(b).succeeds(202).id("data.results.0.share_id")
			Expect(t.post(one).Spec.Media.Cover).To(Equal(&v1beta1.PostMediaCover{ImageKey: items[i].Status.BlobKey}), platform)
		}
	})

	It("reject an invalid cover image by its field: of another brand or account, not an image, or not ready", func() {
		t.brand("other")
		stranger := newTenant()
		_, foreign := picture(stranger.namespace, nil)
		_, other := picture(t.namespace, func(m *v1beta1.MediaAsset) { m.Spec.BrandRef = of("other") })
		_, own := picture(t.namespace, func(m *v1beta1.MediaAsset) { m.Spec.BrandRef = of("acme") })
		awaitMedia(t.namespace)
		awaitMedia(stranger.namespace)
		clip := t.clip("product_demo")
		_, early := t.unprobedClip("user_upload")
		short := t.filmed(key)
		account := t.social("youtube")
		field := fmt.Sprintf("platform_customizations.%d.cover.media_id", account)
		cover := func(id int64) object { return body(short, account, object{"cover": object{"media_id": id}}) }
		for why, id := range map[string]int64{"other brand": other, "other account": foreign, "a clip": clip, "not ready": early, "unknown": 99_999_999} {
			a := post("/posts/validate", cover(id)).with(key).at(f).succeeds(200)
			Expect(a.at("data.ok")).To(BeFalse(), why)
			Expect(a.at("data.verdicts.0.issues.0")).To(And(HaveKeyWithValue("code", "validation_failed"), HaveKeyWithValue("severity", "error"),
				HaveKeyWithValue("details", HaveKeyWithValue("field", field))), why)
			create(cover(id)).refused(422, catalog.ValidationFailed).about(field)
		}
		Expect(t.batches()).To(BeEmpty())
		create(cover(own)).succeeds(202)
	})

	It("are listed with their accepted values and limits in the capabilities, equal to the enforced ones", func() {
		rules := get("/capabilities").with(key).at(f).succeeds(200)
		Expect(rules.at("data.platform_rules.tiktok.settings.0")).To(Equal(object{
			"name": "privacy_level", "value_type": "enum", "values": []any{"PUBLIC_TO_EVERYONE", "FOLLOWER_OF_CREATOR", "MUTUAL_FOLLOW_FRIENDS", "SELF_ONLY"},
			"max": 0.0, "default": nil,
		}))
		Expect(rules.at("data.platform_rules.tiktok.first_comment")).To(HaveKeyWithValue("max", 0.0))
		Expect(rules.at("data.platform_rules.youtube.cover")).To(And(HaveKeyWithValue("image", true), HaveKeyWithValue("offset", false)))
		limit := rules.at("data.platform_rules.linkedin.first_comment.max").(float64)
		b := body(t.laidOut(), t.social("linkedin"), object{"first_comment": strings.Repeat("x", int(limit)+1)})
		Expect(create(b).refused(422, catalog.ValidationFailed).details()).To(HaveKeyWithValue("max", limit))
	})

	It("show the first comment of a post, whose failure leaves the post a success", func() {
		id := create(body(t.laidOut(), t.social("instagram"), object{"first_comment": "More below"})).succeeds(202).id("data.results.0.share_id")
		comment := func() any { return get("/posts").with(key).at(f).succeeds(200).at("data.0.first_comment") }
		Expect(comment()).To(Equal(object{"state": "pending", "text": nil, "id": nil, "error": nil}))
		Expect(get("/posts").with(key).at(f).succeeds(200).at("data.0.warnings")).To(Equal([]any{}))
		p, now := t.post(id), metav1.Now()
		p.Status.State, p.Status.FinishedAt, p.Status.DeliveryState = v1beta1.PostSuccess, &now, v1beta1.DeliveryPublished
		p.Status.FirstComment = &v1beta1.PostComment{State: v1beta1.CommentFailed, Tries: 1, Error: &v1beta1.WorkError{
			Code: string(catalog.ValidationFailed), Message: "Comments are off",
		}}
		Expect(access.Client.Status().Update(ctx, p)).To(Succeed())
		Eventually(comment).Should(And(HaveKeyWithValue("state", "failed"), HaveKeyWithValue("error", HaveKeyWithValue("message", "Comments are off"))))
		Expect(get("/posts").with(key).at(f).succeeds(200).at("data.0.status")).To(Equal("success"))
	})

	It("show settings that a platform did not accept as a warning of the post", func() {
		id := create(body(t.laidOut(), t.social("instagram"), object{"instagram": object{"share_to_feed": false}})).succeeds(202).id("data.results.0.share_id")
		p := t.post(id)
		p.Status.Warnings = []string{"The cover was refused."}
		Expect(access.Client.Status().Update(ctx, p)).To(Succeed())
		Eventually(func() any { return get("/posts").with(key).at(f).succeeds(200).at("data.0.warnings") }).Should(Equal([]any{"The cover was refused."}))
	})
})
