// SPDX-License-Identifier: Apache-2.0

package contract_test

import (
	"sync/atomic"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/apiserver"
	"github.com/reelops/reelops/internal/catalog"
)

var _ = Describe("Concurrent requests at the end of a plan", func() {
	burst := func(body object, code catalog.Code, fronts ...*front) (accepted, refused int64, t *tenant, key string) {
		t = newTenant(planned(7), credited(42))
		key = t.everything()
		var yes, no atomic.Int64
		together(100, func(i int) {
			switch a := post("/slideshows", body).with(key).at(fronts[i%len(fronts)]).send(); {
			case a.status == 202:
				yes.Add(1)
			case a.code() == code:
				no.Add(1)
			default:
				GinkgoWriter.Println("answered", a.status, a.raw)
			}
		})
		return yes.Load(), no.Load(), t, key
	}
	second := func(c *apiserver.Config) { plenty(c); replica(c) }

	It("create exactly the remaining slideshows, over two replicas", func() {
		yes, no, t, key := burst(object{"context": unwritable}, catalog.QuotaExceeded, newFront(frontOptions{change: plenty}), newFront(frontOptions{change: second}))
		Expect([]int64{yes, no}).To(Equal([]int64{7, 93}))
		Expect(plan(key)).To(And(HaveKeyWithValue("slideshows_used", 7.0), HaveKeyWithValue("slideshows_remaining", 0.0)))
		// The controller commits every reservation and charges nothing twice.
		a := &v1beta1.Account{}
		Eventually(func(g Gomega) {
			g.Expect(access.Plain.Get(ctx, client.ObjectKey{Namespace: t.namespace, Name: v1beta1.AccountName}, a)).To(Succeed())
			g.Expect(a.Status.Holds).To(BeEmpty())
		}).Should(Succeed())
		Expect(a.Status.Usage.SlideshowsUsed).To(BeEquivalentTo(7))
		var shows v1beta1.SlideshowList
		Expect(access.Plain.List(ctx, &shows, client.InNamespace(t.namespace))).To(Succeed())
		Expect(shows.Items).To(HaveLen(7))
	})

	It("create exactly the affordable slideshows with AI images, over two replicas", func() {
		const about = "Four of these can be paid."
		release := author.hold(about) // finished work releases credits, which could then pay for a fifth slideshow
		defer release()
		body := object{"context": about, "slide_count": 5, "image_source": object{"type": "ai"}}
		yes, no, t, key := burst(body, catalog.InsufficientCredits, newFront(frontOptions{change: plenty}), newFront(frontOptions{change: second}))
		Expect([]int64{yes, no}).To(Equal([]int64{4, 96}), "42 credits pay for four slideshows of five images at two credits")
		Expect(plan(key)).To(And(HaveKeyWithValue("current_credits", 2.0), HaveKeyWithValue("slideshows_used", 4.0)))
		Expect(access.Plain.DeleteAllOf(ctx, &v1beta1.Slideshow{}, client.InNamespace(t.namespace))).To(Succeed())
		release()
		Eventually(func() object { return plan(key) }).Should(HaveKeyWithValue("current_credits", 42.0))
		Expect(plan(key)).To(HaveKeyWithValue("slideshows_used", 4.0))
	})
})
