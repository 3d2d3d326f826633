// SPDX-License-Identifier: Apache-2.0

package auth

import (
	"context"
	"sync"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/reelops/reelops/api/v1beta1"
)

// freshKeys reads keys from the cluster and shares reads between calls. A call never gets a read that began before the
// call arrived. Calls that arrive while a read of their key is running share the next one. So there is at most one read
// per key at a time, regardless of the number of calls.
type freshKeys struct {
	mu      sync.Mutex
	next    map[client.ObjectKey]*keyRead // reads that have not begun
	running map[client.ObjectKey]bool
}

type keyRead struct {
	done chan struct{} // closed when the other fields are set
	key  *v1beta1.APIKey
	err  error
}

// keyReadTime is the timeout of one read. It is independent of the callers' contexts, because several callers share the
// read.
const keyReadTime = 10 * time.Second

// get returns the current key. Callers share the object and must not change it.
func (f *freshKeys) get(ctx context.Context, live client.Reader, name client.ObjectKey) (*v1beta1.APIKey, error) {
	r := f.join(live, name)
	select {
	case <-r.done:
		return r.key, r.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (f *freshKeys) join(live client.Reader, name client.ObjectKey) *keyRead {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.next == nil {
		f.next, f.running = map[client.ObjectKey]*keyRead{}, map[client.ObjectKey]bool{}
	}
	r := f.next[name]
	if r == nil {
		r = &keyRead{done: make(chan struct{})}
		f.next[name] = r
	}
	if !f.running[name] {
		f.running[name] = true
		go f.read(live, name)
	}
	return r
}

// read reads the key until no call waits for another read.
func (f *freshKeys) read(live client.Reader, name client.ObjectKey) {
	for r := f.begin(name); r != nil; r = f.begin(name) {
		ctx, cancel := context.WithTimeout(context.Background(), keyReadTime)
		r.key = &v1beta1.APIKey{}
		r.err = live.Get(ctx, name, r.key)
		cancel()
		close(r.done)
	}
}

// begin returns the next read of the key, or nil if no call waits.
func (f *freshKeys) begin(name client.ObjectKey) *keyRead {
	f.mu.Lock()
	defer f.mu.Unlock()
	r := f.next[name]
	delete(f.next, name)
	if r == nil {
		delete(f.running, name)
	}
	return r
}
