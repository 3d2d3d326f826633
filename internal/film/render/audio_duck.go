// SPDX-License-Identifier: Apache-2.0

package render

import "math"

// Ducking of the music, or of the sound of a clip behind an inset, while a voice is audible.
const (
	duckDB = -12.0
	// duckBlock is the number of samples in a hundredth of a second. The following times are counted in such blocks.
	duckBlock   = sampleRate / 100
	duckAttack  = 8
	duckRelease = 40
	// duckHold is how long the sound stays ducked after the last word, so that short pauses cause no pumping.
	duckHold = 35
	// duckBelow is the distance from a sound's loudness, in LU, below which a block is a pause.
	duckBelow = 16.0
)

// activity marks the blocks of a video in which a sound is audible.
type activity struct {
	blocks []bool
}

func newActivity(samples int) *activity {
	return &activity{make([]bool, (samples+duckBlock-1)/duckBlock)}
}

// add marks the audible blocks of a sound. levels are the mean squares of the sound's blocks.
func (h *activity) add(s *source, levels []float64) {
	least := math.Pow(10, (s.loudness-duckBelow)/10)
	for at := s.from; at < s.to; {
		from := at
		for i, level := range levels {
			if level < least {
				continue
			}
			if b := (from + s.late + i*duckBlock) / duckBlock; b >= from/duckBlock && b < len(h.blocks) && b*duckBlock < s.to {
				h.blocks[b] = true
			}
		}
		if s.period == 0 {
			return
		}
		at += s.period
	}
}

// duck returns the gain of a ducked sound, in dB, at the beginning of every block and at the end of the last one. The
// gain is fully reduced when a voice begins.
func (h *activity) duck() []float64 {
	n := len(h.blocks)
	down := make([]bool, n+1)
	until := -1
	for i, b := range h.blocks {
		if b {
			until = i + duckHold
			down[i] = true
		} else if i <= until {
			down[i] = true
		}
	}
	out := make([]float64, n+1)
	gain := 0.0
	for i := range out { // release
		if i < n && down[i] {
			gain = duckDB
		} else {
			gain = min(0, gain-duckDB/duckRelease)
		}
		out[i] = gain
	}
	gain = 0
	for i := n; i >= 0; i-- { // attack
		if i < n && down[i] {
			gain = duckDB
		} else {
			gain = min(0, gain-duckDB/duckAttack)
		}
		out[i] = min(out[i], gain)
	}
	return out
}
