// SPDX-License-Identifier: Apache-2.0

package slideshow

import (
	"context"
	"fmt"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
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
	"github.com/reelops/reelops/internal/content/slides"
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

// Finalizer keeps a Slideshow until its files are removed from the store.
const Finalizer = v1beta1.FinalizerSlideshow

// Reconciler reconciles Slideshows.
type Reconciler struct {
	Client client.Client
	Live   client.Reader // reads the API server, not the cache
	Ledger *ledger.Book
	Clock  clock.Clock
	Events events.EventRecorder
	// Record records the events of an object whose finalizer is about to be removed; nil to record none.
	Record func(ctx context.Context, o client.Object) error
	NextID func(context.Context) (int64, error) // returns the next id of a short
	Writer textgen.Writer
	Drawer *slides.Drawer
	Recent *slides.Recent
	// Speaker is a speech service for voice-overs; nil if the Jobs speak.
	Speaker speech.Speaker
	// Jobs speak the slides, or determine the times of the words that the service spoke.
	Jobs *runner.Runner
	// Gate decides in which namespaces Jobs are created; nil for all.
	Gate *tenancy.Gate
	// Pictures creates AI images; nil if none are offered. AIImages reports whether they are offered, and their price.
	Pictures slides.PictureMaker
	AIImages catalog.AIImages
	// Stock finds images of stock providers; nil for none. Fetch opens their URLs.
	Stock slides.Stock
	Fetch slides.Fetcher
	// Library is the namespace whose media and packs are visible to every account.
	Library  string
	Parallel int // concurrent reconciles
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

// SetupWithManager registers the controller. It watches slideshows, their renders and Jobs, and the account, brands,
// packs, media and music that a slideshow may wait for.
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

// rendering is the part of a render that the status of a slideshow depends on.
type rendering struct {
	v1beta1.RenderSummary
	attempt         int32
	reason, message string // of the Ready condition
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

// sourceOf returns a request for the Slideshow that a RenderJob renders.
func sourceOf(_ context.Context, o client.Object) []ctrl.Request {
	j := o.(*v1beta1.RenderJob)
	if j.Spec.Source.Kind == v1beta1.KindVideo {
		return nil
	}
	return []ctrl.Request{{NamespacedName: client.ObjectKey{Namespace: j.Namespace, Name: j.Spec.Source.Name}}}
}

// waitingIn returns requests for the slideshows that may wait for an object.
func (r *Reconciler) waitingIn(ctx context.Context, o client.Object) []ctrl.Request {
	return shortwork.Waiting(ctx, r.Client, &v1beta1.SlideshowList{}, IndexWaiting, o, r.Library)
}

// IndexWaiting is the cache index of slideshows that may be waiting: the work has not settled, or was not started for
// the current spec, or the video that autoRender requests does not exist.
const IndexWaiting = "reelops.waiting"

// WaitingIndex returns the keys of an object in IndexWaiting.
func WaitingIndex(o client.Object) []string {
	s := o.(*v1beta1.Slideshow)
	settled := shortwork.Settled(s.Status.Work) && s.Status.WorkedOn == s.Generation
	unrendered := s.Spec.AutoRender && (s.Status.Render == nil || s.Status.Render.Revision != s.Status.Revision)
	if s.Spec.Suspend || settled && !unrendered {
		return nil
	}
	return []string{"true"}
}

// Reconcile observes, decides, acts, and persists the result. The intent of an action that must not be repeated was
// persisted by the pass before: the start of the work before its first action, and the number of an attempt to speak
// before its Job exists.
func (r *Reconciler) Reconcile(ctx context.Context, s *v1beta1.Slideshow) (ctrl.Result, error) {
	if err := shortwork.Adopt(ctx, r.Client, s, r.NextID, &s.Spec.BrandRef, Finalizer); err != nil {
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
		return ctrl.Result{RequeueAfter: res.wait}, nil // the object was deleted, or its pod has to end first
	}
	report(s, o, d, res, r.Clock.Now())
	before := w.Before()
	var keep func(*v1beta1.Slideshow)
	if res.text != nil {
		keep = func(s *v1beta1.Slideshow) { s.Status.Text = res.text }
	}
	if err := shortwork.Persist(ctx, r.Client, w, keep); err != nil {
		return outcome.Result(err)
	}
	r.announce(before, s)
	return ctrl.Result{RequeueAfter: res.requeue(d, s)}, nil
}

// announce emits an Event if the state of the work changed. It also emits one for a wait for an object that does not
// exist, and for a video that failed.
func (r *Reconciler) announce(before, after *v1beta1.Slideshow) {
	if was, is := readyOf(before.Status.Conditions), readyOf(after.Status.Conditions); is != nil && absent[v1beta1.Reason(is.Reason)] &&
		(was == nil || was.Reason != is.Reason) {
		r.Events.Eventf(after, nil, corev1.EventTypeWarning, is.Reason, "Generate", "%s", is.Message)
	}
	shortwork.Announce(r.Events, after, before.Status.Work, after.Status.Work, func() string {
		return fmt.Sprintf("%d slides drawn in revision %d", len(after.Status.Slides), after.Status.Revision)
	})
}

// absent has the reasons of Ready for which an Event is emitted although no work has ended.
var absent = map[v1beta1.Reason]bool{
	v1beta1.ReasonAccountNotFound: true, v1beta1.ReasonBrandNotFound: true, v1beta1.ReasonMediaNotFound: true,
	v1beta1.ReasonPackNotFound: true, v1beta1.ReasonTrackNotFound: true, v1beta1.ReasonRenderFailed: true,
}

// soon is the requeue interval while another action may follow.
const soon = time.Millisecond
