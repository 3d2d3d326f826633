// SPDX-License-Identifier: Apache-2.0

package offline

import (
	_ "embed"
	"slices"
	"sort"
	"strings"
	"unicode"

	"github.com/reelops/reelops/internal/content/textgen"
	"github.com/reelops/reelops/internal/content/textgen/lang"
)

//go:embed lexicon.txt
var lexiconText string

// topics are common subjects of images, in the order of lexicon.txt.
var topics, lexicon = readLexicon(lexiconText)

// topic is an English keyword and the words of one language for it.
type topic struct {
	english string
	stems   []string
	open    map[string]bool // stems that match every word beginning with them
}

// readLexicon returns the English topics and the topics of each language.
func readLexicon(text string) (english []topic, byLanguage map[string][]topic) {
	byLanguage = map[string][]topic{}
	of := ""
	for line := range strings.Lines(text) {
		fields := strings.Fields(line)
		switch {
		case len(fields) == 0 || fields[0] == "#":
			continue
		case len(fields) == 1:
			of = fields[0]
			english = append(english, topic{english: of})
			continue
		}
		t := topic{english: of, open: map[string]bool{}}
		for _, f := range fields[1:] {
			stem, open := strings.CutSuffix(f, "*")
			t.stems = append(t.stems, stem)
			t.open[stem] = open
		}
		byLanguage[fields[0]] = append(byLanguage[fields[0]], t)
	}
	return english, byLanguage
}

// english returns the image topics of a text, in the order of the table.
func english(tag, text string) []string {
	words := wordsOf(strings.ToLower(text))
	var out []string
	for _, t := range lexicon[lang.Base(tag)] {
		if t.count(lang.Base(tag), words, text) > 0 {
			out = append(out, t.english)
		}
	}
	return out
}

// themeLeast is how often a text must mention a topic for all of its slides, if the first line does not mention it.
const themeLeast = 3

// themes returns the topics of a whole text, the most frequent first, three at most. A short first line is its title: a
// topic of the title is a theme, and one that the rest mentions only in passing is not.
func themes(tag, text string) []string {
	base := lang.Base(tag)
	title, _, _ := strings.Cut(text, "\n")
	if runes(title) > textgen.MaxTitle {
		title = ""
	}
	first, all := wordsOf(strings.ToLower(title)), wordsOf(strings.ToLower(text))
	type theme struct {
		english string
		count   int
	}
	var found []theme
	for _, t := range lexicon[base] {
		n := t.count(base, all, text)
		if n >= themeLeast || n > 0 && t.count(base, first, title) > 0 {
			found = append(found, theme{t.english, n})
		}
	}
	sort.SliceStable(found, func(i, j int) bool { return found[i].count > found[j].count })
	var out []string
	for i, f := range found {
		if i < 3 && 3*f.count >= found[0].count {
			out = append(out, f.english)
		}
	}
	return out
}

// count returns how many words of a text in a language match the topic; in scripts without spaces, how many places.
func (t topic) count(base string, words []string, text string) int {
	n := 0
	for _, stem := range t.stems {
		if !textgen.Spaced(firstRune(stem)) {
			n += strings.Count(text, stem)
		}
	}
	for _, w := range words {
		if slices.ContainsFunc(t.stems, func(stem string) bool { return t.standsFor(base, w, stem) }) {
			n++
		}
	}
	return n
}

// standsFor reports whether a word is an inflection of a stem, or begins with a stem that is open.
func (t topic) standsFor(base, word, stem string) bool {
	if !textgen.Spaced(firstRune(stem)) {
		return false
	}
	for _, w := range []string{word, bare(word)} {
		rest, ok := strings.CutPrefix(w, stem)
		if ok && (rest == "" || t.open[stem] || isEnding(base, stem, rest)) {
			return true
		}
	}
	return false
}

// endings are the inflections of nouns by language. In a language without a list, any ending of up to three letters
// counts.
var endings = map[string][]string{
	"en": strings.Fields("s es 's ’s"), "de": strings.Fields("e n en s es"), "fr": strings.Fields("s x e es"),
	"es": strings.Fields("s es"), "pt": strings.Fields("s es"), "it": {}, "nl": strings.Fields("s n en 's ’s"),
	"pl": strings.Fields("a i y u ą ę e ie em om ów ami ach"), "ko": koreanParticles,
	"tr": strings.Fields("ı i u ü a e yı yi yu yü da de ta te dan den tan ten ın in un ün nın nin nun nün la le lar ler " +
		"ları leri ların lerin larda lerde ya ye"),
}

// isEnding reports whether the rest of a word after a stem is an inflection. Short stems are not inflected, because
// they are often the beginning of another word.
func isEnding(base, stem, rest string) bool {
	if list, ok := endings[base]; ok {
		return (base == "ko" || runes(stem) >= 4) && slices.Contains(list, rest)
	}
	return runes(stem) >= 3 && runes(rest) <= 3
}

// bare returns an Arabic or Hebrew word without the article and the small prefixes.
func bare(w string) string {
	r := firstRune(w)
	switch {
	case unicode.Is(unicode.Arabic, r):
		for _, p := range []string{"وال", "بال", "لل", "ال", "و", "ب", "ل"} {
			if rest, ok := strings.CutPrefix(w, p); ok && runes(rest) >= 3 {
				return rest
			}
		}
	case unicode.Is(unicode.Hebrew, r) && strings.ContainsRune("הובלמשכ", r):
		if runes(w) >= 3 {
			return w[len(string(r)):]
		}
	}
	return w
}
