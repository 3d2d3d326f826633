// SPDX-License-Identifier: Apache-2.0

package fairqueue

import (
	"slices"
	"sync"
)

// turns is a FIFO queue per namespace. Namespaces take turns. A namespace that has limit items in process waits.
type turns[T any] struct {
	limit     int
	namespace func(T) string

	mu      sync.Mutex
	waiting map[string][]T
	running map[string]int
	// next holds, in the order of their turns, the namespaces that have waiting items and fewer than limit in process.
	next []string
}

func newTurns[T any](limit int, namespace func(T) string) *turns[T] {
	return &turns[T]{limit: max(1, limit), namespace: namespace, waiting: map[string][]T{}, running: map[string]int{}}
}

// Touch implements workqueue.Queue. The position of an item does not change.
func (t *turns[T]) Touch(T) {}

// Push adds an item to the queue of its namespace.
func (t *turns[T]) Push(item T) {
	t.mu.Lock()
	defer t.mu.Unlock()
	ns := t.namespace(item)
	t.waiting[ns] = append(t.waiting[ns], item)
	if len(t.waiting[ns]) == 1 && t.running[ns] < t.limit {
		t.next = append(t.next, ns)
	}
}

// Len returns how many namespaces have an item that Pop may return now. Namespaces at their limit do not count.
func (t *turns[T]) Len() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.next)
}

// Pop returns the first item of the namespace whose turn it is, which is then in process. Len must not be 0.
func (t *turns[T]) Pop() T {
	t.mu.Lock()
	defer t.mu.Unlock()
	ns := t.next[0]
	t.next = t.next[1:]
	item := t.waiting[ns][0]
	if t.waiting[ns] = t.waiting[ns][1:]; len(t.waiting[ns]) == 0 {
		delete(t.waiting, ns)
	}
	t.running[ns]++
	t.offer(ns)
	return item
}

// done ends the processing of an item that Pop returned.
func (t *turns[T]) done(item T) {
	t.mu.Lock()
	defer t.mu.Unlock()
	ns := t.namespace(item)
	atLimit := t.running[ns] == t.limit
	if t.running[ns]--; t.running[ns] == 0 {
		delete(t.running, ns)
	}
	if atLimit {
		t.offer(ns)
	}
}

// offer appends a namespace to next, if it has a waiting item and is below its limit. The namespace must not be in
// next.
func (t *turns[T]) offer(ns string) {
	if len(t.waiting[ns]) > 0 && t.running[ns] < t.limit {
		t.next = append(t.next, ns)
	}
}

// remove removes the matching waiting items of a namespace.
func (t *turns[T]) remove(ns string, match func(T) bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.waiting[ns] = slices.DeleteFunc(t.waiting[ns], match); len(t.waiting[ns]) == 0 {
		delete(t.waiting, ns)
		t.next = slices.DeleteFunc(t.next, func(other string) bool { return other == ns })
	}
}
