// SPDX-License-Identifier: Apache-2.0

package render

import (
	"bytes"
	"image"
	"image/color"
	"image/draw"
	"math"
	"testing"

	"github.com/reelops/reelops/internal/film/timeline"
)

// exact is BT.709 limited range in floating point.
func exact(r, g, b float64) (y, cb, cr float64) {
	l := 0.2126*r + 0.7152*g + 0.0722*b
	return 16 + 219*l/255, 128 + 224*(b-l)/1.8556/255, 128 + 224*(r-l)/1.5748/255
}

func TestColour(t *testing.T) {
	for r := 0; r < 256; r += 15 {
		for g := 0; g < 256; g += 15 {
			for b := 0; b < 256; b += 15 {
				y, cb, cr := yuv(int32(r), int32(g), int32(b))
				wy, wcb, wcr := exact(float64(r), float64(g), float64(b))
				if math.Abs(float64(y)-wy) > 0.51 || math.Abs(float64(cb)-wcb) > 0.51 || math.Abs(float64(cr)-wcr) > 0.51 {
					t.Fatalf("rgb %d %d %d: got %d %d %d, want %.2f %.2f %.2f", r, g, b, y, cb, cr, wy, wcb, wcr)
				}
			}
			if _, cb, cr := yuv(int32(g), int32(g), int32(g)); cb != 128 || cr != 128 {
				t.Fatalf("grey %d has colour %d %d", g, cb, cr)
			}
		}
	}
}

func TestMix(t *testing.T) {
	for _, n := range []int{1, 7, 8, 29} {
		a, b, got := make([]byte, n), make([]byte, n), make([]byte, n)
		for i := range n {
			a[i], b[i] = byte(i*91), byte(255-i*37)
		}
		for w := uint32(0); w <= 256; w++ {
			mix(got, a, b, w)
			for i := range n {
				if want := byte((uint32(a[i])*(256-w) + uint32(b[i])*w + 128) >> 8); got[i] != want {
					t.Fatalf("%d samples, share %d: sample %d is %d, want %d", n, w, i, got[i], want)
				}
			}
		}
	}
}

func TestFit_KeepsFlatAreasAndTheWholeImage(t *testing.T) {
	img := image.NewRGBA(image.Rect(0, 0, 333, 257))
	for i := range img.Pix {
		img.Pix[i] = [4]uint8{200, 60, 30, 255}[i%4]
	}
	y, cb, cr := yuv(200, 60, 30)
	for _, size := range []image.Point{{64, 48}, {332, 256}, {700, 540}} {
		f := fit(sourcePlanes(img), window{0, 0, 333, 257}, size.X, size.Y)
		for i, want := range []byte{y, cb, cr} {
			for _, got := range f.planes()[i].pix {
				if got != want {
					t.Fatalf("%v: plane %d has %d, want %d", size, i, got, want)
				}
			}
		}
	}
}

// ramp returns an image whose brightness increases evenly from left to right and from top to bottom.
func ramp(w, h int) *image.RGBA {
	img := image.NewRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			v := uint8(40 + 90*(float64(x)+0.5)/float64(w) + 90*(float64(y)+0.5)/float64(h))
			img.SetRGBA(x, y, color.RGBA{v, v, v, 255})
		}
	}
	return img
}

func TestCover(t *testing.T) {
	for name, tc := range map[string]struct {
		sw, sh, dw, dh int
		fx, fy         float64
		want           window
	}{
		"same shape":          {180, 320, 1080, 1920, 0.5, 0.5, window{0, 0, 180, 320}},
		"wide, centre":        {400, 200, 100, 100, 0.5, 0.5, window{100, 0, 200, 200}},
		"wide, focus left":    {400, 200, 100, 100, 0.1, 0.5, window{0, 0, 200, 200}},
		"tall, focus low":     {200, 400, 100, 100, 0.5, 0.9, window{0, 200, 200, 200}},
		"tall, focus between": {200, 400, 100, 100, 0.5, 0.4, window{0, 60, 200, 200}},
	} {
		if got := cover(tc.sw, tc.sh, tc.dw, tc.dh, tc.fx, tc.fy); got != tc.want {
			t.Errorf("%s: got %v, want %v", name, got, tc.want)
		}
	}
}

// TestZoom_MovesSmoothly tracks a line through a zoom. Its position, measured to a fraction of a pixel, must match
// the scale on every frame: whole-pixel steps would be visible as jumps.
func TestZoom_MovesSmoothly(t *testing.T) {
	const w, h, line = 320, 180, 230.5
	img := image.NewRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			v := uint8(30 + 200*math.Exp(-math.Pow(float64(x)+0.5-line, 2)/18))
			img.SetRGBA(x, y, color.RGBA{v, v, v, 255})
		}
	}
	m := timeline.Motion{Kind: timeline.SlowZoom, From: 1, To: 1.1, Focus: &timeline.Point{X: 0.25, Y: 0.5}}
	z := newZoom(sourcePlanes(img), window{0, 0, w, h}, w, h, m)
	f, s := newFrame(w, h), &zoomScratch{}
	const frames = 300
	for n := range frames {
		p := float64(n) / (frames - 1)
		z.draw(f, p, s)
		var sum, at float64
		dark := float64(f.planes()[0].row(h / 2)[0])
		for x, v := range f.planes()[0].row(h / 2) {
			if d := float64(v) - dark; d > 2 {
				sum, at = sum+d, at+d*(float64(x)+0.5)
			}
		}
		focus := 0.25 * w
		want := focus + (line-focus)*z.scale(p)
		if got := at / sum; math.Abs(got-want) > 0.05 {
			t.Fatalf("frame %d: the line is at %.3f, want %.3f", n, got, want)
		}
	}
	if z.scale(0) != 1 || math.Abs(z.scale(1)-1.1) > 1e-9 {
		t.Errorf("the zoom runs from %v to %v", z.scale(0), z.scale(1))
	}
}

func TestZoom_ScaleOneShowsTheImage(t *testing.T) {
	img := ramp(320, 180)
	src, part := sourcePlanes(img), window{0, 0, 320, 180}
	want := fit(src, part, 320, 180)
	z := newZoom(src, part, 320, 180, timeline.Motion{Kind: timeline.SlowZoom, From: 1, To: 1.2})
	got := newFrame(320, 180)
	z.draw(got, 0, &zoomScratch{})
	for i := range got.pix {
		if d := int(got.pix[i]) - int(want.pix[i]); d < -1 || d > 1 {
			t.Fatalf("sample %d is %d, want %d", i, got.pix[i], want.pix[i])
		}
	}
}

func TestLayer(t *testing.T) {
	const w, h = 64, 48
	img := image.NewNRGBA(image.Rect(0, 0, 20, 10))
	for y := range 10 {
		for x := range 20 {
			a := uint8(255)
			if x >= 10 {
				a = 128
			}
			img.SetNRGBA(x, y, color.NRGBA{250, 20, 10, a})
		}
	}
	f := newFrame(w, h)
	by, bcb, bcr := yuv(30, 90, 200)
	for i, v := range []byte{by, bcb, bcr} {
		for j := range f.planes()[i].pix {
			f.planes()[i].pix[j] = v
		}
	}
	newLayer(img, 20, 12, w, h).over(f)
	near := func(what string, got byte, want float64) {
		t.Helper()
		if math.Abs(float64(got)-want) > 1.5 {
			t.Errorf("%s is %d, want %.1f", what, got, want)
		}
	}
	p := f.planes()
	at := func(x, y int) (byte, byte, byte) { return p[0].row(y)[x], p[1].row(y / 2)[x/2], p[2].row(y / 2)[x/2] }
	check := func(where string, x, y int, r, g, b float64) {
		t.Helper()
		wy, wcb, wcr := exact(r, g, b)
		gy, gcb, gcr := at(x, y)
		near(where+" brightness", gy, wy)
		near(where+" blue", gcb, wcb)
		near(where+" red", gcr, wcr)
	}
	check("outside", 10, 10, 30, 90, 200)
	check("right beside", 44, 16, 30, 90, 200)
	check("opaque part", 24, 16, 250, 20, 10)
	k := 128.0 / 255
	check("half-transparent part", 36, 16, 250*k+30*(1-k), 20*k+90*(1-k), 10*k+200*(1-k))
	if l := newLayer(image.NewNRGBA(image.Rect(0, 0, 9, 9)), 0, 0, w, h); l != nil {
		t.Error("an empty layer is not nil")
	}
}

// TestLayer_Positions compares a layer at a position with the same pixels in an image of the size of the canvas. The
// positions include odd ones, strips of several sizes and layers beyond the canvas.
func TestLayer_Positions(t *testing.T) {
	const w, h = 70, 150
	shape := image.NewNRGBA(image.Rect(0, 0, 31, 77))
	for y := range 77 {
		for x := range 31 {
			if x > y%20 && (x+y)%9 > 1 { // rows of different lengths, with gaps
				shape.SetNRGBA(x, y, color.NRGBA{uint8(8 * x), uint8(3 * y), 90, uint8(40 + 5*x)})
			}
		}
	}
	for _, at := range []image.Point{{0, 0}, {20, 12}, {21, 13}, {5, 31}, {38, 73}, {60, 120}} {
		whole := image.NewNRGBA(image.Rect(0, 0, w, h))
		draw.Draw(whole, shape.Rect.Add(at), shape, image.Point{}, draw.Src)
		got, want := newFrame(w, h), newFrame(w, h)
		for i := range got.pix {
			got.pix[i], want.pix[i] = byte(7*i), byte(7*i)
		}
		newLayer(shape, at.X, at.Y, w, h).over(got)
		newLayer(whole, 0, 0, w, h).over(want)
		if !bytes.Equal(got.pix, want.pix) {
			t.Errorf("a layer at %v differs from the same pixels in a layer of the whole canvas", at)
		}
	}
}

func TestPosterColours(t *testing.T) {
	img := photo(64, 96, 4)
	f := fit(sourcePlanes(img), window{0, 0, 64, 96}, 64, 96)
	got := f.rgba()
	var off, n float64
	for i := range img.Pix {
		off, n = off+math.Abs(float64(img.Pix[i])-float64(got.Pix[i])), n+1
	}
	if off/n > 3 {
		t.Errorf("colours are off by %.2f on average", off/n)
	}
}
