// SPDX-License-Identifier: Apache-2.0

package contract_test

import (
	"strconv"
	"sync/atomic"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	clocktesting "k8s.io/utils/clock/testing"

	"github.com/reelops/reelops/apiserver"
	"github.com/reelops/reelops/apiserver/limit"
	"github.com/reelops/reelops/internal/catalog"
)

// hasRateLimit expects the three rate limit headers.
func (a *answer) hasRateLimit(limit, remaining, window int) *answer {
	GinkgoHelper()
	Expect([]string{a.header.Get("X-RateLimit-Limit"), a.header.Get("X-RateLimit-Remaining"), a.header.Get("X-RateLimit-Window")}).
		To(Equal([]string{strconv.Itoa(limit), strconv.Itoa(remaining), strconv.Itoa(window)}), a.raw)
	return a
}

// limited expects a 429 with its headers and details.
func (r *request) limited(bucket string, limit, window int) *answer {
	GinkgoHelper()
	a := r.refused(429, catalog.RateLimited)
	Expect(a.at("errors.0.retryable")).To(BeTrue())
	Expect(a.details()).To(And(HaveKeyWithValue("bucket", bucket), HaveKeyWithValue("limit", float64(limit)), HaveKeyWithValue("window_seconds", float64(window)),
		HaveKeyWithValue("retry_after_seconds", And(BeNumerically(">=", 1), BeNumerically("<=", window)))))
	Expect(a.header.Get("Retry-After")).To(Equal(strconv.FormatFloat(a.details()["retry_after_seconds"].(float64), 'f', -1, 64)))
	return a.hasRateLimit(limit, 0, window)
}

var _ = Describe("Limits", func() {
	var t *tenant
	var key string
	BeforeEach(func() {
		t = newTenant()
		key = t.everything()
	})
	body := object{"context": unwritable}

	// with starts a front end with the given rate limits and a stopped clock.
	with := func(c limit.Ceilings) (*front, *clocktesting.FakePassiveClock) {
		GinkgoHelper()
		clock := clocktesting.NewFakePassiveClock(time.Now())
		all := limit.Default()
		for b, v := range c {
			all[b] = v
		}
		return newFront(frontOptions{change: func(c *apiserver.Config) {
			c.Limits, c.Clock = limit.New(all, clock), clock
		}}), clock
	}

	Describe("Every answer", func() {
		It("reports the limit of 300 requests in 5 minutes", func() {
			get("/account").with(key).succeeds(200).hasRateLimit(300, 299, 300)
			get("/jobs/999999999").with(key).refused(404, catalog.JobNotFound).hasRateLimit(300, 298, 300)
			get("/shorts?page=0").with(key).refused(422, catalog.ValidationFailed).hasRateLimit(300, 297, 300)
			get("/capabilities").with(key).succeeds(200).hasRateLimit(300, 296, 300)
			patch("/slideshows/999999999", object{}).with(key).refused(404, catalog.NotFound).hasRateLimit(300, 295, 300)
			get("/nothing").with(key).refused(404, catalog.NotFound).hasRateLimit(300, 294, 300)
			remove("/account").with(key).refused(405, catalog.BadRequest).hasRateLimit(300, 293, 300)
		})

		It("of an operation that generates reports 20 requests in an hour, shared by creating and rendering", func() {
			id := t.laidOut()
			post("/slideshows", body).with(key).succeeds(202).hasRateLimit(20, 19, 3600)
			post("/slideshows/%d/render", id, nothing).with(key).succeeds(202).hasRateLimit(20, 18, 3600)
		})

		It("to a request without a valid key reports 60 in 5 minutes for its address", func() {
			get("/account").refused(401, catalog.MissingToken).hasRateLimit(60, 59, 300)
			get("/account").with("rlo_nothing").refused(401, catalog.InvalidToken).hasRateLimit(60, 58, 300)
			get("/account").from(sources.another()).refused(401, catalog.MissingToken).hasRateLimit(60, 59, 300)
		})
	})

	It("are counted for each key, not for the account", func() {
		get("/account").with(key).succeeds(200).hasRateLimit(300, 299, 300)
		get("/account").with(t.everything()).succeeds(200).hasRateLimit(300, 299, 300)
	})

	It("reject a request beyond the rate limit with 429 and the time to retry", func() {
		f, _ := with(limit.Ceilings{limit.Global: {Limit: 3, Window: 5 * time.Minute}})
		for left := 2; left >= 0; left-- {
			get("/account").with(key).at(f).succeeds(200).hasRateLimit(3, left, 300)
		}
		get("/account").with(key).at(f).limited("global", 3, 300)
		post("/slideshows", body).with(key).at(f).limited("global", 3, 300)
		get("/nothing").with(key).at(f).limited("global", 3, 300)
		get("/account").with(t.everything()).at(f).succeeds(200)
	})

	It("slide: a request counts for one window, and a rejected one does not count", func() {
		f, clock := with(limit.Ceilings{limit.Global: {Limit: 2, Window: time.Minute}})
		account := func() *request { return get("/account").with(key).at(f) }
		account().succeeds(200)
		clock.SetTime(clock.Now().Add(20 * time.Second))
		account().succeeds(200)
		Expect(account().limited("global", 2, 60).header.Get("Retry-After")).To(Equal("40"))
		clock.SetTime(clock.Now().Add(39500 * time.Millisecond))
		Expect(account().limited("global", 2, 60).header.Get("Retry-After")).To(Equal("1"))
		clock.SetTime(clock.Now().Add(500 * time.Millisecond))
		account().succeeds(200)
		Expect(account().limited("global", 2, 60).header.Get("Retry-After")).To(Equal("20"))
	})

	It("of generation count accepted requests, and none that were rejected before", func() {
		f, clock := with(limit.Ceilings{limit.Generation: {Limit: 2, Window: time.Hour}})
		create := func(body any) *request { return post("/slideshows", body).with(key).at(f) }
		create(object{}).refused(422, catalog.ValidationFailed).hasRateLimit(2, 2, 3600)
		create("{").refused(400, catalog.BadRequest).hasRateLimit(2, 2, 3600)
		post("/slideshows/999999999/render", nothing).with(key).at(f).refused(404, catalog.NotFound).hasRateLimit(2, 2, 3600)
		create(body).succeeds(202).hasRateLimit(2, 1, 3600)
		create(body).succeeds(202).hasRateLimit(2, 0, 3600)
		create(object{}).refused(422, catalog.ValidationFailed).hasRateLimit(2, 0, 3600)
		create(body).limited("generation", 2, 3600)
		get("/account").with(key).at(f).succeeds(200)
		clock.SetTime(clock.Now().Add(time.Hour))
		create(body).succeeds(202).hasRateLimit(2, 1, 3600)
	})

	It("of generation count a slideshow with an automatic render once", func() {
		f, _ := with(limit.Ceilings{limit.Generation: {Limit: 2, Window: time.Hour}})
		id := post("/slideshows", object{"context": habits, "slide_count": 3, "aspect_ratio": "4:5", "auto_render": true}).with(key).at(f).succeeds(202).hasRateLimit(2, 1, 3600).id("data.job_id")
		Eventually(func() any { return get("/jobs/%d", id).with(key).succeeds(200).at("data.kind") }).WithPolling(200 * time.Millisecond).Should(Equal("render"))
		post("/slideshows", object{}).with(key).at(f).refused(422, catalog.ValidationFailed).hasRateLimit(2, 1, 3600)
	})

	It("of generation count a replayed request once", func() {
		f, _ := with(limit.Ceilings{limit.Generation: {Limit: 2, Window: time.Hour}})
		create := func() *request { return post("/slideshows", body).with(key).once("again").at(f) }
		create().succeeds(202).hasRateLimit(2, 1, 3600)
		for range 3 {
			Expect(create().succeeds(202).hasRateLimit(2, 1, 3600).meta()).To(HaveKeyWithValue("idempotent_replay", true))
		}
	})

	It("reject an address that keeps sending invalid keys, but not a valid key from there", func() {
		f, clock := with(limit.Ceilings{limit.Unauthenticated: {Limit: 3, Window: 5 * time.Minute}})
		for left := 2; left >= 0; left-- {
			get("/account").at(f).refused(401, catalog.MissingToken).hasRateLimit(3, left, 300)
		}
		get("/account").at(f).limited("unauthenticated", 3, 300)
		get("/account").with("rlo_nothing").at(f).limited("unauthenticated", 3, 300)
		get("/account").with(key).at(f).succeeds(200)
		get("/account").at(f).from(sources.another()).refused(401, catalog.MissingToken)
		clock.SetTime(clock.Now().Add(5 * time.Minute))
		get("/account").at(f).refused(401, catalog.MissingToken)
	})

	It("ignore headers with client addresses by default", func() {
		f, _ := with(limit.Ceilings{limit.Unauthenticated: {Limit: 1, Window: 5 * time.Minute}})
		get("/account").at(f).refused(401, catalog.MissingToken)
		get("/account").at(f).named("X-Forwarded-For", "203.0.113.9").named("Forwarded", "for=203.0.113.9").limited("unauthenticated", 1, 300)
	})

	It("are exact under concurrent requests", func() {
		f, _ := with(limit.Ceilings{limit.Global: {Limit: 50, Window: 5 * time.Minute}})
		var passed atomic.Int64
		together(200, func(int) {
			if get("/account").with(key).at(f).send().status == 200 {
				passed.Add(1)
			}
		})
		Expect(passed.Load()).To(BeEquivalentTo(50))
	})
})
