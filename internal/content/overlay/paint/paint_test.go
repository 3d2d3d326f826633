// SPDX-License-Identifier: Apache-2.0

package paint

import (
	"image"
	"image/color"
	"testing"

	"github.com/go-text/typesetting/font"
	ot "github.com/go-text/typesetting/font/opentype"
)

// square is an outline of 100 by 100 units from the origin upwards.
func square() font.GlyphOutline {
	var o font.GlyphOutline
	for i, p := range []ot.SegmentPoint{{X: 0, Y: 0}, {X: 100, Y: 0}, {X: 100, Y: 100}, {X: 0, Y: 100}} {
		op := ot.SegmentOpLineTo
		if i == 0 {
			op = ot.SegmentOpMoveTo
		}
		o.Segments = append(o.Segments, ot.Segment{Op: op, Args: [3]ot.SegmentPoint{p}})
	}
	return o
}

func cover(m *Mask, x, y int) uint8 {
	return m.Pix[(y-m.Rect.Min.Y)*m.Rect.Dx()+x-m.Rect.Min.X]
}

func TestStroke_WidthAndCorners(t *testing.T) {
	var b Brush
	b.Begin(image.Rect(0, 0, 200, 200))
	b.Stroke(square(), Place{X: 50, Y: 150, Scale: 1}, 10)
	m := b.Mask()
	for _, c := range []struct {
		why  string
		x, y int
		want uint8
	}{
		{"left of the edge", 42, 100, 255},
		{"right of the edge", 58, 100, 255},
		{"beyond the band", 37, 100, 0},
		{"in the middle", 100, 100, 0},
		{"on a corner", 50, 50, 255},
		{"where a pointed corner would be", 41, 41, 0},
		{"inside a round corner", 44, 44, 255},
		{"where pieces overlap", 55, 55, 255},
	} {
		if got := cover(m, c.x, c.y); got != c.want {
			t.Errorf("%s: got coverage %d, want %d", c.why, got, c.want)
		}
	}
}

func TestStack_JoinsRows(t *testing.T) {
	var b Brush
	b.Begin(image.Rect(0, 0, 300, 200))
	b.Stack([]Box{{50, 20, 250, 80}, {100, 70, 200, 130}, {40, 120, 260, 180}}, 12)
	m := b.Mask()
	for _, p := range []image.Point{{150, 50}, {150, 75}, {150, 125}, {60, 60}, {60, 150}} {
		if cover(m, p.X, p.Y) != 255 {
			t.Errorf("%v is not covered", p)
		}
	}
	for _, p := range []image.Point{{50, 20}, {70, 100}, {40, 179}, {20, 100}} {
		if cover(m, p.X, p.Y) != 0 {
			t.Errorf("%v is covered", p)
		}
	}
	if cover(m, 98, 82) == 0 {
		t.Errorf("the inner corner is not round")
	}
}

func TestLay_KeepsStraightColour(t *testing.T) {
	dst := image.NewNRGBA(image.Rect(0, 0, 1, 1))
	m := &Mask{Rect: dst.Rect, Pix: []uint8{128}}
	Lay(dst, m, color.NRGBA{200, 100, 50, 255})
	if got := dst.NRGBAAt(0, 0); got != (color.NRGBA{200, 100, 50, 128}) {
		t.Errorf("on nothing: got %v", got)
	}
	m.Pix[0] = 255
	Lay(dst, m, color.NRGBA{1, 2, 3, 255})
	if got := dst.NRGBAAt(0, 0); got != (color.NRGBA{1, 2, 3, 255}) {
		t.Errorf("opaque: got %v", got)
	}
}

func TestBlur_KeepsTheCoverage(t *testing.T) {
	m := &Mask{Rect: image.Rect(0, 0, 40, 40), Pix: make([]uint8, 1600)}
	before := 0
	for y := 10; y < 30; y++ {
		for x := 10; x < 30; x++ {
			m.Pix[y*40+x] = 255
			before += 255
		}
	}
	after := 0
	for _, v := range m.Blurred(4, image.Pt(0, 3)).Pix {
		after += int(v)
	}
	if after < before*95/100 || after > before {
		t.Errorf("got coverage %d before, %d after", before, after)
	}
}
