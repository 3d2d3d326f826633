// SPDX-License-Identifier: Apache-2.0

package starter

import (
	p "github.com/reelops/reelops/internal/content/imagery/paint"
)

var kitchenTable = []entry{
	{
		"Pancakes with syrup", "A stack of pancakes with butter, maple syrup and berries on a sunny breakfast table.",
		"pancakes pancake breakfast kitchen syrup butter berries brunch sweet stack morning plate warm",
		p.Look{Grain: 2, Vignette: 0.14},
		pancakes,
	},
	{
		"Coffee and croissant", "A steaming mug of coffee beside a croissant in front of a green wall.",
		"coffee croissant mug cup steam breakfast cafe espresso bakery pastry morning drink break",
		p.Look{Grain: 2.2, Vignette: 0.22},
		coffeeMug,
	},
	{
		"Salad bowl", "A bowl of green salad with tomatoes, cucumber and egg on light wood, seen from above.",
		"salad vegetables healthy food lunch diet vegan bowl tomatoes cucumber egg lettuce green fresh nutrition",
		p.Look{Grain: 1.8, Vignette: 0.12},
		saladBowl,
	},
	{
		"Fresh bread", "A round loaf of bread and two slices on a board in warm light.",
		"bread loaf bakery baking sourdough slice toast flour breakfast kitchen homemade board warm brown",
		p.Look{Grain: 2, Vignette: 0.3},
		breadLoaf,
	},
	{
		"Pizza from above", "A pizza with tomatoes, mozzarella and basil on a dark stone table, seen from above.",
		"pizza cheese tomato mozzarella basil italian dinner oven lunch dark party slice crust",
		p.Look{Grain: 1.8, Vignette: 0.25},
		pizza,
	},
	{
		"Bowl of fruit", "Oranges, apples, a banana and grapes in a bowl on a wooden table.",
		"fruit healthy food vitamins snack diet bowl orange apple banana grapes fresh nutrition",
		p.Look{Grain: 2, Vignette: 0.16},
		fruitBowl,
	},
	{
		"Cooking pot", "A red pot steaming on a stove in front of white kitchen tiles.",
		"cooking pot stove food recipe meal soup stew dinner steam kitchen cook chef gas homemade",
		p.Look{Grain: 2, Vignette: 0.16},
		cookingPot,
	},
	{
		"Breakfast from above", "Fried eggs, toast, juice and coffee on a pale blue table, seen from above.",
		"breakfast food meal brunch eggs egg toast table juice plate morning kitchen fork protein",
		p.Look{Grain: 1.8, Vignette: 0.08},
		breakfastTable,
	},
	{
		"Baking day", "A rolling pin, eggs and dough with cut-out hearts on a floury pink table.",
		"baking dough bake flour recipe cookies cookie eggs rolling-pin kitchen dessert homemade pastry sweet pink",
		p.Look{Grain: 1.8, Vignette: 0.08},
		bakingDay,
	},
	{
		"Berry smoothie", "A tall glass of berry smoothie with a straw and mint in hard summer light.",
		"smoothie berry drink glass juice shake strawberry healthy protein fresh summer straw vegan pink diet",
		p.Look{Grain: 1.8, Vignette: 0.06},
		smoothie,
	},
	{
		"Birthday cake", "A birthday cake with dripping icing and burning candles in front of soft party lights.",
		"cake birthday candles candle party celebration dessert sweet anniversary icing festive happy gift",
		p.Look{Grain: 1.8, Vignette: 0.25},
		birthdayCake,
	},
	{
		"Noodle soup", "A dark bowl of noodle soup with egg, leek and chopsticks, seen from above.",
		"noodles soup ramen bowl chopsticks egg japan asian japanese dinner lunch restaurant street broth",
		p.Look{Grain: 1.8, Vignette: 0.28},
		noodleSoup,
	},
}

// berry paints a small round fruit with its shadow.
func berry(o thing, x, y, r float32, rgb uint32) {
	path := outline().Circle(x, y, r)
	o.shadow(path, r*0.25, r*0.3, r*0.3, 0.6)
	o.fill(path, ball(x, y, r, rgb))
}

func pancakes(c *p.Canvas, r *p.Rand) {
	plaster(c, r, even(0xf6dfb8, 0xeec58c, 0xd79b62))
	windowLight(c, 0.16, 0.1, 0.24, hex(0xffe6b4), 0.3)
	counter(c, r, 0.76, 0.97, 0xa86a3c)
	o := put(c, focus(c), 0.87, 1)
	plate(o, 450, 92, 0xf5efe6)
	n := p.Noise(r.Seed32())
	const cakes = 6
	y := float32(-30)
	for i := range cakes {
		rx, ry, h := r.In(290, 318), float32(66), r.In(46, 54)
		x := r.Bell() * 13
		side := outline().Ellipse(x, y, rx, ry).Ellipse(x, y-h, rx, ry).Rect(x-rx, y-h, x+rx, y)
		if i == 0 {
			o.shadow(side, 16, 14, 22, 0.6)
		}
		edge, pale := hex(0xa5622a), hex(0xf0c98a)
		top := y - h
		o.fill(side, func(px, py float32) p.Color {
			d := (px - x) / rx
			mid := py - ry*p.Sqrt(max(0, 1-d*d)) // height of the rim below this point
			t := (mid - top) / h
			k := p.Smooth(0, 0.35, t) * p.Smooth(1.05, 0.6, t)
			return edge.Lerp(pale, k).Scale((1.02 - 0.32*d) * (0.86 + 0.2*p.Smooth(1, 0.4, t)))
		})
		brown, gold := hex(0xb8702f), hex(0xe3a95c)
		o.fill(outline().Ellipse(x, top, rx, ry), func(px, py float32) p.Color {
			dx, dy := (px-x)/rx, (py-top)/ry
			q := p.Sqrt(dx*dx + dy*dy)
			spot := n.FBM(px*0.012+float32(i)*9, py*0.05, 3)
			return gold.Lerp(brown, p.Smooth(0.98, 0.8, q+0.1*spot)*(0.85+0.4*spot)).Scale(1.05 - 0.12*dx)
		})
		y -= h
	}
	syrup := func(path *p.Path) {
		o.shadow(path, 5, 8, 8, 0.45)
		o.glaze(path, func(px, py float32) (p.Color, float32) {
			return hex(0x6e2f0c).Lerp(hex(0xc06a1c), p.Smooth(-220, 260, -px)), 0.88
		})
	}
	pool := outline().Smooth(-215, y+2, -120, y-36, 40, y-44, 190, y-24, 232, y+10, 214, y+60, 196, y+150, 176, y+162,
		160, y+140, 152, y+62,
		100, y+66, 70, y+106, 48, y+246, 26, y+268, 4, y+244, -8, y+120, -30, y+62, -92, y+60, -112, y+90, -124, y+176,
		-142, y+190,
		-160, y+170, -170, y+60, -210, y+34)
	syrup(pool)
	for _, s := range [][3]float32{{26, 120, 120}, {174, 70, 60}, {-143, 80, 84}} {
		o.glint(outline().Stroke(7, 4, s[0]-9, y+s[1]-30, s[0]-9, y+s[1]+s[2]*0.6), 0xffd9a0, 3, 0.55)
	}
	o.glint(outline().Stroke(10, 5, p.Curve(-150, y-4, -60, y-22, 60, y-28)...), 0xffe0b0, 5, 0.5)
	b := o.moved(20, y-16, 1, 0)
	side := outline().Move(-74, -20).Line(66, -30).Line(84, 6).Line(84, 34).Line(-60, 46).Line(-74, 12)
	b.shadow(side, 8, 10, 10, 0.5)
	b.fill(side, plain(0xe9bf58))
	b.fill(outline().Move(-74, -20).Line(66, -30).Line(84, 6).Line(-60, 18), fade(-70, -20, 80, 20, 0xfff0b4, 0xf6d77e))
	for _, s := range [][3]float32{{-150, -14, 34}, {-196, 8, 30}, {-120, 18, 32}, {170, -6, 33}} {
		berry(o, s[0], y+s[1]-10, s[2], 0x3a4a86)
	}
	for _, s := range [][3]float32{{-392, 2, 30}, {-356, 26, 33}, {372, 22, 32}} {
		berry(o, s[0], s[1]-16, s[2], 0x3f4e8c)
	}
	raspberry(o, 348, -22, 36)
	raspberry(o, -330, -16, 35)
}

// raspberry paints a berry of small beads.
func raspberry(o thing, x, y, size float32) {
	o.shadow(outline().Circle(x, y+size*0.2, size), size*0.2, size*0.25, size*0.3, 0.6)
	for row := range 5 {
		t := float32(row) / 4
		w := size * p.Sin(0.5+2.3*(1-t)) * 0.95
		for i := range 4 {
			bx := x + w*(float32(i)-1.5)/1.9
			by := y + size*(1.5*t-0.75)
			o.fill(outline().Circle(bx, by, size*0.3), ball(bx, by, size*0.3, 0xb8243f))
		}
	}
}

// mug paints a cup seen from the side: its foot at the origin, w its half width, h its height.
func mug(o thing, w, h float32, rgb, drink uint32) {
	ry := w * 0.24
	handle := outline().Stroke(w*0.24, w*0.2, p.Curve(w*0.9, -h*0.82, w*1.42, -h*0.78, w*1.52, -h*0.45, w*1.2, -h*0.22,
		w*0.85, -h*0.2)...)
	body := outline().Move(-w, -h).Line(w, -h).Cubic(w, -h*0.5, w*0.98, -h*0.1, w*0.8, 0).Cubic(w*0.4, ry*0.75, -w*0.4,
		ry*0.75, -w*0.8, 0).
		Cubic(-w*0.98, -h*0.1, -w, -h*0.5, -w, -h)
	o.shadow(outline().Ellipse(w*0.35, 2, w*1.2, ry*0.8), 12, 4, w*0.16, 0.8)
	o.fill(handle, turned(w*1.2, w*0.5, rgb))
	o.fill(body, turned(0, w, rgb))
	rim := hex(rgb)
	o.fill(outline().Ellipse(0, -h, w, ry), func(x, _ float32) p.Color {
		return p.Shift(rim, 0.05, 0.9,
			0).Scale(1.05 - 0.1*x/w)
	})
	o.fill(outline().Ellipse(0, -h+ry*0.06, w*0.93, ry*0.9), turned(0, -w, rgb))
	col := hex(drink)
	o.fill(outline().Ellipse(0, -h+ry*0.28, w*0.86, ry*0.68), func(x, y float32) p.Color {
		return col.Scale(0.8 - 0.5*x/w)
	})
}

func coffeeMug(c *p.Canvas, r *p.Rand) {
	plaster(c, r, even(0x6f8a78, 0x557060, 0x35493e))
	leafLight(c, r, 0.5)
	counter(c, r, 0.77, 0.965, 0x8d5a36)
	o := put(c, focus(c), 0.87, 1)
	mug(o.moved(-110, 0, 1, 0), 178, 330, 0xf3e8d8, 0x4a2817)
	steam(o, r, -110, -345, 430, 0.5)
	plate(o.moved(250, 62, 1, 0), 215, 46, 0xe9ded0)
	croissant(o.moved(250, 26, 1, -0.05))
}

// croissant paints a croissant from the side, about 400 units wide.
func croissant(o thing) {
	// From the ends to the middle, so that the inner pieces lie on top.
	pieces := [][5]float32{ // x, y, half width, half height, turn
		{-182, 18, 44, 26, -0.5},
		{182, 18, 44, 26, 0.5},
		{-130, -8, 66, 46, -0.42},
		{130, -8, 66, 46, 0.42},
		{-68, -34, 76, 66, -0.2},
		{68, -34, 76, 66, 0.2},
		{0, -46, 66, 78, 0},
	}
	for _, s := range pieces {
		q := o.moved(s[0], s[1], 1, s[4])
		path := outline().Smooth(-s[2], s[3]*0.6, -s[2]*0.92, -s[3]*0.4, -s[2]*0.3, -s[3], s[2]*0.35, -s[3], s[2]*0.94,
			-s[3]*0.4,
			s[2], s[3]*0.6, s[2]*0.4, s[3]*0.85, -s[2]*0.4, s[3]*0.85)
		q.shadow(path, 0, 4, 9, 0.55)
		light, mid, dark := hex(0xf0bf70), hex(0xc98136), hex(0x7a3f15)
		q.fill(path, func(x, y float32) p.Color {
			u, v := x/s[2], y/s[3]
			out := mid.Lerp(light, p.Smooth(0.2, -0.9, v+0.25*u)).Lerp(dark, p.Smooth(0.1, 1, v))
			return out.Lerp(dark, 0.55*p.Smooth(0.75, 1.02, p.Abs(u))).Scale(1 + 0.07*p.Sin(u*17+v*2))
		})
	}
}

// slice paints a round slice: its skin and its inside.
func slice(o thing, x, y, rad float32, skin, flesh uint32) {
	all := outline().Circle(x, y, rad)
	o.shadow(all, rad*0.1, rad*0.16, rad*0.2, 0.5)
	o.fill(all, plain(skin))
	col := hex(flesh)
	o.fill(outline().Circle(x, y, rad*0.88), func(px, py float32) p.Color {
		return col.Scale(1.03 - 0.06*((px-x)+(py-y))/rad)
	})
}

func cucumber(o thing, x, y, rad float32) {
	slice(o, x, y, rad, 0x4d8a3c, 0xd6e8a8)
	seeds := outline()
	for i := range 9 {
		a := float32(i) * tau / 9
		leaf(seeds, x+p.Cos(a)*rad*0.2, y+p.Sin(a)*rad*0.2, rad*0.36, rad*0.12, a)
	}
	o.thin(seeds, 0xa8c878, 0.8)
}

func tomatoHalf(o thing, x, y, rad, turn float32) {
	slice(o, x, y, rad, 0xb3261e, 0xe2513f)
	q := o.moved(x, y, 1, turn)
	for i := range 3 {
		s := q.moved(0, 0, 1, float32(i)*tau/3)
		pocket := outline().Smooth(rad*0.16, -rad*0.26, rad*0.6, -rad*0.34, rad*0.72, 0, rad*0.6, rad*0.34, rad*0.16,
			rad*0.26)
		s.fill(pocket, plain(0xc93426))
		seeds := outline()
		for k := range 4 {
			leaf(seeds, rad*(0.3+0.1*float32(k%2)), rad*(float32(k)-1.5)*0.13, rad*0.15, rad*0.09, 0)
		}
		s.thin(seeds, 0xf6c97a, 0.95)
	}
	o.glint(outline().Ellipse(x-rad*0.4, y-rad*0.45, rad*0.2, rad*0.1), 0xffffff, rad*0.08, 0.3)
}

func eggHalf(o thing, x, y, rad, turn float32) {
	q := o.moved(x, y, 1, turn)
	path := outline().Smooth(-rad*1.22, 0, -rad*0.7, -rad*0.82, rad*0.3, -rad*0.9, rad*0.95, -rad*0.4, rad, 0, rad*0.95,
		rad*0.4, rad*0.3, rad*0.9, -rad*0.7, rad*0.82)
	q.shadow(path, rad*0.12, rad*0.2, rad*0.2, 0.55)
	q.fill(path, fade(-rad, -rad, rad, rad, 0xffffff, 0xe6e2da))
	q.fill(outline().Circle(0.08*rad, 0, rad*0.55), ball(0.08*rad, 0, rad*0.75, 0xf2a52c))
}

func saladBowl(c *p.Canvas, r *p.Rand) {
	planks(c, r, p.Hexes(0xd9bd95, 0xd0b086, 0xdec6a2, 0xc9a97e), 250)
	o := put(c, focus(c), 0.7, 1)
	disc(o, 440, 0.9, 0xf1ece2)
	in := func(k float32) (x, y float32) {
		a, d := r.Float()*tau, p.Sqrt(r.Float())*k
		return p.Cos(a) * d, p.Sin(a) * d
	}
	greens := p.Hexes(0x4f8f3a, 0x6fa648, 0x86b957, 0x3c7434, 0x9cc76a)
	for range 95 {
		x, y := in(300)
		a := r.Float() * tau
		long := r.In(110, 190)
		q := o.moved(x, y, 1, 0)
		path := outline()
		leaf(path, q.x, q.y, long*q.k, long*0.62*q.k, a)
		c.Shadow(path, 3*q.k, 7*q.k, 7*q.k, 0.5, q.tint)
		blade(c, q.x, q.y, long*q.k, long*0.62*q.k, a, greens[r.Int(len(greens))])
	}
	for range 7 {
		x, y := in(280)
		cucumber(o, x, y, r.In(58, 68))
	}
	for range 6 {
		x, y := in(290)
		tomatoHalf(o, x, y, r.In(56, 66), r.Float()*tau)
	}
	eggHalf(o, -90, 70, 78, 0.6)
	eggHalf(o, 100, -110, 76, 2.4)
	for range 8 {
		x, y := in(320)
		path := outline().Ring(x, y, 24, 12)
		o.shadow(path, 2, 4, 4, 0.4)
		o.fill(path, plain(0x2d2530))
	}
	fork(o.moved(-492, 60, 0.9, 0.03))
}

// fork paints a fork seen from above, its teeth up, about 560 units long.
func fork(o thing) {
	path := outline().Smooth(-26, -160, -40, -110, -34, -70, -12, -30, -11, 40, -17, 200, -18, 290, 0, 310, 18, 290, 17,
		200, 11, 40, 12, -30,
		34, -70, 40, -110, 26, -160)
	for i := range 4 {
		x := float32(i)*21 - 31.5
		path.Stroke(10, 7, x*1.02, -130, x*1.06, -265)
	}
	o.shadow(path, 9, 12, 10, 0.6)
	o.fill(path, metal(-45, 45, 0xc9c9cc))
}

// knife paints a knife seen from above, its point up, about 600 units long.
func knife(o thing) {
	blade := outline().Smooth(-14, 40, -18, -100, -16, -210, 0, -290, 16, -270, 22, -150, 18, 40)
	grip := outline().Smooth(-13, 40, 16, 40, 18, 200, 17, 290, 0, 312, -16, 290, -16, 200)
	o.shadow(outline().Add(blade).Add(grip), 9, 12, 10, 0.6)
	o.fill(blade, metal(-20, 26, 0xd8d8da))
	o.fill(grip, metal(-20, 20, 0xb8b8bc))
}

func breadLoaf(c *p.Canvas, r *p.Rand) {
	plaster(c, r, even(0x5a4636, 0x413026, 0x241a15))
	counter(c, r, 0.78, 0.965, 0x7a4c2c)
	c.Glow(c.W*0.2, c.H*0.4, c.W*0.9, hex(0xffc27a), 0.14)
	o := put(c, focus(c), 0.875, 1).shaded(0x4a3020)
	board := outline().Round(-480, -14, 480, 34, 18)
	o.shadow(board, 12, 16, 16, 0.7)
	o.fill(outline().Smooth(-470, -14, -440, -62, 440, -62, 470, -14), fade(0, -60, 0, 0, 0xb98350, 0xa46f40))
	o.fill(board, fade(-480, 0, 480, 0, 0xc08a56, 0x7f5430))
	n := p.Noise(r.Seed32())
	loaf := outline().Smooth(-350, -60, -372, -150, -300, -290, -120, -372, 60, -374, 240, -300, 330, -170, 318, -60,
		200, -32, -230, -32)
	o.shadow(loaf, 26, 10, 26, 0.8)
	light, mid, dark := hex(0xe2a55c), hex(0xa8632b), hex(0x4a2411)
	o.fill(loaf, func(x, y float32) p.Color {
		dx, dy := (x+10)/350, (y+190)/185
		k := -0.45*dx - 0.65*dy + 0.6*p.Sqrt(max(0, 1-dx*dx-dy*dy))
		f := n.FBM(x*0.012, y*0.016, 4)
		out := dark.Lerp(mid, p.Smooth(-0.5, 0.35, k+0.25*f)).Lerp(light, p.Smooth(0.4, 1.05, k+0.3*f))
		dust := p.Smooth(0.1, 0.5, n.FBM(x*0.02+7, y*0.03, 4)+0.5*k-0.25)
		return out.Lerp(hex(0xf1e2c8), 0.55*dust)
	})
	for i := range 4 {
		x := float32(i)*135 - 215
		cut := outline().Smooth(x-10, -96-30*p.Sin(float32(i)+0.6), x+16, -240, x+86, -334+14*p.Abs(float32(i)-1.5), x+74,
			-230, x+36, -110)
		o.fill(cut, func(px, py float32) p.Color {
			f := n.FBM(px*0.05, py*0.02, 3)
			return hex(0xd69b58).Lerp(hex(0xf3d6a0), p.Smooth(-0.4, 0.5, f)).Scale(0.85 + 0.35*p.Smooth(-80, -330, py))
		})
		o.glint(outline().Stroke(5, 3, p.Curve(x-10, -110, x+12, -240, x+80, -332)...), 0xffd9a0, 3, 0.25)
	}
	for i, x := range []float32{330, 412} {
		s := o.moved(x, 0, 1, 0.06-0.1*float32(i))
		out := outline().Smooth(-118, -10, -122, -150, -150, -196, -112, -250, 0, -264, 112, -250, 150, -196, 122, -150,
			118, -10, 60, 0, -60, 0)
		s.shadow(out, 16, 6, 18, 0.7)
		s.fill(out, fade(-150, 0, 150, 0, 0xa5642e, 0x7a4520))
		crumb := out.Turn(0, -9, 0.92, 0)
		s.fill(crumb, func(px, py float32) p.Color {
			f := n.FBM(px*0.05+float32(i)*31, py*0.05, 4)
			pore := p.Smooth(0.18, 0.34, n.FBM(px*0.035+50, py*0.045+float32(i)*9, 3))
			return hex(0xf0dcb4).Scale(0.95 + 0.08*f - 0.22*pore - 0.1*px/150)
		})
	}
}

func pizza(c *p.Canvas, r *p.Rand) {
	slab(c, r, even(0x4a4a4e, 0x39393d, 0x29292d, 0x1d1d20))
	o := put(c, focus(c), 0.7, 1).shaded(0x303033)
	board := outline().Circle(0, 0, 470).Round(-70, 380, 70, 690, 60).Hole(0, 640, 22, 22)
	o.shadow(board, 26, 34, 36, 0.75)
	wood := grainy(r, plain(0xa87446), 60, 0.12)
	n := p.Noise(r.Seed32())
	o.fill(board, func(x, y float32) p.Color {
		return wood(x*4, y*0.4).Scale(1.05 + 0.04*p.Sin(x*0.09+n.At(x*0.008, y*0.002)*9) - 0.0003*(x+y))
	})
	rad := func(a float32) float32 { return 415 + 12*n.At(p.Cos(a)*2+5, p.Sin(a)*2) }
	edge := outline()
	var ring []float32
	for i := range 40 {
		a := float32(i) * tau / 40
		ring = append(ring, p.Cos(a)*rad(a), p.Sin(a)*rad(a))
	}
	edge.Smooth(ring...)
	o.shadow(edge, 14, 20, 20, 0.7)
	crust, burnt, gold := hex(0xd8974c), hex(0x5d2f14), hex(0xf0c27c)
	sauce, cheese, brown := hex(0xb8321c), hex(0xf6d489), hex(0xc9812f)
	o.fill(edge, func(x, y float32) p.Color {
		d := p.Sqrt(x*x + y*y)
		f, g := n.FBM(x*0.011, y*0.011, 4), n.FBM(x*0.03+40, y*0.03, 3)
		t := d + 22*f
		if t > 352 {
			b := (t - 352) / 66 // over the rim's bulge
			k := p.Sin(tau / 2 * p.Clamp(b, 0, 1))
			out := crust.Lerp(gold, 0.6*k*p.Smooth(300, -300, x+y)).Lerp(burnt, p.Smooth(0.15, 0.5, g))
			return out.Scale(0.72 + 0.38*k)
		}
		out := sauce.Lerp(cheese, p.Smooth(-0.28, 0.02, f+0.5*g+0.0012*(340-d))).Lerp(brown, 0.75*p.Smooth(0.22, 0.5,
			n.FBM(x*0.02+90, y*0.02, 3)))
		return out.Lerp(sauce, 0.85*p.Smooth(318, 350, t)).Scale(1 + 0.14*g)
	})
	cuts := outline()
	for i := range 4 {
		a := float32(i)*tau/8 + 0.25
		cuts.Stroke(4, 4, p.Cos(a)*400, p.Sin(a)*400, -p.Cos(a)*400, -p.Sin(a)*400)
	}
	o.thin(cuts, 0x5a2410, 0.45)
	for i := range 8 {
		a := float32(i)*tau/8 + 0.6 + 0.15*r.Bell()
		d := r.In(120, 285)
		x, y := p.Cos(a)*d, p.Sin(a)*d
		if i%2 == 0 {
			tomatoHalf(o, x, y, r.In(44, 56), a)
			continue
		}
		s := r.In(48, 66)
		blob := outline().Smooth(x-s, y, x-s*0.6, y-s*0.7, x+s*0.3, y-s*0.85, x+s, y-s*0.1, x+s*0.55, y+s*0.75, x-s*0.4,
			y+s*0.8)
		o.shadow(blob, 3, 5, 7, 0.4)
		o.fill(blob, grainy(r, ball(x, y, s*1.3, 0xfff3d6), 20, 0.05))
	}
	for range 9 {
		a, d := r.Float()*tau, r.In(30, 300)
		q := o.moved(p.Cos(a)*d, p.Sin(a)*d, 1, 0)
		b := r.Float() * tau
		long := r.In(70, 100) * q.k
		path := outline()
		leaf(path, q.x, q.y, long, long*0.6, b)
		c.Shadow(path, 4*q.k, 7*q.k, 6*q.k, 0.6, o.tint)
		blade(c, q.x, q.y, long, long*0.6, b, hex(0x3f8a34))
	}
	for range 9 {
		x, y := r.In(-560, 560), r.In(-640, -500)
		berry(o, x, y, r.In(5, 9), 0x6b4a34)
	}
}

// apple paints an apple from the side, its foot at the origin.
func apple(o thing, rad float32, rgb uint32) {
	body := outline().Smooth(0, -rad*1.62, rad*0.45, -rad*1.82, rad*0.95, -rad*1.45, rad*1.02, -rad*0.85, rad*0.7,
		-rad*0.2, rad*0.28, 0, 0, -rad*0.05,
		-rad*0.28, 0, -rad*0.7, -rad*0.2, -rad*1.02, -rad*0.85, -rad*0.95, -rad*1.45, -rad*0.45, -rad*1.82)
	o.shadow(body, 8, 6, 12, 0.5)
	o.fill(body, ball(0, -rad*0.9, rad*1.1, rgb))
	o.fill(outline().Stroke(rad*0.09, rad*0.13, p.Curve(0, -rad*1.58, rad*0.05, -rad*1.85, rad*0.18, -rad*2.1)...),
		plain(0x5a3a22))
	q := o.moved(rad*0.1, -rad*1.8, 1, 0)
	blade(o.c, q.x, q.y, rad*0.85*o.k, rad*0.4*o.k, -0.45, hex(0x5f9440))
}

func fruitBowl(c *p.Canvas, r *p.Rand) {
	plaster(c, r, even(0xe8ece4, 0xcfd9d2, 0xa3b5ae))
	windowLight(c, 0.1, 0.12, 0.25, hex(0xfff4d8), 0.22)
	counter(c, r, 0.78, 0.97, 0xc08c58)
	o := put(c, focus(c), 0.885, 1)
	n := p.Noise(r.Seed32())
	o.shadow(outline().Ellipse(30, -10, 330, 40), 20, 8, 30, 0.85)
	banana := outline().Smooth(-330, -330, -300, -400, -180, -440, 20, -470, 130, -540, 150, -580, 176, -570, 190, -500,
		120, -400, -60, -330, -250, -300)
	o.shadow(banana, 4, 8, 10, 0.4)
	o.fill(banana, func(x, y float32) p.Color {
		s := y + 0.0016*(x-190)*(x-190)*0.0 + 0.35*x
		out := hex(0xf7d64a).Lerp(hex(0xc9971f), p.Smooth(-420, -330, s)).Lerp(hex(0xfff0a0), p.Smooth(-430, -520, s)*0.5)
		return out.Scale(0.98 + 0.06*n.FBM(x*0.02, y*0.05, 2))
	})
	o.fill(outline().Stroke(26, 18, 152, -560, 172, -604), plain(0x6a5a2a))
	orange := func(x, y, rad float32) {
		path := outline().Circle(x, y, rad)
		o.shadow(path, 6, 8, 12, 0.5)
		b := ball(x, y, rad, 0xf08a1e)
		o.fill(path, func(px, py float32) p.Color { return b(px, py).Scale(1 + 0.09*n.FBM(px*0.11, py*0.11, 2)) })
	}
	orange(-60, -350, 122)
	apple(o.moved(150, -238, 1, 0.12), 108, 0xc23a2e)
	orange(-210, -290, 118)
	apple(o.moved(20, -190, 1, -0.08), 104, 0x9cb545)
	orange(240, -250, 98)
	for i := range 26 {
		t := float32(i) / 26
		x, y := -330+r.Bell()*62*(1-0.5*t)+18*t, p.Lerp(-262, -60, t)+r.Bell()*8
		berry(o, x, y, r.In(27, 33), 0x5d3a6e)
	}
	w := float32(360)
	bowl := outline().Move(-w, -240).Cubic(-w*0.98, -90, -w*0.55, -12, -w*0.3, 0).Line(w*0.3, 0).Cubic(w*0.55, -12,
		w*0.98, -90, w, -240).
		Cubic(w*0.6, -205, -w*0.6, -205, -w, -240)
	body := turned(0, w, 0x3d6a86)
	o.fill(bowl, func(x, y float32) p.Color {
		k := 1 + 0.12*p.Smooth(-120, -230, y) - 0.3*p.Smooth(-60, 0, y)
		return body(x, y).Scale(k * (1 + 0.04*n.FBM(x*0.01, y*0.2, 2)))
	})
	o.fill(outline().Stroke(16, 16, p.Curve(-w, -240, -w*0.55, -214, 0, -206, w*0.55, -214, w, -240)...), turned(0, w,
		0x6d9ab4))
	for i := range 9 { // grapes that hang over the rim
		t := float32(i) / 9
		berry(o, -262+r.Bell()*50*(1-0.4*t), p.Lerp(-230, -120, t)+r.Bell()*8, r.In(27, 33), 0x6a447c)
	}
}

func cookingPot(c *p.Canvas, r *p.Rand) {
	tiled(c, r, 0xeef0ec, 0xd2d6d2, 135)
	counter(c, r, 0.8, 0.83, 0x33363a)
	ledge(c, 0.825, 0x4c5157, 0x6b7178)
	o := put(c, focus(c), 0.825, 1).shaded(0x3a3a40)
	flames := outline()
	for i := range 15 {
		x := float32(i-7) * 34
		leaf(flames, x, 16, r.In(44, 58), 20, -tau/4+0.02*float32(i-7))
	}
	o.glaze(flames, func(_, y float32) (p.Color, float32) {
		return hex(0x3a7cff).Lerp(hex(0xbfe0ff), p.Smooth(10, -40, y)).Scale(1.4), 0.9
	})
	o.c.Glow(o.x, o.y, 420*o.k, hex(0x3f7cff), 0.16)
	grate := outline().Round(-380, -30, 380, -14, 8)
	for _, x := range []float32{-340, -170, 170, 340} {
		grate.Round(x-9, -30, x+9, 26, 6)
	}
	o.fill(grate, plain(0x1a1b1d))
	w, h := float32(320), float32(330)
	body := outline().Move(-w, -h).Line(w, -h).Line(w, -90).Cubic(w, -46, w*0.9, -32, w*0.8, -30).Line(-w*0.8,
		-30).Cubic(-w*0.9, -32, -w, -46, -w, -90)
	for _, s := range []float32{-1, 1} {
		grip := outline().Stroke(34, 34, p.Curve(s*w*0.97, -h+62, s*(w+92), -h+58, s*(w+96), -h+118, s*w*0.97, -h+124)...)
		o.fill(grip, turned(s*(w+40), 70, 0xb02c24))
	}
	o.shadow(body, 24, 0, 26, 0.55)
	o.fill(body, turned(0, w, 0xc4352a))
	o.fill(outline().Ellipse(0, -h, w, 58), turned(0, w, 0xd95b4c))
	o.fill(outline().Ellipse(0, -h+3, w*0.95, 51), turned(0, -w, 0xefe6da))
	n := p.Noise(r.Seed32())
	o.fill(outline().Ellipse(0, -h+15, w*0.9, 39), func(x, y float32) p.Color {
		f := n.FBM(x*0.012, y*0.06, 3)
		return hex(0xb8521e).Lerp(hex(0xe89a3c), p.Smooth(-0.3, 0.4, f)).Scale(0.95 - 0.0006*x)
	})
	spoon := outline().Stroke(24, 34, 60, -h+18, 330, -h-360)
	o.shadow(outline().Stroke(24, 30, 60, -h+22, 150, -h-90), 14, 12, 12, 0.4)
	o.fill(spoon, fade(60, 0, 110, 36, 0xc99a62, 0x8f6236))
	o.glint(outline().Stroke(16, 10, -w*0.62, -h+80, -w*0.66, -90), 0xffd0c0, 14, 0.45)
	steam(o, r, -70, -h-10, 560, 0.65)
}

// tiled fills the canvas with glazed kitchen tiles of the width size.
func tiled(c *p.Canvas, r *p.Rand, face, joint uint32, size float32) {
	tone := p.Noise(r.Seed32())
	s := size * c.U
	a, b := hex(face), hex(joint)
	c.Shade(func(x, y float32) p.Color {
		j := p.Floor(y / (s * 0.5))
		x += float32(j&1) * s * 0.5
		i := p.Floor(x / s)
		fx, fy := x/s-float32(i), y/(s*0.5)-float32(j)
		ex, ey := min(fx, 1-fx)*s, min(fy, 1-fy)*s*0.5
		d := min(ex, ey)
		col := a.Scale(0.95 + 0.07*tone.Grain(i, j) - 0.05*fy)
		col = col.Scale(1 + 0.12*p.Smooth(10*c.U, 2*c.U, fy*s*0.5) - 0.08*p.Smooth(8*c.U, 2*c.U, (1-fy)*s*0.5))
		lx, ly := x/c.W-0.35, y/c.H-0.3
		return col.Lerp(b, p.Smooth(3.2*c.U, 1.8*c.U, d)).Scale(1.03 - 0.28*(lx*lx+ly*ly))
	})
}

func friedEgg(o thing, r *p.Rand) {
	var ring []float32
	for i := range 11 {
		a := float32(i) * tau / 11
		d := r.In(96, 132)
		ring = append(ring, p.Cos(a)*d, p.Sin(a)*d)
	}
	white := outline().Smooth(ring...)
	o.shadow(white, 4, 7, 7, 0.4)
	o.fill(white, func(x, y float32) p.Color {
		d := p.Sqrt(x*x + y*y)
		return hex(0xfffdf6).Scale(1-0.00025*(x+y)).Lerp(hex(0xd8a865), 0.5*p.Smooth(100, 132, d))
	})
	yolk := outline().Circle(6, 2, 50)
	o.shadow(yolk, 4, 6, 8, 0.25)
	o.fill(yolk, ball(6, 2, 56, 0xf6a51c))
}

func breakfastTable(c *p.Canvas, r *p.Rand) {
	slab(c, r, even(0xcfe0e6, 0xbcd2da, 0xa9c3cd))
	o := put(c, focus(c), 0.7, 1).shaded(0x6a7a88)
	disc(o.moved(-40, 60, 1, 0), 345, 0.72, 0xfaf7f2)
	toast := func(x, y, a float32) {
		q := o.moved(x, y, 1, a)
		path := outline().Smooth(-96, 120, -104, 0, -122, -60, -80, -112, 0, -100, 80, -112, 122, -60, 104, 0, 96, 120, 0,
			126)
		q.shadow(path, 7, 10, 9, 0.5)
		q.fill(path, plain(0x9a5a28))
		q.fill(path.Turn(0, 0, 0.9, 0), grainy(r, fade(-100, -100, 100, 100, 0xeebf78, 0xd09a50), 26, 0.16))
	}
	toast(-130, -50, -0.4)
	toast(-30, -105, 0.15)
	friedEgg(o.moved(50, 70, 1, 0.3), r)
	friedEgg(o.moved(-120, 150, 0.92, 2), r)
	for i := range 4 {
		x := float32(i) * 52
		tomatoHalf(o, 112+x*0.55, -80+x*0.8, 34, x)
	}
	fork(o.moved(-455, 80, 0.95, 0.04))
	knife(o.moved(375, 80, 0.95, 0.03))
	cupTop(o.moved(330, -420, 1, 0), 0xfaf7f2)
	glass := outline().Circle(-300, -400, 110)
	o.shadow(glass, 12, 16, 16, 0.5)
	o.fill(glass, plain(0xeaf3f4))
	o.fill(outline().Circle(-300, -400, 98), func(x, y float32) p.Color {
		return hex(0xf8b43c).Scale(1.05 + 0.0012*(x+y+700))
	})
	o.glint(outline().Stroke(12, 4, p.Curve(-372, -440, -340, -476, -290, -484)...), 0xffffff, 4, 0.5)
	slice(o, -262, -378, 46, 0xf39a1e, 0xffd67a)
	seg := outline()
	for i := range 8 {
		a := float32(i) * tau / 8
		seg.Stroke(3, 3, -262, -378, -262+p.Cos(a)*40, -378+p.Sin(a)*40)
	}
	o.thin(seg, 0xfff0c0, 0.9)
}

// cupTop paints a cup of coffee on its saucer, seen from above, about 320 units wide.
func cupTop(o thing, rgb uint32) {
	disc(o, 165, 0.62, rgb)
	handle := outline().Stroke(26, 22, 80, -40, 150, -80)
	o.shadow(handle, 6, 8, 8, 0.5)
	o.fill(handle, plain(rgb))
	rim := outline().Circle(0, 0, 100)
	o.shadow(rim, 8, 11, 12, 0.55)
	o.fill(rim, fade(-90, -90, 90, 90, rgb, 0xd8d2c8))
	o.fill(outline().Circle(0, 0, 90), fade(-80, -80, 80, 80, 0x4a2a18, 0x7a4a2a))
	heart := outline().Smooth(0, 52, -50, 6, -52, -34, -24, -44, 0, -22, 24, -44, 52, -34, 50, 6)
	o.fill(heart, plain(0xe8caa0))
	o.fill(heart.Turn(0, 2, 0.62, 0), plain(0x9a6438))
	o.fill(heart.Turn(0, 2, 0.36, 0), plain(0xe8caa0))
}

func bakingDay(c *p.Canvas, r *p.Rand) {
	slab(c, r, even(0xf4cdc8, 0xeebcb8, 0xe3a8a6))
	o := put(c, focus(c), 0.72, 1).shaded(0x9a6a6a)
	n := p.Noise(r.Seed32())
	c.Change(func(x, y float32, was p.Color) p.Color { // flour
		ux, uy := o.units(x, y)
		d := p.Sqrt(ux*ux/1.4+uy*uy) / 560
		f := n.FBM(ux*0.006, uy*0.006, 4)
		g := n.FBM(ux*0.06, uy*0.06, 2)
		return was.Lerp(hex(0xfffaf5), 0.85*p.Smooth(0.75, -0.1, d-0.9*f-0.3*g))
	})
	dough := outline().Smooth(-330, -20, -290, -190, -120, -260, 90, -250, 270, -170, 330, 10, 270, 190, 80, 270, -150,
		250, -300, 150)
	heart := func(x, y, s, a float32) *p.Path {
		return outline().Smooth(0, 84, -70, 22, -88, -36, -44, -78, 0, -42, 44, -78, 88, -36, 70, 22).Turn(x, y, s, a)
	}
	o.shadow(dough, 8, 12, 14, 0.5)
	o.fill(dough, grainy(r, fade(-300, -260, 300, 260, 0xf8e4bc, 0xe6c48e), 60, 0.07))
	for _, s := range [][3]float32{{-150, -110, -0.3}, {60, -140, 0.25}, {-60, 70, 0.1}} {
		hole := heart(s[0], s[1], 1, s[2])
		o.fill(hole, fade(s[0]-60, s[1]-70, s[0]+60, s[1]+70, 0xd99a94, 0xf4cfc9))
	}
	for _, s := range [][3]float32{{350, -250, 0.4}, {455, -80, -0.2}, {-420, 235, 0.3}} {
		cut := heart(s[0], s[1], 1, s[2])
		o.shadow(cut, 6, 9, 9, 0.5)
		o.fill(cut, grainy(r, fade(s[0]-90, s[1]-90, s[0]+90, s[1]+90, 0xfae8c4, 0xe8c892), 50, 0.06))
	}
	pin := o.moved(120, 170, 1, -0.5)
	body := outline().Round(-300, -58, 300, 58, 30)
	grips := outline().Round(-420, -24, 420, 24, 24)
	pin.shadow(outline().Add(grips).Add(body), 12, 26, 22, 0.6)
	round := func(half float32) shader {
		t := turned(0, half, 0xc98f58)
		return func(x, y float32) p.Color { return t(y, 0).Scale(1 + 0.07*n.FBM(x*0.006, y*0.11, 3)) }
	}
	pin.fill(grips, round(26))
	pin.fill(body, round(58))
	egg := func(x, y, a float32, rgb uint32) {
		q := o.moved(x, y, 1, a)
		path := outline().Smooth(0, -98, 52, -64, 74, 12, 50, 70, 0, 86, -50, 70, -74, 12, -52, -64)
		q.shadow(path, 12, 18, 16, 0.55)
		q.fill(path, ball(0, 0, 98, rgb))
	}
	egg(-350, -330, 0.5, 0xe9c3a0)
	egg(-190, -420, -0.4, 0xf6e6d4)
	egg(-450, -150, 2.2, 0xdfae86)
}

func smoothie(c *p.Canvas, r *p.Rand) {
	plaster(c, r, even(0xffe3d4, 0xffcabc, 0xf6a79e))
	windowLight(c, 0.06, 0.08, 0.3, hex(0xfff2d8), 0.25)
	ledge(c, 0.8, 0xfbe6d6, 0xf2c6b4)
	o := put(c, focus(c), 0.88, 1).shaded(0xc06a62)
	glass := outline().Move(-150, -560).Line(150, -560).Line(118, -12).Quad(116, 6, 96, 8).Line(-96, 8).Quad(-116, 6,
		-118, -12)
	cast := outline().Move(-100, 4).Line(100, 4).Line(560, -170).Line(430, -230)
	o.shadow(cast, 0, 8, 16, 0.55)
	o.shadow(outline().Ellipse(10, 6, 125, 22), 8, 4, 12, 0.7)
	straw := outline().Stroke(24, 24, -20, -200, 118, -760)
	o.fill(straw, func(x, y float32) p.Color {
		if p.Sin((y+x*0.3)*0.09) > 0 {
			return hex(0xf6f1ea)
		}
		return hex(0xd8405c)
	})
	n := p.Noise(r.Seed32())
	drink := outline().Move(-138, -490).Quad(0, -462, 138, -490).Line(112, -24).Quad(0, -4, -112, -24)
	o.thin(glass, 0xffffff, 0.35)
	t := turned(0, 140, 0xe0566f)
	o.fill(drink, func(x, y float32) p.Color {
		f := n.FBM(x*0.012, y*0.006, 4)
		return t(x, y).Lerp(hex(0xfbc2c0), p.Smooth(-260, -480, y+80*f)*0.8).Scale(1 + 0.08*f)
	})
	o.fill(outline().Ellipse(0, -490, 138, 26), func(x, y float32) p.Color {
		return hex(0xf7b2b6).Scale(1.05 - 0.001*x + 0.05*n.FBM(x*0.04, y*0.1, 2))
	})
	o.glint(outline().Stroke(20, 14, -116, -520, -92, -60), 0xffffff, 8, 0.35)
	o.glint(outline().Stroke(8, 6, 128, -540, 104, -80), 0xffffff, 4, 0.3)
	o.thin(outline().Ellipse(0, -560, 150, 28).Hole(0, -560, 144, 24), 0xffffff, 0.7)
	for _, a := range []float32{-0.5, -1.3, -2.3, -2.9} {
		q := o.moved(-54, -500, 1, 0)
		blade(c, q.x, q.y, 120*q.k, 66*q.k, a, hex(0x5ea84e))
	}
	strawberry := func(x, y, s, a float32) {
		q := o.moved(x, y, s, a)
		path := outline().Smooth(0, 96, -66, 30, -78, -40, -34, -76, 0, -66, 34, -76, 78, -40, 66, 30)
		q.shadow(path, 14, 16, 14, 0.55)
		q.fill(path, ball(-4, -6, 100, 0xd42a38))
		for i := range 16 {
			sx, sy := float32(i%4)*34-51+float32(i/4%2)*15, float32(i/4)*34-42
			if p.Abs(sx)+max(sy, 0)*0.7 < 62 {
				q.flat(outline().Ellipse(sx, sy, 3.5, 6), 0xf2c46a)
			}
		}
		for k := range 5 {
			b := q.moved(0, -66, 1, 0)
			blade(c, b.x, b.y, 62*b.k, 30*b.k, b.a+float32(k)*0.75-3.05, hex(0x4e9a40))
		}
	}
	strawberry(250, -58, 1, 0.9)
	strawberry(-245, -62, 0.95, -1.1)
	berry(o, 172, -26, 32, 0x3f4e8c)
	berry(o, 336, -20, 30, 0x46559a)
}

func birthdayCake(c *p.Canvas, r *p.Rand) {
	c.Sky(even(0x2a1a3e, 0x42264e, 0x5e3050, 0x3a1e34))
	lamps(c, r, p.Hexes(0xffb86a, 0xff7fa0, 0xffe2a8, 0xa88cff), 34, 0.3, 0.2, 0.16)
	ledge(c, 0.82, 0x4a2a3c, 0x6d4050)
	o := put(c, focus(c), 0.9, 1).shaded(0x2a1420)
	o.shadow(outline().Ellipse(0, 14, 380, 56), 16, 10, 30, 0.8)
	stand := outline().Ellipse(0, -10, 420, 60)
	o.fill(outline().Ellipse(0, 4, 418, 62), plain(0xb9a3b0))
	o.fill(stand, fade(-420, 0, 420, 0, 0xf6ecf0, 0xcbb2c0))
	tier := func(y, w, h float32, rgb uint32) {
		ry := w * 0.15
		body := outline().Ellipse(0, y, w, ry).Rect(-w, y-h, w, y).Ellipse(0, y-h, w, ry)
		o.shadow(body, 10, 6, 16, 0.45)
		o.fill(body, turned(0, w, rgb))
		for i := range 27 { // beads of cream around the foot
			a := float32(i) / 26 * tau / 2
			bx, by := -p.Cos(a)*w*1.01, y+p.Sin(a)*ry
			o.fill(outline().Circle(bx, by, 22), ball(bx, by, 24, 0xfff1e6))
		}
	}
	top := func(y, w float32) {
		ry := w * 0.15
		icing := []float32{-w * 1.01, y - 6}
		for i := range 12 {
			t := float32(i)/11*2 - 1
			x := t * w * 0.98
			front := y + ry*p.Sqrt(max(0, 1-t*t))
			long := r.In(34, 96)
			icing = append(icing, x-w*0.045, front+14, x-w*0.02, front+long, x+w*0.03, front+long-4, x+w*0.055, front+16)
		}
		icing = append(icing, w*1.01, y-6, w*0.5, y-ry*0.6, -w*0.5, y-ry*0.6)
		path := outline().Smooth(icing...)
		o.shadow(path, 2, 8, 7, 0.35)
		o.fill(path, turned(0, w, 0x7a3a2a))
		o.fill(outline().Ellipse(0, y, w, ry), fade(-w, 0, w, 0, 0xa05a40, 0x6a3024))
		o.glint(outline().Stroke(8, 4, p.Curve(-w*0.8, y+ry*0.3, -w*0.4, y+ry*0.75, 0, y+ry*0.82)...), 0xffc8a0, 6, 0.4)
	}
	tier(-20, 330, 200, 0xf3c7c4)
	top(-220, 330)
	tier(-240, 225, 170, 0xf9e3dc)
	top(-410, 225)
	for i, x := range []float32{-130, -66, 0, 66, 130} {
		y := -410 + 20*p.Cos(x*0.02)
		col := []uint32{0xf27fa0, 0x7fc4e8, 0xf6cf6a, 0x9ad08a, 0xc79af0}[i]
		stick := outline().Rect(x-10, y-140, x+10, y)
		body := turned(x, 10, col)
		o.fill(stick, func(px, py float32) p.Color {
			if p.Sin((py+px*1.6)*0.24) > 0.3 {
				return hex(0xfff6ee)
			}
			return body(px, py)
		})
		flameAt(o, x, y-150, 1)
	}
}

// flameAt paints the flame of a candle with its glow; its foot is at x, y.
func flameAt(o thing, x, y, size float32) {
	q := o.moved(x, y, size, 0)
	q.c.Halo(q.x, q.y-30*q.k, 330*q.k, hex(0xffa850), 0.4)
	q.flat(outline().Rect(-2, -6, 2, 12), 0x2a1a12)
	flame := outline().Smooth(0, 6, -18, -14, -14, -42, 0, -76, 14, -42, 18, -14)
	q.fill(flame, func(_, fy float32) p.Color {
		return hex(0xffb84a).Lerp(hex(0xfff4d0), p.Smooth(-70, -10, fy)).Scale(1.6)
	})
}

func noodleSoup(c *p.Canvas, r *p.Rand) {
	planks(c, r, p.Hexes(0x4a3226, 0x3f2a20, 0x543a2c, 0x38251c), 230)
	o := put(c, focus(c), 0.7, 1).shaded(0x2a1c18)
	disc(o, 440, 0.9, 0x2c4658)
	n := p.Noise(r.Seed32())
	o.fill(outline().Circle(0, 0, 380), func(x, y float32) p.Color {
		f := n.FBM(x*0.007, y*0.007, 3)
		oil := p.Smooth(0.1, 0.25, n.FBM(x*0.018+20, y*0.018, 2))
		return hex(0xb5732c).Scale(0.95+0.2*f-0.0003*(x+y)).Lerp(hex(0xe0a650), 0.3*oil)
	})
	for i := range 46 { // noodles wave across the left half
		y := r.In(-300, 300)
		w := p.Sqrt(max(0, 345*345-y*y))
		x0, x1 := -w*r.In(0.7, 0.98), w*r.In(-0.1, 0.5)
		ph := r.Float() * tau
		var line []float32
		for k := range 7 {
			t := float32(k) / 6
			line = append(line, p.Lerp(x0, x1, t), y+16*p.Sin(ph+t*9)+40*p.Sin(t*3+float32(i%5))*(1-p.Abs(y)/340))
		}
		path := outline().Stroke(17, 17, p.Curve(line...)...)
		o.shadow(path, 1, 4, 4, 0.4)
		o.fill(path, plain([]uint32{0xf3d488, 0xe9c470, 0xf8dfa0}[i%3]))
		o.thin(path.Turn(-2, -3, 1, 0).Turn(0, 0, 1, 0), 0xfff0c4, 0.12)
	}
	eggHalf(o, 110, -150, 92, 0.4)
	eggHalf(o, 190, -10, 90, 1.2)
	nori := outline().Move(40, -370).Line(250, -320).Line(200, -170).Line(0, -230)
	o.shadow(nori, 6, 9, 8, 0.5)
	o.fill(nori, grainy(r, plain(0x1d2a20), 14, 0.35))
	for i := range 3 { // slices of meat
		q := o.moved(60+float32(i)*66, 150-float32(i)*26, 1, float32(i)*0.5)
		path := outline().Smooth(-90, 0, -70, -64, 0, -84, 74, -62, 92, 4, 66, 66, 0, 82, -70, 60)
		q.shadow(path, 4, 8, 8, 0.5)
		q.fill(path, plain(0x7a3f24))
		q.fill(path.Turn(0, 0, 0.9, 0), func(x, y float32) p.Color {
			s := n.FBM(x*0.02+float32(i)*8, y*0.02, 3)
			return hex(0xd9a27c).Lerp(hex(0xf6dcc2), p.Smooth(0.05, 0.2, p.Abs(p.Sin(p.Sqrt(x*x+y*y)*0.07+s*4))-0.55))
		})
	}
	for range 26 { // rings of leek
		a, d := r.Float()*tau, p.Sqrt(r.Float())*300
		x, y, s := p.Cos(a)*d, p.Sin(a)*d, r.In(14, 24)
		path := outline().Ring(x, y, s, s*0.55)
		o.shadow(path, 2, 3, 3, 0.4)
		o.fill(path, plain([]uint32{0x7fb045, 0xa9cf6c, 0x5f9438}[r.Int(3)]))
	}
	sticks := outline().Stroke(22, 13, 560, -330, -120, -600).Stroke(22, 13, 580, -260, -90, -560)
	o.shadow(sticks, 14, 22, 16, 0.6)
	o.fill(sticks, fade(560, -300, -100, -580, 0x9a3328, 0xc8604a))
}
