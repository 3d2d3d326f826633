// SPDX-License-Identifier: Apache-2.0

package lang

import (
	"regexp"
	"sort"
	"strings"
	"unicode"

	"golang.org/x/text/language"
)

// Unknown is the tag of a text in an unknown language.
const Unknown = "und"

// Base returns the language of a BCP 47 tag without region and script ("pt" for "pt-BR"), or "" if the tag names no
// language.
func Base(tag string) string {
	t, err := language.Parse(tag)
	if err != nil {
		return ""
	}
	b, confidence := t.Base()
	if confidence < language.High {
		return ""
	}
	if b.String() == "no" {
		return "nb"
	}
	return b.String()
}

// byScript lists the scripts with the languages written in them, the most common first. One language means that the
// script identifies it.
var byScript = []struct {
	table *unicode.RangeTable
	tags  []string
}{
	{unicode.Hangul, []string{"ko"}},
	{unicode.Thai, []string{"th"}},
	{unicode.Hebrew, []string{"he"}},
	{unicode.Arabic, []string{"ar", "fa", "ur"}},
	{unicode.Devanagari, []string{"hi", "mr"}},
	{unicode.Cyrillic, []string{"ru", "uk", "bg"}},
	{unicode.Greek, []string{"el"}},
	{unicode.Bengali, []string{"bn"}},
	{unicode.Tamil, []string{"ta"}},
	{unicode.Telugu, []string{"te"}},
	{unicode.Gujarati, []string{"gu"}},
	{unicode.Gurmukhi, []string{"pa"}},
	{unicode.Kannada, []string{"kn"}},
	{unicode.Malayalam, []string{"ml"}},
	{unicode.Sinhala, []string{"si"}},
	{unicode.Georgian, []string{"ka"}},
	{unicode.Armenian, []string{"hy"}},
	{unicode.Khmer, []string{"km"}},
	{unicode.Lao, []string{"lo"}},
	{unicode.Myanmar, []string{"my"}},
	{unicode.Ethiopic, []string{"am"}},
	{unicode.Latin, []string{"en", "es", "fr", "de", "it", "pt", "nl", "pl", "tr", "id", "vi", "sv", "da", "nb", "fi", "cs", "ro", "hu"}},
}

// address matches URLs and domains, which reveal nothing about the language of a text ("com" is a Portuguese word).
var address = regexp.MustCompile(`(?:https?://|www\.)[\x21-\x7e]+|[\w.+-]*\b[\w-]+(?:\.[A-Za-z][\w-]+)+(?:/[\x21-\x7e]*)?`)

// Detect returns the language of a text as a BCP 47 tag. The hint (a tag, or empty) decides between several possible
// languages. Its region is kept if its language is that of the text. For a text without evidence of a language, Detect
// returns the hint or Unknown.
func Detect(text, hint string) string {
	text = address.ReplaceAllString(text, " ")
	hinted := Base(hint)
	counts := make([]int, len(byScript))
	kana, han := 0, 0
	for _, r := range text {
		switch {
		case unicode.In(r, unicode.Hiragana, unicode.Katakana):
			kana++
			continue
		case unicode.Is(unicode.Han, r):
			han++
			continue
		}
		for i, s := range byScript {
			if unicode.Is(s.table, r) {
				counts[i]++
				break
			}
		}
	}
	best := len(byScript) - 1
	for i := range counts {
		if counts[i] > counts[best] {
			best = i
		}
	}
	// A word in Han or kana has two characters where a Latin word needs five or more.
	if n := (kana + han) * 3; n > counts[best] {
		found := "zh"
		if kana*12 >= han || (kana == 0 && hinted == "ja") {
			found = "ja"
		}
		if kana == 0 && hinted != "ja" {
			found = "zh"
		}
		return keepRegion(found, hint, hinted)
	}
	if counts[best] == 0 {
		return orUnknown(hint, hinted)
	}
	tags := byScript[best].tags
	if len(tags) == 1 {
		return keepRegion(tags[0], hint, hinted)
	}
	found := vote(text, tags, hinted)
	if found == "" && byScript[best].table != unicode.Latin {
		found = tags[0]
		for _, t := range tags {
			if t == hinted {
				found = t
			}
		}
	}
	if found == "" {
		if hinted != "" {
			return hint
		}
		// A few ASCII words without any foreign function word are most likely English.
		if countWords(text) <= 5 && isASCII(text) {
			return "en"
		}
		return Unknown
	}
	return keepRegion(found, hint, hinted)
}

// vote scores the languages by function words and characteristic letters. It returns "" if no score is clear. A word
// that several languages share counts in equal parts for each.
func vote(text string, tags []string, hinted string) string {
	score := map[string]float64{}
	lower := strings.ToLower(text)
	words := strings.FieldsFunc(lower, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsMark(r) && r != '\'' })
	for _, w := range words {
		var holders []string
		for _, t := range tags {
			if stopwords[t][w] {
				holders = append(holders, t)
			}
		}
		for _, t := range holders {
			score[t] += 1 / float64(len(holders))
		}
	}
	for _, r := range lower {
		if r < 0x80 {
			continue
		}
		for _, t := range tags {
			if strings.ContainsRune(letters[t], r) {
				score[t] += 0.35
			}
		}
	}
	if score[hinted] > 0 {
		score[hinted] = score[hinted]*1.25 + 0.2
	}
	order := append([]string(nil), tags...)
	sort.SliceStable(order, func(i, j int) bool { return score[order[i]] > score[order[j]] })
	// In a longer text of a known language many words are function words; a few matches are chance.
	if len(words) > 8 && score[order[0]] < 0.08*float64(len(words)) {
		return ""
	}
	if score[order[0]] < 0.3 || (score[order[0]] < 1 && score[order[0]] <= score[order[1]]) {
		return ""
	}
	return order[0]
}

func countWords(text string) int {
	n := 0
	for _, w := range strings.Fields(text) {
		if strings.IndexFunc(w, unicode.IsLetter) >= 0 {
			n++
		}
	}
	return n
}

func keepRegion(found, hint, hinted string) string {
	if found == hinted {
		return hint
	}
	return found
}

func orUnknown(hint, hinted string) string {
	if hinted != "" {
		return hint
	}
	return Unknown
}

func isASCII(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}
