// SPDX-License-Identifier: Apache-2.0

package speech_test

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/reelops/reelops/internal/film/speech"
)

const step = 10 * time.Millisecond

// sound returns levels of speech: positive numbers are milliseconds of voice, negative ones of silence.
func sound(noise float64, milliseconds ...int) []float64 {
	var out []float64
	for _, ms := range milliseconds {
		level := 0.02
		if ms < 0 {
			level, ms = 0, -ms
		}
		for range ms / 10 {
			wave := 1 + 0.5*math.Sin(float64(len(out))) // no voice is even
			out = append(out, (level+noise)*wave)
		}
	}
	return out
}

// Pauses between sentences are found, with any pauses within the sentences.
func TestAlign(t *testing.T) {
	for name, c := range map[string]struct {
		text   string
		levels []float64
		// starts are the start times of some words in milliseconds, by index.
		starts map[int]int
		within int
	}{
		"one word":                {"Hello", sound(0, -200, 500, -300), map[int]int{0: 200}, 20},
		"two sentences":           {"Stop it. Go on now.", sound(0, -100, 600, -400, 900, -200), map[int]int{0: 100, 2: 1100}, 20},
		"a comma with a pause":    {"Well then, go on.", sound(0, 500, -180, 500), map[int]int{2: 680}, 20},
		"a comma without a pause": {"Well, go on. And then leave it all.", sound(0, 800, -400, 1600), map[int]int{3: 1200}, 20},
		"a stop inside a word":    {"A great big catastrophe. Then nothing.", sound(0, 700, -90, 900, -450, 800), map[int]int{4: 2140}, 20},
		"a pause without a mark":  {"I never thought I would say this but here we are today.", sound(0, 1500, -300, 1500), map[int]int{0: 0}, 20},
		"three similar sentences": {"Wait. What is this? It is the one thing that nobody ever told you about.", sound(0, 350, -400, 700, -380, 3000), map[int]int{0: 0, 1: 750, 4: 1830}, 20},
		"a noisy room":            {"Stop it. Go on now.", sound(0.0004, -300, 600, -400, 900, -200), map[int]int{0: 300, 2: 1300}, 40},
		"a click before":          {"Stop it. Go on now.", sound(0, -300, 10, -500, 600, -400, 900), map[int]int{0: 810, 2: 1810}, 20},
		"no pauses":               {"one two three four", sound(0, 2000), map[int]int{0: 0}, 20},
		"Chinese":                 {"今天很好。我们走吧。", sound(0, 1000, -350, 1000), map[int]int{0: 0, 2: 1350}, 20},
	} {
		t.Run(name, func(t *testing.T) {
			words := speech.Words(c.text)
			got := speech.Align(words, c.levels, step)
			inOrder(t, words, c.levels, got)
			for i, ms := range c.starts {
				if off := got[i].Start.Milliseconds() - int64(ms); max(off, -off) > int64(c.within) {
					t.Errorf("%q begins at %v, want %d ms; all: %v", words[i], got[i].Start, ms, got)
				}
			}
		})
	}
}

func inOrder(t *testing.T, words []string, levels []float64, got []speech.Time) {
	t.Helper()
	if len(got) != len(words) {
		t.Fatalf("got %d times for %d words", len(got), len(words))
	}
	before := time.Duration(0)
	for i, w := range got {
		if w.Start < before || w.End < w.Start || w.End > time.Duration(len(levels))*step {
			t.Fatalf("word %d lasts from %v to %v, the previous one ends at %v", i, w.Start, w.End, before)
		}
		before = w.End
	}
}

func TestAlign_Silence(t *testing.T) {
	for name, levels := range map[string][]float64{"nothing": nil, "silence": make([]float64, 300), "almost silent": sound(0.0000000001, -2000)} {
		if got := speech.Align([]string{"a"}, levels, step); got != nil {
			t.Errorf("%s: got %v", name, got)
		}
	}
	if got := speech.Align(nil, sound(0, 500), step); got != nil {
		t.Errorf("no words: got %v", got)
	}
}

// FuzzAlign checks that for every sound, the times ascend and are within the sound.
func FuzzAlign(f *testing.F) {
	f.Add("Stop it. Go on, now!", []byte{0, 200, 200, 0, 0, 0, 0, 0, 0, 0, 200, 90, 200})
	f.Add("今天很好。", []byte{255, 0, 255, 0, 255, 0})
	f.Fuzz(func(t *testing.T, text string, raw []byte) {
		words := speech.Words(text)
		if len(words) > 300 || len(raw) > 2000 {
			t.Skip()
		}
		levels := make([]float64, 0, 4*len(raw))
		for _, b := range raw {
			for range 4 {
				levels = append(levels, float64(b)*float64(b)/65536)
			}
		}
		if got := speech.Align(words, levels, step); got != nil {
			inOrder(t, words, levels, got)
		}
	})
}

// Aligning the longest text with the longest sound, with a pause after every breath, is fast.
func TestAlign_IsFast(t *testing.T) {
	words := strings.Fields(strings.Repeat("a ", 150) + strings.Repeat("b. ", 150))
	var ms []int
	for i := range 700 {
		ms = append(ms, 300+i%7*20, -200)
	}
	levels := sound(0, ms...)
	inOrder(t, words, levels, speech.Align(words, levels, step))
}
