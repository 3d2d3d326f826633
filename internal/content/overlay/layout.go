// SPDX-License-Identifier: Apache-2.0

package overlay

import (
	"fmt"
	"math"
	"strings"

	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/content/overlay/text"
)

// Most lines a part of a slide should take before its type gets smaller, and how much smaller many lines alone may make it:
// a long line of thought set large is read, the same set small is passed over.
const (
	hookLines    = 4
	headingLines = 5
	bodyLines    = 7

	headingLeast = 0.82 // of the style's size
	bodyLeast    = 0.86
	wholeLeast   = 0.7  // to keep a compound or a phrase whole
	mostGrowth   = 1.12 // of a short heading
)

// GradientOf is the shade a style lays over its pictures.
func GradientOf(style catalog.DesignStyle) Gradient {
	g := style.Gradient
	return Gradient{Enabled: g.Enabled, Color: g.Color, Opacity: g.Opacity, Direction: g.Direction, Coverage: g.Coverage}
}

// Layout sets the words of one slide in a style: a badge where the style has one, the heading, the body. language (BCP 47,
// may be empty) settles which national forms Han characters take. The overlays fit the safe zone; their contrast is not
// judged before Normalise has seen the picture.
func (e *Engine) Layout(style catalog.DesignStyle, ratio catalog.AspectRatio, st SlideText, language string) []Overlay {
	w := e.take()
	defer e.giveBack(w)
	c := w.column(style, ratio, st)
	var parts []part
	heading := part{look: style.Heading, gap: style.Gap, most: headingLines, least: headingLeast, growth: mostGrowth}
	if st.Role == "hook" {
		// The hook is the largest type of the slideshow, however long it is.
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
		// A long word or many lines made the heading small: what supports it is never larger.
		size := func(p part) float64 { return w.set(p, c, p.scale, language).FontSize }
		for parts[n-1].scale > 0.3 && size(parts[n-1]) > size(parts[n-2]) {
			parts[n-1].scale -= 0.02
		}
	}
	if heading.lasting {
		// What stands beside a hook makes room first.
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

// scaleOf is how much of its size a part keeps, to part no word and, within bounds, to take no more lines than it should and to part
// no compound or phrase; a short heading grows a little, so that a slide of three words does not look empty.
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

// part is one overlay of a slide in the making.
type part struct {
	text    string
	look    catalog.TextLook
	gap     float64 // to the next part, pixels on a canvas 1080 wide
	most    int     // lines
	least   float64 // share of its size that many lines may not make it smaller than
	growth  float64 // share of its size that it may grow to when it is short
	lasting bool    // gets smaller only after everything else
	scale   float64
}

// column is where a slide's text stands.
type column struct {
	x, width float64 // centre and width, percent of the canvas
	align    string
	anchor   string
}

// column keeps centred text in the middle of the picture as long as the safe zone lets it, and text that starts at one
// side at that side of the safe zone, which is the right one for scripts that run from there.
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
			// A narrow middle costs more than standing a little off it.
			c.x += (z.Left - z.Right) / 4
			c.width = min(style.MaxWidth, 2*min(c.x-z.Left, 100-z.Right-c.x))
		}
	}
	return c
}

// AlignOf returns how a style aligns a text: text that runs from the right is mirrored.
func AlignOf(style catalog.DesignStyle, s string) string {
	mirrored := map[string]string{"left": "right", "right": "left"}
	if other, ok := mirrored[style.Align]; ok && text.RightToLeft(s) {
		return other
	}
	return style.Align
}

// stack sets the parts, each at its scale, under one another; false when they take too much room.
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
	const air = 0.03 // of the safe height, kept free at the side the text leans on
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
		if dx := into(boxes[i].x0, boxes[i].x1, safe.x0, safe.x1); dx != 0 { // strokes and swashes reach out of the column
			out[i].Position.X = math.Round((out[i].Position.X+dx/float64(ratio.Width)*100)*1000) / 1000
		}
		y += boxes[i].height()
		if i+1 < len(parts) {
			y += parts[i].gap * unit * scale(parts[i+1])
		}
	}
	return out, fits
}

// set makes the overlay of a part, in a family that has its letters.
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
			o.FontWeight = 700 // those faces are heavy whatever their number says
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

// relativeSize makes up for designs that look smaller or larger than others at the same size.
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

// leading is the line height that scripts with tall letters or many marks need to look at ease.
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
