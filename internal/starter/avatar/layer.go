// SPDX-License-Identifier: Apache-2.0

package avatar

import (
	"image"
	"image/draw"
	"math"

	"golang.org/x/image/vector"

	p "github.com/reelops/reelops/internal/content/imagery/paint"
)

// mask is the coverage of each pixel, 0 to 1.
type mask struct {
	r image.Rectangle
	v []float32
}

func (m *mask) row(y int) []float32 {
	w := m.r.Dx()
	return m.v[(y-m.r.Min.Y)*w : (y-m.r.Min.Y+1)*w]
}

// rasterize returns the coverage of a shape in pixel coordinates, cut to limit. It returns nil if no part of the shape
// is within limit.
func rasterize(v *vector.Rasterizer, s shape, limit image.Rectangle) *image.Alpha {
	x0, y0, x1, y1 := float32(math.MaxFloat32), float32(math.MaxFloat32), float32(-math.MaxFloat32), float32(-math.MaxFloat32)
	for _, line := range s {
		for _, q := range line {
			x0, y0, x1, y1 = min(x0, q.x), min(y0, q.y), max(x1, q.x), max(y1, q.y)
		}
	}
	r := image.Rect(p.Floor(x0), p.Floor(y0), p.Floor(x1)+1, p.Floor(y1)+1).Intersect(limit)
	if r.Empty() {
		return nil
	}
	v.Reset(r.Dx(), r.Dy())
	ox, oy := float32(r.Min.X), float32(r.Min.Y)
	for _, line := range s {
		for i, q := range line {
			if i == 0 {
				v.MoveTo(q.x-ox, q.y-oy)
			} else {
				v.LineTo(q.x-ox, q.y-oy)
			}
		}
		v.ClosePath()
	}
	out := image.NewAlpha(r)
	v.DrawOp = draw.Src
	v.Draw(out, r, image.Opaque, image.Point{})
	return out
}

// layer is a part of a figure that is painted once. Its colours are multiplied by their coverage. Shapes are given in
// the figure's units.
type layer struct {
	r   image.Rectangle // in pixels, around the figure's origin
	k   float32         // pixels per unit
	pix []float32       // r, g, b, a
	ras vector.Rasterizer
}

// newLayer returns an empty layer from x0, y0 to x1, y1 in the figure's units, with k pixels per unit.
func newLayer(k, x0, y0, x1, y1 float32) *layer {
	r := image.Rect(p.Floor(x0*k), p.Floor(y0*k), p.Floor(x1*k)+1, p.Floor(y1*k)+1)
	return &layer{r: r, k: k, pix: make([]float32, 4*r.Dx()*r.Dy())}
}

// like returns an empty layer of the same size.
func (l *layer) like() *layer {
	return &layer{r: l.r, k: l.k, pix: make([]float32, len(l.pix))}
}

// cover returns the coverage of a shape in the figure's units.
func (l *layer) cover(s shape) *mask {
	k := l.k
	a := rasterize(&l.ras, s.bend(func(q pt) pt { return pt{q.x * k, q.y * k} }), l.r)
	if a == nil {
		return &mask{}
	}
	m := &mask{r: a.Rect, v: make([]float32, len(a.Pix))}
	for i, v := range a.Pix {
		m.v[i] = float32(v) / 255
	}
	return m
}

// shade returns the colour and opacity at a point in the figure's units.
type shade func(x, y float32) (tone, float32)

func flat(c tone, a float32) shade { return func(_, _ float32) (tone, float32) { return c, a } }

// ramp returns a gradient from one colour to another between two points.
func ramp(ax, ay float32, a tone, bx, by float32, b tone) shade {
	dx, dy := bx-ax, by-ay
	n := 1 / (dx*dx + dy*dy)
	return func(x, y float32) (tone, float32) {
		t := p.Clamp(((x-ax)*dx+(y-ay)*dy)*n, 0, 1)
		return a.lerp(b, t*t*(3-2*t)), 1
	}
}

// put paints a mask in the colours of s. If inside is set, it paints only where the layer has colour already, and the
// layer's coverage does not change.
func (l *layer) put(m *mask, s shade, inside bool) {
	if m == nil || m.r.Empty() {
		return
	}
	inv := 1 / l.k
	for y := m.r.Min.Y; y < m.r.Max.Y; y++ {
		row := m.row(y)
		out := l.pix[4*((y-l.r.Min.Y)*l.r.Dx()+m.r.Min.X-l.r.Min.X):]
		for i, v := range row {
			if v < 0.002 {
				continue
			}
			o := out[4*i : 4*i+4 : 4*i+4]
			c, a := s((float32(m.r.Min.X+i)+0.5)*inv, (float32(y)+0.5)*inv)
			a *= v
			if inside {
				k := a * o[3]
				o[0] += c.r*k - o[0]*a
				o[1] += c.g*k - o[1]*a
				o[2] += c.b*k - o[2]*a
			} else {
				o[0] += c.r*a - o[0]*a
				o[1] += c.g*a - o[1]*a
				o[2] += c.b*a - o[2]*a
				o[3] += a - o[3]*a
			}
		}
	}
}

// fill paints a shape.
func (l *layer) fill(s shape, c shade) { l.put(l.cover(s), c, false) }

// tint paints a shape only where the layer has colour already.
func (l *layer) tint(s shape, c shade) { l.put(l.cover(s), c, true) }

// soft paints a shape whose edge is blurred over about radius units, only where the layer has colour already.
func (l *layer) soft(s shape, radius float32, c tone, a float32) {
	l.put(l.blurred(s, radius), flat(c, a), true)
}

// haze is like soft, but also paints where the layer is empty.
func (l *layer) haze(s shape, radius float32, c tone, a float32) {
	l.put(l.blurred(s, radius), flat(c, a), false)
}

// rim paints the area outside a shape, blurred inwards, only where the layer has colour already: the shadow along an
// edge.
func (l *layer) rim(s shape, radius float32, c tone, a float32) {
	m := l.blurred(s, radius)
	full := &mask{r: l.r, v: make([]float32, l.r.Dx()*l.r.Dy())}
	for i := range full.v {
		full.v[i] = 1
	}
	for y := m.r.Min.Y; y < m.r.Max.Y; y++ {
		to := full.row(y)[m.r.Min.X-l.r.Min.X:]
		for i, v := range m.row(y) {
			to[i] = 1 - v
		}
	}
	l.put(full, flat(c, a), true)
}

// blurred returns the coverage of a shape with its edge blurred over about radius units.
func (l *layer) blurred(s shape, radius float32) *mask {
	r := radius * l.k
	grow := int(r*1.8) + 2
	wide := &layer{r: l.r.Inset(-grow), k: l.k}
	m := wide.cover(s)
	if m.r.Empty() {
		return m
	}
	big := &mask{r: m.r.Inset(-grow)}
	big.v = make([]float32, big.r.Dx()*big.r.Dy())
	for y := m.r.Min.Y; y < m.r.Max.Y; y++ {
		copy(big.row(y)[grow:], m.row(y))
	}
	blur(big.v, big.r.Dx(), big.r.Dy(), 1, r)
	cut := &mask{r: big.r.Intersect(l.r)}
	if cut.r.Empty() {
		return &mask{}
	}
	cut.v = make([]float32, cut.r.Dx()*cut.r.Dy())
	for y := cut.r.Min.Y; y < cut.r.Max.Y; y++ {
		copy(cut.row(y), big.row(y)[cut.r.Min.X-big.r.Min.X:])
	}
	return cut
}

// over paints another layer of the same size on top.
func (l *layer) over(o *layer) {
	for i := 0; i < len(l.pix); i += 4 {
		k := 1 - o.pix[i+3]
		for j := range 4 {
			l.pix[i+j] = o.pix[i+j] + l.pix[i+j]*k
		}
	}
}

// fade multiplies the layer's colours and coverage at every point by f, a factor of 0 to 1.
func (l *layer) fade(f func(x, y float32) float32) {
	w := l.r.Dx()
	for i := 0; i < len(l.pix); i += 4 {
		k := f((float32(l.r.Min.X+i/4%w)+0.5)/l.k, (float32(l.r.Min.Y+i/4/w)+0.5)/l.k)
		for j := range 4 {
			l.pix[i+j] *= k
		}
	}
}

// blur softens an image of n channels by three box passes over about radius pixels, close to a Gaussian.
func blur(v []float32, w, h, n int, radius float32) {
	r := int(radius/1.7 + 0.5)
	if r < 1 {
		return
	}
	tmp := make([]float32, len(v))
	for range 3 {
		for y := range h {
			for c := range n {
				box(tmp[y*w*n+c:], v[y*w*n+c:], w, n, r)
			}
		}
		for x := range w * n {
			box(v[x:], tmp[x:], h, w*n, r)
		}
	}
}

// box writes the means of src over r values on both sides to dst. Values beyond the ends are equal to the first and the
// last one.
func box(dst, src []float32, n, stride, r int) {
	at := func(i int) float32 { return src[min(max(i, 0), n-1)*stride] }
	sum := float32(0)
	for i := -r; i <= r; i++ {
		sum += at(i)
	}
	k := 1 / float32(2*r+1)
	for i := range n {
		dst[i*stride] = sum * k
		sum += at(i+r+1) - at(i-r)
	}
}
