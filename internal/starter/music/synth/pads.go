// SPDX-License-Identifier: Apache-2.0

package synth

import (
	"math"
	"math/rand/v2"
)

// Pad is a group of saw waves behind a low pass that opens and closes. Each voice is a little out of tune and has its
// own position.
type Pad struct {
	Envelope
	// Voices is the number of saws per note. Cents is the maximum detuning.
	Voices int
	Cents  float64
	// Cutoff is the corner of the low pass as a multiple of the note's frequency, which is added to Floor in hertz.
	// Quality is its resonance.
	Cutoff, Floor, Quality float64
	// Open is the number of octaves by which the filter opens while the note swells.
	Open float64
	// Vibrato is the depth of the vibrato in cents.
	Vibrato float64
	// Width is the distance of the outer voices from the middle, 0 to 1.
	Width float64
}

// Play returns the sound of one note.
func (p Pad) Play(hertz, seconds, velocity float64, r *rand.Rand) *Stereo {
	n := samples(seconds + p.tail())
	out := NewStereo(n)
	gain := (0.35 + 0.65*velocity) / math.Sqrt(float64(p.Voices))
	for v := range p.Voices {
		place := 0.0
		if p.Voices > 1 {
			place = 2*float64(v)/float64(p.Voices-1) - 1
		}
		cents := p.Cents * (place + 0.25*noise(r))
		// Neighbouring voices alternate between the sides, so that both sides have sharp and flat ones.
		side := place * p.Width
		if v%2 == 1 {
			side = -side
		}
		left, right := panned(side)
		left, right = left*gain, right*gain
		o, lfo := osc{phase: r.Float64()}, osc{phase: r.Float64()}
		f := hertz * math.Exp2(cents/1200)
		rate := 4.6 + 0.9*r.Float64()
		now := f
		for i := range n {
			if i%32 == 0 && p.Vibrato > 0 {
				now = f * math.Exp2(p.Vibrato*math.Min(float64(i)/Rate/0.5, 1)*lfo.sine(rate*32)/1200)
			}
			x := o.saw(now)
			out.L[i] += float32(left * x)
			out.R[i] += float32(right * x)
		}
	}
	p.filter(out, hertz, seconds, velocity, r)
	p.shape(out.L, seconds)
	p.shape(out.R, seconds)
	return out
}

func (p Pad) filter(out *Stereo, hertz, seconds, velocity float64, r *rand.Rand) {
	var left, right svf
	drift := osc{phase: r.Float64()}
	for i := range out.L {
		if i%32 == 0 {
			t := float64(i) / Rate
			open := p.Open * (p.at(t, seconds) + 0.15*drift.sine(0.23*32))
			cutoff := (p.Floor + p.Cutoff*hertz*(0.7+0.5*velocity)) * math.Exp2(open)
			left.tune(cutoff, p.Quality)
			right.tune(cutoff*1.03, p.Quality)
		}
		out.L[i] = float32(left.low(float64(out.L[i])))
		out.R[i] = float32(right.low(float64(out.R[i])))
	}
}

// The held instruments.
var (
	// WarmPad is a soft background.
	WarmPad Instrument = Pad{
		Envelope: Envelope{Attack: 0.7, Decay: 2, Sustain: 0.85, Release: 1.6},
		Voices:   5, Cents: 9, Cutoff: 1.6, Floor: 250, Quality: 0.75, Open: 0.7, Width: 0.9,
	}.Play
	// GlassPad is brighter and slower.
	GlassPad Instrument = Pad{
		Envelope: Envelope{Attack: 1.4, Decay: 3, Sustain: 0.9, Release: 2.4},
		Voices:   6, Cents: 12, Cutoff: 2.4, Floor: 350, Quality: 0.9, Open: 1, Width: 1,
	}.Play
	// Strings is a distant string orchestra.
	Strings Instrument = Pad{
		Envelope: Envelope{Attack: 0.28, Decay: 1.5, Sustain: 0.85, Release: 0.7},
		Voices:   6, Cents: 11, Cutoff: 3, Floor: 500, Quality: 0.72, Open: 0.5, Vibrato: 9, Width: 0.8,
	}.Play
	// ShortStrings is short bow strokes, for figures.
	ShortStrings Instrument = Pad{
		Envelope: Envelope{Attack: 0.025, Decay: 0.25, Sustain: 0.45, Release: 0.22},
		Voices:   5, Cents: 10, Cutoff: 3.4, Floor: 600, Quality: 0.75, Open: 0.7, Vibrato: 4, Width: 0.6,
	}.Play
	// SuperSaw is the wide chord of electronic dance music.
	SuperSaw Instrument = Pad{
		Envelope: Envelope{Attack: 0.012, Decay: 0.6, Sustain: 0.75, Release: 0.25},
		Voices:   7, Cents: 16, Cutoff: 5, Floor: 900, Quality: 0.8, Open: 0.8, Width: 1,
	}.Play
	// Stab is a short bright chord.
	Stab Instrument = Pad{
		Envelope: Envelope{Attack: 0.006, Decay: 0.22, Sustain: 0.12, Release: 0.14},
		Voices:   5, Cents: 12, Cutoff: 4, Floor: 500, Quality: 1.1, Open: 1.4, Width: 0.8,
	}.Play
	// Brass swells, for chords in the style of film music.
	Brass Instrument = Pad{
		Envelope: Envelope{Attack: 0.12, Decay: 0.8, Sustain: 0.8, Release: 0.4},
		Voices:   4, Cents: 6, Cutoff: 2.2, Floor: 200, Quality: 0.8, Open: 1.3, Vibrato: 5, Width: 0.5,
	}.Play
)
