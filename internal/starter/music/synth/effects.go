// SPDX-License-Identifier: Apache-2.0

package synth

import (
	"math"
	"math/rand/v2"
)

// Effect changes a whole loop in place.
type Effect func(*Stereo)

// through runs an effect sample by sample over the loop twice. So the state of the effect at the start of the loop is
// the state at its end.
func through(s *Stereo, step func(l, r float64) (float64, float64)) {
	for i := range s.L {
		step(float64(s.L[i]), float64(s.R[i]))
	}
	for i := range s.L {
		l, r := step(float64(s.L[i]), float64(s.R[i]))
		s.L[i], s.R[i] = float32(l), float32(r)
	}
}

// turns returns the frequency nearest to the wanted one that has a whole number of periods in the loop.
func turns(s *Stereo, hertz float64) float64 {
	length := float64(s.Len()) / Rate
	return max(1, math.Round(hertz*length)) / length
}

// LowPass returns an effect that removes frequencies above the corner.
func LowPass(hertz float64) Effect {
	return func(s *Stereo) {
		a, b := newSVF(hertz, 0.707), newSVF(hertz, 0.707)
		through(s, func(l, r float64) (float64, float64) { return a.low(l), b.low(r) })
	}
}

// HighPass returns an effect that removes frequencies below the corner.
func HighPass(hertz float64) Effect {
	return func(s *Stereo) {
		a, b := newSVF(hertz, 0.707), newSVF(hertz, 0.707)
		through(s, func(l, r float64) (float64, float64) { return a.high(l), b.high(r) })
	}
}

// BellCurve returns an effect that raises or lowers a band.
func BellCurve(hertz, quality, db float64) Effect {
	return func(s *Stereo) {
		a := peaking(hertz, quality, db)
		b := a
		through(s, func(l, r float64) (float64, float64) { return a.step(l), b.step(r) })
	}
}

// HighShelf returns an effect that raises or lowers all frequencies above the corner.
func HighShelf(hertz, db float64) Effect { return shelving(hertz, db, false) }

// LowShelf returns an effect that raises or lowers all frequencies below the corner.
func LowShelf(hertz, db float64) Effect { return shelving(hertz, db, true) }

func shelving(hertz, db float64, low bool) Effect {
	return func(s *Stereo) {
		a := shelf(hertz, db, low)
		b := a
		through(s, func(l, r float64) (float64, float64) { return a.step(l), b.step(r) })
	}
}

// Sweep returns a low pass whose corner moves between two frequencies, the given number of times in the loop. It is
// lowest at the start.
func Sweep(from, to float64, times int) Effect {
	return func(s *Stereo) {
		a, b := newSVF(from, 0.9), newSVF(from, 0.9)
		n, i := s.Len(), 0
		through(s, func(l, r float64) (float64, float64) {
			if i%64 == 0 {
				x := 0.5 - 0.5*math.Cos(2*math.Pi*float64(times)*float64(i%n)/float64(n))
				f := from * math.Pow(to/from, x)
				a.tune(f, 0.9)
				b.tune(f, 0.9)
			}
			i++
			return a.low(l), b.low(r)
		})
	}
}

// Saturate returns an effect that rounds loud samples like tape does, for a warm sound with fewer peaks.
func Saturate(drive float64) Effect {
	return func(s *Stereo) {
		g := 1 / math.Tanh(drive)
		for i := range s.L {
			s.L[i] = float32(g * math.Tanh(drive*float64(s.L[i])))
			s.R[i] = float32(g * math.Tanh(drive*float64(s.R[i])))
		}
	}
}

// Chorus returns an effect that adds copies with a varying pitch, different ones left and right.
func Chorus(depth float64) Effect {
	return func(s *Stereo) {
		const size = 4096
		var left, right [size]float64
		slow, fast := turns(s, 0.41), turns(s, 0.67)
		var a, b osc
		b.phase = 0.3
		at := 0
		tap := func(line *[size]float64, delay float64) float64 {
			p := float64(at) - delay + size
			k := int(p)
			f := p - float64(k)
			return line[k%size]*(1-f) + line[(k+1)%size]*f
		}
		through(s, func(l, r float64) (float64, float64) {
			left[at], right[at] = l, r
			x, y := a.sine(slow), b.sine(fast)
			outL := 0.75*l + 0.5*depth*(tap(&left, 620+190*x)+0.5*tap(&right, 910+160*y))
			outR := 0.75*r + 0.5*depth*(tap(&right, 660-190*y)+0.5*tap(&left, 870-160*x))
			at = (at + 1) % size
			return outL, outR
		})
	}
}

// Tremolo returns an effect that moves the sound between the sides.
func Tremolo(hertz, depth float64) Effect {
	return func(s *Stereo) {
		f := turns(s, hertz)
		var o osc
		through(s, func(l, r float64) (float64, float64) {
			x := depth * o.sine(f)
			return l * (1 + x), r * (1 - x)
		})
	}
}

// Wobble returns an effect that varies the pitch slightly, like an old tape. The depth is in milliseconds.
func Wobble(depth float64) Effect {
	return func(s *Stereo) {
		const size = 2048
		var left, right [size]float64
		slow, fast := turns(s, 0.55), turns(s, 5.3)
		var a, b osc
		at := 0
		through(s, func(l, r float64) (float64, float64) {
			left[at], right[at] = l, r
			p := float64(at) + size - depth*Rate/1000*(1.6+a.sine(slow)+0.08*b.sine(fast))
			k := int(p)
			f := p - float64(k)
			at = (at + 1) % size
			return left[k%size]*(1-f) + left[(k+1)%size]*f, right[k%size]*(1-f) + right[(k+1)%size]*f
		})
	}
}

// Echo returns an effect that repeats the sound from side to side, darker every time.
func Echo(seconds, feedback, wet float64) Effect {
	return func(s *Stereo) {
		n := samples(seconds)
		left, right := make([]float64, n), make([]float64, n)
		da, db := newPole(3800), newPole(3800)
		ha, hb := newSVF(180, 0.7), newSVF(180, 0.7)
		at := 0
		through(s, func(l, r float64) (float64, float64) {
			a, b := left[at], right[at]
			left[at] = ha.high(da.step(0.5*(l+r) + feedback*b))
			right[at] = hb.high(db.step(a))
			at = (at + 1) % n
			return l + wet*a, r + wet*b
		})
	}
}

// Duck returns an effect that lowers the sound by depth (0 to 1) at every stroke. The sound recovers in the given
// seconds. Strokes are sample indexes.
func Duck(strokes []int, depth, seconds float64) Effect {
	return func(s *Stereo) {
		n := s.Len()
		gain := make([]float32, n)
		for i := range gain {
			gain[i] = 1
		}
		const down = 240 // samples of the fall, which is gradual to avoid clicks
		length := samples(seconds)
		for _, from := range strokes {
			for k := -down; k < length; k++ {
				var x float64
				if k < 0 {
					x = -float64(k) / down
				} else {
					x = float64(k) / float64(length)
					x = x * x * (3 - 2*x)
				}
				at := ((from+k)%n + n) % n
				gain[at] = min(gain[at], float32(1-depth*(1-x)))
			}
		}
		for i := range gain {
			s.L[i] *= gain[i]
			s.R[i] *= gain[i]
		}
	}
}

// Dust adds the noise of a record: a soft hiss and occasional crackles.
func Dust(s *Stereo, level float64, r *rand.Rand) {
	n := s.Len()
	d := NewStereo(n)
	for i := range n {
		d.L[i], d.R[i] = float32(0.006*noise(r)), float32(0.006*noise(r))
	}
	for range n / Rate * 9 {
		at, loud, side := r.IntN(n), math.Pow(r.Float64(), 4), r.Float64()
		for k := range 40 {
			v := 0.5 * loud * math.Exp(-float64(k)/6) * noise(r)
			d.L[(at+k)%n] += float32(v * side)
			d.R[(at+k)%n] += float32(v * (1 - side))
		}
	}
	HighPass(500)(d)
	LowPass(6500)(d)
	s.Mix(d, level)
}
