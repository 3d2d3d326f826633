// SPDX-License-Identifier: Apache-2.0

package starter

import (
	p "github.com/reelops/reelops/internal/content/imagery/paint"
)

var moneyCharts = []entry{
	{
		"Growing coins", "Stacks of gold coins rising step by step, a seedling growing on the tallest.",
		"coins coin money savings growth invest investment interest finance wealth gold plant green success budget",
		p.Look{Grain: 2, Vignette: 0.18},
		coinSteps,
	},
	{
		"Piggy bank", "A pink piggy bank with a coin above its slot on a soft mint ground.",
		"piggy-bank money savings saving coin budget finance bank cash household child pocket pink mint goal",
		p.Look{Grain: 2, Vignette: 0.1},
		piggyBank,
	},
	{
		"Banknotes", "A fan of green banknotes lying on dark stone.",
		"banknotes banknote cash money bills salary income wealth currency finance payment rich green debt loan",
		p.Look{Grain: 1.8, Vignette: 0.25},
		banknotes,
	},
	{
		"Bill and calculator", "An electricity bill with a calculator and a pen on a desk, seen from above.",
		"bill invoice calculator electricity energy tax taxes costs budget accounting pen paper utility finance expenses",
		p.Look{Grain: 1.8, Vignette: 0.12},
		billAndCalculator,
	},
	{
		"Rising bars", "A bar chart of glowing glass columns that grow from left to right.",
		"chart bars bar graph growth statistics data sales revenue business finance increase success blue report",
		p.Look{Grain: 1.6, Vignette: 0.2},
		risingBars,
	},
	{
		"Rising line", "A bright line chart climbing over a dark grid.",
		"chart line graph trend stock stocks trading market growth data finance crypto investing profit dark",
		p.Look{Grain: 1.5, Vignette: 0.25},
		risingLine,
	},
	{
		"Pie chart", "A ring chart of coloured paper segments with soft shadows on cream.",
		"chart pie graph share percent statistics data budget report survey segments paper cream analysis presentation",
		p.Look{Grain: 2.2, Vignette: 0.06},
		pieChart,
	},
	{
		"Dashboard", "Cards with small charts and figures on a tablet over a violet desk.",
		"dashboard analytics charts chart data metrics screen tablet app software business marketing report statistics kpi",
		p.Look{Grain: 1.6, Vignette: 0.16},
		dashboard,
	},
	{
		"Payment cards", "Two bank cards floating above a peach ground.",
		"card cards credit debit payment bank money online pay finance purchase checkout subscription peach",
		p.Look{Grain: 1.8, Vignette: 0.06},
		payCards,
	},
}

// stack piles coins at the origin: n of them, each of the half width rad.
func stack(o thing, r *p.Rand, n int, rad float32) {
	ry, h := rad*0.24, rad*0.2
	o.shadow(outline().Ellipse(rad*0.25, 0, rad*1.05, ry), rad*0.1, 4, rad*0.2, 0.8)
	gold := turned(0, rad, 0xe0a93c)
	y := float32(0)
	for i := range n {
		x := rad * 0.05 * r.Bell()
		q := o.moved(x, y, 1, 0)
		side := outline().Ellipse(0, 0, rad, ry).Rect(-rad, -h, rad, 0).Ellipse(0, -h, rad, ry)
		q.fill(side, func(px, py float32) p.Color {
			front := ry * p.Sqrt(max(0, 1-px*px/rad/rad))
			t := (front - py) / h // 0 at the lower edge, 1 at the upper
			ridge := 0.1 * p.Sin(px/rad*60/(1.05-p.Abs(px/rad)*0.6))
			return gold(px, 0).Scale((0.78 + 0.3*p.Smooth(0, 0.5, t)*p.Smooth(1.1, 0.7, t)) * (1 + ridge))
		})
		if i == n-1 {
			coinFace(q.moved(0, -h, 1, 0), rad, ry)
		} else {
			q.fill(outline().Ellipse(0, -h, rad, ry), func(px, _ float32) p.Color { return gold(px, 0).Scale(0.62) })
		}
		y -= h
	}
}

// coinFace paints the upper side of a coin in a horizontal position.
func coinFace(o thing, rad, ry float32) {
	face := fade(-rad, -ry, rad, ry, 0xffe39a, 0xd19a30)
	o.fill(outline().Ellipse(0, 0, rad, ry), face)
	o.fill(outline().Ellipse(0, ry*0.03, rad*0.8, ry*0.8), fade(-rad, -ry, rad, ry, 0xc98f2c, 0xf6cf74))
	o.fill(outline().Ellipse(0, ry*0.07, rad*0.76, ry*0.76), fade(-rad, -ry, rad, ry, 0xf3c964, 0xe0ac44))
}

// coinUp paints a coin that faces the viewer.
func coinUp(o thing, rad float32) {
	all := outline().Circle(0, 0, rad)
	o.fill(outline().Circle(rad*0.09, 0, rad), plain(0xa8741c))
	o.fill(all, fade(-rad, -rad, rad, rad, 0xffe7a2, 0xc98f2a))
	o.fill(outline().Circle(0, 0, rad*0.8), fade(-rad, -rad, rad, rad, 0xb9801f, 0xf6d280))
	o.fill(outline().Circle(0, rad*0.02, rad*0.76), fade(-rad, -rad, rad, rad, 0xf2c862, 0xdca53c))
	star := outline()
	for i := range 5 {
		leaf(star, 0, 0, rad*0.52, rad*0.3, float32(i)*tau/5-tau/4)
	}
	o.fill(star.Turn(rad*0.02, rad*0.03, 1, 0), plain(0xb9801f))
	o.fill(star, plain(0xffe49a))
}

func coinSteps(c *p.Canvas, r *p.Rand) {
	plaster(c, r, even(0xe6efd8, 0xc4d9b6, 0x8fb491))
	for range 20 {
		rad := r.In(30, 110) * c.U
		c.Bokeh(r.Float()*c.W, c.H*r.In(0.45, 0.8), rad, rad*0.3, 0.2, hex(0xfff6c8), r.In(0.03, 0.12))
	}
	counter(c, r, 0.8, 0.97, 0x9a6c42)
	o := put(c, focus(c), 0.885, 1)
	for i, n := range []int{3, 6, 10, 15} {
		stack(o.moved(-345+230*float32(i), float32(i%2)*16, 1, 0), r, n, 104)
	}
	top := o.moved(345, 16-15*21-2, 1, 0)
	soil := outline().Ellipse(0, 0, 62, 17)
	top.fill(soil, grainy(r, plain(0x5a3a24), 8, 0.3))
	stem := outline().Stroke(11, 7, p.Curve(0, 0, 6, -70, -6, -150)...)
	top.fill(stem, plain(0x5c9a3c))
	for _, s := range [][4]float32{{-4, -140, 120, -0.5}, {-4, -140, 120, -2.5}, {2, -80, 86, -0.25}, {
		2, -86, 80,
		-2.85,
	}, {-5, -148, 84, -1.5}} {
		q := top.moved(s[0], s[1], 1, 0)
		blade(c, q.x, q.y, s[2]*q.k, s[2]*0.5*q.k, s[3], hex(0x69ad45))
	}
	for _, s := range [][2]float32{{-170, 92}, {190, 96}} {
		q := o.moved(s[0], s[1], 1, 0)
		q.shadow(outline().Ellipse(6, 10, 84, 20), 8, 6, 12, 0.7)
		q.fill(outline().Ellipse(0, 12, 84, 20), plain(0xa8741c))
		coinFace(q, 84, 20)
	}
}

func piggyBank(c *p.Canvas, r *p.Rand) {
	plaster(c, r, even(0xd8f0e4, 0xbfe4d6, 0x98ccbd))
	ledge(c, 0.8, 0xe2f4ea, 0xb4dccd)
	o := put(c, focus(c), 0.885, 1).shaded(0x5a8a80)
	o.shadow(outline().Ellipse(20, 4, 360, 44), 26, 4, 34, 0.75)
	pink := uint32(0xf2a0ae)
	foot := func(x float32, rgb uint32) {
		leg := outline().Round(x-46, -130, x+46, 6, 26)
		o.fill(leg, turned(x, 46, rgb))
	}
	foot(-130, 0xd07c8e)
	foot(170, 0xd07c8e)
	tail := outline().Stroke(20, 12, p.Curve(318, -300, 372, -330, 396, -290, 362, -262, 344, -296, 392, -350)...)
	o.fill(tail, plain(0xe08c9c))
	body := outline().Smooth(-330, -260, -300, -390, -190, -480, -20, -520, 170, -490, 310, -380, 336, -250, 280, -130,
		140, -66, -60, -60, -220, -90, -310, -170)
	o.fill(body, ball(-10, -290, 380, pink))
	foot(-196, pink)
	foot(108, pink)
	snout := outline().Ellipse(-322, -252, 64, 84)
	o.shadow(snout, 8, 6, 12, 0.3)
	o.fill(snout, ball(-322, -252, 110, 0xf7b6bf))
	o.fill(outline().Ellipse(-350, -262, 13, 22).Ellipse(-312, -258, 13, 22), plain(0xc4687c))
	o.fill(outline().Circle(-214, -356, 17), plain(0x3a2630))
	o.fill(outline().Circle(-219, -362, 6), plain(0xffffff))
	ear := outline().Smooth(-190, -440, -214, -560, -110, -540, -78, -452)
	o.shadow(ear, 6, 8, 10, 0.3)
	o.fill(ear, fade(-190, -560, -90, -440, 0xf8bcc6, 0xde8598))
	slot := outline().Round(-40, -521, 110, -506, 8)
	o.fill(slot, plain(0x8a4458))
	coin := o.moved(36, -650, 1, 0.12)
	coinUp(coin, 96)
	o.glint(outline().Smooth(-220, -420, -140, -480, -20, -498, -30, -470, -150, -430), 0xffffff, 20, 0.22)
}

func banknotes(c *p.Canvas, r *p.Rand) {
	slab(c, r, even(0x36403c, 0x2a3330, 0x1e2523, 0x161b1a))
	o := put(c, focus(c), 0.86, 1).shaded(0x1f2624)
	n := p.Noise(r.Seed32())
	for i := range 6 {
		q := o.moved(-60+30*float32(i), 120, 1, -0.75+0.27*float32(i)).moved(0, -400, 1, 0)
		note := outline().Rect(-170, -370, 170, 370)
		q.shadow(note, 16, 16, 22, 0.8)
		off := float32(i) * 17
		q.fill(note, func(x, y float32) p.Color {
			paper := hex(0xcfdcc4)
			ink := hex(0x3f7a5c)
			ex, ey := 170-p.Abs(x), 370-p.Abs(y)
			e := min(ex, ey)
			wave := p.Sin(y*0.12+14*p.Sin(x*0.02+off)) * p.Sin(x*0.16+9*p.Sin(y*0.015))
			out := paper.Lerp(ink, 0.3+0.22*p.Smooth(0, 0.6, wave))
			if e < 16 {
				out = paper
			} else if e < 46 {
				out = ink.Lerp(paper, 0.18+0.3*p.Smooth(-0.2, 0.5, p.Sin((x+y)*0.4)*p.Sin((x-y)*0.4)))
			} else if e < 52 {
				out = paper
			}
			u, v := x/96, y/130
			if d := u*u + v*v; d < 1 {
				out = paper.Lerp(ink, p.Smooth(1, 0.1, d)*0.75)
				if p.Abs(d-0.9) < 0.06 {
					out = ink
				}
			}
			if k := p.Abs(y - 236); k < 40 && p.Abs(x) < 76 {
				out = out.Lerp(hex(0x2d5a44), 0.6*p.Smooth(0.2, -0.2, p.Abs(k-20)/20-0.6))
			}
			return out.Scale(1.02 + 0.04*n.FBM(x*0.01+off, y*0.01, 3) - 0.0005*x)
		})
		sprig := outline()
		for k := range 7 {
			y := 70 - float32(k)*20
			leaf(sprig, 0, y, 56, 20, -0.7)
			leaf(sprig, 0, y, 56, 20, -2.44)
		}
		q.thin(sprig, 0xe2ecd6, 0.8)
	}
	band := o.moved(90, 60, 1, 0.07)
	for _, s := range [][3]float32{{-350, -330, 66}, {-410, -230, 52}} {
		q := band.moved(s[0], s[1]+300, 1, 0.4)
		q.shadow(outline().Circle(0, 0, s[2]), 8, 12, 12, 0.7)
		coinUp(q, s[2])
	}
}

func billAndCalculator(c *p.Canvas, r *p.Rand) {
	planks(c, r, p.Hexes(0xb98c62, 0xad8058, 0xc4986e, 0xa5784f), 270)
	o := put(c, focus(c), 0.68, 1)
	sheetOf := func(q thing, w, h float32) {
		page := outline().Rect(-w, -h, w, h)
		q.shadow(page, 10, 16, 18, 0.6)
		q.fill(page, fade(-w, -h, w, h, 0xffffff, 0xebe8e2))
	}
	sheetOf(o.moved(-70, -10, 1, -0.16), 330, 450)
	bill := o.moved(-90, -20, 1, -0.07)
	sheetOf(bill, 330, 450)
	bolt := outline().Move(24, -58).Line(-34, 10).Line(-4, 10).Line(-22, 58).Line(36, -14).Line(6, -14)
	bill.flat(outline().Circle(-238, -358, 58), 0xf6c53a)
	bill.flat(bolt.Turn(-238, -358, 0.72, 0), 0xffffff)
	lines := outline().Round(-150, -398, 110, -372, 8)
	bill.flat(lines, 0x39424e)
	bill.flat(outline().Round(-150, -348, 20, -332, 6), 0xb4bac2)
	for i := range 6 {
		y := float32(i)*50 - 250
		bill.flat(outline().Round(-290, y, -60+float32(i*37%90), y+14, 6), 0xb9bfc6)
		bill.flat(outline().Round(200-float32(i*23%40), y, 290, y+14, 6), 0x8d95a0)
		bill.flat(outline().Rect(-290, y+31, 290, y+33), 0xe2e3e4)
	}
	for i := range 8 { // use of the last months
		x := float32(i)*52 - 280
		h := 34 + float32((i*31+20)%70)
		bill.flat(outline().Round(x, 178-h, x+34, 178, 6), []uint32{0xf6d36e, 0xf0b429}[i/6])
	}
	bill.flat(outline().Round(-290, 232, 290, 312, 14), 0xfbeab8)
	bill.flat(outline().Round(-262, 260, -120, 284, 8), 0x5a4a1c)
	bill.flat(outline().Round(120, 256, 262, 288, 8), 0xd9481f)
	calc := o.moved(300, 190, 1, 0.12)
	body := outline().Round(-170, -270, 170, 270, 34)
	calc.shadow(body, 16, 26, 24, 0.7)
	calc.fill(body, fade(-170, -270, 170, 270, 0x4a5260, 0x2a303a))
	calc.fill(outline().Round(-140, -240, 140, -140, 14), fade(0, -240, 0, -140, 0xa9c0aa, 0xc6d8c2))
	for i := range 4 {
		num := outline()
		digit(num, []int{1, 4, 8, 6}[i], float32(i)*34+8, -190, 48)
		calc.flat(num, 0x2d3a30)
	}
	for i := range 20 {
		x, y := float32(i%4)*70-105, float32(i/4)*72-92
		key := outline().Round(x-28, y-26, x+28, y+26, 12)
		col := uint32(0xdfe3e8)
		if i%4 == 3 {
			col = 0xf2a03a
		} else if i < 3 {
			col = 0x8f99a6
		}
		calc.shadow(key, 3, 6, 5, 0.6)
		calc.fill(key, func(_, py float32) p.Color { return hex(col).Scale(1.04 - 0.004*(py-y)) })
	}
	pen(o.moved(-10, 420, 1, 0.9), 0x1f4e8c)
}

// pen paints a pen seen from above, its point up, about 560 units long.
func pen(o thing, rgb uint32) {
	all := outline().Stroke(3, 26, 0, -290, 0, -230).Stroke(30, 32, 0, -225, 0, 40).Stroke(32, 28, 0, 40, 0, 260)
	o.shadow(all, 12, 16, 12, 0.6)
	o.fill(outline().Stroke(3, 26, 0, -290, 0, -230), metal(-14, 14, 0xc8c8cc))
	o.fill(outline().Stroke(30, 32, 0, -225, 0, 40), turned(0, 17, rgb))
	o.fill(outline().Stroke(32, 28, 0, 50, 0, 260), turned(0, 17, rgb))
	o.fill(outline().Rect(-16, 34, 16, 50), metal(-16, 16, 0xd8b45a))
	o.fill(outline().Round(8, 60, 20, 220, 6), metal(8, 20, 0xd8d8da))
}

func risingBars(c *p.Canvas, r *p.Rand) {
	c.Sky(even(0x0d1c3a, 0x17335e, 0x2b5f92, 0x1c3f6a))
	c.Halo(c.W*0.75, c.H*0.5, c.W*1.1, hex(0x6fb8ff), 0.3)
	ledge(c, 0.84, 0x0b1a34, 0x1b3c66)
	o := put(c, focus(c), 0.86, 1).shaded(0x0a1428)
	cols := []uint32{0x3fb4e8, 0x45c4e0, 0x56d4c8, 0x7fe0a8, 0xc4ec86, 0xffe07a}
	for i, h := range []float32{130, 210, 180, 320, 440, 620} {
		x := float32(i)*154 - 385
		col := hex(cols[i])
		front := outline().Rect(x-50, -h, x+44, 0)
		side := outline().Move(x+44, -h).Line(x+68, -h-22).Line(x+68, -22).Line(x+44, 0)
		top := outline().Move(x-50, -h).Line(x-26, -h-22).Line(x+68, -h-22).Line(x+44, -h)
		o.shadow(outline().Rect(x-50, -20, x+90, 6), 20, 8, 20, 0.7)
		o.glaze(front, func(px, py float32) (p.Color, float32) {
			t := -py / h
			g := 0.55 + 0.6*t + 0.12*p.Smooth(x+20, x-40, px)
			return col.Scale(g), 0.92
		})
		dark := p.Shift(col, -0.18, 1.1, 4)
		o.fill(side, func(_, py float32) p.Color { return dark.Scale(0.5 + 0.6*-py/h) })
		o.fill(top, func(_, _ float32) p.Color { return p.Shift(col, 0.08, 0.9, 0).Scale(1.15) })
		o.glint(outline().Rect(x-42, -h+10, x-32, -20), 0xffffff, 6, 0.18)
		o.glaze(outline().Rect(x-50, 0, x+44, h*0.4), func(_, py float32) (p.Color, float32) { // in the polished ground
			return col.Scale(0.5), 0.3 * p.Smooth(h*0.4, 0, py)
		})
		c.Glow(o.x+x*o.k, o.y-h*o.k, 150*o.k, col, 0.14)
	}
	arrow := outline().Stroke(13, 13, p.Curve(-420, -250, -240, -320, -70, -330, 110, -510, 230, -620, 330, -790)...)
	head := outline().Stroke(13, 13, 238, -758, 332, -794).Stroke(13, 13, 332, -794, 350, -694)
	o.glint(outline().Add(arrow).Add(head), 0x8fd0ff, 20, 0.5)
	o.thin(arrow.Add(head), 0xf4fbff, 0.95)
}

func risingLine(c *p.Canvas, r *p.Rand) {
	c.Sky(even(0x06110f, 0x0a1f1c, 0x0e2f2a, 0x081a18))
	step := 135 * c.U
	c.Change(func(x, y float32, was p.Color) p.Color {
		gx, gy := x/step-float32(p.Floor(x/step)), y/step-float32(p.Floor(y/step))
		d := min(min(gx, 1-gx), min(gy, 1-gy)) * step
		return was.Add(hex(0x2f6a5e).Scale(0.35 * p.Smooth(2.2*c.U, 0.6*c.U, d) * p.Smooth(0.1, 0.6, y/c.H)))
	})
	n := p.Noise(r.Seed32())
	at := func(x float32) float32 { // height of the line, in pixels, for x as a share
		t := x * x * (2 - x)
		return c.H * (0.83 - 0.34*t - 0.055*n.Line(x*4.2, 3)*p.Smooth(0, 0.15, x)*p.Smooth(1.05, 0.8, x))
	}
	var line []float32
	for i := range 61 {
		x := float32(i)/60*1.02 - 0.01
		line = append(line, x*c.W*0.93, at(x))
	}
	top := c.Ridge(func(x float32) float32 { return at(x / (c.W * 0.93)) })
	c.Fill(top, func(x, _, depth float32) (p.Color, float32) {
		return hex(0x27d39a), 0.3 * p.Smooth(c.H*0.3, 0, depth) * p.Smooth(c.W*0.95, c.W*0.91, x)
	})
	for i := range 18 { // bars of volume
		x := (float32(i) + 0.5) / 18 * c.W
		h := c.H * r.In(0.02, 0.075)
		c.Flat(outline().Rect(x-14*c.U, c.H*0.96-h, x+14*c.U, c.H*0.96), hex(0x2f8a70), 0.35)
	}
	o := thing{c: c, k: c.U}
	for i := range line {
		line[i] /= c.U
	}
	o.glint(outline().Stroke(14, 14, line...), 0x2affb0, 26, 0.75)
	o.flat(outline().Stroke(9, 9, line...), 0xbfffe4)
	ex, ey := line[len(line)-2], line[len(line)-1]
	c.Halo(ex*c.U, ey*c.U, 320*c.U, hex(0x4affc0), 0.7)
	o.flat(outline().Circle(ex, ey, 22), 0xeafff6)
	o.flat(outline().Circle(ex, ey, 11), 0x16a877)
}

func pieChart(c *p.Canvas, r *p.Rand) {
	slab(c, r, even(0xfaf3e6, 0xf4eadb, 0xecdfcc))
	o := put(c, focus(c), 0.64, 1).shaded(0x9a8672)
	n := p.Noise(r.Seed32())
	from := float32(-tau / 4)
	for i, s := range []float32{0.36, 0.24, 0.18, 0.13, 0.09} {
		to := from + s*tau
		mid := (from + to) / 2
		rad := 390 - float32(i)*14
		off := float32(10)
		if i == 0 {
			off = 36
		}
		q := o.moved(p.Cos(mid)*off, p.Sin(mid)*off, 1, 0)
		path := outline().Move(p.Cos(from)*170, p.Sin(from)*170)
		const steps = 40
		for k := range steps + 1 {
			a := p.Lerp(from, to, float32(k)/steps)
			path.Line(p.Cos(a)*rad, p.Sin(a)*rad)
		}
		for k := range steps + 1 {
			a := p.Lerp(to, from, float32(k)/steps)
			path.Line(p.Cos(a)*170, p.Sin(a)*170)
		}
		q.shadow(path, 14, 22, 24, 0.6)
		col := hex([]uint32{0xe8704f, 0xf2b650, 0x3f9a8c, 0x35607f, 0xb9567a}[i])
		q.fill(path, func(x, y float32) p.Color {
			d := p.Sqrt(x*x + y*y)
			rim := p.Smooth(5, 1, rad-d) + p.Smooth(5, 1, d-170)
			return col.Scale(1.04-0.0002*(x+y)+0.03*n.FBM(x*0.09, y*0.02, 2)).Lerp(hex(0xffffff), 0.22*rim)
		})
		from = to
	}
	for i := range 5 {
		x, y := float32(i%3)*300-330, 490+float32(i/3)*70
		col := []uint32{0xe8704f, 0xf2b650, 0x3f9a8c, 0x35607f, 0xb9567a}[i]
		dot := outline().Circle(x, y, 18)
		o.shadow(dot, 3, 5, 5, 0.5)
		o.flat(dot, col)
		o.flat(outline().Round(x+36, y-9, x+150+float32(i*41%60), y+9, 9), 0xcdbfac)
	}
}

// panel paints a white rounded card with a shadow.
func panel(o thing, x0, y0, x1, y1, rad float32) {
	path := outline().Round(x0, y0, x1, y1, rad)
	o.shadow(path, 5, 10, 12, 0.4)
	o.fill(path, plain(0xffffff))
}

func dashboard(c *p.Canvas, r *p.Rand) {
	slab(c, r, even(0x6a5fa8, 0x564c92, 0x413a78, 0x332d62))
	o := put(c, focus(c), 0.68, 1).moved(0, 0, 1, -0.09).shaded(0x2a2550)
	body := outline().Round(-430, -540, 430, 540, 54)
	o.shadow(body, 26, 40, 40, 0.8)
	o.fill(body, fade(-430, -540, 430, 540, 0x3a3d4c, 0x14161f))
	o.fill(outline().Round(-396, -506, 396, 506, 26), fade(0, -506, 0, 506, 0xf6f7fc, 0xe8eaf4))
	o.flat(outline().Round(-356, -470, -150, -444, 10), 0x3a3f5c)
	o.flat(outline().Circle(340, -457, 22), 0xf2a68a)
	for i, col := range []uint32{0x6a5cf0, 0x22b8a6, 0xf28a4c} {
		x := float32(i)*250 - 356
		panel(o, x, -404, x+214, -264, 20)
		o.flat(outline().Round(x+22, -380, x+110, -366, 6), 0xc3c7d8)
		o.flat(outline().Round(x+22, -346, x+130, -314, 8), 0x2e3350)
		o.flat(outline().Round(x+22, -296, x+84, -280, 8), col)
	}
	panel(o, -356, -232, 358, 98, 22)
	area := []float32{-326, 20, -220, -40, -120, -10, -10, -96, 100, -60, 210, -150, 328, -180}
	curve := p.Curve(area...)
	fill := outline().Move(-326, 70)
	for i := 0; i < len(curve); i += 2 {
		fill.Line(curve[i], curve[i+1])
	}
	fill.Line(328, 70)
	o.glaze(fill, func(_, y float32) (p.Color, float32) { return hex(0x6a5cf0), 0.38 * p.Smooth(70, -180, y) })
	for i := range 4 {
		y := 70 - float32(i)*80
		o.thin(outline().Rect(-326, y-1, 328, y+1), 0xaab0c8, 0.4)
	}
	o.flat(outline().Stroke(9, 9, curve...), 0x6a5cf0)
	o.flat(outline().Circle(328, -180, 14), 0x6a5cf0)
	panel(o, -356, 130, -14, 466, 22)
	for i, h := range []float32{90, 150, 120, 200, 170, 240} {
		x := float32(i)*49 - 326
		o.flat(outline().Round(x, 436-h, x+30, 436, 8), []uint32{0xbfc4ea, 0x22b8a6}[i/5])
	}
	panel(o, 18, 130, 358, 466, 22)
	ringPart := func(from, to float32, col uint32) {
		var arc []float32
		for k := range 31 {
			a := p.Lerp(from, to, float32(k)/30)
			arc = append(arc, 188+p.Cos(a)*100, 298+p.Sin(a)*100)
		}
		o.flat(outline().Stroke(40, 40, arc...), col)
	}
	ringPart(0, tau, 0xe6e8f4)
	ringPart(-tau/4, tau*0.42, 0xf28a4c)
	o.glint(outline().Move(-396, -506).Line(-60, -506).Line(-396, 200), 0xffffff, 20, 0.05)
}

func payCards(c *p.Canvas, r *p.Rand) {
	slab(c, r, even(0xffe6d2, 0xfbd6be, 0xf2c0a4))
	o := put(c, focus(c), 0.68, 1).shaded(0xa06a50)
	n := p.Noise(r.Seed32())
	card := func(q thing, a, b uint32) {
		path := outline().Round(-360, -226, 360, 226, 36)
		q.shadow(path, 30, 56, 52, 0.75)
		ramp := even(a, b)
		q.fill(path, func(x, y float32) p.Color {
			f := n.FBM(x*0.0022+float32(a&15), y*0.003, 2)
			w := 0.04 * p.Smooth(0.85, 1, p.Sin((x*0.4+y+180*f)*0.05))
			return ramp.At(0.5+0.0011*(x+y)+0.4*f).Scale(1+w).Lerp(hex(0xffffff), 0.25*p.Smooth(4, 1, 226-p.Abs(y)))
		})
		chip := outline().Round(-300, -70, -196, 12, 16)
		q.fill(chip, fade(-300, -70, -196, 12, 0xf8dc94, 0xb98a3a))
		q.thin(outline().Rect(-300, -31, -264, -28).Rect(-232, -31, -196, -28).Rect(-266, -70, -263, 12).Rect(-233, -70,
			-230, 12), 0x7a5a20, 0.7)
		q.radioWaves(-178, -29, 18, 20, 6, 0.7)
		for g := range 4 {
			for d := range 4 {
				x := -300 + float32(g)*150 + float32(d)*28
				q.thin(outline().Round(x, 64, x+17, 90, 6), 0xffffff, 0.75)
			}
		}
		q.thin(outline().Round(-300, 148, -90, 164, 6), 0xffffff, 0.5)
		for i := range 3 {
			x := 210 + float32(i)*36
			q.thin(outline().Stroke(20, 20, x, 178, x+34, 122), 0xffe2b4, 0.5+0.2*float32(i))
		}
	}
	card(o.moved(40, -150, 1, 0.26), 0x2f3a68, 0x5a3f8a)
	card(o.moved(-30, 130, 1, -0.16), 0x1f8a86, 0x3fc0a0)
}
