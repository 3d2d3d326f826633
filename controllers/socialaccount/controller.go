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

// workers is how many reconciles run at a time. Some wait for a platform.
const workers = 4

// Keeper is what the controller needs of package credential.
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

// Reconciler keeps accounts.
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

// SecretIndex fills IndexSecret.
func SecretIndex(o client.Object) []string {
	return []string{o.(*v1beta1.SocialAccount).Spec.TokenSecretRef.Name}
}

// SetupWithManager wires the controller: the account, its brand, and its tokens whenever the keeper changes them.
func (r *Reconciler) SetupWithManager(mgr ctrl.Manager) error {
	changed := newWakes()
	r.Keeper.Watch(changed.add)
	if err := mgr.Add(changed); err != nil {
		return err
	}
	return ctrl.NewControllerManagedBy(mgr).Named("socialaccount").
		For(&v1beta1.SocialAccount{}, builder.WithPredicates(predicate.Or(predicate.GenerationChangedPredicate{}, predicate.LabelChangedPredicate{}))).
		Watches(&v1beta1.Brand{}, handler.EnqueueRequestsFromMapFunc(func(ctx context.Context, o client.Object) []ctrl.Request {
			return r.requests(ctx, o.GetNamespace(), client.MatchingLabels{v1beta1.LabelBrand: o.GetName()})
		}), builder.WithPredicates(predicate.Funcs{ // that it comes or goes is all that matters
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
		return nil // the next pass by time sees it
	}
	out := make([]ctrl.Request, len(list.Items))
	for i := range list.Items {
		out[i] = ctrl.Request{NamespacedName: client.ObjectKeyFromObject(&list.Items[i])}
	}
	return out
}

// Reconcile is one pass: observe, act, report.
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
	again := report(a, o, did, r.Clock.Now())
	if err := w.Persist(ctx); err != nil {
		return outcome.Result(err)
	}
	r.announce(a, before)
	if did.wait > 0 {
		again = min(again, did.wait)
	}
	if did.fault != nil {
		return ctrl.Result{}, did.fault
	}
	return ctrl.Result{RequeueAfter: again}, nil
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
	reason, text, _ := words(now)
	r.Events.Eventf(a, nil, kind, string(reason), "Connect", "%s", text)
}

// wakes hands the names of Secrets on to the queue. Whoever adds one never waits: what the queue has not taken is held once.
type wakes struct {
	events chan event.TypedGenericEvent[client.Object]
	signal chan struct{}

	mu   sync.Mutex
	held map[types.NamespacedName]bool
}

func newWakes() *wakes {
	return &wakes{events: make(chan event.TypedGenericEvent[client.Object]), signal: make(chan struct{}, 1), held: map[types.NamespacedName]bool{}}
}

func (w *wakes) add(secret types.NamespacedName) {
	w.mu.Lock()
	w.held[secret] = true
	w.mu.Unlock()
	select {
	case w.signal <- struct{}{}:
	default:
	}
}

// Start hands on until the context ends.
func (w *wakes) Start(ctx context.Context) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-w.signal:
		}
		w.mu.Lock()
		held := w.held
		w.held = map[types.NamespacedName]bool{}
		w.mu.Unlock()
		for name := range held {
			o := &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Namespace: name.Namespace, Name: name.Name}}
			select {
			case w.events <- event.TypedGenericEvent[client.Object]{Object: o}:
			case <-ctx.Done():
				return nil
			}
		}
	}
}
