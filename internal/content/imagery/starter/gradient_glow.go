// SPDX-License-Identifier: Apache-2.0

package starter

import (
	p "github.com/reelops/reelops/internal/content/imagery/paint"
)

var gradientGlow = []entry{
	{
		"Peach sunrise blend", "A silky gradient of peach, coral and soft lilac, like the first minutes of a sunrise.",
		"gradient abstract peach coral lilac sunrise soft warm morning beauty wellness summer background",
		p.Look{Grain: 2, Vignette: 0.12},
		func(c *p.Canvas, r *p.Rand) {
			mesh(c, r, even(0xfff1dc, 0xffc9a3, 0xff8f7a, 0xd9709c, 0x8d66b8), even(0xffe9c9, 0xffb48f, 0xf78ba0, 0xb089d6, 0x7c7fd0), 1.25, 0.42)
		},
	},
	{
		"Deep sea glow", "Teal and ultramarine light flowing through darkness, calm and technical at once.",
		"gradient abstract teal blue dark glow technology calm focus night business finance background",
		p.Look{Grain: 2, Vignette: 0.3},
		func(c *p.Canvas, r *p.Rand) {
			mesh(c, r, even(0x020b1c, 0x06263f, 0x0b5a76, 0x19a3a0, 0x0a3a66), even(0x03061a, 0x101a52, 0x2b3fb0, 0x1d8fb8, 0x071b36), 0.9, 0.6)
		},
	},
	{
		"Violet silk", "Folds of violet and magenta satin with a gentle sheen.",
		"gradient abstract violet magenta purple silk satin luxury fashion beauty music evening elegant",
		p.Look{Grain: 1.6, Vignette: 0.3},
		func(c *p.Canvas, r *p.Rand) {
			silk(c, r, even(0x12062b, 0x371068, 0x7a1fa0, 0xd23f9c, 0xff9fb0), 0.5, 2.1)
		},
	},
	{
		"Aura in rose", "A soft round aura of rose and tangerine on warm cream.",
		"gradient aura rose orange cream soft warm spiritual self-care love mindset minimal spring",
		p.Look{Grain: 3, Vignette: 0.04},
		func(c *p.Canvas, r *p.Rand) {
			aura(c, r, p.NewRamp(p.Stop{At: 0, C: hex(0xffd27a)}, p.Stop{At: 0.3, C: hex(0xff9a5c)}, p.Stop{At: 0.55, C: hex(0xf5648a)}, p.Stop{At: 0.8, C: hex(0xf3b6d0)}, p.Stop{At: 1, C: hex(0xf8ecdf)}), 0.5, 0.42)
		},
	},
	{
		"Midnight eclipse", "A dark planet with a burning rim of amber and pink light rising out of black.",
		"gradient glow eclipse planet dark amber pink space drama launch technology night bold",
		p.Look{Grain: 1.6, Vignette: 0.2},
		func(c *p.Canvas, r *p.Rand) {
			eclipse(c, r, even(0x05030d, 0x0c0618, 0x1b0a2b), hex(0xffb070), hex(0xe0408a))
		},
	},
	{
		"Fresh mint folds", "Pale mint, aqua and lemon in soft satin folds, light and clean.",
		"gradient abstract mint green aqua light fresh clean health spring morning minimal soft",
		p.Look{Grain: 1.6, Vignette: 0.08},
		func(c *p.Canvas, r *p.Rand) {
			silk(c, r, even(0x3fae9b, 0x7fd6c0, 0xbdeedd, 0xeefbe4, 0xfff9d6), 0.9, 1.5)
		},
	},
}

// mesh flows two ramps into one another along slowly warped coordinates. angle is
// the direction of the flow in radians, warp how far it strays.
func mesh(c *p.Canvas, r *p.Rand, a, b *p.Ramp, angle, warp float32) {
	n := p.Noise(r.Seed32())
	ca, sa := p.Cos(angle), p.Sin(angle)
	at := func(x, y float32) (u, v, wx, wy float32) {
		u, v = x/c.W, y/c.H
		return u, v, n.FBM(u*0.9+3, v*1.1, 2), (n + 7).FBM(u*0.9, v*1.1+9, 2)
	}
	f := c.Field(8, func(x, y float32) float32 {
		u, v, wx, wy := at(x, y)
		return 0.5 + (u-0.5)*ca + (v-0.5)*sa + warp*(n+13).At(u*1.1+wx, v*1.3+wy)
	})
	g := c.Field(8, func(x, y float32) float32 {
		u, v, wx, wy := at(x, y)
		return p.Smooth(-0.45, 0.5, (n+29).At(u*1.3-wy*0.7, v*1.5+wx*0.7))
	})
	c.Shade(func(x, y float32) p.Color {
		t := f.At(x, y)
		return a.At(t).Lerp(b.At(t), g.At(x, y))
	})
}

// silk folds a ramp like satin: the height of the folds picks the colour, their
// slope towards the light adds sheen.
func silk(c *p.Canvas, r *p.Rand, ramp *p.Ramp, angle, folds float32) {
	n := p.Noise(r.Seed32())
	ca, sa := p.Cos(angle), p.Sin(angle)
	phase := r.Float() * tau
	height := c.Field(4, func(x, y float32) float32 {
		u, v := x/c.W, y/c.W
		w := n.FBM(u*0.8, v*0.7, 2)
		d := (u*ca+v*sa)*folds + 1.5*w + 0.35*(n+5).At(u*1.7+w, v*1.2)
		return 0.5 + 0.5*p.Sin(d*tau*0.5+phase)
	})
	step := 10 * c.U
	c.Shade(func(x, y float32) p.Color {
		h := height.At(x, y)
		slope := (height.At(x+step, y+step*0.6) - height.At(x-step, y-step*0.6)) * 9
		col := ramp.At(0.1 + 0.75*h + 0.12*slope)
		return col.Scale(1 + 0.45*p.Clamp(slope, -0.9, 1.4))
	})
}

// aura spreads a ramp in soft rings around a point at the given height; the ring
// is uneven as if breathing.
func aura(c *p.Canvas, r *p.Rand, ramp *p.Ramp, cy, size float32) {
	n := p.Noise(r.Seed32())
	f := c.Field(8, func(x, y float32) float32 {
		dx, dy := (x-c.W*0.5)/c.W, (y-c.H*cy)/c.W
		d := p.Sqrt(dx*dx+dy*dy) / size
		return d * (1 + 0.16*n.FBM(x/c.W*1.4, y/c.W*1.4, 2))
	})
	c.Shade(func(x, y float32) p.Color { return ramp.At(f.At(x, y) * 0.8) })
}

// eclipse is a huge dark disc lit from behind along its upper edge.
func eclipse(c *p.Canvas, r *p.Rand, sky *p.Ramp, inner, outer p.Color) {
	c.Sky(sky)
	stars(c, r, 500, 0.8, 0.5)
	cx, cy, rad := c.W*0.5, c.H*0.62+c.W*0.72, c.W*0.95
	lx := c.W * 0.62
	c.Change(func(x, y float32, was p.Color) p.Color {
		dx, dy := x-cx, y-cy
		d := (p.Sqrt(dx*dx+dy*dy) - rad) / c.W
		side := p.Clamp(1-p.Abs(x-lx)/(c.W*0.95), 0, 1)
		side *= side
		if d > 0 {
			k := side / (1 + 900*d*d)
			m := side * side / (1 + 30*d + 120*d*d)
			return was.Add(inner.Scale(k * 1.5)).Add(outer.Scale(m * 0.9))
		}
		body := hex(0x0a0614).Add(outer.Scale(0.16 * side / (1 + 2500*d*d))).Add(inner.Scale(0.9 * side / (1 + 40000*d*d)))
		return was.Lerp(body, p.Clamp(-d*c.W*0.8, 0, 1))
	})
	c.Glow(lx, cy-rad*0.985, c.W*0.5, outer, 0.5)
	c.Halo(lx, cy-rad*0.985, c.W*0.4, inner, 0.9)
}
