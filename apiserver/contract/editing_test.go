// SPDX-License-Identifier: Apache-2.0

package contract_test

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/apiserver"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/kube/ids"
)

// text returns an overlay that needs no repair on a dark gradient.
func text(words string, more ...object) object {
	o := object{"text": words, "fontFamily": "Inter", "fontWeight": 700, "fontSize": 64, "color": "#FFFFFF", "strokeColor": "#000000", "strokeWidth": 6, "position": object{"x": 45, "y": 40}}
	for _, m := range more {
		for k, v := range m {
			o[k] = v
		}
	}
	return o
}

var _ = Describe("Editing a slideshow", func() {
	var t *tenant
	var key string
	var id int64
	BeforeEach(func() {
		t = newTenant()
		key = t.everything()
	})
	edit := func(body any) *request { GinkgoHelper(); return patch("/slideshows/%d", id, body).with(key) }
	detail := func() *answer { GinkgoHelper(); return get("/shorts/%d", id).with(key).succeeds(200) }
	slides := func(a *answer) []any { GinkgoHelper(); return a.at("data.type_data.slides").([]any) }
	words := func(slide any) (out []string) {
		for _, o := range slide.(object)["textOverlays"].([]any) {
			out = append(out, o.(object)["text"].(string))
		}
		return out
	}
	// pixels returns the bytes of a slide's finished image.
	pixels := func(slide any) string {
		GinkgoHelper()
		body, _ := fetched(slide.(object)["rendered_image_url"])
		return string(body)
	}
	generated := func() {
		GinkgoHelper()
		id = t.slideshow(key, object{"context": habits, "slide_count": 4, "design_style": "bold_center", "aspect_ratio": "4:5"})
	}
	rendered := func() {
		GinkgoHelper()
		post("/slideshows/%d/render", id, nothing).with(key).succeeds(202)
		Expect(settled(key, id).at("data.status")).To(Equal("succeeded"))
	}

	Describe("of title, caption and tags", func() {
		BeforeEach(func() { id = t.laidOut() })

		It("changes them, omits nothing else, and keeps the video and the revision", func() {
			rendered()
			before := detail()
			a := edit(object{"title": "A title", "caption": "A caption", "tags": " one , two,, "}).succeeds(200)
			Expect(a.data()).To(And(HaveKeyWithValue("title", "A title"), HaveKeyWithValue("caption", "A caption"), HaveKeyWithValue("tags", "one,two"),
				HaveKeyWithValue("revision", 1.0), HaveKeyWithValue("video_url", Not(BeNil())), HaveKeyWithValue("render_status", "succeeded"),
				HaveKeyWithValue("status", "success_slideshow"), Not(HaveKey("posts")), Not(HaveKey("job"))))
			after := detail()
			Expect(after.at("data.title")).To(Equal("A title"))
			Expect(slides(after)).To(HaveLen(len(slides(before))))
			Expect(pixels(slides(after)[0])).To(Equal(pixels(slides(before)[0])))
			edit(object{"caption": "Another"}).succeeds(200)
			Expect(detail().data()).To(And(HaveKeyWithValue("title", "A title"), HaveKeyWithValue("caption", "Another"), HaveKeyWithValue("tags", "one,two")))
		})

		It("clears a title with null, and accepts tags as an array", func() {
			edit(object{"title": "A title"}).succeeds(200)
			a := edit(`{"title": null, "tags": ["one", " two "]}`).succeeds(200)
			Expect(a.data()).To(And(HaveKeyWithValue("title", BeNil()), HaveKeyWithValue("tags", "one,two")))
			Expect(edit(object{"tags": ""}).succeeds(200).data()).To(HaveKeyWithValue("tags", ""))
		})

		It("clears generated texts as well, permanently", func() {
			generated()
			Expect(detail().at("data.title")).NotTo(BeNil())
			edit(`{"title": null}`).succeeds(200)
			Expect(detail().at("data.title")).To(BeNil())
		})

		It("works with PUT in the same way: omitted fields stay as they are", func() {
			edit(object{"title": "A title", "tags": "one"}).succeeds(200)
			a := put("/slideshows/%d", id, object{"caption": "A caption"}).with(key).succeeds(200)
			Expect(a.data()).To(And(HaveKeyWithValue("title", "A title"), HaveKeyWithValue("caption", "A caption"), HaveKeyWithValue("tags", "one")))
			put("/slideshows/%d", id, object{"slides": []any{object{"id": 99}}}).with(key).refused(422, catalog.ValidationFailed).about("slides[0].id")
		})

		It("on a failed short does not start it again", func() {
			id = post("/slideshows", object{"context": unwritable}).with(key).succeeds(202).id("data.job_id")
			Expect(settled(key, id).at("data.status")).To(Equal("failed"))
			Expect(edit(object{"title": "A title", "caption": "c", "tags": "t"}).succeeds(200).data()).To(And(HaveKeyWithValue("status", "failed"), HaveKeyWithValue("title", "A title")))
			job := get("/jobs/%d", id).with(key).succeeds(200)
			Expect(job.at("data.status")).To(Equal("failed"))
			a := edit(object{"aspect_ratio": "4:5"}).refused(409, catalog.Conflict)
			Expect(a.details()).To(HaveKeyWithValue("status", "failed"))
			Expect(put("/slideshows/%d", id, object{"aspect_ratio": "4:5"}).with(key).refused(409, catalog.Conflict).details()).To(Equal(a.details()))
		})

		It("on a draft keeps it a draft", func() {
			_, id = t.manifest("held", func(s *v1beta1.Slideshow) { s.Spec.Suspend = true })
			Expect(edit(object{"title": "A title"}).succeeds(200).data()).To(And(HaveKeyWithValue("status", "draft"), HaveKeyWithValue("title", "A title")))
			edit(object{"slides": []any{object{"id": 2, "textOverlays": []any{text("Held")}}}}).succeeds(200)
			get("/jobs/%d", id).with(key).refused(404, catalog.JobNotFound)
		})
	})

	Describe("of the text on slides", func() {
		It("replaces the overlays of the named slides, and keeps the other slides byte for byte", func() {
			generated()
			rendered()
			before := slides(detail())
			a := edit(object{"slides": []any{object{"id": 2, "textOverlays": []any{text("Only this")}}}}).succeeds(200)
			Expect(a.data()).To(And(HaveKeyWithValue("revision", 2.0), HaveKeyWithValue("video_url", BeNil()), HaveKeyWithValue("render_status", "stale"),
				HaveKeyWithValue("status", "success_slideshow"), HaveKeyWithValue("duration_seconds", BeNil())))
			Expect(a.meta()).NotTo(HaveKey("warnings"))
			after := slides(a)
			Expect(words(after[1])).To(Equal([]string{"Only this"}))
			Expect(after[1]).To(HaveKeyWithValue("alt_text", "Only this"))
			Expect(pixels(after[1])).NotTo(Equal(pixels(before[1])))
			for _, i := range []int{0, 2, 3} {
				Expect(pixels(after[i])).To(Equal(pixels(before[i])), "slide %d", i+1)
				Expect(after[i]).To(And(HaveKeyWithValue("textOverlays", before[i].(object)["textOverlays"]), HaveKeyWithValue("media_id", before[i].(object)["media_id"]),
					HaveKeyWithValue("alt_text", before[i].(object)["alt_text"])))
			}
			Expect(after[1].(object)["media_id"]).To(Equal(before[1].(object)["media_id"]),
				"an edit of text changes no image")

			By("keeping the job of the last render with its video")
			job := get("/jobs/%d", id).with(key).succeeds(200)
			Expect(job.data()).To(And(HaveKeyWithValue("kind", "render"), HaveKeyWithValue("status", "succeeded")))
			Expect(job.at("data.result.video_url")).NotTo(BeNil())

			By("rendering the edited slides")
			rendered()
			Expect(detail().data()).To(And(HaveKeyWithValue("render_status", "succeeded"), HaveKeyWithValue("video_url", Not(BeNil()))))
		})

		It("removes text with an empty array", func() {
			id = t.laidOut()
			a := edit(object{"slides": []any{object{"id": 1, "textOverlays": []any{}}}}).succeeds(200)
			Expect(slides(a)[0]).To(HaveKeyWithValue("textOverlays", []any{}))
			Expect(words(slides(a)[1])).NotTo(BeEmpty())
		})

		It("completes text without a look from the design style, and text alone also with its position", func() {
			generated()
			a := edit(object{"slides": []any{
				object{"id": 2, "textOverlays": []any{object{"text": "A heading"}, object{"text": "What stands below it"}}},
				object{"id": 3, "textOverlays": []any{object{"text": "Placed", "position": object{"x": 50, "y": 30}, "fontSize": 80}}},
			}}).succeeds(200)
			Expect(a.meta()).NotTo(HaveKey("normalizations"))
			heading, below := slides(a)[1].(object)["textOverlays"].([]any)[0].(object), slides(a)[1].(object)["textOverlays"].([]any)[1].(object)
			Expect(heading).To(And(HaveKeyWithValue("fontFamily", "Inter"), HaveKeyWithValue("fontWeight", 900.0)))
			Expect(below).To(And(HaveKeyWithValue("fontFamily", "Inter"), HaveKeyWithValue("fontWeight", 700.0)))
			Expect(below["position"].(object)["y"]).To(BeNumerically(">", heading["position"].(object)["y"]))
			Expect(slides(a)[2].(object)["textOverlays"].([]any)[0]).To(And(HaveKeyWithValue("fontWeight", 900.0), HaveKeyWithValue("strokeWidth", 6.0),
				HaveKeyWithValue("fontSize", 80.0), HaveKeyWithValue("position", object{"x": 50.0, "y": 30.0})))
		})

		DescribeTable("repairs what cannot be drawn, and reports each repair", func(overlays []any, index int, field, reason string) {
			t, key, id = worn()
			a := edit(object{"slides": []any{object{"id": 2, "textOverlays": overlays}}}).succeeds(200)
			Expect(a.meta()["normalizations"]).To(ContainElement(And(
				HaveKeyWithValue("slide_id", 2.0), HaveKeyWithValue("overlay_index", float64(index)), HaveKeyWithValue("field", field),
				HaveKeyWithValue("reason", reason), HaveKey("from"), HaveKey("to"))), a.raw)
			Expect(detail().meta()["normalizations"]).To(ContainElement(HaveKeyWithValue("reason", reason)),
				"reads report the repair too")
		},
			Entry("a font that lacks the letters", []any{text("مرحبا", object{"fontFamily": "Bebas Neue"})}, 0, "fontFamily", "font_unsupported"),
			Entry("a character that is in no font", []any{text("Hi \U000F0000 there")}, 0, "text", "glyphs_missing"),
			Entry("a size below 24", []any{text("x", object{"fontSize": 3})}, 0, "fontSize", "size_out_of_range"),
			Entry("a size above 160", []any{text("x", object{"fontSize": 1e9})}, 0, "fontSize", "size_out_of_range"),
			Entry("a negative size", []any{text("x", object{"fontSize": -1})}, 0, "fontSize", "size_out_of_range"),
			Entry("a width beyond 90 percent", []any{text("x", object{"maxWidth": 200})}, 0, "maxWidth", "size_out_of_range"),
			Entry("a text that does not fit", []any{text(strings.Repeat("Reading well matters. ", 22), object{"fontSize": 160})}, 0, "fontSize", "text_does_not_fit"),
			Entry("a position above 100", []any{text("x"), text("y", object{"position": object{"x": 45, "y": 4000}})}, 1, "position", "outside_safe_zone"),
			Entry("two blocks in one position", []any{text("The first of two lines"), text("The second of two lines")}, 1, "position", "overlap"),
			Entry("no stroke on an image of the same brightness", []any{text("x", object{"color": "#808080", "strokeColor": "#808080", "strokeWidth": 0})}, 0, "strokeWidth", "low_contrast"),
			Entry("an invalid colour", []any{text("x", object{"color": "very red, please"})}, 0, "color", "color_invalid"),
			Entry("a colour with a name that is too long", []any{text("x", object{"strokeColor": strings.Repeat("z", 300)})}, 0, "strokeColor", "color_invalid"),
		)

		It("reads positions as percent, or as fractions if both are at most 1, and returns colours in full", func() {
			id = t.laidOut()
			a := edit(object{"slides": []any{object{"id": 1, "textOverlays": []any{text("x", object{"position": object{"x": 0.45, "y": 0.4}, "color": "#fff", "strokeColor": "#000c"})}}}}).succeeds(200)
			Expect(slides(a)[0].(object)["textOverlays"].([]any)[0]).To(And(
				HaveKeyWithValue("position", object{"x": 45.0, "y": 40.0}), HaveKeyWithValue("color", "#FFFFFF"), HaveKeyWithValue("strokeColor", "#000000CC")))
		})

		DescribeTable("rejects with 422 what it cannot repair", func(overlays any, field string) {
			t, key, id = untouched()
			edit(object{"slides": []any{object{"id": 2}, object{"id": 1, "textOverlays": overlays}}}).refused(422, catalog.ValidationFailed).about("slides[1].textOverlays" + field)
			Expect(detail().at("data.revision")).To(Equal(1.0))
		},
			Entry("501 characters", []any{text("x"), text(strings.Repeat("é", 501))}, "[1].text"),
			Entry("a text that is not a string", []any{object{"text": 5}}, "[0].text"),
			Entry("an overlay without a text", []any{object{"color": "#fff"}}, "[0].text"),
			Entry("nine overlays", []any{text("1"), text("2"), text("3"), text("4"), text("5"), text("6"), text("7"), text("8"), text("9")}, ""),
			Entry("overlays that are not an array", "x", ""),
			Entry("a size that is not a number", []any{text("x", object{"fontSize": "large"})}, "[0].fontSize"),
			Entry("an unknown alignment", []any{text("x", object{"align": "justify"})}, "[0].align"),
		)

		It("accepts 500 characters of any script and eight overlays", func() {
			id = t.laidOut()
			eight := []any{text(strings.Repeat("é", 500))}
			for i := range 7 {
				eight = append(eight, text(fmt.Sprint(i)))
			}
			edit(object{"slides": []any{object{"id": 1, "textOverlays": eight}}}).succeeds(200)
		})

		DescribeTable("identifies slides by their id", func(body object, field string) {
			t, key, id = untouched()
			edit(body).refused(422, catalog.ValidationFailed).about(field)
		},
			Entry("an unknown id", object{"slides": []any{object{"id": 1}, object{"id": 4, "alt_text": "x"}}}, "slides[1].id"),
			Entry("a missing id", object{"slides": []any{object{"alt_text": "x"}}}, "slides[0].id"),
			Entry("null", object{"slides": []any{object{"id": nil}}}, "slides[0].id"),
			Entry("an id that is not an integer", object{"slides": []any{object{"id": "first"}}}, "slides[0].id"),
			Entry("a repeated id", object{"slides": []any{object{"id": 1}, object{"id": 1}}}, "slides[1].id"),
		)

		It("changes an alternative text without drawing the slide", func() {
			generated()
			rendered()
			a := edit(object{"slides": []any{object{"id": 1, "alt_text": "A cup of tea"}}}).succeeds(200)
			Expect(slides(a)[0]).To(HaveKeyWithValue("alt_text", "A cup of tea"))
			Expect(a.data()).To(And(HaveKeyWithValue("revision", 1.0), HaveKeyWithValue("render_status", "succeeded"), HaveKeyWithValue("video_url", Not(BeNil()))))
			Expect(slides(detail())[0]).To(HaveKeyWithValue("alt_text", "A cup of tea"))
		})
	})

	Describe("of single overlays", func() {
		overlays := func(slide any) (out []object) {
			for _, o := range slide.(object)["textOverlays"].([]any) {
				out = append(out, o.(object))
			}
			return out
		}
		with := func(o object, changes object) object {
			out := object{}
			for k, v := range o {
				out[k] = v
			}
			for k, v := range changes {
				out[k] = v
			}
			return out
		}

		It("changes them by the id that reads return, and keeps omitted fields", func() {
			id = t.slideshow(key, object{"slides": []any{object{"heading": "One"}, object{"heading": "Two"}}, "design_style": "bold_center", "aspect_ratio": "4:5"})
			edit(object{"slides": []any{object{"id": 2, "textOverlays": []any{
				text("Sale", object{"fontSize": 100, "align": "left"}), text("Today", object{"position": object{"x": 45, "y": 60}}),
			}}}}).succeeds(200)
			before := overlays(slides(detail())[1])
			a := edit(object{"slides": []any{object{"id": 2, "textOverlays": []any{object{"id": before[0]["id"], "color": "yellow"}}}}}).succeeds(200)
			Expect(overlays(slides(a)[1])).To(Equal([]object{with(before[0], object{"color": "#FFFF00"}), before[1]}))
			Expect(a.at("data.revision")).To(Equal(3.0))

			By("adding one without an id, with look and position from the style")
			a = edit(object{"slides": []any{object{"id": 2, "textOverlays": []any{object{"id": 2, "text": "Tomorrow"}, object{"text": "Only here"}}}}}).succeeds(200)
			now := overlays(slides(a)[1])
			Expect(now).To(HaveLen(3))
			Expect(now[1]).To(Equal(with(before[1], object{"text": "Tomorrow"})))
			Expect(now[2]).To(And(HaveKeyWithValue("id", 3.0), HaveKeyWithValue("text", "Only here"), HaveKeyWithValue("fontWeight", 700.0)))
			Expect(now[2]["position"].(object)["y"]).To(BeNumerically(">", 60.0))
			Expect(a.meta()).NotTo(HaveKey("normalizations"))
			again := edit(object{"slides": []any{object{"id": 2, "textOverlays": []any{object{"id": 2, "text": "Tomorrow"}, object{"text": "Only here"}}}}}).succeeds(200)
			Expect(again.at("data.revision")).To(Equal(a.at("data.revision")), "a repeated request adds nothing")

			By("removing one; the others keep their ids")
			a = edit(object{"slides": []any{object{"id": 2, "textOverlays": []any{object{"id": 1, "remove": true}}}}}).succeeds(200)
			Expect(overlays(slides(a)[1])).To(Equal([]object{now[1], now[2]}))
			Expect(overlays(slides(detail())[1])).To(Equal([]object{now[1], now[2]}))
			again = edit(object{"slides": []any{object{"id": 2, "textOverlays": []any{object{"id": 1, "remove": true}}}}}).succeeds(200)
			Expect(again.at("data.revision")).To(Equal(a.at("data.revision")))
		})

		It("accepts colour names, and keeps the plate of the style with another colour", func() {
			id = t.slideshow(key, object{"slides": []any{object{"heading": "One"}, object{"heading": "Two"}}, "design_style": "caption_plate"})
			a := edit(object{"slides": []any{object{"id": 1, "textOverlays": []any{object{"text": "Sale", "color": "RebeccaPurple"}}}}}).succeeds(200)
			Expect(overlays(slides(a)[0])).To(ConsistOf(And(HaveKeyWithValue("color", "#663399"), HaveKeyWithValue("backgroundColor", "#FFFFFF"), HaveKeyWithValue("fontFamily", "Manrope"))))
			a = edit(object{"slides": []any{object{"id": 1, "textOverlays": []any{object{"id": 1, "backgroundColor": nil, "color": "white"}}}}}).succeeds(200)
			Expect(overlays(slides(a)[0])).To(ConsistOf(And(HaveKeyWithValue("backgroundColor", BeNil()), HaveKeyWithValue("fontFamily", "Manrope"))))
		})

		DescribeTable("rejects", func(overlay object, field string) {
			t, key, id = untouched()
			edit(object{"slides": []any{object{"id": 1, "textOverlays": []any{overlay}}}}).refused(422, catalog.ValidationFailed).about("slides[0].textOverlays[0]." + field)
			Expect(detail().at("data.revision")).To(Equal(1.0))
		},
			Entry("an id that the slide does not have", object{"id": 9, "text": "x"}, "id"),
			Entry("a removal without an id", object{"remove": true}, "id"),
			Entry("an overlay without an id and a text", object{"color": "red"}, "text"),
			Entry("a font that does not exist", object{"text": "x", "fontFamily": "Comic Sans MS"}, "fontFamily"),
		)

		It("lists the available fonts if one does not exist", func() {
			t, key, id = untouched()
			a := edit(object{"slides": []any{object{"id": 1, "textOverlays": []any{object{"id": 1, "fontFamily": "Arial"}}}}}).refused(422, catalog.ValidationFailed)
			Expect(a.details()["allowed"]).To(And(ContainElement("Inter"), HaveLen(len(catalog.OverlayFonts))))
		})
	})

	Describe("of the look of all slides", func() {
		It("draws them again for another aspect ratio", func() {
			generated()
			a := edit(object{"aspect_ratio": "9:16"}).succeeds(200)
			Expect(a.data()).To(And(HaveKeyWithValue("aspect_ratio", "9:16"), HaveKeyWithValue("revision", 2.0)))
			for _, s := range slides(a) {
				Expect(s).To(And(HaveKeyWithValue("width", 1080.0), HaveKeyWithValue("height", 1920.0)))
			}
			edit(object{"aspect_ratio": "1:1"}).refused(422, catalog.ValidationFailed).about("aspect_ratio")
		})

		It("restyles text and keeps its words, also if it was placed by hand", func() {
			generated()
			edit(object{"slides": []any{object{"id": 2, "textOverlays": []any{text("By hand")}}}}).succeeds(200)
			before := slides(detail())
			a := edit(object{"design_style": "editorial_serif"}).succeeds(200)
			Expect(a.at("data.type_data.design_style")).To(Equal("editorial_serif"))
			for i, s := range slides(a) {
				Expect(words(s)).To(Equal(words(before[i])))
				Expect(s.(object)["textOverlays"].([]any)[0]).To(HaveKeyWithValue("fontFamily", "EB Garamond"))
			}
			edit(object{"design_style": "none"}).refused(422, catalog.ValidationFailed).about("design_style")
		})

		It("changes the gradient field by field", func() {
			generated()
			a := edit(object{"gradient_enabled": true, "gradient_color": "#123", "gradient_opacity": 40, "gradient_direction": "top", "gradient_coverage": 0.25}).succeeds(200)
			want := And(HaveKeyWithValue("gradient_enabled", true), HaveKeyWithValue("gradient_color", "#112233"), HaveKeyWithValue("gradient_opacity", 0.4),
				HaveKeyWithValue("gradient_direction", "top"), HaveKeyWithValue("gradient_coverage", 0.25))
			Expect(a.at("data.type_data")).To(want)
			edit(object{"gradient_opacity": 0.8}).succeeds(200)
			Expect(detail().at("data.type_data")).To(And(HaveKeyWithValue("gradient_opacity", 0.8), HaveKeyWithValue("gradient_direction", "top")))
			wrong := object{"gradient_color": "black", "gradient_opacity": 101, "gradient_direction": "up", "gradient_coverage": 1.5, "gradient_enabled": "yes"}
			for field, value := range wrong {
				edit(object{field: value}).refused(422, catalog.ValidationFailed).about(field)
			}
		})
	})

	Describe("of the duration of slides", func() {
		seconds := func(a *answer) (out []float64) {
			for _, s := range slides(a) {
				out = append(out, s.(object)["duration_seconds"].(float64))
			}
			return out
		}

		It("derives it from the text and the pace by default", func() {
			id = t.slideshow(key, object{"context": "Tea wakes you up slowly. Coffee does it at once. Water does both.", "slide_count": 3, "pace": "slow"})
			a := detail()
			Expect(a.at("data.type_data.pace")).To(Equal("slow"))
			was := seconds(a)
			Expect(was).To(HaveEach(BeNumerically(">", 2)))
			a = edit(object{"pace": "fast"}).succeeds(200)
			Expect(a.at("data.type_data.pace")).To(Equal("fast"))
			for i, s := range seconds(a) {
				Expect(s).To(And(BeNumerically(">=", 2), BeNumerically("<", was[i])))
			}
			Expect(edit(object{"pace": "fast"}).succeeds(200).at("data.revision")).To(Equal(a.at("data.revision")), "a repeated edit")
			edit(object{"pace": "hasty"}).refused(422, catalog.ValidationFailed).about("pace")
		})

		It("uses the duration of a slide if set, and keeps the images", func() {
			generated()
			before := detail()
			a := edit(object{"slides": []any{object{"id": 2, "duration_seconds": 6.5}}}).succeeds(200)
			want := seconds(before)
			natural := want[1]
			want[1] = 6.5
			Expect(seconds(a)).To(Equal(want))
			Expect(a.at("data.revision")).To(Equal(before.at("data.revision").(float64) + 1))
			Expect(pixels(slides(a)[1])).To(Equal(pixels(slides(before)[1])))
			for _, wrong := range []any{0.5, 31, "long"} {
				edit(object{"slides": []any{object{"id": 2, "duration_seconds": wrong}}}).refused(422, catalog.ValidationFailed).about("slides[0].duration_seconds")
			}
			Expect(seconds(edit(object{"slides": []any{object{"id": 2, "duration_seconds": nil}}}).succeeds(200))[1]).To(Equal(natural))
		})
	})

	Describe("of the order of slides", func() {
		It("follows slide_order, and removes omitted slides", func() {
			generated()
			before := slides(detail())
			a := edit(object{"slide_order": []any{4, 1, 3, 2}}).succeeds(200)
			after := slides(a)
			for place, was := range []int{3, 0, 2, 1} {
				Expect(after[place]).To(And(HaveKeyWithValue("id", float64(was+1)), HaveKeyWithValue("position", float64(place))))
				Expect(pixels(after[place])).To(Equal(pixels(before[was])))
			}
			Expect(a.at("data.revision")).To(Equal(2.0))
			a = edit(object{"slide_order": []any{"4", 3, 2}}).succeeds(200)
			Expect(a.data()).To(And(HaveKeyWithValue("slide_count", 3.0), HaveKeyWithValue("revision", 3.0)))
			Expect(pixels(slides(a)[1])).To(Equal(pixels(before[2])))
			edit(object{"slides": []any{object{"id": 1, "alt_text": "gone"}}}).refused(422, catalog.ValidationFailed).about("slides[0].id")
			edit(object{"slides": []any{object{"id": 4, "textOverlays": []any{text("The last is first")}}}}).succeeds(200)
			Expect(words(slides(detail())[0])).To(Equal([]string{"The last is first"}))
		})

		DescribeTable("rejects", func(order []any) {
			t, key, id = untouched()
			edit(object{"slide_order": order}).refused(422, catalog.ValidationFailed).about("slide_order")
		},
			Entry("fewer than three slides", []any{1, 2}),
			Entry("no slides", []any{}),
			Entry("an unknown slide", []any{1, 2, 4}),
			Entry("a repeated slide", []any{1, 2, 2}),
		)
	})

	Describe("of a background", func() {
		It("replaces it by a stock item, by its media id", func() {
			generated()
			before := slides(detail())
			other := before[3].(object)["media_id"]
			a := edit(object{"slides": []any{object{"id": 1, "media_id": other}}}).succeeds(200)
			Expect(slides(a)[0]).To(HaveKeyWithValue("media_id", other))
			Expect(words(slides(a)[0])).To(Equal(words(before[0])))
			edit(object{"slides": []any{object{"id": 1, "media_id": 987654321}}}).refused(422, catalog.ValidationFailed).about("slides[0].media_id")
		})

		It("fetches it from a URL, once, and rejects a URL that cannot be fetched", func() {
			front := newFront(frontOptions{change: func(c *apiserver.Config) { c.AllowHosts = []string{pictures.host} }})
			id = t.laidOut()
			change := func(url string) *request {
				return edit(object{"slides": []any{object{"id": 3, "image_url": url}}}).at(front)
			}
			a := change(pictures.url + "/good.png").succeeds(200)
			Expect(a.meta()).NotTo(HaveKey("warnings"))
			Expect(slides(a)[2]).To(And(HaveKeyWithValue("width", 1080.0), HaveKeyWithValue("height", 1350.0), HaveKeyWithValue("media_id", BeNumerically(">", 0))))
			Expect(a.at("data.revision")).To(Equal(2.0))

			By("requesting it again, which changes nothing")
			asked := pictures.requestsFor("/good.png") // more than once if a manager with an old cache repeated it
			Expect(change(pictures.url + "/good.png").succeeds(200).at("data.revision")).To(Equal(2.0))
			Expect(pictures.requestsFor("/good.png")).To(Equal(asked))

			for _, ask := range []func(string, ...any) *request{patch, put} {
				change := func(url string) *request {
					return ask("/slideshows/%d", id, object{"slides": []any{object{"id": 3, "image_url": url}}}).with(key).at(front)
				}
				change(pictures.url+"/text").refused(415, catalog.UnsupportedMediaType).about("slides[0].image_url")
				change(pictures.url+"/large").refused(422, catalog.MediaTooLarge).about("slides[0].image_url")
				change(pictures.url+"/none").refused(422, catalog.ValidationFailed).about("slides[0].image_url")
			}
			Expect(detail().at("data.revision")).To(Equal(2.0), "a rejected edit changes nothing")
		})

		It("rejects a failed fetch with its reason, also once the failure is final", func() {
			front := newFront(frontOptions{change: func(c *apiserver.Config) { c.AllowHosts = []string{pictures.host} }})
			id = t.laidOut()
			url := pictures.url + "/busy"
			body := object{"slides": []any{object{"id": 3, "image_url": url}}}
			a := edit(body).at(front).refused(422, catalog.ValidationFailed).about("slides[0].image_url")
			Expect(a.details()).To(And(HaveKeyWithValue("reason", "not_fetched_yet"),
				HaveKeyWithValue("cause", ContainSubstring("503"))))
			Expect(a.at("errors.0.message")).To(ContainSubstring("503"))
			Expect(a.at("errors.0.retryable")).To(BeTrue())

			By("the final failure")
			for _, m := range assets(t.namespace) {
				if m.Spec.Source.URL != nil && *m.Spec.Source.URL == url {
					before := m.DeepCopy()
					m.Status.Work.State = v1beta1.WorkFailed
					m.Status.Error = &v1beta1.WorkError{
						Code: "validation_failed", Message: "The name of the server has no address",
						Details: map[string]string{"reason": "unknown_host"},
					}
					Expect(access.Plain.Status().Patch(ctx, &m, client.MergeFrom(before))).To(Succeed())
				}
			}
			a = edit(body).at(front).refused(422, catalog.ValidationFailed).about("slides[0].image_url")
			Expect(a.details()).To(HaveKeyWithValue("reason", "unknown_host"))
			Expect(a.at("errors.0.retryable")).To(BeFalse())
			Eventually(func() []v1beta1.MediaAsset { return assets(t.namespace) }).
				Should(BeEmpty(), "the next request fetches it again")
		})

		It("rejects an image that takes too long for now, and uses it when the request is repeated", func() {
			hasty := newFront(frontOptions{change: func(c *apiserver.Config) { c.AllowHosts, c.EditWait = []string{pictures.host}, 200*time.Millisecond }})
			id = t.laidOut()
			release := pictures.hold()
			defer release()
			body := object{"slides": []any{object{"id": 3, "image_url": pictures.url + "/slow.png"}}}
			a := edit(body).at(hasty).refused(422, catalog.ValidationFailed).about("slides[0].image_url")
			Expect(a.details()).To(HaveKeyWithValue("reason", "not_fetched_yet"))
			Expect(a.at("errors.0.retryable")).To(BeTrue())
			Expect(detail().data()).To(And(HaveKeyWithValue("status", "success_slideshow"), HaveKeyWithValue("revision", 1.0)))
			release()
			Eventually(func() int { return edit(body).at(hasty).send().status }).Should(Equal(200))
			Eventually(func() any { return detail().at("data.status") }).Should(Equal("success_slideshow"))
			Expect(detail().at("data.revision")).To(Equal(2.0))
			Expect(pictures.requestsFor("/slow.png")).To(Equal(1))
		})

		It("by media id requires an item that the brand may use, and a ready image", func() {
			id = t.laidOut()
			use := func(file []byte, change func(*v1beta1.MediaAsset)) *request {
				GinkgoHelper()
				return edit(object{"slides": []any{object{"id": 2, "media_id": t.imported(file, change)}}})
			}
			a := use(imageFile(), nil).succeeds(200)
			Expect(slides(a)[1].(object)["media_id"]).NotTo(Equal(slides(a)[0].(object)["media_id"]))
			use(imageFile(), func(m *v1beta1.MediaAsset) { m.Spec.BrandRef = &v1beta1.LocalRef{Name: "other"} }).refused(422, catalog.ValidationFailed).about("slides[0].media_id")
			use([]byte("no picture"), nil).refused(415, catalog.UnsupportedMediaType).about("slides[0].media_id")
			edit(object{"slides": []any{object{"id": 1, "media_id": slides(a)[1].(object)["media_id"], "image_url": slides(a)[2].(object)["image_url"]}}}).
				refused(422, catalog.ValidationFailed).about("slides[0].media_id")
		})

		It("rejects any malformed URL, without an internal error", func() {
			id = t.laidOut()
			for _, url := range []string{"https://exa mple.com/a", "https://a.invalid/%zz", "https://a.invalid/\u0001", "https:a.invalid", "https://[::1", "https://a.invalid:99999/x#y z", strings.Repeat("https://a.invalid/", 100)} {
				a := edit(object{"slides": []any{object{"id": 1, "image_url": url}}}).at(oneSecond()).send()
				Expect(a.status).To(Equal(422), "%q: %s", url, a.raw)
			}
		})

		It("copies that of another slide by its URL", func() {
			generated()
			before := slides(detail())
			a := edit(object{"slides": []any{object{"id": 1, "image_url": before[1].(object)["image_url"]}}}).succeeds(200)
			Expect(slides(a)[0].(object)["media_id"]).To(Equal(before[1].(object)["media_id"]))
		})

		DescribeTable("does not fetch from", func(url string) {
			t, key, id = untouched()
			a := edit(object{"slides": []any{object{"id": 1, "image_url": url}}}).refused(422, catalog.ValidationFailed).about("slides[0].image_url")
			Expect(a.details()).To(HaveKeyWithValue("reason", "forbidden_address"))
		},
			Entry("plain http", "http://example.com/a.png"),
			Entry("the local machine", "https://127.0.0.1/a.png"),
			Entry("a name of the local machine", "https://localhost/a.png"),
			Entry("a private network", "https://10.1.2.3/a.png"),
			Entry("the cloud's metadata service", "https://169.254.169.254/latest"),
			Entry("a file", "file:///etc/passwd"),
			Entry("an empty URL", ""),
			Entry("a URL with a password", "https://a:b@8.8.8.8/a.png"),
		)
	})

	Describe("without effect", func() {
		It("changes nothing, also if the whole record is sent back", func() {
			inCluster("it compares resourceVersions")
			generated()
			edit(object{"title": "A title", "slides": []any{object{"id": 2, "textOverlays": []any{text("x", object{"fontSize": 2})}}}, "slide_order": []any{2, 1, 3, 4}}).succeeds(200)
			before := detail()
			s := t.object(id)
			body := object{"slides": before.at("data.type_data.slides"), "slide_order": []any{2, 1, 3, 4}}
			for k, v := range before.data() {
				body[k] = v
			}
			for k, v := range before.at("data.type_data").(object) {
				body[k] = v
			}
			a := put("/slideshows/%d", id, body).with(key).succeeds(200)
			Expect(a.data()).To(And(HaveKeyWithValue("revision", 2.0), HaveKeyWithValue("title", "A title")))
			edit(object{}).succeeds(200)
			edit(nothing).succeeds(200)
			Expect(t.object(id).ResourceVersion).To(Equal(s.ResourceVersion), "no object is written")
		})

		It("repeated creates no revision, and does not repeat the repairs", func() {
			id = t.laidOut()
			body := object{"slides": []any{object{"id": 2, "textOverlays": []any{text("x", object{"fontSize": 2})}}}}
			first, again := edit(body).succeeds(200), edit(body).succeeds(200)
			Expect(first.meta()["normalizations"]).To(ContainElement(HaveKeyWithValue("field", "fontSize")))
			Expect(again.meta()).NotTo(HaveKey("normalizations"))
			Expect(again.at("data.revision")).To(Equal(2.0))

			By("reporting only the repairs of a later edit")
			a := edit(object{"slides": []any{object{"id": 2, "textOverlays": []any{object{"id": 1, "text": "x"}}}, object{"id": 1, "alt_text": "A desk"}}, "title": "New"}).succeeds(200)
			Expect(a.meta()).NotTo(HaveKey("normalizations"))
			Expect(a.at("data.revision")).To(Equal(2.0))
			Expect(detail().meta()["normalizations"]).To(ContainElement(HaveKeyWithValue("field", "fontSize")),
				"reads report them")
		})
	})

	It("that cannot be drawn keeps the previous slides, and can be reverted by sending back what is read", func() {
		id = t.laidOut()
		before := detail()
		s := t.object(id)
		change(s, func() {
			none := "no-such-picture"
			s.Spec.Slides[0].Image = &v1beta1.SlideImage{Stock: &none}
			s.Spec.Slides[0].Heading = "Something else"
		})
		Eventually(func() any { return detail().at("data.status") }).Should(Equal("failed"))
		failed := detail()
		Expect(words(slides(failed)[0])).To(Equal(words(slides(before)[0])))
		Expect(failed.at("data.revision")).To(Equal(1.0))
		Expect(get("/jobs/%d", id).with(key).succeeds(200).at("data.status")).To(Equal("succeeded"))
		a := edit(object{"slides": []any{slides(failed)[0]}}).succeeds(200)
		Expect(a.data()).To(HaveKeyWithValue("status", "success_slideshow"))
		Expect(words(slides(a)[0])).To(Equal(words(slides(before)[0])))
		Expect(slides(a)[0].(object)["media_id"]).To(Equal(slides(before)[0].(object)["media_id"]))
	})

	It("that failed transiently is tried again if the same is requested again", func() {
		inCluster("it changes the status of its object")
		id = t.laidOut()
		body := object{"slides": []any{object{"id": 2, "textOverlays": []any{text("Once more")}}}}
		edit(body).succeeds(200)
		s := t.object(id)
		s.Status.Work.State = v1beta1.WorkFailed
		s.Status.Work.Error = &v1beta1.WorkError{Code: "generation_failed", Message: "The slides could not be rendered and stored", Retryable: true}
		Expect(access.Client.Status().Update(ctx, s)).To(Succeed())
		Expect(detail().at("data.status")).To(Equal("failed"))
		Expect(edit(object{"title": "A title"}).succeeds(200).data()).To(And(HaveKeyWithValue("title", "A title")))
		Expect(edit(body).succeeds(200).data()).To(HaveKeyWithValue("status", "success_slideshow"))
		Expect(words(slides(detail())[1])).To(Equal([]string{"Once more"}))
	})

	Describe("while work is in progress", func() {
		busy := func(kind string) {
			GinkgoHelper()
			a := edit(object{"title": "x"}).refused(409, catalog.JobInProgress)
			Expect(a.at("errors.0.retryable")).To(BeTrue())
			Expect(a.details()).To(And(HaveKeyWithValue("short_id", float64(id)), HaveKeyWithValue("kind", kind)))
			if kind == catalog.JobRender {
				Expect(a.details()).To(HaveKeyWithValue("render_requested_at", MatchRegexp(moment)))
			}
			Expect(put("/slideshows/%d", id, object{"title": "x"}).with(key).refused(409, catalog.JobInProgress).details()).To(Equal(a.details()))
		}
		It("is rejected during a generation", func() {
			release := author.hold(habits)
			defer release()
			id = post("/slideshows", object{"context": habits}).with(key).succeeds(202).id("data.job_id")
			busy(catalog.JobSlideshow)
		})
		It("is rejected during a render", func() {
			id = t.laidOut()
			release := executor.hold(t.namespace)
			defer release()
			post("/slideshows/%d/render", id, nothing).with(key).succeeds(202)
			busy(catalog.JobRender)
		})
		It("is rejected during another edit, like a render, and the job stays the previous one", func() {
			id = t.laidOut()
			s := t.object(id)
			change(s, func() {
				s.Spec.Slides[0].Image = &v1beta1.SlideImage{MediaRef: &v1beta1.LocalRef{Name: "not-there-yet"}}
			})
			busy(catalog.JobSlideshow)
			a := post("/slideshows/%d/render", id, nothing).with(key).refused(409, catalog.JobInProgress)
			Expect(a.details()).To(HaveKeyWithValue("kind", "slideshow_generation"))
			Expect(detail().data()).To(And(HaveKeyWithValue("status", "processing"), HaveKeyWithValue("revision", 2.0)))
			Expect(get("/jobs/%d", id).with(key).succeeds(200).data()).To(And(HaveKeyWithValue("kind", "slideshow_generation"), HaveKeyWithValue("status", "succeeded")))
			Expect(get("/shorts?status=processing").with(key).succeeds(200).list()).To(HaveLen(1))
			change(s, func() { s.Spec.Slides[0].Image = nil })
			Eventually(func() any { return detail().at("data.status") }).Should(Equal("success_slideshow"))
			edit(object{"title": "x"}).succeeds(200)
		})
		It("reports errors of the body first, then the missing slideshow", func() {
			release := author.hold(habits)
			defer release()
			id = post("/slideshows", object{"context": habits}).with(key).succeeds(202).id("data.job_id")
			edit(object{"aspect_ratio": "1:1"}).refused(422, catalog.ValidationFailed)
			edit(object{"slides": []any{object{"id": 99}}}).refused(409, catalog.JobInProgress)
		})
		It("returns the requested record if drawing takes longer than the answer waits", func() {
			inCluster("a short that leaves meanwhile has the answer 409")
			id = t.laidOut()
			hasty := newFront(frontOptions{change: func(c *apiserver.Config) { c.EditWait = 1 }})
			a := edit(object{"title": "New", "slides": []any{object{"id": 2, "textOverlays": []any{text("Soon")}}}}).at(hasty).succeeds(200)
			Expect(a.meta()["warnings"]).To(ContainElement(HaveKeyWithValue("code", "layout_pending")))
			Expect(a.data()).To(And(HaveKeyWithValue("status", "processing"), HaveKeyWithValue("revision", 2.0), HaveKeyWithValue("title", "New")))
			Expect(words(slides(a)[1])).To(Equal([]string{"Soon"}))
			Expect(slides(a)[1]).To(HaveKeyWithValue("rendered_image_url", BeNil()))
			Eventually(func() any { return detail().at("data.status") }).Should(Equal("success_slideshow"))
			Expect(detail().at("data.revision")).To(Equal(2.0))
		})
	})

	It("is visible in the next read and in the next list", func() {
		id = t.laidOut()
		for i := range 3 {
			a := edit(object{"slides": []any{object{"id": 1, "textOverlays": []any{text(fmt.Sprint("Take ", i))}}}, "title": fmt.Sprint("Title ", i)}).succeeds(200)
			Expect(a.at("data.revision")).To(Equal(float64(i + 2)))
			listed := get("/shorts").with(key).succeeds(200).list()[0]
			Expect(listed).To(And(HaveKeyWithValue("title", fmt.Sprint("Title ", i)), HaveKeyWithValue("status", "success_slideshow")))
			Expect(words(slides(detail())[0])).To(Equal([]string{fmt.Sprint("Take ", i)}))
		}
	})

	It("of anything but a slideshow of the brand is 404", func() {
		t, key, id = untouched()
		other := newTenant()
		patch("/slideshows/%d", id, object{"title": "x"}).with(other.everything()).refused(404, catalog.NotFound)
		patch("/slideshows/%d", id+1000000, object{"title": "x"}).with(key).refused(404, catalog.NotFound)
		patch("/slideshows/first", object{"title": "x"}).with(key).refused(404, catalog.NotFound)
	})

	It("needs content:write", func() {
		t, key, id = untouched()
		a := patch("/slideshows/%d", id, object{"title": "x"}).with(t.key("read")).refused(403, catalog.MissingScope)
		Expect(a.details()).To(HaveKeyWithValue("required_scope", "content:write"))
	})

	DescribeTable("rejects a field of the wrong type or size", func(body string, field string) {
		t, key, id = untouched()
		edit(body).refused(422, catalog.ValidationFailed).about(field)
	},
		Entry("a title of 201 characters", `{"title":"`+strings.Repeat("é", 201)+`"}`, "title"),
		Entry("a title that is a number", `{"title":5}`, "title"),
		Entry("a caption of 5001 characters", `{"caption":"`+strings.Repeat("x", 5001)+`"}`, "caption"),
		Entry("31 tags", `{"tags":"`+strings.Repeat("a,", 31)+`"}`, "tags"),
		Entry("31 tags in an array", `{"tags":[`+strings.TrimSuffix(strings.Repeat(`"a",`, 31), ",")+`]}`, "tags"),
		Entry("a tag of 101 characters", `{"tags":["`+strings.Repeat("x", 101)+`"]}`, "tags"),
		Entry("tags that are numbers", `{"tags":[1]}`, "tags[0]"),
		Entry("slides that are not an array", `{"slides":{}}`, "slides"),
		Entry("slide_order that is not an array", `{"slide_order":1}`, "slide_order"),
	)

	It("concurrently succeeds once, and the others are rejected as in progress or find it done", func() {
		id = t.laidOut()
		answers := make(chan *answer, 6)
		for i := range cap(answers) {
			go func() {
				defer GinkgoRecover()
				answers <- edit(object{"slides": []any{object{"id": 1, "textOverlays": []any{text(fmt.Sprint("Writer ", i))}}}}).send()
			}()
		}
		won := 0
		for range cap(answers) {
			a := <-answers
			if a.status == 200 {
				won++
				continue
			}
			Expect(a.code()).To(Equal(catalog.JobInProgress), a.raw)
		}
		Expect(won).To(BeNumerically(">", 0))
		Eventually(func() any { return detail().at("data.status") }).Should(Equal("success_slideshow"))
		Expect(detail().at("data.revision")).To(Equal(float64(won+1)), "every accepted edit is a revision")
	})

	It("with kubectl follows the same rules", func() {
		inCluster("it changes them")
		generated()
		before := slides(detail())
		s := t.object(id)
		change(s, func() {
			s.Spec.Title = new(string)
			*s.Spec.Title = "By kubectl"
		})
		Eventually(func() any { return detail().at("data.title") }).Should(Equal("By kubectl"))
		Expect(detail().data()).To(And(HaveKeyWithValue("status", "success_slideshow"), HaveKeyWithValue("revision", 1.0)))
		edit(object{"slides": []any{object{"id": 1, "alt_text": "x"}}}).succeeds(200) // stores the slides in the spec
		change(s, func() {
			s.Spec.Slides[0], s.Spec.Slides[1] = s.Spec.Slides[1], s.Spec.Slides[0]
			s.Spec.Slides[2].Heading = "By kubectl"
		})
		Eventually(func() any { return detail().at("data.revision") }).Should(Equal(2.0))
		Eventually(func() any { return detail().at("data.status") }).Should(Equal("success_slideshow"))
		after := slides(detail())
		Expect(pixels(after[0])).To(Equal(pixels(before[1])))
		Expect(pixels(after[1])).To(Equal(pixels(before[0])))
		Expect(pixels(after[3])).To(Equal(pixels(before[3])))
		Expect(words(after[2])).To(ContainElement("By kubectl"))
	})
})

// oneSecond is a front end that waits at most one second for images and slides.
func oneSecond() *front {
	GinkgoHelper()
	return newFront(frontOptions{change: func(c *apiserver.Config) { c.EditWait = time.Second }})
}

// object reads a short's slideshow from the cluster.
func (t *tenant) object(id int64) *v1beta1.Slideshow {
	GinkgoHelper()
	var l v1beta1.SlideshowList
	Expect(access.Plain.List(ctx, &l, client.InNamespace(t.namespace), client.MatchingLabels(identified(id)))).To(Succeed())
	Expect(l.Items).To(HaveLen(1))
	return &l.Items[0]
}

// pictures is a server on this machine that the controllers may fetch from.
var pictures = newPictures()

type pictureServer struct {
	url, host string
	mu        sync.Mutex
	asked     map[string]int
	gate      chan struct{}
}

// hold delays /slow.png and /held.png until release is called.
func (p *pictureServer) hold() (release func()) {
	gate := make(chan struct{})
	p.mu.Lock()
	p.gate = gate
	p.mu.Unlock()
	return sync.OnceFunc(func() { close(gate) })
}

// imported creates a media item with a stored file, and waits until the file was accepted or refused. change, unless
// nil, changes the item before it is created.
func (t *tenant) imported(file []byte, change func(*v1beta1.MediaAsset)) int64 {
	GinkgoHelper()
	id := next(ids.Media)
	key := fmt.Sprintf("imports/%s/%d.png", t.namespace, id)
	Expect(store.Put(ctx, key, "image/png", bytes.NewReader(file))).To(Succeed())
	m := &v1beta1.MediaAsset{
		ObjectMeta: metav1.ObjectMeta{Namespace: t.namespace, Name: fmt.Sprint("mine-", id), Labels: identified(id)},
		Spec:       v1beta1.MediaAssetSpec{Source: v1beta1.MediaSource{BlobKey: &key}},
	}
	if change != nil {
		change(m)
	}
	apply(m)
	Eventually(func(g Gomega) {
		g.Expect(access.Plain.Get(ctx, client.ObjectKeyFromObject(m), m)).To(Succeed())
		g.Expect(m.Status.Work).NotTo(BeNil())
		g.Expect(m.Status.Work.State.Settled()).To(BeTrue())
	}).Should(Succeed())
	return id
}

// imageFile returns an image file.
func imageFile() []byte {
	b := &bytes.Buffer{}
	if err := png.Encode(b, image.NewRGBA(image.Rect(0, 0, 800, 1000))); err != nil {
		panic(err) // writing to a buffer cannot fail
	}
	return b.Bytes()
}

func newPictures() *pictureServer {
	p := &pictureServer{asked: map[string]int{}}
	p.url = httptest.NewServer(p).URL
	p.host = strings.TrimPrefix(p.url, "http://")
	return p
}

func (p *pictureServer) requestsFor(path string) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.asked[path]
}

// ServeHTTP serves an image, or a file that is not an image.
func (p *pictureServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	p.asked[r.URL.Path]++
	gate := p.gate
	p.mu.Unlock()
	switch r.URL.Path {
	case "/slow.png", "/held.png":
		<-gate
		_, _ = w.Write(imageFile())
	case "/good.png", "/listed.png":
		_, _ = w.Write(imageFile())
	case "/text":
		_, _ = w.Write([]byte("no picture"))
	case "/busy":
		w.WriteHeader(http.StatusServiceUnavailable)
	case "/large":
		_, _ = w.Write(append(imageFile(), make([]byte, catalog.MaxImageBytes)...))
	default:
		http.NotFound(w, r)
	}
}
