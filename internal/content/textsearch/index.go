// SPDX-License-Identifier: Apache-2.0

package textsearch

import (
	"cmp"
	"slices"
	"strings"

	"github.com/google/btree"
)

// Field is a text of a record.
type Field struct {
	Text string
	// Weight says how much a word here counts; a word in two fields counts as both together.
	Weight float32
}

// Rank orders records of which a query tells no difference: the higher Major stands first, of equals the higher Minor.
type Rank struct{ Major, Minor int64 }

// compare is negative when r stands before o.
func (r Rank) compare(o Rank) int {
	return cmp.Or(cmp.Compare(o.Major, r.Major), cmp.Compare(o.Minor, r.Minor))
}

// Slot names a record in its Index until it is removed.
type Slot uint32

// Index holds the words of a set of records. The zero value is an empty one.
type Index[V any] struct {
	records []record[V]
	free    []Slot
	// length of all records together.
	length float64
	// terms in the order of their texts, so that those with a common beginning are neighbours.
	terms *btree.BTreeG[*term]
	// forms are the terms that a stemmer takes for the same word, by the stem; a term that is its own stem is not in it.
	forms map[string][]*term
}

type record[V any] struct {
	rank   Rank
	length float32 // of its words, each as often as its weight; 0 when the slot is free
	value  V
}

// term is a word and the records that hold it, by slot.
type term struct {
	text  string
	posts []post
}

type post struct {
	slot   Slot
	weight float32
}

// Len is the number of records.
func (x *Index[V]) Len() int { return len(x.records) - len(x.free) }

// Add a record. A record without a word is found by no query.
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

// Remove a record, with the very fields that it was added with.
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

// weigh tells what each word of the fields counts.
func weigh(fields []Field) map[string]float32 {
	out := make(map[string]float32, 32)
	for _, f := range fields {
		words(f.Text, true, func(word string) { out[word] += f.Weight })
	}
	return out
}

// term finds a word, or makes it known.
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

// each calls visit with the terms that stand for a word of a query, and how well: a term that is the word itself with 1.
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

// What other words than the one that was asked for count.
const (
	likeForm      = 0.9
	likeBeginning = 0.6
)
