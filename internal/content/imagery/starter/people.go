// SPDX-License-Identifier: Apache-2.0

package starter

import (
	p "github.com/reelops/reelops/internal/content/imagery/paint"
)

var people = []entry{
	{
		"Runner at sunrise", "The silhouette of a runner on a ridge in front of a big rising sun.",
		"runner running run jogging person silhouette sunrise fitness marathon training sport motivation energy athlete",
		p.Look{Grain: 1.8, Vignette: 0.18},
		runner,
	},
	{
		"Presenter on a stage", "A person presenting a rising chart on a bright screen to an audience.",
		"presenter presentation speaker stage talk audience chart screen conference business pitch lecture",
		p.Look{Grain: 1.8, Vignette: 0.24},
		presenter,
	},
	{
		"Friends at a table", "Friends sitting around a table under warm string lights.",
		"friends dinner people restaurant party together celebration table group evening family meal lights community",
		p.Look{Grain: 1.8, Vignette: 0.26},
		friendsAtTable,
	},
	{
		"Yoga by the sea", "A person sitting cross-legged by the sea in front of the evening sun.",
		"yoga meditation person silhouette sea sunset calm breathe mindfulness balance retreat wellness zen pose peace",
		p.Look{Grain: 1.8, Vignette: 0.18},
		yogaBySea,
	},
	{
		"Reading in an armchair", "A person reading a book in an armchair under a floor lamp.",
		"reading book reader person armchair lamp cosy home evening story study relax novel learning quiet",
		p.Look{Grain: 2, Vignette: 0.26},
		readingChair,
	},
	{
		"Couple under an umbrella", "Two people under a red umbrella in a rainy street full of lights.",
		"couple people umbrella rain street love romantic relationship walk night city together lights autumn",
		p.Look{Grain: 1.8, Vignette: 0.26},
		underUmbrella,
	},
	{
		"Working late", "A person from behind at a desk with a glowing monitor at night.",
		"person work working desk computer monitor night programmer coding focus gaming screen hustle",
		p.Look{Grain: 1.8, Vignette: 0.28},
		workingLate,
	},
	{
		"On the summit", "A hiker with raised arms on a rock above a sea of clouds.",
		"hiker summit success person mountain top achievement goal hiking freedom win victory adventure clouds motivation",
		p.Look{Grain: 1.8, Vignette: 0.14},
		onSummit,
	},
	{
		"Parent and child", "A parent and a child walking hand in hand into the evening sun.",
		"family parent child kid mother father walk together love parenting path sunset children baby care",
		p.Look{Grain: 1.8, Vignette: 0.18},
		parentAndChild,
	},
	{
		"Team at a window", "Four colleagues talking in front of a big window over the city.",
		"team people meeting colleagues office business group work company conversation window interview leadership",
		p.Look{Grain: 1.8, Vignette: 0.16},
		teamAtWindow,
	},
	{
		"Concert crowd", "A crowd with raised hands in front of a stage in purple light.",
		"crowd concert people party music festival dance hands stage audience club event celebration fans purple",
		p.Look{Grain: 1.6, Vignette: 0.2},
		concertCrowd,
	},
}

// pose is a figure of about 640 units seen from the side or from behind, its feet near the origin. All are pairs
// of x and y.
type pose struct {
	head, neck, hip        [2]float32
	kneeA, footA           [2]float32 // the far leg
	kneeB, footB           [2]float32 // the near leg
	shoulderA, elbowA, hnA [2]float32 // the far arm
	shoulderB, elbowB, hnB [2]float32 // the near arm
	toes                   float32    // length and direction of the feet
}

// leg returns the outline of a leg with its shoe.
func leg(hip, knee, foot [2]float32, toes float32) *p.Path {
	path := outline().Stroke(70, 50, hip[0], hip[1], knee[0], knee[1]).Stroke(50, 30, knee[0], knee[1], foot[0], foot[1])
	if toes != 0 {
		path.Stroke(30, 22, foot[0], foot[1]+4, foot[0]+toes, foot[1]+10)
	}
	return path
}

// arm returns the outline of an arm with its hand.
func arm(a, b, h [2]float32) *p.Path {
	return outline().Stroke(48, 36, a[0], a[1], b[0], b[1]).Stroke(36, 26, b[0], b[1], h[0], h[1]).Circle(h[0], h[1], 17)
}

// torso returns the outline of the trunk and the neck.
func torso(s pose) *p.Path {
	return outline().Stroke(104, 80, s.neck[0], s.neck[1]+44, s.hip[0], s.hip[1]).Stroke(40, 40, s.neck[0], s.neck[1]+30,
		s.head[0], s.head[1]+20)
}

// figure returns the whole outline of a pose.
func figure(s pose) *p.Path {
	return outline().Add(leg(s.hip, s.kneeA, s.footA, s.toes)).Add(leg(s.hip, s.kneeB, s.footB, s.toes)).Add(torso(s)).
		Add(arm(s.shoulderA, s.elbowA, s.hnA)).Add(arm(s.shoulderB, s.elbowB, s.hnB)).Ellipse(s.head[0], s.head[1], 46, 54)
}

// upright returns a person seen from the front or from behind with the feet at x, y, the height h and hanging arms.
func upright(x, y, h float32) *p.Path {
	path := outline().Ellipse(0, -594, 38, 46).Stroke(34, 40, 0, -560, 0, -516).Add(coat()).
		Stroke(62, 30, -34, -320, -38, -10).Stroke(62, 30, 34, -320, 38, -10).Stroke(28, 24, -38, -6, -54, 0).Stroke(28, 24,
		38, -6, 54, 0)
	return path.Turn(x, y, h/640, 0)
}

// coat returns the trunk and the arms of an upright person.
func coat() *p.Path {
	return outline().Smooth(-26, -534, -72, -514, -84, -470, -66, -390, -66, -300, 66, -300, 66, -390, 84, -470, 72,
		-514, 26, -534).
		Stroke(40, 26, p.Curve(-74, -490, -92, -400, -84, -300)...).Stroke(40, 26, p.Curve(74, -490, 92, -400, 84, -300)...).
		Circle(-84, -292, 14).Circle(84, -292, 14)
}

func runner(c *p.Canvas, r *p.Rand) {
	c.Sky(even(0x3a3a74, 0x8a5a8c, 0xe8836c, 0xffb870, 0xffdc98))
	o := put(c, focus(c), 0.8, 1.08)
	c.Halo(o.x+60*o.k, o.y-310*o.k, 1000*o.k, hex(0xfff0c0), 0.6)
	c.Disc(o.x+60*o.k, o.y-310*o.k, 310*o.k, 10*c.U, hex(0xfff2cc), 0.9)
	far := p.Noise(r.Seed32())
	for i := range 3 {
		t := float32(i)
		line := c.Ridge(func(x float32) float32 { return c.H*(0.74+0.035*t) - c.H*0.04*far.Line(x/c.U/420+t*9, 4) })
		col := hex([]uint32{0xd9826a, 0xa85a64, 0x6f3f5a}[i])
		c.Fill(line, func(_, _, d float32) (p.Color, float32) {
			return col.Lerp(hex(0xffc890), 0.3*p.Smooth(0, c.H*0.1, d)), 1
		})
	}
	ground := c.Ridge(func(x float32) float32 { return o.y + 6*o.k + 24*c.U*far.Line(x/c.U/500+40, 3) })
	c.Fill(ground, func(_, _, d float32) (p.Color, float32) {
		return hex(0x3a2038).Lerp(hex(0x160c1c), p.Smooth(0, c.H*0.15, d)).Lerp(hex(0xffb070), 0.6*p.Smooth(5*c.U, 0, d)), 1
	})
	grass := outline()
	for range 120 {
		x := r.Float() * c.W
		leaf(grass, x, ground.Top(x)+3*c.U, r.In(14, 46)*c.U, 5*c.U, -tau/4+0.5*r.Bell())
	}
	c.Flat(grass, hex(0x2a1630), 1)
	s := pose{
		head: [2]float32{92, -582}, neck: [2]float32{62, -520}, hip: [2]float32{0, -320},
		kneeA: [2]float32{-50, -176}, footA: [2]float32{-206, -150}, kneeB: [2]float32{128, -232}, footB: [2]float32{96, -64},
		shoulderA: [2]float32{56, -490}, elbowA: [2]float32{140, -410}, hnA: [2]float32{212, -480},
		shoulderB: [2]float32{50, -486}, elbowB: [2]float32{-66, -416}, hnB: [2]float32{-20, -320},
	}
	path := figure(s)
	path.Stroke(32, 26, -206, -150, -226, -108).Stroke(32, 26, 96, -62, 156, -62) // shoes
	path.Smooth(60, -600, 50, -626, 20, -610, -10, -580, 26, -586, 50, -572)      // hair in the wind
	o = o.moved(0, -26, 1, 0)
	o.flat(path.Turn(4, -4, 1, 0), 0xffc27a)
	o.fill(path, fade(0, -640, 0, 0, 0x3a1c34, 0x1c0e1e))
	for range 22 {
		c.Glow(o.x-r.In(60, 330)*o.k, o.y+r.In(-40, 30)*o.k, r.In(20, 60)*o.k, hex(0xffc888), 0.1)
	}
}

// heads adds a row of an audience seen from behind: heads and shoulders along the height y, about size units each.
func heads(o thing, r *p.Rand, y, size, span float32, rgb uint32) {
	row := outline()
	for x := -span; x < span; x += size * r.In(2.3, 2.9) {
		s := size * r.In(0.9, 1.1)
		dy := y + r.Bell()*size*0.2
		row.Ellipse(x, dy, s*0.62, s*0.76)
		row.Smooth(x-s*1.2, dy+s*3, x-s*1.12, dy+s*1.2, x-s*0.5, dy+s*0.78, x+s*0.5, dy+s*0.78, x+s*1.12, dy+s*1.2, x+s*1.2,
			dy+s*3)
		row.Rect(x-s*0.26, dy+s*0.4, x+s*0.26, dy+s)
	}
	o.fill(row, fade(0, y-size, 0, y+size*3, rgb, 0x05060c))
}

func presenter(c *p.Canvas, r *p.Rand) {
	c.Sky(even(0x0c1022, 0x161c3a, 0x202a52, 0x0e1226))
	o := put(c, 0.5, 0.645, 1).shaded(0x0a0c1c)
	w := min(c.W/c.U*0.44, 640)
	screen := outline().Round(-w, -430, w, 130, 12)
	c.Halo(o.x, o.y-150*o.k, 1000*c.U, hex(0x6aa0ff), 0.45)
	o.shadow(screen, 0, 10, 30, 0.6)
	o.fill(screen, fade(-w, -430, w, 130, 0xdfe8fa, 0xb4c6ea))
	for i, h := range []float32{90, 130, 120, 190, 250, 330} {
		x := -w*0.8 + float32(i)*w*0.24
		o.fill(outline().Round(x, 70-h, x+w*0.15, 70, 8), fade(x, 70-h, x, 70, []uint32{
			0x7aa8f0, 0x7aa8f0, 0x7aa8f0,
			0x5a8cf0, 0x4a7cf0, 0xff8a5c,
		}[i], 0xa8c4f4))
	}
	o.flat(outline().Round(-w*0.8, -380, -w*0.2, -350, 10), 0x3a4a7a)
	o.flat(outline().Round(-w*0.8, -326, -w*0.4, -308, 8), 0xa8b8dc)
	floor := c.H * 0.78
	c.Paint(outline().Rect(0, floor, c.W, c.H), func(x, y float32) (p.Color, float32) {
		d := (x - c.W/2) / c.W
		return hex(0x1a2348).Add(hex(0x7aa4ff).Scale(0.32 * p.Exp(-7*d*d) * p.Smooth(c.H*0.9, floor, y))), 1
	})
	q := put(c, 0.5, 0.8, 0.92).moved(w*0.82, 0, 1, 0)
	s := pose{
		head: [2]float32{0, -586}, neck: [2]float32{2, -528}, hip: [2]float32{0, -318},
		kneeA: [2]float32{-30, -160}, footA: [2]float32{-42, -6}, kneeB: [2]float32{34, -160}, footB: [2]float32{40, -6},
		shoulderA: [2]float32{-44, -486}, elbowA: [2]float32{-142, -470}, hnA: [2]float32{-224, -548},
		shoulderB: [2]float32{46, -482}, elbowB: [2]float32{96, -390}, hnB: [2]float32{40, -346}, toes: -40,
	}
	body := figure(s)
	q.shadow(outline().Ellipse(0, 8, 110, 14), 0, 4, 14, 0.8)
	q.flat(body.Turn(-4, -3, 1, 0), 0xbcd2ff)
	q.fill(leg(s.hip, s.kneeA, s.footA, s.toes).Add(leg(s.hip, s.kneeB, s.footB, s.toes)), plain(0x141a34))
	q.fill(torso(s).Add(arm(s.shoulderA, s.elbowA, s.hnA)), fade(-70, 0, 70, 0, 0x4a5a94, 0x1e2850))
	q.fill(outline().Ellipse(s.head[0], s.head[1], 44, 52).Circle(s.hnA[0], s.hnA[1], 18), fade(-50, 0, 40, 0, 0xc49078,
		0x5a3c3c))
	q.fill(outline().Smooth(-44, -596, -34, -640, 6, -650, 44, -630, 52, -580, 40, -546, 24, -560, 14, -606, -20, -610),
		plain(0x1a1220))
	q.fill(arm(s.shoulderB, s.elbowB, s.hnB), fade(40, 0, 100, 0, 0x34427a, 0x1a2248))
	heads(put(c, 0.5, 0.9, 1), r, -30, 62, c.W/c.U*0.6, 0x1c2444)
	heads(put(c, 0.48, 0.97, 1), r, -20, 84, c.W/c.U*0.6, 0x0e1226)
}

// guest is one of the friends at a table: the visible part of a person above it, with the origin at the table's edge.
type guest struct {
	x, size, lean float32
	hair          func(head *p.Path) // adds hair around a head whose middle is the origin
	glass         [2]float32         // position of the hand with the glass
}

func bun(head *p.Path) {
	head.Circle(6, -72, 25).Smooth(-50, 4, -46, -46, 0, -64, 46, -46, 50, 4, 0, -20)
}

func bob(head *p.Path) {
	head.Smooth(-60, 50, -64, -20, -34, -66, 34, -66, 64, -20, 60, 50, 40, 66, -40, 66)
}
func crop(head *p.Path) { head.Smooth(-48, 0, -50, -44, -16, -70, 34, -64, 52, -30, 48, 0, 0, -24) }
func curls(head *p.Path) {
	head.Circle(-36, -30, 30).Circle(0, -52, 34).Circle(38, -30, 30).Circle(-50, 4, 22).Circle(50, 4, 22)
}

// path returns the outline of a guest.
func (g guest) path() *p.Path {
	head := outline().Ellipse(0, 0, 45, 55)
	g.hair(head)
	tilt := g.lean * 0.5
	body := outline().Move(-150, 40).Cubic(-154, -120, -128, -176, -40, -192).Line(40, -192).
		Cubic(128, -176, 154, -120, 150, 40)
	path := outline().Add(body).Stroke(44, 52, g.lean*70, -262, 0, -176).Add(head.Turn(g.lean*90, -292, 1, tilt))
	return path.Turn(g.x, 0, g.size, 0)
}

func friendsAtTable(c *p.Canvas, r *p.Rand) {
	c.Sky(even(0x1f1b40, 0x4a2c58, 0x96465a, 0xe08454, 0xffc878, 0xffdc9a))
	o := put(c, 0.5, 0.8, fit(c, 900)).shaded(0x1a0c14)
	c.Halo(o.x, o.y-250*o.k, 980*c.U, hex(0xffd890), 0.5)
	lamps(c, r, p.Hexes(0xffb45c, 0xffd89a, 0xff8a6a), 26, 0.52, 0.12, 0.16)
	for _, s := range [][3]float32{{0.06, 0.13, 0.07}, {0.17, 0.02, 0.06}} { // two strings of lamps
		at := func(t float32) (x, y float32) { return c.W * t, c.H * (s[0] + s[1]*t + s[2]*4*t*(1-t)) }
		var wire []float32
		for i := range 29 {
			x, y := at(float32(i) / 28)
			wire = append(wire, x, y)
		}
		c.Flat(outline().Stroke(3*c.U, 3*c.U, wire...), hex(0x2a1830), 0.8)
		for i := range 11 {
			x, y := at((float32(i) + 0.5) / 11)
			c.Glow(x, y+16*c.U, 120*c.U, hex(0xffb45c), 0.42)
			c.Disc(x, y+16*c.U, 15*c.U, 4*c.U, hex(0xffeabc).Scale(1.4), 1)
		}
	}
	guests := []guest{
		{-392, 0.86, 0.16, bob, [2]float32{-264, -336}},
		{-136, 0.92, 0.1, crop, [2]float32{-34, -352}},
		{136, 0.88, -0.12, bun, [2]float32{34, -350}},
		{392, 0.9, -0.18, curls, [2]float32{266, -332}},
	}
	for i, g := range guests {
		path := g.path()
		side, hand := p.Clamp(g.glass[0]-g.x, -1, 1), g.glass
		shoulder := g.x + 80*side
		elbow := (shoulder+hand[0])/2 + 22*side
		path.Stroke(58, 44, shoulder, -140, elbow, -150).Stroke(44, 30, elbow, -150, hand[0], hand[1]+34).
			Circle(hand[0], hand[1]+30, 19)
		o.flat(path.Turn(0, -5, 1, 0), 0xffd492)
		cloth := []uint32{0x5a2c44, 0x46264a, 0x56293c, 0x4a2844}[i]
		o.fill(path, fade(0, -380, 0, 30, cloth, 0x22101f))
	}
	for i, g := range guests {
		wineGlass(o.moved(g.glass[0], g.glass[1], 1, []float32{0.1, 0.2, -0.2, -0.1}[i]))
	}
	tableWithDishes(c, r, o)
}

// wineGlass paints a glass held by its stem at the origin, backlit.
func wineGlass(o thing) {
	bowl := outline().Move(-27, -74).Line(27, -74).Cubic(30, -30, 14, -12, 4, -8).Line(4, 34).Line(-4, 34).Line(-4, -8).
		Cubic(-14, -12, -30, -30, -27, -74)
	wine := outline().Move(-27, -50).Line(27, -50).Cubic(26, -26, 12, -14, 0, -12).Cubic(-12, -14, -26, -26, -27, -50)
	o.thin(bowl, 0xfff0d2, 0.55)
	o.thin(wine, 0xd83a54, 0.95)
	o.thin(outline().Stroke(4, 3, -20, -68, -19, -42), 0xffffff, 0.85)
}

// tableWithDishes paints the near edge of a table across the canvas, and the dishes on it.
func tableWithDishes(c *p.Canvas, r *p.Rand, o thing) {
	n := p.Noise(r.Seed32())
	c.Paint(outline().Rect(0, o.y-6*o.k, c.W, c.H), func(x, y float32) (p.Color, float32) {
		d := (y - o.y) / (c.H - o.y)
		col := hex(0xa65f3a).Lerp(hex(0x2c1418), p.Smooth(-0.05, 0.75, d))
		return col.Scale(1 + 0.16*n.FBM(x/c.U*0.003, y/c.U*0.045, 4)).Add(hex(0xffc070).Scale(0.5 * p.Exp(-d*16))), 1
	})
	for i, x := range []float32{-420, -150, 150, 420} {
		q := o.moved(x, 66, 1, 0)
		plate(q, 104, 30, 0xf2e4d0)
		for k := range 7 {
			a := float32(k) * tau / 7
			berry(q, p.Cos(a)*46, p.Sin(a)*11-10, 15, []uint32{0xe0a03c, 0x8ab04a, 0xd2573c, 0xe8c05a, 0x6f9a48}[(k+i)%5])
		}
	}
	for _, x := range []float32{-285, 285} { // candles
		q := o.moved(x, 40, 1, 0)
		q.shadow(outline().Ellipse(0, 4, 30, 9), 8, 4, 10, 0.6)
		q.fill(outline().Round(-19, -58, 19, 6, 8), fade(0, -58, 0, 6, 0xffe9c0, 0xd0905c))
		q.c.Glow(q.x, q.y-84*q.k, 150*q.k, hex(0xffb050), 0.5)
		q.fill(outline().Move(0, -108).Cubic(15, -82, 11, -64, 0, -62).Cubic(-11, -64, -15, -82, 0, -108), plain(0xfff2c4))
	}
}

func yogaBySea(c *p.Canvas, r *p.Rand) {
	line := c.H * 0.66
	sky := even(0x4a5a94, 0x9a7aa8, 0xf0a08c, 0xffcf9a, 0xffe6b8)
	c.Shade(func(_, y float32) p.Color { return sky.At(y / line) })
	o := put(c, focus(c), 0.83, 1.1)
	sx := o.x
	c.Halo(sx, line-150*c.U, 900*c.U, hex(0xfff2c8), 0.7)
	c.Disc(sx, line-150*c.U, 230*c.U, 8*c.U, hex(0xfff6dc), 1)
	n := p.Noise(r.Seed32())
	sea := even(0xd9a48c, 0x8a7a9c, 0x3f4a78)
	c.Paint(outline().Rect(0, line, c.W, c.H), func(x, y float32) (p.Color, float32) {
		d := (y - line) / (c.H - line)
		w := n.FBM(x/c.U*0.006/(0.15+d), y/c.U*0.09/(0.15+d), 3)
		col := sea.At(d + 0.25*w)
		k := p.Exp(-(x-sx)*(x-sx)/(c.U*c.U*42000*(1+4*d))) * p.Smooth(-0.1, 0.35, w+0.1)
		return col.Lerp(hex(0xfff0c8), 0.85*k), 1
	})
	rock := outline().Smooth(-520, 60, -430, 0, -180, -18, 120, -14, 400, 4, 520, 70, 700, 260, -700, 260)
	rock.Rect(-1600, 150, 1600, 900)
	o.fill(rock, func(x, y float32) p.Color {
		return hex(0x4a3448).Lerp(hex(0x1c1428), p.Smooth(-10, 170, y)).Scale(1 + 0.3*n.FBM(x*0.006, y*0.02, 4))
	})
	legs := outline().Smooth(-236, -40, -190, -96, -60, -104, 60, -104, 190, -96, 236, -40, 190, -8, 60, -2, 0, -18, -60,
		-2, -190, -8)
	trunk := outline().Smooth(-74, -80, -66, -190, -104, -300, -92, -346, -34, -366, 34, -366, 92, -346, 104, -300, 66,
		-190, 74, -80)
	arms := outline().Stroke(50, 36, p.Curve(-88, -324, -140, -220, -176, -104)...).Stroke(50, 36, p.Curve(88, -324, 140,
		-220, 176, -104)...)
	all := outline().Add(legs).Add(trunk).Add(arms).Stroke(42, 50, 0, -410, 0, -350).Ellipse(0, -440, 47, 58).Ellipse(4,
		-508, 26, 24)
	o.flat(all.Turn(0, -5, 1.012, 0), 0xffe0a8)
	o.fill(all, fade(0, -500, 0, 0, 0x4a2a44, 0x21152c))
}

func readingChair(c *p.Canvas, r *p.Rand) {
	plaster(c, r, even(0x5a4a5c, 0x443a4e, 0x2a2436))
	counter(c, r, 0.86, 1.3, 0x5a3a2c)
	o := put(c, focus(c), 0.9, 1.05).shaded(0x1e1624)
	lx, ly := float32(250), float32(-760)
	c.Halo(o.x+lx*o.k, o.y+ly*o.k, 1000*c.U, hex(0xffb868), 0.5)
	o.fill(outline().Ellipse(lx+40, -4, 96, 16), plain(0x1c1a20))
	o.flat(outline().Stroke(12, 12, p.Curve(lx+40, -6, lx+44, -600, lx+30, -860, lx-4, -840)...), 0x2a2428)
	lamp := outline().Move(lx-70, ly-90).Line(lx+70, ly-90).Line(lx+124, ly+60).Line(lx-124, ly+60)
	o.fill(lamp, func(x, y float32) p.Color {
		return hex(0xffdca0).Scale(1.5 - 0.00003*(x-lx)*(x-lx) - 0.002*p.Abs(y-ly))
	})
	n := p.Noise(r.Seed32())
	velvet := func(rgb uint32, cx, cy float32) shader {
		col := hex(rgb)
		return func(x, y float32) p.Color {
			d := p.Sqrt((x-lx)*(x-lx)+(y-ly)*(y-ly)) / 700
			return col.Scale((1.35 - 0.85*p.Clamp(d, 0, 1.2)) * (1 + 0.08*n.FBM(x*0.02+cx, y*0.02+cy, 3)))
		}
	}
	o.shadow(outline().Ellipse(0, 0, 400, 34), 10, 4, 28, 0.8)
	o.fill(outline().Rect(-270, -60, -244, 6).Rect(224, -60, 250, 6), plain(0x2a1a12))
	back := outline().Smooth(90, -90, 150, -300, 170, -560, 230, -620, 300, -590, 320, -480, 310, -200, 280, -60, 150, -50)
	o.fill(back, velvet(0x2f7a74, 0, 0))
	seat := outline().Round(-290, -210, 290, -50, 40)
	o.fill(seat, velvet(0x2c706c, 9, 3))
	// The reader sits sideways, the book on the knees.
	trousers, shirt, tone := uint32(0x4a5a8a), uint32(0xe0a24c), uint32(0xc48a68)
	farLeg := outline().Stroke(104, 80, 60, -250, -200, -262).Stroke(76, 48, -200, -262, -230, -20).Stroke(44, 30, -230,
		-16, -300, -6)
	o.fill(farLeg, velvet(0x38466e, 1, 1))
	trunk := outline().Stroke(130, 120, 110, -490, 90, -260)
	o.shadow(trunk, 12, 4, 16, 0.4)
	o.fill(trunk, velvet(shirt, 4, 2))
	nearLeg := outline().Stroke(112, 84, 80, -240, -190, -300).Stroke(80, 52, -190, -300, -150, -50).Stroke(46, 30, -150,
		-40, -226, -28)
	o.shadow(nearLeg, 6, 8, 14, 0.4)
	o.fill(nearLeg, velvet(trousers, 2, 8))
	o.fill(outline().Stroke(46, 30, -150, -34, -226, -24).Stroke(44, 30, -230, -10, -300, -2), velvet(0xe8dcd0, 5, 5))
	o.fill(outline().Stroke(50, 56, 96, -580, 104, -520), velvet(tone, 0, 0))
	o.fill(outline().Ellipse(84, -628, 62, 74), velvet(tone, 3, 3))
	o.fill(outline().Smooth(44, -668, 60, -710, 120, -716, 160, -670, 162, -600, 150, -520, 112, -540, 104, -640, 80,
		-664), velvet(0x3a241c, 3, 3))
	book := outline().Move(-210, -470).Line(-70, -430).Line(-60, -330).Line(-200, -366)
	o.shadow(book, 4, 8, 10, 0.5)
	o.fill(book, velvet(0xb8433a, 2, 2))
	o.fill(outline().Move(-200, -474).Line(-64, -436).Line(-60, -424).Line(-196, -460), velvet(0xfff6e4, 2, 2))
	forearm := outline().Stroke(62, 48, 100, -470, 40, -370).Stroke(46, 34, 40, -370, -80, -386).Circle(-84, -388, 24)
	o.shadow(forearm, 4, 8, 10, 0.4)
	o.fill(forearm, velvet(0xeab05c, 6, 2))
	o.fill(outline().Circle(-88, -388, 23), velvet(tone, 6, 2))
	rest := outline().Smooth(60, -60, 40, -190, 70, -250, 250, -262, 306, -220, 314, -60)
	o.shadow(rest, -4, -4, 14, 0.4)
	o.fill(rest, velvet(0x38908a, 1, 5))
	plant(o.moved(-440, -30, 1, 0), r, 0.7)
}

func underUmbrella(c *p.Canvas, r *p.Rand) {
	c.Sky(even(0x0e1630, 0x1c2a4c, 0x35405e, 0x1c2236))
	lamps(c, r, p.Hexes(0xffb35c, 0xff7d6a, 0x7fb4ff, 0xffe0a8), 44, 0.5, 0.13, 0.2)
	ground := c.H * 0.78
	n := p.Noise(r.Seed32())
	c.Reflect(int(ground), func(x, y float32) (float32, float32) {
		d := y - ground
		return x + n.FBM(x/c.U*0.01, y/c.U*0.06, 2)*30*c.U*(0.3+d/c.H*4), ground - d*1.6
	}, func(_ float32, up p.Color) p.Color { return up.Scale(0.62).Add(hex(0x0c1220)) })
	o := put(c, focus(c), 0.89, 1.15*fit(c, 1080)).shaded(0x0a0e1c)
	o.shadow(outline().Ellipse(0, 6, 190, 20), 0, 4, 16, 0.8)
	walker := func(x, h float32, coatOf, hair uint32, skirt bool) {
		q := o.moved(x, 0, h/640, 0)
		body := upright(0, 0, 640)
		q.flat(body.Turn(3, -4, 1, 0), 0xffc890)
		q.fill(body, plain(0x10121e))
		jacket := coat()
		if skirt {
			jacket.Smooth(-50, -420, -60, -340, -104, -170, 104, -170, 60, -340, 50, -420)
		} else {
			jacket.Smooth(-64, -420, -70, -220, 70, -220, 64, -420)
		}
		q.fill(jacket, fade(-90, -500, 110, -200, coatOf, 0x1c1e30))
		q.fill(outline().Ellipse(0, -596, 40, 47), plain(hair))
		if skirt {
			q.fill(outline().Smooth(-42, -604, 42, -604, 50, -490, 0, -474, -50, -490), plain(hair))
		}
	}
	walker(-74, 660, 0x4a5680, 0x1c1410, false)
	walker(78, 610, 0xc88a5c, 0x3a2018, true)
	pole := outline().Stroke(10, 10, 0, -700, 0, -380)
	o.flat(pole, 0x20222c)
	top := outline().Move(-310, -640).Cubic(-290, -820, -130, -900, 0, -900).Cubic(130, -900, 290, -820, 310, -640).
		Quad(258, -672, 206, -640).Quad(154, -672, 103, -640).Quad(50, -672, 0, -640).Quad(-50, -672, -103, -640).Quad(-154,
		-672, -206, -640).Quad(-258, -672, -310, -640)
	o.shadow(top, 0, 26, 22, 0.6)
	o.fill(top, func(x, y float32) p.Color {
		t := (x + 310) / 620 * 6
		f := t - float32(p.Floor(t))
		return hex(0xd8343c).Scale(0.72 + 0.3*p.Smooth(1, 0, f) + 0.3*p.Smooth(-680, -890, y) - 0.0004*x)
	})
	o.fill(outline().Stroke(8, 4, 0, -900, 0, -930), plain(0x20222c))
	o.glint(outline().Stroke(8, 6, p.Curve(-280, -710, -190, -830, -40, -886)...), 0xffd0c0, 8, 0.4)
	rain := outline()
	for range 150 {
		x, y, l := r.Float()*c.W, r.Float()*c.H, r.In(30, 90)*c.U
		rain.Stroke(1.6*c.U, 1.6*c.U, x, y, x-l*0.12, y+l)
	}
	c.Flat(rain, hex(0xd8e6ff), 0.22)
}

func workingLate(c *p.Canvas, r *p.Rand) {
	plaster(c, r, even(0x1c2440, 0x141a32, 0x0c1022))
	o := put(c, focus(c), 0.82, 1.12).shaded(0x060814)
	c.Halo(o.x, o.y-420*o.k, 1000*c.U, hex(0x5a8cff), 0.5)
	counter(c, r, 0.74, 0.765, 0x3a2c34)
	c.Paint(outline().Rect(0, c.H*0.765, c.W, c.H), func(_, y float32) (p.Color, float32) {
		return hex(0x0a0c18).Lerp(hex(0x141628), p.Smooth(c.H, c.H*0.76, y)), 1
	})
	screen := outline().Round(-400, -640, 400, -190, 18)
	o.fill(outline().Round(-60, -200, 60, -130, 6), plain(0x14161e))
	o.fill(screen, plain(0x0c0e16))
	pane := outline().Round(-382, -622, 382, -208, 8)
	o.fill(pane, fade(-382, -622, 382, -208, 0x22335c, 0x1a2748))
	o.flat(outline().Rect(-382, -622, -290, -208), 0x16203c)
	cols := []uint32{0x7fd0ff, 0xffb86c, 0x9dff9a, 0xff8ac0, 0xc8d4f0}
	for row := range 13 {
		x := float32(-256 + 40*(row%4%3))
		for k := 0; k < 4 && x < 320; k++ {
			w := r.In(40, 150)
			o.flat(outline().Round(x, -594+float32(row)*28, min(x+w, 350), -582+float32(row)*28, 6), cols[r.Int(len(cols))])
			x += w + 18
		}
	}
	mug(o.moved(330, -116, 0.42, 0), 110, 200, 0x6a7aa8, 0x241410)
	// The person, from behind, on a chair.
	body := outline().Smooth(-230, 320, -250, 40, -220, -90, -150, -160, -60, -190, 60, -190, 150, -160, 220, -90, 250,
		40, 230, 320)
	head := outline().Ellipse(0, -290, 92, 108)
	neck := outline().Stroke(84, 96, 0, -220, 0, -160)
	arms := outline().Stroke(90, 60, p.Curve(-200, -60, -290, 40, -250, -40, -190, -110)...).Stroke(90, 60, p.Curve(200,
		-60, 290, 40, 250, -40, 190, -110)...)
	all := outline().Add(body).Add(head).Add(neck).Add(arms)
	o.shadow(all, 0, -10, 40, 0.5)
	o.flat(all.Turn(0, -6, 1, 0), 0x8ab4ff)
	o.fill(body, fade(0, -190, 0, 200, 0x2c3a66, 0x10142a))
	o.fill(arms, fade(0, -160, 0, 80, 0x34447a, 0x141a34))
	o.fill(neck, plain(0x5a4048))
	o.fill(head, fade(0, -400, 0, -190, 0x2a1e2a, 0x150f1a))
	band := outline().Stroke(22, 22, p.Curve(-98, -290, -86, -380, 0, -418, 86, -380, 98, -290)...)
	o.fill(band, fade(-90, -400, 90, -300, 0x5a6484, 0x3a425e))
	o.fill(outline().Ellipse(-100, -276, 30, 48).Ellipse(100, -276, 30, 48), fade(0, -320, 0, -230, 0x5a6484, 0x242a40))
	chair := outline().Smooth(-170, 60, -190, 20, -120, -10, 120, -10, 190, 20, 170, 60, 190, 420, -190, 420)
	o.shadow(chair, 0, -8, 16, 0.5)
	o.fill(chair, fade(0, -10, 0, 300, 0x2a2e44, 0x0c0e1a))
}

func onSummit(c *p.Canvas, r *p.Rand) {
	c.Sky(even(0x3f6fb4, 0x7fa8d8, 0xc8d6e8, 0xffe2c0, 0xffd0a0))
	o := put(c, focus(c), 0.72, 0.82)
	c.Halo(o.x-130*o.k, o.y-260*o.k, 1100*c.U, hex(0xfff2d0), 0.6)
	cloudSea(c, r, 0.62, hex(0xfff4e6), hex(0xc8b8cc), hex(0xffdcb8))
	n := p.Noise(r.Seed32())
	q := put(c, focus(c), 0.72, 1)
	rock := outline().Move(-70, 0).Line(30, -8).Line(84, 10).Line(120, 70).Line(190, 110).Line(230, 220).Line(340,
		330).Line(420, 520).Line(640, 800).
		Line(-700, 800).Line(-480, 560).Line(-390, 390).Line(-280, 300).Line(-220, 170).Line(-130, 110)
	q.fill(rock, func(x, y float32) p.Color {
		f := n.Ridged(x*0.007+y*0.002, y*0.005, 4)
		k := p.Smooth(120, -160, x-0.1*y)
		return hex(0x2f2c40).Lerp(hex(0x8a7a80), k*0.7).Scale(0.6+0.75*f).Lerp(hex(0xe8d4c8), 0.45*p.Smooth(300, 820, y))
	})
	s := pose{
		head: [2]float32{0, -588}, neck: [2]float32{0, -530}, hip: [2]float32{0, -316},
		kneeA: [2]float32{-44, -160}, footA: [2]float32{-62, -6}, kneeB: [2]float32{46, -164}, footB: [2]float32{66, -10},
		shoulderA: [2]float32{-48, -494}, elbowA: [2]float32{-134, -590}, hnA: [2]float32{-190, -716},
		shoulderB: [2]float32{48, -494}, elbowB: [2]float32{134, -590}, hnB: [2]float32{196, -712},
	}
	path := figure(s)
	o.flat(path.Turn(-5, -3, 1, 0), 0xffe0b0)
	o.fill(path, fade(0, -640, 0, 0, 0x3a3a5c, 0x22202e))
	o.fill(outline().Round(-66, -520, 66, -330, 40), fade(-66, 0, 66, 0, 0xe06a3c, 0x8a3424)) // the rucksack
	o.flat(outline().Round(-40, -440, 40, -360, 18), 0x9a3a26)
	o.fill(outline().Smooth(-50, -596, -46, -640, 0, -660, 46, -640, 50, -596, 0, -610), plain(0xc8402e))
}

func parentAndChild(c *p.Canvas, r *p.Rand) {
	c.Sky(even(0x6a6aa8, 0xc88aa0, 0xffb48a, 0xffd8a0, 0xffe8bc))
	o := put(c, focus(c), 0.83, 1.05)
	c.Halo(o.x+40*c.U, o.y-330*c.U, 1000*c.U, hex(0xfff2c8), 0.75)
	c.Disc(o.x+40*c.U, o.y-330*c.U, 190*c.U, 16*c.U, hex(0xfff8e0), 1)
	hills(c, r, 0.72, even(0xd98a74, 0xa8606a, 0x6a3f58))
	n := p.Noise(r.Seed32())
	field := c.Ridge(func(x float32) float32 { return c.H*0.79 + 10*c.U*n.Line(x/c.U/300, 2) })
	c.Fill(field, func(x, y, d float32) (p.Color, float32) {
		way := p.Abs(x-o.x) / c.U / (60 + 0.55*d/c.U)
		grass := hex(0x7a4a3c).Lerp(hex(0x2a1624), p.Smooth(0, c.H*0.2, d)).Scale(1 + 0.3*n.FBM(x/c.U*0.03, y/c.U*0.02, 3))
		return grass.Lerp(hex(0xf0b484).Scale(1-0.5*p.Smooth(0, c.H*0.2, d)), 0.85*p.Smooth(1.25, 0.9,
			way+0.1*n.At(x/c.U*0.02, y/c.U*0.02))), 1
	})
	path := upright(-90, 0, 620).Add(upright(110, 10, 380))
	path.Stroke(38, 26, p.Curve(-10, -440, 34, -330, 48, -246)...).Stroke(28, 22, p.Curve(72, -270, 62, -250, 50, -240)...)
	cast := outline().Move(-150, 0).Line(-40, 0).Line(-90, 300).Line(-240, 300).Move(70, 10).Line(160, 10).Line(190,
		230).Line(80, 230)
	o.shaded(0x5a3040).shadow(cast, 0, 10, 22, 0.6)
	o.flat(path.Turn(3, -5, 1, 0), 0xffdca8)
	o.fill(path, fade(0, -640, 0, 0, 0x4a2a40, 0x241528))
	o.fill(outline().Ellipse(110, -352, 34, 20).Circle(146, -344, 16), plain(0x3a2034))
	for range 60 {
		stalks := outline()
		stalk(stalks, r, c, r.Float()*c.W, c.H*r.In(0.03, 0.1))
		c.Flat(stalks, hex(0x1c0f1c), 1)
	}
}

func teamAtWindow(c *p.Canvas, r *p.Rand) {
	floor := c.H * 0.86
	skyline(c, r, cityStyle{
		sky: even(0x9fc0e4, 0xcfdcec, 0xf6e6d0, 0xffd8b0), near: hex(0x8a94ac), far: hex(0xd0d4de), window: hex(0xfff0cc),
		window2: hex(0xd8e4f4), ground: 0.87, glow: hex(0xf6e2cc), lit: 0.3,
	})
	c.Change(func(x, y float32, was p.Color) p.Color { return was.Lerp(hex(0xfdf0e0), 0.35) })
	c.Paint(outline().Rect(0, floor, c.W, c.H), func(x, y float32) (p.Color, float32) {
		d := (y - floor) / (c.H - floor)
		return hex(0xe8d8c4).Lerp(hex(0x8a7a74), p.Smooth(0, 1, d)), 1
	})
	bars := outline().Rect(0, floor-16*c.U, c.W, floor).Rect(0, c.H*0.3, c.W, c.H*0.3+12*c.U)
	for i := range 5 {
		x := c.W * float32(i) * 0.25
		bars.Rect(x-9*c.U, 0, x+9*c.U, floor)
	}
	c.Flat(bars, hex(0x3a4050), 1)
	o := put(c, focus(c), 0.91, 1).shaded(0x5a5058)
	person := func(x, y, h float32, top, low, hair, tone uint32, long bool) {
		q := o.moved(x, y, h/640, 0)
		q.shadow(outline().Smooth(-70, 0, 70, 0, 160, 170, -40, 170), 0, 4, 14, 0.5)
		q.fill(upright(0, 0, 640), fade(-60, 0, 60, 0, low, 0x14161e))
		q.fill(outline().Circle(-84, -290, 14).Circle(84, -290, 14), plain(tone))
		q.fill(coat(), fade(-90, -520, 110, -280, top, 0x3a3844))
		seam := outline().Stroke(3, 3, p.Curve(-56, -470, -62, -390, -58, -304)...).Stroke(3, 3, p.Curve(56, -470, 62, -390,
			58, -304)...)
		q.thin(seam, 0x14141e, 0.35)
		q.fill(outline().Stroke(34, 40, 0, -560, 0, -522), plain(tone))
		q.fill(outline().Ellipse(0, -594, 38, 46), fade(-40, -620, 40, -560, tone, 0x6a4438))
		if long {
			q.fill(outline().Smooth(-42, -606, -34, -644, 0, -652, 34, -644, 42, -606, 50, -510, 0, -498, -50, -510),
				plain(hair))
		} else {
			q.fill(outline().Smooth(-41, -594, -40, -622, -24, -644, 0, -650, 24, -644, 40, -622, 41, -594, 30, -566, -30, -566), plain(hair))
		}
	}
	person(-350, -10, 620, 0x4a6a9c, 0x2a3044, 0x241812, 0xb87a5c, false)
	person(-110, 24, 590, 0xd08468, 0x3a3040, 0x5a3420, 0xd8a284, true)
	person(130, 6, 630, 0x6a8a78, 0x24304a, 0x141010, 0x7a4c38, false)
	person(360, 30, 580, 0xe0c088, 0x38303a, 0x2a1c18, 0xc08a68, true)
}

func concertCrowd(c *p.Canvas, r *p.Rand) {
	c.Sky(even(0x0a0618, 0x1e0e40, 0x48187a, 0x8a2a9c, 0x3a1050))
	o := put(c, 0.5, 0.7, 1)
	beams := func(x, a, w float32, rgb uint32, k float32) {
		beam := outline().Move(x-10, -620).Line(x+10, -620).Line(x+a+w, 320).Line(x+a-w, 320)
		path := o.place(beam)
		f := c.Soft(path, 4, 18*c.U)
		col := hex(rgb).Scale(k)
		top, foot := o.y-620*o.k, o.y+320*o.k
		c.Change(func(px, py float32, was p.Color) p.Color {
			v := f.At(px, py)
			if v < 0.004 || py < top-20*c.U {
				return was
			}
			return was.Add(col.Scale(v * p.Smooth(foot, top, py)))
		})
	}
	half := c.W / c.U * 0.45
	for i := range 6 {
		x := -half + float32(i)*half*0.4
		beams(x, r.In(-260, 260), r.In(60, 130), []uint32{0xff5ac8, 0x6a8cff, 0xc06aff}[i%3], 0.5)
		c.Star(o.x+x*o.k, o.y-620*o.k, 18*c.U, hex(0xffffff), 1.6)
	}
	c.Halo(o.x, o.y+120*c.U, 900*c.U, hex(0xff9ae0), 0.6)
	for row := range 4 {
		t := float32(row) / 3
		q := put(c, 0.5, 0.8+0.055*float32(row), 1)
		size := p.Lerp(34, 78, t)
		col := p.Mix(hex(0x7a2a8c), hex(0x08040f), p.Sqrt(t))
		line := outline()
		for x := -c.W / c.U * 0.55; x < c.W/c.U*0.55; x += size * r.In(2.0, 2.9) {
			y := r.Bell() * size * 0.4
			s := size * r.In(0.9, 1.12)
			line.Ellipse(x, y, s*0.6, s*0.74)
			line.Smooth(x-s*1.2, y+s*5, x-s*1.1, y+s*1.25, x-s*0.45, y+s*0.75, x+s*0.45, y+s*0.75, x+s*1.1, y+s*1.25, x+s*1.2,
				y+s*5)
			if r.Float() < 0.62 {
				for _, side := range []float32{-1, 1} {
					if r.Float() < 0.25 {
						continue
					}
					ex, hy := x+side*s*r.In(1.1, 1.5), y-s*r.In(1.6, 2.8)
					hx := ex - side*s*r.In(-0.3, 0.5)
					line.Stroke(s*0.5, s*0.36, x+side*s*0.9, y+s*1.4, ex, y-s*0.2).Stroke(s*0.36, s*0.24, ex, y-s*0.2, hx, hy)
					for f := range 4 {
						a := -tau/4 + (float32(f)-1.5)*0.3
						line.Stroke(s*0.11, s*0.09, hx, hy, hx+p.Cos(a)*s*0.42, hy+p.Sin(a)*s*0.42)
					}
				}
			}
		}
		q.fill(line, func(_, y float32) p.Color { return col.Scale(1.15 - 0.3*p.Smooth(-size*2, size*3, y)) })
	}
	c.Paint(outline().Rect(0, c.H*0.97, c.W, c.H), func(_, _ float32) (p.Color, float32) { return hex(0x08040f), 1 })
}
