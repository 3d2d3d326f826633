// SPDX-License-Identifier: Apache-2.0

package starter

import (
	p "github.com/reelops/reelops/internal/content/imagery/paint"
)

var bokehLights = []entry{
	{
		"Golden evening lights", "Out-of-focus golden lamps floating over a dark brown evening.",
		"bokeh lights gold warm evening party celebration night christmas elegant cosy restaurant glow",
		p.Look{Grain: 1.6, Vignette: 0.3},
		func(c *p.Canvas, r *p.Rand) {
			c.Sky(even(0x0d0705, 0x24120a, 0x3f200e, 0x1a0d08))
			lamps(c, r, p.Hexes(0xffb347, 0xffd27f, 0xff8c2e, 0xffe6b0), 70, 0.62, 0.32, 0.3)
		},
	},
	{
		"Neon rain street", "Blue and pink street lights blurred by a rainy window at night.",
		"bokeh lights city neon blue pink rain night street urban nightlife window",
		p.Look{Grain: 1.8, Vignette: 0.25},
		func(c *p.Canvas, r *p.Rand) {
			c.Sky(even(0x050816, 0x0d1434, 0x241646, 0x0a0a20))
			lamps(c, r, p.Hexes(0x3aa0ff, 0xff4fa3, 0x7a5cff, 0x35e0e6, 0xff8a5c), 54, 0.6, 0.3, 0.24)
			drops(c, r, 150)
		},
	},
	{
		"Forest sunlight", "Sunlight falling through leaves, softened into round green and yellow spots.",
		"bokeh nature forest leaves green yellow sunlight spring summer fresh garden health morning",
		p.Look{Grain: 1.6, Vignette: 0.25},
		func(c *p.Canvas, r *p.Rand) {
			mesh(c, r, even(0xd9e77a, 0x7fae3c, 0x356b2b, 0x123a1e), even(0xf4f0a8, 0x9cc04a, 0x1f5a2c, 0x0c2a18), 1.45, 0.3)
			lamps(c, r, p.Hexes(0xe9ff8a, 0xfff3a6, 0xa6d94f, 0x6fbf4a), 80, 0.3, 0.42, 0.2)
		},
	},
	{
		"Champagne sparkle", "Pale champagne discs of light on a bright cream background.",
		"bokeh sparkle champagne cream bright wedding celebration beauty elegant luxury light festive",
		p.Look{Grain: 1.6, Vignette: 0.1},
		func(c *p.Canvas, r *p.Rand) {
			mesh(c, r, even(0xe9d3b4, 0xd9b48c, 0xc39a74, 0xe6c9a8), even(0xf3e2c9, 0xe2bf99, 0xcfa27d, 0xdab692), 1.3, 0.4)
			lamps(c, r, p.Hexes(0xfff0d0, 0xffe2b8, 0xffffff), 90, 0.45, 0.5, 0.14)
		},
	},
	{
		"Winter blue lights", "Cold blue and silver lights with a hint of snow, quiet and festive.",
		"bokeh lights winter blue silver snow christmas holiday cold calm night new-year festive",
		p.Look{Grain: 1.6, Vignette: 0.3},
		func(c *p.Canvas, r *p.Rand) {
			c.Sky(even(0x071226, 0x0f2a4f, 0x1d4d7a, 0x0a1c38))
			lamps(c, r, p.Hexes(0x9fd0ff, 0xe8f4ff, 0x5c9cf0, 0xb8c8ff), 64, 0.66, 0.36, 0.26)
			for range 220 {
				c.Glow(r.Float()*c.W, r.Float()*c.H, r.In(2, 9)*c.U, hex(0xffffff), r.In(0.1, 0.6))
			}
		},
	},
	{
		"Sunset harbour blur", "Blurred harbour lights and their reflections under a red and violet dusk.",
		"bokeh harbour sunset dusk red violet reflection water romantic summer evening city",
		p.Look{Grain: 1.6, Vignette: 0.2},
		harbour,
	},
}

// lamps scatters discs of defocused light: big faint ones first, then many smaller ones around the height band (0 to 1)
// with the given spread.
func lamps(c *p.Canvas, r *p.Rand, tints []p.Color, count int, band, spread, strength float32) {
	for range 7 {
		c.Glow(r.Float()*c.W, c.H*(band+r.Bell()*spread), r.In(0.3, 0.6)*c.W, tints[r.Int(len(tints))], 0.16*strength/0.3)
	}
	for i := range count {
		t := float32(i) / float32(count)
		rad := p.Lerp(150, 18, p.Pow(t, 0.6)) * r.In(0.7, 1.25) * c.U
		soft := rad * p.Lerp(0.35, 0.1, t)
		k := strength * p.Lerp(0.35, 1.5, t*t) * r.In(0.4, 1.2)
		x, y := r.In(-0.05, 1.05)*c.W, c.H*(band+r.Bell()*spread)
		c.Bokeh(x, y, rad, soft, 0.35, tints[r.Int(len(tints))], k)
	}
}

// drops are small beads of water on a window pane.
func drops(c *p.Canvas, r *p.Rand, count int) {
	for range count {
		x, y, m := r.Float()*c.W, r.Float()*c.H, r.Float()
		rad := (2 + 7*m*m*m) * c.U
		c.Disc(x, y, rad, rad*0.6, hex(0x0a1228), 0.35)
		c.Glow(x, y+rad*0.3, rad*0.9, hex(0xcfdcf5), 0.45)
	}
}

func harbour(c *p.Canvas, r *p.Rand) {
	water := c.H * 0.6
	sky := even(0x1b1640, 0x4a2a6a, 0xa8416f, 0xf0765a, 0xffb169)
	sea := even(0xd06a58, 0x7a3560, 0x2a1c4a, 0x0e0c26)
	c.Shade(func(x, y float32) p.Color {
		if y < water {
			return sky.At(y / water)
		}
		return sea.At((y - water) / (c.H - water))
	})
	c.Change(func(x, y float32, was p.Color) p.Color { // soften the water line
		k := 1 - p.Abs(y-water)/(c.H*0.03)
		if k <= 0 {
			return was
		}
		return was.Lerp(hex(0x5a2a4e), 0.75*p.Smooth(0, 1, k))
	})
	tints := p.Hexes(0xffc46b, 0xff8a5c, 0xffe1a8, 0xff6f91, 0x9fd8ff)
	for range 46 {
		x, rad := r.In(-0.02, 1.02)*c.W, r.In(12, 46)*c.U
		y := water - r.In(-0.4, 3.2)*rad
		col, k := tints[r.Int(len(tints))], r.In(0.25, 0.8)
		c.Bokeh(x, y, rad, rad*0.25, 0.3, col, k)
		for j := range 9 { // the reflection breaks into ever wider pieces
			t := float32(j) / 9
			c.Glow(x+r.Bell()*14*c.U*(1+2*t), water+(water-y)*0.4+rad+c.H*0.3*t*t, rad*(1.5+t), col, k*0.3*(1-t))
		}
	}
}
