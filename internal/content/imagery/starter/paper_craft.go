// SPDX-License-Identifier: Apache-2.0

package starter

import (
	p "github.com/reelops/reelops/internal/content/imagery/paint"
)

var paperCraft = []entry{
	{
		"Terracotta paper canyon", "Layers of terracotta paper cut like a canyon, opening to warm cream light.",
		"paper craft layers terracotta orange cream canyon cut handmade creative warm autumn art depth",
		p.Look{Grain: 2.4, Vignette: 0.1},
		func(c *p.Canvas, r *p.Rand) {
			canyon(c, r, even(0xfff0d8, 0xf7cf9d, 0xec9f68, 0xd4703f, 0xa8482b, 0x6e2a20), 0.46, 0.42)
		},
	},
	{
		"Deep blue paper cave", "Blue paper layers folding inwards to a pale glowing centre.",
		"paper craft layers blue navy cave cut handmade creative depth calm art indigo",
		p.Look{Grain: 2.4, Vignette: 0.14},
		func(c *p.Canvas, r *p.Rand) {
			canyon(c, r, even(0xe9f7f4, 0xa9dbe4, 0x5fb0d0, 0x2d78b0, 0x184a84, 0x0b2350), 0.5, 0.45)
		},
	},
	{
		"Paper hills and sun", "Cut-paper green hills under a big yellow paper sun and soft clouds.",
		"paper craft hills sun green yellow spring nature kids playful handmade creative cheerful morning",
		p.Look{Grain: 2.4, Vignette: 0.06},
		func(c *p.Canvas, r *p.Rand) {
			paperLand(c, r, even(0xcfe9ee, 0xeaf3e2, 0xfdf3d6), hex(0xffc94d), 0.62, 0.3, 0.15, even(0xb9d99a, 0x7fbf7a, 0x3f9468, 0x1e6a58), hex(0xffffff))
		},
	},
	{
		"Paper night", "Indigo paper mountains with a paper moon and little stars.",
		"paper craft night moon indigo stars mountains kids bedtime story handmade dream calm creative",
		p.Look{Grain: 2.2, Vignette: 0.12},
		func(c *p.Canvas, r *p.Rand) {
			paperLand(c, r, even(0x1c2352, 0x313a7a, 0x54559c), hex(0xfff1c4), 0.34, 0.26, 0.12, even(0x6a66ae, 0x474a92, 0x2a2f6c, 0x151a44), hex(0x4a4f94))
		},
	},
	{
		"Pastel paper waves", "Flowing bands of pastel paper in pink, peach and mint.",
		"paper craft waves pastel pink peach mint soft playful spring handmade creative colourful layers",
		p.Look{Grain: 2.2, Vignette: 0.04},
		func(c *p.Canvas, r *p.Rand) {
			paperBands(c, r, p.Hexes(0xfdf1e7, 0xfbd9cf, 0xf9bfc0, 0xf5a6b6, 0xd8b4d8, 0xb8c8ea, 0xaee0d8, 0xd2efd6))
		},
	},
	{
		"Coral sunset paper", "Coral and plum paper ridges around a pale sun.",
		"paper craft sunset coral plum sun mountains minimal evening summer handmade creative travel warm",
		p.Look{Grain: 2.3, Vignette: 0.08},
		func(c *p.Canvas, r *p.Rand) {
			paperLand(c, r, even(0xffd9b8, 0xffbf9e, 0xff9f8a), hex(0xfff3df), 0.5, 0.38, 0.2, even(0xf57f72, 0xc94f6c, 0x853062, 0x441d4a), hex(0xffe6d0))
		},
	},
}

// canyon cuts ever wider openings into sheets stacked towards the viewer. cx and cy (0 to 1) are the centre of the
// openings.
func canyon(c *p.Canvas, r *p.Rand, ramp *p.Ramp, cx, cy float32) {
	const sheets = 7
	c.Shade(func(x, y float32) p.Color {
		dx, dy := x/c.W-cx, y/c.H-cy
		return ramp.At(0.0 + 0.25*p.Sqrt(dx*dx+dy*dy))
	})
	light := c.W * 0.012
	for i := 1; i < sheets; i++ {
		t := float32(i) / (sheets - 1)
		n := p.Noise(r.Seed32())
		size := p.Lerp(0.2, 0.62, t)
		f := c.Field(4, func(x, y float32) float32 {
			dx, dy := (x/c.W-cx)/0.82, (y/c.H-cy)/1.05
			d := p.Sqrt(dx*dx + dy*dy)
			return d - size + 0.15*n.FBM(x/c.W*1.5, y/c.W*1.5, 2)
		})
		sheet(c, f, ramp.At(t), light*(1+t), 0.55)
	}
}

// sheet paints paper where the field (in canvas widths) is positive, with a light rim on its edge and a soft shadow on
// the area below, cast down to the right.
func sheet(c *p.Canvas, f *p.Field, col p.Color, lift, strength float32) {
	blur := lift * 2.6
	rim := p.Mix(col, hex(0xffffff), 0.3)
	c.Change(func(x, y float32, was p.Color) p.Color {
		v := f.At(x, y)
		if v > 0.03 {
			return col
		}
		if v > -0.03 { // near the edge: true distance in pixels
			gx, gy := f.At(x+4, y)-f.At(x-4, y), f.At(x, y+4)-f.At(x, y-4)
			d := v * 8 / (p.Sqrt(gx*gx+gy*gy) + 1e-6)
			k := p.Clamp(d+0.5, 0, 1)
			paper := col.Lerp(rim, p.Smooth(3*c.U, 0.5*c.U, d))
			if k >= 1 {
				return paper
			}
			return shade(was, f.At(x-lift*0.6, y-lift)*c.W, blur, strength).Lerp(paper, k)
		}
		return shade(was, f.At(x-lift*0.6, y-lift)*c.W, blur, strength)
	})
}

// shade darkens by nearness to paper above: d is negative pixels outside it.
func shade(was p.Color, d, blur, strength float32) p.Color {
	if d < -blur {
		return was
	}
	k := p.Smooth(-blur, blur*0.35, d)
	return was.Lerp(was.Mul(p.Color{R: 0.34, G: 0.28, B: 0.36}), k*k*strength)
}

func paperLand(c *p.Canvas, r *p.Rand, sky *p.Ramp, sun p.Color, sunX, sunY, sunR float32, land *p.Ramp, cloud p.Color) {
	c.Sky(sky)
	tint := p.Color{R: 0.4, G: 0.36, B: 0.45}
	x, y, rad := sunX*c.W, sunY*c.H, sunR*c.W
	for i := range 2 { // two rings behind the sun
		ring := (&p.Path{}).Circle(x, y, rad*(1.9-0.42*float32(i)))
		c.Shadow(ring, 4*c.U, 8*c.U, 14*c.U, 0.22, tint)
		c.Flat(ring, p.Mix(sky.At(0.6), sun, 0.22+0.2*float32(i)), 1)
	}
	disc := (&p.Path{}).Circle(x, y, rad)
	c.Shadow(disc, 6*c.U, 12*c.U, 18*c.U, 0.4, tint)
	c.Flat(disc, sun, 1)
	for i := range 3 {
		cx, cy := c.W*(0.12+0.36*float32(i)+0.1*r.Bell()), c.H*(0.13+0.11*r.Float()+0.13*float32(i%2))
		k := r.In(0.7, 1.25) * c.U
		puff := (&p.Path{}).Round(-150*k, -34*k, 150*k, 40*k, 37*k).Turn(cx, cy, 1, 0)
		puff.Add((&p.Path{}).Circle(cx-50*k, cy-36*k, 56*k)).Add((&p.Path{}).Circle(cx+38*k, cy-52*k, 74*k))
		c.Shadow(puff, 6*c.U, 14*c.U, 16*c.U, 0.35, tint)
		c.Flat(puff, cloud, 1)
	}
	const layers = 5
	for i := range layers {
		t := float32(i) / (layers - 1)
		n := p.Noise(r.Seed32())
		base, ph := c.H*p.Lerp(0.56, 0.9, t), r.Float()*9
		line := c.Ridge(func(x float32) float32 {
			return base + c.H*0.075*n.Line(x/(c.U*1080)*1.25+ph, 2)
		})
		c.CastUp(line, 46*c.U, 0.65, tint)
		col := land.At(t)
		rim := p.Mix(col, hex(0xffffff), 0.28)
		fibre := p.Noise(r.Seed32())
		c.Fill(line, func(x, y, d float32) (p.Color, float32) {
			k := 1 - 0.12*p.Smooth(0, c.H*0.16, d) + 0.025*(fibre.Grain(int(x/(3*c.U)), int(y/(1.5*c.U)))-0.5)
			return col.Scale(k).Lerp(rim, 0.8*p.Smooth(3.5*c.U, 0.5*c.U, d)), 1
		})
	}
}

func paperBands(c *p.Canvas, r *p.Rand, cols []p.Color) {
	c.Shade(func(_, _ float32) p.Color { return cols[0] })
	for i := 1; i < len(cols); i++ {
		n := p.Noise(r.Seed32())
		t := float32(i) / float32(len(cols))
		f := c.Field(4, func(x, y float32) float32 {
			return (y/c.H-t)*c.H/c.W + (x/c.W-0.5)*0.42 + 0.24*n.FBM(x/c.W*0.95+float32(i)*0.15, y/c.W*0.8, 2)
		})
		sheet(c, f, cols[i], 13*c.U, 0.36)
	}
}
