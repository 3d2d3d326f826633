// SPDX-License-Identifier: Apache-2.0

package apiserver_test

import (
	"context"
	"encoding/json"
	"sync"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/reelops/reelops/api/v1beta1"
	cached "github.com/reelops/reelops/apiserver/read"
)

// listed returns the titles (or null) of a tenant's shorts by id, and their number.
func (t *tenant) listed() (titles map[string]any, total int) {
	GinkgoHelper()
	r := call("GET", "/api/v1/shorts?per_page=50", t.reader, nil)
	Expect(r.status).To(Equal(200), r.raw)
	var body struct {
		Data []struct {
			ID    json.Number
			Title *string
		}
		Meta struct {
			Pagination struct {
				TotalCount int `json:"total_count"`
			}
		}
	}
	Expect(json.Unmarshal([]byte(r.raw), &body)).To(Succeed())
	titles = map[string]any{}
	for _, s := range body.Data {
		titles[s.ID.String()] = nil
		if s.Title != nil {
			titles[s.ID.String()] = *s.Title
		}
	}
	return titles, body.Meta.Pagination.TotalCount
}

var _ = Describe("The index of shorts", func() {
	var t *tenant
	ctx := context.Background()
	BeforeEach(func() { t = newTenant(nil) })

	It("contains the short of every writer in the next list, under concurrency", func() {
		const writers, each = 8, 5
		var all sync.WaitGroup
		for range writers {
			all.Go(func() {
				defer GinkgoRecover()
				for range each {
					s, id := t.newShow(nil)
					titles, _ := t.listed()
					Expect(titles).To(HaveKey(id))
					s.Spec.Title = ptr.To("changed " + id)
					Expect(access.Plain.Update(ctx, s)).To(Succeed())
					titles, _ = t.listed()
					Expect(titles).To(HaveKeyWithValue(id, "changed "+id))
					Expect(call("GET", "/api/v1/shorts/"+id, t.reader, nil).data).To(HaveKeyWithValue("title", "changed "+id))
				}
			})
		}
		all.Wait()
		_, total := t.listed()
		Expect(total).To(Equal(writers * each))
	})

	It("reflects a render in the next job and list, and its end", func() {
		_, id := t.newShow(laidOut)
		r := call("POST", "/api/v1/slideshows/"+id+"/render", t.writer, nil)
		Expect(r.status).To(Equal(202), r.raw)
		Expect(call("GET", "/api/v1/jobs/"+id, t.reader, nil).data).To(And(HaveKeyWithValue("kind", "render"), HaveKeyWithValue("status", "queued")))
		settle(t.render("show-"+id+"-r1"), v1beta1.WorkSucceeded)
		Expect(call("GET", "/api/v1/jobs/"+id, t.reader, nil).data).To(HaveKeyWithValue("status", "succeeded"))
	})

	It("does not cache the content of slides, and rejects writes of partial objects", func() {
		s, id := t.newShow(laidOut)
		Expect(access.Index.Await(ctx, t.namespace)).To(Succeed())
		held, _, ok := access.Index.Get(t.namespace, parse(id))
		Expect(ok).To(BeTrue())
		Expect(held.Show.Status.Slides).To(HaveLen(3), "slides are counted")
		Expect(held.Show.Status.Slides[0]).To(BeZero(), "slides are empty")
		Expect(held.Show.Spec.Context).NotTo(ContainSubstring(s.Spec.Context), "the context is replaced by the texts of the slides")

		part := &v1beta1.Slideshow{}
		Expect(access.Client.Get(ctx, client.ObjectKeyFromObject(s), part)).To(Succeed())
		part.Spec.Title = ptr.To("lost slides")
		Expect(access.Client.Update(ctx, part)).To(MatchError(cached.ErrPartial))
		Expect(access.Plain.Update(ctx, part)).To(MatchError(cached.ErrPartial))
		Expect(access.Client.Status().Update(ctx, part)).To(MatchError(cached.ErrPartial))
		Expect(access.Client.Patch(ctx, part, client.MergeFrom(held.Show))).To(MatchError(cached.ErrPartial))

		whole := &v1beta1.Slideshow{}
		Expect(access.Plain.Get(ctx, client.ObjectKeyFromObject(s), whole)).To(Succeed())
		Expect(whole.Status.Slides[0].AltText).To(Equal("a slide"))
		Expect(whole.Annotations).To(BeEmpty())
	})

	It("adds a manifest when it gets its id, and assigns a duplicate id to the older object", func() {
		old, id := t.newShow(func(s *v1beta1.Slideshow) { s.Labels, s.Spec.Title = nil, ptr.To("old") })
		Expect(t.listed()).To(BeEmpty())
		old.Labels = map[string]string{v1beta1.LabelID: id, v1beta1.LabelBrand: "acme"}
		Expect(access.Plain.Update(ctx, old)).To(Succeed())
		titles, total := t.listed()
		Expect(titles).To(HaveKeyWithValue(id, "old"))
		Expect(total).To(Equal(1))

		// Within one second the earlier name counts as the older.
		younger, _ := t.newShow(func(s *v1beta1.Slideshow) {
			s.Name, s.Labels[v1beta1.LabelID], s.Spec.Title = "tardy", id, ptr.To("copy")
		})
		titles, total = t.listed()
		Expect(titles).To(HaveKeyWithValue(id, "old"))
		Expect(total).To(Equal(1))
		Expect(access.Client.Delete(ctx, old)).To(Succeed())
		titles, _ = t.listed()
		Expect(titles).To(HaveKeyWithValue(id, "copy"))
		Expect(access.Client.Delete(ctx, younger)).To(Succeed())
		_, total = t.listed()
		Expect(total).To(BeZero())
		Expect(call("GET", "/api/v1/jobs/"+id, t.reader, nil).code()).To(Equal("job_not_found"))
	})
})

func parse(id string) int64 {
	GinkgoHelper()
	n, err := json.Number(id).Int64()
	Expect(err).NotTo(HaveOccurred())
	return n
}
