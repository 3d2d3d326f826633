// SPDX-License-Identifier: Apache-2.0

// Package mediapack keeps a MediaPack's id and counts its ready pictures.
package mediapack

import (
	"context"
	"fmt"

	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	v1alpha1 "github.com/reelops/reelops/api/v1alpha1"
	"github.com/reelops/reelops/internal/identity"
	"github.com/reelops/reelops/internal/outcome"
	"github.com/reelops/reelops/internal/status"
)

// Reconciler keeps packs.
type Reconciler struct {
	Client client.Client
	NextID func(context.Context) (int64, error)
	// IndexPack is the cache index of MediaAssets by the name of their pack.
	IndexPack string
}

// +kubebuilder:rbac:groups=reelops.dev,resources=mediapacks,verbs=get;list;watch;patch
// +kubebuilder:rbac:groups=reelops.dev,resources=mediapacks/status,verbs=patch
// +kubebuilder:rbac:groups=reelops.dev,resources=mediaassets,verbs=get;list;watch

// SetupWithManager wires the controller: the pack and the assets that join it.
func (r *Reconciler) SetupWithManager(mgr ctrl.Manager) error {
	return ctrl.NewControllerManagedBy(mgr).Named("mediapack").
		For(&v1alpha1.MediaPack{}).
		Watches(&v1alpha1.MediaAsset{}, handler.EnqueueRequestsFromMapFunc(func(_ context.Context, o client.Object) []ctrl.Request {
			ref := o.(*v1alpha1.MediaAsset).Spec.PackRef
			if ref == nil {
				return nil
			}
			return []ctrl.Request{{NamespacedName: client.ObjectKey{Namespace: o.GetNamespace(), Name: ref.Name}}}
		})).
		Complete(reconcile.AsReconciler(mgr.GetClient(), r))
}

// Reconcile is one pass.
func (r *Reconciler) Reconcile(ctx context.Context, p *v1alpha1.MediaPack) (ctrl.Result, error) {
	if !p.DeletionTimestamp.IsZero() {
		return ctrl.Result{}, nil
	}
	if err := identity.Ensure(ctx, r.Client, p, r.NextID, p.Spec.BrandRef); err != nil {
		return outcome.Result(err)
	}
	var list v1alpha1.MediaAssetList
	if err := r.Client.List(ctx, &list, client.InNamespace(p.Namespace), client.MatchingFields{r.IndexPack: p.Name}); err != nil {
		return outcome.Result(err)
	}
	n := int32(0)
	for i := range list.Items {
		if probe := list.Items[i].Status.Probe; probe != nil && probe.Kind == "image" {
			n++
		}
	}
	w := status.Begin(r.Client, p)
	p.Status.ObservedGeneration, p.Status.ImageCount = p.Generation, n
	c := status.Conditions{List: &p.Status.Conditions, Generation: p.Generation}
	if n == 0 {
		c.Set(v1alpha1.ConditionReady, false, v1alpha1.ReasonMediaNotReady, "The pack has no ready pictures: a MediaAsset joins it by spec.packRef")
	} else {
		c.Set(v1alpha1.ConditionReady, true, v1alpha1.ReasonReady, fmt.Sprintf("%d pictures are ready", n))
	}
	return outcome.Result(w.Persist(ctx))
}
