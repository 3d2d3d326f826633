// SPDX-License-Identifier: Apache-2.0

package imagery

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"image/draw"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"

	"golang.org/x/image/webp"
)

// ErrUnknownFormat says that the bytes are not a JPEG, PNG, WebP or GIF picture.
var ErrUnknownFormat = errors.New("the picture is not a JPEG, PNG, WebP or GIF")

// TooLargeError refuses a picture by the size its header gives, before any pixel
// is decoded.
type TooLargeError struct{ Width, Height, MaxPixels int }

func (e *TooLargeError) Error() string {
	return fmt.Sprintf("the picture has %d x %d pixels, more than %d in all", e.Width, e.Height, e.MaxPixels)
}

// BrokenError says that the picture's format is known but its content cannot be
// read.
type BrokenError struct {
	Format string
	Err    error
}

func (e *BrokenError) Error() string {
	return "the " + e.Format + " picture cannot be read: " + e.Err.Error()
}

// Unwrap gives the decoder's error.
func (e *BrokenError) Unwrap() error { return e.Err }

// DecodeLimited reads a JPEG, PNG, WebP or GIF (its first frame) and tells which
// it was ("jpeg", "png", "webp", "gif"), by content. A JPEG is turned the way its
// EXIF orientation asks. The errors are ErrUnknownFormat, *TooLargeError,
// *BrokenError, or r's own.
//
// It reads r to its end into memory: the caller bounds the bytes.
func DecodeLimited(r io.Reader, maxPixels int) (image.Image, string, error) {
	data, err := io.ReadAll(r)
	if err != nil {
		return nil, "", fmt.Errorf("reading the picture: %w", err)
	}
	f, ok := sniff(data)
	if !ok {
		return nil, "", ErrUnknownFormat
	}
	cfg, err := f.config(bytes.NewReader(data))
	if err != nil {
		return nil, f.name, &BrokenError{f.name, err}
	}
	if err := within(cfg.Width, cfg.Height, maxPixels); err != nil {
		return nil, f.name, err
	}
	if f.name == "webp" {
		// An extended file announces a canvas and holds a frame with a size of its
		// own; the decoder believes the frame.
		for _, s := range webpFrames(data) {
			if err := within(s.X, s.Y, maxPixels); err != nil {
				return nil, f.name, err
			}
		}
	}
	img, err := f.decode(bytes.NewReader(data))
	if err != nil {
		return nil, f.name, &BrokenError{f.name, err}
	}
	if img.Bounds().Empty() {
		return nil, f.name, &BrokenError{f.name, errors.New("it has no pixels")}
	}
	switch f.name {
	case "jpeg":
		img = orient(img, exifOrientation(data))
	case "gif":
		img = onScreen(img, cfg.Width, cfg.Height)
	}
	return img, f.name, nil
}

type format struct {
	name   string
	config func(io.Reader) (image.Config, error)
	decode func(io.Reader) (image.Image, error)
}

// sniff is used instead of image.Decode, whose formats depend on what else is
// linked into the program.
func sniff(b []byte) (format, bool) {
	switch {
	case bytes.HasPrefix(b, []byte("\xff\xd8\xff")):
		return format{"jpeg", jpeg.DecodeConfig, jpeg.Decode}, true
	case bytes.HasPrefix(b, []byte("\x89PNG\r\n\x1a\n")):
		return format{"png", png.DecodeConfig, png.Decode}, true
	case bytes.HasPrefix(b, []byte("GIF87a")), bytes.HasPrefix(b, []byte("GIF89a")):
		return format{"gif", gif.DecodeConfig, gif.Decode}, true
	case len(b) >= 12 && string(b[:4]) == "RIFF" && string(b[8:12]) == "WEBP":
		return format{"webp", webp.DecodeConfig, webp.Decode}, true
	}
	return format{}, false
}

func within(w, h, maxPixels int) error {
	if int64(w)*int64(h) > int64(maxPixels) {
		return &TooLargeError{w, h, maxPixels}
	}
	return nil
}

// webpFrames gives the sizes written in the frames of a WebP file.
func webpFrames(b []byte) []image.Point {
	var out []image.Point
	for b = b[12:]; len(b) >= 8; {
		kind, n := string(b[:4]), int64(binary.LittleEndian.Uint32(b[4:8]))
		body := b[8:]
		switch {
		case kind == "VP8 " && len(body) >= 10:
			out = append(out, image.Pt(int(binary.LittleEndian.Uint16(body[6:])&0x3fff), int(binary.LittleEndian.Uint16(body[8:])&0x3fff)))
		case kind == "VP8L" && len(body) >= 5:
			v := binary.LittleEndian.Uint32(body[1:])
			out = append(out, image.Pt(int(v&0x3fff)+1, int(v>>14&0x3fff)+1))
		}
		n += n & 1
		if n > int64(len(body)) {
			break
		}
		b = body[n:]
	}
	return out
}

// onScreen puts a GIF frame where it lies on the GIF's screen.
func onScreen(img image.Image, w, h int) image.Image {
	screen := image.Rect(0, 0, w, h)
	if img.Bounds() == screen {
		return img
	}
	out := image.NewRGBA(screen)
	draw.Draw(out, img.Bounds(), img, img.Bounds().Min, draw.Src)
	return out
}
