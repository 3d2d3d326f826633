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
		// An empty scan of a progressive picture takes a few bytes, and the decoder goes over every block for it.
		return nil, &TooManyError{"jpeg", "scans", MaxScans}
	}
	need := int64(cfg.Width) * int64(cfg.Height) * facts.bytesPerPixel
	img, err := holding(need, func() (image.Image, error) { return jpeg.Decode(bytes.NewReader(data)) })
	if err != nil {
		return nil, err
	}
	return orient(img, exifOrientation(data)), nil
}

// jpegFacts is what the markers of a JPEG tell.
type jpegFacts struct {
	scans         int
	bytesPerPixel int64 // that decoding takes
}

// lookAtJPEG goes through the markers up to the end of the picture. What does not look like one ends it: the decoder
// says what is wrong.
func lookAtJPEG(b []byte) jpegFacts {
	f := jpegFacts{bytesPerPixel: 4}
	for b = b[2:]; len(b) >= 4 && b[0] == 0xff; {
		marker := b[1]
		switch {
		case marker == 0xff: // fill
			b = b[1:]
			continue
		case marker == 0xd9:
			return f
		case marker == 0x01, marker >= 0xd0 && marker <= 0xd7: // alone
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
		case 0xc2: // progressive: each coefficient is kept in four bytes until the end
			f.bytesPerPixel = 15
			if len(body) >= 6 && body[5] > 3 {
				f.bytesPerPixel = 20
			}
		case 0xda:
			f.scans++
			b = b[scanLength(b):]
		}
	}
	return f
}

// scanLength is how far the coded pixels reach: up to a marker that is no restart.
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
