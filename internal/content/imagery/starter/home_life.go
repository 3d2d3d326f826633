// SPDX-License-Identifier: Apache-2.0

package starter

import (
	p "github.com/reelops/reelops/internal/content/imagery/paint"
)

var homeLife = []entry{
	{
		"Cat on the window sill", "A cat sitting on a window sill and looking out into the evening.",
		"cat kitten pet pets animal animals window sill cosy evening curious calm indoor feline",
		p.Look{Grain: 2, Vignette: 0.16},
		catOnSill,
	},
	{
		"Sitting dog", "A brown dog with a red collar sitting on a wooden floor in warm light.",
		"dog puppy pet pets animal animals loyal collar canine cosy tail brown",
		p.Look{Grain: 2, Vignette: 0.14},
		sittingDog,
	},
	{
		"Robin on a branch", "A small robin on a branch in front of a blurred green garden.",
		"bird robin animal animals nature branch spring song wildlife green feather freedom small wings",
		p.Look{Grain: 1.8, Vignette: 0.16},
		robin,
	},
	{
		"Fish bowl", "Two goldfish swimming in a round glass bowl on a wooden table.",
		"fish goldfish bowl aquarium pet pets animal glass orange fins gravel",
		p.Look{Grain: 1.8, Vignette: 0.16},
		fishBowl,
	},
	{
		"Light bulb", "A glowing light bulb hanging in front of a dark blue wall.",
		"lightbulb bulb light lamp idea ideas electricity energy power saving inspiration glow innovation invention tip",
		p.Look{Grain: 1.8, Vignette: 0.28},
		lightBulb,
	},
	{
		"Electricity meter", "An electricity meter with turning digits on a grey wall.",
		"electricity meter energy power bill costs consumption kilowatt household utility reading tariff saving provider",
		p.Look{Grain: 2, Vignette: 0.18},
		electricMeter,
	},
	{
		"Plug and socket", "A plug pulled out of a wall socket, its cable curling over a teal wall.",
		"plug socket cable electricity energy power standby unplug outlet charge saving household current device appliance",
		p.Look{Grain: 2, Vignette: 0.14},
		plugAndSocket,
	},
	{
		"Washing machine", "A washing machine full of laundry beside a basket in a bright room.",
		"washing-machine laundry wash clothes household appliance cleaning clean chores basket soap tidy",
		p.Look{Grain: 2, Vignette: 0.1},
		washingMachine,
	},
	{
		"Tools on a board", "A hammer, a saw, a wrench and a screwdriver hanging on a workshop board.",
		"tools tool hammer saw wrench screwdriver workshop repair diy craft fix handyman build renovation garage",
		p.Look{Grain: 2, Vignette: 0.2},
		toolBoard,
	},
	{
		"Thermostat and radiator", "A thermostat dial on the wall above a white radiator.",
		"heating thermostat radiator temperature heat warm energy gas bill costs winter saving degrees household",
		p.Look{Grain: 2, Vignette: 0.12},
		heating,
	},
	{
		"Made bed", "A bed with soft pillows beside a glowing lamp at night.",
		"bed bedroom sleep bedtime pillow pillows blanket hotel rest night lamp home relax cosy duvet",
		p.Look{Grain: 2, Vignette: 0.24},
		madeBed,
	},
	{
		"House with solar roof", "A small house with solar panels on its roof under a clear morning sky.",
		"house solar panels roof energy home mortgage property real-estate sun electricity garden green building",
		p.Look{Grain: 1.8, Vignette: 0.08},
		solarHouse,
	},
}

func catOnSill(c *p.Canvas, r *p.Rand) {
	plaster(c, r, even(0x6a5a6e, 0x54485c, 0x3a3244))
	x0, x1, top, sill := c.W*0.1, c.W*0.9, c.H*0.09, c.H*0.8
	sky := even(0x3d4a86, 0x7a6aa8, 0xd98a94, 0xffc08a, 0xffdca8)
	frame := outline().Rect(x0-26*c.U, top-26*c.U, x1+26*c.U, sill)
	c.Shadow(frame, 8*c.U, 10*c.U, 18*c.U, 0.5, p.Color{R: 0.4, G: 0.36, B: 0.4})
	c.Flat(frame, hex(0xe8dcd0), 1)
	pane := outline().Rect(x0, top, x1, sill)
	c.Paint(pane, func(_, y float32) (p.Color, float32) { return sky.At((y - top) / (sill - top)), 1 })
	n := p.Noise(r.Seed32())
	for i := range 2 {
		base := sill - c.H*(0.1-0.05*float32(i))
		hill := outline().Move(x0, sill)
		for k := range 41 {
			x := p.Lerp(x0, x1, float32(k)/40)
			hill.Line(x, base-c.H*0.035*n.Line(x/c.W*3+float32(i)*7, 3))
		}
		c.Flat(hill.Line(x1, sill), hex([]uint32{0x9a6a8a, 0x5f4a72}[i]), 1)
	}
	c.Halo(c.W*0.36, sill-c.H*0.12, c.W*0.5, hex(0xffe0a8), 0.6)
	bars := outline().Rect(c.W/2-11*c.U, top, c.W/2+11*c.U, sill).Rect(x0, c.H*0.36, x1, c.H*0.36+18*c.U)
	c.Flat(bars, hex(0xdccdc0), 1)
	board := outline().Rect(x0-70*c.U, sill, x1+70*c.U, sill+46*c.U)
	c.Shadow(board, 0, 26*c.U, 26*c.U, 0.6, p.Color{R: 0.35, G: 0.32, B: 0.38})
	c.Paint(board, func(_, y float32) (p.Color, float32) {
		return hex(0xf6e2cc).Lerp(hex(0xb89a8a), p.Smooth(sill, sill+46*c.U, y)), 1
	})
	o := put(c, 0.62, 0.8, 1.06).shaded(0x8a6a6a)
	o.shadow(outline().Ellipse(40, 8, 170, 18), 20, 6, 16, 0.7)
	tail := outline().Stroke(48, 30, p.Curve(120, -30, 196, -6, 214, 70, 190, 160, 214, 230)...)
	body := outline().Smooth(-150, 4, -176, -110, -150, -240, -96, -330, -84, -390, 84, -390, 96, -330, 150, -240, 176,
		-110, 150, 4, 0, 12)
	head := outline().Smooth(-112, -430, -104, -500, -60, -536, 0, -544, 60, -536, 104, -500, 112, -430, 70, -372, 0,
		-356, -70, -372)
	ears := outline().Smooth(-106, -470, -116, -560, -104, -616, -64, -576, -26, -532).Smooth(106, -470, 116, -560, 104,
		-616, 64, -576, 26, -532)
	cat := outline().Add(tail).Add(body).Add(head).Add(ears)
	fur := func(x, y float32) p.Color {
		f := n.FBM(x*0.03, y*0.012, 3)
		stripe := p.Smooth(0.2, 0.9, p.Sin(y*0.075+0.004*x*x*0.05+2*f)) * p.Smooth(150, 20, p.Abs(x))
		return hex(0x4a3a40).Lerp(hex(0x2c2230), 0.6*stripe).Scale(0.95 + 0.2*f - 0.0008*x)
	}
	rim := outline().Add(cat)
	o.flat(rim.Turn(-5, -6, 1, 0), 0xffc890) // the low sun draws its left edge
	o.fill(cat, fur)
	o.fill(outline().Smooth(-92, -500, -100, -560, -94, -592, -66, -560, -46, -530), plain(0x6a4a50))
	o.fill(outline().Smooth(92, -500, 100, -560, 94, -592, 66, -560, 46, -530), plain(0x5c4048))
	for _, s := range []float32{-1, 1} {
		curtain := outline()
		x := c.W * 0.5 * (1 + s)
		curtain.Move(x+s*30*c.U, 0).Line(x-s*c.W*0.17, 0).Quad(x-s*c.W*0.15, c.H*0.5, x-s*c.W*0.07,
			c.H*0.86).Line(x+s*30*c.U, c.H*0.86)
		c.Shadow(curtain, -s*10*c.U, 12*c.U, 20*c.U, 0.4, p.Color{R: 0.4, G: 0.35, B: 0.4})
		c.Paint(curtain, func(px, py float32) (p.Color, float32) {
			f := p.Sin((px - x) / c.U * 0.062 * (1 + 0.55*py/c.H))
			return hex(0xc98a7a).Scale(0.8 + 0.24*f), 1
		})
	}
}

func sittingDog(c *p.Canvas, r *p.Rand) {
	plaster(c, r, even(0xf2dcc0, 0xe6c49e, 0xc99c74))
	windowLight(c, 0.42, 0.08, 0.24, hex(0xffe8bc), 0.3)
	counter(c, r, 0.79, 1.2, 0xa87448)
	o := put(c, focus(c), 0.885, 1.12)
	o.shadow(outline().Ellipse(40, 6, 270, 30), 30, 6, 26, 0.75)
	n := p.Noise(r.Seed32())
	fur := func(dark, mid, light uint32, cx, cy, s float32) shader {
		a, b, d := hex(dark), hex(mid), hex(light)
		return func(x, y float32) p.Color {
			f := 0.35 * n.FBM(x*0.03, y*0.012, 3)
			k := -0.6*(x-cx)/s - 0.55*(y-cy)/s + f
			return a.Lerp(b, p.Smooth(-0.9, 0.1, k)).Lerp(d, p.Smooth(0.2, 1, k))
		}
	}
	coat := fur(0x6a3a1e, 0xa8642f, 0xd59a5a, 20, -260, 260)
	tail := outline().Stroke(56, 20, p.Curve(200, -40, 280, -30, 340, -80, 366, -150)...)
	o.fill(tail, coat)
	body := outline().Smooth(-130, -20, -150, -200, -140, -360, -60, -440, 50, -420, 140, -300, 220, -170, 250, -60, 200,
		4, 60, 10, -60, 10)
	o.fill(body, coat)
	haunch := outline().Smooth(40, -10, 30, -110, 90, -190, 180, -190, 246, -120, 250, -30, 190, 8, 100, 10)
	o.shadow(haunch, -6, -4, 12, 0.4)
	o.fill(haunch, fur(0x74401f, 0xb16c34, 0xdca463, 130, -110, 170))
	leg := func(x float32, k uint32) {
		path := outline().Smooth(x-44, -250, x-40, -120, x-38, -30, x-70, -6, x-60, 12, x+30, 12, x+38, -20, x+36, -120,
			x+46, -250)
		o.shadow(path, 6, 4, 10, 0.35)
		o.fill(path, fur(0x74401f, k, 0xdca463, x, -130, 160))
		o.fill(outline().Smooth(x-68, 0, x-56, -30, x-16, -40, x+30, -26, x+32, 10, x-56, 13), plain(0xf0dcc0))
	}
	leg(-20, 0x93562a)
	leg(-92, 0xb16c34)
	o.fill(outline().Smooth(40, 12, 20, -14, 60, -34, 120, -30, 140, 6, 100, 14), plain(0xe6cfae))
	chest := outline().Smooth(-140, -330, -156, -220, -120, -130, -70, -120, -50, -230, -70, -340)
	o.fill(chest, fur(0xc9a27a, 0xeed6b4, 0xfff0d8, -100, -230, 130))
	collar := outline().Stroke(40, 40, p.Curve(-142, -392, -80, -352, 0, -356, 62, -398)...)
	o.shadow(collar, 0, 6, 6, 0.4)
	o.fill(collar, turned(-40, 110, 0xc8362e))
	o.fill(outline().Circle(-96, -334, 22), ball(-96, -334, 22, 0xe8bc50))
	head := outline().Smooth(-150, -400, -136, -350, -70, -350, 10, -370, 66, -440, 70, -540, 20, -610, -60, -620, -120,
		-580, -150, -520,
		-220, -500, -290, -480, -306, -440, -290, -406, -220, -392)
	o.shadow(head, 6, 10, 14, 0.3)
	o.fill(head, fur(0x7a4522, 0xb87238, 0xe0aa68, -80, -500, 190))
	muzzle := outline().Smooth(-160, -500, -220, -494, -286, -474, -302, -440, -286, -410, -220, -396, -160, -400, -130,
		-450)
	o.fill(muzzle, fur(0xc9a27a, 0xeed6b4, 0xfff0d8, -210, -450, 90))
	o.fill(outline().Smooth(-316, -470, -300, -490, -268, -486, -262, -462, -284, -448, -310, -452), ball(-294, -474, 36,
		0x2a1e1c))
	o.flat(outline().Stroke(6, 5, p.Curve(-290, -446, -270, -422, -220, -414, -180, -424)...), 0x6a4228)
	o.fill(outline().Circle(-116, -520, 19), ball(-116, -520, 19, 0x2a1a14))
	o.flat(outline().Circle(-121, -527, 6), 0xffffff)
	ear := outline().Smooth(-30, -600, -46, -520, -30, -420, 20, -370, 76, -400, 90, -480, 66, -570, 20, -616)
	o.shadow(ear, -4, 8, 12, 0.5)
	o.fill(ear, fur(0x4a2814, 0x7a4622, 0xa86a38, 20, -500, 120))
}

func robin(c *p.Canvas, r *p.Rand) {
	n := p.Noise(r.Seed32())
	f := c.Field(8, func(x, y float32) float32 { return n.FBM(x/c.W*1.6, y/c.W*1.6, 2) })
	ramp := even(0x4f7a4a, 0x86ad62, 0xbfd28a, 0xe9e6b4)
	c.Shade(func(x, y float32) p.Color { return ramp.At(0.75 - 0.5*y/c.H + 0.45*f.At(x, y)) })
	for range 26 {
		rad := r.In(40, 150) * c.U
		c.Bokeh(r.Float()*c.W, r.Float()*c.H, rad, rad*0.3, 0.15, hex(0xf6f0b8), r.In(0.02, 0.1))
	}
	o := put(c, focus(c), 0.7, 1.05).shaded(0x4a5a3a)
	bark := grainy(r, fade(0, 150, 0, 230, 0x8a6a50, 0x4a3428), 30, 0.2)
	branch := outline().Stroke(64, 40, p.Curve(-900, 250, -400, 196, 0, 186, 300, 160, 520, 90)...).
		Stroke(34, 16, p.Curve(60, 184, 260, 90, 420, -60)...).Stroke(24, 12, p.Curve(-300, 200, -420, 320, -460, 420)...)
	o.fill(branch, bark)
	for _, s := range [][4]float32{{420, -60, 130, -0.8}, {330, 40, 110, 0.4}, {-460, 420, 120, 1.7}, {
		-380, 300, 100,
		2.6,
	}, {260, 92, 100, -1.7}, {-560, 220, 120, -1.2}} {
		q := o.moved(s[0], s[1], 1, 0)
		blade(c, q.x, q.y, s[2]*q.k, s[2]*0.46*q.k, s[3], hex(0x6f9a48))
	}
	tail := outline().Smooth(150, 20, 290, 120, 420, 236, 400, 262, 330, 246, 120, 90)
	o.fill(tail, fade(150, 20, 400, 250, 0x7a6450, 0x4a3c32))
	legs := outline().Stroke(13, 11, -30, 120, -40, 190).Stroke(13, 11, 40, 120, 34, 190)
	o.flat(legs, 0x5a3c2a)
	body := outline().Smooth(-190, -60, -176, -180, -110, -260, -10, -272, 90, -220, 170, -110, 190, 0, 150, 90, 60, 148,
		-60, 146, -150, 80)
	o.shadow(body, 6, 12, 14, 0.35)
	back, red, belly := hex(0x8a7058), hex(0xe0672a), hex(0xf2e8da)
	o.fill(body, func(x, y float32) p.Color {
		g := n.FBM(x*0.04, y*0.04, 3)
		out := back.Lerp(belly, p.Smooth(-10, 70, y-0.5*x+20*g))
		d := p.Sqrt((x+110)*(x+110)+(y+80)*(y+80)*0.8) + 22*g
		out = out.Lerp(red, p.Smooth(150, 118, d))
		return out.Scale(1.02 - 0.0012*x - 0.0009*y + 0.1*g)
	})
	wing := outline().Smooth(0, -120, 90, -110, 180, -20, 250, 90, 130, 84, 30, 40, -20, -30)
	o.shadow(wing, -3, 6, 10, 0.45)
	o.fill(wing, func(x, y float32) p.Color {
		return hex(0x7a624c).Scale(1 + 0.16*p.Sin((y-0.55*x)*0.11) + 0.1*n.FBM(x*0.03, y*0.03, 2))
	})
	o.fill(outline().Move(-176, -196).Line(-246, -164).Line(-172, -158), fade(-240, -190, -180, -160, 0x5a4a3c, 0x2a221c))
	o.fill(outline().Circle(-112, -190, 19), ball(-112, -190, 19, 0x1a1412))
	o.flat(outline().Circle(-117, -196, 6), 0xffffff)
}

func fishBowl(c *p.Canvas, r *p.Rand) {
	plaster(c, r, even(0xe6eef4, 0xc6d8e4, 0x94b0c4))
	counter(c, r, 0.82, 0.97, 0xae8256)
	o := put(c, focus(c), 0.9, 1.1)
	n := p.Noise(r.Seed32())
	o.shadow(outline().Ellipse(50, 0, 280, 36), 26, 6, 28, 0.6)
	c.Glow(o.x+90*o.k, o.y+4*o.k, 200*o.k, hex(0x9fdcff), 0.25) // light that the water gathers
	glass := outline().Smooth(-180, -2, -290, -110, -322, -260, -270, -410, -180, -480, 0, -494, 180, -480, 270, -410,
		322, -260, 290, -110, 180, -2, 0, 4)
	o.thin(glass, 0xffffff, 0.25)
	var edge []float32
	edge = append(edge, -296, -356, 0, -352, 296, -356, 310, -240, 280, -112, 172, -12, 0, -6, -172, -12, -280, -112,
		-310, -240)
	water := outline().Smooth(edge...)
	o.glaze(water, func(x, y float32) (p.Color, float32) {
		caustic := p.Smooth(0.2, 0.5, n.Ridged(x*0.006, y*0.008, 2)) * 0.12
		return hex(0xbfe8f6).Lerp(hex(0x3f9ac4), p.Smooth(-360, 0, y)).Scale(1 + caustic - 0.0006*x), 0.88
	})
	for i := range 46 {
		x := r.In(-190, 190)
		y := -18 - r.Float()*46*(1-x*x/190/190)
		berry(o, x, y, r.In(14, 24), []uint32{0xe8d8c0, 0xc9b49a, 0xf2ece0, 0xa89684}[i%4])
	}
	weed := outline()
	for i := range 5 {
		x := -170 + float32(i)*34
		s := r.Sign() * 16
		weed.Stroke(22, 5, p.Curve(x, -40, x+s, -110, x-s, -180, x+s, -230-30*r.Float())...)
	}
	o.fill(weed, fade(0, -40, 0, -260, 0x2f7a4a, 0x7fc46a))
	fish := func(q thing, rgb uint32) {
		tail := outline().Smooth(70, 0, 130, -66, 190, -84, 166, -10, 190, 70, 130, 54)
		q.glaze(tail, func(x, y float32) (p.Color, float32) {
			return hex(0xffb45a).Scale(0.95 + 0.15*p.Sin(y*0.3)), 0.9
		})
		fin := outline().Smooth(-30, -56, 20, -110, 70, -104, 60, -44).Smooth(0, 50, 30, 94, 60, 90, 50, 40)
		q.thin(fin, 0xff9a3c, 0.9)
		body := outline().Smooth(-124, 4, -86, -50, 0, -72, 70, -32, 96, 0, 70, 34, 0, 64, -86, 46)
		b := ball(-20, -4, 116, rgb)
		q.fill(body, func(x, y float32) p.Color {
			return b(x, y).Scale(1+0.07*p.Sin(x*0.22)*p.Sin(y*0.22+p.Sin(x*0.22))).Lerp(hex(0xfff0d8), 0.55*p.Smooth(10, 60, y))
		})
		q.flat(outline().Stroke(5, 4, p.Curve(-66, -40, -52, 0, -66, 38)...), 0xd8621c)
		q.flat(outline().Circle(-90, -10, 14), 0xffffff)
		q.flat(outline().Circle(-92, -10, 9), 0x1a1a22)
	}
	fish(o.moved(40, -230, 1, 0.1), 0xf57f20)
	fish(o.moved(-90, -120, 0.62, 0.05).moved(0, 0, 1, 0), 0xffa23c)
	for i := range 5 {
		o.thin(outline().Ring(-136+float32(i%2)*22, -230-float32(i)*28, 11-float32(i), 8-float32(i)), 0xffffff, 0.7)
	}
	o.thin(outline().Ellipse(0, -356, 296, 34), 0xe8fbff, 0.5)
	o.glint(outline().Smooth(-270, -300, -250, -390, -190, -440, -206, -390, -236, -300, -236, -200, -264, -200),
		0xffffff, 10, 0.5)
	o.glint(outline().Stroke(12, 8, p.Curve(286, -300, 300, -230, 276, -130)...), 0xffffff, 8, 0.35)
	o.thin(outline().Ellipse(0, -490, 186, 30).Hole(0, -490, 176, 24), 0xffffff, 0.75)
}

func lightBulb(c *p.Canvas, r *p.Rand) {
	plaster(c, r, even(0x1e2c4c, 0x182440, 0x0e162c))
	o := put(c, focus(c), 0.68, 1.15)
	c.Halo(o.x, o.y, 1150*c.U, hex(0xffb860), 0.55)
	o.flat(outline().Rect(-7, -2600, 7, -420), 0x0c0d12)
	o.fill(outline().Round(-62, -470, 62, -330, 22), metal(-62, 62, 0x3a3c44))
	o.fill(outline().Round(-70, -340, 70, -216, 14), func(x, y float32) p.Color {
		t := metal(-70, 70, 0xc8a460)(x, y)
		return t.Scale(0.75 + 0.35*p.Abs(p.Sin(y*0.105)))
	})
	glass := outline().Smooth(-66, -216, -76, -170, -150, -90, -206, 10, -200, 120, -130, 206, 0, 238, 130, 206, 200,
		120, 206, 10, 150, -90, 76, -170, 66, -216)
	o.glaze(glass, func(x, y float32) (p.Color, float32) {
		d := p.Sqrt(x*x+(y-20)*(y-20)) / 240
		return hex(0xffd48a).Lerp(hex(0xfff3d0), p.Smooth(0.9, 0.1, d)).Scale(1.15 - 0.55*d), 0.55 + 0.3*p.Smooth(1, 0.2, d)
	})
	o.fill(outline().Stroke(10, 8, -26, -216, -60, -40).Stroke(10, 8, 26, -216, 60, -40), plain(0xb07a30))
	wire := []float32{-60, -40}
	for i := range 9 {
		t := float32(i) / 8
		wire = append(wire, p.Lerp(-60, 60, t), -30+float32(i%2)*90)
	}
	wire = append(wire, 60, -40)
	o.glint(outline().Stroke(16, 16, wire...), 0xffb040, 22, 1.6)
	o.fill(outline().Stroke(9, 9, wire...), func(_, _ float32) p.Color { return hex(0xfff6dc).Scale(2.4) })
	o.glint(outline().Stroke(16, 8, p.Curve(-150, 30, -156, 100, -110, 166)...), 0xffffff, 10, 0.5)
	for range 30 {
		a, d := r.Float()*tau, r.In(320, 620)
		c.Star(o.x+p.Cos(a)*d*o.k, o.y+p.Sin(a)*d*o.k, r.In(1, 2.4)*c.U, hex(0xffdca0), r.In(0.1, 0.5))
	}
}

// segments of a digit as bits: top, upper left, upper right, middle, lower left, lower right, bottom.
var segments = [10]uint8{
	0b1110111, 0b0010010, 0b1011101, 0b1011011, 0b0111010, 0b1101011, 0b1101111, 0b1010010,
	0b1111111, 0b1111011,
}

// digit adds a figure of seven strokes with its middle at x, y and the height h.
func digit(path *p.Path, d int, x, y, h float32) {
	w, k, t := h*0.24, h*0.46, h*0.11
	for i, s := range [7][4]float32{{-w, -k, w, -k}, {-w, -k, -w, 0}, {w, -k, w, 0}, {-w, 0, w, 0}, {-w, 0, -w, k}, {
		w,
		0, w, k,
	}, {-w, k, w, k}} {
		if segments[d]>>(6-i)&1 == 1 {
			path.Stroke(t, t, x+s[0], y+s[1], x+s[2], y+s[3])
		}
	}
}

func electricMeter(c *p.Canvas, r *p.Rand) {
	plaster(c, r, even(0xb4bcc0, 0x98a2a8, 0x6f7a82))
	c.Glow(c.W*0.3, c.H*0.35, c.W*0.9, hex(0xfff0d0), 0.1)
	o := put(c, focus(c), 0.67, 1.05).shaded(0x4a525a)
	pipe := outline().Rect(-46, 300, -6, 1400).Rect(6, 300, 46, 1400)
	o.shadow(pipe, 14, 6, 12, 0.5)
	o.fill(outline().Rect(-46, 300, -6, 1400), metal(-46, -6, 0xa8acb0))
	o.fill(outline().Rect(6, 300, 46, 1400), metal(6, 46, 0xa8acb0))
	box := outline().Round(-330, -420, 330, 400, 46)
	o.shadow(box, 26, 34, 36, 0.75)
	o.fill(box, fade(-330, -420, 330, 400, 0x4a5058, 0x24282e))
	o.fill(outline().Round(-300, -390, 300, 210, 34), fade(-300, -390, 300, 210, 0xf6f3ec, 0xdedad0))
	o.flat(outline().Round(-110, -344, 110, -320, 8), 0x9aa2aa)
	for i, d := range []int{0, 4, 8, 2, 7, 3} {
		x := float32(i)*92 - 230
		rgb := uint32(0x14161a)
		if i == 5 {
			rgb = 0xc8342a
		}
		col := hex(rgb)
		cell := outline().Round(x-40, -280, x+40, -160, 10)
		o.fill(cell, func(_, y float32) p.Color {
			return col.Lerp(hex(0xffffff), 0.22*p.Smooth(60, 0, p.Abs(y+220)))
		})
		num := outline()
		digit(num, d, x, -220, 74)
		o.flat(num, 0xffffff)
	}
	slot := outline().Round(-230, -90, 230, -40, 12)
	o.fill(slot, fade(0, -90, 0, -40, 0x2a2c30, 0x5a5e64))
	o.fill(outline().Ellipse(0, -65, 222, 15), metal(-222, 222, 0xc4c8cc))
	o.flat(outline().Rect(40, -76, 80, -53), 0xd8322a)
	bolt := outline().Move(24, -58).Line(-34, 10).Line(-4, 10).Line(-22, 58).Line(36, -14).Line(6, -14)
	o.flat(outline().Circle(-170, 82, 64), 0xf6c02e)
	o.flat(bolt.Turn(-170, 82, 0.8, 0), 0xffffff)
	for i := range 3 {
		o.flat(outline().Round(-60, 40+float32(i)*38, 230-float32(i)*56, 54+float32(i)*38, 7), 0xb0b6bc)
	}
	o.flat(outline().Circle(-240, 306, 16).Circle(240, 306, 16), 0x8a9098)
	o.flat(outline().Round(-180, 270, 180, 344, 14), 0x1a1d22)
	c.Glow(o.x-130*o.k, o.y+307*o.k, 70*o.k, hex(0x5aff9a), 0.7)
	o.flat(outline().Circle(-130, 307, 11), 0xa8ffc8)
	o.glint(outline().Move(-300, -390).Line(60, -390).Line(-240, 210).Line(-300, 210), 0xffffff, 10, 0.09)
}

func plugAndSocket(c *p.Canvas, r *p.Rand) {
	plaster(c, r, even(0x4aa39c, 0x34877f, 0x1f625e))
	o := put(c, focus(c), 0.62, 1.1).shaded(0x1a4a48)
	frame := outline().Round(-210, -300, 210, 120, 44)
	o.shadow(frame, 16, 22, 24, 0.7)
	o.fill(frame, fade(-210, -300, 210, 120, 0xffffff, 0xd8dad8))
	o.fill(outline().Circle(0, -90, 160), fade(-120, -210, 120, 60, 0xc8ccca, 0xf4f5f4))
	o.fill(outline().Circle(0, -90, 146), fade(-120, -210, 120, 60, 0xdfe2e0, 0xc4c8c6))
	for _, s := range []float32{-1, 1} {
		o.fill(outline().Circle(s*60, -90, 24), fade(0, -110, 0, -70, 0x0c0e10, 0x3a3e40))
		o.fill(outline().Round(s*140-12, -106, s*140+12, -74, 5), metal(s*140-12, s*140+12, 0xb8a468))
	}
	q := o.moved(190, 330, 1, 0.5)
	cable := outline().Stroke(36, 34, p.Curve(0, 190, 30, 330, -90, 440, -300, 430, -480, 560, -700, 560)...)
	q.shadow(cable, 16, 22, 18, 0.55)
	q.fill(cable, grainy(r, plain(0xf2efe8), 14, 0.1))
	pins := outline().Stroke(30, 26, -52, -120, -52, -250).Stroke(30, 26, 52, -120, 52, -250)
	q.shadow(pins, 14, 18, 14, 0.5)
	q.fill(outline().Stroke(30, 26, -52, -120, -52, -250), metal(-67, -37, 0xd0cec8))
	q.fill(outline().Stroke(30, 26, 52, -120, 52, -250), metal(37, 67, 0xd0cec8))
	head := outline().Smooth(-116, -126, 116, -126, 128, -60, 118, 40, 70, 130, 30, 190, -30, 190, -70, 130, -118, 40,
		-128, -60)
	q.shadow(head, 16, 22, 20, 0.6)
	q.fill(head, turned(0, 130, 0xf4f1ea))
	for i := range 3 {
		q.thin(outline().Round(-80+float32(i)*10, 20+float32(i)*32, 80-float32(i)*10, 30+float32(i)*32, 5), 0xb0aca4, 0.6)
	}
}

func washingMachine(c *p.Canvas, r *p.Rand) {
	tiled(c, r, 0xdfeaea, 0xc2d2d4, 230)
	counter(c, r, 0.86, 1.2, 0xb59470)
	o := put(c, focus(c)-0.1, 0.92, 1.04)
	o.shadow(outline().Rect(-320, -40, 360, 10), 30, 4, 24, 0.7)
	body := outline().Round(-330, -800, 330, 0, 26)
	o.shadow(body, 26, 10, 34, 0.4)
	o.fill(body, fade(-330, -800, 330, 0, 0xffffff, 0xd2d6da))
	o.thin(outline().Rect(-330, -664, 330, -659), 0xa8aeb4, 0.8)
	o.fill(outline().Round(-300, -770, -110, -692, 10), fade(0, -770, 0, -692, 0xeceff1, 0xdce0e3))
	o.fill(outline().Circle(0, -731, 50), ball(0, -731, 54, 0xc4cad0))
	o.flat(outline().Stroke(7, 7, 0, -731, 22, -764), 0x5a626c)
	o.flat(outline().Round(110, -764, 290, -700, 12), 0x20303c)
	num := outline()
	digit(num, 3, 156, -732, 38)
	digit(num, 0, 190, -732, 38)
	o.flat(num, 0x7ff0ff)
	o.flat(outline().Circle(246, -732, 12), 0x7ff0a8)
	rad := float32(232)
	door := outline().Circle(0, -350, rad)
	o.shadow(door, 10, 14, 18, 0.45)
	o.fill(door, func(x, y float32) p.Color { return hex(0xd4d9de).Scale(1.05 - 0.0009*(x+y+350)) })
	o.fill(outline().Circle(0, -350, rad*0.88), fade(-160, -520, 160, -180, 0x8a929a, 0xc8ced4))
	n := p.Noise(r.Seed32())
	o.fill(outline().Circle(0, -350, rad*0.8), func(x, y float32) p.Color {
		f := n.FBM(x*0.008, (y+350)*0.008, 2)
		g := n.FBM(x*0.012+30, (y+350)*0.012, 2)
		i := int(p.Clamp((f+0.7)*3.4, 0, 4))
		cloth := hex([]uint32{0xe8806a, 0xf4e6d4, 0x5a8ac4, 0xf2c060, 0x6ab0a0}[i])
		out := cloth.Scale(0.72 + 0.5*g + 0.25*p.Smooth(-0.3, 0.3, g))
		level := -330 + 18*p.Sin(x*0.03)
		if y > level {
			out = out.Lerp(hex(0x8fd0ea), 0.42)
		}
		d := p.Sqrt(x*x+(y+350)*(y+350)) / (rad * 0.8)
		return out.Scale(1.05 - 0.6*d*d*d)
	})
	for range 34 {
		x := r.In(-150, 150)
		o.thin(outline().Circle(x, -330+18*p.Sin(x*0.03)+r.Bell()*14, r.In(5, 16)), 0xffffff, 0.75)
	}
	o.glint(outline().Smooth(-140, -400, -110, -470, -40, -516, -60, -470, -110, -390), 0xffffff, 10, 0.45)
	basket := o.moved(470, 26, 1, 0)
	cloth := outline().Smooth(-150, -210, -130, -290, -60, -270, -10, -330, 70, -280, 130, -300, 150, -210)
	basket.fill(cloth, grainy(r, fade(-150, -300, 150, -210, 0xf6f0e6, 0xd6c8b8), 60, 0.3))
	weave := outline().Move(-170, -220).Line(170, -220).Line(136, 0).Line(-136, 0)
	basket.shadow(weave, 14, 6, 18, 0.6)
	t := turned(0, 170, 0xc89a62)
	basket.fill(weave, func(x, y float32) p.Color {
		k := p.Sin(x*0.16) * p.Sin(y*0.2+float32(p.Floor(x*0.051)&1)*tau/2)
		return t(x, y).Scale(0.9 + 0.22*k)
	})
	basket.fill(outline().Round(-180, -238, 180, -204, 14), turned(0, 180, 0xb4864e))
}

func toolBoard(c *p.Canvas, r *p.Rand) {
	n := p.Noise(r.Seed32())
	c.Shade(func(x, y float32) p.Color {
		s := 90 * c.U
		fx, fy := x/s-float32(p.Floor(x/s))-0.5, y/s-float32(p.Floor(y/s))-0.5
		d := p.Sqrt(fx*fx+fy*fy) * s
		lx, ly := x/c.W-0.35, y/c.H-0.35
		col := hex(0xc79f72).Scale((1 + 0.06*n.FBM(x/c.U*0.02, y/c.U*0.004, 3)) * (1.06 - 0.5*(lx*lx+ly*ly)))
		col = col.Scale(1 + 0.12*p.Smooth(13*c.U, 10*c.U, d)*p.Smooth(-0.06, 0.06, fy))
		return col.Lerp(hex(0x3a2818), 0.85*p.Smooth(10*c.U, 8*c.U, d))
	})
	o := put(c, focus(c), 0.68, 1).shaded(0x4a3018)
	grip := func(q thing, path *p.Path, half float32, rgb uint32) {
		q.fill(path, turned(0, half, rgb))
	}
	// A hammer.
	h := o.moved(-352, 20, 1, 0.03)
	handle := outline().Smooth(-24, -280, 24, -280, 28, -60, 38, 180, 34, 330, 0, 350, -34, 330, -38, 180, -28, -60)
	head := outline().Smooth(-150, -330, -60, -350, -40, -372, 60, -372, 70, -356, 100, -356, 104, -372, 146, -372, 150,
		-270, 104, -268, 100, -286,
		70, -286, 60, -272, -40, -272, -80, -296)
	h.shadow(outline().Add(handle).Add(head), 20, 26, 18, 0.65)
	grip(h, handle, 38, 0xb8763c)
	grip(h, outline().Smooth(-32, 110, 32, 110, 38, 180, 34, 330, 0, 350, -34, 330, -38, 180), 38, 0xc43c2c)
	h.fill(head, fade(0, -372, 0, -268, 0xd4d8dc, 0x6a7078))
	// A wrench.
	w := o.moved(-82, 20, 0.95, -0.02)
	wrench := outline().Smooth(-30, -230, 30, -230, 24, 0, 30, 230, -30, 230, -24, 0).Ring(0, 300, 84, 44)
	jaw := outline().Smooth(-34, -220, -96, -280, -92, -360, -48, -400, -44, -330, 0, -300, 44, -330, 48, -400, 92, -360,
		96, -280, 34, -220)
	w.shadow(outline().Add(wrench).Add(jaw), 18, 24, 16, 0.65)
	w.fill(wrench.Add(jaw), metal(-96, 96, 0xb4bac0))
	// A screwdriver.
	s := o.moved(112, 20, 1, 0.02)
	shaft := outline().Stroke(24, 24, 0, -40, 0, 300).Move(-12, 300).Line(12, 300).Line(20, 350).Line(-20, 350)
	hilt := outline().Smooth(-46, -330, 0, -360, 46, -330, 56, -200, 42, -120, 50, -60, 30, -20, -30, -20, -50, -60, -42,
		-120, -56, -200)
	s.shadow(outline().Add(shaft).Add(hilt), 18, 24, 16, 0.65)
	s.fill(shaft, metal(-14, 14, 0xc8ccd0))
	t := turned(0, 56, 0xf2b02c)
	s.fill(hilt, func(x, y float32) p.Color { return t(x, y).Scale(0.92 + 0.12*p.Sin(x*0.24)) })
	s.fill(outline().Round(-48, -130, 48, -104, 10), plain(0x2a2a2e))
	// A hand saw.
	b := o.moved(340, 20, 1, 0.02)
	blade := outline().Move(-70, -80).Line(60, -80).Line(84, 360).Line(30, 360)
	for i := range 20 {
		y := 360 - float32(i)*22
		x := p.Lerp(30, -70, float32(i)/20)
		blade.Line(x-12, y-11).Line(p.Lerp(30, -70, (float32(i)+1)/20), y-22)
	}
	hold := outline().Smooth(-96, -70, -120, -200, -110, -330, -30, -380, 70, -370, 100, -280, 84, -180, 80,
		-70).Hole(-8, -230, 52, 86)
	b.shadow(outline().Add(blade).Add(hold), 18, 24, 16, 0.65)
	b.fill(blade, fade(-70, 0, 84, 100, 0xe2e6ea, 0x9aa2aa))
	b.fill(hold, grainy(r, fade(-110, -380, 100, -70, 0xc07a40, 0x8a5024), 50, 0.12))
	b.fill(outline().Circle(-60, -110, 12).Circle(50, -110, 12), metal(-70, 60, 0xd8c070))
	for _, x := range []float32{-352, -82, 112, 340} { // hooks
		o.fill(outline().Round(x-9, -376, x+9, -340, 8), metal(x-9, x+9, 0x8a8e94))
	}
}

func heating(c *p.Canvas, r *p.Rand) {
	plaster(c, r, even(0xf0dcc8, 0xe4c8ae, 0xcaa688))
	windowLight(c, 0.46, 0.06, 0.22, hex(0xffe6bc), 0.2)
	counter(c, r, 0.92, 1.2, 0x9a7048)
	o := put(c, focus(c), 0.44, 1)
	o.y = min(o.y, c.H*0.9-700*c.U)
	dial := outline().Circle(0, 0, 190)
	o.shadow(dial, 16, 24, 26, 0.65)
	o.fill(dial, fade(-150, -150, 150, 150, 0xffffff, 0xc4c4c4))
	o.fill(outline().Circle(0, 0, 166), fade(-150, -150, 150, 150, 0x3a3e46, 0x16181c))
	for i := range 41 {
		a := p.Lerp(-tau*0.62, tau*0.12, float32(i)/40)
		t := float32(i) / 40
		col := p.Mix(hex(0x4fb4f0), hex(0xff7a3c), t)
		if i > 25 {
			col = hex(0x5a5e66)
		}
		o.fill(outline().Stroke(6, 6, p.Cos(a)*126, p.Sin(a)*126, p.Cos(a)*150, p.Sin(a)*150), func(_,
			_ float32,
		) p.Color {
			return col
		})
	}
	num := outline()
	digit(num, 2, -34, 0, 92)
	digit(num, 1, 30, 0, 92)
	o.flat(num.Turn(4, -2, 1, 0), 0xffffff)
	o.flat(outline().Ring(76, -38, 10, 5), 0xffffff)
	leafs := outline()
	leaf(leafs, -18, 92, 36, 22, -0.3)
	o.flat(leafs, 0x6fd08a)
	q := put(c, focus(c), 0.9, 1)
	back := outline().Round(-440, -480, 440, -30, 20)
	q.shadow(back, 18, 14, 30, 0.5)
	for i := range 11 {
		x := float32(i)*80 - 400
		rib := outline().Round(x-37, -500, x+37, -20, 34)
		q.fill(rib, turned(x, 37, 0xf3efe8))
	}
	q.fill(outline().Round(-440, -470, 440, -436, 14).Round(-440, -90, 440, -56, 14), fade(0, -470, 0, -50, 0xffffff,
		0xd8d2c8))
	q.fill(outline().Round(-500, -84, -436, -62, 8), metal(-500, -436, 0xb8a27a))
	q.fill(outline().Round(-540, -130, -486, -20, 18), turned(-513, 30, 0xfafafa))
	heat := outline()
	for i := range 6 {
		x := float32(i)*150 - 375
		heat.Stroke(10, 4, p.Curve(x, -540, x+26, -600, x-26, -660, x+16, -730)...)
	}
	q.glint(heat, 0xffc890, 14, 0.3)
}

func madeBed(c *p.Canvas, r *p.Rand) {
	plaster(c, r, even(0x3a4468, 0x2e3758, 0x1e2540))
	lx, ly := c.W*0.85, c.H*0.56
	c.Halo(lx, ly, 1100*c.U, hex(0xffb868), 0.5)
	o := put(c, 0.5, 0.8, 1).shaded(0x2a2c48)
	wide := c.W / c.U / 2 * 0.74
	boardTop := float32(-380)
	head := outline().Round(-wide-60, boardTop, wide+20, 100, 60)
	o.shadow(head, 20, 0, 30, 0.5)
	n := p.Noise(r.Seed32())
	o.fill(head, func(x, y float32) p.Color {
		s := float32(120)
		fx := x/s - float32(p.Floor(x/s)) - 0.5
		return hex(0x6a5a78).Scale(0.75 + 0.3*p.Smooth(0.5, 0.2, p.Abs(fx)) + 0.0004*(x+wide) + 0.04*n.FBM(x*0.02, y*0.02, 2))
	})
	cushion := func(x, y, w, h float32, rgb uint32, a float32) {
		q := o.moved(x, y, 1, a)
		path := outline().Smooth(-w, -h*0.75, -w*0.5, -h*0.92, w*0.5, -h*0.92, w, -h*0.75, w*1.03, 0, w, h*0.75, w*0.5,
			h*0.95, -w*0.5, h*0.95, -w, h*0.75, -w*1.03, 0)
		q.shadow(path, 6, 12, 22, 0.6)
		col := hex(rgb)
		q.fill(path, func(px, py float32) p.Color {
			u, v := px/w, py/h
			fold := n.FBM(px*0.008+x, py*0.012, 3)
			return col.Scale(0.72 + 0.26*p.Smooth(1.1, -0.9, v-0.3*u) + 0.14*fold - 0.12*u*u*u*u)
		})
	}
	cushion(-wide*0.5, -150, wide*0.44, 130, 0xf4ece4, 0.02)
	cushion(wide*0.42, -150, wide*0.44, 130, 0xf1e8e0, -0.03)
	cushion(-wide*0.06, -96, wide*0.34, 110, 0xd9a08a, 0.04)
	quilt := outline().Smooth(-wide-90, -20, -wide*0.4, -56, wide*0.4, -50, wide+60, -16, wide+130, 300, wide+150, 900,
		-wide-190, 900, -wide-150, 300)
	o.shadow(quilt, 0, -10, 24, 0.55)
	o.fill(quilt, func(x, y float32) p.Color {
		fold := n.FBM(x*0.0035, y*0.006, 3)
		return hex(0x8e9ac8).Scale(0.62 + 0.28*p.Smooth(-wide, wide, x) + 0.28*fold + 0.12*p.Smooth(200, -40, y))
	})
	edge := outline().Smooth(-wide-94, -24, -wide*0.4, -60, wide*0.4, -54, wide+64, -20, wide+76, 66, wide*0.4, 40,
		-wide*0.4, 34, -wide-108, 62)
	o.shadow(edge, 0, 10, 14, 0.4)
	o.fill(edge, func(x, y float32) p.Color {
		return hex(0xf4ece6).Scale(0.7 + 0.26*p.Smooth(-wide, wide, x) + 0.12*n.FBM(x*0.006, y*0.02, 2))
	})
	l := thing{c: c, x: lx, y: ly, k: c.U, tint: hex(0x2a2c48)}
	l.flat(outline().Rect(-5, -2000, 5, -130), 0x15182a)
	shadePath := outline().Move(-70, -130).Line(70, -130).Line(120, 60).Line(-120, 60)
	l.fill(shadePath, func(x, y float32) p.Color {
		return hex(0xffdca4).Scale(1.5 - 0.00004*x*x - 0.003*p.Abs(y))
	})
	c.Glow(lx, ly+120*c.U, 420*c.U, hex(0xffc880), 0.25)
}

func solarHouse(c *p.Canvas, r *p.Rand) {
	c.Sky(even(0x7fb4e4, 0xa9d0ee, 0xd4e8f2, 0xf8eeda))
	c.Halo(c.W*0.2, c.H*0.24, c.W*0.9, hex(0xfff4cc), 0.6)
	c.Disc(c.W*0.2, c.H*0.24, 66*c.U, 10*c.U, hex(0xfffbe8).Scale(1.3), 1)
	n := p.Noise(r.Seed32())
	puff := c.Field(4, func(x, y float32) float32 { return n.FBM(x/c.W*2.2, y/c.W*4.6, 4) })
	c.Change(func(x, y float32, was p.Color) p.Color {
		return was.Lerp(hex(0xffffff), 0.6*p.Smooth(0.12, 0.55, puff.At(x, y))*p.Smooth(0.62, 0.3, y/c.H))
	})
	hills(c, r, 0.74, even(0xa9c78f, 0x7fae6a, 0x5d9450))
	o := put(c, focus(c), 0.86, 1).shaded(0x3f5a40)
	o.shadow(outline().Ellipse(70, 0, 480, 40), 30, 4, 30, 0.6)
	wall := outline().Move(-340, 0).Line(-340, -330).Line(340, -330).Line(340, 0)
	o.fill(wall, grainy(r, fade(-340, -330, 340, 0, 0xfdf4e6, 0xe6d2ba), 60, 0.03))
	o.fill(outline().Move(-340, -330).Line(340, -330).Line(340, -270).Line(-340, -290), plain(0xb09a88))
	roof := outline().Move(-420, -300).Line(-290, -610).Line(290, -610).Line(420, -300)
	o.shadow(roof, 0, 20, 18, 0.5)
	o.fill(roof, func(x, y float32) p.Color {
		return hex(0xb4553c).Scale(0.95 + 0.1*p.Sin(y*0.42)*p.Sin(x*0.2) - 0.0003*x)
	})
	panels := outline().Move(-306, -352).Line(-226, -560).Line(226, -560).Line(306, -352)
	o.shadow(panels, 4, 10, 8, 0.6)
	sky := even(0x16264e, 0x27509a, 0x7fb4e0)
	o.fill(panels, func(x, y float32) p.Color {
		t := (y + 560) / 208
		w := p.Lerp(452, 612, t)
		u := (x/w + 0.5) * 6
		v := t * 3
		ex := min(u-float32(p.Floor(u)), 1-(u-float32(p.Floor(u))))
		ey := min(v-float32(p.Floor(v)), 1-(v-float32(p.Floor(v))))
		out := sky.At(0.5 - 0.0007*x - 0.35*t + 0.35*p.Smooth(60, 0, p.Abs(x+y*0.6+390)))
		return out.Lerp(hex(0xd8e4ee), 0.8*p.Smooth(0.045, 0.02, min(ex, ey*0.8)))
	})
	o.fill(outline().Rect(180, -700, 250, -590), turned(215, 40, 0x9a4a38))
	o.fill(outline().Rect(170, -716, 260, -694), plain(0x7a3a2c))
	door := outline().Round(-62, -230, 62, 0, 8)
	o.fill(door, fade(-62, 0, 62, 0, 0x3f7a70, 0x2a5a54))
	o.flat(outline().Circle(40, -112, 8), 0xf0d080)
	for _, x := range []float32{-210, 210} {
		o.flat(outline().Rect(x-78, -242, x+78, -92), 0xffffff)
		o.fill(outline().Rect(x-68, -232, x+68, -102), fade(x-60, -232, x+60, -102, 0x9fcdea, 0xffe2a8))
		o.flat(outline().Rect(x-4, -232, x+4, -102).Rect(x-68, -172, x+68, -165), 0xffffff)
		o.fill(outline().Rect(x-84, -92, x+84, -80), plain(0xd8c8b4))
	}
	for _, s := range [][3]float32{{-420, 96, 0}, {-330, 64, 10}, {410, 110, 6}, {320, 60, 14}, {480, 70, 20}} {
		var ring []float32
		for k := range 12 {
			a := float32(k) * tau / 12
			d := s[1] * r.In(0.88, 1.12)
			ring = append(ring, s[0]+p.Cos(a)*d, s[2]-s[1]*0.6+p.Sin(a)*d*0.8)
		}
		bush := outline().Smooth(ring...)
		o.shadow(bush, 10, 10, 14, 0.4)
		o.fill(bush, grainy(r, ball(s[0], s[2]-s[1]*0.6, s[1]*1.15, 0x5f9a4c), 16, 0.3))
	}
	path := outline().Move(-62, 0).Line(62, 0).Line(170, 420).Line(-190, 420)
	o.fill(path, fade(0, 0, 0, 420, 0xe6d6bc, 0xcbb494))
}
