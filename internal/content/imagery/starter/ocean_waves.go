// SPDX-License-Identifier: Apache-2.0

package starter

import (
	p "github.com/reelops/reelops/internal/content/imagery/paint"
)

var oceanWaves = []entry{
	{
		"Turquoise shore from above", "Turquoise water and white foam washing over pale sand, seen from above.",
		"ocean beach waves summer vacation tropical travel turquoise sand foam aerial fresh water",
		p.Look{Grain: 1.8, Vignette: 0.1},
		func(c *p.Canvas, r *p.Rand) {
			shore(c, r, even(0xf3dfc0, 0xe6c99f, 0xd9b78a), even(0xa9e8dc, 0x4fc8c4, 0x1796a8, 0x0b6286))
		},
	},
	{
		"Sunset glitter", "The sun going down over the open sea with a path of golden glitter.",
		"ocean sunset golden sun sea horizon water glitter evening romantic summer travel calm",
		p.Look{Grain: 1.6, Vignette: 0.18},
		func(c *p.Canvas, r *p.Rand) {
			seascape(c, r, seaStyle{sky: even(0x5a4a8a, 0xc86a7c, 0xff9e5e, 0xffd488), near: hex(0x2b2350), far: hex(0xd98660), sun: hex(0xffe9b0), sunX: 0.5, sunY: 0.43, sunR: 0.09, horizon: 0.52})
		},
	},
	{
		"Moonlit sea", "A silver path of moonlight on a dark, quiet sea.",
		"ocean night moon sea dark blue silver calm quiet sleep water mystery dream",
		p.Look{Grain: 1.6, Vignette: 0.25},
		func(c *p.Canvas, r *p.Rand) {
			seascape(c, r, seaStyle{sky: even(0x060c22, 0x10224a, 0x284a7a), near: hex(0x050c1e), far: hex(0x2a4a74), sun: hex(0xe8f0ff), sunX: 0.46, sunY: 0.24, sunR: 0.07, horizon: 0.5, night: true})
		},
	},
	{
		"Clear morning horizon", "A calm light blue sea meeting a cloudless pale morning sky.",
		"ocean horizon morning blue calm minimal clean sea water peace freedom summer breathe",
		p.Look{Grain: 1.4, Vignette: 0.08},
		func(c *p.Canvas, r *p.Rand) {
			seascape(c, r, seaStyle{sky: even(0x7fb4dc, 0xb9d9ea, 0xf6ede0), near: hex(0x1f6f97), far: hex(0x9cc9d8), sun: hex(0xfff6e2), sunX: 0.68, sunY: 0.36, sunR: 0, horizon: 0.55})
		},
	},
	{
		"Rolling swell", "Layered deep blue waves with bright crests, rhythmic and powerful.",
		"ocean waves sea surf swell storm water blue deep power energy rhythm",
		p.Look{Grain: 1.6, Vignette: 0.15},
		func(c *p.Canvas, r *p.Rand) {
			swell(c, r, even(0xf2e6d2, 0xcfe3e6, 0x8fc3d6), even(0x8fd0d4, 0x3f9fb8, 0x166a94, 0x0a3f6b, 0x052340), hex(0xf4fbf6))
		},
	},
	{
		"Evening tide", "Violet and coral waves rolling under a glowing evening sky.",
		"ocean waves evening violet coral sunset tide sea dreamy summer romantic colourful water",
		p.Look{Grain: 1.6, Vignette: 0.15},
		func(c *p.Canvas, r *p.Rand) {
			swell(c, r, even(0x6a4c9c, 0xe07a8e, 0xffc08a), even(0xf59a84, 0xc0608c, 0x7c4592, 0x452f78, 0x1d1a4a), hex(0xffe2c4))
		},
	},
}

// shore paints a beach from above: sand, wet sand, foam lines, and water that deepens away from the land.
func shore(c *p.Canvas, r *p.Rand, sand, water *p.Ramp) {
	n := p.Noise(r.Seed32())
	// dist is how far into the water a point is, in canvas widths; land is negative.
	dist := c.Field(3, func(x, y float32) float32 {
		u, v := x/c.W, y/c.W
		return (0.48-u)*0.9 + (v-c.H/c.W*0.5)*0.32 + 0.16*n.FBM(u*1.1+3, v*0.9, 3)
	})
	lace := c.Field(3, func(x, y float32) float32 {
		u, v := x/c.W, y/c.W
		w := (n+5).FBM(u*5, v*5, 2) * 0.4
		return (n+9).Ridged(u*9+w, v*9-w, 3)*0.6 + 0.4*(n+2).Ridged(u*21+w, v*21, 2)
	})
	caustic := c.Field(3, func(x, y float32) float32 {
		u, v := x/c.W, y/c.W
		w := (n+15).FBM(u*4, v*4, 2) * 0.5
		return p.Pow((n+19).Ridged(u*8+w, v*8-w, 2), 3)
	})
	foam, wet := hex(0xffffff), hex(0xb08a5e)
	c.Shade(func(x, y float32) p.Color {
		d, l := dist.At(x, y), lace.At(x, y)
		g := n.Grain(int(x/(2*c.U)), int(y/(2*c.U)))
		land := sand.At(0.5 - d*1.3).Scale(0.96 + 0.08*g)
		land = land.Lerp(wet, 0.6*p.Smooth(-0.14, -0.02, d))
		sea := water.At(d*1.45 + 0.05*l).Add(hex(0xd8fff4).Scale(0.24 * caustic.At(x, y) * p.Smooth(0.75, 0.05, d)))
		col := land.Lerp(sea, p.Smooth(-0.015, 0.03, d))
		a := 0.0 + foamLine(d, 0.0, 0.07, l) + 0.8*foamLine(d, 0.19, 0.085, l) + 0.5*foamLine(d, 0.4, 0.06, l)
		// Foam casts a small shadow on the wet sand in front of it.
		col = col.Scale(1 - 0.16*p.Smooth(-0.03, -0.004, d)*p.Smooth(0.004, -0.004, d))
		return col.Lerp(foam, p.Clamp(a, 0, 0.96))
	})
}

// foamLine returns the amount of foam at distance d from a wave that breaks at distance at. Foam is dense at the
// breaking edge and lace behind it.
func foamLine(d, at, width, lace float32) float32 {
	t := (d - at) / width
	if t < -0.12 || t > 1 {
		return 0
	}
	return p.Smooth(-0.1, 0.03, t) * p.Smooth(0.12+0.7*t, 0.42+0.6*t, lace+0.45*(1-t)*(1-t))
}

type seaStyle struct {
	sky              *p.Ramp
	near, far        p.Color
	sun              p.Color
	sunX, sunY, sunR float32
	horizon          float32
	night            bool
}

// seascape paints open water under a sun or moon, with its glitter path.
func seascape(c *p.Canvas, r *p.Rand, s seaStyle) {
	line := c.H * s.horizon
	c.Shade(func(_, y float32) p.Color { return s.sky.At(y / line) })
	if s.night {
		stars(c, r, 700, s.horizon, 0.9)
	}
	sx, sy := s.sunX*c.W, s.sunY*c.H
	c.Halo(sx, sy, c.W*1.1, s.sun, 0.3)
	switch {
	case s.night:
		moon(c, r, sx, sy, s.sunR*c.W, s.sun)
	case s.sunR > 0:
		c.Disc(sx, sy, s.sunR*c.W, 2.5*c.U, s.sun.Scale(1.1), 1)
	}
	n := p.Noise(r.Seed32())
	sea := p.Even(s.far, p.Mix(s.far, s.near, 0.65), s.near)
	shine := s.sun
	c.Rows(int(line), int(c.H), func(yi int, row []p.Color) {
		y := float32(yi) + 0.5
		d := (y - line) / (c.H - line) // 0 at the horizon, 1 at the lower edge
		if d < 0 {
			return
		}
		z := 1 / (d + 0.045) // perspective: waves shrink towards the horizon
		col := sea.At(p.Pow(d, 0.7))
		spread := c.W * (0.05 + 0.34*d)
		for x := range row {
			fx := float32(x) + 0.5
			u := (fx/c.W - 0.5) * z * 1.6
			w := n.At(u*2.1+3, z*13) + 0.6*(n+3).At(u*5, z*31)
			k := (fx - sx) / spread
			path := p.Exp(-k * k)
			glint := p.Smooth(0.72-0.85*path, 1.0-0.6*path, w*0.6+0.35)
			c2 := col.Scale(1 + 0.16*w*p.Smooth(0, 0.1, d))
			row[x] = c2.Add(shine.Scale(glint * path * (0.9 - 0.4*d))).Add(shine.Scale(0.13 * path))
		}
	})
	c.Change(func(_, y float32, was p.Color) p.Color { // haze hides the hard horizon
		k := 1 - p.Abs(y-line)/(c.H*0.012)
		if k <= 0 {
			return was
		}
		return was.Lerp(s.sky.At(1).Lerp(s.far, 0.4), 0.6*k)
	})
}

// swell paints layers of stylized waves with foam on their crests.
func swell(c *p.Canvas, r *p.Rand, sky, water *p.Ramp, foam p.Color) {
	c.Shade(func(_, y float32) p.Color { return sky.At(y / (c.H * 0.46)) })
	const layers = 9
	for i := range layers {
		t := float32(i) / (layers - 1)
		n := p.Noise(r.Seed32())
		base := c.H * p.Lerp(0.4, 0.92, p.Pow(t, 1.1))
		amp := c.H * p.Lerp(0.008, 0.036, t)
		freq := p.Lerp(2.6, 1.1, t) * tau
		ph := r.Float() * tau
		crest := c.Ridge(func(x float32) float32 {
			u := x / (c.U * 1080)
			a := u*freq + ph + 0.8*n.Line(u*1.5, 2)
			// Sharp above, round below, like water waves.
			return base - amp*(1.6*p.Pow(0.5+0.5*p.Sin(a), 1.7)+0.5*n.Line(u*2+4, 3))
		})
		c.CastUp(crest, 30*c.U, 0.22, hex(0x10203c))
		body, deep := water.At(t), water.At(t+0.2)
		bright := p.Mix(body, foam, 0.35)
		thick := p.Lerp(3, 13, t) * c.U
		c.Fill(crest, func(x, y, d float32) (p.Color, float32) {
			col := bright.Lerp(body, p.Smooth(0, amp*1.5, d)).Lerp(deep, p.Smooth(amp*0.5, c.H*0.12, d))
			if d > thick*11 {
				return col, 1
			}
			l := n.At(x/c.U*0.02, d/c.U*0.05) + 0.5*(n+4).At(x/c.U*0.06, d/c.U*0.12)
			edge := thick * (0.7 + 1.1*p.Smooth(-0.3, 0.6, n.At(x/c.U*0.006, 3)))
			f := p.Smooth(edge, edge*0.5, d)
			f = max(f, 0.55*p.Smooth(0.35, 0.7, l)*p.Smooth(edge*6, edge, d))
			return col.Lerp(foam, 0.92*f), 1
		})
	}
}
