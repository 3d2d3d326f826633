// SPDX-License-Identifier: Apache-2.0

package pacing

import (
	"slices"
	"sync"
)

// Slots bounds how many do something at once, whoever they are. Of those who wait, the first in order gets the next slot. Make
// it with NewSlots; it is safe for use by many goroutines.
type Slots[K comparable] struct {
	wake func(K)

	mu      sync.Mutex
	free    int
	holds   map[K]bool
	waiting []member[K]
}

// NewSlots makes n free slots. wake is told who can ask again; it must not call back.
func NewSlots[K comparable](n int, wake func(K)) *Slots[K] {
	return &Slots[K]{wake: wake, free: n, holds: map[K]bool{}}
}

// Enter takes a slot, or says that there is none: then the caller is woken when one has become free.
func (s *Slots[K]) Enter(key K, place Place) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.holds[key] {
		return true
	}
	at := slices.IndexFunc(s.waiting, func(m member[K]) bool { return m.key == key })
	if s.free == 0 {
		if at < 0 {
			m := member[K]{key, place}
			i, _ := slices.BinarySearchFunc(s.waiting, m, func(a, b member[K]) int { return a.place.compare(b.place) })
			s.waiting = slices.Insert(s.waiting, i, m)
		}
		return false
	}
	if at >= 0 {
		s.waiting = slices.Delete(s.waiting, at, at+1)
	}
	s.free--
	s.holds[key] = true
	return true
}

// Leave gives the slot back, or the place among those who wait.
func (s *Slots[K]) Leave(key K) {
	if next, ok := s.leave(key); ok {
		s.wake(next)
	}
}

func (s *Slots[K]) leave(key K) (next K, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.holds[key] {
		delete(s.holds, key)
		s.free++
	} else if at := slices.IndexFunc(s.waiting, func(m member[K]) bool { return m.key == key }); at >= 0 {
		s.waiting = slices.Delete(s.waiting, at, at+1)
	} else {
		return next, false
	}
	if s.free > 0 && len(s.waiting) > 0 {
		return s.waiting[0].key, true
	}
	return next, false
}
