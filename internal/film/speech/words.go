// SPDX-License-Identifier: Apache-2.0

package speech

import (
	"slices"
	"strings"
	"unicode"

	"github.com/reelops/reelops/internal/content/overlay/text"
)

// longestRun is the longest run of letters of a script without spaces if no border of words is known.
const longestRun = 7

// Words splits a text into the units that are spoken and shown at a time: words with their punctuation, in order.
// Between and around the words the text has only white space, or nothing at all in scripts without spaces. Characters
// that are not spoken, such as a dash or an emoji between spaces, belong to the word before them. A text without a
// speakable character has no words.
func Words(s string) []string {
	p := &parting{runes: []rune(s), phrases: map[int]bool{}}
	for _, at := range text.Phrases(p.runes) {
		p.phrases[at] = true
	}
	var words []string
	start, end, spoken := -1, -1, false
	flush := func() {
		if spoken {
			words = append(words, string(p.runes[start:end]))
			start, spoken = -1, false
		}
	}
	for _, c := range p.pieces() {
		sayable := slices.ContainsFunc(p.runes[c.from:c.to], Sayable)
		if sayable && spoken {
			flush()
		}
		if start < 0 {
			start = c.from
		}
		end, spoken = c.to, spoken || sayable
	}
	flush()
	return words
}

// Join joins words, with a space between them if their script has spaces.
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

// Spaced reports whether a space separates two consecutive words.
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

// Sayable reports whether a rune is a letter or a digit of some script.
func Sayable(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) }

type parting struct {
	runes   []rune
	phrases map[int]bool // where a Chinese or Japanese phrase begins
}

type piece struct{ from, to int }

// pieces returns the parts between spaces and other borders of words.
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

// borders returns the positions at which a word begins inside a part without spaces, ascending.
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
	begun := from // start of the current word
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

// joined reports whether the runes before and at i are one character, or whether one of them must not be at an end of a
// word.
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

// border reports whether a word begins at i; length is the length of the word before.
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

// afterUnspaced reports whether the last letter before i is of a script without spaces.
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
	spaced      // scripts with spaces between words
	han
	hiragana
	katakana
	runOn // scripts of South-East Asia with spaces only between phrases
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

// smallKana are the kana that never begin a word.
var smallKana = &unicode.RangeTable{R16: []unicode.Range16{
	{Lo: 'ぁ', Hi: 'ぉ', Stride: 2},
	{Lo: 'っ', Hi: 'っ', Stride: 1},
	{Lo: 'ゃ', Hi: 'ょ', Stride: 2},
	{Lo: 'ァ', Hi: 'ォ', Stride: 2},
	{Lo: 'ッ', Hi: 'ッ', Stride: 1},
	{Lo: 'ャ', Hi: 'ョ', Stride: 2},
}}

// isCJKStop reports whether a rune is a mark that ends a unit in scripts without spaces.
func isCJKStop(r rune) bool {
	switch r {
	case '。', '、', '，', '．', '！', '？', '：', '；', '・', '〜', '々', 'ゝ', 'ヽ', '…', '”', '’':
		return true
	}
	return false
}
