// SPDX-License-Identifier: Apache-2.0

// Package mediapack keeps a MediaPack's id, counts its ready pictures and names the first of them, by which the pack is
// shown. It owns no picture: a MediaAsset joins a pack by its own spec, and outlives it.
package mediapack

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/kube/identity"
	"github.com/reelops/reelops/internal/kube/status"
	"github.com/reelops/reelops/internal/process/outcome"
)

// Reconciler keeps packs.
type Reconciler struct {
	Client client.Client
	NextID func(context.Context) (int64, error)
	// IndexPack is the cache index of MediaAssets by the name of their pack.
	IndexPack string
}

// +kubebuilder:rbac:groups=reelops.dev,resources=mediapacks,verbs=list;watch;patch
// +kubebuilder:rbac:groups=reelops.dev,resources=mediapacks/status,verbs=patch
// +kubebuilder:rbac:groups=reelops.dev,resources=mediaassets,verbs=get;list;watch

// SetupWithManager wires the controller: the pack and the assets that join it.
func (r *Reconciler) SetupWithManager(mgr ctrl.Manager) error {
	return ctrl.NewControllerManagedBy(mgr).Named("mediapack").
		For(&v1beta1.MediaPack{}).
		Watches(&v1beta1.MediaAsset{}, handler.EnqueueRequestsFromMapFunc(func(_ context.Context, o client.Object) []ctrl.Request {
			ref := o.(*v1beta1.MediaAsset).Spec.PackRef
			if ref == nil {
				return nil
			}
			return []ctrl.Request{{NamespacedName: client.ObjectKey{Namespace: o.GetNamespace(), Name: ref.Name}}}
		})).
		Complete(reconcile.AsReconciler(mgr.GetClient(), r))
}

// Reconcile is one pass.
func (r *Reconciler) Reconcile(ctx context.Context, p *v1beta1.MediaPack) (ctrl.Result, error) {
	if !p.DeletionTimestamp.IsZero() {
		return ctrl.Result{}, nil
	}
	if err := identity.Ensure(ctx, r.Client, p, r.NextID, p.Spec.BrandRef); err != nil {
		return outcome.Result(err)
	}
	var list v1beta1.MediaAssetList
	if err := r.Client.List(ctx, &list, client.InNamespace(p.Namespace), client.MatchingFields{r.IndexPack: p.Name}); err != nil {
		return outcome.Result(err)
	}
	ready := pictures(slices.Clone(list.Items))
	w := status.Begin(r.Client, p)
	n := len(ready)
	p.Status.ImageCount, p.Status.Previews = int32(n), nil
	for _, a := range ready[:min(n, previews)] {
		p.Status.Previews = append(p.Status.Previews, a.Name)
	}
	c := status.Conditions{List: &p.Status.Conditions, Generation: p.Generation}
	switch waiting := unready(list.Items); {
	case n == 0 && waiting == nil:
		c.Set(v1beta1.ConditionReady, false, v1beta1.ReasonMediaNotReady, "The pack has no ready pictures: a MediaAsset joins it by spec.packRef")
	case waiting != nil:
		c.Set(v1beta1.ConditionReady, false, v1beta1.ReasonMediaNotReady, fmt.Sprintf("Pictures that are ready: %d. The MediaAsset %q is not: %s",
			n, waiting.Name, status.Why(waiting.Status.Conditions)))
	default:
		c.Set(v1beta1.ConditionReady, true, v1beta1.ReasonReady, fmt.Sprintf("Pictures that are ready: %d", n))
	}
	return outcome.Result(w.Persist(ctx))
}

// unready returns the first MediaAsset by name that is not ready, and nil when all are.
func unready(all []v1beta1.MediaAsset) *v1beta1.MediaAsset {
	var first *v1beta1.MediaAsset
	for i := range all {
		if a := &all[i]; a.DeletionTimestamp.IsZero() && (a.Status.Probe == nil || a.Status.Error != nil) && (first == nil || a.Name < first.Name) {
			first = a
		}
	}
	return first
}

// previews is how many pictures a pack is shown by.
const previews = 4

// pictures are those that are ready, the oldest first: a pack keeps its face when others join.
func pictures(all []v1beta1.MediaAsset) []v1beta1.MediaAsset {
	out := slices.DeleteFunc(all, func(a v1beta1.MediaAsset) bool { return !a.ReadyPicture() })
	slices.SortFunc(out, func(a, b v1beta1.MediaAsset) int {
		return cmp.Or(a.CreationTimestamp.Compare(b.CreationTimestamp.Time), cmp.Compare(a.Name, b.Name))
	})
	return out
}
