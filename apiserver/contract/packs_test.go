// SPDX-License-Identifier: Apache-2.0

package contract_test

import (
	"fmt"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/content/imagery/starter"
)

// full creates a pack with n ready images, and returns its id and theirs.
func full(namespace, name string, n int) (int64, []int64) {
	GinkgoHelper()
	id := packOf(namespace, name, nil)
	var pictures []int64
	for range n {
		_, one := picture(namespace, func(m *v1beta1.MediaAsset) { m.Spec.PackRef = of(name) })
		pictures = append(pictures, one)
	}
	awaitMedia(namespace)
	counted(namespace, name, n)
	return id, pictures
}

// counted waits until a pack counts n images, in the cluster and in the front end's cache.
func counted(namespace, name string, n int) {
	GinkgoHelper()
	Eventually(func(g Gomega) {
		p := &v1beta1.MediaPack{}
		g.Expect(access.Plain.Get(ctx, client.ObjectKey{Namespace: namespace, Name: name}, p)).To(Succeed())
		g.Expect(p.Status.ImageCount).To(BeEquivalentTo(n))
		known, ok := access.Media.NamedPack(namespace, name)
		g.Expect(ok).To(BeTrue())
		g.Expect(known.Images()).To(Equal(n))
	}).WithPolling(often).Should(Succeed())
}

var _ = Describe("Slideshows with a pack", func() {
	var t *tenant
	var key string
	BeforeEach(func() { t = newTenant(); key = t.everything() })

	body := func(pack any, slides int) object {
		return object{"context": habits, "slide_count": slides, "aspect_ratio": "4:5", "image_source": object{"type": "pack", "media_pack_id": pack}}
	}
	// backgrounds returns the media ids of a slideshow's backgrounds, slide by slide.
	backgrounds := func(id int64) (out []int64) {
		GinkgoHelper()
		for _, s := range get("/shorts/%d", id).with(key).succeeds(200).at("data.type_data.slides").([]any) {
			out = append(out, int64(s.(object)["media_id"].(float64)))
		}
		return out
	}

	It("use only its images as backgrounds, each once while others are unused", func() {
		pack, own := full(t.namespace, "summer", 5)
		picture(t.namespace, nil) // in no pack
		id := t.slideshow(key, body(pack, 4))
		shown := backgrounds(id)
		Expect(shown).To(HaveLen(4))
		seen := map[int64]bool{}
		for _, one := range shown {
			Expect(own).To(ContainElement(one))
			Expect(seen).NotTo(HaveKey(one), "no image is repeated while others are unused")
			seen[one] = true
		}
		Expect(get("/shorts/%d", id).with(key).succeeds(200).at("data.type_data.image_source")).To(Equal(object{"type": "pack", "media_pack_id": float64(pack)}))
	})

	It("warn if the pack is too small, and use each image before any again", func() {
		pack, own := full(t.namespace, "small", 2)
		a := post("/slideshows", body(pack, 5)).with(key).succeeds(202)
		Expect(a.at("meta.warnings.0.code")).To(Equal("pack_smaller_than_slideshow"))
		id := a.id("data.job_id")
		settled(key, id)
		times := map[int64]int{}
		shown := backgrounds(id)
		for i, one := range shown {
			Expect(own).To(ContainElement(one))
			times[one]++
			if i > 0 {
				Expect(one).NotTo(Equal(shown[i-1]), "no image is repeated in a row")
			}
		}
		Expect(times).To(HaveLen(2))
		for one, n := range times {
			Expect(n).To(BeNumerically("<=", 3), "image %d", one)
		}
		var drawn string
		for _, c := range t.object(id).Status.Conditions {
			if c.Type == string(v1beta1.ConditionDrawn) {
				drawn = c.Message
			}
		}
		Expect(drawn).To(ContainSubstring("fewer images"), "kubectl shows the same")
	})

	It("may use a pack of the library, and one of the starter set", func() {
		name := "global-" + t.namespace
		pack, pictures := full(systemNamespace, name, 3)
		id := t.slideshow(key, body(pack, 3))
		Expect(backgrounds(id)).To(ConsistOf(pictures[0], pictures[1], pictures[2]))
		Expect(t.object(id).Spec.ImageSource).To(Equal(&v1beta1.ImageSource{Type: "pack", LibraryPackRef: of(name)}))
		Expect(get("/shorts/%d", id).with(key).succeeds(200).at("data.type_data.image_source.media_pack_id")).To(Equal(float64(pack)))

		By("editing it, which keeps the library's images")
		before := backgrounds(id)
		patch("/slideshows/%d", id, object{"slides": []any{object{"id": 1, "textOverlays": []any{object{"text": "Another word"}}}}}).with(key).succeeds(200)
		finished(id)
		Expect(backgrounds(id)).To(Equal(before))

		of := starter.Packs()[0]
		id = t.slideshow(key, body(fmt.Sprint(of.ID), 3)) // ids may be sent as strings
		var numbers []int64
		for _, p := range of.Pictures {
			numbers = append(numbers, p.Number)
		}
		for _, one := range backgrounds(id) {
			Expect(numbers).To(ContainElement(one))
		}
		Expect(get("/shorts/%d", id).with(key).succeeds(200).at("data.type_data.image_source.media_pack_id")).To(Equal(float64(of.ID)))
	})

	It("are rejected without a pack that the brand may use and that has images", func() {
		t.brand("other")
		theirs := packOf(t.namespace, "theirs", func(p *v1beta1.MediaPack) { p.Spec.BrandRef = of("other") })
		stranger, _ := full(newTenant().namespace, "summer", 1)
		empty := packOf(t.namespace, "empty", nil)
		for _, id := range []any{nil, 987654321, theirs, stranger, empty} {
			b := body(id, 3)
			if id == nil {
				delete(b["image_source"].(object), "media_pack_id")
			}
			post("/slideshows", b).with(key).refused(422, catalog.ValidationFailed).about("image_source.media_pack_id")
		}
		Expect(post("/slideshows", object{"context": habits, "slide_count": 3, "image_source": object{"type": "stock", "media_pack_id": empty}}).with(key).succeeds(202).
			at("meta.warnings.0.code")).To(Equal("media_pack_ignored"))
	})

	It("use the brand's default, and are rejected if its pack has no images", func() {
		change(t.acme, func() {
			t.acme.Spec.SlideshowDefaults.ImageSource = &v1beta1.ImageSource{Type: v1beta1.ImageSourcePack, LibraryPackRef: of("starter-ocean-waves")}
		})
		Eventually(func() string {
			b := &v1beta1.Brand{}
			Expect(access.Client.Get(ctx, client.ObjectKeyFromObject(t.acme), b)).To(Succeed())
			if b.Spec.SlideshowDefaults.ImageSource == nil {
				return ""
			}
			return string(b.Spec.SlideshowDefaults.ImageSource.Type)
		}).WithPolling(often).Should(Equal("pack"))
		plain := object{"context": habits, "slide_count": 3, "aspect_ratio": "4:5"}
		id := t.slideshow(key, plain)
		sea, _ := starter.PackByName("starter-ocean-waves")
		for i, s := range t.object(id).Status.Slides {
			Expect(s.Background.ID).To(HavePrefix("starter-ocean_waves"), "slide %d", i)
		}
		Expect(get("/shorts/%d", id).with(key).succeeds(200).at("data.type_data.image_source")).To(Equal(object{"type": "pack", "media_pack_id": float64(sea.ID)}))

		packOf(t.namespace, "empty", nil)
		change(t.acme, func() {
			t.acme.Spec.SlideshowDefaults.ImageSource = &v1beta1.ImageSource{Type: v1beta1.ImageSourcePack, PackRef: of("empty")}
		})
		Eventually(func() int { return post("/slideshows", plain).with(key).send().status }).Should(Equal(422))
		a := post("/slideshows", plain).with(key).refused(422, catalog.ValidationFailed).about("image_source.media_pack_id")
		Expect(a.raw).To(ContainSubstring("brand"))
		post("/slideshows", object{"context": habits, "slide_count": 3, "image_source": object{"type": "stock"}}).with(key).succeeds(202)
	})

	It("from manifests wait until the pack has an image", func() {
		s, id := t.manifest("early", func(s *v1beta1.Slideshow) {
			s.Spec.ImageSource = &v1beta1.ImageSource{Type: v1beta1.ImageSourcePack, PackRef: of("late")}
		})
		message := func() string {
			Expect(access.Plain.Get(ctx, client.ObjectKeyFromObject(s), s)).To(Succeed())
			for _, c := range s.Status.Conditions {
				if c.Type == string(v1beta1.ConditionReady) {
					return c.Message
				}
			}
			return ""
		}
		Eventually(message).WithPolling(often).Should(ContainSubstring(`no MediaPack "late"`))
		packOf(t.namespace, "late", nil)
		Eventually(message).WithPolling(often).Should(ContainSubstring("no ready images"))
		_, one := picture(t.namespace, func(m *v1beta1.MediaAsset) { m.Spec.PackRef = of("late") })
		finished(id)
		Eventually(func() []int64 { return backgrounds(id) }).Should(Equal([]int64{one, one, one}))
	})
})

var _ = Describe("An upload that joins a pack", func() {
	It("is one of its images", func() {
		t := newTenant()
		key := t.everything()
		pack := packOf(t.namespace, "mine", nil)
		keep := func(more object) *request {
			b := object{"file": uploaded(key, pngImage(7), "image/png"), "media_pack_id": pack}
			for k, v := range more {
				b[k] = v
			}
			return post("/media", b).with(key)
		}
		a := keep(nil).succeeds(201)
		Expect(a.data()).To(And(HaveKeyWithValue("media_pack_id", float64(pack)), HaveKeyWithValue("media_type", "pack_image"), HaveKeyWithValue("source", "own")))
		other := keep(object{"media_type": "product_demo"}).succeeds(201)
		Expect(other.at("data.media_type")).To(Equal("product_demo"), "the answer matches the pack")
		counted(t.namespace, "mine", 2)
		shown := get("/shorts/%d", t.slideshow(key, object{
			"context": habits, "slide_count": 3, "image_source": object{"type": "pack", "media_pack_id": pack},
		})).with(key).succeeds(200)
		Expect(shown.at("data.type_data.slides.0.media_id")).To(BeElementOf(a.at("data.id"), other.at("data.id")))

		By("cannot join a pack that is unknown, another brand's, or shared")
		theirs := packOf(newTenant().namespace, "theirs", nil)
		for _, id := range []int64{987654321, theirs, starter.Packs()[0].ID} {
			keep(object{"media_pack_id": id}).refused(422, catalog.ValidationFailed).about("media_pack_id")
		}
		counted(t.namespace, "mine", 2)
		Expect(strings.Contains(get("/media_packs").with(key).succeeds(200).raw, `"image_count":2`)).To(BeTrue())
	})
})
