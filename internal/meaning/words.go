// SPDX-License-Identifier: Apache-2.0

package meaning

import (
	"strings"
	"sync"

	"github.com/reelops/reelops/internal/imagery"
	"github.com/reelops/reelops/internal/wordnet"
)

// Words knows which words go together. It is safe for concurrent use.
type Words struct {
	// dictionary is nil where none is installed: then there are only the relations made by hand.
	dictionary *wordnet.DB
	failed     func(error)

	mu    sync.Mutex
	known map[string]weights // what was found for a word or phrase
	// phrases says of words that stood together whether the dictionary has them as one.
	phrases map[string]bool
}

// maxKnown bounds what is remembered: a word takes some 10 kB, and finding it again half a millisecond.
const maxKnown, maxPhrases = 500, 5000

// NewWords joins a dictionary, which may be nil, with the relations made by hand. A dictionary that cannot be read is told
// to failed, once for every word that suffers from it, and goes on as if the word were unknown.
func NewWords(dictionary *wordnet.DB, failed func(error)) *Words {
	return &Words{dictionary: dictionary, failed: failed, known: map[string]weights{}, phrases: map[string]bool{}}
}

// weights says how well stems fit a word, 0 to 1.
type weights map[string]float64

func (w weights) add(text string, weight float64) {
	for _, s := range imagery.Stems(text) {
		w[s] = max(w[s], weight)
	}
}

// How well another word fits by the way it was come to.
const (
	itself   = 1.0
	byHand   = 0.62 // the first of a list made by hand; the last fits half as well
	byWord   = 0.5  // made by hand for a word that the dictionary gave
	enough   = 0.45 // how well a word of the dictionary has to fit to be looked up in the lists
	ofPhrase = 0.4  // of a phrase of the dictionary that is none of the query's: "calm air" is not air
	ofParts  = 0.5  // what the parts of a phrase are worth beside the phrase
)

// around gives the stems that fit a word or phrase.
func (w *Words) around(phrase string) weights {
	w.mu.Lock()
	out, ok := w.known[phrase]
	w.mu.Unlock()
	if ok {
		return out
	}
	out = weights{}
	out.add(phrase, itself)
	listed := false
	for _, s := range imagery.Stems(phrase) {
		listed = w.listed(out, s, 1) || listed
	}
	if fits, ok := sayings[phrase]; ok {
		listed = true
		inOrder(out, fits, byHand+0.2)
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
			out.add(word, weight)
			if weight >= enough && !listed {
				for _, s := range imagery.Stems(word) {
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

// listed adds what the lists made by hand have for a stem, and says whether they have something.
func (w *Words) listed(into weights, stem string, share float64) bool {
	fits := imagery.Related(stem)
	inOrder(into, fits, byHand*share)
	more := topics[stem]
	inOrder(into, more, byHand*share)
	return len(fits)+len(more) > 0
}

// inOrder adds stems that fit less the later they stand.
func inOrder(into weights, fits []string, first float64) {
	for i, s := range fits {
		into[s] = max(into[s], first*(1-0.5*float64(i)/float64(len(fits))))
	}
}
