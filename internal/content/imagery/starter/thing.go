// SPDX-License-Identifier: Apache-2.0

package starter

import (
	p "github.com/reelops/reelops/internal/content/imagery/paint"
)

// thing is the coordinate frame of an object. Outlines and shaders use its units, with the origin at x, y of the
// canvas, k pixels per unit, rotated by a radians. At scale 1, one unit is one pixel of a canvas whose short side is
// 1080.
type thing struct {
	c          *p.Canvas
	x, y, k, a float32
	tint       p.Color // factor of the ground colour in shadows
}

// shader returns the colour at a point, in the units of a thing.
type shader func(x, y float32) p.Color

// put returns a thing at a position given as shares of the canvas.
func put(c *p.Canvas, x, y, scale float32) thing {
	return thing{c: c, x: x * c.W, y: y * c.H, k: scale * c.U, tint: p.Color{R: 0.45, G: 0.37, B: 0.34}}
}

// moved returns a thing whose origin is at x, y of o, scaled and rotated.
func (o thing) moved(x, y, scale, turn float32) thing {
	sin, cos := p.Sin(o.a)*o.k, p.Cos(o.a)*o.k
	o.x, o.y = o.x+x*cos-y*sin, o.y+x*sin+y*cos
	o.k *= scale
	o.a += turn
	return o
}

// shaded returns the thing with another shadow colour.
func (o thing) shaded(rgb uint32) thing {
	o.tint = hex(rgb)
	return o
}

func outline() *p.Path { return &p.Path{} }

func (o thing) place(path *p.Path) *p.Path { return path.Turn(o.x, o.y, o.k, o.a) }

// units returns a canvas pixel in the units of the thing.
func (o thing) units(x, y float32) (ux, uy float32) {
	sin, cos := p.Sin(o.a)/o.k, p.Cos(o.a)/o.k
	x, y = x-o.x, y-o.y
	return x*cos + y*sin, y*cos - x*sin
}

// glaze fills an outline with partly transparent colours.
func (o thing) glaze(path *p.Path, shade func(x, y float32) (p.Color, float32)) {
	sin, cos := p.Sin(o.a)/o.k, p.Cos(o.a)/o.k
	o.c.Paint(o.place(path), func(x, y float32) (p.Color, float32) {
		x, y = x-o.x, y-o.y
		return shade(x*cos+y*sin, y*cos-x*sin)
	})
}

// fill paints an outline.
func (o thing) fill(path *p.Path, shade shader) {
	o.glaze(path, func(x, y float32) (p.Color, float32) { return shade(x, y), 1 })
}

// flat paints an outline in one colour.
func (o thing) flat(path *p.Path, rgb uint32) { o.c.Flat(o.place(path), hex(rgb), 1) }

// thin paints an outline in one colour with the opacity a.
func (o thing) thin(path *p.Path, rgb uint32, a float32) { o.c.Flat(o.place(path), hex(rgb), a) }

// radioWaves paints three white arcs that open to the right of x, y: the symbol of contactless cards. radius is that of
// the first arc, and step the distance to the next, in units.
func (o thing) radioWaves(x, y, radius, step, width, opacity float32) {
	for i := range 3 {
		rad := float32(i)*step + radius
		var arc []float32
		for k := range 13 {
			t := p.Lerp(-0.75, 0.75, float32(k)/12)
			arc = append(arc, x+p.Cos(t)*rad, y+p.Sin(t)*rad)
		}
		o.thin(outline().Stroke(width, width, arc...), 0xffffff, opacity)
	}
}

// shadow casts the soft shadow of an outline: moved by dx, dy and blurred, in units.
func (o thing) shadow(path *p.Path, dx, dy, blur, strength float32) {
	o.c.Shadow(o.place(path), dx*o.k, dy*o.k, blur*o.k, strength, o.tint)
}

// glint adds a soft light in the shape of an outline, blurred by the given number of units.
func (o thing) glint(path *p.Path, rgb uint32, blur, strength float32) {
	path = o.place(path)
	f := o.c.Soft(path, 2, blur*o.k)
	col := hex(rgb).Scale(strength)
	x0, y0, x1, y1 := path.Bounds()
	m := 2*blur*o.k + 1
	o.c.Rows(p.Floor(y0-m), p.Floor(y1+m)+1, func(y int, row []p.Color) {
		for x := max(p.Floor(x0-m), 0); x < min(p.Floor(x1+m)+1, len(row)); x++ {
			if v := f.At(float32(x)+0.5, float32(y)+0.5); v > 0.004 {
				row[x] = row[x].Add(col.Scale(v))
			}
		}
	})
}

// plain returns a shader of one colour.
func plain(rgb uint32) shader {
	col := hex(rgb)
	return func(_, _ float32) p.Color { return col }
}

// turned returns a shader of an upright round body (a bottle, a pot) around the axis cx, lit from the left.
func turned(cx, half float32, rgb uint32) shader {
	col := hex(rgb)
	dark, light := p.Shift(col, -0.24, 1.1, -6), p.Shift(col, 0.05, 0.95, 4)
	return func(x, _ float32) p.Color {
		t := (x - cx) / half
		out := dark.Lerp(col, p.Smooth(1.15, -0.2, t)*p.Smooth(-1.5, -0.6, t))
		out = out.Lerp(light, p.Smooth(-0.95, -0.5, t)*p.Smooth(0.05, -0.45, t))
		return out.Lerp(col, 0.25*p.Smooth(0.8, 1.02, t)) // light from the room on the far edge
	}
}

// ball returns a shader of a round body lit from the upper left.
func ball(cx, cy, r float32, rgb uint32) shader {
	col := hex(rgb)
	dark, light := p.Shift(col, -0.25, 1.05, -8), p.Shift(col, 0.08, 1, 5)
	return func(x, y float32) p.Color {
		dx, dy := (x-cx)/r, (y-cy)/r
		q := min(dx*dx+dy*dy, 1)
		k := -0.5*dx - 0.62*dy + 0.6*p.Sqrt(1-q)
		out := dark.Lerp(col, p.Smooth(-0.45, 0.6, k)).Lerp(light, p.Smooth(0.55, 1, k))
		out = out.Lerp(col, 0.3*p.Smooth(0.8, 1, q)*p.Smooth(0.2, -0.5, k))
		ex, ey := dx+0.36, dy+0.42
		s := p.Smooth(0.09, 0, ex*ex+ey*ey)
		return out.Lerp(p.Color{R: 1, G: 0.98, B: 0.94}, 0.42*s*s)
	}
}

// fade returns a shader from one colour to another between two points.
func fade(x0, y0, x1, y1 float32, from, to uint32) shader {
	ramp := even(from, to)
	dx, dy := x1-x0, y1-y0
	q := 1 / (dx*dx + dy*dy)
	return func(x, y float32) p.Color { return ramp.At(((x-x0)*dx + (y-y0)*dy) * q) }
}

// grainy returns a shader with an uneven surface: features of the given number of units, strength around 0.1.
func grainy(r *p.Rand, s shader, size, strength float32) shader {
	n := p.Noise(r.Seed32())
	return func(x, y float32) p.Color { return s(x, y).Scale(1 + strength*n.FBM(x/size, y/size, 3)) }
}

// metal returns a shader of brushed metal in bands across the x axis between x0 and x1.
func metal(x0, x1 float32, rgb uint32) shader {
	col := hex(rgb)
	ramp := p.Even(p.Shift(col, -0.2, 1, 0), p.Shift(col, 0.12, 1, 0), col, p.Shift(col, -0.16, 1, 0), p.Shift(col, 0.02,
		1, 0),
		p.Shift(col, -0.22, 1, 0))
	return func(x, _ float32) p.Color { return ramp.At((x - x0) / (x1 - x0)) }
}
