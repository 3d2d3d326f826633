// SPDX-License-Identifier: Apache-2.0

package starter

import (
	p "github.com/reelops/reelops/internal/content/imagery/paint"
)

var softClouds = []entry{
	{
		"Summer cumulus", "Big white summer clouds rising in a clear blue sky.",
		"clouds sky blue white summer day bright freedom hope fresh air weather nature",
		p.Look{Grain: 1.5, Vignette: 0.1},
		func(c *p.Canvas, r *p.Rand) {
			clouds(c, r, cloudStyle{sky: even(0x2f74c0, 0x6aa9e0, 0xb7dcf2), lit: hex(0xffffff), shade: hex(0x9db6d2), low: hex(0xe8eef6), sunX: 0.2, sunY: -0.1, cover: 0.44, base: 0.55})
		},
	},
	{
		"Cotton candy sunset", "Pink and peach clouds glowing in a lavender evening sky.",
		"clouds sky sunset pink peach lavender pastel dreamy evening romantic soft rose",
		p.Look{Grain: 1.5, Vignette: 0.1},
		func(c *p.Canvas, r *p.Rand) {
			clouds(c, r, cloudStyle{sky: even(0x7c82c8, 0xc3a2d6, 0xffc9c4, 0xffdcb4), lit: hex(0xffd3c0), shade: hex(0xb07aae), low: hex(0xffb8a6), sunX: 0.8, sunY: 0.75, cover: 0.5, base: 0.5})
		},
	},
	{
		"Above the clouds", "A sea of clouds below a golden sunrise, as seen from a plane.",
		"clouds sky sunrise golden flight travel above heaven hope morning peace freedom light",
		p.Look{Grain: 1.5, Vignette: 0.12},
		func(c *p.Canvas, r *p.Rand) {
			c.Sky(even(0x4a7fc0, 0xa6c3de, 0xffd9a0, 0xffc083))
			c.Halo(c.W*0.6, c.H*0.5, c.W*1.2, hex(0xfff0c8), 0.7)
			c.Disc(c.W*0.6, c.H*0.49, c.W*0.055, 6*c.U, hex(0xfffbe8).Scale(1.3), 1)
			cloudSea(c, r, 0.53, hex(0xffe9cf), hex(0xa58aa8), hex(0xf7c79a))
		},
	},
	{
		"Storm front", "Dark dramatic storm clouds with a strip of cold light below.",
		"clouds storm dark dramatic grey rain weather moody thunder power mystery autumn sky",
		p.Look{Grain: 1.8, Vignette: 0.3},
		func(c *p.Canvas, r *p.Rand) {
			clouds(c, r, cloudStyle{sky: even(0x2a3340, 0x4a5866, 0x9fb0b4, 0xd8d6c6), lit: hex(0x9aa6b0), shade: hex(0x1c232d), low: hex(0x5e6a76), sunX: 0.5, sunY: 1.1, cover: 0.78, base: 0.3})
		},
	},
	{
		"Fiery evening sky", "Red and orange clouds burning across a deep blue evening sky.",
		"clouds sky sunset fire red orange blue evening dramatic bold energy motivation nature",
		p.Look{Grain: 1.5, Vignette: 0.2},
		func(c *p.Canvas, r *p.Rand) {
			clouds(c, r, cloudStyle{sky: even(0x14204e, 0x3b3a78, 0xb0506a, 0xff8a4a), lit: hex(0xff9a56), shade: hex(0x4a2450), low: hex(0xe0504a), sunX: 0.4, sunY: 1, cover: 0.56, base: 0.42, thin: true})
		},
	},
	{
		"Pale cream sky", "Barely visible soft clouds in a pale cream and blue sky.",
		"clouds sky pastel cream pale soft minimal calm light clean morning wellness spring",
		p.Look{Grain: 1.4, Vignette: 0.05},
		func(c *p.Canvas, r *p.Rand) {
			clouds(c, r, cloudStyle{sky: even(0xb4d2e6, 0xd8e6ea, 0xf5ecdd), lit: hex(0xfffaf0), shade: hex(0xcdd2dc), low: hex(0xf6ead9), sunX: 0.7, sunY: 0, cover: 0.5, base: 0.5, thin: true})
		},
	},
}

type cloudStyle struct {
	sky             *p.Ramp
	lit, shade, low p.Color // towards the light, away from it, near the horizon
	sunX, sunY      float32
	cover           float32 // how much of the sky is covered, 0 to 1
	base            float32 // height where clouds are densest
	thin            bool    // torn streaks rather than heaps
}

// clouds shapes heaps or streaks from warped noise and lights them by the amount of cloud between each point and the
// sun.
func clouds(c *p.Canvas, r *p.Rand, s cloudStyle) {
	c.Sky(s.sky)
	n := p.Noise(r.Seed32())
	sx, sy := s.sunX*c.W, s.sunY*c.H
	fx, fy := float32(1.5), float32(2.1)
	if s.thin {
		fx, fy = 0.9, 3.4
	}
	dens := c.Field(3, func(x, y float32) float32 {
		u, v := x/c.W*fx, y/c.W*fy
		wx, wy := n.FBM(u*0.8, v*0.8, 2), (n+3).FBM(u*0.8+5, v*0.8, 2)
		body := (n + 9).FBM(u*0.75+0.5*wx, v*0.75+0.5*wy, 3)
		puff := 0.5 - (n+17).Billow(u*1.7+0.4*wx, v*1.7+0.4*wy, 5)
		d := (y/c.H - s.base) / 0.36
		return body*0.95 + puff*0.7 + (s.cover-0.5)*0.8 + 0.06 - 0.28*p.Smooth(0, 1.4, p.Abs(d))
	})
	reach := 42 * c.U
	c.Change(func(x, y float32, was p.Color) p.Color {
		d := dens.At(x, y)
		a := p.Smooth(0.02, 0.3, d)
		if a <= 0 {
			return was
		}
		dx, dy := sx-x, sy-y
		k := reach / (p.Sqrt(dx*dx+dy*dy) + reach*0.3)
		dx, dy = dx*k, dy*k
		over := max(0, dens.At(x+dx*0.4, y+dy*0.4)-d*0.35)*0.6 + max(0, dens.At(x+dx*1.2, y+dy*1.2)-d*0.1)*0.5 + max(0, dens.At(x+dx*2.6, y+dy*2.6))*0.35
		face := d - dens.At(x+dx*0.7, y+dy*0.7) // the side turned to the light
		light := 0.62*p.Exp(-1.5*over) + 0.38*p.Clamp(0.5+2.6*face, 0, 1)
		col := s.shade.Lerp(s.lit, p.Smooth(0.12, 0.86, light))
		col = col.Lerp(s.low, 0.45*p.Smooth(0.45, 1, y/c.H))
		return was.Lerp(col, a*0.97)
	})
}

// cloudSea is a cover of clouds seen from above, in perspective.
func cloudSea(c *p.Canvas, r *p.Rand, horizon float32, lit, shade, haze p.Color) {
	const layers = 9
	for i := range layers {
		t := float32(i) / (layers - 1)
		n := p.Noise(r.Seed32())
		base := c.H * p.Lerp(horizon, 0.98, p.Pow(t, 1.5))
		amp := c.H * p.Lerp(0.01, 0.08, t)
		freq := p.Lerp(5, 1.2, t)
		tops := c.Ridge(func(x float32) float32 {
			u := x / (c.U * 1080) * freq
			return base - amp*(0.9*(1-2*n.Billow(u, 0.3, 3))+0.5*n.Line(u*0.6, 2))
		})
		puff := c.Field(3, func(x, y float32) float32 {
			u := x / (c.U * 1080) * freq
			v := (y - base) / amp * 0.4
			return n.Billow(u*1.4+0.3*n.At(u, v), v, 4)
		})
		soft := p.Lerp(6, 40, t) * c.U
		c.Fill(tops, func(x, y, d float32) (p.Color, float32) {
			q := puff.At(x, y)
			col := lit.Lerp(shade, p.Clamp(p.Smooth(0, amp*2.4, d)*0.85+1.1*(q-0.25), 0, 1))
			col = col.Lerp(haze, 0.75*(1-t)*(1-t))
			return col, p.Smooth(0, soft, d+soft*0.35*(0.4-q))
		})
	}
}
