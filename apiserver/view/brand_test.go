// SPDX-License-Identifier: Apache-2.0

package view

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/reelops/reelops/api/v1beta1"
)

func written(t *testing.T, v any) map[string]any {
	t.Helper()
	doc, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	var out map[string]any
	if err := json.Unmarshal(doc, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

func TestABrandWithNothingSet(t *testing.T) {
	b := Brand{ID: 7, Brand: &v1beta1.Brand{ObjectMeta: metav1.ObjectMeta{Name: "acme", CreationTimestamp: metav1.NewTime(time.Unix(0, 0))}}}
	want := map[string]any{
		"id": 7.0, "name": "acme", "description": nil, "website": nil, "language": "", "is_current": false,
		"created_at": "1970-01-01T00:00:00Z", "updated_at": "1970-01-01T00:00:00Z",
		"stats": map[string]any{"total_shorts": 0.0, "total_product_demos": 0.0, "total_hooks": 0.0, "connected_social_accounts": 0.0},
	}
	if d := cmp.Diff(want, written(t, b.Summary())); d != "" {
		t.Errorf("the summary: %s", d)
	}
	want["profile"] = map[string]any{
		"audience": nil, "tone": nil, "niche": nil, "offer": nil, "value_points": []any{}, "banned_words": []any{}, "call_to_action": nil,
	}
	want["slideshow_defaults"] = map[string]any{
		"slide_count": 0.0, "aspect_ratio": "9:16", "design_style": nil, "image_world": nil, "language": "",
		"image_source":     map[string]any{"type": "stock", "media_pack_id": nil},
		"gradient_enabled": true, "gradient_color": "#000000", "gradient_opacity": 0.55, "gradient_direction": "bottom", "gradient_coverage": 0.5,
		"overlay_font_family": nil, "primary_color": nil, "background_music_id": nil,
	}
	want["connected_platforms"], want["approval_required"], want["timezone"] = []any{}, false, "UTC"
	want["time_zone"], want["posting_suspended"] = "UTC", false
	want["posting_defaults"] = map[string]any{}
	if d := cmp.Diff(want, written(t, b.Detail())); d != "" {
		t.Errorf("the detail: %s", d)
	}
}

func TestABrandWithEverythingSet(t *testing.T) {
	at := func(s int64) *metav1.Time { return ptr.To(metav1.NewTime(time.Unix(s, 0))) }
	b := Brand{
		ID: 7, Current: true, PackID: 5, Stats: BrandStats{TotalShorts: 3, TotalProductDemos: 2, TotalHooks: 1},
		Brand: &v1beta1.Brand{
			ObjectMeta: metav1.ObjectMeta{Name: "acme", CreationTimestamp: *at(0), ManagedFields: []metav1.ManagedFieldsEntry{
				{Time: at(60)}, {Time: at(120), Subresource: "status"}, {Time: at(30)},
			}},
			Spec: v1beta1.BrandSpec{
				DisplayName: "Acme", Description: "d", Website: "https://acme.example", Language: "de", Timezone: "Europe/Berlin", Approval: "hold", PostingSuspended: true,
				Profile: v1beta1.BrandProfile{
					Audience: "a", Tone: "t", Niche: "n", Offer: "o", ValuePoints: []string{"v"}, BannedWords: []string{"w"}, CallToAction: "c",
				},
				SlideshowDefaults: v1beta1.SlideshowDefaults{
					SlideCount: 5, AspectRatio: "4:5", DesignStyle: "soft_card", ImageWorld: "night_sky", OverlayFontFamily: "Inter",
					ImageSource: &v1beta1.ImageSource{Type: "pack", PackRef: &v1beta1.LocalRef{Name: "p"}},
					Gradient:    &v1beta1.Gradient{Enabled: ptr.To(true), Color: "#112233", Opacity: ptr.To(0.1), Direction: "top", Coverage: ptr.To(0.2)},
				},
			},
		},
	}
	want := map[string]any{
		"id": 7.0, "name": "Acme", "description": "d", "website": "https://acme.example", "language": "de", "is_current": true,
		"created_at": "1970-01-01T00:00:00Z", "updated_at": "1970-01-01T00:01:00Z",
		"stats": map[string]any{"total_shorts": 3.0, "total_product_demos": 2.0, "total_hooks": 1.0, "connected_social_accounts": 0.0},
		"profile": map[string]any{
			"audience": "a", "tone": "t", "niche": "n", "offer": "o", "value_points": []any{"v"}, "banned_words": []any{"w"}, "call_to_action": "c",
		},
		"slideshow_defaults": map[string]any{
			"slide_count": 5.0, "aspect_ratio": "4:5", "design_style": "soft_card", "image_world": "night_sky", "language": "de",
			"image_source":     map[string]any{"type": "pack", "media_pack_id": 5.0},
			"gradient_enabled": true, "gradient_color": "#112233", "gradient_opacity": 0.1, "gradient_direction": "top", "gradient_coverage": 0.2,
			"overlay_font_family": "Inter", "primary_color": nil, "background_music_id": nil,
		},
		"connected_platforms": []any{}, "posting_defaults": map[string]any{}, "approval_required": true, "timezone": "Europe/Berlin",
		"time_zone": "Europe/Berlin", "posting_suspended": true,
	}
	if d := cmp.Diff(want, written(t, b.Detail())); d != "" {
		t.Error(d)
	}
}
