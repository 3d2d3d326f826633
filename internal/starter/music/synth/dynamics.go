// SPDX-License-Identifier: Apache-2.0

package synth

import "math"

// Compress returns an effect that reduces levels above a threshold in dB by a ratio, with the given times in seconds.
func Compress(threshold, ratio, attack, release float64) Effect {
	return func(s *Stereo) {
		up, down := 1-math.Exp(-1/(attack*Rate)), 1-math.Exp(-1/(release*Rate))
		level := 0.0
		through(s, func(l, r float64) (float64, float64) {
			now := max(l*l, r*r)
			if now > level {
				level += up * (now - level)
			} else {
				level += down * (now - level)
			}
			over := 10*math.Log10(level+1e-12) - threshold
			const knee = 6.0
			switch {
			case over < -knee/2:
				return l, r
			case over < knee/2:
				over = (over + knee/2) * (over + knee/2) / (2 * knee)
			}
			g := Gain(-over * (1 - 1/ratio))
			return l * g, r * g
		})
	}
}

// Limit keeps the true peaks, which include the signal between the samples, below the given level in dB. It looks ahead, so
// that no peak is clipped.
func Limit(s *Stereo, ceiling float64) {
	const ahead = 144 // samples: 3 ms
	n := s.Len()
	peak := Peaks(s)
	top := Gain(ceiling)
	want := make([]float64, n)
	loud := false
	for i, p := range peak {
		want[i] = 1
		if float64(p) > top {
			want[i], loud = top/float64(p), true
		}
	}
	if !loud {
		return
	}
	// The lowest gain within reach, then the mean of it within the same reach: a smooth gain that never exceeds the
	// wanted one.
	low := lowest(want, ahead)
	slow := lowest(want, ahead*6)
	for i := range low {
		low[i] = min(low[i], 1-(1-slow[i])*0.6) // most of the gain recovers slowly
	}
	gain := mean(low, ahead)
	for i := range n {
		s.L[i] *= float32(gain[i])
		s.R[i] *= float32(gain[i])
	}
}

// lowest returns the minimum of the values within reach on both sides of every index. The slice is a ring.
func lowest(x []float64, reach int) []float64 {
	n := len(x)
	out := make([]float64, n)
	queue := make([]int, 0, 2*reach+1) // indexes with rising values
	for k := -reach; k < n+reach; k++ {
		v := x[((k%n)+n)%n]
		for len(queue) > 0 && x[((queue[len(queue)-1]%n)+n)%n] >= v {
			queue = queue[:len(queue)-1]
		}
		queue = append(queue, k)
		for queue[0] < k-2*reach {
			queue = queue[1:]
		}
		if at := k - reach; at >= 0 {
			out[at] = x[((queue[0]%n)+n)%n]
		}
	}
	return out
}

// mean returns the weighted mean of the values within reach on both sides of every index. The slice is a ring.
func mean(x []float64, reach int) []float64 {
	for range 2 { // two flat means of half the reach are one with triangular weights
		x = flat(x, reach/2)
	}
	return x
}

// flat returns the plain mean of the values within reach on both sides of every index. The slice is a ring.
func flat(x []float64, reach int) []float64 {
	n := len(x)
	out := make([]float64, n)
	sum := 0.0
	for k := -reach; k <= reach; k++ {
		sum += x[((k%n)+n)%n]
	}
	for i := range x {
		out[i] = sum / float64(2*reach+1)
		sum += x[(i+reach+1)%n] - x[((i-reach)%n+n)%n]
	}
	return out
}
