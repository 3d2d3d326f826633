// SPDX-License-Identifier: Apache-2.0

package avatar

import (
	"math"

	p "github.com/reelops/reelops/internal/content/imagery/paint"
)

// Mouth forms of speech sounds.
var (
	formM = speech{press: 1}
	formF = speech{open: 0.16, wide: 0.1, upper: 0.85, tuck: 1}
	formS = speech{open: 0.13, wide: 0.45, upper: 0.8, lower: 0.9}
	formL = speech{open: 0.34, wide: 0.15, upper: 0.7, tip: 1}
	formD = speech{open: 0.22, wide: 0.2, upper: 0.75, tip: 0.4}
	formK = speech{open: 0.26, wide: 0.1, upper: 0.5}
	formW = speech{open: 0.16, wide: -1}

	formAh = speech{open: 0.92, wide: 0.05, upper: 0.75, lower: 0.1}
	formEh = speech{open: 0.62, wide: 0.5, upper: 0.85, lower: 0.15}
	formIh = speech{open: 0.40, wide: 0.75, upper: 0.9, lower: 0.2}
	formEe = speech{open: 0.30, wide: 1, upper: 0.9, lower: 0.35}
	formOh = speech{open: 0.66, wide: -0.62, upper: 0.3}
	formOo = speech{open: 0.30, wide: -0.95}
	formUh = speech{open: 0.50, wide: 0, upper: 0.6}
)

var (
	consonants = []speech{formM, formF, formS, formL, formD, formK, formW, formD, formS, formK, formM, formL}
	vowels     = []speech{formAh, formEh, formIh, formEe, formOh, formOo, formUh, formAh, formEh, formUh, formIh}
)

// utterance is the speech of a clip: the mouth forms, and the movements of head and brows that go with them, one per
// frame.
type utterance struct {
	mouth []speech
	beat  []float32 // up to 1 on a stressed syllable: the head nods
	lift  []float32 // up to 1 where the voice rises: the brows rise
}

// utter generates synthetic speech: phrases of syllables with pauses between them. Each syllable is a consonant and a
// vowel. Every second or third syllable is stressed, and the last one of a phrase is longer. The speech has no words,
// so that any voice can be added to it.
func utter(lk *look, r *p.Rand) utterance {
	n := lk.frames
	rest := speech{smile: lk.habit.smile}
	u := utterance{mouth: make([]speech, n), beat: make([]float32, n), lift: make([]float32, n)}
	type key struct {
		at   float32
		form speech
	}
	keys := []key{{-10, rest}, {0, rest}, {3, rest}}
	end := float32(n) - 9
	at := float32(5)
	syllable := float32(FPS) / lk.habit.tempo
	for at < end-3*syllable {
		count := 5 + r.Int(5)
		stress := r.Int(2)
		loud := r.In(0.85, 1.08)
		up := r.Int(count)
		for i := 0; i < count && at < end-2*syllable; i++ {
			d := syllable * r.In(0.78, 1.22)
			v := vowels[r.Int(len(vowels))]
			size := loud * r.In(0.68, 0.92)
			if i == stress {
				size = loud * r.In(1.0, 1.14)
				stress += 2 + r.Int(2)
				d *= 1.18
				bump(u.beat, at+d*0.45, d*0.9, r.In(0.55, 1))
				if i >= up {
					bump(u.lift, at+d*0.6, syllable*3.2, r.In(0.6, 1))
					up = count
				}
			}
			if i == count-1 {
				d *= 1.3
			}
			keys = append(keys, key{at, consonants[r.Int(len(consonants))]})
			v.open = min(v.open*size, 1)
			v.smile = lk.habit.smile * 0.7
			keys = append(keys, key{at + d*0.5, v})
			at += d
		}
		pause := r.In(7, 13)
		keys = append(keys, key{at, formUh.mix(rest, 0.75)}, key{at + 3.2, rest}, key{at + pause - 2, rest})
		at += pause
	}
	keys = append(keys, key{max(at, end), rest}, key{float32(n) + 40, rest})
	k := 0
	for i := range n {
		f := float32(i)
		for k+2 < len(keys) && f >= keys[k+1].at {
			k++
		}
		t := p.Clamp((f-keys[k].at)/max(keys[k+1].at-keys[k].at, 0.01), 0, 1)
		u.mouth[i] = keys[k].form.mix(keys[k+1].form, t*t*(3-2*t))
	}
	u.mouth = calm(u.mouth)
	return u
}

// calm returns the mouth forms with neighbouring frames blended, because lips cannot follow every sound at once. The
// first and the last frame are neighbours.
func calm(in []speech) []speech {
	n := len(in)
	out := make([]speech, n)
	for i := range in {
		a, b := in[(i+n-1)%n], in[(i+1)%n]
		out[i] = in[i].mix(a.mix(b, 0.5), 0.24)
	}
	return out
}

// bump raises v to a smooth hill around mid, which is height at its top and ends width frames before and after.
func bump(v []float32, mid, width, height float32) {
	for i := range v {
		d := (float32(i) - mid) / width
		if d > -1 && d < 1 {
			v[i] = max(v[i], height*(0.5+0.5*p.Cos(d*math.Pi)))
		}
	}
}
