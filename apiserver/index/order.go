// SPDX-License-Identifier: Apache-2.0

package index

import (
	"math"
	"slices"
	"time"
)

// Order is the order of a list. The zero value is CreatedDesc.
type Order string

// The orders of lists. Records with equal times are ordered by id.
const (
	// CreatedDesc begins with the newest record, CreatedAsc with the oldest.
	CreatedDesc Order = "created_desc"
	CreatedAsc  Order = "created_asc"
	// DueDesc begins with the post that is due last, DueAsc with the one that is due first. Only posts have these orders.
	DueDesc Order = "scheduled_desc"
	DueAsc  Order = "scheduled_asc"
	// Relevance begins with the best match of a query. Without a query it equals CreatedDesc. Only shorts have this order.
	Relevance Order = "relevance"
)

func (o Order) ascending() bool { return o == CreatedAsc || o == DueAsc }

func (o Order) byDue() bool { return o == DueDesc || o == DueAsc }

// stretch is a contiguous part of the records of some classes in a Tree: those numbered first to end, half-open.
type stretch[V any] struct {
	tree       *Tree[V]
	classes    Classes
	first, end int
}

// between returns the records whose time is not before after and not after before; nil means no bound.
func between[V any](t *Tree[V], c Classes, after, before *time.Time) stretch[V] {
	s := stretch[V]{tree: t, classes: c, end: t.Count(c)}
	if before != nil {
		// Times of keys are whole seconds, so a bound between two of them is rounded down.
		s.first = t.Before(Key{Created: before.Unix(), ID: math.MaxInt64}, c)
	}
	if after != nil {
		s.end = t.Before(Key{Created: ceiling(*after), ID: math.MinInt64}, c)
	}
	s.end = max(s.first, s.end)
	return s
}

func (s stretch[V]) len() int { return s.end - s.first }

// part is a list in the order of a Tree. Several of them form a merged list.
type part[T any] struct {
	len int
	// at returns the key of the record with a number, before the number of records before a key.
	at     func(n int) Key
	before func(Key) int
	// each calls visit with the records in order, from a number on, until visit returns false. It may call visit with
	// records after the end of the list.
	each func(first int, visit func(Key, T) bool)
}

// partOf returns a stretch as a part, with its records as convert returns them.
func partOf[V, T any](s stretch[V], convert func(V) T) part[T] {
	return part[T]{
		len: s.len(),
		at: func(n int) (k Key) {
			s.tree.each(s.classes, s.first+n, func(it *item[V]) bool { k = it.key; return false })
			return k
		},
		before: func(k Key) int { return min(max(s.tree.Before(k, s.classes)-s.first, 0), s.len()) },
		each: func(first int, visit func(Key, T) bool) {
			s.tree.each(s.classes, s.first+first, func(it *item[V]) bool { return visit(it.key, convert(it.value)) })
		},
	}
}

// placed is a record with its key.
type placed[T any] struct {
	key   Key
	value T
}

// merged returns the records with the numbers from to to of several parts, half-open, as if they were one list in an
// order. The cost grows with the page size and logarithmically with the list lengths.
func merged[T any](parts []part[T], o Order, from, to int) []T {
	total := length(parts)
	from, to = max(from, 0), min(to, total)
	if from >= to {
		return nil
	}
	from, to = o.forward(total, from, to)
	if len(parts) == 1 {
		page := make([]T, 0, to-from)
		parts[0].each(from, func(_ Key, v T) bool {
			page = append(page, v)
			return len(page) < to-from
		})
		return turned(o, page)
	}
	page := make([]placed[T], 0, to-from)
	for i, first := range starts(parts, from) {
		n := min(to-from, parts[i].len-first)
		if n == 0 {
			continue
		}
		parts[i].each(first, func(k Key, v T) bool {
			page = append(page, placed[T]{k, v})
			n--
			return n > 0
		})
	}
	sortPlaced(page)
	return turned(o, valuesOf(page[:to-from]))
}

// sortPlaced sorts records by their keys. Of equal keys, the record of the earlier part stays first, as starts assumes.
func sortPlaced[T any](all []placed[T]) {
	slices.SortStableFunc(all, func(a, b placed[T]) int {
		switch {
		case a.key.before(b.key):
			return -1
		case b.key.before(a.key):
			return 1
		}
		return 0
	})
}

func valuesOf[T any](page []placed[T]) []T {
	out := make([]T, len(page))
	for i := range page {
		out[i] = page[i].value
	}
	return out
}

// length returns the number of records of several parts.
func length[T any](parts []part[T]) (n int) {
	for i := range parts {
		n += parts[i].len
	}
	return n
}

// starts returns how many records of each part are among the first ones of the merged list.
func starts[T any](parts []part[T], first int) []int {
	least, most := make([]int, len(parts)), make([]int, len(parts))
	for i := range parts {
		most[i] = min(parts[i].len, first)
	}
	for {
		widest := 0
		for i := range parts {
			if most[i]-least[i] > most[widest]-least[widest] {
				widest = i
			}
		}
		if most[widest] == least[widest] {
			return least
		}
		// Is the record in the middle of the widest range among the first?
		middle := least[widest] + (most[widest]-least[widest])/2
		at := parts[widest].at(middle)
		before, sum := make([]int, len(parts)), 0
		for i := range parts {
			key := at
			if i < widest { // of equal keys, the record of the earlier part is first
				key.ID--
			}
			before[i] = parts[i].before(key)
			sum += before[i]
		}
		if sum < first {
			for i := range parts {
				least[i] = max(least[i], before[i])
			}
			least[widest] = max(least[widest], middle+1)
			continue
		}
		for i := range parts {
			most[i] = min(most[i], before[i])
		}
	}
}

// forward returns the range of a page in the order of a Tree, which is descending. total is the length of the list.
func (o Order) forward(total, from, to int) (int, int) {
	if o.ascending() {
		return total - to, total - from
	}
	return from, to
}

// turned returns a page that is in the order of a Tree in the order o. It reuses the slice.
func turned[V any](o Order, page []V) []V {
	if o.ascending() {
		slices.Reverse(page)
	}
	return page
}

// within reports whether a time in whole seconds is not before after and not after before; nil means no bound.
func within(seconds int64, after, before *time.Time) bool {
	return (after == nil || seconds >= ceiling(*after)) && (before == nil || seconds <= before.Unix())
}

// ceiling returns the first whole second that is not before t.
func ceiling(t time.Time) int64 {
	if t.Nanosecond() > 0 {
		return t.Unix() + 1
	}
	return t.Unix()
}
