// SPDX-License-Identifier: Apache-2.0

package avatar

import (
	"image"

	"golang.org/x/image/vector"

	p "github.com/reelops/reelops/internal/content/imagery/paint"
)

// sprite is a finished layer in 8 bits, colours multiplied by coverage, with an empty border for smooth edges.
type sprite struct {
	r     image.Rectangle // in pixels, around the figure's origin
	k     float32
	pix   []uint8
	spans [][2]int // of each row, the first pixel with any coverage and the one after the last
}

// sprite returns the painted part of the layer as a sprite.
func (l *layer) sprite() *sprite {
	w := l.r.Dx()
	used := image.Rectangle{}
	for y := l.r.Min.Y; y < l.r.Max.Y; y++ {
		row := l.pix[4*w*(y-l.r.Min.Y):][:4*w]
		from, to := w, 0
		for x := range w {
			if row[4*x+3] > 0.003 {
				from, to = min(from, x), x+1
			}
		}
		if from < to {
			used = used.Union(image.Rect(l.r.Min.X+from, y, l.r.Min.X+to, y+1))
		}
	}
	s := &sprite{r: used.Inset(-2), k: l.k}
	sw := s.r.Dx()
	s.pix = make([]uint8, 4*sw*s.r.Dy())
	s.spans = make([][2]int, s.r.Dy())
	for i := range s.spans {
		s.spans[i] = [2]int{sw, 0}
	}
	for y := used.Min.Y; y < used.Max.Y; y++ {
		for x := used.Min.X; x < used.Max.X; x++ {
			in := l.pix[4*((y-l.r.Min.Y)*w+x-l.r.Min.X):][:4]
			at := (y-s.r.Min.Y)*sw + x - s.r.Min.X
			// An invisibly fine dither pattern hides the steps of 8 bits in long gradients.
			d := (float32((x*7+y*13)%16)/16 - 0.5) * 0.9
			a := level(in[3])
			for j := range 3 {
				s.pix[4*at+j] = min(a, uint8(p.Clamp(in[j]*255+0.5+d, 0, 255)))
			}
			s.pix[4*at+3] = a
			if a > 0 {
				sp := &s.spans[y-s.r.Min.Y]
				sp[0], sp[1] = min(sp[0], x-s.r.Min.X), max(sp[1], x-s.r.Min.X+1)
			}
		}
	}
	return s
}

// easel holds one frame while it is drawn. One goroutine uses it, for one frame after the other.
type easel struct {
	img *image.RGBA
	ras vector.Rasterizer
}

// bendStep is the distance in pixels of a row between two exact values of the deformation.
const bendStep = 16

// stamp draws a sprite at its place.
func (e *easel) stamp(s *sprite, at *place) {
	to := e.bounds(s, at)
	sw, sh := s.r.Dx(), s.r.Dy()
	ox, oy := float32(s.r.Min.X)+0.5, float32(s.r.Min.Y)+0.5
	for y := to.Min.Y; y < to.Max.Y; y++ {
		out := e.img.Pix[e.img.PixOffset(0, y):]
		// The deformation is smooth: it is computed every bendStep pixels and interpolated between them.
		var u0, v0, du, dv float32
		for x := to.Min.X; x < to.Max.X; x++ {
			n := (x - to.Min.X) % bendStep
			if n == 0 {
				a := at.back(pt{float32(x) + 0.5, float32(y) + 0.5})
				b := at.back(pt{float32(x+bendStep) + 0.5, float32(y) + 0.5})
				u0, v0 = a.x*s.k-ox, a.y*s.k-oy
				du, dv = (b.x-a.x)*s.k/bendStep, (b.y-a.y)*s.k/bendStep
			}
			u, v := u0+du*float32(n), v0+dv*float32(n)
			if u < 0 || v < 0 {
				continue
			}
			ix, iy := int(u), int(v)
			if ix >= sw-1 || iy >= sh-1 {
				continue
			}
			if ix+1 < min(s.spans[iy][0], s.spans[iy+1][0]) || ix >= max(s.spans[iy][1], s.spans[iy+1][1]) {
				continue
			}
			fx, fy := uint32((u-float32(ix))*256), uint32((v-float32(iy))*256)
			i := 4 * (iy*sw + ix)
			a := s.pix[i : i+8 : i+8]
			b := s.pix[i+4*sw : i+4*sw+8 : i+4*sw+8]
			wa, wb, wc, wd := (256-fx)*(256-fy), fx*(256-fy), (256-fx)*fy, fx*fy
			alpha := (uint32(a[3])*wa + uint32(a[7])*wb + uint32(b[3])*wc + uint32(b[7])*wd + 1<<15) >> 16
			if alpha == 0 {
				continue
			}
			o := out[4*x : 4*x+3 : 4*x+3]
			if alpha == 255 {
				o[0] = uint8((uint32(a[0])*wa + uint32(a[4])*wb + uint32(b[0])*wc + uint32(b[4])*wd + 1<<15) >> 16)
				o[1] = uint8((uint32(a[1])*wa + uint32(a[5])*wb + uint32(b[1])*wc + uint32(b[5])*wd + 1<<15) >> 16)
				o[2] = uint8((uint32(a[2])*wa + uint32(a[6])*wb + uint32(b[2])*wc + uint32(b[6])*wd + 1<<15) >> 16)
				continue
			}
			keep := 255 - alpha
			for j := range 3 {
				c := (uint32(a[j])*wa + uint32(a[4+j])*wb + uint32(b[j])*wc + uint32(b[4+j])*wd + 1<<15) >> 16
				if keep > 0 {
					c += (uint32(o[j])*keep + 127) / 255
				}
				o[j] = uint8(min(c, 255))
			}
		}
	}
}

// bounds returns the rectangle of the frame that a sprite can cover.
func (e *easel) bounds(s *sprite, at *place) image.Rectangle {
	r := image.Rectangle{}
	for _, c := range [4][2]int{{s.r.Min.X, s.r.Min.Y}, {s.r.Max.X, s.r.Min.Y}, {s.r.Min.X, s.r.Max.Y}, {s.r.Max.X, s.r.Max.Y}} {
		q := at.turned(pt{float32(c[0]) / s.k, float32(c[1]) / s.k})
		r = r.Union(image.Rect(p.Floor(q.x), p.Floor(q.y), p.Floor(q.x)+1, p.Floor(q.y)+1))
	}
	m := int(at.reach()*at.k) + 2
	return r.Inset(-m).Intersect(e.img.Rect)
}

// cover returns the coverage of a shape in the frame's pixels.
func (e *easel) cover(s shape) *image.Alpha { return rasterize(&e.ras, s, e.img.Rect) }

// fill paints a shape in the frame's pixels, limited to within if it is not nil.
func (e *easel) fill(s shape, c tone, a float32, within *image.Alpha) {
	e.shaded(s, func(_, _ float32) (tone, float32) { return c, a }, within)
}

// shaded paints a shape whose colour depends on the position in the frame, limited to within if it is not nil.
func (e *easel) shaded(s shape, c shade, within *image.Alpha) {
	m := e.cover(s)
	if m == nil {
		return
	}
	r := m.Rect
	if within != nil {
		r = r.Intersect(within.Rect)
	}
	for y := r.Min.Y; y < r.Max.Y; y++ {
		row := m.Pix[m.PixOffset(r.Min.X, y):]
		out := e.img.Pix[e.img.PixOffset(r.Min.X, y):]
		for i := range r.Dx() {
			if row[i] == 0 {
				continue
			}
			v := float32(row[i]) / 255
			if within != nil {
				v *= float32(within.Pix[within.PixOffset(r.Min.X+i, y)]) / 255
			}
			t, a := c(float32(r.Min.X+i)+0.5, float32(y)+0.5)
			v *= a
			o := out[4*i : 4*i+3 : 4*i+3]
			o[0] = uint8(float32(o[0]) + (t.r*255-float32(o[0]))*v + 0.5)
			o[1] = uint8(float32(o[1]) + (t.g*255-float32(o[1]))*v + 0.5)
			o[2] = uint8(float32(o[2]) + (t.b*255-float32(o[2]))*v + 0.5)
		}
	}
}
