// SPDX-License-Identifier: Apache-2.0

package meaning

import (
	"strings"
	"unicode"
)

// stems returns the lower-case stems of a text in any language, without stop words.
func stems(text string) []string {
	var out []string
	for _, w := range strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r)
	}) {
		if stop[w] || len(w) < 2 {
			continue
		}
		out = append(out, stem(w))
	}
	return out
}

// ownStems are words that stemming would turn into another word: training is not train.
var ownStems = map[string]string{
	"plane": "plane", "planes": "plane", "training": "training", "trainings": "training", "booking": "booking",
	"bookings": "booking", "parking": "parking", "heating": "heating", "opening": "opening", "dressing": "dressing",
	"building": "building", "buildings": "building", "evening": "evening", "evenings": "evening", "sales": "sales",
}

// stem removes the most common English endings, conservatively. Both sides of a comparison are stemmed in the same way,
// so an odd stem does no harm. Merging two different words would.
func stem(w string) string {
	for i := range len(w) {
		if w[i] >= 0x80 {
			return w
		}
	}
	if s, ok := ownStems[w]; ok {
		return s
	}
	n := len(w)
	switch {
	case n > 4 && strings.HasSuffix(w, "ies"):
		w = w[:n-3] + "y"
	case n > 4 && (strings.HasSuffix(w, "sses") || strings.HasSuffix(w, "shes") || strings.HasSuffix(w, "ches") || strings.HasSuffix(w, "xes")):
		w = w[:n-2]
	case n > 4 && strings.HasSuffix(w, "ves"):
		w = w[:n-1]
	case n > 3 && strings.HasSuffix(w, "s") && !strings.HasSuffix(w, "ss") && !strings.HasSuffix(w, "us") && !strings.HasSuffix(w, "is"):
		w = w[:n-1]
	}
	for _, end := range []string{"ing", "ed"} {
		if root, ok := strings.CutSuffix(w, end); ok && len(root) >= 4 && strings.ContainsAny(root, "aeiouy") {
			if l := len(root); root[l-1] == root[l-2] && !strings.ContainsRune("lsz", rune(root[l-1])) {
				root = root[:l-1] // planning, planned: plan
			}
			w = root
			break
		}
	}
	if len(w) > 4 && strings.HasSuffix(w, "e") {
		w = w[:len(w)-1] // leave, leaving; sunrise, sunrises
	}
	if w == "grey" {
		return "gray"
	}
	return w
}

var stop = set(`a about after again all also am an and any are as at be because been before being but by can
could did do does doing don down each even every few for from get getting got had has have having he her here him
his how if in into is it its just let like lot made make making many me more most much must my never new no nor not
now of off on once one only or other our out over own really same she should so some still such than that the their
them then there these they thing things this those through to too two three four five under until up use used using
very want was way we well were what when where which while who why will with without would you your yours ll re ve
der die das und ein eine ist nicht mit von zu le la les un une des et est pas pour que dans el los las una y es no
por para con en o os as um uma do da e não com`)

func set(words string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(words) {
		m[w] = true
	}
	return m
}
