// SPDX-License-Identifier: Apache-2.0

package pacing

import (
	"cmp"
	"slices"
	"sync"
	"time"
)

// Place is the position of a post in its account's queue.
type Place struct {
	// Due is when the post is due. ID breaks ties.
	Due time.Time
	ID  int64
}

func (p Place) compare(o Place) int { return cmp.Or(p.Due.Compare(o.Due), cmp.Compare(p.ID, o.ID)) }

// Lines holds one queue per account. Create it with NewLines. It is safe for concurrent use.
type Lines[A, K comparable] struct {
	wake func(K)

	mu    sync.Mutex
	lines map[A]*line[K]
	in    map[K]A
}

type line[K comparable] struct {
	waiting []member[K] // sorted; includes the post that is being published
	going   *K
}

type member[K comparable] struct {
	key   K
	place Place
}

// NewLines returns empty queues. wake is called with the first post of a queue whose slot was released. It must not
// call back.
func NewLines[A, K comparable](wake func(K)) *Lines[A, K] {
	return &Lines[A, K]{wake: wake, lines: map[A]*line[K]{}, in: map[K]A{}}
}

// Join adds a post to its account's queue. It does nothing when the post is already in the queue.
func (l *Lines[A, K]) Join(account A, key K, place Place) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, ok := l.in[key]; ok {
		return
	}
	n := l.lines[account]
	if n == nil {
		n = &line[K]{}
		l.lines[account] = n
	}
	m := member[K]{key, place}
	i, _ := slices.BinarySearchFunc(n.waiting, m, func(a, b member[K]) int { return a.place.compare(b.place) })
	n.waiting = slices.Insert(n.waiting, i, m)
	l.in[key] = account
}

// Turn reports whether the post may be published now: it is first in its queue and no other post is being published.
// From then on the post holds the slot until Leave. A post for which Turn returns false is woken when its turn has
// come.
func (l *Lines[A, K]) Turn(key K) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	account, ok := l.in[key]
	if !ok {
		return false
	}
	n := l.lines[account]
	if n.going != nil {
		return *n.going == key
	}
	if n.waiting[0].key != key {
		return false
	}
	n.going = &key
	return true
}

// Leave removes the post from its queue, whether it was published, cannot be published now, or was deleted. The next
// post is woken.
func (l *Lines[A, K]) Leave(key K) {
	if next := l.leave(key); next != nil {
		l.wake(*next)
	}
}

func (l *Lines[A, K]) leave(key K) (next *K) {
	l.mu.Lock()
	defer l.mu.Unlock()
	account, ok := l.in[key]
	if !ok {
		return nil
	}
	delete(l.in, key)
	n := l.lines[account]
	was := n.waiting[0].key
	n.waiting = slices.DeleteFunc(n.waiting, func(m member[K]) bool { return m.key == key })
	went := n.going != nil && *n.going == key
	if went {
		n.going = nil
	}
	switch {
	case len(n.waiting) == 0:
		delete(l.lines, account)
	case n.going == nil && (went || was == key):
		return &n.waiting[0].key
	}
	return nil
}

// Len returns the number of posts in all queues.
func (l *Lines[A, K]) Len() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.in)
}
