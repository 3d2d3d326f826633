// SPDX-License-Identifier: Apache-2.0

package contract_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/social/posting"
)

var _ = Describe("Changing a brand", func() {
	var t *tenant
	var key string
	BeforeEach(func() {
		t = newTenant()
		key = t.key("brand:write", "brand:read", "posts:read")
	})
	stored := func() v1beta1.BrandSpec {
		GinkgoHelper()
		b := &v1beta1.Brand{}
		Expect(access.Plain.Get(ctx, client.ObjectKeyFromObject(t.acme), b)).To(Succeed())
		return b.Spec
	}

	It("merges the body: omitted members stay, null clears, arrays are replaced", func() {
		patch("/brand", object{
			"name": " Acme Sleep ", "description": "Beds.", "website": "https://acme.example", "language": "de-de", "time_zone": "Europe/Vienna",
			"profile":            object{"audience": "parents", "tone": "calm", "value_points": []string{"quiet", "soft"}, "banned_words": []string{"cheap"}},
			"slideshow_defaults": object{"slide_count": 5, "aspect_ratio": "4:5", "design_style": "soft_card", "gradient_color": "#112233", "gradient_opacity": 0.3},
			"posting_defaults":   object{"youtube": object{"made_for_kids": false, "category": "22"}, "tiktok": object{"privacy_level": "SELF_ONLY"}, "first_comment": "Hi"},
		}).with(key).succeeds(200)
		a := patch("/brand", object{
			"description": nil, "posting_suspended": true,
			"profile":            object{"tone": nil, "niche": nil, "value_points": []string{"warm"}, "offer": "beds"},
			"slideshow_defaults": object{"design_style": nil, "gradient_opacity": nil, "image_world": "night_sky"},
			"posting_defaults":   object{"youtube": object{"category": nil, "privacy": "unlisted"}, "tiktok": nil},
		}).with(key).succeeds(200)
		for _, b := range []*answer{a, get("/brand").with(key).succeeds(200)} {
			Expect(b.at("data.name")).To(Equal("Acme Sleep"))
			Expect(b.at("data.description")).To(BeNil())
			Expect(b.at("data.website")).To(Equal("https://acme.example"))
			Expect(b.at("data.language")).To(Equal("de-DE"))
			Expect(b.at("data.time_zone")).To(Equal("Europe/Vienna"))
			Expect(b.at("data.timezone")).To(Equal("Europe/Vienna"))
			Expect(b.at("data.posting_suspended")).To(BeTrue())
			Expect(b.at("data.profile")).To(Equal(object{
				"audience": "parents", "tone": nil, "niche": nil, "offer": "beds", "value_points": []any{"warm"}, "banned_words": []any{"cheap"},
				"call_to_action": nil,
			}))
			Expect(b.at("data.posting_defaults")).To(Equal(object{
				"youtube": object{"made_for_kids": false, "privacy": "unlisted"}, "first_comment": "Hi",
			}))
			Expect(b.at("data.slideshow_defaults")).To(And(
				HaveKeyWithValue("slide_count", 5.0), HaveKeyWithValue("aspect_ratio", "4:5"), HaveKeyWithValue("design_style", BeNil()),
				HaveKeyWithValue("image_world", "night_sky"), HaveKeyWithValue("gradient_color", "#112233")))
		}
		patch("/brand", object{
			"name": nil, "website": nil, "language": nil, "time_zone": nil, "profile": nil, "slideshow_defaults": nil, "posting_defaults": nil,
			"posting_suspended": nil,
		}).with(key).succeeds(200)
		spec := stored()
		Expect(spec.DisplayName + spec.Description + spec.Website + spec.Language).To(BeEmpty())
		Expect(spec.Timezone).To(BeElementOf("", "UTC"))
		Expect(spec.Profile).To(BeZero())
		Expect(spec.SlideshowDefaults).To(BeZero())
		Expect(spec.PostingDefaults).To(BeNil())
		Expect(spec.PostingSuspended).To(BeFalse())
	})

	It("never changes the approval policy, and names members that it ignores", func() {
		change(t.acme, func() { t.acme.Spec.Approval = posting.ApprovalHold })
		a := patch("/brand", object{"approval": "none", "approval_required": false, "description": "x"}).with(key).loosely().succeeds(200)
		Expect(a.at("meta.ignored_fields")).To(ConsistOf("approval", "approval_required"))
		Expect(stored().Approval).To(Equal(posting.ApprovalHold))
	})

	It("writes nothing if nothing changes", func() {
		version := func() string {
			b := &v1beta1.Brand{}
			Expect(access.Plain.Get(ctx, client.ObjectKeyFromObject(t.acme), b)).To(Succeed())
			return b.ResourceVersion
		}
		patch("/brand", object{"description": "Beds.", "profile": object{"tone": "calm"}}).with(key).succeeds(200)
		Eventually(func() int64 {
			b := &v1beta1.Brand{}
			Expect(access.Plain.Get(ctx, client.ObjectKeyFromObject(t.acme), b)).To(Succeed())
			return b.Generation - b.Status.ObservedGeneration
		}).WithPolling(often).Should(BeZero())
		before := version()
		patch("/brand", object{"description": "Beds.", "profile": object{"niche": nil}}).with(key).succeeds(200)
		patch("/brand", object{}).with(key).succeeds(200)
		Expect(version()).To(Equal(before))
	})

	DescribeTable("rejects an invalid value with its field", func(body object, field string) {
		a := patch("/brand", body).with(key).refused(422, catalog.ValidationFailed)
		Expect(a.details()).To(HaveKeyWithValue("field", field), a.raw)
		Expect(stored().Description).To(BeEmpty())
	},
		Entry("an unknown time zone", object{"description": "x", "time_zone": "Mars/Base"}, "time_zone"),
		Entry("the time zone of the server", object{"time_zone": "Local"}, "time_zone"),
		Entry("a website that is a script", object{"website": "javascript:alert(1)"}, "website"),
		Entry("a website that is no URL", object{"website": "https://exa mple/%"}, "website"),
		Entry("a language that is none", object{"language": "not a language"}, "language"),
		Entry("a long name", object{"name": stringOf(201)}, "name"),
		Entry("a long tone", object{"profile": object{"tone": stringOf(201)}}, "profile.tone"),
		Entry("a long banned word", object{"profile": object{"banned_words": []string{"a", stringOf(101)}}}, "profile.banned_words[1]"),
		Entry("a profile that is a text", object{"profile": "calm"}, "profile"),
		Entry("an unknown design style", object{"slideshow_defaults": object{"design_style": "none"}}, "slideshow_defaults.design_style"),
		Entry("an unknown font", object{"slideshow_defaults": object{"overlay_font_family": "none"}}, "slideshow_defaults.overlay_font_family"),
		Entry("two slides", object{"slideshow_defaults": object{"slide_count": 2}}, "slideshow_defaults.slide_count"),
		Entry("a pack without an id", object{"slideshow_defaults": object{"image_source": object{"type": "pack"}}}, "slideshow_defaults.image_source.media_pack_id"),
		Entry("an unknown pack", object{"slideshow_defaults": object{"image_source": object{"type": "pack", "media_pack_id": 999999}}},
			"slideshow_defaults.image_source.media_pack_id"),
		Entry("an unknown audience", object{"posting_defaults": object{"tiktok": object{"privacy_level": "EVERYBODY"}}}, "posting_defaults.tiktok.privacy_level"),
		Entry("a cover chosen twice", object{"posting_defaults": object{"cover": object{"slide": 1, "offset_ms": 2}}}, "posting_defaults.cover"),
		Entry("an unknown image", object{"posting_defaults": object{"cover": object{"media_id": 999999}}}, "posting_defaults.cover.media_id"),
		Entry("private branded content", object{"posting_defaults": object{"tiktok": object{"privacy_level": "SELF_ONLY", "commercial": object{"branded_content": true}}}},
			"posting_defaults.tiktok.commercial.branded_content"),
		Entry("a switch that is a text", object{"posting_suspended": "yes"}, "posting_suspended"),
	)

	It("is a conflict for a brand from a manifest: the error names the tool that applies it", func() {
		o := &unstructured.Unstructured{Object: object{
			"apiVersion": v1beta1.GroupVersion.String(), "kind": "Brand",
			"metadata": object{"namespace": t.namespace, "name": t.acme.Name}, "spec": object{"description": "From Git"},
		}}
		Expect(controlPlane.Client.Apply(ctx, client.ApplyConfigurationFromUnstructured(o), client.FieldOwner("argocd-controller"), client.ForceOwnership)).To(Succeed())
		a := patch("/brand", object{"description": "By a caller"}).with(key).refused(409, catalog.Conflict)
		Expect(a.details()).To(And(HaveKeyWithValue("reason", "declared_elsewhere"), HaveKeyWithValue("managed_by", "argocd-controller")))
		Expect(stored().Description).To(Equal("From Git"))
	})

	It("changes another brand of the account with brands:all", func() {
		_, other := t.brand("other")
		all := t.key("brand:write", "brand:read", "brands:all")
		patch("/brand?brand_id=%d", other, object{"description": "Second"}).with(all).succeeds(200)
		Expect(stored().Description).To(BeEmpty())
		Expect(get("/brand?brand_id=%d", other).with(all).succeeds(200).at("data.description")).To(Equal("Second"))
	})

	It("loses no change when requests change different members at once", func() {
		done := make(chan struct{})
		for _, body := range []object{{"description": "d"}, {"website": "https://a.example"}, {"profile": object{"tone": "t"}}, {"profile": object{"niche": "n"}}} {
			go func() {
				defer GinkgoRecover()
				defer func() { done <- struct{}{} }()
				patch("/brand", body).with(key).succeeds(200)
			}()
		}
		for range 4 {
			<-done
		}
		spec := stored()
		Expect([]string{spec.Description, spec.Website, spec.Profile.Tone, spec.Profile.Niche}).To(Equal([]string{"d", "https://a.example", "t", "n"}))
	})
})

func stringOf(n int) string {
	out := make([]byte, n)
	for i := range out {
		out[i] = 'a'
	}
	return string(out)
}
