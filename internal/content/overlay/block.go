// SPDX-License-Identifier: Apache-2.0

package overlay

import (
	"image/color"
	"math"
	"slices"
	"strings"

	"github.com/go-text/typesetting/font"

	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/content/overlay/text"
)

// rect is an area of the canvas in pixels.
type rect struct{ x0, y0, x1, y1 float64 }

func (r rect) width() float64  { return r.x1 - r.x0 }
func (r rect) height() float64 { return r.y1 - r.y0 }
func (r rect) empty() bool     { return r.x1 <= r.x0 || r.y1 <= r.y0 }
func (r rect) union(o rect) rect {
	if r.empty() {
		return o
	}
	if o.empty() {
		return r
	}
	return rect{min(r.x0, o.x0), min(r.y0, o.y0), max(r.x1, o.x1), max(r.y1, o.y1)}
}

func (r rect) grow(d float64) rect { return rect{r.x0 - d, r.y0 - d, r.x1 + d, r.y1 + d} }

// placedLine is a line with the start position of its pen on the canvas.
type placedLine struct {
	text.Line
	x, baseline float64
	ink         rect // of its glyphs
	plate       rect // behind it, if there is a plate
}

// block is an overlay laid out on a canvas.
type block struct {
	overlay Overlay
	size    float64 // pixels of one em
	stroke  float64
	fill    color.NRGBA
	line    color.NRGBA // colour of the stroke
	plate   color.NRGBA
	plated  bool
	card    bool // one plate for all lines
	lifted  bool // the plate has a shadow
	button  bool // the card fits the lines closely and has the round corners of a button
	lines   []placedLine
	begins  []int   // lines that begin a paragraph and are set apart, because a paragraph has several lines
	box     rect    // everything that is drawn except the shadow
	foot    float64 // depth of the last line including descenders, so that a "g" does not move the blocks below
	wide    bool    // a word is wider than the column
	torn    bool    // a line break splits a unit such as a number with its unit

	shown func(rune int) bool // reports whether the letter of a rune is drawn; nil for all
}

// draws reports whether a glyph is drawn.
func (b *block) draws(g text.Glyph) bool { return b.shown == nil || b.shown(g.Cluster) }

// safeZone returns the part of the canvas that text must stay in.
func safeZone(r catalog.AspectRatio) rect {
	w, h := float64(r.Width), float64(r.Height)
	return rect{w * r.SafeZone.Left / 100, h * r.SafeZone.Top / 100, w * (1 - r.SafeZone.Right/100), h * (1 - r.SafeZone.Bottom/100)}
}

// Padding of plates beyond the letters, as shares of the font size.
const (
	platePadX   = 0.36
	platePadY   = 0.27
	cardPadX    = 0.6
	cardPadY    = 0.48
	plateRadius = 0.34
	cardAlpha   = 242  // plates with a lower alpha are cards
	shallow     = 0.22 // depth of descenders below the baseline
	// paragraphGap separates the points of a list if one has several lines, so that the start of the next is clear.
	paragraphGap = 0.38
	overhang     = 0.08 // margin in a column, because some letters extend beyond their own width
)

// layOut lays out an overlay on the canvas of the ratio. Its column is MaxWidth wide, at most as wide as the safe zone,
// and centred on the overlay's position. parting allows words wider than the column to be split.
func (w *worker) layOut(o Overlay, ratio catalog.AspectRatio, parting bool) *block {
	unit := float64(ratio.Width) / catalog.OverlayCanvasWidth
	b := &block{overlay: o, size: o.FontSize * unit, stroke: o.StrokeWidth * unit}
	b.fill, _ = ParseColor(o.Color)
	b.line, _ = ParseColor(o.StrokeColor)
	if o.BackgroundColor != "" {
		b.plate, b.plated = ParseColor(o.BackgroundColor)
		b.plated = b.plated && b.plate.A > 0
		b.card = b.plated && b.plate.A < cardAlpha
	}
	paragraphs := w.shape(o)
	if blank(paragraphs) {
		return b
	}
	safe := safeZone(ratio)
	column := min(o.MaxWidth/100*float64(ratio.Width), safe.width())
	padX, padY := b.padding()
	wrap := max(column-2*padX-overhang*b.size, b.size) / b.size

	capHeight := w.capHeight(o)
	var lines []text.Line
	var begins []int // of paragraphs, by line
	for _, p := range paragraphs {
		broken, strain := p.Break(wrap, parting)
		begins, lines = append(begins, len(lines)), append(lines, broken...)
		b.wide, b.torn = b.wide || strain.Wide, b.torn || strain.Torn
	}
	if len(lines) > len(paragraphs) {
		b.begins = begins[1:]
	}
	b.place(lines, capHeight, column, padX, padY, float64(ratio.Width), float64(ratio.Height))
	return b
}

// padding returns how far the block extends beyond its letters.
func (b *block) padding() (x, y float64) {
	switch {
	case b.card:
		return cardPadX*b.size + b.stroke, cardPadY*b.size + b.stroke
	case b.plated:
		return platePadX*b.size + b.stroke, platePadY*b.size + b.stroke
	}
	return b.stroke, b.stroke
}

func (b *block) place(lines []text.Line, capHeight, column, padX, padY, canvasW, canvasH float64) {
	o, s := b.overlay, b.size
	pitch := o.LineHeight * s
	baselines := make([]float64, len(lines))
	y := 0.0
	for i, l := range lines {
		if i > 0 {
			// Tall scripts and stacked marks must not overlap the line above.
			need := (l.Top-lines[i-1].Bottom)*s + 0.06*s + 2*b.stroke
			if l.Empty || lines[i-1].Empty {
				need = 0
			}
			y += max(pitch, need)
			if slices.Contains(b.begins, i) && !l.Empty && !lines[i-1].Empty {
				y += paragraphGap * s
			}
		}
		baselines[i] = y
	}
	deep := shallow
	if strings.Trim(o.Text, "0123456789") == "" {
		deep = 0 // digits alone are centred on their plate
	}
	first, last := lines[0], lines[len(lines)-1]
	top := -max(capHeight, first.Top)*s - padY
	bottom := baselines[len(lines)-1] + max(deep*boolean(b.plated), -last.Bottom)*s + padY
	cx, cy := o.Position.X/100*canvasW, o.Position.Y/100*canvasH
	dy := cy - (top+bottom)/2
	left, right := cx-column/2+padX, cx+column/2-padX
	for i, l := range lines {
		x := (left + right - l.Width*s) / 2
		switch o.Align {
		case "left":
			x = left
		case "right":
			x = right - l.Width*s
		}
		p := placedLine{Line: l, x: x, baseline: baselines[i] + dy}
		if !l.Empty {
			bare := rect{x + l.Left*s, p.baseline - l.Top*s, x + l.Right*s, p.baseline - l.Bottom*s}
			p.ink = bare.grow(b.stroke)
			p.plate = rect{
				min(x, bare.x0) - padX, p.baseline - max(capHeight, l.Top)*s - padY,
				max(x+l.Width*s, bare.x1) + padX, p.baseline + max(deep, -l.Bottom)*s + padY,
			}
			b.box = b.box.union(p.ink)
			if b.plated {
				b.box = b.box.union(p.plate)
			}
		}
		b.lines = append(b.lines, p)
	}
	b.foot = max(b.box.y1, baselines[len(lines)-1]+dy+deep*s+padY)
	if b.card {
		b.box = b.box.union(rect{cx - column/2, b.box.y0, cx + column/2, b.box.y1})
	}
}

func boolean(v bool) float64 {
	if v {
		return 1
	}
	return 0
}

func blank(paragraphs []*text.Paragraph) bool {
	for _, p := range paragraphs {
		if len(p.Runes) > 0 {
			return false
		}
	}
	return true
}

// capHeight returns the height of a capital letter of the overlay's font, in ems.
func (w *worker) capHeight(o Overlay) float64 {
	if face := w.shaper.Face(w.shaper.Library().Font(o.FontFamily, o.FontWeight)); face != nil {
		if h := float64(face.LineMetric(font.CapHeight)) / float64(face.Upem()); h > 0.3 && h < 1.2 && !math.IsNaN(h) {
			return h
		}
	}
	return 0.7
}
