// SPDX-License-Identifier: Apache-2.0

package starter

import (
	p "github.com/reelops/reelops/internal/content/imagery/paint"
)

var productsShops = []entry{
	{
		"Serum bottle", "An amber serum bottle with a dropper on a stone podium in leaf shadow.",
		"serum bottle cosmetics skincare beauty product oil dropper podium natural luxury glow skin elegant",
		p.Look{Grain: 2, Vignette: 0.1},
		serumBottle,
	},
	{
		"Lipstick and jars", "A lipstick, a cream jar and a tube on pink steps.",
		"cosmetics makeup lipstick cream jar tube beauty product products skincare pink care routine elegant",
		p.Look{Grain: 1.8, Vignette: 0.08},
		makeupSet,
	},
	{
		"Sneaker", "A white and orange sneaker standing on a blue block.",
		"sneaker sneakers shoe shoes product fashion sport running footwear brand streetwear outfit launch blue",
		p.Look{Grain: 1.8, Vignette: 0.1},
		sneaker,
	},
	{
		"Shopping bags", "Three paper shopping bags in bright colours on a cream ground.",
		"shopping bags bag shop sale store discount offer retail customer buy fashion mall gift black-friday",
		p.Look{Grain: 2, Vignette: 0.08},
		shoppingBags,
	},
	{
		"Parcels at the door", "Cardboard parcels stacked in front of a green door.",
		"parcel parcels package box boxes delivery shipping order cardboard mail ecommerce unboxing online door logistics",
		p.Look{Grain: 2, Vignette: 0.14},
		parcels,
	},
	{
		"Gift box", "A wrapped gift with a satin bow among soft lights.",
		"gift present box ribbon bow birthday christmas celebration surprise wrap holiday party festive love giveaway",
		p.Look{Grain: 1.8, Vignette: 0.2},
		giftBox,
	},
	{
		"Shop front", "A small shop with a striped awning and lit windows at dusk.",
		"shop store storefront window awning street local business retail boutique cafe opening entrance owner evening",
		p.Look{Grain: 1.8, Vignette: 0.2},
		shopFront,
	},
	{
		"Market stall", "A market stall with crates of fruit and vegetables under a red awning.",
		"market stall fruit vegetables grocery farmers food shop crates fresh organic local seller tomatoes apples",
		p.Look{Grain: 1.8, Vignette: 0.16},
		marketStall,
	},
	{
		"Shop shelf", "Shelves with jars, bottles and boxes in even rows.",
		"shelf shelves products product shop supermarket grocery store jars bottles boxes stock retail inventory shopping",
		p.Look{Grain: 1.8, Vignette: 0.14},
		shopShelf,
	},
	{
		"Checkout terminal", "A bank card held over a payment terminal on a shop counter.",
		"checkout payment terminal card pay contactless counter shop cashier store till purchase money customer nfc",
		p.Look{Grain: 1.8, Vignette: 0.18},
		checkoutTerminal,
	},
	{
		"Clothes rack", "Shirts and coats in soft colours hanging on a rack.",
		"clothes rack clothing fashion wardrobe outfit hanger shirt dress boutique style capsule shop textile closet",
		p.Look{Grain: 2, Vignette: 0.1},
		clothesRack,
	},
}

// podium paints a round step of stone: its upper face at the height 0 with the half width w, its foot h below.
func podium(o thing, w, h float32, rgb uint32) {
	ry := w * 0.2
	side := outline().Ellipse(0, h, w, ry).Rect(-w, 0, w, h).Ellipse(0, 0, w, ry)
	o.shadow(outline().Ellipse(w*0.2, h, w*1.05, ry), w*0.1, 6, w*0.1, 0.65)
	o.fill(side, turned(0, w, rgb))
	col := hex(rgb)
	light := p.Shift(col, 0.07, 0.8, 0)
	o.fill(outline().Ellipse(0, 0, w, ry), func(x, y float32) p.Color { return light.Scale(1.03 - 0.08*x/w - 0.05*y/ry) })
}

func serumBottle(c *p.Canvas, r *p.Rand) {
	plaster(c, r, even(0xf0e2d0, 0xe4cfb6, 0xc9ab8a))
	ledge(c, 0.82, 0xeedcc6, 0xd4b898)
	o := put(c, focus(c), 0.8, 1.05)
	podium(o.moved(-30, 40, 1, 0), 330, 120, 0xdcc4a6)
	podium(o.moved(30, -60, 1, 0), 220, 90, 0xe8d6bc)
	q := o.moved(30, -40, 1, 0)
	w := float32(118)
	body := outline().Move(-46, -330).Cubic(-60, -300, -w, -300, -w, -240).Line(-w, -24).Cubic(-w, 0, -w*0.8, 14, 0,
		14).Cubic(w*0.8, 14, w, 0, w, -24).Line(w, -240).Cubic(w, -300, 60, -300, 46, -330)
	q.shadow(outline().Ellipse(40, 4, 120, 22), 20, 4, 18, 0.75)
	amber := even(0x3a1606, 0xa8561a, 0xe89a3c, 0xb8641e, 0x6a2c0c, 0x8a4414)
	q.fill(body, func(x, y float32) p.Color {
		k := p.Smooth(-240, -225, y)*0.75 + 0.25
		return amber.At((x + w) / (2 * w)).Scale(0.6 + 0.55*k)
	})
	label := outline().Round(-w+4, -190, w-4, -50, 4)
	t := turned(0, w, 0xf8f0e2)
	q.fill(label, t)
	q.thin(outline().Round(-48, -160, 48, -146, 6).Round(-62, -118, 62, -110, 4).Round(-40, -96, 40, -88, 4), 0x7a5a3a,
		0.8)
	q.fill(outline().Round(-62, -410, 62, -326, 10), metal(-62, 62, 0xc8a060))
	q.fill(outline().Smooth(-40, -410, -44, -480, -34, -540, 0, -556, 34, -540, 44, -480, 40, -410), turned(0, 46,
		0x2c2622))
	q.glint(outline().Stroke(14, 12, -92, -250, -94, -30), 0xffe0b0, 8, 0.5)
	q.glint(outline().Stroke(6, 6, 100, -230, 102, -40), 0xffd8a8, 5, 0.3)
	for _, s := range [][4]float32{{-200, 24, 200, -0.6}, {-240, 26, 180, -1.0}, {-190, 24, 150, -0.2}} {
		b := o.moved(s[0], s[1], 1, 0)
		path := outline()
		leaf(path, b.x, b.y, s[2]*b.k, s[2]*0.42*b.k, s[3])
		c.Shadow(path, 10*b.k, 12*b.k, 10*b.k, 0.4, o.tint)
		blade(c, b.x, b.y, s[2]*b.k, s[2]*0.42*b.k, s[3], hex(0x7a9470))
	}
	leafLight(c, r, 0.55)
}

func makeupSet(c *p.Canvas, r *p.Rand) {
	plaster(c, r, even(0xfbd9dc, 0xf6c2ca, 0xe8a4b2))
	ledge(c, 0.83, 0xfbe2e4, 0xf0b8c2)
	o := put(c, focus(c), 0.82, 1).shaded(0xa85a70)
	c.Disc(o.x, o.y-330*o.k, 390*o.k, 3*c.U, hex(0xfbe4e4), 0.65)
	podium(o.moved(-210, 0, 1, 0), 190, 130, 0xf4b6c0)
	podium(o.moved(200, 50, 1, 0), 200, 90, 0xf8c9d0)
	l := o.moved(-210, 14, 1, 0) // lipstick
	l.shadow(outline().Ellipse(26, 0, 76, 18), 14, 4, 12, 0.7)
	l.fill(outline().Round(-62, -180, 62, 14, 14), turned(0, 62, 0x3a2630))
	l.fill(outline().Rect(-54, -290, 54, -176), metal(-54, 54, 0xe2b878))
	stick := outline().Move(-42, -288).Line(-42, -400).Cubic(-40, -450, 10, -490, 42, -496).Line(42, -288)
	l.fill(stick, turned(0, 44, 0xc4304c))
	face := outline().Smooth(-40, -400, -10, -452, 40, -494, 44, -450, 10, -396, -30, -386)
	l.fill(face, fade(-40, -480, 40, -400, 0xee6a80, 0xcc3a56))
	j := o.moved(200, 66, 1, 0) // jar
	j.shadow(outline().Ellipse(40, 0, 160, 26), 18, 4, 16, 0.7)
	j.fill(outline().Ellipse(0, 0, 150, 28).Rect(-150, -130, 150, 0), turned(0, 150, 0xfdf2f0))
	j.fill(outline().Ellipse(0, -130, 156, 30).Rect(-156, -200, 156, -130).Ellipse(0, -200, 156, 30), metal(-156, 156,
		0xe6c08c))
	j.fill(outline().Ellipse(0, -200, 156, 30), fade(-150, 0, 150, 0, 0xfbe6c4, 0xd8ac70))
	j.thin(outline().Round(-50, -78, 50, -64, 6), 0xc87a8a, 0.8)
	t := o.moved(10, 130, 1, 0.03) // tube
	t.shadow(outline().Ellipse(30, 6, 90, 18), 14, 4, 14, 0.7)
	tube := outline().Move(-84, -420).Line(84, -420).Line(76, -90).Line(-76, -90)
	t.fill(tube, turned(0, 84, 0xf08a9c))
	t.fill(outline().Rect(-86, -440, 86, -414), turned(0, 86, 0xd86a80))
	t.fill(outline().Round(-72, -92, 72, 6, 10), turned(0, 72, 0xfff4f0))
	t.thin(outline().Round(-40, -330, 40, -316, 6).Round(-28, -296, 28, -286, 5), 0xffffff, 0.85)
	for _, s := range [][3]float32{{-390, 110, 34}, {-330, 150, 22}, {400, 150, 26}} {
		berry(o, s[0], s[1], s[2], 0xfff0ec)
	}
}

func sneaker(c *p.Canvas, r *p.Rand) {
	plaster(c, r, even(0x5aa4e8, 0x3a86d4, 0x2464b0))
	o := put(c, focus(c), 0.78, 1).shaded(0x143c78)
	block := outline().Rect(-460, 40, 460, 1200)
	o.fill(outline().Move(-460, 40).Line(-400, -24).Line(400, -24).Line(460, 40), fade(0, -24, 0, 40, 0x6ab0f0, 0x82c0f6))
	o.fill(block, fade(-460, 40, 460, 600, 0x4a92dc, 0x2a68b4))
	s := o.moved(0, 4, 1.02, -0.06)
	s.shadow(outline().Ellipse(10, 6, 410, 30), 14, 10, 20, 0.85)
	sole := outline().Smooth(-400, -90, -410, -30, -370, 0, -100, 6, 250, 4, 380, -6, 420, -40, 400, -84, 200, -96, -200,
		-96)
	s.fill(sole, fade(0, -96, 0, 8, 0xffffff, 0xc8ccd4))
	s.fill(outline().Smooth(-404, -30, -370, 2, -100, 8, 250, 6, 390, -6, 412, -34, 200, -20, -200, -18), plain(0xf0803a))
	n := p.Noise(r.Seed32())
	upper := outline().Smooth(-392, -86, -402, -180, -380, -290, -340, -336, -270, -330, -190, -290, -110, -320, -50,
		-346, 30, -290, 130, -220, 270, -176, 380, -140, 408, -88, 200, -80, -200, -80)
	s.fill(upper, func(x, y float32) p.Color {
		mesh := 0.03 * p.Sin(x*0.4) * p.Sin(y*0.4)
		return hex(0xf6f4f0).Scale(1.0 - 0.24*p.Smooth(-230, -80, y) - 0.0001*x + mesh + 0.03*n.FBM(x*0.01, y*0.01, 2))
	})
	toe := outline().Smooth(408, -88, 382, -142, 290, -176, 240, -150, 250, -100, 300, -84)
	s.fill(toe, fade(260, -170, 380, -80, 0xf59a50, 0xd8682a))
	heel := outline().Smooth(-392, -84, -404, -180, -384, -290, -350, -310, -310, -240, -250, -140, -220, -84)
	s.fill(heel, fade(-400, -300, -240, -84, 0xf59a50, 0xd8682a))
	stripe := outline().Smooth(-200, -90, -130, -190, 40, -270, 80, -250, -30, -150, -70, -86)
	s.fill(stripe, fade(-150, -260, 20, -90, 0x2f6ac4, 0x1f4a94))
	stripe2 := outline().Smooth(-30, -88, 30, -160, 130, -222, 170, -206, 80, -130, 60, -86)
	s.fill(stripe2, fade(0, -220, 120, -90, 0x2f6ac4, 0x1f4a94))
	collar := outline().Smooth(-376, -290, -340, -336, -270, -332, -190, -292, -120, -316, -60, -348, -80, -300, -180,
		-262, -290, -280)
	s.fill(collar, plain(0x2a3444))
	tongue := outline().Smooth(-130, -310, -104, -400, -60, -404, -20, -330, -40, -300)
	s.fill(tongue, fade(-120, -400, -40, -300, 0xffffff, 0xd0d4dc))
	for i := range 5 {
		t := float32(i) / 4
		x, y := p.Lerp(-62, 120, t), p.Lerp(-330, -222, t)
		lace := outline().Stroke(17, 17, p.Curve(x-44, y+56, x-14, y+10, x+34, y-2)...)
		s.shadow(lace, 2, 5, 5, 0.45)
		s.flat(lace, 0xffffff)
	}
	s.thin(outline().Stroke(4, 4, p.Curve(-390, -120, -100, -112, 200, -112, 390, -112)...), 0xb8bcc4, 0.8)
}

func shoppingBags(c *p.Canvas, r *p.Rand) {
	plaster(c, r, even(0xfaf0e0, 0xf2e2ca, 0xdfc6a6))
	ledge(c, 0.82, 0xf6e8d2, 0xe6d0b0)
	o := put(c, focus(c), 0.89, 1)
	bag := func(x, y, w, h float32, rgb, rope uint32) {
		q := o.moved(x, y, 1, 0)
		q.shadow(outline().Move(-w, 0).Line(w, 0).Line(w+170, -60).Line(w+60, -100), 10, 6, 22, 0.5)
		loop := func(dy float32, k uint32) {
			q.flat(outline().Stroke(11, 11, p.Curve(-w*0.42, -h+20+dy, -w*0.4, -h-90+dy, 0, -h-150+dy, w*0.4, -h-90+dy, w*0.42,
				-h+20+dy)...), k)
		}
		back := hex(rgb)
		loop(-22, rope)
		q.fill(outline().Move(-w, -h).Line(w, -h).Line(w+34, -h-26).Line(-w+34, -h-26), func(_,
			_ float32,
		) p.Color {
			return p.Shift(back, -0.22, 1, 0)
		})
		q.fill(outline().Move(w, 0).Line(w, -h).Line(w+34, -h-26).Line(w+46, -30), func(px, _ float32) p.Color {
			return p.Shift(back, -0.12, 1.05, 0).Scale(0.9 + 0.002*(px-w))
		})
		front := outline().Rect(-w, -h, w, 0)
		n := p.Noise(r.Seed32())
		q.fill(front, func(px, py float32) p.Color {
			return back.Scale(1.02 - 0.06*px/w + 0.1*py/h + 0.05*n.FBM(px*0.008, py*0.008, 2))
		})
		q.thin(outline().Rect(-w, -h, w, -h+4), 0xffffff, 0.3)
		q.flat(outline().Circle(-w*0.42, -h+30, 9).Circle(w*0.42, -h+30, 9), 0x3a3028)
		loop(0, rope)
		q.thin(outline().Circle(0, -h*0.46, w*0.3).Hole(0, -h*0.46, w*0.24, w*0.24), 0xffffff, 0.75)
		q.thin(outline().Round(-w*0.2, -h*0.2, w*0.2, -h*0.2+12, 6), 0xffffff, 0.7)
	}
	bag(200, -80, 190, 560, 0x2f7a78, 0xf0e4d0)
	bag(-220, -40, 170, 420, 0xf2b23c, 0x6a4a20)
	bag(40, 20, 140, 330, 0xe05a4c, 0xf8e8d8)
}

// carton paints a cardboard box seen from the corner: w wide, d deep, h high, its lower front corner at the origin.
func carton(o thing, r *p.Rand, w, d, h float32, rgb uint32) {
	col := hex(rgb)
	n := p.Noise(r.Seed32())
	s := d * 0.5
	front := outline().Move(0, 0).Line(-w, -w*0.12).Line(-w, -w*0.12-h).Line(0, -h)
	side := outline().Move(0, 0).Line(d, -s*0.34).Line(d, -s*0.34-h).Line(0, -h)
	top := outline().Move(0, -h).Line(-w, -w*0.12-h).Line(d-w, -w*0.12-h-s*0.34).Line(d, -s*0.34-h)
	o.shadow(outline().Move(-w, -w*0.12).Line(0, 0).Line(d+60, -s*0.3).Line(d+40, -s*0.34-60), 14, 12, 22, 0.75)
	grain := func(k float32) shader {
		return func(x, y float32) p.Color { return col.Scale(k + 0.05*n.FBM(x*0.02, y*0.004, 3) + 0.00015*(y+h)) }
	}
	o.fill(front, grain(0.98))
	o.fill(side, grain(0.72))
	o.fill(top, grain(1.16))
	tape := hex(0xe2c89c)
	f := float32(0.44)
	o.fill(outline().Move(-w*f, -w*f*0.12-h).Line(-w*(f+0.13), -w*(f+0.13)*0.12-h).Line(d-w*(f+0.13),
		-w*(f+0.13)*0.12-h-s*0.34).Line(d-w*f, -w*f*0.12-h-s*0.34),
		func(_, _ float32) p.Color { return tape })
	o.fill(outline().Move(-w*f, -w*f*0.12-h).Line(-w*(f+0.13), -w*(f+0.13)*0.12-h).Line(-w*(f+0.13),
		-w*(f+0.13)*0.12-h*0.74).Line(-w*f, -w*f*0.12-h*0.74),
		func(_, _ float32) p.Color { return tape.Scale(0.84) })
	lx, ly := -w*0.36, -h*0.5
	label := outline().Move(lx, ly).Line(lx+w*0.3, ly+w*0.036).Line(lx+w*0.3, ly+w*0.036+h*0.32).Line(lx, ly+h*0.32)
	o.flat(label, 0xf6f2ea)
	for i := range 9 {
		x := lx + w*0.03 + float32(i)*w*0.027
		o.flat(outline().Rect(x, ly+h*0.07, x+w*0.006*float32(1+i%3), ly+h*0.2), 0x3a3430)
	}
}

func parcels(c *p.Canvas, r *p.Rand) {
	plaster(c, r, even(0xe8e0d4, 0xd6cabc, 0xb4a696))
	o := put(c, focus(c), 0.84, 1)
	door := outline().Rect(-330, -1250, 330, 0)
	o.shadow(outline().Rect(-380, -1300, 380, 0), 10, 6, 26, 0.5)
	o.flat(outline().Rect(-380, -1300, 380, 0), 0xf4efe6)
	o.fill(door, grainy(r, fade(-330, -1250, 330, 0, 0x3f7a62, 0x2a5a48), 200, 0.06))
	for _, s := range [][4]float32{{-270, -1180, -30, -700}, {30, -1180, 270, -700}, {-270, -600, -30, -80}, {
		30, -600,
		270, -80,
	}} {
		o.thin(outline().Rect(s[0], s[1], s[2], s[3]), 0x1a4434, 0.5)
		o.fill(outline().Rect(s[0]+12, s[1]+12, s[2]-4, s[3]-4), fade(s[0], s[1], s[2], s[3], 0x3a745c, 0x306650))
	}
	o.fill(outline().Circle(276, -640, 30), ball(276, -640, 32, 0xd8b460))
	c.Paint(outline().Rect(0, o.y, c.W, c.H), func(x, y float32) (p.Color, float32) {
		return hex(0xb8a894).Lerp(hex(0x7a6c5e), p.Smooth(o.y, c.H, y)).Lerp(hex(0x5a5046), p.Smooth(26*c.U, 0, y-o.y)*0.6), 1
	})
	mat := outline().Move(-330, 40).Line(330, 40).Line(390, 150).Line(-390, 150)
	o.fill(mat, grainy(r, fade(0, 40, 0, 150, 0x6a5a48, 0x54463a), 10, 0.25))
	carton(o.moved(140, 130, 1, 0), r, 420, 240, 290, 0xc4935c)
	carton(o.moved(120, -190, 1, 0.0), r, 320, 190, 200, 0xd0a068)
	carton(o.moved(380, 200, 1, 0), r, 210, 130, 170, 0xb88550)
}

func giftBox(c *p.Canvas, r *p.Rand) {
	c.Sky(even(0x5a1a2c, 0x7a2436, 0x9a3440, 0x4a1424))
	lamps(c, r, p.Hexes(0xffc46b, 0xffe1a8, 0xff9a7a), 44, 0.34, 0.2, 0.2)
	ledge(c, 0.82, 0x5a1c2a, 0x7a2a38)
	o := put(c, focus(c), 0.9, 1.05).shaded(0x2a0a12)
	o.shadow(outline().Ellipse(20, 6, 360, 40), 18, 6, 30, 0.8)
	n := p.Noise(r.Seed32())
	paper := func(k float32) shader {
		return func(x, y float32) p.Color {
			dot := p.Smooth(0.86, 0.93, p.Sin(x*0.09)*p.Sin(y*0.09))
			return hex(0xf4e6d2).Lerp(hex(0xd8a850), 0.8*dot).Scale(k*(1.04-0.0006*x) + 0.04*n.FBM(x*0.01, y*0.01, 3))
		}
	}
	o.fill(outline().Rect(-280, -350, 280, 10), paper(0.92))
	o.fill(outline().Rect(-58, -350, 58, 10), fade(-58, 0, 58, 0, 0xd8344a, 0x9a1c30))
	lid := outline().Rect(-310, -450, 310, -340)
	o.shadow(lid, 0, 16, 14, 0.6)
	o.fill(lid, paper(1.05))
	o.fill(outline().Rect(-60, -450, 60, -340), fade(-60, 0, 60, 0, 0xe44258, 0xa82238))
	for _, s := range []float32{-1, 1} {
		tail := outline().Smooth(s*10, -460, s*80, -440, s*190, -400, s*230, -360, s*180, -350, s*130, -372, s*40, -440)
		o.shadow(tail, 0, 8, 10, 0.5)
		o.fill(tail, fade(0, -460, s*220, -350, 0xc82c44, 0x941a2c))
		loop := outline().Smooth(0, -470, s*60, -560, s*170, -620, s*250, -580, s*250, -500, s*170, -456, s*60, -456)
		o.shadow(loop, 0, 10, 12, 0.5)
		o.fill(loop, func(x, y float32) p.Color {
			f := p.Sin((x*s*0.5 + y) * 0.05)
			return hex(0xdc3850).Scale(0.85 + 0.25*f + 0.3*p.Smooth(-540, -610, y))
		})
		o.fill(outline().Smooth(s*50, -492, s*120, -550, s*190, -560, s*200, -520, s*140, -488), plain(0x7a1424))
	}
	knot := outline().Round(-48, -520, 48, -436, 30)
	o.shadow(knot, 0, 6, 10, 0.5)
	o.fill(knot, ball(0, -486, 66, 0xe44258))
}

func shopFront(c *p.Canvas, r *p.Rand) {
	c.Sky(even(0x24346a, 0x4a5288, 0x8a6a94, 0xd8947c))
	o := put(c, 0.5, 0.86, 1).shaded(0x1a1624)
	w := min(c.W/c.U*0.46, 560)
	n := p.Noise(r.Seed32())
	house := outline().Rect(-w-40, -1150, w+40, 0)
	o.fill(outline().Rect(-2000, -900, 2000, 0), fade(0, -900, 0, 0, 0x4a3c54, 0x2e2438))
	o.fill(house, func(x, y float32) p.Color {
		j := p.Floor(y / 34)
		off := float32(j&1) * 45
		fx, fy := (x+off)/90-float32(p.Floor((x+off)/90)), y/34-float32(j)
		e := min(min(fx, 1-fx)*90, min(fy, 1-fy)*34)
		return hex(0x8a5a50).Scale(0.62 + 0.2*p.Smooth(1, 4, e) + 0.12*n.FBM(x*0.02, float32(j), 2))
	})
	for _, x := range []float32{-w * 0.5, w * 0.5} {
		o.flat(outline().Rect(x-104, -1090, x+104, -800), 0x2e2430)
		o.fill(outline().Rect(x-90, -1076, x+90, -812), fade(0, -1076, 0, -812, 0x5a6490, 0xc88a80))
		o.flat(outline().Rect(x-5, -1076, x+5, -812).Rect(x-90, -950, x+90, -942), 0x2e2430)
	}
	front := outline().Rect(-w, -640, w, 0)
	o.flat(front, 0x24453f)
	glow := func(x0, y0, x1, y1 float32) {
		o.fill(outline().Rect(x0, y0, x1, y1), func(x, y float32) p.Color {
			return hex(0xffd08a).Scale(1.25 - 0.5*p.Abs(y-(y0+y1)*0.5)/(y1-y0) + 0.08*n.FBM(x*0.01, y*0.01, 2))
		})
	}
	glow(-w+40, -520, w*0.28, -90)
	shelf := func(y float32) {
		o.flat(outline().Rect(-w+40, y, w*0.28, y+10), 0x7a4a28)
		for x := -w + 70; x < w*0.28-40; x += r.In(58, 90) {
			h := r.In(46, 110)
			col := []uint32{0xb8503c, 0x3f6a70, 0xd89a4a, 0x6a4a6a, 0x8a9a5a}[r.Int(5)]
			if r.Float() < 0.5 {
				o.fill(outline().Round(x-22, y-h, x+22, y, 10), turned(x, 22, col))
			} else {
				o.fill(outline().Smooth(x-10, y-h, x+10, y-h, x+26, y-h*0.4, x+18, y, x-18, y, x-26, y-h*0.4), turned(x, 26, col))
			}
		}
	}
	shelf(-320)
	shelf(-110)
	for i := range 3 {
		x := -w + 130 + float32(i)*(w*1.28-170)/2.4
		o.flat(outline().Rect(x-2, -520, x+2, -456), 0x3a2a20)
		c.Glow(o.x+x*o.k, o.y-440*o.k, 130*o.k, hex(0xffe0a0), 0.5)
		o.flat(outline().Ellipse(x, -446, 26, 18), 0xfff4d8)
	}
	glow(w*0.42, -560, w-50, -20)
	o.flat(outline().Rect(w*0.42-14, -574, w*0.42, 0).Rect(w-50, -574, w-36, 0).Rect(w*0.42, -300, w-50,
		-288).Rect(w*0.7, -560, w*0.7+8, 0), 0x1c3631)
	o.fill(outline().Rect(w*0.42, -130, w-50, 0), plain(0x2a5048))
	o.fill(outline().Circle(w*0.76, -230, 12), ball(w*0.76, -230, 12, 0xe8c070))
	sign := outline().Round(-w, -740, w, -640, 10)
	o.fill(sign, fade(0, -740, 0, -640, 0x2c564e, 0x1c3a34))
	o.thin(outline().Round(-190, -708, 190, -672, 16), 0xf4dca8, 0.9)
	stripes := 12
	step := 2 * (w + 30) / float32(stripes)
	awning := outline()
	for i := range stripes {
		x := -w - 30 + float32(i)*step
		piece := outline().Move(x, -640).Line(x+step, -640).Line(x+step*1.0, -500).Quad(x+step*0.5, -452, x, -500)
		awning.Add(piece)
	}
	o.shadow(awning, 0, 36, 22, 0.6)
	for i := range stripes {
		x := -w - 30 + float32(i)*step
		piece := outline().Move(x, -640).Line(x+step, -640).Line(x+step, -500).Quad(x+step*0.5, -452, x, -500)
		o.fill(piece, fade(0, -640, 0, -460, []uint32{0xf6ecdc, 0xd8563f}[i%2], []uint32{0xc8b49c, 0x9a3426}[i%2]))
	}
	c.Paint(outline().Rect(0, o.y, c.W, c.H), func(x, y float32) (p.Color, float32) {
		d := (y - o.y) / (c.H - o.y)
		lx := (x - o.x) / o.k / w
		return hex(0x3a3040).Scale(1 - 0.4*d).Add(hex(0xffb860).Scale(0.26 * p.Exp(-1.6*lx*lx) * (1 - d))), 1
	})
	for _, s := range []float32{-1, 1} {
		q := o.moved(s*(w-30)-s*20, 16, 0.9, 0)
		if s > 0 {
			q = o.moved(w*0.33, 16, 0.7, 0)
		}
		pot(c, r, q.x, q.y, q.k)
	}
}

func marketStall(c *p.Canvas, r *p.Rand) {
	plaster(c, r, even(0xfbe6c4, 0xf2cfa0, 0xd8a878))
	lamps(c, r, p.Hexes(0xfff0c8, 0xffd89a), 14, 0.4, 0.2, 0.06)
	c.Paint(outline().Rect(0, c.H*0.88, c.W, c.H), func(_, y float32) (p.Color, float32) {
		return hex(0xb89070).Lerp(hex(0x7a5a48), p.Smooth(c.H*0.88, c.H, y)), 1
	})
	o := put(c, focus(c), 0.92, fit(c, 1000))
	w := float32(470)
	for _, x := range []float32{-w + 10, w - 10} {
		o.fill(outline().Rect(x-14, -960, x+14, 0), turned(x, 14, 0x9a6a40))
	}
	crate := func(x, y, cw, h float32, fruit uint32, size float32, leafy bool) {
		for row := range 3 {
			for k := range int(cw*2/(size*1.7)) + 1 {
				fx := x - cw + size*0.8 + float32(k)*size*1.72 + float32(row%2)*size*0.6
				fy := y - h - 26 + float32(row)*size*0.62 + r.Bell()*4
				if fx > x+cw-size*0.5 {
					continue
				}
				if leafy {
					q := o.moved(fx, fy, 1, 0)
					for range 5 {
						blade(c, q.x, q.y+10*q.k, size*2*q.k, size*q.k, -tau/4+r.Bell(), p.Shift(hex(fruit), 0.06*r.Bell(), 1,
							8*r.Bell()))
					}
				} else {
					berry(o, fx, fy, size, fruit)
				}
			}
		}
		box := outline().Rect(x-cw, y-h, x+cw, y)
		o.shadow(box, 6, 8, 10, 0.5)
		o.fill(box, grainy(r, fade(x-cw, y-h, x+cw, y, 0xcf9c62, 0xa8743f), 40, 0.14))
		o.thin(outline().Rect(x-cw, y-h*0.5-4, x+cw, y-h*0.5+4), 0x5a3818, 0.55)
		o.thin(outline().Rect(x-cw, y-h, x-cw+10, y).Rect(x+cw-10, y-h, x+cw, y), 0x7a4e28, 0.5)
	}
	o.fill(outline().Rect(-w, -430, w, -410), plain(0x7a5030))
	crate(-300, -430, 150, 74, 0xd8412e, 32, false)
	crate(10, -430, 140, 74, 0xf2a02a, 36, false)
	crate(310, -430, 146, 74, 0x5a9a3c, 36, true)
	o.fill(outline().Rect(-w, -210, w, -190), plain(0x7a5030))
	crate(-300, -210, 150, 80, 0x8ab83c, 34, false)
	crate(10, -210, 140, 80, 0x6a3a74, 30, false)
	crate(310, -210, 146, 80, 0xf4d03c, 34, false)
	base := outline().Rect(-w-10, -190, w+10, 0)
	o.shadow(base, 0, 10, 20, 0.5)
	o.fill(base, grainy(r, fade(-w, -190, w, 0, 0x8a5a38, 0x5f3c26), 60, 0.14))
	for i := range 4 {
		x := -w + float32(i)*w*0.66
		o.thin(outline().Rect(x, -190, x+5, 0), 0x3a2416, 0.5)
	}
	for _, x := range []float32{-300, 10, 310} {
		tag := outline().Round(x-44, -190, x+44, -136, 6)
		o.shadow(tag, 2, 4, 4, 0.5)
		o.flat(tag, 0xfaf0da)
		num := outline()
		digit(num, 2+int(x+300)/200, x-20, -163, 30)
		digit(num, 5, x+18, -163, 30)
		o.flat(num, 0x6a3a1c)
	}
	const stripes = 10
	step := 2 * (w + 50) / stripes
	all := outline().Move(-w-50, -960).Line(w+50, -960).Line(w+50, -720).Line(-w-50, -720)
	o.shadow(all, 0, 60, 40, 0.4)
	for i := range stripes {
		x := -w - 50 + float32(i)*step
		t0, t1 := x/(w+50), (x+step)/(w+50)
		piece := outline().Move(t0*(w-40), -960).Line(t1*(w-40), -960).Line(x+step, -750).Quad(x+step*0.5, -690, x, -750)
		o.fill(piece, fade(0, -960, 0, -700, []uint32{0xfdf4e4, 0xd84838}[i%2], []uint32{0xdcc8a8, 0xa82e24}[i%2]))
	}
}

func shopShelf(c *p.Canvas, r *p.Rand) {
	plaster(c, r, even(0xe6efec, 0xd2e0dc, 0xb0c4c0))
	k := c.U
	tint := p.Color{R: 0.5, G: 0.52, B: 0.55}
	cols := []uint32{0xd8654a, 0x3f7f86, 0xeab54c, 0x6f8f5a, 0xb76b88, 0x4a5f8c, 0xf0e2c8}
	rows := 0
	for foot := c.H * 0.5; foot < c.H+420*k; foot += 330 * k {
		o := thing{c: c, x: 0, y: foot, k: k, tint: tint}
		wide := c.W / k
		kind, col := rows, r.Int(len(cols))
		for x := float32(20); x < wide; {
			n := 3 + r.Int(3)
			kind, col = (kind+1+r.Int(2))%4, (col+1+r.Int(3))%len(cols)
			for range n {
				switch kind {
				case 0: // a jar with a lid
					w, h := float32(52), float32(150)
					cx := x + w
					o.shadow(outline().Rect(cx-w, -h, cx+w, 0), 14, 0, 14, 0.4)
					o.fill(outline().Round(cx-w, -h, cx+w, 0, 22), turned(cx, w, cols[col]))
					o.fill(outline().Round(cx-w+6, -h-30, cx+w-6, -h+8, 8), metal(cx-w, cx+w, 0xc8b080))
					o.thin(outline().Rect(cx-w, -h+46, cx+w, -44), 0xfdf6e8, 0.92)
					o.flat(outline().Circle(cx-4, -h+76, 15), cols[col])
					x += 2*w + 8
				case 1: // a bottle
					w, h := float32(40), float32(230)
					cx := x + w
					body := outline().Smooth(cx-14, -h, cx+14, -h, cx+16, -h+54, cx+w, -h+104, cx+w, -14, cx+w-8, 0, cx-w+8, 0, cx-w,
						-14, cx-w, -h+104, cx-16, -h+54)
					o.shadow(body, 14, 0, 14, 0.4)
					o.fill(body, turned(cx, w, cols[col]))
					o.fill(outline().Round(cx-16, -h-12, cx+16, -h+18, 5), plain(0x3a3430))
					o.thin(outline().Rect(cx-w, -110, cx+w, -36), 0xfdf6e8, 0.9)
					x += 2*w + 8
				case 2: // a box
					w, h := float32(58), float32(200)
					cx := x + w
					box := outline().Rect(cx-w, -h, cx+w, 0)
					o.shadow(box, 14, 0, 14, 0.4)
					o.fill(box, fade(cx-w, -h, cx+w, 0, cols[col], cols[col]))
					o.thin(outline().Rect(cx+w-14, -h, cx+w, 0), 0x000000, 0.14)
					o.thin(outline().Round(cx-w+16, -h+26, cx+w-28, -h+40, 6).Round(cx-w+16, -h+52, cx+w-50, -h+62, 5), 0xffffff, 0.85)
					o.thin(outline().Circle(cx-6, -72, 32), 0xffffff, 0.4)
					x += 2*w + 6
				default: // a tin
					w, h := float32(50), float32(120)
					cx := x + w
					o.shadow(outline().Rect(cx-w, -h, cx+w, 0), 14, 0, 14, 0.4)
					o.fill(outline().Rect(cx-w, -h, cx+w, 0), turned(cx, w, cols[col]))
					o.fill(outline().Rect(cx-w-2, -h-5, cx+w+2, -h+7).Rect(cx-w-2, -8, cx+w+2, 0), metal(cx-w, cx+w, 0xc8ccd0))
					o.thin(outline().Rect(cx-w, -h+34, cx+w, -36), 0xfdf6e8, 0.88)
					x += 2*w + 8
				}
			}
			x += r.In(16, 46)
		}
		board := outline().Rect(-20, 0, wide+20, 30)
		o.shadow(board, 0, 26, 22, 0.55)
		o.fill(board, fade(0, 0, 0, 30, 0xf6e8d0, 0xc09a68))
		for i := range int(wide/260) + 1 {
			x := 120 + float32(i)*260
			o.flat(outline().Round(x-40, 4, x+40, 27, 4), 0xffffff)
			o.flat(outline().Round(x-26, 11, x+14, 19, 4), 0xc84a3c)
		}
		rows++
	}
	windowLight(c, 0.14, 0.05, 0.24, hex(0xfff6e0), 0.18)
}

func checkoutTerminal(c *p.Canvas, r *p.Rand) {
	c.Sky(even(0x3a4a58, 0x566878, 0x7a8a90, 0x3a444c))
	lamps(c, r, p.Hexes(0xffd89a, 0xfff0d0, 0xa8d0ff), 30, 0.32, 0.18, 0.14)
	counter(c, r, 0.78, 0.965, 0xa47a50)
	o := put(c, focus(c), 0.86, 1.08).shaded(0x2a2420)
	o.shadow(outline().Ellipse(20, 10, 240, 34), 18, 8, 24, 0.8)
	body := outline().Smooth(-190, -460, -150, -500, 150, -500, 190, -460, 178, -200, 200, -30, 170, 10, -170, 10, -200,
		-30, -178, -200)
	o.fill(body, fade(-190, -500, 190, 0, 0x4a4e58, 0x1c1e24))
	o.flat(outline().Round(-150, -466, 150, -290, 14), 0x0e1218)
	o.fill(outline().Round(-140, -456, 140, -300, 8), fade(-140, -456, 140, -300, 0x2f7fd8, 0x54b4f0))
	o.radioWaves(-30, -378, 22, 24, 9, 0.95)
	for i := range 12 {
		x, y := float32(i%3)*104-104, float32(i/3)*62-244
		col := uint32(0x5a5e68)
		if i == 9 {
			col = 0xd84a3c
		} else if i == 11 {
			col = 0x3fa85a
		}
		key := outline().Round(x-42, y-22, x+42, y+22, 12)
		o.shadow(key, 2, 5, 4, 0.6)
		o.fill(key, func(_, py float32) p.Color { return hex(col).Scale(1.1 - 0.006*(py-y)) })
	}
	for i := range 4 {
		o.flat(outline().Circle(-60+float32(i)*40, -482, 6), []uint32{0x5aff9a, 0x5aff9a, 0x3a5044, 0x3a5044}[i])
	}
	card := o.moved(60, -640, 1, -0.3)
	path := outline().Round(-230, -146, 230, 146, 26)
	card.shadow(path, 20, 60, 40, 0.55)
	n := p.Noise(r.Seed32())
	ramp := even(0xe8704c, 0xd8468a, 0x7a4ac0)
	card.fill(path, func(x, y float32) p.Color { return ramp.At(0.5 + 0.0018*(x+y) + 0.3*n.FBM(x*0.004, y*0.004, 2)) })
	card.fill(outline().Round(-190, -50, -124, 2, 10), fade(-190, -50, -124, 2, 0xf8dc94, 0xb98a3a))
	card.thin(outline().Round(-190, 50, 60, 68, 8).Round(-190, 90, -40, 102, 6), 0xffffff, 0.7)
	hand := outline().Smooth(150, -110, 240, -150, 330, -150, 700, -420, 860, -300, 640, 60, 420, 190, 300, 180, 210,
		150, 190, 90, 250, 60)
	card.shadow(hand, 0, 16, 18, 0.4)
	card.fill(hand, fade(200, -100, 560, 100, 0xc98e6c, 0x8d5a42))
	finger(card, 84, 60, 0xc08464, 400, -60, 300, -84, 196, -70, 130, -40)
	card.thin(outline().Ellipse(0, 0, 28, 20).Turn(138, -46, 1, -0.4), 0xf0c4ac, 0.7)
}

// garment is a piece of clothing on a hanger, seen from the front, in units below the rail of a rack.
type garment struct {
	x, half, hem, sleeve, flare float32 // half of the shoulders, lengths from the collar, hem in halves of the shoulders
	rgb                         uint32
	detail                      func(o thing, g garment)
}

const (
	collarAt = 74  // below the rail
	armpit   = 150 // below the collar
)

// outlines returns the body and the two sleeves of a garment, with the origin at the collar.
func (g garment) outlines() (body, sleeves *p.Path) {
	w, hem, f := g.half, g.hem, g.half*g.flare
	waist := w * 0.8
	body = outline().Move(-24, 0).Cubic(-10, 20, 10, 20, 24, 0).Line(w*0.86, 26).Cubic(w, 40, waist+8, 90, waist, armpit).
		Cubic(waist-4, hem*0.5, f*0.96, hem*0.7, f, hem).Quad(0, hem+18, -f, hem).
		Cubic(-f*0.96, hem*0.7, -waist+4, hem*0.5, -waist, armpit).Cubic(-waist-8, 90, -w, 40, -w*0.86, 26).Line(-24, 0)
	sleeves = outline()
	for _, side := range []float32{-1, 1} {
		sleeves.Move(side*w*0.8, 24).Cubic(side*(w+16), 34, side*(w+26), g.sleeve*0.6, side*(w+26), g.sleeve).
			Quad(side*(w+4), g.sleeve+10, side*(w-20), g.sleeve-2).
			Cubic(side*(w-16), g.sleeve*0.6, side*waist, armpit+20, side*waist, armpit).Line(side*w*0.8, 24)
	}
	return body, sleeves
}

// draw paints the garment with its hanger; n folds the cloth.
func (g garment) draw(o thing, n p.Noise) {
	hanger := outline().Stroke(6, 6, p.Curve(0, 0, 0, -24, 16, -44, 14, -70, -6, -82, -18, -68)...)
	o.shadow(hanger, 8, 4, 5, 0.4)
	o.fill(hanger, metal(-20, 20, 0xb0aaa2))
	o.fill(outline().Stroke(15, 13, -g.half*0.82, 24, 0, -4, g.half*0.82, 24), fade(0, -10, 0, 30, 0xd8ac7c, 0x9a6c44))
	col, seed := hex(g.rgb), g.x*0.13
	cloth := func(k float32) shader {
		return func(x, y float32) p.Color {
			drop := p.Smooth(0, g.hem, y)
			fold := p.Sin(x*0.075+seed+1.6*n.FBM(x*0.008+seed, y*0.0022, 2)) * (0.025 + 0.085*drop)
			side := x / (g.half * (1 + (g.flare-1)*drop))
			return col.Scale(k * (1.02 + fold - 0.1*side - 0.16*side*side*drop + 0.03*n.FBM(x*0.2+seed, y*0.2, 2)))
		}
	}
	body, sleeves := g.outlines()
	o.shadow(outline().Add(body).Add(sleeves), 22, 14, 18, 0.5)
	if g.sleeve > 0 {
		o.fill(sleeves, cloth(0.9))
	}
	o.shadow(body, 5, 3, 7, 0.3)
	o.fill(body, cloth(1))
	neck := outline().Move(-24, 0).Cubic(-10, 20, 10, 20, 24, 0).Cubic(10, -8, -10, -8, -24, 0)
	o.fill(neck, func(_, _ float32) p.Color { return col.Scale(0.55) })
	g.detail(o, g)
}

// buttoned adds a collar, a placket and buttons.
func buttoned(o thing, g garment) {
	col := hex(g.rgb)
	o.thin(outline().Stroke(3, 3, 0, 18, 2, g.hem+8), 0x2a2020, 0.28)
	for y := float32(60); y < g.hem-20; y += 62 {
		o.thin(outline().Circle(9, y+2, 7), 0x2a2020, 0.3)
		o.flat(outline().Circle(8, y, 6), 0xf6eee2)
	}
	for _, side := range []float32{-1, 1} {
		flap := outline().Move(side*26, -6).Line(side*44, 30).Line(side*14, 50).Line(0, 16).Line(side*26, -6)
		o.shadow(flap, 2, 4, 5, 0.4)
		o.fill(flap, func(_, y float32) p.Color { return col.Scale(1.08 - y*0.002) })
	}
}

// jacket adds two pockets with seams to a buttoned garment.
func jacket(o thing, g garment) {
	buttoned(o, g)
	for _, side := range []float32{-1, 1} {
		x := side * g.half * 0.42
		o.thin(outline().Round(x-26, 130, x+26, 190, 6), 0x101828, 0.24)
		flap := outline().Move(x-28, 124).Line(x+28, 124).Line(x+28, 138).Line(x, 152).Line(x-28, 138).Line(x-28, 124)
		o.thin(flap, 0xffffff, 0.16)
	}
	o.thin(outline().Stroke(3, 3, -g.half*0.8, g.hem-34, g.half*0.8, g.hem-34), 0x101828, 0.3)
}

// knitted adds a ribbed collar and hem, and stripes.
func knitted(o thing, g garment) {
	o.thin(outline().Stroke(11, 11, p.Curve(-28, 0, -12, 20, 12, 20, 28, 0)...), 0xffffff, 0.3)
	for x := -g.half * 0.76; x < g.half*0.78; x += 11 {
		o.thin(outline().Stroke(3, 3, x, g.hem-30, x, g.hem+4), 0x3a2410, 0.22)
	}
	for y := float32(176); y < g.hem-50; y += 54 {
		o.thin(outline().Stroke(15, 15, p.Curve(-g.half*0.78, y, 0, y+8, g.half*0.78, y)...), 0xfff4e0, 0.5)
	}
}

// belted adds a belt and straps to a dress.
func belted(o thing, g garment) {
	belt := outline().Smooth(-g.half*0.84, 214, 0, 224, g.half*0.84, 214, g.half*0.86, 238, 0, 248, -g.half*0.86, 238)
	o.shadow(belt, 0, 5, 6, 0.4)
	o.fill(belt, plain(0x6a3628))
	o.flat(outline().Round(-14, 214, 14, 250, 5), 0xe0b060)
	o.flat(outline().Round(-8, 221, 8, 243, 3), 0x6a3628)
}

func clothesRack(c *p.Canvas, r *p.Rand) {
	plaster(c, r, even(0xf0e8e0, 0xe2d5c9, 0xc4b2a2))
	leafLight(c, r, 0.4)
	ledge(c, 0.88, 0xd8c4b0, 0xc0a890)
	o := put(c, focus(c), 0.92, fit(c, 1020))
	bar := float32(-960)
	for _, x := range []float32{-440, 440} {
		o.shadow(outline().Rect(x-9, bar, x+9, 0), 20, 0, 12, 0.35)
		o.fill(outline().Round(x-10, bar, x+10, 4, 8), fade(x-10, 0, x+10, 0, 0xc09464, 0x7a5632))
		o.shadow(outline().Stroke(20, 20, x-76, 6, x+76, 6), 6, 10, 10, 0.6)
		o.fill(outline().Stroke(20, 20, x-76, 4, x+76, 4), fade(0, -6, 0, 14, 0xb88a5a, 0x70502e))
	}
	o.shadow(outline().Rect(-460, bar-9, 460, bar+9), 16, 30, 14, 0.3)
	o.fill(outline().Round(-474, bar-11, 474, bar+11, 11), fade(0, bar-11, 0, bar+11, 0xd2a878, 0x80582f))
	n := p.Noise(r.Seed32())
	for _, g := range []garment{
		{-330, 92, 400, 330, 0.9, 0xf4efe6, buttoned},
		{-166, 92, 620, 96, 1.25, 0xc8694c, belted},
		{0, 94, 350, 340, 0.86, 0x4a6488, jacket},
		{166, 92, 380, 350, 0.86, 0xd8a44c, knitted},
		{330, 94, 560, 400, 1.04, 0x6f8474, jacket},
	} {
		g.draw(o.moved(g.x, bar+collarAt, 1, 0), n)
	}
	for _, x := range []float32{-150, -20} {
		shoe(o.moved(x, 0, 1, 0), 0x8a5a40)
	}
}

// shoe paints a low leather shoe that points to the right, at the origin.
func shoe(o thing, rgb uint32) {
	path := outline().Move(-62, -4).Cubic(-68, -40, -66, -62, -54, -66).Cubic(-44, -56, -22, -54, -8, -62).
		Cubic(8, -40, 36, -34, 56, -26).Cubic(66, -20, 66, -10, 64, -4)
	o.shadow(path, 10, 8, 10, 0.6)
	o.fill(path, fade(0, -66, 0, 0, rgb, 0x4a2c1e))
	o.flat(outline().Round(-66, -6, 68, 6, 5), 0xf4ece2)
	o.flat(outline().Round(-66, -6, -40, 8, 3), 0x3a2418)
	for k := range 3 {
		x := float32(k)*13 - 2
		o.thin(outline().Stroke(4, 4, x, -54+x*0.5, x+12, -46+x*0.5), 0xf4ece2, 0.9)
	}
}
