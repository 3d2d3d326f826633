// SPDX-License-Identifier: Apache-2.0

// Package account keeps an Account's id and conditions, and gives back what is held for slideshows that never came. What
// the account has used is counted by the controllers that use it; see controllers/doc.go.
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

// Reconciler keeps accounts.
type Reconciler struct {
	Client client.Client
	Live   client.Reader // reads the cluster itself
	Ledger *ledger.Book
	Clock  clock.Clock
	NextID func(context.Context) (int64, error)
	// Tenancy lets the manager read the tokens of an account's namespace; nil where it may anyway.
	Tenancy Tenancy
}

// Tenancy is internal/account/tenancy's Binder, or internal/work/confine's Confiner around it.
type Tenancy interface {
	Bind(ctx context.Context, namespace string) error
}

// refusedWait is how long a pass waits for an administrator to say that a namespace is an account's.
const refusedWait = 2 * time.Minute

// +kubebuilder:rbac:groups=reelops.dev,resources=accounts,verbs=get;list;watch;patch
// +kubebuilder:rbac:groups=reelops.dev,resources=accounts/status,verbs=patch
// +kubebuilder:rbac:groups=reelops.dev,resources=slideshows;videos,verbs=get
// +kubebuilder:rbac:groups="",resources=namespaces,verbs=list;watch
// +kubebuilder:rbac:groups=rbac.authorization.k8s.io,resources=rolebindings,verbs=create
// +kubebuilder:rbac:groups=rbac.authorization.k8s.io,resources=rolebindings,resourceNames=reelops-manager-account,verbs=get
// +kubebuilder:rbac:groups=rbac.authorization.k8s.io,resources=clusterroles,resourceNames=reelops-manager-account,verbs=bind

// SetupWithManager wires the controller: the account with its own status, because usage decides what Ready says, and the
// label of its namespace. Of namespaces the cache holds the metadata of those that have the label.
func (r *Reconciler) SetupWithManager(mgr ctrl.Manager) error {
	return ctrl.NewControllerManagedBy(mgr).Named("account").
		For(&v1beta1.Account{}).
		Watches(&corev1.Namespace{}, handler.EnqueueRequestsFromMapFunc(accountOf), builder.OnlyMetadata, builder.WithPredicates(predicate.LabelChangedPredicate{})).
		Complete(reconcile.AsReconciler(mgr.GetClient(), r))
}

// accountOf leads from a namespace to its Account.
func accountOf(_ context.Context, namespace client.Object) []ctrl.Request {
	return []ctrl.Request{{NamespacedName: client.ObjectKey{Namespace: namespace.GetName(), Name: v1beta1.AccountName}}}
}

// Reconcile is one pass.
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
	a.Status.SlideshowsUsed = q.Used // the ledger writes it with every change
	c := status.Conditions{List: &a.Status.Conditions, Generation: a.Generation}
	if q.Exhausted() {
		c.Set(v1beta1.ConditionReady, false, v1beta1.ReasonQuotaExceeded, "The plan's slideshows of this period are used up")
	} else {
		c.Set(v1beta1.ConditionReady, true, v1beta1.ReasonReady, "The account may make slideshows")
	}
	refused, unbound := r.bind(ctx, a, c)
	if refused && !q.Exhausted() {
		c.Set(v1beta1.ConditionReady, false, v1beta1.ReasonNamespaceNotLabelled, "Slides are drawn; files are not opened, videos not rendered and "+
			"social accounts not connected before the namespace has its label, see Connectable")
	}
	if err := w.Persist(ctx); err != nil {
		return outcome.Result(err)
	}
	if unbound != nil {
		return outcome.Result(unbound)
	}
	again, err := r.sweep(ctx, a, now)
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

// refuse reports that the namespace cannot be an account's. The policy reelops-accounts rejects such an Account; this one is older.
func (r *Reconciler) refuse(ctx context.Context, a *v1beta1.Account) error {
	w := status.Begin(r.Client, a)
	c := status.Conditions{List: &a.Status.Conditions, Generation: a.Generation}
	c.Remove(v1beta1.ConditionConnectable)
	c.Set(v1beta1.ConditionReady, false, v1beta1.ReasonNamespaceReserved, tenancy.ReservedMessage)
	return w.Persist(ctx)
}

// bind takes the right to read the account's tokens. Without it slides are drawn all the same, so it is a condition of its own.
func (r *Reconciler) bind(ctx context.Context, a *v1beta1.Account, c status.Conditions) (refused bool, err error) {
	if r.Tenancy == nil {
		c.Remove(v1beta1.ConditionConnectable)
		return false, nil
	}
	switch err := r.Tenancy.Bind(ctx, a.Namespace); {
	case outcome.Terminating(err):
		return false, err
	case apierrors.IsForbidden(err):
		c.Set(v1beta1.ConditionConnectable, false, v1beta1.ReasonNamespaceNotLabelled, "An administrator has to mark the namespace as an account's: "+
			tenancy.LabelCommand(a.Namespace))
		log.FromContext(ctx).Info("binding the manager's role was rejected", "account", a.Namespace, "error", err.Error())
		return true, nil
	case err != nil:
		return false, err
	}
	c.Set(v1beta1.ConditionConnectable, true, v1beta1.ReasonReady, "Social accounts can be connected and published to")
	return false, nil
}
