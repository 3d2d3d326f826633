// SPDX-License-Identifier: Apache-2.0

package renderjob

import (
	"context"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/events"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/utils/clock"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/account/tenancy"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/kube/status"
	"github.com/reelops/reelops/internal/process/outcome"
	"github.com/reelops/reelops/internal/process/tracing"
	"github.com/reelops/reelops/internal/store/blob"
	"github.com/reelops/reelops/internal/work/callback"
	"github.com/reelops/reelops/internal/work/pod"
)

// Finalizer keeps a RenderJob until its files are removed from the store, except those that open posts publish.
const Finalizer = v1beta1.FinalizerRenderJob

// Reconciler reconciles RenderJobs.
type Reconciler struct {
	Client client.Client
	Live   client.Reader // reads the API server, not the cache
	Clock  clock.Clock
	Events events.EventRecorder
	// Record records the events of an object whose finalizer is about to be removed; nil to record none.
	Record func(ctx context.Context, o client.Object) error
	Store  *blob.Store
	Signer *callback.Signer
	// CallbackURL is the URL of the front end's internal listener, as render pods reach it.
	CallbackURL string
	Pod         pod.Options
	// Library is the namespace whose music all accounts may use.
	Library string
	// Gate decides in which namespaces videos are rendered; nil for all.
	Gate *tenancy.Gate
	// Renders is the largest number of renders at a time, over all accounts; 0 for no limit.
	Renders int

	queue *queue // nil for no limit
}

// +kubebuilder:rbac:groups=reelops.dev,resources=renderjobs,verbs=list;watch;patch
// +kubebuilder:rbac:groups=reelops.dev,resources=renderjobs/status,verbs=patch
// +kubebuilder:rbac:groups=reelops.dev,resources=renderjobs/finalizers,verbs=update
// +kubebuilder:rbac:groups=reelops.dev,resources=slideshows;videos,verbs=get;list;watch
// +kubebuilder:rbac:groups=reelops.dev,resources=musictracks;accounts;posts,verbs=list;watch
// +kubebuilder:rbac:groups=batch,resources=jobs,verbs=list;watch;create;delete
// +kubebuilder:rbac:groups="",resources=pods,verbs=list;watch
// +kubebuilder:rbac:groups="",resources=secrets,verbs=create;delete
// +kubebuilder:rbac:groups=events.k8s.io,resources=events,verbs=create;patch

// SetupWithManager registers the controller. The controller watches RenderJobs, in whose status the front end writes
// progress, and their Jobs and pods. It also watches the slideshows, videos and music that RenderJobs wait for, and
// Accounts.
func (r *Reconciler) SetupWithManager(mgr ctrl.Manager) error {
	if r.Renders > 0 {
		r.queue = newQueue(r.Renders)
	}
	return ctrl.NewControllerManagedBy(mgr).
		Named("renderjob").
		For(&v1beta1.RenderJob{}).
		Owns(&batchv1.Job{}).
		Watches(&corev1.Pod{}, handler.EnqueueRequestsFromMapFunc(labelled)).
		Watches(&v1beta1.Slideshow{}, handler.EnqueueRequestsFromMapFunc(r.waitingFor(v1beta1.KindSlideshow))).
		Watches(&v1beta1.Video{}, handler.EnqueueRequestsFromMapFunc(r.waitingFor(v1beta1.KindVideo))).
		Watches(&v1beta1.MusicTrack{}, handler.EnqueueRequestsFromMapFunc(r.waitingForMusic)).
		Watches(&v1beta1.Account{}, handler.EnqueueRequestsFromMapFunc(r.waitingIn), builder.WithPredicates(tenancy.Opened())).
		WatchesRawSource(source.Func(func(_ context.Context, q workqueue.TypedRateLimitingInterface[ctrl.Request]) error {
			if r.queue != nil {
				r.queue.enqueueIn(q)
			}
			return nil
		})).
		Watches(&v1beta1.RenderJob{}, handler.Funcs{DeleteFunc: r.deleted}).
		WithOptions(controller.Options{MaxConcurrentReconciles: 4}).
		Complete(reconcile.AsReconciler(mgr.GetClient(), tracing.Passes(r)))
}

// deleted releases the slot of a deleted RenderJob, in case another client removed its finalizer.
func (r *Reconciler) deleted(_ context.Context, e event.DeleteEvent, _ workqueue.TypedRateLimitingInterface[ctrl.Request]) {
	if r.queue != nil {
		r.queue.leave(e.Object.GetUID())
	}
}

// labelled returns a request for the RenderJob that a label of a pod names; none without the label.
func labelled(_ context.Context, o client.Object) []ctrl.Request {
	name := o.GetLabels()[v1beta1.LabelRenderJob]
	if name == "" {
		return nil
	}
	return []ctrl.Request{{NamespacedName: client.ObjectKey{Namespace: o.GetNamespace(), Name: name}}}
}

// IndexWaitingFor is the cache index of RenderJobs that have no timeline yet and have not ended. Its keys are the kind
// and name of their source, and anySource, which selects all of them.
const IndexWaitingFor = "reelops.waiting-for"

// WaitingForIndex returns the keys of an object in IndexWaitingFor.
func WaitingForIndex(o client.Object) []string {
	j := o.(*v1beta1.RenderJob)
	if j.Status.TimelineKey != "" || (j.Status.Work != nil && j.Status.Work.State.Settled()) {
		return nil
	}
	return []string{kindOf(j) + "/" + j.Spec.Source.Name, anySource}
}

// kindOf returns the kind of the source of a RenderJob.
func kindOf(j *v1beta1.RenderJob) string {
	if j.Spec.Source.Kind == v1beta1.KindVideo {
		return v1beta1.KindVideo
	}
	return v1beta1.KindSlideshow
}

// waitingFor returns a function from a source of the kind to requests for the RenderJobs that wait for it.
func (r *Reconciler) waitingFor(kind string) handler.MapFunc {
	return func(ctx context.Context, o client.Object) []ctrl.Request {
		return r.waiting(ctx, client.InNamespace(o.GetNamespace()), client.MatchingFields{IndexWaitingFor: kind + "/" + o.GetName()})
	}
}

// waitingIn returns requests for the RenderJobs that wait in the namespace of an Account.
func (r *Reconciler) waitingIn(ctx context.Context, account client.Object) []ctrl.Request {
	return r.waiting(ctx, client.InNamespace(account.GetNamespace()), client.MatchingFields{IndexWaitingFor: anySource})
}

// waiting returns requests for the RenderJobs that the options select.
func (r *Reconciler) waiting(ctx context.Context, which ...client.ListOption) []ctrl.Request {
	var list v1beta1.RenderJobList
	if err := r.Client.List(ctx, &list, which...); err != nil {
		return nil // the RenderJobs are reconciled again at the queue deadline
	}
	out := make([]ctrl.Request, len(list.Items))
	for i := range list.Items {
		out[i] = ctrl.Request{NamespacedName: client.ObjectKeyFromObject(&list.Items[i])}
	}
	return out
}

// Reconcile observes, decides, persists the decision in the status and acts on it.
func (r *Reconciler) Reconcile(ctx context.Context, j *v1beta1.RenderJob) (ctrl.Result, error) {
	o, err := r.observe(ctx, j)
	if err != nil {
		return outcome.Result(err)
	}
	if err := r.adopt(ctx, j, o); err != nil {
		return outcome.Result(err)
	}
	w := status.Begin(r.Client, j)
	d, err := r.awaitSlot(ctx, j, o, decide(j, o, r.Clock.Now()), r.Clock.Now())
	if err != nil {
		return outcome.Result(err)
	}
	switch d.kind {
	case actionStop:
		if err := r.runner().Stop(ctx, attemptOf(j)); err != nil {
			return outcome.Result(err)
		}
		return ctrl.Result{RequeueAfter: d.requeue}, nil
	case actionClean:
		return outcome.Result(r.clean(ctx, j))
	case actionSucceed:
		kept, err := r.keep(ctx, j, d)
		if err != nil {
			return outcome.Result(err)
		}
		if !kept {
			d = nextOr(j, catalog.GenerationFailed, "The video in the store is not the one that was rendered", nil)
		}
	}
	// The input of a Job is recorded before the Job exists, so that a reconcile after a crash creates the same Job. The
	// timeline is stored before the status has its key. Until then, storing another timeline is harmless.
	if d.kind == actionStart && j.Status.TimelineKey == "" {
		if err := r.fix(ctx, j, o); err != nil {
			return outcome.Result(err)
		}
	}
	record(j, o, d, r.Clock.Now())
	report(j, o, d)
	if d.kind == actionSucceed || d.kind == actionFail {
		if err := r.tidy(ctx, j); err != nil {
			return outcome.Result(err)
		}
	}
	if err := w.Persist(ctx); err != nil {
		return outcome.Result(err)
	}
	if err := r.act(ctx, j, d); err != nil {
		return outcome.Result(err)
	}
	count(j, o, d)
	if r.queue != nil && (d.kind == actionSucceed || d.kind == actionFail) {
		r.queue.leave(j.UID)
	}
	r.announce(o.before, j)
	return ctrl.Result{RequeueAfter: d.requeue}, nil
}

// announce emits an event if the state of the work changed.
func (r *Reconciler) announce(before v1beta1.WorkState, j *v1beta1.RenderJob) {
	w := j.Status.Work
	if w == nil || w.State == before {
		return
	}
	switch w.State {
	case v1beta1.WorkProcessing:
		r.Events.Eventf(j, nil, corev1.EventTypeNormal, string(v1beta1.ReasonProgressing), "Render", "rendering started, attempt %d", w.Attempt)
	case v1beta1.WorkSucceeded:
		r.Events.Eventf(j, nil, corev1.EventTypeNormal, string(v1beta1.ReasonReady), "Render",
			"video of %s, %d bytes, in attempt %d", time.Duration(j.Status.Output.DurationMilliseconds)*time.Millisecond, j.Status.Output.Bytes, w.Attempt)
	case v1beta1.WorkFailed:
		r.Events.Eventf(j, nil, corev1.EventTypeWarning, string(v1beta1.ReasonFailed), "Render", "%s: %s", w.Error.Code, w.Error.Message)
	}
}
