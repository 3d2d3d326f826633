// SPDX-License-Identifier: Apache-2.0

// Package mediapack sets a MediaPack's ID, the number of its ready images and its previews. A MediaAsset joins a pack
// by spec.packRef. The pack does not own it, and its deletion leaves the MediaAsset.
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

// Reconciler reconciles MediaPacks.
type Reconciler struct {
	Client client.Client
	NextID func(context.Context) (int64, error)
	// IndexPack is the cache index of MediaAssets by the name of their pack.
	IndexPack string
}

// +kubebuilder:rbac:groups=reelops.dev,resources=mediapacks,verbs=list;watch;patch
// +kubebuilder:rbac:groups=reelops.dev,resources=mediapacks/status,verbs=patch
// +kubebuilder:rbac:groups=reelops.dev,resources=mediaassets,verbs=get;list;watch

// SetupWithManager registers the controller. It watches MediaPacks and the MediaAssets that join them.
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

// Reconcile observes the assets and reports.
func (r *Reconciler) Reconcile(ctx context.Context, p *v1beta1.MediaPack) (ctrl.Result, error) {
	if !p.DeletionTimestamp.IsZero() {
		return ctrl.Result{}, nil
	}
	if err := identity.Ensure(ctx, r.Client, p, r.NextID, p.Spec.BrandRef); err != nil {
		return outcome.Result(err)
	}
	o, err := r.observe(ctx, p)
	if err != nil {
		return outcome.Result(err)
	}
	w := status.Begin(r.Client, p)
	report(p, o)
	return outcome.Result(w.Persist(ctx))
}

// observed has the assets of a pack.
type observed struct {
	// ready are the images that are ready, the oldest first.
	ready []v1beta1.MediaAsset
	// waiting is the first asset by name that is not ready; nil if all are.
	waiting *v1beta1.MediaAsset
}

func (r *Reconciler) observe(ctx context.Context, p *v1beta1.MediaPack) (observed, error) {
	var list v1beta1.MediaAssetList
	if err := r.Client.List(ctx, &list, client.InNamespace(p.Namespace), client.MatchingFields{r.IndexPack: p.Name}); err != nil {
		return observed{}, fmt.Errorf("listing MediaAssets: %w", err)
	}
	return observed{ready: readyImages(slices.Clone(list.Items)), waiting: unready(list.Items)}, nil
}

// report sets the status.
func report(p *v1beta1.MediaPack, o observed) {
	n := len(o.ready)
	p.Status.ImageCount, p.Status.Previews = int32(n), nil
	for _, a := range o.ready[:min(n, previews)] {
		p.Status.Previews = append(p.Status.Previews, a.Name)
	}
	c := status.Conditions{List: &p.Status.Conditions, Generation: p.Generation}
	switch {
	case n == 0 && o.waiting == nil:
		c.Set(v1beta1.ConditionReady, false, v1beta1.ReasonMediaNotReady,
			"The pack has no ready images: a MediaAsset joins it by spec.packRef")
	case o.waiting != nil:
		c.Set(v1beta1.ConditionReady, false, v1beta1.ReasonMediaNotReady,
			fmt.Sprintf("Ready images: %d. The MediaAsset %q is not ready: %s", n, o.waiting.Name, status.Why(o.waiting.Status.Conditions)))
	default:
		c.Set(v1beta1.ConditionReady, true, v1beta1.ReasonReady, fmt.Sprintf("Ready images: %d", n))
	}
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

// previews is the maximum number of previews of a pack.
const previews = 4

// readyImages returns the ready images, the oldest first, so that new images do not change the previews.
func readyImages(all []v1beta1.MediaAsset) []v1beta1.MediaAsset {
	out := slices.DeleteFunc(all, func(a v1beta1.MediaAsset) bool { return !a.ReadyPicture() })
	slices.SortFunc(out, func(a, b v1beta1.MediaAsset) int {
		return cmp.Or(a.CreationTimestamp.Compare(b.CreationTimestamp.Time), cmp.Compare(a.Name, b.Name))
	})
	return out
}
