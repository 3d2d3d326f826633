// SPDX-License-Identifier: Apache-2.0

package paint

import (
	"image"
	"image/color"
	"image/draw"

	"golang.org/x/image/vector"
)

// Mask is the coverage of an area of a layer.
type Mask struct {
	Rect image.Rectangle
	Pix  []uint8 // rows of Rect.Dx()
}

// Brush collects outlines in layer pixels (y downwards) and converts them to a mask. It reuses its memory and is not
// safe for concurrent use.
type Brush struct {
	r    vector.Rasterizer
	rect image.Rectangle
	dx   float32
	dy   float32
}

// Begin discards the collected outlines and sets the rectangle to which later outlines are clipped.
func (b *Brush) Begin(rect image.Rectangle) {
	b.rect = rect
	b.r.Reset(rect.Dx(), rect.Dy())
	b.r.DrawOp = draw.Src
	b.dx, b.dy = float32(rect.Min.X), float32(rect.Min.Y)
}

// MoveTo begins an outline. LineTo, QuadTo and CubeTo continue it, Close ends it.
func (b *Brush) MoveTo(x, y float32) { b.r.MoveTo(x-b.dx, y-b.dy) }

// LineTo adds a straight edge.
func (b *Brush) LineTo(x, y float32) { b.r.LineTo(x-b.dx, y-b.dy) }

// QuadTo adds a quadratic curve.
func (b *Brush) QuadTo(x1, y1, x, y float32) { b.r.QuadTo(x1-b.dx, y1-b.dy, x-b.dx, y-b.dy) }

// CubeTo adds a cubic curve.
func (b *Brush) CubeTo(x1, y1, x2, y2, x, y float32) {
	b.r.CubeTo(x1-b.dx, y1-b.dy, x2-b.dx, y2-b.dy, x-b.dx, y-b.dy)
}

// Close ends an outline.
func (b *Brush) Close() { b.r.ClosePath() }

// Mask returns the coverage of the collected outlines.
func (b *Brush) Mask() *Mask {
	m := &Mask{Rect: b.rect, Pix: make([]uint8, b.rect.Dx()*b.rect.Dy())}
	if len(m.Pix) == 0 {
		return m
	}
	alpha := &image.Alpha{Pix: m.Pix, Stride: b.rect.Dx(), Rect: image.Rect(0, 0, b.rect.Dx(), b.rect.Dy())}
	b.r.Draw(alpha, alpha.Rect, image.Opaque, image.Point{})
	return m
}

// Lay composes a colour onto the layer through the mask. The alpha of the colour is multiplied by the coverage.
func Lay(dst *image.NRGBA, m *Mask, c color.NRGBA) {
	r := m.Rect.Intersect(dst.Rect)
	if r.Empty() || c.A == 0 {
		return
	}
	for y := r.Min.Y; y < r.Max.Y; y++ {
		src := m.Pix[(y-m.Rect.Min.Y)*m.Rect.Dx()+r.Min.X-m.Rect.Min.X:]
		row := dst.Pix[dst.PixOffset(r.Min.X, y):]
		for x := range r.Dx() {
			if cover := src[x]; cover != 0 {
				over(row[x*4:x*4+4:x*4+4], c.R, c.G, c.B, uint32(cover)*uint32(c.A))
			}
		}
	}
}

// over composes one straight-alpha colour onto a pixel; sa is alpha times 255, 0 to 65025.
func over(p []uint8, r, g, b uint8, sa uint32) {
	if sa == 255*255 {
		p[0], p[1], p[2], p[3] = r, g, b, 255
		return
	}
	da := uint32(p[3]) * (255*255 - sa) / 255 // remaining alpha, times 255
	oa := sa + da
	if oa == 0 {
		return
	}
	p[0] = uint8((uint32(r)*sa + uint32(p[0])*da + oa/2) / oa)
	p[1] = uint8((uint32(g)*sa + uint32(p[1])*da + oa/2) / oa)
	p[2] = uint8((uint32(b)*sa + uint32(p[2])*da + oa/2) / oa)
	p[3] = uint8((oa + 127) / 255)
}

// Picture composes an image with straight alpha onto the layer, its top left corner at the point.
func Picture(dst *image.NRGBA, src *image.NRGBA, at image.Point) {
	r := src.Rect.Sub(src.Rect.Min).Add(at).Intersect(dst.Rect)
	for y := r.Min.Y; y < r.Max.Y; y++ {
		s := src.Pix[src.PixOffset(src.Rect.Min.X+r.Min.X-at.X, src.Rect.Min.Y+y-at.Y):]
		d := dst.Pix[dst.PixOffset(r.Min.X, y):]
		for x := range r.Dx() {
			if a := s[x*4+3]; a != 0 {
				over(d[x*4:x*4+4:x*4+4], s[x*4], s[x*4+1], s[x*4+2], uint32(a)*255)
			}
		}
	}
}

// Without removes the area that the other mask covers.
func (m *Mask) Without(o *Mask) {
	r := m.Rect.Intersect(o.Rect)
	for y := r.Min.Y; y < r.Max.Y; y++ {
		a := m.Pix[(y-m.Rect.Min.Y)*m.Rect.Dx()+r.Min.X-m.Rect.Min.X:]
		b := o.Pix[(y-o.Rect.Min.Y)*o.Rect.Dx()+r.Min.X-o.Rect.Min.X:]
		for x := range r.Dx() {
			a[x] = uint8(uint32(a[x]) * uint32(255-b[x]) / 255)
		}
	}
}

// Blurred returns the mask blurred over about the radius (pixels) and moved by the offset.
func (m *Mask) Blurred(radius int, offset image.Point) *Mask {
	grow := radius * 2
	out := &Mask{Rect: m.Rect.Inset(-grow)}
	w, h := out.Rect.Dx(), out.Rect.Dy()
	out.Pix = make([]uint8, w*h)
	for y := range m.Rect.Dy() {
		copy(out.Pix[(y+grow)*w+grow:], m.Pix[y*m.Rect.Dx():(y+1)*m.Rect.Dx()])
	}
	tmp := make([]uint8, w*h)
	for range 2 {
		boxRows(tmp, out.Pix, w, h, radius)
		boxColumns(out.Pix, tmp, w, h, radius)
	}
	out.Rect = out.Rect.Add(offset)
	return out
}

func boxRows(dst, src []uint8, w, h, r int) {
	inv := uint32(65536 / (2*r + 1))
	for y := range h {
		s, d := src[y*w:(y+1)*w], dst[y*w:(y+1)*w]
		var sum uint32
		for x := 0; x < min(r, w); x++ {
			sum += uint32(s[x])
		}
		for x := range w {
			if x+r < w {
				sum += uint32(s[x+r])
			}
			if x-r-1 >= 0 {
				sum -= uint32(s[x-r-1])
			}
			d[x] = uint8(sum * inv >> 16)
		}
	}
}

func boxColumns(dst, src []uint8, w, h, r int) {
	inv := uint32(65536 / (2*r + 1))
	sums := make([]uint32, w)
	add := func(y int) {
		for x, v := range src[y*w : (y+1)*w] {
			sums[x] += uint32(v)
		}
	}
	for y := 0; y < min(r, h); y++ {
		add(y)
	}
	for y := range h {
		if y+r < h {
			add(y + r)
		}
		if y-r-1 >= 0 {
			for x, v := range src[(y-r-1)*w : (y-r)*w] {
				sums[x] -= uint32(v)
			}
		}
		d := dst[y*w : (y+1)*w]
		for x := range d {
			d[x] = uint8(sums[x] * inv >> 16)
		}
	}
}
