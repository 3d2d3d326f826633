// SPDX-License-Identifier: Apache-2.0

package contract_test

import (
	"fmt"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/catalog"
)

var _ = Describe("Rendering", func() {
	var t *tenant
	var key string
	BeforeEach(func() {
		t = newTenant()
		key = t.everything()
	})
	// ready returns a slideshow with slides and without a video.
	ready := func() int64 { GinkgoHelper(); return t.laidOut() }
	render := func(id int64) *request { return post("/slideshows/%d/render", id, nothing).with(key) }

	It("of a finished slideshow returns 202 with a job of kind render and the same id, and keeps the status", func() {
		id := ready()
		release := executor.hold(t.namespace)
		defer release()
		a := render(id).succeeds(202)
		Expect(a.header.Get("Retry-After")).To(Equal(fmt.Sprint(a.at("data.poll_after_seconds"))))
		Expect(a.data()).To(And(
			HaveKeyWithValue("job_id", float64(id)), HaveKeyWithValue("kind", "render"), HaveKeyWithValue("status", BeElementOf("queued", "processing")),
			HaveKeyWithValue("poll_after_seconds", withinSeconds(30)), HaveKeyWithValue("render_requested_at", MatchRegexp(moment)), HaveKey("estimated_completion_at")))
		Expect(get("/jobs/%d", id).with(key).succeeds(200).data()).To(HaveKeyWithValue("kind", "render"))
		Expect(get("/shorts/%d", id).with(key).succeeds(200).data()).To(And(
			HaveKeyWithValue("render_status", BeElementOf("queued", "processing")), HaveKeyWithValue("status", "success_slideshow"), HaveKeyWithValue("video_url", BeNil())))
	})

	It("is done if the job has succeeded and video_url is set; the video needs no key", func() {
		id := ready()
		render(id).succeeds(202)
		a := settled(key, id)
		Expect(a.data()).To(And(HaveKeyWithValue("kind", "render"), HaveKeyWithValue("status", "succeeded"), HaveKeyWithValue("progress", 100.0)))
		body, kind := fetched(a.at("data.result.video_url"))
		Expect(body).To(Equal(film))
		Expect(kind).To(Equal("video/mp4"))
		d := get("/shorts/%d", id).with(key).succeeds(200)
		Expect(d.data()).To(And(HaveKeyWithValue("render_status", "succeeded"), HaveKeyWithValue("duration_seconds", BeNumerically(">=", 6)),
			HaveKeyWithValue("video_url", Not(BeNil())), HaveKeyWithValue("status", "success_slideshow")))
	})

	It("accepts the format video, and no other", func() {
		id := ready()
		a := post("/slideshows/%d/render", id, object{"format": "photo_set"}).with(key).refused(422, catalog.ValidationFailed).about("format")
		Expect(a.details()).To(HaveKeyWithValue("allowed", []any{"video"}))
		post("/slideshows/%d/render", id, object{"format": "video"}).with(key).succeeds(202)
	})

	It("is rejected with job_in_progress while the slides are being created", func() {
		release := author.hold(habits)
		defer release()
		id := post("/slideshows", object{"context": habits}).with(key).succeeds(202).id("data.job_id")
		a := render(id).refused(409, catalog.JobInProgress)
		Expect(a.at("errors.0.retryable")).To(BeTrue())
		Expect(a.details()).To(And(HaveKeyWithValue("short_id", float64(id)), HaveKeyWithValue("kind", "slideshow_generation")))
	})

	It("is rejected with job_in_progress during another render, with its start", func() {
		id := ready()
		release := executor.hold(t.namespace)
		defer release()
		asked := render(id).succeeds(202).at("data.render_requested_at")
		a := render(id).refused(409, catalog.JobInProgress)
		Expect(a.at("errors.0.retryable")).To(BeTrue())
		Expect(a.details()).To(And(HaveKeyWithValue("short_id", float64(id)), HaveKeyWithValue("render_requested_at", asked)))
	})

	It("is rejected with conflict if the current slides have a video, which the error contains", func() {
		id := ready()
		render(id).succeeds(202)
		settled(key, id)
		a := render(id).refused(409, catalog.Conflict)
		Expect(a.at("errors.0.retryable")).To(BeFalse())
		Expect(a.details()).To(And(HaveKeyWithValue("short_id", float64(id)), HaveKeyWithValue("video_url", Not(BeEmpty())), HaveKeyWithValue("rendered_at", MatchRegexp(moment))))
	})

	It("is rejected with conflict for a draft and for a failed short", func() {
		_, draft := t.manifest("draft", func(s *v1beta1.Slideshow) { s.Spec.Suspend = true })
		failed := post("/slideshows", object{"context": unwritable}).with(key).succeeds(202).id("data.job_id")
		settled(key, failed)
		for id, status := range map[int64]string{draft: "draft", failed: "failed"} {
			a := render(id).refused(409, catalog.Conflict)
			Expect(a.details()).To(HaveKeyWithValue("status", status))
			Expect(a.at("errors.0.retryable")).To(BeFalse())
		}
	})

	It("reports the reason of a failure, and can be started again", func() {
		id := ready()
		executor.fail(t.namespace)
		render(id).succeeds(202)
		a := settled(key, id)
		Expect(a.data()).To(And(HaveKeyWithValue("kind", "render"), HaveKeyWithValue("status", "failed"),
			HaveKeyWithValue("error", And(HaveKeyWithValue("code", "validation_failed"), HaveKeyWithValue("retryable", false)))))
		Expect(get("/shorts/%d", id).with(key).succeeds(200).data()).To(And(HaveKeyWithValue("render_status", "failed"), HaveKeyWithValue("status", "success_slideshow")))
		executor.mend(t.namespace)
		render(id).succeeds(202)
		Expect(settled(key, id).at("data.status")).To(Equal("succeeded"))
	})

	It("is retried under the same job if the worker pod is lost, and counts the attempt", func() {
		id := ready()
		executor.lose(t.namespace)
		render(id).succeeds(202)
		Expect(settled(key, id).data()).To(And(HaveKeyWithValue("status", "succeeded"), HaveKeyWithValue("attempt", 2.0)))
	})

	It("is a 404 not_found for a short of another account or brand, and for an unknown one", func() {
		id := ready()
		_, other := t.brand("other")
		render(999999999).refused(404, catalog.NotFound)
		render(id).with(newTenant().everything()).refused(404, catalog.NotFound)
		post("/slideshows/%d/render?brand_id=%d", id, other, nothing).with(key).refused(404, catalog.NotFound)
	})

	It("starts automatically under the same job id if the slideshow was created with auto_render", func() {
		id := post("/slideshows", object{"context": habits, "slide_count": 3, "auto_render": true}).with(key).succeeds(202).id("data.job_id")
		Eventually(func(g Gomega) {
			a := get("/jobs/%d", id).with(key).succeeds(200)
			if a.at("data.kind") == "slideshow_generation" {
				Expect(a.at("data.status")).NotTo(Equal("succeeded"), "the job stays unfinished until the video exists")
			}
			g.Expect(a.at("data.kind")).To(Equal("render"))
			g.Expect(a.at("data.status")).To(Equal("succeeded"))
			g.Expect(a.at("data.result.video_url")).NotTo(BeNil())
		}).WithPolling(200 * time.Millisecond).Should(Succeed())
	})
})
