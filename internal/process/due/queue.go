// SPDX-License-Identifier: Apache-2.0

package due

import (
	"container/heap"
	"context"
	"sync"
	"time"

	"k8s.io/utils/clock"
)

// Reread is how often the wall clock is read while keys are waiting.
const Reread = 200 * time.Millisecond

// Queue holds one time for each key. It is safe for concurrent use.
type Queue[K comparable] struct {
	clock clock.WithTicker

	mu      sync.Mutex
	entries entries[K]
	at      map[K]*entry[K]
	serial  uint64
	changed chan struct{} // capacity one; signals that the first entry changed
}

type entry[K comparable] struct {
	key    K
	at     time.Time
	serial uint64 // breaks ties between equal times: the entry that was added first comes first
	index  int
}

// New returns an empty queue.
func New[K comparable](c clock.WithTicker) *Queue[K] {
	return &Queue[K]{clock: c, at: map[K]*entry[K]{}, changed: make(chan struct{}, 1)}
}

// Add schedules the key for a time. Of several times for one key, the earliest counts.
func (q *Queue[K]) Add(key K, at time.Time) {
	at = at.Round(0) // drop the monotonic reading, which is meaningless after a clock change
	q.mu.Lock()
	defer q.mu.Unlock()
	if e := q.at[key]; e != nil {
		if !at.Before(e.at) {
			return
		}
		e.at = at
		heap.Fix(&q.entries, e.index)
	} else {
		q.serial++
		e = &entry[K]{key: key, at: at, serial: q.serial}
		q.at[key] = e
		heap.Push(&q.entries, e)
	}
	if q.entries[0].key == key {
		select {
		case q.changed <- struct{}{}:
		default:
		}
	}
}

// Remove removes the key.
func (q *Queue[K]) Remove(key K) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if e := q.at[key]; e != nil {
		heap.Remove(&q.entries, e.index)
		delete(q.at, key)
	}
}

// Len returns the number of waiting keys.
func (q *Queue[K]) Len() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.entries)
}

// Pop removes and returns the keys that are due at now, the longest overdue first. next is the time until the next key
// is due; less than 0 when no key is waiting.
func (q *Queue[K]) Pop(now time.Time) (keys []K, next time.Duration) {
	now = now.Round(0)
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.entries) > 0 {
		first := q.entries[0]
		if first.at.After(now) {
			return keys, first.at.Sub(now)
		}
		heap.Pop(&q.entries)
		delete(q.at, first.key)
		keys = append(keys, first.key)
	}
	return keys, -1
}

// Run calls handle with the keys that become due, in order, until the context ends. Keys that are due at the same time
// are passed in one call.
func (q *Queue[K]) Run(ctx context.Context, handle func(keys []K)) error {
	for {
		keys, next := q.Pop(q.clock.Now())
		if len(keys) > 0 {
			handle(keys)
			continue // more keys may have become due during the call
		}
		var fires <-chan time.Time
		stop := func() bool { return true }
		if next >= 0 {
			t := q.clock.NewTimer(min(next, Reread))
			fires, stop = t.C(), t.Stop
		}
		select {
		case <-ctx.Done():
			stop()
			return nil
		case <-q.changed:
			stop()
		case <-fires:
		}
	}
}

type entries[K comparable] []*entry[K]

func (e entries[K]) Len() int { return len(e) }

func (e entries[K]) Less(i, j int) bool {
	if !e[i].at.Equal(e[j].at) {
		return e[i].at.Before(e[j].at)
	}
	return e[i].serial < e[j].serial
}

func (e entries[K]) Swap(i, j int) {
	e[i], e[j] = e[j], e[i]
	e[i].index, e[j].index = i, j
}

func (e *entries[K]) Push(x any) {
	n := x.(*entry[K])
	n.index = len(*e)
	*e = append(*e, n)
}

func (e *entries[K]) Pop() any {
	old := *e
	n := old[len(old)-1]
	old[len(old)-1] = nil
	*e = old[:len(old)-1]
	return n
}
