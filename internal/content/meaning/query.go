// SPDX-License-Identifier: Apache-2.0

package meaning

import (
	"maps"
	"strings"
	"unicode"

	"github.com/reelops/reelops/internal/content/wordnet"
)

// notion is one thing that a query speaks of.
type notion struct {
	words  string // as the query has them
	weight float64
	sense
	listed  bool // in the lists made by hand
	against bool // it must not be there
}

const (
	// maxTokens bounds what is read of a query.
	maxTokens = 24
	// longest phrase that is looked up, in words.
	longestPhrase = 4
	// faintWeight is what words count for that people write with everything.
	faintWeight = 0.25
)

// read takes a query apart.
func (w *Words) read(query string) []notion {
	var out []notion
	for _, part := range clauses(query, maxTokens) {
		not := false // what is not wanted ends where the clause does
		for i := 0; i < len(part); {
			if part[i] == "no" || part[i] == "without" || part[i] == "not" || part[i] == "except" || part[i] == "minus" {
				if n, _ := w.phrase(part[i:]); n == 1 {
					not, i = true, i+1
					continue
				}
			}
			// "without people in the mountains": what follows on a preposition is wanted again.
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

// withParts adds to what fits a phrase, less, what fits its words.
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

// phrase says how many of the first words belong together, and whether a list or the dictionary has them as one.
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

// listsPhrase says whether the dictionary has a phrase.
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
			return false // told when its words are looked up
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

// clauses returns the first words of a query in lower case, apart where punctuation stands.
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
