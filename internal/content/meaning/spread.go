// SPDX-License-Identifier: Apache-2.0

package meaning

import (
	"slices"
	"strings"

	"github.com/reelops/reelops/internal/content/wordnet"
)

// Synonyms fit best and words of the definition fit least. Nouns weigh more, because images show things.
var (
	byPart = [...]float64{wordnet.Noun: 1, wordnet.Verb: 0.75, wordnet.Adjective: 0.95, wordnet.Adverb: 0.4}

	byRelation = map[wordnet.Relation]float64{
		wordnet.Broader: 0.62, wordnet.Narrower: 0.5, wordnet.Similar: 0.75, wordnet.Derived: 0.85, wordnet.Whole: 0.35,
		wordnet.Piece: 0.4, wordnet.Causes: 0.5, wordnet.SeeAlso: 0.6, wordnet.Topic: 0.4, wordnet.AttributeOf: 0.4,
	}
)

const (
	synonym    = 0.75
	laterSense = 0.72 // relative to the previous sense
	inGloss    = 0.42
	names      = 8   // number of words of one meaning, above which most of them are slang
	slang      = 0.3 // factor for each word of such a meaning
	senses     = 4   // senses followed for each word
	steps      = 2   // maximum distance from the word
	weakest    = 0.1 // minimum weight of a followed link
	meanings   = 400 // maximum number of meanings read for one word
)

// spread searches the dictionary outward from a phrase. It returns the words found with how well they fit.
func (w *Words) spread(phrase string) (map[string]float64, error) {
	type stop struct {
		id     wordnet.ID
		weight float64
		step   int
	}
	var queue []stop
	for p := range byPart {
		part := wordnet.Part(p)
		bases, err := w.dictionary.Bases(phrase, part)
		if err != nil {
			return nil, err
		}
		for i, base := range bases {
			ids, err := w.dictionary.Senses(base, part)
			if err != nil {
				return nil, err
			}
			weight := synonym * byPart[p]
			if i > 0 {
				weight *= laterSense
			}
			for _, id := range ids[:min(senses, len(ids))] {
				queue = append(queue, stop{id, weight, 0})
				weight *= laterSense
			}
		}
	}
	out := map[string]float64{}
	seen := map[wordnet.ID]bool{}
	for n := 0; len(queue) > 0 && n < meanings; n++ {
		best := 0
		for i := range queue {
			if queue[i].weight > queue[best].weight {
				best = i
			}
		}
		at := queue[best]
		queue = slices.Delete(queue, best, best+1)
		if seen[at.id] {
			continue
		}
		seen[at.id] = true
		s, err := w.dictionary.Synset(at.id)
		if err != nil {
			return out, err
		}
		// A meaning with many words has them from slang: bread, dough and lettuce are money.
		synonyms := at.weight
		if len(s.Words) > names {
			synonyms *= slang
		}
		for _, word := range s.Words {
			out[word] = max(out[word], synonyms)
		}
		// In a list of many kinds or parts, each single one means little.
		many := 0
		for _, l := range s.Links {
			if l.Relation == wordnet.Narrower || l.Relation == wordnet.Piece {
				many++
			}
		}
		if at.step < 2 {
			for word := range glossWords(s.Gloss) {
				out[word] = max(out[word], at.weight*inGloss)
			}
		}
		if at.step >= steps {
			continue
		}
		for _, l := range s.Links {
			weight := at.weight * byRelation[l.Relation]
			if many > 30 && (l.Relation == wordnet.Narrower || l.Relation == wordnet.Piece) {
				weight *= 0.5
			}
			if weight >= weakest && !seen[l.To] {
				queue = append(queue, stop{l.To, weight, at.step + 1})
			}
		}
	}
	return out, nil
}

// glossWords returns the words of a definition without its examples and the text in brackets.
func glossWords(gloss string) map[string]bool {
	out := map[string]bool{}
	definition, _, _ := strings.Cut(gloss, `"`)
	depth := 0
	plain := strings.Map(func(r rune) rune {
		switch r {
		case '(':
			depth++
			return ' '
		case ')':
			depth--
			return ' '
		}
		if depth > 0 {
			return ' '
		}
		return r
	}, definition)
	for _, word := range strings.FieldsFunc(plain, func(r rune) bool { return strings.ContainsRune(" ;:,.", r) }) {
		out[word] = true
	}
	return out
}
