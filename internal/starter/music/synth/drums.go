// SPDX-License-Identifier: Apache-2.0

package synth

import (
	"math"
	"math/rand/v2"
)

// Drums ignore the requested frequency, and all of them except Swell ignore the requested length.

// Kick is a bass drum: a tone that falls from From to To hertz, with a click of the beater. Drop is the time constant
// of the fall and Life the length of the sound, in seconds. Click is the gain of the click.
type Kick struct{ From, To, Drop, Life, Click float64 }

// Play returns the sound of one stroke.
func (k Kick) Play(_, _, velocity float64, r *rand.Rand) *Stereo {
	out := make([]float32, samples(k.Life))
	var o osc
	click := newSVF(3200, 0.8)
	for i := range out {
		t := float64(i) / Rate
		f := k.To + (k.From-k.To)*math.Exp(-t/k.Drop)
		v := math.Sin(2*math.Pi*o.turn(f/Rate)) * math.Exp(-4.5*t/k.Life)
		v = math.Tanh(1.5*v) / 0.9
		out[i] = float32(v + k.Click*math.Exp(-t/0.003)*click.low(noise(r)))
	}
	Envelope{Attack: 0.001, Decay: 1, Sustain: 1, Release: 1}.shape(out, k.Life)
	fadeOut(out, 0.03)
	scale(out, 0.25+0.75*velocity)
	return mono(out)
}

// Snare is a drum head and the wires under it. Tone is the frequency of the head and Bright the lowest frequency of the
// wires, in hertz. Life is the decay in seconds. Wires is the gain of the wires.
type Snare struct{ Tone, Life, Wires, Bright float64 }

// Play returns the sound of one stroke.
func (s Snare) Play(_, _, velocity float64, r *rand.Rand) *Stereo {
	out := NewStereo(samples(s.Life * 1.6))
	a, b := newTone(s.Tone, 0.5, 0, s.Life*0.7), newTone(s.Tone*1.59, 0.28, 0, s.Life*0.5)
	left, right := newSVF(s.Bright, 0.6), newSVF(s.Bright*1.05, 0.6)
	top := [2]*svf{newSVF(9500, 0.7), newSVF(9500, 0.7)}
	for i := range out.L {
		t := float64(i) / Rate
		head := a.next() + b.next()
		w := s.Wires * (0.5 + 0.5*velocity) * (0.7*math.Exp(-5*t/s.Life) + 0.3*math.Exp(-t/0.02))
		shared := noise(r)
		out.L[i] = float32(head + w*top[0].low(left.high(0.75*shared+0.5*noise(r))))
		out.R[i] = float32(head + w*top[1].low(right.high(0.75*shared+0.5*noise(r))))
	}
	finish(out, velocity)
	return out
}

// Clap is the sound of several hands that clap not quite together.
func Clap(_, _, velocity float64, r *rand.Rand) *Stereo {
	out := NewStereo(samples(0.3))
	left, right := newSVF(1250, 1.1), newSVF(1350, 1.1)
	at := [...]float64{0, 0.011 + 0.002*r.Float64(), 0.021 + 0.003*r.Float64(), 0.03}
	for i := range out.L {
		t := float64(i) / Rate
		e := 0.0
		for k, from := range at {
			if t >= from {
				life := 0.006
				if k == len(at)-1 {
					life = 0.055
				}
				e = max(e, math.Exp(-(t-from)/life))
			}
		}
		x := noise(r)
		out.L[i] = float32(1.5 * e * left.band(0.7*x+0.6*noise(r)))
		out.R[i] = float32(1.5 * e * right.band(0.7*x+0.6*noise(r)))
	}
	finish(out, velocity)
	return out
}

// Snap is the sound of snapping fingers.
func Snap(_, _, velocity float64, r *rand.Rand) *Stereo {
	out := make([]float32, samples(0.16))
	f, g := newSVF(2300, 2.2), newSVF(1500, 2)
	for i := range out {
		t := float64(i) / Rate
		x := noise(r)
		out[i] = float32(math.Exp(-t/0.014)*1.6*f.band(x) + 0.5*math.Exp(-max(t-0.012, 0)/0.03)*g.band(x)*min(t/0.012, 1))
	}
	s := mono(out)
	fadeOut(out, 0.02)
	scale(out, 0.2+0.7*velocity)
	return s
}

// Hat is two cymbals on each other: a short Life, in seconds, sounds closed, a long one open. Bright is the lowest
// frequency in hertz.
type Hat struct{ Life, Bright float64 }

// Play returns the sound of one stroke.
func (h Hat) Play(_, _, velocity float64, r *rand.Rand) *Stereo {
	out := NewStereo(samples(h.Life * 1.5))
	// Six square waves at inharmonic frequencies sound like metal. The high pass keeps mostly their overtones.
	var o [6]osc
	ratio := [...]float64{2, 3, 4.16, 5.43, 6.79, 8.21}
	base := 395 * (1 + 0.02*noise(r))
	left, right := newSVF(h.Bright, 0.8), newSVF(h.Bright*1.04, 0.8)
	for i := range out.L {
		t := float64(i) / Rate
		metal := 0.0
		for k := range o {
			o[k].phase += base * ratio[k] / Rate
			if o[k].phase >= 1 {
				o[k].phase--
			}
			if o[k].phase < 0.5 {
				metal += 0.16
			} else {
				metal -= 0.16
			}
		}
		e := 0.8*math.Exp(-5*t/h.Life) + 0.2*math.Exp(-t/0.004)
		x := 0.4*metal + 0.5*noise(r)
		out.L[i] = float32(e * left.high(x+0.25*noise(r)))
		out.R[i] = float32(e * right.high(x+0.25*noise(r)))
	}
	finish(out, velocity)
	return out
}

// Shaker is seeds in a box: the sound swells before it fades.
func Shaker(_, _, velocity float64, r *rand.Rand) *Stereo {
	out := NewStereo(samples(0.12))
	left, right := newSVF(6200, 0.9), newSVF(6600, 0.9)
	rise := 0.012 + 0.012*(1-velocity)
	for i := range out.L {
		t := float64(i) / Rate
		e := math.Exp(-max(t-rise, 0)/0.022) * min(t/rise, 1)
		x := noise(r)
		out.L[i] = float32(e * left.band(0.7*x+0.5*noise(r)))
		out.R[i] = float32(e * right.band(0.7*x+0.5*noise(r)))
	}
	finish(out, velocity)
	return out
}

// Brush is a wire brush on a snare drum.
func Brush(_, _, velocity float64, r *rand.Rand) *Stereo {
	out := NewStereo(samples(0.28))
	left, right := newSVF(3300, 0.6), newSVF(3600, 0.6)
	for i := range out.L {
		t := float64(i) / Rate
		e := min(t/0.006, 1) * (0.7*math.Exp(-t/0.028) + 0.3*math.Exp(-t/0.075))
		x := noise(r)
		out.L[i] = float32(0.9 * e * left.band(0.7*x+0.5*noise(r)))
		out.R[i] = float32(0.9 * e * right.band(0.7*x+0.5*noise(r)))
	}
	finish(out, velocity)
	return out
}

// Rim is a stick across the edge of a drum.
func Rim(_, _, velocity float64, r *rand.Rand) *Stereo {
	out := make([]float32, samples(0.09))
	a, b := newTone(1720, 0.5, 0, 0.05), newTone(480, 0.5, 0, 0.045)
	f := newSVF(2600, 1)
	for i := range out {
		out[i] = float32(a.next() + b.next() + 0.5*math.Exp(-float64(i)/Rate/0.002)*f.band(noise(r)))
	}
	fadeOut(out, 0.02)
	scale(out, 0.15+0.6*velocity)
	return mono(out)
}

// Tom is a deep drum with a long decay, for a single drum or an ensemble. Hertz is its frequency and Life its decay in
// seconds.
type Tom struct{ Hertz, Life float64 }

// Play returns the sound of one stroke.
func (d Tom) Play(_, _, velocity float64, r *rand.Rand) *Stereo {
	out := NewStereo(samples(d.Life * 1.3))
	var a, b osc
	skin := newSVF(900, 0.7)
	for i := range out.L {
		t := float64(i) / Rate
		f := d.Hertz * (1 + 0.5*velocity*math.Exp(-t/0.035))
		x := math.Sin(2*math.Pi*a.turn(f/Rate))*math.Exp(-4.6*t/d.Life) + 0.35*math.Sin(2*math.Pi*b.turn(f*1.59/Rate))*math.Exp(-9*t/d.Life)
		hit := 0.6 * math.Exp(-t/0.018) * velocity
		out.L[i] = float32(x + hit*skin.low(noise(r)))
		out.R[i] = float32(x + hit*skin.low(noise(r)))
	}
	finish(out, velocity)
	return out
}

// Swell is a cymbal that grows louder for as long as it is held, and then fades.
func Swell(_, seconds, velocity float64, r *rand.Rand) *Stereo {
	const after = 1.8
	out := NewStereo(samples(seconds + after))
	left, right := newSVF(5200, 0.6), newSVF(5500, 0.6)
	for i := range out.L {
		t := float64(i) / Rate
		e := math.Pow(min(t/seconds, 1), 2.6) * math.Exp(-max(t-seconds, 0)/0.45)
		out.L[i] = float32(e * left.high(noise(r)))
		out.R[i] = float32(e * right.high(noise(r)))
	}
	finish(out, velocity)
	return out
}

// Crash is a cymbal that is struck and rings.
func Crash(_, _, velocity float64, r *rand.Rand) *Stereo {
	out := NewStereo(samples(2.6))
	left, right := newSVF(3800, 0.6), newSVF(4100, 0.6)
	for i := range out.L {
		t := float64(i) / Rate
		e := min(t/0.002, 1) * (0.5*math.Exp(-t/0.09) + 0.5*math.Exp(-t/0.7))
		out.L[i] = float32(0.7 * e * left.high(noise(r)))
		out.R[i] = float32(0.7 * e * right.high(noise(r)))
	}
	finish(out, velocity)
	return out
}

// finish fades the end out and sets the gain of the velocity.
func finish(out *Stereo, velocity float64) {
	fadeOut(out.L, 0.02)
	fadeOut(out.R, 0.02)
	out.Scale(0.15 + 0.8*velocity)
}

// The drum sets.
var (
	SoftKick   Instrument = Kick{From: 130, To: 48, Drop: 0.03, Life: 0.34, Click: 0.12}.Play
	PunchKick  Instrument = Kick{From: 230, To: 49, Drop: 0.032, Life: 0.42, Click: 0.4}.Play
	DeepKick   Instrument = Kick{From: 160, To: 43, Drop: 0.045, Life: 0.5, Click: 0.2}.Play
	DustySnare Instrument = Snare{Tone: 178, Life: 0.17, Wires: 0.5, Bright: 1100}.Play
	TightSnare Instrument = Snare{Tone: 205, Life: 0.2, Wires: 0.75, Bright: 1500}.Play
	BigSnare   Instrument = Snare{Tone: 165, Life: 0.32, Wires: 0.9, Bright: 1000}.Play
	ClosedHat  Instrument = Hat{Life: 0.055, Bright: 7800}.Play
	OpenHat    Instrument = Hat{Life: 0.3, Bright: 7200}.Play
	DarkHat    Instrument = Hat{Life: 0.07, Bright: 5200}.Play
	Taiko      Instrument = Tom{Hertz: 58, Life: 1.1}.Play
	MidTom     Instrument = Tom{Hertz: 105, Life: 0.5}.Play
	LowTom     Instrument = Tom{Hertz: 78, Life: 0.6}.Play
)
