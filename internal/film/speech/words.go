// SPDX-License-Identifier: Apache-2.0

package speech

import (
	"slices"
	"strings"
	"unicode"

	"github.com/reelops/reelops/internal/content/overlay/text"
)

// longestRun is how many letters of writing without spaces stand together where no border of words is known.
const longestRun = 7

// Words parts a text into what is said and shown at a time: words with their punctuation, in order. Between two of them, and
// around them, the text has nothing but white space, or nothing at all in writing that has no spaces. Signs that nobody says,
// such as a dash or an emoji that stands alone, belong to the word before them. A text in which nothing can be said has no
// words.
func Words(s string) []string {
	p := &parting{runes: []rune(s), phrases: map[int]bool{}}
	for _, at := range text.Phrases(p.runes) {
		p.phrases[at] = true
	}
	var words []string
	start, end, said := -1, -1, false
	flush := func() {
		if said {
			words = append(words, string(p.runes[start:end]))
			start, said = -1, false
		}
	}
	for _, c := range p.pieces() {
		sayable := slices.ContainsFunc(p.runes[c.from:c.to], Sayable)
		if sayable && said {
			flush()
		}
		if start < 0 {
			start = c.from
		}
		end, said = c.to, said || sayable
	}
	flush()
	return words
}

// Join writes words in a row, with a space between them where their script has one.
func Join(words []string) string {
	var b strings.Builder
	for i, w := range words {
		if i > 0 && Spaced(words[i-1], w) {
			b.WriteByte(' ')
		}
		b.WriteString(w)
	}
	return b.String()
}

// Spaced tells whether there is a space between two words that follow each other.
func Spaced(before, after string) bool {
	p := &parting{runes: []rune(before)}
	if p.afterUnspaced(len(p.runes)) {
		return false
	}
	for _, r := range after {
		if k := kindOf(r); k != other {
			return k == spaced && !text.IsThai(r)
		}
	}
	return true
}

// Sayable tells whether a rune is a letter or a figure of some script.
func Sayable(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) }

type parting struct {
	runes   []rune
	phrases map[int]bool // where one of Chinese or Japanese begins
}

type piece struct{ from, to int }

// pieces are the stretches between spaces and other borders of words.
func (p *parting) pieces() []piece {
	var out []piece
	for at := 0; at < len(p.runes); {
		if isGap(p.runes[at]) {
			at++
			continue
		}
		end := at
		for end < len(p.runes) && !isGap(p.runes[end]) {
			end++
		}
		from := at
		for _, border := range p.borders(at, end) {
			out = append(out, piece{from, border})
			from = border
		}
		out = append(out, piece{from, end})
		at = end
	}
	return out
}

func isGap(r rune) bool { return unicode.IsSpace(r) || r == '\u200b' || r == '\ufeff' }

// borders are the places inside a stretch without spaces at which a word begins, ascending.
func (p *parting) borders(from, to int) []int {
	thai := map[int]bool{}
	for i := from; i < to; {
		end := i
		for end < to && text.IsThai(p.runes[end]) {
			end++
		}
		for _, at := range text.ThaiBorders(p.runes[i:end]) {
			thai[i+at] = true
		}
		i = max(end, i+1)
	}
	var out []int
	begun := from // of the word that is being read
	for i := from + 1; i < to; i++ {
		if p.joined(i) {
			continue
		}
		if thai[i] || p.border(i, i-begun) {
			out, begun = append(out, i), i
		}
	}
	return out
}

// joined tells that the runes before and at i are one character, or that one of them may not stand at an end of a word.
func (p *parting) joined(i int) bool {
	before, r := p.runes[i-1], p.runes[i]
	switch {
	case unicode.Is(unicode.M, r), r == '\u200d', before == '\u200d', unicode.Is(unicode.Cf, r):
		return true
	case isKana(r) && (unicode.In(r, smallKana) || r == 'ー'):
		return true
	case unicode.In(r, unicode.Pe, unicode.Pf), isCJKStop(r):
		return true
	case unicode.In(before, unicode.Ps, unicode.Pi):
		return true
	}
	return false
}

// border tells whether a word begins at i; length is that of the word before.
func (p *parting) border(i, length int) bool {
	before, r := p.runes[i-1], p.runes[i]
	a, b := kindOf(before), kindOf(r)
	switch {
	case (before == '—' || before == '…' || before == '–' && !unicode.IsNumber(r)) && Sayable(r):
		return true
	case a == spaced && b == spaced:
		return false
	case b == other:
		return unicode.In(r, unicode.Ps, unicode.Pi) && a != spaced
	case a == other && (b == han || b == hiragana || b == katakana):
		return p.phrases[i]
	case a == other:
		return b != spaced || p.afterUnspaced(i)
	case a == runOn || b == runOn:
		return a != b || length >= longestRun
	}
	return p.phrases[i] || a == b && (a == hiragana || a == han) && length >= longestRun
}

// afterUnspaced tells whether the last letter before i is of writing without spaces.
func (p *parting) afterUnspaced(i int) bool {
	for i--; i >= 0 && !isGap(p.runes[i]); i-- {
		if k := kindOf(p.runes[i]); k != other {
			return k != spaced || text.IsThai(p.runes[i])
		}
	}
	return false
}

type kind int

const (
	other  kind = iota
	spaced      // scripts whose words stand apart
	han
	hiragana
	katakana
	runOn // scripts of South-East Asia that have spaces between phrases alone
)

func kindOf(r rune) kind {
	switch {
	case unicode.Is(unicode.Han, r):
		return han
	case unicode.Is(unicode.Hiragana, r):
		return hiragana
	case unicode.Is(unicode.Katakana, r), r == 'ー':
		return katakana
	case unicode.In(r, unicode.Lao, unicode.Khmer, unicode.Myanmar):
		return runOn
	case Sayable(r), unicode.Is(unicode.M, r):
		return spaced
	}
	return other
}

func isKana(r rune) bool { return unicode.In(r, unicode.Hiragana, unicode.Katakana) || r == 'ー' }

// smallKana never begin a word.
var smallKana = &unicode.RangeTable{R16: []unicode.Range16{
	{Lo: 'ぁ', Hi: 'ぉ', Stride: 2},
	{Lo: 'っ', Hi: 'っ', Stride: 1},
	{Lo: 'ゃ', Hi: 'ょ', Stride: 2},
	{Lo: 'ァ', Hi: 'ォ', Stride: 2},
	{Lo: 'ッ', Hi: 'ッ', Stride: 1},
	{Lo: 'ャ', Hi: 'ョ', Stride: 2},
}}

// isCJKStop tells the marks that end something in writing without spaces.
func isCJKStop(r rune) bool {
	switch r {
	case '。', '、', '，', '．', '！', '？', '：', '；', '・', '〜', '々', 'ゝ', 'ヽ', '…', '”', '’':
		return true
	}
	return false
}
