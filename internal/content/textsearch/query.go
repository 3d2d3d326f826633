// SPDX-License-Identifier: Apache-2.0

package textsearch

import "slices"

// MaxWords is the maximum number of words of a query; further words are ignored.
const MaxWords = 32

// Query is a parsed query. It matches the records that have at least one of its words. The zero value matches nothing.
type Query struct {
	words []word
	all   bool
}

// All returns a query that matches only the records that have every word of q.
func (q Query) All() Query {
	q.all = true
	return q
}

type word struct {
	text, stem string
	begins     bool // also match terms with this prefix
}

// Parse parses a query. It accepts every text. Stop words such as "the" count only in a query that has no other words.
func Parse(text string) Query {
	var all, meaningful []word
	last := ""
	words(text, false, func(w string) {
		last = w
		if len(all) == MaxWords || slices.ContainsFunc(all, func(o word) bool { return o.text == w }) {
			return
		}
		one := word{text: w, stem: stem(w)}
		all = append(all, one)
		if !filler(w) {
			meaningful = append(meaningful, one)
		}
	})
	if len(meaningful) == 0 {
		meaningful = all
	}
	if n := len(meaningful); n > 0 && meaningful[n-1].text == last {
		// The caller may still be typing the last word, so it matches as a prefix. A pair of characters does not.
		meaningful[n-1].begins = !unspaced([]rune(last)[0])
	}
	return Query{words: meaningful}
}

// Empty reports whether the query has no words.
func (q Query) Empty() bool { return len(q.words) == 0 }
