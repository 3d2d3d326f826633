// SPDX-License-Identifier: Apache-2.0

package contract_test

import (
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"github.com/onsi/gomega/types"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/catalog"
)

// fetched reads a URL without a key.
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

// withinSeconds matches a wait between polls: at least one second, at most the given number.
func withinSeconds(most int) types.GomegaMatcher {
	return And(BeNumerically(">=", 1), BeNumerically("<=", most))
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
		Expect(a.at("data.poll_after_seconds")).To(withinSeconds(15))
		Expect(a.header.Get("Retry-After")).To(Equal(fmt.Sprint(a.at("data.poll_after_seconds"))))
		get("/shorts/%d", id).with(key).succeeds(200)
	})

	It("have polling intervals from measured durations, once there are any", func() {
		id := t.slideshow(key, object{"context": habits, "slide_count": 3})
		settled(key, id)
		a := get("/jobs/%d", id).with(key).succeeds(200)
		Expect(a.at("data.poll_after_seconds")).To(And(withinSeconds(15), BeNumerically("<", 15)))
		release := author.hold(habits)
		defer release()
		next := post("/slideshows", object{"context": habits}).with(key).succeeds(202)
		Expect(next.at("data.poll_after_seconds")).To(And(withinSeconds(15), BeNumerically("<", 15)))
		end, err := time.Parse(time.RFC3339, next.at("data.estimated_completion_at").(string))
		Expect(err).NotTo(HaveOccurred())
		Expect(end).To(BeTemporally("~", time.Now(), 16*time.Second))
	})

	Context("with wait", func() {
		// begun requests a slideshow whose text is not written before release is called.
		begun := func() (id int64, release func()) {
			release = author.hold(habits)
			DeferCleanup(release)
			a := post("/slideshows", object{"context": habits, "slide_count": 3}).with(key).succeeds(202)
			return a.id("data.job_id"), release
		}

		It("return when they succeed, in one call", func() {
			id, release := begun()
			time.AfterFunc(time.Second, release)
			before := time.Now()
			a := get("/jobs/%d?wait=25", id).with(key).succeeds(200)
			Expect(a.at("data.status")).To(Equal("succeeded"))
			Expect(time.Since(before)).To(BeNumerically("<", 20*time.Second))
			left, err := strconv.Atoi(a.header.Get("X-RateLimit-Remaining"))
			Expect(err).NotTo(HaveOccurred())
			next := get("/jobs/%d", id).with(key).succeeds(200)
			Expect(next.header.Get("X-RateLimit-Remaining")).To(Equal(strconv.Itoa(left - 1)))
		})

		It("return unfinished when the time is over", func() {
			id, _ := begun()
			before := time.Now()
			a := get("/jobs/%d?wait=1", id).with(key).succeeds(200)
			Expect(a.at("data.status")).To(BeElementOf("queued", "processing"))
			Expect(time.Since(before)).To(BeNumerically("~", time.Second, 900*time.Millisecond))
		})

		It("return at once if they have ended or do not exist", func() {
			id := t.slideshow(key, object{"context": habits, "slide_count": 3})
			settled(key, id)
			before := time.Now()
			get("/jobs/%d?wait=25", id).with(key).succeeds(200)
			get("/jobs/999999999?wait=25").with(key).refused(404, catalog.JobNotFound)
			Expect(time.Since(before)).To(BeNumerically("<", 5*time.Second))
		})

		It("return unfinished when the server shuts down", func() {
			id, _ := begun()
			f := newFront(frontOptions{})
			time.AfterFunc(500*time.Millisecond, f.server.Drain)
			before := time.Now()
			a := get("/jobs/%d?wait=25", id).with(key).at(f).succeeds(200)
			Expect(a.at("data.status")).To(BeElementOf("queued", "processing"))
			Expect(time.Since(before)).To(BeNumerically("<", 10*time.Second))
		})

		It("are a 422 for more than 25 seconds, a negative number and anything but a number", func() {
			for _, wait := range []string{"26", "-1", "1.5", "long"} {
				a := get("/jobs/1?wait=%s", wait).with(key).refused(422, catalog.ValidationFailed)
				Expect(a.details()).To(HaveKeyWithValue("field", "wait"))
			}
		})

		It("work the same in the tool, which names the next step", func() {
			id, release := begun()
			time.AfterFunc(time.Second, release)
			out := agentWith(service, key).does("get_job", object{"job_id": id, "wait": 25})
			Expect(out.at("data.status")).To(Equal("succeeded"))
			Expect(out.next).To(ContainSubstring("render_slideshow"))
		})
	})

	It("are processing while work is in progress, with an estimate and without a result or an error", func() {
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

	It("that have ended never change without a request", func() {
		id := t.slideshow(key, object{"context": habits, "slide_count": 3})
		before, after := get("/jobs/%d", id).with(key).succeeds(200).data(), get("/jobs/%d", id).with(key).succeeds(200).data()
		for _, a := range []object{before, after} {
			delete(a["result"].(object), "preview_url") // signed again on each read
		}
		Expect(after).To(Equal(before))
	})

	It("are not found if unknown, of another brand, or if the short is a draft without any work", func() {
		id := t.slideshow(key, object{"context": habits, "slide_count": 3})
		get("/jobs/999999999").with(key).refused(404, catalog.JobNotFound)
		get("/jobs/%d", id).with(newTenant().everything()).refused(404, catalog.JobNotFound)
		_, other := t.brand("other")
		get("/jobs/%d?brand_id=%d", id, other).with(key).refused(404, catalog.JobNotFound)
		_, draft := t.manifest("draft", func(s *v1beta1.Slideshow) { s.Spec.Suspend = true })
		get("/jobs/%d", draft).with(key).refused(404, catalog.JobNotFound)
	})
})
