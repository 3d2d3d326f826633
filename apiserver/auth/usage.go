// SPDX-License-Identifier: Apache-2.0

package auth

import (
	"context"
	"fmt"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/reelops/reelops/api/v1beta1"
)

// FlushEvery is how often counts are written.
const FlushEvery = 30 * time.Second

// Usage counts the uses of keys in memory until Flush writes them. Several replicas count apart and add up in the status.
type Usage struct {
	mu   sync.Mutex
	keys map[types.UID]*use
}

type use struct {
	name types.NamespacedName
	last time.Time
	// open is how many uses no status knows yet, written what the status held when it was last written: the cache may not
	// have heard of it.
	open, written int64
}

// NewUsage returns an empty count.
func NewUsage() *Usage { return &Usage{keys: map[types.UID]*use{}} }

// Touch counts a use. It returns the use before this one, nil when there was none, and the count with this one.
func (u *Usage) Touch(key *v1beta1.APIKey, now time.Time) (before *time.Time, count int64) {
	u.mu.Lock()
	defer u.mu.Unlock()
	k := u.keys[key.UID]
	if k == nil {
		k = &use{name: client.ObjectKeyFromObject(key)}
		u.keys[key.UID] = k
	}
	if t := key.Status.LastUsedAt; t != nil {
		before = &t.Time
	}
	if !k.last.IsZero() && (before == nil || k.last.After(*before)) {
		last := k.last
		before = &last
	}
	k.last = now
	k.open++
	return before, max(key.Status.RequestCount, k.written) + k.open
}

// Flush writes what was counted since the last flush. What cannot be written now stays for the next flush; what belongs
// to a key that is gone is dropped. Without use nothing is written.
func (u *Usage) Flush(ctx context.Context, live client.Reader, status client.StatusClient) error {
	type item struct {
		uid types.UID
		use
	}
	u.mu.Lock()
	var open []item
	for uid, k := range u.keys {
		if k.open > 0 {
			open = append(open, item{uid, *k})
		}
	}
	u.mu.Unlock()

	var failed int
	var last error
	for _, i := range open {
		total, gone, err := write(ctx, live, status, i.uid, i.use)
		if err != nil {
			failed, last = failed+1, err
			continue
		}
		u.mu.Lock()
		if gone {
			delete(u.keys, i.uid)
		} else if k := u.keys[i.uid]; k != nil {
			k.open -= i.open
			k.written = total
		}
		u.mu.Unlock()
	}
	if failed > 0 {
		return fmt.Errorf("%d of %d key counts stay for the next time: %w", failed, len(open), last)
	}
	return nil
}

// write adds to a status and tells what it holds then, guarded by the resourceVersion: another replica may be adding at the same time.
func write(ctx context.Context, live client.Reader, status client.StatusClient, uid types.UID, k use) (total int64, gone bool, err error) {
	key := &v1beta1.APIKey{}
	if err := live.Get(ctx, k.name, key); err != nil {
		return 0, apierrors.IsNotFound(err), client.IgnoreNotFound(err)
	}
	if key.UID != uid {
		return 0, true, nil
	}
	before := key.DeepCopy()
	key.Status.RequestCount += k.open
	if t := key.Status.LastUsedAt; t == nil || k.last.After(t.Time) {
		last := metav1.NewTime(k.last)
		key.Status.LastUsedAt = &last
	}
	// Every call looks its key up, and a look-up waits for writes of keys that are under way. This one is not worth that.
	err = status.Status().Patch(ctx, key, client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{}),
		client.DisableReadYourWritesConsistency)
	return key.Status.RequestCount, apierrors.IsNotFound(err), client.IgnoreNotFound(err)
}
