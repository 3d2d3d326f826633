// SPDX-License-Identifier: Apache-2.0

package starter

import (
	p "github.com/reelops/reelops/internal/content/imagery/paint"
)

// focus returns the horizontal position of the object of a scene: in the middle of tall canvases, to the right on wide
// ones, so that text has the left side.
func focus(c *p.Canvas) float32 {
	return p.Lerp(0.5, 0.68, p.Smooth(1, 1.6, c.W/c.H))
}

// fit returns the scale at which a scene of the given number of units above its ground fits the canvas; 1 on tall ones.
func fit(c *p.Canvas, units float32) float32 { return min(1, 0.84*c.H/(c.U*units)) }

// plaster fills the canvas with an uneven wall, lit from the upper left.
func plaster(c *p.Canvas, r *p.Rand, wall *p.Ramp) {
	n := p.Noise(r.Seed32())
	rough := c.Field(3, func(x, y float32) float32 { return n.FBM(x/c.U*0.012, y/c.U*0.012, 4) })
	c.Shade(func(x, y float32) p.Color {
		dx, dy := x/c.W-0.25, y/c.H-0.3
		return wall.At(0.15 + 0.8*(dx*dx+dy*dy) + 0.25*y/c.H).Scale(1 + 0.03*rough.At(x, y))
	})
}

// counter paints a table from the height top down: its front edge at lip (heights as shares of the canvas), with
// the grain of wood.
func counter(c *p.Canvas, r *p.Rand, top, lip float32, rgb uint32) {
	n := p.Noise(r.Seed32())
	col := hex(rgb)
	dark := p.Shift(col, -0.16, 1.05, -4)
	y0, y1 := top*c.H, lip*c.H
	c.Paint(outline().Rect(0, y0, c.W, c.H), func(x, y float32) (p.Color, float32) {
		if y > y1 {
			e := p.Smooth(y1, y1+c.H*0.12, y)
			g := 0.1 * n.FBM(x/c.U*0.003, y/c.U*0.05+40, 3)
			return dark.Scale(0.8+g-0.3*e).Lerp(col.Scale(1.25), p.Smooth(y1+7*c.U, y1, y)), 1
		}
		d := (y - y0) / (y1 - y0 + 1)
		g := 0.14 * n.FBM(x/c.U*0.0035, y/c.U*0.07/(0.3+d), 3)
		lx := x/c.W - 0.35
		return col.Scale(0.78 + 0.3*d + g + 0.18*p.Exp(-6*lx*lx)), 1
	})
	c.Paint(outline().Rect(0, y0-9*c.U, c.W, y0+5*c.U), func(_, y float32) (p.Color, float32) {
		return dark.Scale(0.5), 0.35 * p.Smooth(y0-9*c.U, y0, y) * p.Smooth(y0+5*c.U, y0, y)
	})
}

// ledge paints a smooth table, of stone or paint, from the height top down.
func ledge(c *p.Canvas, top float32, near, far uint32) {
	a, b := hex(far), hex(near)
	y0 := top * c.H
	c.Paint(outline().Rect(0, y0, c.W, c.H), func(x, y float32) (p.Color, float32) {
		d := (y - y0) / (c.H - y0 + 1)
		lx := x/c.W - 0.4
		return p.Color.Lerp(a, b, p.Smooth(0, 1, d)).Scale(0.95 + 0.1*p.Exp(-5*lx*lx)), 1
	})
}

// planks fills the canvas with boards seen from above, running down the canvas.
func planks(c *p.Canvas, r *p.Rand, cols []p.Color, wide float32) {
	n := p.Noise(r.Seed32())
	tone := p.Noise(r.Seed32())
	w := wide * c.U
	c.Shade(func(x, y float32) p.Color {
		i := p.Floor(x / w)
		f := x/w - float32(i)
		long := 2300 * c.U
		j := p.Floor(y/long + tone.Grain(i+7, 3))
		col := cols[int(tone.Grain(i, j)*float32(len(cols)))%len(cols)]
		off := float32(i*37 + j*11)
		g := n.FBM(x/c.U*0.05+off, y/c.U*0.0025+off, 3)
		line := p.Sin((n.At(x/c.U*0.006+off, y/c.U*0.0011)*5 + x/c.U*0.03) * 2.2)
		edge := p.Smooth(0, 3.5*c.U/w, f) * p.Smooth(1, 1-3.5*c.U/w, f)
		lx, ly := x/c.W-0.3, y/c.H-0.3
		return col.Scale((0.9 + 0.16*g + 0.035*line) * (0.45 + 0.55*edge) * (1.08 - 0.3*(lx*lx+ly*ly)))
	})
}

// slab fills the canvas with dull stone seen from above, lit from the upper left.
func slab(c *p.Canvas, r *p.Rand, stone *p.Ramp) {
	n := p.Noise(r.Seed32())
	rough := c.Field(2, func(x, y float32) float32 { return n.FBM(x/c.U*0.006, y/c.U*0.006, 5) })
	grit := p.Noise(r.Seed32())
	c.Shade(func(x, y float32) p.Color {
		dx, dy := x/c.W-0.3, y/c.H-0.25
		return stone.At(0.35 + 0.3*rough.At(x, y) + 0.35*(dx*dx+dy*dy)).Scale(0.985 + 0.03*grit.Grain(int(x/(2*c.U+0.01)),
			int(y/(2*c.U+0.01))))
	})
}

// leafLight darkens the existing pixels by the soft shadow of leaves from the upper right.
func leafLight(c *p.Canvas, r *p.Rand, strength float32) {
	leaves := outline()
	frond(leaves, r, c.W*1.08, -c.H*0.03, c.W*0.85, 2.5, 0.5)
	frond(leaves, r, c.W*1.12, c.H*0.2, c.W*0.75, 2.95, 0.35)
	c.Shadow(leaves, 0, 0, 16*c.U, strength, p.Color{R: 0.5, G: 0.43, B: 0.4})
}

// windowLight brightens the existing pixels by sunlight through a window of six panes. x and y are its upper left
// corner as shares of the canvas, size the width of a pane as a share of its width.
func windowLight(c *p.Canvas, x, y, size float32, sun p.Color, strength float32) {
	light := outline()
	w, h := size*c.W, size*c.W*1.15
	for j := range 3 {
		for i := range 2 {
			x0, y0 := c.W*x+float32(i)*w*1.1, c.H*y+float32(j)*h*1.12-float32(i)*w*0.32
			light.Move(x0, y0).Line(x0+w, y0-0.3*w).Line(x0+w, y0+h-0.3*w).Line(x0, y0+h)
		}
	}
	cast := c.Soft(light, 4, 12*c.U)
	c.Change(func(x, y float32, was p.Color) p.Color {
		return was.Add(was.Mul(sun).Scale(strength * cast.At(x, y)))
	})
}

// steam paints wisps that rise from x, y of a thing to the height h, in its units.
func steam(o thing, r *p.Rand, x, y, h, strength float32) {
	wisps := outline()
	for i := range 3 {
		dx, s := (float32(i)-1)*h*0.13, r.Sign()*h*0.06
		wisps.Stroke(h*0.075, h*0.03, p.Curve(x+dx, y, x+dx+s, y-h*0.25, x+dx-s, y-h*0.5, x+dx+1.3*s, y-h*0.78, x+dx+0.4*s,
			y-h)...)
	}
	path := o.place(wisps)
	f := o.c.Soft(path, 4, h*0.06*o.k)
	top := o.y + (y-h)*o.k
	foot := o.y + y*o.k
	o.c.Rows(p.Floor(top-h*0.1*o.k), p.Floor(foot), func(row int, line []p.Color) {
		fy := float32(row) + 0.5
		k := strength * p.Smooth(top, top+(foot-top)*0.5, fy) * p.Smooth(foot, foot-(foot-top)*0.15, fy)
		for i := range line {
			if v := f.At(float32(i)+0.5, fy); v > 0.004 {
				line[i] = line[i].Lerp(p.Color{R: 1, G: 0.98, B: 0.95}, v*k)
			}
		}
	})
}

// disc paints a round plate, pan or lid seen from above, with its shadow: a rim and a lower middle of the share
// well.
func disc(o thing, rad, well float32, rgb uint32) {
	all := outline().Circle(0, 0, rad)
	o.shadow(all, rad*0.09, rad*0.12, rad*0.12, 0.62)
	col := hex(rgb)
	lit := func(r, k float32) shader {
		return func(x, y float32) p.Color { return col.Scale(1 - k*(x+y)/r*0.5) }
	}
	o.fill(all, lit(rad, 0.12))
	o.fill(outline().Circle(0, 0, rad*0.975), lit(rad, 0.05))
	inner := outline().Circle(0, 0, rad*well)
	o.fill(inner, lit(rad, -0.13))
	o.fill(outline().Circle(0, 0, rad*well*0.965), lit(rad, -0.03))
}

// plate paints a plate on a table, seen from the side and a little from above, its middle at the origin.
func plate(o thing, rx, ry float32, rgb uint32) {
	o.shadow(outline().Ellipse(0, ry*0.35, rx*0.95, ry), 18, ry*0.35, 26, 0.75)
	col := hex(rgb)
	dark := p.Shift(col, -0.2, 1.1, -5)
	o.fill(outline().Ellipse(0, ry*0.16, rx*0.99, ry), func(x, _ float32) p.Color {
		return dark.Lerp(col, p.Smooth(rx,
			-rx, x)*0.5)
	})
	o.fill(outline().Ellipse(0, 0, rx, ry), func(x, y float32) p.Color { return col.Scale(1.02 - 0.08*x/rx - 0.05*y/ry) })
	o.fill(outline().Ellipse(0, ry*0.05, rx*0.74, ry*0.68), func(x, y float32) p.Color {
		return col.Scale(0.9 + 0.08*y/ry + 0.03*x/rx)
	})
}
