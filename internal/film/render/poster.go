// SPDX-License-Identifier: Apache-2.0

package render

import (
	"image"
	"image/jpeg"
	"io"
)

const posterQuality = 88

// writePoster writes a frame as a JPEG.
func writePoster(w io.Writer, f *frame) error {
	return jpeg.Encode(w, f.rgba(), &jpeg.Options{Quality: posterQuality})
}

// rgba converts a frame to red, green and blue.
func (f *frame) rgba() *image.RGBA {
	img := image.NewRGBA(image.Rect(0, 0, f.w, f.h))
	p := f.planes()
	for y := range f.h {
		py, pb, pr := p[0].row(y), p[1].row(y/2), p[2].row(y/2)
		for x := range f.w {
			// An odd pixel is between two chroma samples.
			next := min((x+1)/2, p[1].w-1)
			cb, cr := (int32(pb[x/2])+int32(pb[next]))-256, (int32(pr[x/2])+int32(pr[next]))-256
			l := (int32(py[x]) - 16) * 76309 // 255/219 in 16-bit fixed point
			out := img.Pix[y*img.Stride+4*x:]
			out[0] = clamp((l + 58745*cr + half) >> 16) // the chroma sums are doubled, these are half the coefficients
			out[1] = clamp((l - 6988*cb - 17462*cr + half) >> 16)
			out[2] = clamp((l + 69219*cb + half) >> 16)
			out[3] = 255
		}
	}
	return img
}
