// SPDX-License-Identifier: Apache-2.0

package connectionrequest

import (
	"context"
	"errors"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/events"
	"k8s.io/utils/clock"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/kube/status"
	"github.com/reelops/reelops/internal/process/fairqueue"
	"github.com/reelops/reelops/internal/process/outcome"
	"github.com/reelops/reelops/internal/social/consent"
	"github.com/reelops/reelops/internal/social/credential"
	"github.com/reelops/reelops/internal/social/publish"
)

const (
	// workers is the number of concurrent reconciles. Most wait for a platform.
	workers = 8
	// retention is how long a settled request is kept, for the page in the user's browser.
	retention = time.Hour
	// exchangeTimeout bounds the exchange. Shutdown does not cancel it, because the code is already used.
	exchangeTimeout = 60 * time.Second
)

// Keeper is the part of package credential that the controller uses.
type Keeper interface {
	Keep(ctx context.Context, secret types.NamespacedName, g *credential.Grant, owner metav1.OwnerReference) error
	Stored(ctx context.Context, secret types.NamespacedName, request string) (*credential.Grant, error)
	Own(ctx context.Context, secret types.NamespacedName, accounts []*v1beta1.SocialAccount) error
	Leave(ctx context.Context, secret types.NamespacedName, account types.UID) error
}

// Reconciler reconciles ConnectionRequests.
type Reconciler struct {
	Client client.Client
	// Live is uncached: a stale list of accounts would create duplicates.
	Live      client.Reader
	Keeper    Keeper
	Consent   *consent.Sealer
	Platforms map[v1beta1.Platform]publish.Platform
	Events    events.EventRecorder
	Clock     clock.PassiveClock

	mu sync.Mutex
	// held has the grants that are not stored in a Secret yet.
	held map[types.UID]*credential.Grant
}

// +kubebuilder:rbac:groups=reelops.dev,resources=connectionrequests,verbs=list;watch;delete
// +kubebuilder:rbac:groups=reelops.dev,resources=connectionrequests/status,verbs=patch
// +kubebuilder:rbac:groups=reelops.dev,resources=socialaccounts,verbs=get;list;watch;create;patch
// +kubebuilder:rbac:groups=reelops.dev,resources=brands,verbs=get;list;watch
// +kubebuilder:rbac:groups="",roleName=reelops-manager-account,resources=secrets,verbs=get;update;patch
// +kubebuilder:rbac:groups="",resources=secrets,verbs=create;delete
// +kubebuilder:rbac:groups=events.k8s.io,resources=events,verbs=create;patch

// SetupWithManager registers the controller. Users wait for it, so requests are worked on concurrently.
func (r *Reconciler) SetupWithManager(mgr ctrl.Manager) error {
	return ctrl.NewControllerManagedBy(mgr).Named("connectionrequest").
		For(&v1beta1.ConnectionRequest{}, builder.WithPredicates(predicate.GenerationChangedPredicate{})).
		WithOptions(controller.Options{MaxConcurrentReconciles: workers, NewQueue: fairqueue.New(workers / 2)}).
		Complete(reconcile.AsReconciler(mgr.GetClient(), r))
}

// Reconcile observes, decides, persists the intent (processing), acts (exchange, store, connect) and persists the
// result.
func (r *Reconciler) Reconcile(ctx context.Context, q *v1beta1.ConnectionRequest) (ctrl.Result, error) {
	now := r.Clock.Now()
	if !q.DeletionTimestamp.IsZero() {
		r.hold(q.UID, nil)
		return ctrl.Result{}, nil
	}
	if q.Status.State.Settled() {
		if wait := q.Status.FinishedAt.Add(retention).Sub(now); wait > 0 {
			return ctrl.Result{RequeueAfter: wait}, nil
		}
		return outcome.Result(r.Client.Delete(ctx, q, client.Preconditions{UID: &q.UID, ResourceVersion: &q.ResourceVersion}))
	}
	o, err := r.observe(ctx, q)
	if err != nil {
		return outcome.Result(err)
	}
	w := status.Begin(r.Client, q)
	d := decide(q, o, now)
	if d.action == actExchange {
		q.Status.State = v1beta1.WorkProcessing
		report(q, nil, now)
		if err := w.Persist(ctx); err != nil {
			return outcome.Result(err)
		}
		d = r.exchange(ctx, q, o)
	}
	if d.action == actStore {
		if d, err = r.store(ctx, q, w, d.grant); err != nil {
			return outcome.Result(err)
		}
	}
	if d.action == actConnect {
		switch err := r.connect(ctx, q, d.grant); {
		case errors.Is(err, errTaken):
			d = fail(catalog.Conflict, "The namespace has a SocialAccount with the same name for another account: delete it and connect again.", true)
		case err != nil:
			return outcome.Result(err)
		}
	}
	report(q, d.failure, now)
	if err := w.Persist(ctx); err != nil {
		return outcome.Result(err)
	}
	r.announce(ctx, q)
	return ctrl.Result{RequeueAfter: retention}, nil
}

// announce logs the outcome and emits an event. The log has object names only, no data of the platform.
func (r *Reconciler) announce(ctx context.Context, q *v1beta1.ConnectionRequest) {
	log := ctrl.LoggerFrom(ctx).WithValues("platform", q.Spec.Platform, "brand", q.Spec.BrandRef.Name)
	if e := q.Status.Error; e != nil {
		log.Info("connecting accounts failed", "code", e.Code, "retryable", e.Retryable)
		r.Events.Eventf(q, nil, corev1.EventTypeWarning, string(v1beta1.ReasonFailed), "Connect", "%s", e.Message)
		return
	}
	log.Info("connected accounts", "social_accounts", q.Status.Accounts)
	r.Events.Eventf(q, nil, corev1.EventTypeNormal, string(v1beta1.ReasonConnected), "Connect", "connected %d accounts on %s", len(q.Status.Accounts), q.Spec.Platform)
}

// hold keeps a grant in memory; nil releases it.
func (r *Reconciler) hold(uid types.UID, g *credential.Grant) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if g == nil {
		delete(r.held, uid)
		return
	}
	if r.held == nil {
		r.held = map[types.UID]*credential.Grant{}
	}
	r.held[uid] = g
}

func (r *Reconciler) holding(uid types.UID) *credential.Grant {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.held[uid]
}
