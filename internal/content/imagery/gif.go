// SPDX-License-Identifier: Apache-2.0

package imagery

import (
	"bytes"
	"image"
	"image/draw"
	"image/gif"
)

func isGIF(b []byte) bool {
	return bytes.HasPrefix(b, []byte("GIF87a")) || bytes.HasPrefix(b, []byte("GIF89a"))
}

func decodeGIF(data []byte, l limit) (image.Image, error) {
	cfg, err := gif.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	if err := l.fits(cfg.Width, cfg.Height); err != nil {
		return nil, err
	}
	if err := countGIF(data); err != nil {
		return nil, err
	}
	// One byte for each pixel of the frame, four for each of the screen.
	return holding(int64(cfg.Width)*int64(cfg.Height)*5, func() (image.Image, error) {
		img, err := gif.Decode(bytes.NewReader(data))
		if err != nil {
			return nil, err
		}
		return onScreen(img, img.Bounds().Min, cfg.Width, cfg.Height), nil
	})
}

// countGIF walks the blocks to the end without decompressing them. The decoder stops after the first frame and would
// not detect too many frames or a truncated file.
func countGIF(b []byte) error {
	if len(b) < 13 {
		return errCutOff
	}
	b = past(b, 13+colourTable(b[10]))
	for frames := 0; ; {
		if len(b) == 0 {
			return errCutOff
		}
		kind := b[0]
		switch kind {
		case 0x3b: // the end
			return nil
		case 0x21: // an extension
			b = past(b, 2)
		case 0x2c:
			if frames++; frames > MaxFrames {
				return &TooManyError{"gif", "frames", MaxFrames}
			}
			if len(b) < 10 {
				return errCutOff
			}
			b = past(b, 10+colourTable(b[9])+1) // and the code size
		default:
			return errNoBlock
		}
		for { // the data of the block, in sub-blocks
			if len(b) == 0 {
				return errCutOff
			}
			n := int(b[0])
			b = past(b, 1+n)
			if n == 0 {
				break
			}
		}
	}
}

// colourTable returns the length of the colour table according to the flags.
func colourTable(flags byte) int {
	if flags&0x80 == 0 {
		return 0
	}
	return 3 << (flags&7 + 1)
}

func past(b []byte, n int) []byte { return b[min(n, len(b)):] }

// onScreen returns a frame at its position on the screen of an animation.
func onScreen(img image.Image, at image.Point, w, h int) image.Image {
	b := img.Bounds()
	if at == (image.Point{}) && b == image.Rect(0, 0, w, h) {
		return img
	}
	out := image.NewRGBA(image.Rect(0, 0, w, h))
	draw.Draw(out, b.Sub(b.Min).Add(at), img, b.Min, draw.Src)
	return out
}
