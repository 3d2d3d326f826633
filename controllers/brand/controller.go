// SPDX-License-Identifier: Apache-2.0

// Package brand sets a Brand's ID and validates its defaults against the catalog.
package brand

import (
	"context"
	"fmt"
	"time"

	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/kube/identity"
	"github.com/reelops/reelops/internal/kube/status"
	"github.com/reelops/reelops/internal/process/outcome"
)

// Reconciler reconciles Brands.
type Reconciler struct {
	Client client.Client
	NextID func(context.Context) (int64, error)
}

// +kubebuilder:rbac:groups=reelops.dev,resources=brands,verbs=get;list;watch;patch
// +kubebuilder:rbac:groups=reelops.dev,resources=brands/status,verbs=patch

// SetupWithManager registers the controller.
func (r *Reconciler) SetupWithManager(mgr ctrl.Manager) error {
	return ctrl.NewControllerManagedBy(mgr).Named("brand").
		For(&v1beta1.Brand{}, builder.WithPredicates(predicate.GenerationChangedPredicate{})).
		Complete(reconcile.AsReconciler(mgr.GetClient(), r))
}

// Reconcile decides and reports. The decision depends on the spec alone.
func (r *Reconciler) Reconcile(ctx context.Context, b *v1beta1.Brand) (ctrl.Result, error) {
	if !b.DeletionTimestamp.IsZero() {
		return ctrl.Result{}, nil
	}
	if err := identity.Ensure(ctx, r.Client, b, r.NextID, nil); err != nil {
		return outcome.Result(err)
	}
	w := status.Begin(r.Client, b)
	report(b, decide(b))
	return outcome.Result(w.Persist(ctx))
}

// report sets the conditions for a problem; "" means none.
func report(b *v1beta1.Brand, problem string) {
	c := status.Conditions{List: &b.Status.Conditions, Generation: b.Generation}
	if problem == "" {
		c.Set(v1beta1.ConditionReady, true, v1beta1.ReasonReady, "The brand can be used")
		c.Remove(v1beta1.ConditionStalled)
		return
	}
	c.Set(v1beta1.ConditionReady, false, v1beta1.ReasonFailed, problem)
	c.Set(v1beta1.ConditionStalled, true, v1beta1.ReasonFailed, problem)
}

// decide returns the first problem of the spec that the schema cannot detect; "" if there is none.
func decide(b *v1beta1.Brand) string {
	d := b.Spec.SlideshowDefaults
	if _, ok := catalog.DesignStyleByID(d.DesignStyle); d.DesignStyle != "" && !ok {
		return fmt.Sprintf("slideshowDefaults.designStyle: there is no design style %q", d.DesignStyle)
	}
	if _, ok := catalog.WorldByID(d.ImageWorld); d.ImageWorld != "" && !ok {
		return fmt.Sprintf("slideshowDefaults.imageWorld: there is no image world %q", d.ImageWorld)
	}
	if _, ok := catalog.OverlayFontByFamily(d.OverlayFontFamily); d.OverlayFontFamily != "" && !ok {
		return fmt.Sprintf("slideshowDefaults.overlayFontFamily: there is no font %q", d.OverlayFontFamily)
	}
	if _, err := time.LoadLocation(b.Spec.Timezone); err != nil {
		return fmt.Sprintf("timezone: there is no time zone %q", b.Spec.Timezone)
	}
	return ""
}
