// SPDX-License-Identifier: Apache-2.0

package starter

import (
	p "github.com/reelops/reelops/internal/content/imagery/paint"
)

var sportPlay = []entry{
	{
		"Bicycle at a wall", "A red bicycle with a basket leaning at a sunny blue wall.",
		"bicycle bike cycling cycle ride sport commute summer basket wheel eco mobility fitness wall blue",
		p.Look{Grain: 2, Vignette: 0.1},
		bicycle,
	},
	{
		"Football on the pitch", "A football on the grass of a stadium under floodlights.",
		"football soccer ball pitch grass stadium goal match sport game league player floodlights night",
		p.Look{Grain: 1.8, Vignette: 0.22},
		football,
	},
	{
		"Dumbbells", "Two heavy dumbbells on the dark floor of a gym.",
		"dumbbells dumbbell weights gym fitness workout strength muscle training lifting exercise sport motivation dark",
		p.Look{Grain: 1.8, Vignette: 0.3},
		dumbbells,
	},
	{
		"Tennis court", "A tennis ball and a racket on an orange clay court, seen from above.",
		"tennis ball racket court clay sport match game padel training line player serve summer orange",
		p.Look{Grain: 2.2, Vignette: 0.12},
		tennisCourt,
	},
	{
		"Swimming lane", "Blue swimming lanes with red and white lines, seen from above.",
		"swimming swim pool lane sport training swimmer blue fitness race olympic summer exercise cardio",
		p.Look{Grain: 1.6, Vignette: 0.14},
		swimmingLane,
	},
	{
		"Basketball hoop", "A basketball flying at a hoop against an evening sky.",
		"basketball hoop ball basket court sport game goal throw shot nba training street evening",
		p.Look{Grain: 1.8, Vignette: 0.14},
		basketball,
	},
	{
		"Running track", "Numbered lanes of a red running track in long evening light.",
		"track running run lane start race athletics sprint stadium competition goal finish sport marathon red",
		p.Look{Grain: 2, Vignette: 0.16},
		runningTrack,
	},
	{
		"Chess pieces", "A white king and a black queen on a chess board in dark light.",
		"chess king queen board game strategy plan think tactics play brain decision competition pieces mindset",
		p.Look{Grain: 1.8, Vignette: 0.3},
		chess,
	},
}

func bicycle(c *p.Canvas, r *p.Rand) {
	plaster(c, r, even(0x8fc4dc, 0x74b0cc, 0x4f8cac))
	leafLight(c, r, 0.6)
	floor := c.H * 0.87
	c.Paint(outline().Rect(0, floor, c.W, c.H), func(_, y float32) (p.Color, float32) {
		return hex(0xd8c8b0).Lerp(hex(0xa8947c), p.Smooth(floor, c.H, y)), 1
	})
	o := put(c, focus(c), 0.89, 1).shaded(0x2a4a5c)
	wheel := func(x float32, q thing, col, tyre uint32) {
		rim := outline().Ring(x, -190, 190, 172)
		q.flat(rim, tyre)
		q.flat(outline().Ring(x, -190, 172, 162), 0xc8ccd0)
		spokes := outline()
		for i := range 16 {
			a := float32(i) * tau / 16
			spokes.Stroke(2.4, 2.4, x+p.Cos(a+0.5)*16, -190+p.Sin(a+0.5)*16, x+p.Cos(a)*166, -190+p.Sin(a)*166)
		}
		q.thin(spokes, 0xdfe4e8, 0.85)
		q.flat(outline().Circle(x, -190, 16), col)
	}
	frame := func() *p.Path {
		return outline().Stroke(22, 22, -50, -190, 170, -430).Stroke(22, 22, -50, -190, -110, -440).Stroke(20, 20, -110,
			-420, 160, -446).
			Stroke(16, 16, -290, -190, -110, -420).Stroke(16, 16, -290, -190, -50, -190).Stroke(20, 16, 156, -500, 290, -190)
	}
	cast := outline().Ring(-290, -190, 190, 168).Ring(290, -190, 190, 168).Add(frame())
	o.shadow(cast, 60, 16, 12, 0.55)
	o.shadow(outline().Ellipse(0, 4, 500, 14), 10, 2, 10, 0.6)
	wheel(-290, o, 0x8a9096, 0x2c2a2c)
	wheel(290, o, 0x8a9096, 0x2c2a2c)
	for _, x := range []float32{-290, 290} { // mudguards
		var arc []float32
		for i := range 21 {
			a := tau/2 + 0.2 + float32(i)/20*2.4
			arc = append(arc, x+p.Cos(a)*204, -190+p.Sin(a)*204)
		}
		o.fill(outline().Stroke(13, 13, arc...), fade(x-200, -390, x+200, -190, 0xe85040, 0xa82c24))
	}
	o.fill(frame(), fade(-200, -460, 200, -190, 0xe8503f, 0xb4302a))
	o.fill(outline().Ring(-50, -190, 54, 40), plain(0x5a5e62))
	o.flat(outline().Stroke(11, 11, -50, -190, -20, -110).Stroke(16, 16, -44, -106, 14, -106), 0x3a3c40)
	o.fill(outline().Stroke(14, 14, -116, -440, -124, -496), metal(-130, -110, 0xc0c4c8))
	o.fill(outline().Smooth(-210, -500, -180, -530, -100, -524, -40, -514, -50, -498, -120, -490, -180, -480), fade(0,
		-530, 0, -490, 0x9a6238, 0x5f3a20))
	o.fill(outline().Stroke(14, 14, p.Curve(160, -480, 146, -560, 180, -590, 130, -600, 80, -570)...), metal(80, 180,
		0xc8ccd0))
	o.fill(outline().Stroke(26, 24, 90, -576, 40, -548), plain(0x7a4a2a))
	basket := outline().Move(196, -580).Line(356, -580).Line(332, -450).Line(220, -450)
	for range 16 { // flowers in the basket
		x, y := r.In(200, 352), r.In(-660, -580)
		q := o.moved(x, y, 1, 0)
		blade(c, q.x, q.y+30*q.k, 70*q.k, 30*q.k, -tau/4+r.Bell()*0.8, hex(0x5a8a4a))
	}
	for range 15 {
		x, y := r.In(200, 356), r.In(-680, -590)
		berry(o, x, y, r.In(15, 24), []uint32{0xf6d24a, 0xffffff, 0xf29aa8}[r.Int(3)])
	}
	o.fill(basket, func(x, y float32) p.Color {
		return hex(0xc89a5c).Scale(0.85 + 0.2*p.Sin(x*0.25)*p.Sin(y*0.28) - 0.001*(x-270))
	})
	o.fill(outline().Round(190, -592, 362, -568, 12), plain(0xa87a40))
}

func football(c *p.Canvas, r *p.Rand) {
	hor := c.H * 0.62
	c.Sky(even(0x0a1230, 0x16244e, 0x2a4474, 0x1a2a4a))
	for _, x := range []float32{0.14, 0.86} {
		for i := range 8 {
			px, py := c.W*x+(float32(i%4)-1.5)*46*c.U, c.H*0.3+(float32(i/4)-0.5)*52*c.U
			c.Halo(px, py, 330*c.U, hex(0xdce8ff), 0.2)
			c.Disc(px, py, 17*c.U, 6*c.U, hex(0xffffff).Scale(1.5), 1)
		}
		c.Flat(outline().Rect(c.W*x-7*c.U, c.H*0.33, c.W*x+7*c.U, hor), hex(0x0c1428), 1)
	}
	crowd := p.Noise(r.Seed32())
	stand := c.Ridge(func(x float32) float32 { d := x/c.W - 0.5; return c.H * (0.535 - 0.12*d*d) })
	c.Fill(stand, func(x, y, d float32) (p.Color, float32) {
		g := crowd.Grain(int(x/(9*c.U+0.01)), int(y/(11*c.U+0.01)))
		out := hex(0x14203c)
		if g > 0.72 {
			out = hex([]uint32{0x5a6a94, 0x8a5a5a, 0x9a94a4}[int(g*1000)%3]).Scale(0.6)
		}
		return out.Scale(0.6 + 0.5*p.Smooth(c.H*0.1, 0, d)), 1
	})
	n := p.Noise(r.Seed32())
	c.Paint(outline().Rect(0, hor, c.W, c.H), func(x, y float32) (p.Color, float32) {
		d := (y - hor) / (c.H - hor)
		z := 1 / (0.06 + d)
		stripe := p.Smooth(-0.25, 0.25, p.Sin(z*2.4))
		g := n.FBM(x/c.U*0.03, y/c.U*0.02, 3) + 0.6*n.At(x/c.U*0.12, y/c.U*0.035)*d
		out := hex(0x2f7a3a).Lerp(hex(0x3f9448), stripe).Scale(0.72 + 0.25*d + 0.18*g)
		lx := (x - c.W/2) / c.W
		return out.Scale(1.15 - 0.7*lx*lx), 1
	})
	o := put(c, focus(c), 0.86, 1.1).shaded(0x123018)
	o.thin(outline().Move(-1200, -100).Line(1200, -100).Line(1200, -84).Line(-1200, -84), 0xf0f8f0, 0.75)
	o.shadow(outline().Ellipse(40, -6, 210, 40), 20, 4, 22, 0.85)
	rad := float32(200)
	shade := ball(0, -rad, rad, 0xf6f6f4)
	faces := footballFaces()
	o.fill(outline().Circle(0, -rad, rad), func(x, y float32) p.Color {
		dx, dy := x/rad, (y+rad)/rad
		dz := p.Sqrt(max(0, 1-dx*dx-dy*dy))
		first, second, black := float32(0), float32(0), false
		for i, v := range faces {
			k := v[0]*dx + v[1]*dy + v[2]*dz
			if k > first {
				first, second, black = k, first, i < 12
			} else if k > second {
				second = k
			}
		}
		seam := p.Smooth(0.007, 0.003, first-second)
		if black {
			return hex(0x1c1e22).Scale(0.7+0.3*(1-dx-dy)).Lerp(hex(0x3a3e44), seam)
		}
		return shade(x, y).Lerp(hex(0x7a7e82), 0.7*seam)
	})
	blades := outline()
	for range 220 {
		x := r.In(-330, 330)
		y := 4 + r.Float()*50
		leaf(blades, x, y, r.In(26, 58), 6, -tau/4+0.5*r.Bell())
	}
	o.fill(blades, fade(0, -40, 0, 50, 0x5ab04e, 0x2a6a34))
}

// footballFaces returns the directions of the 12 black and 20 white patches of a football, each divided by its distance
// from the middle, so that the largest product with a direction selects the patch in that direction. The ball is
// rotated a little.
func footballFaces() [][3]float32 {
	const g, black, white = 1.618034, 2.3274, 2.2673
	var faces [][3]float32
	add := func(dist, x, y, z float32) {
		k := 1 / (p.Sqrt(x*x+y*y+z*z) * dist) * white
		x, z = x*p.Cos(0.35)+z*p.Sin(0.35), z*p.Cos(0.35)-x*p.Sin(0.35)
		y, z = y*p.Cos(0.3)-z*p.Sin(0.3), z*p.Cos(0.3)+y*p.Sin(0.3)
		faces = append(faces, [3]float32{x * k, y * k, z * k})
	}
	signs := []float32{-1, 1}
	for _, s := range signs {
		for _, t := range signs {
			add(black, 0, s, t*g)
			add(black, s, t*g, 0)
			add(black, t*g, 0, s)
		}
	}
	for _, s := range signs {
		for _, t := range signs {
			add(white, 0, s*g, t/g)
			add(white, s*g, t/g, 0)
			add(white, t/g, 0, s*g)
			for _, u := range signs {
				add(white, s, t, u)
			}
		}
	}
	return faces
}

func dumbbells(c *p.Canvas, r *p.Rand) {
	c.Sky(even(0x15171c, 0x22262e, 0x2c323c, 0x16181d))
	c.Halo(c.W*0.3, c.H*0.3, c.W*1.0, hex(0xff8a4a), 0.16)
	lamps(c, r, p.Hexes(0xff9a5a, 0xffd0a0, 0x8ab0ff), 12, 0.35, 0.16, 0.07)
	hor := c.H * 0.72
	n := p.Noise(r.Seed32())
	c.Paint(outline().Rect(0, hor, c.W, c.H), func(x, y float32) (p.Color, float32) {
		d := (y - hor) / (c.H - hor)
		speck := p.Smooth(0.55, 0.75, n.At(x/c.U*0.16, y/c.U*0.24/(0.3+d)))
		lx := x/c.W - 0.4
		return hex(0x23262c).Scale(0.6+0.8*d*p.Exp(-3*lx*lx)).Lerp(hex(0x6a7078), 0.25*speck*d), 1
	})
	o := put(c, focus(c), 0.86, 1.05).shaded(0x050608)
	bell := func(q thing, k float32) {
		q.shadow(outline().Ellipse(0, 96, 380, 36), 14, 14, 26, 0.9)
		grip := outline().Round(-140, -26, 140, 26, 22)
		m := func(y0, y1 float32, rgb uint32) shader {
			t := metal(y0, y1, rgb)
			return func(x, y float32) p.Color { return t(y, 0).Scale(k * (0.92 + 0.1*p.Sin(x*0.5)*p.Sin(y*0.5))) }
		}
		q.fill(grip, m(-26, 26, 0xb4b8be))
		for _, s := range []float32{-1, 1} {
			for i, w := range []float32{108, 118, 100} {
				x := s * (150 + float32(i)*62)
				plate := outline().Round(x-34, -w, x+34, w, 16)
				q.shadow(plate, 8, 4, 10, 0.6)
				t := even(0x4a4e58, 0x2c3038, 0x14161a, 0x202329)
				q.fill(plate, func(px, y float32) p.Color {
					edge := p.Smooth(26, 34, p.Abs(px-x))
					return t.At((y + w) / (2 * w)).Scale(k*(1+0.35*edge*p.Smooth(0, -w, y)) + 0.05*n.At(px*0.2, y*0.2))
				})
				q.glint(outline().Stroke(7, 7, x-24, -w+14, x+24, -w+14), 0xffb080, 6, 0.22)
			}
			q.fill(outline().Round(s*306-12, -30, s*306+12, 30, 8), m(-30, 30, 0x9a9ea6))
		}
	}
	bell(o.moved(60, -150, 0.8, 0.06), 1.3)
	bell(o.moved(-30, 0, 1, -0.05), 1.8)
}

func tennisCourt(c *p.Canvas, r *p.Rand) {
	n := p.Noise(r.Seed32())
	f := c.Field(3, func(x, y float32) float32 { return n.FBM(x/c.U*0.005, y/c.U*0.005, 4) })
	c.Shade(func(x, y float32) p.Color {
		g := n.Grain(int(x/(2*c.U+0.01)), int(y/(2*c.U+0.01)))
		return hex(0xc8683c).Scale(1.02 + 0.14*f.At(x, y) + 0.09*(g-0.5) - 0.12*(y/c.H-0.4))
	})
	lines := outline().Move(c.W*0.12, -10).Line(c.W*0.12+46*c.U, -10).Line(c.W*0.12+46*c.U, c.H+10).Line(c.W*0.12, c.H+10).
		Rect(c.W*0.12, c.H*0.42, c.W+10, c.H*0.42+46*c.U)
	c.Paint(lines, func(x, y float32) (p.Color, float32) {
		return hex(0xf8f0e6), 0.9 - 0.5*p.Smooth(0.1, 0.5, n.FBM(x/c.U*0.02, y/c.U*0.02, 3))
	})
	o := put(c, focus(c), 0.74, 1).moved(60, 20, 1, 0.55).shaded(0x5a2a18)
	head := outline().Ellipse(0, -210, 220, 282).Hole(0, -210, 192, 254)
	throat := outline().Stroke(30, 26, p.Curve(-150, -10, -90, 90, -22, 180)...).Stroke(30, 26, p.Curve(150, -10, 90, 90,
		22, 180)...)
	shaft := outline().Stroke(54, 54, 0, 180, 0, 560)
	strings := outline()
	for i := range 15 {
		t := (float32(i) - 7) / 8
		w, h := 192*p.Sqrt(1-t*t), 254*p.Sqrt(1-t*t)
		strings.Stroke(4, 4, -w, -210+t*254, w, -210+t*254)
		strings.Stroke(4, 4, t*192, -210-h, t*192, -210+h)
	}
	o.shadow(outline().Add(head).Add(throat).Add(shaft), 26, 44, 18, 0.6)
	o.shadow(strings, 26, 44, 8, 0.3)
	o.flat(strings, 0xf2efe4)
	o.fill(throat, fade(-150, 0, 150, 0, 0x3f6ab0, 0x1f3f7a))
	o.fill(head, fade(-200, -480, 200, 60, 0x5a8ad4, 0x1c3a74))
	o.fill(outline().Stroke(40, 40, 0, 170, 0, 240), turned(0, 20, 0x2a4a8a))
	wrap := turned(0, 27, 0x2a2a30)
	o.fill(outline().Stroke(54, 58, 0, 250, 0, 560), func(x, y float32) p.Color {
		return wrap(x, y).Scale(0.9 + 0.35*p.Smooth(0.5, 1, p.Sin((y+x*0.7)*0.13)))
	})
	b := put(c, focus(c), 0.6, 1).moved(-250, -70, 1, 0).shaded(0x5a2a18)
	b.shadow(outline().Circle(0, 0, 92), 26, 38, 20, 0.75)
	shade := ball(0, 0, 92, 0xd2e04a)
	b.fill(outline().Circle(0, 0, 92), func(x, y float32) p.Color {
		fuzz := n.At(x*0.35, y*0.35)*0.07 + n.At(x*0.13, y*0.13)*0.05
		return shade(x, y).Scale(1 + fuzz)
	})
	b.thin(outline().Stroke(9, 9, p.Curve(-84, -34, -40, -20, -14, 20, -22, 88)...).Stroke(9, 9, p.Curve(36, -84, 40,
		-30, 66, 8, 92, 8)...), 0xfafae8, 0.9)
}

func swimmingLane(c *p.Canvas, r *p.Rand) {
	n := p.Noise(r.Seed32())
	k := c.U
	caustic := c.Field(2, func(x, y float32) float32 {
		wx := x/k + 40*n.At(x/k*0.004, y/k*0.004)
		wy := y/k + 40*n.At(x/k*0.004+30, y/k*0.004)
		v := n.Ridged(wx*0.0065, wy*0.005, 2)
		return v * v * v * v
	})
	lane := 360 * k
	shift := c.W*0.5 - lane*0.5
	wave := c.Field(4, func(x, y float32) float32 { return n.FBM(x/k*0.006+60, y/k*0.009, 2) })
	c.Shade(func(x, y float32) p.Color {
		w := wave.At(x, y)
		px, py := x+w*26*k, y+w*18*k
		out := hex(0x27a4cf).Lerp(hex(0x0d6fa8), p.Smooth(0, 1, y/c.H)*0.75)
		tx, ty := px/(60*k), py/(60*k)
		ex, ey := tx-float32(p.Floor(tx)), ty-float32(p.Floor(ty))
		out = out.Scale(1 - 0.08*p.Smooth(0.06, 0.02, min(min(ex, 1-ex), min(ey, 1-ey))))
		u := (px - shift) / lane
		d := p.Abs(u-float32(p.Floor(u))-0.5) * lane
		out = out.Lerp(hex(0x0a3468), 0.8*p.Smooth(34*k, 26*k, d))
		return out.Add(hex(0x9fe8ff).Scale(0.55 * caustic.At(x, y)))
	})
	for i := -3; i < 8; i++ {
		x := shift + float32(i)*lane
		if x < -40*k || x > c.W+40*k {
			continue
		}
		c.Shadow(outline().Rect(x-16*k, -20*k, x+16*k, c.H+20*k), 34*k, 12*k, 16*k, 0.35, p.Color{R: 0.2, G: 0.4, B: 0.55})
		for j := 0; float32(j)*34*k < c.H+40*k; j++ {
			y := float32(j)*34*k - 10*k + 6*k*n.At(float32(i)*9, float32(j)*0.2)
			xx := x + 7*k*n.At(float32(i)*5+float32(j)*0.11, 3)
			col := uint32(0xf8f4ee)
			if j/5%2 == 0 {
				col = 0xe0402f
			}
			q := thing{c: c, x: xx, y: y, k: k}
			q.fill(outline().Round(-19, -14, 19, 14, 10), turned(0, 19, col))
		}
	}
}

func basketball(c *p.Canvas, r *p.Rand) {
	c.Sky(even(0x3f3f86, 0x7a5a9c, 0xd8788a, 0xffae7c, 0xffd49a))
	c.Halo(c.W*0.2, c.H*0.85, c.W*1.1, hex(0xffe0a0), 0.4)
	o := put(c, focus(c), 0.62, 1).moved(90, 0, 1, 0).shaded(0x4a2a4a)
	o.fill(outline().Rect(200, -330, 236, 2000), turned(218, 18, 0x3a3048))
	o.fill(outline().Stroke(26, 26, 218, -60, 90, -60), plain(0x2f263c))
	board := outline().Move(-330, -520).Line(250, -560).Line(250, -120).Line(-330, -90)
	o.shadow(board, 14, 20, 20, 0.4)
	o.fill(board, fade(-330, -540, 250, -100, 0xf6ece4, 0xb8a4b4))
	o.flat(outline().Move(-330, -520).Line(250, -560).Line(250, -546).Line(-316, -507).Line(-316, -104).Line(250,
		-134).Line(250, -120).Line(-330, -90), 0xd8543c)
	square := outline().Move(-150, -380).Line(50, -394).Line(50, -380).Line(-137, -367).Line(-137, -206).Line(36,
		-216).Line(36, -379).Line(50, -380).Line(50, -203).Line(-150, -192)
	o.flat(square, 0xd8543c)
	net := outline()
	for i := range 11 {
		t := float32(i)/10*2 - 1
		x0 := -60 + t*150
		for j := range 5 {
			ya, yb := -150+float32(j)*44, -150+float32(j+1)*44
			k0, k1 := 1-0.1*float32(j), 1-0.1*float32(j+1)
			dir := float32(0.2)
			if (i+j)%2 == 0 {
				dir = -0.2
			}
			net.Stroke(5, 5, -60+(x0+60)*k0, ya, -60+(x0+60+dir*150*p.Sqrt(max(0, 1-t*t*0.6)))*k1, yb)
		}
	}
	o.shadow(net, 10, 12, 8, 0.3)
	o.thin(net, 0xfff4ea, 0.9)
	o.fill(outline().Ellipse(-60, -150, 160, 34).Hole(-60, -150, 142, 24), fade(-220, 0, 100, 0, 0xf46a3a, 0xb8381f))
	b := o.moved(-300, -700, 1, 0.4)
	rad := float32(128)
	b.shadow(outline().Circle(0, 0, rad), 20, 30, 30, 0.3)
	n := p.Noise(r.Seed32())
	shade := ball(0, 0, rad, 0xe0702c)
	b.fill(outline().Circle(0, 0, rad), func(x, y float32) p.Color {
		seam := min(min(p.Abs(x), p.Abs(y)), p.Abs(p.Sqrt((x-150)*(x-150)+y*y)-112))
		seam = min(seam, p.Abs(p.Sqrt((x+150)*(x+150)+y*y)-112))
		out := shade(x, y).Scale(1 + 0.1*n.At(x*0.3, y*0.3))
		return out.Lerp(hex(0x2a1410), 0.9*p.Smooth(5, 3, seam))
	})
	buildings(c, r, cityStyle{
		near: hex(0x2a1c3c), far: hex(0x6a4468), window: hex(0xffd08a), window2: hex(0xffb070),
		ground: 1.0, lit: 0.2,
	}, 1)
}

func runningTrack(c *p.Canvas, r *p.Rand) {
	n := p.Noise(r.Seed32())
	hor := c.H * 0.34
	sky := even(0x6a8ac8, 0xb4b4d4, 0xf6c8a4, 0xffe2b4)
	cx := c.W * focus(c)
	c.Shade(func(x, y float32) p.Color {
		if y < hor {
			return sky.At(y / hor)
		}
		d := (y - hor) / (c.H - hor)
		u := (x - cx) / c.U / (36 + 640*d) // lanes across
		g := n.Grain(int(x/(2*c.U+0.01)), int(y/(2*c.U+0.01)))
		v := n.FBM(x/c.U*0.01, y/c.U*0.02, 3)
		if p.Abs(u) > 3 {
			return hex(0x6f9a4c).Lerp(hex(0x4f7f3c), d).Scale(0.95 + 0.2*v + 0.08*(g-0.5))
		}
		out := hex(0xc8503a).Scale(0.88 + 0.18*d + 0.08*v + 0.12*(g-0.5)*d)
		k := u - float32(p.Floor(u))
		e := min(k, 1-k)
		return out.Lerp(hex(0xfbf2e8), 0.9*p.Smooth(0.034, 0.022, e))
	})
	c.Halo(cx-c.W*0.2, hor-20*c.U, c.W*0.9, hex(0xfff0c8), 0.5)
	trees := c.Ridge(func(x float32) float32 { return hor - c.H*0.02 - c.H*0.025*n.Line(x/c.U/90, 4) })
	c.Paint(outline().Rect(0, hor-c.H*0.08, c.W, hor+4*c.U), func(x, y float32) (p.Color, float32) {
		return hex(0x6a6a6c).Lerp(hex(0xd8a884), 0.5), p.Smooth(-1, 1, y-trees.Top(x))
	})
	at := func(lane, d float32) (x, y, s float32) {
		return cx + lane*c.U*(36+640*d), hor + d*(c.H-hor), (36 + 640*d) / 676
	}
	for i := -3; i < 3; i++ {
		x, y, s := at(float32(i)+0.5, 0.62)
		num := outline()
		digit(num, i+4, 0, 0, 270)
		o := thing{c: c, x: x, y: y, k: c.U * s}
		squash := outline().Add(num)
		o.thin(squash, 0xfdf6ec, 0.92)
	}
	x0, y0, _ := at(-3, 0.82)
	x1, y1, _ := at(3, 0.845)
	c.Flat(outline().Rect(x0, y0, x1, y1), hex(0xfbf4ea), 0.92)
	c.Change(func(x, y float32, was p.Color) p.Color { // long shadows of trees beside the track
		k := p.Smooth(0.1, 0.4, n.FBM((x+y*0.7)/c.U*0.004, (y-x*0.1)/c.U*0.0012+7, 2)) * p.Smooth(hor+c.H*0.1, c.H*0.6, y)
		return was.Lerp(was.Mul(hex(0x8a80a8)), 0.55*k)
	})
}

func chess(c *p.Canvas, r *p.Rand) {
	c.Sky(even(0x14100e, 0x241b16, 0x2e221a, 0x120d0a))
	c.Halo(c.W*0.25, c.H*0.35, c.W*1.0, hex(0xffb868), 0.25)
	lamps(c, r, p.Hexes(0xffb35c, 0xffd9a0), 12, 0.3, 0.16, 0.07)
	n := p.Noise(r.Seed32())
	hor := c.H * 0.74
	cx := c.W * focus(c)
	c.Paint(outline().Rect(0, hor, c.W, c.H), func(x, y float32) (p.Color, float32) {
		d := (y - hor) / (c.H - hor)
		z := 1 / (0.22 + d)
		u, v := (x-cx)/c.U*z*0.0052+0.5, z*4.4
		col := hex(0xe0bd86)
		if (p.Floor(u)+p.Floor(v))&1 == 0 {
			col = hex(0x54301c)
		}
		g := n.FBM(u*1.3, v*14, 3)
		lx := (x - cx) / c.W
		return col.Scale((0.32 + 0.75*p.Exp(-5*lx*lx)*p.Smooth(-0.1, 0.5, d)) * (1 + 0.12*g)), 1
	})
	piece := func(q thing, light, mid, dark uint32, king bool) {
		q.shadow(outline().Ellipse(40, 2, 150, 30), 30, 4, 18, 0.85)
		body := outline().Move(-120, 0).Cubic(-124, -40, -110, -56, -84, -66).Cubic(-70, -90, -62, -110, -56,
			-140).Cubic(-46, -240, -34, -330, -40, -400).
			Line(-76, -410).Line(-76, -432).Line(-46, -442).Line(-60, -460).Cubic(-86, -520, -92, -560, -96, -590)
		if king {
			body.Cubic(-60, -620, -30, -634, -14, -640).Line(-14, -668).Line(-42, -668).Line(-42, -694).Line(-14,
				-694).Line(-14, -726).Line(14, -726).Line(14, -694).
				Line(42, -694).Line(42, -668).Line(14, -668).Line(14, -640).Cubic(30, -634, 60, -620, 96, -590)
		} else {
			body.Line(-104, -640).Line(-62, -596).Line(-44, -656).Line(-14, -606).Line(0, -664).Line(14, -606).Line(44,
				-656).Line(62, -596).Line(104, -640).Line(96, -590)
		}
		body.Cubic(92, -560, 86, -520, 60, -460).Line(46, -442).Line(76, -432).Line(76, -410).Line(40, -400).Cubic(34, -330,
			46, -240, 56, -140).
			Cubic(62, -110, 70, -90, 84, -66).Cubic(110, -56, 124, -40, 120, 0).Cubic(70, 26, -70, 26, -120, 0)
		ramp := even(mid, light, mid, dark, dark, mid)
		q.fill(body, func(x, y float32) p.Color {
			half := float32(50) + 70*p.Smooth(-150, -20, y) + 46*p.Smooth(-450, -580, y)
			ring := 0.2*p.Smooth(8, 2, p.Abs(y+66)) + 0.2*p.Smooth(7, 2, p.Abs(y+441)) + 0.15*p.Smooth(6, 2, p.Abs(y+140))
			return ramp.At((x/half + 1) / 2).Scale(1 - ring + 0.05*n.FBM(x*0.03, y*0.006, 3))
		})
		q.glint(outline().Stroke(10, 8, p.Curve(-30, -160, -22, -260, -20, -380)...), 0xffe4bc, 8, 0.4)
		q.glint(outline().Stroke(10, 8, -62, -560, -44, -480), 0xffe4bc, 8, 0.35)
		if !king {
			for _, s := range [][2]float32{{-104, -648}, {-44, -664}, {44, -664}, {104, -648}} {
				q.fill(outline().Circle(s[0], s[1], 12), ball(s[0], s[1], 13, mid))
			}
			q.fill(outline().Circle(0, -680, 17), ball(0, -680, 18, mid))
		}
	}
	o := put(c, focus(c), 0.83, 1).shaded(0x0c0806)
	piece(o.moved(190, -20, 0.82, 0), 0x6a5648, 0x2c211b, 0x0c0806, false)
	piece(o.moved(-120, 60, 1.05, 0), 0xfff0d0, 0xd8b888, 0x6a4a2c, true)
	pawn := func(q thing) {
		q.shadow(outline().Ellipse(30, 2, 110, 24), 24, 4, 14, 0.8)
		body := outline().Move(-86, 0).Cubic(-90, -34, -70, -46, -56, -54).Cubic(-44, -90, -30, -130, -26, -170).Line(-48,
			-182).Line(-26, -196).Line(26, -196).Line(48, -182).
			Line(26, -170).Cubic(30, -130, 44, -90, 56, -54).Cubic(70, -46, 90, -34, 86, 0).Cubic(50, 18, -50, 18, -86, 0)
		q.fill(body, turned(0, 70, 0x2c211b))
		q.fill(outline().Circle(0, -232, 48), ball(0, -232, 50, 0x3a2c24))
	}
	pawn(o.moved(400, 70, 1, 0))
}
