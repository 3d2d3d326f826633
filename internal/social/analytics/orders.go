// SPDX-License-Identifier: Apache-2.0

package analytics

import (
	"slices"
	"sync"
	"time"
)

// Orders answers Part for a Document and caches the sort orders of its rows. Each order is sorted once and kept as long
// as the Document. An order takes four bytes per row. Orders is safe for concurrent use.
type Orders struct {
	*Document
	mu  sync.Mutex
	all map[orderOf][]int32
}

// OrderBytes is the maximum memory of all orders, in bytes per row.
const OrderBytes = 4 * 2 * 6

type orderOf struct {
	column    string
	ascending bool
}

// NewOrders returns Orders with an empty cache.
func NewOrders(d *Document) *Orders { return &Orders{Document: d, all: map[orderOf][]int32{}} }

// Part returns at most n rows of Document.Select from an offset on, and the total number of rows.
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

// within returns the indexes of the rows in a query's period, as a half-open range.
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

// order returns the indexes of all rows in the order of the query, from the cache if possible.
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
