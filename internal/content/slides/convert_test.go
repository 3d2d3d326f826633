// SPDX-License-Identifier: Apache-2.0

package slides

import (
	"testing"

	"k8s.io/utils/ptr"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/content/deck"
	"github.com/reelops/reelops/internal/content/overlay"
	"github.com/reelops/reelops/internal/testkit/need"
)

func TestHandmade_UsesTheStyleForMissingFields(t *testing.T) {
	e, err := overlay.New()
	if err != nil {
		need.Missing(t, err.Error())
	}
	ratio := catalog.AspectRatios[0]
	draw := func(style, role string, in ...v1beta1.TextOverlay) []overlay.Overlay {
		t.Helper()
		st, ok := catalog.DesignStyleByID(style)
		if !ok {
			t.Fatalf("no style %s", style)
		}
		return handmade(e, Drawing{ratio: ratio, style: st, language: "en"}, slideInput{role: role, overlays: in})
	}
	card, _ := catalog.DesignStyleByID("soft_card")
	plate, _ := catalog.DesignStyleByID("caption_plate")

	o := draw("soft_card", deck.RolePoint, v1beta1.TextOverlay{Text: "Sale", Color: "red"})[0]
	if o.FontFamily != card.Heading.Family || o.BackgroundColor != card.Heading.Plate || o.Color != "red" ||
		o.Align != card.Align || o.FontSize < card.Heading.Size {
		t.Errorf("want the style's heading with another colour: %+v", o)
	}
	laid := e.Layout(card, ratio, overlay.SlideText{Role: deck.RoleCallToAction, Heading: "Sale"}, "en")[0]
	if o.Position != laid.Position || o.FontSize != laid.FontSize {
		t.Errorf("got position and size %v, %v, want those of the style's layout: %v, %v",
			o.Position, o.FontSize, laid.Position, laid.FontSize)
	}

	o = draw("soft_card", deck.RoleHook, v1beta1.TextOverlay{
		Text: "Sale", FontFamily: "Bebas Neue", FontSize: 40, Position: &v1beta1.Position{X: 50, Y: 30},
	})[0]
	if o.FontFamily != "Bebas Neue" || o.FontWeight != 400 || o.FontSize != 40 ||
		o.Position != (overlay.Position{X: 50, Y: 30}) || o.Color != card.Hook.Color {
		t.Errorf("want the named values, with a weight of the font: %+v", o)
	}

	o = draw("caption_plate", deck.RolePoint, v1beta1.TextOverlay{Text: "Sale", BackgroundColor: ptr.To("")})[0]
	if o.BackgroundColor != "" {
		t.Errorf("want no plate: %+v", o)
	}
	o = draw("caption_plate", deck.RolePoint, v1beta1.TextOverlay{
		Text: "Sale", FontFamily: "Inter", FontWeight: 700, Color: "#FFF", StrokeColor: "#000",
	})[0]
	if o.BackgroundColor != "" {
		t.Errorf("want no plate for a complete look: %+v", o)
	}

	two := draw("caption_plate", deck.RolePoint,
		v1beta1.TextOverlay{Text: "Sale"}, v1beta1.TextOverlay{Text: "until Friday", Color: "gold"})
	if two[1].FontFamily != plate.Body.Family || two[1].BackgroundColor != plate.Body.Plate ||
		two[1].Position.Y <= two[0].Position.Y {
		t.Errorf("want the second text as body, below: %+v", two)
	}

	place := &v1beta1.Position{X: 50, Y: 40}
	three := draw("bold_center", deck.RolePoint,
		v1beta1.TextOverlay{ID: 4, Text: "One", FontSize: 92, Position: place},
		v1beta1.TextOverlay{ID: 2, Text: "Two"}, v1beta1.TextOverlay{ID: 7, Text: "Three"})
	n, err := e.Normalise(nil, ratio, overlay.Gradient{}, three, overlay.Submitted)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range n.Changes {
		t.Errorf("texts without a position are stacked without repair: %+v", c)
	}
	if ids := []int64{three[0].ID, three[1].ID, three[2].ID}; ids[0] != 4 || ids[1] != 2 || ids[2] != 7 {
		t.Errorf("got ids %v", ids)
	}
	if three[1].Position.Y <= 40 || three[2].Position.Y <= three[1].Position.Y {
		t.Errorf("got %+v", three)
	}
}
