// SPDX-License-Identifier: Apache-2.0

package index

import (
	"context"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/reelops/reelops/api/v1alpha1"
)

// Patience is how long a reader waits at most for a write to come back as an event. It is there for the case that the
// cluster does not tell: then an answer that may be old is better than none.
const Patience = 2 * time.Second

// writes are those of this process whose events have not come yet.
type writes struct {
	// count lets readers pass without a lock while there are none.
	count atomic.Int64
	mu    sync.Mutex
	open  map[string][]*write // by namespace
}

// write is a change of one object.
type write struct {
	kind, name string
	version    uint64 // at which it has come back; not used when deleted
	deleted    bool
	until      time.Time
	done       chan struct{}
}

// kindOf names the kinds that lists are made of.
func kindOf(o client.Object) string {
	switch o.(type) {
	case *v1alpha1.Slideshow:
		return "Slideshow"
	case *v1alpha1.RenderJob:
		return "RenderJob"
	}
	return ""
}

func versionOf(o client.Object) uint64 {
	v, err := strconv.ParseUint(o.GetResourceVersion(), 10, 64)
	if err != nil {
		return 0
	}
	return v
}

// Wrote notes that this process wrote an object, as the cluster gave it back. Other kinds than those of the lists are
// passed over.
func (x *Shorts) Wrote(o client.Object) {
	if kindOf(o) == "" || versionOf(o) == 0 || idOf(o) == 0 {
		return
	}
	x.note(o, &write{version: versionOf(o)}, func() bool {
		held := x.held(o)
		return held != nil && versionOf(held) >= versionOf(o)
	})
}

// Deleted notes that this process deleted an object.
func (x *Shorts) Deleted(o client.Object) {
	if kindOf(o) == "" {
		return
	}
	x.note(o, &write{deleted: true}, func() bool {
		held := x.held(o)
		return held == nil || held.GetDeletionTimestamp() != nil
	})
}

// note opens a write, unless its event has come before the cluster's answer has.
func (x *Shorts) note(o client.Object, w *write, come func() bool) {
	w.kind, w.name, w.until, w.done = kindOf(o), o.GetName(), x.clock.Now().Add(Patience), make(chan struct{})
	// First open, then look: an event that comes between the two closes it.
	x.writes.mu.Lock()
	x.writes.open[o.GetNamespace()] = append(x.writes.open[o.GetNamespace()], w)
	x.writes.count.Add(1)
	x.writes.mu.Unlock()
	if come() {
		x.writes.close(o.GetNamespace(), func(other *write) bool { return other == w })
	}
}

// held is the object of the index under the name and id of another, or nil.
func (x *Shorts) held(o client.Object) client.Object {
	x.mu.RLock()
	defer x.mu.RUnlock()
	a, id := x.accounts[o.GetNamespace()], idOf(o)
	if a == nil {
		return nil
	}
	if r, ok := o.(*v1alpha1.RenderJob); ok {
		lists := [][]v1alpha1.RenderJob{a.homeless[id]}
		if e := a.shorts[id]; e != nil {
			lists = append(lists, e.renders)
		}
		for _, list := range lists {
			if i := slices.IndexFunc(list, func(h v1alpha1.RenderJob) bool { return h.Name == r.Name }); i >= 0 {
				return &list[i]
			}
		}
		return nil
	}
	for _, s := range a.claims(id) {
		if s.Name == o.GetName() {
			return s
		}
	}
	return nil
}

// seen closes the writes that an event answers.
func (w *writes) seen(o client.Object, deleted bool) {
	if w.count.Load() == 0 {
		return
	}
	kind, version := kindOf(o), versionOf(o)
	w.close(o.GetNamespace(), func(one *write) bool {
		if one.kind != kind || one.name != o.GetName() {
			return false
		}
		// A later object of the name, or none any more, has overtaken every write before it. An object that waits for
		// finalizers is as good as deleted for the one who deleted it.
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

// Await returns when the lists show what this process wrote in an account before the call, or when waiting has taken
// Patience. The error is that of the context.
func (x *Shorts) Await(ctx context.Context, namespace string) error {
	if x.writes.count.Load() == 0 {
		return nil
	}
	x.writes.mu.Lock()
	mine := slices.Clone(x.writes.open[namespace])
	x.writes.mu.Unlock()
	for _, w := range mine {
		if err := x.wait(ctx, w); err != nil {
			return err
		}
		// The next reader shall not wait for what did not come in time.
		x.writes.close(namespace, func(other *write) bool { return other == w })
	}
	return nil
}

// wait for one write, at most until its time is over.
func (x *Shorts) wait(ctx context.Context, w *write) error {
	left := w.until.Sub(x.clock.Now())
	if left <= 0 {
		return nil
	}
	timer := x.clock.NewTimer(left)
	defer timer.Stop()
	select {
	case <-w.done:
	case <-timer.C():
	case <-ctx.Done():
		return ctx.Err()
	}
	return nil
}
