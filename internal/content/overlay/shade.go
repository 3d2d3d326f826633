// SPDX-License-Identifier: Apache-2.0

package overlay

import (
	"image"
	"image/color"
	"math"
)

// shade computes the strength of a gradient at every pixel of a canvas.
type shade struct {
	color     color.NRGBA
	opacity   float64
	direction string
	coverage  float64
	w, h      float64
}

func newShade(g Gradient, w, h int) *shade {
	c, ok := ParseColor(g.Color)
	if !g.Enabled || !ok || g.Opacity <= 0 || g.Coverage <= 0 && g.Direction != "full" {
		return nil
	}
	return &shade{color: c, opacity: g.Opacity, direction: g.Direction, coverage: g.Coverage, w: float64(w), h: float64(h)}
}

// at returns the shade's strength at the centre of a pixel, from 0 to 1.
func (s *shade) at(x, y int) float64 {
	if s == nil {
		return 0
	}
	fx, fy := (float64(x)+0.5)/s.w, (float64(y)+0.5)/s.h
	var t float64
	switch s.direction {
	case "full":
		return s.opacity
	case "top":
		t = 1 - fy/s.coverage
	case "left":
		t = 1 - fx/s.coverage
	case "right":
		t = 1 - (1-fx)/s.coverage
	case "radial":
		t = 1 - math.Hypot(fx*2-1, fy*2-1)/(s.coverage*math.Sqrt2)
	default:
		t = 1 - (1-fy)/s.coverage
	}
	return s.opacity * ease(t)
}

// ease returns an easing curve without a visible edge that gets strong early, because text is well inside the shade.
func ease(t float64) float64 {
	t = min(max(t, 0), 1)
	return math.Pow(t*t*(3-2*t), 0.6)
}

// draw draws the shade on an empty layer.
func (s *shade) draw(dst *image.NRGBA) {
	if s == nil {
		return
	}
	b := dst.Rect
	put := func(p []uint8, a uint8) {
		if a != 0 {
			p[0], p[1], p[2], p[3] = s.color.R, s.color.G, s.color.B, a
		}
	}
	alpha := func(x, y int) uint8 { return uint8(s.at(x, y)*float64(s.color.A) + 0.5) }
	switch s.direction {
	case "left", "right", "full":
		first := dst.Pix[:b.Dx()*4]
		for x := range b.Dx() {
			put(first[x*4:x*4+4], alpha(x, 0))
		}
		for y := 1; y < b.Dy(); y++ {
			copy(dst.Pix[y*dst.Stride:y*dst.Stride+b.Dx()*4], first)
		}
	case "radial":
		s.drawRadial(dst)
	default:
		for y := range b.Dy() {
			row := dst.Pix[y*dst.Stride : y*dst.Stride+b.Dx()*4]
			a := alpha(0, y)
			for x := range b.Dx() {
				put(row[x*4:x*4+4], a)
			}
		}
	}
}

// drawRadial looks up the strength by squared distance, because a square root and a power per pixel are too slow.
func (s *shade) drawRadial(dst *image.NRGBA) {
	const entries = 4096
	var table [entries + 1]uint8
	for i := range table {
		t := 1 - math.Sqrt(float64(i)/entries*2)/(s.coverage*math.Sqrt2)
		table[i] = uint8(s.opacity*ease(t)*float64(s.color.A) + 0.5)
	}
	b := dst.Rect
	for y := range b.Dy() {
		fy := (float64(y)+0.5)/s.h*2 - 1
		row := dst.Pix[y*dst.Stride : y*dst.Stride+b.Dx()*4]
		for x := range b.Dx() {
			fx := (float64(x)+0.5)/s.w*2 - 1
			if a := table[min(int((fx*fx+fy*fy)/2*entries), entries)]; a != 0 {
				p := row[x*4 : x*4+4]
				p[0], p[1], p[2], p[3] = s.color.R, s.color.G, s.color.B, a
			}
		}
	}
}
