// SPDX-License-Identifier: Apache-2.0

package starterset

import (
	"context"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/utils/clock"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/process/outcome"
	"github.com/reelops/reelops/internal/starter/starterset"
)

const (
	// startDelay is the delay from the first reconcile to the first write.
	startDelay = time.Minute
	// busyWait is the requeue while other work is in progress.
	busyWait = 20 * time.Second
)

// Reconciler creates the set. It has one key, so its in-process state needs no lock.
type Reconciler struct {
	client client.Client
	clock  clock.PassiveClock
	// namespace is the library namespace.
	namespace string
	items     []starterset.Item
	state     state
}

// state is the in-process state. Losing it only means that deleted objects are created again.
type state struct {
	// startedAt is the time of the first reconcile.
	startedAt time.Time
	// known holds the items whose objects existed since the start. If such an object is missing, a user deleted it.
	known map[string]bool
	// replaced maps items to the IDs of objects that were deleted to be replaced.
	replaced map[string]string
}

// New returns the Reconciler of a library namespace.
func New(c client.Client, clk clock.PassiveClock, namespace string) *Reconciler {
	return &Reconciler{
		client: c, clock: clk, namespace: namespace, items: starterset.Items(),
		state: state{known: map[string]bool{}, replaced: map[string]string{}},
	}
}

// +kubebuilder:rbac:groups=reelops.dev,namespace=reelops-system,resources=musictracks,verbs=create;delete
// +kubebuilder:rbac:groups=reelops.dev,resources=mediaassets;slideshows;videos,verbs=get;list;watch
// +kubebuilder:rbac:groups=reelops.dev,resources=musictracks;renderjobs,verbs=list;watch

// SetupWithManager registers the controller. It reconciles once at the start, then whenever an object of the set
// changes.
func (r *Reconciler) SetupWithManager(mgr ctrl.Manager) error {
	key := ctrl.Request{NamespacedName: types.NamespacedName{Namespace: r.namespace, Name: v1beta1.ComponentStarterSet}}
	one := handler.EnqueueRequestsFromMapFunc(func(context.Context, client.Object) []ctrl.Request { return []ctrl.Request{key} })
	ours := builder.WithPredicates(predicate.NewPredicateFuncs(func(o client.Object) bool {
		return o.GetNamespace() == r.namespace && o.GetLabels()[v1beta1.LabelComponent] == v1beta1.ComponentStarterSet
	}))
	return ctrl.NewControllerManagedBy(mgr).Named("starterset").
		WatchesRawSource(source.Func(func(_ context.Context, q workqueue.TypedRateLimitingInterface[reconcile.Request]) error {
			q.Add(key)
			return nil
		})).
		Watches(&v1beta1.MediaAsset{}, one, ours).
		Watches(&v1beta1.MusicTrack{}, one, ours).
		Complete(r)
}

// Reconcile observes, decides and acts. It writes at most one object.
func (r *Reconciler) Reconcile(ctx context.Context, _ ctrl.Request) (ctrl.Result, error) {
	now := r.clock.Now()
	if r.state.startedAt.IsZero() {
		r.state.startedAt = now
	}
	o, err := r.observe(ctx)
	if err != nil {
		return outcome.Result(err)
	}
	for name := range o.objects {
		r.state.known[name] = true
	}
	d := decide(r.items, o, r.state, now)
	if err := r.act(ctx, d, o); apierrors.IsNotFound(err) {
		return ctrl.Result{RequeueAfter: startDelay}, nil // the namespace does not exist yet
	} else if err != nil {
		return outcome.Result(err)
	}
	return ctrl.Result{RequeueAfter: d.requeue}, nil
}
