// SPDX-License-Identifier: Apache-2.0

package limit

import "sort"

// Sizes of a record's ring, in entries. The ring doubles up to the limit, and shrinks to a quarter if it has more than
// keepRing entries and is less than an eighth full.
const (
	firstRing = 8
	keepRing  = 64
)

// record holds the times of the counted requests of one subject: a sorted ring, in nanoseconds since the limiter was
// created. It is also a link in the shard's list of records, the least recently used first.
type record struct {
	subject    string
	ring       []int64
	head, n    int
	touched    int64
	prev, next *record
}

// slot returns the i-th oldest entry.
func (r *record) slot(i int) *int64 { return &r.ring[(r.head+i)%len(r.ring)] }

// drop removes the entries up to and including a time.
func (r *record) drop(until int64) {
	if r.n == 0 || *r.slot(0) > until {
		return
	}
	gone := sort.Search(r.n, func(i int) bool { return *r.slot(i) > until })
	r.head, r.n = (r.head+gone)%len(r.ring), r.n-gone
	if len(r.ring) > keepRing && r.n < len(r.ring)/8 {
		r.resize(len(r.ring) / 4)
	}
}

// add inserts a time in order, usually at the end. The ring holds at most limit entries; the caller ensures that there
// is room.
func (r *record) add(at int64, limit int) {
	if r.n == len(r.ring) {
		r.resize(min(max(2*len(r.ring), firstRing), limit))
	}
	i := r.n
	r.n++
	for ; i > 0 && *r.slot(i - 1) > at; i-- {
		*r.slot(i) = *r.slot(i - 1)
	}
	*r.slot(i) = at
}

// remove removes one entry with exactly that time, if there is one.
func (r *record) remove(at int64) {
	i := sort.Search(r.n, func(i int) bool { return *r.slot(i) >= at })
	if i == r.n || *r.slot(i) != at {
		return
	}
	for ; i < r.n-1; i++ {
		*r.slot(i) = *r.slot(i + 1)
	}
	r.n--
}

func (r *record) resize(size int) {
	ring := make([]int64, size)
	for i := range r.n {
		ring[i] = *r.slot(i)
	}
	r.ring, r.head = ring, 0
}
