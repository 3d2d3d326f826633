// SPDX-License-Identifier: Apache-2.0

package synth

import (
	"math"
	"math/rand/v2"
)

// Stereo is two channels of equal length, nominally from -1 to 1.
type Stereo struct{ L, R []float32 }

// NewStereo returns silence of n samples.
func NewStereo(n int) *Stereo { return &Stereo{make([]float32, n), make([]float32, n)} }

// Len returns the number of samples per channel.
func (s *Stereo) Len() int { return len(s.L) }

// mono returns a clip with the same samples on both sides.
func mono(x []float32) *Stereo { return &Stereo{x, x} }

// Add mixes a clip into the loop from sample at on. A clip that exceeds the end continues at the start, as often as
// needed. pan is -1 for left to 1 for right; a stereo clip keeps its width.
func (s *Stereo) Add(clip *Stereo, at int, gain, pan float64) {
	n := s.Len()
	left, right := panned(pan)
	gl, gr := float32(gain*left), float32(gain*right)
	i := ((at % n) + n) % n
	for k := range clip.L {
		s.L[i] += clip.L[k] * gl
		s.R[i] += clip.R[k] * gr
		if i++; i == n {
			i = 0
		}
	}
}

// Mix adds a loop of the same length.
func (s *Stereo) Mix(o *Stereo, gain float64) {
	g := float32(gain)
	for i := range s.L {
		s.L[i] += o.L[i] * g
		s.R[i] += o.R[i] * g
	}
}

// Scale multiplies both channels.
func (s *Stereo) Scale(gain float64) {
	g := float32(gain)
	for i := range s.L {
		s.L[i] *= g
		s.R[i] *= g
	}
}

// panned returns the gains of the two sides. Their power is the same for every pan, and both are 1 in the middle.
func panned(pan float64) (left, right float64) {
	a := (pan + 1) * math.Pi / 4
	return math.Cos(a) * math.Sqrt2, math.Sin(a) * math.Sqrt2
}

// Instrument returns the sound of one note. seconds is how long the note is held; the sound rings longer than that.
// velocity is 0 to 1.
type Instrument func(hertz, seconds, velocity float64, r *rand.Rand) *Stereo

// Hertz returns the frequency of a MIDI note number.
func Hertz(midi float64) float64 { return 440 * math.Exp2((midi-69)/12) }

// Gain converts decibels to a factor.
func Gain(db float64) float64 { return math.Pow(10, db/20) }

// Decibels converts a factor to decibels.
func Decibels(gain float64) float64 { return 20 * math.Log10(max(gain, 1e-12)) }

func samples(seconds float64) int { return int(seconds*Rate + 0.5) }

// fall returns the factor per sample by which a sound loses 60 dB in the given time.
func fall(seconds float64) float64 { return math.Pow(10, -3/(seconds*Rate)) }

// noise returns one sample of white noise, -1 to 1.
func noise(r *rand.Rand) float64 { return 2*r.Float64() - 1 }
