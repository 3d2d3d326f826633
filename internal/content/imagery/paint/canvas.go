// SPDX-License-Identifier: Apache-2.0

package paint

import (
	"context"
	"image"
	"runtime"
	"sync"
	"sync/atomic"
)

// Canvas is the drawing surface of a scene. W and H are its size in pixels. U is the length of one pixel on a canvas
// whose short side is 1080, so that lines and blurs look the same at every size.
type Canvas struct {
	W, H, U float32
	w, h    int
	pix     []Color
	ctx     context.Context
}

// New returns a black canvas. When ctx ends, drawing stops early and leaves the image unfinished; the caller must check
// ctx.Err().
func New(ctx context.Context, w, h int) *Canvas {
	return &Canvas{
		W: float32(w), H: float32(h), U: float32(min(w, h)) / 1080,
		w: w, h: h, pix: make([]Color, w*h), ctx: ctx,
	}
}

// Size returns the size in pixels.
func (c *Canvas) Size() (w, h int) { return c.w, c.h }

const bandRows = 16

// Rows calls f for each row from y0 up to but not including y1 (clipped to the canvas), on all processors. f must only
// access its own row.
func (c *Canvas) Rows(y0, y1 int, f func(y int, row []Color)) {
	y0, y1 = max(y0, 0), min(y1, c.h)
	c.bands(y0, y1, func(y int) { f(y, c.pix[y*c.w:(y+1)*c.w]) })
}

func (c *Canvas) bands(y0, y1 int, f func(y int)) {
	if y1 <= y0 {
		return
	}
	workers := min(runtime.GOMAXPROCS(0), (y1-y0+bandRows-1)/bandRows)
	var next atomic.Int64
	next.Store(int64(y0))
	run := func() {
		for c.ctx.Err() == nil {
			from := int(next.Add(bandRows)) - bandRows
			if from >= y1 {
				return
			}
			for y := from; y < min(from+bandRows, y1); y++ {
				f(y)
			}
		}
	}
	if workers <= 1 {
		run()
		return
	}
	var wg sync.WaitGroup
	for range workers {
		wg.Go(run)
	}
	wg.Wait()
}

// Shade sets every pixel.
func (c *Canvas) Shade(f func(x, y float32) Color) {
	c.Rows(0, c.h, func(y int, row []Color) {
		fy := float32(y) + 0.5
		for x := range row {
			row[x] = f(float32(x)+0.5, fy)
		}
	})
}

// Change replaces the colour of every pixel by a function of its current colour.
func (c *Canvas) Change(f func(x, y float32, was Color) Color) {
	c.Rows(0, c.h, func(y int, row []Color) {
		fy := float32(y) + 0.5
		for x := range row {
			row[x] = f(float32(x)+0.5, fy, row[x])
		}
	})
}

// Sky fills the rows with a ramp from top to bottom.
func (c *Canvas) Sky(r *Ramp) {
	c.Rows(0, c.h, func(y int, row []Color) {
		col := r.At((float32(y) + 0.5) / c.H)
		for x := range row {
			row[x] = col
		}
	})
}

// Look holds the parameters of the final image.
type Look struct {
	Grain    float32 // film grain in steps of 255; 1 to 4
	Vignette float32 // darkening of the corners, 0 to 1
	Seed     uint32
}

// Finish compresses highlights, adds vignette, grain and dither, and returns the 8-bit image.
func (c *Canvas) Finish(l Look) *image.RGBA {
	img := image.NewRGBA(image.Rect(0, 0, c.w, c.h))
	c.Rows(0, c.h, func(y int, row []Color) {
		out := img.Pix[y*img.Stride:]
		dy := (float32(y)+0.5)/c.H - 0.5
		for x, col := range row {
			dx := (float32(x)+0.5)/c.W - 0.5
			q := (dx*dx + dy*dy) * 2 // 0 in the middle, 1 in a corner
			k := 1 - l.Vignette*q*q*(3-2*q)
			h := hash2(uint32(x), uint32(y), l.Seed)
			// Two bytes are used for triangular grain, the others dither the channels.
			g := (float32(h&255)+float32(h>>8&255)-255)*(1.0/128)*l.Grain + 0.5
			d := (float32(h>>16&255) - 127.5) * (1.0 / 256)
			e := (float32(h>>24) - 127.5) * (1.0 / 256)
			o := out[x*4 : x*4+4 : x*4+4]
			o[0] = step(develop(col.R*k) + g + d)
			o[1] = step(develop(col.G*k) + g + e)
			o[2] = step(develop(col.B*k) + g - d)
			o[3] = 255
		}
	})
	return img
}

func step(v float32) uint8 {
	if v <= 0 {
		return 0
	}
	if v >= 255 {
		return 255
	}
	return uint8(v)
}

const (
	developSteps = 16384
	developTop   = 4 // light above this is white
	shoulder     = 0.75
)

// developed maps linear light to sRGB levels, with a shoulder that fades strong light to white instead of clipping.
var developed = func() *[developSteps + 2]float32 {
	t := &[developSteps + 2]float32{}
	for i := range t {
		v := float64(i) * developTop / developSteps
		if v > shoulder {
			over := (v - shoulder) / (1 - shoulder)
			v = shoulder + (1-shoulder)*over/(1+over*0.75)*1.0
		}
		t[i] = float32(min(toSRGB(v), 1) * 255)
	}
	return t
}()

func develop(v float32) float32 {
	if v >= developTop {
		return 255
	}
	if v <= 0 {
		return 0
	}
	f := v * (developSteps / developTop)
	i := int(f)
	return developed[i] + (developed[i+1]-developed[i])*(f-float32(i))
}

// Reflect repaints the rows from line down. from returns the point above the line that is visible at x, y; tint changes
// its colour for row y.
func (c *Canvas) Reflect(line int, from func(x, y float32) (sx, sy float32), tint func(y float32, up Color) Color) {
	line = min(max(line, 1), c.h)
	c.Rows(line, c.h, func(y int, row []Color) {
		fy := float32(y) + 0.5
		for x := range row {
			sx, sy := from(float32(x)+0.5, fy)
			row[x] = tint(fy, c.sample(sx, sy, line))
		}
	})
}

// sample returns the interpolated colour between pixels, never from row limit on.
func (c *Canvas) sample(x, y float32, limit int) Color {
	x = Clamp(x-0.5, 0, float32(c.w-1)-0.001)
	y = Clamp(y-0.5, 0, float32(limit-1)-0.001)
	ix, iy := int(x), int(y)
	fx, fy := x-float32(ix), y-float32(iy)
	jx, jy := min(ix+1, c.w-1), min(iy+1, limit-1)
	top := c.pix[iy*c.w+ix].Lerp(c.pix[iy*c.w+jx], fx)
	low := c.pix[jy*c.w+ix].Lerp(c.pix[jy*c.w+jx], fx)
	return top.Lerp(low, fy)
}
