// SPDX-License-Identifier: Apache-2.0

package post

import (
	"context"
	"errors"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/kube/finalize"
	"github.com/reelops/reelops/internal/kube/status"
	"github.com/reelops/reelops/internal/process/tracing"
	"github.com/reelops/reelops/internal/social/photoset"
)

// errStale says that the post changed while the pass was at it: another pass comes.
var errStale = errors.New("the post changed meanwhile")

// staleWait is how long a pass that saw an old post waits for its cache.
const staleWait = 50 * time.Millisecond

// Reconcile is one pass: observe, plan, act, report.
func (r *Reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	key := req.NamespacedName
	r.queue.Remove(key) // every wake-up until now is this pass; what comes from now on is another
	p := &v1beta1.Post{}
	err := r.Client.Get(ctx, key, p)
	switch {
	case apierrors.IsNotFound(err):
		r.lines.Leave(key)
		r.slots.Leave(key)
		r.memory.forget(key)
		r.open.remove(key)
		return ctrl.Result{}, nil
	case err != nil:
		return ctrl.Result{}, err
	}
	ctx, span := tracing.Pass(ctx, p)
	defer span.End()
	again, err := r.pass(ctx, p)
	switch {
	case err == nil:
	case errors.Is(err, errStale), apierrors.IsConflict(err), apierrors.IsNotFound(err):
		again = r.Clock.Now().Add(staleWait)
	default:
		r.lines.Leave(key) // nobody waits for a post that fails
		return ctrl.Result{}, err
	}
	if !again.IsZero() {
		r.queue.Add(key, again)
	}
	return ctrl.Result{}, nil
}

// pass decides and does one step, and says when the next one is.
func (r *Reconciler) pass(ctx context.Context, p *v1beta1.Post) (time.Time, error) {
	key := client.ObjectKeyFromObject(p)
	if p.DeletionTimestamp.IsZero() && !p.Status.State.Final() {
		if err := finalize.Ensure(ctx, r.Client, p, v1beta1.FinalizerPost); err != nil {
			return time.Time{}, err
		}
	}
	f, err := r.observe(ctx, p)
	if err != nil {
		return time.Time{}, err
	}
	w := status.Begin(r.Client, p)
	if n := p.Status.Preparation; n != nil && n.Digest != "" && n.Digest != digest(p) && !p.InFlight() {
		p.Status.Preparation = nil // of the content that the post had before its batch moved it to another revision
	}
	st := plan(p, f)
	if st.line {
		r.lines.Join(accountOf(p), key, placeOf(p))
	} else {
		r.lines.Leave(key)
	}
	if st.kind != stepPrepare {
		r.slots.Leave(key)
	}
	switch st.kind {
	case stepNothing:
		if p.Status.State.Final() && st.again.IsZero() {
			r.memory.forget(key)
		}
		if p.Status.ObservedGeneration == p.Generation {
			return st.again, nil
		}
		return st.again, r.persist(ctx, w, p, st) // a change of the spec that changes nothing any more is observed all the same
	case stepClean:
		return time.Time{}, r.clean(ctx, p)
	case stepRecord:
		if _, err := r.record(ctx, p, st.out, f.memo); err != nil {
			return time.Time{}, err
		}
		return r.Clock.Now(), nil
	case stepFind:
		return r.find(ctx, p, f)
	case stepLook:
		return r.look(ctx, p, f)
	case stepComment:
		return r.comment(ctx, p, f, w)
	case stepFindComment:
		return r.findComment(ctx, p, f)
	case stepEndComment:
		return r.recordComment(ctx, p, st.comment, f.memo)
	case stepPrepare:
		return r.prepare(ctx, p, f, st, w)
	case stepCommit:
		return r.commit(ctx, p, f, st, w)
	}
	// A post whose batch is not seen yet, and that is due, is most often published with the next pass: that write says all.
	if st.kind == stepWait && p.Status.State == "" && !st.again.IsZero() && st.again.Sub(f.now) < time.Second {
		return st.again, nil
	}
	apply(p, st, f.now)
	if err := r.persist(ctx, w, p, st); err != nil {
		return time.Time{}, err
	}
	if p.Status.State.Final() {
		r.memory.forget(key)
	}
	return st.again, nil
}

// clean removes what was made for a post that is being deleted, and lets it go.
func (r *Reconciler) clean(ctx context.Context, p *v1beta1.Post) error {
	key := client.ObjectKeyFromObject(p)
	err := finalize.Release(ctx, r.Client, p, v1beta1.FinalizerPost, func() error {
		if a := last(p); a != nil && a.State.Open() {
			r.Events.Eventf(p, nil, corev1.EventTypeWarning, string(v1beta1.ReasonOutcomeUnknown), "Publish",
				"deleted while nobody knows whether the platform took attempt %d: look on the platform", a.Number)
		}
		// Also for a video: the post may have had photos before it was moved to another revision.
		return r.Store.DeletePrefix(ctx, photoset.Prefix(p.Namespace, string(v1beta1.Origin(p))))
	})
	if err == nil {
		r.unknown.remove(p.UID, r.figures)
		r.memory.forget(key)
	}
	return err
}
