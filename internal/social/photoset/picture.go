// SPDX-License-Identifier: Apache-2.0

package photoset

import (
	"bytes"
	"errors"
	"image"
	"image/color"
	"image/jpeg"

	"golang.org/x/image/draw"

	"github.com/reelops/reelops/internal/content/imagery"
)

// JPEG qualities, tried in descending order until the file is small enough.
const (
	bestQuality  = 92
	worstQuality = 50
	qualityStep  = 7
)

const (
	// blurWidth is the width in pixels at which an image is blurred before it is scaled to the canvas.
	blurWidth = 96
	// blurRadius is the radius of one of three passes.
	blurRadius = 5
	// dimmed is the brightness of the blurred copy, in 256ths, so that the image on top is easy to see.
	dimmed = 170
)

// padded places an image on a blurred copy of itself that fills the canvas.
func padded(src image.Image, canvas image.Point) (*image.RGBA, error) {
	dst := image.NewRGBA(image.Rectangle{Max: canvas})
	place := within(canvas, src.Bounds().Size())
	if place != dst.Bounds() {
		small, err := imagery.Crop(src, blurWidth, max(1, blurWidth*canvas.Y/canvas.X))
		if err != nil {
			return nil, err
		}
		for range 3 {
			small = blurred(small)
		}
		draw.BiLinear.Scale(dst, dst.Bounds(), small, small.Bounds(), draw.Src, nil)
	}
	paste(dst, place, src)
	return dst, nil
}

// scaled returns an image scaled to a size of the same aspect ratio, without transparency.
func scaled(src image.Image, size image.Point) *image.RGBA {
	dst := image.NewRGBA(image.Rectangle{Max: size})
	paste(dst, dst.Bounds(), src)
	return dst
}

// paste draws an image into a rectangle. Transparent parts become white.
func paste(dst *image.RGBA, place image.Rectangle, src image.Image) {
	op := draw.Src
	if o, ok := src.(interface{ Opaque() bool }); !ok || !o.Opaque() {
		draw.Draw(dst, place, image.White, image.Point{}, draw.Src)
		op = draw.Over
	}
	if place.Size() == src.Bounds().Size() {
		draw.Draw(dst, place, src, src.Bounds().Min, op)
		return
	}
	draw.CatmullRom.Scale(dst, place, src, src.Bounds(), op, nil)
}

// blurred applies a box blur, first along rows, then along columns, and applies a third of the dimming.
func blurred(src *image.RGBA) *image.RGBA {
	turn := image.NewRGBA(image.Rect(0, 0, src.Rect.Dy(), src.Rect.Dx()))
	boxes(turn, src, 256)
	dst := image.NewRGBA(src.Rect)
	boxes(dst, turn, thirdOf(dimmed))
	return dst
}

// thirdOf returns the brightness factor that, applied three times, gives n 256ths.
func thirdOf(n int) int {
	k := 256
	for k*k/256*k/256 > n {
		k--
	}
	return k
}

// boxes averages along rows and writes the rows as columns.
func boxes(dst, src *image.RGBA, light int) {
	w, h := src.Rect.Dx(), src.Rect.Dy()
	for y := range h {
		for x := range w {
			var r, g, b, n int
			for i := max(0, x-blurRadius); i <= min(w-1, x+blurRadius); i++ {
				p := src.Pix[y*src.Stride+i*4:]
				r, g, b, n = r+int(p[0]), g+int(p[1]), b+int(p[2]), n+1
			}
			dst.SetRGBA(y, x, color.RGBA{level(r, n, light), level(g, n, light), level(b, n, light), 255})
		}
	}
}

func level(sum, n, light int) uint8 { return uint8((sum*light + n*128) / (n * 256)) }

// errTooLarge means that no quality makes the file small enough.
var errTooLarge = errors.New("the image cannot be reduced enough for the platform")

// encoded returns the JPEG of an image, in the best quality of at most most bytes.
func encoded(img image.Image, most int) ([]byte, error) {
	for q := bestQuality; q >= worstQuality; q -= qualityStep {
		var b bytes.Buffer
		if err := jpeg.Encode(&b, img, &jpeg.Options{Quality: q}); err != nil {
			return nil, err
		}
		if b.Len() <= most {
			return b.Bytes(), nil
		}
	}
	return nil, errTooLarge
}
