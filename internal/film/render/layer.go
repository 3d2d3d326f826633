// SPDX-License-Identifier: Apache-2.0

package render

import (
	"image"
	"slices"
)

// layer is an image with transparency, prepared for blending over frames.
type layer struct{ planes [3]layerPlane }

// layerPlane holds the rows of one plane of the canvas.
type layerPlane []layerRow

// layerRow holds the samples of a row from x on, up to the last one that the layer changes. For every sample,
// out = (add + keep*below) >> 8; add carries the layer's colour times its coverage in 8.8 fixed point with the rounding
// included, keep is 256 minus the coverage.
type layerRow struct {
	x         int
	add, keep []uint16
}

// newLayer prepares an image whose top left corner is at (x, y) of a canvas of w by h pixels. It returns nil for a
// layer without a drawn pixel.
func newLayer(img image.Image, x, y, w, h int) *layer {
	l := &layer{[3]layerPlane{make(layerPlane, h), make(layerPlane, h/2), make(layerPlane, h/2)}}
	inStrips(img, image.Pt(x, y), image.Rect(0, 0, w, h), func(strip *image.RGBA) { l.fill(strip, w) })
	if slices.ContainsFunc(l.planes[0], func(r layerRow) bool { return len(r.add) > 0 }) {
		return l
	}
	return nil
}

// fill computes the rows of a strip.
func (l *layer) fill(strip *image.RGBA, w int) {
	at := func(x, y int) (r, g, b, a int32) { // premultiplied; transparent outside
		if !(image.Point{X: x, Y: y}).In(strip.Rect) {
			return 0, 0, 0, 0
		}
		s := strip.Pix[strip.PixOffset(x, y):]
		return int32(s[0]), int32(s[1]), int32(s[2]), int32(s[3])
	}
	for y := strip.Rect.Min.Y &^ 1; y < strip.Rect.Max.Y; y += 2 {
		from, to := drawn(strip, y)
		if from >= to {
			continue
		}
		// A chroma sample covers a pair of pixels and extends one pixel to the left.
		from, to = from&^1, min((to+2)&^1, w)
		for r := y; r < y+2; r++ {
			row := newLayerRow(from, to)
			for i := range row.add {
				red, green, blue, a := at(from+i, r)
				// Offset 16 is scaled by the pixel's coverage; the rest of the division by 255 is in the coefficients.
				v := (yR*red+yG*green+yB*blue)>>8 + 16*a*256/255
				row.add[i], row.keep[i] = blend(v, a*256, 255)
			}
			l.planes[0][r] = row
		}
		blues := newLayerRow(from/2, to/2)
		reds := layerRow{blues.x, make([]uint16, len(blues.add)), blues.keep} // both are covered equally
		for i := range blues.add {
			// Weights 1 2 1 across centre the sample on the even pixel; the two rows have equal weight.
			var red, green, blue, a int32
			for dy := range 2 {
				for dx, weight := range [3]int32{1, 2, 1} {
					r1, g1, b1, a1 := at(from+2*i+dx-1, y+dy)
					red, green, blue, a = red+weight*r1, green+weight*g1, blue+weight*b1, a+weight*a1
				}
			}
			offset := 128 * a * 256 / (255 * 8)
			blues.add[i], blues.keep[i] = blend((cbR*red+cbG*green+cbB*blue)>>11+offset, a*256, 255*8)
			reds.add[i], _ = blend((crR*red+crG*green+crB*blue)>>11+offset, a*256, 255*8)
		}
		l.planes[1][y/2], l.planes[2][y/2] = blues, reds
	}
}

func newLayerRow(from, to int) layerRow {
	n := to - from
	both := make([]uint16, 2*n)
	return layerRow{from, both[:n:n], both[n:]}
}

// drawn returns the range of the pixels in two rows from y on that are not fully transparent.
func drawn(img *image.RGBA, y int) (from, to int) {
	from = img.Rect.Max.X
	for r := max(y, img.Rect.Min.Y); r < min(y+2, img.Rect.Max.Y); r++ {
		row := img.Pix[(r-img.Rect.Min.Y)*img.Stride:][:4*img.Rect.Dx()]
		left, right := 0, img.Rect.Dx()
		for left < right && row[4*left+3] == 0 {
			left++
		}
		for right > left && row[4*right-1] == 0 {
			right--
		}
		if left < right {
			from, to = min(from, img.Rect.Min.X+left), max(to, img.Rect.Min.X+right)
		}
	}
	return from, to
}

// blend packs a sample: value in 8.8 fixed point, coverage as covered/full. The sum of both parts never exceeds 255.
func blend(value, covered, full int32) (add, keep uint16) {
	k := 256 - (covered+full/2)/full
	return uint16(min(max(value+128, 0), 0xffff-255*k)), uint16(k)
}

// over blends the layer into a frame.
func (l *layer) over(f *frame) {
	if l == nil {
		return
	}
	for i, dst := range f.planes() {
		l.planes[i].over(dst.pix, dst.w, dst.h, 0, 0)
	}
}

// over blends the layer into w by h samples from (x, y) on.
func (p layerPlane) over(dst []byte, w, h, x, y int) {
	for r := y; r < min(y+h, len(p)); r++ {
		row := &p[r]
		from, to := max(x, row.x), min(x+w, row.x+len(row.add))
		if from >= to {
			continue
		}
		out := dst[(r-y)*w+from-x : (r-y)*w+to-x]
		add, keep := row.add[from-row.x:][:len(out)], row.keep[from-row.x:][:len(out)]
		for i, below := range out {
			out[i] = byte((uint32(add[i]) + uint32(keep[i])*uint32(below)) >> 8)
		}
	}
}
