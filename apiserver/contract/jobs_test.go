// SPDX-License-Identifier: Apache-2.0

package contract_test

import (
	"io"
	"net/http"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/reelops/reelops/api/v1alpha1"
	"github.com/reelops/reelops/internal/catalog"
)

// fetched reads an address without a key.
func fetched(address any) (body []byte, kind string) {
	GinkgoHelper()
	Expect(address).To(BeAssignableToTypeOf(""))
	resp, err := http.Get(address.(string))
	Expect(err).NotTo(HaveOccurred())
	defer func() { _ = resp.Body.Close() }()
	Expect(resp.StatusCode).To(Equal(200))
	body, err = io.ReadAll(resp.Body)
	Expect(err).NotTo(HaveOccurred())
	return body, resp.Header.Get("Content-Type")
}

var _ = Describe("Jobs", func() {
	var t *tenant
	var key string
	BeforeEach(func() {
		t = newTenant()
		key = t.everything()
	})

	It("have the short id as their id, and Retry-After equal to poll_after_seconds", func() {
		id := t.slideshow(key, object{"context": habits, "slide_count": 3})
		a := get("/jobs/%d", id).with(key).succeeds(200)
		Expect(a.id("data.job_id")).To(Equal(id))
		Expect(a.at("data.poll_after_seconds")).To(BeEquivalentTo(15))
		Expect(a.header.Get("Retry-After")).To(Equal("15"))
		get("/shorts/%d", id).with(key).succeeds(200)
	})

	It("are processing while work goes on, with an estimate and without a result or an error", func() {
		release := author.hold(habits)
		defer release()
		id := post("/slideshows", object{"context": habits}).with(key).succeeds(202).id("data.job_id")
		var a *answer
		Eventually(func() any {
			a = get("/jobs/%d", id).with(key).succeeds(200)
			return a.at("data.status")
		}).Should(Equal("processing"))
		Expect(a.data()).To(And(
			HaveKeyWithValue("started_at", MatchRegexp(moment)), HaveKeyWithValue("finished_at", BeNil()), HaveKeyWithValue("estimated_completion_at", MatchRegexp(moment)),
			HaveKeyWithValue("progress", BeNumerically("<", 100)), HaveKeyWithValue("status_message", "Writing and laying out the slides."),
			Not(HaveKey("result")), Not(HaveKey("error"))))
	})

	It("that succeeded have progress 100 and a result, with a preview that needs no key and no video yet", func() {
		id := t.slideshow(key, object{"context": habits, "slide_count": 3})
		a := get("/jobs/%d", id).with(key).succeeds(200)
		Expect(a.data()).To(And(
			HaveKeyWithValue("kind", "slideshow_generation"), HaveKeyWithValue("status", "succeeded"), HaveKeyWithValue("progress", 100.0), HaveKeyWithValue("status_message", "Ready."),
			HaveKeyWithValue("finished_at", MatchRegexp(moment)), Not(HaveKey("estimated_completion_at")), Not(HaveKey("error"))))
		Expect(a.data()["result"]).To(And(
			HaveKeyWithValue("short_id", float64(id)), HaveKeyWithValue("video_url", BeNil()), HaveKeyWithValue("slides", object{"count": 3.0})))
		_, kind := fetched(a.at("data.result.preview_url"))
		Expect(kind).To(HavePrefix("image/"))
	})

	It("that failed are a 200 with an error: code, message, retryable and details", func() {
		final := post("/slideshows", object{"context": unwritable}).with(key).succeeds(202).id("data.job_id")
		for _, c := range []struct {
			key       string
			id        int64
			retryable bool
		}{{key, final, false}, {tried.key, tried.id, true}} {
			a := settled(c.key, c.id)
			Expect(a.data()).To(And(
				HaveKeyWithValue("status", "failed"), HaveKeyWithValue("status_message", HavePrefix("Failed: ")),
				Not(HaveKey("result")), Not(HaveKey("estimated_completion_at"))))
			Expect(a.at("data.error")).To(And(HaveKeyWithValue("code", "generation_failed"), HaveKeyWithValue("message", Not(BeEmpty())),
				HaveKeyWithValue("retryable", c.retryable), HaveKeyWithValue("details", BeAssignableToTypeOf(object{}))))
			Expect(get("/shorts/%d", c.id).with(c.key).succeeds(200).at("data.status")).To(Equal("failed"))
		}
	})

	It("that have ended never change again by themselves", func() {
		id := t.slideshow(key, object{"context": habits, "slide_count": 3})
		before, after := get("/jobs/%d", id).with(key).succeeds(200).data(), get("/jobs/%d", id).with(key).succeeds(200).data()
		for _, a := range []object{before, after} {
			delete(a["result"].(object), "preview_url") // signed anew on each read
		}
		Expect(after).To(Equal(before))
	})

	It("are not found when there is none, or none of this brand, or the short is a draft that never had any work", func() {
		id := t.slideshow(key, object{"context": habits, "slide_count": 3})
		get("/jobs/999999999").with(key).refused(404, catalog.JobNotFound)
		get("/jobs/%d", id).with(newTenant().everything()).refused(404, catalog.JobNotFound)
		_, other := t.brand("other")
		get("/jobs/%d?brand_id=%d", id, other).with(key).refused(404, catalog.JobNotFound)
		_, draft := t.manifest("draft", func(s *v1alpha1.Slideshow) { s.Spec.Suspend = true })
		get("/jobs/%d", draft).with(key).refused(404, catalog.JobNotFound)
	})
})
