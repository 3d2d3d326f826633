// SPDX-License-Identifier: Apache-2.0

package slideshow

import (
	"context"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
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
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/content/textgen"
	"github.com/reelops/reelops/internal/film/renders"
	"github.com/reelops/reelops/internal/film/shortwork"
	"github.com/reelops/reelops/internal/film/speech"
	"github.com/reelops/reelops/internal/kube/status"
	"github.com/reelops/reelops/internal/process/fairqueue"
	"github.com/reelops/reelops/internal/process/outcome"
	"github.com/reelops/reelops/internal/process/tracing"
	"github.com/reelops/reelops/internal/work/runner"
)

// Finalizer holds a Slideshow until its blobs are gone.
const Finalizer = v1beta1.FinalizerSlideshow

// Reconciler makes slideshows.
type Reconciler struct {
	Client client.Client
	Live   client.Reader // reads the cluster itself
	Ledger *ledger.Book
	Clock  clock.Clock
	Events events.EventRecorder
	NextID func(context.Context) (int64, error) // gives short ids
	Writer textgen.Writer
	Drawer *Drawer
	Recent *Recent
	// Speaker is a speech service for voice-overs; nil lets the Jobs speak.
	Speaker speech.Speaker
	// Jobs speak the slides, or listen to what the service spoke.
	Jobs *runner.Runner
	// Gate decides in which namespaces Jobs are created; nil for all.
	Gate *tenancy.Gate
	// Pictures makes AI pictures; nil where none are offered. AIImages says so, and what one costs.
	Pictures PictureMaker
	AIImages catalog.AIImages
	// Stock finds pictures of stock providers; nil where there are none. Fetch opens their addresses.
	Stock Stock
	Fetch Fetcher
	// Library is the namespace whose media and packs every account sees.
	Library  string
	Parallel int // slideshows worked on at once
}

// +kubebuilder:rbac:groups=reelops.dev,resources=slideshows,verbs=get;list;watch;patch
// +kubebuilder:rbac:groups=reelops.dev,resources=slideshows/status,verbs=patch
// +kubebuilder:rbac:groups=reelops.dev,resources=slideshows/finalizers,verbs=update
// +kubebuilder:rbac:groups=reelops.dev,resources=brands;mediaassets;videos,verbs=get;list;watch
// +kubebuilder:rbac:groups=reelops.dev,resources=mediapacks;musictracks;posts,verbs=list;watch
// +kubebuilder:rbac:groups=reelops.dev,resources=accounts,verbs=get;list;watch
// +kubebuilder:rbac:groups=reelops.dev,resources=accounts/status,verbs=patch
// +kubebuilder:rbac:groups=reelops.dev,resources=renderjobs,verbs=list;watch;create
// +kubebuilder:rbac:groups=batch,resources=jobs,verbs=list;watch;create;delete
// +kubebuilder:rbac:groups="",resources=pods,verbs=list;watch
// +kubebuilder:rbac:groups="",resources=secrets,verbs=create;delete
// +kubebuilder:rbac:groups=events.k8s.io,resources=events,verbs=create;patch

// SetupWithManager wires the controller: its own spec, the retry annotation, its renders and its Jobs, and the account,
// brands, packs, pictures and music it may be waiting for.
func (r *Reconciler) SetupWithManager(mgr ctrl.Manager) error {
	// The percentage of a render changes every second and is not in the status of the slideshow.
	turned := predicate.Funcs{UpdateFunc: func(e event.UpdateEvent) bool {
		return renderState(e.ObjectOld) != renderState(e.ObjectNew)
	}}
	waiting := handler.EnqueueRequestsFromMapFunc(r.waitingIn)
	return ctrl.NewControllerManagedBy(mgr).
		Named("slideshow").
		For(&v1beta1.Slideshow{}, builder.WithPredicates(shortwork.Changed())).
		Owns(&batchv1.Job{}).
		Watches(&v1beta1.RenderJob{}, handler.EnqueueRequestsFromMapFunc(sourceOf), builder.WithPredicates(turned)).
		Watches(&v1beta1.Account{}, waiting, builder.WithPredicates(tenancy.Opened())).
		Watches(&v1beta1.Brand{}, waiting, builder.WithPredicates(predicate.GenerationChangedPredicate{})).
		Watches(&v1beta1.MediaPack{}, waiting).
		Watches(&v1beta1.MediaAsset{}, waiting).
		Watches(&v1beta1.MusicTrack{}, waiting).
		WithOptions(controller.Options{MaxConcurrentReconciles: r.Parallel, NewQueue: fairqueue.New(r.Parallel - 1)}).
		Complete(reconcile.AsReconciler(mgr.GetClient(), tracing.Passes(r)))
}

// rendering is what the status of a slideshow contains of a render.
type rendering struct {
	v1beta1.RenderSummary
	attempt         int32
	reason, message string // of Ready
}

func renderState(o client.Object) rendering {
	j := o.(*v1beta1.RenderJob)
	out := rendering{RenderSummary: *renders.Summary(j)}
	if w := j.Status.Work; w != nil {
		out.attempt = w.Attempt
	}
	if c := readyOf(j.Status.Conditions); c != nil {
		out.reason, out.message = c.Reason, c.Message
	}
	return out
}

func readyOf(conditions []metav1.Condition) *metav1.Condition {
	return meta.FindStatusCondition(conditions, string(v1beta1.ConditionReady))
}

// sourceOf leads from a RenderJob to the Slideshow it renders.
func sourceOf(_ context.Context, o client.Object) []ctrl.Request {
	j := o.(*v1beta1.RenderJob)
	if j.Spec.Source.Kind == v1beta1.KindVideo {
		return nil
	}
	return []ctrl.Request{{NamespacedName: client.ObjectKey{Namespace: j.Namespace, Name: j.Spec.Source.Name}}}
}

// waitingIn lists the slideshows that wait for something another object may now give.
func (r *Reconciler) waitingIn(ctx context.Context, o client.Object) []ctrl.Request {
	var list v1beta1.SlideshowList
	in := client.InNamespace(o.GetNamespace())
	if o.GetNamespace() == r.Library {
		in = "" // every account sees it
	}
	if err := r.Client.List(ctx, &list, in, client.MatchingFields{IndexWaiting: "true"}); err != nil {
		return nil // the resync of the cache brings them back
	}
	out := make([]ctrl.Request, len(list.Items))
	for i := range list.Items {
		out[i] = ctrl.Request{NamespacedName: client.ObjectKeyFromObject(&list.Items[i])}
	}
	return out
}

// IndexWaiting is the cache index of slideshows that may be waiting: work has not settled, or was not taken up for the
// newest spec, or the video that autoRender asks for is not requested yet.
const IndexWaiting = "reelops.waiting"

// WaitingIndex fills IndexWaiting.
func WaitingIndex(o client.Object) []string {
	s := o.(*v1beta1.Slideshow)
	settled := s.Status.Work != nil && s.Status.Work.State.Settled() && s.Status.WorkedOn == s.Generation
	unfilmed := s.Spec.AutoRender && (s.Status.Render == nil || s.Status.Render.Revision != s.Status.Revision)
	if s.Spec.Suspend || settled && !unfilmed {
		return nil
	}
	return []string{"true"}
}

// Reconcile observes, decides, acts, and persists the result. The intent of an action that must not be repeated was
// persisted by the pass before: the start of the work before its first action, and the number of an attempt to speak
// before its Job exists.
func (r *Reconciler) Reconcile(ctx context.Context, s *v1beta1.Slideshow) (ctrl.Result, error) {
	if err := r.adopt(ctx, s); err != nil {
		return outcome.Result(err)
	}
	w := status.Begin(r.Client, s)
	o, err := r.observe(ctx, s)
	if err != nil {
		return outcome.Result(err)
	}
	d := decide(s, o, r.Clock.Now())
	res := r.act(ctx, s, o, d)
	if res.err != nil {
		return outcome.Result(res.err)
	}
	if d.kind == actionClean {
		return ctrl.Result{}, nil // the object is gone
	}
	report(s, o, d, res, r.Clock.Now())
	before := w.Before()
	if err := w.Persist(ctx); err != nil {
		if res.text != nil && apierrors.IsConflict(err) {
			if kept := r.keep(ctx, before, res.text); kept != nil {
				err = kept
			}
		}
		return outcome.Result(err)
	}
	r.announce(before, s)
	return ctrl.Result{RequeueAfter: res.requeue(d, s)}, nil
}

// keep records a text although the slideshow has changed while it was written: somebody set a label, perhaps, and the writer
// may have cost money. A text says what it was written from, so one that is no longer wanted does no harm. Nobody else
// writes the field.
func (r *Reconciler) keep(ctx context.Context, before *v1beta1.Slideshow, text *v1beta1.Text) error {
	after := before.DeepCopy()
	after.Status.Text = text
	return r.Client.Status().Patch(ctx, after, client.MergeFrom(before))
}

// announce records Events of what happened in this pass. Of waiting it records only waits for an object that does not exist, and
// a video that failed.
func (r *Reconciler) announce(before, after *v1beta1.Slideshow) {
	if was, is := readyOf(before.Status.Conditions), readyOf(after.Status.Conditions); is != nil && absent[v1beta1.Reason(is.Reason)] &&
		(was == nil || was.Reason != is.Reason) {
		r.Events.Eventf(after, nil, corev1.EventTypeWarning, is.Reason, "Generate", "%s", is.Message)
	}
	was, is := workState(before), workState(after)
	if was == is {
		return
	}
	switch is {
	case v1beta1.WorkProcessing:
		r.Events.Eventf(after, nil, corev1.EventTypeNormal, string(v1beta1.ReasonProgressing), "Generate", "work began, attempt %d", after.Status.Work.Attempt)
	case v1beta1.WorkSucceeded:
		r.Events.Eventf(after, nil, corev1.EventTypeNormal, string(v1beta1.ReasonReady), "Generate",
			"%d slides drawn in revision %d", len(after.Status.Slides), after.Status.Revision)
	case v1beta1.WorkFailed:
		r.Events.Eventf(after, nil, corev1.EventTypeWarning, string(v1beta1.ReasonFailed), "Generate",
			"%s: %s", after.Status.Work.Error.Code, after.Status.Work.Error.Message)
	}
}

// absent are the reasons of Ready that are recorded as Events although no work has ended.
var absent = map[v1beta1.Reason]bool{
	v1beta1.ReasonAccountNotFound: true, v1beta1.ReasonBrandNotFound: true, v1beta1.ReasonMediaNotFound: true,
	v1beta1.ReasonPackNotFound: true, v1beta1.ReasonTrackNotFound: true, v1beta1.ReasonRenderFailed: true,
}

func workState(s *v1beta1.Slideshow) v1beta1.WorkState {
	if s.Status.Work == nil {
		return ""
	}
	return s.Status.Work.State
}

// soon is the wait before the next step of work that is going on.
const soon = time.Millisecond
