// SPDX-License-Identifier: Apache-2.0

package video

import (
	"context"
	"slices"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
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

// Finalizer holds a Video until its blobs are gone.
const Finalizer = v1beta1.FinalizerVideo

// passes at once: they wait for services, and draw words.
const passes = 4

// Reconciler makes videos.
type Reconciler struct {
	Client client.Client
	Live   client.Reader // reads the cluster itself
	Ledger *ledger.Book
	Clock  clock.Clock
	Events events.EventRecorder
	NextID func(context.Context) (int64, error) // gives short ids
	Writer textgen.HookWriter
	// Speaker is a speech service; nil lets the renderer speak.
	Speaker speech.Speaker
	// Letters draws the words.
	Letters Letterer
	Store   *blob.Store
	Jobs    *runner.Runner
	// Library is the namespace whose media every account sees.
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

// SetupWithManager wires the controller: its own spec, the retry annotation, its render and its Jobs, and the account, brand and
// clips it may be waiting for.
func (r *Reconciler) SetupWithManager(mgr ctrl.Manager) error {
	// How far a render is changes every second and means nothing to the video.
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

// WaitingIndex fills IndexWaiting.
func WaitingIndex(o client.Object) []string {
	v := o.(*v1beta1.Video)
	if v.Spec.Suspend && v.Status.Work == nil || v.Status.Work != nil && v.Status.Work.State.Settled() {
		return nil
	}
	return []string{"true"}
}

// waitingIn lists the videos that wait for something another object may now give. The owner of a clip is among them, also when
// its work has settled: it may wait for the clip to go.
func (r *Reconciler) waitingIn(ctx context.Context, o client.Object) []ctrl.Request {
	var list v1beta1.VideoList
	in := client.InNamespace(o.GetNamespace())
	if o.GetNamespace() == r.Library {
		in = "" // every account sees it
	}
	if err := r.Client.List(ctx, &list, in, client.MatchingFields{IndexWaiting: "true"}); err != nil {
		return nil // the resync of the cache brings them back
	}
	out := make([]ctrl.Request, 0, len(list.Items)+1)
	for i := range list.Items {
		out = append(out, ctrl.Request{NamespacedName: client.ObjectKeyFromObject(&list.Items[i])})
	}
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
	if err := r.adopt(ctx, v); err != nil {
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
		return ctrl.Result{RequeueAfter: res.wait}, nil // the object is gone, or its pod has to end first
	}
	report(v, o, d, res, r.Clock.Now())
	before := w.Before()
	if err := w.Persist(ctx); err != nil {
		if res.text != nil && apierrors.IsConflict(err) {
			if kept := r.keep(ctx, before, res.text); kept != nil {
				err = kept
			}
		}
		return outcome.Result(err)
	}
	r.announce(before, v)
	return ctrl.Result{RequeueAfter: res.requeue(d, v)}, nil
}

// keep records a text although the video has changed while it was written: somebody set a label, perhaps, and the writer may
// have cost money. Nobody else writes the field.
func (r *Reconciler) keep(ctx context.Context, before *v1beta1.Video, text *v1beta1.VideoText) error {
	after := before.DeepCopy()
	after.Status.Text = text
	return r.Client.Status().Patch(ctx, after, client.MergeFrom(before))
}

// announce tells of what happened in this pass: never of waiting.
func (r *Reconciler) announce(before, after *v1beta1.Video) {
	was, is := workState(before), workState(after)
	if was == is {
		return
	}
	switch is {
	case v1beta1.WorkProcessing:
		r.Events.Eventf(after, nil, corev1.EventTypeNormal, string(v1beta1.ReasonProgressing), "Generate", "work began, attempt %d", after.Status.Work.Attempt)
	case v1beta1.WorkSucceeded:
		r.Events.Eventf(after, nil, corev1.EventTypeNormal, string(v1beta1.ReasonReady), "Generate",
			"film of %s", ready(after))
	case v1beta1.WorkFailed:
		r.Events.Eventf(after, nil, corev1.EventTypeWarning, string(v1beta1.ReasonFailed), "Generate",
			"%s: %s", after.Status.Work.Error.Code, after.Status.Work.Error.Message)
	}
}

func workState(v *v1beta1.Video) v1beta1.WorkState {
	if v.Status.Work == nil {
		return ""
	}
	return v.Status.Work.State
}
