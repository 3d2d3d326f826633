// SPDX-License-Identifier: Apache-2.0

package post

import (
	"context"
	"time"

	"k8s.io/client-go/tools/events"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/utils/clock"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/metrics"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/process/due"
	"github.com/reelops/reelops/internal/social/pacing"
	"github.com/reelops/reelops/internal/social/publish"
	"github.com/reelops/reelops/internal/store/blob"
)

const (
	// workers is the number of concurrent reconciles. Most of a pass waits for a platform.
	workers = 128
	// preparations is the number of concurrent preparations, preparationsEach that of one namespace. The other workers
	// serve due posts.
	preparations, preparationsEach = 24, 6
	// longestBackOff is the longest delay after a pass that failed.
	longestBackOff = 15 * time.Second
)

// Accounts provides the tokens for calls to a platform. Errors are *publish.Error. Their kind is Auth when a user has
// to connect the account again.
type Accounts interface {
	// Account opens the stored tokens, and renews them if they are due for renewal.
	Account(ctx context.Context, a *v1beta1.SocialAccount) (publish.Account, error)
	// Renew renews the tokens after the platform refused the access token that was used.
	Renew(ctx context.Context, a *v1beta1.SocialAccount, used string) (publish.Account, error)
	// Refused records that the platform answered the token with an error of kind Auth or Scope.
	Refused(ctx context.Context, a *v1beta1.SocialAccount, used string, cause error) error
}

// Sealer encrypts data that is written into a status. Data sealed with one aad cannot be opened with another.
type Sealer interface {
	Seal(plain, aad []byte) ([]byte, error)
	Open(sealed, aad []byte) ([]byte, error)
}

// Config holds the dependencies of the controller. If Cap is nil, the platforms' published limits apply.
type Config struct {
	Client client.Client
	Live   client.Reader // the API server, not the cache
	Clock  clock.WithTicker
	Events events.EventRecorder
	// Record records the events of an object whose finalizer is about to be removed; nil to record none.
	Record    func(ctx context.Context, o client.Object) error
	Store     *blob.Store
	Platforms map[v1beta1.Platform]publish.Platform
	Accounts  Accounts
	Sealer    Sealer
	Cap       func(v1beta1.Platform) catalog.PostCap
	// Ahead returns by how much Clock is ahead of the API server's clock; nil if that is not measured.
	Ahead func() time.Duration
}

// Reconciler publishes posts.
type Reconciler struct {
	Config
	local   *localStates
	queue   *due.Queue[client.ObjectKey]
	queues  *pacing.Lines[client.ObjectKey, client.ObjectKey]
	slots   *pacing.Slots[string, client.ObjectKey]
	caps    *pacing.Caps[client.ObjectKey]
	open    *open
	metrics *postMetrics
	stamps  stamps
	unknown unknownSet
	work    chan workqueue.TypedRateLimitingInterface[reconcile.Request] // capacity 1
}

// New returns a Reconciler.
func New(c Config) *Reconciler {
	if c.Cap == nil {
		c.Cap = catalogCap
	}
	r := &Reconciler{
		Config: c, local: newLocalStates(), queue: due.New[client.ObjectKey](c.Clock), caps: pacing.NewCaps[client.ObjectKey](), open: newOpen(), metrics: newMetrics(),
		work: make(chan workqueue.TypedRateLimitingInterface[reconcile.Request], 1),
	}
	if r.Ahead == nil {
		r.Ahead = func() time.Duration { return 0 }
	}
	r.queues = pacing.NewLines[client.ObjectKey](r.wake)
	r.slots = pacing.NewSlots(preparations, preparationsEach, func(k client.ObjectKey) string { return k.Namespace }, r.wake)
	return r
}

// +kubebuilder:rbac:groups=reelops.dev,resources=posts,verbs=get;list;watch;patch
// +kubebuilder:rbac:groups=reelops.dev,resources=posts/status,verbs=patch
// +kubebuilder:rbac:groups=reelops.dev,resources=postbatches,verbs=list;watch
// +kubebuilder:rbac:groups=reelops.dev,resources=brands;socialaccounts,verbs=get;list;watch
// +kubebuilder:rbac:groups=reelops.dev,resources=socialaccounts/status,verbs=patch
// +kubebuilder:rbac:groups=events.k8s.io,resources=events,verbs=create;patch

// SetupWithManager registers the controller. Its requests come only from the due queue, which the events of the cache
// feed.
func (r *Reconciler) SetupWithManager(ctx context.Context, mgr ctrl.Manager) error {
	if err := r.metrics.register(metrics.Registry); err != nil {
		return err
	}
	synced, err := r.watch(ctx, mgr.GetCache())
	if err != nil {
		return err
	}
	if err := mgr.Add(&feeder{r, synced}); err != nil {
		return err
	}
	return ctrl.NewControllerManagedBy(mgr).Named("post").
		WatchesRawSource(source.Func(func(_ context.Context, q workqueue.TypedRateLimitingInterface[reconcile.Request]) error {
			r.work <- q
			return nil
		})).
		WithOptions(controller.Options{
			MaxConcurrentReconciles: workers,
			RateLimiter:             workqueue.NewTypedItemExponentialFailureRateLimiter[reconcile.Request](20*time.Millisecond, longestBackOff),
		}).
		Complete(r)
}
