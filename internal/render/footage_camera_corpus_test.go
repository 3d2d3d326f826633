// SPDX-License-Identifier: Apache-2.0

package render

import (
	"image"
	"image/color"
	"math"
	"math/rand/v2"
	"testing"
)

// grain adds noise to a picture.
func grain(img *image.RGBA, n int, strength float64) {
	r := rand.New(rand.NewPCG(uint64(n), 7))
	for i := 0; i < len(img.Pix); i += 4 {
		d := strength * r.NormFloat64()
		for k := range 3 {
			img.Pix[i+k] = uint8(min(max(float64(img.Pix[i+k])+d, 0), 255))
		}
	}
}

// paint sets every pixel.
func paint(img *image.RGBA, at func(x, y float64) rgb) {
	w := img.Rect.Dx()
	for i := range w * img.Rect.Dy() {
		c := at(float64(i%w), float64(i/w))
		for k, v := range c {
			img.Pix[4*i+k] = uint8(min(max(v, 0), 255))
		}
		img.Pix[4*i+3] = 255
	}
}

// cloud is smooth noise from 0 to 1 with details of all sizes.
func cloud(x, y float64) float64 {
	v, share := 0.0, 0.5
	for range 5 {
		x0, y0 := math.Floor(x), math.Floor(y)
		at := func(i, k float64) float64 {
			s := uint32(int32(x0+i))*374761393 + uint32(int32(y0+k))*668265263
			s = (s ^ s>>13) * 1274126177
			return float64((s^s>>16)&0xffff) / 0xffff
		}
		fx, fy := x-x0, y-y0
		fx, fy = fx*fx*(3-2*fx), fy*fy*(3-2*fy)
		v += share * ((at(0, 0)*(1-fx)+at(1, 0)*fx)*(1-fy) + (at(0, 1)*(1-fx)+at(1, 1)*fx)*fy)
		x, y, share = 2*x, 2*y, share/2
	}
	return v
}

// talker is somebody who speaks in front of a wall.
func talker(img *image.RGBA, n int, noise float64) {
	w, h := float64(img.Rect.Dx()), float64(img.Rect.Dy())
	cx, cy := w/2+3*math.Sin(float64(n)/3), h*0.45+2*math.Cos(float64(n)/2)
	paint(img, func(x, y float64) rgb {
		wall := 150 + 40*x/w - 30*y/h
		c := rgb{wall, wall * 0.96, wall * 0.9}
		if d := math.Hypot((x-cx)/(0.3*h), (y-h*1.05)/(0.35*h)); d < 1 {
			f := 60 + 30*cloud(x/40, y/40)
			c = rgb{f * 0.7, f * 0.8, f * 1.5}
		}
		if d := math.Hypot((x-cx)/(0.17*h), (y-cy)/(0.24*h)); d < 1 {
			light := 1 - 0.35*d + 0.1*(cx-x)/h + 0.08*cloud(x/12, y/12)
			c = rgb{225 * light, 175 * light, 150 * light}
			mouth := 0.02 + 0.015*math.Abs(math.Sin(float64(n)))
			if math.Hypot((x-cx)/(0.06*h), (y-cy-0.1*h)/(mouth*h)) < 1 {
				c = rgb{120, 50, 50}
			}
			for _, side := range []float64{-1, 1} {
				if math.Hypot((x-cx-side*0.07*h)/(0.025*h), (y-cy+0.05*h)/(0.014*h)) < 1 {
					c = rgb{50, 40, 40}
				}
			}
		}
		return c
	})
	grain(img, n, noise)
}

// cameras are clips that are no recordings of screens.
func cameras(t testing.TB) map[string]moving {
	p := newPen(t)
	texture := func(speed, noise float64) func(*image.RGBA, int) {
		return func(img *image.RGBA, n int) {
			paint(img, func(x, y float64) rgb {
				v := cloud((x+speed*float64(n))/90, (y+speed*float64(n)/3)/90)
				return rgb{40 + 190*v, 70 + 140*v, 30 + 90*v}
			})
			grain(img, n, noise)
		}
	}
	scene := func(noise, speed float64) func(*image.RGBA, int) { // houses in flat colours under a sun
		return func(img *image.RGBA, n int) {
			w, h := float64(img.Rect.Dx()), float64(img.Rect.Dy())
			paint(img, func(x, y float64) rgb {
				x += speed * float64(n)
				k := math.Floor(x / 210)
				tall := h * (0.3 + 0.35*math.Mod(k*0.37, 1))
				switch {
				case y > h*0.85:
					return rgb{90, 150, 80}
				case y > h*0.85-tall && math.Mod(x, 210) < 170:
					if math.Mod(math.Mod(x, 210), 42) > 20 && math.Mod(y, 60) > 30 {
						return rgb{240, 230, 170}
					}
					return rgb{120 + 20*math.Mod(k, 5), 80 + 15*math.Mod(k, 3), 90}
				case math.Hypot(x-w*0.8-speed*float64(n), y-h*0.2) < h*0.1:
					return rgb{250, 220, 90}
				}
				return rgb{130 + 60*y/h, 180 + 30*y/h, 230}
			})
			grain(img, n, noise)
		}
	}
	sky := func(img *image.RGBA, n int) {
		w, h := float64(img.Rect.Dx()), float64(img.Rect.Dy())
		dx, dy := 4*math.Sin(float64(n)), 3*math.Cos(1.7*float64(n))
		paint(img, func(x, y float64) rgb {
			x, y = x+dx, y+dy
			if hill := h*0.62 + 40*math.Sin(x/w*7) + 30*cloud(x/60, 3); y > hill {
				v := 0.4 + 0.6*cloud(x/20, y/12)
				return rgb{50 * v, 90 * v, 40 * v}
			}
			return rgb{252, 253, 255}
		})
		grain(img, n, 2)
	}
	night := func(img *image.RGBA, n int) {
		w, h := float64(img.Rect.Dx()), float64(img.Rect.Dy())
		paint(img, func(x, y float64) rgb {
			v := 10 + 6*cloud(x/80, y/80)
			for k := range 9 {
				lx, ly := math.Mod(float64(k)*0.37+float64(n)*0.004, 1)*w, (0.3+0.4*math.Mod(float64(k)*0.61, 1))*h
				v += 230 * math.Exp(-math.Hypot(x-lx, y-ly)/14)
			}
			return rgb{v, v * 0.85, v * 0.5}
		})
		grain(img, n, 4)
	}
	studio := func(img *image.RGBA, n int) { // a thing that turns in front of a bright ground
		w, h := float64(img.Rect.Dx()), float64(img.Rect.Dy())
		paint(img, func(x, y float64) rgb {
			d := math.Hypot((x-w/2)/(0.28*h), (y-h/2)/(0.36*h))
			if d < 1 {
				v := 0.5 + 0.5*cloud((x+6*float64(n))/30, y/30) - 0.4*d*d
				return rgb{200 * v, 60 + 60*v, 60 * v}
			}
			v := 255 - 70*math.Exp(-8*(d-1))*max(0, (y-h/2)/h)
			return rgb{v, v, v}
		})
		grain(img, n, 1.2)
	}
	facade := func(img *image.RGBA, n int) {
		dx, dy := 3*math.Sin(float64(n)*0.9), 2*math.Cos(float64(n)*1.3)
		paint(img, func(x, y float64) rgb {
			x, y = x+dx, y+dy
			v := 0.75 + 0.25*cloud(x/8, y/8)
			if math.Mod(x+1000, 120) > 70 && math.Mod(y+1000, 150) > 80 {
				return rgb{40 * v, 50 * v, 70 * v}
			}
			if math.Mod(y+1000, 30) < 3 || math.Mod(x+1000+45*math.Floor(y/30), 90) < 3 {
				return rgb{150 * v, 140 * v, 130 * v}
			}
			return rgb{190 * v, 110 * v, 80 * v}
		})
		grain(img, n, 3)
	}
	branches := func(img *image.RGBA, n int) { // of a tree before a bright sky
		sway := 2 * math.Sin(float64(n)*0.8)
		paint(img, func(x, y float64) rgb {
			for k := range 14 {
				lean := 0.5*float64(k%5) - 1
				at := 30 + 45*float64(k) + lean*y + 14*math.Sin(y/30+float64(k)) + sway*(1-y/360)
				if thick := 2 + 3*math.Mod(float64(k)*0.37, 1) + y/90; math.Abs(x-at) < thick {
					v := 30 + 50*cloud(x/3, y/5)
					return rgb{v, v * 0.9, v * 0.7}
				}
			}
			v := 225 + 12*cloud(x/120, y/80)
			return rgb{v - 8, v, v + 6}
		})
		grain(img, n, 2)
	}
	bars := func(img *image.RGBA, n int) {
		h := img.Rect.Dy()
		texture(4, 4)(img, n)
		fill(img, 0, 0, img.Rect.Dx(), h/7, color.Black)
		fill(img, 0, h-h/7, img.Rect.Dx(), h/7, color.Black)
	}
	subtitled := func(img *image.RGBA, n int) {
		talker(img, n, 4)
		p.text(img, p.bold, 24, 140, 320, color.White, sentence(n/12, 28))
	}
	return map[string]moving{
		"somebody who speaks":                {w: 640, h: 360, draw: func(img *image.RGBA, n int) { talker(img, n, 4) }},
		"somebody who speaks, lossy":         {w: 640, h: 360, draw: func(img *image.RGBA, n int) { talker(img, n, 2) }, crf: 33},
		"somebody who speaks, without noise": {w: 640, h: 360, draw: func(img *image.RGBA, n int) { talker(img, n, 0) }},
		"somebody with subtitles":            {w: 640, h: 360, draw: subtitled},
		"a texture that moves":               {w: 640, h: 360, draw: texture(4, 3)},
		"a texture that stands still, lossy": {w: 640, h: 360, draw: texture(0, 1), crf: 32},
		"film grain":                         {w: 640, h: 360, draw: texture(1, 14)},
		"a pan over drawn houses":            {w: 640, h: 360, draw: scene(0, 7)},
		"a pan over drawn houses, grainy":    {w: 640, h: 360, draw: scene(5, 3)},
		"a bright sky":                       {w: 640, h: 360, draw: sky},
		"night":                              {w: 640, h: 360, draw: night},
		"night, lossy":                       {w: 640, h: 360, draw: night, crf: 33},
		"a thing on white":                   {w: 640, h: 360, draw: studio},
		"a thing on white, lossy":            {w: 640, h: 360, draw: studio, crf: 33},
		"a wall with windows":                {w: 640, h: 360, draw: facade},
		"branches before the sky":            {w: 640, h: 360, draw: branches},
		"branches before the sky, lossy":     {w: 640, h: 360, draw: branches, crf: 34},
		"bars above and below":               {w: 640, h: 360, draw: bars},
		"soft blobs":                         {w: 640, h: 360, draw: func(img *image.RGBA, n int) { copy(img.Pix, photo(640, 360, uint32(n/9+1)).Pix) }},
	}
}
