// SPDX-License-Identifier: Apache-2.0

package render

import (
	"io"

	"github.com/reelops/reelops/internal/film/timeline"
)

// soundless reports whether a video has no sound at all.
func soundless(tl *timeline.Timeline) bool {
	if tl.Audio.Kind == timeline.Music || len(tl.Audio.Voices) > 0 {
		return false
	}
	for i := range tl.Clips {
		if f := tl.Clips[i].Footage; f != nil && f.Sound {
			return false
		}
	}
	return true
}

// silentFrame is a silent AAC-LC frame at 48 kHz in stereo, with its header. No encoder is needed for it: both channels
// share a window in which no band is coded.
var silentFrame = func() []byte {
	var bits []byte
	put := func(n int, v uint) {
		for n--; n >= 0; n-- {
			bits = append(bits, byte(v>>n&1))
		}
	}
	put(3, 1) // channel pair element
	put(4, 0) // instance tag
	put(1, 1) // common window
	put(1, 0) // reserved
	put(2, 0) // long window
	put(1, 0) // first window shape
	put(6, 0) // number of bands
	put(1, 0) // no prediction
	put(2, 0) // no mid/side stereo
	for range 2 {
		put(8, 100) // global gain, without effect
		put(3, 0)   // no pulse data, no TNS, no gain control
	}
	put(3, 7) // end
	size := 7 + (len(bits)+7)/8
	frame := []byte{0xff, 0xf1, 1<<6 | 3<<2, 2<<6 | byte(size>>11), byte(size >> 3), byte(size<<5) | 0x1f, 0xfc}
	for i, b := range bits {
		if i%8 == 0 {
			frame = append(frame, 0)
		}
		frame[len(frame)-1] |= b << (7 - i%8)
	}
	return frame
}()

// writeSilence writes the sound of a silent video of so many samples.
func writeSilence(path string, samples int) error {
	return toFile(path, func(w io.Writer) error {
		for range max((samples+encoderDelay-1)/encoderDelay, 1) {
			if _, err := w.Write(silentFrame); err != nil {
				return err
			}
		}
		return nil
	})
}
