// SPDX-License-Identifier: Apache-2.0

package contract_test

import (
	"fmt"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/apiserver"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/kube/ids"
)

// habits is a context for slides.
const habits = "Five small habits for calmer mornings. Wake up at the same time every day. Drink a glass of water before coffee. " +
	"Leave the phone in another room. Write down one thing you look forward to. Walk for ten minutes in daylight."

var _ = Describe("Generation of slideshows", func() {
	var t *tenant
	var key string
	BeforeEach(func() {
		t = newTenant()
		key = t.everything()
	})

	It("returns 202 with a job of kind slideshow_generation, which the next read contains", func() {
		release := author.hold(habits)
		defer release()
		a := post("/slideshows", object{"context": "  " + habits + "\n"}).with(key).succeeds(202)
		Expect(a.header.Get("Retry-After")).To(Equal(fmt.Sprint(a.at("data.poll_after_seconds"))))
		Expect(a.data()).To(And(
			HaveKeyWithValue("kind", "slideshow_generation"), HaveKeyWithValue("status", BeElementOf("queued", "processing")),
			HaveKeyWithValue("status_message", Not(BeEmpty())), HaveKeyWithValue("poll_after_seconds", withinSeconds(15)), HaveKeyWithValue("progress", 0.0),
			HaveKeyWithValue("attempt", 1.0), HaveKeyWithValue("started_at", BeNil()), HaveKeyWithValue("finished_at", BeNil()),
			HaveKeyWithValue("render_requested_at", BeNil()), HaveKey("estimated_completion_at"), Not(HaveKey("result")), Not(HaveKey("error"))))
		id := a.id("data.job_id")
		get("/jobs/%d", id).with(key).succeeds(200)
		Expect(get("/shorts/%d", id).with(key).succeeds(200).data()).To(And(
			HaveKeyWithValue("status", "processing"), HaveKeyWithValue("type_data", HaveKeyWithValue("context", habits))))
	})

	It("requires only a context", func() {
		id := t.slideshow(key, object{"context": habits})
		d := get("/shorts/%d", id).with(key).succeeds(200)
		Expect(d.data()).To(And(
			HaveKeyWithValue("short_type", "SLIDESHOW"), HaveKeyWithValue("status", "success_slideshow"), HaveKeyWithValue("aspect_ratio", "9:16"),
			HaveKeyWithValue("title", Not(BeEmpty())), HaveKeyWithValue("caption", Not(BeEmpty())), HaveKeyWithValue("tags", ContainSubstring(","))))
		Expect(d.at("data.type_data")).To(And(
			HaveKeyWithValue("image_source", object{"type": "stock", "media_pack_id": nil}), HaveKeyWithValue("language", "en"),
			HaveKeyWithValue("slide_count", And(BeNumerically(">=", 3), BeNumerically("<=", 12)))))
	})

	It("stores all fields of the body", func() {
		id := t.slideshow(key, object{
			"context": habits, "slide_count": 4, "aspect_ratio": "4:5", "design_style": "bold_center", "image_world": "night_sky",
			"image_source": object{"type": "stock"}, "title": "T", "caption": "C", "tags": " sleep, , habits ", "language": "EN-gb",
			"gradient_enabled": true, "gradient_color": "#112233", "gradient_opacity": 80, "gradient_direction": "top", "gradient_coverage": 0.25,
			"background_music_id": nil, "auto_render": false,
		})
		d := get("/shorts/%d", id).with(key).succeeds(200)
		Expect(d.data()).To(And(HaveKeyWithValue("title", "T"), HaveKeyWithValue("caption", "C"), HaveKeyWithValue("tags", "sleep,habits"),
			HaveKeyWithValue("aspect_ratio", "4:5"), HaveKeyWithValue("slide_count", 4.0)))
		Expect(d.at("data.type_data")).To(And(
			HaveKeyWithValue("design_style", "bold_center"), HaveKeyWithValue("image_world", "night_sky"), HaveKeyWithValue("language", "en-GB"),
			HaveKeyWithValue("gradient_enabled", true), HaveKeyWithValue("gradient_color", "#112233"), HaveKeyWithValue("gradient_opacity", 0.8),
			HaveKeyWithValue("gradient_direction", "top"), HaveKeyWithValue("gradient_coverage", 0.25), HaveKeyWithValue("slides", HaveLen(4))))
	})

	It("stores the voice of the body, and rejects one that does not exist", func() {
		id := t.slideshow(key, object{"context": habits, "slide_count": 3, "voice": object{"mode": "none", "name": "slt"}})
		data := get("/shorts/%d", id).with(key).succeeds(200)
		Expect(data.at("data.type_data.voice")).To(And(HaveKeyWithValue("mode", "none"), HaveKeyWithValue("name", BeNil()), HaveKeyWithValue("warning", BeNil())))
		Expect(data.at("data.type_data.captions_url")).To(BeNil())
		for _, r := range []*request{
			post("/slideshows", object{"context": habits, "voice": object{"name": "nobody"}}),
			patch("/slideshows/%d", id, object{"voice": object{"name": "nobody"}}),
		} {
			r.with(key).refused(422, catalog.ValidationFailed).about("voice.name")
		}
	})

	It("uses the brand's defaults for omitted fields", func() {
		_, other := t.brand("other", func(b *v1beta1.Brand) {
			b.Spec.SlideshowDefaults = v1beta1.SlideshowDefaults{SlideCount: 3, AspectRatio: "4:5", DesignStyle: "soft_card", ImageWorld: "geometric"}
		})
		d := get("/shorts/%d?brand_id=%d", t.slideshowOf(other, key, object{"context": habits}), other).with(key).succeeds(200)
		Expect(d.data()).To(And(HaveKeyWithValue("aspect_ratio", "4:5"), HaveKeyWithValue("slide_count", 3.0)))
		Expect(d.at("data.type_data")).To(And(HaveKeyWithValue("design_style", "soft_card"), HaveKeyWithValue("image_world", "geometric")))
	})

	It("picks a design style that the brand has not used recently, by default", func() {
		inCluster("only they count as recent")
		used := map[any]bool{}
		for range 3 {
			id := t.slideshow(key, object{"context": habits, "slide_count": 3})
			style := get("/shorts/%d", id).with(key).succeeds(200).at("data.type_data.design_style")
			Expect(used).NotTo(HaveKey(style))
			used[style] = true
		}
	})

	It("writes no tags if tags are empty, and writes tags if they are omitted", func() {
		id := t.slideshow(key, object{"context": habits, "slide_count": 3, "tags": ""})
		Expect(get("/shorts/%d", id).with(key).succeeds(200).at("data.tags")).To(Equal(""))
	})

	It("accepts 0 as automatic and 3 to 12 slides", func() {
		for _, n := range []int{0, 3, 12} {
			post("/slideshows", object{"context": unwritable, "slide_count": n}).with(key).succeeds(202)
		}
		for _, n := range []int{-1, 1, 2, 13, 1 << 40} {
			post("/slideshows", object{"context": unwritable, "slide_count": n}).with(key).refused(422, catalog.ValidationFailed).about("slide_count")
		}
	})

	Describe("without a text model", func() {
		const prompt = "5 tips for better sleep"
		warning := func(a *answer) any { return a.meta()["warnings"] }
		var f *front
		BeforeEach(func() {
			f = newFront(frontOptions{change: func(c *apiserver.Config) { plenty(c); c.TextModel = false }})
		})

		It("warns of a context that does not fill the slides, invents none, and counts the written slides in the job", func() {
			a := post("/slideshows", object{"context": prompt, "slide_count": 5}).with(key).at(f).succeeds(202)
			Expect(warning(a)).To(ConsistOf(And(HaveKeyWithValue("code", "text_model_not_configured"),
				HaveKeyWithValue("message", And(ContainSubstring("1 of 5 slides"), ContainSubstring("context"))))))
			id := a.id("data.job_id")
			Expect(settled(key, id).data()).To(And(HaveKeyWithValue("status", "succeeded"), HaveKeyWithValue("status_message", ContainSubstring("1 of 5 slides"))))
			d := get("/shorts/%d", id).with(key).succeeds(200)
			Expect(d.data()).To(And(HaveKeyWithValue("slide_count", 1.0), HaveKeyWithValue("text", Equal(object{"source": "offline", "model": nil, "omitted": []any{}})),
				HaveKeyWithValue("tags", "sleep"), HaveKeyWithValue("caption", prompt+".")))
			Expect(d.at("data.type_data.slides.0.textOverlays.0.text")).To(WithTransform(func(s any) string { return strings.Join(strings.Fields(s.(string)), " ") },
				Equal(prompt)))
		})

		It("reporting the same to an agent", func() {
			s := agentWith(f, key)
			Expect(s.does("create_slideshow", object{"context": prompt}).meta()["warnings"]).To(ConsistOf(
				And(HaveKeyWithValue("code", "text_model_not_configured"), HaveKeyWithValue("message", ContainSubstring("1 of 3 slides")))))
		})

		It("does not warn of a context that fills the slides, nor with a text model", func() {
			Expect(warning(post("/slideshows", object{"context": habits, "slide_count": 5}).with(key).at(f).succeeds(202))).To(BeNil())
			a := post("/slideshows", object{"context": modelled, "slide_count": 5}).with(key).succeeds(202)
			Expect(warning(a)).To(BeNil())
			id := a.id("data.job_id")
			Expect(settled(key, id).at("data.status_message")).To(Equal("Ready."))
			Expect(get("/shorts/%d", id).with(key).succeeds(200).at("data.text")).To(Equal(object{"source": "model", "model": "llama3.2", "omitted": []any{}}))
		})

		It("reports passages of a context that fit neither on the slides nor in the caption", func() {
			var long []string
			for i := range 40 {
				long = append(long, fmt.Sprintf("Sentence %d of this long text says what no other sentence of it says at all.", i+1))
			}
			a := post("/slideshows", object{"context": strings.Join(long, " "), "slide_count": 3}).with(key).at(f).succeeds(202)
			Expect(warning(a)).To(ConsistOf(And(HaveKeyWithValue("code", "text_omitted"), HaveKeyWithValue("message", ContainSubstring("text.omitted")))))
			id := a.id("data.job_id")
			Expect(settled(key, id).at("data.status")).To(Equal("succeeded"))
			d := get("/shorts/%d", id).with(key).succeeds(200)
			shown := fmt.Sprint(d.at("data.type_data.slides"), d.at("data.caption"), d.at("data.text.omitted"))
			Expect(d.at("data.text.omitted")).NotTo(BeEmpty())
			for _, s := range long {
				Expect(strings.Join(strings.Fields(shown), " ")).To(ContainSubstring(strings.TrimSuffix(s, ".")))
			}
			Expect(t.object(id).Status.Text.Omitted).NotTo(BeEmpty())
		})

		It("edits a slideshow of one slide", func() {
			id := t.slideshow(key, object{"context": prompt})
			slide := get("/shorts/%d", id).with(key).succeeds(200).at("data.type_data.slides.0.id")
			Expect(patch("/slideshows/%d", id, object{"slides": []object{{"id": slide, "alt_text": "A bed"}}}).with(key).succeeds(200).
				at("data.type_data.slides.0.alt_text")).To(Equal("A bed"))
		})

		It("reports the source manual for slides written in a manifest", func() {
			_, id := t.manifest("by-hand", func(s *v1beta1.Slideshow) { s.Spec.AspectRatio = "4:5" })
			Expect(get("/shorts/%d", id).with(key).succeeds(200).at("data.text")).To(Equal(object{"source": "manual", "model": nil, "omitted": []any{}}))
		})
	})

	It("waits for a text model that is not ready, and reports that in the job", func() {
		id := post("/slideshows", object{"context": unready}).with(key).succeeds(202).id("data.job_id")
		Eventually(func(g Gomega) {
			j := get("/jobs/%d", id).with(key).succeeds(200)
			g.Expect(j.at("data.status")).To(Equal("queued"))
			g.Expect(j.at("data.status_message")).To(ContainSubstring("The server does not serve the language model"))
		}).Should(Succeed())
		Expect(get("/shorts/%d", id).with(key).succeeds(200).at("data.text")).To(BeNil())
	})

	DescribeTable("rejects an invalid field with 422 validation_failed and names it", func(field, member string) {
		body := member
		if !strings.Contains(member, `"context"`) {
			body = `"context":"x",` + member
		}
		post("/slideshows", "{"+body+"}").with(key).refused(422, catalog.ValidationFailed).about(field)
	},
		Entry("context empty after trimming", "context", `"context":"  "`),
		Entry("context null", "context", `"context":null`),
		Entry("context not a string", "context", `"context":5`),
		Entry("context over 5000 characters", "context", `"context":"`+strings.Repeat("é", 5001)+`"`),
		Entry("slide_count a fraction", "slide_count", `"slide_count":3.5`),
		Entry("slide_count a string", "slide_count", `"slide_count":"7"`),
		Entry("aspect_ratio unknown", "aspect_ratio", `"aspect_ratio":"1:1"`),
		Entry("design_style unknown", "design_style", `"design_style":"nope"`),
		Entry("image_world unknown", "image_world", `"image_world":"nope"`),
		Entry("image_source not an object", "image_source", `"image_source":"stock"`),
		Entry("image_source.type unknown", "image_source.type", `"image_source":{"type":"web"}`),
		Entry("type pack without a pack", "image_source.media_pack_id", `"image_source":{"type":"pack"}`),
		Entry("an unknown pack", "image_source.media_pack_id", `"image_source":{"type":"pack","media_pack_id":424242}`),
		Entry("an invalid pack id", "image_source.media_pack_id", `"image_source":{"type":"pack","media_pack_id":"x1"}`),
		Entry("title over 200", "title", `"title":"`+strings.Repeat("t", 201)+`"`),
		Entry("caption over 5000", "caption", `"caption":"`+strings.Repeat("t", 5001)+`"`),
		Entry("31 tags", "tags", `"tags":"`+strings.Repeat("t,", 31)+`"`),
		Entry("a tag over 100", "tags", `"tags":"`+strings.Repeat("t", 101)+`"`),
		Entry("language not a BCP 47 tag", "language", `"language":"not a language"`),
		Entry("gradient_color not a colour", "gradient_color", `"gradient_color":"red"`),
		Entry("gradient_opacity over 100", "gradient_opacity", `"gradient_opacity":101`),
		Entry("gradient_direction unknown", "gradient_direction", `"gradient_direction":"up"`),
		Entry("gradient_coverage over 1", "gradient_coverage", `"gradient_coverage":2`),
		Entry("music that does not exist", "background_music_id", `"background_music_id":424242`),
		Entry("auto_render not a boolean", "auto_render", `"auto_render":"yes"`),
	)

	It("lists the accepted values of an enumeration", func() {
		a := post("/slideshows", object{"context": "x", "aspect_ratio": "1:1"}).with(key).refused(422, catalog.ValidationFailed)
		Expect(a.details()).To(HaveKeyWithValue("allowed", []any{"9:16", "4:5"}))
	})

	It("accepts 5000 characters of any script, and counts characters, not bytes", func() {
		for _, letter := range []string{"眠", "é", "😴"} {
			post("/slideshows", object{"context": strings.Repeat(letter, 5000)}).with(key).succeeds(202)
		}
	})

	Describe("from a media pack", func() {
		newPack := func(images int32, brand *v1beta1.LocalRef) int64 {
			GinkgoHelper()
			id := next(ids.Packs)
			p := &v1beta1.MediaPack{
				ObjectMeta: metav1.ObjectMeta{Namespace: t.namespace, Name: fmt.Sprintf("pack-%d", id), Labels: identified(id)},
				Spec:       v1beta1.MediaPackSpec{BrandRef: brand},
			}
			apply(p)
			for range images {
				t.media(p.Name)
			}
			Eventually(func(g Gomega) {
				g.Expect(access.Client.Get(ctx, client.ObjectKeyFromObject(p), p)).To(Succeed())
				g.Expect(p.Status.ImageCount).To(Equal(images))
			}).Should(Succeed())
			return id
		}
		from := func(kind string, pack any) *request {
			return post("/slideshows", object{"context": habits, "slide_count": 3, "image_source": object{"type": kind, "media_pack_id": pack}}).with(key)
		}

		It("uses only the pack for backgrounds, whose id may be an integer or a string of digits", func() {
			pack := newPack(3, nil)
			from("pack", fmt.Sprint(pack)).succeeds(202)
			a := from("pack", pack).succeeds(202)
			Expect(a.meta()).To(BeEmpty())
			settled(key, a.id("data.job_id"))
			d := get("/shorts/%d", a.id("data.job_id")).with(key).succeeds(200)
			Expect(d.at("data.status")).To(Equal("success_slideshow"), d.raw)
			Expect(d.at("data.type_data.image_source")).To(Equal(object{"type": "pack", "media_pack_id": float64(pack)}))
			for i := range 3 {
				Expect(d.at(fmt.Sprintf("data.type_data.slides.%d.media_id", i))).NotTo(BeNil())
			}
		})

		It("rejects a pack without images and another brand's pack", func() {
			t.brand("other")
			from("pack", newPack(0, nil)).refused(422, catalog.ValidationFailed).about("image_source.media_pack_id")
			from("pack", newPack(1, &v1beta1.LocalRef{Name: "other"})).refused(422, catalog.ValidationFailed).about("image_source.media_pack_id")
		})

		It("warns if the pack is smaller than the slideshow, and if a named pack is not used", func() {
			pack := newPack(1, nil)
			Expect(from("pack", pack).succeeds(202).at("meta.warnings.0")).To(And(HaveKeyWithValue("code", "pack_smaller_than_slideshow"), HaveKeyWithValue("message", Not(BeEmpty()))))
			Expect(from("stock", pack).succeeds(202).at("meta.warnings.0.code")).To(Equal("media_pack_ignored"))
		})
	})
})
