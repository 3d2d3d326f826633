// SPDX-License-Identifier: Apache-2.0

package slides

import (
	"cmp"
	"strings"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/content/deck"
	"github.com/reelops/reelops/internal/content/overlay"
)

func shadeOf(g catalog.GradientLook) overlay.Gradient {
	return overlay.Gradient{
		Enabled: g.Enabled, Color: g.Color, Opacity: g.Opacity, Direction: g.Direction, Coverage: g.Coverage,
	}
}

func gradientTo(g overlay.Gradient) *v1beta1.Gradient {
	return &v1beta1.Gradient{
		Enabled: &g.Enabled, Color: g.Color, Opacity: &g.Opacity, Direction: g.Direction, Coverage: &g.Coverage,
	}
}

// handmade returns complete overlays for a slide whose overlays are placed by hand. The style fills in every value that
// an overlay leaves open, including the layout if no overlay has a position.
func handmade(e *overlay.Engine, in Drawing, sl slideInput) []overlay.Overlay {
	largest := heading(sl.overlays, in.style)
	laidOut := layout(e, in, sl, largest)
	out := make([]overlay.Overlay, len(sl.overlays))
	placed := make([]bool, len(sl.overlays))
	for i, t := range deck.Identified(sl.overlays) {
		look := dress(t, lookOf(in.looks(), sl.role, i == largest))
		o := overlay.Overlay{
			ID: t.ID, Text: t.Text, FontFamily: look.Family, FontWeight: look.Weight, FontSize: cmp.Or(t.FontSize, look.Size),
			Color: look.Color, StrokeColor: look.StrokeColor, StrokeWidth: look.StrokeWidth, BackgroundColor: look.Plate,
			Align:    cmp.Or(t.Align, overlay.AlignOf(in.style, t.Text)),
			MaxWidth: cmp.Or(t.MaxWidth, in.style.MaxWidth), LineHeight: look.LineHeight,
			Position: overlay.DefaultPosition,
		}
		if placed[i] = t.Position != nil; placed[i] {
			o.Position = overlay.Position{X: t.Position.X, Y: t.Position.Y}
		}
		if laidOut != nil {
			inherit(&o, laidOut[i], t)
			placed[i] = true
		}
		out[i] = o
	}
	e.Stack(in.ratio, in.style.Gap, out, placed)
	return out
}

// heading returns the index of the overlay that is set as the heading: the largest one. Without a size of its own, the
// first overlay has the heading size and the others have the body size.
func heading(overlays []v1beta1.TextOverlay, style catalog.DesignStyle) int {
	largest, most := 0, 0.0
	for i, t := range overlays {
		size := style.Body.Size
		if i == 0 {
			size = style.Heading.Size
		}
		if size = cmp.Or(t.FontSize, size); size > most {
			largest, most = i, size
		}
	}
	return largest
}

// layout returns the overlays of a slide as the style lays out a heading, or a heading and its body, in the looks that
// the overlays name. It returns nil for other slides: those with an overlay that has a position, no text, or a size
// that makes another overlay than the first the largest.
func layout(e *overlay.Engine, in Drawing, sl slideInput, largest int) []overlay.Overlay {
	n := len(sl.overlays)
	if n == 0 || n > 2 || largest != 0 {
		return nil
	}
	for _, t := range sl.overlays {
		if t.Position != nil || strings.TrimSpace(t.Text) == "" {
			return nil
		}
	}
	text, style := overlay.SlideText{Role: sl.role, Heading: sl.overlays[0].Text}, in.looks()
	if sl.role == deck.RolePoint {
		text.Role = deck.RoleCallToAction // same layout, but without the number of a point
	}
	style.Hook, style.Heading = dress(sl.overlays[0], style.Hook), dress(sl.overlays[0], style.Heading)
	if n == 2 {
		text.Body, style.Body = sl.overlays[1].Text, dress(sl.overlays[1], style.Body)
	}
	return e.Layout(style, in.ratio, text, in.language)
}

// inherit copies the values that an overlay leaves open from a laid out overlay.
func inherit(o *overlay.Overlay, from overlay.Overlay, t v1beta1.TextOverlay) {
	o.Position, o.FontSize = from.Position, cmp.Or(t.FontSize, from.FontSize)
	o.Align, o.MaxWidth = cmp.Or(t.Align, from.Align), cmp.Or(t.MaxWidth, from.MaxWidth)
	if t.FontFamily == "" { // the layout chose a family that has the letters
		o.FontFamily = from.FontFamily
		o.FontWeight, o.LineHeight = cmp.Or(int(t.FontWeight), from.FontWeight), cmp.Or(t.LineHeight, from.LineHeight)
	}
	if t.StrokeWidth == nil {
		o.StrokeWidth = from.StrokeWidth
	}
}

// dress returns a style's look with the values of the overlay.
func dress(t v1beta1.TextOverlay, l catalog.TextLook) catalog.TextLook {
	if t.FontFamily != "" {
		l.Family, l.Weight = t.FontFamily, overlay.NearestWeight(t.FontFamily, l.Weight)
	}
	if f, ok := overlay.Family(l.Family); ok {
		l.Family = f.Family
	}
	l.Weight, l.LineHeight = cmp.Or(int(t.FontWeight), l.Weight), cmp.Or(t.LineHeight, l.LineHeight)
	l.Color, l.StrokeColor = cmp.Or(t.Color, l.Color), cmp.Or(t.StrokeColor, l.StrokeColor)
	switch {
	case t.StrokeWidth != nil:
		l.StrokeWidth = *t.StrokeWidth
	case t.StrokeColor != "" && l.StrokeWidth == 0: // a stroke color without a width would not be visible
		l.StrokeWidth = overlay.StrokeWidthFor(cmp.Or(t.FontSize, l.Size))
	}
	switch {
	case t.BackgroundColor != nil:
		l.Plate = *t.BackgroundColor
	case !deck.Plated(t):
		l.Plate = ""
	}
	return l
}

// lookOf returns the style's look for the heading of a slide, or for its other text.
func lookOf(style catalog.DesignStyle, role string, heading bool) catalog.TextLook {
	switch {
	case heading && role == deck.RoleHook:
		return style.Hook
	case heading:
		return style.Heading
	}
	return style.Body
}

func overlaysTo(in []overlay.Overlay) []v1beta1.TextOverlay {
	out := make([]v1beta1.TextOverlay, len(in))
	for i, o := range in {
		out[i] = v1beta1.TextOverlay{
			ID: o.ID, Text: o.Text, FontFamily: o.FontFamily, FontWeight: int32(o.FontWeight), FontSize: o.FontSize,
			Color:       o.Color,
			StrokeColor: o.StrokeColor, StrokeWidth: &o.StrokeWidth, BackgroundColor: &o.BackgroundColor,
			Position: &v1beta1.Position{X: o.Position.X, Y: o.Position.Y},
			Align:    o.Align, MaxWidth: o.MaxWidth, LineHeight: o.LineHeight,
		}
	}
	return out
}

func changesTo(slide int64, in []overlay.Change) []v1beta1.Normalization {
	var out []v1beta1.Normalization
	for _, c := range in {
		from, to := c.Texts()
		out = append(out, v1beta1.Normalization{
			SlideID: slide, OverlayIndex: int32(c.OverlayIndex), Field: c.Field, From: from, To: to, Reason: string(c.Reason),
		})
	}
	return out
}
