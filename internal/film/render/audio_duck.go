// SPDX-License-Identifier: Apache-2.0

package render

import "math"

// How music, or the sound of a clip behind an inset, steps back while somebody is heard.
const (
	duckDB = -12.0
	// duckBlock is a hundredth of a second; what follows is counted in such blocks.
	duckBlock   = sampleRate / 100
	duckAttack  = 8
	duckRelease = 40
	// duckHold is how long it stays back after the last word: shorter pauses do not make it come and go.
	duckHold = 35
	// duckBelow is how far below a sound's loudness, in LU, its pauses begin.
	duckBelow = 16.0
)

// heard marks the blocks of a film in which a sound is loud enough to be listened to. levels are the mean squares of the
// blocks of the sound.
type heard struct {
	blocks []bool
}

func newHeard(samples int) *heard { return &heard{make([]bool, (samples+duckBlock-1)/duckBlock)} }

// add marks what is heard of a sound with the given loudness.
func (h *heard) add(s *source, levels []float64) {
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

// duck gives the gain of what steps back, in dB, at the beginning of every block and at the end of the last one. It is all the way down when somebody
// begins to speak.
func (h *heard) duck() []float64 {
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
	for i := range out { // back up, after
		if i < n && down[i] {
			gain = duckDB
		} else {
			gain = min(0, gain-duckDB/duckRelease)
		}
		out[i] = gain
	}
	gain = 0
	for i := n; i >= 0; i-- { // down, before
		if i < n && down[i] {
			gain = duckDB
		} else {
			gain = min(0, gain-duckDB/duckAttack)
		}
		out[i] = min(out[i], gain)
	}
	return out
}
