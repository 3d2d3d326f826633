// SPDX-License-Identifier: Apache-2.0

package synth

import "math"

// Envelope is the loudness of a note over time. It rises in Attack, falls towards Sustain (0 to 1) in Decay, and fades
// out in Release after the note is released. Times are in seconds.
type Envelope struct{ Attack, Decay, Sustain, Release float64 }

// tail returns the seconds for which a note still sounds after its release.
func (e Envelope) tail() float64 { return e.Release * 1.4 }

// at returns the value at the time t of a note that is held for the given time.
func (e Envelope) at(t, held float64) float64 {
	v := e.held(min(t, held))
	if t > held {
		left := (t - held) / e.Release
		// The last part fades to zero, so that the clip ends without a click.
		v *= math.Exp(-5*left) * min(1, max(0, (e.tail()-(t-held))/(0.2*e.Release)))
	}
	return v
}

// held returns the value at the time t of a note that is not released yet.
func (e Envelope) held(t float64) float64 {
	if t < e.Attack {
		x := t / e.Attack
		return x * x * (3 - 2*x)
	}
	return e.Sustain + (1-e.Sustain)*math.Exp(-3*(t-e.Attack)/max(e.Decay, 1e-4))
}

// shape multiplies a clip by the envelope.
func (e Envelope) shape(x []float32, held float64) {
	const every = 16 // samples between two exact values; values between them are interpolated
	for i := 0; i < len(x); i += every {
		a, b := e.at(float64(i)/Rate, held), e.at(float64(i+every)/Rate, held)
		for k := i; k < min(i+every, len(x)); k++ {
			x[k] *= float32(a + (b-a)*float64(k-i)/every)
		}
	}
}

// fadeOut fades the last seconds of a clip to zero.
func fadeOut(x []float32, seconds float64) {
	n := min(samples(seconds), len(x))
	for i := range n {
		x[len(x)-1-i] *= float32(i) / float32(n)
	}
}
