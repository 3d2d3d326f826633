// SPDX-License-Identifier: Apache-2.0

package contract_test

import (
	"fmt"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/apiserver"
	"github.com/reelops/reelops/apiserver/limit"
	"github.com/reelops/reelops/internal/catalog"
)

// A caller gets one of several errors. These specs begin with a request in which everything is wrong, and correct one
// thing after the other.
var _ = Describe("The order of checks", func() {
	// tight returns a front end that allows one call an hour in a bucket.
	tight := func(b limit.Bucket) *front {
		GinkgoHelper()
		return newFront(frontOptions{change: func(c *apiserver.Config) {
			all := limit.Default()
			all[b] = limit.Ceiling{Limit: 1, Window: time.Hour}
			c.Limits = limit.New(all, c.Clock)
		}})
	}

	It("of a creation is key, brand, scope, another brand, idempotency key, body, quota or credits, rate limit", func() {
		t := newTenant(planned(1), credited(5))
		_, other := t.brand("other")
		f := tight(limit.Generation)
		// Used up: the plan's only slideshow, and the rate limit of each key.
		writer, all, reader := t.key("write"), t.everything(), t.key("read")
		for _, key := range []string{writer, all} {
			get("/capabilities").with(key).at(f).succeeds(200)
		}
		post("/slideshows", object{"context": unwritable}).with(all).at(f).succeeds(202)

		create := func(key string, brand any, once string, body any) *request {
			GinkgoHelper()
			r := post(fmt.Sprintf("/slideshows?brand_id=%v", brand), body).at(f).once(once)
			if key != "" {
				r.with(key)
			}
			return r.loosely()
		}
		unreadable, invalid, costly := "{", object{"context": ""}, object{"context": unwritable, "slide_count": 3, "image_source": object{"type": "ai"}}
		create("", 999999999, "", unreadable).refused(401, catalog.MissingToken)
		create("rlo_nothing", 999999999, "", unreadable).refused(401, catalog.InvalidToken)
		create(reader, 999999999, "", unreadable).refused(404, catalog.NotFound)
		Expect(create(reader, other, "", unreadable).refused(403, catalog.MissingScope).details()).To(HaveKeyWithValue("required_scope", "content:write"))
		Expect(create(writer, other, "", unreadable).refused(403, catalog.MissingScope).details()).To(HaveKeyWithValue("required_scope", "brands:all"))
		Expect(create(all, other, "", unreadable).refused(400, catalog.BadRequest).details()).To(HaveKeyWithValue("parameter", "Idempotency-Key"))
		Expect(create(all, other, "k", unreadable).refused(400, catalog.BadRequest).details()).To(HaveKeyWithValue("parameter", "body"))
		create(all, other, "k", invalid).refused(422, catalog.ValidationFailed)
		create(all, other, "k", costly).refused(403, catalog.QuotaExceeded)
		change(t.account, func() { t.account.Spec.Plan.SlideshowLimit = nil })
		create(all, other, "k", costly).refused(402, catalog.InsufficientCredits)
		create(all, other, "k", object{"context": unwritable}).limited("generation", 1, 3600)
	})

	It("of a key beyond every limit is the rate limit of all requests before anything else of the key", func() {
		t := newTenant()
		f := tight(limit.Global)
		key := t.key("read")
		get("/nothing").with(key).at(f).refused(404, catalog.NotFound)
		get("/shorts?brand_id=999999999").with(key).at(f).limited("global", 1, 3600)
		post("/slideshows", "{").with(key).at(f).limited("global", 1, 3600)
		get("/nothing").with(key).at(f).limited("global", 1, 3600)
	})

	It("of a render is path, idempotency key, body, record, state, rate limit", func() {
		inCluster("restores take longer than the window of a rate limit")
		t := newTenant()
		f := tight(limit.Generation)
		key := t.everything()
		post("/slideshows", object{"context": unwritable}).with(key).at(f).succeeds(202)
		_, draft := t.manifest("draft", func(s *v1beta1.Slideshow) { s.Spec.Suspend = true })
		ready := t.laidOut()
		render := func(id any, once string, body any) *request {
			GinkgoHelper()
			return post(fmt.Sprintf("/slideshows/%v/render", id), body).with(key).at(f).once(once)
		}
		render("abc", "", "{").refused(404, catalog.NotFound)
		Expect(render(999999999, "", "{").refused(400, catalog.BadRequest).details()).To(HaveKeyWithValue("parameter", "Idempotency-Key"))
		Expect(render(999999999, "k", "{").refused(400, catalog.BadRequest).details()).To(HaveKeyWithValue("parameter", "body"))
		render(999999999, "k", object{"format": "photos"}).refused(422, catalog.ValidationFailed)
		render(999999999, "k", object{}).refused(404, catalog.NotFound)
		render(draft, "k", object{}).refused(409, catalog.Conflict)
		render(ready, "k", object{}).limited("generation", 1, 3600)
	})
})
