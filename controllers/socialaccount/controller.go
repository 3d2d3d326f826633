// SPDX-License-Identifier: Apache-2.0

package socialaccount

import (
	"context"
	"sync"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
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
	"sigs.k8s.io/controller-runtime/pkg/source"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/kube/identity"
	"github.com/reelops/reelops/internal/kube/status"
	"github.com/reelops/reelops/internal/process/fairqueue"
	"github.com/reelops/reelops/internal/process/outcome"
	"github.com/reelops/reelops/internal/social/credential"
	"github.com/reelops/reelops/internal/social/publish"
)

// workers is the number of concurrent reconciles. Some wait for a platform.
const workers = 4

// Keeper is the part of package credential that the controller uses.
type Keeper interface {
	Watch(func(secret types.NamespacedName))
	See(context.Context, *v1beta1.SocialAccount) (*credential.Sight, error)
	Refresh(context.Context, *v1beta1.SocialAccount) error
	Reseal(context.Context, *v1beta1.SocialAccount) error
	Account(context.Context, *v1beta1.SocialAccount) (publish.Account, error)
	Renew(ctx context.Context, a *v1beta1.SocialAccount, used string) (publish.Account, error)
	Refused(ctx context.Context, a *v1beta1.SocialAccount, used string, cause error) error
	Describe(context.Context, *v1beta1.SocialAccount, publish.Identity) error
}

// Reconciler reconciles SocialAccounts.
type Reconciler struct {
	Client    client.Client
	Keeper    Keeper
	Platforms map[v1beta1.Platform]publish.Platform
	NextID    func(context.Context) (int64, error)
	Events    events.EventRecorder
	Clock     clock.PassiveClock

	budget budget
}

// +kubebuilder:rbac:groups=reelops.dev,resources=socialaccounts,verbs=get;list;watch;patch
// +kubebuilder:rbac:groups=reelops.dev,resources=socialaccounts/status,verbs=patch
// +kubebuilder:rbac:groups=reelops.dev,resources=brands,verbs=get;list;watch
// +kubebuilder:rbac:groups="",roleName=reelops-manager-account,resources=secrets,verbs=get;update
// +kubebuilder:rbac:groups=events.k8s.io,resources=events,verbs=create;patch

// IndexSecret is the cache index of SocialAccounts by the name of the Secret with their tokens.
const IndexSecret = "reelops.token-secret"

// SecretIndex returns the values of IndexSecret for a SocialAccount.
func SecretIndex(o client.Object) []string {
	return []string{o.(*v1beta1.SocialAccount).Spec.TokenSecretRef.Name}
}

// SetupWithManager registers the controller. It watches SocialAccounts, Brands, and changes of tokens that the Keeper
// makes.
func (r *Reconciler) SetupWithManager(mgr ctrl.Manager) error {
	changed := newSecretEvents()
	r.Keeper.Watch(changed.add)
	if err := mgr.Add(changed); err != nil {
		return err
	}
	return ctrl.NewControllerManagedBy(mgr).Named("socialaccount").
		For(&v1beta1.SocialAccount{}, builder.WithPredicates(predicate.Or(predicate.GenerationChangedPredicate{}, predicate.LabelChangedPredicate{}))).
		Watches(&v1beta1.Brand{}, handler.EnqueueRequestsFromMapFunc(func(ctx context.Context, o client.Object) []ctrl.Request {
			return r.requests(ctx, o.GetNamespace(), client.MatchingLabels{v1beta1.LabelBrand: o.GetName()})
		}), builder.WithPredicates(predicate.Funcs{ // only creation and deletion matter
			UpdateFunc: func(event.UpdateEvent) bool { return false },
		})).
		WatchesRawSource(source.Channel(changed.events, handler.EnqueueRequestsFromMapFunc(func(ctx context.Context, o client.Object) []ctrl.Request {
			return r.requests(ctx, o.GetNamespace(), client.MatchingFields{IndexSecret: o.GetName()})
		}))).
		WithOptions(controller.Options{MaxConcurrentReconciles: workers, NewQueue: fairqueue.New(workers / 2)}).
		Complete(reconcile.AsReconciler(mgr.GetClient(), r))
}

func (r *Reconciler) requests(ctx context.Context, namespace string, which client.ListOption) []ctrl.Request {
	var list v1beta1.SocialAccountList
	if err := r.Client.List(ctx, &list, client.InNamespace(namespace), which); err != nil {
		return nil // the next requeue sees the change
	}
	out := make([]ctrl.Request, len(list.Items))
	for i := range list.Items {
		out[i] = ctrl.Request{NamespacedName: client.ObjectKeyFromObject(&list.Items[i])}
	}
	return out
}

// Reconcile observes, acts, persists the result and emits an event if the state of the token changed.
func (r *Reconciler) Reconcile(ctx context.Context, a *v1beta1.SocialAccount) (ctrl.Result, error) {
	if !a.DeletionTimestamp.IsZero() {
		r.budget.forget(a.UID)
		return ctrl.Result{}, nil
	}
	if err := identity.Ensure(ctx, r.Client, a, r.NextID, &a.Spec.BrandRef); err != nil {
		return outcome.Result(err)
	}
	w := status.Begin(r.Client, a)
	o, err := r.observe(ctx, a)
	if err != nil {
		return outcome.Result(err)
	}
	did, err := r.act(ctx, a, o)
	if err != nil {
		return outcome.Result(err)
	}
	before := a.Status.TokenStatus
	requeue := report(a, o, did, r.Clock.Now())
	if err := w.Persist(ctx); err != nil {
		return outcome.Result(err)
	}
	r.announce(a, before)
	if did.wait > 0 {
		requeue = min(requeue, did.wait)
	}
	if did.retry != nil {
		return ctrl.Result{}, did.retry
	}
	return ctrl.Result{RequeueAfter: requeue}, nil
}

func (r *Reconciler) announce(a *v1beta1.SocialAccount, before v1beta1.TokenStatus) {
	now := a.Status.TokenStatus
	if now == before {
		return
	}
	kind := corev1.EventTypeNormal
	if now != v1beta1.TokenActive {
		kind = corev1.EventTypeWarning
	}
	reason, text, _ := describe(now)
	r.Events.Eventf(a, nil, kind, string(reason), "Connect", "%s", text)
}

// secretEvents forwards names of Secrets to the work queue. add never blocks; pending names are deduplicated.
type secretEvents struct {
	events chan event.TypedGenericEvent[client.Object]
	signal chan struct{}

	mu      sync.Mutex
	pending map[types.NamespacedName]bool
}

func newSecretEvents() *secretEvents {
	return &secretEvents{events: make(chan event.TypedGenericEvent[client.Object]), signal: make(chan struct{}, 1), pending: map[types.NamespacedName]bool{}}
}

func (w *secretEvents) add(secret types.NamespacedName) {
	w.mu.Lock()
	w.pending[secret] = true
	w.mu.Unlock()
	select {
	case w.signal <- struct{}{}:
	default:
	}
}

// Start forwards names until the context ends.
func (w *secretEvents) Start(ctx context.Context) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-w.signal:
		}
		w.mu.Lock()
		pending := w.pending
		w.pending = map[types.NamespacedName]bool{}
		w.mu.Unlock()
		for name := range pending {
			o := &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Namespace: name.Namespace, Name: name.Name}}
			select {
			case w.events <- event.TypedGenericEvent[client.Object]{Object: o}:
			case <-ctx.Done():
				return nil
			}
		}
	}
}
