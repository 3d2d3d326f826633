// SPDX-License-Identifier: Apache-2.0

package timeline

import (
	"time"
	"unicode"

	"github.com/rivo/uniseg"
)

// How long a slide of text stays on screen.
const (
	// MinSlideTime is for the eye to land; reading comes on top of it.
	MinSlideTime = 3 * time.Second
	// MaxSlideTime keeps a full slide from stalling the film.
	MaxSlideTime = 8 * time.Second
	// WordsPerSecond is a comfortable reading speed on a phone.
	WordsPerSecond = 3
)

// charactersPerWord turns the characters of scripts that put no space between words into words.
const charactersPerWord = 2.5

// SlideTime is how long a slide with the given texts should be shown: MinSlideTime plus the reading time, at most
// MaxSlideTime.
func SlideTime(texts ...string) time.Duration {
	words := 0.0
	for _, s := range texts {
		words += Words(s)
	}
	d := MinSlideTime + time.Duration(words/WordsPerSecond*float64(time.Second))
	return min(d, MaxSlideTime)
}

// SlideFrames is SlideTime in whole frames, rounded to the nearest.
func SlideFrames(fps int, texts ...string) int {
	return int((SlideTime(texts...)*time.Duration(fps) + time.Second/2) / time.Second)
}

// Words counts the words of a text. Words of scripts with spaces count one each; the characters of scripts without spaces
// (Han, kana, Thai, Lao, Khmer, Burmese) count as parts of a word; punctuation and emoji count nothing.
func Words(text string) float64 {
	spaced, unspaced := 0, 0
	inWord := false
	g := uniseg.NewGraphemes(text)
	for g.Next() {
		r := letter(g.Runes())
		switch {
		case r == 0:
			// An apostrophe or a hyphen inside a word does not end it; only white space and other marks do.
			if !joins(g.Runes()) {
				inWord = false
			}
		case r == 'ー' || r == 'ｰ' || unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar):
			unspaced++
			inWord = false
		case !inWord:
			spaced++
			inWord = true
		}
	}
	return float64(spaced) + float64(unspaced)/charactersPerWord
}

// letter is the first letter or digit of a grapheme, 0 when it has none.
func letter(runes []rune) rune {
	for _, r := range runes {
		if unicode.IsLetter(r) || unicode.IsNumber(r) {
			return r
		}
	}
	return 0
}

func joins(runes []rune) bool {
	switch runes[0] {
	case '\'', '’', '-', '‐', '‑', '.', ',', '\u200c', '\u200d':
		return true
	}
	return false
}
