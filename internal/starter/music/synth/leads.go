// SPDX-License-Identifier: Apache-2.0

package synth

import (
	"math"
	"math/rand/v2"
)

// Flute is a nearly pure tone with breath. Held notes get a vibrato. It sounds best above 400 Hz.
func Flute(hertz, seconds, velocity float64, r *rand.Rand) *Stereo {
	e := Envelope{Attack: 0.055, Decay: 0.6, Sustain: 0.82, Release: 0.16}
	out := make([]float32, samples(seconds+e.tail()))
	var a, b, c, sway osc
	breath := newSVF(min(hertz*1.5, 6000), 1.2)
	for i := range out {
		t := float64(i) / Rate
		f := hertz * math.Exp2((11*min(t/0.6, 1)*sway.sine(5.1)-18*math.Exp(-t/0.03))/1200)
		out[i] = float32(0.8*a.sine(f) + 0.16*velocity*b.sine(2*f) + 0.07*velocity*c.sine(3*f) + (0.035+0.1*math.Exp(-t/0.05))*breath.band(noise(r)))
	}
	e.shape(out, seconds)
	scale(out, 0.35+0.5*velocity)
	return mono(out)
}

// Whistle is a pure tone that slides up to its pitch.
func Whistle(hertz, seconds, velocity float64, r *rand.Rand) *Stereo {
	e := Envelope{Attack: 0.04, Decay: 0.4, Sustain: 0.85, Release: 0.1}
	out := make([]float32, samples(seconds+e.tail()))
	var a, b, sway osc
	breath := newSVF(min(hertz, 9000), 3)
	for i := range out {
		t := float64(i) / Rate
		f := hertz * math.Exp2((14*min(t/0.35, 1)*sway.sine(5.6)-70*math.Exp(-t/0.025))/1200)
		out[i] = float32(0.85*a.sine(f) + 0.04*b.sine(2*f) + 0.05*breath.band(noise(r)))
	}
	e.shape(out, seconds)
	scale(out, 0.35+0.45*velocity)
	return mono(out)
}

// Lead is two saws and a pulse an octave below, behind a low pass that closes.
func Lead(hertz, seconds, velocity float64, r *rand.Rand) *Stereo {
	e := Envelope{Attack: 0.012, Decay: 0.7, Sustain: 0.7, Release: 0.22}
	out := NewStereo(samples(seconds + e.tail()))
	a, b, sub := osc{phase: r.Float64()}, osc{phase: r.Float64()}, osc{phase: r.Float64()}
	var sway osc
	var left, right svf
	f := hertz
	for i := range out.L {
		t := float64(i) / Rate
		if i%32 == 0 {
			f = hertz * math.Exp2(8*min(max(t-0.15, 0)/0.5, 1)*sway.sine(5.2*32)/1200)
			cutoff := 400 + hertz*(1.5+4*velocity*math.Exp(-t/0.35))
			left.tune(cutoff, 1.1)
			right.tune(cutoff, 1.1)
		}
		x, y, s := a.saw(f*1.004), b.saw(f*0.996), 0.4*sub.pulse(f/2, 0.5)
		out.L[i] = float32(left.low(0.55*x + 0.3*y + s))
		out.R[i] = float32(right.low(0.3*x + 0.55*y + s))
	}
	e.shape(out.L, seconds)
	e.shape(out.R, seconds)
	out.Scale(0.3 + 0.4*velocity)
	return out
}

// SoftLead is a rounded square wave for slow tunes.
func SoftLead(hertz, seconds, velocity float64, r *rand.Rand) *Stereo {
	e := Envelope{Attack: 0.03, Decay: 0.8, Sustain: 0.75, Release: 0.25}
	out := make([]float32, samples(seconds+e.tail()))
	a, b := osc{phase: r.Float64()}, osc{phase: r.Float64()}
	var sway osc
	low := newSVF(300+hertz*2.2, 0.8)
	for i := range out {
		t := float64(i) / Rate
		f := hertz * math.Exp2(9*min(max(t-0.2, 0)/0.5, 1)*sway.sine(4.8)/1200)
		out[i] = float32(low.low(0.5*a.pulse(f, 0.42) + 0.5*b.pulse(f*1.003, 0.5)))
	}
	e.shape(out, seconds)
	scale(out, 0.3+0.45*velocity)
	return mono(out)
}

// Bell is a thin, distant chime by frequency modulation.
func Bell(hertz, seconds, velocity float64, _ *rand.Rand) *Stereo {
	life := min(4.5*math.Sqrt(440/hertz), 6)
	out := make([]float32, samples(min(life, seconds+3)))
	var c, m osc
	for i := range out {
		t := float64(i) / Rate
		out[i] = float32(math.Exp(-6.9*t/life) * math.Sin(2*math.Pi*c.turn(hertz/Rate)+(0.4+1.4*velocity)*math.Exp(-t*3)*m.sine(hertz*3.501)))
	}
	Envelope{Attack: 0.002, Decay: 1, Sustain: 1, Release: 0.1}.shape(out, float64(len(out))/Rate)
	fadeOut(out, 0.05)
	scale(out, 0.25+0.45*velocity)
	return mono(out)
}

// SynthPluck is a short filtered saw, as in figures of electronic music.
func SynthPluck(hertz, seconds, velocity float64, r *rand.Rand) *Stereo {
	e := Envelope{Attack: 0.003, Decay: 0.28, Sustain: 0.08, Release: 0.18}
	out := make([]float32, samples(seconds+e.tail()))
	a, b := osc{phase: r.Float64()}, osc{phase: r.Float64()}
	var low svf
	for i := range out {
		if i%16 == 0 {
			t := float64(i) / Rate
			low.tune(250+hertz*(0.8+7*velocity*math.Exp(-t/0.07)), 1.4)
		}
		out[i] = float32(low.low(0.5*a.saw(hertz*1.003) + 0.5*b.saw(hertz*0.997)))
	}
	e.shape(out, seconds)
	scale(out, 0.4+0.5*velocity)
	return mono(out)
}

// SynthBass is a saw, a pulse and a sine, behind a low pass that closes fast.
func SynthBass(hertz, seconds, velocity float64, r *rand.Rand) *Stereo {
	e := Envelope{Attack: 0.004, Decay: 0.5, Sustain: 0.65, Release: 0.07}
	out := make([]float32, samples(seconds+e.tail()))
	a, b, sub := osc{phase: r.Float64()}, osc{phase: r.Float64()}, osc{}
	var low svf
	for i := range out {
		if i%16 == 0 {
			t := float64(i) / Rate
			low.tune(180+hertz*(1+6*velocity*math.Exp(-t/0.09)), 1.2)
		}
		x := low.low(0.5*a.saw(hertz*1.002) + 0.35*b.pulse(hertz*0.998, 0.45))
		out[i] = float32(math.Tanh(1.2 * (x + 0.6*sub.sine(hertz))))
	}
	e.shape(out, seconds)
	scale(out, 0.4+0.4*velocity)
	return mono(out)
}

// SubBass is nearly a sine, too low for small speakers. A little of its second and third harmonic makes it audible on
// them.
func SubBass(hertz, seconds, velocity float64, _ *rand.Rand) *Stereo {
	e := Envelope{Attack: 0.012, Decay: 1.2, Sustain: 0.7, Release: 0.1}
	out := make([]float32, samples(seconds+e.tail()))
	var a, b, c osc
	for i := range out {
		out[i] = float32(math.Tanh(1.1*a.sine(hertz) + 0.22*b.sine(2*hertz) + 0.1*c.sine(3*hertz)))
	}
	e.shape(out, seconds)
	scale(out, 0.45+0.4*velocity)
	return mono(out)
}
