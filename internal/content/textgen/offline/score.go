// SPDX-License-Identifier: Apache-2.0

package offline

import (
	"strings"
	"unicode"
)

var youWords = map[string]bool{"you": true, "your": true, "tu": true, "tus": true, "vous": true, "votre": true, "du": true, "dein": true, "deine": true, "ihr": true, "você": true, "seu": true, "sua": true, "вы": true, "ваш": true, "вам": true, "आप": true, "आपके": true, "당신": true, "bạn": true, "anda": true, "kamu": true}

// score returns how informative a sentence is by itself. Higher is better; the scale has no unit.
func score(tag string, s string, keyWords map[string]bool) float64 {
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
		if keyWords[w] {
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

// tellingWords returns the most salient words of the whole text.
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
