// SPDX-License-Identifier: Apache-2.0

package meaning

import (
	"slices"
	"strings"
	"sync"

	"github.com/reelops/reelops/internal/content/wordnet"
)

// Words holds the relations between words. It is safe for concurrent use.
type Words struct {
	// dictionary is nil if none is installed; then only the built-in relations are used.
	dictionary *wordnet.DB
	failed     func(error)

	mu    sync.Mutex
	known map[string]sense // cache of the senses of words and phrases
	// phrases caches whether the dictionary has a sequence of words as a phrase.
	phrases map[string]bool
}

// maxKnown and maxPhrases bound the caches. An entry of known takes about 10 kB, and recomputing it half a millisecond.
const maxKnown, maxPhrases = 500, 5000

// NewWords returns the union of a dictionary, which may be nil, and the built-in relations. If a lookup fails to read
// the dictionary, it passes the error to failed and continues as if the word were unknown. It does so once for each
// word.
func NewWords(dictionary *wordnet.DB, failed func(error)) *Words {
	return &Words{dictionary: dictionary, failed: failed, known: map[string]sense{}, phrases: map[string]bool{}}
}

// weights holds how well stems fit a word, from 0 to 1.
type weights map[string]float64

func (w weights) add(text string, weight float64) {
	for _, s := range stems(text) {
		w[s] = max(w[s], weight)
	}
}

// sense holds the stems that fit a word. fits ranks images; shows counts only stems that an image of the word must
// show.
type sense struct{ fits, shows weights }

// put adds a stem; a weight of 0 leaves the set unchanged.
func (s sense) put(stem string, fits, shows float64) {
	if fits > 0 {
		s.fits[stem] = max(s.fits[stem], fits)
	}
	if shows > 0 {
		s.shows[stem] = max(s.shows[stem], shows)
	}
}

// How well another word fits, by the relation that led to it.
const (
	byHand   = 0.62 // the first of a built-in list; the last fits half as well
	byWord   = 0.5  // built-in relations of a word from the dictionary
	enough   = 0.45 // minimum fit of a word from the dictionary to be looked up in the lists
	ofPhrase = 0.4  // a phrase of the dictionary that is not in the query: "calm air" is not air
	ofParts  = 0.5  // the parts of a phrase, relative to the phrase

	// named is the confidence that an image shows one of its tags, which may have another meaning there. implied is the
	// factor for words found by another relation.
	named, implied = 0.7, 0.84
)

// around returns the sense of a word or phrase.
func (w *Words) around(phrase string) sense {
	w.mu.Lock()
	out, ok := w.known[phrase]
	w.mu.Unlock()
	if ok {
		return out
	}
	out = sense{weights{}, weights{}}
	out.fits.add(phrase, 1)
	if len(stems(phrase)) == 1 {
		out.shows.add(phrase, named)
	}
	listed := false
	for _, s := range stems(phrase) {
		listed = w.listed(out, s, 1) || listed
	}
	if fits, ok := sayings[phrase]; ok {
		listed = true
		inOrder(fits, byHand+0.2, func(s string, v float64) { out.put(s, v, v) })
	}
	if w.dictionary != nil {
		found, err := w.spread(phrase)
		if err != nil {
			w.failed(err)
		}
		for word, weight := range found {
			if strings.Contains(word, " ") {
				weight *= ofPhrase
			}
			for _, s := range stems(word) {
				shows := weight * implied
				if tones[s] {
					shows = 0
				}
				out.put(s, weight, shows)
			}
			if weight >= enough && !listed {
				for _, s := range stems(word) {
					w.listed(out, s, weight*byWord/byHand)
				}
			}
		}
	}
	w.mu.Lock()
	if len(w.known) >= maxKnown {
		clear(w.known)
	}
	w.known[phrase] = out
	w.mu.Unlock()
	return out
}

// listed adds the built-in relations of a stem and reports whether there are any.
func (w *Words) listed(into sense, stem string, share float64) bool {
	r, ok := related[stem]
	all := append(slices.Clone(r.subjects), r.tones...)
	inOrder(all, byHand*share, func(s string, v float64) { into.put(s, v, 0) })
	inOrder(r.subjects, byHand*share, func(s string, v float64) { into.put(s, v, v*implied) })
	return ok
}

// listed reports whether the built-in lists have a word or phrase.
func listed(phrase string) bool {
	if _, ok := sayings[phrase]; ok {
		return true
	}
	of := stems(phrase)
	if len(of) != 1 {
		return false
	}
	_, ok := related[of[0]]
	return ok
}

// inOrder calls add with stems whose weights decrease with their position.
func inOrder(fits []string, first float64, add func(stem string, weight float64)) {
	for i, s := range fits {
		add(s, first*(1-0.5*float64(i)/float64(len(fits))))
	}
}
