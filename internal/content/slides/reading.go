// SPDX-License-Identifier: Apache-2.0

package slides

import (
	"time"
	"unicode"

	"github.com/rivo/uniseg"

	"github.com/reelops/reelops/internal/catalog"
)

// How much of a word one character counts in scripts without spaces between words.
//
// The first two follow from reading speeds of parallel texts (IReST, doi:10.1167/iovs.11-8284): English 228 words a
// minute, Chinese 255 characters, Japanese 357 characters of about one third Han.
const (
	hanWords   = 0.9
	kanaWords  = 0.5
	runOnWords = 0.4 // Thai, Lao, Khmer, Burmese
)

// readingTime returns how long a slide with the given texts is shown: the start and the words of the pace, within
// catalog.MinSlideTime and catalog.MaxReadingTime.
func readingTime(pace catalog.Pace, texts ...string) time.Duration {
	words := 0.0
	for _, s := range texts {
		words += wordsIn(s)
	}
	d := pace.Start + time.Duration(words*float64(pace.Word))
	return min(max(d, catalog.MinSlideTime), catalog.MaxReadingTime)
}

// wordsIn counts the words of a text. Words of scripts with spaces count one each; a character of a script without
// spaces counts as a part of a word; punctuation and emoji count nothing.
func wordsIn(text string) float64 {
	n, inWord := 0.0, false
	g := uniseg.NewGraphemes(text)
	for g.Next() {
		r := letter(g.Runes())
		if r == 0 {
			// An apostrophe or a hyphen inside a word does not end it; only white space and other marks do.
			if !joins(g.Runes()) {
				inWord = false
			}
			continue
		}
		if part := partOfWord(r); part < 1 {
			n += part
			inWord = false
		} else if !inWord {
			n++
			inWord = true
		}
	}
	return n
}

// partOfWord returns what a letter counts, in words: 1 in scripts with spaces between words.
func partOfWord(r rune) float64 {
	switch {
	case unicode.Is(unicode.Han, r):
		return hanWords
	case r == 'ー' || r == 'ｰ' || unicode.In(r, unicode.Hiragana, unicode.Katakana):
		return kanaWords
	case unicode.In(r, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar):
		return runOnWords
	}
	return 1
}

// letter returns the first letter or digit of a grapheme, or 0 if there is none.
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
