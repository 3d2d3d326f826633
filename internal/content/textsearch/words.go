// SPDX-License-Identifier: Apache-2.0

package textsearch

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/kljensen/snowball/english"
	"github.com/kljensen/snowball/russian"
	"golang.org/x/text/unicode/norm"
)

// maxWord bounds a word, in characters; what follows does not count. No word that people look for is longer.
const maxWord = 40

// fold gives words that people take for the same one form: lower case, plain width, no accents.
func fold(s string) string {
	if ascii(s) {
		return strings.ToLower(s)
	}
	var out strings.Builder
	out.Grow(len(s))
	base := rune(0)
	for _, r := range norm.NFKD.String(s) {
		switch {
		case accent(r):
			if r == '\u0306' && (base == 'и' || base == 'И') { // й is a letter of its own
				out.WriteRune(r)
			}
			continue
		case unicode.Is(unicode.Cf, r) && r != '\u200b': // joiners, soft hyphens: not seen, not meant
			continue
		}
		base = r
		r = unicode.ToLower(r)
		if plain, ok := plainLetters[r]; ok {
			out.WriteString(plain)
			continue
		}
		out.WriteRune(r)
	}
	return norm.NFC.String(out.String())
}

func ascii(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// plainLetters are those that no decomposition makes plain.
var plainLetters = map[rune]string{
	'ß': "ss", 'æ': "ae", 'œ': "oe", 'ø': "o", 'đ': "d", 'ð': "d", 'ł': "l", 'þ': "th", 'ħ': "h", 'ı': "i", 'ς': "σ", '’': "'", '‘': "'", 'ʼ': "'",
}

// accents are marks that change how a letter looks and not which word it is in. Marks of writings in which they are the
// vowels of a word, or tell one consonant from another (the Japanese ones), are not among them.
var accents = &unicode.RangeTable{R16: []unicode.Range16{
	{Lo: 0x0300, Hi: 0x036f, Stride: 1},
	{Lo: 0x0591, Hi: 0x05bd, Stride: 1},
	{Lo: 0x05bf, Hi: 0x05bf, Stride: 1},
	{Lo: 0x05c1, Hi: 0x05c2, Stride: 1},
	{Lo: 0x0610, Hi: 0x061a, Stride: 1},
	{Lo: 0x064b, Hi: 0x065f, Stride: 1},
	{Lo: 0x0670, Hi: 0x0670, Stride: 1},
	{Lo: 0x1ab0, Hi: 0x1aff, Stride: 1},
	{Lo: 0x1dc0, Hi: 0x1dff, Stride: 1},
	{Lo: 0x20d0, Hi: 0x20ff, Stride: 1},
	{Lo: 0xfe00, Hi: 0xfe0f, Stride: 1},
	{Lo: 0xfe20, Hi: 0xfe2f, Stride: 1},
}}

func accent(r rune) bool { return r >= 0x0300 && unicode.Is(accents, r) }

// unspaced says that a character belongs to a writing that puts no blanks between words, or so few that parts of a word are
// looked for on their own.
func unspaced(r rune) bool {
	return r >= 0x0e00 && (r == 'ー' || unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar))
}

// words calls visit with the words of a text, folded. Of a run without blanks these are every two neighbours; single says
// that every character of it is wanted as well, which is what makes one that is looked for alone be found.
func words(text string, single bool, visit func(word string)) {
	text = fold(text)
	var run []rune // characters of the word, or the run, at hand
	packed, apostrophe := false, false
	end := func(next bool) {
		switch {
		case len(run) == 0:
		case packed:
			pairs(run, single, visit)
		case len(run) == 1 && (apostrophe || next): // the s of women's, the l of l'été
		default:
			visit(string(run[:min(len(run), maxWord)]))
		}
		run, apostrophe = run[:0], next && len(run) > 0
	}
	for _, r := range text {
		switch {
		case unspaced(r):
			if !packed {
				end(false)
			}
			packed = true
			run = append(run, r)
		case unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r):
			if packed {
				end(false)
			}
			packed = false
			run = append(run, r)
		default:
			end(r == '\'' && !packed)
			packed = false
			if unicode.Is(unicode.So, r) { // an emoji is a word
				visit(string(r))
			}
		}
	}
	end(false)
}

func pairs(run []rune, single bool, visit func(string)) {
	for i := range run {
		if i+1 < len(run) {
			visit(string(run[i : i+2]))
		}
		if single || len(run) == 1 {
			visit(string(run[i]))
		}
	}
}

// stem gives the forms of a word one name. Which language a text is in is not known: words in Latin letters are taken for
// English, which is right about most plurals of the others too.
func stem(word string) string {
	if len(word) < 3 {
		return word
	}
	latin, cyrillic := true, true
	for _, r := range word {
		latin = latin && r >= 'a' && r <= 'z'
		cyrillic = cyrillic && r >= 'а' && r <= 'я'
	}
	switch {
	case latin:
		return english.Stem(word, false)
	case cyrillic:
		return russian.Stem(word, false)
	}
	return word
}

// filler says that a word is in almost every text and tells nothing.
func filler(word string) bool { return english.IsStopWord(word) }
