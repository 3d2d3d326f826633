// SPDX-License-Identifier: Apache-2.0

package overlay_test

import (
	"strings"
	"testing"

	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/content/overlay"
)

// No heading of a slideshow may be larger than its hook, however long the hook is.
func TestLayout_HookIsTheLargestText(t *testing.T) {
	e := engine(t)
	hooks := map[string]overlay.SlideText{
		"long sentence":         {Heading: "How to keep a sourdough starter alive when you hardly have time to bake"},
		"of the maximum length": {Heading: strings.TrimSpace(strings.Repeat("every long day ", 6))},
		"with a body":           {Heading: "Everything we learned from walking the whole coast of Portugal in a summer", Body: "Forty-one days, two backpacks, one tent and no plan beyond the first night."},
	}
	points := []overlay.SlideText{
		{Role: "point", Heading: "Go", Index: 1},
		{Role: "point", Heading: "Feed it once a week", Body: "That is all.", Index: 1},
		{Role: "call_to_action", Heading: "Save this", Index: 2},
	}
	for _, style := range catalog.DesignStyles {
		for _, ratio := range catalog.AspectRatios {
			largest := 0.0
			for _, st := range points {
				out := e.Layout(style, ratio, st, "en")
				heading := out[0]
				if st.Role == "point" && style.Badge.Look.Color != "" {
					heading = out[1]
				}
				largest = max(largest, heading.FontSize)
			}
			for name, st := range hooks {
				st.Role = "hook"
				if got := e.Layout(style, ratio, st, "en")[0].FontSize; got < largest-1 {
					t.Errorf("%s %s, %s: the hook has size %g, a heading %g", style.ID, ratio.Value, name, got, largest)
				}
			}
		}
	}
}

// A heading is never smaller than its body, even with a long word or a list in the heading.
func TestLayout_HeadingIsNeverSmallerThanItsBody(t *testing.T) {
	e := engine(t)
	for name, st := range map[string]overlay.SlideText{
		"a long word": {Heading: "Star us on github.com/reelops/reelops-examples-for-slideshows", Body: "It helps."},
		"a list": {
			Heading: "1. Whisk the ricotta, the eggs and the milk until smooth\n2. Fold in the flour and the zest\n3. Fry spoonfuls for three minutes on each side",
			Body:    "Serve with honey.",
		},
		"Thai": {Heading: "วิธีดูแลต้นไม้ในบ้านให้เติบโตอย่างแข็งแรงตลอดทั้งปีโดยไม่ต้องใช้เวลามาก", Body: "รดน้ำสัปดาห์ละครั้ง"},
	} {
		for _, role := range []string{"hook", "point", "call_to_action"} {
			for _, style := range catalog.DesignStyles {
				for _, ratio := range catalog.AspectRatios {
					st.Role, st.Index = role, 1
					out := e.Layout(style, ratio, st, "")
					if heading, body := out[len(out)-2].FontSize, out[len(out)-1].FontSize; heading < body {
						t.Errorf("%s, %s, %s %s: the heading has %g pixels, its body %g", name, role, style.ID, ratio.Value, heading, body)
					}
				}
			}
		}
	}
}

func TestLayout_ManyLinesHardlyShrinkAHeading(t *testing.T) {
	e := engine(t)
	long := overlay.SlideText{Role: "point", Heading: strings.TrimSpace(strings.Repeat("of many words ", 6)), Index: 1}
	for _, style := range catalog.DesignStyles {
		out := e.Layout(style, catalog.AspectRatios[0], long, "en")
		if got := out[len(out)-1].FontSize; got < 0.8*style.Heading.Size {
			t.Errorf("%s: got %g of %g", style.ID, got, style.Heading.Size)
		}
	}
}

// Descenders do not move the text below: all slides keep the same spacing.
func TestLayout_DescendersMoveNothing(t *testing.T) {
	e := engine(t)
	ratio := catalog.AspectRatios[0]
	for _, style := range catalog.DesignStyles {
		if style.Anchor != "top" {
			continue
		}
		y := map[string]float64{}
		for _, heading := range []string{"No one", "Go on"} {
			out := e.Layout(style, ratio, overlay.SlideText{Role: "point", Heading: heading, Body: "The same words", Index: 1}, "en")
			y[heading] = out[1].Position.Y
		}
		if y["No one"] == 0 || y["No one"]-y["Go on"] > 0.1 || y["Go on"]-y["No one"] > 0.1 {
			t.Errorf("%s: the body is at %v percent", style.ID, y)
		}
	}
}

// A slide has one number: that of the list in its text, otherwise that of its position.
func TestSlideText_Numbered(t *testing.T) {
	style, _ := catalog.DesignStyleByID("numbered_slab")
	for name, c := range map[string]struct {
		text    overlay.SlideText
		number  int
		heading string
	}{
		"no number of its own":        {overlay.SlideText{Role: "point", Heading: "Walk", Index: 2}, 2, "Walk"},
		"the number of its position":  {overlay.SlideText{Role: "point", Heading: "2. Walk", Index: 2}, 2, "Walk"},
		"another number":              {overlay.SlideText{Role: "point", Heading: "3. Walk", Index: 2}, 0, "3. Walk"},
		"several points":              {overlay.SlideText{Role: "point", Heading: "1. Walk\n2. Run", Index: 1}, 0, "1. Walk\n2. Run"},
		"a number that is not a mark": {overlay.SlideText{Role: "point", Heading: "3 walks a day", Index: 2}, 2, "3 walks a day"},
		"a hook":                      {overlay.SlideText{Role: "hook", Heading: "1. Walk"}, 0, "1. Walk"},
	} {
		if number, heading := c.text.Numbered(style); number != c.number || heading != c.heading {
			t.Errorf("%s: got %d, %q, want %d, %q", name, number, heading, c.number, c.heading)
		}
	}
}

// The points of a list are separated if one of them has several lines.
func TestDraw_SeparatesPointsOfSeveralLines(t *testing.T) {
	e, ratio := engine(t), catalog.DefaultAspectRatio()
	height := func(text string) int {
		img := e.Draw(ratio, overlay.Gradient{}, []overlay.Overlay{{
			Text: text, FontFamily: "Inter", FontWeight: 400, FontSize: 60, Color: "#FFFFFF", Position: overlay.Position{X: 50, Y: 50}, MaxWidth: 32, LineHeight: 1.2,
		}})
		top, bottom := -1, 0
		for y := range img.Rect.Dy() {
			for x := range img.Rect.Dx() {
				if img.Pix[img.PixOffset(x, y)+3] > 0 {
					if top < 0 {
						top = y
					}
					bottom = y
				}
			}
		}
		return bottom - top
	}
	apart, close := height("Hang curtains\nHang them"), height("Hang\ncurtains\nHang them")
	if apart <= close {
		t.Errorf("points of two lines and one are %d pixels high, three lines of their own %d", apart, close)
	}
}
