// SPDX-License-Identifier: Apache-2.0

package slideshow

import (
	"fmt"
	"strconv"
	"unicode/utf8"

	v1alpha1 "github.com/reelops/reelops/api/v1alpha1"
	"github.com/reelops/reelops/internal/overlay"
)

// gradientFor is the style's gradient with what the spec or the brand sets over it.
func gradientFor(in Drawing) overlay.Gradient {
	l := in.style.Gradient
	g := overlay.Gradient{Enabled: l.Enabled, Color: l.Color, Opacity: l.Opacity, Direction: l.Direction, Coverage: l.Coverage}
	set := in.gradient
	if set == nil {
		return g
	}
	if set.Enabled != nil {
		g.Enabled = *set.Enabled
	} else {
		g.Enabled = true // whoever sets a colour or a direction wants to see it
	}
	g.Color, g.Direction = first(set.Color, g.Color), first(set.Direction, g.Direction)
	if set.Opacity != nil {
		g.Opacity = *set.Opacity
	}
	if set.Coverage != nil {
		g.Coverage = *set.Coverage
	}
	return g
}

func gradientTo(g overlay.Gradient) *v1alpha1.Gradient {
	return &v1alpha1.Gradient{Enabled: &g.Enabled, Color: g.Color, Opacity: &g.Opacity, Direction: g.Direction, Coverage: &g.Coverage}
}

func overlaysFrom(in []v1alpha1.TextOverlay) []overlay.Overlay {
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
	}
	return out
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
		out = append(out, v1alpha1.Normalization{
			SlideID: slide, OverlayIndex: int32(c.OverlayIndex), Field: c.Field, From: shown(c.From), To: shown(c.To), Reason: string(c.Reason),
		})
	}
	return out
}

// shown writes a value of the normaliser as a status shows it.
func shown(v any) string {
	var s string
	switch v := v.(type) {
	case nil:
		return ""
	case float64:
		s = strconv.FormatFloat(v, 'f', -1, 64)
	case overlay.Position:
		s = shown(v.X) + ", " + shown(v.Y)
	default:
		s = fmt.Sprint(v)
	}
	if utf8.RuneCountInString(s) > 500 {
		s = string([]rune(s)[:499]) + "…"
	}
	return s
}
