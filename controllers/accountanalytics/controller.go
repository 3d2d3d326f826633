// SPDX-License-Identifier: Apache-2.0

package accountanalytics

import (
	"context"
	"io"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/tools/events"
	"k8s.io/utils/clock"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/metrics"
	"sigs.k8s.io/controller-runtime/pkg/predicate"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/kube/finalize"
	"github.com/reelops/reelops/internal/kube/status"
	"github.com/reelops/reelops/internal/process/fairqueue"
	"github.com/reelops/reelops/internal/process/outcome"
	"github.com/reelops/reelops/internal/social/analytics"
	"github.com/reelops/reelops/internal/social/publish"
	"github.com/reelops/reelops/internal/store/blob"
)

// workers at once. Most of a pass is waiting for a platform's answer; each holds the document of one account.
const workers = 8

// Accounts gives what a call for an account needs. Errors are *publish.Error: of kind Auth when a person has to connect again.
type Accounts interface {
	// Account opens the stored tokens, renewed where that is due.
	Account(ctx context.Context, a *v1beta1.SocialAccount) (publish.Account, error)
	// Renew renews the tokens after the platform refused the access token that was used.
	Renew(ctx context.Context, a *v1beta1.SocialAccount, used string) (publish.Account, error)
	// Refused takes down that the platform answered the token by an error of kind Auth.
	Refused(ctx context.Context, a *v1beta1.SocialAccount, used string, cause error) error
}

// Store keeps the documents.
type Store interface {
	Get(ctx context.Context, key string) (io.ReadCloser, error)
	Put(ctx context.Context, key, contentType string, r io.Reader) error
	Delete(ctx context.Context, key string) error
	DeletePrefix(ctx context.Context, prefix string) error
	Walk(ctx context.Context, prefix string, f func(blob.Object) error) error
}

// Config is what the controller needs.
type Config struct {
	Client client.Client
	Live   client.Reader // the cluster itself, and no cache
	Clock  clock.PassiveClock
	Events events.EventRecorder
	Store  Store
	// Sources are the platforms that report numbers; Missing tells what the installation has not configured of one, nil where all
	// are set up.
	Sources  map[v1beta1.Platform]analytics.Source
	Missing  func(v1beta1.Platform) []string
	Accounts Accounts
	// Interval is how often numbers are read by themselves, Cooldown how long after a refresh there is no other; 0 for the defaults.
	Interval, Cooldown time.Duration
	// YouTubeUnits of the app's units a day are spent on numbers; 0 for the default.
	YouTubeUnits int
}

// Reconciler reads numbers.
type Reconciler struct {
	Config
	refresher analytics.Refresher
	budget    *budget
	figures   *figures
}

// New makes a reconciler.
func New(c Config) *Reconciler {
	if c.Interval == 0 {
		c.Interval = analytics.DefaultInterval
	}
	if c.Cooldown == 0 {
		c.Cooldown = catalog.RefreshCooldown
	}
	if c.YouTubeUnits == 0 {
		c.YouTubeUnits = DefaultYouTubeUnits
	}
	return &Reconciler{
		Config: c, refresher: analytics.Refresher{Clock: c.Clock}, budget: newBudget(allowances(c.YouTubeUnits)), figures: newFigures(c.Clock),
	}
}

// +kubebuilder:rbac:groups=reelops.dev,resources=accountanalytics,verbs=get;list;watch;create;patch;delete
// +kubebuilder:rbac:groups=reelops.dev,resources=accountanalytics/status,verbs=patch
// +kubebuilder:rbac:groups=reelops.dev,resources=socialaccounts,verbs=get;list;watch
// +kubebuilder:rbac:groups=reelops.dev,resources=posts,verbs=get;list;watch
// +kubebuilder:rbac:groups=reelops.dev,resources=posts/status,verbs=patch
// +kubebuilder:rbac:groups=events.k8s.io,resources=events,verbs=create;patch

// IndexPosts is the cache index of published Posts by the SocialAccount they are on.
const IndexPosts = "reelops.analytics-post"

// PostsIndex fills IndexPosts.
func PostsIndex(o client.Object) []string {
	if p := o.(*v1beta1.Post); p.Status.State == v1beta1.PostSuccess {
		return []string{p.Spec.Account}
	}
	return nil
}

// SetupWithManager wires the controller: the numbers, their account, and posts that come out on it.
func (r *Reconciler) SetupWithManager(mgr ctrl.Manager) error {
	if err := r.figures.register(metrics.Registry); err != nil {
		return err
	}
	sameName := handler.EnqueueRequestsFromMapFunc(func(_ context.Context, o client.Object) []ctrl.Request {
		return []ctrl.Request{{NamespacedName: client.ObjectKeyFromObject(o)}}
	})
	account := handler.EnqueueRequestsFromMapFunc(func(_ context.Context, o client.Object) []ctrl.Request {
		return []ctrl.Request{{NamespacedName: client.ObjectKey{Namespace: o.GetNamespace(), Name: o.(*v1beta1.Post).Spec.Account}}}
	})
	return ctrl.NewControllerManagedBy(mgr).Named("accountanalytics").
		For(&v1beta1.AccountAnalytics{}, builder.WithPredicates(predicate.GenerationChangedPredicate{})).
		Watches(&v1beta1.SocialAccount{}, sameName, builder.WithPredicates(predicate.Funcs{UpdateFunc: turned})).
		Watches(&v1beta1.Post{}, account, builder.WithPredicates(predicate.Funcs{
			CreateFunc: func(event.CreateEvent) bool { return false }, // those that are out already are found by the account's own pass
			UpdateFunc: cameOut,
			DeleteFunc: func(event.DeleteEvent) bool { return false },
		})).
		WithOptions(controller.Options{MaxConcurrentReconciles: workers, NewQueue: fairqueue.New(workers / 2)}).
		Complete(r)
}

// turned says that something changed about an account that its numbers wait for.
func turned(e event.UpdateEvent) bool {
	was, is := e.ObjectOld.(*v1beta1.SocialAccount), e.ObjectNew.(*v1beta1.SocialAccount)
	return was.Status.TokenStatus != is.Status.TokenStatus || !was.Status.ConnectedAt.Equal(is.Status.ConnectedAt) ||
		was.Spec.BrandRef != is.Spec.BrandRef || was.DeletionTimestamp.IsZero() != is.DeletionTimestamp.IsZero()
}

// cameOut says that a post was published just now.
func cameOut(e event.UpdateEvent) bool {
	was, is := e.ObjectOld.(*v1beta1.Post), e.ObjectNew.(*v1beta1.Post)
	return was.Status.State != v1beta1.PostSuccess && is.Status.State == v1beta1.PostSuccess
}

// Reconcile is one pass: observe, plan, act, report.
func (r *Reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	a := &v1beta1.AccountAnalytics{}
	if err := r.Client.Get(ctx, req.NamespacedName, a); err != nil {
		if !apierrors.IsNotFound(err) {
			return ctrl.Result{}, err
		}
		return outcome.Result(r.make(ctx, req.NamespacedName))
	}
	if !a.DeletionTimestamp.IsZero() {
		r.budget.forget(a.UID)
		r.figures.forget(a.UID)
		return outcome.Result(finalize.Release(ctx, r.Client, a, v1beta1.FinalizerAccountAnalytics, func() error {
			return r.Store.DeletePrefix(ctx, prefix(a))
		}))
	}
	f, err := r.observe(ctx, a)
	if err != nil {
		return outcome.Result(err)
	}
	if f.account != nil {
		if gone, err := r.adopt(ctx, a, f.account); gone || err != nil {
			return outcome.Result(err)
		}
	}
	r.figures.saw(a, f.account)
	s := plan(a, f, times{r.Interval, r.Cooldown})
	if s.due(f.now) {
		wait, err := r.refresh(ctx, a, f, s)
		if err != nil || wait > 0 {
			result, err := outcome.Result(err)
			if err == nil && result.RequeueAfter == 0 {
				result.RequeueAfter = min(wait, look)
			}
			return result, err
		}
		f.now = r.Clock.Now()
		s = plan(a, f, times{r.Interval, r.Cooldown})
	}
	w := status.Begin(r.Client, a)
	report(a, s)
	if err := w.Persist(ctx); err != nil {
		return outcome.Result(err)
	}
	if s.stopped {
		return ctrl.Result{}, nil
	}
	return ctrl.Result{RequeueAfter: min(max(s.at.Sub(f.now), time.Second), look)}, nil
}
