// SPDX-License-Identifier: Apache-2.0

package apiserver_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/reelops/reelops/api/v1alpha1"
	"github.com/reelops/reelops/internal/apikey"
)

func newSecret() (string, string, string) { return apikey.New(apikey.DefaultPrefix) }

func jsonInt(v any) string { return strconv.FormatFloat(v.(float64), 'f', -1, 64) }

var _ = Describe("Making a slideshow", func() {
	var t *tenant
	BeforeEach(func() { t = newTenant(nil) })

	It("answers 202 with a queued job, Retry-After, and the very next read sees it", func() {
		r := call("POST", "/api/v1/slideshows", t.writer, map[string]any{"context": "  Sleep well.  "})
		Expect(r.status).To(Equal(202))
		Expect(r.header.Get("Retry-After")).To(Equal("15"))
		Expect(r.data).To(And(HaveKeyWithValue("kind", "slideshow_generation"), HaveKeyWithValue("status", "queued"),
			HaveKeyWithValue("poll_after_seconds", 15.0), HaveKeyWithValue("progress", 0.0), HaveKeyWithValue("attempt", 1.0),
			HaveKeyWithValue("status_message", "Waiting for a free worker."), HaveKeyWithValue("started_at", BeNil()), HaveKey("estimated_completion_at")))
		Expect(r.data).NotTo(Or(HaveKey("result"), HaveKey("error")))
		id := jsonInt(r.data["job_id"])
		Expect(call("GET", "/api/v1/jobs/"+id, t.reader, nil).status).To(Equal(200))
		Expect(call("GET", "/api/v1/shorts/"+id, t.reader, nil).data).To(HaveKeyWithValue("status", "processing"))

		s := &v1alpha1.Slideshow{}
		Expect(access.Plain.Get(context.Background(), client.ObjectKey{Namespace: t.namespace, Name: "slideshow-" + id}, s)).To(Succeed())
		Expect(s.Labels).To(And(HaveKeyWithValue("reelops.dev/id", id), HaveKeyWithValue("reelops.dev/brand", "acme")))
		Expect(s.Spec.Context).To(Equal("Sleep well."))
	})

	It("keeps every field of the body in the resource", func() {
		r := call("POST", "/api/v1/slideshows", t.writer, map[string]any{
			"context": "Sleep well.", "slide_count": 7, "aspect_ratio": "4:5", "design_style": "bold_center", "image_world": "night_sky",
			"image_source": map[string]any{"type": "stock"}, "title": "T", "caption": "C", "tags": " sleep, , habits ", "language": "PT-br",
			"gradient_enabled": false, "gradient_color": "#112233", "gradient_opacity": 40, "gradient_direction": "top", "gradient_coverage": 0.25,
			"background_music_id": nil, "auto_render": true,
		})
		Expect(r.status).To(Equal(202), r.raw)
		Expect(r.meta).To(BeEmpty())
		s := &v1alpha1.Slideshow{}
		Expect(access.Plain.Get(context.Background(), client.ObjectKey{Namespace: t.namespace, Name: "slideshow-" + jsonInt(r.data["job_id"])}, s)).To(Succeed())
		Expect(s.Spec).To(Equal(v1alpha1.SlideshowSpec{
			BrandRef: v1alpha1.LocalRef{Name: "acme"}, Context: "Sleep well.", SlideCount: 7, AspectRatio: "4:5", DesignStyle: "bold_center",
			ImageWorld: "night_sky", ImageSource: &v1alpha1.ImageSource{Type: "stock"}, Title: ptr.To("T"), Caption: ptr.To("C"),
			Tags: ptr.To("sleep,habits"), Language: "pt-BR", AutoRender: true,
			Gradient: &v1alpha1.Gradient{Enabled: ptr.To(false), Color: "#112233", Opacity: ptr.To(0.4), Direction: "top", Coverage: ptr.To(0.25)},
			Film:     v1alpha1.FilmSpec{Motion: "slow_zoom", Transition: "crossfade"},
		}))
	})

	DescribeTable("refuses a field with 422 and names it", func(field, member string) {
		body := member
		if !strings.Contains(member, `"context"`) {
			body = `"context":"x",` + member
		}
		r := call("POST", "/api/v1/slideshows", t.writer, "{"+body+"}")
		Expect(r.status).To(Equal(422), r.raw)
		Expect(r.code()).To(Equal("validation_failed"))
		Expect(r.details()).To(HaveKeyWithValue("field", field))
	},
		Entry("context empty after trimming", "context", `"context":"  "`),
		Entry("context null", "context", `"context":null`),
		Entry("context not a string", "context", `"context":5`),
		Entry("context over 5000 characters", "context", `"context":"`+strings.Repeat("é", 5001)+`"`),
		Entry("slide_count 2", "slide_count", `"slide_count":2`),
		Entry("slide_count 13", "slide_count", `"slide_count":13`),
		Entry("slide_count a fraction", "slide_count", `"slide_count":3.5`),
		Entry("slide_count a string", "slide_count", `"slide_count":"7"`),
		Entry("aspect_ratio unknown", "aspect_ratio", `"aspect_ratio":"1:1"`),
		Entry("design_style unknown", "design_style", `"design_style":"nope"`),
		Entry("image_world unknown", "image_world", `"image_world":"nope"`),
		Entry("image_source not an object", "image_source", `"image_source":"stock"`),
		Entry("image_source.type unknown", "image_source.type", `"image_source":{"type":"web"}`),
		Entry("AI images where none are set up", "image_source.type", `"image_source":{"type":"ai"}`),
		Entry("type pack without a pack", "image_source.media_pack_id", `"image_source":{"type":"pack"}`),
		Entry("an unknown pack", "image_source.media_pack_id", `"image_source":{"type":"pack","media_pack_id":424242}`),
		Entry("a pack id that is none", "image_source.media_pack_id", `"image_source":{"type":"pack","media_pack_id":"x1"}`),
		Entry("title over 200", "title", `"title":"`+strings.Repeat("t", 201)+`"`),
		Entry("caption over 5000", "caption", `"caption":"`+strings.Repeat("t", 5001)+`"`),
		Entry("31 tags", "tags", `"tags":"`+strings.Repeat("t,", 31)+`"`),
		Entry("a tag over 100", "tags", `"tags":"`+strings.Repeat("t", 101)+`"`),
		Entry("language no BCP 47 tag", "language", `"language":"not a language"`),
		Entry("gradient_color no colour", "gradient_color", `"gradient_color":"red"`),
		Entry("gradient_opacity over 100", "gradient_opacity", `"gradient_opacity":101`),
		Entry("gradient_direction unknown", "gradient_direction", `"gradient_direction":"up"`),
		Entry("gradient_coverage over 1", "gradient_coverage", `"gradient_coverage":2`),
		Entry("music, where there is none", "background_music_id", `"background_music_id":5`),
		Entry("auto_render not a boolean", "auto_render", `"auto_render":"yes"`),
	)

	It("names the accepted values of an enumeration", func() {
		r := call("POST", "/api/v1/slideshows", t.writer, map[string]any{"context": "x", "aspect_ratio": "1:1"})
		Expect(r.details()).To(HaveKeyWithValue("allowed", []any{"9:16", "4:5"}))
	})

	It("accepts 5000 characters of any script", func() {
		Expect(call("POST", "/api/v1/slideshows", t.writer, map[string]any{"context": strings.Repeat("眠", 5000)}).status).To(Equal(202))
	})

	Describe("from a media pack", func() {
		newPack := func(images int32, brand *v1alpha1.LocalRef) string {
			id := nextID()
			p := &v1alpha1.MediaPack{ObjectMeta: metav1.ObjectMeta{Namespace: t.namespace, Name: "pack-" + id, Labels: map[string]string{v1alpha1.LabelID: id}}, Spec: v1alpha1.MediaPackSpec{BrandRef: brand}}
			create(p)
			p.Status.ImageCount = images
			setStatus(p)
			return id
		}
		with := func(pack any, more ...string) reply {
			body := map[string]any{"context": "x", "slide_count": 5, "image_source": map[string]any{"type": "pack", "media_pack_id": pack}}
			if len(more) > 0 {
				body["image_source"].(map[string]any)["type"] = more[0]
			}
			return call("POST", "/api/v1/slideshows", t.writer, body)
		}

		It("takes the id as an integer or a string of digits", func() {
			id := newPack(9, nil)
			n, _ := strconv.Atoi(id)
			Expect(with(n).status).To(Equal(202))
			r := with(id)
			Expect(r.status).To(Equal(202))
			Expect(r.meta).To(BeEmpty())
			Expect(call("GET", "/api/v1/shorts/"+jsonInt(r.data["job_id"]), t.reader, nil).data["type_data"].(map[string]any)["image_source"]).
				To(Equal(map[string]any{"type": "pack", "media_pack_id": float64(n)}))
		})
		It("refuses a pack without images and another brand's pack", func() {
			Expect(with(newPack(0, nil)).details()).To(HaveKeyWithValue("field", "image_source.media_pack_id"))
			Expect(with(newPack(9, &v1alpha1.LocalRef{Name: "other"})).details()).To(HaveKeyWithValue("field", "image_source.media_pack_id"))
		})
		It("warns when the pack is smaller than the slideshow, or is not used", func() {
			Expect(fmt.Sprint(with(newPack(2, nil)).meta["warnings"])).To(ContainSubstring("pack_smaller_than_slideshow"))
			Expect(fmt.Sprint(with(newPack(9, nil), "stock").meta["warnings"])).To(ContainSubstring("media_pack_ignored"))
		})
	})

	It("answers 403 quota_exceeded when the plan's slideshows are used up", func() {
		t = newTenant(ptr.To[int32](2))
		start := metav1.NewTime(startOfMonth(now.Now()))
		t.account.Status.Usage = &v1alpha1.Usage{PeriodStart: start, PeriodEnd: metav1.NewTime(start.AddDate(0, 1, 0)), SlideshowsUsed: 2}
		setStatus(t.account)
		r := call("POST", "/api/v1/slideshows", t.writer, map[string]any{"context": "x"})
		Expect(r.status).To(Equal(403))
		Expect(r.code()).To(Equal("quota_exceeded"))
		Expect(r.details()).To(And(HaveKeyWithValue("slideshow_limit_exceeded", true), HaveKeyWithValue("limit", 2.0), HaveKeyWithValue("used", 2.0),
			HaveKeyWithValue("remaining", 0.0), HaveKey("resets_at")))
		Expect(call("POST", "/api/v1/slideshows", t.writer, map[string]any{"context": ""}).code()).To(Equal("validation_failed"), "the body is checked before the quota")
	})
})

var _ = Describe("A short and its job", func() {
	var t *tenant
	BeforeEach(func() { t = newTenant(nil) })

	It("shows a generation that is running", func() {
		at := metav1.NewTime(now.Now())
		_, id := t.newShow(func(s *v1alpha1.Slideshow) {
			s.Status.Work = &v1alpha1.Work{State: v1alpha1.WorkProcessing, Attempt: 2, StartedAt: &at}
		})
		r := call("GET", "/api/v1/jobs/"+id, t.reader, nil)
		Expect(r.header.Get("Retry-After")).To(Equal("15"))
		Expect(r.data).To(And(HaveKeyWithValue("status", "processing"), HaveKeyWithValue("attempt", 2.0), HaveKey("estimated_completion_at"),
			HaveKeyWithValue("status_message", "Writing and laying out the slides."), HaveKeyWithValue("render_requested_at", BeNil())))
	})

	It("shows a generation that succeeded, with a preview that needs no key", func() {
		Expect(store.Put(context.Background(), "shorts/preview.jpg", "image/jpeg", strings.NewReader("jpeg bytes"))).To(Succeed())
		_, id := t.newShow(drawn)
		r := call("GET", "/api/v1/jobs/"+id, t.reader, nil)
		Expect(r.data).To(And(HaveKeyWithValue("status", "succeeded"), HaveKeyWithValue("progress", 100.0), HaveKeyWithValue("status_message", "Ready.")))
		Expect(r.data).NotTo(HaveKey("estimated_completion_at"))
		result := r.data["result"].(map[string]any)
		Expect(result).To(And(HaveKeyWithValue("video_url", BeNil()), HaveKeyWithValue("slides", map[string]any{"count": 3.0})))
		Expect(jsonInt(result["short_id"])).To(Equal(id))
		picture, err := http.Get(result["preview_url"].(string))
		Expect(err).NotTo(HaveOccurred())
		defer func() { _ = picture.Body.Close() }()
		doc, _ := io.ReadAll(picture.Body)
		Expect(string(doc)).To(Equal("jpeg bytes"))
		Expect(picture.Header.Get("Content-Type")).To(Equal("image/jpeg"))
	})

	It("shows a generation that failed as a 200 with an error", func() {
		at := metav1.NewTime(now.Now())
		_, id := t.newShow(func(s *v1alpha1.Slideshow) {
			s.Status.Work = &v1alpha1.Work{
				State: v1alpha1.WorkFailed, Attempt: 1, FinishedAt: &at,
				Error: &v1alpha1.WorkError{Code: "generation_failed", Message: "The writer did not answer.", Retryable: true},
			}
		})
		r := call("GET", "/api/v1/jobs/"+id, t.reader, nil)
		Expect(r.status).To(Equal(200))
		Expect(r.data["error"]).To(Equal(map[string]any{"code": "generation_failed", "message": "The writer did not answer.", "retryable": true, "details": map[string]any{}}))
		Expect(r.data).To(HaveKeyWithValue("status_message", "Failed: The writer did not answer."))
		Expect(r.data).NotTo(HaveKey("result"))
	})

	It("has no job for a draft, but the draft is a short", func() {
		_, id := t.newShow(func(s *v1alpha1.Slideshow) { s.Spec.Suspend = true })
		Expect(call("GET", "/api/v1/jobs/"+id, t.reader, nil).code()).To(Equal("job_not_found"))
		Expect(call("GET", "/api/v1/shorts/"+id, t.reader, nil).data).To(And(HaveKeyWithValue("status", "draft"), HaveKeyWithValue("job", BeNil())))
	})

	It("shows the short with its slides", func() {
		_, id := t.newShow(drawn)
		d := call("GET", "/api/v1/shorts/"+id, t.reader, nil).data
		Expect(d).To(And(
			HaveKeyWithValue("short_type", "SLIDESHOW"), HaveKeyWithValue("status", "success_slideshow"), HaveKeyWithValue("title", "Sleep well"),
			HaveKeyWithValue("caption", "Five habits."), HaveKeyWithValue("tags", "sleep,habits"), HaveKeyWithValue("aspect_ratio", "4:5"),
			HaveKeyWithValue("slide_count", 3.0), HaveKeyWithValue("duration_seconds", BeNil()), HaveKeyWithValue("video_url", BeNil()),
			HaveKeyWithValue("render_status", "none"), HaveKeyWithValue("revision", 1.0), HaveKeyWithValue("posts", BeEmpty()),
			HaveKeyWithValue("post_counts", map[string]any{"total": 0.0, "scheduled": 0.0, "success": 0.0, "failed": 0.0}),
			HaveKeyWithValue("brand_id", BeEquivalentTo(mustFloat(t.brand.Labels[v1alpha1.LabelID])))))
		Expect(d["thumbnail"]).To(And(HaveKeyWithValue("width", 360.0), HaveKeyWithValue("height", 450.0)))
		data := d["type_data"].(map[string]any)
		Expect(data).To(And(HaveKeyWithValue("design_style", "bold_center"), HaveKeyWithValue("image_world", "night_sky"), HaveKeyWithValue("language", "en"),
			HaveKeyWithValue("gradient_direction", "full"), HaveKeyWithValue("gradient_enabled", true)))
		slide := data["slides"].([]any)[1].(map[string]any)
		Expect(slide).To(And(HaveKeyWithValue("id", 2.0), HaveKeyWithValue("position", 1.0), HaveKeyWithValue("width", 1080.0), HaveKeyWithValue("height", 1350.0),
			HaveKeyWithValue("media_id", 77.0), HaveKeyWithValue("alt_text", "a slide"),
			HaveKeyWithValue("image_url", ContainSubstring("/blobs/shorts/bg.jpg?")), HaveKeyWithValue("rendered_image_url", ContainSubstring("/blobs/shorts/slide-2.png?"))))
		Expect(slide["textOverlays"].([]any)[0]).To(And(HaveKeyWithValue("text", "Sleep well"), HaveKeyWithValue("fontFamily", "Inter"),
			HaveKeyWithValue("position", map[string]any{"x": 50.0, "y": 50.0})))
	})

	It("has empty slides before they are drawn", func() {
		_, id := t.newShow(nil)
		Expect(call("GET", "/api/v1/shorts/"+id, t.reader, nil).raw).To(ContainSubstring(`"slides":[]`))
	})

	It("is not found for another account", func() {
		_, id := t.newShow(drawn)
		stranger := newTenant(nil)
		Expect(call("GET", "/api/v1/shorts/"+id, stranger.admin, nil).code()).To(Equal("not_found"))
		Expect(call("GET", "/api/v1/jobs/"+id, stranger.admin, nil).code()).To(Equal("job_not_found"))
		Expect(call("POST", "/api/v1/slideshows/"+id+"/render", stranger.admin, nil).code()).To(Equal("not_found"))
	})

	It("is found by id when another replica made it a moment ago", func() {
		s := &v1alpha1.Slideshow{
			ObjectMeta: metav1.ObjectMeta{Namespace: t.namespace, Name: "slideshow-555001", Labels: map[string]string{v1alpha1.LabelID: "555001", v1alpha1.LabelBrand: "acme"}},
			Spec:       v1alpha1.SlideshowSpec{BrandRef: v1alpha1.LocalRef{Name: "acme"}, Context: "x"},
		}
		Expect(access.Plain.Create(context.Background(), s)).To(Succeed())
		Expect(call("GET", "/api/v1/jobs/555001", t.reader, nil).status).To(Equal(200))
	})
})

func mustFloat(s string) float64 { f, _ := strconv.ParseFloat(s, 64); return f }
