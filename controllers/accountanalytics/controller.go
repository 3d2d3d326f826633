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

// workers is the number of concurrent reconciles. They spend most of their time waiting for a platform. Each reconcile
// holds one account's document in memory.
const workers = 8

// Accounts provides the credentials of calls for an account. Errors are *publish.Error, of kind Auth when a user has to
// reconnect.
type Accounts interface {
	// Account returns the account with its stored tokens, refreshed if a refresh is due.
	Account(ctx context.Context, a *v1beta1.SocialAccount) (publish.Account, error)
	// Renew refreshes the tokens after the platform rejected the access token in used.
	Renew(ctx context.Context, a *v1beta1.SocialAccount, used string) (publish.Account, error)
	// Refused records that the platform rejected the access token in used. cause is the error, of kind Auth.
	Refused(ctx context.Context, a *v1beta1.SocialAccount, used string, cause error) error
}

// Store is the blob store of the documents.
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
	Live   client.Reader // uncached
	Clock  clock.PassiveClock
	Events events.EventRecorder
	Store  Store
	// Sources are the platforms that report analytics. Missing returns the settings that the installation lacks for a
	// platform. Missing is nil if every platform is configured.
	Sources  map[v1beta1.Platform]analytics.Source
	Missing  func(v1beta1.Platform) []string
	Accounts Accounts
	// Interval is the usual time between scheduled refreshes. Cooldown is the minimum time from the start of a refresh
	// to the next requested one. 0 means the default.
	Interval, Cooldown time.Duration
	// YouTubeUnits is how many of the YouTube app's quota units refreshes may spend a day. 0 means the default.
	YouTubeUnits int
}

// Reconciler refreshes AccountAnalytics.
type Reconciler struct {
	Config
	refresher analytics.Refresher
	budget    *budget
	metrics   *collector
}

// New returns a Reconciler with defaults for the settings that are 0.
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
		Config: c, refresher: analytics.Refresher{Clock: c.Clock}, budget: newBudget(allowances(c.YouTubeUnits)), metrics: newCollector(c.Clock),
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

// PostsIndex returns the values of IndexPosts for a Post.
func PostsIndex(o client.Object) []string {
	if p := o.(*v1beta1.Post); p.Status.State == v1beta1.PostSuccess {
		return []string{p.Spec.Account}
	}
	return nil
}

// SetupWithManager registers the controller. It watches AccountAnalytics, their SocialAccounts, and Posts that become
// published.
func (r *Reconciler) SetupWithManager(mgr ctrl.Manager) error {
	if err := r.metrics.register(metrics.Registry); err != nil {
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
		Watches(&v1beta1.SocialAccount{}, sameName, builder.WithPredicates(predicate.Funcs{UpdateFunc: accountChanged})).
		Watches(&v1beta1.Post{}, account, builder.WithPredicates(predicate.Funcs{
			CreateFunc: func(event.CreateEvent) bool { return false }, // observe lists Posts that are already published
			UpdateFunc: becamePublished,
			DeleteFunc: func(event.DeleteEvent) bool { return false },
		})).
		WithOptions(controller.Options{MaxConcurrentReconciles: workers, NewQueue: fairqueue.New(workers / 2)}).
		Complete(r)
}

// accountChanged reports whether an update of a SocialAccount can change the decision or the brand label.
func accountChanged(e event.UpdateEvent) bool {
	was, is := e.ObjectOld.(*v1beta1.SocialAccount), e.ObjectNew.(*v1beta1.SocialAccount)
	return was.Status.TokenStatus != is.Status.TokenStatus || !was.Status.ConnectedAt.Equal(is.Status.ConnectedAt) ||
		was.Spec.BrandRef != is.Spec.BrandRef || was.DeletionTimestamp.IsZero() != is.DeletionTimestamp.IsZero()
}

// becamePublished reports whether an update of a Post published it.
func becamePublished(e event.UpdateEvent) bool {
	was, is := e.ObjectOld.(*v1beta1.Post), e.ObjectNew.(*v1beta1.Post)
	return was.Status.State != v1beta1.PostSuccess && is.Status.State == v1beta1.PostSuccess
}

// Reconcile observes, decides and reports. If a refresh is due, Reconcile persists the intent, calls the platform and
// persists the result before it reports. A missing object is created, and a deleted one is finalized.
func (r *Reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	a := &v1beta1.AccountAnalytics{}
	if err := r.Client.Get(ctx, req.NamespacedName, a); err != nil {
		if !apierrors.IsNotFound(err) {
			return ctrl.Result{}, err
		}
		return outcome.Result(r.create(ctx, req.NamespacedName))
	}
	if !a.DeletionTimestamp.IsZero() {
		r.budget.forget(a.UID)
		r.metrics.forget(a.UID)
		return outcome.Result(finalize.Release(ctx, r.Client, a, v1beta1.FinalizerAccountAnalytics, func() error {
			return r.Store.DeletePrefix(ctx, prefix(a))
		}))
	}
	o, err := r.observe(ctx, a)
	if err != nil {
		return outcome.Result(err)
	}
	if o.account != nil {
		if gone, err := r.adopt(ctx, a, o.account); gone || err != nil {
			return outcome.Result(err)
		}
	}
	r.metrics.track(a, o.account)
	d := decide(a, o, times{r.Interval, r.Cooldown})
	if d.due(o.now) {
		wait, err := r.refresh(ctx, a, o, d)
		if err != nil || wait > 0 {
			result, err := outcome.Result(err)
			if err == nil && result.RequeueAfter == 0 {
				result.RequeueAfter = min(wait, maxRequeue)
			}
			return result, err
		}
		o.now = r.Clock.Now()
		d = decide(a, o, times{r.Interval, r.Cooldown})
	}
	w := status.Begin(r.Client, a)
	report(a, d)
	if err := w.Persist(ctx); err != nil {
		return outcome.Result(err)
	}
	if d.stopped {
		return ctrl.Result{}, nil
	}
	return ctrl.Result{RequeueAfter: min(max(d.at.Sub(o.now), time.Second), maxRequeue)}, nil
}
