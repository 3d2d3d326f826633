// SPDX-License-Identifier: Apache-2.0

package deck

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/content/overlay"
)

// OverlayEdit changes or adds one text overlay of a slide.
type OverlayEdit struct {
	// ID is the ID of the overlay to change; 0 adds one.
	ID int64
	// Remove deletes the overlay with the ID. A missing overlay is not an error.
	Remove bool
	// Text replaces the text; nil leaves it unchanged.
	Text *string
	// Set holds the other fields to set, except ID, Text and Position. Zero values leave a field unchanged.
	Set v1beta1.TextOverlay
	// X and Y are the coordinates of the centre, as in v1beta1.Position; nil leaves a coordinate unchanged.
	X, Y *float64
}

// Overlay returns the overlay that the edit adds.
func (e OverlayEdit) Overlay() v1beta1.TextOverlay { return e.on(v1beta1.TextOverlay{}) }

// on returns the overlay with the edit applied.
func (e OverlayEdit) on(t v1beta1.TextOverlay) v1beta1.TextOverlay {
	if e.Text != nil {
		t.Text = *e.Text
	}
	set := e.Set
	if set.FontFamily != "" && set.FontWeight == 0 && t.FontWeight != 0 {
		t.FontWeight = int32(overlay.NearestWeight(set.FontFamily, int(t.FontWeight)))
	}
	t.FontFamily, t.FontWeight = cmp.Or(set.FontFamily, t.FontFamily), cmp.Or(set.FontWeight, t.FontWeight)
	t.FontSize, t.LineHeight = cmp.Or(set.FontSize, t.FontSize), cmp.Or(set.LineHeight, t.LineHeight)
	t.Color, t.StrokeColor = cmp.Or(set.Color, t.Color), cmp.Or(set.StrokeColor, t.StrokeColor)
	t.Align, t.MaxWidth = cmp.Or(set.Align, t.Align), cmp.Or(set.MaxWidth, t.MaxWidth)
	if set.BackgroundColor != nil {
		t.BackgroundColor = set.BackgroundColor
	}
	switch {
	case set.StrokeWidth != nil:
		t.StrokeWidth = set.StrokeWidth
	case set.StrokeColor != "" && t.StrokeWidth != nil && *t.StrokeWidth == 0:
		width := overlay.StrokeWidthFor(t.FontSize) // a colour without a visible stroke would have no effect
		t.StrokeWidth = &width
	}
	t.Position = e.position(t.Position)
	return t
}

// position returns a position with the coordinates of the edit. A coordinate without a value is the middle of the
// canvas, in the unit of the other coordinate.
func (e OverlayEdit) position(now *v1beta1.Position) *v1beta1.Position {
	if e.X == nil && e.Y == nil {
		return now
	}
	p := v1beta1.Position(overlay.DefaultPosition)
	if now != nil {
		p = percent(*now)
	}
	for _, given := range []*float64{e.X, e.Y} {
		if given != nil && *given >= 0 && *given <= 1 && (e.X == nil || e.Y == nil) {
			p.X, p.Y = p.X/100, p.Y/100
		}
	}
	if e.X != nil {
		p.X = *e.X
	}
	if e.Y != nil {
		p.Y = *e.Y
	}
	return &p
}

// editOverlays returns the overlays of a slide with the edits applied, and reports whether they changed.
//
// If no edit has an ID, the edits replace all overlays of the slide. Otherwise, edits with an ID change the overlays in
// effect, and edits without one are added unless the slide has an equal overlay. Overlays that are not named stay.
func editOverlays(s *v1beta1.Slideshow, sl *Slide, edits []OverlayEdit, restyled bool) ([]v1beta1.TextOverlay, bool, *Invalid) {
	at := func(i int, field, message string) *Invalid {
		return &Invalid{fmt.Sprintf("textOverlays[%d].%s", i, field), message}
	}
	merge := false
	for i, e := range edits {
		merge = merge || e.ID != 0
		switch {
		case e.Remove && e.ID == 0:
			return nil, false, at(i, "id", "remove needs the id of the overlay.")
		case e.ID == 0 && e.Text == nil:
			return nil, false, at(i, "text", "An overlay without an id is added, and needs a text.")
		}
	}
	inSpec, shown := specOverlays(sl), shownOverlays(s, sl.ID)
	if !merge {
		out := make([]v1beta1.TextOverlay, len(edits))
		for i, e := range edits {
			out[i] = e.Overlay()
		}
		return out, !(sl.Overlays != nil && sameOverlays(out, inSpec)) && !(renderedAsSpec(s) && shown != nil && sameOverlays(out, shown)), nil
	}
	now := current(s, sl, inSpec, shown, restyled)
	if !renderedAsSpec(s) {
		shown = nil
	}
	out, changed := slices.Clone(now), false
	next := int64(1)
	for _, t := range now {
		next = max(next, t.ID+1)
	}
	named := map[int64]bool{}
	for i, e := range edits {
		if e.ID == 0 {
			continue
		}
		if named[e.ID] {
			return nil, false, at(i, "id", fmt.Sprintf("Overlay %d is named twice.", e.ID))
		}
		named[e.ID] = true
		switch place := slices.IndexFunc(out, identified(e.ID)); {
		case place < 0 && e.Remove:
		case place < 0:
			return nil, false, at(i, "id", fmt.Sprintf("The slide has no overlay %d.", e.ID))
		case e.Remove:
			out, changed = slices.Delete(out, place, place+1), true
		case !e.shownBy(inSpec) && !e.shownBy(shown):
			out[place], changed = e.on(out[place]), true
		}
	}
	for _, e := range edits {
		if e.ID != 0 {
			continue
		}
		like := slices.IndexFunc(now, func(t v1beta1.TextOverlay) bool {
			byID := e
			byID.ID = t.ID
			return !named[t.ID] && (byID.shownBy(inSpec) || byID.shownBy(shown))
		})
		if like >= 0 {
			named[now[like].ID] = true
			continue
		}
		added := e.on(v1beta1.TextOverlay{ID: next})
		out, changed, next = append(out, added), true, next+1
	}
	if len(out) > catalog.MaxOverlaysPerSlide {
		return nil, false, &Invalid{"textOverlays", fmt.Sprintf("A slide can have at most %d overlays.", catalog.MaxOverlaysPerSlide)}
	}
	return out, changed, nil
}

// shownBy reports whether the overlay with the ID of the edit already has the values of the edit.
func (e OverlayEdit) shownBy(in []v1beta1.TextOverlay) bool {
	i := slices.IndexFunc(in, identified(e.ID))
	return i >= 0 && reflect.DeepEqual(plainly(e.on(in[i])), plainly(in[i]))
}

func identified(id int64) func(v1beta1.TextOverlay) bool {
	return func(t v1beta1.TextOverlay) bool { return t.ID == id }
}

// current returns the overlays that an edit by ID applies to: the rendered ones, with every style value filled in. If
// the design style changes, they get the new style. A slide that was never rendered has the overlays of its spec.
func current(s *v1beta1.Slideshow, sl *Slide, inSpec, shown []v1beta1.TextOverlay, restyled bool) []v1beta1.TextOverlay {
	switch {
	case sl.Overlays != nil && (restyled || shown == nil || Outdated(s)):
		return inSpec
	case restyled:
		return unstyled(shown)
	}
	return shown
}

// specOverlays returns the overlays of a slide in the spec, with their IDs.
func specOverlays(sl *Slide) []v1beta1.TextOverlay {
	if sl.Overlays == nil {
		return nil
	}
	return Identified(*sl.Overlays)
}

// Identified returns the overlays of a slide with their IDs. If an overlay has no ID or two overlays have the same ID,
// all of them get their positions, counted from 1.
func Identified(in []v1beta1.TextOverlay) []v1beta1.TextOverlay {
	seen := map[int64]bool{0: true}
	own := !slices.ContainsFunc(in, func(t v1beta1.TextOverlay) bool {
		taken := seen[t.ID]
		seen[t.ID] = true
		return taken
	})
	out := slices.Clone(in)
	for i := range out {
		if !own {
			out[i].ID = int64(i + 1)
		}
	}
	return out
}

// shownOverlays returns the rendered overlays of a slide, with their IDs, or nil if the slide was not rendered.
func shownOverlays(s *v1beta1.Slideshow, id int64) []v1beta1.TextOverlay {
	d := Drawn(s, id)
	if d == nil {
		return nil
	}
	out := append([]v1beta1.TextOverlay{}, Identified(d.TextOverlays)...)
	for i := range out {
		if out[i].BackgroundColor == nil { // rendered without a plate
			out[i].BackgroundColor = new(string)
		}
	}
	return out
}

// renderedAsSpec reports whether the rendered slides match the spec. They do not after an edit that failed or is not
// rendered yet.
func renderedAsSpec(s *v1beta1.Slideshow) bool {
	w := s.Status.Work
	return w != nil && w.State == v1beta1.WorkSucceeded && !Outdated(s)
}

// sameOverlays reports whether two lists are equal apart from the IDs.
func sameOverlays(a, b []v1beta1.TextOverlay) bool {
	return slices.EqualFunc(a, b, func(a, b v1beta1.TextOverlay) bool {
		a.ID, b.ID = 0, 0
		return reflect.DeepEqual(plainly(a), plainly(b))
	})
}

// plainly returns an overlay in canonical form: full colour values, font family names, positions in percent.
func plainly(t v1beta1.TextOverlay) v1beta1.TextOverlay {
	t.Color, t.StrokeColor = color(t.Color), color(t.StrokeColor)
	if t.BackgroundColor != nil {
		plate := color(*t.BackgroundColor)
		t.BackgroundColor = &plate
	}
	if f, ok := overlay.Family(t.FontFamily); ok {
		t.FontFamily = f.Family
	}
	if t.Position != nil {
		p := percent(*t.Position)
		t.Position = &p
	}
	return t
}

// percent returns a position in percent of the canvas. A position with both coordinates from 0 to 1 is a fraction.
func percent(p v1beta1.Position) v1beta1.Position {
	if p.X >= 0 && p.X <= 1 && p.Y >= 0 && p.Y <= 1 {
		p.X, p.Y = p.X*100, p.Y*100
	}
	return p
}

// Asked returns overlays that are not rendered yet, in canonical form and with their centre inside the canvas.
func Asked(in []v1beta1.TextOverlay) []v1beta1.TextOverlay {
	out := make([]v1beta1.TextOverlay, len(in))
	for i, t := range in {
		out[i] = plainly(t)
		p := v1beta1.Position(overlay.DefaultPosition)
		if out[i].Position != nil {
			p = *out[i].Position
		}
		p.X = min(max(p.X, catalog.OverlayPositionMin), catalog.OverlayPositionMax)
		p.Y = min(max(p.Y, catalog.OverlayPositionMin), catalog.OverlayPositionMax)
		out[i].Position, out[i].Align = &p, cmp.Or(t.Align, "center")
	}
	return out
}

func color(s string) string {
	if c, ok := overlay.ParseColor(s); ok {
		return overlay.FormatColor(c)
	}
	return s
}

// unstyled returns overlays without the fields that a design style sets, so that they take the style in effect.
func unstyled(in []v1beta1.TextOverlay) []v1beta1.TextOverlay {
	out := make([]v1beta1.TextOverlay, len(in))
	for i, t := range in {
		out[i] = v1beta1.TextOverlay{ID: t.ID, Text: t.Text, FontSize: t.FontSize, Position: t.Position, Align: t.Align, MaxWidth: t.MaxWidth}
	}
	return out
}

// Plated reports whether the plate of an overlay comes from the design style. The overlay then names no background
// colour, and leaves at least one of its font family, weight, colour and stroke colour open.
func Plated(t v1beta1.TextOverlay) bool {
	whole := t.FontFamily != "" && t.FontWeight != 0 && t.Color != "" && t.StrokeColor != ""
	return t.BackgroundColor == nil && !whole
}

// Styled reports whether an overlay takes any value from the design style.
func Styled(t v1beta1.TextOverlay) bool {
	return t.FontFamily == "" || t.FontWeight == 0 || t.FontSize == 0 || t.Color == "" || t.StrokeColor == "" || t.StrokeWidth == nil ||
		t.Position == nil || t.Align == "" || t.MaxWidth == 0 || t.LineHeight == 0 || Plated(t)
}
