// SPDX-License-Identifier: Apache-2.0

package paint

// Ridge is a line across the canvas with everything below it filled: hills,
// dunes, waves, roofs.
type Ridge struct {
	top  []float32 // height in pixels from above, one for each column
	norm []float32 // 1 / length of (1, slope): converts vertical to true distance
}

// Ridge returns a sampled line; f returns y for x, in pixels.
func (c *Canvas) Ridge(f func(x float32) float32) *Ridge {
	r := &Ridge{make([]float32, c.w), make([]float32, c.w)}
	for x := range r.top {
		r.top[x] = f(float32(x) + 0.5)
	}
	for x := range r.norm {
		a, b := r.top[max(x-1, 0)], r.top[min(x+1, c.w-1)]
		s := (b - a) / 2
		r.norm[x] = 1 / Sqrt(1+s*s)
	}
	return r
}

// Top returns the line's height at a column.
func (r *Ridge) Top(x float32) float32 {
	return r.top[min(max(int(x), 0), len(r.top)-1)]
}

// Slope returns the line's rise per pixel, averaged over span pixels on both sides.
func (r *Ridge) Slope(x, span float32) float32 {
	return (r.Top(x+span) - r.Top(x-span)) / (2 * span)
}

func (r *Ridge) highest() int {
	m := r.top[0]
	for _, t := range r.top {
		m = min(m, t)
	}
	return Floor(m)
}

// Fill paints below the line. shade receives the point and the depth below the line in pixels, and returns the colour
// and the opacity.
func (c *Canvas) Fill(r *Ridge, shade func(x, y, depth float32) (Color, float32)) {
	c.Rows(r.highest()-2, c.h, func(y int, row []Color) {
		fy := float32(y) + 0.5
		for x := range row {
			depth := fy - r.top[x]
			cover := depth*r.norm[x] + 0.5
			if cover <= 0 {
				continue
			}
			col, a := shade(float32(x)+0.5, fy, max(depth, 0))
			if cover < 1 {
				a *= cover
			}
			if a >= 1 {
				row[x] = col
			} else {
				row[x] = row[x].Lerp(col, a)
			}
		}
	})
}

// CastUp darkens the area above and behind the line, like the shadow of a raised paper edge on the sheet behind it:
// reach in pixels, strength 0 to 1, tint the shadow colour.
func (c *Canvas) CastUp(r *Ridge, reach, strength float32, tint Color) {
	c.Rows(r.highest()-int(reach)-1, c.h, func(y int, row []Color) {
		fy := float32(y) + 0.5
		for x := range row {
			d := (r.top[x] - fy) * r.norm[x]
			if d >= reach || d < -2 {
				continue
			}
			t := 1 - max(d, 0)/reach
			row[x] = row[x].Lerp(row[x].Mul(tint), strength*t*t*t)
		}
	})
}
