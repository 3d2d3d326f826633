// SPDX-License-Identifier: Apache-2.0

package imagery_test

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"math/rand/v2"
	"testing"

	"github.com/reelops/reelops/internal/content/imagery"
)

// TestEncodePNG_RoundTrip decodes the encoded images with image/png, also parts of larger images.
func TestEncodePNG_RoundTrip(t *testing.T) {
	noise := rand.New(rand.NewPCG(1, 2))
	whole := image.Rect(0, 0, 61, 37)
	clear, opaque, grey := image.NewNRGBA(whole), image.NewRGBA(whole), image.NewGray(whole)
	for _, pix := range [][]byte{clear.Pix, opaque.Pix, grey.Pix} {
		for i := range pix {
			pix[i] = byte(noise.Uint32())
		}
	}
	half := image.NewRGBA(whole)
	half.SetRGBA(3, 3, color.RGBA{40, 30, 20, 128})
	for i := 3; i < len(opaque.Pix); i += 4 {
		opaque.Pix[i] = 255
	}
	part := image.Rect(7, 5, 40, 36)
	for name, img := range map[string]image.Image{
		"NRGBA": clear, "part of NRGBA": clear.SubImage(part), "opaque RGBA": opaque, "part of opaque RGBA": opaque.SubImage(part),
		"RGBA that is not opaque": half, "grey": grey, "one pixel": opaque.SubImage(image.Rect(9, 9, 10, 10)),
	} {
		t.Run(name, func(t *testing.T) {
			var b bytes.Buffer
			if err := imagery.EncodePNG(&b, img); err != nil {
				t.Fatal(err)
			}
			got, err := png.Decode(&b)
			if err != nil {
				t.Fatal(err)
			}
			want := img.Bounds()
			if got.Bounds().Size() != want.Size() {
				t.Fatalf("got an image of %s, want %s", got.Bounds().Size(), want.Size())
			}
			for y := range want.Dy() {
				for x := range want.Dx() {
					if g, w := color.NRGBAModel.Convert(got.At(x, y)), color.NRGBAModel.Convert(img.At(want.Min.X+x, want.Min.Y+y)); g != w {
						t.Fatalf("pixel %d, %d: got %v, want %v", x, y, g, w)
					}
				}
			}
		})
	}
	if err := imagery.EncodePNG(&bytes.Buffer{}, image.NewNRGBA(image.Rectangle{})); err == nil {
		t.Error("an empty image is encoded")
	}
}
