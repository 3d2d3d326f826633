// SPDX-License-Identifier: Apache-2.0

package video

import (
	"context"
	"slices"

	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/events"
	"k8s.io/utils/clock"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/account/ledger"
	"github.com/reelops/reelops/internal/account/tenancy"
	"github.com/reelops/reelops/internal/content/textgen"
	"github.com/reelops/reelops/internal/film/shortwork"
	"github.com/reelops/reelops/internal/film/speech"
	"github.com/reelops/reelops/internal/kube/status"
	"github.com/reelops/reelops/internal/process/fairqueue"
	"github.com/reelops/reelops/internal/process/outcome"
	"github.com/reelops/reelops/internal/process/tracing"
	"github.com/reelops/reelops/internal/store/blob"
	"github.com/reelops/reelops/internal/work/runner"
)

// Finalizer keeps a Video until its files are removed from the store.
const Finalizer = v1beta1.FinalizerVideo

// passes is the number of concurrent reconciles. They wait for services and draw words.
const passes = 4

// Reconciler reconciles Videos.
type Reconciler struct {
	Client client.Client
	Live   client.Reader // reads the API server, not the cache
	Ledger *ledger.Book
	Clock  clock.Clock
	Events events.EventRecorder
	// Record records the events of an object whose finalizer is about to be removed; nil to record none.
	Record func(ctx context.Context, o client.Object) error
	NextID func(context.Context) (int64, error) // returns the next id of a short
	Writer textgen.HookWriter
	// Speaker is a speech service; nil if the Jobs speak.
	Speaker speech.Speaker
	Drawer  TextDrawer
	Store   *blob.Store
	Jobs    *runner.Runner
	// Library is the namespace whose media are visible to every account.
	Library string
	// Gate decides in which namespaces Jobs are created; nil for all.
	Gate *tenancy.Gate
}

// +kubebuilder:rbac:groups=reelops.dev,resources=videos,verbs=get;list;watch;patch
// +kubebuilder:rbac:groups=reelops.dev,resources=videos/status,verbs=patch
// +kubebuilder:rbac:groups=reelops.dev,resources=videos/finalizers,verbs=update
// +kubebuilder:rbac:groups=reelops.dev,resources=brands,verbs=get;list;watch
// +kubebuilder:rbac:groups=reelops.dev,resources=posts,verbs=list;watch
// +kubebuilder:rbac:groups=reelops.dev,resources=mediaassets,verbs=get;list;watch;create;delete
// +kubebuilder:rbac:groups=reelops.dev,resources=renderjobs,verbs=list;watch;create;delete
// +kubebuilder:rbac:groups=reelops.dev,resources=accounts,verbs=get;list;watch
// +kubebuilder:rbac:groups=reelops.dev,resources=accounts/status,verbs=patch
// +kubebuilder:rbac:groups=batch,resources=jobs,verbs=list;watch;create;delete
// +kubebuilder:rbac:groups="",resources=pods,verbs=list;watch
// +kubebuilder:rbac:groups="",resources=secrets,verbs=create;delete
// +kubebuilder:rbac:groups=events.k8s.io,resources=events,verbs=create;patch

// SetupWithManager registers the controller. It watches videos, their renders and Jobs, and the account, brands and
// clips that a video may wait for.
func (r *Reconciler) SetupWithManager(mgr ctrl.Manager) error {
	// The progress of a render changes every second and does not affect the video.
	turned := predicate.Funcs{UpdateFunc: func(e event.UpdateEvent) bool { return renderProgress(e.ObjectOld) != renderProgress(e.ObjectNew) }}
	waiting := handler.EnqueueRequestsFromMapFunc(r.waitingIn)
	return ctrl.NewControllerManagedBy(mgr).
		Named("video").
		For(&v1beta1.Video{}, builder.WithPredicates(shortwork.Changed())).
		Owns(&v1beta1.RenderJob{}, builder.WithPredicates(turned)).
		Owns(&batchv1.Job{}).
		Watches(&v1beta1.Account{}, waiting, builder.WithPredicates(tenancy.Opened())).
		Watches(&v1beta1.Brand{}, waiting, builder.WithPredicates(predicate.GenerationChangedPredicate{})).
		Watches(&v1beta1.MediaAsset{}, waiting).
		WithOptions(controller.Options{MaxConcurrentReconciles: passes, NewQueue: fairqueue.New(passes - 1)}).
		Complete(reconcile.AsReconciler(mgr.GetClient(), tracing.Passes(r)))
}

// renderProgress returns what a video depends on in the status of its render.
func renderProgress(o client.Object) string {
	w := o.(*v1beta1.RenderJob).Status.Work
	if w == nil {
		return ""
	}
	state := string(w.State)
	if w.StartedAt != nil {
		state += "/" + w.StartedAt.String()
	}
	return state
}

// IndexWaiting is the cache index of videos whose work has not settled.
const IndexWaiting = "reelops.waiting"

// WaitingIndex returns the keys of an object in IndexWaiting.
func WaitingIndex(o client.Object) []string {
	v := o.(*v1beta1.Video)
	if v.Spec.Suspend && v.Status.Work == nil || shortwork.Settled(v.Status.Work) {
		return nil
	}
	return []string{"true"}
}

// waitingIn returns requests for the videos that may wait for an object. The owner of a clip is one of them even if its
// work has settled, because it may wait for the deletion of the clip.
func (r *Reconciler) waitingIn(ctx context.Context, o client.Object) []ctrl.Request {
	out := shortwork.Waiting(ctx, r.Client, &v1beta1.VideoList{}, IndexWaiting, o, r.Library)
	if owner := metav1.GetControllerOf(o); owner != nil && owner.Kind == v1beta1.KindVideo {
		own := ctrl.Request{NamespacedName: client.ObjectKey{Namespace: o.GetNamespace(), Name: owner.Name}}
		if !slices.Contains(out, own) {
			out = append(out, own)
		}
	}
	return out
}

// Reconcile observes, decides, acts, and persists the result. The intent of an action that must not be repeated was
// persisted by the pass before: the start of the work before its first action, and the number of an attempt to speak
// before its Job exists.
func (r *Reconciler) Reconcile(ctx context.Context, v *v1beta1.Video) (ctrl.Result, error) {
	if err := shortwork.Adopt(ctx, r.Client, v, r.NextID, &v.Spec.BrandRef, Finalizer); err != nil {
		return outcome.Result(err)
	}
	w := status.Begin(r.Client, v)
	o, err := r.observe(ctx, v)
	if err != nil {
		return outcome.Result(err)
	}
	d := decide(v, o, r.Clock.Now())
	res := r.act(ctx, v, o, d)
	if res.err != nil {
		return outcome.Result(res.err)
	}
	if d.kind == actionClean {
		return ctrl.Result{RequeueAfter: res.wait}, nil // the object was deleted, or its pod has to end first
	}
	report(v, o, d, res, r.Clock.Now())
	before := w.Before()
	var keep func(*v1beta1.Video)
	if res.text != nil {
		keep = func(v *v1beta1.Video) { v.Status.Text = res.text }
	}
	if err := shortwork.Persist(ctx, r.Client, w, keep); err != nil {
		return outcome.Result(err)
	}
	shortwork.Announce(r.Events, v, before.Status.Work, v.Status.Work, func() string { return "video of " + ready(v) })
	return ctrl.Result{RequeueAfter: res.requeue(d, v)}, nil
}
