// SPDX-License-Identifier: Apache-2.0

package offline

import (
	"strings"
	"unicode"

	"github.com/reelops/reelops/internal/textgen"
)

var youWords = map[string]bool{"you": true, "your": true, "tu": true, "tus": true, "vous": true, "votre": true, "du": true, "dein": true, "deine": true, "ihr": true, "você": true, "seu": true, "sua": true, "вы": true, "ваш": true, "вам": true, "आप": true, "आपके": true, "당신": true, "bạn": true, "anda": true, "kamu": true}

// score tells how much a sentence says on its own. Higher is better; the scale has no unit.
func score(tag string, s string, telling map[string]bool) float64 {
	points := 0.0
	lower := strings.ToLower(s)
	words := wordsOf(lower)
	if strings.IndexFunc(s, unicode.IsDigit) >= 0 {
		points += 1.2
	}
	if strings.ContainsAny(s, "%€$£¥₹₽") {
		points += 0.5
	}
	if strings.ContainsAny(s, "?？؟") {
		points += 0.4
	}
	hits := 0
	for _, w := range words {
		if telling[w] {
			hits++
		}
		if youWords[w] {
			points += 0.2
		}
	}
	points += min(float64(hits)*0.35, 1.8)
	switch n := runes(s); {
	case weight(s) < 3:
		points -= 1.5
	case n <= 90:
		points++
	case n > 180:
		points -= 1.2
	}
	if leans(tag, s) {
		points -= 1.5
	}
	return points
}

// tellingWords are those that the whole text comes back to.
func tellingWords(tag, text string) map[string]bool {
	set := map[string]bool{}
	for i, w := range salient(tag, text) {
		if i >= 14 {
			break
		}
		set[w] = true
	}
	return set
}

// choose keeps n of the units in their order: the text is parted in n stretches and the most telling unit of each is kept, with the
// next sentence of the same paragraph as its support.
func choose(tag string, units []unit, n int, telling map[string]bool) []unit {
	if len(units) <= n {
		return units
	}
	if merged, ok := mergeSteps(units, n); ok {
		return merged
	}
	out := make([]unit, 0, n)
	for i := range n {
		from, to := i*len(units)/n, (i+1)*len(units)/n
		best := from
		for j := from + 1; j < to; j++ {
			if worth(tag, units[j], telling) > worth(tag, units[best], telling)+0.2 {
				best = j
			}
		}
		u := units[best]
		if next := best + 1; !u.listed && u.body == "" && runes(u.head) <= 90 && next < to && units[next].para == u.para && units[next].body == "" && runes(units[next].head) <= 180 {
			u.body = units[next].head
		}
		out = append(out, u)
	}
	return out
}

// worth is how much a unit gives a slide: a short heading with something to say beneath it reads best.
func worth(tag string, u unit, telling map[string]bool) float64 {
	if u.body == "" {
		return score(tag, u.head, telling)
	}
	v := score(tag, u.head, telling) + 0.25*score(tag, u.body, telling) + 0.5
	switch n := runes(u.head); {
	case n <= 50:
		v++
	case n > textgen.MaxHeading:
		v -= 2
	}
	return v
}

// mergeSteps puts two numbered steps on one slide where there are too many: a step left out would make the rest wrong.
func mergeSteps(units []unit, n int) ([]unit, bool) {
	if len(units) > 2*n {
		return nil, false
	}
	for i, u := range units {
		if u.order != i+1 || runes(u.head) > 80 || runes(u.text()) > 170 {
			return nil, false
		}
	}
	extra := len(units) - n
	var out []unit
	for i := 0; i < len(units); i++ {
		if extra == 0 || i+1 == len(units) {
			u := units[i]
			u.head = itoa(u.order) + ". " + u.head
			out = append(out, u)
			continue
		}
		a, b := units[i], units[i+1]
		if a.body != "" {
			return nil, false
		}
		out = append(out, unit{head: itoa(a.order) + ". " + a.head, body: itoa(b.order) + ". " + strings.TrimSpace(endWith("", b.head)+" "+b.body), listed: true, para: -1, whole: a.whole + " " + b.whole})
		extra--
		i++
	}
	return out, len(out) == n
}

func itoa(n int) string {
	if n >= 10 {
		return itoa(n/10) + itoa(n%10)
	}
	return string(rune('0' + n))
}
