// SPDX-License-Identifier: Apache-2.0

package imagery

import (
	"context"
	"encoding/binary"
	"image"
	"slices"

	"github.com/reelops/reelops/internal/content/imagery/heic"
)

// isHEIC reports whether a file is a HEIF file with HEVC images, by its brands.
func isHEIC(b []byte) bool {
	if len(b) < 16 || string(b[4:8]) != "ftyp" {
		return false
	}
	n := min(int64(binary.BigEndian.Uint32(b)), int64(len(b)), 1<<12)
	hevc := func(brand string) bool { return slices.Contains([]string{"heic", "heix", "heim", "heis"}, brand) }
	major := string(b[8:12])
	if hevc(major) {
		return true
	}
	for at := int64(16); at+4 <= n && (major == "mif1" || major == "msf1"); at += 4 {
		if hevc(string(b[at : at+4])) {
			return true
		}
	}
	return false
}

func decodeHEIC(data []byte, l limit) (image.Image, error) {
	if err := wholeBoxes(data); err != nil {
		return nil, err
	}
	held := int64(0)
	defer func() { room.Release(held) }()
	return heic.Decode(context.Background(), l.account, data, func(w, h int) error {
		if err := l.fits(w, h); err != nil {
			return err
		}
		held = min(int64(w)*int64(h)*10, memory)
		return room.Acquire(context.Background(), held)
	})
}

// wholeBoxes returns an error if the boxes of the file do not end where the file does.
func wholeBoxes(b []byte) error {
	for len(b) > 0 {
		if len(b) < 8 {
			return errCutOff
		}
		n := uint64(binary.BigEndian.Uint32(b))
		switch {
		case n == 0: // up to the end
			return nil
		case n == 1:
			if len(b) < 16 {
				return errCutOff
			}
			n = binary.BigEndian.Uint64(b[8:])
		}
		if n < 8 || n > uint64(len(b)) {
			return errCutOff
		}
		b = b[n:]
	}
	return nil
}
