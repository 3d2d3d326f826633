// SPDX-License-Identifier: Apache-2.0

// Package consolelink deletes expired links to the console. The front end deletes a link when it is opened, and checks
// the expiry itself, so an expired link is not valid even while no controller runs.
package consolelink

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

// grace is the time from the expiry of a link to its deletion. Without the grace period, a manager whose clock is ahead
// would delete a link that the front end still accepts.
const grace = time.Minute

// Reconciler deletes expired ConsoleLinks.
type Reconciler struct {
	Client client.Client
	Clock  clock.PassiveClock
}

// +kubebuilder:rbac:groups=reelops.dev,resources=consolelinks,verbs=list;watch;delete

// SetupWithManager registers the controller.
func (r *Reconciler) SetupWithManager(mgr ctrl.Manager) error {
	return ctrl.NewControllerManagedBy(mgr).Named("consolelink").
		For(&v1beta1.ConsoleLink{}, builder.WithPredicates(predicate.GenerationChangedPredicate{})).
		Complete(reconcile.AsReconciler(mgr.GetClient(), r))
}

// Reconcile deletes the link if it has expired.
func (r *Reconciler) Reconcile(ctx context.Context, l *v1beta1.ConsoleLink) (ctrl.Result, error) {
	if !l.DeletionTimestamp.IsZero() {
		return ctrl.Result{}, nil
	}
	// A link is valid for at most ConsoleLinkTime after its creation, also if its spec has a later expiry.
	ends := l.CreationTimestamp.Add(v1beta1.ConsoleLinkTime)
	if l.Spec.ExpiresAt.Time.Before(ends) {
		ends = l.Spec.ExpiresAt.Time
	}
	if wait := ends.Add(grace).Sub(r.Clock.Now()); wait > 0 {
		return ctrl.Result{RequeueAfter: wait}, nil
	}
	return outcome.Result(r.Client.Delete(ctx, l, client.Preconditions{UID: &l.UID}))
}
