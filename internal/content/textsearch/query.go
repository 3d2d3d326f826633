// SPDX-License-Identifier: Apache-2.0

package textsearch

import "slices"

// MaxWords bounds a query; what follows does not count.
const MaxWords = 32

// Query is what is looked for. The zero value is nothing.
type Query struct{ words []word }

type word struct {
	text, stem string
	begins     bool // words that begin so are meant as well
}

// Parse reads a query. Every text is one; words that tell nothing, such as "the", count only when there are no others.
func Parse(text string) Query {
	var all, telling []word
	last := ""
	words(text, false, func(w string) {
		last = w
		if len(all) == MaxWords || slices.ContainsFunc(all, func(o word) bool { return o.text == w }) {
			return
		}
		one := word{text: w, stem: stem(w)}
		all = append(all, one)
		if !filler(w) {
			telling = append(telling, one)
		}
	})
	if len(telling) == 0 {
		telling = all
	}
	if n := len(telling); n > 0 && telling[n-1].text == last {
		// Who types may not have come to the end of it. A pair of characters is no beginning.
		telling[n-1].begins = !unspaced([]rune(last)[0])
	}
	return Query{telling}
}

// Empty says that there is no word in it.
func (q Query) Empty() bool { return len(q.words) == 0 }
