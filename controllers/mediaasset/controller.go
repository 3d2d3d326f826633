// SPDX-License-Identifier: Apache-2.0

package mediaasset

import (
	"context"

	batchv1 "k8s.io/api/batch/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/account/tenancy"
	"github.com/reelops/reelops/internal/kube/finalize"
	"github.com/reelops/reelops/internal/kube/identity"
	"github.com/reelops/reelops/internal/kube/status"
	"github.com/reelops/reelops/internal/media/intake"
	"github.com/reelops/reelops/internal/process/fairqueue"
	"github.com/reelops/reelops/internal/process/outcome"
	"github.com/reelops/reelops/internal/process/tracing"
)

// Finalizer keeps a MediaAsset until its file is deleted from the store.
const Finalizer = v1beta1.FinalizerMediaAsset

const (
	// decodes is how many images are decoded in memory at a time, decodesEach how many of one account.
	decodes, decodesEach = 2, 1
)

// Reconciler ingests the files of MediaAssets.
type Reconciler struct {
	Client client.Client
	Intake *intake.Intake
	NextID func(context.Context) (int64, error)

	decodes *fairqueue.Slots
}

// New returns a Reconciler.
func New(c client.Client, in *intake.Intake, next func(context.Context) (int64, error)) *Reconciler {
	return &Reconciler{Client: c, Intake: in, NextID: next, decodes: fairqueue.NewSlots(decodes, decodesEach)}
}

// +kubebuilder:rbac:groups=reelops.dev,resources=mediaassets,verbs=get;list;watch;patch
// +kubebuilder:rbac:groups=reelops.dev,resources=mediaassets/status,verbs=patch
// +kubebuilder:rbac:groups=reelops.dev,resources=mediaassets/finalizers,verbs=update
// +kubebuilder:rbac:groups=reelops.dev,resources=posts,verbs=list;watch
// +kubebuilder:rbac:groups=batch,resources=jobs,verbs=list;watch;create;delete
// +kubebuilder:rbac:groups="",resources=pods,verbs=list;watch
// +kubebuilder:rbac:groups="",resources=secrets,verbs=create;delete
// +kubebuilder:rbac:groups=events.k8s.io,resources=events,verbs=create;patch
// +kubebuilder:rbac:groups=reelops.dev,resources=accounts,verbs=get;list;watch

// SetupWithManager registers the controller. It watches MediaAssets, their probe Jobs, and Accounts.
func (r *Reconciler) SetupWithManager(mgr ctrl.Manager) error {
	return ctrl.NewControllerManagedBy(mgr).Named("mediaasset").
		For(&v1beta1.MediaAsset{}, builder.WithPredicates(intake.Changed())).
		Owns(&batchv1.Job{}).
		Watches(&v1beta1.Account{}, handler.EnqueueRequestsFromMapFunc(r.waitingIn),
			builder.WithPredicates(tenancy.Opened())).
		WithOptions(controller.Options{MaxConcurrentReconciles: intake.Workers, NewQueue: fairqueue.New(intake.WorkersEach)}).
		Complete(reconcile.AsReconciler(mgr.GetClient(), tracing.Passes(r)))
}

// waitingIn returns requests for the unsettled MediaAssets in the namespace of an Account.
func (r *Reconciler) waitingIn(ctx context.Context, account client.Object) []ctrl.Request {
	return intake.Unsettled(ctx, r.Client, account.GetNamespace(), &v1beta1.MediaAssetList{},
		func(m *v1beta1.MediaAsset) *v1beta1.Work { return m.Status.Work })
}

// Reconcile runs one pass.
func (r *Reconciler) Reconcile(ctx context.Context, m *v1beta1.MediaAsset) (ctrl.Result, error) {
	if !m.DeletionTimestamp.IsZero() {
		return intake.Result(r.Intake.Release(ctx, r.Client, m, Finalizer, m.Spec.Source, m.Status.Work, m.Status.JobName))
	}
	if err := finalize.Ensure(ctx, r.Client, m, Finalizer); err != nil {
		return outcome.Result(err)
	}
	if err := identity.Ensure(ctx, r.Client, m, r.NextID, m.Spec.BrandRef); err != nil {
		return outcome.Result(err)
	}
	w := status.Begin(r.Client, m)
	f := &intake.File{
		Object: m, Source: m.Spec.Source, Work: &m.Status.Work, Error: &m.Status.Error, RetriedFor: &m.Status.RetriedFor,
		Conditions: status.Conditions{List: &m.Status.Conditions, Generation: m.Generation}, Kind: "media",
		JobName: &m.Status.JobName, BlobKey: &m.Status.BlobKey, Made: starterFile,
		Judge: func(head []byte) (intake.Kept, *intake.Refusal) { return judge(m, head) },
		Look:  func(ctx context.Context, key string) (bool, error) { return r.look(ctx, m, key) },
		Order: r.order(m),
		Take:  r.take(m),
	}
	f.Persist = func(ctx context.Context) error {
		report(m, f)
		return w.Persist(ctx)
	}
	return intake.Result(r.Intake.Pass(ctx, f))
}
