// SPDX-License-Identifier: Apache-2.0

package render

import (
	"bufio"
	"fmt"
	"image"
	"image/draw"
	_ "image/gif" // accepted picture formats
	_ "image/jpeg"
	_ "image/png"
	"io"
	"os"
	"sync"

	_ "golang.org/x/image/webp"
)

// Limits of an input image. A decoder's memory depends on the number of pixels, and a few hundred bytes can declare
// billions.
const (
	maxPictureSide   = 16384
	maxPicturePixels = 50 << 20
	minPictureSide   = 2
)

// decodePicture reads an image file: JPEG, PNG, WebP or the first frame of a GIF. The error has a message about the
// image.
func decodePicture(path string) (image.Image, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	cfg, _, err := image.DecodeConfig(bufio.NewReader(f))
	if err != nil {
		return nil, &pictureError{"The file is not a readable JPEG, PNG, WebP or GIF image.", err}
	}
	if cfg.Width < minPictureSide || cfg.Height < minPictureSide {
		return nil, &pictureError{fmt.Sprintf("The image has %d by %d pixels, which is too small.", cfg.Width, cfg.Height), nil}
	}
	if cfg.Width > maxPictureSide || cfg.Height > maxPictureSide || cfg.Width*cfg.Height > maxPicturePixels {
		return nil, &pictureError{fmt.Sprintf("The image has %d by %d pixels, above the limit of %d million pixels.",
			cfg.Width, cfg.Height, maxPicturePixels>>20), nil}
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	img, err := decodeSafely(bufio.NewReaderSize(f, 256<<10))
	if err != nil {
		return nil, &pictureError{"The image is damaged: it could not be decoded completely.", err}
	}
	return img, nil
}

// decodeSafely returns a decoder's panic on hostile input as an error.
func decodeSafely(r io.Reader) (img image.Image, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("decoder gave up: %v", p)
		}
	}()
	img, _, err = image.Decode(r)
	return img, err
}

type pictureError struct {
	sentence string
	err      error
}

func (e *pictureError) Error() string { return e.sentence }
func (e *pictureError) Unwrap() error { return e.err }

// sourcePlanes converts an image to Y, Cb and Cr at full resolution. Transparent parts are over black.
func sourcePlanes(img image.Image) [3]plane {
	w, h := img.Bounds().Dx(), img.Bounds().Dy()
	pix := make([]byte, 3*w*h)
	var p [3]plane
	for i := range p {
		p[i] = plane{w, h, pix[i*w*h : (i+1)*w*h]}
	}
	inStrips(img, image.Point{}, image.Rect(0, 0, w, h), func(strip *image.RGBA) {
		for y := strip.Rect.Min.Y; y < strip.Rect.Max.Y; y++ {
			in := strip.Pix[strip.PixOffset(0, y):][:4*w]
			py, pb, pr := p[0].row(y), p[1].row(y), p[2].row(y)
			for x := range py {
				s := in[4*x : 4*x+3 : 4*x+3]
				py[x], pb[x], pr[x] = yuv(int32(s[0]), int32(s[1]), int32(s[2]))
			}
		}
	})
	return p
}

// stripRows is the height of a strip. It is even.
const stripRows = 32

// inStrips passes the premultiplied pixels of an image to work, a few rows at a time. The top left corner of the image is
// at a point, and only its part in a rectangle is passed. A strip begins with an even row, except at the top of the image,
// and is reused after work returns. Several calls of work run concurrently.
func inStrips(img image.Image, at image.Point, within image.Rectangle, work func(strip *image.RGBA)) {
	from := img.Bounds().Min.Sub(at)
	place := img.Bounds().Sub(from).Intersect(within)
	top := place.Min.Y &^ 1
	bands((place.Max.Y-top+1)/2, func(first, last int) {
		pix := make([]byte, 4*place.Dx()*stripRows)
		for y := top + 2*first; y < top+2*last; y += stripRows {
			r := image.Rect(place.Min.X, y, place.Max.X, min(y+stripRows, top+2*last)).Intersect(place)
			strip := &image.RGBA{Pix: pix, Stride: 4 * r.Dx(), Rect: r}
			draw.Draw(strip, r, img, r.Min.Add(from), draw.Src)
			work(strip)
		}
	})
}

// bands divides n rows into parts and processes them concurrently. It is used to prepare images. Frames are already
// drawn concurrently.
func bands(n int, work func(from, to int)) {
	parts := min(workers(), (n+63)/64)
	if parts <= 1 {
		work(0, n)
		return
	}
	var wg sync.WaitGroup
	for i := range parts {
		wg.Go(func() { work(n*i/parts, n*(i+1)/parts) })
	}
	wg.Wait()
}
