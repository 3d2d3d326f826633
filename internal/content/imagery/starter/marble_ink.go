// SPDX-License-Identifier: Apache-2.0

package starter

import (
	p "github.com/reelops/reelops/internal/content/imagery/paint"
)

var marbleInk = []entry{
	{
		"White marble and gold", "Polished white marble with grey clouds and fine gold veins.",
		"marble white gold grey luxury elegant stone beauty wedding clean premium interior texture",
		p.Look{Grain: 1.5, Vignette: 0.06},
		func(c *p.Canvas, r *p.Rand) { marble(c, r, even(0xfbf9f6, 0xf1eeea, 0xd9d6d3, 0xb4b1b2), 0.75) },
	},
	{
		"Black marble and gold", "Deep black marble crossed by glowing gold veins.",
		"marble black gold dark luxury elegant stone premium finance success bold texture night",
		p.Look{Grain: 1.5, Vignette: 0.2},
		func(c *p.Canvas, r *p.Rand) { marble(c, r, even(0x08080b, 0x101015, 0x1e1e26, 0x3c3b44), 1) },
	},
	{
		"Emerald stone", "Emerald green stone with soft clouds and gold in its cracks.",
		"marble emerald green gold stone luxury jewel elegant nature beauty premium dark texture",
		p.Look{Grain: 1.5, Vignette: 0.18},
		func(c *p.Canvas, r *p.Rand) { marble(c, r, even(0x052019, 0x0a3b2c, 0x13644a, 0x4fa582), 0.95) },
	},
	{
		"Ink in water", "Indigo ink unfolding slowly in clear pale water.",
		"ink water smoke indigo blue white abstract art calm minimal creative fluid soft science",
		p.Look{Grain: 1.5, Vignette: 0.05},
		func(c *p.Canvas, r *p.Rand) {
			ink(c, r, even(0xf3f4f6, 0xe3e8ef), p.Hexes(0x1d2a78, 0x3a6fb8, 0x6a4aa8))
		},
	},
	{
		"Crimson ink", "Crimson and amber ink swirling through darkness.",
		"ink smoke crimson red amber dark abstract art drama fire energy fluid bold passion",
		p.Look{Grain: 1.6, Vignette: 0.25},
		func(c *p.Canvas, r *p.Rand) {
			ink(c, r, even(0x140509, 0x220a12, 0x0c0408), p.Hexes(0xc01f3c, 0xf08a30, 0x7a1050))
		},
	},
	{
		"Rose quartz", "Milky rose quartz with drifting pink clouds and thin golden lines.",
		"marble rose quartz pink gold stone crystal beauty self-care love soft elegant feminine spring",
		p.Look{Grain: 1.5, Vignette: 0.05},
		func(c *p.Canvas, r *p.Rand) { marble(c, r, even(0xfdeeec, 0xf8dcdb, 0xefbfc3, 0xd796a4), 0.7) },
	},
}

// marble clouds a stone and runs gold through some of its cracks.
func marble(c *p.Canvas, r *p.Rand, stone *p.Ramp, gold float32) {
	n := p.Noise(r.Seed32())
	turned := func(x, y float32) (a, b float32) {
		u, v := x/c.W, y/c.W
		return u*0.83 + v*0.55, v*0.83 - u*0.55
	}
	bend := c.Field(6, func(x, y float32) float32 {
		a, b := turned(x, y)
		return 0.55 * n.FBM(a*1.3, b*1.3, 4)
	})
	sway := c.Field(6, func(x, y float32) float32 {
		a, b := turned(x, y)
		return 0.55 * (n+7).FBM(a*1.3, b*1.3, 4)
	})
	warp := func(x, y float32) (u, v float32) {
		a, b := turned(x, y)
		return a*1.7 + bend.At(x, y), b*0.8 + sway.At(x, y)
	}
	cloud := c.Field(4, func(x, y float32) float32 {
		u, v := warp(x, y)
		q := p.Smooth(-0.45, 0.55, (n+11).FBM(u*1.1, v*1.1, 5))
		crack := p.Pow((n+21).Ridged(u*1.1+3, v*1.1, 4), 6)
		return 0.05 + 0.6*q + 0.8*crack*p.Smooth(-0.2, 0.5, (n+5).At(u, v))
	})
	veins := make([]*p.Field, 3)
	for i := range veins {
		m := n + p.Noise(31+i*13)
		veins[i] = c.Field(3, func(x, y float32) float32 {
			u, v := warp(x, y)
			return m.FBM(u*0.42+float32(i)*9, v*0.42, 2)
		})
	}
	where := c.Field(8, func(x, y float32) float32 {
		u, v := warp(x, y)
		calm := 1 - 0.55*p.Exp(-(y/c.H-0.45)*(y/c.H-0.45)*30)
		return p.Smooth(-0.35, 0.4, (n+61).FBM(u*0.9, v*0.9+5, 2)) * calm
	})
	shine := even(0x6a4a18, 0xb98a3a, 0xe9c877, 0xfff3c8, 0xc9953f, 0x8a6426)
	c.Shade(func(x, y float32) p.Color {
		col := stone.At(cloud.At(x, y))
		for i, f := range veins {
			v := f.At(x, y)
			if p.Abs(v) > 0.04 {
				continue
			}
			gx, gy := f.At(x+3, y)-f.At(x-3, y), f.At(x, y+3)-f.At(x, y-3)
			d := p.Abs(v) * 6 / (p.Sqrt(gx*gx+gy*gy) + 1e-5)
			w := c.U * (0.6 + p.Lerp(7, 2.5, float32(i)/2)*where.At(x, y))
			k := p.Clamp(w-d+0.5, 0, 1) * gold * p.Smooth(0, 0.25, where.At(x, y))
			col = col.Lerp(col.Scale(0.7), 0.5*p.Smooth(w*4, w, d)*gold) // the crack darkens the stone beside it
			if k > 0 {
				g := 0.5 + 0.5*p.Sin((x*0.9-y*0.5)/c.W*13+4*n.At(x/c.W*5, y/c.W*5))
				col = col.Lerp(shine.At(g*0.75+0.25*(1-d/w)), k)
			}
		}
		return col
	})
}

// ink lets colours unfold in a liquid by warping noise with noise.
func ink(c *p.Canvas, r *p.Rand, water *p.Ramp, cols []p.Color) {
	n := p.Noise(r.Seed32())
	c.Sky(water)
	dark := water.At(0.5).Luma() < 0.2
	for i, col := range cols {
		m := n + p.Noise(i*97)
		cx, cy := r.In(0.2, 0.8), r.In(0.05, 0.9)
		if i == 0 {
			cx, cy = 0.5, 0.12
		}
		f := c.Field(5, func(x, y float32) float32 {
			u, v := x/c.W*1.1, y/c.W*1.1
			a, b := m.FBM(u, v, 4), (m+3).FBM(u+4, v, 4)
			e, g := (m+5).FBM(u+1.6*a, v+1.6*b, 4), (m+9).FBM(u+1.6*b+3, v-1.4*a, 4)
			q := (m+13).FBM(u+1.5*e, v+1.5*g, 4)*0.9 + 0.5
			dx, dy := x/c.W-cx, (y/c.H-cy)*1.5
			return p.Smooth(0.28, 1.05, q+0.34-0.62*p.Sqrt(dx*dx+dy*dy)+0.25*a)
		})
		deep := p.Shift(col, -0.12, 1.1, -8)
		c.Change(func(x, y float32, was p.Color) p.Color {
			k := f.At(x, y)
			if dark {
				return was.Add(col.Scale(k * 0.8)).Add(cols[1].Scale(k * k * k * 0.3))
			}
			// Ink takes light away: thin it tints, thick it covers.
			return was.Lerp(was.Mul(col.Lerp(hex(0xffffff), 0.25)), k).Lerp(deep, 0.7*k*k)
		})
	}
}
