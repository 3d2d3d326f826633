// SPDX-License-Identifier: Apache-2.0

package synth

import "math"

// osc is an oscillator with a phase of 0 to 1.
type osc struct{ phase float64 }

// turn returns the phase and then advances it by step.
func (o *osc) turn(step float64) float64 {
	p := o.phase
	if o.phase += step; o.phase >= 1 {
		o.phase--
	}
	return p
}

func (o *osc) sine(hertz float64) float64 { return math.Sin(2 * math.Pi * o.turn(hertz/Rate)) }

// saw returns a sawtooth that falls at the end of each period. The edge is rounded against aliasing.
func (o *osc) saw(hertz float64) float64 {
	step := hertz / Rate
	p := o.turn(step)
	return 2*p - 1 - edge(p, step)
}

// pulse returns a pulse wave that is high for the share width of each period, without its mean.
func (o *osc) pulse(hertz, width float64) float64 {
	step := hertz / Rate
	p := o.turn(step)
	v := -1.0
	if p < width {
		v = 1
	}
	q := p - width
	if q < 0 {
		q++
	}
	return v + edge(p, step) - edge(q, step) - (2*width - 1)
}

// edge returns the correction that rounds a step of height 2 at phase 0 with two parabolas (PolyBLEP). A corrected step
// has little energy above half the sample rate.
func edge(p, step float64) float64 {
	switch {
	case p < step:
		x := p / step
		return 2*x - x*x - 1
	case p > 1-step:
		x := (p - 1) / step
		return x*x + 2*x + 1
	}
	return 0
}

// tone is a decaying sine. It rotates a vector, which needs a few multiplications per sample instead of a sine.
type tone struct{ re, im, cos, sin float64 }

// newTone returns a tone that starts at the phase, in turns, and loses 60 dB in the given seconds.
func newTone(hertz, gain, phase, seconds float64) tone {
	w, f := 2*math.Pi*hertz/Rate, fall(seconds)
	return tone{
		re: gain * math.Cos(2*math.Pi*phase), im: gain * math.Sin(2*math.Pi*phase),
		cos: f * math.Cos(w), sin: f * math.Sin(w),
	}
}

func (t *tone) next() float64 {
	v := t.im
	t.re, t.im = t.re*t.cos-t.im*t.sin, t.re*t.sin+t.im*t.cos
	return v
}
