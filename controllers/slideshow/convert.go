// SPDX-License-Identifier: Apache-2.0

package slideshow

import (
	"reflect"
	"strings"

	v1alpha1 "github.com/reelops/reelops/api/v1alpha1"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/deck"
	"github.com/reelops/reelops/internal/overlay"
)

func shadeOf(g catalog.GradientLook) overlay.Gradient {
	return overlay.Gradient{Enabled: g.Enabled, Color: g.Color, Opacity: g.Opacity, Direction: g.Direction, Coverage: g.Coverage}
}

func gradientTo(g overlay.Gradient) *v1alpha1.Gradient {
	return &v1alpha1.Gradient{Enabled: &g.Enabled, Color: g.Color, Opacity: &g.Opacity, Direction: g.Direction, Coverage: &g.Coverage}
}

// overlaysFrom reads overlays that were placed by hand. One that says nothing of its look gets the design style's: of
// several the largest is set as the heading.
func overlaysFrom(in []v1alpha1.TextOverlay, style catalog.DesignStyle, role string) []overlay.Overlay {
	largest := 0
	for i, t := range in {
		if t.FontSize > in[largest].FontSize {
			largest = i
		}
	}
	out := make([]overlay.Overlay, len(in))
	for i, t := range in {
		p := overlay.DefaultPosition
		if t.Position != nil {
			p = overlay.Position{X: t.Position.X, Y: t.Position.Y}
		}
		out[i] = overlay.Overlay{
			ID: int64(i + 1), Text: t.Text, FontFamily: t.FontFamily, FontWeight: int(t.FontWeight), FontSize: t.FontSize, Color: t.Color,
			StrokeColor: t.StrokeColor, BackgroundColor: t.BackgroundColor, Position: p, Align: t.Align,
			MaxWidth: t.MaxWidth, LineHeight: t.LineHeight,
		}
		switch {
		case t.StrokeWidth != nil:
			out[i].StrokeWidth = *t.StrokeWidth
		case t.StrokeColor != "": // whoever names a colour wants to see it
			out[i].StrokeWidth = overlay.StrokeWidthFor(t.FontSize)
		}
		if deck.Styled(t) {
			wear(&out[i], lookOf(style, role, i == largest))
		}
	}
	return out
}

// wordsOnly reads overlays that say nothing but a heading, or a heading and what stands below it: those the design style
// places as well. It is nil for others.
func wordsOnly(sl slideInput) *overlay.SlideText {
	n := len(sl.overlays)
	if n == 0 || n > 2 {
		return nil
	}
	for _, t := range sl.overlays {
		if !reflect.DeepEqual(t, v1alpha1.TextOverlay{Text: t.Text}) || strings.TrimSpace(t.Text) == "" {
			return nil
		}
	}
	out := &overlay.SlideText{Role: sl.role, Heading: sl.overlays[0].Text}
	if sl.role == deck.RolePoint {
		out.Role = deck.RoleCallToAction // laid out alike, but for the number that nobody asked for
	}
	if n == 2 {
		out.Body = sl.overlays[1].Text
	}
	return out
}

// lookOf is how a style sets the heading of a slide, or what else is on it.
func lookOf(style catalog.DesignStyle, role string, heading bool) catalog.TextLook {
	switch {
	case heading && role == deck.RoleHook:
		return style.Hook
	case heading:
		return style.Heading
	}
	return style.Body
}

func wear(o *overlay.Overlay, l catalog.TextLook) {
	o.FontFamily, o.FontWeight, o.Color = l.Family, l.Weight, l.Color
	o.StrokeColor, o.StrokeWidth, o.BackgroundColor = l.StrokeColor, l.StrokeWidth, l.Plate
	if o.FontSize == 0 {
		o.FontSize = l.Size
	}
	if o.LineHeight == 0 {
		o.LineHeight = l.LineHeight
	}
}

func overlaysTo(in []overlay.Overlay) []v1alpha1.TextOverlay {
	out := make([]v1alpha1.TextOverlay, len(in))
	for i, o := range in {
		out[i] = v1alpha1.TextOverlay{
			Text: o.Text, FontFamily: o.FontFamily, FontWeight: int32(o.FontWeight), FontSize: o.FontSize, Color: o.Color,
			StrokeColor: o.StrokeColor, StrokeWidth: &o.StrokeWidth, BackgroundColor: o.BackgroundColor,
			Position: &v1alpha1.Position{X: o.Position.X, Y: o.Position.Y}, Align: o.Align, MaxWidth: o.MaxWidth, LineHeight: o.LineHeight,
		}
	}
	return out
}

func changesTo(slide int64, in []overlay.Change) []v1alpha1.Normalization {
	var out []v1alpha1.Normalization
	for _, c := range in {
		from, to := c.Texts()
		out = append(out, v1alpha1.Normalization{
			SlideID: slide, OverlayIndex: int32(c.OverlayIndex), Field: c.Field, From: from, To: to, Reason: string(c.Reason),
		})
	}
	return out
}
