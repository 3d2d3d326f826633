// SPDX-License-Identifier: Apache-2.0

package paint

import "math"

// Box is a rectangle of layer pixels.
type Box struct{ X0, Y0, X1, Y1 float32 }

// Rounded adds a rectangle with round corners.
func (b *Brush) Rounded(r Box, radius float32) {
	b.polygon([]point{{r.X0, r.Y0}, {r.X1, r.Y0}, {r.X1, r.Y1}, {r.X0, r.Y1}}, radius)
}

// Stack adds the outline of adjacent rectangles, top to bottom, as one shape whose inner and outer corners are round.
// Neighbours of almost the same width get the same width.
func (b *Brush) Stack(boxes []Box, radius float32) {
	if len(boxes) == 0 {
		return
	}
	rows := append([]Box{}, boxes...)
	for range rows {
		for i := 1; i < len(rows); i++ {
			a, c := &rows[i-1], &rows[i]
			if d := a.X0 - c.X0; d != 0 && abs(d) < radius*2 {
				a.X0, c.X0 = min(a.X0, c.X0), min(a.X0, c.X0)
			}
			if d := a.X1 - c.X1; d != 0 && abs(d) < radius*2 {
				a.X1, c.X1 = max(a.X1, c.X1), max(a.X1, c.X1)
			}
		}
	}
	for i := 1; i < len(rows); i++ { // the wider of two neighbours keeps its whole height
		a, c := &rows[i-1], &rows[i]
		if a.Y1 < c.Y0 {
			continue
		}
		if a.X1-a.X0 >= c.X1-c.X0 {
			c.Y0 = a.Y1
		} else {
			a.Y1 = c.Y0
		}
	}
	start := 0
	for i := 1; i <= len(rows); i++ {
		if i == len(rows) || rows[i].Y0 > rows[i-1].Y1 || rows[i].X0 > rows[i-1].X1 || rows[i].X1 < rows[i-1].X0 {
			b.polygon(stairs(rows[start:i]), radius)
			start = i
		}
	}
}

// stairs returns the outline of adjacent rows: down the right side, up the left.
func stairs(rows []Box) []point {
	var out []point
	add := func(x, y float32) {
		n := len(out)
		if n > 0 && out[n-1] == (point{x, y}) {
			return
		}
		if n > 1 && out[n-1].x == x && out[n-2].x == x {
			out[n-1].y = y
			return
		}
		out = append(out, point{x, y})
	}
	add(rows[0].X0, rows[0].Y0)
	for _, r := range rows {
		add(r.X1, r.Y0)
		add(r.X1, r.Y1)
	}
	for i := len(rows) - 1; i >= 0; i-- {
		add(rows[i].X0, rows[i].Y1)
		add(rows[i].X0, rows[i].Y0)
	}
	if n := len(out); n > 1 && out[n-1] == out[0] {
		out = out[:n-1]
	}
	return out
}

// polygon adds a closed shape of right-angled corners, each rounded as far as the length of its edges allows.
func (b *Brush) polygon(c []point, radius float32) {
	n := len(c)
	for i := range n {
		p, q, r := c[(i+n-1)%n], c[i], c[(i+1)%n]
		lin, lout := length(p, q), length(q, r)
		k := min(radius, lin/2, lout/2)
		ax, ay := q.x+(p.x-q.x)/lin*k, q.y+(p.y-q.y)/lin*k
		ex, ey := q.x+(r.x-q.x)/lout*k, q.y+(r.y-q.y)/lout*k
		if i == 0 {
			b.MoveTo(ax, ay)
		} else {
			b.LineTo(ax, ay)
		}
		const round = 0.5523 // of the way to the corner: a cubic approximation of a quarter circle
		b.CubeTo(ax+(q.x-ax)*round, ay+(q.y-ay)*round, ex+(q.x-ex)*round, ey+(q.y-ey)*round, ex, ey)
	}
	b.Close()
}

func length(a, b point) float32 {
	return max(float32(math.Hypot(float64(a.x-b.x), float64(a.y-b.y))), 1e-6)
}

func abs(v float32) float32 {
	if v < 0 {
		return -v
	}
	return v
}
