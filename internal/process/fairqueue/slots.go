// SPDX-License-Identifier: Apache-2.0

package fairqueue

import (
	"context"
	"sync"
)

// Slots limits the concurrency of one kind of work, in total and per namespace. Namespaces with waiting callers take
// turns.
type Slots struct {
	mu    sync.Mutex
	free  int
	turns *turns[*waiter]
}

type waiter struct {
	namespace string
	granted   chan struct{} // closed when the waiter holds a slot
	held      bool
}

// NewSlots returns total slots, of which one namespace holds at most limit at a time; both are at least 1.
func NewSlots(total, limit int) *Slots {
	return &Slots{free: max(1, total), turns: newTurns(limit, func(w *waiter) string { return w.namespace })}
}

// Acquire waits for a slot. The caller calls release once. The error is the context's.
func (s *Slots) Acquire(ctx context.Context, namespace string) (release func(), err error) {
	w := s.join(namespace)
	select {
	case <-w.granted:
		return func() { s.release(w) }, nil
	case <-ctx.Done():
		s.leave(w)
		return nil, ctx.Err()
	}
}

// TryAcquire returns false at once when no slot is free for the namespace, or other callers wait for one.
func (s *Slots) TryAcquire(namespace string) (release func(), ok bool) {
	w := s.join(namespace)
	select {
	case <-w.granted:
		return func() { s.release(w) }, true
	default:
		s.leave(w)
		return nil, false
	}
}

func (s *Slots) join(namespace string) *waiter {
	w := &waiter{namespace: namespace, granted: make(chan struct{})}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.turns.Push(w)
	s.grant()
	return w
}

// leave stops waiting. It releases a slot that was granted meanwhile.
func (s *Slots) leave(w *waiter) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if w.held {
		s.end(w)
		return
	}
	s.turns.remove(w.namespace, func(other *waiter) bool { return other == w })
}

func (s *Slots) release(w *waiter) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.end(w)
}

func (s *Slots) end(w *waiter) {
	s.free++
	s.turns.done(w)
	s.grant()
}

// grant gives free slots to the waiters whose turn it is.
func (s *Slots) grant() {
	for s.free > 0 && s.turns.Len() > 0 {
		w := s.turns.Pop()
		s.free--
		w.held = true
		close(w.granted)
	}
}
