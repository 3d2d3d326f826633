// SPDX-License-Identifier: Apache-2.0

package starter

import (
	p "github.com/reelops/reelops/internal/content/imagery/paint"
)

var deskDevices = []entry{
	{
		"Phone in a hand", "A hand holding a smartphone with a glowing screen against a violet evening.",
		"phone smartphone hand mobile app screen social-media scroll message chat online internet technology device content",
		p.Look{Grain: 1.8, Vignette: 0.16},
		phoneInHand,
	},
	{
		"Laptop on a desk", "An open laptop on a wooden desk beside a plant and a window.",
		"laptop computer desk office work workspace screen remote homeoffice business study online technology plant",
		p.Look{Grain: 2, Vignette: 0.14},
		laptopDesk,
	},
	{
		"Headphones", "White headphones hanging in front of a strong orange wall.",
		"headphones music audio podcast listen sound song playlist headset technology orange gaming studio",
		p.Look{Grain: 2, Vignette: 0.12},
		headphones,
	},
	{
		"Camera", "A camera with a big lens on a dark shelf with warm lights behind.",
		"camera photo photography lens photographer picture video film vlog content creator studio device travel gear",
		p.Look{Grain: 1.8, Vignette: 0.24},
		cameraFront,
	},
	{
		"Desk from above", "A keyboard, a notebook, a pen and coffee on a tidy desk, seen from above.",
		"desk workspace keyboard notebook pen office writing work planning business productivity coffee table flatlay",
		p.Look{Grain: 1.8, Vignette: 0.08},
		deskFromAbove,
	},
	{
		"Calendar", "A wall calendar with one day circled in red, in morning light.",
		"calendar date month day deadline schedule plan planning appointment reminder event time organise week",
		p.Look{Grain: 2.2, Vignette: 0.1},
		wallCalendar,
	},
	{
		"Alarm clock", "A round alarm clock on a bedside table at dawn.",
		"clock alarm time wake minutes hour schedule morning routine early sleep bedroom deadline punctual dawn",
		p.Look{Grain: 2, Vignette: 0.14},
		alarmClock,
	},
	{
		"Checklist", "A clipboard with ticked boxes and a pencil on a yellow desk, seen from above.",
		"checklist list todo task tasks check clipboard steps plan habits goals pencil organise paper tips",
		p.Look{Grain: 2, Vignette: 0.08},
		checklist,
	},
	{
		"Letter in an envelope", "An open envelope with a letter on a soft blue ground.",
		"envelope letter mail email newsletter message post inbox invitation contact paper blue news write communication",
		p.Look{Grain: 2, Vignette: 0.08},
		envelope,
	},
	{
		"Studio microphone", "A studio microphone in front of a dark wall with red and blue light.",
		"microphone podcast studio record recording voice audio radio interview speaker music sing mic",
		p.Look{Grain: 1.8, Vignette: 0.22},
		microphone,
	},
}

// finger paints a finger along points, in units of the hand.
func finger(o thing, w0, w1 float32, skin uint32, xy ...float32) {
	line := p.Curve(xy...)
	path := outline().Stroke(w0, w1, line...)
	o.shadow(path, 6, 8, 10, 0.4)
	o.fill(path, plain(skin))
	light := make([]float32, len(line))
	for i := range line {
		light[i] = line[i] - w1*0.16
	}
	o.glint(outline().Stroke(w0*0.3, w1*0.25, light...), 0xffd8b8, w1*0.22, 0.16)
}

func phoneInHand(c *p.Canvas, r *p.Rand) {
	c.Sky(even(0x2a2350, 0x4b3578, 0x7d4f98, 0xb8708f))
	lamps(c, r, p.Hexes(0xffb36a, 0xff7fb0, 0x8fb4ff), 26, 0.32, 0.22, 0.12)
	o := put(c, focus(c), 0.68, 1).moved(0, 0, 1, 0.05).shaded(0x3a2440)
	skin := uint32(0xb97a58)
	n := p.Noise(r.Seed32())
	sleeve := outline().Move(-190, 640).Line(270, 590).Line(420, 1300).Line(-320, 1300)
	palm := outline().Smooth(-270, 130, -236, 330, -170, 520, -130, 700, 220, 690, 250, 520, 300, 330, 300, 120, 240,
		-60, -180, -60)
	o.shadow(palm, 10, 20, 26, 0.5)
	o.fill(palm, fade(-260, 0, 280, 520, 0xc98a66, 0x8f583e))
	o.shadow(sleeve, 0, -12, 18, 0.5)
	o.fill(sleeve, func(x, y float32) p.Color {
		rib := 0.06 * p.Sin((x+y*0.14)*0.2) * p.Smooth(760, 740, y)
		return hex(0x2f3f6a).Scale(1.05 - 0.0011*x + rib + 0.05*n.FBM(x*0.01, y*0.006, 3))
	})
	phone := outline().Round(-238, -520, 238, 440, 62)
	o.shadow(phone, 22, 26, 34, 0.7)
	o.fill(phone, fade(-238, -500, 238, 440, 0x4a4c58, 0x101118))
	screen := outline().Round(-218, -500, 218, 420, 46)
	glow := even(0x2b2a5c, 0x5a3f9c, 0xd0679c, 0xffb07a)
	o.fill(screen, func(x, y float32) p.Color {
		return glow.At(0.5 + 0.00105*y + 0.0003*x + 0.1*n.FBM(x*0.003, y*0.003, 2)).Scale(1.15)
	})
	o.c.Glow(o.x, o.y-60*o.k, 620*o.k, hex(0xff9ac0), 0.1)
	o.flat(outline().Round(-62, -480, 62, -450, 15), 0x0c0c14)
	for i := range 3 {
		y := float32(i)*178 - 110
		card := outline().Round(-178, y, 178, y+146, 30)
		o.thin(card, 0xffffff, 0.2)
		o.thin(outline().Circle(-120, y+73, 36), 0xffffff, 0.75)
		o.thin(outline().Round(-62, y+44, 100-float32(i)*26, y+64, 10), 0xffffff, 0.85)
		o.thin(outline().Round(-62, y+84, 142-float32(i*i)*20, y+100, 8), 0xffffff, 0.5)
	}
	heart := outline().Smooth(0, 60, -50, 16, -63, -26, -32, -56, 0, -30, 32, -56, 63, -26, 50, 16)
	o.thin(heart.Turn(0, -280, 1.25, 0), 0xffffff, 0.95)
	// The fingers reach around the right edge, the thumb rests on the left one.
	for i, y := range []float32{-120, 0, 120, 230} {
		w := []float32{74, 80, 78, 66}[i]
		finger(o, w, w*0.8, skin, 300, y+44, 262, y+14, 196, y-4)
		nail := outline().Ellipse(0, 0, w*0.26, w*0.2).Turn(200, y-6, 1, 0.2)
		o.thin(nail, 0xe8b49a, 0.7)
	}
	finger(o, 130, 72, skin, -216, 330, -272, 180, -276, 30, -216, -110)
	o.thin(outline().Ellipse(0, 0, 21, 32).Turn(-214, -108, 1, 0.5), 0xe8b49a, 0.75)
}

// plant paints a pot with leaves at the origin.
func plant(o thing, r *p.Rand, size float32) {
	o.shadow(outline().Ellipse(20*size, 0, 90*size, 16*size), 10, 4, 16*size, 0.7)
	pot(o.c, r, o.x, o.y, o.k*size)
}

func laptopDesk(c *p.Canvas, r *p.Rand) {
	plaster(c, r, even(0xefe9e0, 0xdfd4c6, 0xc2b29f))
	windowLight(c, 0.12, 0.08, 0.26, hex(0xfff0d0), 0.25)
	counter(c, r, 0.78, 0.97, 0xb58556)
	o := put(c, focus(c), 0.86, 1)
	plant(o.moved(-400, -62, 1, 0), r, 0.85)
	o.shadow(outline().Ellipse(20, 30, 470, 40), 12, 6, 24, 0.7)
	lid := outline().Round(-350, -520, 350, -40, 26)
	o.shadow(lid, 20, 0, 22, 0.45)
	o.fill(lid, fade(-350, -520, 350, -40, 0x3c3f46, 0x1b1d22))
	n := p.Noise(r.Seed32())
	sky := even(0x3a5a9c, 0x7a8fc8, 0xf0b9a0, 0xf7d9b0)
	o.fill(outline().Round(-330, -500, 330, -66, 10), func(x, y float32) p.Color {
		out := sky.At((y + 500) / 400)
		for i := range 3 {
			line := -190 + float32(i)*52 + 60*n.Line(x*0.006+float32(i)*9, 3)
			if y > line {
				out = p.Hex([]uint32{0x8a7aa8, 0x5a568c, 0x2f3a68}[i])
			}
		}
		return out
	})
	o.glint(outline().Move(-330, -500).Line(-90, -500).Line(-330, -150), 0xffffff, 16, 0.07)
	deck := outline().Move(-360, -44).Line(360, -44).Line(448, 24).Line(-448, 24)
	o.fill(deck, fade(0, -44, 0, 24, 0xb4b8be, 0xdfe1e4))
	keys := outline()
	for row := range 4 {
		t := (float32(row) + 0.5) / 5
		y := p.Lerp(-40, 10, t)
		w := p.Lerp(320, 372, t)
		for i := range 13 {
			x := (float32(i)/13*2 - 1) * w
			keys.Move(x+4, y-4).Line(x+2*w/13-4, y-4).Line(x+2*w/13-3, y+4).Line(x+3, y+4)
		}
	}
	o.thin(keys, 0x2a2d33, 0.85)
	o.fill(outline().Round(-448, 22, 448, 40, 9), fade(0, 22, 0, 40, 0xf2f3f4, 0x8d9096))
	mug(o.moved(418, 84, 0.62, 0), 110, 210, 0xc8644a, 0x3a2014)
}

func headphones(c *p.Canvas, r *p.Rand) {
	plaster(c, r, even(0xff9a4c, 0xf57f36, 0xdb5f22))
	o := put(c, focus(c), 0.67, 1.05).shaded(0x8a3410)
	var band, inner []float32
	for i := range 41 {
		a := tau/2 + float32(i)/40*tau/2
		band = append(band, p.Cos(a)*300, -40+p.Sin(a)*330)
		inner = append(inner, p.Cos(a)*272, -30+p.Sin(a)*300)
	}
	arc := outline().Stroke(46, 46, band...)
	cups := outline().Ellipse(-300, 110, 100, 170).Ellipse(300, 110, 100, 170)
	o.shadow(outline().Add(arc).Add(cups), 50, 70, 46, 0.8)
	peg := outline().Circle(0, -400, 42)
	o.fill(outline().Stroke(30, 30, inner...), plain(0xb9b2aa))
	o.fill(arc, func(x, y float32) p.Color {
		d := p.Sqrt(x*x/(300*300)+(y+40)*(y+40)/(330*330)) - 1
		return hex(0xfaf6f0).Scale(0.82 + 0.22*p.Smooth(-0.07, 0.05, d) - 0.0003*x)
	})
	for _, s := range []float32{-1, 1} {
		x := s * 300
		rod := outline().Round(x-15, -110, x+15, 10, 14)
		o.fill(rod, metal(x-15, x+15, 0xc8c8cc))
		pad := outline().Smooth(x-s*20, -70, x-s*110, -20, x-s*128, 110, x-s*110, 240, x-s*20, 290)
		o.fill(pad, func(px, py float32) p.Color {
			fold := 0.12 * p.Sin(py*0.12)
			return hex(0x4a3a34).Scale(1.05 + fold*p.Smooth(60, 120, p.Abs(px-x)) - 0.3*p.Smooth(150, 290, py))
		})
		cup := outline().Ellipse(x+s*6, 110, 92, 168)
		o.fill(cup, ball(x, 80, 190, 0xf6f1ea))
		o.fill(outline().Ellipse(x+s*14, 110, 58, 112), ball(x+s*14, 90, 130, 0xe4ddd4))
		o.fill(outline().Ellipse(x+s*16, 112, 46, 92), ball(x+s*16, 96, 120, 0xf2ece4))
	}
	o.fill(peg, ball(0, -400, 44, 0x8d4a22))
	o.glint(outline().Stroke(10, 10, band[8:34]...), 0xffffff, 8, 0.3)
}

func cameraFront(c *p.Canvas, r *p.Rand) {
	c.Sky(even(0x1a1614, 0x2a201b, 0x3a2a20, 0x1c1512))
	lamps(c, r, p.Hexes(0xffb35c, 0xffd9a0, 0xff8a5c), 30, 0.34, 0.2, 0.2)
	counter(c, r, 0.8, 0.965, 0x5a3a26)
	o := put(c, focus(c), 0.885, 1.05).shaded(0x1a100a)
	o.shadow(outline().Ellipse(20, 6, 430, 36), 14, 4, 26, 0.85)
	bump := outline().Move(-120, -470).Line(-84, -560).Quad(-76, -580, -50, -580).Line(50, -580).Quad(76, -580, 84,
		-560).Line(120, -470)
	o.fill(bump, turned(0, 130, 0x2e2e32))
	o.fill(outline().Round(-330, -520, -220, -470, 12), metal(-330, -220, 0x9a9a9e))
	o.fill(outline().Round(210, -510, 330, -470, 10), metal(210, 330, 0x77777c))
	o.fill(outline().Round(-180, -500, -134, -470, 8), plain(0x8a2a22))
	body := outline().Round(-400, -480, 400, 0, 52)
	n := p.Noise(r.Seed32())
	o.fill(body, func(x, y float32) p.Color {
		leather := y > -380 && y < -60
		t := 1.0 - 0.0009*x - 0.0004*y
		if leather {
			return hex(0x2a2724).Scale(t * (0.95 + 0.3*n.At(x*0.11, y*0.11)))
		}
		return hex(0x8d8a86).Scale(t * (0.85 + 0.15*p.Smooth(-480, -400, y)))
	})
	o.thin(outline().Rect(-400, -382, 400, -377).Rect(-400, -62, 400, -57), 0x0c0b0a, 0.8)
	lens := outline().Circle(0, -225, 250)
	o.shadow(lens, 22, 20, 26, 0.7)
	for i, s := range []struct {
		rad float32
		rgb uint32
	}{{250, 0x17171a}, {238, 0x3c3c42}, {222, 0x1a1a1d}, {206, 0x2c2c30}, {184, 0x101013}, {170, 0x222228}, {
		150,
		0x08080c,
	}} {
		col := hex(s.rgb)
		o.fill(outline().Circle(0, -225, s.rad), func(x, y float32) p.Color {
			k := (x + y + 225) / s.rad
			ridge := float32(0)
			if i == 1 {
				ridge = 0.2 * p.Sin(x*0.35) * p.Sin((y+225)*0.35)
			}
			return col.Scale(1.25 - 0.5*k + ridge)
		})
	}
	glass := even(0x05060c, 0x0e1a34, 0x1d3a5c, 0x3a2a5c, 0x0a0a14)
	o.fill(outline().Circle(0, -225, 142), func(x, y float32) p.Color {
		d := p.Sqrt(x*x+(y+225)*(y+225)) / 142
		return glass.At(d*0.9 + 0.0006*(x+y+225)).Scale(1.1)
	})
	o.fill(outline().Circle(0, -225, 52), plain(0x030308))
	o.glint(outline().Smooth(-100, -280, -64, -330, 0, -342, -10, -316, -60, -292), 0xbfe0ff, 8, 0.55)
	o.glint(outline().Ellipse(52, -160, 30, 18), 0xd0a0ff, 10, 0.35)
	o.glint(outline().Ellipse(-46, -188, 12, 9), 0x8affd0, 5, 0.35)
	o.flat(outline().Circle(300, -430, 16), 0xd8402c)
	o.flat(outline().Round(-350, -450, -180, -424, 8), 0xdedad4)
}

func deskFromAbove(c *p.Canvas, r *p.Rand) {
	slab(c, r, even(0xf2ede6, 0xe8e1d8, 0xdbd2c6))
	leafLight(c, r, 0.3)
	o := put(c, focus(c), 0.68, 1).shaded(0x8a7c70)
	book := o.moved(-215, 40, 1, -0.06)
	cover := outline().Round(-235, -320, 235, 320, 22)
	book.shadow(cover, 14, 20, 20, 0.6)
	book.fill(cover, fade(-235, -320, 235, 320, 0x2f6a66, 0x1f4a4c))
	page := outline().Round(-212, -302, 222, 302, 10)
	book.fill(page, fade(-212, 0, 222, 0, 0xe6dfd2, 0xfffaf0))
	for i := range 11 {
		y := float32(i)*48 - 230
		book.thin(outline().Rect(-170, y, 190, y+2), 0x8fa0b0, 0.5)
	}
	for i := range 5 {
		y := float32(i)*48 - 246
		var line []float32
		for k := range 24 {
			x := float32(k)*12 - 164
			line = append(line, x, y+7*p.Sin(float32(k)*2.1+float32(i)*3)*r.In(0.4, 1))
		}
		book.flat(outline().Stroke(4, 4, p.Curve(line[:36+6*(i%2)]...)...), 0x2a3a5a)
	}
	for i := range 12 {
		y := float32(i)*50 - 275
		book.flat(outline().Stroke(9, 9, -240, y, -204, y), 0x9a9a9e)
	}
	pen(o.moved(30, 150, 0.95, 0.35), 0xd0543c)
	cupTop(o.moved(330, -70, 1, 0), 0xfbf8f3)
	kb := o.moved(60, 500, 1, 0.02)
	base := outline().Round(-450, -130, 450, 130, 26)
	kb.shadow(base, 12, 18, 18, 0.6)
	kb.fill(base, fade(0, -130, 0, 130, 0xeceded, 0xd4d6d8))
	for row := range 4 {
		for i := range 13 {
			x, y := float32(i)*66-430, float32(row)*58-112
			key := outline().Round(x, y, x+58, y+50, 9)
			if row == 3 && i >= 4 && i <= 8 {
				if i > 4 {
					continue
				}
				key = outline().Round(x, y, x+58+4*66, y+50, 9)
			}
			kb.shadow(key, 2, 4, 3, 0.5)
			kb.flat(key, 0xffffff)
		}
	}
	for range 6 {
		a := r.In(1.7, 2.9)
		q := o.moved(590, -600, 1.3, 0)
		path := outline()
		long := r.In(220, 330) * q.k
		leaf(path, q.x, q.y, long, long*0.4, a)
		c.Shadow(path, 10*q.k, 16*q.k, 16*q.k, 0.45, o.tint)
		blade(c, q.x, q.y, long, long*0.4, a, hex(0x4f8a60))
	}
}

func wallCalendar(c *p.Canvas, r *p.Rand) {
	plaster(c, r, even(0xdfe6ea, 0xc8d2da, 0xa5b2be))
	windowLight(c, 0.3, 0.03, 0.26, hex(0xfff0d4), 0.25)
	o := put(c, focus(c), 0.68, 1).shaded(0x5a6878)
	back := outline().Round(-370, -400, 380, 480, 16)
	o.shadow(back, 26, 36, 34, 0.6)
	o.fill(outline().Round(-362, -400, 376, 486, 14), plain(0xcfcac2))
	page := outline().Round(-370, -410, 370, 470, 16)
	o.fill(page, fade(-370, -410, 370, 470, 0xffffff, 0xf0ece6))
	head := outline().Move(-370, -250).Line(-370, -394).Quad(-370, -410, -354, -410).Line(354, -410).Quad(370, -410, 370,
		-394).Line(370, -250)
	o.fill(head, fade(-370, -410, 370, -250, 0xe2584a, 0xc43c3a))
	o.thin(outline().Round(-150, -346, 150, -306, 14), 0xffffff, 0.9)
	for i := range 12 {
		x := float32(i)*58 - 319
		o.fill(outline().Circle(x, -398, 11), plain(0x8a2a2a))
		o.fill(outline().Stroke(9, 9, p.Curve(x, -396, x-9, -430, x, -446, x+9, -430, x+2, -398)...), metal(x-10, x+10,
			0xd0d0d4))
	}
	for i := range 35 {
		x, y := float32(i%7)*96-288, float32(i/7)*122-170
		if i < 2 || i > 32 {
			continue
		}
		col := uint32(0x4a5260)
		if i%7 == 6 {
			col = 0xd8483e
		}
		num := outline()
		if day := i - 1; day > 9 {
			digit(num, day/10, x-15, y, 34)
			digit(num, day%10, x+15, y, 34)
		} else {
			digit(num, day, x, y, 34)
		}
		o.flat(num, col)
	}
	o.thin(outline().Rect(-330, -214, 330, -212), 0xc8c4be, 1)
	var loop []float32
	for k := range 30 {
		a := -2 + float32(k)/26*tau
		d := 56 + 4*p.Sin(float32(k)*0.9)
		loop = append(loop, 0+p.Cos(a)*d*1.05, 196+p.Sin(a)*d*0.95)
	}
	o.thin(outline().Stroke(9, 7, loop...), 0xe0332c, 0.95)
	tick := outline().Stroke(12, 9, -192, 198, -172, 224).Stroke(9, 7, -172, 224, -128, 160)
	o.thin(tick, 0x2f9a62, 0.95)
	curl := outline().Move(370, 390).Quad(320, 400, 296, 470).Line(370, 470)
	o.fill(curl, fade(310, 400, 370, 470, 0xffffff, 0xb4b0aa))
}

func alarmClock(c *p.Canvas, r *p.Rand) {
	c.Sky(even(0x8fa4cc, 0xc8b8cc, 0xf2c8b4, 0xffdcae))
	c.Halo(c.W*0.22, c.H*0.62, c.W*1.0, hex(0xffe2a8), 0.45)
	c.Glow(c.W*0.8, c.H*0.2, c.W*0.7, hex(0xa8b8e8), 0.08)
	counter(c, r, 0.8, 0.965, 0xa0714e)
	o := put(c, focus(c), 0.86, 1)
	o.shadow(outline().Ellipse(30, 18, 270, 36), 26, 6, 26, 0.8)
	for _, s := range []float32{-1, 1} {
		o.fill(outline().Stroke(34, 22, s*150, -80, s*205, 14), metal(s*150-20, s*205+20, 0xb08a4a))
		bell := outline().Smooth(s*-10+s*90, -590, s*60, -640, s*110, -690, s*190, -680, s*240, -610, s*226, -540)
		o.fill(bell, turned(s*150, 110, 0xd9a84a))
		o.fill(outline().Stroke(16, 16, s*150, -600, s*128, -540), plain(0x8a6a30))
	}
	o.fill(outline().Stroke(12, 12, 0, -640, 0, -540).Ellipse(0, -650, 26, 18), metal(-30, 30, 0xb8904a))
	body := outline().Circle(0, -300, 285)
	o.shadow(body, 20, 14, 24, 0.4)
	o.fill(body, ball(0, -300, 310, 0x2f6f78))
	o.fill(outline().Circle(0, -300, 246), fade(-200, -500, 200, -100, 0x1d4a52, 0x4a98a0))
	o.fill(outline().Circle(0, -298, 234), fade(-200, -500, 200, -100, 0xfff8ea, 0xeadfca))
	for i := range 60 {
		a := float32(i) * tau / 60
		in, w := float32(208), float32(4)
		if i%5 == 0 {
			in, w = 186, 10
		}
		o.flat(outline().Stroke(w, w, p.Cos(a)*in, -298+p.Sin(a)*in, p.Cos(a)*218, -298+p.Sin(a)*218), 0x2a3a40)
	}
	hand := func(a, long, w float32, rgb uint32) {
		path := outline().Stroke(w, w*0.5, -p.Cos(a)*30, -298-p.Sin(a)*30, p.Cos(a)*long, -298+p.Sin(a)*long)
		o.shadow(path, 5, 8, 6, 0.45)
		o.flat(path, rgb)
	}
	hand(-tau/4+tau*7/12, 112, 20, 0x2a3a40)
	hand(-tau/4, 176, 14, 0x2a3a40)
	hand(-tau/4+tau*0.66, 190, 5, 0xd8482e)
	o.fill(outline().Circle(0, -298, 15), ball(0, -298, 16, 0xd8a84a))
	o.glint(outline().Smooth(-180, -400, -120, -480, -20, -510, -40, -480, -120, -440), 0xffffff, 14, 0.25)
}

func checklist(c *p.Canvas, r *p.Rand) {
	slab(c, r, even(0xffd873, 0xf9c856, 0xeeb33e))
	o := put(c, focus(c), 0.66, 1).moved(0, 0, 1, -0.06).shaded(0x9a6a1a)
	board := outline().Round(-360, -480, 360, 500, 40)
	o.shadow(board, 22, 34, 34, 0.7)
	o.fill(board, grainy(r, fade(-360, -480, 360, 500, 0xa9744a, 0x855632), 40, 0.12))
	page := outline().Rect(-316, -410, 316, 460)
	o.shadow(page, 4, 7, 7, 0.5)
	o.fill(page, fade(-316, -410, 316, 460, 0xffffff, 0xf1eee8))
	o.flat(outline().Round(-262, -340, 40, -308, 12), 0x2f3a4c)
	for i := range 5 {
		y := float32(i)*128 - 230
		box := outline().Round(-262, y, -182, y+80, 16)
		done := i < 4
		if done {
			o.flat(box, 0x2fa36b)
			tick := outline().Stroke(13, 13, -242, y+42, -226, y+58).Stroke(13, 13, -226, y+58, -200, y+24)
			o.flat(tick, 0xffffff)
		} else {
			o.flat(box, 0xb8bec6)
			o.flat(outline().Round(-254, y+8, -190, y+72, 10), 0xffffff)
		}
		w := []float32{250, 190, 230, 160, 210}[i]
		o.flat(outline().Round(-146, y+14, -146+w+130, y+34, 10), 0x9aa2ae)
		o.flat(outline().Round(-146, y+50, -146+w, y+64, 7), 0xd0d4d9)
	}
	clip := outline().Round(-120, -520, 120, -420, 26).Hole(0, -486, 22, 22)
	o.shadow(clip, 5, 9, 9, 0.6)
	o.fill(clip, metal(-120, 120, 0xbfc3c8))
	q := o.moved(300, 320, 1, -0.55)
	pencil(q)
}

// pencil paints a pencil seen from above, its point up, about 560 units long.
func pencil(o thing) {
	all := outline().Move(0, -300).Line(24, -220).Line(24, 260).Line(-24, 260).Line(-24, -220)
	o.shadow(all, 12, 18, 12, 0.6)
	o.flat(outline().Move(0, -300).Line(24, -220).Line(-24, -220), 0xedc795)
	o.flat(outline().Move(0, -300).Line(8, -272).Line(-8, -272), 0x2a2a2e)
	for i, col := range []uint32{0x2f7fd0, 0x2468b4, 0x1a5294} {
		x := float32(i)*16 - 24
		o.flat(outline().Rect(x, -220, x+16.5, 190), col)
	}
	o.fill(outline().Rect(-24, 188, 24, 226), metal(-24, 24, 0xc8c8c8))
	o.fill(outline().Round(-24, 222, 24, 274, 14), turned(0, 25, 0xe8889a))
}

func envelope(c *p.Canvas, r *p.Rand) {
	slab(c, r, even(0xcfe0f4, 0xbcd2ec, 0xa3bee0))
	o := put(c, focus(c), 0.7, 1).moved(0, 0, 1, -0.05).shaded(0x5a7098)
	all := outline().Rect(-390, -210, 390, 310)
	o.shadow(all, 24, 36, 36, 0.7)
	flap := outline().Move(-390, -206).Line(-30, -452).Quad(0, -474, 30, -452).Line(390, -206)
	o.shadow(flap, 6, 10, 12, 0.4)
	o.fill(flap, fade(0, -460, 0, -200, 0xd8c4a4, 0xbfa680))
	o.fill(all, plain(0xb09870))
	letter := outline().Round(-340, -430, 340, 200, 10)
	o.shadow(letter, 4, 6, 10, 0.4)
	o.fill(letter, fade(0, -430, 0, 60, 0xffffff, 0xe6e4e0))
	o.flat(outline().Round(-280, -372, -60, -346, 8), 0x3a4a66)
	for i := range 5 {
		y := float32(i)*48 - 300
		o.flat(outline().Round(-280, y, 280-float32(i*53%120), y+14, 7), 0xc2c8d2)
	}
	paper := hex(0xf1e2c8)
	n := p.Noise(r.Seed32())
	skin := func(k float32) shader {
		return func(x, y float32) p.Color { return paper.Scale(k + 0.03*n.FBM(x*0.05, y*0.05, 2) - 0.0001*y) }
	}
	left := outline().Move(-390, -206).Line(10, 90).Line(-390, 310)
	right := outline().Move(390, -206).Line(-10, 90).Line(390, 310)
	o.shadow(left, 3, 0, 6, 0.4)
	o.fill(left, skin(0.95))
	o.fill(right, skin(0.88))
	low := outline().Move(-390, 310).Line(-40, 50).Quad(0, 24, 40, 50).Line(390, 310)
	o.shadow(low, 0, -6, 10, 0.5)
	o.fill(low, skin(1.02))
	seal := outline().Smooth(-62, 0, -50, -42, -8, -64, 40, -52, 66, -6, 52, 44, 6, 62, -44, 48).Turn(0, 128, 1, 0)
	o.shadow(seal, 4, 8, 8, 0.6)
	o.fill(seal, ball(0, 128, 74, 0xb8302f))
	heart := outline().Smooth(0, 60, -50, 16, -63, -26, -32, -56, 0, -30, 32, -56, 63, -26, 50, 16)
	o.thin(heart.Turn(0, 130, 0.5, 0), 0x7a1a1c, 0.8)
}

func microphone(c *p.Canvas, r *p.Rand) {
	n := p.Noise(r.Seed32())
	c.Shade(func(x, y float32) p.Color { // foam wedges on the wall
		s := 150 * c.U
		i, j := p.Floor(x/s), p.Floor(y/s)
		fx, fy := x/s-float32(i), y/s-float32(j)
		stripe := fx
		if (i+j)&1 == 0 {
			stripe = fy
		}
		w := stripe*4 - float32(p.Floor(stripe*4))
		k := 0.5 + 0.5*p.Smooth(0, 0.5, w)*p.Smooth(1, 0.5, w)
		return hex(0x23222a).Scale(k * (1 + 0.1*n.FBM(x/s, y/s, 2)))
	})
	c.Glow(c.W*0.05, c.H*0.5, c.W*1.3, hex(0xff3a5c), 0.16)
	c.Glow(c.W*1.0, c.H*0.35, c.W*1.3, hex(0x3a6aff), 0.2)
	c.Change(func(_, y float32, was p.Color) p.Color { return was.Scale(0.55 + 0.5*p.Smooth(0, c.H*0.6, y)) })
	o := put(c, focus(c), 0.64, 1.05).shaded(0x0a0a12)
	arm := outline().Stroke(30, 30, 0, 470, 0, 900)
	o.fill(arm, metal(-15, 15, 0x55565e))
	yoke := outline().Stroke(26, 26, p.Curve(-205, 110, -205, 330, -110, 452, 0, 480, 110, 452, 205, 330, 205, 110)...)
	o.shadow(yoke, 10, 16, 14, 0.6)
	o.fill(yoke, metal(-215, 215, 0x6a6b74))
	body := outline().Round(-150, -320, 150, 360, 150)
	o.shadow(body, 20, 24, 28, 0.7)
	o.fill(body, turned(0, 150, 0x33343c))
	grill := outline().Move(-150, 60).Line(-150, -170).Cubic(-150, -253, -83, -320, 0, -320).Cubic(83, -320, 150, -253,
		150, -170).Line(150, 60)
	t := turned(0, 150, 0xa8aab4)
	o.fill(grill, func(x, y float32) p.Color {
		mesh := p.Abs(p.Sin((x+y)*0.2)) * p.Abs(p.Sin((x-y)*0.2))
		return t(x, y).Scale(0.35 + 0.75*p.Smooth(0.1, 0.55, mesh))
	})
	o.fill(outline().Round(-160, 46, 160, 92, 14), metal(-160, 160, 0xc09a5a))
	o.fill(outline().Round(-158, -70, 158, -44, 10), metal(-158, 158, 0x9a9ca6))
	o.fill(outline().Circle(0, 200, 34), metal(-34, 34, 0x8a8c96))
	o.flat(outline().Circle(0, 290, 9), 0xff4a4a)
	c.Glow(o.x, o.y+290*o.k, 60*o.k, hex(0xff3a3a), 0.6)
	for _, s := range []float32{-1, 1} {
		o.fill(outline().Circle(s*205, 110, 34), ball(s*205, 110, 36, 0x55565e))
	}
	o.glint(outline().Stroke(12, 12, p.Curve(-143, 300, -147, 0, -143, -170, -110, -262)...), 0xff5a7a, 14, 0.55)
	o.glint(outline().Stroke(12, 12, p.Curve(143, 300, 147, 0, 143, -170, 110, -262)...), 0x5a8aff, 14, 0.6)
}
