// SPDX-License-Identifier: Apache-2.0

package overlay

import (
	"image"
	"image/color"
	"math"

	"github.com/go-text/typesetting/font"
	"golang.org/x/image/draw"

	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/content/overlay/paint"
	"github.com/reelops/reelops/internal/content/overlay/text"
)

// Draw returns the layer of a slide: shade, plates and text on a transparent canvas of the ratio's size. The overlays
// should be normalised; other overlays are drawn as far as possible.
func (e *Engine) Draw(ratio catalog.AspectRatio, g Gradient, overlays []Overlay) *image.NRGBA {
	w := e.take()
	defer e.giveBack(w)
	dst := image.NewNRGBA(image.Rect(0, 0, ratio.Width, ratio.Height))
	newShade(g, ratio.Width, ratio.Height).draw(dst)
	for _, o := range overlays {
		w.drawBlock(dst, w.layOut(withDefaults(o), ratio, true))
	}
	return dst
}

// Compose returns a background of any size with a layer over it. The background fills the layer's canvas and is cropped
// if its shape differs.
func (e *Engine) Compose(bg image.Image, layer *image.NRGBA) *image.RGBA {
	r := layer.Bounds()
	dst := image.NewRGBA(image.Rect(0, 0, r.Dx(), r.Dy()))
	cut := coverCut(bg.Bounds(), r.Dx(), r.Dy())
	if cut.Size() == dst.Rect.Size() {
		draw.Draw(dst, dst.Rect, bg, cut.Min, draw.Src)
	} else {
		draw.BiLinear.Scale(dst, dst.Rect, bg, cut, draw.Src, nil)
	}
	for y := r.Min.Y; y < r.Max.Y; y++ {
		x0, x1 := visible(layer.Pix[layer.PixOffset(r.Min.X, y):][:r.Dx()*4])
		draw.Draw(dst, image.Rect(x0, y-r.Min.Y, x1, y-r.Min.Y+1), layer, image.Pt(r.Min.X+x0, y), draw.Over)
	}
	return dst
}

// visible returns the smallest range of pixels of an NRGBA row outside of which all are transparent.
func visible(row []byte) (from, to int) {
	from, to = 0, len(row)/4
	for from < to && row[from*4+3] == 0 {
		from++
	}
	for to > from && row[to*4-1] == 0 {
		to--
	}
	return from, to
}

// coverCut returns the centred part of an image with the shape of the canvas.
func coverCut(b image.Rectangle, w, h int) image.Rectangle {
	bw, bh := b.Dx(), b.Dy()
	if bw*h > bh*w {
		cw := max((bh*w+h/2)/h, 1)
		x := b.Min.X + (bw-cw)/2
		return image.Rect(x, b.Min.Y, x+cw, b.Max.Y)
	}
	ch := max((bw*h+w/2)/w, 1)
	y := b.Min.Y + (bh-ch)/2
	return image.Rect(b.Min.X, y, b.Max.X, y+ch)
}

func (w *worker) drawBlock(dst *image.NRGBA, b *block) {
	if b.box.empty() {
		return
	}
	w.drawPlate(dst, b)
	area := pixels(b.box.grow(2)).Intersect(dst.Rect)
	if area.Empty() {
		return
	}
	w.brush.Begin(area)
	drawn := w.eachOutline(b, func(o font.GlyphOutline, p paint.Place) { w.brush.Fill(o, p) })
	if drawn {
		fill := w.brush.Mask()
		if !b.plated {
			shadow := fill.Blurred(max(int(b.size*0.05), 2), image.Pt(0, int(b.size*0.03+0.5)))
			paint.Lay(dst, shadow, color.NRGBA{A: uint8(shadowAlpha(b.fill))})
		}
		if b.stroke > 0 && b.line.A > 0 {
			w.brush.Begin(area)
			w.eachOutline(b, func(o font.GlyphOutline, p paint.Place) { w.brush.Stroke(o, p, float32(b.stroke)) })
			stroke := w.brush.Mask()
			if b.fill.A < 255 {
				stroke.Without(fill) // the stroke must not show through the letters
			}
			paint.Lay(dst, stroke, b.line)
		}
		paint.Lay(dst, fill, b.fill)
	}
	w.drawEmoji(dst, b)
}

// shadowAlpha returns the opacity of the shadow. It is lower under dark letters, which a shadow would only blur.
func shadowAlpha(fill color.NRGBA) float64 {
	return 110 * math.Sqrt(luminance(fill)) * float64(fill.A) / 255
}

func (w *worker) drawPlate(dst *image.NRGBA, b *block) {
	if !b.plated {
		return
	}
	w.brush.Begin(pixels(b.box.grow(2 + boolean(b.lifted)*liftMargin*b.size)).Intersect(dst.Rect))
	radius := float32(plateRadius * b.size)
	switch {
	case b.button:
		w.brush.Rounded(b.box.paint(), buttonRadius*float32(b.size))
	case b.card:
		w.brush.Rounded(b.box.paint(), radius*1.3)
	default:
		var rows []paint.Box
		for _, l := range b.lines {
			if !l.Empty {
				rows = append(rows, l.plate.paint())
			}
		}
		w.brush.Stack(rows, radius)
	}
	plate := w.brush.Mask()
	if b.lifted {
		shadow := plate.Blurred(max(int(b.size*0.16), 2), image.Pt(0, int(b.size*0.1+0.5)))
		paint.Lay(dst, shadow, color.NRGBA{A: liftShadow})
	}
	paint.Lay(dst, plate, b.plate)
}

// eachOutline visits the letters of a block. It returns false if there are only emoji or nothing.
func (w *worker) eachOutline(b *block, visit func(font.GlyphOutline, paint.Place)) bool {
	found := false
	for _, l := range b.lines {
		pen := l.x
		for _, g := range l.Glyphs {
			if face := w.shaper.Face(g.Font); face != nil && g.Font.Family != text.EmojiFamily && g.ID != font.EmptyGlyph && b.draws(g) {
				if o, ok := face.GlyphDataOutline(g.ID); ok && len(o.Segments) > 0 {
					visit(o, paint.Place{
						X: float32(pen + g.X*b.size), Y: float32(l.baseline - g.Y*b.size), Scale: float32(b.size) / float32(face.Upem()),
					})
					found = true
				}
			}
			pen += g.Advance * b.size
		}
	}
	return found
}

// pixels returns the smallest rectangle of whole pixels around an area of the canvas.
func pixels(r rect) image.Rectangle {
	return image.Rect(int(math.Floor(r.x0)), int(math.Floor(r.y0)), int(math.Ceil(r.x1)), int(math.Ceil(r.y1)))
}
