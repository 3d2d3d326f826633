// SPDX-License-Identifier: Apache-2.0

package view

import (
	"encoding/json"
	"regexp"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/utils/ptr"

	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/film/speech/voices"
)

// published is the version of the currently accepted values. To change a value, update catalog.Revised and this
// version: clients compare nothing else.
const published = "2026-11-23.29db65b38f79"

func capabilities(t *testing.T, offer catalog.AIImages, p Purse) *Capabilities {
	t.Helper()
	c, err := CapabilitiesOf(offer, p, voices.Set{})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestCapabilitiesVersion_MatchesTheAcceptedValues(t *testing.T) {
	got := capabilities(t, catalog.AIImages{}, Purse{}).Version
	if !regexp.MustCompile(`^\d{4}-\d{2}-\d{2}\.[0-9a-f]{12}$`).MatchString(got) {
		t.Errorf("got version %q", got)
	}
	if got != published {
		t.Errorf("the accepted values changed: set catalog.Revised to today's date and published to the version, now %s", got)
	}
}

func TestCapabilitiesVersion_ChangesWithAcceptedValues(t *testing.T) {
	for name, change := range map[string]func(*Capabilities){
		"a removed style":  func(c *Capabilities) { c.DesignStyles = c.DesignStyles[1:] },
		"another font":     func(c *Capabilities) { c.OverlayFonts[3].Family = "Another" },
		"a larger font":    func(c *Capabilities) { c.OverlayLimits.FontSize.Max++ },
		"more slides":      func(c *Capabilities) { c.SlideCount.Max++ },
		"another ratio":    func(c *Capabilities) { c.AspectRatios[0].Value = "1:1" },
		"a longer caption": func(c *Capabilities) { rule(c, catalog.TikTok, func(r *PlatformRule) { r.CaptionMax++ }) },
		"a removed posting mode": func(c *Capabilities) {
			rule(c, catalog.YouTube, func(r *PlatformRule) { r.PostingModes = r.PostingModes[1:] })
		},
		"a removed image source": func(c *Capabilities) { c.ImageSources = c.ImageSources[:2] },
		"another content type":   func(c *Capabilities) { c.Media.ContentTypes[0] = "image/bmp" },
		"a shorter lead time":    func(c *Capabilities) { c.Scheduling.MinLeadSeconds-- },
		"a removed voice":        func(c *Capabilities) { c.Voices = c.Voices[1:] },
		"a removed language":     func(c *Capabilities) { c.Languages = c.Languages[1:] },
		"another render format":  func(c *Capabilities) { c.RenderFormats = []string{"gif"} },
		"a slower poll interval": func(c *Capabilities) { c.PollAfterSeconds.Render++ },
	} {
		c := capabilities(t, catalog.AIImages{}, Purse{})
		before := c.Version
		change(c)
		after, err := c.version(catalog.Revised)
		if err != nil {
			t.Fatal(err)
		}
		if after == before {
			t.Errorf("%s: the version did not change: %s", name, after)
		}
	}
}

func TestCapabilitiesVersion_IgnoresConfigurationAndAccount(t *testing.T) {
	plain := capabilities(t, catalog.AIImages{}, Purse{})
	rich := capabilities(t, catalog.AIImages{Available: true, CreditsPerImage: 2}, Purse{Credits: ptr.To[int64](120), SlideCount: 5})
	rule(rich, catalog.TikTok, func(r *PlatformRule) { r.Configured = true })
	got, err := rich.version(catalog.Revised)
	if err != nil || got != plain.Version || rich.Version != plain.Version {
		t.Errorf("the version is %s (%v), then %s, and %s without", rich.Version, err, got, plain.Version)
	}
	if !rich.PlatformRules[catalog.TikTok].Configured || !rich.ImageSources[2].Available || !rich.AIImages.Available {
		t.Error("computing the version changed the payload")
	}
	a, aerr := plain.Tag()
	b, berr := rich.Tag()
	if aerr != nil || berr != nil || a == b {
		t.Errorf("the tags are %s (%v) and %s (%v), but the payloads differ", a, aerr, b, berr)
	}
}

func rule(c *Capabilities, platform string, change func(*PlatformRule)) {
	r := c.PlatformRules[platform]
	change(&r)
	c.PlatformRules[platform] = r
}

func TestCapabilities_AffordableAIImages(t *testing.T) {
	offer := catalog.AIImages{Available: true, CreditsPerImage: 2}
	for name, c := range map[string]struct {
		offer catalog.AIImages
		purse Purse
		want  AIImages
	}{
		"not configured": {
			catalog.AIImages{}, Purse{Credits: ptr.To[int64](999)}, AIImages{EstimatedSlideCount: 7, CurrentCredits: ptr.To[int64](999)},
		},
		"a plan without credits": {
			offer, Purse{}, AIImages{Available: true, Affordable: true, CreditsPerImage: 2, EstimatedCredits: 14, EstimatedSlideCount: 7},
		},
		"just enough credits": {
			offer,
			Purse{Credits: ptr.To[int64](14)},
			AIImages{Available: true, Affordable: true, CreditsPerImage: 2, EstimatedCredits: 14, EstimatedSlideCount: 7, CurrentCredits: ptr.To[int64](14)},
		},
		"one credit too few": {
			offer,
			Purse{Credits: ptr.To[int64](13)},
			AIImages{Available: true, CreditsPerImage: 2, EstimatedCredits: 14, EstimatedSlideCount: 7, CurrentCredits: ptr.To[int64](13)},
		},
		"a brand with short slideshows": {
			offer,
			Purse{Credits: ptr.To[int64](13), SlideCount: 3},
			AIImages{Available: true, Affordable: true, CreditsPerImage: 2, EstimatedCredits: 6, EstimatedSlideCount: 3, CurrentCredits: ptr.To[int64](13)},
		},
	} {
		if d := cmp.Diff(c.want, capabilities(t, c.offer, c.purse).AIImages); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
}

// The names of members are part of the API; clients depend on these.
func TestCapabilities_HaveStableMembers(t *testing.T) {
	doc, err := json.Marshal(capabilities(t, catalog.AIImages{Available: true, CreditsPerImage: 2}, Purse{Credits: ptr.To[int64](120)}))
	if err != nil {
		t.Fatal(err)
	}
	var got map[string]any
	if err := json.Unmarshal(doc, &got); err != nil {
		t.Fatal(err)
	}
	first := func(member string) any { return got[member].([]any)[0] }
	num := func(v float64) any { return v }
	for what, c := range map[string]struct{ got, want any }{
		"design_styles": {first("design_styles"), map[string]any{
			"id": "bold_center", "name": "Bold centre", "default_font_family": "Inter",
			"description": "Heavy white type with a firm black outline in the middle of the image; reads at any speed.",
		}},
		"image_worlds": {first("image_worlds"), map[string]any{
			"id": "gradient_glow", "name": "Gradient glow", "sources": []any{"stock", "ai"},
			"description": "Silky colour gradients, auras and soft light without any subject.",
		}},
		"overlay_fonts": {got["overlay_fonts"].([]any)[3], map[string]any{
			"family": "Bebas Neue", "weights": []any{num(400)}, "scripts": []any{"latin"}, "default": false,
		}},
		"overlay_limits": {got["overlay_limits"], map[string]any{
			"max_overlays_per_slide": num(8), "max_characters": num(500), "min_contrast_ratio": num(4.5),
			"font_size": map[string]any{"min": num(24), "max": num(160), "default": num(64), "fit_min": num(16), "unit": "px_at_1080"},
			"position":  map[string]any{"min": num(0), "max": num(100), "unit": "percent", "anchor": "center"},
		}},
		"gradient": {got["gradient"], map[string]any{
			"directions": []any{"top", "bottom", "left", "right", "full", "radial"},
			"opacity":    map[string]any{"min": num(0), "max": num(1), "default": num(0.55)},
			"coverage":   map[string]any{"min": num(0), "max": num(1), "default": num(0.5)},
		}},
		"aspect_ratios": {first("aspect_ratios"), map[string]any{
			"value": "9:16", "width": num(1080), "height": num(1920), "default": true,
			"safe_zone": map[string]any{"left": num(10), "right": num(20), "top": num(14), "bottom": num(28)},
		}},
		"slide_count":   {got["slide_count"], map[string]any{"min": num(3), "max": num(12), "auto": num(0), "default": num(0)}},
		"short_types":   {got["short_types"], []any{"SLIDESHOW", "UGC"}},
		"image_sources": {got["image_sources"].([]any)[2], map[string]any{"type": "ai", "available": true, "credits_per_image": num(2)}},
		"ai_images": {got["ai_images"], map[string]any{
			"available": true, "affordable": true, "credits_per_image": num(2), "estimated_credits": num(14),
			"estimated_slide_count": num(7), "current_credits": num(120),
		}},
		"video": {got["video"], map[string]any{
			"loop_count": map[string]any{"min": num(1), "max": num(5), "default": num(1)}, "max_product_demos": num(5),
			"max_hook_characters": num(300), "min_clip_seconds": num(0.5), "max_product_demo_seconds": num(60), "max_seconds": num(180),
			"text_align": []any{"left", "center", "right"}, "max_demos": num(10), "clip_fits": []any{"auto", "cover", "contain"},
			"avatar_layouts": []any{"full_screen", "picture_in_picture"},
		}},
		"media": {got["media"], map[string]any{
			"image_max_bytes": num(10485760), "video_max_bytes": num(209715200), "media_types": []any{"user_upload", "product_demo", "avatar_video"},
			"content_types": []any{
				"image/jpeg", "image/png", "image/webp", "image/gif", "image/heic", "image/heif", "video/mp4", "video/webm", "video/quicktime",
			},
		}},
		"platforms": {got["platforms"], []any{"tiktok", "youtube", "instagram", "linkedin"}},
		"platform_rules": {got["platform_rules"].(map[string]any)["tiktok"], map[string]any{
			"title_max": num(90), "title_unit": "utf16", "caption_max": num(2200), "posting_modes": []any{"draft", "direct"}, "caption_unit": "utf16",
			"media_kinds": []any{"video", "photo_set"}, "photo_caption_max": num(4000), "max_photos": num(35), "max_video_seconds": num(600),
			"max_video_bytes": num(4294967296), "configured": false,
			"cover":         map[string]any{"offset": true, "image": false, "photo": true, "max_bytes": num(0)},
			"first_comment": map[string]any{"max": num(0), "unit": "characters"},
			"settings": []any{
				map[string]any{"name": "privacy_level", "value_type": "enum", "values": []any{
					"PUBLIC_TO_EVERYONE", "FOLLOWER_OF_CREATOR", "MUTUAL_FOLLOW_FRIENDS", "SELF_ONLY",
				}, "max": num(0), "default": nil},
				boolean("allow_comment", "true"), boolean("allow_duet", "true"), boolean("allow_stitch", "true"),
				boolean("commercial.your_brand", "false"), boolean("commercial.branded_content", "false"), boolean("ai_generated", "false"),
			},
		}},
		"scheduling":    {got["scheduling"], map[string]any{"min_lead_seconds": num(300), "max_ahead_days": num(365)}},
		"slide_seconds": {got["slide_seconds"], map[string]any{"min": num(1), "max": num(30), "reading_min": num(2), "reading_max": num(12)}},
		"paces": {got["paces"], []any{
			map[string]any{
				"id": "slow", "name": "Slow", "description": "For dense text and readers in a second language.", "start_seconds": num(1.6),
				"seconds_per_word": num(0.4), "default": false,
			},
			map[string]any{
				"id": "normal", "name": "Normal", "description": "Comfortable reading on a phone.", "start_seconds": num(1.2), "seconds_per_word": num(0.3),
				"default": true,
			},
			map[string]any{
				"id": "fast", "name": "Fast", "description": "For short lines and lively music.", "start_seconds": num(0.9), "seconds_per_word": num(0.22),
				"default": false,
			},
		}},
		"render_formats":            {got["render_formats"], []any{"video"}},
		"job_poll_interval_seconds": {got["job_poll_interval_seconds"], num(15)},
		"poll_after_seconds":        {got["poll_after_seconds"], map[string]any{"slideshow_generation": num(15), "render": num(30), "video_generation": num(30)}},
	} {
		if d := cmp.Diff(c.want, c.got); d != "" {
			t.Errorf("%s: %s", what, d)
		}
		delete(got, what)
	}
	delete(got, "version")
	delete(got, "voices") // see TestCapabilities_Voices
	delete(got, "languages")
	if len(got) > 0 {
		t.Errorf("unexpected members: %v", got)
	}
}

func TestCapabilities_Voices(t *testing.T) {
	c := capabilities(t, catalog.AIImages{}, Purse{})
	for _, want := range []SpeakingVoice{
		{Name: "female", Languages: []string{}, Gender: ptr.To("female"), Source: "package"},
		{Name: "slt", Languages: []string{"en"}, Gender: ptr.To("female"), Source: "package"},
		{Name: "pt-br", Languages: []string{"pt-BR"}, Gender: ptr.To("male"), Source: "package"},
	} {
		i := slices.IndexFunc(c.Voices, func(v SpeakingVoice) bool { return v.Name == want.Name })
		if i < 0 {
			t.Errorf("%s is missing", want.Name)
		} else if d := cmp.Diff(want, c.Voices[i]); d != "" {
			t.Error(d)
		}
	}
	for _, want := range []Language{
		{Tag: "en", Name: "English", OfflineText: true, Speech: true},
		{Tag: "th", Name: "Thai", OfflineText: true},
		{Tag: "cy", Name: "Welsh", Speech: true},
		{Tag: "qya", Name: "Quenya", Speech: true},
	} {
		if !slices.Contains(c.Languages, want) {
			t.Errorf("%+v is missing", want)
		}
	}
	for _, l := range c.Languages {
		if l.Name == "" || !l.OfflineText && !l.Speech {
			t.Errorf("%+v", l)
		}
	}
}

func TestCapabilities_VoicesOfAService(t *testing.T) {
	known := voices.Set{Service: true, Named: []voices.Voice{{Name: "nova", Gender: "female", Languages: []string{"en"}, Source: voices.SourceService}}}
	c, err := CapabilitiesOf(catalog.AIImages{}, Purse{}, known)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]SpeakingVoice{{Name: "nova", Languages: []string{"en"}, Gender: ptr.To("female"), Source: "service"}}, c.Voices); d != "" {
		t.Error(d)
	}
	for _, l := range c.Languages {
		if l.Speech != (l.Tag == "en") {
			t.Errorf("%+v", l)
		}
	}
}

// boolean returns a boolean setting as published.
func boolean(name, usual string) map[string]any {
	return map[string]any{"name": name, "value_type": "boolean", "values": []any{}, "max": 0.0, "default": usual}
}
