// SPDX-License-Identifier: Apache-2.0

package contract_test

import (
	"fmt"
	"strconv"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/reelops/reelops/internal/catalog"
)

var _ = Describe("Brand selection", func() {
	var t *tenant
	var other int64
	var all, own string
	BeforeEach(func() {
		t = newTenant()
		_, other = t.brand("other")
		all, own = t.everything(), t.key("read", "write", "brand:write", "webhooks:write")
	})
	text := func(id int64) string { return strconv.FormatInt(id, 10) }

	It("defaults to the key's brand, and naming that brand needs no further scope", func() {
		for _, r := range []*request{
			post("/slideshows", object{"context": unwritable}),
			post("/slideshows?brand_id=%d", t.acmeID, object{"context": unwritable}),
			post("/slideshows?brand_id=", object{"context": unwritable}).loosely(),
			post("/slideshows", object{"context": unwritable}).named("X-Brand-Id", text(t.acmeID)),
			post("/slideshows", object{"context": unwritable}).named("X-Brand-Id", "").loosely(),
		} {
			id := r.with(own).succeeds(202).id("data.job_id")
			Expect(get("/shorts/%d", id).with(own).succeeds(200).id("data.brand_id")).To(Equal(t.acmeID))
		}
	})

	It("allows another brand of the account with brands:all, in the query or in the header", func() {
		for _, r := range []*request{
			post("/slideshows?brand_id=%d", other, object{"context": unwritable}),
			post("/slideshows", object{"context": unwritable}).named("X-Brand-Id", text(other)),
		} {
			id := r.with(all).succeeds(202).id("data.job_id")
			get("/jobs/%d", id).with(all).refused(404, catalog.JobNotFound)
			get("/shorts/%d", id).with(all).refused(404, catalog.NotFound)
			Expect(get("/shorts/%d?brand_id=%d", id, other).with(all).succeeds(200).id("data.brand_id")).To(Equal(other))
		}
	})

	It("uses the query if both are sent", func() {
		id := post("/slideshows?brand_id=%d", other, object{"context": unwritable}).named("X-Brand-Id", text(t.acmeID)).with(all).succeeds(202).id("data.job_id")
		get("/jobs/%d?brand_id=%d", id, other).named("X-Brand-Id", "999999999").with(all).succeeds(200)
	})

	It("rejects another brand with missing_scope if the key lacks brands:all, on every operation for a brand", func() {
		for _, o := range operations {
			if !o.forBrand {
				continue
			}
			for _, r := range []*request{ask(o.method, o.path+"?brand_id=%d", other), ask(o.method, o.path).named("X-Brand-Id", text(other))} {
				a := r.with(own).refused(403, catalog.MissingScope)
				Expect(a.details()).To(HaveKeyWithValue("required_scope", "brands:all"), o.path)
				Expect(a.details()["key_scopes"]).NotTo(BeEmpty())
			}
		}
	})

	It("is a 404 not_found for a brand of another account, with any scopes, on every operation for a brand", func() {
		stranger := newTenant()
		nothingAtAll := t.key("moon:walk")
		front := newFront(frontOptions{change: plenty})
		for _, o := range operations {
			if !o.forBrand {
				continue
			}
			for _, id := range []string{text(stranger.acmeID), "999999999", "abc", "0", "-1", "1.0", "99999999999999999999"} {
				for _, key := range []string{all, own, nothingAtAll} {
					ask(o.method, o.path+"?brand_id="+id).with(key).at(front).refused(404, catalog.NotFound)
				}
			}
		}
	})

	It("does not apply to the account, the capabilities and error lookup", func() {
		for _, o := range operations {
			if o.forBrand {
				continue
			}
			for _, id := range []string{"abc", text(other)} {
				ask(o.method, o.path+"?brand_id="+id).with(own).succeeds(200)
			}
		}
	})

	It("leaves quota and rate limits with the owner of the key", func() {
		t := newTenant(planned(10))
		_, other := t.brand("other")
		key := t.everything()
		post(fmt.Sprintf("/slideshows?brand_id=%d", other), object{"context": unwritable}).with(key).succeeds(202)
		Eventually(func() any {
			return get("/account").with(key).succeeds(200).at("data.plan.capabilities.slideshows_used")
		}).Should(BeEquivalentTo(1))
	})
})
