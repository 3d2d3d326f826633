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

// turns bound how many films are made at once. Of those that wait, the next is one of the account with the fewest at work, and of those
// the oldest: what one account asks for by the hundred does not make the others wait for all of it.
//
// They live in memory. After a restart those at work are found before the first turn is given.
type turns struct {
	limit int

	mu      sync.Mutex
	found   bool
	queue   workqueue.TypedRateLimitingInterface[ctrl.Request]
	held    map[types.UID]string // whose namespace
	waiting map[types.UID]turn
}

type turn struct {
	key   client.ObjectKey
	since time.Time
}

func newTurns(n int) *turns {
	return &turns{limit: n, held: map[types.UID]string{}, waiting: map[types.UID]turn{}}
}

// wakes has those told whose turn it is.
func (t *turns) wakes(q workqueue.TypedRateLimitingInterface[ctrl.Request]) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.queue = q
}

// enter says whether it is j's turn. If not, j waits and is woken.
func (t *turns) enter(j *v1beta1.RenderJob) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if _, ok := t.held[j.UID]; ok {
		return true
	}
	t.waiting[j.UID] = turn{client.ObjectKeyFromObject(j), j.CreationTimestamp.Time}
	if next, _ := t.next(); next != j.UID {
		return false
	}
	delete(t.waiting, j.UID)
	t.held[j.UID] = j.Namespace
	t.wake()
	return true
}

// hold notes a film that is at work, however many are.
func (t *turns) hold(j *v1beta1.RenderJob) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.waiting, j.UID)
	t.held[j.UID] = j.Namespace
}

// leave takes a film out, at work or waiting.
func (t *turns) leave(uid types.UID) {
	t.mu.Lock()
	defer t.mu.Unlock()
	_, held := t.held[uid]
	_, waits := t.waiting[uid]
	delete(t.held, uid)
	delete(t.waiting, uid)
	if held || waits {
		t.wake()
	}
}

// next is whose turn it is; ok is false when it is nobody's.
func (t *turns) next() (uid types.UID, ok bool) {
	if len(t.held) >= t.limit {
		return "", false
	}
	busy := map[string]int{}
	for _, namespace := range t.held {
		busy[namespace]++
	}
	var best turn
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

// wake tells whose turn it is.
func (t *turns) wake() {
	if uid, ok := t.next(); ok && t.queue != nil {
		t.queue.Add(ctrl.Request{NamespacedName: t.waiting[uid].key})
	}
}

// inTurn has a film wait that may begin while others are at work. Everything else is as planned.
func (r *Reconciler) inTurn(ctx context.Context, j *v1beta1.RenderJob, o *observed, d decision, now time.Time) (decision, error) {
	switch {
	case r.turns == nil:
	case o.before.Settled() || d.kind == actionClean:
		r.turns.leave(j.UID)
	case j.Status.JobName != "":
		r.turns.hold(j)
	case d.kind != actionStart:
		r.turns.leave(j.UID)
	default:
		if err := r.findAtWork(ctx); err != nil {
			return d, err
		}
		if r.turns.enter(j) {
			break
		}
		waited := now.Sub(j.CreationTimestamp.Time)
		if waited >= catalog.QueueDeadline {
			r.turns.leave(j.UID)
			return failed(catalog.GenerationFailed, true, "No worker was free in time", nil), nil
		}
		return decision{kind: actionWait, reason: v1beta1.ReasonQueued, say: "Waiting for a turn: other films are being made", again: catalog.QueueDeadline - waited}, nil
	}
	return d, nil
}

// findAtWork finds, once, the films that were at work when this process began.
func (r *Reconciler) findAtWork(ctx context.Context) error {
	r.turns.mu.Lock()
	found := r.turns.found
	r.turns.mu.Unlock()
	if found {
		return nil
	}
	var all v1beta1.RenderJobList
	if err := r.Client.List(ctx, &all, client.UnsafeDisableDeepCopy); err != nil {
		return fmt.Errorf("listing the renders: %w", err)
	}
	for i := range all.Items {
		if j := &all.Items[i]; j.Status.JobName != "" && !(j.Status.Work != nil && j.Status.Work.State.Settled()) {
			r.turns.hold(j)
		}
	}
	r.turns.mu.Lock()
	defer r.turns.mu.Unlock()
	r.turns.found = true
	return nil
}
