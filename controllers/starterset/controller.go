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
	// patience is how long after its start the set lets others go first.
	patience = time.Minute
	// again is how soon it looks whether others have done.
	again = 20 * time.Second
)

// Reconciler makes the set. It works on one key, so that its memory needs no lock.
type Reconciler struct {
	client client.Client
	clock  clock.PassiveClock
	// namespace of the library.
	namespace string
	items     []starterset.Item
	memory    memory
}

// memory is what the set knows beyond the objects. It may be lost: the set is then completed anew.
type memory struct {
	// begun is when the first pass was.
	begun time.Time
	// met names the items whose objects were there in this run: one that is not there any more was deleted by somebody.
	met map[string]bool
	// replaced gives the ids of objects that were removed to be made anew.
	replaced map[string]string
}

// New makes the reconciler for a library namespace.
func New(c client.Client, clk clock.PassiveClock, namespace string) *Reconciler {
	return &Reconciler{
		client: c, clock: clk, namespace: namespace, items: starterset.Items(),
		memory: memory{met: map[string]bool{}, replaced: map[string]string{}},
	}
}

// +kubebuilder:rbac:groups=reelops.dev,namespace=reelops-system,resources=musictracks,verbs=create;delete
// +kubebuilder:rbac:groups=reelops.dev,resources=mediaassets;slideshows;videos,verbs=get;list;watch
// +kubebuilder:rbac:groups=reelops.dev,resources=musictracks;renderjobs,verbs=list;watch

// SetupWithManager wires the controller: one pass at the start, then one whenever an object of the set changes.
func (r *Reconciler) SetupWithManager(mgr ctrl.Manager) error {
	key := ctrl.Request{NamespacedName: types.NamespacedName{Namespace: r.namespace, Name: starterset.Component}}
	one := handler.EnqueueRequestsFromMapFunc(func(context.Context, client.Object) []ctrl.Request { return []ctrl.Request{key} })
	ours := builder.WithPredicates(predicate.NewPredicateFuncs(func(o client.Object) bool {
		return o.GetNamespace() == r.namespace && o.GetLabels()[v1beta1.LabelComponent] == starterset.Component
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

// Reconcile is one pass: at most one object is written.
func (r *Reconciler) Reconcile(ctx context.Context, _ ctrl.Request) (ctrl.Result, error) {
	now := r.clock.Now()
	if r.memory.begun.IsZero() {
		r.memory.begun = now
	}
	seen, err := r.observe(ctx)
	if err != nil {
		return outcome.Result(err)
	}
	for name := range seen.objects {
		r.memory.met[name] = true
	}
	step := plan(r.items, seen, r.memory, now)
	if err := r.act(ctx, step, seen); apierrors.IsNotFound(err) {
		return ctrl.Result{RequeueAfter: patience}, nil // there is no such namespace yet
	} else if err != nil {
		return outcome.Result(err)
	}
	return ctrl.Result{RequeueAfter: step.again}, nil
}
