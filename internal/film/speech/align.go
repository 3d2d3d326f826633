// SPDX-License-Identifier: Apache-2.0

package speech

import (
	"math"
	"slices"
	"time"
)

// Time is when a word is audible, from the beginning of the sound.
type Time struct{ Start, End time.Duration }

// Align returns when each of the words is spoken in a sound. levels are the mean squares of the sound, full scale being
// 1, one for every step of time. The times ascend and are within the sound. Align returns nil for a sound without an
// audible part.
//
// Words are spread over the audible parts by their estimated duration. Pauses are matched with the punctuation of the
// text, so that the words between two pauses stay between them.
func Align(words []string, levels []float64, step time.Duration) []Time {
	heard := stretches(levels)
	if len(heard) == 0 || len(words) == 0 {
		return nil
	}
	a := newAlignment(words, heard)
	return a.times(a.match(), step, len(levels))
}

// Spread estimates when each of the words is spoken in a sound of which only the length is known.
func Spread(words []string, length time.Duration) []Time {
	steps := max(1, int(length/spreadStep))
	return Align(words, slices.Repeat([]float64{1}, steps), length/time.Duration(steps))
}

const spreadStep = 10 * time.Millisecond

// stretch is an audible part of a sound without pauses, in steps.
type stretch struct{ from, to int }

func (s stretch) length() float64 { return float64(s.to - s.from) }

const (
	// shortPause is the length below which silence is no pause, such as the stop of a "t", in steps of a hundredth of a
	// second.
	shortPause = 5
	// shortSound is the length below which a sound is a click and not a word, unless a word is at most burst steps
	// away, as at the end of a "k".
	shortSound = 3
	burst      = 15
	// inaudible is the level below which a sound is ignored, in dB.
	inaudible = -60.0
)

// stretches returns the audible parts: where the sound is much louder than between the words, and not much quieter than
// the words.
func stretches(levels []float64) []stretch {
	if len(levels) == 0 {
		return nil
	}
	db := make([]float64, len(levels))
	for i, l := range levels {
		db[i] = 10 * math.Log10(l+1e-12)
	}
	sorted := slices.Sorted(slices.Values(db))
	floor, loud := sorted[len(sorted)/20], sorted[len(sorted)*19/20]
	if loud = max(loud, sorted[len(sorted)-1]-12); loud < inaudible {
		return nil
	}
	least := max(loud-36, min(floor+max(6, 0.35*(loud-floor)), loud-6), inaudible)
	var out []stretch
	for i := 0; i < len(db); {
		if db[i] < least {
			i++
			continue
		}
		end := i
		for end < len(db) && db[end] >= least {
			end++
		}
		if n := len(out); n > 0 && i-out[n-1].to < shortPause {
			out[n-1].to = end
		} else {
			out = append(out, stretch{i, end})
		}
		i = end
	}
	var kept []stretch
	for i, s := range out {
		alone := (i == 0 || s.from-out[i-1].to > burst) && (i == len(out)-1 || out[i+1].from-s.to > burst)
		if s.to-s.from >= shortSound || !alone {
			kept = append(kept, s)
		}
	}
	if len(kept) > 0 {
		return kept
	}
	return out
}

// alignment matches the pauses of a sound with the borders of words. Border i is the one after word i, pause j the one
// after stretch j. Border 0 and pause 0 are the beginning; the last border and the last pause are the end.
type alignment struct {
	heard  []stretch
	stops  []stop
	spoken []float64 // estimated time of the words up to a border, at a uniform pace; spoken[0] is before all
	voice  []float64 // audible time up to a pause; voice[0] is before all
	loose  []float64 // cost of placing the pauses up to one inside words
	ended  []float64 // cost of having no pause at the borders up to one
}

func newAlignment(words []string, heard []stretch) *alignment {
	a := &alignment{heard: heard, spoken: []float64{0}, voice: []float64{0}, loose: []float64{0}, ended: []float64{0}}
	for _, s := range heard {
		a.voice = append(a.voice, a.voice[len(a.voice)-1]+s.length())
	}
	for _, w := range words {
		a.spoken = append(a.spoken, a.spoken[len(a.spoken)-1]+weight(w))
		a.stops = append(a.stops, stopOf(w))
		cost := [...]float64{runsOn: 0, clause: 0.6, sentence: 3}[stopOf(w)]
		a.ended = append(a.ended, a.ended[len(a.ended)-1]+cost)
	}
	pace := a.voice[len(heard)] / a.spoken[len(words)]
	for i := range a.spoken {
		a.spoken[i] *= pace
	}
	for j := 1; j < len(heard); j++ {
		pause := float64(heard[j].from - heard[j-1].to)
		cost := 0.1
		switch {
		case pause > 18:
			cost = 4 + pause/10
		case pause > 10:
			cost = 1
		}
		a.loose = append(a.loose, a.loose[j-1]+cost)
	}
	a.loose = append(a.loose, a.loose[len(a.loose)-1])
	return a
}

// at returns the cost of matching border i with pause j.
func (a *alignment) at(i, j int) float64 {
	pause := float64(a.heard[j].from - a.heard[j-1].to)
	switch a.stops[i-1] {
	case sentence:
		return max(0, 20-pause) / 20
	case clause:
		return max(0, 12-pause) / 12
	}
	return max(0.8, 2.2-pause/20)
}

const (
	// manyWords and manyPauses bound the words and pauses between two matched borders.
	manyWords, manyPauses = 40, 25
)

type pair struct{ border, pause int }

// match returns the borders that are pauses, beginning and end included.
func (a *alignment) match() []pair {
	n, m := len(a.stops), len(a.heard)
	cost := make([][]float64, n+1)
	from := make([][]pair, n+1)
	for i := range cost {
		cost[i], from[i] = make([]float64, m+1), make([]pair, m+1)
		for j := range cost[i] {
			cost[i][j] = math.Inf(1)
		}
	}
	cost[0][0] = 0
	whole := a.voice[m]
	for i := 1; i <= n; i++ {
		for j := 1; j <= m; j++ {
			last := i == n && j == m
			if !last && (i == n || j == m || math.Abs(a.spoken[i]-a.voice[j]) > 0.3*whole+50) {
				continue
			}
			here := 0.0
			if !last {
				here = a.at(i, j)
			}
			for k := max(0, i-manyWords); k < i; k++ {
				for l := max(0, j-manyPauses); l < j; l++ {
					if math.IsInf(cost[k][l], 1) {
						continue
					}
					expected, actual := a.spoken[i]-a.spoken[k], a.voice[j]-a.voice[l]
					off := (actual - expected) / (0.25*expected + 8)
					c := cost[k][l] + here + off*off + a.loose[j-1] - a.loose[l] + a.ended[i-1] - a.ended[k]
					if c < cost[i][j] {
						cost[i][j], from[i][j] = c, pair{k, l}
					}
				}
			}
		}
	}
	end := pair{n, m}
	if math.IsInf(cost[n][m], 1) {
		return []pair{{}, end}
	}
	out := []pair{end}
	for p := end; p != (pair{}); {
		p = from[p.border][p.pause]
		out = append(out, p)
	}
	slices.Reverse(out)
	return out
}

// times spreads the words between two matched borders over the audible time between them.
func (a *alignment) times(borders []pair, step time.Duration, steps int) []Time {
	out := make([]Time, 0, len(a.stops))
	for b := 1; b < len(borders); b++ {
		p, q := borders[b-1], borders[b]
		expected, actual := a.spoken[q.border]-a.spoken[p.border], a.voice[q.pause]-a.voice[p.pause]
		place := func(border int) float64 {
			return a.voice[p.pause] + (a.spoken[border]-a.spoken[p.border])/expected*actual
		}
		for i := p.border; i < q.border; i++ {
			start, end := a.starts(place(i), p.pause, q.pause), a.ends(place(i+1), p.pause, q.pause)
			out = append(out, Time{time.Duration(start * float64(step)), time.Duration(max(end, start) * float64(step))})
		}
	}
	limit := time.Duration(steps) * step
	for i := range out { // rounding keeps the order
		out[i].Start = min(out[i].Start.Round(time.Millisecond), limit)
		out[i].End = min(max(out[i].End.Round(time.Millisecond), out[i].Start), limit)
		if i > 0 {
			out[i-1].End = min(out[i-1].End, out[i].Start)
		}
	}
	return out
}

// starts returns the position in the sound after so much audible time; at the end of a stretch it is the beginning of
// the next one.
func (a *alignment) starts(voice float64, from, to int) float64 {
	for j := from; j < to; j++ {
		if voice < a.voice[j+1]-0.5 || j == to-1 {
			return float64(a.heard[j].from) + max(0, voice-a.voice[j])
		}
	}
	return float64(a.heard[from].from)
}

// ends returns the same position, but at the end of a stretch it is that end.
func (a *alignment) ends(voice float64, from, to int) float64 {
	for j := from; j < to; j++ {
		if voice <= a.voice[j+1]+0.5 || j == to-1 {
			return min(float64(a.heard[j].from)+voice-a.voice[j], float64(a.heard[j].to))
		}
	}
	return float64(a.heard[to-1].to)
}
