// SPDX-License-Identifier: Apache-2.0

package starter

import (
	p "github.com/reelops/reelops/internal/content/imagery/paint"
)

var cozyInteriors = []entry{
	{
		"Window light and a plant", "Late sun through a window falling on a plain wall beside a potted plant.",
		"interior window light plant wall home cosy calm warm morning minimal room beige sunlight houseplant",
		p.Look{Grain: 2.4, Vignette: 0.15},
		func(c *p.Canvas, r *p.Rand) { windowWall(c, r, even(0xd9b694, 0xc79b78, 0xa97c5e), hex(0xffe2b0)) },
	},
	{
		"Lamp in a green corner", "A warm lamp glowing beside books in a dark green room.",
		"interior lamp books green dark evening cosy home reading room warm night calm",
		p.Look{Grain: 2, Vignette: 0.3},
		lampCorner,
	},
	{
		"Bookshelf", "Shelves of colourful old books in warm evening light.",
		"interior books shelf library reading study education cosy home warm brown knowledge story",
		p.Look{Grain: 2.2, Vignette: 0.3},
		bookshelf,
	},
	{
		"Rainy window and candle", "A candle on the sill of a rainy window, city lights outside.",
		"interior window rain candle night cosy home bokeh blue warm calm autumn raindrops candlelight",
		p.Look{Grain: 1.8, Vignette: 0.25},
		rainyWindow,
	},
	{
		"Coffee from above", "A cup of coffee on a linen table with leaf shadows, seen from above.",
		"coffee cup table morning breakfast cosy linen beige calm workspace warm latte drink cappuccino",
		p.Look{Grain: 2.4, Vignette: 0.1},
		coffeeTable,
	},
	{
		"Vases in an arch", "Plain ceramic vases standing in a soft plaster niche.",
		"interior vases arch ceramic niche home minimal calm cream terracotta design decor cosy wellness",
		p.Look{Grain: 2.4, Vignette: 0.1},
		niche,
	},
}

func windowWall(c *p.Canvas, r *p.Rand, wall *p.Ramp, sun p.Color) {
	n := p.Noise(r.Seed32())
	c.Shade(func(x, y float32) p.Color {
		return wall.At(0.3*x/c.W + 0.7*y/c.H).Scale(0.62 * (1 + 0.03*n.FBM(x/c.U*0.02, y/c.U*0.02, 3)))
	})
	light := &p.Path{}
	for j := range 3 { // panes, slanted as the sun throws them
		for i := range 2 {
			x0, y0 := c.W*(0.2+0.33*float32(i)), c.H*(0.1+0.165*float32(j))
			x1, y1 := x0+c.W*0.29, y0+c.H*0.145
			sl := c.H * 0.085
			light.Move(x0, y0+sl).Line(x1, y0).Line(x1, y1).Line(x0, y1+sl)
		}
	}
	cast := c.Soft(light, 4, 13*c.U)
	leaves := &p.Path{}
	frond(leaves, r, c.W*1.0, c.H*0.04, c.W*0.62, 2.5, 0.5)
	frond(leaves, r, c.W*1.05, c.H*0.3, c.W*0.6, 2.9, 0.3)
	shadow := c.Soft(leaves, 4, 12*c.U)
	c.Change(func(x, y float32, was p.Color) p.Color {
		return was.Add(was.Mul(sun).Scale(1.25 * cast.At(x, y) * (1 - 0.7*shadow.At(x, y))))
	})
	table := c.H * 0.83
	c.Paint((&p.Path{}).Rect(0, table, c.W, c.H), func(x, y float32) (p.Color, float32) {
		g := 0.06 * n.FBM(x/c.U*0.004, y/c.U*0.08, 3)
		return hex(0x7a4c30).Scale(0.75 + g + 0.35*p.Smooth(table+c.H*0.02, table, y)), 1
	})
	pot(c, r, c.W*0.79, table+c.H*0.045, c.U)
}

// pot paints a plant on the table at x, y.
func pot(c *p.Canvas, r *p.Rand, x, y, u float32) {
	for range 17 {
		a := -tau/4 + r.Bell()*0.95
		blade(c, x+r.Bell()*16*u, y-170*u, r.In(170, 330)*u, r.In(60, 92)*u, a, p.Shift(hex(0x3f6a48), 0.07*r.Bell(), 1, 10*r.Bell()))
	}
	body := (&p.Path{}).Move(x-92*u, y-205*u).Line(x+92*u, y-205*u).Cubic(x+88*u, y-90*u, x+70*u, y-10*u, x+56*u, y).Line(x-56*u, y).Cubic(x-70*u, y-10*u, x-88*u, y-90*u, x-92*u, y-205*u)
	shape(c, body, x, 92*u, hex(0xe3c9ad))
}

// shape paints a turned body (vase, cup, pot) lit from the left.
func shape(c *p.Canvas, body *p.Path, cx, half float32, col p.Color) {
	dark := p.Shift(col, -0.26, 1.15, -6)
	c.Paint(body, func(x, _ float32) (p.Color, float32) {
		t := (x - cx) / half
		k := p.Smooth(-1.25, 0.1, t) * p.Smooth(1.6, -0.45, t)
		return dark.Lerp(col, p.Clamp(k*1.5, 0, 1)), 1
	})
}

func lampCorner(c *p.Canvas, r *p.Rand) {
	n := p.Noise(r.Seed32())
	table, lx, ly := c.H*0.82, c.W*0.7, c.H*0.56
	wall := even(0x12231f, 0x1a322b, 0x0f1f1b)
	glow := c.Field(6, func(x, y float32) float32 { // the lamp's cones of light, up and down the wall
		dx, dy := (x-lx)/c.W, (y-ly)/c.W
		return p.Smooth(0.75, 0.15, p.Abs(dx)/(p.Abs(dy)+0.16)) / (1 + 9*(dx*dx+dy*dy))
	})
	warm, ember := hex(0xffc37a), hex(0x0c0a06)
	c.Shade(func(x, y float32) p.Color {
		col := wall.At(y / c.H)
		// Wall panels: thin light and dark lines.
		f := x/(c.W*0.22) - float32(p.Floor(x/(c.W*0.22)))
		e := (f - 0.5) * c.W * 0.22
		col = col.Scale(1 - 0.35*p.Smooth(3*c.U, 1*c.U, p.Abs(e)) + 0.25*p.Smooth(3*c.U, 1*c.U, p.Abs(e-5*c.U)))
		dx, dy := (x-lx)/c.W, (y-ly)/c.W
		return col.Add(col.Add(ember).Mul(warm).Scale(8 * glow.At(x, y))).Add(warm.Scale(0.08 / (1 + 14*(dx*dx+dy*dy))))
	})
	c.Paint((&p.Path{}).Rect(0, table, c.W, c.H), func(x, y float32) (p.Color, float32) {
		d := (x - lx) / c.W
		g := 1 + 0.2*n.FBM(x/c.U*0.004, y/c.U*0.09, 3)
		k := 0.16 + 1.1*p.Exp(-d*d*7)*p.Smooth(table+c.H*0.16, table, y)
		return hex(0x8a5230).Scale(k * g), 1
	})
	c.Paint((&p.Path{}).Round(lx-11*c.U, ly+70*c.U, lx+11*c.U, table, 5*c.U), func(x, _ float32) (p.Color, float32) {
		return hex(0xc89a4a).Scale(0.45 + 0.4*p.Smooth(lx+9*c.U, lx-6*c.U, x)), 1
	})
	c.Flat((&p.Path{}).Ellipse(lx, table+4*c.U, 84*c.U, 17*c.U), hex(0x7a5a26), 1)
	shade := (&p.Path{}).Move(lx-92*c.U, ly-105*c.U).Line(lx+92*c.U, ly-105*c.U).Line(lx+152*c.U, ly+95*c.U).Line(lx-152*c.U, ly+95*c.U)
	c.Paint(shade, func(x, y float32) (p.Color, float32) {
		d, e := (x-lx)/(150*c.U), (y-ly)/(110*c.U)
		return hex(0xffd79a).Scale(1.25 - 0.55*d*d - 0.25*e*e), 1
	})
	c.Halo(lx, ly, c.W*0.55, hex(0xffb765), 0.28)
	y := table
	for _, col := range p.Hexes(0x7a2f2a, 0xc9a15a, 0x2f5a66, 0xd8cbb0) {
		w, h := r.In(250, 310)*c.U, r.In(38, 54)*c.U
		x := c.W*0.27 + r.Bell()*14*c.U
		c.Paint((&p.Path{}).Round(x-w/2, y-h, x+w/2, y, 6*c.U), func(px, py float32) (p.Color, float32) {
			return col.Scale(0.22 + 0.5*p.Smooth(x-w, x+w, px) + 0.1*p.Smooth(y, y-h, py)), 1
		})
		y -= h
	}
}

func bookshelf(c *p.Canvas, r *p.Rand) {
	c.Sky(even(0x2a1910, 0x1f120b, 0x150c07))
	cols := p.Hexes(0x7a2e2a, 0x2f4f5e, 0xb98a45, 0x3f5a3c, 0x8a5a3a, 0xd2bf98, 0x552f45, 0x1f2f4a, 0xa8553a)
	shelf := 330 * c.U
	rows := int(c.H/shelf) + 1
	for j := range rows {
		foot := float32(j+1)*shelf - 24*c.U
		for x := r.In(-30, 0) * c.U; x < c.W; {
			if r.Float() < 0.06 {
				x += r.In(40, 120) * c.U
				continue
			}
			w, h := r.In(26, 62)*c.U, shelf*r.In(0.6, 0.86)
			col := cols[r.Int(len(cols))]
			x0, lean := x, float32(0)
			if r.Float() < 0.07 {
				lean = 24 * c.U
			}
			path := (&p.Path{}).Move(x0+lean, foot-h).Line(x0+w+lean, foot-h).Line(x0+w, foot).Line(x0, foot)
			band := r.In(0.1, 0.22)
			c.Paint(path, func(px, py float32) (p.Color, float32) {
				t := (px - x0) / w
				e := (foot - py) / h
				out := col.Scale(0.5 + 0.75*p.Smooth(0, 0.45, t)*p.Smooth(1.1, 0.5, t))
				if b := p.Abs(e - 1 + band); b < 0.012 || p.Abs(e-band) < 0.012 {
					out = out.Lerp(hex(0xe0b765), 0.7)
				}
				return out.Scale(0.55 + 0.45*p.Smooth(1, 0.5, e)), 1
			})
			x += w + 1.5*c.U + lean
		}
		c.Paint((&p.Path{}).Rect(0, foot, c.W, foot+26*c.U), func(_, y float32) (p.Color, float32) {
			return hex(0x8a5a34).Scale(p.Lerp(1.0, 0.4, (y-foot)/(26*c.U))), 1
		})
		c.Paint((&p.Path{}).Rect(0, foot+26*c.U, c.W, foot+90*c.U), func(_, y float32) (p.Color, float32) {
			return hex(0x0a0502), 0.6 * p.Smooth(foot+90*c.U, foot+26*c.U, y)
		})
	}
	lx, ly := c.W*0.5, c.H*0.36
	c.Change(func(x, y float32, was p.Color) p.Color { // a pool of warm light
		dx, dy := (x-lx)/c.W, (y-ly)/c.W
		return was.Mul(hex(0xffd9a0)).Scale(0.22 + 1.25/(1+4.5*(dx*dx+dy*dy)))
	})
}

func rainyWindow(c *p.Canvas, r *p.Rand) {
	c.Sky(even(0x0a1430, 0x16284e, 0x24304f, 0x120f20))
	lamps(c, r, p.Hexes(0xffb35c, 0x6fb2ff, 0xff7d6a, 0xffe0a8), 42, 0.5, 0.2, 0.22)
	drops(c, r, 90)
	for range 16 { // runs of rain on the pane
		x, y, w := r.Float()*c.W, r.In(0.05, 0.8)*c.H, r.In(2, 4)*c.U
		c.Flat((&p.Path{}).Round(x-w, y-w*r.In(20, 60), x+w, y, w), hex(0xb8cdf0), 0.1)
	}
	bar := hex(0x17110f)
	c.Flat((&p.Path{}).Rect(c.W*0.485, 0, c.W*0.515, c.H*0.84), bar, 1)
	c.Flat((&p.Path{}).Rect(0, c.H*0.26, c.W, c.H*0.278), bar, 1)
	sill := c.H * 0.83
	cx, foot := c.W*0.26, sill+c.H*0.045
	c.Paint((&p.Path{}).Rect(0, sill, c.W, c.H), func(x, y float32) (p.Color, float32) {
		dx, dy := (x-cx)/c.W, (y-foot)/c.W
		return hex(0x2a1c16).Add(hex(0xff9a4a).Scale(0.5 / (1 + 22*dx*dx + 90*dy*dy))), 1
	})
	w, h := 62*c.U, 165*c.U
	c.Paint((&p.Path{}).Round(cx-w, foot-h, cx+w, foot, 12*c.U), func(x, y float32) (p.Color, float32) {
		t := (foot - y) / h
		return hex(0xf3dcb8).Scale((0.25 + 1.0*t*t) * (1 - 0.35*p.Abs(x-cx)/w)), 1
	})
	fy := foot - h - 52*c.U
	c.Flat((&p.Path{}).Rect(cx-2*c.U, foot-h-16*c.U, cx+2*c.U, foot-h), hex(0x201008), 1)
	c.Halo(cx, fy, c.W*0.5, hex(0xff9a45), 0.75)
	flame := (&p.Path{}).Move(cx, fy-52*c.U).Cubic(cx+30*c.U, fy, cx+24*c.U, fy+40*c.U, cx, fy+42*c.U).Cubic(cx-24*c.U, fy+40*c.U, cx-22*c.U, fy, cx, fy-52*c.U)
	c.Paint(flame, func(_, y float32) (p.Color, float32) {
		return hex(0xffc25c).Lerp(hex(0xfff6d8), p.Smooth(fy-40*c.U, fy+20*c.U, y)).Scale(1.6), 0.95
	})
}

func coffeeTable(c *p.Canvas, r *p.Rand) {
	n := p.Noise(r.Seed32())
	cloth := even(0xf1e6d6, 0xe6d6c0, 0xdcc8ae)
	c.Shade(func(x, y float32) p.Color {
		fold := n.FBM(x/c.W*1.1, y/c.W*1.4, 3)
		weave := 0.012 * (p.Sin(x/c.U*1.1) + p.Sin(y/c.U*1.1))
		return cloth.At(0.5 + 0.7*fold).Scale(1 + weave)
	})
	tint := p.Color{R: 0.5, G: 0.42, B: 0.36}
	x, y, u := c.W*0.68, c.H*0.76, c.U
	plate := (&p.Path{}).Circle(x, y, 285*u)
	c.Shadow(plate, 22*u, 30*u, 34*u, 0.6, tint)
	ring := func(rad float32, col p.Color, lit float32) {
		c.Paint((&p.Path{}).Circle(x, y, rad), func(px, py float32) (p.Color, float32) {
			return col.Scale(1 - lit*((px-x)+(py-y))/rad*0.5), 1
		})
	}
	ring(285*u, hex(0xf4efe6), 0.1)
	ring(200*u, hex(0xe9e2d6), -0.1)
	handle := (&p.Path{}).Round(-34*u, -20*u, 150*u, 20*u, 20*u).Turn(x+110*u, y-90*u, 1, -0.7)
	c.Shadow(handle, 10*u, 14*u, 12*u, 0.5, tint)
	c.Flat(handle, hex(0xf6f2ea), 1)
	c.Shadow((&p.Path{}).Circle(x, y, 168*u), 14*u, 18*u, 18*u, 0.6, tint)
	ring(168*u, hex(0xfaf7f1), 0.12)
	ring(147*u, hex(0xcfc3b2), -0.25)
	swirl := c.Field(3, func(px, py float32) float32 {
		dx, dy := (px-x)/(140*u), (py-y)/(140*u)
		d := p.Sqrt(dx*dx + dy*dy)
		a := 1.1 * n.FBM(dx*1.3+d, dy*1.3, 2)
		return p.Sin(d*9+a*3+dx*2) * (1 - d)
	})
	c.Paint((&p.Path{}).Circle(x, y, 141*u), func(px, py float32) (p.Color, float32) {
		return hex(0x6b3f22).Lerp(hex(0xd9a873), p.Smooth(-0.1, 0.55, swirl.At(px, py))), 1
	})
	leaves := &p.Path{}
	frond(leaves, r, -c.W*0.1, -c.H*0.03, c.W*0.95, 0.75, 0.3)
	frond(leaves, r, -c.W*0.12, c.H*0.3, c.W*0.75, 0.3, 0.5)
	c.Shadow(leaves, 0, 0, 15*u, 0.42, tint)
}

func niche(c *p.Canvas, r *p.Rand) {
	n := p.Noise(r.Seed32())
	wall := even(0xf2e7d8, 0xe9d9c5, 0xdcc6ad)
	plaster := c.Field(4, func(x, y float32) float32 { return n.FBM(x/c.U*0.015, y/c.U*0.015, 4) })
	c.Shade(func(x, y float32) p.Color {
		return wall.At(0.35*x/c.W + 0.6*y/c.H).Scale(1 + 0.025*plaster.At(x, y))
	})
	x0, x1, top, foot := c.W*0.16, c.W*0.84, c.H*0.3, c.H*0.86
	arch := (&p.Path{}).Arch(x0, top, x1, foot)
	c.Flat((&p.Path{}).Arch(x0-5*c.U, top-5*c.U, x1+5*c.U, foot), hex(0xfff8ec), 0.6)
	inner := c.Soft(arch, 4, 46*c.U)
	c.Paint(arch, func(x, y float32) (p.Color, float32) {
		k := inner.At(x-34*c.U, y-48*c.U)
		return hex(0xb08a6a).Lerp(hex(0xe4cdb2), p.Smooth(0.25, 1, k)), 1
	})
	c.Paint((&p.Path{}).Rect(x0, foot-26*c.U, x1, foot), func(_, _ float32) (p.Color, float32) { return hex(0xeedcc4), 1 })
	base := foot - 12*c.U
	tint := p.Color{R: 0.45, G: 0.38, B: 0.34}
	vase := func(x, w, h, neck float32, col p.Color) {
		v := (&p.Path{}).Move(x-neck, base-h).Line(x+neck, base-h).Cubic(x+neck, base-h*0.72, x+w, base-h*0.75, x+w, base-h*0.42).
			Cubic(x+w, base-h*0.14, x+w*0.6, base, x+w*0.5, base).Line(x-w*0.5, base).
			Cubic(x-w*0.6, base, x-w, base-h*0.14, x-w, base-h*0.42).Cubic(x-w, base-h*0.75, x-neck, base-h*0.72, x-neck, base-h)
		c.Shadow(v, 30*c.U, 4*c.U, 24*c.U, 0.5, tint)
		shape(c, v, x, w, col)
		c.Flat((&p.Path{}).Ellipse(x, base-h, neck, neck*0.22), p.Shift(col, -0.3, 1, 0), 1)
	}
	u := c.U
	stems := &p.Path{}
	for range 9 {
		a := -tau/4 + 0.34*r.Bell()
		long := r.In(230, 400) * u
		sx, sy := c.W*0.4, base-330*u
		ex, ey := sx+p.Cos(a)*long, sy+p.Sin(a)*long
		stems.Move(sx-2*u, sy).Line(ex-1.2*u, ey).Line(ex+1.2*u, ey).Line(sx+2*u, sy)
		for i := range 9 {
			t := 0.45 + 0.55*float32(i)/9
			px, py := p.Lerp(sx, ex, t), p.Lerp(sy, ey, t)
			leaf(stems, px, py, 46*u, 13*u, a+0.55)
			leaf(stems, px, py, 46*u, 13*u, a-0.55)
		}
	}
	c.Shadow(stems, 20*u, 8*u, 16*u, 0.35, tint)
	c.Flat(stems, hex(0xb98e5a), 1)
	vase(c.W*0.4, 105*u, 350*u, 40*u, hex(0xf4ebdf))
	vase(c.W*0.64, 120*u, 230*u, 62*u, hex(0xc8764e))
	vase(c.W*0.53, 62*u, 120*u, 30*u, hex(0x8a9a80))
}
