// SPDX-License-Identifier: Apache-2.0

package synth

import (
	"math"
	"math/rand/v2"
)

// Piano returns a soft upright piano with felt. Every note has two strings, stretched partials that decay faster the
// higher they are, and a faint hammer. bright is 0 to 1.
func Piano(bright float64) Instrument {
	return func(hertz, seconds, velocity float64, r *rand.Rand) *Stereo {
		const stretch, strike, damp = 0.00035, 0.118, 0.35
		base := min(12*math.Sqrt(55/hertz), 14)
		held := min(seconds, base)
		n := samples(held + damp)
		out := NewStereo(n)
		steep := 1.15 + 1.1*(1-velocity) + 0.5*(1-bright)
		top := 1800 + 2500*bright + 4000*velocity*bright
		for k := 1.0; k <= 28; k++ {
			f := hertz * k * math.Sqrt(1+stretch*k*k)
			gain := math.Pow(k, -steep) * math.Abs(math.Sin(math.Pi*k*strike)) / strike / math.Pi * math.Exp(-f/top)
			if f > 12000 || gain < 2e-4 {
				continue
			}
			life := base / (1 + 0.3*(k-1))
			phase := r.Float64() * 0.1
			// The sound of the stroke is loud and short, the rest in the strings soft and long. The two strings beat
			// slowly.
			fast, slow := newTone(f, 0.62*gain, phase, 0.4*life), newTone(f*1.00025, 0.3*gain, phase+0.02, life)
			other := newTone(f*0.99975, 0.3*gain, phase-0.03, life)
			for i := range n {
				a := fast.next()
				out.L[i] += float32(a + slow.next()*1.2)
				out.R[i] += float32(a + other.next()*1.2)
			}
		}
		thump := newSVF(min(900, 300+hertz), 0.8)
		for i := range min(samples(0.05), n) {
			v := float32(0.16 * velocity * math.Exp(-float64(i)/Rate/0.009) * thump.band(noise(r)))
			out.L[i] += v
			out.R[i] += v
		}
		e := Envelope{Attack: 0.003, Decay: 1, Sustain: 1, Release: damp / 1.4}
		e.shape(out.L, held)
		e.shape(out.R, held)
		out.Scale(0.35 + 0.65*velocity)
		return out
	}
}

// ElectricPiano is struck metal by frequency modulation: harsh when it is hit hard, round otherwise.
func ElectricPiano(hertz, seconds, velocity float64, r *rand.Rand) *Stereo {
	life := min(6*math.Sqrt(110/hertz), 6)
	e := Envelope{Attack: 0.004, Decay: life, Sustain: 0, Release: 0.22}
	held := min(seconds, life)
	out := make([]float32, samples(held+e.tail()))
	var carrier, body, tine osc
	detune := 1 + 0.0006*noise(r)
	tineGain := 0.24 * velocity * math.Exp(-hertz/900)
	for i := range out {
		t := float64(i) / Rate
		b := body.sine(hertz*detune) * (0.35 + 0.9*velocity) * math.Exp(-t*1.6) * math.Exp(-hertz/1400)
		n := tine.sine(min(hertz*14, 12000)) * tineGain * math.Exp(-t*14)
		out[i] = float32(math.Sin(2*math.Pi*carrier.turn(hertz/Rate) + b + n))
	}
	e.shape(out, held)
	s := mono(out)
	scale(out, 0.4+0.5*velocity)
	return s
}

func scale(x []float32, gain float64) {
	for i := range x {
		x[i] *= float32(gain)
	}
}
