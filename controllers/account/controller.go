// SPDX-License-Identifier: Apache-2.0

// Package account sets an Account's ID and conditions, and has internal/account/ledger release the reservations of
// shorts that were never created. Other controllers record the account's usage; see controllers/doc.go.
package account

import (
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/utils/clock"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/account/ledger"
	"github.com/reelops/reelops/internal/account/quota"
	"github.com/reelops/reelops/internal/account/tenancy"
	"github.com/reelops/reelops/internal/kube/identity"
	"github.com/reelops/reelops/internal/kube/status"
	"github.com/reelops/reelops/internal/process/outcome"
	"github.com/reelops/reelops/internal/store/blobkey"
)

// Reconciler reconciles Accounts.
type Reconciler struct {
	Client client.Client
	Ledger *ledger.Book
	Clock  clock.Clock
	NextID func(context.Context) (int64, error)
	// Tenancy binds the role for the tokens in an account's namespace; nil if the manager's own role covers them.
	Tenancy Tenancy
}

// Tenancy binds the manager's role in the namespace of an account. It is the Binder of internal/account/tenancy, or the
// Confiner of internal/work/confine around one.
type Tenancy interface {
	Bind(ctx context.Context, namespace string) error
}

// refusedWait is the maximum requeue while the namespace lacks its label.
const refusedWait = 2 * time.Minute

// +kubebuilder:rbac:groups=reelops.dev,resources=accounts,verbs=get;list;watch;patch
// +kubebuilder:rbac:groups=reelops.dev,resources=accounts/status,verbs=patch
// +kubebuilder:rbac:groups=reelops.dev,resources=slideshows;videos,verbs=get
// +kubebuilder:rbac:groups="",resources=namespaces,verbs=list;watch
// +kubebuilder:rbac:groups=rbac.authorization.k8s.io,resources=rolebindings,verbs=create
// +kubebuilder:rbac:groups=rbac.authorization.k8s.io,resources=rolebindings,resourceNames=reelops-manager-account,verbs=get
// +kubebuilder:rbac:groups=rbac.authorization.k8s.io,resources=clusterroles,resourceNames=reelops-manager-account,verbs=bind

// SetupWithManager registers the controller. It watches Accounts with their status, because Ready depends on usage, and
// the labels of their namespaces. The cache holds the metadata of labelled namespaces only.
func (r *Reconciler) SetupWithManager(mgr ctrl.Manager) error {
	return ctrl.NewControllerManagedBy(mgr).Named("account").
		For(&v1beta1.Account{}).
		Watches(&corev1.Namespace{}, handler.EnqueueRequestsFromMapFunc(accountOf), builder.OnlyMetadata, builder.WithPredicates(predicate.LabelChangedPredicate{})).
		Complete(reconcile.AsReconciler(mgr.GetClient(), r))
}

// accountOf returns the request for the Account of a namespace.
func accountOf(_ context.Context, namespace client.Object) []ctrl.Request {
	return []ctrl.Request{{NamespacedName: client.ObjectKey{Namespace: namespace.GetName(), Name: v1beta1.AccountName}}}
}

// Reconcile observes the usage and the binding of the role, reports, persists, and then releases expired reservations.
func (r *Reconciler) Reconcile(ctx context.Context, a *v1beta1.Account) (ctrl.Result, error) {
	if !a.DeletionTimestamp.IsZero() {
		return ctrl.Result{}, nil
	}
	if err := identity.Ensure(ctx, r.Client, a, r.NextID, nil); err != nil {
		return outcome.Result(err)
	}
	if a.Namespace == blobkey.Shared {
		return ctrl.Result{}, r.refuse(ctx, a)
	}
	w := status.Begin(r.Client, a)
	now := r.Clock.Now()
	q := quota.Of(a, now)
	a.Status.SlideshowsUsed = q.Used // also written by the ledger with every change
	c := status.Conditions{List: &a.Status.Conditions, Generation: a.Generation}
	if q.Exhausted() {
		c.Set(v1beta1.ConditionReady, false, v1beta1.ReasonQuotaExceeded, "The plan's slideshows of this period are used up")
	} else {
		c.Set(v1beta1.ConditionReady, true, v1beta1.ReasonReady, "The account can create slideshows")
	}
	refused, unbound := r.bind(ctx, a, c)
	if refused && !q.Exhausted() {
		c.Set(v1beta1.ConditionReady, false, v1beta1.ReasonNamespaceNotLabelled, "Slides are drawn. Files are not read, videos not rendered and "+
			"social accounts not connected until the namespace has its label: see Connectable")
	}
	if err := w.Persist(ctx); err != nil {
		return outcome.Result(err)
	}
	if unbound != nil {
		return outcome.Result(unbound)
	}
	again, err := r.Ledger.ReleaseOrphans(ctx, a, now)
	if err != nil {
		return outcome.Result(err)
	}
	if end := q.PeriodEnd.Sub(now) + time.Second; q.Used > 0 && (again == 0 || end < again) {
		again = end
	}
	if refused && (again == 0 || refusedWait < again) {
		again = refusedWait
	}
	return ctrl.Result{RequeueAfter: again}, nil
}

// refuse reports that the namespace is reserved. The policy reelops-accounts rejects such Accounts; this one is older
// than the policy.
func (r *Reconciler) refuse(ctx context.Context, a *v1beta1.Account) error {
	w := status.Begin(r.Client, a)
	c := status.Conditions{List: &a.Status.Conditions, Generation: a.Generation}
	c.Remove(v1beta1.ConditionConnectable)
	c.Set(v1beta1.ConditionReady, false, v1beta1.ReasonNamespaceReserved, tenancy.ReservedMessage)
	return w.Persist(ctx)
}

// bind binds the role for the account's tokens. It has its own condition, because slides are drawn without it.
func (r *Reconciler) bind(ctx context.Context, a *v1beta1.Account, c status.Conditions) (refused bool, err error) {
	if r.Tenancy == nil {
		c.Remove(v1beta1.ConditionConnectable)
		return false, nil
	}
	switch err := r.Tenancy.Bind(ctx, a.Namespace); {
	case outcome.Terminating(err):
		return false, err
	case apierrors.IsForbidden(err):
		c.Set(v1beta1.ConditionConnectable, false, v1beta1.ReasonNamespaceNotLabelled, "An administrator has to label the namespace: "+
			tenancy.LabelCommand(a.Namespace))
		log.FromContext(ctx).Info("binding role was rejected", "account", a.Namespace, "error", err.Error())
		return true, nil
	case err != nil:
		return false, err
	}
	c.Set(v1beta1.ConditionConnectable, true, v1beta1.ReasonReady, "Social accounts can be connected and published to")
	return false, nil
}
