// SPDX-License-Identifier: Apache-2.0

package auth

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/apiserver/read"
)

// keys is a fake cluster whose cache lags behind.
type keys struct {
	cached, live map[string]bool
	fails        error
	wait         chan struct{} // of a live read; nil for none
	reads        atomic.Int64
}

func (k *keys) get(in map[string]bool, hash string) (*v1beta1.APIKey, error) {
	if !in[hash] {
		return nil, read.ErrNotFound
	}
	key := &v1beta1.APIKey{}
	key.Spec.SecretSHA256 = hash
	return key, nil
}

func (k *keys) KeyByHash(_ context.Context, hash string) (*v1beta1.APIKey, error) {
	return k.get(k.cached, hash)
}

func (k *keys) LiveKeyByHash(ctx context.Context, hash string) (*v1beta1.APIKey, error) {
	k.reads.Add(1)
	if k.wait != nil {
		select {
		case <-k.wait:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	if k.fails != nil {
		return nil, k.fails
	}
	return k.get(k.live, hash)
}

func TestMissedKeys_FindsAKeyThatTheCacheDoesNotHold(t *testing.T) {
	k := &keys{live: map[string]bool{"new": true}}
	var m missedKeys
	key, err := m.find(t.Context(), k, "new")
	if err != nil || key.Spec.SecretSHA256 != "new" {
		t.Fatal(key, err)
	}
}

func TestMissedKeys_BoundReadsOfTheCluster(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := &keys{}
		var m missedKeys
		for i := range 5_000 { // random keys, all at once
			go func() {
				if _, err := m.find(t.Context(), k, fmt.Sprint(i)); !errors.Is(err, read.ErrNotFound) {
					t.Error(err)
				}
			}()
		}
		synctest.Wait()
		time.Sleep(cacheLag)
		synctest.Wait()
		if n := k.reads.Load(); n > missBurst {
			t.Errorf("got %d reads in parallel", n)
		}
		time.Sleep(10 * time.Second)
		before := k.reads.Load()
		for range 1_000 { // repeated use of one key
			_, _ = m.find(t.Context(), k, "same")
		}
		// Each call waited for the cache.
		if n := k.reads.Load() - before; n > int64(1_000*cacheLag/unknownTime)+1 {
			t.Errorf("got %d reads of one unknown key", n)
		}
		if n := len(m.unknown); n > mostUnknown {
			t.Errorf("%d keys are cached", n)
		}
	})
}

func TestMissedKeys_ShareOneReadOfAKey(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := &keys{live: map[string]bool{"new": true}, wait: make(chan struct{})}
		var m missedKeys
		found := atomic.Int64{}
		hangsUp, hangUp := context.WithCancel(t.Context())
		go func() { _, _ = m.find(hangsUp, k, "new") }()
		synctest.Wait()
		for range 100 {
			go func() {
				if _, err := m.find(t.Context(), k, "new"); err == nil {
					found.Add(1)
				}
			}()
		}
		synctest.Wait()
		hangUp()
		close(k.wait)
		synctest.Wait()
		if found.Load() != 100 || k.reads.Load() != 1 {
			t.Errorf("%d calls found the key with %d reads", found.Load(), k.reads.Load())
		}
	})
}

func TestMissedKeys_WaitForTheCacheBeyondTheLimits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := &keys{cached: map[string]bool{}, wait: make(chan struct{})}
		var m missedKeys
		for i := range missParallel {
			go func() { _, _ = m.find(t.Context(), k, fmt.Sprint(i)) }()
		}
		synctest.Wait()
		got := make(chan error, 1)
		go func() {
			_, err := m.find(t.Context(), k, "new")
			got <- err
		}()
		synctest.Wait()
		k.cached["new"] = true
		if err := <-got; err != nil {
			t.Error(err)
		}
		if n := k.reads.Load(); n != missParallel {
			t.Errorf("got %d reads in parallel", n)
		}
		close(k.wait)
	})
}

func TestMissedKeys_AFailedReadIsNotRemembered(t *testing.T) {
	k := &keys{live: map[string]bool{"new": true}, fails: errors.New("away")}
	var m missedKeys
	if _, err := m.find(t.Context(), k, "new"); !errors.Is(err, k.fails) {
		t.Fatal(err)
	}
	k.fails = nil
	if _, err := m.find(t.Context(), k, "new"); err != nil {
		t.Error(err)
	}
}
