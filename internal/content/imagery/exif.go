// SPDX-License-Identifier: Apache-2.0

package imagery

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/draw"
)

// exifOrientation returns the orientation (1 to 8) in a JPEG's EXIF block, or 1, unchanged, if there is none or it
// cannot be read.
func exifOrientation(b []byte) int {
	for b = b[min(2, len(b)):]; len(b) >= 4 && b[0] == 0xff; {
		marker, n := b[1], int(binary.BigEndian.Uint16(b[2:]))
		if marker == 0xda || n < 2 || n+2 > len(b) { // image data, or invalid
			return 1
		}
		body := b[4 : n+2]
		if tiff, ok := bytes.CutPrefix(body, []byte("Exif\x00\x00")); ok && marker == 0xe1 {
			return tiffOrientation(tiff)
		}
		b = b[n+2:]
	}
	return 1
}

func tiffOrientation(t []byte) int {
	if len(t) < 8 {
		return 1
	}
	var order binary.ByteOrder = binary.LittleEndian
	switch string(t[:2]) {
	case "II":
	case "MM":
		order = binary.BigEndian
	default:
		return 1
	}
	at := int64(order.Uint32(t[4:]))
	if at+2 > int64(len(t)) {
		return 1
	}
	entries := t[at+2:]
	for range order.Uint16(t[at:]) {
		if len(entries) < 12 {
			return 1
		}
		if order.Uint16(entries) == 0x0112 {
			if v := int(order.Uint16(entries[8:])); v >= 1 && v <= 8 {
				return v
			}
			return 1
		}
		entries = entries[12:]
	}
	return 1
}

// orient returns an image rotated and mirrored by the EXIF orientation o. A decoded JPEG is rotated plane by plane in
// its own colour model, because another model would need up to four times the memory.
func orient(img image.Image, o int) image.Image {
	if o <= 1 || o > 8 {
		return img
	}
	switch m := img.(type) {
	case *image.Gray:
		out := image.NewGray(turned(m.Rect, o))
		turn(out.Pix, out.Stride, m.Pix[m.PixOffset(m.Rect.Min.X, m.Rect.Min.Y):], m.Stride, m.Rect.Dx(), m.Rect.Dy(), 1, o)
		return out
	case *image.YCbCr:
		if out := orientYCbCr(m, o); out != nil {
			return out
		}
	}
	b := img.Bounds()
	src := image.NewRGBA(image.Rect(0, 0, b.Dx(), b.Dy()))
	draw.Draw(src, src.Bounds(), img, b.Min, draw.Src)
	dst := image.NewRGBA(turned(b, o))
	turn(dst.Pix, dst.Stride, src.Pix, src.Stride, b.Dx(), b.Dy(), 4, o)
	return dst
}

// orientYCbCr returns nil if the rotated image would have an unsupported subsampling ratio.
func orientYCbCr(m *image.YCbCr, o int) image.Image {
	ratio := m.SubsampleRatio
	if o >= 5 {
		var ok bool
		ratio, ok = map[image.YCbCrSubsampleRatio]image.YCbCrSubsampleRatio{
			image.YCbCrSubsampleRatio444: image.YCbCrSubsampleRatio444, image.YCbCrSubsampleRatio420: image.YCbCrSubsampleRatio420,
			image.YCbCrSubsampleRatio422: image.YCbCrSubsampleRatio440, image.YCbCrSubsampleRatio440: image.YCbCrSubsampleRatio422,
		}[ratio]
		if !ok {
			return nil
		}
	}
	w, h := m.Rect.Dx(), m.Rect.Dy()
	out := image.NewYCbCr(turned(m.Rect, o), ratio)
	turn(out.Y, out.YStride, m.Y[m.YOffset(m.Rect.Min.X, m.Rect.Min.Y):], m.YStride, w, h, 1, o)
	cw, ch := out.CStride, len(out.Cb)/out.CStride
	if o >= 5 {
		cw, ch = ch, cw
	}
	at := m.COffset(m.Rect.Min.X, m.Rect.Min.Y)
	turn(out.Cb, out.CStride, m.Cb[at:], m.CStride, cw, ch, 1, o)
	turn(out.Cr, out.CStride, m.Cr[at:], m.CStride, cw, ch, 1, o)
	return out
}

// turned returns the bounds of an image after rotation.
func turned(r image.Rectangle, o int) image.Rectangle {
	if o >= 5 {
		return image.Rect(0, 0, r.Dy(), r.Dx())
	}
	return image.Rect(0, 0, r.Dx(), r.Dy())
}

// turn fills dst with the w x h samples of src, each of size bytes.
func turn(dst []byte, dstStride int, src []byte, srcStride, w, h, size, o int) {
	dw, dh := w, h
	if o >= 5 {
		dw, dh = h, w
	}
	for y := range dh {
		for x := range dw {
			sx, sy := x, y
			switch o {
			case 2:
				sx = w - 1 - x
			case 3:
				sx, sy = w-1-x, h-1-y
			case 4:
				sy = h - 1 - y
			case 5:
				sx, sy = y, x
			case 6:
				sx, sy = y, h-1-x
			case 7:
				sx, sy = w-1-y, h-1-x
			case 8:
				sx, sy = w-1-y, x
			}
			from, to := src[sy*srcStride+sx*size:], dst[y*dstStride+x*size:]
			if size == 1 {
				to[0] = from[0]
			} else {
				copy(to[:size], from[:size])
			}
		}
	}
}
