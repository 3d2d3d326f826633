// SPDX-License-Identifier: Apache-2.0

package text

import (
	"slices"
	"strings"
	"unicode"
)

// breakKind rates a line break before a rune. A worse kind is used only if a stretch without better ones is wider than
// a line.
type breakKind uint8

const (
	noBreak     breakKind = iota
	atCluster             // between two characters of a word
	insideWord            // inside a unit: "well-|known", "8 |am", a long phrase
	betweenWord           // a space, or a boundary of phrases
)

// findBreaks returns the kind of line break before each rune and at the end. It follows the Unicode line breaking rules
// with three additions: phrases of Chinese and Japanese, words of Thai, and units that should stay on one line.
func (s *Shaper) findBreaks(runes []rune) []breakKind {
	out := make([]breakKind, len(runes)+1)
	for it := s.seg.GraphemeIterator(); it.Next(); {
		at := it.Grapheme().Offset
		if at > 0 && ideographic(runes[at-1]) && ideographic(runes[at]) {
			continue // only where the rules allow a break: no line begins with a small kana or a closing mark
		}
		out[at] = atCluster
	}
	phrases := phraseBreaks(runes)
	for it := s.seg.LineIterator(); it.Next(); {
		l := it.Line()
		at := l.Offset + len(l.Text)
		switch {
		case at >= len(runes):
		case phrases[at] != unruled:
			out[at] = breakKind(phrases[at])
		default:
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

// quality rates a permitted break before runes[at], outside of Chinese and Japanese.
func quality(runes []rune, at int) breakKind {
	a := runes[at-1]
	switch {
	case a == 0x200B:
		return betweenWord
	case a == 0x00AD:
		return noBreak // a soft hyphen is not drawn
	case unicode.IsSpace(a):
		if together(runes, at) {
			return insideWord
		}
		return betweenWord
	case (a == '/' || a == '.') && inShortWord(runes, at):
		return atCluster // users copy addresses by eye
	case isDash(a) && at > 1 && at < len(runes) && unicode.IsDigit(runes[at-2]) && unicode.IsDigit(runes[at]):
		return atCluster // a range of numbers
	}
	return insideWord
}

// inShortWord reports whether an index is inside a word that fits on a line.
func inShortWord(runes []rune, at int) bool {
	return len(tokenBefore(runes, at))+len(tokenAfter(runes, at)) <= 24
}

func isDash(r rune) bool { return unicode.Is(unicode.Pd, r) || r == '−' }

// tokenBefore and tokenAfter return the runes between an index and the nearest space.
func tokenBefore(runes []rune, at int) []rune {
	start := at
	for start > 0 && !unicode.IsSpace(runes[start-1]) {
		start--
	}
	return runes[start:at]
}

func tokenAfter(runes []rune, at int) []rune {
	end := at
	for end < len(runes) && !unicode.IsSpace(runes[end]) {
		end++
	}
	return runes[at:end]
}

// together reports whether the token before the space at at-1 and the one after it form one unit: a number and its
// unit, a name and its initial, a mark and the word that it belongs to.
func together(runes []rune, at int) bool {
	space := at - 1
	for space > 0 && unicode.IsSpace(runes[space-1]) {
		space--
	}
	before, after := tokenBefore(runes, space), tokenAfter(runes, at)
	if len(before) == 0 || len(after) == 0 {
		return false
	}
	first, last := space == len(before), at+len(after) == len(runes)
	switch {
	case !spoken(before) && first:
		return true // a bullet, a dash or an emoji in front
	case !spoken(after) && isDash(after[0]):
		next := at + len(after) + 1 // a range of numbers or times stays whole
		return next < len(runes) && unicode.IsDigit(runes[next]) || !endsSaid(before)
	case !spoken(after):
		return last && len(after) <= 8 || // an emoji must not be alone on a line
			unicode.In(after[0], unicode.Pe, unicode.Pf) ||
			strings.ContainsRune("!?:;%‰€$£¥₽₹₩×=+&/~≈≤≥<>|·*'\"", after[0])
	case !spoken(before):
		said := tokenBefore(runes, max(space-len(before)-1, 0))
		return signBelongs(before) && (!isDash(before[0]) || unicode.IsDigit(after[0]) || endsSaid(said))
	}
	return numberAndUnit(before, after) || nameAndInitial(before, after) || telephone(runes, at, before, after)
}

// endsSaid reports whether a token ends a sentence or a quotation. A dash after it introduces a name; any other dash
// belongs to the text before it.
func endsSaid(token []rune) bool {
	return len(token) == 0 || strings.ContainsRune(".!?…”“»\"'’」』", token[len(token)-1])
}

// leastTelephone is the minimum number of digits of a telephone number.
const leastTelephone = 7

// telephone reports whether the space at at-1, between the tokens before and after, is inside a telephone number:
// groups of digits, seven digits or more.
func telephone(runes []rune, at int, before, after []rune) bool {
	start, end, digits := at-1, at, 0
	belongs := func(r rune) bool { return unicode.IsDigit(r) || r == ' ' || strings.ContainsRune("+()/-", r) }
	for start > 0 && belongs(runes[start-1]) {
		start--
	}
	for end < len(runes) && belongs(runes[end]) {
		end++
	}
	for _, r := range runes[start:end] {
		if unicode.IsDigit(r) {
			digits++
		}
	}
	whole := (start == 0 || !unicode.IsLetter(runes[start-1])) && (end == len(runes) || !unicode.IsLetter(runes[end]))
	return whole && digits >= leastTelephone && strings.ContainsRune("0123456789)", before[len(before)-1]) && (unicode.IsDigit(after[0]) || after[0] == '(')
}

// spoken reports whether a token has a letter or a digit.
func spoken(token []rune) bool {
	return slices.ContainsFunc(token, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) })
}

// signBelongs reports whether a separate sign belongs to the word after it.
func signBelongs(before []rune) bool {
	b := before[len(before)-1]
	return isDash(b) || unicode.In(b, unicode.Ps, unicode.Pi) || strings.ContainsRune("€$£¥₽₹₩§#№×=+/~≈≤≥<>@", b)
}

// numberAndUnit reports whether the tokens are a number with its unit ("8 am", "2-3 min", "40 euros", "100 000", "5
// March") or a word with its number ("No. 5", "page 12").
func numberAndUnit(before, after []rune) bool {
	end, word := before[len(before)-1], bare(after)
	switch {
	case unicode.IsNumber(end):
		group := len(before) <= 3 && len(after) >= 3 && allDigits(after[:3]) && thousands(after)
		return group || units[word] || months[word] || begins(word, koreanCounters...)
	case end == '.' && len(before) > 1 && unicode.IsDigit(before[len(before)-2]):
		return months[word] // a German date
	}
	if koreanNumbers[string(before)] && begins(string(after), koreanCounters...) {
		return true
	}
	return unicode.IsDigit(after[0]) && (counted[bare(before)] || months[bare(before)])
}

func allDigits(runes []rune) bool {
	return !slices.ContainsFunc(runes, func(r rune) bool { return !unicode.IsDigit(r) })
}

// thousands reports whether a token is a group of three digits, followed by any mark.
func thousands(token []rune) bool {
	return len(token) == 3 || !unicode.IsNumber(token[3]) && !unicode.IsLetter(token[3])
}

// nameAndInitial reports whether one of the tokens is an initial or a title of the other: "Priya N.", "J. K. Rowling",
// "Dr. Li".
func nameAndInitial(before, after []rune) bool {
	capital := func(token []rune) bool {
		token = slices.DeleteFunc(slices.Clone(token), func(r rune) bool { return !unicode.IsLetter(r) && r != '.' })
		return len(token) > 0 && unicode.IsUpper(token[0])
	}
	return capital(after) && (capital(before) && (initial(before) || initial(after)) || titles[string(before)])
}

// initial reports whether a token is one capital letter and a full stop, with optional marks around it.
func initial(token []rune) bool {
	s := strings.TrimFunc(string(token), func(r rune) bool { return r != '.' && !unicode.IsLetter(r) })
	r := []rune(s)
	return len(r) == 2 && unicode.IsUpper(r[0]) && r[1] == '.'
}

// bare returns a token in lower case without marks.
func bare(token []rune) string {
	return strings.ToLower(strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsMark(r) || strings.ContainsRune("°%", r) {
			return r
		}
		return -1
	}, string(token)))
}

func set(list string) map[string]bool {
	out := map[string]bool{}
	for _, w := range strings.Fields(list) {
		out[w] = true
	}
	return out
}

var (
	// units are words that must stay with the number before them.
	units = set(`am pm h hr hrs min mins minute minutes sec secs second seconds s ms hour hours day days week weeks
		month months year years kg g mg µg km m cm mm ft lb lbs oz ml cl dl l tsp tbsp cup cups k c f °c °f
		kcal cal kw kwh w v mb gb tb kb px percent mio mrd million millions billion billions thousand x
		people times steps tips usd eur gbp euro euros dollars dollar pounds pound cents chf uhr jahr jahre
		jahren tag tage tagen stunde stunden minuten sekunden woche wochen monat monate prozent grad el tl
		stück mal millionen milliarden liter gramm an ans jour jours heure heures semaine semaines mois
		secondes degrés fois personnes euro litres grammes año años día días hora horas minuto minutos
		semana semanas mes meses por ciento giorni ore minuti anni settimane mesi dias anos horas minutos
		год года лет день дня дней час часа часов минут минуты минута секунд раз руб кг г мл км`)
	// koreanCounters are followed by particles without a space.
	koreanCounters = strings.Fields(`개 명 분 초 시 일 년 월 원 번 가지 잔 주 달 살 권 장 병 마리 대 곳 단계 킬로 그램`)
	koreanNumbers  = set(`한 두 세 네 다섯 여섯 일곱 여덟 아홉 열 몇`)
	months         = set(`january february march april may june july august september october november december jan feb mar
		apr jun jul aug sep sept oct nov dec januar februar märz mai juni juli oktober dezember janvier
		février mars avril juin juillet août septembre octobre novembre décembre enero febrero marzo abril
		mayo junio julio agosto septiembre octubre noviembre diciembre`)
	// counted are words that must stay with the number after them.
	counted = set(`no nr nro n p pp s fig art vol ch v ca approx page step day week chapter part level version phase
		rule tip top under over about seite schritt tag woche kapitel teil stufe regel tipp page étape jour
		semaine chapitre partie règle paso día página parte regla шаг день глава часть`)
	titles = set(`Dr. Mr. Mrs. Ms. Prof. St. Hr. Fr. Hrn. M. Mme Mlle Sr. Sra. Dra.`)
)

func hiragana(r rune) bool { return unicode.Is(unicode.Hiragana, r) }

func ideographic(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana) || r == 'ー' ||
		r >= 0x3000 && r <= 0x303F || r >= 0xFF00 && r <= 0xFF60
}
