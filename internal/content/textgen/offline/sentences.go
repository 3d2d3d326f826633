// SPDX-License-Identifier: Apache-2.0

package offline

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/reelops/reelops/internal/content/textgen"
)

const (
	fullStops = "。！？｡؟۔।॥։።။។!?…."
	hardStops = "。｡！？؟۔।॥።။" // always end a sentence, with or without a following space
	closers   = "\"'”’»）)]】」』》›"
)

var abbreviations = func() map[string]bool {
	set := map[string]bool{}
	for _, a := range strings.Fields("mr mrs ms dr prof sr jr st no vs etc e.g i.e approx inc ltd co dept est fig min max z.b bzw ca usw evtl d.h u.a nr bspw inkl exkl zzgl ggf ca tel tél nº núm art sra sres pág p.ej aprox av avv dott sig ul np tzw т.е т.д т.п г ул руб гр стр") {
		set[a] = true
	}
	return set
}()

// mostQuoted is the maximum length in characters of a quotation that is kept in one piece inside a paragraph.
const mostQuoted = 170

var closing = map[rune]string{'“': "”", '„': "“”", '«': "»", '»': "«", '「': "」", '『': "』", '"': `"`}

// quoted returns the index after the quotation that opens at i, or i if none opens there.
func quoted(rs []rune, i int) int {
	end := closing[rs[i]]
	if end == "" || i > 0 && !unicode.IsSpace(rs[i-1]) && textgen.Spaced(rs[i-1]) && rs[i-1] != '(' ||
		i+1 < len(rs) && rs[i] == '"' && unicode.IsSpace(rs[i+1]) {
		return i
	}
	for j := i + 1; j < len(rs) && j-i <= mostQuoted; j++ {
		if strings.ContainsRune(end, rs[j]) {
			return j
		}
	}
	return i
}

// sentences returns the sentences of a paragraph. A full stop inside a number, an address, an abbreviation, a quotation
// or brackets does not end a sentence. Emoji after a sentence belong to it.
func sentences(text string) []string {
	rs := []rune(text)
	var out []string
	start, depth := 0, 0
	emit := func(end int) {
		if s := strings.TrimSpace(string(rs[start:end])); s != "" {
			if len(out) > 0 && !hasWord(s) {
				out[len(out)-1] += " " + s
			} else {
				out = append(out, s)
			}
		}
		start = end
	}
	for i := 0; i < len(rs); i++ {
		if at := quoted(rs, i); at > i {
			// A full stop inside the quotation marks counts when they close.
			if i = at; !strings.ContainsRune(fullStops, rs[at-1]) || !endsHere(rs, at+1) {
				continue
			}
			emit(at + 1)
			continue
		}
		switch {
		case strings.ContainsRune("([（【", rs[i]):
			depth++
		case strings.ContainsRune(")]）】", rs[i]) && depth > 0:
			depth--
		}
		if !strings.ContainsRune(fullStops, rs[i]) {
			continue
		}
		end := i + 1
		for end < len(rs) && strings.ContainsRune(fullStops, rs[end]) {
			end++
		}
		hard := strings.ContainsRune(hardStops, rs[i])
		for end < len(rs) && strings.ContainsRune(closers, rs[end]) {
			if strings.ContainsRune(")]）】", rs[end]) && depth > 0 {
				depth--
				if end+1 < len(rs) && depth == 0 && !hard {
					depth = -1 // the sentence continues after the bracket
				}
			}
			end++
		}
		last := i
		i = end - 1
		if depth < 0 {
			depth = 0
			if unicode.IsLower(nextRune(rs, end)) {
				continue
			}
		}
		if depth > 0 && end < len(rs) && end-start < 200 {
			continue
		}
		if end < len(rs) && !hard {
			if !unicode.IsSpace(rs[end]) && !isPicture(rs[end]) {
				continue
			}
			next := nextRune(rs, end)
			if unicode.IsLower(next) {
				continue
			}
			if rs[last] == '.' && (isAbbreviation(rs[start:last], next) || isOrdinal(rs[start:last])) {
				continue
			}
		}
		// Emoji belong to the preceding text.
		for end < len(rs) && (unicode.IsSpace(rs[end]) || isPicture(rs[end])) {
			if unicode.IsSpace(rs[end]) && !(end+1 < len(rs) && isPicture(rs[end+1])) {
				break
			}
			end++
		}
		i = end - 1
		emit(end)
		depth = 0
	}
	emit(len(rs))
	return out
}

// endsHere reports whether a sentence can end before i: at the end of the text, or before a space without a following
// small letter.
func endsHere(rs []rune, i int) bool {
	if i >= len(rs) {
		return true
	}
	if next := nextRune(rs, i); unicode.IsLower(next) || isPicture(next) || strings.ContainsRune("–—-", next) {
		return false
	}
	return unicode.IsSpace(rs[i]) || !textgen.Spaced(rs[i]) && strings.ContainsRune("。！？", rs[max(i-2, 0)])
}

func nextRune(rs []rune, i int) rune {
	for ; i < len(rs); i++ {
		if !unicode.IsSpace(rs[i]) && !strings.ContainsRune("\"'“‘«(", rs[i]) {
			return rs[i]
		}
	}
	return 0
}

func isAbbreviation(before []rune, next rune) bool {
	i := len(before)
	for i > 0 && !unicode.IsSpace(before[i-1]) && before[i-1] != '(' {
		i--
	}
	word := strings.ToLower(string(before[i:]))
	if abbreviations[word] {
		// "no." and "min." can also end sentences; then a capital follows, not a number.
		if word == "no" || word == "min" || word == "max" || word == "г" {
			return unicode.IsDigit(next)
		}
		return word != "etc" && word != "usw"
	}
	// An initial ("J. Smith"), but not "vitamin C." with a long sentence before it.
	return utf8.RuneCountInString(word) == 1 && unicode.IsUpper(before[i]) && i < 12
}

var reOrdinal = regexp.MustCompile(`(?i)(?:^|\s)(?:am|ab|vom|zum|bis|der|die|das|den|dem|im|beim|und|seit|jeden|jedes)\s\d{1,2}$`)

// isOrdinal reports whether the full stop after a text makes its last number an ordinal, as in German dates.
func isOrdinal(before []rune) bool { return reOrdinal.MatchString(string(before)) }

// isPicture reports whether a rune is an emoji or a component of one.
func isPicture(r rune) bool {
	switch {
	case r == 0x200d || r == 0xfe0f || r == 0x20e3:
		return true
	case r >= 0x1f000 && r <= 0x1faff, r >= 0x2600 && r <= 0x27bf, r >= 0x2b00 && r <= 0x2bff, r >= 0xe0020 &&
		r <= 0xe007f:
		return true
	case r >= 0x2190 && r <= 0x21ff, r >= 0x2300 && r <= 0x23ff, r >= 0x25a0 && r <= 0x25ff:
		return true
	}
	return false
}

// hasWord reports whether a text has a letter or a number.
func hasWord(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) }) >= 0
}

var pairs = map[rune]rune{
	'(': ')', '[': ']', '{': '}', '（': '）', '【': '】', '「': '」', '『': '』', '《': '》', '“': '”',
	'«': '»', '„': '“', '‹': '›',
}

var innerSpace = regexp.MustCompile(`\s+([,、。，！？]|\.(?:\s|$))`)

// tidy returns a piece of text that can be used alone, without loose punctuation at its ends and without unpaired
// brackets or quotes.
func tidy(s string) string {
	s = strings.TrimSpace(s)
	s = dropUnpaired(s)
	s = trimLoose(strings.TrimLeft(s, " ,;:)]}|、。，；：）」』،؛•^"), true)
	s = trimLoose(strings.TrimRight(s, " ,;:([{|、，；：（「『،؛•^\u200d"), false)
	s = innerSpace.ReplaceAllString(s, "$1")
	return strings.TrimSpace(s)
}

// trimLoose removes punctuation that is separate from the words at one end: a dash before a space, but not the minus of
// a number.
func trimLoose(s string, left bool) string {
	for {
		var r, next rune
		if left {
			r = firstRune(s)
			next = firstRune(strings.TrimPrefix(s, string(r)))
		} else {
			r = lastRune(s)
			next = lastRune(strings.TrimSuffix(s, string(r)))
		}
		if s == "" || !strings.ContainsRune("-–—·/\\<>+=~.!?…", r) || next != 0 && next != ' ' || !left &&
			strings.ContainsRune(".!?…", r) {
			return s
		}
		if left {
			s = strings.TrimSpace(strings.TrimPrefix(s, string(r)))
		} else {
			s = strings.TrimSpace(strings.TrimSuffix(s, string(r)))
		}
	}
}

func dropUnpaired(s string) string {
	rs := []rune(s)
	drop := map[int]bool{}
	type open struct {
		at    int
		close rune
	}
	var stack []open
	straight := -1
	for i, r := range rs {
		if r == '"' {
			if straight >= 0 {
				straight = -1
			} else {
				straight = i
			}
			continue
		}
		if n := len(stack); n > 0 && stack[n-1].close == r {
			stack = stack[:n-1]
			continue
		}
		if c, ok := pairs[r]; ok {
			stack = append(stack, open{i, c})
			continue
		}
		for _, c := range pairs {
			if r == c {
				drop[i] = true
			}
		}
	}
	for _, o := range stack {
		drop[o.at] = true
	}
	if straight >= 0 {
		drop[straight] = true
	}
	if len(drop) == 0 {
		return s
	}
	var b strings.Builder
	for i, r := range rs {
		if !drop[i] {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// capital returns the text with a capital first letter if the script has capitals and the first word is plain lower
// case.
func capital(s string) string {
	for i, r := range s {
		if unicode.IsLetter(r) {
			if strings.ContainsAny(s[:i], "+=/") {
				return s // not the first word: the symbols stand for words
			}
			word := s[i:]
			if j := strings.IndexFunc(word, unicode.IsSpace); j > 0 {
				word = word[:j]
			}
			// "iPhone", "example.com" and "@name" keep their spelling.
			if (i > 0 && strings.ContainsAny(s[i-1:i], "@#")) ||
				strings.ContainsAny(strings.TrimRight(word, ".,!?:;"), ".@/") ||
				word[utf8.RuneLen(r):] != strings.ToLower(word[utf8.RuneLen(r):]) {
				return s
			}
			return s[:i] + string(unicode.ToTitle(r)) + s[i+utf8.RuneLen(r):]
		}
		if unicode.IsDigit(r) {
			return s
		}
	}
	return s
}

func runes(s string) int { return utf8.RuneCountInString(s) }
