// SPDX-License-Identifier: Apache-2.0

package starter

import (
	p "github.com/reelops/reelops/internal/content/imagery/paint"
)

var nightSky = []entry{
	{
		"Milky way over hills", "The Milky Way rising over dark hills under a deep blue sky full of stars.",
		"night stars milky-way galaxy hills space dark blue dream universe calm astronomy travel",
		p.Look{Grain: 1.5, Vignette: 0.25},
		func(c *p.Canvas, r *p.Rand) {
			c.Sky(even(0x04071a, 0x0a1338, 0x16285c, 0x2d4676, 0x6a6a8a))
			galaxy(c, r, 1.1, hex(0x8f9fe0), hex(0xe8b0a0))
			stars(c, r, 2600, 0.95, 1.3)
			hills(c, r, 0.84, even(0x0d1730, 0x070c1c, 0x03050e))
		},
	},
	{
		"Aurora over pines", "Green and violet northern lights dancing above a snowy pine forest.",
		"night aurora northern-lights pines forest green winter snow magic travel nature stars cold",
		p.Look{Grain: 1.5, Vignette: 0.25},
		func(c *p.Canvas, r *p.Rand) {
			c.Sky(even(0x03071a, 0x071a33, 0x0c3040, 0x123c44))
			stars(c, r, 1200, 0.8, 0.9)
			aurora(c, r, hex(0x38f0a0), hex(0x9a4fe0))
			hills(c, r, 0.8, even(0x17343f, 0x0b1c26))
			pines(c, r, 0.9, 0.16, hex(0x050d14))
		},
	},
	{
		"Full moon and clouds", "A large full moon lighting the edges of slow night clouds.",
		"night moon full-moon sleep clouds halloween mystery dark blue silver calm dream quiet",
		p.Look{Grain: 1.6, Vignette: 0.3},
		func(c *p.Canvas, r *p.Rand) {
			c.Sky(even(0x060a1c, 0x0f1c40, 0x223a66, 0x1a2c50))
			stars(c, r, 600, 1, 0.7)
			x, y, rad := c.W*0.62, c.H*0.27, c.W*0.15
			c.Halo(x, y, c.W*0.8, hex(0xa8c4ff), 0.5)
			moon(c, r, x, y, rad, hex(0xfdf6e3))
			nightClouds(c, r, x, y)
		},
	},
	{
		"Crescent and first stars", "A thin crescent moon in a violet dusk with the first bright stars.",
		"night moon crescent bedtime stars ramadan sky dusk violet purple evening calm minimal",
		p.Look{Grain: 1.5, Vignette: 0.15},
		func(c *p.Canvas, r *p.Rand) {
			c.Sky(even(0x140f3a, 0x2c2266, 0x5a3f94, 0xa8659f, 0xf0a08a))
			stars(c, r, 420, 0.7, 1.2)
			crescent(c, c.W*0.7, c.H*0.2, c.W*0.085, hex(0xfff3d6))
			hills(c, r, 0.86, even(0x5a3a70, 0x331f4f, 0x1a102e))
		},
	},
	{
		"Lake of stars", "Stars and mountains mirrored in a still lake, silent and clear.",
		"night stars lake reflection mountains blue teal calm silence nature meditation camping travel",
		p.Look{Grain: 1.5, Vignette: 0.25},
		func(c *p.Canvas, r *p.Rand) { starLake(c, r) },
	},
	{
		"Nebula", "Clouds of rose and turquoise gas between bright young stars.",
		"space nebula galaxy stars rose turquoise purple universe science dream cosmic night astronomy",
		p.Look{Grain: 1.5, Vignette: 0.35},
		func(c *p.Canvas, r *p.Rand) { nebula(c, r) },
	},
}

// galaxy adds a band of light across the sky, broken by dark dust lanes.
func galaxy(c *p.Canvas, r *p.Rand, angle float32, cool, warm p.Color) {
	n := p.Noise(r.Seed32())
	ca, sa := p.Cos(angle), p.Sin(angle)
	cx, cy := c.W*0.55, c.H*0.4
	across := func(x, y float32) float32 {
		w := n.FBM(x/c.W*1.6, y/c.W*1.6, 2) * 0.12
		return ((x-cx)*-sa+(y-cy)*ca)/c.W + w
	}
	light := c.Field(3, func(x, y float32) float32 {
		d := across(x, y)
		band := p.Exp(-d * d * 22)
		puff := 0.35 + 0.9*p.Smooth(-0.5, 0.7, (n+3).FBM(x/c.W*3.5, y/c.W*3.5, 5))
		lane := p.Smooth(0.62, 0.95, (n+8).Ridged(x/c.W*2.4, y/c.W*2.4, 4)) * p.Exp(-d*d*160)
		return band * puff * (1 - 0.85*lane)
	})
	core := c.Field(8, func(x, y float32) float32 {
		d, along := across(x, y), ((x-cx)*ca+(y-cy)*sa)/c.W
		return p.Exp(-d*d*60 - along*along*2.2)
	})
	c.Change(func(x, y float32, was p.Color) p.Color {
		l := light.At(x, y)
		return was.Add(cool.Scale(l * 0.34)).Add(warm.Scale(l * core.At(x, y) * 0.6))
	})
	for range 2200 { // star dust in the band
		along, off := r.Bell()*1.1, r.Bell()*0.16
		x, y := cx+(along*ca-off*sa)*c.W, cy+(along*sa+off*ca)*c.W
		c.Star(x, y, r.In(0.5, 0.9)*c.U, cool, r.In(0.1, 0.6)*light.At(x, y))
	}
}

// hills layers soft silhouettes from the given height down, one a ramp stop.
func hills(c *p.Canvas, r *p.Rand, from float32, ramp *p.Ramp) {
	const layers = 3
	for i := range layers {
		n, t := p.Noise(r.Seed32()), float32(i)/(layers-1)
		base := c.H * (from + (1-from)*0.62*t)
		ridge := c.Ridge(func(x float32) float32 {
			return base + n.Line(x/c.W*p.Lerp(1.6, 1.1, t)+r2(i), 6)*c.H*0.055
		})
		col, low := ramp.At(t), ramp.At(t).Scale(0.75)
		c.Fill(ridge, func(_, _, d float32) (p.Color, float32) {
			return col.Lerp(low, p.Smooth(0, c.H*0.1, d)), 1
		})
	}
}

func r2(i int) float32 { return float32(i) * 7.31 }

// aurora paints curtains of light from wavering lines, bright at their lower edge.
func aurora(c *p.Canvas, r *p.Rand, hem, top p.Color) {
	for i := range 3 {
		n := p.Noise(r.Seed32())
		base := c.H * (0.36 + 0.13*float32(i))
		tall := c.H * (0.34 + 0.05*float32(i))
		k := 0.5 + 0.25*float32(i)
		w, _ := c.Size()
		line, ray := make([]float32, w+1), make([]float32, w+1)
		for x := range line {
			u := float32(x) / c.W
			line[x] = base + n.Line(u*1.5, 3)*c.H*0.16 - u*c.H*0.08
			fold := p.Smooth(-0.6, 0.7, (n+4).Line(u*2.2, 2))
			ray[x] = k * fold * (0.45 + 0.75*p.Smooth(-0.5, 0.6, (n+9).Line(u*22, 3)))
		}
		c.Change(func(x, y float32, was p.Color) p.Color {
			ix := int(x)
			d := (line[ix] - y) / tall
			if d < -0.12 || d > 1 {
				return was
			}
			a := ray[ix]
			if d < 0 {
				a *= p.Smooth(-0.12, 0, d)
			} else {
				a *= (1 - d) * (1 - d) * p.Exp(-2.2*d)
			}
			return was.Add(hem.Lerp(top, p.Smooth(0.02, 0.6, d)).Scale(a * 0.7))
		})
	}
}

// moon paints a full moon with its seas.
func moon(c *p.Canvas, r *p.Rand, cx, cy, rad float32, col p.Color) {
	n := p.Noise(r.Seed32())
	disc := (&p.Path{}).Circle(cx, cy, rad)
	c.Paint(disc, func(x, y float32) (p.Color, float32) {
		u, v := (x-cx)/rad, (y-cy)/rad
		q := u*u + v*v
		k := 0.35 + 0.65*p.Sqrt(max(0, 1-q*0.8))
		sea := p.Smooth(0.0, 0.45, n.FBM(u*1.5, v*1.5, 4)) * 0.42
		pit := 0.12 * (n+5).FBM(u*6, v*6, 3)
		return col.Scale(0.98 * k * (1 - sea + pit)), 1
	})
}

// crescent paints the lit edge of a young moon with earthshine on the rest.
func crescent(c *p.Canvas, cx, cy, rad float32, col p.Color) {
	c.Halo(cx, cy, rad*6, col, 0.35)
	c.Change(func(x, y float32, was p.Color) p.Color {
		dx, dy := x-cx, y-cy
		d := rad - p.Sqrt(dx*dx+dy*dy)
		if d < -1 {
			return was
		}
		ox, oy := dx+rad*0.42, dy+rad*0.2
		in := p.Sqrt(ox*ox+oy*oy) - rad*0.98
		lit := p.Clamp(d+0.5, 0, 1) * p.Smooth(-1.5, rad*0.05, in)
		return was.Lerp(was.Add(col.Scale(0.03)), p.Clamp(d+0.5, 0, 1)).Lerp(col, lit)
	})
}

// nightClouds paints clouds in front of the moon; their edges are lit by the moon.
func nightClouds(c *p.Canvas, r *p.Rand, mx, my float32) {
	n := p.Noise(r.Seed32())
	dens := c.Field(3, func(x, y float32) float32 {
		u, v := x/c.W, y/c.W
		w := n.FBM(u*1.2, v*2.2, 3)
		low := p.Smooth(0.2, 0.95, y/c.H)
		return p.Smooth(0.28-0.5*low, 0.8-0.35*low, 0.25+(n+4).FBM(u*1.3+w*0.5, v*2.6+w*0.4, 5))
	})
	dark, lit := hex(0x0a1226), hex(0xbfd0f5)
	step := 14 * c.U
	c.Change(func(x, y float32, was p.Color) p.Color {
		a := dens.At(x, y)
		if a <= 0.003 {
			return was
		}
		dx, dy := mx-x, my-y
		dist := p.Sqrt(dx*dx+dy*dy) + 1
		edge := a - dens.At(x+dx/dist*step, y+dy/dist*step)
		near := 1 / (1 + dist*dist/(c.W*c.W)*7)
		k := near * (0.16*(1-a) + p.Clamp(edge*2.2, 0, 1)*0.9 + 0.1)
		return was.Lerp(dark.Lerp(lit, p.Clamp(k, 0, 1)), 0.94*a)
	})
}

func starLake(c *p.Canvas, r *p.Rand) {
	shore := c.H * 0.62
	sky := even(0x030a1e, 0x08244a, 0x11506e, 0x4f9a9a)
	c.Shade(func(x, y float32) p.Color { return sky.At(y / shore) })
	galaxy(c, r, 1.9, hex(0x86b4e0), hex(0xf0c8a0))
	stars(c, r, 1700, 0.64, 1.3)
	for i, col := range p.Hexes(0x1d4a5c, 0x0f2c3c) {
		n := p.Noise(r.Seed32())
		base := shore - c.H*(0.07-0.045*float32(i))
		ridge := c.Ridge(func(x float32) float32 {
			return base - n.Line(x/c.W*(1.3+float32(i)), 7)*c.H*0.07
		})
		c.Fill(ridge, func(_, _, d float32) (p.Color, float32) { return col.Scale(1 - 0.4*p.Smooth(0, c.H*0.07, d)), 1 })
	}
	mirror(c, r, shore, hex(0x0a3040), 0.82)
}

// mirror reflects the area above the height line into the rest of the canvas, stretched and broken by small waves.
func mirror(c *p.Canvas, r *p.Rand, line float32, tint p.Color, keep float32) {
	n := p.Noise(r.Seed32())
	c.Reflect(int(line), func(x, y float32) (sx, sy float32) {
		d := (y - line) / (c.H - line)
		wave := n.At(x/c.W*3, (y-line)/c.W*p.Lerp(70, 22, d)/1.2) * (0.6 + 5*d) * c.U
		return x + wave*2.2, line - (y-line)*0.98 - wave*1.6
	}, func(y float32, up p.Color) p.Color {
		d := (y - line) / (c.H - line)
		return up.Scale(keep).Lerp(tint.Scale(0.5), 0.15+0.55*d)
	})
}

func nebula(c *p.Canvas, r *p.Rand) {
	n := p.Noise(r.Seed32())
	c.Sky(even(0x04040f, 0x080a20, 0x05060f))
	warp := func(x, y float32) (u, v float32) {
		u, v = x/c.W*1.25, y/c.W*1.25
		return u + 0.35*n.FBM(u, v, 3), v + 0.35*(n+6).FBM(u, v, 3)
	}
	a := c.Field(4, func(x, y float32) float32 {
		u, v := warp(x, y)
		return p.Smooth(-0.1, 0.75, (n+11).FBM(u*1.1, v*1.1, 5))
	})
	b := c.Field(4, func(x, y float32) float32 {
		u, v := warp(x, y)
		return p.Smooth(-0.05, 0.8, (n+23).FBM(u*0.9+4, v*0.9, 5))
	})
	dust := c.Field(4, func(x, y float32) float32 {
		u, v := warp(x, y)
		return p.Smooth(0.6, 1.0, (n+31).Ridged(u*0.8, v*0.8, 4))
	})
	rose, teal, core := hex(0xd8487e), hex(0x2aa6b8), hex(0xffd9c0)
	c.Change(func(x, y float32, was p.Color) p.Color {
		p1, p2, d := a.At(x, y), b.At(x, y), dust.At(x, y)
		col := was.Add(rose.Scale(p1 * p1 * 1.5)).Add(teal.Scale(p2 * p2 * 3.5)).Add(core.Scale(p1 * p1 * p2 * p2 * 2.2))
		return col.Scale(1 - 0.72*d)
	})
	stars(c, r, 1500, 2, 1.1)
	for range 9 {
		x, y, k := r.Float()*c.W, r.Float()*c.H, r.In(0.5, 1.2)
		c.Halo(x, y, 46*c.U*k, hex(0xcfe2ff), 0.9)
		c.Star(x, y, 2.4*c.U*k, hex(0xffffff), 1.4)
	}
}

// pines paints a row of fir trees on the height ground (0 to 1), the tallest tall (share of the height).
func pines(c *p.Canvas, r *p.Rand, ground, tall float32, col p.Color) {
	path := &p.Path{}
	n := p.Noise(r.Seed32())
	for x := float32(-20) * c.U; x < c.W+20*c.U; x += r.In(10, 46) * c.U {
		h := c.H * tall * (0.35 + 0.65*r.Float()*p.Smooth(-0.6, 0.6, n.Line(x/c.W*2, 2)+0.4*p.Abs(x/c.W-0.5)*2))
		base := c.H * (ground + 0.03*n.Line(x/c.W*1.3+9, 2))
		fir(path, r, x, base+c.H*0.03, h)
	}
	c.Flat(path, col, 1)
	ridge := c.Ridge(func(x float32) float32 { return c.H * (ground + 0.02 + 0.03*n.Line(x/c.W*1.3+9, 2)) })
	c.Fill(ridge, func(_, _, _ float32) (p.Color, float32) { return col, 1 })
}

// fir adds one tree: a stem with drooping, uneven branches.
func fir(path *p.Path, r *p.Rand, x, base, h float32) {
	w := h * r.In(0.15, 0.2)
	tiers := 7 + int(h/40)
	if tiers > 15 {
		tiers = 15
	}
	path.Move(x, base-h)
	edge := make([][2]float32, tiers)
	for i := range edge {
		t := (float32(i) + 1) / float32(tiers)
		edge[i] = [2]float32{w * t * r.In(0.8, 1.15), base - h + h*0.94*t}
	}
	for _, e := range edge {
		path.Line(x+e[0], e[1]+h*0.012).Line(x+e[0]*0.45, e[1]-h*0.012)
	}
	path.Line(x+w*0.1, base).Line(x-w*0.1, base)
	for i := range edge {
		e := edge[tiers-1-i]
		k := r.In(0.85, 1.15)
		path.Line(x-e[0]*0.45*k, e[1]-h*0.012).Line(x-e[0]*k, e[1]+h*0.012)
	}
}
