// SPDX-License-Identifier: Apache-2.0

package overlay

// field is one field of an overlay with its JSON name.
type field struct {
	name string
	of   func(Overlay) any
}

var fields = []field{
	{"text", func(o Overlay) any { return o.Text }},
	{"fontFamily", func(o Overlay) any { return o.FontFamily }},
	{"fontWeight", func(o Overlay) any { return o.FontWeight }},
	{"fontSize", func(o Overlay) any { return o.FontSize }},
	{"color", func(o Overlay) any { return o.Color }},
	{"strokeColor", func(o Overlay) any { return o.StrokeColor }},
	{"strokeWidth", func(o Overlay) any { return o.StrokeWidth }},
	{"backgroundColor", func(o Overlay) any { return o.BackgroundColor }},
	{"position", func(o Overlay) any { return o.Position }},
	{"align", func(o Overlay) any { return o.Align }},
	{"maxWidth", func(o Overlay) any { return o.MaxWidth }},
	{"lineHeight", func(o Overlay) any { return o.LineHeight }},
}

// changes returns the fields whose value differs from the given one. Another notation of the same value (a colour in
// capitals, fractions for percent, an explicit default) is not a change.
func (it *item) changes() []Change {
	var out []Change
	meant := withDefaults(it.given)
	for _, f := range fields {
		if why, touched := it.why[f.name]; touched && f.of(meant) != f.of(it.cur) {
			out = append(out, Change{OverlayIndex: it.index, Field: f.name, From: f.of(it.given), To: f.of(it.cur), Reason: why})
		}
	}
	return out
}

func gradientChanges(given, got Gradient, why reasons) []Change {
	var out []Change
	add := func(name string, from, to, raw any) {
		if reason, touched := why[name]; touched && from != to {
			out = append(out, Change{OverlayIndex: -1, Field: name, From: raw, To: to, Reason: reason})
		}
	}
	meant := meantGradient(given)
	add("gradient_enabled", meant.Enabled, got.Enabled, given.Enabled)
	add("gradient_color", meant.Color, got.Color, given.Color)
	add("gradient_opacity", meant.Opacity, got.Opacity, given.Opacity)
	add("gradient_direction", meant.Direction, got.Direction, given.Direction)
	add("gradient_coverage", meant.Coverage, got.Coverage, given.Coverage)
	return out
}
