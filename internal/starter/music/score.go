// SPDX-License-Identifier: Apache-2.0

package music

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"

	"github.com/reelops/reelops/internal/starter/music/synth"
)

// beatsInBar is the number of beats per bar: all pieces are in 4/4 time.
const beatsInBar = 4

// score is a piece under construction: the chords, and the parts that play to them. An invalid score is a bug in this
// package. The first error is recorded, and Compose returns it.
type score struct {
	bpm   float64
	bars  int
	n     int // samples of the loop
	swing swing
	chord []change
	parts []*part
	seed  uint64
	err   error
	// unheard disables rendering: the notes are available, but no sound is generated.
	unheard bool
}

// change is a chord that applies from a beat on.
type change struct {
	beat  float64
	chord chord
}

// swing delays every second note of a pair. unit is the length of these notes in beats; 0 disables swing. share is the
// fraction of the pair's length that the first note gets; 0.5 does not change the timing.
type swing struct{ unit, share float64 }

// part is one player.
type part struct {
	*score
	name       string
	instrument synth.Instrument
	gain       float64 // dB
	pan        float64
	send       float64 // share that is sent to the room reverb
	loose      float64 // scale of the random timing error in seconds; the error is at most twice this
	drum       bool
	notes      []note
	effects    []synth.Effect
}

// note is one note; beat and length are in beats.
type note struct {
	beat, length float64
	pitch        int
	velocity     float64
	pan          float64 // on top of the part's
}

func (s *score) fail(format string, args ...any) {
	if s.err == nil {
		s.err = fmt.Errorf(format, args...)
	}
}

// harmony sets the chords: one word per bar; commas separate several chords in one bar. Bar lines are ignored. The
// sequence repeats until the end.
func (s *score) harmony(text string) {
	words := strings.Fields(strings.ReplaceAll(text, "|", " "))
	for bar := range s.bars {
		in := strings.Split(words[bar%len(words)], ",")
		for k, symbol := range in {
			c, err := parseChord(symbol)
			if err != nil {
				s.fail("bar %d: %w", bar, err)
			}
			if last := len(s.chord) - 1; last >= 0 && s.chord[last].chord.name == symbol {
				continue // the previous chord continues
			}
			s.chord = append(s.chord, change{float64(bar*beatsInBar) + float64(k)*beatsInBar/float64(len(in)), c})
		}
	}
}

// at returns the index of the chord at a beat.
func (s *score) at(beat float64) int {
	for k := len(s.chord) - 1; k > 0; k-- {
		if s.chord[k].beat <= beat+1e-6 {
			return k
		}
	}
	return 0
}

// next returns the beat at which the next chord begins: the end of the piece after the last one.
func (s *score) next(beat float64) float64 {
	if k := s.at(beat) + 1; k < len(s.chord) {
		return s.chord[k].beat
	}
	return float64(s.bars * beatsInBar)
}

// player adds a part.
func (s *score) player(name string, i synth.Instrument, gain, pan, send float64, effects ...synth.Effect) *part {
	p := &part{score: s, name: name, instrument: i, gain: gain, pan: pan, send: send, loose: 0.005, effects: effects}
	s.parts = append(s.parts, p)
	return p
}

// drums adds a part without pitch.
func (s *score) drums(name string, i synth.Instrument, gain, pan, send float64, effects ...synth.Effect) *part {
	p := s.player(name, i, gain, pan, send, effects...)
	p.drum, p.loose = true, 0.003
	return p
}

// seconds converts a length in beats to seconds.
func (s *score) seconds(beats float64) float64 { return beats * 60 / s.bpm }

// sample returns the sample index of a beat, including swing.
func (s *score) sample(beat float64) int {
	if u := s.swing.unit; u > 0 {
		pair := beat / (2 * u)
		whole := float64(int(pair))
		x := pair - whole
		if x < 0.5 {
			x *= s.swing.share / 0.5
		} else {
			x = s.swing.share + (x-0.5)*(1-s.swing.share)/0.5
		}
		beat = (whole + x) * 2 * u
	}
	return int(s.seconds(beat)*synth.Rate + 0.5)
}

// add appends a note.
func (p *part) add(n note) { p.notes = append(p.notes, n) }

// tune plays a melody from a bar on: words such as E5/1.5 (a pitch and its length in beats) or -/1 for a rest; bar
// lines are checked. A word may end in ! to be played louder, or ? to be played softer.
func (p *part) tune(bar int, velocity float64, text string) {
	beat := float64(bar * beatsInBar)
	for _, w := range strings.Fields(text) {
		if w == "|" {
			if in := beat / beatsInBar; in-float64(int(in+1e-6)) > 1e-6 {
				p.fail("%s: a bar line within bar %d", p.name, int(in))
			}
			continue
		}
		v := velocity
		if t := strings.TrimSuffix(w, "!"); t != w {
			w, v = t, min(1, v*1.2)
		}
		if t := strings.TrimSuffix(w, "?"); t != w {
			w, v = t, v*0.72
		}
		name, long, _ := strings.Cut(w, "/")
		length, err := strconv.ParseFloat(long, 64)
		if err != nil || length <= 0 {
			p.fail("%s: %q has no length", p.name, w)
			return
		}
		if name != "-" {
			pitch, err := parsePitch(name)
			if err != nil {
				p.fail("%s: %w", p.name, err)
				return
			}
			p.add(note{beat: beat, length: length, pitch: pitch, velocity: v})
		}
		beat += length
	}
	if in := beat / beatsInBar; in-float64(int(in+1e-6)) > 1e-6 || beat > float64(p.bars*beatsInBar)+1e-6 {
		p.fail("%s: the tune from bar %d ends at beat %g", p.name, bar, beat)
	}
}

// hand is a way to play chords: count notes from low on. With rootless, the root is left to the bass if the chord has
// more than count notes.
type hand struct {
	low, count int
	rootless   bool
}

// voicings returns the notes of every chord of the piece for a hand.
func (s *score) voicings(h hand) [][]int {
	out := make([][]int, len(s.chord))
	var before []int
	for k := range s.chord {
		out[k] = voice(s.chord[k].chord, before, h.low, h.count, h.rootless)
		before = out[k]
	}
	return out
}

// span is a half-open range of bars.
type span struct{ from, to int }

// hold plays chords that last until the next one, each note a little later than the one below by roll seconds.
func (p *part) hold(in span, h hand, velocity, roll float64) {
	v := p.voicings(h)
	for beat := float64(in.from * beatsInBar); beat < float64(in.to*beatsInBar)-1e-6; beat = p.next(beat) {
		for k, pitch := range v[p.at(beat)] {
			p.add(note{beat: beat + float64(k)*roll*p.bpm/60, length: p.next(beat) - beat, pitch: pitch, velocity: velocity, pan: spread(k)})
		}
	}
}

// spread returns the pan of note k of a chord, so that the notes are a little apart.
func spread(k int) float64 { return []float64{-0.12, 0.12, -0.04, 0.2, -0.2}[k%5] }

// chop plays chords in the rhythm of steps.
func (p *part) chop(in span, h hand, rhythm string, velocity float64) {
	v := p.voicings(h)
	p.steps(in, rhythm, func(beat, length, loud float64) {
		for k, pitch := range v[p.at(beat)] {
			p.add(note{beat: beat, length: length, pitch: pitch, velocity: velocity * loud, pan: spread(k)})
		}
	})
}

// beat plays a drum in the rhythm of steps.
func (p *part) beat(in span, rhythm string, velocity float64) {
	p.steps(in, rhythm, func(beat, length, loud float64) {
		p.add(note{beat: beat, length: length, velocity: velocity * loud})
	})
}

// stepsInBar is the number of steps per bar of a rhythm: sixteenths.
const stepsInBar = 16

// steps calls do for every note of a rhythm of sixteenths: X is an accent, x loud, o softer, . a ghost note, _ a rest,
// and - continues the note. Spaces and bar lines are ignored. The rhythm must have a whole number of bars; it repeats
// until the end of the span.
func (p *part) steps(in span, rhythm string, do func(beat, length, loud float64)) {
	rhythm = strings.NewReplacer(" ", "", "|", "").Replace(rhythm)
	if len(rhythm)%stepsInBar != 0 {
		p.fail("%s: %d steps are no whole bars", p.name, len(rhythm))
		return
	}
	const step = float64(beatsInBar) / stepsInBar
	total := (in.to - in.from) * stepsInBar
	for k := range total {
		loud := map[byte]float64{'X': 1.15, 'x': 1, 'o': 0.7, '.': 0.42}[rhythm[k%len(rhythm)]]
		if loud == 0 {
			continue
		}
		length := 1
		for k+length < total && rhythm[(k+length)%len(rhythm)] == '-' {
			length++
		}
		do(float64(in.from*beatsInBar)+float64(k)*step, float64(length)*step, loud)
	}
}

// arpeggio plays one note of the chord after the other. Each word of the pattern is one step, which lasts step beats. A
// word is the place in the chord from 0 on (beyond the chord an octave higher), b for the bass below, or . or - for no
// new note. Each note sounds for ring steps. A pattern of up to one bar restarts with every bar; a longer one continues
// over the bars.
func (p *part) arpeggio(in span, h hand, step, ring float64, velocity float64, pattern string) {
	v := p.voicings(h)
	words := strings.Fields(pattern)
	perBar := int(beatsInBar/step + 0.5)
	for bar := in.from; bar < in.to; bar++ {
		for k := range perBar {
			w := words[k%len(words)]
			if len(words) > perBar { // a pattern of several bars
				w = words[((bar-in.from)*perBar+k)%len(words)]
			}
			if w == "." || w == "-" {
				continue
			}
			beat := float64(bar*beatsInBar) + float64(k)*step
			at := p.at(beat)
			var pitch int
			if w == "b" {
				pitch = near(p.chord[at].chord.bass, h.low-14)
			} else {
				place, err := strconv.Atoi(w)
				if err != nil || len(v[at]) == 0 {
					p.fail("%s: %q is no place in a chord", p.name, w)
					return
				}
				pitch = v[at][place%len(v[at])] + 12*(place/len(v[at]))
			}
			loud := 0.86
			switch {
			case k == 0:
				loud = 1.05
			case float64(k)*step == float64(int(float64(k)*step)):
				loud = 0.95
			}
			p.add(note{beat: beat, length: step * ring, pitch: pitch, velocity: velocity * loud})
		}
	}
}

// bassline plays the bass line of a pattern. Each sign is a note relative to the bass note of the chord: R root, 5 fifth,
// 8 octave, 3 third, 7 seventh, 6 sixth, + a whole tone above the root, < a half tone below the next root. The sign _ is
// a rest, and - continues the note. The pattern must have a whole number of bars of sixteen signs. It repeats until the
// end of the span.
func (p *part) bassline(in span, low int, velocity float64, pattern string) {
	pattern = strings.NewReplacer(" ", "", "|", "").Replace(pattern)
	if len(pattern)%stepsInBar != 0 {
		p.fail("%s: %d steps are no whole bars", p.name, len(pattern))
		return
	}
	const step = float64(beatsInBar) / stepsInBar
	total := (in.to - in.from) * stepsInBar
	for k := range total {
		sign := pattern[k%len(pattern)]
		if sign == '_' || sign == '-' {
			continue
		}
		length := 1
		for k+length < total && pattern[(k+length)%len(pattern)] == '-' {
			length++
		}
		beat := float64(in.from*beatsInBar) + float64(k)*step
		c := p.chord[p.at(beat)].chord
		root := near(c.bass, low)
		pitch := root
		switch sign {
		case 'R':
		case '8':
			pitch += 12
		case '+':
			pitch += 2
		case '<':
			following := p.chord[(p.at(beat)+1)%len(p.chord)].chord
			pitch = near(following.bass, low) - 1
		case '3', '5', '6', '7':
			pitch = root + p.interval(c, sign)
		default:
			p.fail("%s: no bass note %q", p.name, sign)
		}
		loud := 0.9
		if k%4 == 0 {
			loud = 1
		}
		p.add(note{beat: beat, length: float64(length) * step, pitch: pitch, velocity: velocity * loud})
	}
}

// interval returns the distance in semitones of the third, fifth, sixth or seventh of a chord from its bass. If the
// chord has no such note, interval returns a fifth for the fifth and an octave for the others.
func (p *part) interval(c chord, sign byte) int {
	wanted := map[byte][]int{'3': {4, 3, 2, 5}, '5': {7, 6, 8}, '6': {9, 8, 7}, '7': {10, 11, 9, 12}}[sign]
	for _, w := range wanted {
		for _, n := range c.notes {
			if (n-c.bass+12)%12 == w {
				return w
			}
		}
	}
	return map[byte]int{'3': 12, '5': 7, '6': 12, '7': 12}[sign]
}

// random returns the random number generator of the part, which depends on the piece and on the name of the part only.
func (p *part) random() *rand.Rand {
	h := p.seed
	for _, c := range []byte(p.name) {
		h = (h ^ uint64(c)) * 1099511628211
	}
	return rand.New(rand.NewPCG(p.seed, h))
}
