// SPDX-License-Identifier: Apache-2.0

package index

import (
	"context"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Patience is the maximum time that a reader waits for the event of a write. It covers the case that the event does not
// arrive: then a possibly stale response is better than none.
const Patience = 2 * time.Second

// writes holds the writes of this process whose events have not arrived yet.
type writes struct {
	clock clock.Clock
	// kind returns the name of a listed kind; "" for others.
	kind func(client.Object) string
	// held returns the listed object of the same kind, name and id, or nil.
	held func(client.Object) client.Object

	// count lets readers pass without a lock while there are no pending writes.
	count atomic.Int64
	mu    sync.Mutex
	open  map[string][]*write // by namespace
}

// write is a change of one object.
type write struct {
	kind, name string
	version    uint64 // resourceVersion at which the write is visible; unused for deletions
	deleted    bool
	until      time.Time
	done       chan struct{}
}

func versionOf(o client.Object) uint64 {
	v, err := strconv.ParseUint(o.GetResourceVersion(), 10, 64)
	if err != nil {
		return 0
	}
	return v
}

// wrote records that this process wrote an object, as returned by the cluster. Kinds that are in no list are ignored.
func (w *writes) wrote(o client.Object) {
	if w.kind(o) == "" || versionOf(o) == 0 || idOf(o) == 0 {
		return
	}
	w.note(o, &write{version: versionOf(o)}, func() bool {
		held := w.held(o)
		return held != nil && versionOf(held) >= versionOf(o)
	})
}

// deleted records that this process deleted an object.
func (w *writes) deleted(o client.Object) {
	if w.kind(o) == "" {
		return
	}
	w.note(o, &write{deleted: true}, func() bool {
		held := w.held(o)
		return held == nil || held.GetDeletionTimestamp() != nil
	})
}

// note opens a write, unless its event arrived before the cluster's response.
func (w *writes) note(o client.Object, one *write, come func() bool) {
	one.kind, one.name, one.until, one.done = w.kind(o), o.GetName(), w.clock.Now().Add(Patience), make(chan struct{})
	// Register first, then check: an event that arrives in between closes the write.
	w.mu.Lock()
	if w.open == nil {
		w.open = map[string][]*write{}
	}
	w.open[o.GetNamespace()] = append(w.open[o.GetNamespace()], one)
	w.count.Add(1)
	w.mu.Unlock()
	if come() {
		w.close(o.GetNamespace(), func(other *write) bool { return other == one })
	}
}

// seen closes the writes that an event makes visible.
func (w *writes) seen(o client.Object, deleted bool) {
	if w.count.Load() == 0 {
		return
	}
	kind, version := w.kind(o), versionOf(o)
	w.close(o.GetNamespace(), func(one *write) bool {
		if one.kind != kind || one.name != o.GetName() {
			return false
		}
		// A later object of the name, or its deletion, supersedes every earlier write. An object that waits for
		// finalizers counts as deleted for the deleting process.
		return deleted || o.GetDeletionTimestamp() != nil || !one.deleted && version >= one.version
	})
}

func (w *writes) close(namespace string, which func(*write) bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	left := slices.DeleteFunc(w.open[namespace], func(one *write) bool {
		if !which(one) {
			return false
		}
		close(one.done)
		w.count.Add(-1)
		return true
	})
	if len(left) == 0 {
		delete(w.open, namespace)
		return
	}
	w.open[namespace] = left
}

// await returns once the lists include what this process wrote in an account before the call, or after Patience. The
// error is that of the context.
func (w *writes) await(ctx context.Context, namespace string) error {
	if w.count.Load() == 0 {
		return nil
	}
	w.mu.Lock()
	mine := slices.Clone(w.open[namespace])
	w.mu.Unlock()
	for _, one := range mine {
		if err := w.wait(ctx, one); err != nil {
			return err
		}
		// Later readers must not wait again for an event that did not arrive in time.
		w.close(namespace, func(other *write) bool { return other == one })
	}
	return nil
}

// wait waits for one write until its time is over.
func (w *writes) wait(ctx context.Context, one *write) error {
	left := one.until.Sub(w.clock.Now())
	if left <= 0 {
		return nil
	}
	timer := w.clock.NewTimer(left)
	defer timer.Stop()
	select {
	case <-one.done:
	case <-timer.C():
	case <-ctx.Done():
		return ctx.Err()
	}
	return nil
}
