// SPDX-License-Identifier: Apache-2.0

package contract_test

import (
	"cmp"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/catalog"
)

var _ = Describe("One short", func() {
	var t *tenant
	var key string
	BeforeEach(func() {
		t = newTenant()
		key = t.everything()
	})

	It("has all fields of a list and its details; empty values are null or an empty array, and present", func() {
		id := t.slideshow(key, object{"context": habits, "slide_count": 3, "design_style": "bold_center"})
		a := get("/shorts/%d", id).with(key).succeeds(200)
		Expect(a.data()).To(And(
			HaveKeyWithValue("id", float64(id)), HaveKeyWithValue("short_type", "SLIDESHOW"), HaveKeyWithValue("status", "success_slideshow"),
			HaveKeyWithValue("aspect_ratio", "9:16"), HaveKeyWithValue("slide_count", 3.0), HaveKeyWithValue("duration_seconds", BeNil()),
			HaveKeyWithValue("video_url", BeNil()), HaveKeyWithValue("render_status", "none"), HaveKeyWithValue("brand_id", float64(t.acmeID)),
			HaveKeyWithValue("post_counts", object{"total": 0.0, "scheduled": 0.0, "success": 0.0, "failed": 0.0}),
			HaveKeyWithValue("created_at", MatchRegexp(moment)), HaveKeyWithValue("updated_at", MatchRegexp(moment)),
			HaveKeyWithValue("revision", 1.0), HaveKeyWithValue("posts", []any{})))
		Expect(a.at("data.job.status")).To(Equal("succeeded"))
		Expect(a.at("data.thumbnail")).To(And(HaveKeyWithValue("url", a.at("data.thumbnail_url")), HaveKeyWithValue("width", 360.0), HaveKeyWithValue("height", 640.0)))
		Expect(a.raw).To(ContainSubstring(a.at("data.thumbnail_url").(string)), "URLs are not escaped in JSON")
		for _, picture := range []string{"data.thumbnail_url", "data.preview_url"} {
			_, kind := fetched(a.at(picture))
			Expect(kind).To(HavePrefix("image/"))
		}
		Expect(a.at("data.type_data")).To(And(
			HaveKeyWithValue("design_style", "bold_center"), HaveKeyWithValue("context", habits), HaveKeyWithValue("language", "en"),
			HaveKeyWithValue("image_source", HaveKeyWithValue("media_pack_id", BeNil())), HaveKeyWithValue("slide_count", 3.0),
			HaveKey("gradient_enabled"), HaveKey("gradient_color"), HaveKey("gradient_opacity"), HaveKey("gradient_direction"), HaveKey("gradient_coverage")))
	})

	It("has slides, each with its image with and without text, and overlays in the units of the capabilities", func() {
		id := t.slideshow(key, object{"context": habits, "slide_count": 3})
		a := get("/shorts/%d", id).with(key).succeeds(200)
		for i, s := range a.at("data.type_data.slides").([]any) {
			slide := s.(object)
			Expect(slide).To(And(
				HaveKeyWithValue("id", BeNumerically(">", 0)), HaveKeyWithValue("position", float64(i)), HaveKeyWithValue("width", 1080.0), HaveKeyWithValue("height", 1920.0),
				HaveKey("alt_text"), HaveKey("media_id"), HaveKey("attribution"), HaveKeyWithValue("textOverlays", Not(BeEmpty()))))
			for _, picture := range []string{"image_url", "rendered_image_url"} {
				_, kind := fetched(slide[picture])
				Expect(kind).To(HavePrefix("image/"))
			}
			for _, o := range slide["textOverlays"].([]any) {
				Expect(o).To(And(
					HaveKeyWithValue("id", BeNumerically(">", 0)), HaveKeyWithValue("text", Not(BeEmpty())), HaveKeyWithValue("fontFamily", Not(BeEmpty())),
					HaveKeyWithValue("fontSize", And(BeNumerically(">=", 16), BeNumerically("<=", 160))),
					HaveKeyWithValue("color", MatchRegexp(`^#[0-9A-F]{6}([0-9A-F]{2})?$`)), HaveKey("strokeColor"), HaveKey("strokeWidth"), HaveKey("backgroundColor"),
					HaveKeyWithValue("position", And(HaveKeyWithValue("x", BeNumerically("~", 50, 50)), HaveKeyWithValue("y", BeNumerically("~", 50, 50)))),
					HaveKeyWithValue("align", BeElementOf("left", "center", "right")), HaveKeyWithValue("maxWidth", BeNumerically("~", 55, 35)),
					HaveKey("lineHeight"), HaveKeyWithValue("fontWeight", BeNumerically(">=", 100))))
			}
		}
	})

	It("has status processing and no slides before they are laid out", func() {
		release := author.hold(habits)
		defer release()
		id := post("/slideshows", object{"context": habits}).with(key).succeeds(202).id("data.job_id")
		Expect(get("/shorts/%d", id).with(key).succeeds(200).data()).To(And(
			HaveKeyWithValue("status", "processing"), HaveKeyWithValue("thumbnail", BeNil()), HaveKeyWithValue("thumbnail_url", BeNil()),
			HaveKeyWithValue("preview_url", BeNil()), HaveKeyWithValue("revision", 0.0), HaveKeyWithValue("type_data", HaveKeyWithValue("slides", []any{}))))
	})

	It("from a manifest equals any other; a suspended one is a draft without a job", func() {
		_, id := t.manifest("by-hand", nil)
		settled(key, id)
		Expect(get("/shorts/%d", id).with(key).succeeds(200).data()).To(And(HaveKeyWithValue("status", "success_slideshow"), HaveKeyWithValue("slide_count", 3.0)))
		suspended, draft := t.manifest("draft", func(s *v1beta1.Slideshow) { s.Spec.Suspend, s.Spec.AspectRatio = true, "4:5" })
		Expect(get("/shorts/%d", draft).with(key).succeeds(200).data()).To(And(HaveKeyWithValue("status", "draft"), HaveKeyWithValue("job", BeNil())))
		change(suspended, func() { suspended.Spec.Suspend = false })
		settled(key, draft)
		Expect(get("/shorts/%d", draft).with(key).succeeds(200).data()).To(HaveKeyWithValue("status", "success_slideshow"))
	})

	It("is a 404 not_found for another account, another brand and an unknown id", func() {
		_, id := t.manifest("mine", func(s *v1beta1.Slideshow) { s.Spec.Suspend = true })
		_, other := t.brand("other")
		get("/shorts/%d", id).with(newTenant().everything()).refused(404, catalog.NotFound)
		get("/shorts/%d?brand_id=%d", id, other).with(key).refused(404, catalog.NotFound)
		get("/shorts/999999999").with(key).refused(404, catalog.NotFound)
	})
})

var _ = Describe("The list of shorts", func() {
	var t *tenant
	var key string
	// made holds the ids of five shorts from the oldest to the newest: three drafts, one with slides, one that failed.
	var made []int64

	BeforeEach(OncePerOrdered, func() {
		t = newTenant()
		key = t.everything()
		made = nil
		for i := range 3 {
			_, id := t.manifest(fmt.Sprintf("draft-%d", i), func(s *v1beta1.Slideshow) { s.Spec.Suspend = true })
			made = append(made, id)
		}
		made = append(made, t.slideshow(key, object{"context": habits, "slide_count": 3, "aspect_ratio": "4:5"}))
		failed := post("/slideshows", object{"context": unwritable}).with(key).succeeds(202).id("data.job_id")
		settled(key, failed)
		made = append(made, failed)
	})

	list := func(query string) *answer {
		GinkgoHelper()
		return get("%s", "/shorts"+query).with(key).loosely().succeeds(200)
	}
	// newestFirst sorts by creation, which the cluster stores in whole seconds, then by id.
	newestFirst := func(ids ...int64) []int64 {
		GinkgoHelper()
		var l v1beta1.SlideshowList
		Expect(access.Plain.List(ctx, &l, client.InNamespace(t.namespace))).To(Succeed())
		created := map[int64]time.Time{}
		for _, s := range l.Items {
			id, err := strconv.ParseInt(s.Labels[v1beta1.LabelID], 10, 64)
			Expect(err).NotTo(HaveOccurred())
			created[id] = s.CreationTimestamp.Time
		}
		out := append([]int64{}, ids...)
		slices.SortFunc(out, func(a, b int64) int { return cmp.Or(created[b].Compare(created[a]), cmp.Compare(b, a)) })
		return out
	}

	Describe("of a brand", Ordered, func() {
		It("is newest first, with the summary of each and the pagination in meta", func() {
			a := list("")
			Expect(idsOf(a)).To(Equal(newestFirst(made...)))
			Expect(a.at("meta.pagination")).To(Equal(object{"page": 1.0, "per_page": 25.0, "total_pages": 1.0, "total_count": 5.0}))
			one := get("/shorts/%d", made[3]).with(key).succeeds(200).data()
			item := a.list()[slices.Index(idsOf(a), made[3])].(object)
			for _, name := range []string{
				"id", "short_type", "status", "title", "caption", "tags", "aspect_ratio", "slide_count", "duration_seconds", "render_status",
				"post_counts", "brand_id", "created_at", "updated_at", "video_url",
			} {
				Expect(gocmp.Diff(one[name], item[name])).To(BeEmpty(), name)
			}
			for _, name := range []string{"thumbnail_url", "preview_url"} {
				_, kind := fetched(item[name])
				Expect(kind).To(HavePrefix("image/"))
			}
			for _, name := range []string{"type_data", "posts", "job", "thumbnail"} {
				Expect(item).NotTo(HaveKey(name))
			}
		})

		It("has pages", func() {
			order := newestFirst(made...)
			for page, want := range map[int][]int64{1: order[:2], 2: order[2:4], 3: order[4:], 4: {}, 1000000: {}} {
				a := list(fmt.Sprintf("?per_page=2&page=%d", page))
				Expect(idsOf(a)).To(Equal(want), "page %d", page)
				Expect(a.at("meta.pagination")).To(Equal(object{"page": float64(page), "per_page": 2.0, "total_pages": 3.0, "total_count": 5.0}))
			}
		})

		It("has at most 50 entries per page: a larger value counts as 50", func() {
			for _, n := range []string{"51", "1000", "9007199254740991"} {
				Expect(list("?per_page=" + n).at("meta.pagination.per_page")).To(BeEquivalentTo(50))
			}
			Expect(list("?per_page=50").at("meta.pagination.per_page")).To(BeEquivalentTo(50))
		})

		It("filters by type, case-insensitively; all disables the filter", func() {
			for _, kind := range []string{"SLIDESHOW", "slideshow", "all", "ALL", ""} {
				Expect(idsOf(list("?short_type=" + kind))).To(HaveLen(5))
			}
			a := list("?short_type=UGC")
			Expect(a.list()).To(BeEmpty())
			Expect(a.at("meta.pagination")).To(Equal(object{"page": 1.0, "per_page": 25.0, "total_pages": 0.0, "total_count": 0.0}))
		})

		It("filters by status", func() {
			for status, want := range map[string][]int64{
				"draft": made[:3], "success_slideshow": made[3:4], "failed": made[4:], "processing": nil, "success": nil, "completed": nil,
			} {
				a := list("?status=" + status)
				Expect(idsOf(a)).To(Equal(newestFirst(want...)), status)
				Expect(a.at("meta.pagination.total_count")).To(BeEquivalentTo(len(want)), status)
			}
		})

		It("filters by the time of creation, both ends included, with any offset", func() {
			at := get("/shorts/%d", made[3]).with(key).succeeds(200).at("data.created_at").(string)
			shifted := strings.Replace(at, "Z", ".000%2B00:00", 1)
			for _, t := range []string{at, shifted} {
				Expect(idsOf(list("?created_after=" + t))).To(ContainElements(made[3], made[4]))
				Expect(idsOf(list("?created_before=" + t))).To(ContainElements(made[0], made[3]))
				Expect(idsOf(list("?created_after=" + t + "&created_before=" + t))).To(ContainElement(made[3]))
			}
			Expect(idsOf(list("?created_before=2001-01-01T00:00:00%2B05:30"))).To(BeEmpty())
			Expect(idsOf(list("?created_after=2999-01-01T00:00:00Z"))).To(BeEmpty())
		})

		It("combines filters and pages", func() {
			a := list("?short_type=SLIDESHOW&status=draft&per_page=2&page=2")
			Expect(idsOf(a)).To(Equal(newestFirst(made[:3]...)[2:]))
			Expect(a.at("meta.pagination.total_count")).To(BeEquivalentTo(3))
		})

		DescribeTable("rejects an invalid filter with 422 and names it", func(query, field string, allowed bool) {
			a := get("/shorts?"+query).with(key).refused(422, catalog.ValidationFailed).about(field)
			if allowed {
				Expect(a.details()).To(HaveKeyWithValue("allowed", Not(BeEmpty())))
			}
		},
			Entry("page 0", "page=0", "page", false),
			Entry("page -1", "page=-1", "page", false),
			Entry("a page that is no integer", "page=1.5", "page", false),
			Entry("a page that is far too large", "page=99999999999999999999", "page", false),
			Entry("per_page 0", "per_page=0", "per_page", false),
			Entry("per_page that is no integer", "per_page=many", "per_page", false),
			Entry("an unknown type", "short_type=REEL", "short_type", true),
			Entry("an unknown status", "status=done", "status", true),
			Entry("a time without an offset", "created_after=2026-11-21T12:00:00", "created_after", false),
			Entry("a date without a time", "created_before=2026-11-21", "created_before", false),
			Entry("a text instead of a time", "created_before=yesterday", "created_before", false),
			Entry("an unknown order", "order=title", "order", true),
			Entry("a query that is too long", "query="+strings.Repeat("a", catalog.MaxQueryCharacters+1), "query", false),
		)
	})
})

var _ = Describe("A search of shorts", func() {
	var t *tenant
	var key string
	BeforeEach(func() {
		t = newTenant()
		key = t.everything()
	})
	search := func(query string, more ...string) []int64 {
		GinkgoHelper()
		a := get("%s", "/shorts?query="+url.QueryEscape(query)+strings.Join(more, "")).with(key).succeeds(200)
		Expect(a.at("meta.pagination.total_count")).To(BeEquivalentTo(len(a.list())))
		return idsOf(a)
	}
	draft := func(name, title, caption string, slides ...string) int64 {
		GinkgoHelper()
		_, id := t.manifest(name, func(s *v1beta1.Slideshow) {
			s.Spec.Suspend, s.Spec.Title, s.Spec.Caption, s.Spec.Slides = true, &title, &caption, nil
			for _, text := range slides {
				s.Spec.Slides = append(s.Spec.Slides, v1beta1.SlideSpec{Heading: text})
			}
		})
		return id
	}

	It("finds words in title, caption and slides, regardless of case and accents, and all of them", func() {
		one := draft("one", "Crème brûlée", "At home", "Sugar", "Fire")
		two := draft("two", "Two cakes", "CREME and fruit", "Flour", "Sugar")
		Expect(search("CREME")).To(ConsistOf(one, two))
		Expect(search("sugar")).To(ConsistOf(one, two))
		Expect(search("crème fire")).To(Equal([]int64{one}))
		Expect(search("creme fruit")).To(Equal([]int64{two}))
		Expect(search("cake flo")).To(Equal([]int64{two}))
		Expect(search("fruit fire")).To(BeEmpty())
		Expect(search("zebra")).To(BeEmpty())
		Expect(search("?!")).To(BeEmpty())
		Expect(search("  ")).To(HaveLen(2))
	})

	It("combines with filters, pages and orders", func() {
		old := draft("old", "Walk", "sea sea sea", "One")
		best := draft("best", "Sea", "Sea", "Sea")
		last := draft("last", "Home", "By the sea, a long way from every town", "One")
		newest := idsOf(get("/shorts").with(key).succeeds(200))
		oldest := slices.Clone(newest)
		slices.Reverse(oldest)
		Expect(newest).To(ConsistOf(old, best, last))
		Expect(search("sea")).To(Equal(newest))
		Expect(search("sea", "&order=created_asc")).To(Equal(oldest))
		Expect(search("sea", "&order=relevance")[0]).To(Equal(best))
		Expect(search("", "&order=relevance")).To(Equal(newest))
		Expect(search("", "&order=created_asc")).To(Equal(oldest))
		Expect(search("sea", "&status=draft&short_type=SLIDESHOW")).To(Equal(newest))
		Expect(search("sea", "&status=failed")).To(BeEmpty())
		Expect(search("sea", "&created_after=2999-01-01T00:00:00Z")).To(BeEmpty())
		a := get("/shorts?query=sea&order=created_asc&per_page=2&page=2").with(key).succeeds(200)
		Expect(idsOf(a)).To(Equal(oldest[2:]))
		Expect(a.at("meta.pagination")).To(Equal(object{"page": 2.0, "per_page": 2.0, "total_pages": 2.0, "total_count": 3.0}))
	})

	It("finds generated texts and the hook of a video, and from the next request on an edit and no longer the old text", func() {
		id := t.slideshow(key, object{
			"title": "Three streets", "caption": "Near us", "slides": []object{{"heading": "Harbour lane"}, {"heading": "Mill street"}, {"heading": "Market square"}},
		})
		Expect(search("harbour mill")).To(Equal([]int64{id}))
		film := t.video(key, object{"hook_text": "I slept badly for years."})
		Expect(search("slept badly")).To(Equal([]int64{film}))
		Expect(search("slept badly", "&short_type=SLIDESHOW")).To(BeEmpty())
		patch("/slideshows/%d", id, object{"title": "Three façades"}).with(key).succeeds(200)
		Expect(search("facades harbour")).To(Equal([]int64{id}))
		slide := get("/shorts/%d", id).with(key).succeeds(200).id("data.type_data.slides.0.id")
		patch("/slideshows/%d", id, object{"slides": []object{{"id": slide, "textOverlays": []object{text("Lighthouse")}}}}).with(key).succeeds(200)
		Expect(search("lighthouse")).To(Equal([]int64{id}))
		Expect(search("harbour")).To(BeEmpty())
	})

	It("finds nothing of another brand and another account", func() {
		_, other := t.brand("other")
		draft("mine", "Lighthouse", "", "One")
		Expect(search("lighthouse")).To(HaveLen(1))
		Expect(search("lighthouse", fmt.Sprintf("&brand_id=%d", other))).To(BeEmpty())
		Expect(get("/shorts?query=lighthouse").with(newTenant().everything()).succeeds(200).list()).To(BeEmpty())
	})
})

var _ = Describe("The list of shorts, when shorts are created and deleted,", func() {
	var t *tenant
	var key string
	BeforeEach(func() {
		t = newTenant()
		key = t.everything()
	})
	list := func(query string) *answer {
		GinkgoHelper()
		return get("%s", "/shorts"+query).with(key).succeeds(200)
	}

	It("contains a new short from the next request on", func() {
		for range 3 {
			id := post("/slideshows", object{"context": unwritable}).with(key).succeeds(202).id("data.job_id")
			Expect(idsOf(list(""))).To(ContainElement(id))
		}
		Expect(list("").at("meta.pagination.total_count")).To(BeEquivalentTo(3))
	})

	It("contains only shorts of one brand", func() {
		_, other := t.brand("other")
		Expect(list(fmt.Sprintf("?brand_id=%d", other)).list()).To(BeEmpty())
		id := post("/slideshows?brand_id=%d", other, object{"context": unwritable}).with(key).succeeds(202).id("data.job_id")
		Expect(idsOf(list(fmt.Sprintf("?brand_id=%d", other)))).To(Equal([]int64{id}))
		Expect(idsOf(list(""))).NotTo(ContainElement(id))
		stranger := newTenant()
		Expect(get("/shorts").with(stranger.everything()).succeeds(200).list()).To(BeEmpty())
	})

	It("omits a deleted short", func() {
		s, id := t.manifest("gone", func(s *v1beta1.Slideshow) { s.Spec.Suspend = true })
		Expect(idsOf(list(""))).To(ContainElement(id))
		Expect(access.Client.Delete(ctx, s)).To(Succeed())
		Eventually(func() []int64 { return idsOf(list("")) }).WithPolling(100 * time.Millisecond).Should(BeEmpty())
	})
})

// idsOf returns the ids of a list's entries.
func idsOf(a *answer) []int64 {
	GinkgoHelper()
	out := []int64{}
	for i := range a.list() {
		out = append(out, a.id(fmt.Sprintf("data.%d.id", i)))
	}
	return out
}
