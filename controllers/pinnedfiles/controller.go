// SPDX-License-Identifier: Apache-2.0

package pinnedfiles

import (
	"context"
	"slices"
	"time"

	"k8s.io/client-go/util/workqueue"
	"k8s.io/utils/clock"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/process/outcome"
	"github.com/reelops/reelops/internal/process/periodic"
	"github.com/reelops/reelops/internal/store/blob"
	"github.com/reelops/reelops/internal/store/pinned"
)

// walkEvery is the interval of walks over all marks.
const walkEvery = time.Hour

// Reconciler collects the files of one prefix at a time. A request is a prefix.
type Reconciler struct {
	// Client reads posts and the owners of files from the cache.
	Client client.Reader
	Store  *blob.Store
	Clock  clock.Clock
}

// +kubebuilder:rbac:groups=reelops.dev,resources=posts;postbatches;slideshows;renderjobs;videos;mediaassets,verbs=list;watch

// SetupWithManager registers the controller and the hourly walk. It watches Posts that release files.
func (r *Reconciler) SetupWithManager(mgr ctrl.Manager) error {
	if err := mgr.Add(r); err != nil {
		return err
	}
	return builder.TypedControllerManagedBy[string](mgr).Named("pinnedfiles").
		Watches(&v1beta1.Post{}, handler.TypedFuncs[client.Object, string]{
			UpdateFunc: func(_ context.Context, e event.UpdateEvent, q workqueue.TypedRateLimitingInterface[string]) {
				enqueue(q, released(e.ObjectOld, e.ObjectNew))
			},
			DeleteFunc: func(_ context.Context, e event.DeleteEvent, q workqueue.TypedRateLimitingInterface[string]) {
				enqueue(q, released(e.Object, nil))
			},
		}).
		WithOptions(controller.TypedOptions[string]{MaxConcurrentReconciles: 4}).
		Complete(r)
}

func enqueue(q workqueue.TypedRateLimitingInterface[string], prefixes []string) {
	for _, p := range prefixes {
		q.Add(p)
	}
}

// released returns the prefixes of the files that a Post named before and does not name after. after is nil for a
// deleted Post.
func released(before, after client.Object) []string {
	var still []string
	if after != nil {
		still = pinned.Keys(after.(*v1beta1.Post))
	}
	var out []string
	for _, key := range pinned.Keys(before.(*v1beta1.Post)) {
		if p := pinned.Prefix(key); p != "" && !slices.Contains(still, key) && !slices.Contains(out, p) {
			out = append(out, p)
		}
	}
	return out
}

// Reconcile collects the files below a prefix.
func (r *Reconciler) Reconcile(ctx context.Context, prefix string) (reconcile.Result, error) {
	return outcome.Result(pinned.Collect(ctx, r.Client, r.Store, prefix))
}

// NeedLeaderElection reports that only the leader walks the marks.
func (r *Reconciler) NeedLeaderElection() bool { return true }

// Start walks all marks now and every hour until the context ends. It finds marks that a killed process left.
func (r *Reconciler) Start(ctx context.Context) error {
	periodic.Delete(ctx, r.Clock, walkEvery, ctrl.Log.WithName("pinnedfiles"), "pinned files", func(ctx context.Context) (int, error) {
		return 0, pinned.CollectAll(ctx, r.Client, r.Store)
	})
	return nil
}
