// SPDX-License-Identifier: Apache-2.0

package auth

import (
	"context"
	"sync"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/reelops/reelops/api/v1beta1"
)

// freshKeys reads keys from the cluster for many calls at once. A call gets a read that began after the call came, never
// an older one; calls that come while a read of their key runs share the next. So one key costs one read at a time, however
// many calls it makes.
type freshKeys struct {
	mu      sync.Mutex
	next    map[client.ObjectKey]*keyRead // not begun yet
	running map[client.ObjectKey]bool
}

type keyRead struct {
	done chan struct{} // closed when the rest is set
	key  *v1beta1.APIKey
	err  error
}

// keyReadTime bounds one read; it is not the calls' own, which may hang up.
const keyReadTime = 10 * time.Second

// get gives the key as it is now. It is shared: nobody may change it.
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

// read reads as long as somebody waits for it.
func (f *freshKeys) read(live client.Reader, name client.ObjectKey) {
	for r := f.begin(name); r != nil; r = f.begin(name) {
		ctx, cancel := context.WithTimeout(context.Background(), keyReadTime)
		r.key = &v1beta1.APIKey{}
		r.err = live.Get(ctx, name, r.key)
		cancel()
		close(r.done)
	}
}

// begin takes what waits; nil ends the reading.
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
