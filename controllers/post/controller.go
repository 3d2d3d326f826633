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
	// workers at once. Most of a pass is waiting for somebody's answer.
	workers = 128
	// preparations at once, preparationsEach of one namespace, which is one account; all other workers are there for what is due.
	preparations, preparationsEach = 24, 6
	// the longest wait after a pass that failed.
	longestBackOff = 15 * time.Second
)

// Accounts gives what a call for an account needs. Errors are *publish.Error: of kind Auth when a person has to connect again.
type Accounts interface {
	// Account opens the stored tokens, renewed where that is due.
	Account(ctx context.Context, a *v1beta1.SocialAccount) (publish.Account, error)
	// Renew renews the tokens after the platform refused the access token that was used.
	Renew(ctx context.Context, a *v1beta1.SocialAccount, used string) (publish.Account, error)
	// Refused takes down that the platform answered the token by an error of kind Auth or Scope.
	Refused(ctx context.Context, a *v1beta1.SocialAccount, used string, cause error) error
}

// Sealer keeps what is written into a status readable for nobody else. What is sealed for one aad opens for no other.
type Sealer interface {
	Seal(plain, aad []byte) ([]byte, error)
	Open(sealed, aad []byte) ([]byte, error)
}

// Config is what the controller needs. Cap is absent for the caps as published.
type Config struct {
	Client    client.Client
	Live      client.Reader // the cluster itself, and no cache
	Clock     clock.WithTicker
	Events    events.EventRecorder
	Store     *blob.Store
	Platforms map[v1beta1.Platform]publish.Platform
	Accounts  Accounts
	Sealer    Sealer
	Cap       func(v1beta1.Platform) catalog.PostCap
	// Ahead returns by how much Clock is ahead of the API server's; nil if that is not measured.
	Ahead func() time.Duration
}

// Reconciler publishes.
type Reconciler struct {
	Config
	memory  *memory
	queue   *due.Queue[client.ObjectKey]
	lines   *pacing.Lines[client.ObjectKey, client.ObjectKey]
	slots   *pacing.Slots[string, client.ObjectKey]
	caps    *pacing.Caps[client.ObjectKey]
	open    *open
	figures *figures
	stamps  stamps
	unknown unknownSet
	work    chan workqueue.TypedRateLimitingInterface[reconcile.Request] // holds one
}

// New makes a reconciler.
func New(c Config) *Reconciler {
	if c.Cap == nil {
		c.Cap = catalogCap
	}
	r := &Reconciler{
		Config: c, memory: newMemory(), queue: due.New[client.ObjectKey](c.Clock), caps: pacing.NewCaps[client.ObjectKey](), open: newOpen(), figures: newFigures(),
		work: make(chan workqueue.TypedRateLimitingInterface[reconcile.Request], 1),
	}
	if r.Ahead == nil {
		r.Ahead = func() time.Duration { return 0 }
	}
	r.lines = pacing.NewLines[client.ObjectKey](r.wake)
	r.slots = pacing.NewSlots(preparations, preparationsEach, func(k client.ObjectKey) string { return k.Namespace }, r.wake)
	return r
}

// +kubebuilder:rbac:groups=reelops.dev,resources=posts,verbs=get;list;watch;patch
// +kubebuilder:rbac:groups=reelops.dev,resources=posts/status,verbs=patch
// +kubebuilder:rbac:groups=reelops.dev,resources=postbatches,verbs=list;watch
// +kubebuilder:rbac:groups=reelops.dev,resources=socialaccounts,verbs=get;list;watch
// +kubebuilder:rbac:groups=reelops.dev,resources=socialaccounts/status,verbs=patch
// +kubebuilder:rbac:groups=events.k8s.io,resources=events,verbs=create;patch

// SetupWithManager wires the controller. Its work comes from the heap of times alone, which the cache's events feed.
func (r *Reconciler) SetupWithManager(ctx context.Context, mgr ctrl.Manager) error {
	if err := r.figures.register(metrics.Registry); err != nil {
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
