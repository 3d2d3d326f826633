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

// page returns the records with the numbers from to to, half-open, counted in an order.
func (s stretch[V]) page(o Order, from, to int) []V {
	if from >= to {
		return nil
	}
	from, to = o.forward(s.len(), from, to)
	out := make([]V, 0, to-from)
	s.tree.Each(s.classes, s.first+from, func(v V) bool {
		out = append(out, v)
		return len(out) < to-from
	})
	return turned(o, out)
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

// ceiling returns the first whole second that is not before t.
func ceiling(t time.Time) int64 {
	if t.Nanosecond() > 0 {
		return t.Unix() + 1
	}
	return t.Unix()
}
