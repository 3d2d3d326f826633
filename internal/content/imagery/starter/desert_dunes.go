// SPDX-License-Identifier: Apache-2.0

package starter

import (
	p "github.com/reelops/reelops/internal/content/imagery/paint"
)

var desertDunes = []entry{
	{
		"Golden dunes", "Golden dunes with long shadows under a clear afternoon sky.",
		"desert dunes sand golden blue sky sun travel adventure warm summer landscape minimal",
		p.Look{Grain: 2, Vignette: 0.15},
		func(c *p.Canvas, r *p.Rand) {
			dunes(c, r, duneStyle{sky: even(0x3f7fb8, 0x8fbcd8, 0xf2dfc2), light: hex(0xf0b565), shade: hex(0x8a4a26), far: hex(0xe8c69a), layers: 5, top: 0.42})
		},
	},
	{
		"Rose dusk dunes", "Soft rose and lilac dunes beneath a pale pink evening sky.",
		"desert dunes rose pink lilac dusk pastel soft calm evening dreamy minimal sunset sand",
		p.Look{Grain: 1.8, Vignette: 0.1},
		func(c *p.Canvas, r *p.Rand) {
			dunes(c, r, duneStyle{sky: even(0x9b8fc8, 0xe0b0cc, 0xffd9c8), light: hex(0xf3b6a6), shade: hex(0x7a4f80), far: hex(0xe9bfc6), layers: 5, top: 0.46, sun: hex(0xfff0e0), sunX: 0.32, sunY: 0.33, sunR: 0.075})
		},
	},
	{
		"Burning sunset", "A huge orange sun melting behind dark red dunes.",
		"desert sunset orange red sun dunes hot dramatic africa travel evening bold motivation",
		p.Look{Grain: 1.8, Vignette: 0.2},
		func(c *p.Canvas, r *p.Rand) {
			dunes(c, r, duneStyle{sky: even(0x5a1a3a, 0xb23a3a, 0xf2793a, 0xffc05e), light: hex(0xd8592a), shade: hex(0x2e0d1c), far: hex(0xe8743a), layers: 5, top: 0.5, sun: hex(0xffd98a), sunX: 0.56, sunY: 0.42, sunR: 0.17})
		},
	},
	{
		"Moonlit sand", "Cool blue dunes shining under a bright moon and stars.",
		"desert night moon stars dunes blue cool quiet calm mystery arabia ramadan sand",
		p.Look{Grain: 1.8, Vignette: 0.25},
		func(c *p.Canvas, r *p.Rand) {
			c.Sky(even(0x050a24, 0x0e1c4c, 0x2a3f80, 0x5f76ac))
			stars(c, r, 900, 0.55, 1.1)
			c.Halo(c.W*0.7, c.H*0.2, c.W*0.6, hex(0xb8ccff), 0.4)
			moon(c, r, c.W*0.7, c.H*0.2, c.W*0.07, hex(0xf4f2ff))
			dunes(c, r, duneStyle{light: hex(0x8497c8), shade: hex(0x0c1434), far: hex(0x5a6ea6), layers: 5, top: 0.5})
		},
	},
	{
		"White sands", "Bright white dunes with faint blue shadows, pure and minimal.",
		"desert white sand minimal clean bright light blue calm pure wellness summer simple",
		p.Look{Grain: 1.6, Vignette: 0.06},
		func(c *p.Canvas, r *p.Rand) {
			dunes(c, r, duneStyle{sky: even(0xa7cbe2, 0xd3e5ec, 0xf7f1e6), light: hex(0xf6ead9), shade: hex(0xa9adc0), far: hex(0xeee6dc), layers: 4, top: 0.44})
		},
	},
	{
		"Sand ripples", "Wind-drawn ripples in warm sand seen from close by in slanting light.",
		"sand ripples texture desert beach warm beige brown pattern natural calm zen background",
		p.Look{Grain: 2.5, Vignette: 0.2},
		func(c *p.Canvas, r *p.Rand) { ripples(c, r) },
	},
}

type duneStyle struct {
	sky              *p.Ramp
	light, shade     p.Color // sun side and lee side
	far              p.Color // what distance fades to
	layers           int
	top              float32
	sun              p.Color
	sunX, sunY, sunR float32
}

// dunes paints sharp-crested dunes: a lit face that falls away from the crest on
// one side, a shadow face on the other, ripples on the near ones.
func dunes(c *p.Canvas, r *p.Rand, s duneStyle) {
	if s.sky != nil {
		sky := s.sky
		c.Shade(func(_, y float32) p.Color { return sky.At(y / (c.H * (s.top + 0.06))) })
	}
	if s.sun.Luma() > 0 {
		x, y := s.sunX*c.W, s.sunY*c.H
		c.Halo(x, y, c.W, s.sun, 0.3)
		c.Disc(x, y, s.sunR*c.W, 3*c.U, s.sun.Scale(1.1), 1)
	}
	for i := range s.layers {
		t := float32(i) / float32(s.layers-1)
		dune(c, r, s, t)
	}
}

func dune(c *p.Canvas, r *p.Rand, s duneStyle, t float32) {
	n := p.Noise(r.Seed32())
	base := c.H * p.Lerp(s.top, 0.86, p.Pow(t, 1.2))
	amp := c.H * p.Lerp(0.02, 0.085, t)
	off, freq := r.Float()*9, p.Lerp(1.7, 0.75, t)
	mirror := r.Sign()
	peak := c.W * r.In(0.25, 0.75)
	crest := c.Ridge(func(x float32) float32 {
		u := x/(c.U*1080)*freq + off
		d := (x - peak) / c.W * mirror
		// One main crest with a long windward side and a short lee side.
		hump := p.Exp(-d * d * p.Lerp(7, 3.5, p.Smooth(-0.3, 0.3, -d)))
		return base - amp*(1.3*hump+0.6*n.Line(u, 2))
	})
	// The edge between light and shadow winds down from the crest.
	w := c.W * p.Lerp(0.5, 0.9, t)
	edge := func(depth float32) float32 {
		q := depth / (c.H * 0.3)
		return peak + mirror*(w*0.55*p.Pow(q, 0.62)*(0.55+0.45*q)+0.07*w*n.Line(q*2.2+off, 2)*min(1, q*5))
	}
	light := p.Mix(s.light, s.far, (1-t)*0.75)
	shade := p.Mix(s.shade, s.far, (1-t)*0.6)
	sheen := p.Shift(light, 0.05, 1, 4)
	fade := p.Mix(light, shade, 0.45)
	_, rows := c.Size()
	edges := make([]float32, rows+1)
	for i := range edges {
		edges[i] = edge(float32(i))
	}
	grain := p.Lerp(0, 1, t)
	c.Fill(crest, func(x, y, d float32) (p.Color, float32) {
		e := (x - edges[min(int(d), rows)]) * mirror // positive: lee side
		blur := 1.5*c.U + d*0.04
		k := p.Smooth(-blur, blur, e)
		lit := light.Lerp(sheen, p.Smooth(c.H*0.08, 0, d))
		lit = lit.Lerp(fade, 0.65*p.Smooth(0, c.H*0.34, d))
		dark := shade.Lerp(fade, 0.5*p.Smooth(0, c.W*0.7, e))
		if grain > 0.3 {
			wave := p.Sin((d/c.U)*0.16*p.Lerp(1.5, 1, t) + 5*n.At(x/c.W*3, d/c.W*5) + x/c.U*0.012)
			lit = lit.Scale(1 + 0.035*grain*wave*p.Smooth(0, c.H*0.05, d))
		}
		return lit.Lerp(dark, k), 1
	})
}

func ripples(c *p.Canvas, r *p.Rand) {
	n := p.Noise(r.Seed32())
	f := c.Field(3, func(x, y float32) float32 {
		u, v := x/c.U/1080, y/c.U/1080
		ph := (v*0.92 + u*0.25) * 19
		ph += 1.5*n.FBM(u*1.6, v*1.2, 3) + 0.35*(n+3).FBM(u*6, v*4, 2)
		s := p.Sin(ph * tau / 2)
		return 1 - p.Pow(p.Abs(s), 0.8) + 0.25*(n+8).FBM(u*2, v*2, 2)
	})
	ramp := even(0x5a3520, 0x9c6a42, 0xd29f6c, 0xefc998, 0xffe6c0)
	d := 5 * c.U
	c.Shade(func(x, y float32) p.Color {
		slope := f.At(x+d*0.3, y+d) - f.At(x-d*0.3, y-d)
		h := f.At(x, y)
		far := y / c.H
		return ramp.At(0.5 + slope*1.15 + 0.1*(h-0.5) + 0.1*(0.5-far))
	})
}
