// SPDX-License-Identifier: Apache-2.0

package controllers_test

import (
	"io"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/content/deck"
	"github.com/reelops/reelops/internal/testkit"
)

var _ = Describe("An edited Slideshow", func() {
	var s, before *v1beta1.Slideshow
	BeforeEach(func() {
		s = testkit.Slideshow(tenant(nil), "edited", "acme", "Four habits. Sleep early every night. Walk in daylight. Drink more water. Call a friend.")
		s.Spec.SlideCount, s.Spec.AspectRatio, s.Spec.DesignStyle = 4, "4:5", "bold_center"
		Expect(k8s.Create(ctx, s)).To(Succeed())
		Expect(awaitWork(s).Status.Work.State).To(Equal(v1beta1.WorkSucceeded), "%+v", s.Status.Work.Error)
		before = s.DeepCopy()
	})
	// answered waits until the controller has observed the spec and finished the work for it.
	answered := func() {
		GinkgoHelper()
		generation := s.Generation
		Eventually(func(g Gomega) {
			g.Expect(k8s.Get(ctx, client.ObjectKeyFromObject(s), s)).To(Succeed())
			g.Expect(s.Status.ObservedGeneration).To(BeNumerically(">=", generation))
			g.Expect(s.Status.Work.State.Settled()).To(BeTrue())
			g.Expect(deck.Outdated(s)).To(BeFalse())
		}).Should(Succeed())
	}
	edit := func(e deck.Edit) {
		GinkgoHelper()
		r, err := deck.Apply(s, nil, e)
		Expect(err).NotTo(HaveOccurred())
		s.Spec = *r.Spec
		Expect(k8s.Update(ctx, s)).To(Succeed())
		answered()
	}

	It("keeps the stored images of every slide that an edit does not change", func() {
		edit(deck.Edit{Slides: []deck.SlideEdit{{ID: 2, Overlays: &[]deck.OverlayEdit{{Text: ptr.To("Only this")}}}}, Order: []int64{3, 2, 1}})
		Expect(s.Status.Revision).To(BeEquivalentTo(2))
		Expect(s.Status.Slides).To(HaveLen(3))
		Expect(*deck.Drawn(s, 1)).To(Equal(*deck.Drawn(before, 1)))
		Expect(*deck.Drawn(s, 3)).To(Equal(*deck.Drawn(before, 3)))
		changed, was := deck.Drawn(s, 2), deck.Drawn(before, 2)
		Expect(changed.PictureKey).NotTo(Equal(was.PictureKey))
		Expect(changed.Background).To(Equal(was.Background))
		Expect(changed.TextOverlays).To(HaveLen(1))
		Expect([]int64{s.Status.Slides[0].ID, s.Status.Slides[1].ID, s.Status.Slides[2].ID}).To(Equal([]int64{3, 2, 1}))
		Expect(s.Status.PreviewKey).NotTo(Equal(before.Status.PreviewKey))

		By("keeping the job that created them")
		Expect(s.Status.Generated).To(Equal(before.Status.Work))
		Expect(s.Status.Charge.Charges).To(BeEquivalentTo(1))
	})

	It("renders nothing for an edit that changes no image", func() {
		edit(deck.Edit{Slides: []deck.SlideEdit{{ID: 2, AltText: ptr.To("A photo of water")}}})
		Expect(s.Spec.Slides).To(HaveLen(4))
		Expect(s.Status.Revision).To(BeEquivalentTo(1))
		Expect(s.Status.Work).To(Equal(before.Status.Work))
		Eventually(func(g Gomega) {
			g.Expect(k8s.Get(ctx, client.ObjectKeyFromObject(s), s)).To(Succeed())
			g.Expect(deck.Drawn(s, 2).AltText).To(Equal("A photo of water"))
			g.Expect(s.Status.WorkedOn).To(Equal(s.Generation))
		}).Should(Succeed())
		Expect(deck.Drawn(s, 1).AltText).To(Equal(deck.Drawn(before, 1).AltText))

		By("rendering the same images when all slides are rendered again")
		s.Spec.Gradient = &v1beta1.Gradient{Enabled: ptr.To(false)}
		Expect(k8s.Update(ctx, s)).To(Succeed())
		answered()
		s.Spec.Gradient = nil
		Expect(k8s.Update(ctx, s)).To(Succeed())
		answered()
		Expect(s.Status.Revision).To(BeEquivalentTo(3))
		for i := range s.Status.Slides {
			Expect(s.Status.Slides[i].TextOverlays).To(Equal(before.Status.Slides[i].TextOverlays))
			Expect(stored(s.Status.Slides[i].PictureKey)).To(Equal(stored(before.Status.Slides[i].PictureKey)))
		}
	})

	It("keeps the rendered slides when an edit fails, and applies the next edit", func() {
		edit(deck.Edit{Slides: []deck.SlideEdit{{ID: 1, Image: &v1beta1.SlideImage{Stock: ptr.To("no-such-picture")}}}})
		Expect(s.Status.Work.State).To(Equal(v1beta1.WorkFailed))
		Expect(s.Status.Work.Error.Details).To(HaveKeyWithValue("field", "slides[0].image.stock"))
		Expect(ready(s.Status.Conditions).Status).To(Equal(metav1.ConditionFalse))
		Expect(s.Status.Slides).To(Equal(before.Status.Slides))
		Expect(s.Status.Generated).To(Equal(before.Status.Work))
		edit(deck.Edit{Slides: []deck.SlideEdit{{ID: 1, Image: deck.ImageOf(before.Status.Slides[1].Background)}}})
		Expect(s.Status.Work.State).To(Equal(v1beta1.WorkSucceeded))
		Expect(s.Status.Revision).To(BeEquivalentTo(2))
		Expect(s.Status.Slides[0].Background.ID).To(Equal(before.Status.Slides[1].Background.ID))
	})

	It("chooses other images for another image world", func() {
		backgrounds := func(of *v1beta1.Slideshow) (out []string) {
			for i := range of.Status.Slides {
				out = append(out, of.Status.Slides[i].Background.ID)
			}
			return out
		}
		seen := map[string]bool{}
		for _, w := range catalog.ImageWorlds[:3] {
			s.Spec.ImageWorld = w.ID
			Expect(k8s.Update(ctx, s)).To(Succeed())
			answered()
			seen[strings.Join(backgrounds(s), " ")] = true
		}
		Expect(seen).To(HaveLen(3))
	})

	It("waits for an image that is applied later, and reports it", func() {
		s.Spec.Slides = written(s)
		s.Spec.Slides[0].Image = &v1beta1.SlideImage{MediaRef: &v1beta1.LocalRef{Name: "later"}}
		Expect(k8s.Update(ctx, s)).To(Succeed())
		Eventually(func(g Gomega) {
			g.Expect(k8s.Get(ctx, client.ObjectKeyFromObject(s), s)).To(Succeed())
			g.Expect(ready(s.Status.Conditions).Reason).To(Equal(string(v1beta1.ReasonMediaNotFound)))
		}).Should(Succeed())
		Expect(deck.Outdated(s)).To(BeTrue(), "the rendered slides differ from the requested ones")
		Expect(s.Status.Slides).To(Equal(before.Status.Slides))
	})
})

// written returns a slideshow's slides in the form of an edit.
func written(s *v1beta1.Slideshow) []v1beta1.SlideSpec {
	GinkgoHelper()
	r, err := deck.Apply(s, nil, deck.Edit{Slides: []deck.SlideEdit{{ID: 1, AltText: ptr.To("x")}}})
	Expect(err).NotTo(HaveOccurred())
	return r.Spec.Slides
}

// stored returns the content of a blob.
func stored(key string) []byte {
	GinkgoHelper()
	r, err := store.Get(ctx, key)
	Expect(err).NotTo(HaveOccurred())
	defer func() { _ = r.Close() }()
	doc, err := io.ReadAll(r)
	Expect(err).NotTo(HaveOccurred())
	return doc
}
