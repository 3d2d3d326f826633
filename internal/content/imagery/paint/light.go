// SPDX-License-Identifier: Apache-2.0

package paint

// box calls f for the pixels of a circle's bounding box with the squared distance
// to its centre.
func (c *Canvas) box(cx, cy, r float32, f func(p *Color, d2 float32)) {
	x0, x1 := max(Floor(cx-r-1), 0), min(Floor(cx+r+2), c.w)
	if x1 <= x0 {
		return
	}
	rows := func(y int, row []Color) {
		dy := float32(y) + 0.5 - cy
		for x := x0; x < x1; x++ {
			dx := float32(x) + 0.5 - cx
			f(&row[x], dx*dx+dy*dy)
		}
	}
	y0, y1 := Floor(cy-r-1), Floor(cy+r+2)
	if r > 60 { // below this a goroutine costs more than it saves
		c.Rows(y0, y1, rows)
		return
	}
	for y := max(y0, 0); y < min(y1, c.h); y++ {
		rows(y, c.pix[y*c.w:(y+1)*c.w])
	}
}

// Glow adds light that fades to nothing at radius r.
func (c *Canvas) Glow(cx, cy, r float32, col Color, strength float32) {
	k := 1 / (r * r)
	c.box(cx, cy, r, func(p *Color, d2 float32) {
		if q := 1 - d2*k; q > 0 {
			*p = p.Add(col.Scale(q * q * q * strength))
		}
	})
}

// Halo adds light with a bright core and a long tail, as haze around a sun.
func (c *Canvas) Halo(cx, cy, r float32, col Color, strength float32) {
	k := 1 / (r * r)
	c.box(cx, cy, r, func(p *Color, d2 float32) {
		if q := d2 * k; q < 1 {
			e := (1 - q) * (1 - q)
			*p = p.Add(col.Scale(strength * e / (1 + 24*q)))
		}
	})
}

// Disc paints a round shape with an edge softened over soft pixels; a is its
// opacity.
func (c *Canvas) Disc(cx, cy, r, soft float32, col Color, a float32) {
	soft = max(soft, 1)
	c.box(cx, cy, r+soft/2, func(p *Color, d2 float32) {
		e := Clamp((r-Sqrt(d2))/soft+0.5, 0, 1)
		if e > 0 {
			*p = p.Lerp(col, a*e*e*(3-2*e))
		}
	})
}

// Bokeh adds the disc of an out-of-focus lamp: even in the middle, brighter at
// the rim (0 to 1), with an edge of soft pixels.
func (c *Canvas) Bokeh(cx, cy, r, soft, rim float32, col Color, strength float32) {
	soft = max(soft, 1.2)
	c.box(cx, cy, r+soft/2, func(p *Color, d2 float32) {
		d := Sqrt(d2)
		e := Clamp((r-d)/soft+0.5, 0, 1)
		if e <= 0 {
			return
		}
		q := d / r
		q *= q
		k := e * e * (3 - 2*e) * (1 - rim + rim*(0.4+1.6*q*q*q))
		*p = p.Add(col.Scale(strength * k))
	})
}

// Star adds a point of light with a small core and a faint halo.
func (c *Canvas) Star(cx, cy, r float32, col Color, strength float32) {
	c.box(cx, cy, r*4, func(p *Color, d2 float32) {
		q := d2 / (r * r)
		if q < 16 {
			e := 1 - q/16
			*p = p.Add(col.Scale(strength * (1/(1+3*q*q) + 0.06*e*e) * e))
		}
	})
}
