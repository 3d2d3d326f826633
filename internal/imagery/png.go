// SPDX-License-Identifier: Apache-2.0

package imagery

import (
	"bytes"
	"image"
	"image/png"
)

func isPNG(b []byte) bool { return bytes.HasPrefix(b, []byte("\x89PNG\r\n\x1a\n")) }

// decodePNG leaves everything but the pixels alone: colour profiles and texts, which are compressed and may be bombs,
// are never unpacked.
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
	if data[28] != 0 { // each pass is a picture as well
		per += per / 2
	}
	return holding(int64(cfg.Width)*int64(cfg.Height)*per, func() (image.Image, error) { return png.Decode(bytes.NewReader(data)) })
}
