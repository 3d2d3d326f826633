// SPDX-License-Identifier: Apache-2.0

package meaning

import (
	"maps"
	"strings"
	"unicode"

	"github.com/reelops/reelops/internal/content/wordnet"
)

// notion is one subject of a query.
type notion struct {
	words  string // as written in the query
	weight float64
	sense
	listed  bool // found in the built-in lists
	against bool // excluded by the query
}

const (
	// maxTokens is the maximum number of words that are read of a query.
	maxTokens = 24
	// longestPhrase is the maximum length of a phrase lookup in words.
	longestPhrase = 4
	// faintWeight is the weight of a word of the faint list.
	faintWeight = 0.25
)

// read returns the notions of a query.
func (w *Words) read(query string) []notion {
	var out []notion
	for _, part := range clauses(query, maxTokens) {
		not := false // a negation ends with its clause
		for i := 0; i < len(part); {
			if part[i] == "no" || part[i] == "without" || part[i] == "not" || part[i] == "except" || part[i] == "minus" {
				if n, _ := w.phrase(part[i:]); n == 1 {
					not, i = true, i+1
					continue
				}
			}
			// "without people in the mountains": the preposition ends the negation.
			if not && (part[i] == "in" || part[i] == "at" || part[i] == "on" || part[i] == "with" || part[i] == "but") {
				not = false
			}
			n, known := w.phrase(part[i:])
			text := strings.Join(part[i:i+n], " ")
			i += n
			of := stems(text)
			if len(of) == 0 && !known {
				continue
			}
			weight := 1.0
			if n == 1 && faint[of[0]] {
				weight = faintWeight
			}
			about := notion{words: text, weight: weight, sense: w.around(text), listed: listed(text), against: not}
			if n > 1 {
				about.sense = w.withParts(about.sense, part[i-n:i])
			}
			out = append(out, about)
		}
	}
	return out
}

// withParts returns the sense of a phrase, extended at a lower weight by the senses of its words.
func (w *Words) withParts(of sense, words []string) sense {
	out := sense{maps.Clone(of.fits), maps.Clone(of.shows)}
	for _, word := range words {
		if len(stems(word)) == 0 {
			continue
		}
		part := w.around(word)
		for s, v := range part.fits {
			out.put(s, ofParts*v, 0)
		}
		for s, v := range part.shows {
			out.put(s, 0, ofParts*v)
		}
	}
	return out
}

// phrase returns how many of the first words form one phrase, and reports whether the lists or the dictionary have that
// phrase.
func (w *Words) phrase(words []string) (int, bool) {
	for n := min(longestPhrase, len(words)); n > 1; n-- {
		text := strings.Join(words[:n], " ")
		if _, ok := sayings[text]; ok {
			return n, true
		}
		if w.dictionary == nil || len(stems(words[0])) == 0 || len(stems(words[n-1])) == 0 {
			continue
		}
		if w.listsPhrase(text) {
			return n, true
		}
	}
	_, ok := sayings[words[0]]
	return 1, ok
}

// listsPhrase reports whether the dictionary has a phrase.
func (w *Words) listsPhrase(text string) bool {
	w.mu.Lock()
	is, ok := w.phrases[text]
	w.mu.Unlock()
	if ok {
		return is
	}
	for p := range byPart {
		bases, err := w.dictionary.Bases(text, wordnet.Part(p))
		if err != nil {
			return false // the lookup of its words reports the error
		}
		is = is || len(bases) > 0
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.phrases) >= maxPhrases {
		clear(w.phrases)
	}
	w.phrases[text] = is
	return is
}

// clauses returns the first words of a query in lower case, split into clauses at punctuation marks.
func clauses(query string, most int) [][]string {
	var out [][]string
	var part []string
	var word strings.Builder
	tokens := 0
	endWord := func() {
		if word.Len() > 0 && tokens < most {
			part = append(part, strings.TrimSuffix(strings.Trim(word.String(), "'"), "'s"))
			tokens++
		}
		word.Reset()
	}
	endPart := func() {
		endWord()
		if len(part) > 0 {
			out = append(out, part)
		}
		part = nil
	}
	for _, r := range strings.ToLower(query) {
		switch {
		case unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r):
			word.WriteRune(r)
		case r == '\'' || r == '’':
			word.WriteRune('\'')
		case r == ' ' || r == '-' || r == '_' || r == '#' || r == '\t':
			endWord()
		default:
			endPart()
		}
	}
	endPart()
	return out
}
