// SPDX-License-Identifier: Apache-2.0

package overlay

import (
	"fmt"
	"math"
	"strings"

	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/content/overlay/text"
)

// Maximum numbers of lines of a part of a slide before its font size is reduced, and the limits of that reduction: a
// long text in large type is read, the same text in small type is skipped.
const (
	hookLines    = 4
	headingLines = 5
	bodyLines    = 7

	headingLeast = 0.82 // of the style's size
	bodyLeast    = 0.86
	wholeLeast   = 0.7  // to keep a compound or a phrase whole
	mostGrowth   = 1.12 // of a short heading
)

// GradientOf returns the gradient of a style.
func GradientOf(style catalog.DesignStyle) Gradient {
	g := style.Gradient
	return Gradient{Enabled: g.Enabled, Color: g.Color, Opacity: g.Opacity, Direction: g.Direction, Coverage: g.Coverage}
}

// Layout returns the overlays of one slide in a style: a badge if the style has one, the heading, the body. language
// (BCP 47, may be empty) determines the national forms of Han characters. The overlays fit the safe zone. Their
// contrast is checked only by Normalise with the image.
func (e *Engine) Layout(style catalog.DesignStyle, ratio catalog.AspectRatio, st SlideText, language string) []Overlay {
	w := e.take()
	defer e.giveBack(w)
	c := w.column(style, ratio, st)
	var parts []part
	heading := part{look: style.Heading, gap: style.Gap, most: headingLines, least: headingLeast, growth: mostGrowth}
	if st.Role == "hook" {
		// The hook has the largest type of the slideshow, independent of its length.
		heading.look, heading.most, heading.lasting = style.Hook, hookLines, true
		heading.least, heading.growth = mostGrowth*style.Heading.Size/style.Hook.Size, 1.24
	}
	number, words := st.Numbered(style)
	if number > 0 {
		badge := part{text: fmt.Sprintf("%0*d", style.Badge.Digits, number), look: style.Badge.Look, gap: style.Gap, most: 1, least: 1}
		parts = append(parts, badge)
	}
	if s := strings.TrimSpace(words); s != "" {
		heading.text = s
		parts = append(parts, heading)
	}
	if s := strings.TrimSpace(st.Body); s != "" {
		parts = append(parts, part{text: s, look: style.Body, gap: style.Gap, most: bodyLines, least: bodyLeast})
	}
	for i := range parts {
		parts[i].scale = w.scaleOf(parts[i], c, ratio, language)
	}
	if n := len(parts); n > 1 && heading.text != "" {
		// A long word or many lines reduced the heading: the supporting text must not be larger.
		size := func(p part) float64 { return w.set(p, c, p.scale, language).FontSize }
		for parts[n-1].scale > 0.3 && size(parts[n-1]) > size(parts[n-2]) {
			parts[n-1].scale -= 0.02
		}
	}
	if heading.lasting {
		// The parts next to a hook are reduced first.
		for scale := 1.0; scale > 0.7; scale -= 0.04 {
			if out, ok := w.stack(parts, c, ratio, func(p part) float64 {
				if p.lasting {
					return 1
				}
				return scale
			}, language); ok {
				return out
			}
		}
	}
	for scale := 1.0; ; scale -= 0.04 {
		if out, ok := w.stack(parts, c, ratio, func(part) float64 { return scale }, language); ok || scale < 0.3 {
			return out
		}
	}
}

// scaleOf returns the scale of a part at which no word is split and, within limits, at which it has not too many lines
// and no compound or phrase is split. A short heading grows a little, so that a slide of three words does not look
// empty.
func (w *worker) scaleOf(p part, c column, ratio catalog.AspectRatio, language string) float64 {
	at := func(scale float64) *block { return w.layOut(w.set(p, c, scale, language), ratio, false) }
	fits := func(scale float64, most int, torn bool) bool {
		b := at(scale)
		return !b.wide && len(b.lines) <= most && (torn || !b.torn)
	}
	for scale := p.growth; scale > 1; scale -= 0.04 {
		if fits(scale, 2, false) {
			return scale
		}
	}
	for scale := 1.0; scale > p.least; scale -= 0.04 {
		if fits(scale, p.most, false) {
			return scale
		}
	}
	if !p.lasting && at(p.least).torn {
		for scale := p.least; scale > wholeLeast; scale -= 0.04 {
			if fits(scale, math.MaxInt, false) {
				return scale
			}
		}
	}
	for scale := 1.0; scale > p.least; scale -= 0.04 {
		if fits(scale, p.most, true) {
			return scale
		}
	}
	for scale := p.least; scale > 0.3; scale -= 0.04 {
		if fits(scale, math.MaxInt, true) {
			return scale
		}
	}
	return 0.3
}

// part is one overlay of a slide before its layout.
type part struct {
	text    string
	look    catalog.TextLook
	gap     float64 // to the next part, pixels on a canvas 1080 wide
	most    int     // lines
	least   float64 // minimum scale when many lines reduce it
	growth  float64 // maximum scale of a short text
	lasting bool    // reduced only after everything else
	scale   float64
}

// column is the area of a slide's text.
type column struct {
	x, width float64 // centre and width, percent of the canvas
	align    string
	anchor   string
}

// column returns the column of a slide. Centred text is in the middle of the image as far as the safe zone allows. Text
// aligned to one side is at that side of the safe zone, mirrored for right-to-left scripts.
func (w *worker) column(style catalog.DesignStyle, ratio catalog.AspectRatio, st SlideText) column {
	z := ratio.SafeZone
	free := 100 - z.Left - z.Right
	c := column{align: AlignOf(style, st.Heading+" "+st.Body), anchor: style.Anchor}
	switch c.align {
	case "left":
		c.width = min(style.MaxWidth, free)
		c.x = z.Left + c.width/2
	case "right":
		c.width = min(style.MaxWidth, free)
		c.x = 100 - z.Right - c.width/2
	default:
		c.width, c.x = min(style.MaxWidth, 2*min(50-z.Left, 50-z.Right)), 50
		if c.width < 0.8*free {
			// A narrow column costs more than a position slightly off the middle.
			c.x += (z.Left - z.Right) / 4
			c.width = min(style.MaxWidth, 2*min(c.x-z.Left, 100-z.Right-c.x))
		}
	}
	return c
}

// AlignOf returns the alignment of a text in a style. It is mirrored for right-to-left text.
func AlignOf(style catalog.DesignStyle, s string) string {
	mirrored := map[string]string{"left": "right", "right": "left"}
	if other, ok := mirrored[style.Align]; ok && text.RightToLeft(s) {
		return other
	}
	return style.Align
}

// stack places the parts, each at its scale, below one another. It returns false if they need too much room.
func (w *worker) stack(parts []part, c column, ratio catalog.AspectRatio, scale func(part) float64, language string) ([]Overlay, bool) {
	safe := safeZone(ratio)
	unit := float64(ratio.Width) / catalog.OverlayCanvasWidth
	var out []Overlay
	var boxes []rect
	total, fits := 0.0, true
	for i, p := range parts {
		o := w.set(p, c, scale(p)*p.scale, language)
		o.ID = int64(i + 1)
		b := w.layOut(o, ratio, false)
		if b.wide {
			fits = false
		}
		box := b.box
		box.y1 = max(box.y1, b.foot)
		out, boxes = append(out, o), append(boxes, box)
		total += box.height()
		if i > 0 {
			total += parts[i-1].gap * unit * scale(p)
		}
	}
	const air = 0.03 // of the safe height, kept free at the side where the text is anchored
	if total > safe.height()*(1-2*air) {
		fits = false
	}
	y := (safe.y0+safe.y1)/2 - total/2
	switch c.anchor {
	case "top":
		y = safe.y0 + safe.height()*air
	case "bottom":
		y = safe.y1 - safe.height()*air - total
	}
	for i := range out {
		h := float64(ratio.Height)
		py := out[i].Position.Y + (y-boxes[i].y0)/h*100
		out[i].Position.Y = math.Round(py*100) / 100
		if dx := into(boxes[i].x0, boxes[i].x1, safe.x0, safe.x1); dx != 0 { // strokes and swashes extend beyond the column
			out[i].Position.X = math.Round((out[i].Position.X+dx/float64(ratio.Width)*100)*1000) / 1000
		}
		y += boxes[i].height()
		if i+1 < len(parts) {
			y += parts[i].gap * unit * scale(parts[i+1])
		}
	}
	return out, fits
}

// set returns the overlay of a part, in a family that has its letters.
func (w *worker) set(p part, c column, scale float64, language string) Overlay {
	l := p.look
	o := Overlay{
		Text: p.text, FontFamily: w.familyFor(p.text, l.Family, language), FontWeight: l.Weight, Color: l.Color, StrokeColor: l.StrokeColor,
		StrokeWidth: l.StrokeWidth, BackgroundColor: l.Plate, Position: Position{X: c.x, Y: 50}, Align: c.align, MaxWidth: c.width,
		LineHeight: l.LineHeight,
	}
	size := l.Size
	if o.FontFamily != l.Family {
		if f, _ := catalog.OverlayFontByFamily(l.Family); f.Class == "display" || f.Class == "script" {
			o.FontWeight = 700 // those faces are heavy at any weight number
		}
		size *= relativeSize(l.Family, o.FontFamily)
		o.LineHeight = max(o.LineHeight, leading(o.FontFamily))
	}
	f, _ := catalog.OverlayFontByFamily(o.FontFamily)
	o.FontWeight = nearest(f.Weights, o.FontWeight)
	o.FontSize = min(max(math.Round(size*scale), catalog.OverlayFontSizeMin), catalog.OverlayFontSizeMax)
	o.StrokeWidth = math.Round(o.StrokeWidth*scale*2) / 2
	if o.StrokeColor == "" {
		o.StrokeColor = defaultStroke
	}
	return o
}

// relativeSize returns the factor that compensates for designs that look smaller or larger than others at the same
// size.
func relativeSize(from, to string) float64 {
	narrow := map[string]float64{"Bebas Neue": 0.68, "EB Garamond": 0.88, "Lobster Two": 0.82, "League Spartan": 0.86}
	v := 1.0
	if f, ok := narrow[from]; ok {
		v = f
	}
	if f, ok := narrow[to]; ok {
		v /= f
	}
	return v
}

// leading returns the line height for scripts with tall letters or many marks.
func leading(family string) float64 {
	switch {
	case strings.Contains(family, "Arabic"), strings.Contains(family, "Thai"):
		return 1.42
	case strings.Contains(family, "Devanagari"):
		return 1.4
	case strings.Contains(family, "CJK"):
		return 1.32
	case strings.Contains(family, "Hebrew"):
		return 1.24
	}
	return 1.1
}
