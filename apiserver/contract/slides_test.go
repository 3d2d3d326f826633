// SPDX-License-Identifier: Apache-2.0

package contract_test

import (
	"fmt"
	"net/http"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"k8s.io/utils/ptr"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/apiserver"
	"github.com/reelops/reelops/internal/catalog"
)

// slidesOf returns the slides in a response that holds a slideshow.
func slidesOf(a *answer) (out []object) {
	GinkgoHelper()
	for _, s := range a.at("data.type_data.slides").([]any) {
		out = append(out, s.(object))
	}
	return out
}

// slideIDs returns their ids, in order.
func slideIDs(a *answer) (out []float64) {
	GinkgoHelper()
	for _, s := range slidesOf(a) {
		out = append(out, s["id"].(float64))
	}
	return out
}

// slideWords returns the texts on a slide.
func slideWords(slide object) (out []string) {
	for _, o := range slide["textOverlays"].([]any) {
		out = append(out, o.(object)["text"].(string))
	}
	return out
}

var _ = Describe("Custom slides", func() {
	var t *tenant
	var key string
	BeforeEach(func() {
		t = newTenant()
		key = t.everything()
	})

	It("are laid out as given: heading and body, overlays, an image, a duration", func() {
		picture := get("/media?source=stock").with(key).succeeds(200).list()[0].(object)["id"]
		id := t.slideshow(key, object{"design_style": "bold_center", "aspect_ratio": "4:5", "title": "Tea", "slides": []any{
			object{"heading": "Three teas", "body": "For every day"},
			object{"textOverlays": []any{object{"text": "Green", "color": "tomato"}}, "alt_text": "A cup"},
			object{"media_id": picture, "duration_seconds": 4},
		}})
		a := get("/shorts/%d", id).with(key).succeeds(200)
		Expect(a.data()).To(And(HaveKeyWithValue("title", "Tea"), HaveKeyWithValue("caption", BeNil()), HaveKeyWithValue("slide_count", 3.0)))
		s := slidesOf(a)
		Expect(slideWords(s[0])).To(Equal([]string{"Three teas", "For every day"}))
		Expect(slideWords(s[1])).To(Equal([]string{"Green"}))
		Expect(s[1]["textOverlays"].([]any)[0]).To(And(HaveKeyWithValue("color", "#FF6347"), HaveKeyWithValue("fontWeight", 900.0)))
		Expect(s[1]).To(HaveKeyWithValue("alt_text", "A cup"))
		Expect(s[2]).To(And(HaveKeyWithValue("media_id", picture), HaveKeyWithValue("duration_seconds", 4.0), HaveKeyWithValue("textOverlays", BeEmpty())))
	})

	DescribeTable("are rejected", func(body, field string) {
		post("/slideshows", body).with(key).refused(422, catalog.ValidationFailed).about(field)
	},
		Entry("without slides", `{"slides":[]}`, "slides"),
		Entry("with thirteen slides", `{"slides":[`+strings.Repeat(`{"heading":"x"},`, 12)+`{"heading":"x"}]}`, "slides"),
		Entry("with a slide_count", `{"slides":[{"heading":"x"}],"slide_count":5}`, "slide_count"),
		Entry("without anything visible", `{"slides":[{"heading":"x"},{"alt_text":"y"}]}`, "slides[1].heading"),
		Entry("with a body alone", `{"slides":[{"body":"x"}]}`, "slides[0].heading"),
		Entry("with a heading and overlays", `{"slides":[{"heading":"x","textOverlays":[{"text":"y"}]}]}`, "slides[0].textOverlays"),
		Entry("with an overlay without a text", `{"slides":[{"textOverlays":[{"color":"red"}]}]}`, "slides[0].textOverlays[0].text"),
		Entry("with a font that does not exist", `{"slides":[{"textOverlays":[{"text":"x","fontFamily":"Arial"}]}]}`, "slides[0].textOverlays[0].fontFamily"),
		Entry("with a role that does not exist", `{"slides":[{"heading":"x","role":"middle"}]}`, "slides[0].role"),
		Entry("with an image that does not exist", `{"slides":[{"media_id":9007199254740990}]}`, "slides[0].media_id"),
		Entry("with a duration that is too long", `{"slides":[{"heading":"x","duration_seconds":31}]}`, "slides[0].duration_seconds"),
		Entry("with a heading of 501 characters", `{"slides":[{"heading":"`+strings.Repeat("x", 501)+`"}]}`, "slides[0].heading"),
		Entry("with neither context nor slides", `{}`, "context"),
	)
})

var _ = Describe("Adding, removing and moving slides", func() {
	var t *tenant
	var key string
	var id int64
	BeforeEach(func() {
		t = newTenant()
		key = t.everything()
	})
	slideshow := func() {
		GinkgoHelper()
		id = t.slideshow(key, object{"aspect_ratio": "4:5", "design_style": "bold_center", "slides": []any{object{"heading": "One"}, object{"heading": "Two"}, object{"heading": "Three"}}})
	}
	add := func(body any) *request { GinkgoHelper(); return post("/slideshows/%d/slides", id, body).with(key) }
	remove := func(slide int) *request {
		GinkgoHelper()
		return ask(http.MethodDelete, fmt.Sprintf("/slideshows/%d/slides/%d", id, slide)).with(key)
	}

	It("adds a slide at the end or at a position, and copies slides, each as a revision", func() {
		slideshow()
		post("/slideshows/%d/render", id, nothing).with(key).succeeds(202)
		Expect(settled(key, id).at("data.status")).To(Equal("succeeded"))
		a := add(object{"heading": "Four", "body": "At the end", "duration_seconds": 5}).succeeds(201)
		Expect(a.data()).To(And(HaveKeyWithValue("slide_id", 4.0), HaveKeyWithValue("revision", 2.0), HaveKeyWithValue("video_url", BeNil()), HaveKeyWithValue("render_status", "stale")))
		Expect(slideIDs(a)).To(Equal([]float64{1, 2, 3, 4}))
		Expect(slideWords(slidesOf(a)[3])).To(Equal([]string{"Four", "At the end"}))
		Expect(slidesOf(a)[3]).To(HaveKeyWithValue("duration_seconds", 5.0))

		a = add(object{"textOverlays": []any{object{"text": "First"}}, "position": 0}).succeeds(201)
		Expect(slideIDs(a)).To(Equal([]float64{5, 1, 2, 3, 4}))

		before := slidesOf(a)[2]
		a = add(object{"copy_of": 2}).succeeds(201)
		Expect(slideIDs(a)).To(Equal([]float64{5, 1, 2, 6, 3, 4}))
		Expect(slidesOf(a)[3]).To(And(HaveKeyWithValue("textOverlays", before["textOverlays"]), HaveKeyWithValue("media_id", before["media_id"])))
	})

	It("removes a slide, but not the last one", func() {
		slideshow()
		a := remove(2).succeeds(200)
		Expect(slideIDs(a)).To(Equal([]float64{1, 3}))
		Expect(a.at("data.revision")).To(Equal(2.0))
		remove(2).refused(404, catalog.NotFound)
		remove(1).succeeds(200)
		remove(3).refused(422, catalog.ValidationFailed).about("slides")
		Expect(slideIDs(get("/shorts/%d", id).with(key).succeeds(200))).To(Equal([]float64{3}))
	})

	It("moves slides by order, and removes none", func() {
		slideshow()
		a := patch("/slideshows/%d", id, object{"order": []any{3}}).with(key).succeeds(200)
		Expect(slideIDs(a)).To(Equal([]float64{3, 1, 2}))
		Expect(patch("/slideshows/%d", id, object{"order": []any{3, 1}}).with(key).succeeds(200).at("data.revision")).To(Equal(a.at("data.revision")))
		for _, wrong := range []object{{"order": []any{9}}, {"order": []any{1, 1}}, {"order": []any{1}, "slide_order": []any{3, 2, 1}}} {
			patch("/slideshows/%d", id, wrong).with(key).refused(422, catalog.ValidationFailed).about("order")
		}
	})

	It("adds a slide once per Idempotency-Key", func() {
		slideshow()
		body := object{"heading": "Four"}
		first := add(body).once("one").succeeds(201)
		again := add(body).once("one").succeeds(201)
		Expect(again.at("data.slide_id")).To(Equal(first.at("data.slide_id")))
		Expect(again.meta()).To(HaveKeyWithValue("idempotent_replay", true))
		Expect(slideIDs(get("/shorts/%d", id).with(key).succeeds(200))).To(Equal([]float64{1, 2, 3, 4}))
		add(object{"heading": "Five"}).once("one").refused(409, catalog.IdempotencyConflict)
	})

	It("assigns unique ids to slides that are added concurrently", func() {
		slideshow()
		added := make(chan float64, 3)
		together(3, func(i int) {
			if a := add(object{"heading": fmt.Sprint("Writer ", i)}).send(); a.status == 201 {
				added <- a.at("data.slide_id").(float64)
			} else {
				Expect(a.code()).To(Equal(catalog.JobInProgress), a.raw)
			}
		})
		close(added)
		finished(id)
		want := []float64{1, 2, 3}
		for one := range added {
			want = append(want, one)
		}
		Expect(slideIDs(get("/shorts/%d", id).with(key).succeeds(200))).To(ConsistOf(want))
	})

	It("rejects a thirteenth slide, a position beyond the end, a copy of an unknown slide and a copy with a text", func() {
		var many []any
		for i := range catalog.MaxSlides {
			many = append(many, object{"heading": fmt.Sprint("Slide ", i)})
		}
		id = t.slideshow(key, object{"slides": many, "aspect_ratio": "4:5"})
		add(object{"heading": "x"}).refused(422, catalog.ValidationFailed).about("slides")
		remove(12).succeeds(200)
		add(object{"heading": "x", "position": 12}).refused(422, catalog.ValidationFailed).about("position")
		add(object{"copy_of": 99}).refused(422, catalog.ValidationFailed).about("copy_of")
		add(object{"copy_of": 1, "heading": "x"}).refused(422, catalog.ValidationFailed).about("copy_of")
		add(object{"textOverlays": []any{object{"text": "x", "fontFamily": "Arial"}}}).refused(422, catalog.ValidationFailed).about("textOverlays[0].fontFamily")
	})

	It("is rejected while work is in progress, and for shorts of others", func() {
		id = t.laidOut()
		release := executor.hold(t.namespace)
		post("/slideshows/%d/render", id, nothing).with(key).succeeds(202)
		add(object{"heading": "x"}).refused(409, catalog.JobInProgress)
		remove(1).refused(409, catalog.JobInProgress)
		release()
		other := newTenant().everything()
		add(object{"heading": "x"}).with(other).refused(404, catalog.NotFound)
		remove(1).with(other).refused(404, catalog.NotFound)
	})

	It("uses an image from a URL for a new slide, and rejects one that cannot be a background", func() {
		id = t.laidOut()
		front := newFront(frontOptions{change: func(c *apiserver.Config) { c.AllowHosts = []string{pictures.host} }})
		from := func(path string) *request { return add(object{"image_url": pictures.url + path}).at(front) }
		from("/text").refused(415, catalog.UnsupportedMediaType).about("image_url")
		from("/large").refused(422, catalog.MediaTooLarge).about("image_url")
		a := from("/good.png").succeeds(201)
		Expect(slideIDs(a)).To(Equal([]float64{1, 2, 3, 4}))
		Expect(slidesOf(a)[3]).To(And(HaveKeyWithValue("media_id", BeNumerically(">", 0)), HaveKeyWithValue("textOverlays", BeEmpty())))
	})

	It("is rejected for a slideshow that failed before it had slides", func() {
		_, id = t.manifest("broken", func(s *v1beta1.Slideshow) {
			s.Spec.Slides[0].Image = &v1beta1.SlideImage{Stock: ptr.To("no-such-picture")}
		})
		finished(id)
		Expect(add(object{"heading": "x"}).refused(409, catalog.Conflict).details()).To(HaveKeyWithValue("status", "failed"))
		Expect(remove(1).refused(409, catalog.Conflict).details()).To(HaveKeyWithValue("status", "failed"))
	})

	It("costs the credits of an AI image, and is rejected without them", func() {
		t = newTenant(credited(6))
		key = t.everything()
		id = t.slideshow(key, object{
			"slides": []any{object{"heading": "One"}, object{"heading": "Two"}}, "aspect_ratio": "4:5", "image_source": object{"type": "ai"},
		})
		a := add(object{"heading": "Three"}).succeeds(201)
		Expect(slideIDs(a)).To(Equal([]float64{1, 2, 3}))
		refused := add(object{"heading": "Four"}).refused(402, catalog.InsufficientCredits)
		Expect(refused.details()).To(Equal(object{"credits_required": 2.0, "current_credits": 0.0}))
		Expect(slideIDs(get("/shorts/%d", id).with(key).succeeds(200))).To(Equal([]float64{1, 2, 3}))
	})
})
