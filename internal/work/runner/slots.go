// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"sync"

	"k8s.io/apimachinery/pkg/types"
)

// Slots limit the number of Jobs at a time, over all kinds of owners. They are in-process state. After a restart, an
// owner whose attempt runs acquires its slot again with Hold.
type Slots struct {
	limit int

	mu   sync.Mutex
	held map[types.UID]string // UID of the owner to its namespace
}

// NewSlots returns n slots, at least one.
func NewSlots(n int) *Slots {
	return &Slots{limit: max(1, n), held: map[types.UID]string{}}
}

// Take reports whether an owner has a slot, and acquires a free one if needed. If there are several slots, a namespace
// never acquires the last one. A large import of one account then leaves a slot for the others.
func (s *Slots) Take(namespace string, owner types.UID) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.held[owner]; ok {
		return true
	}
	inNamespace := 0
	for _, n := range s.held {
		if n == namespace {
			inNamespace++
		}
	}
	if len(s.held) >= s.limit || (s.limit > 1 && inNamespace >= s.limit-1) {
		return false
	}
	s.held[owner] = namespace
	return true
}

// Hold records a slot for an owner whose Job exists, even if no slot is free.
func (s *Slots) Hold(namespace string, owner types.UID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.held[owner] = namespace
}

// Free releases the slot of an owner. Without a slot, it does nothing.
func (s *Slots) Free(owner types.UID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.held, owner)
}
