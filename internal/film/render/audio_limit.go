// SPDX-License-Identifier: Apache-2.0

package render

import "math"

const (
	// limitWindow is how many samples before a peak the gain reduction begins: 5 ms.
	limitWindow = sampleRate / 200
	// limitRelease is the share of the remaining gain reduction that is released with every sample: most of it in a
	// tenth of a second.
	limitRelease = 1.0 / (0.05 * sampleRate)
	// limitDelay is how many samples the output of the limiter is behind its input.
	limitDelay = limitWindow - 1 + reach
	// limitPast is how many of the newest samples the limiter needs.
	limitPast = limitDelay + reach
)

// limiter keeps the true peaks of a stereo sound below a ceiling. It reduces both channels equally, before the peak and
// no more than the peak needs.
type limiter struct {
	ceiling float64
	past    [2][8 * limitPast]float64
	end     int     // end of the filled part of past
	high    float64 // peak between the previous sample and the one that is checked next
	needed  slidingMin
	gain    float64
	least   [limitWindow]float64 // ring of the newest gains, before smoothing
	at      int
	sum     float64 // sum of least
}

func newLimiter(ceilingDB float64) *limiter {
	l := &limiter{ceiling: fromDB(ceilingDB), gain: 1, sum: limitWindow, end: limitPast}
	for i := range l.least {
		l.least[i] = 1
	}
	return l
}

// next takes a sample and returns the sample limitDelay before it.
func (l *limiter) next(left, right float64) (float64, float64) {
	if l.end == len(l.past[0]) {
		for c := range l.past {
			copy(l.past[c][:], l.past[c][l.end-limitPast:])
		}
		l.end = limitPast
	}
	l.past[0][l.end], l.past[1][l.end] = left, right
	l.end++
	now := l.end - 1 - reach // the sample to check, with the interval to the sample after it
	need := 1.0
	if peak := l.peak(now); peak > l.ceiling {
		need = l.ceiling / peak
	}
	l.gain = min(l.needed.next(need), l.gain+(1-l.gain)*limitRelease)
	l.sum += l.gain - l.least[l.at]
	l.least[l.at] = l.gain
	if l.at++; l.at == limitWindow {
		l.at, l.sum = 0, 0 // recompute: a sum of many small steps accumulates errors
		for _, g := range l.least {
			l.sum += g
		}
	}
	g, out := min(l.sum/limitWindow, 1), now-(limitWindow-1)
	return l.past[0][out] * g, l.past[1][out] * g
}

func (l *limiter) peak(now int) float64 {
	here, ahead := 0.0, 0.0
	for c := range l.past {
		x := l.past[c][now-reach+1 : now+reach+1]
		here = max(here, math.Abs(x[reach-1]))
		if max(math.Abs(x[reach-2]), math.Abs(x[reach-1]), math.Abs(x[reach]), math.Abs(x[reach+1])) > l.ceiling/2 {
			ahead = max(ahead, truePeak(x))
		}
	}
	peak := max(l.high, here, ahead)
	l.high = ahead
	return peak
}

// slidingMin returns the minimum of the last limitWindow values.
type slidingMin struct {
	values [limitWindow]float64 // ring of the values without a later lower one, ascending
	when   [limitWindow]int
	first  int
	n      int
	now    int
}

func (w *slidingMin) next(v float64) float64 {
	if w.n > 0 && w.when[w.first] <= w.now-limitWindow {
		w.first, w.n = (w.first+1)%limitWindow, w.n-1
	}
	for w.n > 0 && w.values[(w.first+w.n-1)%limitWindow] >= v {
		w.n--
	}
	i := (w.first + w.n) % limitWindow
	w.values[i], w.when[i] = v, w.now
	w.n++
	w.now++
	return w.values[w.first]
}
