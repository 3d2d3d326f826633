// SPDX-License-Identifier: Apache-2.0

// Package apikey sets an APIKey's ID and its conditions, and deletes it some time after its end. The front end checks
// every request itself and does not read the conditions.
package apikey

import (
	"context"
	"fmt"
	"time"

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
	"github.com/reelops/reelops/internal/account/apikey"
	"github.com/reelops/reelops/internal/kube/fieldowner"
	"github.com/reelops/reelops/internal/kube/identity"
	"github.com/reelops/reelops/internal/kube/status"
	"github.com/reelops/reelops/internal/process/outcome"
)

// Retention is the time from the end of a key to its deletion. Meanwhile its requests are rejected as revoked or
// expired, and users see the key. Afterwards they are rejected as those of an unknown key.
const Retention = 90 * 24 * time.Hour

// Reconciler reconciles APIKeys.
type Reconciler struct {
	Client client.Client
	// Live is uncached: cached objects have no field managers.
	Live   client.Reader
	Clock  clock.Clock
	NextID func(context.Context) (int64, error)
}

// +kubebuilder:rbac:groups=reelops.dev,resources=apikeys,verbs=get;list;watch;patch;delete
// +kubebuilder:rbac:groups=reelops.dev,resources=apikeys/status,verbs=patch
// +kubebuilder:rbac:groups=reelops.dev,resources=brands,verbs=get;list;watch

// SetupWithManager registers the controller. It watches APIKeys and Brands. When a key of a brand becomes usable or
// unusable, the brand's other keys are reconciled, because the number of usable keys is limited.
func (r *Reconciler) SetupWithManager(mgr ctrl.Manager) error {
	usableChanged := predicate.Funcs{
		CreateFunc: func(event.CreateEvent) bool { return false },
		UpdateFunc: func(e event.UpdateEvent) bool {
			return usable(e.ObjectOld.(*v1beta1.APIKey)) != usable(e.ObjectNew.(*v1beta1.APIKey))
		},
	}
	return ctrl.NewControllerManagedBy(mgr).Named("apikey").
		For(&v1beta1.APIKey{}, builder.WithPredicates(predicate.GenerationChangedPredicate{})).
		Watches(&v1beta1.APIKey{}, handler.EnqueueRequestsFromMapFunc(func(ctx context.Context, o client.Object) []ctrl.Request {
			return r.keys(ctx, o.GetNamespace(), o.(*v1beta1.APIKey).Spec.BrandRef.Name, o.GetName())
		}), builder.WithPredicates(usableChanged)).
		Watches(&v1beta1.Brand{}, handler.EnqueueRequestsFromMapFunc(func(ctx context.Context, o client.Object) []ctrl.Request {
			return r.keys(ctx, o.GetNamespace(), o.GetName(), "")
		}), builder.WithPredicates(predicate.Funcs{UpdateFunc: func(event.UpdateEvent) bool { return false }})).
		Complete(reconcile.AsReconciler(mgr.GetClient(), r))
}

// usable reports whether the key was ready at its last reconcile.
func usable(k *v1beta1.APIKey) bool {
	return meta.IsStatusConditionTrue(k.Status.Conditions, string(v1beta1.ConditionReady))
}

// keys returns requests for the keys of a brand, except the one with the name.
func (r *Reconciler) keys(ctx context.Context, namespace, brand, except string) []ctrl.Request {
	var list v1beta1.APIKeyList
	if err := r.Client.List(ctx, &list, client.InNamespace(namespace), client.MatchingLabels{v1beta1.LabelBrand: brand}); err != nil {
		return nil // the conditions only inform users
	}
	var out []ctrl.Request
	for i := range list.Items {
		if k := &list.Items[i]; k.Name != except {
			out = append(out, ctrl.Request{NamespacedName: client.ObjectKeyFromObject(k)})
		}
	}
	return out
}

// Reconcile observes, decides and reports.
func (r *Reconciler) Reconcile(ctx context.Context, k *v1beta1.APIKey) (ctrl.Result, error) {
	if !k.DeletionTimestamp.IsZero() {
		return ctrl.Result{}, nil
	}
	if err := identity.Ensure(ctx, r.Client, k, r.NextID, &k.Spec.BrandRef); err != nil {
		return outcome.Result(err)
	}
	o, err := r.observe(ctx, k)
	if err != nil {
		return outcome.Result(err)
	}
	w := status.Begin(r.Client, k)
	report(k, decide(k, o))
	if err := w.Persist(ctx); err != nil {
		return outcome.Result(err)
	}
	return r.retire(ctx, k, o.now)
}

// retire deletes a key when Retention has elapsed since its end. It keeps one that a tool applies from a manifest: the
// tool would create the key again, and with it a key that a user has revoked.
func (r *Reconciler) retire(ctx context.Context, k *v1beta1.APIKey, now time.Time) (ctrl.Result, error) {
	ended, ok := end(k)
	switch wait := ended.Sub(now); {
	case !ok:
		return ctrl.Result{}, nil
	case wait > 0: // the key expires later
		return ctrl.Result{RequeueAfter: wait}, nil
	case wait+Retention > 0:
		return ctrl.Result{RequeueAfter: wait + Retention}, nil
	}
	var live v1beta1.APIKey
	if err := r.Live.Get(ctx, client.ObjectKeyFromObject(k), &live); err != nil {
		return outcome.Result(fmt.Errorf("reading APIKey: %w", err))
	}
	if fieldowner.Declarer(live.ManagedFields) != "" {
		return ctrl.Result{}, nil
	}
	// The preconditions protect a key that has changed since it was judged, and another one of the same name.
	err := r.Client.Delete(ctx, k, client.Preconditions{UID: &k.UID, ResourceVersion: &k.ResourceVersion})
	if err == nil {
		ctrl.LoggerFrom(ctx).Info("deleted a key that has ended", "ended", ended)
	}
	return outcome.Result(err)
}

// end returns the time from which a reported key cannot be used, and false for one that has no end. The time of a
// revoked key is that of the condition, because the spec has none.
func end(k *v1beta1.APIKey) (time.Time, bool) {
	var unusable time.Time
	if c := meta.FindStatusCondition(k.Status.Conditions, string(v1beta1.ConditionReady)); c != nil {
		unusable = c.LastTransitionTime.Time
	}
	expires := k.Spec.ExpiresAt
	switch {
	case k.Spec.Revoked:
		return unusable, true
	case expires == nil:
		return time.Time{}, false
	case expires.After(unusable):
		return expires.Time, true
	}
	return unusable, true
}

// observed has the inputs of a decision besides the object.
type observed struct {
	now   time.Time
	brand bool
	// older is the number of the brand's usable keys with a lower ID.
	older int
}

func (r *Reconciler) observe(ctx context.Context, k *v1beta1.APIKey) (observed, error) {
	o := observed{now: r.Clock.Now(), brand: true}
	var err error
	if o.older, err = r.older(ctx, k, o.now); err != nil {
		return o, err
	}
	err = r.Client.Get(ctx, client.ObjectKey{Namespace: k.Namespace, Name: k.Spec.BrandRef.Name}, &v1beta1.Brand{})
	if apierrors.IsNotFound(err) {
		o.brand = false
	} else if err != nil {
		return o, fmt.Errorf("reading Brand: %w", err)
	}
	return o, nil
}

// decision is the condition Ready of the key.
type decision struct {
	ready   bool
	reason  v1beta1.Reason
	message string
}

// decide returns whether the key is usable. The first rule that matches wins.
func decide(k *v1beta1.APIKey, o observed) decision {
	switch expires := k.Spec.ExpiresAt; {
	case k.Spec.Revoked:
		return decision{false, v1beta1.ReasonRevoked, "The key was revoked"}
	case expires != nil && !o.now.Before(expires.Time):
		return decision{false, v1beta1.ReasonExpired, "The key has expired"}
	case !o.brand:
		return decision{false, v1beta1.ReasonBrandNotFound, "There is no Brand " + k.Spec.BrandRef.Name + ": the key is not accepted"}
	case o.older >= apikey.Most(k):
		message := fmt.Sprintf("The brand has more than %d usable keys: revoke one", apikey.Most(k))
		return decision{false, v1beta1.ReasonTooManyKeys, message}
	}
	return decision{true, v1beta1.ReasonReady, "The key can be used"}
}

// report sets the conditions. A revoked key is not stalled: it is in the requested state.
func report(k *v1beta1.APIKey, d decision) {
	c := status.Conditions{List: &k.Status.Conditions, Generation: k.Generation}
	c.Set(v1beta1.ConditionReady, d.ready, d.reason, d.message)
	switch d.reason {
	case v1beta1.ReasonExpired, v1beta1.ReasonTooManyKeys:
		c.Set(v1beta1.ConditionStalled, true, d.reason, d.message)
	default:
		c.Remove(v1beta1.ConditionStalled)
	}
}

// older returns the number of the brand's usable keys with a lower ID.
func (r *Reconciler) older(ctx context.Context, k *v1beta1.APIKey, now time.Time) (int, error) {
	var list v1beta1.APIKeyList
	brand := client.MatchingLabels{v1beta1.LabelBrand: k.Spec.BrandRef.Name}
	if err := r.Client.List(ctx, &list, client.InNamespace(k.Namespace), brand); err != nil {
		return 0, fmt.Errorf("listing APIKeys: %w", err)
	}
	n := 0
	mine, _ := identity.Of(k)
	for i := range list.Items {
		o := &list.Items[i]
		if id, ok := identity.Of(o); ok && id < mine && apikey.CountsWith(o, k, now) {
			n++
		}
	}
	return n, nil
}
