// SPDX-License-Identifier: Apache-2.0

package paint

import (
	"image"
	"image/draw"
	"math"

	"golang.org/x/image/vector"
)

type point struct{ x, y float32 }

type segment struct {
	op byte // m, l, q or c
	p  [3]point
}

// Path is an outline in canvas pixels; open pieces are closed when filled.
type Path struct{ seg []segment }

// Move starts a new piece.
func (p *Path) Move(x, y float32) *Path {
	p.seg = append(p.seg, segment{'m', [3]point{{x, y}}})
	return p
}

// Line adds a straight line.
func (p *Path) Line(x, y float32) *Path {
	p.seg = append(p.seg, segment{'l', [3]point{{x, y}}})
	return p
}

// Quad adds a quadratic curve.
func (p *Path) Quad(cx, cy, x, y float32) *Path {
	p.seg = append(p.seg, segment{'q', [3]point{{cx, cy}, {x, y}}})
	return p
}

// Cubic adds a cubic curve.
func (p *Path) Cubic(ax, ay, bx, by, x, y float32) *Path {
	p.seg = append(p.seg, segment{'c', [3]point{{ax, ay}, {bx, by}, {x, y}}})
	return p
}

// Add appends another path.
func (p *Path) Add(o *Path) *Path {
	p.seg = append(p.seg, o.seg...)
	return p
}

// Rect adds an upright rectangle.
func (p *Path) Rect(x0, y0, x1, y1 float32) *Path {
	return p.Move(x0, y0).Line(x1, y0).Line(x1, y1).Line(x0, y1)
}

// Round adds a rectangle with round corners.
func (p *Path) Round(x0, y0, x1, y1, r float32) *Path {
	r = min(r, (x1-x0)/2, (y1-y0)/2)
	const k = 0.4477 // a quarter circle as a cubic
	return p.Move(x0+r, y0).Line(x1-r, y0).Cubic(x1-r*k, y0, x1, y0+r*k, x1, y0+r).
		Line(x1, y1-r).Cubic(x1, y1-r*k, x1-r*k, y1, x1-r, y1).
		Line(x0+r, y1).Cubic(x0+r*k, y1, x0, y1-r*k, x0, y1-r).
		Line(x0, y0+r).Cubic(x0, y0+r*k, x0+r*k, y0, x0+r, y0)
}

// Arch adds a doorway: straight sides with a half circle on top.
func (p *Path) Arch(x0, y0, x1, y1 float32) *Path {
	r := (x1 - x0) / 2
	const k = 0.4477
	return p.Move(x0, y1).Line(x0, y0+r).Cubic(x0, y0+r*k, x0+r*k, y0, x0+r, y0).
		Cubic(x1-r*k, y0, x1, y0+r*k, x1, y0+r).Line(x1, y1)
}

// Circle adds a circle.
func (p *Path) Circle(cx, cy, r float32) *Path { return p.Ellipse(cx, cy, r, r) }

// Ellipse adds an upright ellipse.
func (p *Path) Ellipse(cx, cy, rx, ry float32) *Path {
	const k = 0.5523
	return p.Move(cx+rx, cy).
		Cubic(cx+rx, cy+ry*k, cx+rx*k, cy+ry, cx, cy+ry).
		Cubic(cx-rx*k, cy+ry, cx-rx, cy+ry*k, cx-rx, cy).
		Cubic(cx-rx, cy-ry*k, cx-rx*k, cy-ry, cx, cy-ry).
		Cubic(cx+rx*k, cy-ry, cx+rx, cy-ry*k, cx+rx, cy)
}

// Turn returns the path scaled by s, rotated by a radians and moved to x, y.
func (p *Path) Turn(x, y, s, a float32) *Path {
	sin, cos := Sin(a)*s, Cos(a)*s
	out := &Path{make([]segment, len(p.seg))}
	for i, g := range p.seg {
		for j, q := range g.p {
			g.p[j] = point{x + q.x*cos - q.y*sin, y + q.x*sin + q.y*cos}
		}
		out.seg[i] = g
	}
	return out
}

// Bounds returns a rectangle that contains the path, in the path's units.
func (p *Path) Bounds() (x0, y0, x1, y1 float32) {
	x0, y0, x1, y1 = math.MaxFloat32, math.MaxFloat32, -math.MaxFloat32, -math.MaxFloat32
	for _, g := range p.seg {
		n := 1
		switch g.op {
		case 'q':
			n = 2
		case 'c':
			n = 3
		}
		for _, q := range g.p[:n] {
			x0, y0, x1, y1 = min(x0, q.x), min(y0, q.y), max(x1, q.x), max(y1, q.y)
		}
	}
	return
}

// raster fills the path, scaled by k, into an alpha mask clipped to w x h plus a margin. The bounds of the mask are its
// position.
func (p *Path) raster(k float32, w, h, margin int) *image.Alpha {
	x0, y0, x1, y1 := p.Bounds()
	r := image.Rect(Floor(x0*k)-1, Floor(y0*k)-1, Floor(x1*k)+2, Floor(y1*k)+2).
		Intersect(image.Rect(-margin, -margin, w+margin, h+margin))
	if r.Empty() {
		return nil
	}
	v := vector.NewRasterizer(r.Dx(), r.Dy())
	ox, oy := float32(r.Min.X), float32(r.Min.Y)
	open := false
	for _, g := range p.seg {
		q := g.p
		for i := range q {
			q[i] = point{q[i].x*k - ox, q[i].y*k - oy}
		}
		switch g.op {
		case 'm':
			if open {
				v.ClosePath()
			}
			v.MoveTo(q[0].x, q[0].y)
			open = true
		case 'l':
			v.LineTo(q[0].x, q[0].y)
		case 'q':
			v.QuadTo(q[0].x, q[0].y, q[1].x, q[1].y)
		case 'c':
			v.CubeTo(q[0].x, q[0].y, q[1].x, q[1].y, q[2].x, q[2].y)
		}
	}
	if open {
		v.ClosePath()
	}
	m := image.NewAlpha(r)
	v.DrawOp = draw.Src
	v.Draw(m, r, image.Opaque, image.Point{})
	return m
}

// Paint fills the path; shade returns the colour and the opacity at a point.
func (c *Canvas) Paint(p *Path, shade func(x, y float32) (Color, float32)) {
	m := p.raster(1, c.w, c.h, 0)
	if m == nil {
		return
	}
	c.Rows(m.Rect.Min.Y, m.Rect.Max.Y, func(y int, row []Color) {
		line := m.Pix[m.PixOffset(m.Rect.Min.X, y):][:m.Rect.Dx()]
		for i, v := range line {
			if v == 0 {
				continue
			}
			x := m.Rect.Min.X + i
			col, a := shade(float32(x)+0.5, float32(y)+0.5)
			row[x] = row[x].Lerp(col, a*float32(v)/255)
		}
	})
}

// Flat paints the path in one colour.
func (c *Canvas) Flat(p *Path, col Color, a float32) {
	c.Paint(p, func(_, _ float32) (Color, float32) { return col, a })
}

// Soft returns the path as a blurred field of 0 to 1, for shadows and cast light, reduced by div and blurred by radius
// pixels.
func (c *Canvas) Soft(p *Path, div int, radius float32) *Field {
	d := float32(div)
	x0, y0, x1, y1 := p.Bounds()
	// The blur extends at most twice the radius, and parts far outside the canvas are never visible.
	m := radius*2.2 + 2*d
	x0, y0 = max(x0-m, -4*m), max(y0-m, -4*m)
	x1, y1 = min(x1+m, c.W+4*m), min(y1+m, c.H+4*m)
	f := &Field{w: max(int((x1-x0)/d), 0) + 3, h: max(int((y1-y0)/d), 0) + 3, div: d, x: x0, y: y0}
	f.v = make([]float32, f.w*f.h)
	mask := p.Turn(-x0, -y0, 1, 0).raster(1/d, f.w, f.h, 0)
	if mask == nil {
		return f
	}
	r := mask.Rect.Intersect(image.Rect(0, 0, f.w-1, f.h-1))
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for x := r.Min.X; x < r.Max.X; x++ {
			// The centre of a mask pixel is half a sample from the field's corner.
			f.v[(y+1)*f.w+x+1] = float32(mask.Pix[mask.PixOffset(x, y)]) / 255
		}
	}
	return f.Blur(radius)
}

// Shadow darkens the canvas under a path moved by dx, dy and blurred.
func (c *Canvas) Shadow(p *Path, dx, dy, blur, strength float32, tint Color) {
	f := c.Soft(p, 4, blur)
	x0, y0, x1, y1 := p.Bounds()
	m := blur*2 + 1
	from, to := max(Floor(x0+dx-m), 0), min(Floor(x1+dx+m)+1, c.w)
	c.Rows(Floor(y0+dy-m), Floor(y1+dy+m)+1, func(y int, row []Color) {
		for x := from; x < to; x++ {
			if v := f.At(float32(x)+0.5-dx, float32(y)+0.5-dy); v > 0.004 {
				row[x] = row[x].Lerp(row[x].Mul(tint), v*strength)
			}
		}
	})
}
