// SPDX-License-Identifier: Apache-2.0

package imagery

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/jpeg"
)

func isJPEG(b []byte) bool { return bytes.HasPrefix(b, []byte("\xff\xd8\xff")) }

func decodeJPEG(data []byte, l limit) (image.Image, error) {
	cfg, err := jpeg.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	if err := l.fits(cfg.Width, cfg.Height); err != nil {
		return nil, err
	}
	facts := lookAtJPEG(data)
	if facts.scans > MaxScans {
		// An empty scan of a progressive image takes a few bytes, but the decoder processes every block for it.
		return nil, &TooManyError{"jpeg", "scans", MaxScans}
	}
	return holding(facts.bytes(cfg.Width, cfg.Height), func() (image.Image, error) {
		img, err := jpeg.Decode(bytes.NewReader(data))
		if err != nil {
			return nil, err
		}
		return orient(img, exifOrientation(data)), nil
	})
}

// jpegFacts holds the properties of a JPEG that its markers contain.
type jpegFacts struct {
	scans       int
	progressive bool
	colours     int
	samples     float64 // per pixel, over all colours
}

// bytes returns the memory in bytes for decoding an image of w by h pixels and rotating it afterwards.
func (f jpegFacts) bytes(w, h int) int64 {
	per := 2 * f.samples
	if f.progressive {
		per = 5 * f.samples // the decoder keeps each coefficient in four bytes until the end
	}
	if f.colours > 3 {
		per += 4
	}
	return int64(per * float64(w) * float64(h))
}

// frame reads the sampling factors of each colour from the first frame header, and ignores later ones.
func (f *jpegFacts) frame(body []byte) {
	if len(body) < 6 || f.colours != 0 {
		return
	}
	f.colours = int(body[5])
	sum, h, v := 0, 1, 1
	for c := body[6:]; len(c) >= 3; c = c[3:] {
		ch, cv := int(c[1]>>4), int(c[1]&15)
		sum, h, v = sum+ch*cv, max(h, ch), max(v, cv)
	}
	f.samples = float64(sum) / float64(h*v)
}

// lookAtJPEG returns the properties from the markers up to the end of the image. It stops at invalid data without an
// error: the decoder returns one.
func lookAtJPEG(b []byte) jpegFacts {
	var f jpegFacts
	for b = b[2:]; len(b) >= 4 && b[0] == 0xff; {
		marker := b[1]
		switch {
		case marker == 0xff: // fill byte
			b = b[1:]
			continue
		case marker == 0xd9:
			return f
		case marker == 0x01, marker >= 0xd0 && marker <= 0xd7: // without a body
			b = b[2:]
			continue
		}
		n := int(binary.BigEndian.Uint16(b[2:])) + 2
		if n > len(b) {
			return f
		}
		body := b[4:max(4, n)]
		b = b[n:]
		switch marker {
		case 0xc0, 0xc1, 0xc2:
			f.frame(body)
			f.progressive = f.progressive || marker == 0xc2
		case 0xda:
			f.scans++
			b = b[scanLength(b):]
		}
	}
	return f
}

// scanLength returns the length in bytes of the coded data of a scan, up to a marker other than a restart.
func scanLength(b []byte) int {
	for at := 0; ; {
		i := bytes.IndexByte(b[at:], 0xff)
		if i < 0 || at+i+1 >= len(b) {
			return len(b)
		}
		at += i
		if m := b[at+1]; m != 0 && m != 0xff && (m < 0xd0 || m > 0xd7) {
			return at
		}
		at++
	}
}
