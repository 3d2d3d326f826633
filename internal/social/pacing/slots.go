// SPDX-License-Identifier: Apache-2.0

package pacing

import (
	"slices"
	"sync"
)

// Slots limits concurrency, in total and per account. A free slot is given to the first waiting key whose account is
// below its limit. Create it with NewSlots. It is safe for concurrent use.
type Slots[A, K comparable] struct {
	each    int
	account func(K) A
	wake    func(K)

	mu      sync.Mutex
	free    int
	held    map[A]int
	holds   map[K]bool
	waiting []member[K]
}

// NewSlots returns total free slots, of which one account holds at most each at a time. wake is called with the key
// that may enter next. It must not call back.
func NewSlots[A, K comparable](total, each int, account func(K) A, wake func(K)) *Slots[A, K] {
	return &Slots[A, K]{each: each, account: account, wake: wake, free: total, held: map[A]int{}, holds: map[K]bool{}}
}

// Enter acquires a slot, or returns false if none is free for the account. The caller is then woken when a slot is
// released.
func (s *Slots[A, K]) Enter(key K, place Place) bool {
	entered, next := s.enter(key, place)
	if next != nil {
		s.wake(*next)
	}
	return entered
}

func (s *Slots[A, K]) enter(key K, place Place) (entered bool, next *K) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.holds[key] {
		return true, nil
	}
	at := slices.IndexFunc(s.waiting, func(m member[K]) bool { return m.key == key })
	if !s.open(key) {
		if at < 0 {
			m := member[K]{key, place}
			i, _ := slices.BinarySearchFunc(s.waiting, m, func(a, b member[K]) int { return a.place.compare(b.place) })
			s.waiting = slices.Insert(s.waiting, i, m)
		}
		return false, nil
	}
	if at >= 0 {
		s.waiting = slices.Delete(s.waiting, at, at+1)
	}
	s.free--
	s.held[s.account(key)]++
	s.holds[key] = true
	return true, s.next() // several slots may have become free before the woken one ran
}

// Leave releases the slot, or gives up the position in the queue.
func (s *Slots[A, K]) Leave(key K) {
	if next := s.leave(key); next != nil {
		s.wake(*next)
	}
}

func (s *Slots[A, K]) leave(key K) (next *K) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.holds[key] {
		delete(s.holds, key)
		s.free++
		a := s.account(key)
		if s.held[a]--; s.held[a] == 0 {
			delete(s.held, a)
		}
	} else if at := slices.IndexFunc(s.waiting, func(m member[K]) bool { return m.key == key }); at >= 0 {
		s.waiting = slices.Delete(s.waiting, at, at+1)
	} else {
		return nil
	}
	return s.next()
}

// open reports whether a slot is free for the key's account.
func (s *Slots[A, K]) open(key K) bool { return s.free > 0 && s.held[s.account(key)] < s.each }

// next returns the first waiting key that may enter now, or nil.
func (s *Slots[A, K]) next() *K {
	if at := slices.IndexFunc(s.waiting, func(m member[K]) bool { return s.open(m.key) }); at >= 0 {
		key := s.waiting[at].key // the slice changes
		return &key
	}
	return nil
}
