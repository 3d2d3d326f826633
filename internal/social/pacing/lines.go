// SPDX-License-Identifier: Apache-2.0

package pacing

import (
	"cmp"
	"slices"
	"sync"
	"time"
)

// Place is where a post stands in its account's line.
type Place struct {
	// Due is when it is to go out, ID breaks ties.
	Due time.Time
	ID  int64
}

func (p Place) compare(o Place) int { return cmp.Or(p.Due.Compare(o.Due), cmp.Compare(p.ID, o.ID)) }

// Lines holds one line for each account. Make it with NewLines; it is safe for use by many goroutines.
type Lines[A, K comparable] struct {
	wake func(K)

	mu    sync.Mutex
	lines map[A]*line[K]
	in    map[K]A
}

type line[K comparable] struct {
	waiting []member[K] // in order; whoever goes is still among them
	going   *K
}

type member[K comparable] struct {
	key   K
	place Place
}

// NewLines makes empty lines. wake is told who is first in a line that has become free; it must not call back.
func NewLines[A, K comparable](wake func(K)) *Lines[A, K] {
	return &Lines[A, K]{wake: wake, lines: map[A]*line[K]{}, in: map[K]A{}}
}

// Join puts a post into its account's line. It does nothing when the post stands there.
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

// Turn says whether the post may go now: it is the first in its line, and nobody goes. From then on it goes, until it
// leaves. A post that is told no is woken when its turn has come.
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

// Leave takes the post out of its line, whether it went, cannot go now, or is gone. The next one is woken.
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

// Len is how many stand in all lines.
func (l *Lines[A, K]) Len() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.in)
}
