// SPDX-License-Identifier: Apache-2.0

package textsearch

import (
	"cmp"
	"slices"
	"strings"

	"github.com/google/btree"
)

// Field is one text field of a record.
type Field struct {
	Text string
	// Weight is the weight of each word in the field. The weights of a word in several fields add up.
	Weight float32
}

// Rank orders records with equal scores: the higher Major first, then the higher Minor.
type Rank struct{ Major, Minor int64 }

// compare returns a negative number if r sorts before o.
func (r Rank) compare(o Rank) int {
	return cmp.Or(cmp.Compare(o.Major, r.Major), cmp.Compare(o.Minor, r.Minor))
}

// Slot identifies a record in its Index until the record is removed.
type Slot uint32

// Index is the inverted index of a set of records. The zero value is an empty index.
type Index[V any] struct {
	records []record[V]
	free    []Slot
	// length is the sum of the lengths of all records.
	length float64
	// terms are ordered by text, so that terms with a common prefix are adjacent.
	terms *btree.BTreeG[*term]
	// forms maps a stem to the terms with that stem. A term equal to its stem is not listed.
	forms map[string][]*term
}

type record[V any] struct {
	rank   Rank
	length float32 // sum of the weights of its words; 0 when the slot is free
	value  V
}

// term is a word and its postings, sorted by slot.
type term struct {
	text  string
	posts []post
}

type post struct {
	slot   Slot
	weight float32
}

// Len returns the number of records.
func (x *Index[V]) Len() int { return len(x.records) - len(x.free) }

// Add adds a record and returns its slot. No query finds a record without words.
func (x *Index[V]) Add(rank Rank, v V, fields ...Field) Slot {
	if x.terms == nil {
		x.terms = btree.NewG(16, func(a, b *term) bool { return a.text < b.text })
		x.forms = map[string][]*term{}
	}
	slot := Slot(len(x.records))
	if n := len(x.free); n > 0 {
		slot, x.free = x.free[n-1], x.free[:n-1]
	} else {
		x.records = append(x.records, record[V]{})
	}
	r := &x.records[slot]
	r.rank, r.value = rank, v
	for text, weight := range weigh(fields) {
		r.length += weight
		t := x.term(text)
		at, _ := t.find(slot)
		t.posts = slices.Insert(t.posts, at, post{slot, weight})
	}
	x.length += float64(r.length)
	return slot
}

// Remove removes a record. The fields must be those passed to Add.
func (x *Index[V]) Remove(slot Slot, fields ...Field) {
	for text := range weigh(fields) {
		t, ok := x.terms.Get(&term{text: text})
		if !ok {
			continue
		}
		if at, found := t.find(slot); found {
			t.posts = slices.Delete(t.posts, at, at+1)
		}
		if len(t.posts) == 0 {
			x.drop(t)
		}
	}
	x.length -= float64(x.records[slot].length)
	x.records[slot] = record[V]{}
	x.free = append(x.free, slot)
	if x.Len() == 0 {
		*x = Index[V]{}
	}
}

// weigh returns the total weight of each word of the fields.
func weigh(fields []Field) map[string]float32 {
	out := make(map[string]float32, 32)
	for _, f := range fields {
		words(f.Text, true, func(word string) { out[word] += f.Weight })
	}
	return out
}

// term returns the term of a word and creates it if needed.
func (x *Index[V]) term(text string) *term {
	if t, ok := x.terms.Get(&term{text: text}); ok {
		return t
	}
	t := &term{text: strings.Clone(text)}
	x.terms.ReplaceOrInsert(t)
	if s := stem(text); s != text {
		x.forms[s] = append(x.forms[s], t)
	}
	return t
}

func (x *Index[V]) drop(t *term) {
	x.terms.Delete(t)
	s := stem(t.text)
	left := slices.DeleteFunc(x.forms[s], func(o *term) bool { return o == t })
	if len(left) == 0 {
		delete(x.forms, s)
	} else {
		x.forms[s] = left
	}
}

func (t *term) find(slot Slot) (int, bool) {
	return slices.BinarySearchFunc(t.posts, slot, func(p post, s Slot) int { return cmp.Compare(p.slot, s) })
}

// each calls visit with every term that matches a word of a query, and with the likeness: 1 for the word itself, less
// for other forms and for prefix matches.
func (x *Index[V]) each(w word, visit func(t *term, likeness float32)) {
	if x.terms == nil {
		return
	}
	if t, ok := x.terms.Get(&term{text: w.text}); ok {
		visit(t, 1)
	}
	if t, ok := x.terms.Get(&term{text: w.stem}); ok && w.stem != w.text {
		visit(t, likeForm)
	}
	for _, t := range x.forms[w.stem] {
		if t.text != w.text {
			visit(t, likeForm)
		}
	}
	if !w.begins {
		return
	}
	x.terms.AscendGreaterOrEqual(&term{text: w.text}, func(t *term) bool {
		if !strings.HasPrefix(t.text, w.text) {
			return false
		}
		if t.text != w.text {
			visit(t, likeBeginning)
		}
		return true
	})
}

// The likeness of terms that differ from the word of the query.
const (
	likeForm      = 0.9
	likeBeginning = 0.6
)
