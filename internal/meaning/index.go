// SPDX-License-Identifier: Apache-2.0

package meaning

import (
	"math"
	"slices"

	"github.com/reelops/reelops/internal/imagery"
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

// Index is a catalog that can be searched; it does not change.
type Index struct {
	docs []map[string]float64
	df   map[string]int
}

// NewIndex reads a catalog.
func NewIndex(docs []Doc) *Index {
	x := &Index{df: map[string]int{}}
	for _, d := range docs {
		words := map[string]float64{}
		add := func(text string, weight float64) {
			for _, s := range imagery.Stems(text) {
				words[s] = max(words[s], weight)
			}
		}
		for _, t := range d.Tags {
			add(t, 1)
		}
		add(d.Title, 0.8)
		add(d.World, 0.7)
		add(d.Description, 0.4)
		for s := range words {
			x.df[s]++
		}
		x.docs = append(x.docs, words)
	}
	return x
}

// Search gives what fits the query, best first; equals keep the catalog's order.
func (x *Index) Search(query string) []Hit {
	want := map[string]float64{}
	for _, s := range imagery.Stems(query) {
		want[s] = 1
		for _, r := range imagery.Related(s) {
			want[r] = max(want[r], 0.55)
		}
	}
	var out []Hit
	for i, d := range x.docs {
		score := 0.0
		for s, w := range want {
			if f := d[s]; f > 0 {
				score += w * f * math.Log(1+float64(len(x.docs))/float64(x.df[s]))
			}
		}
		if score > 0 {
			out = append(out, Hit{Doc: i, Score: score})
		}
	}
	slices.SortStableFunc(out, func(a, b Hit) int {
		switch {
		case a.Score > b.Score:
			return -1
		case a.Score < b.Score:
			return 1
		}
		return 0
	})
	return out
}
