// SPDX-License-Identifier: Apache-2.0

package imagery

import (
	"bytes"
	"errors"
	"testing"

	"github.com/reelops/reelops/internal/testkit/hostile"
)

// FuzzDecode tries to make a decoder panic, or return an image larger than requested.
func FuzzDecode(f *testing.F) {
	s := hostile.NewSeeds(f)
	for _, seed := range [][]byte{s.JPEG, s.Progressive, s.PNG, s.GIF, s.MovingGIF, s.WebP, s.Lossless, s.MovingWebP} {
		f.Add(seed)
	}
	f.Add(jpegOf(f, quarters(64, 32), 6, bigEndian))
	const most = 100_000
	f.Fuzz(func(t *testing.T, data []byte) {
		if isHEIC(data) {
			t.Skip("its decoder runs in a sandbox, and is slow")
		}
		img, _, err := DecodeLimited(bytes.NewReader(data), most)
		if err != nil {
			if errors.Is(err, errPanic) {
				t.Fatal(err)
			}
			return
		}
		if b := img.Bounds(); b.Dx()*b.Dy() > most || b.Empty() {
			t.Errorf("got an image with the bounds %v", b)
		}
		touch(img)
	})
}

// FuzzEXIF reads orientations.
func FuzzEXIF(f *testing.F) {
	for _, order := range byteOrders {
		f.Add(jpegOf(f, quarters(8, 8), 6, order))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if o := exifOrientation(data); o < 1 || o > 8 {
			t.Errorf("orientation %d", o)
		}
		lookAtJPEG(append([]byte("\xff\xd8"), data...))
		_ = countGIF(data)
		_ = wholeBoxes(data)
	})
}
