// SPDX-License-Identifier: Apache-2.0

package music

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// chord is a set of pitch classes over a root, with the note that the bass plays.
type chord struct {
	name  string
	bass  int   // pitch class
	notes []int // pitch classes, root first, in the order of their importance for the sound
}

// qualities are the intervals of chords above their root.
var qualities = map[string][]int{
	"": {0, 4, 7}, "m": {0, 3, 7}, "5": {0, 7}, "6": {0, 4, 7, 9}, "m6": {0, 3, 7, 9},
	"7": {0, 4, 10, 7}, "maj7": {0, 4, 11, 7}, "m7": {0, 3, 10, 7}, "m7b5": {0, 3, 6, 10}, "dim": {0, 3, 6},
	"9": {0, 4, 10, 2}, "maj9": {0, 4, 11, 2}, "m9": {0, 3, 10, 2}, "13": {0, 4, 10, 9}, "69": {0, 4, 9, 2},
	"add9": {0, 4, 7, 2}, "madd9": {0, 3, 7, 2}, "sus2": {0, 2, 7}, "sus4": {0, 5, 7}, "7sus4": {0, 5, 10, 7}, "maj7#11": {0, 4, 11, 6},
}

// parseChord reads a symbol such as Am7, F#m or D/F#.
func parseChord(symbol string) (chord, error) {
	c := chord{name: symbol}
	upper, lower, slash := strings.Cut(symbol, "/")
	root, rest, err := pitchClass(upper)
	if err != nil {
		return c, fmt.Errorf("chord %q: %w", symbol, err)
	}
	intervals, ok := qualities[rest]
	if !ok {
		return c, fmt.Errorf("chord %q: no quality %q", symbol, rest)
	}
	for _, i := range intervals {
		c.notes = append(c.notes, (root+i)%12)
	}
	c.bass = root
	if slash {
		if c.bass, rest, err = pitchClass(lower); err != nil || rest != "" {
			return c, fmt.Errorf("chord %q: the bass is no note", symbol)
		}
	}
	return c, nil
}

// pitchClass reads the name of a note at the start of a text.
func pitchClass(s string) (class int, rest string, err error) {
	if s == "" {
		return 0, "", fmt.Errorf("no note")
	}
	at := strings.IndexByte("C D EF G A B", s[0])
	if at < 0 || s[0] == ' ' {
		return 0, "", fmt.Errorf("%q is no note", s)
	}
	rest = s[1:]
	switch {
	case strings.HasPrefix(rest, "#"):
		return (at + 1) % 12, rest[1:], nil
	case strings.HasPrefix(rest, "b"):
		return (at + 11) % 12, rest[1:], nil
	}
	return at, rest, nil
}

// parsePitch reads a note with its octave, such as C4 (60) or F#3, as a MIDI number.
func parsePitch(s string) (int, error) {
	class, rest, err := pitchClass(s)
	if err != nil {
		return 0, err
	}
	octave, err := strconv.Atoi(rest)
	if err != nil || octave < 0 || octave > 8 {
		return 0, fmt.Errorf("%q has no octave", s)
	}
	// Cb4 is below C4, B#3 above B3.
	switch {
	case strings.HasPrefix(s, "Cb"):
		octave--
	case strings.HasPrefix(s, "B#"):
		octave++
	}
	return 12*(octave+1) + class, nil
}

// voice returns the notes of a chord from low on, as close as possible to the notes of the chord before. If possible,
// the highest note is at most 17 half tones above low. At most count notes are used, in the order of their importance.
// With rootless, the root is left to the bass if the chord has more than count notes.
func voice(c chord, before []int, low, count int, rootless bool) []int {
	classes := slices.Clone(c.notes)
	if rootless && len(classes) > count {
		classes = classes[1:]
	}
	classes = classes[:min(count, len(classes))]
	slices.Sort(classes)
	var best []int
	cost := 0
	for turn := range classes {
		for shift := 0; shift <= 12; shift += 12 {
			notes := make([]int, len(classes))
			floor := low + shift
			for k := range classes {
				class := classes[(turn+k)%len(classes)]
				n := floor + ((class-floor)%12+12)%12
				notes[k], floor = n, n+1
			}
			price := 2 * max(0, notes[len(notes)-1]-(low+17)) // not too high
			if notes[0] > low+10 {
				price += 3 * (notes[0] - low - 10)
			}
			for k, n := range notes {
				if k < len(before) {
					price += abs(n - before[k])
				}
				if k > 0 && n-notes[k-1] == 1 {
					price += 3 // avoid half tones between neighbours
				}
			}
			if best == nil || price < cost {
				best, cost = notes, price
			}
		}
	}
	return best
}

func abs(n int) int { return max(n, -n) }

// near returns the note of a pitch class in the octave from low on.
func near(class, low int) int { return low + ((class-low)%12+12)%12 }
