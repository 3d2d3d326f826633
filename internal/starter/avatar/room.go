// SPDX-License-Identifier: Apache-2.0

package avatar

import (
	"context"
	"image"

	p "github.com/reelops/reelops/internal/content/imagery/paint"
)

// room is the background of a figure, out of focus.
type room struct {
	// blur is the radius of the blur, in pixels of a frame that is 1080 wide.
	blur  float32
	paint func(c *p.Canvas, r *p.Rand)
	// lights paints lamps over the blurred room, with sharp edges: lamps out of focus look like discs.
	lights func(c *p.Canvas, r *p.Rand)
}

// drawRoom paints the room. The blurred part needs few pixels, so it is painted at half the size and enlarged.
func drawRoom(ctx context.Context, rm room, seed uint64, w, h int) *image.RGBA {
	small := p.New(ctx, w/2, h/2)
	rm.paint(small, p.NewRand(seed))
	sw, sh := small.Size()
	pix := make([]float32, 3*sw*sh)
	small.Rows(0, sh, func(y int, row []p.Color) {
		for x, c := range row {
			o := pix[3*(y*sw+x):]
			o[0], o[1], o[2] = c.R, c.G, c.B
		}
	})
	blur(pix, sw, sh, 3, rm.blur*float32(w)/1080/2)
	full := p.New(ctx, w, h)
	full.Shade(func(x, y float32) p.Color {
		u, v := p.Clamp(x/2-0.5, 0, float32(sw)-1.01), p.Clamp(y/2-0.5, 0, float32(sh)-1.01)
		ix, iy := int(u), int(v)
		fx, fy := u-float32(ix), v-float32(iy)
		at := func(x, y int) p.Color {
			o := pix[3*(y*sw+x):]
			return p.Color{R: o[0], G: o[1], B: o[2]}
		}
		return at(ix, iy).Lerp(at(ix+1, iy), fx).Lerp(at(ix, iy+1).Lerp(at(ix+1, iy+1), fx), fy)
	})
	if rm.lights != nil {
		rm.lights(full, p.NewRand(seed+1))
	}
	return full.Finish(p.Look{Grain: 0.8, Vignette: 0.16, Seed: uint32(seed)})
}

// rect returns a rectangle; its coordinates are shares of the width and height of the image.
func rect(c *p.Canvas, x0, y0, x1, y1 float32) *p.Path {
	return (&p.Path{}).Rect(x0*c.W, y0*c.H, x1*c.W, y1*c.H)
}

func block(c *p.Canvas, col uint32, x0, y0, x1, y1 float32) {
	c.Flat(rect(c, x0, y0, x1, y1), p.Hex(col), 1)
}

func wall(c *p.Canvas, left, right uint32) {
	a, b := p.Hex(left), p.Hex(right)
	c.Shade(func(x, y float32) p.Color { return p.Mix(a, b, p.Smooth(0, 1, 0.75*x/c.W+0.25*y/c.H)) })
}

// kitchen returns a room with green cupboards, a shelf and a bright window.
func kitchen() room {
	return room{blur: 13, paint: func(c *p.Canvas, r *p.Rand) {
		wall(c, 0xf3e7d6, 0xe6d3ba)
		for i := range 9 { // tiles
			for j := range 12 {
				y := 0.30 + float32(j)*0.026
				x := float32(i)*0.13 - 0.06*float32(j%2)
				c.Flat((&p.Path{}).Round((x+0.004)*c.W, (y+0.002)*c.H, (x+0.126)*c.W, (y+0.024)*c.H, 3*c.U), p.Hex(0xf7f1e8).Scale(r.In(0.86, 1)), 0.85)
			}
		}
		for i := range 3 { // cupboards
			x := -0.06 + 0.24*float32(i)
			if i == 2 {
				break
			}
			block(c, 0x7f9a82, x, -0.01, x+0.23, 0.235)
			c.Flat((&p.Path{}).Round((x+0.03)*c.W, 0.012*c.H, (x+0.20)*c.W, 0.215*c.H, 6*c.U), p.Hex(0x8dab90), 1)
			block(c, 0xd9b36a, x+0.195, 0.17, x+0.207, 0.205)
		}
		block(c, 0x8a5f3c, -0.02, 0.30, 0.40, 0.312) // shelf
		for i, col := range []uint32{0xd98c5f, 0xf0e2c8, 0x5f7f73, 0xe9c46a, 0xb5553c} {
			x := 0.02 + 0.072*float32(i)
			h := r.In(0.034, 0.058)
			c.Flat((&p.Path{}).Round(x*c.W, (0.30-h)*c.H, (x+0.056)*c.W, 0.30*c.H, 8*c.U), p.Hex(col), 1)
		}
		c.Flat(rect(c, 0.62, -0.01, 1.02, 0.47), p.Hex(0xfffaf0), 1) // window
		win := p.Hex(0xeaf6ff).Scale(1.35)
		c.Paint(rect(c, 0.645, 0, 1.02, 0.45), func(_, y float32) (p.Color, float32) {
			return p.Mix(win, p.Hex(0xbfdcae).Scale(1.15), p.Smooth(0.16, 0.5, y/c.H)), 1
		})
		for range 26 {
			c.Disc(r.In(0.66, 1)*c.W, r.In(0.25, 0.45)*c.H, r.In(14, 40)*c.U, 6*c.U, p.Hex(0x7fae6b).Scale(r.In(0.7, 1.4)), 0.6)
		}
		block(c, 0xfffaf0, 0.80, 0, 0.82, 0.46)
		block(c, 0xfffaf0, 0.63, 0.20, 1.02, 0.212)
		plant(c, r, 0.93, 0.49, 0.12, p.Hex(0x4f8a4c))
		c.Flat((&p.Path{}).Round(0.87*c.W, 0.48*c.H, 0.99*c.W, 0.56*c.H, 9*c.U), p.Hex(0xc9714b), 1)
		block(c, 0xe9dcc8, -0.01, 0.56, 1.01, 0.60) // worktop
		block(c, 0x6f8c74, -0.01, 0.60, 1.01, 1.01)
		block(c, 0x5d7762, 0.30, 0.60, 0.31, 1.01)
		c.Flat((&p.Path{}).Round(0.03*c.W, 0.47*c.H, 0.17*c.W, 0.56*c.H, 12*c.U), p.Hex(0xc14f3d), 1) // pot
		block(c, 0x8b2f26, 0.02, 0.468, 0.18, 0.478)
		c.Glow(0.9*c.W, 0.2*c.H, 640*c.U, p.Hex(0xfff1d8), 0.32)
	}, lights: func(c *p.Canvas, _ *p.Rand) {
		for _, x := range []float32{0.47, 0.585} {
			c.Flat(rect(c, x-0.0015, 0, x+0.0015, 0.13), p.Hex(0x6b5136), 0.6)
			c.Bokeh(x*c.W, 0.15*c.H, 46*c.U, 16*c.U, 0.15, p.Hex(0xffdf9e), 0.75)
			c.Glow(x*c.W, 0.15*c.H, 190*c.U, p.Hex(0xffd28a), 0.28)
		}
	}}
}

// plant paints a bunch of leaves around x, y, which are shares of the width and height of the image.
func plant(c *p.Canvas, r *p.Rand, x, y, size float32, col p.Color) {
	for range 34 {
		a := r.In(-2.9, -0.25)
		d := size * r.In(0.35, 1)
		ex, ey := (x+p.Cos(a)*d)*c.W, y*c.H+p.Sin(a)*d*c.W*1.15
		bx, by := x*c.W, y*c.H
		nx, ny := -(ey-by)*0.16, (ex-bx)*0.16
		leaf := (&p.Path{}).Move(bx, by).Quad((bx+ex)/2+nx, (by+ey)/2+ny, ex, ey).Quad((bx+ex)/2-nx, (by+ey)/2-ny, bx, by)
		c.Flat(leaf, col.Scale(r.In(0.5, 1.35)), 0.95)
	}
}

// study returns a room with bookshelves in lamp light.
func study() room {
	return room{blur: 12, paint: func(c *p.Canvas, r *p.Rand) {
		wall(c, 0x3c5560, 0x22343d)
		block(c, 0x6a4630, 0.03, -0.01, 0.97, 0.86)
		books := p.Hexes(0xa8432f, 0xd9a441, 0x2f6d6a, 0xe6d5b8, 0x44506e, 0x7d8f4e, 0xc9764a, 0x884c5f, 0x31475a, 0xefe6d3)
		for row := range 7 {
			y0, y1 := 0.012+0.118*float32(row), 0.12+0.118*float32(row)
			block(c, 0x38251a, 0.05, y0-0.012, 0.49, y1)
			block(c, 0x38251a, 0.51, y0-0.012, 0.95, y1)
			for _, side := range []float32{0.055, 0.515} {
				for x := side; x < side+0.42; {
					w := r.In(0.018, 0.042)
					if r.Float() < 0.10 {
						x += w * 2
						continue
					}
					h := r.In(0.066, 0.098)
					c.Flat(rect(c, x, y1-h, x+w*0.94, y1), books[r.Int(len(books))].Scale(r.In(0.7, 1.1)), 1)
					if r.Float() < 0.5 {
						c.Flat(rect(c, x, y1-h*0.8, x+w*0.94, y1-h*0.73), p.Hex(0xf0dfb4), 0.6)
					}
					x += w
				}
			}
		}
		block(c, 0x4a3022, -0.01, 0.83, 1.01, 1.01)
		plant(c, r, 0.10, 0.235, 0.10, p.Hex(0x4f8555))
		block(c, 0xe8e0d4, 0.06, 0.222, 0.14, 0.246)
		c.Glow(0.90*c.W, 0.36*c.H, 560*c.U, p.Hex(0xffc47a), 0.75)
		c.Glow(0.06*c.W, 0.05*c.H, 460*c.U, p.Hex(0x8fc3e0), 0.18)
	}, lights: func(c *p.Canvas, _ *p.Rand) {
		x, y := 0.905*c.W, 0.325*c.H
		shade := (&p.Path{}).Move(x-66*c.U, y).Line(x+66*c.U, y).Line(x+104*c.U, y+132*c.U).Line(x-104*c.U, y+132*c.U)
		f := c.Soft(shade, 4, 16*c.U)
		col := p.Hex(0xffe0ab)
		c.Change(func(px, py float32, was p.Color) p.Color { return was.Lerp(col.Scale(1.25), 0.92*f.At(px, py)) })
		c.Glow(x, y+100*c.U, 300*c.U, p.Hex(0xffca85), 0.42)
	}}
}

// lounge returns a room with a sofa, pictures and a large plant.
func lounge() room {
	return room{blur: 14, paint: func(c *p.Canvas, r *p.Rand) {
		wall(c, 0xf0dccb, 0xd9b9a6)
		for _, f := range [][5]float32{{0.08, 0.07, 0.30, 0.235, 0}, {0.345, 0.035, 0.53, 0.165, 1}, {0.345, 0.185, 0.50, 0.28, 2}} {
			block(c, 0x7a5740, f[0]-0.012, f[1]-0.007, f[2]+0.012, f[3]+0.007)
			block(c, 0xfaf4ea, f[0], f[1], f[2], f[3])
			mx, my := (f[0]+f[2])/2*c.W, (f[1]+f[3])/2*c.H
			cols := p.Hexes(0xd98b5f, 0x5f8a8b, 0xe2b451)
			c.Disc(mx, my-14*c.U, (f[2]-f[0])*c.W*0.26, 4*c.U, cols[int(f[4])], 1)
			c.Flat((&p.Path{}).Ellipse(mx, my+(f[3]-f[1])*c.H*0.34, (f[2]-f[0])*c.W*0.42, (f[3]-f[1])*c.H*0.2), cols[(int(f[4])+1)%3], 0.9)
		}
		c.Flat((&p.Path{}).Round(-0.05*c.W, 0.50*c.H, 1.05*c.W, 0.82*c.H, 60*c.U), p.Hex(0x5c7d84), 1) // sofa
		c.Flat((&p.Path{}).Round(-0.05*c.W, 0.46*c.H, 0.48*c.W, 0.70*c.H, 50*c.U), p.Hex(0x6c9097), 1)
		c.Flat((&p.Path{}).Round(0.50*c.W, 0.46*c.H, 1.05*c.W, 0.70*c.H, 50*c.U), p.Hex(0x678b92), 1)
		c.Flat((&p.Path{}).Round(0.00*c.W, 0.50*c.H, 0.23*c.W, 0.63*c.H, 30*c.U).Turn(0, 0, 1, 0.02), p.Hex(0xe0a458), 1)
		c.Flat((&p.Path{}).Round(0.80*c.W, 0.50*c.H, 1.02*c.W, 0.63*c.H, 30*c.U), p.Hex(0xe9d9c4), 1)
		plant(c, r, 0.86, 0.44, 0.30, p.Hex(0x3f7a52))
		plant(c, r, 0.84, 0.46, 0.24, p.Hex(0x5b9a63))
		c.Flat((&p.Path{}).Round(0.78*c.W, 0.445*c.H, 0.94*c.W, 0.56*c.H, 16*c.U), p.Hex(0xf2ece2), 1)
		c.Glow(0.02*c.W, 0.05*c.H, 900*c.U, p.Hex(0xfff0d4), 0.40)
	}, lights: nil}
}

// park returns an outdoor background: trees with the sun behind them.
func park() room {
	return room{blur: 20, paint: func(c *p.Canvas, r *p.Rand) {
		sky := p.Even(p.Hex(0x9fd0ef), p.Hex(0xd9eef2), p.Hex(0xf6efcf))
		c.Shade(func(_, y float32) p.Color { return sky.At(y / c.H / 0.5) })
		for layer := range 3 {
			col := p.Hexes(0xa9c98f, 0x76a864, 0x4c8049)[layer]
			base := 0.36 + 0.05*float32(layer)
			for range 90 {
				x := r.In(-0.1, 1.1)
				y := base - r.In(0, 0.30)*(0.5+0.5*p.Abs(2*x-1)) + 0.03
				c.Disc(x*c.W, y*c.H, r.In(26, 78)*c.U, 10*c.U, col.Scale(r.In(0.65, 1.35)), 0.8)
			}
			block2 := rect(c, -0.01, base, 1.01, 0.62)
			c.Flat(block2, col.Scale(0.85), 1)
		}
		for _, x := range []float32{0.05, 0.17, 0.88} {
			c.Flat(rect(c, x, 0.2, x+0.035, 0.58), p.Hex(0x5a4532), 0.9)
		}
		grass := p.Even(p.Hex(0xa7c96a), p.Hex(0x6f9f4a), p.Hex(0x55813c))
		c.Paint(rect(c, -0.01, 0.54, 1.01, 1.01), func(_, y float32) (p.Color, float32) { return grass.At((y/c.H - 0.54) / 0.46), 1 })
		path := (&p.Path{}).Move(0.40*c.W, 0.54*c.H).Line(0.50*c.W, 0.54*c.H).Line(1.1*c.W, c.H).Line(0.1*c.W, c.H)
		c.Flat(path, p.Hex(0xe2d1a8), 0.9)
		c.Glow(0.22*c.W, 0.12*c.H, 760*c.U, p.Hex(0xfff2c0), 0.75)
	}, lights: func(c *p.Canvas, r *p.Rand) {
		for range 34 { // sun through leaves
			x, y := r.In(0, 1), r.In(0.02, 0.42)
			c.Bokeh(x*c.W, y*c.H, r.In(16, 44)*c.U, 5*c.U, 0.35, p.Mix(p.Hex(0xfff3b8), p.Hex(0xd2f0a0), r.Float()), r.In(0.05, 0.22))
		}
	}}
}

// bedroom returns a room with curtains and a string of small lights.
func bedroom() room {
	return room{blur: 15, paint: func(c *p.Canvas, r *p.Rand) {
		wall(c, 0xcdb7d8, 0x9f86b8)
		for i := range 11 { // curtains at the left
			x := -0.03 + 0.03*float32(i)
			c.Flat(rect(c, x, -0.01, x+0.017, 0.7), p.Hex(0xf4e4ec), 0.9)
			c.Flat(rect(c, x+0.017, -0.01, x+0.031, 0.7), p.Hex(0xdcc0d2), 0.9)
		}
		block(c, 0xfbf2f6, 0.60, 0.10, 0.78, 0.24)
		block(c, 0xe58fa0, 0.615, 0.11, 0.765, 0.23)
		c.Disc(0.69*c.W, 0.17*c.H, 40*c.U, 4*c.U, p.Hex(0xfbe3b2), 1)
		block(c, 0xfbf2f6, 0.82, 0.16, 0.98, 0.29)
		block(c, 0x7fb3c8, 0.835, 0.17, 0.965, 0.28)
		c.Flat((&p.Path{}).Round(0.06*c.W, 0.50*c.H, 1.02*c.W, 0.78*c.H, 70*c.U), p.Hex(0x86689c), 1)
		c.Flat((&p.Path{}).Round(0.02*c.W, 0.62*c.H, 0.34*c.W, 0.80*c.H, 50*c.U), p.Hex(0xf7eaf0), 1)
		c.Flat((&p.Path{}).Round(0.70*c.W, 0.61*c.H, 1.05*c.W, 0.80*c.H, 50*c.U), p.Hex(0xf3cfd6), 1)
		block(c, 0xead6e4, -0.01, 0.76, 1.01, 1.01)
		c.Glow(0.08*c.W, 0.12*c.H, 560*c.U, p.Hex(0xffe7dc), 0.42)
	}, lights: func(c *p.Canvas, r *p.Rand) {
		for i := range 15 {
			t := float32(i) / 14
			x := 0.26 + 0.80*t
			sag := p.Abs(p.Sin(t * 9.42))
			y := 0.055 + 0.045*sag + r.In(-0.004, 0.004)
			c.Bokeh(x*c.W, y*c.H, r.In(19, 27)*c.U, 6*c.U, 0.25, p.Hex(0xffdf9a), r.In(0.45, 0.75))
			c.Glow(x*c.W, y*c.H, 90*c.U, p.Hex(0xffc774), 0.16)
		}
	}}
}

// studio returns a plain wall with the light of a window on it.
func studio() room {
	return room{blur: 16, paint: func(c *p.Canvas, r *p.Rand) {
		wall(c, 0xf2a988, 0xd5745f)
		light := &p.Path{}
		for i := range 2 {
			for j := range 3 {
				x, y := 0.50+0.22*float32(i), 0.03+0.15*float32(j)-0.05*float32(i)
				light.Move(x*c.W, (y+0.03)*c.H).Line((x+0.19)*c.W, (y-0.015)*c.H).Line((x+0.19)*c.W, (y+0.105)*c.H).Line(x*c.W, (y+0.15)*c.H)
			}
		}
		f := c.Soft(light, 4, 10*c.U)
		sun := p.Hex(0xffe9c4)
		c.Change(func(x, y float32, was p.Color) p.Color { return was.Add(was.Mul(sun).Scale(0.62 * f.At(x, y))) })
		plant(c, r, 0.05, 0.60, 0.34, p.Hex(0x4d7d63))
		plant(c, r, 0.02, 0.62, 0.28, p.Hex(0x6fa67f))
		c.Glow(0.05*c.W, 0.1*c.H, 800*c.U, p.Hex(0xffdcc0), 0.25)
	}}
}
