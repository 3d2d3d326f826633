// SPDX-License-Identifier: Apache-2.0

package avatar

import (
	"math"

	p "github.com/reelops/reelops/internal/content/imagery/paint"
)

// pt is a point. In a figure's own space one unit is one pixel before scaling, and the origin is the middle between the
// eyes.
type pt struct{ x, y float32 }

func (a pt) lerp(b pt, t float32) pt { return pt{a.x + (b.x-a.x)*t, a.y + (b.y-a.y)*t} }

// shape is a set of closed outlines. Curves are flattened on creation, so that a shape can be bent by any function.
type shape [][]pt

// curveSteps is the number of line segments per curve segment.
const curveSteps = 10

// loop returns a smooth closed outline through points.
func loop(pts ...pt) shape { return shape{spline(true, pts)} }

// curve returns a smooth open line through points.
func curve(pts ...pt) []pt { return spline(false, pts) }

// spline returns a curve through all points (Catmull-Rom with centripetal knots, which neither loops nor overshoots).
func spline(closed bool, pts []pt) []pt {
	n := len(pts)
	at := func(i int) pt {
		if closed {
			return pts[(i+n)%n]
		}
		switch {
		case i < 0:
			return pt{2*pts[0].x - pts[1].x, 2*pts[0].y - pts[1].y}
		case i >= n:
			return pt{2*pts[n-1].x - pts[n-2].x, 2*pts[n-1].y - pts[n-2].y}
		}
		return pts[i]
	}
	pieces := n - 1
	if closed {
		pieces = n
	}
	out := make([]pt, 0, pieces*curveSteps+1)
	for i := range pieces {
		a, b, c, d := at(i-1), at(i), at(i+1), at(i+2)
		t1 := knot(a, b)
		t2 := t1 + knot(b, c)
		t3 := t2 + knot(c, d)
		for s := range curveSteps {
			t := t1 + (t2-t1)*float32(s)/curveSteps
			ab, bc, cd := a.lerp(b, t/t1), b.lerp(c, (t-t1)/(t2-t1)), c.lerp(d, (t-t2)/(t3-t2))
			abc, bcd := ab.lerp(bc, t/t2), bc.lerp(cd, (t-t1)/(t3-t1))
			out = append(out, abc.lerp(bcd, (t-t1)/(t2-t1)))
		}
	}
	if !closed {
		out = append(out, pts[n-1])
	}
	return out
}

// knot returns the distance of two knots of a spline: the square root of the distance of the points, at least 0.05.
func knot(a, b pt) float32 {
	return max(p.Sqrt(p.Sqrt((b.x-a.x)*(b.x-a.x)+(b.y-a.y)*(b.y-a.y))), 0.05)
}

// ellipse returns an ellipse that is turned by a radians.
func ellipse(cx, cy, rx, ry, a float32) shape {
	const n = 40
	out := make([]pt, n)
	sin, cos := p.Sin(a), p.Cos(a)
	for i := range out {
		f := float32(i) * 2 * math.Pi / n
		x, y := p.Cos(f)*rx, p.Sin(f)*ry
		out[i] = pt{cx + x*cos - y*sin, cy + x*sin + y*cos}
	}
	return shape{out}
}

// mirrored returns the points followed by their mirror images at x = 0 in reverse order, so that half an outline makes
// a whole one. Points at x = 0 are not repeated.
func mirrored(half ...pt) []pt {
	out := append([]pt(nil), half...)
	for i := len(half) - 1; i >= 0; i-- {
		if half[i].x != 0 {
			out = append(out, pt{-half[i].x, half[i].y})
		}
	}
	return out
}

// flip returns the shape mirrored at x = 0.
func (s shape) flip() shape {
	return s.bend(func(q pt) pt { return pt{-q.x, q.y} })
}

// shift returns the shape moved by dx, dy.
func (s shape) shift(dx, dy float32) shape {
	return s.bend(func(q pt) pt { return pt{q.x + dx, q.y + dy} })
}

// bend returns the shape with f applied to every point.
func (s shape) bend(f func(pt) pt) shape {
	out := make(shape, len(s))
	for i, line := range s {
		out[i] = bendLine(line, f)
	}
	return out
}

func bendLine(line []pt, f func(pt) pt) []pt {
	out := make([]pt, len(line))
	for i, q := range line {
		out[i] = f(q)
	}
	return out
}

// stroke returns the outline of a line whose half width at t (0 at its start, 1 at its end) is width(t).
func stroke(line []pt, width func(t float32) float32) shape {
	n := len(line)
	left, right := make([]pt, n), make([]pt, n)
	for i, q := range line {
		a, b := line[max(i-1, 0)], line[min(i+1, n-1)]
		dx, dy := b.x-a.x, b.y-a.y
		l := max(p.Sqrt(dx*dx+dy*dy), 1e-4)
		w := width(float32(i) / float32(n-1))
		left[i] = pt{q.x - dy/l*w, q.y + dx/l*w}
		right[n-1-i] = pt{q.x + dy/l*w, q.y - dx/l*w}
	}
	return shape{append(left, right...)}
}

// even returns the width function of a stroke with the half width w and thin ends.
func even(w float32) func(float32) float32 {
	return func(t float32) float32 { return w * p.Sqrt(max(0, 1-p.Pow(p.Abs(2*t-1), 6))) }
}

// taper returns the width function of a stroke that has the half width w at peak (0 to 1) and is thin at both ends.
func taper(w, peak float32) func(float32) float32 {
	return func(t float32) float32 {
		if t < peak {
			t = t / peak
		} else {
			t = (1 - t) / (1 - peak)
		}
		return w * p.Sqrt(p.Clamp(t*(2-t), 0, 1))
	}
}

// between interpolates between two lines with the same number of points: t = 0 returns a, t = 1 returns b.
func between(a, b []pt, t float32) []pt {
	out := make([]pt, len(a))
	for i := range a {
		out[i] = a[i].lerp(b[i], t)
	}
	return out
}
