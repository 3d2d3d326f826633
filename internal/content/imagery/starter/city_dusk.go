// SPDX-License-Identifier: Apache-2.0

package starter

import (
	p "github.com/reelops/reelops/internal/content/imagery/paint"
)

var cityDusk = []entry{
	{
		"Skyline at blue hour", "A big city skyline with warm windows under a deep blue evening sky.",
		"city skyline dusk blue night windows buildings business urban finance success lights evening",
		p.Look{Grain: 1.6, Vignette: 0.2},
		func(c *p.Canvas, r *p.Rand) {
			skyline(c, r, cityStyle{sky: even(0x0a1236, 0x1f3474, 0x5a6aa8, 0xd9a08c), far: hex(0x5a6496), near: hex(0x070b1e), window: hex(0xffc878), glow: hex(0xf0a878), ground: 0.9, lit: 0.5})
		},
	},
	{
		"Golden hour towers", "Towers in golden haze with the sun low between them.",
		"city skyline golden hour sun towers orange haze morning business success motivation startup urban",
		p.Look{Grain: 1.6, Vignette: 0.15},
		func(c *p.Canvas, r *p.Rand) {
			c.Sky(even(0xd9a878, 0xffcf8e, 0xffe3b0, 0xffd090))
			c.Halo(c.W*0.42, c.H*0.5, c.W*1.2, hex(0xfff0c0), 0.55)
			c.Disc(c.W*0.42, c.H*0.5, c.W*0.1, 4*c.U, hex(0xfffae6).Scale(1.2), 1)
			skyline(c, r, cityStyle{far: hex(0xf0b878), near: hex(0x4a2418), window: hex(0xffe6a8), glow: hex(0xffdc9c), ground: 0.94, lit: 0.06})
		},
	},
	{
		"Neon city", "A violet and cyan neon city mirrored in dark water.",
		"city neon night violet cyan cyberpunk technology reflection urban future lights gaming",
		p.Look{Grain: 1.6, Vignette: 0.25},
		func(c *p.Canvas, r *p.Rand) {
			skyline(c, r, cityStyle{sky: even(0x0a0420, 0x2a0f52, 0x7a2a86, 0xf05a9c), far: hex(0x6a2a80), near: hex(0x080418), window: hex(0x6ae6ff), window2: hex(0xff6ac0), glow: hex(0xff5aa0), ground: 0.68, lit: 0.5, water: true})
		},
	},
	{
		"Riverside evening", "City lights reflected in a calm river after sunset.",
		"city river evening reflection sunset teal orange lights calm travel romantic urban water",
		p.Look{Grain: 1.6, Vignette: 0.2},
		func(c *p.Canvas, r *p.Rand) {
			skyline(c, r, cityStyle{sky: even(0x123a5c, 0x3f7a90, 0xe8b48a, 0xf58a5a), far: hex(0x8a7a80), near: hex(0x0c1826), window: hex(0xffd08a), glow: hex(0xffa868), ground: 0.64, lit: 0.42, water: true})
		},
	},
	{
		"Rooftops under the moon", "Quiet dark rooftops below a large pale moon.",
		"city night moon rooftops dark quiet calm blue dream mystery story urban",
		p.Look{Grain: 1.6, Vignette: 0.25},
		func(c *p.Canvas, r *p.Rand) {
			c.Sky(even(0x070a20, 0x141c48, 0x2c3a74, 0x5c5c94))
			stars(c, r, 700, 0.7, 0.9)
			c.Halo(c.W*0.34, c.H*0.32, c.W*0.9, hex(0xc8d4ff), 0.4)
			moon(c, r, c.W*0.34, c.H*0.32, c.W*0.17, hex(0xfff4dc))
			skyline(c, r, cityStyle{far: hex(0x36407a), near: hex(0x060818), window: hex(0xffc070), glow: hex(0x4a5494), ground: 0.98, lit: 0.16, low: true})
		},
	},
}

type cityStyle struct {
	sky             *p.Ramp
	far, near       p.Color
	window, window2 p.Color
	glow            p.Color // haze over the streets
	ground          float32
	lit             float32 // share of windows with light
	water           bool
	low             bool // houses instead of towers
}

// skyline paints rows of buildings one behind another with lit windows.
func skyline(c *p.Canvas, r *p.Rand, s cityStyle) {
	if s.sky != nil {
		sky := s.sky
		c.Shade(func(_, y float32) p.Color { return sky.At(y / (c.H * min(s.ground, 0.85))) })
	}
	const layers = 4
	for i := range layers {
		t := float32(i) / (layers - 1)
		buildings(c, r, s, t)
		if i < layers-1 {
			top, bottom := c.H*s.ground*0.6, c.H*s.ground
			c.Change(func(_, y float32, was p.Color) p.Color {
				k := p.Smooth(top, bottom, y)
				return was.Lerp(s.glow, 0.42*k*(1-0.6*t))
			})
		}
	}
	if s.water {
		mirror(c, r, c.H*s.ground, s.near, 0.8)
	}
}

func buildings(c *p.Canvas, r *p.Rand, s cityStyle, t float32) {
	ground := c.H * s.ground
	floor := ground + 2
	if !s.water {
		floor = c.H + 2
	}
	tall := c.H * p.Lerp(0.4, 0.2, t)
	if s.water {
		tall *= 0.72
	}
	if s.low {
		tall = c.H * p.Lerp(0.3, 0.16, t)
	}
	col := p.Mix(s.far, s.near, p.Pow(t, 0.8))
	path, lights, lights2 := &p.Path{}, &p.Path{}, &p.Path{}
	n := p.Noise(r.Seed32())
	unit := c.U * p.Lerp(0.75, 1.35, t)
	for x := -40 * c.U; x < c.W+40*c.U; {
		w := r.In(52, 128) * unit
		crowd := 0.5 + 0.5*n.Line(x/c.W*1.6, 2)
		h := tall * (0.28 + 0.72*r.Float()*(0.35+0.9*crowd))
		top := ground - h
		path.Rect(x, top, x+w, floor)
		roof(path, r, x, top, w, unit, s.low)
		windows(r, lights, lights2, x, top, w, ground, unit, s)
		x += w * r.In(0.82, p.Lerp(1.12, 0.99, t))
	}
	c.Paint(path, func(_, y float32) (p.Color, float32) {
		return col.Lerp(s.glow, 0.22*(1-t)*p.Smooth(ground-tall, ground, y)), 1
	})
	k := p.Lerp(0.32, 1, t)
	c.Flat(lights, s.window, 0.9*k)
	if s.window2.Luma() > 0 {
		c.Flat(lights2, s.window2, 0.9*k)
	} else {
		c.Flat(lights2, s.window.Scale(0.55), 0.9*k)
	}
}

// roof varies the silhouette: steps, slants, masts, gables.
func roof(path *p.Path, r *p.Rand, x, top, w, unit float32, low bool) {
	if low {
		g := w * r.In(0.2, 0.42)
		path.Move(x-5*unit, top).Line(x+w/2, top-g).Line(x+w+5*unit, top)
		path.Rect(x+w*0.68, top-g*0.85, x+w*0.68+13*unit, top)
		return
	}
	switch r.Int(5) {
	case 0:
		path.Rect(x+w*0.2, top-24*unit, x+w*0.8, top+1)
		path.Rect(x+w*0.48, top-90*unit, x+w*0.48+3*unit, top)
	case 1:
		path.Move(x, top+1).Line(x, top-w*0.35).Line(x+w, top+1)
	case 2:
		path.Rect(x+w*0.12, top-18*unit, x+w*0.88, top+1).Rect(x+w*0.28, top-38*unit, x+w*0.72, top+1)
	case 3:
		path.Rect(x+w*0.6, top-15*unit, x+w*0.85, top+1)
	}
}

func windows(r *p.Rand, a, b *p.Path, x, top, w, ground, unit float32, s cityStyle) {
	dx, dy := 13*unit, 18*unit
	if s.low {
		dx, dy = 27*unit, 40*unit
	}
	ww, wh := dx*0.46, dy*0.46
	lit := s.lit * r.In(0.35, 1.1)
	cols := int((w - dx*0.8) / dx)
	left := x + (w-float32(cols)*dx)/2
	for y := top + dy*0.8; y < ground-dy; y += dy {
		row := r.Float() // whole storeys are often lit or dark
		for i := range cols {
			if v := r.Float(); v < lit*(0.25+1.2*row) {
				to := a
				if r.Float() < 0.35 {
					to = b
				}
				to.Rect(left+float32(i)*dx+dx*0.27, y, left+float32(i)*dx+dx*0.27+ww, y+wh)
			}
		}
	}
}
