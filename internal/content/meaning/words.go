// SPDX-License-Identifier: Apache-2.0

package meaning

import (
	"slices"
	"strings"
	"sync"

	"github.com/reelops/reelops/internal/content/wordnet"
)

// Words knows which words go together. It is safe for concurrent use.
type Words struct {
	// dictionary is nil where none is installed: then there are only the relations made by hand.
	dictionary *wordnet.DB
	failed     func(error)

	mu    sync.Mutex
	known map[string]sense // what was found for a word or phrase
	// phrases says of words that stood together whether the dictionary has them as one.
	phrases map[string]bool
}

// maxKnown bounds what is remembered: a word takes some 10 kB, and finding it again half a millisecond.
const maxKnown, maxPhrases = 500, 5000

// NewWords joins a dictionary, which may be nil, with the relations made by hand. A dictionary that cannot be read is told
// to failed, once for every word that suffers from it, and goes on as if the word were unknown.
func NewWords(dictionary *wordnet.DB, failed func(error)) *Words {
	return &Words{dictionary: dictionary, failed: failed, known: map[string]sense{}, phrases: map[string]bool{}}
}

// weights holds how well stems fit a word, 0 to 1.
type weights map[string]float64

func (w weights) add(text string, weight float64) {
	for _, s := range stems(text) {
		w[s] = max(w[s], weight)
	}
}

// sense is what fits a word: fits orders pictures, shows counts only what a picture of it has to show.
type sense struct{ fits, shows weights }

// put adds a stem; a weight of 0 leaves a set as it is.
func (s sense) put(stem string, fits, shows float64) {
	if fits > 0 {
		s.fits[stem] = max(s.fits[stem], fits)
	}
	if shows > 0 {
		s.shows[stem] = max(s.shows[stem], shows)
	}
}

// How well another word fits by the way it was come to.
const (
	byHand   = 0.62 // the first of a list made by hand; the last fits half as well
	byWord   = 0.5  // made by hand for a word that the dictionary gave
	enough   = 0.45 // how well a word of the dictionary has to fit to be looked up in the lists
	ofPhrase = 0.4  // of a phrase of the dictionary that is none of the query's: "calm air" is not air
	ofParts  = 0.5  // what the parts of a phrase are worth beside the phrase

	// named is how sure it is that a picture shows a word that stands among its tags, which may mean something else there, and
	// implied the share of their weight for words that were come to in another way.
	named, implied = 0.7, 0.84
)

// around returns what fits a word or phrase.
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

// listed adds what the lists made by hand have for a stem, and reports whether they have something.
func (w *Words) listed(into sense, stem string, share float64) bool {
	r, ok := related[stem]
	all := append(slices.Clone(r.subjects), r.tones...)
	inOrder(all, byHand*share, func(s string, v float64) { into.put(s, v, 0) })
	inOrder(r.subjects, byHand*share, func(s string, v float64) { into.put(s, v, v*implied) })
	return ok
}

// listed reports whether the lists made by hand have a word.
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

// inOrder calls add with stems that fit less the later they stand.
func inOrder(fits []string, first float64, add func(stem string, weight float64)) {
	for i, s := range fits {
		add(s, first*(1-0.5*float64(i)/float64(len(fits))))
	}
}
