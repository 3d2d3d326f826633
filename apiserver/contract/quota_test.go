// SPDX-License-Identifier: Apache-2.0

package contract_test

import (
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/apiserver"
	"github.com/reelops/reelops/internal/catalog"
)

// credited gives the plan credits for AI images.
func credited(n int32) func(*v1beta1.Account) {
	return func(a *v1beta1.Account) { a.Spec.Plan.Credits = ptr.To(n) }
}

// plan returns the account's plan as the API shows it.
func plan(key string) object {
	GinkgoHelper()
	return get("/account").with(key).succeeds(200).at("data.plan.capabilities").(object)
}

// nextMonth returns when the current period ends.
func nextMonth() string {
	now := time.Now().UTC()
	return time.Date(now.Year(), now.Month()+1, 1, 0, 0, 0, 0, time.UTC).Format("2006-01-02T15:04:05Z")
}

var _ = Describe("The plan's slideshow quota", func() {
	body := object{"context": unwritable}

	It("counts an accepted slideshow, and the account shows it at once", func() {
		t := newTenant(planned(5))
		key := t.everything()
		Expect(plan(key)).To(And(HaveKeyWithValue("slideshow_limit", 5.0), HaveKeyWithValue("slideshows_used", 0.0), HaveKeyWithValue("slideshows_remaining", 5.0), HaveKeyWithValue("unlimited", false)))
		for used := 1; used <= 2; used++ {
			post("/slideshows", body).with(key).succeeds(202)
			Expect(plan(key)).To(And(HaveKeyWithValue("slideshows_used", float64(used)), HaveKeyWithValue("slideshows_remaining", float64(5-used))))
		}
	})

	It("rejects further slideshows with 403 quota_exceeded, the usage and the time of the reset", func() {
		t := newTenant(planned(1))
		key := t.everything()
		post("/slideshows", body).with(key).succeeds(202)
		a := post("/slideshows", body).with(key).refused(403, catalog.QuotaExceeded)
		Expect(a.details()).To(Equal(object{"slideshow_limit_exceeded": true, "limit": 1.0, "used": 1.0, "remaining": 0.0, "resets_at": nextMonth()}))
		Expect(a.at("errors.0.retryable")).To(BeFalse())
		post("/slideshows", object{"context": ""}).with(key).refused(422, catalog.ValidationFailed)
	})

	It("of 0 rejects the first slideshow", func() {
		post("/slideshows", body).with(newTenant(planned(0)).everything()).refused(403, catalog.QuotaExceeded)
	})

	It("releases a slideshow that failed retryably, and charges one that failed permanently", func() {
		settled(tried.key, tried.id)
		Eventually(func() object { return plan(tried.key) }).WithPolling(time.Second).Should(HaveKeyWithValue("slideshows_used", 0.0))
		key := newTenant(planned(5)).everything()
		settled(key, post("/slideshows", body).with(key).succeeds(202).id("data.job_id"))
		Expect(plan(key)).To(HaveKeyWithValue("slideshows_used", 1.0))
	})

	It("does not count renders, edits and replays", func() {
		t := newTenant(planned(5))
		key := t.everything()
		id := t.slideshow(key, object{"context": habits, "slide_count": 3, "aspect_ratio": "4:5"})
		patch("/slideshows/%d", id, object{"title": "Another"}).with(key).succeeds(200)
		post("/slideshows/%d/render", id, nothing).with(key).succeeds(202)
		settled(key, id)
		for range 3 {
			post("/slideshows", body).with(key).once("k").succeeds(202)
		}
		Expect(plan(key)).To(HaveKeyWithValue("slideshows_used", 2.0))
	})

	It("counts slideshows from manifests as well", func() {
		t := newTenant(planned(1))
		key := t.everything()
		_, id := t.manifest("by-hand", func(s *v1beta1.Slideshow) { s.Spec.AspectRatio = "4:5" })
		settled(key, id)
		Expect(plan(key)).To(HaveKeyWithValue("slideshows_used", 1.0))
		post("/slideshows", body).with(key).refused(403, catalog.QuotaExceeded)
	})

	It("without a limit counts accepted slideshows at once, before their work begins", func() {
		t := newTenant()
		key := t.everything()
		const about, many = "Twenty of these wait for the writer.", 20
		release := author.hold(about)
		defer release()
		together(many, func(int) { post("/slideshows", object{"context": about}).with(key).succeeds(202) })
		Expect(plan(key)).To(And(HaveKeyWithValue("slideshows_used", float64(many)), HaveKeyWithValue("slideshows_remaining", 2147483647.0-many)))
		a := &v1beta1.Account{}
		Expect(access.Plain.Get(ctx, client.ObjectKey{Namespace: t.namespace, Name: v1beta1.AccountName}, a)).To(Succeed())
		Expect(a.Status.SlideshowsUsed).To(BeEquivalentTo(many), "as `kubectl get accounts` shows it")
	})

	It("without a limit shows a large number and unlimited", func() {
		Expect(plan(newTenant().everything())).To(And(
			HaveKeyWithValue("slideshow_limit", 2147483647.0), HaveKeyWithValue("slideshows_remaining", 2147483647.0), HaveKeyWithValue("unlimited", true)))
	})
})

var _ = Describe("Credits", func() {
	pictures := object{"context": habits, "slide_count": 3, "aspect_ratio": "4:5", "image_source": object{"type": "ai"}}

	It("are shown by plans that have them, and by no others", func() {
		Expect(plan(newTenant(credited(120)).everything())).To(HaveKeyWithValue("current_credits", 120.0))
		Expect(plan(newTenant().everything())).NotTo(HaveKey("current_credits"))
	})

	It("are reserved when AI images are accepted, and charged for the created ones", func() {
		t := newTenant(credited(20))
		key := t.everything()
		release := author.hold(strings.TrimSpace(habits))
		id := post("/slideshows", pictures).with(key).succeeds(202).id("data.job_id")
		held := plan(key)
		release()
		Expect(held).To(HaveKeyWithValue("current_credits", 14.0))
		settled(key, id)
		d := get("/shorts/%d", id).with(key).succeeds(200)
		Expect(d.at("data.status")).To(Equal("success_slideshow"), d.raw)
		Expect(d.at("data.type_data.image_source.type")).To(Equal("ai"))
		Expect(plan(key)).To(HaveKeyWithValue("current_credits", 14.0))
	})

	It("that are too few are a 402 insufficient_credits with the needed and the available credits", func() {
		t := newTenant(credited(5))
		key := t.everything()
		a := post("/slideshows", pictures).with(key).refused(402, catalog.InsufficientCredits)
		Expect(a.details()).To(Equal(object{"credits_required": 6.0, "current_credits": 5.0}))
		Expect(a.at("errors.0.retryable")).To(BeFalse())
		post("/slideshows", object{"context": unwritable}).with(key).succeeds(202)
	})

	It("are released if the images are not created", func() {
		t := newTenant(credited(20))
		key := t.everything()
		painter.refuses.Store(true)
		defer painter.refuses.Store(false)
		id := post("/slideshows", pictures).with(key).succeeds(202).id("data.job_id")
		Expect(settled(key, id).at("data.status")).To(Equal("failed"))
		Eventually(func() object { return plan(key) }).Should(HaveKeyWithValue("current_credits", 20.0))
	})

	It("are not required by plans without credits", func() {
		post("/slideshows", pictures).with(newTenant().everything()).succeeds(202)
	})

	It("do not matter without an image model: the source ai is rejected", func() {
		f := newFront(frontOptions{change: func(c *apiserver.Config) { c.AIImages = catalog.AIImages{} }})
		a := post("/slideshows", pictures).with(newTenant(credited(20)).everything()).at(f).refused(422, catalog.ValidationFailed).about("image_source.type")
		Expect(a.details()).To(HaveKeyWithValue("allowed", []any{"stock", "pack"}))
	})
})

var _ = Describe("The storage of an account", func() {
	stores := func(change func(*v1beta1.Plan)) func(*v1beta1.Account) {
		return func(a *v1beta1.Account) { change(&a.Spec.Plan) }
	}

	It("is limited in objects, in whichever way they are created", func() {
		t := newTenant(stores(func(p *v1beta1.Plan) { p.MaxObjects = ptr.To[int32](1) }))
		key := t.everything()
		id := t.slideshow(key, object{"context": habits, "slide_count": 3, "aspect_ratio": "4:5"})
		permissive := newFront(frontOptions{change: func(c *apiserver.Config) { c.AllowHosts = []string{pictures.host} }})
		picture := object{"slides": []any{object{"id": 1, "image_url": pictures.url + "/good.png"}}}
		for name, request := range map[string]*request{
			"a slideshow":         post("/slideshows", object{"context": unwritable}),
			"a render":            post("/slideshows/%d/render", id, nothing),
			"an image of an edit": patch("/slideshows/%d", id, picture).at(permissive),
			"an image of a slide": post("/slideshows/%d/slides", id, object{"image_url": pictures.url + "/good.png"}).at(permissive),
			"the same with PUT":   put("/slideshows/%d", id, picture).at(permissive),
			"an upload":           post("/direct_uploads", declaration(pngImage(1), "a.png", "image/png")),
		} {
			refused := request.with(key).refused(403, catalog.QuotaExceeded)
			Expect(refused.details()).To(Equal(object{"resource": "objects", "limit": 1.0, "used": 1.0, "remaining": 0.0}), name)
		}
		patch("/slideshows/%d", id, object{"title": "Another"}).with(key).succeeds(200)
	})

	It("is limited in objects when an upload is claimed", func() {
		t := newTenant()
		key, file := t.everything(), pngImage(4)
		uploaded := post("/direct_uploads", declaration(file, "a.png", "image/png")).with(key).succeeds(201)
		Expect(sent(uploaded, file)).To(Equal(204))
		t.laidOut()
		change(t.account, func() { t.account.Spec.Plan.MaxObjects = ptr.To[int32](1) })
		Eventually(func() catalog.Code { return post("/slideshows", object{"context": unwritable}).with(key).send().code() }).
			Should(Equal(catalog.QuotaExceeded), "the front end has read the plan")
		claim := post("/media", object{"file": uploaded.at("data.signed_id")}).with(key)
		Expect(claim.refused(403, catalog.QuotaExceeded).details()).To(HaveKeyWithValue("resource", "objects"))
		change(t.account, func() { t.account.Spec.Plan.MaxObjects = nil })
		Eventually(func() int { return claim.send().status }).Should(Equal(201), "the upload still exists")
	})

	It("is limited by a ResourceQuota of its namespace", func() {
		t := newTenant()
		none := corev1.ResourceList{"count/postbatches.reelops.dev": resource.MustParse("0")}
		q := &corev1.ResourceQuota{ObjectMeta: metav1.ObjectMeta{Namespace: t.namespace, Name: "no-posts"}, Spec: corev1.ResourceQuotaSpec{Hard: none}}
		Expect(access.Plain.Create(ctx, q)).To(Succeed())
		q.Status = corev1.ResourceQuotaStatus{Hard: none, Used: none} // no quota controller runs here
		Expect(access.Plain.Status().Update(ctx, q)).To(Succeed())
		key, front, body := t.everything(), generous(), object{"short_id": t.laidOut(), "social_data_ids": []int64{t.social("tiktok")}}
		Eventually(func() catalog.Code { return post("/posts", body).with(key).at(front).send().code() }).
			Should(Equal(catalog.QuotaExceeded), "the API server has read the quota")
	})

	It("is limited in bytes of media", func() {
		file := pngImage(2)
		key := newTenant(stores(func(p *v1beta1.Plan) { p.MaxBytes = ptr.To(int64(len(file)) - 1) })).everything()
		a := post("/direct_uploads", declaration(file, "a.png", "image/png")).with(key).refused(403, catalog.QuotaExceeded)
		Expect(a.details()).To(And(HaveKeyWithValue("resource", "bytes"), HaveKeyWithValue("used", 0.0)))
	})

	It("is limited in bytes of unclaimed uploads", func() {
		file := pngImage(3)
		key := newTenant(stores(func(p *v1beta1.Plan) { p.MaxUnclaimedBytes = ptr.To(int64(len(file))) })).everything()
		first := post("/direct_uploads", declaration(file, "a.png", "image/png")).with(key).succeeds(201)
		again := func() *answer {
			return post("/direct_uploads", declaration(file, "b.png", "image/png")).with(key).refused(403, catalog.QuotaExceeded)
		}
		Expect(again().details()).To(Equal(object{"resource": "unclaimed_bytes", "limit": float64(len(file)), "used": float64(len(file)), "remaining": 0.0}))
		Expect(sent(first, file)).To(Equal(204))
		Expect(again().details()).To(HaveKeyWithValue("used", float64(len(file))), "stored bytes count once")
		post("/media", object{"file": first.at("data.signed_id")}).with(key).succeeds(201)
		Eventually(func() int {
			return post("/direct_uploads", declaration(file, "c.png", "image/png")).with(key).send().status
		}).Should(Equal(201), "there is room again once the file was ingested")
	})

	It("is limited in images and clips to fetch", slow, func() {
		t := newTenant(stores(func(p *v1beta1.Plan) { p.MaxPendingURLs = ptr.To[int32](1) }))
		key := t.everything()
		avatar := t.avatar()
		id := t.laidOut()
		front := newFront(frontOptions{change: func(c *apiserver.Config) {
			c.AllowHosts, c.EditWait = []string{pictures.host}, 2*time.Second
		}})
		edit := func(path string) *request {
			return patch("/slideshows/%d", id, object{"slides": []any{object{"id": 1, "image_url": pictures.url + path}}}).with(key).at(front)
		}
		release := pictures.hold()
		defer release()
		edit("/held.png").refused(422, catalog.ValidationFailed)
		for name, request := range map[string]*request{
			"another image": edit("/listed.png"),
			"a video":       post("/videos", object{"avatar_media_id": avatar, "product_demo_urls": []string{publicSite + "/a.mp4"}}).with(key).at(front),
		} {
			Expect(request.refused(403, catalog.QuotaExceeded).details()).
				To(Equal(object{"resource": "pending_urls", "limit": 1.0, "used": 1.0, "remaining": 0.0}), name)
		}
		edit("/held.png").refused(422, catalog.ValidationFailed)
		post("/videos", object{"avatar_media_id": avatar}).with(key).at(front).succeeds(202)
		release()
		Eventually(func() int { return edit("/held.png").send().status }).Should(Equal(200), "the awaited image is accepted again")
		Eventually(func() int { return edit("/listed.png").send().status }).Should(Equal(200), "there is room again once it was fetched")
	})
})
