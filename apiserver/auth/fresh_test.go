// SPDX-License-Identifier: Apache-2.0

package auth

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/reelops/reelops/api/v1beta1"
)

// slowKeys responds to each read when released, with the state at the start of the read.
type slowKeys struct {
	client.Reader
	state, reads atomic.Int64
	let          chan struct{}
}

func (s *slowKeys) Get(ctx context.Context, name client.ObjectKey, o client.Object, _ ...client.GetOption) error {
	s.reads.Add(1)
	o.SetName(fmt.Sprintf("%s-%d", name.Name, s.state.Load()))
	select {
	case <-s.let:
	case <-ctx.Done():
		return ctx.Err()
	}
	return nil
}

func TestFresh_CallsShareOnlyAReadThatBeganLater(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		keys := &slowKeys{let: make(chan struct{})}
		var f freshKeys
		got := make(chan string, 10_000)
		call := func(ctx context.Context, times int) {
			for range times {
				go func() {
					k, err := f.get(ctx, keys, client.ObjectKey{Name: "key"})
					if err != nil {
						k = &v1beta1.APIKey{}
						k.Name = err.Error()
					}
					got <- k.Name
				}()
			}
			synctest.Wait()
		}
		call(t.Context(), 1)
		keys.state.Store(1) // for example, revoked while the first read is in flight
		call(t.Context(), 9_998)
		hangsUp, hangUp := context.WithCancel(t.Context())
		call(hangsUp, 1)
		hangUp()
		synctest.Wait()
		if n := keys.reads.Load(); n != 1 {
			t.Errorf("got %d reads in parallel", n)
		}
		close(keys.let)
		synctest.Wait()
		count := map[string]int{}
		for range 10_000 {
			count[<-got]++
		}
		if count["key-0"] != 1 || count["key-1"] != 9_998 || count["context canceled"] != 1 {
			t.Errorf("%v", count)
		}
		if n := keys.reads.Load(); n != 2 {
			t.Errorf("got %d reads for all calls", n)
		}
		if len(f.next)+len(f.running) != 0 {
			t.Error("entries of finished reads are left")
		}
	})
}
