// SPDX-License-Identifier: Apache-2.0

package synth

import (
	"math"
	"math/rand/v2"
)

// bar is a struck bar of wood or metal: tones at fixed ratios, each with its own decay.
type bar struct {
	ratio, gain, life []float64
	base              float64 // seconds in which the lowest tone at 220 Hz loses 60 dB
	click             float64 // gain of the stroke of the mallet
}

func (b bar) play(hertz, seconds, velocity float64, r *rand.Rand) *Stereo {
	life := b.base * math.Pow(220/hertz, 0.6)
	n := samples(min(life, seconds+3))
	out := make([]float32, n)
	for k, ratio := range b.ratio {
		f := hertz * ratio
		if f > 15000 {
			continue
		}
		gain := b.gain[k]
		if k > 0 {
			gain *= 0.4 + 0.8*velocity
		}
		t := newTone(f, gain, 0, max(life*b.life[k], 0.02))
		for i := range out {
			out[i] += float32(t.next())
		}
	}
	f := newSVF(min(hertz*5, 6000), 0.9)
	for i := range min(samples(0.02), n) {
		out[i] += float32(b.click * velocity * math.Exp(-float64(i)/Rate/0.003) * f.band(noise(r)))
	}
	for i := range min(samples(0.0012), n) {
		out[i] *= float32(i) / float32(samples(0.0012))
	}
	fadeOut(out, 0.02)
	scale(out, 0.3+0.6*velocity)
	return mono(out)
}

// Instruments that are struck.
var (
	// Marimba is warm wood.
	Marimba Instrument = bar{ratio: []float64{1, 3.93, 9.24}, gain: []float64{1, 0.22, 0.06}, life: []float64{1, 0.35, 0.12}, base: 1.5, click: 0.3}.play
	// Kalimba is a thumb piano: tongues of metal on wood.
	Kalimba Instrument = bar{ratio: []float64{1, 2.01, 5.4, 8.9}, gain: []float64{1, 0.1, 0.14, 0.03}, life: []float64{1, 0.5, 0.15, 0.06}, base: 2.4, click: 0.4}.play
	// Glockenspiel is small and bright.
	Glockenspiel Instrument = bar{ratio: []float64{1, 2.76, 5.4}, gain: []float64{1, 0.18, 0.05}, life: []float64{1, 0.4, 0.15}, base: 5, click: 0.12}.play
	// Vibraphone rings long.
	Vibraphone Instrument = bar{ratio: []float64{1, 4, 10.1}, gain: []float64{1, 0.16, 0.03}, life: []float64{1, 0.3, 0.1}, base: 6.5, click: 0.15}.play
	// Bowl is a low bell whose tones beat with each other.
	Bowl Instrument = bar{ratio: []float64{1, 1.003, 2.71, 2.722, 5.1}, gain: []float64{0.6, 0.45, 0.2, 0.16, 0.05}, life: []float64{1, 0.95, 0.6, 0.55, 0.3}, base: 9, click: 0.05}.play
)
