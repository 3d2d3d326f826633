// SPDX-License-Identifier: Apache-2.0

package synth

import "math"

// Room is a reverb: eight delay lines that feed each other through a mixing matrix. Each line is a little darker in
// every round. Diffusers spread the sound before it enters the lines.
type Room struct {
	// Size scales the lines; 1 is a hall.
	Size float64
	// Seconds is the time in which the sound loses 60 dB.
	Seconds float64
	// Dark is the corner of the damping low pass in hertz.
	Dark float64
	// Before is the delay before the reverb, in seconds.
	Before float64
}

// roomLines and roomStart are the lengths of the lines and of the diffusers in samples. They have no common factors, so
// that echoes do not coincide.
var (
	roomLines = [8]int{1687, 1931, 2203, 2473, 2767, 3061, 3371, 3709}
	roomStart = [4]int{227, 353, 577, 743}
)

// Wet replaces a loop by its reverb, without the original sound.
func (m Room) Wet(s *Stereo) {
	var lines [8][]float64
	var damp [8]pole
	var keep [8]float64
	for k := range lines {
		n := int(float64(roomLines[k]) * m.Size)
		lines[k], damp[k] = make([]float64, n), newPole(m.Dark)
		keep[k] = math.Pow(10, -3*float64(n)/(m.Seconds*Rate))
	}
	spread := [2][4]diffuser{}
	for side := range spread {
		for k := range spread[side] {
			spread[side][k].line = make([]float64, roomStart[k]+side*37)
		}
	}
	before := [2][]float64{make([]float64, samples(m.Before)+1), make([]float64, samples(m.Before)+1)}
	cut := [2]*svf{newSVF(140, 0.7), newSVF(140, 0.7)} // low notes would make the reverb muddy
	var at [8]int
	wait := 0
	through(s, func(l, r float64) (float64, float64) {
		in := [2]float64{}
		for side, x := range [2]float64{l, r} {
			d := before[side]
			x, d[wait] = d[wait], cut[side].high(x)
			for k := range spread[side] {
				x = spread[side][k].step(x)
			}
			in[side] = x
		}
		wait = (wait + 1) % len(before[0])
		var out [8]float64
		sum := 0.0
		for k := range lines {
			out[k] = damp[k].step(lines[k][at[k]])
			sum += out[k]
		}
		sum /= 4 // a Householder matrix of order 8: it keeps the energy and spreads it over all lines
		var left, right float64
		for k := range lines {
			lines[k][at[k]] = keep[k]*(out[k]-sum) + 0.5*in[k%2]
			if at[k]++; at[k] == len(lines[k]) {
				at[k] = 0
			}
			if sign := float64(1 - k/4*2); k%2 == 0 {
				left += sign * out[k]
			} else {
				right += sign * out[k]
			}
		}
		return 0.6 * left, 0.6 * right
	})
}

// diffuser is an all-pass filter: it passes all frequencies equally and spreads them in time.
type diffuser struct {
	line []float64
	at   int
}

func (d *diffuser) step(x float64) float64 {
	const g = 0.62
	z := d.line[d.at]
	v := x - g*z
	d.line[d.at] = v
	if d.at++; d.at == len(d.line) {
		d.at = 0
	}
	return z + g*v
}
