// SPDX-License-Identifier: Apache-2.0

package starter

import (
	p "github.com/reelops/reelops/internal/content/imagery/paint"
)

var botanical = []entry{
	{
		"Palm shadow on a wall", "The soft shadow of palm leaves on a sunlit cream wall.",
		"botanical palm shadow leaves wall cream beige summer minimal sunlight wellness calm soft shade",
		p.Look{Grain: 2.6, Vignette: 0.08},
		func(c *p.Canvas, r *p.Rand) {
			palmShadow(c, r, even(0xfbf1e2, 0xf3e2ca, 0xe8d0b2), p.Color{R: 0.5, G: 0.42, B: 0.38})
		},
	},
	{
		"Dark jungle leaves", "Big dark green jungle leaves overlapping in deep shade.",
		"botanical jungle leaves green dark tropical nature plants moody fresh forest luxury garden",
		p.Look{Grain: 1.6, Vignette: 0.3},
		jungle,
	},
	{
		"Eucalyptus frame", "Sage green eucalyptus branches framing an open cream page.",
		"botanical eucalyptus leaves sage green cream frame wedding minimal spring wellness plants clean paper",
		p.Look{Grain: 2.2, Vignette: 0.04},
		eucalyptus,
	},
	{
		"Meadow at sunset", "Wild grasses and flowers standing against a glowing evening sun.",
		"botanical meadow grass wildflowers flowers sunset golden summer evening nature calm field romantic",
		p.Look{Grain: 1.7, Vignette: 0.2},
		meadow,
	},
	{
		"Cherry blossom", "Pink cherry blossom branches against a pale spring sky, petals drifting.",
		"botanical cherry blossom flowers pink spring sky japan soft love petals romantic nature branch",
		p.Look{Grain: 1.5, Vignette: 0.05},
		blossom,
	},
	{
		"Autumn leaves", "Golden and rust red autumn leaves lying on a warm dark ground.",
		"botanical autumn leaves orange red golden warm cosy nature forest season brown foliage fall",
		p.Look{Grain: 2, Vignette: 0.2},
		autumn,
	},
}

// leaf adds a pointed leaf from its foot at x, y.
func leaf(path *p.Path, x, y, long, wide, angle float32) {
	one := (&p.Path{}).Move(0, 0).Cubic(0.25, -0.75*wide/long, 0.65, -0.6*wide/long, 1, 0).
		Cubic(0.65, 0.6*wide/long, 0.25, 0.75*wide/long, 0, 0)
	path.Add(one.Turn(x, y, long, angle))
}

// blade paints one leaf with two halves, a rib and side veins.
func blade(c *p.Canvas, x, y, long, wide, angle float32, col p.Color) {
	path := &p.Path{}
	leaf(path, x, y, long, wide, angle)
	ca, sa := p.Cos(angle), p.Sin(angle)
	light, rib := p.Shift(col, 0.07, 1.05, 6), p.Shift(col, 0.16, 0.8, 8)
	c.Paint(path, func(px, py float32) (p.Color, float32) {
		u, v := ((px-x)*ca+(py-y)*sa)/long, (-(px-x)*sa+(py-y)*ca)/long
		out := col
		if v < 0 {
			out = light
		}
		side := p.Sin((u*14-p.Abs(v)*16)*tau/2) * 0.05
		out = out.Scale(0.86 + 0.3*u + side)
		k := p.Clamp(1.4*c.U*(1.2-u)-p.Abs(v)*long+0.5, 0, 1)
		return out.Lerp(rib, 0.75*k), 1
	})
}

// frond adds a palm leaf: a bent stem with narrow leaves on both sides.
func frond(path *p.Path, r *p.Rand, x, y, long, angle, bend float32) {
	const leaves = 26
	px, py := x, y
	for i := range leaves {
		t := float32(i+1) / leaves
		a := angle + bend*t
		nx, ny := px+p.Cos(a)*long/leaves, py+p.Sin(a)*long/leaves
		w := long * 0.008 * (1.2 - t)
		path.Move(px-p.Sin(a)*w, py+p.Cos(a)*w).Line(nx-p.Sin(a)*w, ny+p.Cos(a)*w).Line(nx+p.Sin(a)*w, ny-p.Cos(a)*w).Line(px+p.Sin(a)*w, py-p.Cos(a)*w)
		px, py = nx, ny
		size := long * 0.5 * p.Sin(tau/2*(0.12+0.82*t)) * r.In(0.85, 1.05)
		spread := p.Lerp(1.15, 0.4, t)
		leaf(path, px, py, size, size*0.1, a+spread+0.08*r.Bell())
		leaf(path, px, py, size, size*0.1, a-spread+0.08*r.Bell())
	}
}

func palmShadow(c *p.Canvas, r *p.Rand, wall *p.Ramp, tint p.Color) {
	n := p.Noise(r.Seed32())
	c.Shade(func(x, y float32) p.Color {
		return wall.At(0.25 + 0.4*y/c.H + 0.35*(1-x/c.W)).Scale(1 + 0.02*n.FBM(x/c.U*0.03, y/c.U*0.03, 3))
	})
	near, far := &p.Path{}, &p.Path{}
	frond(near, r, c.W*1.1, -c.H*0.02, c.W*0.95, 2.3, 0.5)
	frond(near, r, c.W*1.15, c.H*0.2, c.W*0.9, 2.75, 0.4)
	frond(near, r, c.W*0.6, -c.H*0.09, c.W*0.8, 1.75, 0.5)
	frond(far, r, c.W*1.15, c.H*0.62, c.W*0.9, 3.1, -0.6)
	frond(far, r, -c.W*0.12, c.H*1.05, c.W*0.95, -0.95, 0.5)
	c.Shadow(far, 0, 0, 26*c.U, 0.5, tint)
	c.Shadow(near, 0, 0, 11*c.U, 0.75, tint)
}

func jungle(c *p.Canvas, r *p.Rand) {
	c.Sky(even(0x04120e, 0x07201a, 0x030c0a))
	cols := p.Hexes(0x0d3b2a, 0x14523a, 0x0b3330, 0x1d6644, 0x0f4638)
	tint := p.Color{R: 0.2, G: 0.25, B: 0.25}
	for i := range 34 {
		t := float32(i) / 34
		// Leaves grow in from the edges; the middle stays dark and open.
		a := r.Float() * tau
		d := p.Lerp(0.35, 0.62, r.Float())
		x, y := c.W*(0.5+p.Cos(a)*d*1.25), c.H*(0.48+p.Sin(a)*d)
		aim := a + tau/2 + r.Bell()*0.9
		long := r.In(300, 560) * c.U * p.Lerp(0.75, 1.1, t)
		wide := long * r.In(0.3, 0.55)
		path := &p.Path{}
		leaf(path, x, y, long, wide, aim)
		c.Shadow(path, 8*c.U, 22*c.U, 26*c.U, 0.7, tint)
		blade(c, x, y, long, wide, aim, cols[r.Int(len(cols))].Scale(p.Lerp(0.35, 1.25, t)))
	}
	c.Glow(c.W*0.2, c.H*0.05, c.W*0.9, hex(0xb8e08a), 0.12)
}

func eucalyptus(c *p.Canvas, r *p.Rand) {
	c.Sky(even(0xfaf5ea, 0xf5eee0))
	cols := p.Hexes(0x8fa88f, 0xa9bca0, 0x7b9884, 0xb8c8b0, 0x6b8a78)
	tint := p.Color{R: 0.6, G: 0.58, B: 0.52}
	branch := func(x, y, angle, bend, long float32) {
		const pairs = 11
		px, py := x, y
		stem := &p.Path{}
		type spot struct{ x, y, a, s float32 }
		var spots []spot
		for i := range pairs {
			t := float32(i) / pairs
			a := angle + bend*t
			nx, ny := px+p.Cos(a)*long/pairs, py+p.Sin(a)*long/pairs
			w := 3.2 * c.U * (1.1 - t)
			stem.Move(px-p.Sin(a)*w, py+p.Cos(a)*w).Line(nx-p.Sin(a)*w, ny+p.Cos(a)*w).Line(nx+p.Sin(a)*w, ny-p.Cos(a)*w).Line(px+p.Sin(a)*w, py-p.Cos(a)*w)
			px, py = nx, ny
			s := 150 * c.U * p.Lerp(1.05, 0.55, t) * r.In(0.85, 1.15)
			spots = append(spots, spot{px, py, a + 0.95 + 0.15*r.Bell(), s}, spot{px, py, a - 0.95 + 0.15*r.Bell(), s})
		}
		all := (&p.Path{}).Add(stem)
		for _, s := range spots {
			leaf(all, s.x, s.y, s.s, s.s*0.62, s.a)
		}
		c.Shadow(all, 9*c.U, 14*c.U, 16*c.U, 0.45, tint)
		c.Flat(stem, hex(0x7d7a5e), 1)
		for _, s := range spots {
			blade(c, s.x, s.y, s.s, s.s*0.62, s.a, cols[r.Int(len(cols))])
		}
	}
	branch(-30*c.U, c.H*0.2, -0.55, 0.35, c.W*0.72)
	branch(-20*c.U, c.H*0.06, 0.75, 0.5, c.W*0.42)
	branch(c.W*0.16, -30*c.U, 0.25, -0.1, c.W*0.6)
	branch(c.W+30*c.U, c.H*0.8, 2.6, 0.35, c.W*0.72)
	branch(c.W+20*c.U, c.H*0.94, 3.9, 0.5, c.W*0.42)
	branch(c.W*0.84, c.H+30*c.U, 3.4, -0.1, c.W*0.6)
}

func meadow(c *p.Canvas, r *p.Rand) {
	c.Sky(even(0x7a6aa0, 0xe59a86, 0xffc47c, 0xffdf9e, 0xd98a4a))
	c.Halo(c.W*0.62, c.H*0.52, c.W*1.1, hex(0xfff0bc), 0.8)
	c.Disc(c.W*0.62, c.H*0.52, c.W*0.1, 14*c.U, hex(0xfffae4).Scale(1.3), 1)
	for range 26 {
		rad := r.In(14, 60) * c.U
		c.Bokeh(r.Float()*c.W, c.H*r.In(0.5, 0.95), rad, rad*0.3, 0.3, hex(0xffd488), r.In(0.06, 0.22))
	}
	hills(c, r, 0.76, even(0xb06a48, 0x6b3c34, 0x2e1a20))
	for layer := range 3 {
		t := float32(layer) / 2
		path := &p.Path{}
		for range 70 - 14*layer {
			stalk(path, r, c, r.In(-0.02, 1.02)*c.W, c.H*r.In(0.16, 0.34)*p.Lerp(0.7, 1.1, t))
		}
		c.Flat(path, p.Mix(hex(0x7a4436), hex(0x160d16), t), 1)
	}
}

// stalk adds a stem of grass, an ear or a flower on the lower edge.
func stalk(path *p.Path, r *p.Rand, c *p.Canvas, x, h float32) {
	lean, w := r.Bell()*0.22*h, 2.2*c.U
	tx, ty := x+lean, c.H-h
	path.Move(x-w, c.H+5).Quad(x-w, c.H-h*0.6, tx, ty).Quad(x+w, c.H-h*0.6, x+w, c.H+5)
	switch r.Int(4) {
	case 0: // an ear of grass
		for i := range 9 {
			t := float32(i) / 9
			ex, ey := p.Lerp(tx, x+lean*0.72, t), ty+h*0.2*t
			leaf(path, ex, ey, 26*c.U, 9*c.U, -1.1+0.3*r.Bell())
			leaf(path, ex, ey, 26*c.U, 9*c.U, -2.0+0.3*r.Bell())
		}
	case 1: // a daisy
		s := r.In(20, 34) * c.U
		for i := range 11 {
			leaf(path, tx, ty, s, s*0.36, float32(i)*tau/11)
		}
	case 2: // an umbel
		for i := range 9 {
			a := -tau/4 + (float32(i)-4)*0.26
			s := 52 * c.U
			ex, ey := tx+p.Cos(a)*s, ty+p.Sin(a)*s
			path.Move(tx-1.2*c.U, ty).Line(ex, ey).Line(tx+1.2*c.U, ty)
			path.Circle(ex, ey, 6.5*c.U)
		}
	default:
		leaf(path, x+lean*0.2, c.H-h*0.35, h*0.4, 13*c.U, -1.0+0.4*r.Bell())
		leaf(path, x+lean*0.2, c.H-h*0.3, h*0.4, 13*c.U, -2.1+0.4*r.Bell())
	}
}

func blossom(c *p.Canvas, r *p.Rand) {
	c.Sky(even(0xb9d9ee, 0xdbe9f2, 0xfbeef0, 0xfde3e6))
	for range 34 {
		rad := r.In(20, 95) * c.U
		x, y := r.Float()*c.W, c.H*r.Float()
		c.Disc(x, y, rad, rad*0.7, hex(0xffc9d6), r.In(0.1, 0.3)*p.Smooth(0.2, 0.6, p.Abs(y/c.H-0.5)+0.15))
	}
	bark := hex(0x5a3a3c)
	petals := p.Hexes(0xffd7e1, 0xfbb9cb, 0xfff0f3, 0xf59cb6)
	flower := func(x, y, s float32) {
		turn := r.Float() * tau
		for i := range 5 {
			path := &p.Path{}
			a := turn + float32(i)*tau/5
			leaf(path, x, y, s, s*1.05, a)
			col := petals[r.Int(3)]
			c.Paint(path, func(px, py float32) (p.Color, float32) {
				d := p.Sqrt((px-x)*(px-x)+(py-y)*(py-y)) / s
				return petals[3].Lerp(col, p.Smooth(0.05, 0.5, d)), 0.97
			})
		}
		c.Disc(x, y, s*0.14, 2*c.U, hex(0xd0506e), 1)
		for i := range 6 {
			a := turn + 0.5 + float32(i)*tau/6
			c.Disc(x+p.Cos(a)*s*0.32, y+p.Sin(a)*s*0.32, s*0.045, 1.5*c.U, hex(0xf2c14e), 1)
		}
	}
	branch := func(x, y, angle, long, thick float32) {
		const parts = 12
		type spot struct{ x, y float32 }
		var at []spot
		for i := range parts {
			t := float32(i) / parts
			angle += 0.16 * r.Bell()
			nx, ny := x+p.Cos(angle)*long/parts, y+p.Sin(angle)*long/parts
			w, v := thick*(1-t)+1.5*c.U, thick*(1-t-1.0/parts)+1.5*c.U
			sx, sy := -p.Sin(angle), p.Cos(angle)
			c.Flat((&p.Path{}).Move(x+sx*w, y+sy*w).Line(nx+sx*v, ny+sy*v).Line(nx-sx*v, ny-sy*v).Line(x-sx*w, y-sy*w), bark, 1)
			c.Disc(nx, ny, v, 1, bark, 1)
			x, y = nx, ny
			if i > 1 {
				at = append(at, spot{x, y})
			}
		}
		for _, s := range at {
			for range 1 + r.Int(3) {
				flower(s.x+r.Bell()*46*c.U, s.y+r.Bell()*46*c.U, r.In(34, 62)*c.U)
			}
		}
	}
	branch(-20*c.U, c.H*0.06, 0.18, c.W*1.02, 15*c.U)
	branch(c.W*0.2, c.H*0.09, 0.72, c.W*0.5, 8*c.U)
	branch(c.W+20*c.U, c.H*0.9, 3.5, c.W*0.8, 13*c.U)
	for range 30 {
		path := &p.Path{}
		leaf(path, r.Float()*c.W, r.Float()*c.H, r.In(18, 34)*c.U, r.In(12, 22)*c.U, r.Float()*tau)
		c.Flat(path, petals[r.Int(4)], 0.85)
	}
}

func autumn(c *p.Canvas, r *p.Rand) {
	n := p.Noise(r.Seed32())
	ground := even(0x2a1711, 0x3d2217, 0x24130f)
	c.Shade(func(x, y float32) p.Color {
		return ground.At(0.5 + 0.5*n.FBM(x/c.W*1.5, y/c.W*1.5, 3)).Scale(1 + 0.1*n.At(x/c.U*0.008, y/c.U*0.15))
	})
	cols := p.Hexes(0xd9822b, 0xb8452a, 0xe8b04a, 0x8f2f22, 0xc9642a, 0x9a6a2a)
	tint := p.Color{R: 0.15, G: 0.12, B: 0.12}
	for i := range 70 {
		x, y := r.In(-0.05, 1.05)*c.W, r.In(-0.02, 1.02)*c.H
		dx, dy := (x/c.W-0.5)/0.42, (y/c.H-0.46)/0.3
		if dx*dx+dy*dy < 1 && i > 2 { // an open area in the middle
			continue
		}
		long := r.In(120, 250) * c.U
		a := r.Float() * tau
		path := &p.Path{}
		leaf(path, x, y, long, long*0.55, a)
		c.Shadow(path, 5*c.U, 12*c.U, 12*c.U, 0.75, tint)
		blade(c, x, y, long, long*0.55, a, cols[r.Int(len(cols))])
	}
}
