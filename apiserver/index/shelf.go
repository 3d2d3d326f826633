// SPDX-License-Identifier: Apache-2.0

package index

import (
	"slices"
	"strings"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/content/imagery/starter"
	"github.com/reelops/reelops/internal/content/textsearch"
)

// record is a media item, or a picture of the starter set, at its place.
type record struct {
	key   Key
	class uint8
	asset *v1beta1.MediaAsset // nil for a picture of the starter set
	drawn *starter.Picture
	// pack that it is listed with; nil for none.
	pack *pack
	// shelf that it stands on, nil while it is in no list; slot is its place among the words of the shelf.
	shelf *shelf
	slot  textsearch.Slot
}

// How much a word counts, by where it stands.
const (
	titleWeight       = 4
	tagWeight         = 3
	packWeight        = 2
	descriptionWeight = 1
)

// fields are the texts that it is found by.
func (r *record) fields() []textsearch.Field {
	var title, description string
	var tags []string
	if r.asset != nil {
		title, description, tags = r.asset.Spec.Title, r.asset.Spec.Description, r.asset.Spec.Tags
	} else {
		title, description, tags = r.drawn.Title, r.drawn.Description, r.drawn.Tags
	}
	out := []textsearch.Field{{Text: title, Weight: titleWeight}, {Text: strings.Join(tags, " "), Weight: tagWeight}, {Text: description, Weight: descriptionWeight}}
	if r.pack != nil {
		out = append(out, textsearch.Field{Text: r.pack.title(), Weight: packWeight})
	}
	return out
}

// shelf holds the records that the same brands see by the same source: in their order, and by their words.
type shelf struct {
	tree *Tree[*record]
	// words is nil while there are so few records that looking at each is quick: most brands have few, and the words of few
	// records take more memory than the records do.
	words *textsearch.Index[*record]
}

// With more records than fewRecords a shelf keeps their words, with less than half of them it forgets them again.
const fewRecords = 200

func newShelf() *shelf { return &shelf{tree: NewTree[*record](mediaClasses)} }

func (s *shelf) add(r *record) {
	r.shelf = s
	s.tree.Set(r.key, r.class, r)
	switch {
	case s.words != nil:
		s.word(s.words, r)
	case s.tree.Count(Every) > fewRecords:
		s.words = s.reading()
	}
}

func (s *shelf) remove(r *record) {
	if s.words != nil {
		s.words.Remove(r.slot, r.fields()...)
	}
	s.tree.Delete(r.key)
	r.shelf, r.slot = nil, 0
	if s.tree.Count(Every) < fewRecords/2 {
		s.words = nil
	}
}

// reading are the words of all records. While the shelf keeps no words it changes nothing, so that readers may call it.
func (s *shelf) reading() *textsearch.Index[*record] {
	if s.words != nil {
		return s.words
	}
	out := &textsearch.Index[*record]{}
	keep := s.tree.Count(Every) > fewRecords
	s.tree.Each(Every, 0, func(r *record) bool {
		slot := out.Add(textsearch.Rank{Major: r.key.Created, Minor: r.key.ID}, r, r.fields()...)
		if keep {
			r.slot = slot
		}
		return true
	})
	return out
}

func (s *shelf) word(words *textsearch.Index[*record], r *record) {
	r.slot = words.Add(textsearch.Rank{Major: r.key.Created, Minor: r.key.ID}, r, r.fields()...)
}

// cut tells a reader how many there are, and is told which of them are wanted as a half-open range.
type cut = func(total int) (from, to int)

// search picks records of several shelves by their words, the best first.
func search(shelves []*shelf, q textsearch.Query, of Classes, c cut) []*record {
	in := make([]*textsearch.Index[*record], len(shelves))
	for i, s := range shelves {
		in[i] = s.reading()
	}
	hits := textsearch.Search(in, q, func(r *record) bool { return of.Has(r.class) }, c)
	out := make([]*record, len(hits))
	for i, h := range hits {
		out[i] = h.Value
	}
	return out
}

// newest picks records of several shelves in order, as if they were one list. What it costs grows with the page and, by
// little, with the logarithm of the lists.
func newest(shelves []*shelf, of Classes, c cut) []*record {
	total := 0
	for _, s := range shelves {
		total += s.tree.Count(of)
	}
	from, to := c(total)
	from, to = max(from, 0), min(to, total)
	if from >= to {
		return nil
	}
	var out []*record
	for i, first := range starts(shelves, of, from) {
		n := 0
		shelves[i].tree.Each(of, first, func(r *record) bool {
			out = append(out, r)
			n++
			return n < to-from
		})
	}
	// Stable, so that of equal keys the one on the earlier shelf stands first, as starts counts them.
	slices.SortStableFunc(out, func(a, b *record) int {
		switch {
		case a.key.before(b.key):
			return -1
		case b.key.before(a.key):
			return 1
		}
		return 0
	})
	return out[:to-from]
}

// starts tells how many records of each shelf are among the first so many of all of them.
func starts(shelves []*shelf, of Classes, first int) []int {
	least, most := make([]int, len(shelves)), make([]int, len(shelves))
	for i, s := range shelves {
		most[i] = min(s.tree.Count(of), first)
	}
	for {
		widest := 0
		for i := range shelves {
			if most[i]-least[i] > most[widest]-least[widest] {
				widest = i
			}
		}
		if most[widest] == least[widest] {
			return least
		}
		// Is the record in the middle of the widest range among the first?
		middle := least[widest] + (most[widest]-least[widest])/2
		var at Key
		shelves[widest].tree.Each(of, middle, func(r *record) bool { at = r.key; return false })
		before, sum := make([]int, len(shelves)), 0
		for i, s := range shelves {
			key := at
			if i < widest { // of equal keys the one on the earlier shelf stands first
				key.ID--
			}
			before[i] = s.tree.Before(key, of)
			sum += before[i]
		}
		if sum < first {
			for i := range shelves {
				least[i] = max(least[i], before[i])
			}
			least[widest] = max(least[widest], middle+1)
			continue
		}
		for i := range shelves {
			most[i] = min(most[i], before[i])
		}
	}
}
