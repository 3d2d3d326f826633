// SPDX-License-Identifier: Apache-2.0

package music

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// written is a score.
func written(t *testing.T, track Track) *score {
	t.Helper()
	s := track.score()
	s.unheard = true
	track.write(s)
	if s.err != nil {
		t.Fatal(s.err)
	}
	return s
}

// The scores are checked where a wrong note would be audible: melodies against their chords.
func TestPieces_AreInTune(t *testing.T) {
	for _, track := range tracks {
		t.Run(track.Name, func(t *testing.T) {
			s := written(t, track)
			scale := map[int]bool{}
			for _, c := range s.chord {
				for _, n := range c.chord.notes {
					scale[n] = true
				}
			}
			if len(scale) > 9 {
				t.Errorf("the chords use %d of the 12 notes: no key", len(scale))
			}
			tonal, outside := 0, 0
			for _, p := range s.parts {
				for _, n := range p.notes {
					if n.beat < 0 || n.beat >= float64(s.bars*beatsInBar) || n.length <= 0 || n.velocity <= 0 {
						t.Fatalf("%s: an impossible note %+v", p.name, n)
					}
					if p.drum {
						continue
					}
					if n.pitch < 24 || n.pitch > 100 {
						t.Errorf("%s: no instrument plays %d", p.name, n.pitch)
					}
					tonal++
					if !scale[n.pitch%12] {
						outside++
					}
					if n.length >= 1 {
						rubs(t, p, n)
					}
				}
			}
			if share := float64(outside) / float64(tonal); share > 0.02 {
				t.Errorf("%.1f%% of the notes are in no chord of the piece", 100*share)
			}
		})
	}
}

// rubs reports a long note a half tone above a note of the chord, unless the chord contains it.
func rubs(t *testing.T, p *part, n note) {
	t.Helper()
	c := p.chord[p.at(n.beat)].chord
	class := n.pitch % 12
	if slices.Contains(c.notes, class) || class == c.bass {
		return
	}
	if slices.Contains(c.notes, (class+11)%12) {
		t.Errorf("%s: %d lasts %g beats from beat %g a half tone above a note of %s", p.name, n.pitch, n.length, n.beat, c.name)
	}
}

func TestPieces_HaveTwoHalves(t *testing.T) {
	for _, track := range tracks {
		s := written(t, track)
		half := float64(s.bars*beatsInBar) / 2
		var first, second []string
		for _, p := range s.parts {
			for _, n := range p.notes {
				if n.beat < half {
					first = append(first, p.name)
				} else {
					second = append(second, p.name)
				}
			}
		}
		slices.Sort(first)
		slices.Sort(second)
		if cmp.Equal(first, second) {
			t.Errorf("%s: the second half repeats the first", track.Name)
		}
		if len(first) == 0 || len(second) == 0 {
			t.Errorf("%s: half of it is silent", track.Name)
		}
	}
}

func TestChords(t *testing.T) {
	for symbol, want := range map[string]chord{
		"C":        {bass: 0, notes: []int{0, 4, 7}},
		"F#m7":     {bass: 6, notes: []int{6, 9, 4, 1}},
		"Bbmaj7":   {bass: 10, notes: []int{10, 2, 9, 5}},
		"D/F#":     {bass: 6, notes: []int{2, 6, 9}},
		"A7sus4":   {bass: 9, notes: []int{9, 2, 7, 4}},
		"Ebadd9":   {bass: 3, notes: []int{3, 7, 10, 5}},
		"Cb":       {bass: 11, notes: []int{11, 3, 6}},
		"Fmaj7#11": {bass: 5, notes: []int{5, 9, 4, 11}},
	} {
		got, err := parseChord(symbol)
		want.name = symbol
		if d := cmp.Diff(want, got, cmp.AllowUnexported(chord{})); err != nil || d != "" {
			t.Errorf("%s: got %v %s", symbol, err, d)
		}
	}
	for _, bad := range []string{"", "H", "C/", "Cmaj8", "C/Em", " C"} {
		if c, err := parseChord(bad); err == nil {
			t.Errorf("%q: got the chord %+v", bad, c)
		}
	}
}

func TestPitches(t *testing.T) {
	for name, want := range map[string]int{"A4": 69, "C4": 60, "F#3": 54, "Bb5": 82, "Cb4": 59, "B#3": 60, "C0": 12} {
		if got, err := parsePitch(name); err != nil || got != want {
			t.Errorf("%s: got %d, %v, want %d", name, got, err, want)
		}
	}
	for _, bad := range []string{"", "C", "X4", "C9", "C-1", "C4x"} {
		if got, err := parsePitch(bad); err == nil {
			t.Errorf("%q: got %d", bad, got)
		}
	}
}

func TestVoices_MoveLittle(t *testing.T) {
	var before []int
	for _, symbol := range strings.Fields("C Am F G C/E Dm7 G7 C") {
		c, err := parseChord(symbol)
		if err != nil {
			t.Fatal(err)
		}
		v := voice(c, before, 57, 3, false)
		if !slices.IsSorted(v) || v[0] < 57 || v[len(v)-1] > 57+19 {
			t.Errorf("%s: got %v", symbol, v)
		}
		moved := 0
		for k := range before {
			moved += abs(v[k] - before[k])
		}
		if before != nil && moved > 9 {
			t.Errorf("%s: got %v to %v", symbol, before, v)
		}
		before = v
	}
}

// Invalid scores are reported, not played.
func TestPlay_InvalidScores(t *testing.T) {
	for name, do := range map[string]func(*part){
		"a bar line within a bar":    func(p *part) { p.tune(0, 1, "C4/3 | C4/1") },
		"a melody that is too short": func(p *part) { p.tune(0, 1, "C4/3") },
		"a melody that is too long":  func(p *part) { p.tune(3, 1, "C4/4 | C4/4") },
		"a note without a length":    func(p *part) { p.tune(0, 1, "C4 C4/3") },
		"an invalid note":            func(p *part) { p.tune(0, 1, "H4/4") },
		"a rhythm of 15 steps":       func(p *part) { p.beat(span{0, 4}, "x______________", 1) },
		"a bass of 17 steps":         func(p *part) { p.bassline(span{0, 4}, 36, 1, "R----------------") },
		"an unknown bass note":       func(p *part) { p.bassline(span{0, 4}, 36, 1, "Z---------------") },
		"an unknown position":        func(p *part) { p.arpeggio(span{0, 4}, hand{low: 60, count: 3}, 1, 1, 1, "0 x 1 2") },
	} {
		s := &score{bpm: 60, bars: 4, unheard: true}
		s.harmony("C F")
		do(s.player(name, nil, 0, 0, 0))
		if s.err == nil {
			t.Errorf("%s is accepted", name)
		}
	}
}

func TestSwing(t *testing.T) {
	s := &score{bpm: 60, swing: swing{0.5, 0.6}}
	for beat, want := range map[float64]int{0: 0, 0.5: 28800, 1: 48000, 1.5: 76800, 2: 96000} {
		if got := s.sample(beat); got != want {
			t.Errorf("beat %g: got sample %d, want %d", beat, got, want)
		}
	}
	if got := (&score{bpm: 60}).sample(0.5); got != 24000 {
		t.Errorf("straight: got %d", got)
	}
}
