// SPDX-License-Identifier: Apache-2.0

package paint

// Smooth adds a closed curve through the points, given as pairs of x and y. At least three points are needed.
func (p *Path) Smooth(xy ...float32) *Path {
	n := len(xy) / 2
	pts := make([]point, n)
	area := float32(0)
	for i := range pts {
		pts[i] = point{xy[2*i], xy[2*i+1]}
	}
	for i, a := range pts {
		b := pts[(i+1)%n]
		area += a.x*b.y - b.x*a.y
	}
	if area < 0 { // All pieces have the same winding direction, so that overlapping ones never cut holes.
		for i, j := 0, n-1; i < j; i, j = i+1, j-1 {
			pts[i], pts[j] = pts[j], pts[i]
		}
	}
	p.Move(pts[0].x, pts[0].y)
	for i := range pts {
		a, b, c, d := pts[(i+n-1)%n], pts[i], pts[(i+1)%n], pts[(i+2)%n]
		p.Cubic(b.x+(c.x-a.x)/6, b.y+(c.y-a.y)/6, c.x-(d.x-b.x)/6, c.y-(d.y-b.y)/6, c.x, c.y)
	}
	return p
}

// Curve returns points on a smooth open curve through the given ones, as pairs of x and y.
func Curve(xy ...float32) []float32 {
	const steps = 9
	n := len(xy) / 2
	at := func(i int) point {
		i = min(max(i, 0), n-1)
		return point{xy[2*i], xy[2*i+1]}
	}
	out := []float32{xy[0], xy[1]}
	for i := range n - 1 {
		a, b, c, d := at(i-1), at(i), at(i+1), at(i+2)
		for k := 1; k <= steps; k++ {
			t := float32(k) / steps
			mix := func(a, b, c, d float32) float32 {
				return b + 0.5*t*(c-a+t*(2*a-5*b+4*c-d+t*(3*(b-c)+d-a)))
			}
			out = append(out, mix(a.x, b.x, c.x, d.x), mix(a.y, b.y, c.y, d.y))
		}
	}
	return out
}

// Stroke adds a line through the points, given as pairs of x and y, with round ends and joins. Its width is w0 at
// the start and w1 at the end.
func (p *Path) Stroke(w0, w1 float32, xy ...float32) *Path {
	n := len(xy) / 2
	half := func(i int) float32 { return Lerp(w0, w1, float32(i)/float32(max(n-1, 1))) / 2 }
	for i := range n {
		x, y, r := xy[2*i], xy[2*i+1], half(i)
		p.Circle(x, y, r)
		if i+1 == n {
			break
		}
		u, v, q := xy[2*i+2], xy[2*i+3], half(i+1)
		dx, dy := u-x, v-y
		long := Sqrt(dx*dx + dy*dy)
		if long == 0 {
			continue
		}
		dx, dy = -dy/long, dx/long
		p.Move(x-dx*r, y-dy*r).Line(u-dx*q, v-dy*q).Line(u+dx*q, v+dy*q).Line(x+dx*r, y+dy*r)
	}
	return p
}

// Hole cuts an ellipse out of the pieces added before. It must be within them.
func (p *Path) Hole(cx, cy, rx, ry float32) *Path { return p.Ellipse(cx, cy, -rx, ry) }

// Ring adds a circle with a round hole in its middle.
func (p *Path) Ring(cx, cy, r, hole float32) *Path {
	return p.Circle(cx, cy, r).Hole(cx, cy, hole, hole)
}
