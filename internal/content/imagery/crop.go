// SPDX-License-Identifier: Apache-2.0

package imagery

import (
	"fmt"
	"image"
	"math"

	"golang.org/x/image/draw"
)

// Crop returns an image fitted to w x h pixels: scaled until it covers the canvas, with the rest cut off evenly on both
// sides. Transparent pixels become white. It returns an error for an empty image or size.
func Crop(src image.Image, w, h int) (*image.RGBA, error) {
	b := src.Bounds()
	if b.Empty() || w < 1 || h < 1 {
		return nil, fmt.Errorf("cannot fit an image of %dx%d pixels to %dx%d", b.Dx(), b.Dy(), w, h)
	}
	part := cover(b, w, h)
	dst := image.NewRGBA(image.Rect(0, 0, w, h))
	op := draw.Src
	if o, ok := src.(interface{ Opaque() bool }); !ok || !o.Opaque() {
		draw.Draw(dst, dst.Bounds(), image.White, image.Point{}, draw.Src)
		op = draw.Over
	}
	if part.Dx() == w && part.Dy() == h {
		draw.Draw(dst, dst.Bounds(), src, part.Min, op)
		return dst, nil
	}
	// A good kernel takes seconds on a far larger image, so boxes of pixels are averaged first, down to about twice the
	// target size.
	if k := min(part.Dx()/w, part.Dy()/h) / 2; k >= 2 {
		small := Shrink(src, part, k)
		draw.CatmullRom.Scale(dst, dst.Bounds(), small, small.Bounds(), op, nil)
		return dst, nil
	}
	draw.CatmullRom.Scale(dst, dst.Bounds(), src, part, op, nil)
	return dst, nil
}

// cover returns the largest centred part of b with the ratio w:h, at least one pixel.
func cover(b image.Rectangle, w, h int) image.Rectangle {
	sw, sh := b.Dx(), b.Dy()
	if int64(sw)*int64(h) > int64(sh)*int64(w) {
		sw = max(1, int(math.Round(float64(sh)*float64(w)/float64(h))))
	} else {
		sh = max(1, int(math.Round(float64(sw)*float64(h)/float64(w))))
	}
	x, y := b.Min.X+(b.Dx()-sw)/2, b.Min.Y+(b.Dy()-sh)/2
	return image.Rect(x, y, x+sw, y+sh)
}

// Shrink returns part of an image at 1/k of its size: each pixel is the mean of a box of k x k. A remainder at the
// right and at the bottom is cut off.
func Shrink(src image.Image, part image.Rectangle, k int) *image.RGBA {
	w, h := part.Dx()/k, part.Dy()/k
	dst := image.NewRGBA(image.Rect(0, 0, w, h))
	line := image.NewRGBA(image.Rect(0, 0, w*k, k))
	n := uint32(k * k)
	for y := range h {
		draw.Draw(line, line.Bounds(), src, image.Pt(part.Min.X, part.Min.Y+y*k), draw.Src)
		for x := range w {
			var r, g, b, a uint32
			for j := range k {
				for p, i := line.Pix[j*line.Stride+x*k*4:], 0; i < k*4; i += 4 {
					r, g, b, a = r+uint32(p[i]), g+uint32(p[i+1]), b+uint32(p[i+2]), a+uint32(p[i+3])
				}
			}
			o := dst.Pix[y*dst.Stride+x*4:]
			o[0], o[1], o[2], o[3] = uint8((r+n/2)/n), uint8((g+n/2)/n), uint8((b+n/2)/n), uint8((a+n/2)/n)
		}
	}
	return dst
}
