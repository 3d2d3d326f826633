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

// maxWord is the maximum length of a word in characters; the rest is cut off. Real search words are shorter.
const maxWord = 40

// fold returns a text in a normal form, so that variants of a word are equal: lower case, plain width, no accents.
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
			if r == '\u0306' && (base == 'и' || base == 'И') { // й is a separate letter, not an accented и
				out.WriteRune(r)
			}
			continue
		case unicode.Is(unicode.Cf, r) && r != '\u200b': // joiners and soft hyphens are invisible: drop them
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

// plainLetters maps letters and apostrophes without a Unicode decomposition to plain ones.
var plainLetters = map[rune]string{
	'ß': "ss", 'æ': "ae", 'œ': "oe", 'ø': "o", 'đ': "d", 'ð': "d", 'ł': "l", 'þ': "th", 'ħ': "h", 'ı': "i", 'ς': "σ", '’': "'", '‘': "'", 'ʼ': "'",
}

// accents are the marks that do not change which word a letter belongs to. Marks that are vowels of a script or
// distinguish its consonants (the Japanese ones) are not included.
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

// unspaced reports whether a character belongs to a script without spaces between words, or with so few that users
// search for parts of a word.
func unspaced(r rune) bool {
	return r >= 0x0e00 && (r == 'ー' || unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar))
}

// words calls visit with the folded words of a text. In a run of an unspaced script the words are all pairs of adjacent
// characters, or the character of a run of one. With single, every character of such a run is a word as well, so that a
// query of one character finds it.
func words(text string, single bool, visit func(word string)) {
	text = fold(text)
	var run []rune // characters of the current word or run
	packed, apostrophe := false, false
	end := func(next bool) {
		switch {
		case len(run) == 0:
		case packed:
			pairs(run, single, visit)
		case len(run) == 1 && (apostrophe || next): // the s of women's, the l of l'été: skip
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

// stem returns the stem of a word. The language of the text is unknown, so words in Latin letters are stemmed as
// English and words in Cyrillic letters as Russian. The English rules also fit most plurals of other languages in Latin
// letters.
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

// filler reports whether a word is an English stop word, which occurs in almost every text.
func filler(word string) bool { return english.IsStopWord(word) }

// Stems returns the stems of the words of a text, in order, without English stop words.
func Stems(text string) []string {
	var out []string
	words(text, false, func(w string) {
		if !filler(w) {
			out = append(out, stem(w))
		}
	})
	return out
}
