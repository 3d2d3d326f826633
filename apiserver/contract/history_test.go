// SPDX-License-Identifier: Apache-2.0

package contract_test

import (
	"fmt"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/catalog"
)

var _ = Describe("The history of a short", func() {
	var t *tenant
	var key string
	BeforeEach(func() {
		t = newTenant()
		key = t.everything()
	})
	// events returns the subject and the event of each entry.
	events := func(a *answer) (out []string) {
		GinkgoHelper()
		for i := range a.list() {
			out = append(out, fmt.Sprint(a.at(fmt.Sprintf("data.%d.subject", i)), " ", a.at(fmt.Sprintf("data.%d.event", i))))
		}
		return out
	}
	of := func(id int64, query string) *answer {
		GinkgoHelper()
		return get("/shorts/%d/history%s", id, query).with(key).succeeds(200)
	}

	It("has its creation, generation, posts and attempts to publish, newest first and in pages", func() {
		id := t.slideshow(key, object{"context": habits, "slide_count": 3})
		Expect(events(of(id, ""))).To(Equal([]string{"generation succeeded", "generation started", "short created"}))
		post := t.applied(id, t.social("tiktok"), "tiktok")
		begin := metav1.NewMicroTime(time.Now().Add(time.Minute))
		end, last := metav1.NewMicroTime(begin.Add(time.Second)), metav1.NewTime(begin.Add(2*time.Second))
		t.comes(post, func(s *v1beta1.PostStatus) {
			failure := &v1beta1.WorkError{Code: "platform_rate_limited", Message: "The platform rejected the post.", Retryable: true}
			s.State, s.FinishedAt, s.Error = v1beta1.PostFailed, &last, failure
			s.Attempts = []v1beta1.PostAttempt{{Number: 1, State: v1beta1.AttemptRejected, StartedAt: begin, SettledAt: &end, Error: failure}}
		})
		want := []string{"post failed", "post rejected", "post started", "post created", "generation succeeded", "generation started", "short created"}
		var a *answer
		Eventually(func() []string { a = of(id, ""); return events(a) }).WithPolling(often).Should(Equal(want))
		Expect(a.at("meta.pagination")).To(Equal(object{"page": 1.0, "per_page": 25.0, "total_pages": 1.0, "total_count": 7.0}))
		Expect(a.at("data.1")).To(Equal(object{
			"at": end.UTC().Format("2006-01-02T15:04:05Z"), "subject": "post", "event": "rejected", "post_id": float64(post), "revision": nil,
			"attempt": 1.0, "changed_by": nil,
			"error": object{"code": "platform_rate_limited", "message": "The platform rejected the post.", "retryable": true, "details": object{}},
		}))
		Expect(a.at("data.6.at")).To(Equal(get("/shorts/%d", id).with(key).succeeds(200).at("data.created_at")))
		second := of(id, "?per_page=3&page=2")
		Expect(events(second)).To(Equal(want[3:6]))
		Expect(second.at("meta.pagination")).To(Equal(object{"page": 2.0, "per_page": 3.0, "total_pages": 3.0, "total_count": 7.0}))
		Expect(of(id, "?page=9").list()).To(BeEmpty())
	})

	It("has changes with their author, and the work on them", func() {
		inCluster("a restored short has the changes since its restore")
		show, id := t.manifest("changed", nil)
		settled(key, id)
		Eventually(func() bool { return time.Now().Unix() > show.CreationTimestamp.Unix()+1 }).Should(BeTrue())
		patch("/slideshows/%d", id, object{"title": "Another title"}).with(key).succeeds(200)
		a := of(id, "")
		Expect(events(a)).To(ContainElements("short created", "short changed", "generation succeeded"))
		var authors []any
		for i := range a.list() {
			authors = append(authors, a.at(fmt.Sprintf("data.%d.changed_by", i)))
		}
		Expect(authors).To(ContainElement("api"))
	})

	It("has why the generation failed", func() {
		id := post("/slideshows", object{"context": unwritable}).with(key).succeeds(202).id("data.job_id")
		settled(key, id)
		a := of(id, "")
		Expect(events(a)).To(HaveExactElements("generation failed", "generation started", "short created"))
		Expect(a.at("data.0.error.code")).To(Equal("generation_failed"))
	})

	It("of a draft has its creation only", func() {
		_, id := t.manifest("draft", func(s *v1beta1.Slideshow) { s.Spec.Suspend = true })
		Expect(events(of(id, ""))).To(Equal([]string{"short created"}))
	})

	It("is a 404 not_found for another account, another brand and an unknown id, and rejects an invalid page", func() {
		_, id := t.manifest("mine", func(s *v1beta1.Slideshow) { s.Spec.Suspend = true })
		_, other := t.brand("other")
		get("/shorts/%d/history", id).with(newTenant().everything()).refused(404, catalog.NotFound)
		get("/shorts/%d/history?brand_id=%d", id, other).with(key).refused(404, catalog.NotFound)
		get("/shorts/999999999/history").with(key).refused(404, catalog.NotFound)
		get("/shorts/%d/history?page=0", id).with(key).loosely().refused(422, catalog.ValidationFailed).about("page")
		get("/shorts/%d/history", id).with(t.key(v1beta1.ScopePostsRead)).refused(403, catalog.MissingScope)
	})
})
