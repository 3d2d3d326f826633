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

// errStale reports that the post changed during the pass. The change wakes the post again.
var errStale = errors.New("the post changed meanwhile")

// staleRequeue is the delay after a pass that read an old post, until the cache has the new one.
const staleRequeue = 50 * time.Millisecond

// Reconcile runs one pass: observe, decide, act, report.
func (r *Reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	key := req.NamespacedName
	r.queue.Remove(key) // this pass handles every wake-up so far
	p := &v1beta1.Post{}
	err := r.Client.Get(ctx, key, p)
	switch {
	case apierrors.IsNotFound(err):
		r.queues.Leave(key)
		r.slots.Leave(key)
		r.local.forget(key)
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
		again = r.Clock.Now().Add(staleRequeue)
	default:
		r.queues.Leave(key) // the account's other posts do not wait for a post that fails
		return ctrl.Result{}, err
	}
	if !again.IsZero() {
		r.queue.Add(key, again)
	}
	return ctrl.Result{}, nil
}

// ofOtherContent reports whether the preparation of a post is of the content from before an edit, or of an earlier
// revision. Preparations of release v0.1.0 have no digest.
func ofOtherContent(p *v1beta1.Post) bool {
	n := p.Status.Preparation
	if n == nil || len(n.Sealed) == 0 {
		return false
	}
	if n.Digest == "" {
		return p.Edits() > 0
	}
	return n.Digest != digest(p)
}

// pass decides, performs one action, and returns when the next pass is due; zero when an event wakes the post.
func (r *Reconciler) pass(ctx context.Context, p *v1beta1.Post) (time.Time, error) {
	key := client.ObjectKeyFromObject(p)
	if p.DeletionTimestamp.IsZero() && !p.Status.State.Final() {
		if err := finalize.Ensure(ctx, r.Client, p, v1beta1.FinalizerPost); err != nil {
			return time.Time{}, err
		}
	}
	o, err := r.observe(ctx, p)
	if err != nil {
		return time.Time{}, err
	}
	w := status.Begin(r.Client, p)
	if !p.InFlight() && ofOtherContent(p) {
		p.Status.Preparation = nil
	}
	d := decide(p, o)
	if d.queued {
		r.queues.Join(accountOf(p), key, placeOf(p))
	} else {
		r.queues.Leave(key)
	}
	if d.kind != doPrepare {
		r.slots.Leave(key)
	}
	switch d.kind {
	case doNothing:
		if p.Status.State.Final() && d.again.IsZero() {
			r.local.forget(key)
		}
		if p.Status.ObservedGeneration == p.Generation {
			return d.again, nil
		}
		return d.again, r.persist(ctx, w, p, d) // observedGeneration follows the spec of a post that has ended
	case doCleanUp:
		return time.Time{}, r.clean(ctx, p)
	case doRecord:
		if _, err := r.record(ctx, p, d.out, o.local); err != nil {
			return time.Time{}, err
		}
		return r.Clock.Now(), nil
	case doFind:
		return r.find(ctx, p, o)
	case doPoll:
		return r.pollStatus(ctx, p, o)
	case doComment:
		return r.comment(ctx, p, o, w)
	case doFindComment:
		return r.findComment(ctx, p, o)
	case doEndComment:
		return r.recordComment(ctx, p, d.comment, o.local)
	case doPrepare:
		return r.prepare(ctx, p, o, d, w)
	case doPublish:
		return r.commit(ctx, p, o, d, w)
	}
	// A due post whose batch the cache does not show yet is usually published by the next pass: one write records both.
	if d.kind == doWait && p.Status.State == "" && !d.again.IsZero() && d.again.Sub(o.now) < time.Second {
		return d.again, nil
	}
	apply(p, d, o.now)
	if err := r.persist(ctx, w, p, d); err != nil {
		return time.Time{}, err
	}
	if p.Status.State.Final() {
		r.local.forget(key)
	}
	return d.again, nil
}

// clean deletes the files created for a post that is being deleted, and removes its finalizer.
func (r *Reconciler) clean(ctx context.Context, p *v1beta1.Post) error {
	key := client.ObjectKeyFromObject(p)
	err := finalize.Release(ctx, r.Client, p, v1beta1.FinalizerPost, func() error {
		if r.Record != nil {
			if err := r.Record(ctx, p); err != nil {
				return err
			}
		}
		if a := last(p); a != nil && a.State.Open() {
			r.Events.Eventf(p, nil, corev1.EventTypeWarning, string(v1beta1.ReasonOutcomeUnknown), "Publish",
				"deleted while the outcome of attempt %d is unknown: check the platform", a.Number)
		}
		// Also for a video: the post may have had photos before it was moved to another revision.
		return r.Store.DeletePrefix(ctx, photoset.Prefix(p.Namespace, string(v1beta1.Origin(p))))
	})
	if err == nil {
		r.unknown.remove(p.UID, r.metrics)
		r.local.forget(key)
	}
	return err
}
