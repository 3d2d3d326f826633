// SPDX-License-Identifier: Apache-2.0

package contract_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"image"
	"math"
	"slices"
	"sync"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/apiserver"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/kube/ids"
	"github.com/reelops/reelops/internal/store/blob"
	"github.com/reelops/reelops/internal/testkit"
)

var _ = Describe("A preview of a slide", func() {
	var t *tenant
	var key string
	var id int64
	BeforeEach(func() {
		t = newTenant()
		key = t.everything()
	})
	generated := func() {
		GinkgoHelper()
		id = t.slideshow(key, object{"context": habits, "slide_count": 4, "design_style": "bold_center", "aspect_ratio": "4:5"})
	}
	// preview requests a preview of a slide with an edit.
	preview := func(slide any, edit object) *request {
		GinkgoHelper()
		body := object{"slide_id": slide}
		for k, v := range edit {
			body[k] = v
		}
		return post("/slideshows/%d/preview", id, body).with(key)
	}
	file := func(a *answer) []byte {
		GinkgoHelper()
		Expect(a.at("data.content_type")).To(Equal("image/png"))
		out, err := base64.StdEncoding.DecodeString(a.at("data.image").(string))
		Expect(err).NotTo(HaveOccurred())
		img, kind, err := image.Decode(bytes.NewReader(out))
		Expect(err).NotTo(HaveOccurred())
		Expect(kind).To(Equal("png"))
		Expect(a.data()).To(And(HaveKeyWithValue("width", float64(img.Bounds().Dx())), HaveKeyWithValue("height", float64(img.Bounds().Dy()))))
		return out
	}
	detail := func() *answer { GinkgoHelper(); return get("/shorts/%d", id).with(key).succeeds(200) }
	of := func(a *answer, slide any) object {
		GinkgoHelper()
		all := slidesOf(a)
		i := slices.IndexFunc(all, func(s object) bool { return s["id"] == slide })
		Expect(i).To(BeNumerically(">=", 0))
		return all[i]
	}
	corrections := func(a *answer, slide any) (out []any) {
		all, _ := a.meta()["normalizations"].([]any)
		for _, n := range all {
			if n.(object)["slide_id"] == slide {
				out = append(out, n)
			}
		}
		return out
	}
	// equals previews a slide with an edit, applies the edit, and compares pixels, overlays and normalizations.
	equals := func(slide float64, edit object) *answer {
		GinkgoHelper()
		before := detail().at("data.revision")
		p := preview(slide, edit).succeeds(200)
		drawn := file(p)
		Expect(detail().at("data.revision")).To(Equal(before), "a preview changes nothing")
		a := patch("/slideshows/%d", id, edit).with(key).succeeds(200)
		Expect(a.meta()).NotTo(HaveKey("warnings"))
		now := of(a, slide)
		stored, _ := fetched(now["rendered_image_url"])
		Expect(bytes.Equal(drawn, stored)).To(BeTrue(), "the file of the preview equals the file after the edit")
		Expect(p.at("data.textOverlays")).To(Equal(now["textOverlays"]))
		Expect(corrections(p, slide)).To(Equal(corrections(a, slide)))
		Expect(p.meta()["normalizations"]).To(Or(BeNil(), HaveLen(len(corrections(p, slide)))), "only those of the slide")
		return p
	}

	It("is smaller with max_width, with the same overlays and normalizations", func() {
		generated()
		edit := object{"slides": []any{object{"id": 2, "textOverlays": []any{text("Outside", object{"position": object{"x": 50, "y": 400}})}}}}
		whole := preview(2, edit).succeeds(200)
		width, height := whole.at("data.width").(float64), whole.at("data.height").(float64)
		for most, want := range map[float64]float64{width / 2: width / 2, 360: 360, 90: 90, width: width, 4096: width} {
			edit["max_width"] = most
			a := preview(2, edit).succeeds(200)
			file(a)
			Expect(a.data()).To(And(HaveKeyWithValue("width", want), HaveKeyWithValue("height", math.Round(height*want/width))))
			Expect(a.at("data.textOverlays")).To(Equal(whole.at("data.textOverlays")))
			Expect(a.meta()["normalizations"]).To(Equal(whole.meta()["normalizations"]))
			if want == width {
				Expect(a.at("data.image")).To(Equal(whole.at("data.image")))
			}
		}
		for _, bad := range []any{89, 5000, "wide"} {
			edit["max_width"] = bad
			preview(2, edit).refused(422, catalog.ValidationFailed)
		}
	})

	It("equals what the edit draws: pixels, overlays and normalizations with their reasons", slow, func() {
		generated()
		By("text and its corrections")
		p := equals(2, object{"slides": []any{object{"id": 2, "textOverlays": []any{
			text("A title", object{"fontSize": 1000}), text("Outside", object{"position": object{"x": 50, "y": 400}}),
			text("Hard to read", object{"color": "#808080", "strokeColor": "#808080", "strokeWidth": 0, "position": object{"x": 45, "y": 70}}),
		}}}})
		Expect(p.meta()["normalizations"]).To(And(
			ContainElement(And(HaveKeyWithValue("field", "fontSize"), HaveKeyWithValue("reason", "size_out_of_range"))),
			ContainElement(And(HaveKeyWithValue("field", "position"), HaveKeyWithValue("reason", "outside_safe_zone"))),
			ContainElement(HaveKeyWithValue("reason", "low_contrast"))))
		By("one overlay by its id")
		equals(2, object{"slides": []any{object{"id": 2, "textOverlays": []any{object{"id": 1, "color": "gold"}}}}})
		By("text without a look")
		equals(3, object{"slides": []any{object{"id": 3, "textOverlays": []any{object{"text": "A heading"}, object{"text": "and a body"}}}}})
		By("the gradient, the aspect ratio and the design style")
		equals(1, object{"gradient_enabled": true, "gradient_color": "#204060", "gradient_opacity": 0.8})
		equals(1, object{"aspect_ratio": "9:16"})
		equals(4, object{"design_style": catalog.DesignStyles[len(catalog.DesignStyles)-1].ID})
		By("a background of the brand and of stock")
		_, own := picture(t.namespace, func(m *v1beta1.MediaAsset) { m.Spec.BrandRef = &v1beta1.LocalRef{Name: "acme"} })
		awaitMedia(t.namespace)
		equals(1, object{"slides": []any{object{"id": 1, "media_id": own}}})
		stock := get("/media?source=stock").with(key).succeeds(200).list()
		equals(3, object{"slides": []any{object{"id": 3, "media_id": stock[len(stock)-1].(object)["id"]}}})
		By("the background of another slide, by its URL")
		equals(4, object{"slides": []any{object{"id": 4, "image_url": slidesOf(detail())[0]["image_url"]}}})
		By("another order, which changes the numbers of a style that numbers slides")
		for _, s := range catalog.DesignStyles {
			if s.Badge.Look.Color != "" {
				equals(2, object{"design_style": s.ID, "slide_order": []any{1, 3, 2, 4}})
				break
			}
		}
	})

	It("equals what the first edit of generated slides draws for style, gradient and pack", func() {
		pack, _ := full(t.namespace, "walls", 4)
		id = t.slideshow(key, object{
			"context": habits, "slide_count": 3, "design_style": "bold_center", "aspect_ratio": "4:5",
			"image_source": object{"type": "pack", "media_pack_id": pack},
		})
		equals(2, object{"design_style": catalog.DesignStyles[3].ID})
		equals(1, object{"aspect_ratio": "9:16", "gradient_enabled": false})
	})

	It("without an edit is the slide as it is, with its recorded normalizations", func() {
		generated()
		patch("/slideshows/%d", id, object{"slides": []any{object{"id": 2, "textOverlays": []any{text("x", object{"fontSize": 3})}}}}).with(key).succeeds(200)
		now := detail()
		for _, slide := range []float64{1, 2} {
			p := preview(slide, nil).succeeds(200)
			stored, _ := fetched(of(now, slide)["rendered_image_url"])
			Expect(bytes.Equal(file(p), stored)).To(BeTrue())
			Expect(corrections(p, slide)).To(Equal(corrections(now, slide)))
		}
		By("an edit of metadata draws nothing again")
		p := preview(2, object{"title": "Another"}).succeeds(200)
		Expect(corrections(p, 2.0)).To(ContainElement(HaveKeyWithValue("reason", "size_out_of_range")))
	})

	It("stores nothing and changes nothing", func() {
		inCluster("its front end has another store")
		generated()
		// Controllers write to the suite's store meanwhile, for other specs. Thus this front end has a store of its own.
		own := copyOf(store, "shorts/"+t.namespace+"/")
		front := newFront(frontOptions{change: func(c *apiserver.Config) { c.Store = own }})
		before, media, files := t.object(id), len(assets(t.namespace)), testkit.Keys(GinkgoTB(), own)
		preview(2, object{"title": "Another", "aspect_ratio": "9:16", "slides": []any{
			object{"id": 2, "textOverlays": []any{text("New")}, "media_id": get("/media?source=stock").with(key).succeeds(200).list()[5].(object)["id"]},
		}}).at(front).succeeds(200)
		preview(1, object{"slides": []any{object{"id": 1, "image_url": pictures.url + "/good.png"}}}).at(front).refused(422, catalog.ValidationFailed)
		after := t.object(id)
		Expect(after.ResourceVersion).To(Equal(before.ResourceVersion))
		Expect(assets(t.namespace)).To(HaveLen(media))
		Expect(testkit.Keys(GinkgoTB(), own)).To(Equal(files))
	})

	It("shows stored images only", func() {
		id = t.slideshow(key, object{"slides": []any{object{"heading": "One"}, object{"heading": "Two"}}, "aspect_ratio": "4:5"})
		front := newFront(frontOptions{change: func(c *apiserver.Config) { c.AllowHosts = []string{pictures.host} }})
		before := pictures.requestsFor("/listed.png")
		edit := object{"slides": []any{object{"id": 1, "image_url": pictures.url + "/listed.png"}}}
		a := preview(1, edit).at(front).refused(422, catalog.ValidationFailed).about("slides[0].image_url")
		Expect(a.details()).To(HaveKeyWithValue("reason", "not_stored"))
		Expect(pictures.requestsFor("/listed.png")).To(Equal(before), "a preview fetches nothing")
		By("also the image of a URL after an edit that stored it")
		patch("/slideshows/%d", id, edit).with(key).at(front).succeeds(200)
		preview(2, object{"slides": []any{object{"id": 2, "image_url": pictures.url + "/listed.png"}}}).at(front).succeeds(200)
		By("a forbidden URL")
		preview(1, object{"slides": []any{object{"id": 1, "image_url": "https://127.0.0.1/x.png"}}}).
			refused(422, catalog.ValidationFailed).about("slides[0].image_url")
	})

	It("is rejected like the edit, and for an unknown slide", func() {
		id = t.laidOut()
		post("/slideshows/%d/preview", id, object{}).with(key).refused(422, catalog.ValidationFailed).about("slide_id")
		preview(99, nil).refused(422, catalog.ValidationFailed).about("slide_id")
		preview(2, object{"slide_order": []any{1, 3}}).refused(422, catalog.ValidationFailed)
		preview(1, object{"slides": []any{object{"id": 99}}}).refused(422, catalog.ValidationFailed).about("slides[0].id")
		preview(1, object{"aspect_ratio": "2:1"}).refused(422, catalog.ValidationFailed).about("aspect_ratio")
		preview(1, object{"slides": []any{object{"id": 1, "textOverlays": []any{text("x", object{"fontFamily": "Comic Sans MS"})}}}}).
			refused(422, catalog.ValidationFailed).about("slides[0].textOverlays[0].fontFamily")
		preview(1, object{"slides": []any{object{"id": 1, "media_id": 987654321}}}).refused(422, catalog.ValidationFailed).about("slides[0].media_id")
		show := func(file []byte) *request {
			return preview(1, object{"slides": []any{object{"id": 1, "media_id": t.imported(file, nil)}}})
		}
		show([]byte("no picture")).refused(415, catalog.UnsupportedMediaType).about("slides[0].media_id")
		show(append(imageFile(), make([]byte, catalog.MaxImageBytes)...)).
			refused(422, catalog.MediaTooLarge).about("slides[0].media_id")
		a := preview(1, object{"unknown": 1}).succeeds(200)
		Expect(a.meta()).To(HaveKeyWithValue("ignored_fields", []any{"unknown"}))
	})

	It("needs brand:read, and a slideshow of the brand", func() {
		id = t.laidOut()
		post("/slideshows/%d/preview", id, object{"slide_id": 1}).with(t.key("brand:read")).succeeds(200)
		post("/slideshows/%d/preview", id, object{"slide_id": 1}).with(t.key("content:write")).refused(403, catalog.MissingScope)
		post("/slideshows/%d/preview", id, object{"slide_id": 1}).with(newTenant().everything()).refused(404, catalog.NotFound)
		_, other := t.brand("other")
		post("/slideshows/%d/preview?brand_id=%d", id, other, object{"slide_id": 1}).with(key).refused(404, catalog.NotFound)
		post("/slideshows/%d/preview", next(ids.Shorts), object{"slide_id": 1}).with(key).refused(404, catalog.NotFound)
	})

	It("waits for the slides, but not for a video or for the owner of a manifest", func() {
		release := author.hold(habits)
		DeferCleanup(release)
		id = post("/slideshows", object{"context": habits}).with(key).succeeds(202).id("data.job_id")
		preview(1, nil).refused(409, catalog.JobInProgress)
		release()
		finished(id)
		rendering := executor.hold(t.namespace)
		DeferCleanup(rendering)
		post("/slideshows/%d/render", id, nothing).with(key).succeeds(202)
		edit := object{"slides": []any{object{"id": 1, "textOverlays": []any{text("New")}}}}
		patch("/slideshows/%d", id, edit).with(key).refused(409, catalog.JobInProgress)
		preview(1, edit).succeeds(200)
		rendering()

		By("a draft without slides")
		_, id = t.manifest("held", func(s *v1beta1.Slideshow) { s.Spec.Suspend = true })
		Expect(preview(1, nil).refused(409, catalog.Conflict).details()).To(HaveKeyWithValue("status", "draft"))
	})

	It("is rejected with 503 and Retry-After while all slots are busy, and delays no other call", func() {
		asset, _ := picture(t.namespace, func(m *v1beta1.MediaAsset) { m.Spec.BrandRef = &v1beta1.LocalRef{Name: "acme"} })
		awaitMedia(t.namespace)
		_, id = t.manifest("pictured", func(s *v1beta1.Slideshow) {
			s.Spec.Slides[0].Image = &v1beta1.SlideImage{MediaRef: &v1beta1.LocalRef{Name: asset.Name}}
		})
		finished(id)
		slow := &slowMedia{Client: access.Client, name: asset.Name, reached: make(chan struct{}), gate: make(chan struct{})}
		front := newFront(frontOptions{change: func(c *apiserver.Config) { c.Client, c.Previews = slow, 1 }})
		edit := object{"gradient_opacity": 0.9}
		first := make(chan *answer, 1)
		go func() {
			defer GinkgoRecover()
			first <- preview(2, edit).at(front).loosely().send()
		}()
		Eventually(slow.reached).Should(BeClosed())
		a := preview(2, edit).at(front).refused(503, catalog.InternalError)
		Expect(a.header.Get("Retry-After")).To(Equal("1"))
		get("/shorts/%d", id).with(key).at(front).succeeds(200)
		close(slow.gate)
		Eventually(first).Should(Receive())
		preview(2, edit).at(front).succeeds(200)
	})

	It("is a 503 on a front end without fonts", func() {
		id = t.laidOut()
		bare := newFront(frontOptions{change: func(c *apiserver.Config) { c.Engine = nil }})
		a := preview(1, nil).at(bare).refused(503, catalog.InternalError)
		Expect(a.header.Get("Retry-After")).NotTo(BeEmpty())
	})
})

// slowMedia is a client whose first read of a media item waits until the gate is closed.
type slowMedia struct {
	client.Client
	name          string
	once          sync.Once
	reached, gate chan struct{}
}

// Get reads an object.
func (s *slowMedia) Get(ctx context.Context, key client.ObjectKey, o client.Object, opts ...client.GetOption) error {
	if key.Name == s.name {
		s.once.Do(func() {
			close(s.reached)
			<-s.gate
		})
	}
	return s.Client.Get(ctx, key, o, opts...)
}

// copyOf returns a new store with the files of another whose keys have a prefix.
func copyOf(from *blob.Store, prefix string) *blob.Store {
	GinkgoHelper()
	to := testkit.Files(GinkgoTB(), clock.RealClock{})
	Expect(from.Walk(ctx, prefix, func(o blob.Object) error {
		body, err := from.Get(ctx, o.Key)
		if err != nil {
			return err
		}
		defer func() { _ = body.Close() }()
		return to.Put(ctx, o.Key, "application/octet-stream", body)
	})).To(Succeed())
	return to
}
