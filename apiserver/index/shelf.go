// SPDX-License-Identifier: Apache-2.0

package index

import (
	"strings"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/content/imagery/starter"
	"github.com/reelops/reelops/internal/content/textsearch"
)

// record is a media item or an image of the starter set, with its position in the lists.
type record struct {
	key   Key
	class uint8
	asset *v1beta1.MediaAsset // nil for an image of the starter set
	drawn *starter.Picture
	// pack that the item is listed with; nil for none.
	pack *pack
	// partition is the partition that lists the record; nil if it is in no list. slot is its slot in the partition's text
	// index.
	partition *partition
	slot      textsearch.Slot
}

// Weights of a word by field.
const (
	titleWeight       = 4
	tagWeight         = 3
	packWeight        = 2
	descriptionWeight = 1
)

// fields returns the texts by which the record is found.
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

// partition holds the media items with the same visibility and source.
type partition = shelf[*record]

func newPartition() *partition { return newShelf[*record](mediaClasses) }

func (r *record) position() (Key, uint8) { return r.key, r.class }

func (r *record) slotted() *textsearch.Slot { return &r.slot }

// searchable is a record of a shelf.
type searchable interface {
	// position returns the place of the record in the list, and its class.
	position() (Key, uint8)
	// fields returns the texts by which the record is found.
	fields() []textsearch.Field
	// slotted returns the variable for the record's slot in the text index.
	slotted() *textsearch.Slot
}

// shelf holds records in order and by their words.
type shelf[R searchable] struct {
	tree *Tree[R]
	// words is nil while there are few records. Reading them all is then quick, and most brands have few: an index
	// would take more memory than the records.
	words *textsearch.Index[R]
}

// fewRecords is the number of records above which a shelf keeps a text index. Below half of it the index is dropped.
const fewRecords = 200

func newShelf[R searchable](classes int) *shelf[R] { return &shelf[R]{tree: NewTree[R](classes)} }

func (s *shelf[R]) add(r R) {
	key, class := r.position()
	s.tree.Set(key, class, r)
	switch {
	case s.words != nil:
		*r.slotted() = s.word(s.words, r)
	case s.tree.Count(Every) > fewRecords:
		s.words = s.reading()
	}
}

// remove removes a record. Its position and fields must be those of its addition.
func (s *shelf[R]) remove(r R) {
	if s.words != nil {
		s.words.Remove(*r.slotted(), r.fields()...)
	}
	key, _ := r.position()
	s.tree.Delete(key)
	*r.slotted() = 0
	if s.tree.Count(Every) < fewRecords/2 {
		s.words = nil
	}
}

// reading returns the text index of all records, building a temporary one if there is none. Building it changes the
// records only if the shelf is going to keep it, so readers may call reading concurrently.
func (s *shelf[R]) reading() *textsearch.Index[R] {
	if s.words != nil {
		return s.words
	}
	out := &textsearch.Index[R]{}
	keep := s.tree.Count(Every) > fewRecords
	s.tree.Each(Every, 0, func(r R) bool {
		slot := s.word(out, r)
		if keep {
			*r.slotted() = slot
		}
		return true
	})
	return out
}

func (s *shelf[R]) word(words *textsearch.Index[R], r R) textsearch.Slot {
	key, _ := r.position()
	return words.Add(textsearch.Rank{Major: key.Created, Minor: key.ID}, r, r.fields()...)
}

// cut receives the number of matching records and returns the half-open range of those wanted.
type cut = func(total int) (from, to int)

// search returns records of several partitions by their words, the best matches first.
func search(partitions []*partition, q textsearch.Query, of Classes, c cut) []*record {
	in := make([]*textsearch.Index[*record], len(partitions))
	for i, s := range partitions {
		in[i] = s.reading()
	}
	return values(textsearch.Search(in, q, func(r *record) bool { return of.Has(r.class) }, c))
}

func values[V any](hits []textsearch.Hit[V]) []V {
	out := make([]V, len(hits))
	for i, h := range hits {
		out[i] = h.Value
	}
	return out
}

// newest returns records of several partitions in order, as if they were one list.
func newest(partitions []*partition, of Classes, c cut) []*record {
	parts := make([]part[*record], len(partitions))
	for i, s := range partitions {
		parts[i] = partOf(between(s.tree, of, nil, nil), itself)
	}
	from, to := c(length(parts))
	return merged(parts, CreatedDesc, from, to)
}

func itself[T any](t T) T { return t }
