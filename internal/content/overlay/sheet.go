// SPDX-License-Identifier: Apache-2.0

package overlay

import (
	"image"
	"image/color"

	"golang.org/x/image/draw"

	"github.com/reelops/reelops/internal/content/imagery"
	"github.com/reelops/reelops/internal/content/overlay/paint"
)

// Dimensions of a contact sheet in pixels. A slide has a quarter of the width of a portrait canvas, so that Thumbnail
// only has to average boxes of pixels.
const (
	sheetSlide  = 270
	sheetGap    = 24
	sheetRadius = 14
)

// ContactSheet returns an image of all slides of a slideshow in reading order, at most four in a row.
func ContactSheet(slides []image.Image) *image.RGBA {
	columns := sheetColumns(len(slides))
	rows := (len(slides) + columns - 1) / columns
	height := 0
	for _, s := range slides {
		height = max(height, scaledHeight(s.Bounds(), sheetSlide))
	}
	dst := image.NewRGBA(image.Rect(0, 0, columns*(sheetSlide+sheetGap)+sheetGap, rows*(height+sheetGap)+sheetGap))
	draw.Draw(dst, dst.Rect, image.NewUniform(color.RGBA{0x17, 0x19, 0x20, 255}), image.Point{}, draw.Src)
	var brush paint.Brush
	for i, s := range slides {
		small := Thumbnail(s, sheetSlide)
		at := image.Pt(sheetGap+i%columns*(sheetSlide+sheetGap), sheetGap+i/columns*(height+sheetGap))
		brush.Begin(small.Rect)
		brush.Rounded(paint.Box{X1: float32(small.Rect.Dx()), Y1: float32(small.Rect.Dy())}, sheetRadius)
		m := brush.Mask()
		mask := &image.Alpha{Pix: m.Pix, Stride: m.Rect.Dx(), Rect: m.Rect}
		draw.DrawMask(dst, small.Rect.Add(at), small, image.Point{}, mask, image.Point{}, draw.Over)
	}
	return dst
}

func sheetColumns(n int) int {
	switch {
	case n <= 4:
		return max(n, 1)
	case n <= 6, n == 9:
		return 3
	}
	return 4
}

func scaledHeight(b image.Rectangle, w int) int {
	return max((b.Dy()*w+b.Dx()/2)/max(b.Dx(), 1), 1)
}

// Thumbnail returns img at a width of w pixels with its aspect ratio. It averages boxes of pixels first, as large as the
// width allows, because the cost of the CatmullRom filter grows with the pixels of its source.
func Thumbnail(img image.Image, w int) *image.RGBA {
	dst := image.NewRGBA(image.Rect(0, 0, w, scaledHeight(img.Bounds(), w)))
	if k := img.Bounds().Dx() / w; k >= 2 {
		img = imagery.Shrink(img, img.Bounds(), k)
	}
	if img.Bounds().Size() == dst.Rect.Size() {
		draw.Draw(dst, dst.Rect, img, img.Bounds().Min, draw.Src)
		return dst
	}
	draw.CatmullRom.Scale(dst, dst.Rect, img, img.Bounds(), draw.Src, nil)
	return dst
}
