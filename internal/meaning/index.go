// SPDX-License-Identifier: Apache-2.0

package meaning

import (
	"cmp"
	"maps"
	"math"
	"slices"
)

// Doc is what is known of one item.
type Doc struct {
	Title       string
	Description string
	World       string // image world, or ""
	Tags        []string
}

// Hit is an item that was found.
type Hit struct {
	Doc   int // place in the list given to NewIndex
	Score float64
}

// Index is a catalog that can be searched; it does not change, and is safe for concurrent use.
type Index struct {
	words *Words
	docs  [][]reason
}

// reason is a stem of an item with how much it says about it: by where it stands and how rare it is in the catalog.
type reason struct {
	stem   string
	weight float64
}

// What a word counts for by where it stands.
const (
	tagWeight, titleWeight, worldWeight, descriptionWeight = 1.0, 0.85, 0.75, 0.45
)

// NewIndex reads a catalog.
func NewIndex(words *Words, docs []Doc) *Index {
	x := &Index{words: words, docs: make([][]reason, len(docs))}
	count := map[string]float64{}
	for i, d := range docs {
		of := weights{}
		for _, t := range d.Tags {
			of.add(t, tagWeight)
		}
		of.add(d.Title, titleWeight)
		of.add(d.World, worldWeight)
		of.add(d.Description, descriptionWeight)
		for _, s := range slices.Sorted(maps.Keys(of)) { // sums of floats are equal only in equal order
			x.docs[i] = append(x.docs[i], reason{s, of[s]})
			count[s]++
		}
	}
	n := float64(len(docs))
	for _, of := range x.docs {
		for k := range of {
			of[k].weight *= math.Log(1+n/count[of[k].stem]) / math.Log(1+n)
		}
	}
	return x
}

const (
	// more is what the second best reason counts for why a picture fits a notion, and all after it.
	more = 0.2
	// least is the share of the best score below which an item is not found.
	least = 0.25
	// misfit is what a picture of something unwanted loses, by how sure it is.
	misfit = 3.0
	// sure is how well a word has to fit an unwanted notion to stand for it.
	sure = 0.7
)

// Search gives what fits the query, best first; equals keep the catalog's order. Nothing fits a query of words that nobody
// knows.
func (x *Index) Search(query string) []Hit {
	notions := x.words.read(query)
	var out []Hit
	best := 0.0
	for i := range x.docs {
		if s := x.score(notions, x.docs[i]); s > 0 {
			out = append(out, Hit{i, s})
			best = max(best, s)
		}
	}
	out = slices.DeleteFunc(out, func(h Hit) bool { return h.Score < least*best })
	slices.SortStableFunc(out, func(a, b Hit) int { return cmp.Compare(b.Score, a.Score) })
	return out
}

func (x *Index) score(notions []notion, doc []reason) float64 {
	sum := 0.0
	for _, n := range notions {
		top, rest := 0.0, 0.0
		for _, r := range doc {
			w := n.fits[r.stem]
			if w == 0 || (n.against && w < sure) {
				continue
			}
			v := w * r.weight
			if v > top {
				top, v = v, top
			}
			rest += v
		}
		v := top + more*rest/(1+rest)
		if n.against {
			v *= -misfit
		}
		sum += n.weight * v
	}
	return sum
}
