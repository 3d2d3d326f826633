// SPDX-License-Identifier: Apache-2.0

package contract_test

import (
	"fmt"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/catalog"
)

var _ = Describe("The published media", func() {
	var t *tenant
	var key string
	var f *front
	BeforeEach(func() {
		t = newTenant()
		key, f = t.everything(), generous()
	})
	create := func(body any) *request { return post("/posts", body).with(key).at(f) }
	validate := func(body any) *answer {
		GinkgoHelper()
		return post("/posts/validate", body).with(key).at(f).succeeds(200)
	}
	// stale returns a slideshow that was edited after its render.
	stale := func() int64 {
		GinkgoHelper()
		id := t.filmed(key)
		edited := object{"id": 1, "textOverlays": []any{object{"text": "Edited since"}}}
		patch("/slideshows/%d", id, object{"slides": []any{edited}}).with(key).at(f).succeeds(200)
		Eventually(func() any {
			return get("/shorts/%d", id).with(key).at(f).succeeds(200).at("data.render_status")
		}).Should(Equal("stale"))
		return id
	}

	It("are shown by verdicts, results and posts alike: the kind, the title, the caption and the cover", func() {
		short := t.filmed(key)
		account := t.social("linkedin")
		body := object{
			"short_id": short, "social_data_ids": []int64{account},
			"platform_customizations": object{fmt.Sprint(account): object{"cover": object{"slide": 1}}},
		}
		want := And(HaveKeyWithValue("media_kind", "video"), HaveKeyWithValue("title", "Tidy"),
			HaveKeyWithValue("caption", "A desk that stays tidy.\n\n#desk"),
			HaveKeyWithValue("cover", object{"slide": 1.0, "offset_ms": nil, "media_id": nil}))
		Expect(validate(body).at("data.verdicts.0")).To(want)
		Expect(create(body).succeeds(202).at("data.results.0")).To(want)
		Expect(get("/posts").with(key).at(f).succeeds(200).at("data.0")).To(want)

		By("the platform choosing the cover")
		delete(body, "platform_customizations")
		Expect(validate(body).at("data.verdicts.0")).To(HaveKeyWithValue("cover", BeNil()))
	})

	It("of slides edited after the render are a conflict that names both remedies", func() {
		short := stale()
		account := t.social("tiktok")
		for _, media := range []any{nil, "auto", "video"} {
			body := object{"short_id": short, "social_data_ids": []int64{account}, "media": media}
			if media == nil {
				delete(body, "media")
			}
			v := validate(body)
			Expect(v.at("data.ok")).To(BeFalse())
			Expect(v.issues("data.issues")).To(Equal([]string{"conflict"}))
			Expect(v.at("data.issues.0.details")).To(Equal(object{"reason": "video_stale", "short_id": float64(short)}))
			Expect(v.at("data.issues.0.message")).To(And(ContainSubstring("render"), ContainSubstring("photo_set")))
			Expect(v.at("data.verdicts.0")).To(And(HaveKeyWithValue("media_kind", BeNil()),
				HaveKeyWithValue("caption", BeNil())))
			Expect(create(body).refused(422, catalog.Conflict).details()).To(HaveKeyWithValue("reason", "video_stale"))
		}
		Expect(t.batches()).To(BeEmpty())

		By("requesting the slides")
		body := object{"short_id": short, "social_data_ids": []int64{account}, "media": "photo_set"}
		Expect(validate(body).at("data.ok")).To(BeTrue())
		a := create(body).succeeds(202)
		Expect(a.at("data.results.0.media_kind")).To(Equal("photo_set"))
		Expect(t.post(a.id("data.results.0.share_id")).Spec.Media.PhotoKeys).To(HaveLen(3))

		By("rendering again")
		post("/slideshows/%d/render", short, nothing).with(key).at(f).succeeds(202)
		Expect(settled(key, short).at("data.status")).To(Equal("succeeded"))
		a = create(object{"short_id": short, "social_data_ids": []int64{account}}).succeeds(202)
		Expect(a.at("data.results.0.media_kind")).To(Equal("video"))
	})

	It("are the slides of a short with a video, or only a video, if requested", func() {
		filmed, drawn, account := t.filmed(key), t.laidOut(), t.social("tiktok")
		t.social("youtube")
		as := func(short int64, media string) *request {
			return create(object{"short_id": short, "media": media, "social_data_ids": []int64{account}})
		}
		platforms := []string{"tiktok", "youtube"}
		a := create(object{"short_id": filmed, "media": "photo_set", "platforms": platforms}).succeeds(202)
		Expect(a.at("data.results.0")).To(And(HaveKeyWithValue("status", "pending"),
			HaveKeyWithValue("media_kind", "photo_set")))
		Expect(a.at("data.results.1.error")).To(And(HaveKeyWithValue("code", "short_not_postable"),
			HaveKeyWithValue("message", ContainSubstring("set media to video"))))
		Expect(as(filmed, "video").succeeds(202).at("data.results.0.media_kind")).To(Equal("video"))
		refused := as(drawn, "video").refused(422, catalog.ShortNotPostable)
		Expect(refused.at("errors.0.message")).To(And(ContainSubstring("render"), ContainSubstring("photo_set")))
		Expect(as(drawn, "gif").loosely().refused(422, catalog.ValidationFailed).details()).
			To(HaveKeyWithValue("allowed", ConsistOf("auto", "video", "photo_set")))
	})

	It("have the title and caption of the request, or those of an account if given", func() {
		short := t.withTexts("Tidy", "A desk.", "desk")
		one, two := t.social("linkedin"), t.social("linkedin")
		body := object{
			"short_id": short, "social_data_ids": []int64{one, two}, "title": "For all", "caption": "For everyone",
			"platform_customizations": object{fmt.Sprint(two): object{"caption": "For two", "title": nil}},
		}
		v, a := validate(body), create(body).succeeds(202)
		for i, caption := range []string{"For everyone", "For two"} {
			want := And(HaveKeyWithValue("title", "For all"), HaveKeyWithValue("caption", caption))
			Expect(v.at(fmt.Sprintf("data.verdicts.%d", i))).To(want)
			Expect(a.at(fmt.Sprintf("data.results.%d", i))).To(want)
			Expect(t.post(a.id(fmt.Sprintf("data.results.%d.share_id", i))).Spec.Caption).To(Equal(caption))
		}
	})

	It("reject a request with unknown members, which the validation reports", func() {
		short, account := t.laidOut(), t.social("tiktok")
		body := object{
			"short_id": short, "social_data_ids": []int64{account}, "privacy": "SELF_ONLY",
			"platform_customizations": object{fmt.Sprint(account): object{"tiktok": object{"privacy": "SELF_ONLY"}}},
		}
		fields := []any{fmt.Sprintf("platform_customizations.%d.tiktok.privacy", account), "privacy"}
		a := create(body).once("k").refused(422, catalog.ValidationFailed)
		for i, field := range fields {
			Expect(a.at(fmt.Sprintf("errors.%d.details", i))).To(Equal(object{"field": field, "reason": "unknown_member"}))
		}
		Expect(a.at("errors.0.message")).To(ContainSubstring("privacy_level"), "the known members are listed")
		Expect(t.batches()).To(BeEmpty())
		Expect(t.posts()).To(BeEmpty())

		v := validate(body)
		Expect(v.at("data.ok")).To(BeFalse())
		Expect(v.issues("data.issues")).To(Equal([]string{"validation_failed", "validation_failed"}))
		Expect(v.at("data.issues.1.details")).To(Equal(object{"field": "privacy", "reason": "unknown_member"}))
		Expect(v.meta()["ignored_fields"]).To(ConsistOf(fields...))

		delete(body, "privacy")
		delete(body, "platform_customizations")
		create(body).once("k").succeeds(202)
	})

	It("follow a manifest: the kind, and title and caption for all accounts", func() {
		short := stale()
		if archiveAfter() > 0 { // the batches restore it; a short stays in the cluster for a minute after the edit
			Eventually(func() any {
				return get("/shorts/%d", short).with(key).at(f).succeeds(200).at("data.archived_at")
			}).WithTimeout(2 * time.Minute).ShouldNot(BeNil())
		}
		t.social("linkedin")
		batch := func(name, media string) *v1beta1.PostBatch {
			GinkgoHelper()
			title, caption := "For all", "For everyone"
			b := &v1beta1.PostBatch{
				ObjectMeta: metav1.ObjectMeta{Namespace: t.namespace, Name: name},
				Spec: v1beta1.PostBatchSpec{
					BrandRef: v1beta1.LocalRef{Name: "acme"}, ShortRef: v1beta1.ShortRef{ID: short},
					Platforms: []v1beta1.Platform{"linkedin"}, Media: media,
					ScheduledAt: &metav1.Time{Time: time.Now().Add(3 * time.Second)},
					PostText:    v1beta1.PostText{Title: &title, Caption: &caption},
				},
			}
			apply(b)
			return b
		}
		slides, either := batch("slides", "photo_set"), batch("either", "")
		settled := func(b *v1beta1.PostBatch) func(Gomega) {
			return func(g Gomega) {
				g.Expect(access.Plain.Get(ctx, client.ObjectKeyFromObject(b), b)).To(Succeed())
				g.Expect(b.Status.Targets).To(HaveLen(1))
				g.Expect(b.Status.Targets[0].Post != "" || b.Status.Targets[0].Error != nil).To(BeTrue())
			}
		}
		Eventually(settled(slides)).WithPolling(often).Should(Succeed())
		Eventually(settled(either)).WithPolling(often).Should(Succeed())
		Expect(t.posts()).To(HaveLen(1))
		p := t.posts()[0]
		Expect(p.Spec.Media.Kind).To(Equal("photo_set"))
		Expect(p.Spec.Title + ", " + p.Spec.Caption).To(Equal("For all, For everyone"))
		Expect(either.Status.Targets[0].Error.Code).To(Equal("conflict"))
		Expect(either.Status.Targets[0].Error.Details).To(HaveKeyWithValue("reason", "video_stale"))
	})
})
