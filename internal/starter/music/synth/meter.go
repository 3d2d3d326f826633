// SPDX-License-Identifier: Apache-2.0

package synth

import "math"

// Loudness returns the integrated loudness of a loop in LUFS according to ITU-R BS.1770; -Inf for silence. The
// measurement treats the loop as endless.
func Loudness(s *Stereo) float64 {
	head := func() biquad { // the high shelf of BS.1770: the effect of the head on high frequencies
		return biquad{b0: 1.53512485958697, b1: -2.69169618940638, b2: 1.19839281085285, a1: -1.69065929318241, a2: 0.73248077421585}
	}
	low := func() biquad { // the high pass of BS.1770: low frequencies sound less loud
		return biquad{b0: 1, b1: -2, b2: 1, a1: -1.99004745483398, a2: 0.99007225036621}
	}
	h, l := [2]biquad{head(), head()}, [2]biquad{low(), low()}
	const hop = Rate / 10
	n := s.Len()
	steps := make([]float64, n/hop)
	for pass := range 2 {
		for i := range n {
			a := l[0].step(h[0].step(float64(s.L[i])))
			b := l[1].step(h[1].step(float64(s.R[i])))
			if k := i / hop; pass == 1 && k < len(steps) {
				steps[k] += (a*a + b*b) / hop
			}
		}
	}
	var blocks []float64 // of 400 ms, one every 100 ms
	for k := range steps {
		sum := 0.0
		for j := range 4 {
			sum += steps[(k+j)%len(steps)] / 4
		}
		blocks = append(blocks, sum)
	}
	over := func(gate float64) float64 {
		sum, count := 0.0, 0
		for _, b := range blocks {
			if level(b) > gate {
				sum += b
				count++
			}
		}
		if count == 0 {
			return 0
		}
		return sum / float64(count)
	}
	return level(over(level(over(-70)) - 10))
}

func level(power float64) float64 { return -0.691 + 10*math.Log10(power) }

// Peaks returns the highest absolute value of both sides from every sample of a loop to the next one. It includes the
// signal between the samples, by fourfold oversampling.
func Peaks(s *Stereo) []float32 {
	const taps, phases = 12, 4
	var bank [phases][taps]float64
	for p := range phases {
		for k := range taps {
			x := float64(k-taps/2+1) - float64(p)/phases
			w := 0.5 + 0.5*math.Cos(math.Pi*x/(taps/2+0.5))
			if x == 0 {
				bank[p][k] = 1
			} else {
				bank[p][k] = w * math.Sin(math.Pi*x) / (math.Pi * x)
			}
		}
	}
	n := s.Len()
	out := make([]float32, n)
	for _, side := range [2][]float32{s.L, s.R} {
		for i := range n {
			top := math.Abs(float64(side[i]))
			for p := 1; p < phases; p++ {
				sum := 0.0
				if first := i - taps/2 + 1; first >= 0 && first+taps <= n {
					for k, v := range side[first : first+taps] {
						sum += float64(v) * bank[p][k]
					}
				} else {
					for k := range taps {
						sum += float64(side[((first+k)%n+n)%n]) * bank[p][k]
					}
				}
				top = max(top, math.Abs(sum))
			}
			out[i] = max(out[i], float32(top))
		}
	}
	return out
}

// TruePeak returns the highest value of Peaks in dBTP.
func TruePeak(s *Stereo) float64 {
	top := float32(0)
	for _, p := range Peaks(s) {
		top = max(top, p)
	}
	return Decibels(float64(top))
}
