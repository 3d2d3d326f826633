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
	var lines [2][]byte // the premultiplied pixels of two rows, with the one to the left
	for y := strip.Rect.Min.Y &^ 1; y < strip.Rect.Max.Y; y += 2 {
		from, to := drawn(strip, y)
		if from >= to {
			continue
		}
		// A chroma sample covers a pair of pixels and extends one pixel to the left.
		from, to = from&^1, min((to+2)&^1, w)
		for dy := range lines {
			lines[dy] = grown(lines[dy], 4*(to-from+1))
			cutRow(lines[dy], strip, from-1, y+dy)
			l.planes[0][y+dy] = luma(lines[dy][4:], from)
		}
		l.planes[1][y/2], l.planes[2][y/2] = chroma(lines[0], lines[1], from)
	}
}

// cutRow copies the pixels of row y from x on. Those outside of the image are transparent.
func cutRow(dst []byte, img *image.RGBA, x, y int) {
	clear(dst)
	if y < img.Rect.Min.Y || y >= img.Rect.Max.Y {
		return
	}
	from := max(x, img.Rect.Min.X)
	copy(dst[4*(from-x):], img.Pix[img.PixOffset(from, y):img.PixOffset(img.Rect.Max.X, y)])
}

// luma returns the row of luma for premultiplied pixels from x on.
func luma(line []byte, x int) layerRow {
	row := newLayerRow(x, len(line)/4)
	for i := range row.add {
		p := line[4*i : 4*i+4 : 4*i+4]
		a := int32(p[3])
		// Offset 16 is scaled by the pixel's coverage; the rest of the division by 255 is in the coefficients.
		v := (yR*int32(p[0])+yG*int32(p[1])+yB*int32(p[2]))>>8 + 16*a*256/255
		row.add[i], row.keep[i] = blend(v, a*256, 255)
	}
	return row
}

// chroma returns the rows of Cb and Cr for two rows of premultiplied pixels from x-1 on.
func chroma(top, bottom []byte, x int) (blues, reds layerRow) {
	blues = newLayerRow(x/2, (len(top)/4-1)/2)
	reds = layerRow{blues.x, make([]uint16, len(blues.add)), blues.keep} // both are covered equally
	for i := range blues.add {
		// Weights 1 2 1 across centre the sample on the even pixel; the two rows have equal weight.
		t, b := top[8*i:8*i+12:8*i+12], bottom[8*i:8*i+12:8*i+12]
		red := int32(t[0]) + 2*int32(t[4]) + int32(t[8]) + int32(b[0]) + 2*int32(b[4]) + int32(b[8])
		green := int32(t[1]) + 2*int32(t[5]) + int32(t[9]) + int32(b[1]) + 2*int32(b[5]) + int32(b[9])
		blue := int32(t[2]) + 2*int32(t[6]) + int32(t[10]) + int32(b[2]) + 2*int32(b[6]) + int32(b[10])
		a := int32(t[3]) + 2*int32(t[7]) + int32(t[11]) + int32(b[3]) + 2*int32(b[7]) + int32(b[11])
		offset := 128 * a * 256 / (255 * 8)
		blues.add[i], blues.keep[i] = blend((cbR*red+cbG*green+cbB*blue)>>11+offset, a*256, 255*8)
		reds.add[i], _ = blend((crR*red+crG*green+crB*blue)>>11+offset, a*256, 255*8)
	}
	return blues, reds
}

// newLayerRow returns a row of n samples from x on.
func newLayerRow(x, n int) layerRow {
	both := make([]uint16, 2*n)
	return layerRow{x, both[:n:n], both[n:]}
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
