// SPDX-License-Identifier: Apache-2.0

package imagery

import (
	"context"
	"errors"
	"fmt"
	"image"
	"io"
	"runtime"

	"golang.org/x/sync/semaphore"
)

const (
	// MaxFrames bounds the frames of a moving picture, of which only the first is decoded.
	MaxFrames = 1000
	// MaxScans bounds how often a JPEG passes over its pixels. Programs write about ten.
	MaxScans = 64
	// MaxSide bounds the width and the height of a picture, which may be long and thin.
	MaxSide = 1 << 15
)

// ErrUnknownFormat says that the bytes are not a JPEG, PNG, WebP, GIF or HEIC picture.
var ErrUnknownFormat = errors.New("the picture is not a JPEG, PNG, WebP, GIF or HEIC")

// TooLargeError refuses a picture by the size its header gives, before any pixel
// is decoded.
type TooLargeError struct{ Width, Height, MaxPixels int }

func (e *TooLargeError) Error() string {
	if e.Width > MaxSide || e.Height > MaxSide {
		return fmt.Sprintf("the picture has %d x %d pixels, more than %d on a side", e.Width, e.Height, MaxSide)
	}
	return fmt.Sprintf("the picture has %d x %d pixels, more than %d in all", e.Width, e.Height, e.MaxPixels)
}

// TooManyError refuses a picture that has too much of something, which it would take
// long to go through. What is "frames" or "scans".
type TooManyError struct {
	Format, What string
	Max          int
}

func (e *TooManyError) Error() string {
	return fmt.Sprintf("the %s picture has more than %d %s", e.Format, e.Max, e.What)
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

var (
	errCutOff   = errors.New("it is cut off")
	errNoPixels = errors.New("it has no pixels")
	errNoBlock  = errors.New("it has a part of an unknown kind")
)

// memory is what all pictures being decoded at one moment may take together, in bytes. What one needs is reckoned from
// its header, and one that needs more by itself is refused: a picture of the usual kinds and MaxImagePixels of the
// catalog needs less.
const memory = 512 << 20

// much is what makes it worth while to tidy up before decoding.
const much = memory / 8

var room = semaphore.NewWeighted(memory)

var (
	errMemory = errors.New("decoding it takes too much memory")
	errPanic  = errors.New("the decoder failed")
)

// DecodeLimited reads a JPEG, PNG, WebP, GIF or HEIC and tells which it was ("jpeg",
// "png", "webp", "gif", "heic"), by content. Of a moving picture it gives the first
// frame. A picture is turned the way it asks for, by its EXIF orientation or, in a HEIC,
// by its properties. One that is cut off is broken, not half a picture. The errors are
// ErrUnknownFormat, *TooLargeError, *TooManyError, *BrokenError, or r's own.
//
// It reads r to its end into memory: the caller bounds the bytes. The pixels of all
// pictures that are decoded at one time are bounded here: it waits for its turn.
func DecodeLimited(r io.Reader, maxPixels int) (image.Image, string, error) {
	return DecodeFor("", r, maxPixels)
}

// DecodeFor is DecodeLimited for an image that an account brought. Images of a kind that is decoded one at a time wait in
// turns of their accounts.
func DecodeFor(account string, r io.Reader, maxPixels int) (image.Image, string, error) {
	data, err := io.ReadAll(r)
	if err != nil {
		return nil, "", fmt.Errorf("reading the picture: %w", err)
	}
	f, ok := formatOf(data)
	if !ok {
		return nil, "", ErrUnknownFormat
	}
	img, err := f.read(data, limit{account: account, pixels: maxPixels})
	if err == nil && img.Bounds().Empty() {
		err = errNoPixels
	}
	var large *TooLargeError
	var many *TooManyError
	switch {
	case errors.As(err, &large):
		return nil, f.name, large
	case errors.As(err, &many):
		return nil, f.name, many
	case err != nil:
		return nil, f.name, &BrokenError{f.name, err}
	}
	return img, f.name, nil
}

type format struct {
	name   string
	decode func([]byte, limit) (image.Image, error)
}

// read decodes. A decoder that panics met a picture it was not written for: that must not end the program.
func (f format) read(data []byte, l limit) (img image.Image, err error) {
	defer func() {
		if p := recover(); p != nil {
			img, err = nil, fmt.Errorf("%w: %v", errPanic, p)
		}
	}()
	return f.decode(data, l)
}

// formatOf is used instead of image.Decode, whose formats depend on what else is
// linked into the program.
func formatOf(b []byte) (format, bool) {
	for _, f := range []struct {
		format
		is func([]byte) bool
	}{
		{format{"jpeg", decodeJPEG}, isJPEG},
		{format{"png", decodePNG}, isPNG},
		{format{"gif", decodeGIF}, isGIF},
		{format{"webp", decodeWebP}, isWebP},
		{format{"heic", decodeHEIC}, isHEIC},
	} {
		if f.is(b) {
			return f.format, true
		}
	}
	return format{}, false
}

// limit bounds the decoding of an image.
type limit struct {
	account string // that brought the image
	pixels  int    // that it may have
}

func (l limit) fits(w, h int) error {
	if w > MaxSide || h > MaxSide || int64(w)*int64(h) > int64(l.pixels) {
		return &TooLargeError{w, h, l.pixels}
	}
	return nil
}

// holding runs a decoder that needs so many bytes, when there is room for them.
func holding(bytes int64, decode func() (image.Image, error)) (image.Image, error) {
	if bytes > memory {
		return nil, errMemory
	}
	if err := room.Acquire(context.Background(), bytes); err != nil {
		return nil, err
	}
	defer room.Release(bytes)
	if bytes > much {
		// What earlier pictures left is still there, and nobody would miss it before the memory is twice as much.
		runtime.GC()
	}
	return decode()
}
