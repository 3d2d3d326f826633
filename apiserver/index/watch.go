// SPDX-License-Identifier: Apache-2.0

package index

import (
	"sync"
	"sync/atomic"
)

// watches holds the calls that wait for a record to change.
type watches struct {
	// count is the number of waiting calls. While it is 0, events need no lock.
	count atomic.Int64
	mu    sync.Mutex
	open  map[watched]map[chan struct{}]struct{}
}

// watched identifies a short, or a post, of an account.
type watched struct {
	namespace string
	id        int64
}

// Watch returns a channel that receives a value after each change of a short or of its renders. Changes that happen
// before the value is received are combined. stop ends the watch.
func (x *Shorts) Watch(namespace string, id int64) (changed <-chan struct{}, stop func()) {
	return x.watches.watch(namespace, id)
}

// Watch is like Shorts.Watch, for a post.
func (x *Posts) Watch(namespace string, id int64) (changed <-chan struct{}, stop func()) {
	return x.watches.watch(namespace, id)
}

func (w *watches) watch(namespace string, id int64) (changed <-chan struct{}, stop func()) {
	of, ch := watched{namespace, id}, make(chan struct{}, 1)
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.open == nil {
		w.open = map[watched]map[chan struct{}]struct{}{}
	}
	if w.open[of] == nil {
		w.open[of] = map[chan struct{}]struct{}{}
	}
	w.open[of][ch] = struct{}{}
	w.count.Add(1)
	return ch, sync.OnceFunc(func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		delete(w.open[of], ch)
		if len(w.open[of]) == 0 {
			delete(w.open, of)
		}
		w.count.Add(-1)
	})
}

// wake notifies the watches of a record.
func (w *watches) wake(namespace string, id int64) {
	if id == 0 || w.count.Load() == 0 {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for ch := range w.open[watched{namespace, id}] {
		select {
		case ch <- struct{}{}:
		default: // a value is already waiting
		}
	}
}
