// SPDX-License-Identifier: Apache-2.0

package paint

import (
	"math"

	"github.com/go-text/typesetting/font"
	ot "github.com/go-text/typesetting/font/opentype"
)

// Place is the position of an outline in font units: its origin in layer pixels, and the number of pixels per unit.
type Place struct {
	X, Y, Scale float32
}

func (p Place) at(s ot.SegmentPoint) (float32, float32) { return p.X + s.X*p.Scale, p.Y - s.Y*p.Scale }

// Fill adds an outline.
func (b *Brush) Fill(o font.GlyphOutline, p Place) {
	open := false
	for _, s := range o.Segments {
		x, y := p.at(s.Args[0])
		switch s.Op {
		case ot.SegmentOpMoveTo:
			if open {
				b.Close()
			}
			b.MoveTo(x, y)
			open = true
		case ot.SegmentOpLineTo:
			b.LineTo(x, y)
		case ot.SegmentOpQuadTo:
			x1, y1 := p.at(s.Args[1])
			b.QuadTo(x, y, x1, y1)
		case ot.SegmentOpCubeTo:
			x1, y1 := p.at(s.Args[1])
			x2, y2 := p.at(s.Args[2])
			b.CubeTo(x, y, x1, y1, x2, y2)
		}
	}
	if open {
		b.Close()
	}
}

type point struct{ x, y float32 }

// Stroke adds the band of the given half width around an outline, with round joins. All pieces have the same winding
// direction, so that overlapping pieces add up instead of cancelling.
func (b *Brush) Stroke(o font.GlyphOutline, p Place, half float32) {
	if half <= 0 {
		return
	}
	for _, contour := range flatten(o, p) {
		b.band(contour, half)
	}
}

// flatten returns an outline as closed polygons in layer pixels.
func flatten(o font.GlyphOutline, p Place) [][]point {
	var out [][]point
	var cur []point
	for _, s := range o.Segments {
		x, y := p.at(s.Args[0])
		switch s.Op {
		case ot.SegmentOpMoveTo:
			if len(cur) > 2 {
				out = append(out, cur)
			}
			cur = []point{{x, y}}
		case ot.SegmentOpLineTo:
			cur = append(cur, point{x, y})
		case ot.SegmentOpQuadTo:
			x1, y1 := p.at(s.Args[1])
			a := cur[len(cur)-1]
			n := steps(a, point{x, y}, point{x1, y1})
			for i := 1; i <= n; i++ {
				t := float32(i) / float32(n)
				u := 1 - t
				cur = append(cur, point{u*u*a.x + 2*u*t*x + t*t*x1, u*u*a.y + 2*u*t*y + t*t*y1})
			}
		case ot.SegmentOpCubeTo:
			x1, y1 := p.at(s.Args[1])
			x2, y2 := p.at(s.Args[2])
			a := cur[len(cur)-1]
			n := max(steps(a, point{x, y}, point{x1, y1}), steps(point{x, y}, point{x1, y1}, point{x2, y2})) + 1
			for i := 1; i <= n; i++ {
				t := float32(i) / float32(n)
				u := 1 - t
				cur = append(cur, point{
					u*u*u*a.x + 3*u*u*t*x + 3*u*t*t*x1 + t*t*t*x2,
					u*u*u*a.y + 3*u*u*t*y + 3*u*t*t*y1 + t*t*t*y2,
				})
			}
		}
	}
	if len(cur) > 2 {
		out = append(out, cur)
	}
	return out
}

// steps returns the number of straight pieces for a curve that keep the error within about a sixth of a pixel.
func steps(a, c, b point) int {
	dx, dy := float64(a.x-2*c.x+b.x), float64(a.y-2*c.y+b.y)
	return min(max(int(math.Ceil(math.Sqrt(math.Hypot(dx, dy)*1.5))), 1), 16)
}

func (b *Brush) band(c []point, half float32) {
	n := len(c)
	for n > 1 && c[0] == c[n-1] {
		n--
	}
	var px, py float32 // normal of the edge before, times half
	prev := false
	for i := 0; i <= n; i++ {
		a, e := c[i%n], c[(i+1)%n]
		dx, dy := e.x-a.x, e.y-a.y
		l := float32(math.Hypot(float64(dx), float64(dy)))
		if l < 1e-4 {
			continue
		}
		nx, ny := -dy/l*half, dx/l*half
		if prev {
			b.join(a, px, py, nx, ny, half)
		}
		px, py, prev = nx, ny, true
		if i == n {
			break
		}
		b.MoveTo(a.x+nx, a.y+ny)
		b.LineTo(a.x-nx, a.y-ny)
		b.LineTo(e.x-nx, e.y-ny)
		b.LineTo(e.x+nx, e.y+ny)
		b.Close()
	}
}

// join fills the wedge on the outer side of a corner with a round join.
func (b *Brush) join(a point, px, py, nx, ny, half float32) {
	cross := px*ny - py*nx
	dot := px*nx + py*ny
	turn := math.Atan2(float64(cross), float64(dot))
	if math.Abs(turn) < 0.01 {
		return
	}
	if cross > 0 { // in this direction the outer side is the other one
		px, py = -px, -py
	}
	n := max(int(math.Ceil(math.Abs(turn)/0.45*math.Sqrt(float64(half)/6+0.4))), 1)
	start := math.Atan2(float64(py), float64(px))
	b.MoveTo(a.x, a.y)
	put := func(i int) {
		at := start + turn*float64(i)/float64(n)
		b.LineTo(a.x+half*float32(math.Cos(at)), a.y+half*float32(math.Sin(at)))
	}
	if turn > 0 { // keep the winding direction of the edges
		for i := 0; i <= n; i++ {
			put(i)
		}
	} else {
		for i := n; i >= 0; i-- {
			put(i)
		}
	}
	b.Close()
}
