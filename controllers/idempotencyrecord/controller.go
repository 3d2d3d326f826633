// SPDX-License-Identifier: Apache-2.0

// Package idempotencyrecord removes idempotency records when their time is over. It does nothing else: the front end makes
// them, answers them and heeds their end by itself, so that a key is free at its time even while no controller runs.
package idempotencyrecord

import (
	"context"
	"time"

	"k8s.io/utils/clock"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/process/outcome"
)

// grace is how long after its end a record is removed. The front end decides by its own clock whether a record still
// counts; removed by a clock that is ahead, the key would be free too early.
const grace = time.Minute

// Reconciler removes records.
type Reconciler struct {
	Client client.Client
	Clock  clock.PassiveClock
}

// +kubebuilder:rbac:groups=reelops.dev,resources=idempotencyrecords,verbs=list;watch;delete

// SetupWithManager wires the controller. Only the spec says when a record ends.
func (r *Reconciler) SetupWithManager(mgr ctrl.Manager) error {
	return ctrl.NewControllerManagedBy(mgr).Named("idempotencyrecord").
		For(&v1beta1.IdempotencyRecord{}, builder.WithPredicates(predicate.GenerationChangedPredicate{})).
		Complete(reconcile.AsReconciler(mgr.GetClient(), r))
}

// Reconcile is one pass.
func (r *Reconciler) Reconcile(ctx context.Context, rec *v1beta1.IdempotencyRecord) (ctrl.Result, error) {
	if !rec.DeletionTimestamp.IsZero() {
		return ctrl.Result{}, nil
	}
	if wait := rec.Spec.ExpiresAt.Add(grace).Sub(r.Clock.Now()); wait > 0 {
		return ctrl.Result{RequeueAfter: wait}, nil
	}
	// A record of the same name may have been made since this one was read: exactly what was judged is removed.
	return outcome.Result(r.Client.Delete(ctx, rec, client.Preconditions{UID: &rec.UID, ResourceVersion: &rec.ResourceVersion}))
}

// Slim takes the answer out of a record. It fits cache.ByObject.Transform: the controller needs none of it, and a cache of
// a day's answers would be large.
func Slim(in any) (any, error) {
	if rec, ok := in.(*v1beta1.IdempotencyRecord); ok {
		rec.Status.Data, rec.Status.Meta, rec.ManagedFields = "", "", nil
	}
	return in, nil
}
