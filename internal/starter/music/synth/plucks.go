// SPDX-License-Identifier: Apache-2.0

package synth

import (
	"math"
	"math/rand/v2"
)

// Pluck is a plucked string after Karplus and Strong: a burst of noise in a delay line that is filtered in every
// period.
type Pluck struct {
	// Life is the time in seconds in which a string at 110 Hz loses 60 dB.
	Life float64
	// Bright is the amount of upper partials that the string has and keeps, 0 to 1.
	Bright float64
	// Place is the position of the finger or plectrum along the string, 0 to 0.5.
	Place float64
	// Body is the amount of resonance of a wooden box, 0 to 1.
	Body float64
	// Mute is how much the hand mutes the strings, 0 to 1.
	Mute float64
}

// Play returns the sound of one note.
func (p Pluck) Play(hertz, seconds, velocity float64, r *rand.Rand) *Stereo {
	life := p.Life * math.Pow(110/hertz, 0.55) * (1 - 0.93*p.Mute)
	const damp = 0.12
	held := min(seconds, life)
	n := samples(held + damp)
	out := make([]float32, n)

	// The average of neighbouring samples delays by its own share and reduces the high frequencies.
	average := 0.5 - 0.42*p.Bright*(0.55+0.45*velocity)
	turn := Rate/hertz - average
	whole := int(turn - 0.3)
	allpass := (1 - (turn - float64(whole))) / (1 + (turn - float64(whole)))
	keep := math.Pow(10, -3/(hertz*life))

	line := p.burst(whole, hertz, velocity, r)
	var before, apIn, apOut float64
	at := 0
	for i := range out {
		x := line[at]
		out[i] = float32(x)
		y := keep * ((1-average)*x + average*before)
		before = x
		z := allpass*(y-apOut) + apIn
		apIn, apOut = y, z
		line[at] = z
		if at++; at == whole {
			at = 0
		}
	}
	if p.Body > 0 {
		box, air, wood := newSVF(105, 2.5), newSVF(215, 3), newSVF(420, 2)
		for i, x := range out {
			v := float64(x)
			out[i] = float32(v + p.Body*(0.55*box.band(v)+0.7*air.band(v)+0.45*wood.band(v)))
		}
	}
	block := newSVF(max(35, hertz*0.5), 0.707) // removes a constant offset
	for i, x := range out {
		out[i] = float32(block.high(float64(x)))
	}
	Envelope{Attack: 0.0008, Decay: 1, Sustain: 1, Release: damp / 1.4}.shape(out, held)
	scale(out, 0.4+0.6*velocity)
	return mono(out)
}

// burst returns the initial content of the delay line: noise without its lowest and highest parts. The comb filter
// removes partials according to the place where the string is plucked.
func (p Pluck) burst(whole int, hertz, velocity float64, r *rand.Rand) []float64 {
	line := make([]float64, whole)
	soft := newPole(min(15000, 600+hertz*2+6500*p.Bright*velocity))
	for range 200 {
		soft.step(noise(r))
	}
	mean := 0.0
	for i := range line {
		line[i] = soft.step(noise(r))
		mean += line[i] / float64(whole)
	}
	pick := max(1, int(p.Place*float64(whole)))
	comb := make([]float64, whole)
	power := 0.0
	for i := range line {
		comb[i] = line[i] - mean - 0.85*(line[(i-pick+whole)%whole]-mean)
		power += comb[i] * comb[i] / float64(whole)
	}
	gain := 0.32 / math.Sqrt(max(power, 1e-9))
	for i := range comb {
		comb[i] *= gain
	}
	return comb
}

// The plucked instruments.
var (
	// SteelGuitar is an acoustic guitar with steel strings.
	SteelGuitar Instrument = Pluck{Life: 5, Bright: 0.66, Place: 0.17, Body: 0.6}.Play
	// NylonGuitar is rounder.
	NylonGuitar Instrument = Pluck{Life: 3.4, Bright: 0.42, Place: 0.24, Body: 0.75}.Play
	// Ukulele is short and light.
	Ukulele Instrument = Pluck{Life: 2.2, Bright: 0.5, Place: 0.22, Body: 0.4}.Play
	// MutedGuitar is played with the hand on the strings.
	MutedGuitar Instrument = Pluck{Life: 5, Bright: 0.75, Place: 0.1, Body: 0.1, Mute: 0.92}.Play
	// Harp rings long and clear.
	Harp Instrument = Pluck{Life: 6, Bright: 0.62, Place: 0.35, Body: 0.25}.Play
	// Pizzicato is a bowed string plucked with a finger.
	Pizzicato Instrument = Pluck{Life: 1.3, Bright: 0.42, Place: 0.28, Body: 0.6}.Play
	// UprightBass is plucked low and dark.
	UprightBass Instrument = Pluck{Life: 2.6, Bright: 0.34, Place: 0.25, Body: 0.35}.Play
	// FingerBass is an electric bass.
	FingerBass Instrument = Pluck{Life: 4, Bright: 0.56, Place: 0.16}.Play
)
