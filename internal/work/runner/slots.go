// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"sync"

	"k8s.io/apimachinery/pkg/types"
)

// Slots bound how many Jobs there are at once, over all kinds of owners. They live in memory: who finds an attempt of
// its own after a restart holds its slot again.
type Slots struct {
	limit int

	mu   sync.Mutex
	held map[types.UID]string // owner's uid to its namespace
}

// NewSlots makes n of them.
func NewSlots(n int) *Slots {
	return &Slots{limit: max(1, n), held: map[types.UID]string{}}
}

// Take gives an owner a slot, or the one it holds. One namespace never holds the last free slot of several: what one
// account brings by the hundred leaves a way for the others.
func (s *Slots) Take(namespace string, owner types.UID) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.held[owner]; ok {
		return true
	}
	mine := 0
	for _, n := range s.held {
		if n == namespace {
			mine++
		}
	}
	if len(s.held) >= s.limit || (s.limit > 1 && mine >= s.limit-1) {
		return false
	}
	s.held[owner] = namespace
	return true
}

// Hold notes that an owner has a Job, which was made before this process knew of it.
func (s *Slots) Hold(namespace string, owner types.UID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.held[owner] = namespace
}

// Free gives a slot back; without one nothing happens.
func (s *Slots) Free(owner types.UID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.held, owner)
}
