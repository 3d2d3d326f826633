// SPDX-License-Identifier: Apache-2.0

package starter

import (
	p "github.com/reelops/reelops/internal/content/imagery/paint"
)

var techGrid = []entry{
	{
		"Synthwave horizon", "A neon grid running to a striped retro sun on a purple horizon.",
		"technology neon grid synthwave retro sun purple pink eighties gaming future night",
		p.Look{Grain: 1.6, Vignette: 0.2},
		synthwave,
	},
	{
		"Constellation network", "Glowing points joined by fine lines on deep blue, like data on the move.",
		"technology network data blue dark connection ai internet software science business glow points",
		p.Look{Grain: 1.5, Vignette: 0.25},
		func(c *p.Canvas, r *p.Rand) {
			network(c, r, even(0x04091c, 0x0a1a40, 0x0c2c56, 0x050d24), hex(0x5fc4ff), hex(0xb5f0ff))
		},
	},
	{
		"Contour lines", "Fine contour lines of an unknown land on dark green slate.",
		"technology contour topography lines map green dark minimal pattern data science design",
		p.Look{Grain: 1.8, Vignette: 0.2},
		func(c *p.Canvas, r *p.Rand) {
			contours(c, r, even(0x0b1c1c, 0x102b2a, 0x0a1616), hex(0x58c9a5))
		},
	},
	{
		"Wave of dots", "A wave made of thousands of glowing dots in violet and cyan.",
		"technology data dots wave violet cyan dark particles ai future abstract",
		p.Look{Grain: 1.4, Vignette: 0.2},
		dotWave,
	},
	{
		"Light blue contours", "Thin coral contour lines on a clean pale blue page.",
		"technology contour lines light blue clean minimal pattern coral map design workspace",
		p.Look{Grain: 1.6, Vignette: 0.04},
		func(c *p.Canvas, r *p.Rand) {
			contours(c, r, even(0xdceaf4, 0xcbdfee, 0xd6e6f0), hex(0xe0735a))
		},
	},
	{
		"Ember network", "Amber sparks and lines linking up in the dark.",
		"technology network amber orange dark sparks energy startup finance crypto data connection warm",
		p.Look{Grain: 1.5, Vignette: 0.25},
		func(c *p.Canvas, r *p.Rand) {
			network(c, r, even(0x0f0806, 0x25110a, 0x3a1a0c, 0x100805), hex(0xff9440), hex(0xffe0a8))
		},
	},
}

func synthwave(c *p.Canvas, r *p.Rand) {
	line := c.H * 0.6
	sky := even(0x0a0524, 0x2a0c58, 0x7a1f88, 0xf0508c)
	c.Shade(func(_, y float32) p.Color { return sky.At(y / line) })
	stars(c, r, 500, 0.5, 0.9)
	sx, sy, rad := c.W*0.5, line-c.W*0.2, c.W*0.3
	c.Halo(sx, sy, c.W*0.9, hex(0xff5fa0), 0.45)
	face := even(0xffe36a, 0xff9a4a, 0xff3f8a)
	c.Paint((&p.Path{}).Circle(sx, sy, rad), func(_, y float32) (p.Color, float32) {
		t := (y - sy + rad) / (2 * rad)
		a := float32(1)
		if t > 0.45 { // slits that widen downwards
			k := (t - 0.45) * 13
			f := k - float32(p.Floor(k))
			w := 0.1 + 0.5*(t-0.45)
			a = p.Smooth(w-0.04, w+0.04, f)
		}
		return face.At(t), a
	})
	n := p.Noise(r.Seed32())
	hill := c.Ridge(func(x float32) float32 {
		e := p.Abs(x/c.W-0.5) * 2
		return line - c.H*0.09*e*e*(0.4+n.Ridged(x/c.W*3, 0.2, 4))
	})
	c.Fill(hill, func(_, _, d float32) (p.Color, float32) {
		return hex(0x14082e).Lerp(hex(0x3a1262), p.Smooth(0, c.H*0.08, d)), 1
	})
	neon := hex(0xff4fc0)
	c.Rows(int(line), int(c.H), func(yi int, row []p.Color) {
		y := float32(yi) + 0.5
		d := (y - line + 1) / (c.H - line)
		z := 1 / d
		dz := z * z / (c.H - line)
		fy := z*2.1 - float32(p.Floor(z*2.1))
		ey := min(fy, 1-fy) / (2.1 * dz) // pixels to the next cross line
		fade := p.Smooth(0, 0.25, d)
		ky := lineLight(ey, 1.4*c.U*(0.5+2*d)) * fade
		ground := hex(0x0c0424).Lerp(hex(0x2a0a4e), 1-d)
		for x := range row {
			u := (float32(x) + 0.5 - sx) / c.W * 5 * z * 0.55
			fx := u - float32(p.Floor(u))
			ex := min(fx, 1-fx) * c.W / (5 * z * 0.55)
			k := max(ky, lineLight(ex, 1.4*c.U*(0.5+2*d))*fade)
			row[x] = ground.Add(neon.Scale(k * 0.9)).Add(hex(0xff8ad8).Scale(0.5 * p.Smooth(0.12, 0, d)))
		}
	})
}

// lineLight returns the brightness d pixels from a glowing line of half width w.
func lineLight(d, w float32) float32 {
	q := max(d-w, 0) / (w * 3)
	return p.Clamp(w-d+0.5, 0, 1)*0.75 + 0.35/(1+q*q*4)*p.Smooth(4, 0, q)
}

func network(c *p.Canvas, r *p.Rand, sky *p.Ramp, wire, node p.Color) {
	c.Sky(sky)
	for range 4 {
		c.Glow(r.Float()*c.W, r.Float()*c.H, c.W*r.In(0.4, 0.8), wire, 0.09)
	}
	n := int(150 * c.W * c.H / (c.U * c.U * 1080 * 1920))
	at := make([][3]float32, n)
	for i := range at {
		at[i] = [3]float32{r.In(-0.03, 1.03) * c.W, r.In(-0.03, 1.03) * c.H, r.Float()}
	}
	reach := 215 * c.U
	const classes = 4
	var by [classes]p.Path
	for i := range at {
		for j := range i {
			dx, dy := at[i][0]-at[j][0], at[i][1]-at[j][1]
			d := p.Sqrt(dx*dx + dy*dy)
			if d > reach || d < 1 {
				continue
			}
			w := 0.8 * c.U
			ox, oy := -dy/d*w, dx/d*w
			k := int((1 - d/reach) * classes)
			by[min(k, classes-1)].Move(at[i][0]+ox, at[i][1]+oy).Line(at[j][0]+ox, at[j][1]+oy).
				Line(at[j][0]-ox, at[j][1]-oy).Line(at[i][0]-ox, at[i][1]-oy)
		}
	}
	for k := range by {
		c.Flat(&by[k], wire, 0.14+0.16*float32(k))
	}
	for _, a := range at {
		s := (2 + 6*a[2]*a[2]*a[2]) * c.U
		c.Glow(a[0], a[1], s*7, wire, 0.3+0.5*a[2])
		c.Disc(a[0], a[1], s*0.8, 1.5*c.U, node, 0.95)
	}
}

func contours(c *p.Canvas, r *p.Rand, ground *p.Ramp, ink p.Color) {
	n := p.Noise(r.Seed32())
	f := c.Field(4, func(x, y float32) float32 {
		u, v := x/c.W, y/c.W
		w := n.FBM(u*0.8, v*0.8, 2)
		return 11 * (0.5 + 0.5*(n+5).FBM(u*0.95+0.6*w, v*0.95+0.6*w, 3))
	})
	c.Shade(func(x, y float32) p.Color {
		h := f.At(x, y)
		gx, gy := f.At(x+3, y)-f.At(x-3, y), f.At(x, y+3)-f.At(x, y-3)
		g := p.Sqrt(gx*gx+gy*gy)/6 + 1e-5
		i := p.Floor(h*2 + 0.5)
		d := p.Abs(h*2-float32(i)) / (2 * g)
		w := 0.8 * c.U
		a := float32(0.5)
		if i%5 == 0 {
			w, a = 1.5*c.U, 0.95
		}
		col := ground.At(y/c.H).Lerp(ink, 0.05*p.Clamp(h-4, 0, 4))
		return col.Lerp(ink, a*p.Clamp(w-d+0.5, 0, 1))
	})
}

func dotWave(c *p.Canvas, r *p.Rand) {
	c.Sky(even(0x070418, 0x140a38, 0x0d1040, 0x060618))
	c.Glow(c.W*0.75, c.H*0.62, c.W*0.9, hex(0x5a2fd0), 0.3)
	c.Glow(c.W*0.15, c.H*0.8, c.W*0.7, hex(0x1590c0), 0.25)
	n := p.Noise(r.Seed32())
	ramp := even(0x39e0ff, 0x6a8cff, 0xb45cff, 0xff6ad0)
	const rows = 64
	for j := range rows {
		t := (float32(j) + 0.5) / rows // far to near
		z := 1 / (0.22 + 0.78*t)
		y0 := c.H * p.Lerp(0.46, 1.02, t*t*0.6+t*0.4)
		gap := 30 * c.U / z * 1.15
		count := int(c.W/gap) + 2
		for i := range count {
			x := c.W*0.5 + (float32(i)-float32(count)/2)*gap
			wx := (x - c.W*0.5) / c.W * z
			h := n.FBM(wx*1.5+3, t*2.4, 2) + 0.35*p.Sin(wx*5+t*6)
			y := y0 - h*c.H*0.1/z*1.4
			k := p.Smooth(0, 0.25, t) * (0.35 + 0.65*p.Smooth(-0.5, 0.6, h))
			col := ramp.At(0.5 + wx*0.35 + h*0.35)
			c.Disc(x, y, (1+3.4*t)*c.U*(0.6+0.5*p.Smooth(-0.4, 0.7, h)), 1.4*c.U, col, k)
			if h > 0.35 {
				c.Glow(x, y, 16*c.U*t, col, 0.35*k)
			}
		}
	}
}
