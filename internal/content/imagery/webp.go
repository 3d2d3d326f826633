// SPDX-License-Identifier: Apache-2.0

package imagery

import (
	"bytes"
	"encoding/binary"
	"image"

	"golang.org/x/image/webp"
)

func isWebP(b []byte) bool {
	return len(b) >= 12 && string(b[:4]) == "RIFF" && string(b[8:12]) == "WEBP"
}

func decodeWebP(data []byte, l limit) (image.Image, error) {
	size := int64(binary.LittleEndian.Uint32(data[4:]))
	if size < 4 || size+8 > int64(len(data)) {
		return nil, errCutOff
	}
	data = data[:size+8]
	cfg, err := webp.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	if err := l.fits(cfg.Width, cfg.Height); err != nil {
		return nil, err
	}
	at := image.Point{}
	if moving(data) {
		if data, at, err = firstOfWebP(data); err != nil {
			return nil, err
		}
	}
	// An extended file declares a canvas, and its frame has a size of its own, which the decoder uses.
	frames, err := webpFrames(data)
	if err != nil {
		return nil, err
	}
	for _, s := range frames {
		if err := l.fits(s.X, s.Y); err != nil {
			return nil, err
		}
	}
	return holding(int64(cfg.Width)*int64(cfg.Height)*8, func() (image.Image, error) {
		img, err := webp.Decode(bytes.NewReader(data))
		if err != nil {
			return nil, err
		}
		return onScreen(img, at, cfg.Width, cfg.Height), nil
	})
}

// chunks calls f for each complete chunk of a WebP file, or of a part of one.
func chunks(b []byte, f func(kind string, body []byte) bool) error {
	for len(b) > 0 {
		if len(b) < 8 {
			return errCutOff
		}
		n := int64(binary.LittleEndian.Uint32(b[4:]))
		if n > int64(len(b)-8) {
			return errCutOff
		}
		if !f(string(b[:4]), b[8:8+n]) {
			return nil
		}
		b = past(b, int(8+n+n&1))
	}
	return nil
}

// webpFrames returns the sizes in the frame headers of a still WebP file.
func webpFrames(b []byte) (sizes []image.Point, err error) {
	err = chunks(b[12:], func(kind string, body []byte) bool {
		switch {
		case kind == "VP8 " && len(body) >= 10:
			sizes = append(sizes, image.Pt(int(binary.LittleEndian.Uint16(body[6:])&0x3fff), int(binary.LittleEndian.Uint16(body[8:])&0x3fff)))
		case kind == "VP8L" && len(body) >= 5:
			v := binary.LittleEndian.Uint32(body[1:])
			sizes = append(sizes, image.Pt(int(v&0x3fff)+1, int(v>>14&0x3fff)+1))
		}
		return true
	})
	return sizes, err
}

// moving reports whether the file declares an animation.
func moving(b []byte) bool {
	return len(b) > 20 && string(b[12:16]) == "VP8X" && b[20]&2 != 0
}

// firstOfWebP returns the first frame of an animation as a still image, because the decoder does not support
// animations, and the position of the frame on the canvas.
func firstOfWebP(b []byte) (still []byte, at image.Point, err error) {
	frames, first := 0, []byte(nil)
	err = chunks(b[12:], func(kind string, body []byte) bool {
		if kind == "ANMF" {
			if frames++; frames == 1 {
				first = body
			}
		}
		return frames <= MaxFrames
	})
	switch {
	case err != nil:
		return nil, at, err
	case frames > MaxFrames:
		return nil, at, &TooManyError{"webp", "frames", MaxFrames}
	case len(first) < 16:
		return nil, at, errNoPixels
	}
	at = image.Pt(2*three(first), 2*three(first[3:]))
	var body []byte
	flags := byte(0)
	err = chunks(first[16:], func(kind string, chunk []byte) bool {
		if kind == "ALPH" {
			flags |= 0x10
		}
		if kind == "ALPH" || kind == "VP8 " || kind == "VP8L" {
			body = append(body, kind...)
			body = binary.LittleEndian.AppendUint32(body, uint32(len(chunk)))
			body = append(append(body, chunk...), make([]byte, len(chunk)&1)...)
		}
		return kind != "VP8 " && kind != "VP8L"
	})
	if err != nil {
		return nil, at, err
	}
	still = append([]byte("RIFF\x00\x00\x00\x00WEBPVP8X\x0a\x00\x00\x00"), flags, 0, 0, 0)
	still = append(append(still, first[6:12]...), body...)
	binary.LittleEndian.PutUint32(still[4:], uint32(len(still)-8))
	return still, at, nil
}

// three returns the value of a three-byte number.
func three(b []byte) int { return int(b[0]) | int(b[1])<<8 | int(b[2])<<16 }
