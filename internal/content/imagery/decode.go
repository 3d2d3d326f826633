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
	// MaxFrames is the maximum number of frames of an animation, of which only the first is decoded.
	MaxFrames = 1000
	// MaxScans is the maximum number of scans of a JPEG. Encoders usually write about ten.
	MaxScans = 64
	// MaxSide is the maximum width and height of an image.
	MaxSide = 1 << 15
)

// ErrUnknownFormat means that the data is not a JPEG, PNG, WebP, GIF or HEIC image.
var ErrUnknownFormat = errors.New("the image is not a JPEG, PNG, WebP, GIF or HEIC")

// TooLargeError means that an image is too large according to its header. It is returned before any pixel is decoded.
type TooLargeError struct{ Width, Height, MaxPixels int }

func (e *TooLargeError) Error() string {
	if e.Width > MaxSide || e.Height > MaxSide {
		return fmt.Sprintf("the image has %d x %d pixels, more than %d on a side", e.Width, e.Height, MaxSide)
	}
	return fmt.Sprintf("the image has %d x %d pixels, more than %d in total", e.Width, e.Height, e.MaxPixels)
}

// TooManyError means that an image has too many frames or scans, which would take too long to process. What is "frames"
// or "scans".
type TooManyError struct {
	Format, What string
	Max          int
}

func (e *TooManyError) Error() string {
	return fmt.Sprintf("the %s image has more than %d %s", e.Format, e.Max, e.What)
}

// BrokenError means that the format of an image is known but its content cannot be read.
type BrokenError struct {
	Format string
	Err    error
}

func (e *BrokenError) Error() string {
	return "the " + e.Format + " image cannot be read: " + e.Err.Error()
}

// Unwrap returns the decoder's error.
func (e *BrokenError) Unwrap() error { return e.Err }

var (
	errCutOff   = errors.New("it is cut off")
	errNoPixels = errors.New("it has no pixels")
	errNoBlock  = errors.New("it has a part of an unknown kind")
)

// memory is the memory limit in bytes for all images being decoded at one time. The need of an image is estimated from
// its header, and an image that needs more by itself is rejected. Images of the usual kinds with up to MaxImagePixels
// of the catalog need less.
const memory = 512 << 20

// much is the size from which a garbage collection before decoding is worthwhile.
const much = memory / 8

var room = semaphore.NewWeighted(memory)

var (
	errMemory = errors.New("decoding it takes too much memory")
	errPanic  = errors.New("the decoder failed")
)

// DecodeLimited decodes a JPEG, PNG, WebP, GIF or HEIC image and returns its format ("jpeg", "png", "webp", "gif",
// "heic"), detected by content. Of an animation it returns the first frame. The image is rotated by its EXIF
// orientation or, for HEIC, by its properties. A truncated file is an error. The errors are ErrUnknownFormat,
// *TooLargeError, *TooManyError, *BrokenError, or r's own.
//
// It reads r completely into memory, so the caller must limit the size. The memory for the pixels of all images being
// decoded is limited, so a call may wait for others.
func DecodeLimited(r io.Reader, maxPixels int) (image.Image, string, error) {
	return DecodeFor("", r, maxPixels)
}

// DecodeFor is DecodeLimited for an image of an account. Images of a kind that is decoded one at a time wait in a queue
// that alternates between accounts.
func DecodeFor(account string, r io.Reader, maxPixels int) (image.Image, string, error) {
	data, err := io.ReadAll(r)
	if err != nil {
		return nil, "", fmt.Errorf("reading the image: %w", err)
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

// read decodes an image. A panic of a decoder becomes an error, so that one image cannot end the program.
func (f format) read(data []byte, l limit) (img image.Image, err error) {
	defer func() {
		if p := recover(); p != nil {
			img, err = nil, fmt.Errorf("%w: %v", errPanic, p)
		}
	}()
	return f.decode(data, l)
}

// formatOf returns the format of an image. It replaces image.Decode, whose formats depend on the packages linked into
// the program.
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

// limit holds the limits for decoding one image.
type limit struct {
	account string // owner of the image
	pixels  int    // maximum number of pixels
}

func (l limit) fits(w, h int) error {
	if w > MaxSide || h > MaxSide || int64(w)*int64(h) > int64(l.pixels) {
		return &TooLargeError{w, h, l.pixels}
	}
	return nil
}

// holding runs a decoder after reserving the given number of bytes.
func holding(bytes int64, decode func() (image.Image, error)) (image.Image, error) {
	if bytes > memory {
		return nil, errMemory
	}
	if err := room.Acquire(context.Background(), bytes); err != nil {
		return nil, err
	}
	defer room.Release(bytes)
	if bytes > much {
		// Garbage of earlier images is still in memory, and the collector would not run before the heap has doubled.
		runtime.GC()
	}
	return decode()
}
