// SPDX-License-Identifier: Apache-2.0

package overlay

import (
	"image"
	"image/color"

	"github.com/go-text/typesetting/font"

	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/content/overlay/paint"
)

// Spoken is a state of a text that appears word by word. Runes are counted in the overlay's text without line breaks
// and without surrounding white space.
type Spoken struct {
	// Shown is the number of runes that have appeared.
	Shown int
	// From and To are the range of runes being spoken now.
	From, To int
	// Accent is the colour of that range.
	Accent string
}

// DrawSpoken draws the visible part of an overlay, with every letter at its position in the whole text. The bounds of
// the image are its position on the canvas. They are empty if nothing is visible.
func (e *Engine) DrawSpoken(ratio catalog.AspectRatio, o Overlay, s Spoken) *image.NRGBA {
	w := e.take()
	defer e.giveBack(w)
	b := w.layOut(withDefaults(o), ratio, true)
	if b.box.empty() {
		return &image.NRGBA{}
	}
	canvas := image.Rect(0, 0, ratio.Width, ratio.Height)
	dst := image.NewNRGBA(pixels(b.box.grow(0.3 * b.size)).Intersect(canvas))
	b.shown = func(r int) bool { return r < s.Shown }
	if b.plated {
		b.growPlate()
	}
	w.drawBlock(dst, b)
	if accent, ok := ParseColor(s.Accent); ok {
		b.shown = func(r int) bool { return r >= s.From && r < s.To && r < s.Shown }
		w.drawAccent(dst, b, accent)
	}
	return cropped(dst)
}

// growPlate reduces the plates of single lines to the part behind visible letters. A card stays whole.
func (b *block) growPlate() {
	if b.card {
		return
	}
	padX, _ := b.padding()
	for i := range b.lines {
		l := &b.lines[i]
		pen, left, right, seen := l.x, l.plate.x1, l.plate.x0, false
		for _, g := range l.Glyphs {
			if b.draws(g) {
				seen, left, right = true, min(left, pen-padX), max(right, pen+g.Advance*b.size+padX)
			}
			pen += g.Advance * b.size
		}
		l.plate.x0, l.plate.x1 = max(l.plate.x0, left), min(l.plate.x1, right)
		l.Empty = l.Empty || !seen
	}
}

// drawAccent paints letters again in another colour, so that no edge of the first colour is visible.
func (w *worker) drawAccent(dst *image.NRGBA, b *block, accent color.NRGBA) {
	w.brush.Begin(pixels(b.box.grow(2)).Intersect(dst.Rect))
	if w.eachOutline(b, func(o font.GlyphOutline, p paint.Place) { w.brush.Fill(o, p) }) {
		paint.Lay(dst, w.brush.Mask(), accent)
	}
}

// cropped returns the part of an image that is not transparent.
func cropped(p *image.NRGBA) *image.NRGBA {
	r := image.Rectangle{Min: p.Rect.Max, Max: p.Rect.Min}
	for y := p.Rect.Min.Y; y < p.Rect.Max.Y; y++ {
		row := p.Pix[p.PixOffset(p.Rect.Min.X, y):][:4*p.Rect.Dx()]
		for x := 0; x < len(row); x += 4 {
			if row[x+3] != 0 {
				at := p.Rect.Min.X + x/4
				r.Min.X, r.Max.X = min(r.Min.X, at), max(r.Max.X, at+1)
				r.Min.Y, r.Max.Y = min(r.Min.Y, y), max(r.Max.Y, y+1)
			}
		}
	}
	if r.Empty() {
		return &image.NRGBA{}
	}
	return p.SubImage(r).(*image.NRGBA)
}
