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

// Usage counts the uses of keys in process until Flush writes them. Each replica counts its own calls and adds them to
// the status.
type Usage struct {
	mu   sync.Mutex
	keys map[types.UID]*use
}

type use struct {
	name types.NamespacedName
	last time.Time
	// open is the number of uses that are not in the status yet. written is the status count at the last write, which
	// the cache may not have received.
	open, written int64
}

// NewUsage returns an empty count.
func NewUsage() *Usage { return &Usage{keys: map[types.UID]*use{}} }

// Touch counts a use. It returns the time of the previous use, or nil if there was none, and the count including this
// use.
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

// Flush writes the uses since the last flush, if there are any. Counts whose write fails stay for the next flush.
// Counts of deleted keys are dropped.
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
		total, deleted, err := write(ctx, live, status, i.uid, i.use)
		if err != nil {
			failed, last = failed+1, err
			continue
		}
		u.mu.Lock()
		if deleted {
			delete(u.keys, i.uid)
		} else if k := u.keys[i.uid]; k != nil {
			k.open -= i.open
			k.written = total
		}
		u.mu.Unlock()
	}
	if failed > 0 {
		return fmt.Errorf("%d of %d request counts of keys not written: %w", failed, len(open), last)
	}
	return nil
}

// write adds the uses to the key's status and returns the new total. It checks the resourceVersion, because another
// replica may be adding at the same time. If deleted is true, the key no longer exists.
func write(ctx context.Context, live client.Reader, status client.StatusClient, uid types.UID, k use) (total int64, deleted bool, err error) {
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
	// Every call looks its key up, and a look-up waits for this client's own pending key writes. Updating a count does
	// not justify that delay.
	err = status.Status().Patch(ctx, key, client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{}),
		client.DisableReadYourWritesConsistency)
	return key.Status.RequestCount, apierrors.IsNotFound(err), client.IgnoreNotFound(err)
}
