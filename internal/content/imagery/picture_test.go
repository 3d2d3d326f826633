// SPDX-License-Identifier: Apache-2.0

package imagery

import (
	"bytes"
	"encoding/binary"
	"errors"
	"image"
	"image/color"
	"image/color/palette"
	"image/gif"
	"image/jpeg"
	"image/png"
	"strings"
	"testing"
)

// quarters returns an image with red, green, blue and white corners (in reading order).
func quarters(w, h int) *image.RGBA {
	img := image.NewRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			c := color.RGBA{255, 0, 0, 255}
			switch {
			case x >= w/2 && y >= h/2:
				c = color.RGBA{255, 255, 255, 255}
			case x >= w/2:
				c = color.RGBA{0, 255, 0, 255}
			case y >= h/2:
				c = color.RGBA{0, 0, 255, 255}
			}
			img.SetRGBA(x, y, c)
		}
	}
	return img
}

// corners returns the colours of an image's corners in reading order.
func corners(img image.Image) string {
	b := img.Bounds()
	var out strings.Builder
	for _, q := range [][2]int{{1, 1}, {3, 1}, {1, 3}, {3, 3}} {
		r, g, bl, _ := img.At(b.Min.X+b.Dx()*q[0]/4, b.Min.Y+b.Dy()*q[1]/4).RGBA()
		switch {
		case r > 0x9000 && g > 0x9000 && bl > 0x9000:
			out.WriteByte('W')
		case r > g && r > bl:
			out.WriteByte('R')
		case g > bl:
			out.WriteByte('G')
		default:
			out.WriteByte('B')
		}
	}
	return out.String()
}

var bigEndian binary.AppendByteOrder = binary.BigEndian

var byteOrders = []binary.AppendByteOrder{binary.LittleEndian, binary.BigEndian}

func jpegOf(t testing.TB, img image.Image, orientation int, order binary.AppendByteOrder) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := jpeg.Encode(&b, img, &jpeg.Options{Quality: 95}); err != nil {
		t.Fatal(err)
	}
	if orientation == 0 {
		return b.Bytes()
	}
	tiff := []byte("II*\x00")
	if order == bigEndian {
		tiff = []byte("MM\x00*")
	}
	tiff = order.AppendUint32(tiff, 8)
	tiff = order.AppendUint16(tiff, 1)
	tiff = order.AppendUint16(tiff, 0x0112)
	tiff = order.AppendUint16(tiff, 3)
	tiff = order.AppendUint32(tiff, 1)
	tiff = order.AppendUint16(tiff, uint16(orientation))
	tiff = order.AppendUint16(tiff, 0)
	app := append([]byte("\xff\xe1\x00\x00Exif\x00\x00"), tiff...)
	binary.BigEndian.PutUint16(app[2:], uint16(len(app)-2))
	return append(append([]byte("\xff\xd8"), app...), b.Bytes()[2:]...)
}

func TestDecode_AppliesEXIFOrientation(t *testing.T) {
	want := map[int]string{0: "RGBW", 1: "RGBW", 2: "GRWB", 3: "WBGR", 4: "BWRG", 5: "RBGW", 6: "BRWG", 7: "WGBR", 8: "GWRB", 9: "RGBW"}
	for o, corner := range want {
		for _, order := range byteOrders {
			img, format, err := DecodeLimited(bytes.NewReader(jpegOf(t, quarters(64, 32), o, order)), 1e6)
			if err != nil || format != "jpeg" {
				t.Fatalf("orientation %d: got %s, %v", o, format, err)
			}
			if got := corners(img); got != corner {
				t.Errorf("orientation %d: got corners %s, want %s", o, got, corner)
			}
			if tall := img.Bounds().Dy() > img.Bounds().Dx(); tall != (o >= 5 && o <= 8) {
				t.Errorf("orientation %d: got size %v", o, img.Bounds())
			}
		}
	}
}

func TestDecode_Formats(t *testing.T) {
	var p, g bytes.Buffer
	if err := png.Encode(&p, quarters(20, 20)); err != nil {
		t.Fatal(err)
	}
	// The frame covers only a part of the screen.
	frame := image.NewPaletted(image.Rect(10, 10, 20, 20), palette.Plan9)
	if err := gif.EncodeAll(&g, &gif.GIF{Image: []*image.Paletted{frame}, Delay: []int{0}, Config: image.Config{Width: 40, Height: 30}}); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		data []byte
		want image.Point
	}{"png": {p.Bytes(), image.Pt(20, 20)}, "gif": {g.Bytes(), image.Pt(40, 30)}, "webp": {tinyWebP, image.Pt(1, 1)}} {
		img, format, err := DecodeLimited(bytes.NewReader(c.data), 1200)
		if err != nil || format != name {
			t.Errorf("%s: got %q, %v", name, format, err)
			continue
		}
		if img.Bounds().Size() != c.want {
			t.Errorf("%s: got size %v, want %v", name, img.Bounds().Size(), c.want)
		}
	}
}

// tinyWebP is one lossless pixel.
var tinyWebP = []byte("RIFF\x1a\x00\x00\x00WEBPVP8L\x0d\x00\x00\x00\x2f\x00\x00\x00\x10\x07\x10\x11\x11\x88\x88\xfe\x07\x00")

func TestDecode_RejectsBombs(t *testing.T) {
	var p bytes.Buffer
	if err := png.Encode(&p, image.NewGray(image.Rect(0, 0, 8, 8))); err != nil {
		t.Fatal(err)
	}
	bomb := p.Bytes()[:33] // only the header, which declares 60000 x 60000
	binary.BigEndian.PutUint32(bomb[16:], 60000)
	binary.BigEndian.PutUint32(bomb[20:], 60000)
	binary.BigEndian.PutUint32(bomb[29:], crc(bomb[12:29]))
	// An extended WebP whose canvas is 1 x 1, and whose frame is 16384 x 16384.
	hidden := []byte("RIFF\x00\x00\x00\x00WEBPVP8X\x0a\x00\x00\x00\x10\x00\x00\x00\x00\x00\x00\x00\x00\x00" +
		"VP8L\x05\x00\x00\x00\x2f\xff\xff\xff\x0f\x00")
	binary.LittleEndian.PutUint32(hidden[4:], uint32(len(hidden)-8))
	for name, data := range map[string][]byte{"png header": bomb, "webp frame": hidden} {
		_, _, err := DecodeLimited(bytes.NewReader(data), 50e6)
		var big *TooLargeError
		if !errors.As(err, &big) {
			t.Errorf("%s: got %v, want a TooLargeError", name, err)
		}
	}
}

func crc(b []byte) uint32 {
	c := ^uint32(0)
	for _, v := range b {
		c ^= uint32(v)
		for range 8 {
			c = c>>1 ^ 0xedb88320*(c&1)
		}
	}
	return ^c
}

func TestDecode_Errors(t *testing.T) {
	whole := jpegOf(t, quarters(64, 64), 6, binary.BigEndian)
	if _, _, err := DecodeLimited(strings.NewReader("<svg/>"), 1e6); !errors.Is(err, ErrUnknownFormat) {
		t.Errorf("an SVG: got %v, want ErrUnknownFormat", err)
	}
	for n := 3; n < len(whole)-20; n += 17 { // truncated anywhere: an error, never a panic
		_, _, err := DecodeLimited(bytes.NewReader(whole[:n]), 1e6)
		var broken *BrokenError
		if !errors.As(err, &broken) || broken.Format != "jpeg" {
			t.Fatalf("truncated to %d bytes: got %v, want a BrokenError", n, err)
		}
	}
}

func TestCrop(t *testing.T) {
	for name, c := range map[string]struct{ w, h, toW, toH int }{
		"same size": {30, 40, 30, 40}, "smaller": {300, 400, 90, 160}, "much smaller": {1800, 1200, 90, 160},
		"larger": {20, 20, 90, 160}, "wide": {40, 400, 160, 90}, "one pixel": {1, 1, 9, 16}, "thin": {1, 500, 16, 9},
	} {
		src := quarters(c.w, c.h)
		got, err := Crop(src, c.toW, c.toH)
		if err != nil || got.Bounds() != image.Rect(0, 0, c.toW, c.toH) {
			t.Errorf("%s: got %v, %v", name, got.Bounds(), err)
			continue
		}
		if c.w > 1 && corners(got) != "RGBW" {
			t.Errorf("%s: got corners %s: the middle of the image must stay in the middle", name, corners(got))
		}
	}
	if _, err := Crop(image.NewRGBA(image.Rectangle{}), 9, 16); err == nil {
		t.Error("an empty image is accepted")
	}
}

func TestCrop_TransparencyBecomesWhite(t *testing.T) {
	got, err := Crop(image.NewNRGBA(image.Rect(0, 0, 50, 50)), 9, 16)
	if err != nil {
		t.Fatal(err)
	}
	if c := got.RGBAAt(4, 8); c != (color.RGBA{255, 255, 255, 255}) {
		t.Errorf("a transparent image becomes %v, want white", c)
	}
}

func BenchmarkCrop12Megapixels(b *testing.B) {
	src := image.NewYCbCr(image.Rect(0, 0, 4000, 3000), image.YCbCrSubsampleRatio420)
	for b.Loop() {
		if _, err := Crop(src, 1080, 1920); err != nil {
			b.Fatal(err)
		}
	}
}
