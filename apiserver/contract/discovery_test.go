// SPDX-License-Identifier: Apache-2.0

package contract_test

import (
	"fmt"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"k8s.io/utils/ptr"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/apiserver"
	"github.com/reelops/reelops/internal/catalog"
)

var _ = Describe("The account", func() {
	It("has the user with a masked email, the plan with its quota, all brands, and the key of the request", func() {
		t := newTenant(planned(10), func(a *v1beta1.Account) { a.Spec.Plan.AutomationLimit = ptr.To[int32](3) })
		t.brand("other", func(b *v1beta1.Brand) { b.Spec.DisplayName = "The Other One" })
		secret, k := t.keyOf("acme", func(s *v1beta1.APIKeySpec) {
			s.DisplayName, s.Scopes = "ci", []v1beta1.Scope{"brand:read", "content:write"}
		})
		a := get("/account").with(secret).succeeds(200)
		Expect(a.at("data.user")).To(Equal(object{"id": float64(t.id), "email": "a***@example.com"}))
		Expect(a.at("data.plan.name")).To(Equal("self-hosted"))
		Expect(a.at("data.plan.capabilities")).To(And(
			HaveKeyWithValue("plan_name", "self-hosted"), HaveKeyWithValue("metered", "slideshows"), HaveKeyWithValue("slideshow_limit", 10.0),
			HaveKeyWithValue("slideshows_used", 0.0), HaveKeyWithValue("slideshows_remaining", 10.0), HaveKeyWithValue("automation_limit", 3.0),
			HaveKeyWithValue("automations_used", 0.0), HaveKeyWithValue("unlimited", false), HaveKeyWithValue("period_start", MatchRegexp(`-01T00:00:00Z$`)),
			HaveKeyWithValue("period_end", nextMonth())))
		Expect(a.at("data.brands")).To(ConsistOf(
			object{"id": float64(t.acmeID), "name": "acme"}, HaveKeyWithValue("name", "The Other One")))
		Expect(a.at("data.api_key")).To(And(
			HaveKeyWithValue("id", BeNumerically(">", 0)), HaveKeyWithValue("name", "ci"), HaveKeyWithValue("scopes", []any{"brand:read", "content:write"}),
			HaveKeyWithValue("brand_id", float64(t.acmeID)), HaveKeyWithValue("expires_at", BeNil()), HaveKeyWithValue("last_used_at", BeNil()), HaveKeyWithValue("request_count", 1.0)))
		Expect(k.Spec.SecretSHA256).NotTo(BeEmpty())
		Expect(a.raw).NotTo(Or(ContainSubstring(secret), ContainSubstring(k.Spec.SecretSHA256), ContainSubstring("anna@")))
	})

	It("is a 404 not_found if the Account object is missing", func() {
		t := newTenant()
		key := t.everything()
		Expect(access.Client.Delete(ctx, t.account)).To(Succeed())
		get("/account").with(key).refused(404, catalog.NotFound)
	})
})

var _ = Describe("Capabilities", func() {
	var key string
	BeforeEach(func() { key = newTenant().key("posts:read") })

	It("contain every value that requests may use", func() {
		a := get("/capabilities").with(key).succeeds(200)
		Expect(a.at("data.version")).To(MatchRegexp(`^\d{4}-\d\d-\d\d\.[0-9a-f]{12}$`))
		Expect(a.at("data.slide_count")).To(Equal(object{"min": 3.0, "max": 12.0, "auto": 0.0, "default": 0.0}))
		Expect(a.at("data.slide_seconds")).To(Equal(object{"min": 1.0, "max": 30.0, "reading_min": 2.0, "reading_max": 12.0}))
		Expect(a.at("data.paces")).To(ContainElement(And(HaveKeyWithValue("id", "normal"), HaveKeyWithValue("default", true),
			HaveKeyWithValue("start_seconds", 1.2), HaveKeyWithValue("seconds_per_word", 0.3))))
		Expect(a.at("data.short_types")).To(Equal([]any{"SLIDESHOW", "UGC"}))
		Expect(a.at("data.render_formats")).To(Equal([]any{"video"}))
		Expect(a.at("data.platforms")).To(ConsistOf("tiktok", "youtube", "instagram", "linkedin"))
		Expect(a.at("data.job_poll_interval_seconds")).To(BeEquivalentTo(15))
		Expect(a.at("data.poll_after_seconds")).To(Equal(object{"slideshow_generation": 15.0, "render": 30.0, "video_generation": 30.0}))
		Expect(a.at("data.scheduling")).To(HaveKeyWithValue("min_lead_seconds", 300.0))
		Expect(a.at("data.media")).To(And(HaveKeyWithValue("image_max_bytes", 10485760.0), HaveKeyWithValue("video_max_bytes", 209715200.0),
			HaveKeyWithValue("content_types", ConsistOf("image/jpeg", "image/png", "image/webp", "image/gif", "image/heic", "image/heif", "video/mp4", "video/webm", "video/quicktime")),
			HaveKeyWithValue("media_types", ConsistOf("user_upload", "product_demo", "avatar_video"))))
		Expect(a.at("data.overlay_limits")).To(And(HaveKeyWithValue("max_overlays_per_slide", 8.0), HaveKeyWithValue("max_characters", 500.0), HaveKeyWithValue("min_contrast_ratio", 4.5)))
		Expect(a.at("data.overlay_limits.font_size")).To(And(HaveKeyWithValue("min", 24.0), HaveKeyWithValue("max", 160.0), HaveKeyWithValue("fit_min", 16.0), HaveKeyWithValue("unit", "px_at_1080")))
		Expect(a.at("data.overlay_limits.position")).To(Equal(object{"min": 0.0, "max": 100.0, "unit": "percent", "anchor": "center"}))
		Expect(a.at("data.gradient.directions")).To(ConsistOf("top", "bottom", "left", "right", "full", "radial"))
		for _, platform := range []string{"tiktok", "youtube", "instagram", "linkedin"} {
			Expect(a.at("data.platform_rules." + platform)).To(And(HaveKey("title_max"), HaveKeyWithValue("caption_max", BeNumerically(">", 0)),
				HaveKeyWithValue("posting_modes", ContainElement("direct")), HaveKeyWithValue("configured", BeAssignableToTypeOf(true))))
		}
	})

	It("match what is enforced: each ratio, style, world and source is accepted, and no other", func() {
		f, key := generous(), newTenant().everything()
		a := get("/capabilities").with(key).at(f).succeeds(200)
		for list, field := range map[string]string{"aspect_ratios": "aspect_ratio", "design_styles": "design_style", "image_worlds": "image_world", "paces": "pace"} {
			values := a.at("data." + list).([]any)
			Expect(values).NotTo(BeEmpty())
			names := []any{}
			for _, v := range values {
				name := v.(object)["id"]
				if name == nil {
					name = v.(object)["value"]
				}
				names = append(names, name)
				post("/slideshows", object{"context": unwritable, field: name}).with(key).at(f).succeeds(202)
			}
			Expect(post("/slideshows", object{"context": unwritable, field: "none of these"}).with(key).at(f).refused(422, catalog.ValidationFailed).about(field).details()["allowed"]).
				To(ConsistOf(names...))
		}
		Expect(a.at("data.aspect_ratios.0")).To(And(HaveKeyWithValue("value", "9:16"), HaveKeyWithValue("width", 1080.0), HaveKeyWithValue("height", 1920.0), HaveKeyWithValue("default", true), HaveKey("safe_zone")))
	})

	It("report whether AI images are available and affordable now, with the estimate", func() {
		rich, poor := newTenant(credited(120)).everything(), newTenant(credited(13)).everything()
		Expect(get("/capabilities").with(rich).succeeds(200).at("data.ai_images")).To(Equal(object{
			"available": true, "affordable": true, "credits_per_image": 2.0, "estimated_credits": 14.0, "estimated_slide_count": 7.0, "current_credits": 120.0,
		}))
		Expect(get("/capabilities").with(poor).succeeds(200).at("data.ai_images")).To(And(HaveKeyWithValue("available", true), HaveKeyWithValue("affordable", false), HaveKeyWithValue("current_credits", 13.0)))
		Expect(get("/capabilities").with(key).succeeds(200).at("data.ai_images")).To(And(HaveKeyWithValue("affordable", true), Not(HaveKey("current_credits"))))
		none := newFront(frontOptions{change: func(c *apiserver.Config) { c.AIImages = catalog.AIImages{} }})
		Expect(get("/capabilities").with(rich).at(none).succeeds(200).at("data.ai_images")).To(And(HaveKeyWithValue("available", false), HaveKeyWithValue("affordable", false)))
	})

	It("estimate credits with the brand's default number of slides", func() {
		t := newTenant(credited(7))
		change(t.acme, func() { t.acme.Spec.SlideshowDefaults.SlideCount = 4 })
		Expect(get("/capabilities").with(t.everything()).succeeds(200).at("data.ai_images")).To(And(
			HaveKeyWithValue("estimated_slide_count", 4.0), HaveKeyWithValue("estimated_credits", 8.0), HaveKeyWithValue("affordable", false)))
	})

	It("have a version that depends only on accepted values, not on credits and configuration", func() {
		version := get("/capabilities").with(key).succeeds(200).at("data.version")
		none := newFront(frontOptions{change: func(c *apiserver.Config) { c.AIImages = catalog.AIImages{} }})
		Expect(get("/capabilities").with(newTenant(credited(3)).everything()).at(none).succeeds(200).at("data.version")).To(Equal(version))
	})

	It("have an ETag, and return 304 without a body for it", func() {
		a := get("/capabilities").with(key).succeeds(200)
		tag := a.header.Get("ETag")
		Expect(tag).To(MatchRegexp(`^"[^"]+"$`))
		for _, known := range []string{tag, "*", `"other", ` + tag, "W/" + tag} {
			again := get("/capabilities").with(key).named("If-None-Match", known).send()
			Expect(again.status).To(Equal(304), known)
			Expect(again.header.Get("ETag")).To(Equal(tag))
			Expect(again.header.Get("X-RateLimit-Limit")).To(Equal("300"))
		}
		get("/capabilities").with(key).named("If-None-Match", `"other"`).succeeds(200)
		get("/capabilities").named("If-None-Match", tag).refused(401, catalog.MissingToken)
	})
})

var _ = Describe("Brands", func() {
	var t *tenant
	var other int64
	BeforeEach(func() {
		t = newTenant()
		_, other = t.brand("other", func(b *v1beta1.Brand) {
			b.Spec = v1beta1.BrandSpec{
				DisplayName: "Other", Description: "Sells beds.", Website: "https://example.com", Language: "de", Timezone: "Europe/Vienna", Approval: "hold",
				Profile: v1beta1.BrandProfile{
					Audience: "parents", Tone: "calm", Niche: "sleep", Offer: "beds", ValuePoints: []string{"quiet"}, BannedWords: []string{"cheap"}, CallToAction: "Sleep well.",
				},
				SlideshowDefaults: v1beta1.SlideshowDefaults{
					SlideCount: 5, AspectRatio: "4:5", DesignStyle: "soft_card", ImageWorld: "night_sky", OverlayFontFamily: "Inter",
					Gradient: &v1beta1.Gradient{Enabled: ptr.To(true), Color: "#112233", Opacity: ptr.To(0.3), Direction: "top", Coverage: ptr.To(0.4)},
				},
			}
		})
	})

	It("are all listed with or without brands:all, and the key's own is marked", func() {
		for _, key := range []string{t.key("brand:read"), t.everything()} {
			a := get("/brands").with(key).succeeds(200)
			Expect(a.list()).To(HaveLen(2))
			Expect(a.list()[0]).To(And(
				HaveKeyWithValue("id", float64(t.acmeID)), HaveKeyWithValue("name", "acme"), HaveKeyWithValue("is_current", true),
				HaveKeyWithValue("description", BeNil()), HaveKeyWithValue("website", BeNil()), HaveKey("language"),
				HaveKeyWithValue("created_at", MatchRegexp(moment)), HaveKeyWithValue("updated_at", MatchRegexp(moment))))
			Expect(a.list()[1]).To(And(
				HaveKeyWithValue("id", float64(other)), HaveKeyWithValue("name", "Other"), HaveKeyWithValue("is_current", false),
				HaveKeyWithValue("description", "Sells beds."), HaveKeyWithValue("website", "https://example.com"), HaveKeyWithValue("language", "de")))
		}
	})

	It("with brand_id are limited to that one", func() {
		key := t.everything()
		a := get("/brands?brand_id=%d", other).with(key).succeeds(200)
		Expect(a.list()).To(ConsistOf(HaveKeyWithValue("id", float64(other))))
		b := get("/brands").with(key).named("X-Brand-Id", fmt.Sprint(t.acmeID)).succeeds(200)
		Expect(b.list()).To(ConsistOf(HaveKeyWithValue("id", float64(t.acmeID))))
	})

	It("show the numbers of their objects", func() {
		key := t.everything()
		for range 2 {
			post("/slideshows?brand_id=%d", other, object{"context": unwritable}).with(key).succeeds(202)
		}
		a := get("/brands").with(key).succeeds(200)
		Expect(a.at("data.0.stats")).To(Equal(object{"total_shorts": 0.0, "total_product_demos": 0.0, "total_hooks": 0.0, "connected_social_accounts": 0.0}))
		Expect(a.at("data.1.stats.total_shorts")).To(BeEquivalentTo(2))
	})

	It("have profile, slideshow defaults and connected platforms", func() {
		key := t.everything()
		a := get("/brand?brand_id=%d", other).with(key).succeeds(200)
		Expect(a.data()).To(And(HaveKeyWithValue("id", float64(other)), HaveKeyWithValue("name", "Other"), HaveKeyWithValue("approval_required", true),
			HaveKeyWithValue("timezone", "Europe/Vienna"), HaveKeyWithValue("connected_platforms", []any{})))
		Expect(a.at("data.profile")).To(Equal(object{
			"audience": "parents", "tone": "calm", "niche": "sleep", "offer": "beds", "value_points": []any{"quiet"}, "banned_words": []any{"cheap"}, "call_to_action": "Sleep well.",
		}))
		Expect(a.at("data.slideshow_defaults")).To(Equal(object{
			"slide_count": 5.0, "aspect_ratio": "4:5", "design_style": "soft_card", "image_world": "night_sky", "image_source": object{"type": "stock", "media_pack_id": nil},
			"language": "de", "gradient_enabled": true, "gradient_color": "#112233", "gradient_opacity": 0.3, "gradient_direction": "top", "gradient_coverage": 0.4,
			"overlay_font_family": "Inter", "primary_color": nil, "background_music_id": nil,
		}))
	})

	It("without a profile have nulls, empty arrays and the service's defaults", func() {
		a := get("/brand").with(t.key("brand:read")).succeeds(200)
		Expect(a.data()).To(And(HaveKeyWithValue("id", float64(t.acmeID)), HaveKeyWithValue("approval_required", false), HaveKeyWithValue("timezone", "UTC")))
		Expect(a.at("data.profile")).To(Equal(object{
			"audience": nil, "tone": nil, "niche": nil, "offer": nil, "value_points": []any{}, "banned_words": []any{}, "call_to_action": nil,
		}))
		Expect(a.at("data.slideshow_defaults")).To(And(HaveKeyWithValue("slide_count", 0.0), HaveKeyWithValue("aspect_ratio", "9:16"), HaveKeyWithValue("design_style", BeNil()), HaveKeyWithValue("image_world", BeNil()),
			HaveKeyWithValue("image_source", object{"type": "stock", "media_pack_id": nil}), HaveKeyWithValue("overlay_font_family", BeNil())))
	})
})
