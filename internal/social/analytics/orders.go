// SPDX-License-Identifier: Apache-2.0

package analytics

import (
	"slices"
	"sync"
	"time"
)

// Orders answer of a Document what Part does, and remember the orders of its rows: each is sorted once, for as long as the Document is
// kept. An order takes four bytes a row. They are safe for concurrent use.
type Orders struct {
	*Document
	mu  sync.Mutex
	all map[orderOf][]int32
}

// OrderBytes is what all orders of a row take at most.
const OrderBytes = 4 * 2 * 6

type orderOf struct {
	column    string
	ascending bool
}

// NewOrders remembers nothing yet.
func NewOrders(d *Document) *Orders { return &Orders{Document: d, all: map[orderOf][]int32{}} }

// Part is the part of what Document.Select lists that begins at an offset and has at most n rows, and how many rows there are in all.
func (o *Orders) Part(q Query, now time.Time, offset, n int) (rows []Row, total int) {
	first, end := o.within(q, now.UTC())
	offset = max(offset, 0)
	rows = make([]Row, 0, max(min(n, end-first), 0))
	for _, i := range o.order(q) {
		if int(i) < first || int(i) >= end || q.OursOnly && o.Rows[i].OurPost == 0 {
			continue
		}
		if total >= offset && len(rows) < n {
			rows = append(rows, o.Rows[i])
		}
		total++
	}
	return rows, total
}

// within are the places of the rows of a query's period, as a half-open range.
func (d *Document) within(q Query, now time.Time) (first, end int) {
	since := d.since(q, now)
	first, _ = slices.BinarySearchFunc(d.Rows, now, func(r Row, t time.Time) int { return t.Compare(r.PostedAt) })
	end, _ = slices.BinarySearchFunc(d.Rows[first:], since, func(r Row, t time.Time) int {
		if r.PostedAt.Before(t) {
			return 1
		}
		return -1
	})
	return first, first + end
}

// order of all rows.
func (o *Orders) order(q Query) []int32 {
	name := orderOf{column: q.Sort, ascending: q.Ascending}
	o.mu.Lock()
	defer o.mu.Unlock()
	if order, ok := o.all[name]; ok {
		return order
	}
	q.Period, q.OursOnly = 0, false
	var latest time.Time
	if len(o.Rows) > 0 {
		latest = o.Rows[0].PostedAt
	}
	keys := o.Document.order(q, latest)
	order := make([]int32, len(keys))
	for i, k := range keys {
		order[i] = int32(k.row)
	}
	o.all[name] = order
	return order
}
