// SPDX-License-Identifier: Apache-2.0

package archived

import (
	"context"
	"sync"

	"k8s.io/client-go/tools/cache"

	"github.com/reelops/reelops/api/v1beta1"
)

// Objects holds the Archive of each namespace, as the informer has it. It is safe for concurrent use. A nil Objects has
// no archives.
type Objects struct {
	mu sync.RWMutex
	of map[string]*v1beta1.Archive
	// changed is closed at the next change of any Archive, and nil while nothing waits for one.
	changed chan struct{}
}

// NewObjects returns an Objects without archives.
func NewObjects() *Objects { return &Objects{of: map[string]*v1beta1.Archive{}} }

// Get returns the Archive of a namespace, or nil. It must not be changed.
func (o *Objects) Get(namespace string) *v1beta1.Archive {
	if o == nil {
		return nil
	}
	o.mu.RLock()
	defer o.mu.RUnlock()
	return o.of[namespace]
}

// Await returns once a condition is met by the Archive of a namespace, which is nil if there is none. The error is that
// of the context.
func (o *Objects) Await(ctx context.Context, namespace string, met func(*v1beta1.Archive) bool) error {
	for {
		// Subscribe first, then check: a change in between closes the channel.
		changed := o.next()
		if met(o.Get(namespace)) {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// next returns a channel that is closed at the next change; nil if there will be none.
func (o *Objects) next() <-chan struct{} {
	if o == nil {
		return nil
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.changed == nil {
		o.changed = make(chan struct{})
	}
	return o.changed
}

func (o *Objects) change(namespace string, to *v1beta1.Archive) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if to == nil {
		delete(o.of, namespace)
	} else {
		o.of[namespace] = to
	}
	if o.changed != nil {
		close(o.changed)
		o.changed = nil
	}
}

// Events returns the handler of Archive events.
func (o *Objects) Events() cache.ResourceEventHandler {
	return cache.ResourceEventHandlerFuncs{
		AddFunc: func(a any) { o.put(a) },
		UpdateFunc: func(old, a any) {
			if old.(*v1beta1.Archive).ResourceVersion != a.(*v1beta1.Archive).ResourceVersion { // not a resync
				o.put(a)
			}
		},
		DeleteFunc: func(a any) {
			if last, ok := a.(cache.DeletedFinalStateUnknown); ok {
				a = last.Obj
			}
			if a, ok := a.(*v1beta1.Archive); ok && a.Name == v1beta1.ArchiveName {
				o.change(a.Namespace, nil)
			}
		},
	}
}

func (o *Objects) put(a any) {
	if a, ok := a.(*v1beta1.Archive); ok && a.Name == v1beta1.ArchiveName {
		o.change(a.Namespace, a)
	}
}
