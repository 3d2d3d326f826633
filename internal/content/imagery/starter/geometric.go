// SPDX-License-Identifier: Apache-2.0

package starter

import (
	p "github.com/reelops/reelops/internal/content/imagery/paint"
)

var geometric = []entry{
	{
		"Boho arches", "Nested arches in terracotta, sand and sage on a cream wall.",
		"geometric arches boho terracotta sand sage cream minimal modern interior art warm shapes design",
		p.Look{Grain: 2.6, Vignette: 0.08},
		arches,
	},
	{
		"Bauhaus tiles", "Bold tiles of circles and quarter circles in red, blue, yellow and cream.",
		"geometric bauhaus tiles circles red blue yellow bold retro pattern creative design art playful",
		p.Look{Grain: 2.2, Vignette: 0.05},
		func(c *p.Canvas, r *p.Rand) {
			tiles(c, r, p.Hexes(0xf3e9d6, 0xd9432f, 0x1f4e8c, 0xf2b632, 0x22252b, 0x6fa8a0))
		},
	},
	{
		"Floating spheres", "Smooth pastel spheres floating in soft studio light.",
		"geometric spheres balls pastel pink lilac soft minimal modern abstract technology design beauty clean",
		p.Look{Grain: 1.5, Vignette: 0.08},
		func(c *p.Canvas, r *p.Rand) {
			spheres(c, r, even(0xf3dfe8, 0xe6d3ee, 0xd5d6f4), p.Hexes(0xf7b2c4, 0xb9a5ec, 0x9fc7f2, 0xffd3b0, 0xf2eefc))
		},
	},
	{
		"Crystal facets", "A mosaic of teal and midnight facets catching the light.",
		"geometric low-poly facets teal blue dark crystal abstract technology business finance modern pattern",
		p.Look{Grain: 1.4, Vignette: 0.2},
		func(c *p.Canvas, r *p.Rand) {
			facets(c, r, even(0x071a2e, 0x0e3f5c, 0x12747f, 0x3fb8a6, 0x0c2c4a))
		},
	},
	{
		"Seventies rays", "Warm retro stripes curving around a setting sun.",
		"geometric retro seventies stripes sun orange brown cream vintage summer bold pattern fun",
		p.Look{Grain: 2.8, Vignette: 0.08},
		func(c *p.Canvas, r *p.Rand) {
			retro(c, hex(0xf6e6c8), p.Hexes(0x7a2f1c, 0xb8432a, 0xe0702e, 0xf0a23c, 0xf5cf7a))
		},
	},
	{
		"Dark gold circles", "Fine golden circles crossing on deep green velvet.",
		"geometric circles gold green dark luxury elegant art-deco lines premium finance wedding pattern",
		p.Look{Grain: 2, Vignette: 0.3},
		deco,
	},
}

func arches(c *p.Canvas, _ *p.Rand) {
	wall := even(0xf6ecdd, 0xefe0ca)
	c.Shade(func(x, y float32) p.Color { return wall.At(0.5*x/c.W + 0.5*y/c.H) })
	tint := p.Color{R: 0.5, G: 0.42, B: 0.38}
	arch := func(cx, w float32, top float32, cols []p.Color) {
		for i, col := range cols {
			k := 1 - float32(i)/float32(len(cols))
			a := (&p.Path{}).Arch(cx-w*k/2, top+(1-k)*w/2, cx+w*k/2, c.H+10)
			c.Shadow(a, 5*c.U, -4*c.U, 20*c.U, 0.35, tint)
			c.Paint(a, func(x, y float32) (p.Color, float32) { return col.Scale(1.04 - 0.14*(y-top)/(c.H-top)), 1 })
		}
	}
	disc := (&p.Path{}).Circle(c.W*0.3, c.H*0.2, c.U*130)
	c.Shadow(disc, 5*c.U, 10*c.U, 18*c.U, 0.3, tint)
	c.Flat(disc, hex(0xe3a35c), 1)
	arch(c.W*0.78, c.U*620, c.H*0.36, p.Hexes(0xa9b598, 0xc9cfae, 0xe7dfc4, 0xf3e8d4))
	arch(c.W*0.26, c.U*700, c.H*0.56, p.Hexes(0xb5583a, 0xd07f56, 0xe6ab82, 0xf2cdae, 0xf8e6d2))
}

func tiles(c *p.Canvas, r *p.Rand, cols []p.Color) {
	n := 4
	if c.W > c.H*1.2 {
		n = 7
	}
	s := c.W / float32(n)
	rows := int(c.H/s) + 1
	off := (c.H - float32(rows)*s) / 2
	for j := range rows {
		for i := range n {
			x, y := float32(i)*s, off+float32(j)*s
			a := r.Int(len(cols))
			if m := (y + s/2) / c.H; m > 0.36 && m < 0.6 {
				a = 0
			}
			b := (a + 1 + r.Int(len(cols)-1)) % len(cols)
			d := (b + 1 + r.Int(len(cols)-2)) % len(cols)
			c.Flat((&p.Path{}).Rect(x, y, x+s+0.6, y+s+0.6), cols[a], 1)
			q, kind := &p.Path{}, r.Int(5)
			if m := (y + s/2) / c.H; m > 0.36 && m < 0.6 {
				continue // plain tiles give text some room
			}
			switch kind {
			case 0:
				q.Circle(x+s/2, y+s/2, s*0.38)
				c.Flat(q, cols[b], 1)
				c.Flat((&p.Path{}).Circle(x+s/2, y+s/2, s*0.16), cols[d], 1)
			case 1, 2:
				at := r.Int(4)
				corner(c, x, y, s, at, s, cols[b])
				corner(c, x, y, s, at, s*0.5, cols[d])
			case 3:
				c.Flat(q.Move(x, y).Line(x+s, y).Line(x, y+s), cols[b], 1)
			default:
				for k := range 3 {
					yy := y + s*(float32(k)+0.25)/3
					c.Flat((&p.Path{}).Rect(x, yy, x+s, yy+s/6), cols[b], 1)
				}
			}
		}
	}
}

var corners = [4][2]float32{{0, 0}, {1, 0}, {0, 1}, {1, 1}}

// corner fills a quarter disc around one of a tile's corners.
func corner(c *p.Canvas, x, y, s float32, at int, rad float32, col p.Color) {
	q := corners[at]
	cx, cy := x+q[0]*s, y+q[1]*s
	c.Paint((&p.Path{}).Rect(x, y, x+s, y+s), func(px, py float32) (p.Color, float32) {
		dx, dy := px-cx, py-cy
		return col, p.Clamp(rad-p.Sqrt(dx*dx+dy*dy)+0.5, 0, 1)
	})
}

func spheres(c *p.Canvas, r *p.Rand, wall *p.Ramp, cols []p.Color) {
	c.Sky(wall)
	type ball struct{ x, y, r float32 }
	var set []ball
	for i := 0; i < 400 && len(set) < 15; i++ {
		m := r.Float()
		b := ball{r.In(-0.05, 1.05) * c.W, r.In(-0.02, 1.02) * c.H, (40 + 190*m*m) * c.U}
		// The middle is left open for text.
		if p.Abs(b.x/c.W-0.5) < 0.3 && p.Abs(b.y/c.H-0.45) < 0.2 {
			continue
		}
		free := true
		for _, o := range set {
			dx, dy := b.x-o.x, b.y-o.y
			if dx*dx+dy*dy < (b.r+o.r)*(b.r+o.r)*1.1 {
				free = false
			}
		}
		if free {
			set = append(set, b)
		}
	}
	for i, b := range set {
		col := cols[i%len(cols)]
		dark := p.Shift(col, -0.27, 1.25, 12)
		path := (&p.Path{}).Circle(b.x, b.y, b.r)
		c.Shadow(path, b.r*0.28, b.r*0.5, b.r*0.45, 0.3, p.Shift(col, -0.25, 1, 0))
		c.Paint(path, func(x, y float32) (p.Color, float32) {
			u, v := (x-b.x)/b.r, (y-b.y)/b.r
			z := p.Sqrt(max(0, 1-u*u-v*v))
			l := p.Clamp(-0.5*u-0.6*v+0.62*z, -1, 1)
			out := dark.Lerp(col, p.Smooth(-0.45, 0.75, l))
			out = out.Lerp(col, 0.35*p.Smooth(0.6, 0, z)*p.Smooth(0.2, 0.9, v)) // light from the floor
			h := p.Smooth(0.86, 1, l)
			return out.Lerp(hex(0xffffff), 0.6*h*h), 1
		})
	}
}

func facets(c *p.Canvas, r *p.Rand, ramp *p.Ramp) {
	s := 170 * c.U
	nx, ny := int(c.W/s)+3, int(c.H/s)+3
	at := make([][2]float32, nx*ny)
	for j := range ny {
		for i := range nx {
			at[j*nx+i] = [2]float32{(float32(i) - 1 + 0.5*float32(j%2) + 0.36*r.Bell()) * s, (float32(j) - 1 + 0.36*r.Bell()) * s}
		}
	}
	n := p.Noise(r.Seed32())
	c.Sky(ramp)
	tri := func(a, b, d [2]float32) {
		mx, my := (a[0]+b[0]+d[0])/3, (a[1]+b[1]+d[1])/3
		t := 0.5 + 0.55*n.FBM(mx/c.W*1.1, my/c.W*1.1, 2)
		k := 1 + 0.3*r.Bell()
		col := ramp.At(t).Scale(k)
		edge := (&p.Path{}).Move(a[0], a[1]).Line(b[0], b[1]).Line(d[0], d[1])
		c.Paint(edge.Turn(mx*-0.006, my*-0.006, 1.006, 0), func(x, y float32) (p.Color, float32) {
			return col.Scale(1 + 0.22*((x-mx)-(y-my))/s), 1
		})
	}
	for j := range ny - 1 {
		for i := range nx - 1 {
			a, b := at[j*nx+i], at[j*nx+i+1]
			d, e := at[(j+1)*nx+i], at[(j+1)*nx+i+1]
			if j%2 == 0 {
				tri(a, b, d)
				tri(b, e, d)
			} else {
				tri(a, b, e)
				tri(a, e, d)
			}
		}
	}
}

func retro(c *p.Canvas, ground p.Color, cols []p.Color) {
	cx, cy, w := c.W*0.5, c.H*0.56, c.W*0.082
	c.Shade(func(x, y float32) p.Color {
		var d float32
		switch { // around the sun above, straight down on the right, curving out on the left
		case y < cy:
			d = p.Sqrt((x-cx)*(x-cx)+(y-cy)*(y-cy)) - c.W*0.13
		default:
			d = p.Abs(x-cx) - c.W*0.13
		}
		if d < 0 {
			e := p.Sqrt((x-cx)*(x-cx)+(y-cy)*(y-cy)) - c.W*0.098
			return ground.Lerp(cols[0], 1-p.Clamp(-d, 0, 1)).Lerp(cols[2], p.Clamp(0.5-e, 0, 1))
		}
		i := int(d / w)
		if i >= len(cols) {
			return ground
		}
		next := ground
		if i+1 < len(cols) {
			next = cols[i+1]
		}
		return cols[i].Lerp(next, p.Clamp(d-float32(i+1)*w+1, 0, 1))
	})
}

func deco(c *p.Canvas, r *p.Rand) {
	ground := even(0x0b2a22, 0x0f3a2e, 0x071c18)
	c.Sky(ground)
	c.Glow(c.W*0.3, c.H*0.2, c.W*1.1, hex(0x1f6a50), 0.5)
	gold := even(0x7a5a22, 0xd8b25a, 0xfff0bc, 0xc8983e, 0x8a6428)
	s := 270 * c.U
	n := p.Noise(r.Seed32())
	c.Change(func(x, y float32, was p.Color) p.Color {
		// Fans of scales: each point belongs to the scale whose foot is nearest above.
		a := float32(0)
		j := p.Floor(y / (s / 2))
		for k := j + 2; k >= j; k-- { // lower scales lie over higher ones
			off := float32(0)
			if k%2 != 0 {
				off = s / 2
			}
			i := p.Floor((x - off) / s)
			cx, cy := (float32(i)+0.5)*s+off, float32(k)*s/2
			d := p.Sqrt((x-cx)*(x-cx) + (y-cy)*(y-cy))
			if y > cy || d > s/2 {
				continue
			}
			for ring := range 5 {
				e := p.Abs(d-s*(0.49-0.095*float32(ring))) - (1.7-0.2*float32(ring))*c.U
				a = max(a, p.Clamp(0.5-e, 0, 1))
			}
			break
		}
		if a == 0 {
			return was
		}
		t := 0.5 + 0.5*p.Sin((x*0.8+y)/c.W*4+1.5*n.At(x/c.W*2, y/c.W*2))
		calm := p.Smooth(0.1, 0.5, p.Abs(y/c.H-0.46)) // quieter in the area of the text
		return was.Lerp(gold.At(t), a*(0.16+0.7*calm))
	})
}
