// SPDX-License-Identifier: Apache-2.0

package imagery

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
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

// dataBytes is the size of a data chunk.
const dataBytes = 64 << 10

// encodePNG writes pixels of four bytes. pngRGB omits the alpha.
func encodePNG(w io.Writer, pix []byte, stride int, size image.Point, colour byte) error {
	header := binary.BigEndian.AppendUint32(nil, uint32(size.X))
	header = append(binary.BigEndian.AppendUint32(header, uint32(size.Y)), 8, colour, 0, 0, 0)
	if _, err := io.WriteString(w, pngSignature); err != nil {
		return err
	}
	if err := (chunk{w, "IHDR"}).write(header); err != nil {
		return err
	}
	data := bufio.NewWriterSize(chunk{w, "IDAT"}, dataBytes)
	z, err := zlib.NewWriterLevel(data, zlib.BestSpeed)
	if err != nil {
		return err
	}
	width := 4
	if colour == pngRGB {
		width = 3
	}
	filtered := make([]byte, 1+size.X*width+1) // the alpha of the last pixel needs a byte, also if it is omitted
	filtered[0] = pngUp
	above := make([]byte, size.X*4)
	for y := range size.Y {
		row := pix[y*stride:][:size.X*4]
		for i, o := 0, 1; i < len(row); i, o = i+4, o+width {
			binary.LittleEndian.PutUint32(filtered[o:], minus(binary.LittleEndian.Uint32(row[i:]), binary.LittleEndian.Uint32(above[i:])))
		}
		if _, err := z.Write(filtered[:1+size.X*width]); err != nil {
			return err
		}
		above = row
	}
	if err := errors.Join(z.Close(), data.Flush()); err != nil {
		return err
	}
	return (chunk{w, "IEND"}).write(nil)
}

// minus subtracts each of four bytes from one of another four, modulo 256: without their highest bits, no byte borrows
// from the next.
func minus(a, b uint32) uint32 {
	const high = 0x80808080
	return ((a | high) - (b &^ high)) ^ ((a ^ ^b) & high)
}

// chunk writes chunks of one type to a PNG file.
type chunk struct {
	io.Writer
	kind string
}

func (c chunk) Write(data []byte) (int, error) { return len(data), c.write(data) }

// write writes a chunk: its length, type, data and checksum.
func (c chunk) write(data []byte) error {
	head := append(binary.BigEndian.AppendUint32(nil, uint32(len(data))), c.kind...)
	sum := crc32.Update(crc32.ChecksumIEEE(head[4:]), crc32.IEEETable, data)
	for _, part := range [][]byte{head, data, binary.BigEndian.AppendUint32(nil, sum)} {
		if _, err := c.Writer.Write(part); err != nil {
			return err
		}
	}
	return nil
}
