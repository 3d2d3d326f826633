// SPDX-License-Identifier: Apache-2.0

package overlay

import (
	"image"
	"image/color"
	"math"
	"slices"

	"github.com/reelops/reelops/internal/catalog"
)

// backdrop reads single pixels of a background scaled and cropped to the canvas.
type backdrop struct {
	img  image.Image
	cut  image.Rectangle
	w, h int
}

func newBackdrop(img image.Image, ratio catalog.AspectRatio) *backdrop {
	if img == nil || img.Bounds().Empty() {
		return nil
	}
	return &backdrop{img: img, cut: coverCut(img.Bounds(), ratio.Width, ratio.Height), w: ratio.Width, h: ratio.Height}
}

func (b *backdrop) at(x, y int) color.NRGBA {
	px := b.cut.Min.X + (2*x+1)*b.cut.Dx()/(2*b.w)
	py := b.cut.Min.Y + (2*y+1)*b.cut.Dy()/(2*b.h)
	var r, g, bl uint8
	switch m := b.img.(type) {
	case *image.RGBA:
		i := m.PixOffset(px, py)
		r, g, bl = m.Pix[i], m.Pix[i+1], m.Pix[i+2]
	case *image.YCbCr:
		c := m.YCbCrAt(px, py)
		r, g, bl = color.YCbCrToRGB(c.Y, c.Cb, c.Cr)
	default:
		cr, cg, cb, _ := m.At(px, py).RGBA() // transparent parts count as black, as in Compose
		r, g, bl = uint8(cr>>8), uint8(cg>>8), uint8(cb>>8)
	}
	return color.NRGBA{r, g, bl, 255}
}

// samples returns the colours of the pixels under the letters of a block, a few thousand at most, with the shade and
// the plate on them.
func (b *backdrop) samples(bl *block, s *shade) []color.NRGBA {
	const enough = 2500
	area := 0.0
	for _, l := range bl.lines {
		area += l.ink.width() * l.ink.height()
	}
	step := max(int(math.Sqrt(area/enough)), 2)
	canvas := image.Rect(0, 0, b.w, b.h)
	var out []color.NRGBA
	for _, l := range bl.lines {
		if l.Empty || l.ink.empty() {
			continue
		}
		r := pixels(l.ink.grow(3)).Intersect(canvas)
		for y := r.Min.Y + step/2; y < r.Max.Y; y += step {
			for x := r.Min.X + step/2; x < r.Max.X; x += step {
				c := b.at(x, y)
				if s != nil {
					c = blend(c, s.color, s.at(x, y))
				}
				if bl.plated {
					c = blend(c, bl.plate, 1)
				}
				out = append(out, c)
			}
		}
	}
	return out
}

// worstShare is the share of the pixels under a text that may have too little contrast. A thin bright twig behind dark
// letters does no harm; a bright tenth of the block does.
const worstShare = 0.08

// readable returns the contrast between letters and the pixels under them that all but the worst share of the pixels
// reach.
func readable(fill color.NRGBA, under []color.NRGBA) float64 {
	return poorest(under, func(c color.NRGBA) float64 {
		return contrast(luminance(blend(c, fill, 1)), luminance(c))
	})
}

// outlined returns the contrast between letters and their stroke.
func outlined(fill, line color.NRGBA, under []color.NRGBA) float64 {
	if fill.A == 255 && line.A == 255 {
		return contrast(luminance(fill), luminance(line))
	}
	return poorest(under, func(c color.NRGBA) float64 {
		return contrast(luminance(blend(c, fill, 1)), luminance(blend(c, line, 1)))
	})
}

func poorest(under []color.NRGBA, measure func(color.NRGBA) float64) float64 {
	if len(under) == 0 {
		return math.Inf(1)
	}
	all := make([]float64, len(under))
	for i, c := range under {
		all[i] = measure(c)
	}
	slices.Sort(all)
	return all[int(worstShare*float64(len(all)))]
}
