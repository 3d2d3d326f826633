// SPDX-License-Identifier: Apache-2.0

package starter

import (
	p "github.com/reelops/reelops/internal/content/imagery/paint"
)

var mountainMist = []entry{
	{
		"Blue ridge morning", "Endless blue mountain ridges fading into a pale morning haze.",
		"mountains mist hiking nature ridge fog landscape morning blue calm haze travel meditation",
		p.Look{Grain: 1.6, Vignette: 0.12},
		func(c *p.Canvas, r *p.Rand) {
			ranges(c, r, rangeStyle{sky: even(0x8fb6d8, 0xc6dcec, 0xf6efe4, 0xfbe3cf), far: hex(0xc3d3e2), near: hex(0x17304d), mist: hex(0xeef1f2), layers: 7, top: 0.38, rough: 0.085})
		},
	},
	{
		"Golden peaks at sunrise", "The sun breaking over golden peaks with mist in the valleys.",
		"mountains sunrise golden success motivation hope nature orange sun mist morning travel autumn",
		p.Look{Grain: 1.6, Vignette: 0.18},
		func(c *p.Canvas, r *p.Rand) {
			ranges(c, r, rangeStyle{sky: even(0x7b8fb5, 0xe0b094, 0xffcf8a, 0xffe7b8), far: hex(0xe9a874), near: hex(0x3a1f2a), mist: hex(0xffdca6), layers: 6, top: 0.42, rough: 0.12, sun: hex(0xfff0c0), sunX: 0.62, sunY: 0.36, sunR: 0.06})
		},
	},
	{
		"Foggy pine valley", "Dark pines standing in cold drifting fog, moody and silent.",
		"forest fog pines mist green grey moody autumn winter nature mystery calm wilderness",
		p.Look{Grain: 2, Vignette: 0.25},
		func(c *p.Canvas, r *p.Rand) { foggyPines(c, r) },
	},
	{
		"Pink alpine dusk", "Snowy summits glowing pink above violet valleys at dusk.",
		"mountains dusk pink violet snow alpine winter sunset peaks dreamy travel cold evening",
		p.Look{Grain: 1.6, Vignette: 0.15},
		func(c *p.Canvas, r *p.Rand) {
			c.Sky(even(0x5b62a8, 0x9a86c4, 0xe5a6c4, 0xffd3c2, 0xffe5d0))
			snowPeak(c, r, 0.4, 0.16, hex(0xffc9c9), hex(0x8d78b4), hex(0x6a5a98))
			ranges(c, r, rangeStyle{far: hex(0x8a76ae), near: hex(0x231d4a), mist: hex(0xdcb4d2), layers: 4, top: 0.62, rough: 0.07})
		},
	},
	{
		"Emerald highlands", "Rolling emerald hills under a bright clearing sky after rain.",
		"hills green emerald highlands spring summer fresh nature morning health travel calm countryside",
		p.Look{Grain: 1.6, Vignette: 0.12},
		func(c *p.Canvas, r *p.Rand) {
			ranges(c, r, rangeStyle{sky: even(0x6fa9c9, 0xb7d9dc, 0xeef3dc), far: hex(0xb3d0b8), near: hex(0x0d3a2a), mist: hex(0xeaf4dc), layers: 7, top: 0.44, rough: 0.06, sun: hex(0xfffbe0), sunX: 0.25, sunY: 0.3, sunR: 0})
		},
	},
	{
		"Red sun over dark ridges", "A large red sun sinking behind black mountain ridges in smoky air.",
		"mountains sunset red sun dark dramatic ridge orange evening japan minimal bold",
		p.Look{Grain: 1.8, Vignette: 0.22},
		func(c *p.Canvas, r *p.Rand) {
			ranges(c, r, rangeStyle{sky: even(0x2a0f1e, 0x6b1f2a, 0xc8462f, 0xf58b4a), far: hex(0xb8452f), near: hex(0x0d0610), mist: hex(0xe8743f), layers: 6, top: 0.52, rough: 0.1, sun: hex(0xff5a36), sunX: 0.5, sunY: 0.42, sunR: 0.19})
		},
	},
}

// rangeStyle describes mountain ranges one behind another.
type rangeStyle struct {
	sky              *p.Ramp // nil keeps what is there
	far, near        p.Color // the first and the last range
	mist             p.Color // fills the valleys between
	layers           int
	top              float32 // height of the farthest range, 0 to 1
	rough            float32 // height of peaks, share of the canvas
	sun              p.Color // black for none
	sunX, sunY, sunR float32 // sunR 0: a glow without a disc
}

// ranges paints the sky, a sun and ranges that grow darker and clearer the
// nearer they are.
func ranges(c *p.Canvas, r *p.Rand, s rangeStyle) {
	if s.sky != nil {
		sky := s.sky
		c.Shade(func(_, y float32) p.Color { return sky.At(y / (c.H * (s.top + 0.16))) })
	}
	lit := s.sun.Luma() > 0
	if lit {
		x, y := s.sunX*c.W, s.sunY*c.H
		c.Halo(x, y, c.W*1.1, s.sun, 0.28)
		if s.sunR > 0 {
			c.Disc(x, y, s.sunR*c.W, 2.5*c.U, s.sun.Scale(1.08), 1)
		}
	}
	tones := p.Even(s.far, s.near)
	for i := range s.layers {
		t := float32(i) / float32(s.layers-1)
		n := p.Noise(r.Seed32())
		base := c.H * p.Lerp(s.top, 0.94, p.Pow(t, 1.15))
		freq, amp := p.Lerp(1.5, 0.95, t), c.H*s.rough*p.Lerp(0.8, 1.15, t)
		off := r.Float() * 20
		ridge := c.Ridge(func(x float32) float32 {
			u := x/c.W*freq*c.W/(c.U*1080) + off
			v := n.Line(u, 3)*0.75 + (n.Ridged(u*1.7, 0.5, 5)-0.5)*0.8
			return base - v*amp
		})
		tone := tones.At(t)
		deep := c.H * p.Lerp(0.1, 0.2, t)
		haze := p.Lerp(0.72, 0.1, p.Pow(t, 0.8))
		light := hex(0)
		if lit {
			light = s.sun.Scale(0.16 * (1 - t) * (1 - t))
		}
		mist := c.Field(6, func(x, y float32) float32 {
			return 0.72 + 0.5*n.FBM(x/c.W*1.8, y/c.H*7, 3)
		})
		body := c.Field(5, func(x, y float32) float32 {
			return n.FBM(x/(c.U*260), y/(c.U*150), 4)
		})
		// Mist and relief follow a smoothed line. Measured from the jagged line, every notch would draw a streak down
		// the slope.
		line := smoothed(c, ridge, 120*c.U)
		c.Fill(ridge, func(x, y, _ float32) (p.Color, float32) {
			col, d := tone, y-line.Top(x)
			if lit {
				near := p.Clamp(1-p.Abs(x-s.sunX*c.W)/c.W, 0, 1)
				col = col.Add(light.Scale(near * near))
			}
			// A little relief keeps the slope from being flat.
			col = col.Scale(1 + 0.16*(body.At(x, y)-0.5)*(1-p.Smooth(0, deep*1.2, d)))
			m := p.Smooth(0, deep, d) * haze * mist.At(x, y)
			return col.Lerp(s.mist, p.Clamp(m, 0, 0.95)), 1
		})
	}
}

// smoothed returns a ridge without features narrower than span pixels.
func smoothed(c *p.Canvas, r *p.Ridge, span float32) *p.Ridge {
	const taps = 20
	return c.Ridge(func(x float32) float32 {
		sum, weights := float32(0), float32(0)
		for k := -taps; k <= taps; k++ {
			t := float32(k) / (taps + 1)
			w := 1 - t*t
			sum, weights = sum+w*r.Top(x+t*span), weights+w
		}
		return sum / weights
	})
}

// snowPeak is one great mountain in evening light: sun side, shadow side and bare
// rock below the snow.
func snowPeak(c *p.Canvas, r *p.Rand, at, tall float32, lit, shade, rock p.Color) {
	n := p.Noise(r.Seed32())
	cx := c.W * 0.56
	ridge := c.Ridge(func(x float32) float32 {
		u := (x - cx) / c.W
		peak := p.Exp(-p.Abs(u)*2.4)*tall + p.Exp(-p.Abs(u+0.62)*3.4)*tall*0.55 + p.Exp(-p.Abs(u-0.58)*3)*tall*0.5
		return c.H * (at + tall*0.75 - peak - 0.022*n.Line(x/c.W*5, 5))
	})
	relief := c.Field(3, func(x, y float32) float32 {
		u, v := x/c.W, y/c.W
		return (n + 5).Ridged(u*5+v*1.5, v*3.2-u*0.8, 5)
	})
	step := 7 * c.U
	c.Fill(ridge, func(x, y, d float32) (p.Color, float32) {
		g := (relief.At(x+step, y-step*0.4) - relief.At(x-step, y+step*0.4)) * 4
		col := shade.Lerp(lit, p.Smooth(-0.35, 0.45, g))
		line := d/(c.H*tall) + 0.3*(relief.At(x*0.9, y)-0.5)
		col = col.Lerp(rock, 0.85*p.Smooth(0.75, 1.3, line))
		return col, 1
	})
}

func foggyPines(c *p.Canvas, r *p.Rand) {
	c.Sky(even(0xb7c2c2, 0xcfd6d2, 0xaab6b4, 0x8e9d9b))
	fog, far, near := hex(0xc9d2cf), hex(0x9dacaa), hex(0x101c1c)
	const layers = 5
	for i := range layers {
		t := float32(i) / (layers - 1)
		col := p.Mix(far, near, p.Pow(t, 0.9))
		pines(c, r, p.Lerp(0.5, 0.97, t), p.Lerp(0.13, 0.34, t), col)
		if i == layers-1 {
			break
		}
		n := p.Noise(r.Seed32())
		y0 := c.H * p.Lerp(0.44, 0.78, t)
		mist := c.Field(6, func(x, y float32) float32 {
			k := p.Smooth(y0, y0+c.H*0.14, y)
			return k * (0.82 + 0.5*n.FBM(x/c.W*1.3, y/c.H*4, 4))
		})
		c.Change(func(x, y float32, was p.Color) p.Color {
			return was.Lerp(fog, p.Clamp(mist.At(x, y), 0, 0.93))
		})
	}
}
