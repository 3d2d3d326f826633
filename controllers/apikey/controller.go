// SPDX-License-Identifier: Apache-2.0

// Package apikey keeps an APIKey's id and says whether the key opens anything. The front end decides on every request by
// itself; nothing waits for the conditions set here.
package apikey

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/utils/clock"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/kube/identity"
	"github.com/reelops/reelops/internal/kube/status"
	"github.com/reelops/reelops/internal/process/outcome"
)

// Reconciler keeps keys.
type Reconciler struct {
	Client client.Client
	Clock  clock.Clock
	NextID func(context.Context) (int64, error)
}

// +kubebuilder:rbac:groups=reelops.dev,resources=apikeys,verbs=list;watch;patch
// +kubebuilder:rbac:groups=reelops.dev,resources=apikeys/status,verbs=patch
// +kubebuilder:rbac:groups=reelops.dev,resources=brands,verbs=get;list;watch

// SetupWithManager wires the controller: the key, its brand, and its brand's other keys, which may make room for it when one of
// them is revoked, expires or is deleted.
func (r *Reconciler) SetupWithManager(mgr ctrl.Manager) error {
	turned := predicate.Funcs{
		CreateFunc: func(event.CreateEvent) bool { return false },
		UpdateFunc: func(e event.UpdateEvent) bool {
			return usable(e.ObjectOld.(*v1beta1.APIKey)) != usable(e.ObjectNew.(*v1beta1.APIKey))
		},
	}
	return ctrl.NewControllerManagedBy(mgr).Named("apikey").
		For(&v1beta1.APIKey{}, builder.WithPredicates(predicate.GenerationChangedPredicate{})).
		Watches(&v1beta1.APIKey{}, handler.EnqueueRequestsFromMapFunc(func(ctx context.Context, o client.Object) []ctrl.Request {
			return r.keys(ctx, o.GetNamespace(), o.(*v1beta1.APIKey).Spec.BrandRef.Name, o.GetName())
		}), builder.WithPredicates(turned)).
		Watches(&v1beta1.Brand{}, handler.EnqueueRequestsFromMapFunc(func(ctx context.Context, o client.Object) []ctrl.Request {
			return r.keys(ctx, o.GetNamespace(), o.GetName(), "")
		}), builder.WithPredicates(predicate.Funcs{UpdateFunc: func(event.UpdateEvent) bool { return false }})).
		Complete(reconcile.AsReconciler(mgr.GetClient(), r))
}

// usable is what a key's own controller said last.
func usable(k *v1beta1.APIKey) bool {
	return meta.IsStatusConditionTrue(k.Status.Conditions, string(v1beta1.ConditionReady))
}

// keys lists the keys of a brand, except the one of the name.
func (r *Reconciler) keys(ctx context.Context, namespace, brand, except string) []ctrl.Request {
	var list v1beta1.APIKeyList
	if err := r.Client.List(ctx, &list, client.InNamespace(namespace), client.MatchingLabels{v1beta1.LabelBrand: brand}); err != nil {
		return nil // the condition is for people; the front end decides by itself
	}
	var out []ctrl.Request
	for i := range list.Items {
		if k := &list.Items[i]; k.Name != except {
			out = append(out, ctrl.Request{NamespacedName: client.ObjectKeyFromObject(k)})
		}
	}
	return out
}

// Reconcile is one pass.
func (r *Reconciler) Reconcile(ctx context.Context, k *v1beta1.APIKey) (ctrl.Result, error) {
	if !k.DeletionTimestamp.IsZero() {
		return ctrl.Result{}, nil
	}
	if err := identity.Ensure(ctx, r.Client, k, r.NextID, &k.Spec.BrandRef); err != nil {
		return outcome.Result(err)
	}
	older, err := r.older(ctx, k)
	if err != nil {
		return outcome.Result(err)
	}
	err = r.Client.Get(ctx, client.ObjectKey{Namespace: k.Namespace, Name: k.Spec.BrandRef.Name}, &v1beta1.Brand{})
	brandless := apierrors.IsNotFound(err)
	if err != nil && !brandless {
		return outcome.Result(fmt.Errorf("reading the brand: %w", err))
	}
	w := status.Begin(r.Client, k)
	now := r.Clock.Now()
	c := status.Conditions{List: &k.Status.Conditions, Generation: k.Generation}
	expires := k.Spec.ExpiresAt
	switch {
	case k.Spec.Revoked:
		c.Set(v1beta1.ConditionReady, false, v1beta1.ReasonRevoked, "The key was revoked")
	case expires != nil && !now.Before(expires.Time):
		c.Set(v1beta1.ConditionReady, false, v1beta1.ReasonExpired, "The key has expired")
	case brandless:
		c.Set(v1beta1.ConditionReady, false, v1beta1.ReasonBrandNotFound, "There is no Brand "+k.Spec.BrandRef.Name+": the key is not accepted")
	case older >= v1beta1.MaxKeysPerBrand:
		c.Set(v1beta1.ConditionReady, false, v1beta1.ReasonTooManyKeys,
			fmt.Sprintf("The brand holds more than %d usable keys: revoke one", v1beta1.MaxKeysPerBrand))
	default:
		c.Set(v1beta1.ConditionReady, true, v1beta1.ReasonReady, "The key can be used")
	}
	stalled(k, c)
	if err := w.Persist(ctx); err != nil {
		return outcome.Result(err)
	}
	if !k.Spec.Revoked && expires != nil && now.Before(expires.Time) {
		return ctrl.Result{RequeueAfter: expires.Sub(now)}, nil
	}
	return ctrl.Result{}, nil
}

// stalled says whether somebody is needed. Nobody is for a key that was revoked: it is as it was asked to be.
func stalled(k *v1beta1.APIKey, c status.Conditions) {
	ready := meta.FindStatusCondition(k.Status.Conditions, string(v1beta1.ConditionReady))
	switch reason := v1beta1.Reason(ready.Reason); reason {
	case v1beta1.ReasonExpired, v1beta1.ReasonTooManyKeys:
		c.Set(v1beta1.ConditionStalled, true, reason, ready.Message)
	default:
		c.Remove(v1beta1.ConditionStalled)
	}
}

// older counts the brand's other usable keys that were there before this one.
func (r *Reconciler) older(ctx context.Context, k *v1beta1.APIKey) (int, error) {
	var list v1beta1.APIKeyList
	if err := r.Client.List(ctx, &list, client.InNamespace(k.Namespace), client.MatchingLabels{v1beta1.LabelBrand: k.Spec.BrandRef.Name}); err != nil {
		return 0, err
	}
	n := 0
	mine, _ := identity.Of(k)
	for i := range list.Items {
		o := &list.Items[i]
		expired := o.Spec.ExpiresAt != nil && !r.Clock.Now().Before(o.Spec.ExpiresAt.Time)
		if id, ok := identity.Of(o); ok && id < mine && !o.Spec.Revoked && !expired {
			n++
		}
	}
	return n, nil
}
