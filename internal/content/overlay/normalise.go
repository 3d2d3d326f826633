// SPDX-License-Identifier: Apache-2.0

package overlay

import (
	"fmt"
	"image"
	"math"
	"unicode/utf8"

	"github.com/reelops/reelops/internal/catalog"
)

// normaliser corrects one slide.
type normaliser struct {
	*worker
	ratio    catalog.AspectRatio
	safe     rect
	back     *backdrop // nil if there is no image to measure; the contrast is then not checked
	items    []*item
	gradient Gradient
	shaded   reasons // of the gradient's fields
	floor    float64 // minimum font size
}

// item is one overlay during the correction.
type item struct {
	index int
	given Overlay
	cur   Overlay
	why   reasons
}

// reasons maps the JSON name of a field to the reason of its last change.
type reasons map[string]Reason

// rounds is the maximum number of passes over the rules. One rule may affect another: a stroke makes a block larger.
const rounds = 6

// Normalise corrects overlays and shade until the slide is readable, and reports every change. bg may have any size; it
// is cropped to the ratio as in Compose. Without bg, the contrast is not checked. A normalised slide is returned
// unchanged. Normalise returns an *Invalid for a text that is too long or not valid UTF-8, for a number that is NaN or
// infinite, and, if submitted, for more overlays than a slide can have.
func (e *Engine) Normalise(bg image.Image, ratio catalog.AspectRatio, g Gradient, in []Overlay, origin Origin) (Slide, error) {
	if err := check(in, g, origin); err != nil {
		return Slide{}, err
	}
	w := e.take()
	defer e.giveBack(w)
	back := newBackdrop(bg, ratio)
	if hasFitted(in) {
		// Sizes below the minimum for requests result from fitting. They are kept on a slide that is correct with them,
		// unless there is room for larger ones.
		asIs := w.repair(back, ratio, g, in, catalog.OverlayFontSizeFitMin)
		if len(asIs.Changes) == 0 {
			if raised := w.repair(back, ratio, g, in, catalog.OverlayFontSizeMin); !onlyRaised(raised.Changes) {
				return asIs, nil
			}
		}
	}
	return w.repair(back, ratio, g, in, catalog.OverlayFontSizeMin), nil
}

// hasFitted reports whether an overlay has a font size that only results from fitting.
func hasFitted(in []Overlay) bool {
	for _, o := range in {
		if o.FontSize >= catalog.OverlayFontSizeFitMin && o.FontSize < catalog.OverlayFontSizeMin {
			return true
		}
	}
	return false
}

func onlyRaised(changes []Change) bool {
	for _, c := range changes {
		if c.Reason != ReasonSizeOutOfRange {
			return false
		}
	}
	return true
}

// repair applies the rules until nothing changes any more. floor is the minimum font size for requests.
func (w *worker) repair(back *backdrop, ratio catalog.AspectRatio, g Gradient, in []Overlay, floor float64) Slide {
	n := &normaliser{worker: w, ratio: ratio, safe: safeZone(ratio), back: back, shaded: reasons{}, floor: floor}
	n.gradient = n.tidyGradient(g)
	var changes []Change
	for i, o := range in {
		if i >= catalog.MaxOverlaysPerSlide {
			changes = append(changes, Change{OverlayIndex: i, Field: "text", From: o.Text, Reason: ReasonTooManyOverlays})
			continue
		}
		it := &item{index: i, given: o, why: reasons{}}
		n.tidy(it)
		n.items = append(n.items, it)
	}
	for range rounds {
		before := n.state()
		for _, it := range n.items {
			n.fit(it)
			n.moveInside(it)
		}
		n.separate()
		for _, it := range n.items {
			n.makeReadable(it)
		}
		if n.state() == before {
			break
		}
	}
	out := Slide{Gradient: n.gradient, Overlays: []Overlay{}}
	for _, it := range n.items {
		out.Overlays = append(out.Overlays, it.cur)
		out.Changes = append(out.Changes, it.changes()...)
	}
	out.Changes = append(out.Changes, changes...)
	out.Changes = append(out.Changes, gradientChanges(g, n.gradient, n.shaded)...)
	return out
}

func (n *normaliser) state() string {
	s := fmt.Sprint(n.gradient)
	for _, it := range n.items {
		s += fmt.Sprint(it.cur)
	}
	return s
}

// check returns an error for overlays and gradients that cannot be corrected.
func check(in []Overlay, g Gradient, origin Origin) error {
	if len(in) > catalog.MaxOverlaysPerSlide && origin == Submitted {
		return &Invalid{"textOverlays", fmt.Sprintf("A slide can have at most %d overlays, this one has %d", catalog.MaxOverlaysPerSlide, len(in))}
	}
	for i, o := range in {
		at := func(field string) string { return fmt.Sprintf("textOverlays[%d].%s", i, field) }
		if !utf8.ValidString(o.Text) {
			return &Invalid{at("text"), "The text is not valid UTF-8"}
		}
		if n := utf8.RuneCountInString(o.Text); n > catalog.MaxOverlayCharacters {
			return &Invalid{at("text"), fmt.Sprintf("The text may have at most %d characters, this one has %d", catalog.MaxOverlayCharacters, n)}
		}
		for field, v := range map[string]float64{
			"fontSize": o.FontSize, "strokeWidth": o.StrokeWidth, "position.x": o.Position.X, "position.y": o.Position.Y,
			"maxWidth": o.MaxWidth, "lineHeight": o.LineHeight,
		} {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return &Invalid{at(field), "The value is not a number"}
			}
		}
	}
	if math.IsNaN(g.Opacity) || math.IsNaN(g.Coverage) || math.IsInf(g.Opacity, 0) || math.IsInf(g.Coverage, 0) {
		return &Invalid{"gradient", "The value is not a number"}
	}
	return nil
}
