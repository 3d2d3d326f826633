// SPDX-License-Identifier: Apache-2.0

// Package idempotencyrecord deletes expired idempotency records. The front end creates and completes them and checks
// their expiry itself, so a key is released in time even while no controller runs.
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

// grace is the time from the expiry of a record to its deletion. The front end checks the expiry with its own clock;
// without the grace period a manager whose clock is ahead would release keys too early.
const grace = time.Minute

// Reconciler deletes expired IdempotencyRecords.
type Reconciler struct {
	Client client.Client
	Clock  clock.PassiveClock
}

// +kubebuilder:rbac:groups=reelops.dev,resources=idempotencyrecords,verbs=list;watch;delete

// SetupWithManager registers the controller. The expiry is in the spec.
func (r *Reconciler) SetupWithManager(mgr ctrl.Manager) error {
	return ctrl.NewControllerManagedBy(mgr).Named("idempotencyrecord").
		For(&v1beta1.IdempotencyRecord{}, builder.WithPredicates(predicate.GenerationChangedPredicate{})).
		Complete(reconcile.AsReconciler(mgr.GetClient(), r))
}

// Reconcile deletes the record if it has expired.
func (r *Reconciler) Reconcile(ctx context.Context, rec *v1beta1.IdempotencyRecord) (ctrl.Result, error) {
	if !rec.DeletionTimestamp.IsZero() {
		return ctrl.Result{}, nil
	}
	if wait := rec.Spec.ExpiresAt.Add(grace).Sub(r.Clock.Now()); wait > 0 {
		return ctrl.Result{RequeueAfter: wait}, nil
	}
	// The preconditions protect a record of the same name that was created in the meantime.
	return outcome.Result(r.Client.Delete(ctx, rec, client.Preconditions{UID: &rec.UID, ResourceVersion: &rec.ResourceVersion}))
}

// Slim is a cache.ByObject.Transform that drops the response of a record. The controller does not need it, and the
// cache would hold a day of responses.
func Slim(in any) (any, error) {
	if rec, ok := in.(*v1beta1.IdempotencyRecord); ok {
		rec.Status.Data, rec.Status.Meta, rec.ManagedFields = "", "", nil
	}
	return in, nil
}
