// SPDX-License-Identifier: Apache-2.0

package synth

import "math"

// Compress evens out loud and soft above a threshold in dB by a ratio, with the given times in seconds.
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

// Limit keeps what is heard between the samples, too, under the ceiling in dB. It looks ahead, so that nothing is cut off.
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
	// The lowest within reach, then the mean of it within the same reach: smooth, and never above what is wanted.
	low := lowest(want, ahead)
	slow := lowest(want, ahead*6)
	for i := range low {
		low[i] = min(low[i], 1-(1-slow[i])*0.6) // most of it comes back slowly
	}
	gain := mean(low, ahead)
	for i := range n {
		s.L[i] *= float32(gain[i])
		s.R[i] *= float32(gain[i])
	}
}

// lowest is, for every place of a ring, the least within so many places to either side.
func lowest(x []float64, reach int) []float64 {
	n := len(x)
	out := make([]float64, n)
	queue := make([]int, 0, 2*reach+1) // places with rising values
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

// mean is, for every place of a ring, the weighted mean within so many places to either side.
func mean(x []float64, reach int) []float64 {
	for range 2 { // twice a flat one of half the reach is one that rises and falls
		x = flat(x, reach/2)
	}
	return x
}

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
