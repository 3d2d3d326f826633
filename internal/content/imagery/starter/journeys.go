// SPDX-License-Identifier: Apache-2.0

package starter

import (
	p "github.com/reelops/reelops/internal/content/imagery/paint"
)

var journeys = []entry{
	{
		"Plane over the clouds", "A passenger plane flying over soft clouds in the evening sun.",
		"plane airplane flight airport travel trip vacation holiday clouds sky fly airline journey destination sunset",
		p.Look{Grain: 1.8, Vignette: 0.1},
		planeOverClouds,
	},
	{
		"Packed suitcase", "A yellow suitcase with a straw hat standing by a sunny wall.",
		"suitcase luggage packing travel trip vacation holiday hat airport bag baggage journey summer weekend adventure",
		p.Look{Grain: 2, Vignette: 0.1},
		suitcase,
	},
	{
		"Train through the valley", "A red train crossing a stone bridge in a green valley.",
		"train railway rail travel trip bridge valley mountains journey commute transport green landscape interrail ticket",
		p.Look{Grain: 1.8, Vignette: 0.12},
		trainInValley,
	},
	{
		"Map and compass", "An old map with a marked route, pins and a compass, seen from above.",
		"map compass route travel trip navigation pin destination plan journey adventure explore guide location directions",
		p.Look{Grain: 2.2, Vignette: 0.2},
		mapAndCompass,
	},
	{
		"Passport and ticket", "A passport with a boarding pass and sunglasses on a blue ground, seen from above.",
		"passport ticket boarding-pass visa travel trip flight airport vacation abroad sunglasses document holiday",
		p.Look{Grain: 1.8, Vignette: 0.08},
		passport,
	},
	{
		"Beach chairs", "Two striped beach chairs under a parasol by a turquoise sea.",
		"beach chairs parasol sea vacation holiday summer relax sand ocean sun tropical resort travel island",
		p.Look{Grain: 1.8, Vignette: 0.06},
		beachChairs,
	},
	{
		"Camper on the road", "A small camper van on a road towards blue mountains.",
		"van camper car road trip roadtrip drive driving travel adventure mountains vanlife highway freedom camping",
		p.Look{Grain: 1.8, Vignette: 0.12},
		camperVan,
	},
	{
		"Tent under the stars", "A glowing tent beneath a starry sky and dark firs.",
		"tent camping camp night stars outdoor adventure hiking nature forest travel wild fire trip scouts",
		p.Look{Grain: 1.8, Vignette: 0.2},
		tentAtNight,
	},
}

func planeOverClouds(c *p.Canvas, r *p.Rand) {
	c.Sky(even(0x3a6ab4, 0x7fa4d8, 0xd8c8dc, 0xffd0a8, 0xffe6c8))
	c.Halo(c.W*0.8, c.H*0.56, c.W*1.0, hex(0xfff0cc), 0.6)
	cloudSea(c, r, 0.66, hex(0xfff6ec), hex(0xb4b4d4), hex(0xffe0c0))
	o := put(c, focus(c), 0.5, 1).moved(0, 0, 1, -0.14).shaded(0x5a6a94)
	farWing := outline().Smooth(-40, -20, 60, -30, 190, -210, 220, -214, 210, -190, 120, -14)
	o.fill(farWing, fade(0, -210, 0, 0, 0xb0bcd4, 0x8a98b8))
	farTail := outline().Move(-360, -34).Line(-300, -36).Line(-330, -92).Line(-360, -94)
	o.fill(farTail, plain(0x94a2c0))
	fin := outline().Move(-430, -30).Cubic(-440, -100, -450, -160, -444, -210).Line(-392, -210).Cubic(-360, -130, -320,
		-70, -260, -44)
	o.fill(fin, fade(-440, -200, -280, -40, 0xf0704a, 0xc8483a))
	body := outline().Smooth(-470, -24, -440, -40, -280, -58, 0, -64, 300, -60, 400, -40, 446, -4, 420, 18, 320, 40, 0,
		52, -260, 34, -420, -6)
	o.fill(body, func(x, y float32) p.Color {
		return hex(0xffffff).Lerp(hex(0x7f8fb4), p.Smooth(-30, 56, y)).Lerp(hex(0xffe0b8), 0.3*p.Smooth(-100, 440, x))
	})
	o.fill(outline().Smooth(372, -40, 404, -34, 424, -18, 380, -14), plain(0x2f3f5c))
	for i := range 20 {
		o.flat(outline().Round(-270+float32(i)*31, -24, -258+float32(i)*31, -6, 5), 0x4a5f8a)
	}
	o.fill(outline().Smooth(-466, -20, -200, 14, 100, 24, 430, 10, 300, 40, 0, 50, -260, 32), func(_,
		y float32,
	) p.Color {
		return hex(0xe86a48).Scale(1 - 0.006*y)
	})
	engine := outline().Smooth(60, 66, 80, 46, 170, 46, 186, 66, 170, 90, 80, 88)
	o.fill(engine, fade(60, 46, 60, 90, 0xf4f6fa, 0x8a96b4))
	o.fill(outline().Ellipse(182, 67, 9, 21), plain(0x3a4460))
	wing := outline().Smooth(-60, 16, 120, 10, 150, 30, -60, 170, -190, 236, -216, 232, -190, 200, -100, 60)
	o.shadow(wing, 4, 14, 14, 0.4)
	o.fill(wing, fade(100, 10, -180, 220, 0xf4f6fa, 0xa8b4cc))
	o.fill(outline().Move(-180, 204).Line(-196, 236).Line(-232, 250).Line(-220, 226), plain(0xe0603f))
	tailWing := outline().Smooth(-390, -16, -320, -14, -360, 50, -410, 70, -424, 66)
	o.fill(tailWing, fade(-330, -14, -410, 60, 0xf0f2f8, 0xa4b0c8))
	trail := outline().Stroke(30, 4, -480, -10, -1400, -30)
	o.glint(trail, 0xffffff, 16, 0.14)
}

func suitcase(c *p.Canvas, r *p.Rand) {
	plaster(c, r, even(0xf7e4d0, 0xf0ceb0, 0xdda884))
	windowLight(c, 0.1, 0.1, 0.26, hex(0xffe8c0), 0.28)
	counter(c, r, 0.84, 1.3, 0xb88a5e)
	o := put(c, focus(c), 0.91, 1.05)
	o.shadow(outline().Ellipse(60, 8, 330, 30), 30, 4, 26, 0.75)
	for _, x := range []float32{-190, 190} {
		o.fill(outline().Circle(x, -6, 28), ball(x, -6, 30, 0x2c2c30))
	}
	o.fill(outline().Rect(-90, -840, -68, -600).Rect(68, -840, 90, -600), metal(-90, 90, 0xb4b8bc))
	o.fill(outline().Round(-104, -872, 104, -830, 18), turned(0, 104, 0x3a3c42))
	body := outline().Round(-260, -640, 260, -20, 60)
	o.shadow(body, 24, 10, 26, 0.4)
	t := turned(0, 270, 0xf0b428)
	o.fill(body, func(x, y float32) p.Color {
		f := x/62 - float32(p.Floor(x/62)) - 0.5
		rib := 0.1*p.Smooth(0.5, 0.3, p.Abs(f)) - 0.16*p.Smooth(0.4, 0.5, p.Abs(f))
		return t(x, y).Scale(0.98 + rib*p.Smooth(-630, -600, y)*p.Smooth(-30, -60, y))
	})
	o.thin(outline().Rect(-260, -336, 260, -326), 0x8a5e10, 0.6)
	o.fill(outline().Round(-254, -640, -200, -590, 20).Round(200, -640, 254, -590, 20).Round(-254, -72, -200, -20,
		20).Round(200, -72, 254, -20, 20), plain(0xc88c18))
	o.fill(outline().Round(-70, -660, 70, -628, 14), plain(0x3a3c42))
	for i, s := range [][4]float32{{-140, -480, 80, -0.2}, {110, -200, 72, 0.25}, {130, -470, 54, 0.1}, {
		-120, -190, 60,
		0.3,
	}} {
		q := o.moved(s[0], s[1], 1, s[3])
		col := []uint32{0x3f8a9a, 0xe0563c, 0x4a5fa0, 0xf6efe0}[i]
		sticker := outline().Round(-s[2], -s[2]*0.66, s[2], s[2]*0.66, 16)
		if i%2 == 1 {
			sticker = outline().Circle(0, 0, s[2]*0.86)
		}
		q.shadow(sticker, 2, 3, 3, 0.4)
		q.flat(sticker, col)
		q.thin(outline().Smooth(-s[2]*0.6, s[2]*0.3, -s[2]*0.2, -s[2]*0.4, s[2]*0.1, 0, s[2]*0.3, -s[2]*0.2, s[2]*0.6,
			s[2]*0.3), []uint32{0xfff4dc, 0xffe2a0, 0xffffff, 0x7a4a30}[i], 0.9)
	}
	hat := o.moved(150, -668, 1, 0.16)
	brim := outline().Ellipse(0, 0, 250, 52)
	hat.shadow(brim, 6, 26, 18, 0.5)
	straw := func(k float32) shader {
		return func(x, y float32) p.Color {
			return hex(0xecd09a).Scale(k * (0.96 + 0.07*p.Sin(y*0.5+p.Sin(x*0.06)*2)*p.Sin(x*0.22) - 0.0007*x))
		}
	}
	hat.fill(brim, straw(0.95))
	hat.fill(outline().Smooth(-130, -6, -124, -90, -84, -146, 0, -156, 84, -146, 124, -90, 130, -6, 0, 16), straw(1.06))
	hat.fill(outline().Smooth(-131, -10, -128, -50, 0, -34, 128, -50, 131, -10, 0, 14), fade(-130, 0, 130, 0, 0x2f5a7a,
		0x1c3a54))
}

func trainInValley(c *p.Canvas, r *p.Rand) {
	c.Sky(even(0x8fc0e6, 0xbcdcee, 0xe6f0e6, 0xf8f0d4))
	n := p.Noise(r.Seed32())
	for i := range 5 {
		t := float32(i) / 4
		line := c.Ridge(func(x float32) float32 {
			return c.H*p.Lerp(0.42, 0.66, t) - c.H*p.Lerp(0.1, 0.05, t)*n.Line(x/c.W*p.Lerp(2.6, 1.4, t)+t*17, 5)
		})
		col := p.Mix(hex(0xa9c4d8), hex(0x4f8f58), t)
		haze := p.Mix(hex(0xd8e8ee), hex(0xa8cc90), t)
		c.Fill(line, func(x, y, d float32) (p.Color, float32) {
			return col.Lerp(haze, p.Smooth(0, c.H*0.16, d)).Scale(1 + 0.1*n.FBM(x/c.U*0.012, y/c.U*0.012, 3)), 1
		})
		if i == 3 {
			pines(c, r, 0.68, 0.05, hex(0x3f7a50))
		}
	}
	deck := c.H * 0.72
	o := thing{c: c, x: c.W * 0.5, y: deck, k: c.U, tint: hex(0x5a6a5a)}
	half := c.W / c.U * 0.52
	bridge := outline().Rect(-half, 0, half, 900)
	for x := -half - 100; x < half; x += 300 {
		bridge.Add(hole(x+60, 120, x+240, 900))
	}
	o.fill(bridge, func(x, y float32) p.Color {
		j := p.Floor(y / 38)
		off := float32(j&1) * 42
		fx := (x+off)/84 - float32(p.Floor((x+off)/84))
		fy := y/38 - float32(j)
		e := min(min(fx, 1-fx)*84, min(fy, 1-fy)*38)
		tone := n.Grain(p.Floor((x+off)/84)+500, j+500)
		return hex(0xb0a08c).Scale((0.86 + 0.2*tone) * (0.72 + 0.28*p.Smooth(1, 4, e)) * p.Lerp(1.05, 0.7, p.Smooth(0, 700,
			y)))
	})
	o.fill(outline().Rect(-half, -14, half, 26), fade(0, -14, 0, 26, 0xd8ccb8, 0x9a8c78))
	train := func(x0, x1 float32, nose bool) {
		car := outline().Round(x0, -196, x1, -26, 26)
		if nose {
			car = outline().Move(x0, -26).Line(x0, -190).Line(x1-170, -196).Cubic(x1-60, -192, x1-8, -110, x1, -50).Line(x1, -26)
		}
		o.shadow(car, 0, 10, 12, 0.5)
		o.fill(car, func(_, y float32) p.Color {
			col := hex(0xd8382c)
			if y > -84 {
				col = hex(0xf2ece2)
			}
			return col.Scale(1.05 - 0.25*p.Smooth(-120, -26, y) + 0.15*p.Smooth(-180, -196, y))
		})
		end := x1 - 40
		if nose {
			end = x1 - 190
		}
		for x := x0 + 36; x < end-50; x += 84 {
			o.fill(outline().Round(x, -164, x+62, -104, 12), fade(x, -164, x+62, -104, 0x2f4a60, 0x8fb8cc))
		}
		if nose {
			o.fill(outline().Smooth(x1-160, -168, x1-80, -156, x1-36, -108, x1-150, -104), fade(x1-160, -168, x1-60, -104,
				0x2f4a60, 0x9fc4d4))
			o.flat(outline().Ellipse(x1-26, -58, 16, 9), 0xfff4c8)
		}
		for x := x0 + 70; x < x1-60; x += 120 {
			o.flat(outline().Circle(x, -20, 17), 0x2a2c30)
		}
	}
	nose := (focus(c)-0.5)*c.W/c.U + 330
	for x := nose - 400; x > -half-420; x -= 436 {
		train(x-428, x-4, false)
	}
	train(nose-400, nose, true)
	pines(c, r, 0.98, 0.17, hex(0x3a7048))
	pines(c, r, 1.03, 0.2, hex(0x24543a))
}

// hole returns a doorway that cuts an opening into the piece that it is added to.
func hole(x0, y0, x1, y1 float32) *p.Path {
	rad := (x1 - x0) / 2
	const k = 0.4477
	return outline().Move(x1, y1).Line(x1, y0+rad).Cubic(x1, y0+rad*k, x1-rad*k, y0, x1-rad, y0).
		Cubic(x0+rad*k, y0, x0, y0+rad*k, x0, y0+rad).Line(x0, y1)
}

func mapAndCompass(c *p.Canvas, r *p.Rand) {
	n := p.Noise(r.Seed32())
	height := c.Field(3, func(x, y float32) float32 { return n.FBM(x/c.U*0.0021, y/c.U*0.0021, 5) })
	c.Shade(func(x, y float32) p.Color {
		h := height.At(x, y)
		out := hex(0xf0dfb8)
		if h < -0.12 {
			out = hex(0xb8d0c4).Lerp(hex(0x9abcb4), p.Smooth(-0.14, -0.4, h))
		} else {
			out = out.Lerp(hex(0xd8b884), p.Smooth(0.05, 0.5, h))
		}
		shore := p.Abs(h + 0.12)
		out = out.Lerp(hex(0x7a6244), 0.7*p.Smooth(0.012, 0.004, shore))
		k := h*16 - float32(p.Floor(h*16))
		out = out.Scale(1 - 0.09*p.Smooth(0.08, 0.02, min(k, 1-k))*p.Smooth(-0.1, 0, h))
		fold := 1 - 0.1*p.Smooth(26*c.U, 0, p.Abs(x-c.W*0.5)) - 0.08*p.Smooth(20*c.U, 0,
			p.Abs(y-c.H*0.36)) - 0.08*p.Smooth(20*c.U, 0, p.Abs(y-c.H*0.7))
		return out.Scale(fold * (0.97 + 0.06*n.At(x/c.U*0.02+90, y/c.U*0.02)))
	})
	o := put(c, focus(c), 0.68, 1).shaded(0x6a4a2a)
	way := p.Curve(-430, 330, -330, 180, -180, 220, -60, 60, 60, -90, 40, -230, 180, -330, 360, -420)
	for i := 0; i+7 < len(way); i += 6 {
		o.flat(outline().Stroke(11, 11, way[i], way[i+1], way[i+2], way[i+3]), 0xc23a2a)
	}
	pin := func(x, y float32, rgb uint32) {
		q := o.moved(x, y, 1, 0)
		q.shadow(outline().Stroke(8, 8, 0, 0, 60, 34).Circle(76, 42, 22), 0, 0, 9, 0.55)
		q.fill(outline().Move(0, 0).Cubic(-14, -40, -52, -66, -52, -112).Cubic(-52, -146, -28, -168, 0, -168).Cubic(28,
			-168, 52, -146, 52, -112).Cubic(52, -66, 14, -40, 0, 0),
			ball(0, -112, 84, rgb))
		q.flat(outline().Circle(0, -114, 20), 0xfff6e8)
	}
	pin(-430, 330, 0x2f6f9a)
	pin(360, -420, 0xd8402c)
	q := o.moved(210, 240, 1, 0.3)
	rim := outline().Circle(0, 0, 220)
	q.shadow(rim, 18, 26, 24, 0.75)
	q.fill(outline().Ring(0, -252, 46, 30), metal(-46, 46, 0xc8a050))
	q.fill(rim, fade(-160, -160, 160, 160, 0xf2d48a, 0x8a5f1c))
	q.fill(outline().Circle(0, 0, 192), fade(-150, -150, 150, 150, 0x8a6424, 0xe8c470))
	q.fill(outline().Circle(0, 0, 182), fade(-150, -150, 150, 150, 0xfbf4e2, 0xe2d2b0))
	for i := range 36 {
		a := float32(i) * tau / 36
		in := float32(160)
		if i%9 == 0 {
			in = 140
		}
		q.flat(outline().Stroke(4, 4, p.Cos(a)*in, p.Sin(a)*in, p.Cos(a)*172, p.Sin(a)*172), 0x5a4630)
	}
	for i := range 8 {
		s := q.moved(0, 0, 1, float32(i)*tau/8)
		long := float32(112)
		if i%2 == 1 {
			long = 70
		}
		s.thin(outline().Move(0, 0).Line(-18, -20).Line(0, -long), 0x8a7654, 0.75)
		s.thin(outline().Move(0, 0).Line(18, -20).Line(0, -long), 0xcdbb94, 0.9)
	}
	needle := q.moved(0, 0, 1, 0.5)
	needle.shadow(outline().Move(-20, 0).Line(0, -150).Line(20, 0).Line(0, 150), 6, 10, 6, 0.5)
	needle.flat(outline().Move(-20, 0).Line(0, -150).Line(20, 0), 0xcc3226)
	needle.flat(outline().Move(-20, 0).Line(0, 150).Line(20, 0), 0x3a4654)
	q.fill(outline().Circle(0, 0, 14), ball(0, 0, 15, 0xd8b050))
	q.glint(outline().Smooth(-130, -90, -80, -150, 0, -170, -20, -140, -90, -70), 0xffffff, 14, 0.3)
}

func passport(c *p.Canvas, r *p.Rand) {
	slab(c, r, even(0x8fc8e0, 0x74b4d4, 0x589ac0))
	o := put(c, focus(c), 0.68, 1).shaded(0x2a5878)
	b := o.moved(70, -60, 1, 0.2) // boarding pass
	pass := outline().Round(-220, -450, 220, 420, 24).Hole(-220, 190, 22, 22).Hole(220, 190, 22, 22)
	b.shadow(pass, 14, 22, 22, 0.6)
	b.fill(pass, fade(-220, -450, 220, 420, 0xffffff, 0xeeeae2))
	b.flat(outline().Move(-220, -330).Line(-220, -426).Quad(-220, -450, -196, -450).Line(196, -450).Quad(220, -450, 220,
		-426).Line(220, -330), 0xe8643c)
	jet := outline().Smooth(0, -50, 9, -30, 10, -6, 56, 26, 56, 38, 10, 22, 7, 44, 22, 56, 22, 64, 0, 58, -22, 64, -22,
		56, -7, 44, -10, 22, -56, 38, -56, 26, -10, -6, -9, -30)
	b.flat(jet.Turn(-150, -390, 0.75, tau/8), 0xffffff)
	b.thin(outline().Round(-80, -402, 140, -378, 10), 0xffffff, 0.9)
	for i := range 4 {
		y := float32(i)*92 - 280
		b.flat(outline().Round(-180, y, -100, y+12, 5), 0xb8bcc4)
		b.flat(outline().Round(-180, y+24, -20+float32(i*47%80), y+52, 7), 0x2f3f54)
		b.flat(outline().Round(60, y, 130, y+12, 5), 0xb8bcc4)
		b.flat(outline().Round(60, y+24, 170-float32(i*31%40), y+52, 7), 0x2f3f54)
	}
	for i := range 13 {
		x := float32(i)*28 - 182
		b.flat(outline().Round(x, 188, x+12, 192, 2), 0xb8bcc4)
	}
	for i := range 34 {
		x := float32(i)*11 - 186
		b.flat(outline().Rect(x, 250, x+2.5+float32(i*7%4)*1.8, 360), 0x22282f)
	}
	q := o.moved(-120, 90, 1, -0.1)
	cover := outline().Round(-260, -360, 260, 360, 30)
	q.shadow(outline().Round(-250, -350, 272, 370, 30), 18, 26, 26, 0.7)
	q.fill(outline().Round(-252, -352, 268, 366, 24), plain(0xf2ead8))
	n := p.Noise(r.Seed32())
	q.fill(cover, func(x, y float32) p.Color {
		return hex(0x7a2230).Scale(1.08 - 0.0006*(x+y) + 0.06*n.FBM(x*0.08, y*0.08, 2))
	})
	gold := func(path *p.Path) { q.fill(path, fade(-200, -300, 200, 300, 0xf2d48c, 0xb88a3c)) }
	gold(outline().Round(-150, -286, 150, -258, 10))
	gold(outline().Ring(0, -30, 130, 120))
	gold(outline().Ellipse(0, -30, 60, 126).Hole(0, -30, 53, 121))
	gold(outline().Rect(-126, -34, 126, -26).Rect(-4, -156, 4, 96).Rect(-110, -96, 110, -89).Rect(-110, 30, 110, 37))
	gold(outline().Round(-120, 190, 120, 216, 10))
	gold(outline().Round(-34, 262, 34, 304, 10).Hole(0, 283, 12, 12))
	g := o.moved(250, 380, 1, -0.25) // sunglasses
	glass := outline().Smooth(-210, -40, -120, -56, -30, -36, -24, 20, -80, 70, -160, 66, -206, 20).Smooth(210, -40, 120,
		-56, 30, -36, 24, 20, 80, 70, 160, 66, 206, 20).
		Stroke(20, 20, -34, -22, 34, -22)
	g.shadow(glass, 12, 18, 16, 0.6)
	g.fill(glass, plain(0x2a2024))
	g.fill(outline().Smooth(-190, -28, -120, -40, -44, -24, -40, 16, -84, 54, -154, 50, -188, 14).Smooth(190, -28, 120,
		-40, 44, -24, 40, 16, 84, 54, 154, 50, 188, 14),
		fade(0, -40, 0, 60, 0x2f3f54, 0xa8746a))
	g.fill(outline().Stroke(18, 12, -206, -30, -270, -60).Stroke(18, 12, 206, -30, 270, -60), plain(0x2a2024))
}

func beachChairs(c *p.Canvas, r *p.Rand) {
	sea, sand := c.H*0.6, c.H*0.72
	sky := even(0x6ab8e8, 0xa4d8f0, 0xe4f4f4)
	n := p.Noise(r.Seed32())
	puff := c.Field(4, func(x, y float32) float32 { return n.FBM(x/c.W*2, y/c.W*5, 4) })
	water := even(0x2f9ac0, 0x4fc4d0, 0xa4ecdc)
	c.Shade(func(x, y float32) p.Color {
		if y < sea {
			return sky.At(y/sea).Lerp(hex(0xffffff), 0.7*p.Smooth(0.15, 0.6, puff.At(x, y)))
		}
		shore := sand + 16*c.U*n.At(x/c.U*0.004, 3)
		d := (y - sea) / (shore - sea)
		if d < 1 {
			w := n.FBM(x/c.U*0.006, y/c.U*0.06, 3)
			foam := p.Smooth(0.93, 1, d+0.04*w)
			return water.At(d).Scale(1+0.12*w).Lerp(hex(0xffffff), 0.9*foam)
		}
		e := (y - shore) / (c.H - shore)
		return hex(0xe6cfa0).Lerp(hex(0xf6e4bc), p.Smooth(0, 0.12, e)).Scale(1 + 0.06*n.FBM(x/c.U*0.01, y/c.U*0.03,
			4) - 0.08*e)
	})
	o := put(c, focus(c), 0.88, 1).shaded(0x9a7a58)
	o.shadow(outline().Ellipse(130, 40, 420, 60), 40, 0, 26, 0.65)
	o.fill(outline().Stroke(20, 20, 0, 20, 20, -760), turned(10, 12, 0xf4ece0))
	chair := func(x, flip float32, a, b uint32) {
		q := o.moved(x, 0, 1, 0)
		f := func(v float32) float32 { return v * flip }
		wood := outline().Stroke(20, 20, f(-150), 30, f(120), -250).Stroke(20, 20, f(150), 34, f(-110), -110).Stroke(18, 18,
			f(-150), -90, f(110), -100)
		q.fill(outline().Stroke(16, 16, f(-120), 14, f(150), -262), plain(0x8a5a34))
		seat := outline().Move(f(-150), -100).Quad(f(20), 30, f(56), -70).Line(f(150), -290).Line(f(196), -270).Line(f(96),
			-40).Quad(f(40), 70, f(-150), -60)
		q.shadow(seat, 0, 14, 14, 0.5)
		q.fill(seat, func(px, py float32) p.Color {
			s := (px*flip + py*0.4) * 0.05
			if p.Sin(s*1.6) > 0 {
				return hex(a).Scale(1 + 0.0012*(-py-120))
			}
			return hex(b).Scale(1 + 0.0012*(-py-120))
		})
		q.fill(wood, turned(0, 180, 0xc89058))
	}
	chair(-250, -1, 0x2f8aa8, 0xfdf6ea)
	chair(260, 1, 0xf08a4a, 0xfdf6ea)
	const ribs = 8
	top := float32(-790)
	for i := range ribs {
		t0, t1 := float32(i)/ribs*2-1, float32(i+1)/ribs*2-1
		x0, x1 := t0*450, t1*450
		piece := outline().Move(20, top-170).Quad(20+t0*330, top-150, 20+x0, top+110).Quad(20+(x0+x1)/2, top+70, 20+x1,
			top+110).Quad(20+t1*330, top-150, 20, top-170)
		col := []uint32{0xe8503c, 0xfdf4e6}[i%2]
		k := 1.06 - 0.12*t0
		base := hex(col)
		o.fill(piece, func(_, y float32) p.Color { return base.Scale(k * (0.92 + 0.12*p.Smooth(top+110, top-170, y))) })
	}
	o.fill(outline().Circle(20, top-176, 14), ball(20, top-176, 15, 0xf4ece0))
	star := outline()
	for i := range 5 {
		leaf(star, -430, 110, 62, 30, float32(i)*tau/5)
	}
	o.shadow(star, 4, 8, 7, 0.5)
	o.flat(star, 0xe8824c)
}

func camperVan(c *p.Canvas, r *p.Rand) {
	c.Sky(even(0x5a9ad4, 0x9cc8e6, 0xe0ecec, 0xffe8c8))
	n := p.Noise(r.Seed32())
	for i := range 4 {
		t := float32(i) / 3
		line := c.Ridge(func(x float32) float32 {
			peak := n.Ridged(x/c.U*0.0016+t*13, 0.7, 5)
			return c.H*p.Lerp(0.64, 0.68, t) - c.H*p.Lerp(0.15, 0.03, t)*peak*peak
		})
		col := p.Mix(hex(0x8fb0d4), hex(0x6f9a68), t)
		c.Fill(line, func(x, y, d float32) (p.Color, float32) {
			out := col.Lerp(hex(0xe4e8e4), 0.6*p.Smooth(0, c.H*0.14, d))
			if i == 0 {
				snow := c.H*0.535 + 60*c.U*n.FBM(x/c.U*0.012, y/c.U*0.012, 4)
				lit := p.Smooth(-0.2, 0.2, n.FBM(x/c.U*0.009+y/c.U*0.006, y/c.U*0.003, 3))
				out = hex(0x6f92bc).Lerp(hex(0xa4bcd6), lit).Lerp(hex(0xdce8f0), 0.8*p.Smooth(c.H*0.55, c.H*0.66, y))
				out = out.Lerp(hex(0xf6fafc).Scale(0.86+0.14*lit), p.Smooth(snow+12*c.U, snow-12*c.U, y))
			}
			return out, 1
		})
	}
	hor := c.H * 0.69
	cx := c.W * focus(c)
	c.Paint(outline().Rect(0, hor, c.W, c.H), func(x, y float32) (p.Color, float32) {
		d := (y - hor) / (c.H - hor)
		bend := 130 * c.U * (1 - d) * (1 - d)
		off := (x - cx - bend) / c.U
		half := p.Lerp(16, 520, d)
		grass := hex(0xb4b870).Lerp(hex(0x7f9650), d).Scale(1 + 0.12*n.FBM(x/c.U*0.012/(0.2+d), y/c.U*0.05/(0.2+d), 3))
		road := hex(0x6a6c74).Scale(0.95 + 0.05*n.At(x/c.U*0.3, y/c.U*0.3))
		k := p.Smooth(half+4, half-4, p.Abs(off))
		out := grass.Lerp(road, k)
		dash := p.Sin(14/(0.08+d)) > 0
		if dash && p.Abs(off) < 3+9*d {
			out = hex(0xf6ecd0)
		}
		if p.Abs(p.Abs(off)-half*0.92) < 2+5*d {
			out = hex(0xf0e8d8)
		}
		return out, 1
	})
	o := put(c, focus(c), 0.88, 0.95).moved(-20, 0, 1, 0).shaded(0x3a3c40)
	o.shadow(outline().Ellipse(10, 0, 250, 30), 12, 4, 22, 0.85)
	for _, x := range []float32{-150, 150} {
		o.fill(outline().Round(x-40, -80, x+40, 6, 18), plain(0x22242a))
	}
	lower := outline().Round(-236, -300, 236, -44, 46)
	o.fill(lower, fade(0, -300, 0, -44, 0xf0803c, 0xc4562a))
	upper := outline().Smooth(-232, -250, -226, -330, -196, -470, -150, -510, 150, -510, 196, -470, 226, -330, 232, -250)
	o.fill(upper, fade(-200, -500, 200, -280, 0xfffaf0, 0xdcd2c4))
	o.fill(outline().Rect(-236, -292, 236, -262), fade(-236, 0, 236, 0, 0xfffaf0, 0xd4cabc))
	o.fill(outline().Smooth(-186, -330, -168, -446, -130, -472, 130, -472, 168, -446, 186, -330), fade(-180, -470, 180,
		-330, 0x3f5a74, 0xa4c4d4))
	o.flat(outline().Rect(-4, -472, 4, -328), 0xf0e6d8)
	for _, x := range []float32{-150, 150} {
		o.fill(outline().Circle(x, -190, 40), metal(x-40, x+40, 0xc8c8cc))
		o.fill(outline().Circle(x, -190, 31), ball(x, -190, 36, 0xfff2c4))
	}
	o.fill(outline().Round(-226, -98, 226, -62, 16), metal(-226, 226, 0xc4c6ca))
	o.flat(outline().Round(-70, -150, 70, -112, 8), 0xfdf8ec)
	o.thin(outline().Round(-70, -236, 70, -226, 5).Round(-70, -212, 70, -202, 5).Round(-70, -188, 70, -178, 5), 0x7a3018,
		0.7)
	rack := outline().Stroke(10, 10, -170, -524, 170, -524)
	o.flat(rack, 0x4a4038)
	o.fill(outline().Round(-150, -612, 0, -528, 14), turned(-75, 75, 0x6a8a5a))
	o.fill(outline().Round(10, -590, 140, -528, 12), turned(75, 65, 0xb8763c))
	o.flat(outline().Rect(-120, -612, -108, -528).Rect(-46, -612, -34, -528), 0x4a3a2a)
}

func tentAtNight(c *p.Canvas, r *p.Rand) {
	c.Sky(even(0x060a1e, 0x0e1a3c, 0x1f3458, 0x3a5470, 0x1a2a38))
	stars(c, r, 420, 0.62, 0.9)
	pines(c, r, 0.76, 0.2, hex(0x0f2430))
	pines(c, r, 0.79, 0.3, hex(0x081620))
	n := p.Noise(r.Seed32())
	o := put(c, focus(c), 0.88, 1.05).shaded(0x050a10)
	ground := c.Ridge(func(x float32) float32 { return c.H*0.785 + 14*c.U*n.Line(x/c.U/260, 3) })
	c.Fill(ground, func(x, y, d float32) (p.Color, float32) {
		dx, dy := (x-o.x)/c.U/520, (y-o.y)/c.U/240
		light := p.Exp(-1.6 * (dx*dx + dy*dy))
		return hex(0x0c1a1c).Add(hex(0xd87a30).Scale(0.3 * light)).Scale(1 + 0.35*n.FBM(x/c.U*0.03, y/c.U*0.06, 3)), 1
	})
	c.Halo(o.x, o.y-180*o.k, 760*c.U, hex(0xffa850), 0.4)
	back := outline().Smooth(-360, 10, -300, -120, -170, -320, -20, -420, 130, -400, 270, -240, 360, -60, 390, 6)
	o.fill(back, func(x, y float32) p.Color {
		d := p.Sqrt((x+20)*(x+20)+(y+110)*(y+110)) / 420
		seam := p.Smooth(0.03, 0, p.Abs(p.Sin(x*0.013+0.0009*y*x*0.02)))
		return hex(0xff9a3c).Lerp(hex(0xb8401c), p.Smooth(0.1, 1, d)).Scale(1.25 - 0.8*d - 0.2*seam)
	})
	door := outline().Smooth(-200, 6, -150, -150, -70, -300, -30, -340, 20, -280, 90, -130, 130, 6)
	o.fill(door, func(x, y float32) p.Color {
		d := p.Sqrt((x+20)*(x+20)+(y+90)*(y+90)) / 260
		return hex(0xfff0c0).Lerp(hex(0xffb050), p.Smooth(0, 1, d)).Scale(1.35 - 0.5*d)
	})
	flap := outline().Smooth(-30, -342, -90, -180, -140, -60, -220, 8, -240, 8, -170, -130, -80, -300)
	o.fill(flap, fade(-240, 0, -40, -200, 0x8a3418, 0xd8662c))
	o.flat(outline().Stroke(5, 5, -300, -120, -520, 30).Stroke(5, 5, 300, -190, 560, 30), 0x2a2420)
	for i := range 3 { // stones around the embers of a fire
		q := o.moved(330+float32(i)*34, 96, 1, 0)
		q.fill(outline().Ellipse(0, 0, 30, 20), ball(0, 0, 34, 0x4a4a50))
	}
	f := o.moved(364, 84, 1, 0)
	c.Halo(f.x, f.y-30*f.k, 360*c.U, hex(0xff8a3c), 0.5)
	for _, s := range [][3]float32{{-20, 70, -0.15}, {18, 90, 0.12}, {0, 120, 0}} {
		flame := outline().Smooth(s[0], 8, s[0]-22, -20, s[0]-8, -s[1]*0.6, s[0]+s[2]*100, -s[1], s[0]+14, -s[1]*0.5,
			s[0]+22, -16)
		f.fill(flame, func(_, y float32) p.Color { return hex(0xff7a2c).Lerp(hex(0xfff0a8), p.Smooth(-90, 0, y)).Scale(1.5) })
	}
}
