// SPDX-License-Identifier: Apache-2.0

package overlay

import (
	"math"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/content/overlay/text"
)

// Defaults of fields that the catalog does not publish.
const (
	defaultWeight = 700
	defaultColor  = "#FFFFFF"
	defaultStroke = "#000000"
)

// StrokeWidthFor returns the default stroke width for a font size if only a stroke colour is set, in pixels on a canvas
// 1080 wide.
func StrokeWidthFor(fontSize float64) float64 {
	if fontSize <= 0 {
		fontSize = catalog.OverlayFontSizeUsual
	}
	return max(2, math.Round(fontSize*0.07))
}

// withDefaults returns an equivalent overlay with explicit defaults, canonical colours, and percent instead of
// fractions.
func withDefaults(o Overlay) Overlay {
	if o.FontFamily == "" {
		o.FontFamily = catalog.DefaultOverlayFont().Family
	}
	if f, ok := Family(o.FontFamily); ok {
		o.FontFamily = f.Family
	}
	if o.FontWeight == 0 {
		o.FontWeight = defaultWeight
		if f, ok := catalog.OverlayFontByFamily(o.FontFamily); ok {
			o.FontWeight = nearest(f.Weights, defaultWeight)
		}
	}
	if o.FontSize == 0 {
		o.FontSize = catalog.OverlayFontSizeUsual
	}
	if o.MaxWidth == 0 {
		o.MaxWidth = catalog.OverlayMaxWidthUsual
	}
	if o.LineHeight == 0 {
		o.LineHeight = catalog.OverlayLineHeightUse
	}
	if o.Align == "" {
		o.Align = "center"
	}
	o.Align = strings.ToLower(o.Align)
	o.Color = canonical(o.Color, defaultColor)
	o.StrokeColor = canonical(o.StrokeColor, defaultStroke)
	o.BackgroundColor = canonical(o.BackgroundColor, "")
	if p := o.Position; p.X <= 1 && p.Y <= 1 && p.X >= 0 && p.Y >= 0 {
		o.Position = Position{p.X * 100, p.Y * 100}
	}
	return o
}

// canonical returns a colour in its canonical form, or the text unchanged if it is not a colour.
func canonical(s, absent string) string {
	if strings.TrimSpace(s) == "" {
		return absent
	}
	if c, ok := ParseColor(s); ok {
		return FormatColor(c)
	}
	return s
}

// tidy changes every field to a supported value.
func (n *normaliser) tidy(it *item) {
	it.cur = withDefaults(it.given)
	o := &it.cur
	it.setColor(&o.Color, "color", defaultColor)
	it.setColor(&o.StrokeColor, "strokeColor", defaultStroke)
	it.setColor(&o.BackgroundColor, "backgroundColor", "")
	it.clamp(&o.FontSize, "fontSize", n.floor, catalog.OverlayFontSizeMax)
	it.clamp(&o.MaxWidth, "maxWidth", catalog.OverlayMaxWidthMin, catalog.OverlayMaxWidthMax)
	it.clamp(&o.LineHeight, "lineHeight", catalog.OverlayLineHeightMin, catalog.OverlayLineHeightMax)
	it.clamp(&o.StrokeWidth, "strokeWidth", 0, catalog.OverlayStrokeWidthMax)
	if !slices.Contains(catalog.OverlayAlignments, o.Align) {
		o.Align = "center"
		it.why["align"] = ReasonOutsideSafeZone
	}
	p := o.Position
	p.X = min(max(p.X, catalog.OverlayPositionMin), catalog.OverlayPositionMax)
	p.Y = min(max(p.Y, catalog.OverlayPositionMin), catalog.OverlayPositionMax)
	if strings.TrimSpace(o.Text) == "" { // nothing to measure: only the position counts
		p.X = min(max(p.X, n.ratio.SafeZone.Left), 100-n.ratio.SafeZone.Right)
		p.Y = min(max(p.Y, n.ratio.SafeZone.Top), 100-n.ratio.SafeZone.Bottom)
	}
	if p != o.Position {
		o.Position = p
		it.why["position"] = ReasonOutsideSafeZone
	}
	n.tidyText(it)
	n.chooseFamily(it)
}

func (it *item) setColor(v *string, name, otherwise string) {
	if _, ok := ParseColor(*v); !ok && *v != "" {
		*v = otherwise
		it.why[name] = ReasonColorInvalid
	}
}

func (it *item) clamp(v *float64, name string, low, high float64) {
	if c := min(max(*v, low), high); c != *v {
		*v = c
		it.why[name] = ReasonSizeOutOfRange
	}
}

// tidyText composes accents and removes characters that no font can show.
func (n *normaliser) tidyText(it *item) {
	o := &it.cur
	s := norm.NFC.String(strings.NewReplacer("\r\n", "\n", "\r", "\n", "\u2028", "\n", "\u2029", "\n", "\t", " ").Replace(o.Text))
	s = strings.Map(func(r rune) rune {
		if r != '\n' && unicode.IsControl(r) || r == '\uFEFF' || r == '\uFFFD' || unicode.Is(unicode.Co, r) {
			return -1
		}
		return r
	}, s)
	probe := *o
	probe.Text = s
	missing := map[rune]bool{}
	for _, p := range n.shape(probe) {
		for _, r := range p.Missing {
			missing[r] = true
		}
	}
	if len(missing) > 0 {
		s = strings.Map(func(r rune) rune {
			if missing[r] {
				return -1
			}
			return r
		}, s)
	}
	if s != o.Text {
		o.Text = s
		it.why["text"] = ReasonGlyphsMissing
	}
}

// chooseFamily changes the font to a family that has the letters of the text, with an existing weight.
func (n *normaliser) chooseFamily(it *item) {
	o := &it.cur
	if family := n.familyFor(o.Text, o.FontFamily, ""); family != o.FontFamily {
		o.FontFamily = family
		it.why["fontFamily"] = ReasonFontUnsupported
	}
	f, _ := catalog.OverlayFontByFamily(o.FontFamily)
	if weight := nearest(f.Weights, o.FontWeight); weight != o.FontWeight {
		o.FontWeight = weight
		it.why["fontWeight"] = ReasonFontUnsupported
	}
}

// familyFor returns the requested family if it has all letters of the text. Otherwise it returns the family of the
// catalog that has most of them, preferably of the same kind of design. language (BCP 47, may be empty) determines
// national forms of Han.
func (w *worker) familyFor(s, asked, language string) string {
	lib := w.shaper.Library()
	own, known := catalog.OverlayFontByFamily(asked)
	if !known {
		own = catalog.DefaultOverlayFont()
	}
	letters := 0
	for _, r := range s {
		if unicode.IsLetter(r) {
			letters++
		}
	}
	if lib.CoversLetters(own.Family, s) || letters == 0 {
		return own.Family
	}
	best, bestScore := own.Family, score(lib, own, own, s, language)
	for _, f := range catalog.OverlayFonts {
		if v := score(lib, f, own, s, language); v > bestScore {
			best, bestScore = f.Family, v
		}
	}
	return best
}

// score rates a family for a text: letters first, then the region of its Han forms, then the kind of design.
func score(lib *text.Library, f, own catalog.OverlayFont, s, language string) float64 {
	font := lib.Font(f.Family, 400)
	v := 0.0
	for _, r := range s {
		if unicode.IsLetter(r) && font.Covers(r) {
			v += 10
		}
	}
	switch {
	case f.Family == own.Family:
		v += 4
	case strings.Contains(f.Family, "CJK"):
		if strings.HasSuffix(f.Family, " "+text.Region(s, language)) {
			v += 5
		}
	}
	if (f.Class == "serif") == (own.Class == "serif") {
		v += 2
	}
	if f.Class == "sans" || f.Class == "serif" {
		v++
	}
	return v
}

// meantGradient returns a gradient with explicit defaults and a canonical colour.
func meantGradient(g Gradient) Gradient {
	g.Color = canonical(g.Color, catalog.GradientColorDefault)
	if g.Opacity > 1 && g.Opacity <= 100 {
		g.Opacity /= 100
	}
	if g.Direction == "" {
		g.Direction = catalog.GradientDirectionDefault
	}
	return g
}

func (n *normaliser) tidyGradient(g Gradient) Gradient {
	g = meantGradient(g)
	if c, ok := ParseColor(g.Color); !ok {
		g.Color = catalog.GradientColorDefault
		n.shaded["gradient_color"] = ReasonColorInvalid
	} else if c.A < 255 {
		c.A = 255 // the opacity has a field of its own
		g.Color = FormatColor(c)
		n.shaded["gradient_color"] = ReasonColorInvalid
	}
	if v := min(max(g.Opacity, 0), 1); v != g.Opacity {
		g.Opacity = v
		n.shaded["gradient_opacity"] = ReasonSizeOutOfRange
	}
	if v := min(max(g.Coverage, 0), 1); v != g.Coverage {
		g.Coverage = v
		n.shaded["gradient_coverage"] = ReasonSizeOutOfRange
	}
	if !slices.Contains(catalog.GradientDirections, g.Direction) {
		g.Direction = catalog.GradientDirectionDefault
		n.shaded["gradient_direction"] = ReasonSizeOutOfRange
	}
	return g
}
