// SPDX-License-Identifier: Apache-2.0

package imagery

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/png"
	"io"

	"github.com/klauspost/compress/zlib"
)

// The signature of PNG files, the colour types with 8 bits per channel, and the filter that takes each byte's
// difference to the row above.
const (
	pngSignature = "\x89PNG\r\n\x1a\n"
	pngRGB       = 2
	pngRGBA      = 6
	pngUp        = 2
)

func isPNG(b []byte) bool { return bytes.HasPrefix(b, []byte(pngSignature)) }

// decodePNG decodes only the pixels. Colour profiles and texts, which are compressed and may be decompression bombs,
// are never decompressed.
func decodePNG(data []byte, l limit) (image.Image, error) {
	cfg, err := png.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	if err := l.fits(cfg.Width, cfg.Height); err != nil {
		return nil, err
	}
	// The header, which DecodeConfig has read: depth at 24, interlacing at 28.
	per := int64(4)
	if data[24] == 16 {
		per = 8
	}
	if data[28] != 0 { // each pass is an image as well
		per += per / 2
	}
	return holding(int64(cfg.Width)*int64(cfg.Height)*per, func() (image.Image, error) { return png.Decode(bytes.NewReader(data)) })
}

// EncodePNG writes an image as PNG at compression level 1. It filters each row by the row above, where image/png tries
// five filters, and compresses with klauspost/compress. BenchmarkEncodePNG compares the time and the bytes with those of
// image/png. image/png encodes images that are neither NRGBA nor opaque RGBA.
func EncodePNG(w io.Writer, img image.Image) error {
	switch m := img.(type) {
	case *image.NRGBA:
		if !m.Rect.Empty() {
			return encodePNG(w, m.Pix[m.PixOffset(m.Rect.Min.X, m.Rect.Min.Y):], m.Stride, m.Rect.Size(), pngRGBA)
		}
	case *image.RGBA:
		if !m.Rect.Empty() && m.Opaque() {
			return encodePNG(w, m.Pix[m.PixOffset(m.Rect.Min.X, m.Rect.Min.Y):], m.Stride, m.Rect.Size(), pngRGB)
		}
	}
	return (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(w, img)
}

// encodePNG writes pixels of four bytes. pngRGB omits the alpha.
func encodePNG(w io.Writer, pix []byte, stride int, size image.Point, colour byte) error {
	var packed bytes.Buffer
	z, err := zlib.NewWriterLevel(&packed, zlib.BestSpeed)
	if err != nil {
		return err
	}
	line := size.X * 4
	if colour == pngRGB {
		line = size.X * 3
	}
	row, above, filtered := make([]byte, line), make([]byte, line), make([]byte, 1+line)
	filtered[0] = pngUp
	for y := range size.Y {
		if src := pix[y*stride:][:size.X*4]; colour == pngRGB {
			for i, o := 0, 0; i < len(src); i, o = i+4, o+3 {
				row[o], row[o+1], row[o+2] = src[i], src[i+1], src[i+2]
			}
		} else {
			copy(row, src)
		}
		for i, v := range row {
			filtered[1+i] = v - above[i]
		}
		if _, err := z.Write(filtered); err != nil {
			return err
		}
		row, above = above, row
	}
	if err := z.Close(); err != nil {
		return err
	}
	header := binary.BigEndian.AppendUint32(nil, uint32(size.X))
	header = append(binary.BigEndian.AppendUint32(header, uint32(size.Y)), 8, colour, 0, 0, 0)
	out := []byte(pngSignature)
	out = appendChunk(out, "IHDR", header)
	out = appendChunk(out, "IDAT", packed.Bytes())
	_, err = w.Write(appendChunk(out, "IEND", nil))
	return err
}

// appendChunk appends one chunk of a PNG file: its length, type, data and checksum.
func appendChunk(out []byte, kind string, data []byte) []byte {
	out = binary.BigEndian.AppendUint32(out, uint32(len(data)))
	start := len(out)
	out = append(append(out, kind...), data...)
	return binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(out[start:]))
}
