// SPDX-License-Identifier: Apache-2.0

package render

import (
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"io"
	"math"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/gomono"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/math/fixed"
)

// moving is a clip that is drawn for a test, frame by frame.
type moving struct {
	w, h int
	// draw draws frame n of pictures frames.
	draw func(img *image.RGBA, n int)
	// crf is the quality of the encoder; 0 means 26, about that of an upload.
	crf int
	// scale is the height to which the frames are scaled before they are encoded; 0 means no scaling.
	scale int
}

const (
	movingPictures = 12
	movingRate     = 4
)

// encode writes the clip.
func (m moving) encode(t testing.TB) string {
	t.Helper()
	out := filepath.Join(t.TempDir(), "clip.mp4")
	crf, filters := m.crf, "scale=out_color_matrix=bt709"
	if crf == 0 {
		crf = 26
	}
	if m.scale > 0 {
		filters = fmt.Sprintf("scale=-2:%d:out_color_matrix=bt709", m.scale)
	}
	cmd := exec.Command("ffmpeg", "-v", "error", "-f", "rawvideo", "-pixel_format", "rgba", "-video_size", fmt.Sprintf("%dx%d", m.w, m.h),
		"-framerate", fmt.Sprint(movingRate), "-i", "-", "-vf", filters, "-pix_fmt", "yuv420p", "-colorspace", "bt709",
		"-c:v", "libx264", "-preset", "veryfast", "-crf", fmt.Sprint(crf), "-g", "4", out)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	var speechLike strings.Builder
	cmd.Stderr = &speechLike
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	img := image.NewRGBA(image.Rect(0, 0, m.w, m.h))
	for n := range movingPictures {
		m.draw(img, n)
		if _, err := io.Copy(in, strings.NewReader(string(img.Pix))); err != nil {
			break
		}
	}
	in.Close()
	if err := cmd.Wait(); err != nil {
		t.Fatalf("%v: %s", err, speechLike.String())
	}
	return out
}

// pen writes text.
type pen struct {
	regular, bold, mono *opentype.Font
	faces               map[nib]font.Face
}

type nib struct {
	font *opentype.Font
	size float64
}

func newPen(t testing.TB) pen {
	parse := func(b []byte) *opentype.Font {
		f, err := opentype.Parse(b)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	return pen{parse(goregular.TTF), parse(gobold.TTF), parse(gomono.TTF), map[nib]font.Face{}}
}

func (p pen) text(img draw.Image, f *opentype.Font, size float64, x, y int, c color.Color, text string) {
	face := p.faces[nib{f, size}]
	if face == nil {
		var err error
		if face, err = opentype.NewFace(f, &opentype.FaceOptions{Size: size, DPI: 72, Hinting: font.HintingFull}); err != nil {
			panic(err)
		}
		p.faces[nib{f, size}] = face
	}
	d := font.Drawer{Dst: img, Src: image.NewUniform(c), Face: face, Dot: fixed.P(x, y)}
	d.DrawString(text)
}

func fill(img draw.Image, x, y, w, h int, c color.Color) {
	draw.Draw(img, image.Rect(x, y, x+w, y+h), image.NewUniform(c), image.Point{}, draw.Src)
}

func shade(v uint8) color.RGBA { return color.RGBA{v, v, v, 255} }

const latin = "Measure what the page does before you change how the page looks, and keep the numbers beside the code that they are about. " +
	"A queue that is never empty hides the cost of its slowest reader. Retry with backoff, record the outcome, release the lease. "

// sentence returns a section of text that begins at another position for each number.
func sentence(n, length int) string {
	from := n * 31 % len(latin)
	return (latin + latin + latin)[from : from+length]
}

var ink, paper0, blue, green, red0 = color.RGBA{30, 34, 42, 255}, color.RGBA{250, 250, 252, 255}, color.RGBA{36, 99, 235, 255}, color.RGBA{90, 200, 120, 255}, color.RGBA{214, 60, 60, 255}

// screens are recordings of screens.
func screens(t testing.TB) map[string]moving {
	p := newPen(t)
	web := func(w, h int, size float64, speed int) func(*image.RGBA, int) {
		s := func(v float64) int { return int(v * size) }
		picture := photo(s(18), s(10), 3)
		return func(img *image.RGBA, n int) {
			fill(img, 0, 0, w, h, paper0)
			up := n * speed
			for k := range 60 {
				y := s(8) + k*s(1.7) - up
				if k%14 == 9 {
					draw.Draw(img, picture.Bounds().Add(image.Pt(s(4), y)), picture, image.Point{}, draw.Src)
				}
				if k%14 < 8 {
					p.text(img, p.regular, size, s(4), y, ink, sentence(k, min(90, int(1.6*float64(w-s(8))/size))))
				}
				if k%14 == 8 {
					fill(img, s(4), y-s(1.2), s(10), s(2), blue)
					p.text(img, p.bold, size, s(5), y+s(0.2), color.White, "Sign up free")
				}
			}
			fill(img, 0, 0, w, s(3.4), color.White)
			fill(img, 0, s(3.4), w, 1, shade(220))
			p.text(img, p.bold, 1.5*size, s(2), s(2.3), ink, "Acme")
			for k := range 4 {
				p.text(img, p.regular, size, w-s(30)+s(7)*k, s(2.2), ink, []string{"Product", "Pricing", "Docs", "Sign in"}[k])
			}
		}
	}
	code := func(img *image.RGBA, n int) {
		w, h := img.Rect.Dx(), img.Rect.Dy()
		fill(img, 0, 0, w, h, color.RGBA{30, 30, 46, 255})
		fill(img, 0, 0, w/6, h, color.RGBA{24, 24, 37, 255})
		for k := range 40 {
			y := 24 + 20*k
			p.text(img, p.regular, 13, 16, y, shade(150), "file_"+sentence(k, 9))
			p.text(img, p.mono, 13, w/6+14, y, shade(90), fmt.Sprint(100+k))
			line := sentence(3*k, 20+k*7%50)
			if k == 20 {
				line = line[:min(n, len(line))]
			}
			x := w/6 + 60 + k*13%4*24
			for i, word := range strings.Fields(line) {
				p.text(img, p.mono, 14, x, y, []color.RGBA{{203, 166, 247, 255}, {137, 180, 250, 255}, {205, 214, 244, 255}, {166, 227, 161, 255}}[(i+k)%4], word)
				x += 9 * (len(word) + 1)
			}
		}
	}
	terminal := func(img *image.RGBA, n int) {
		fill(img, 0, 0, img.Rect.Dx(), img.Rect.Dy(), color.RGBA{12, 12, 12, 255})
		for k := range 30 {
			p.text(img, p.mono, 15, 12, 22+18*k, []color.RGBA{shade(204), green}[(k+n/3)%5/4], "$ "+sentence(k+n/3, 20+(k+n/3)*11%50))
		}
	}
	sheet := func(img *image.RGBA, n int) {
		w, h := img.Rect.Dx(), img.Rect.Dy()
		fill(img, 0, 0, w, h, color.White)
		fill(img, 0, 0, w, 60, color.RGBA{33, 115, 70, 255})
		for x := 0; x < w; x += 96 {
			fill(img, x, 60, 1, h, shade(212))
		}
		for y := 60; y < h; y += 22 {
			fill(img, 0, y, w, 1, shade(212))
			for x := 0; x < w; x += 96 {
				if (x/96+y/22)%3 != 0 {
					p.text(img, p.regular, 13, x+30, y+16, ink, fmt.Sprintf("%d.%02d", (x*7+y*13)%900, (x+y)%100))
				}
			}
		}
		for k := range 4 {
			at := (n/6 + k) % 12
			fill(img, 96, 60+22*at, 97, 2, color.RGBA{33, 115, 70, 255})
		}
	}
	slide := func(ground func(img *image.RGBA)) func(*image.RGBA, int) {
		return func(img *image.RGBA, n int) {
			ground(img)
			at := n / 12
			p.text(img, p.bold, 54, 90, 140, ink, []string{"Where we are", "What it costs", "What comes next"}[at%3])
			for k := range 3 + at {
				fill(img, 96, 210+64*k, 12, 12, blue)
				p.text(img, p.regular, 30, 130, 224+64*k, ink, sentence(k+7*at, 38))
			}
		}
	}
	plainGround := func(img *image.RGBA) { fill(img, 0, 0, img.Rect.Dx(), img.Rect.Dy(), color.White) }
	softGround := func(img *image.RGBA) {
		for y := range img.Rect.Dy() {
			fill(img, 0, y, img.Rect.Dx(), 1, color.RGBA{uint8(235 - y/12), uint8(240 - y/20), 250, 255})
		}
	}
	phone := func(img *image.RGBA, n int) {
		w, h := img.Rect.Dx(), img.Rect.Dy()
		fill(img, 0, 0, w, h, color.RGBA{242, 242, 247, 255})
		for k := range 14 {
			y := 90 + 92*k - n*4
			fill(img, 16, y, w-32, 80, color.White)
			fill(img, 28, y+14, 50, 50, []color.RGBA{blue, green, red0}[k%3])
			p.text(img, p.bold, 18, 94, y+32, ink, sentence(k, 16))
			p.text(img, p.regular, 15, 94, y+58, shade(120), sentence(k+5, 30))
		}
		fill(img, 0, 0, w, 64, color.RGBA{248, 248, 250, 255})
		p.text(img, p.bold, 18, 24, 34, ink, "9:41")
		fill(img, 0, h-84, w, 84, color.RGBA{248, 248, 250, 255})
		for k := range 4 {
			fill(img, 40+k*w/4, h-62, 28, 28, []color.RGBA{blue, shade(140)}[min(k, 1)])
		}
	}
	thumbs := []*image.RGBA{photo(290, 190, 1), photo(290, 190, 2), photo(290, 190, 3)}
	gallery := func(img *image.RGBA, n int) {
		w, h := img.Rect.Dx(), img.Rect.Dy()
		fill(img, 0, 0, w, h, color.White)
		for k := range 12 {
			x, y := 24+k%4*(w-24)/4, 70+k/4*260-n/12*40
			small := thumbs[k%3]
			draw.Draw(img, small.Bounds().Add(image.Pt(x, y)), small, image.Point{}, draw.Src)
			p.text(img, p.bold, 15, x, y+212, ink, sentence(k, 18))
			p.text(img, p.regular, 13, x, y+232, shade(110), "$"+fmt.Sprint(10+k*7)+".00 · in stock")
		}
		fill(img, 0, 0, w, 56, ink)
		p.text(img, p.bold, 22, 24, 37, color.White, "Shop")
	}
	wall := photo(1280, 720, 2)
	desktop := func(img *image.RGBA, n int) {
		w, h := img.Rect.Dx(), img.Rect.Dy()
		copy(img.Pix, wall.Pix)
		x, y := w/10, h/10
		inner := image.NewRGBA(image.Rect(0, 0, w*8/10, h*8/10))
		web(w*8/10, h*8/10, 14, 2)(inner, n)
		draw.Draw(img, inner.Bounds().Add(image.Pt(x, y)), inner, image.Point{}, draw.Src)
	}
	bubble := func(img *image.RGBA, n int) {
		code(img, n)
		face := image.NewRGBA(image.Rect(0, 0, 220, 220))
		talker(face, n, 3)
		for y := range 220 {
			for x := range 220 {
				if math.Hypot(float64(x-110), float64(y-110)) < 108 {
					img.Set(img.Rect.Dx()-250+x, img.Rect.Dy()-250+y, face.At(x, y))
				}
			}
		}
	}
	return map[string]moving{
		"web page":                     {w: 1280, h: 720, draw: web(1280, 720, 18, 0)},
		"web page, scrolled":           {w: 1280, h: 720, draw: web(1280, 720, 18, 9)},
		"web page, retina":             {w: 2560, h: 1440, draw: web(2560, 1440, 32, 3)},
		"web page, small and lossy":    {w: 1280, h: 720, draw: web(1280, 720, 20, 4), scale: 480, crf: 33},
		"code editor":                  {w: 1280, h: 720, draw: code},
		"code editor, lossy":           {w: 1280, h: 720, draw: code, crf: 34},
		"code editor and a camera":     {w: 1280, h: 720, draw: bubble},
		"terminal":                     {w: 960, h: 600, draw: terminal},
		"spreadsheet":                  {w: 1280, h: 800, draw: sheet},
		"slides":                       {w: 1280, h: 720, draw: slide(plainGround)},
		"slides on a gradient":         {w: 1280, h: 720, draw: slide(softGround)},
		"telephone":                    {w: 540, h: 1170, draw: phone},
		"telephone, lossy":             {w: 540, h: 1170, draw: phone, crf: 32},
		"shop with photographs":        {w: 1280, h: 720, draw: gallery},
		"a window on a photograph":     {w: 1280, h: 720, draw: desktop},
		"web page, as from a message":  {w: 1280, h: 720, draw: web(1280, 720, 18, 2), scale: 360, crf: 30},
		"code editor, nearly lossless": {w: 1280, h: 720, draw: code, crf: 12},
	}
}

// grain adds noise to an image.
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

// talker draws a person who speaks in front of a wall.
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
	studio := func(img *image.RGBA, n int) { // an object that turns in front of a bright background
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
		"a person who speaks":                {w: 640, h: 360, draw: func(img *image.RGBA, n int) { talker(img, n, 4) }},
		"a person who speaks, lossy":         {w: 640, h: 360, draw: func(img *image.RGBA, n int) { talker(img, n, 2) }, crf: 33},
		"a person who speaks, without noise": {w: 640, h: 360, draw: func(img *image.RGBA, n int) { talker(img, n, 0) }},
		"a person with subtitles":            {w: 640, h: 360, draw: subtitled},
		"a moving texture":                   {w: 640, h: 360, draw: texture(4, 3)},
		"a still texture, lossy":             {w: 640, h: 360, draw: texture(0, 1), crf: 32},
		"film grain":                         {w: 640, h: 360, draw: texture(1, 14)},
		"a pan over drawn houses":            {w: 640, h: 360, draw: scene(0, 7)},
		"a pan over drawn houses, grainy":    {w: 640, h: 360, draw: scene(5, 3)},
		"a bright sky":                       {w: 640, h: 360, draw: sky},
		"night":                              {w: 640, h: 360, draw: night},
		"night, lossy":                       {w: 640, h: 360, draw: night, crf: 33},
		"an object on white":                 {w: 640, h: 360, draw: studio},
		"an object on white, lossy":          {w: 640, h: 360, draw: studio, crf: 33},
		"a wall with windows":                {w: 640, h: 360, draw: facade},
		"branches before the sky":            {w: 640, h: 360, draw: branches},
		"branches before the sky, lossy":     {w: 640, h: 360, draw: branches, crf: 34},
		"bars above and below":               {w: 640, h: 360, draw: bars},
		"soft blobs":                         {w: 640, h: 360, draw: func(img *image.RGBA, n int) { copy(img.Pix, photo(640, 360, uint32(n/9+1)).Pix) }},
	}
}
