// SPDX-License-Identifier: Apache-2.0

package speech

import (
	"strings"
	"unicode"
)

// weight returns the estimated duration of a word, in units of about one letter of English. It counts sounds: syllables
// more than letters, digits by their names, combining marks hardly.
func weight(word string) float64 {
	w := 1.5 // the onset of every word
	vowel := false
	letters := 0
	for _, r := range strings.ToLower(word) {
		isVowel := false
		switch {
		case unicode.Is(unicode.M, r):
			w += 0.3
			continue
		case strings.ContainsRune("%€$£&@#+=°", r):
			w += 4
		case unicode.IsNumber(r):
			w += 4
		case unicode.In(r, unicode.Han, unicode.Hangul):
			w += 3
		case unicode.In(r, unicode.Hiragana, unicode.Katakana) || r == 'ー':
			w += 2
		case unicode.In(r, unicode.Arabic, unicode.Hebrew):
			w += 1.3 // the vowels are not written
		case unicode.IsLetter(r):
			letters++
			isVowel = strings.ContainsRune("aeiouyäöüåøæáéíóúýàèìòùâêîôûãõëïőűąęіїєаеёиоуыэюяαεηιουωάέήίόύώ", r)
			w += 0.7
			if isVowel && !vowel {
				w += 1
			}
		}
		vowel = isVowel
	}
	if letters > 1 && letters < 5 && strings.ToUpper(word) == word && strings.ToLower(word) != word && !strings.ContainsAny(word, "AEIOUY") {
		w += 1.5 * float64(letters) // spelled letter by letter
	}
	return w
}

// stop is the kind of border after a word.
type stop int

const (
	runsOn stop = iota
	clause
	sentence
)

// stopOf returns from its punctuation which pause may follow a word.
func stopOf(word string) stop {
	end := strings.TrimRightFunc(word, func(r rune) bool {
		return unicode.In(r, unicode.Pe, unicode.Pf, unicode.So, unicode.Sk, unicode.M, unicode.Cf) || r == '"' || r == '\'' || unicode.IsSpace(r)
	})
	switch {
	case end == "":
		return runsOn
	case strings.HasSuffix(end, "..."), strings.ContainsRune("!?。！？…؟۔।॥", lastRune(end)):
		return sentence
	case lastRune(end) == '.':
		return sentence
	case strings.ContainsRune(",;:—–、，；：،؛・", lastRune(end)) || strings.HasSuffix(end, " -"):
		return clause
	}
	return runsOn
}

func lastRune(s string) rune {
	last := rune(0)
	for _, r := range s {
		last = r
	}
	return last
}
