// SPDX-License-Identifier: Apache-2.0

package renderjob

import (
	"cmp"
	"context"
	"fmt"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/workqueue"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/catalog"
)

// queue limits the number of renders at a time. The next render is the oldest one of the account with the fewest
// running renders. Many renders of one account therefore do not delay those of other accounts.
//
// A queue is in-process state. After a restart, restoreSlots records the running renders before another one gets a
// slot.
type queue struct {
	limit int

	mu       sync.Mutex
	restored bool
	requests workqueue.TypedRateLimitingInterface[ctrl.Request]
	running  map[types.UID]string // namespace of the render
	waiting  map[types.UID]waiter
}

// waiter is a render without a slot.
type waiter struct {
	key   client.ObjectKey
	since time.Time
}

// newQueue returns a queue with n slots.
func newQueue(n int) *queue {
	return &queue{limit: n, running: map[types.UID]string{}, waiting: map[types.UID]waiter{}}
}

// enqueueIn sets the work queue of the controller. The queue adds a request when a waiting render can get a slot.
func (t *queue) enqueueIn(q workqueue.TypedRateLimitingInterface[ctrl.Request]) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.requests = q
}

// enter reports whether j has a slot. If not, j waits, and a request is added when j can get a slot.
func (t *queue) enter(j *v1beta1.RenderJob) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if _, ok := t.running[j.UID]; ok {
		return true
	}
	t.waiting[j.UID] = waiter{client.ObjectKeyFromObject(j), j.CreationTimestamp.Time}
	if next, _ := t.next(); next != j.UID {
		return false
	}
	delete(t.waiting, j.UID)
	t.running[j.UID] = j.Namespace
	t.wake()
	return true
}

// hold records a slot for a running render, even if no slot is free.
func (t *queue) hold(j *v1beta1.RenderJob) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.waiting, j.UID)
	t.running[j.UID] = j.Namespace
}

// leave removes a running or waiting render.
func (t *queue) leave(uid types.UID) {
	t.mu.Lock()
	defer t.mu.Unlock()
	_, runs := t.running[uid]
	_, waits := t.waiting[uid]
	delete(t.running, uid)
	delete(t.waiting, uid)
	if runs || waits {
		t.wake()
	}
}

// next returns the waiting render that gets the next slot. ok is false if no slot is free or no render waits.
func (t *queue) next() (uid types.UID, ok bool) {
	if len(t.running) >= t.limit {
		return "", false
	}
	busy := map[string]int{}
	for _, namespace := range t.running {
		busy[namespace]++
	}
	var best waiter
	for u, w := range t.waiting {
		order := cmp.Or(
			cmp.Compare(busy[w.key.Namespace], busy[best.key.Namespace]), w.since.Compare(best.since), cmp.Compare(w.key.String(), best.key.String()),
		)
		if !ok || order < 0 {
			uid, best, ok = u, w, true
		}
	}
	return uid, ok
}

// wake adds a request for the render that gets the next slot.
func (t *queue) wake() {
	if uid, ok := t.next(); ok && t.requests != nil {
		t.requests.Add(ctrl.Request{NamespacedName: t.waiting[uid].key})
	}
}

// awaitSlot returns the decision, or one to wait if the first attempt would start without a slot. After
// catalog.QueueDeadline without a slot, the render fails.
func (r *Reconciler) awaitSlot(ctx context.Context, j *v1beta1.RenderJob, o *observed, d decision, now time.Time) (decision, error) {
	switch {
	case r.queue == nil:
	case o.before.Settled() || d.kind == actionClean:
		r.queue.leave(j.UID)
	case j.Status.JobName != "":
		r.queue.hold(j)
	case d.kind != actionStart:
		r.queue.leave(j.UID)
	default:
		if err := r.restoreSlots(ctx); err != nil {
			return d, err
		}
		if r.queue.enter(j) {
			break
		}
		waited := now.Sub(j.CreationTimestamp.Time)
		if waited >= catalog.QueueDeadline {
			r.queue.leave(j.UID)
			return failed(catalog.GenerationFailed, true, "No worker was free in time", nil), nil
		}
		return decision{kind: actionWait, reason: v1beta1.ReasonQueued, message: "Waiting for a render slot: other videos are being rendered", requeue: catalog.QueueDeadline - waited}, nil
	}
	return d, nil
}

// restoreSlots records the renders that were running when this process started. It does so once.
func (r *Reconciler) restoreSlots(ctx context.Context) error {
	r.queue.mu.Lock()
	restored := r.queue.restored
	r.queue.mu.Unlock()
	if restored {
		return nil
	}
	var all v1beta1.RenderJobList
	if err := r.Client.List(ctx, &all, client.UnsafeDisableDeepCopy); err != nil {
		return fmt.Errorf("listing the renders: %w", err)
	}
	for i := range all.Items {
		if j := &all.Items[i]; j.Status.JobName != "" && !(j.Status.Work != nil && j.Status.Work.State.Settled()) {
			r.queue.hold(j)
		}
	}
	r.queue.mu.Lock()
	defer r.queue.mu.Unlock()
	r.queue.restored = true
	return nil
}
