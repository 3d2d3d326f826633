// SPDX-License-Identifier: Apache-2.0

package text

import (
	"slices"
	"strings"
	"unicode"
)

// breakKind tells how good it is to end a line before a rune.
type breakKind uint8

const (
	noBreak     breakKind = iota
	atCluster             // only when nothing else fits: between two characters of a word
	insideWord            // allowed, but it parts what reads as one: "well-|known", "漢|字"
	betweenWord           // a space, or a border of phrases
)

// findBreaks lists where lines may end, by the Unicode line breaking rules with two additions: Thai words are found in
// writing without spaces, and Japanese lines prefer to end where a phrase does.
func (s *Shaper) findBreaks(runes []rune) []breakKind {
	out := make([]breakKind, len(runes)+1)
	for it := s.seg.GraphemeIterator(); it.Next(); {
		at := it.Grapheme().Offset
		if at > 0 && ideographic(runes[at-1]) && ideographic(runes[at]) {
			continue // only where the rules say so: no line begins with a small kana or a closing mark
		}
		out[at] = atCluster
	}
	for it := s.seg.LineIterator(); it.Next(); {
		l := it.Line()
		at := l.Offset + len(l.Text)
		if at < len(runes) {
			out[at] = quality(runes, at)
		}
	}
	for start := 0; start < len(runes); {
		end := start
		for end < len(runes) && isThai(runes[end]) {
			end++
		}
		if end > start {
			for _, at := range thaiWords(runes[start:end]) {
				out[start+at] = max(out[start+at], betweenWord)
			}
			start = end
		} else {
			start++
		}
	}
	out[0], out[len(runes)] = noBreak, betweenWord
	return out
}

// quality judges a permitted break before runes[at].
func quality(runes []rune, at int) breakKind {
	a, b := runes[at-1], runes[at]
	switch {
	case unicode.IsSpace(a) && together(runes, at):
		return insideWord
	case unicode.IsSpace(a) || a == 0x200B:
		return betweenWord
	case (a == '/' || a == '.') && inShortWord(runes, at):
		return atCluster // an address is copied by eye
	case ideographic(a) && ideographic(b):
		return eastAsian(a, b, slices.ContainsFunc(runes, hiragana))
	case ideographic(a) != ideographic(b):
		return betweenWord
	}
	return insideWord
}

// inShortWord tells whether the place lies in a word that a line has room for.
func inShortWord(runes []rune, at int) bool {
	start, end := at, at
	for start > 0 && !unicode.IsSpace(runes[start-1]) {
		start--
	}
	for end < len(runes) && !unicode.IsSpace(runes[end]) {
		end++
	}
	return end-start <= 24
}

// together tells whether what a space parts is read as one: a number and its unit ("8 am", "20 %", "40 euros"), a dash and the word
// before it, a plus and its left side.
func together(runes []rune, at int) bool {
	if b := runes[at]; strings.ContainsRune("–—+%€$£₽₹×=&", b) && (at+1 == len(runes) || unicode.IsSpace(runes[at+1])) {
		return true
	}
	if at < 2 || !unicode.IsDigit(runes[at-2]) {
		return false
	}
	end := at
	for end < len(runes) && unicode.IsLetter(runes[end]) {
		end++
	}
	return units[strings.ToLower(string(runes[at:end]))]
}

// units are words that a number before them is not read without.
var units = func() map[string]bool {
	set := map[string]bool{}
	for _, u := range strings.Fields("am pm h min sec s ms kg g mg km m cm mm ft ml cl dl l k c f kw w v mb gb tb euro euros dollars pounds uhr jahre tage stunden") {
		set[u] = true
	}
	return set
}()

func hiragana(r rune) bool { return unicode.Is(unicode.Hiragana, r) }

func ideographic(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana) || r == 'ー' || r >= 0x3000 && r <= 0x303F || r >= 0xFF00 && r <= 0xFF60
}

// eastAsian prefers breaks after punctuation and where particles (hiragana) end and a new word (other writing) begins.
// It parts least gladly after a doubled sound and before the little words that Chinese hangs on others.
//
// Japanese words of several Chinese characters stay whole, as their ends show; in Chinese nothing shows them.
func eastAsian(a, b rune, japanese bool) breakKind {
	kana := hiragana
	switch {
	case strings.ContainsRune("っゃゅょぁぃぅぇぉッャュョァィゥェォー", b):
		return noBreak
	case unicode.IsPunct(a), strings.ContainsRune("のはがをにでもと的", a) && !kana(b), a == 'を':
		return betweenWord
	case strings.ContainsRune("っッー", a), strings.ContainsRune("的了吗呢吧着过们个得地", b):
		return atCluster
	case unicode.Is(unicode.Katakana, a) && unicode.Is(unicode.Katakana, b):
		return atCluster
	case kana(a) && !kana(b) && b != 'ー':
		return betweenWord
	case strings.ContainsRune("てで", a) && kana(b) && !strings.ContainsRune("はもすきいのか", b):
		return insideWord // a verb and the one that helps it
	case a == 'か' && kana(b) && b != 'ら':
		return insideWord
	case japanese && unicode.Is(unicode.Han, a) && unicode.Is(unicode.Han, b):
		return atCluster
	case kana(b):
		return atCluster // a stem and its ending, or a noun and its particle
	}
	return insideWord
}
