// SPDX-License-Identifier: Apache-2.0

package postbatch

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
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

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/kube/finalize"
	"github.com/reelops/reelops/internal/kube/identity"
	"github.com/reelops/reelops/internal/kube/status"
	"github.com/reelops/reelops/internal/process/clockskew"
	"github.com/reelops/reelops/internal/process/outcome"
	"github.com/reelops/reelops/internal/process/tracing"
	"github.com/reelops/reelops/internal/social/posting"
	"github.com/reelops/reelops/internal/store/archive"
)

// Reconciler reconciles PostBatches.
type Reconciler struct {
	Client client.Client
	// Live reads the API server, not the cache.
	Live  client.Reader
	Clock clock.Clock
	// Ahead returns by how much Clock is ahead of the API server's; nil if that is not measured.
	Ahead  func() time.Duration
	Events events.EventRecorder
	// NextID reserves ids of batches, NextPost ids of posts.
	NextID, NextPost func(context.Context) (int64, error)
	// IndexRenders is the cache index of RenderJobs by the slideshow they render.
	IndexRenders string
	// Archive reads the segments of archives; nil if there are none.
	Archive *archive.Store
	// Missing returns what the installation has not configured of a platform; nil if all are set up.
	Missing func(v1beta1.Platform) []string

	written written
}

// +kubebuilder:rbac:groups=reelops.dev,resources=postbatches,verbs=list;watch;patch
// +kubebuilder:rbac:groups=reelops.dev,resources=postbatches/status,verbs=patch
// +kubebuilder:rbac:groups=reelops.dev,resources=posts,verbs=get;list;watch;create;delete;patch;revise
// +kubebuilder:rbac:groups=reelops.dev,resources=slideshows;videos;socialaccounts;brands;mediaassets,verbs=get;list;watch
// +kubebuilder:rbac:groups=reelops.dev,resources=renderjobs,verbs=list;watch
// +kubebuilder:rbac:groups=reelops.dev,resources=archives,verbs=get;list;watch;patch
// +kubebuilder:rbac:groups=events.k8s.io,resources=events,verbs=create;patch

// SetupWithManager registers the controller: it watches batches, their posts, and what they wait for.
func (r *Reconciler) SetupWithManager(mgr ctrl.Manager) error {
	return ctrl.NewControllerManagedBy(mgr).Named("postbatch").
		For(&v1beta1.PostBatch{}).
		Watches(&v1beta1.Post{}, handler.EnqueueRequestsFromMapFunc(func(_ context.Context, o client.Object) []ctrl.Request {
			return []ctrl.Request{{NamespacedName: client.ObjectKey{Namespace: o.GetNamespace(), Name: o.(*v1beta1.Post).Spec.Batch}}}
		}), builder.WithPredicates(predicate.Funcs{
			UpdateFunc: func(e event.UpdateEvent) bool { return !analyticsOnly(e) },
		})).
		Watches(&v1beta1.Slideshow{}, handler.EnqueueRequestsFromMapFunc(r.waitingForShort)).
		Watches(&v1beta1.Video{}, handler.EnqueueRequestsFromMapFunc(r.waitingForShort)).
		Watches(&v1beta1.RenderJob{}, handler.EnqueueRequestsFromMapFunc(func(ctx context.Context, o client.Object) []ctrl.Request {
			return r.waiting(ctx, o.GetNamespace(), keyShow(o.(*v1beta1.RenderJob).Spec.Source.Name), keyShort(o.GetLabels()[v1beta1.LabelShort]))
		})).
		Watches(&v1beta1.SocialAccount{}, handler.EnqueueRequestsFromMapFunc(func(ctx context.Context, o client.Object) []ctrl.Request {
			return r.waiting(ctx, o.GetNamespace(), keyAccount(o.GetName()), keyPlatform(o.(*v1beta1.SocialAccount).Spec.Platform))
		})).
		Watches(&v1beta1.Brand{}, handler.EnqueueRequestsFromMapFunc(func(ctx context.Context, o client.Object) []ctrl.Request {
			return r.waiting(ctx, o.GetNamespace(), keyBrand(o.GetName()))
		})).
		WithOptions(controller.Options{MaxConcurrentReconciles: 4}).
		Complete(reconcile.AsReconciler(mgr.GetClient(), tracing.Passes(r)))
}

// analyticsOnly reports whether only the analytics of a post changed.
func analyticsOnly(e event.UpdateEvent) bool {
	was, is := e.ObjectOld.(*v1beta1.Post), e.ObjectNew.(*v1beta1.Post)
	if equality.Semantic.DeepEqual(was.Status.Metrics, is.Status.Metrics) || was.Generation != is.Generation || was.UID != is.UID {
		return false
	}
	a, b := was.Status, is.Status
	a.Metrics, b.Metrics = nil, nil
	return equality.Semantic.DeepEqual(a, b) && equality.Semantic.DeepEqual(was.OwnerReferences, is.OwnerReferences) &&
		was.DeletionTimestamp.Equal(is.DeletionTimestamp)
}

// Names of the cache's indexes.
const (
	// IndexWaiting indexes batches by what they wait for.
	IndexWaiting = "reelops.batch-waits"
	// IndexBatch indexes Posts by the name of their batch, IndexAccount by the limit that they count against.
	IndexBatch   = "reelops.post-batch"
	IndexAccount = "reelops.post-account"
	// IndexShortID indexes Slideshows and Videos by their id.
	IndexShortID = "reelops.short-id"
)

func keyShow(name string) string                   { return "show/" + name }
func keyShort(id string) string                    { return "short/" + id }
func keyAccount(name string) string                { return "account/" + name }
func keyPlatform(platform v1beta1.Platform) string { return "platform/" + string(platform) }
func keyBrand(name string) string                  { return "brand/" + name }

// WaitingIndex fills IndexWaiting.
func WaitingIndex(o client.Object) []string {
	b := o.(*v1beta1.PostBatch)
	if len(b.Status.Targets) > 0 && b.Status.Open == 0 {
		return nil
	}
	out := []string{keyBrand(b.Spec.BrandRef.Name)} // its approval policy may end a hold
	if b.Spec.ShortRef.Name != "" {
		out = append(out, keyShow(b.Spec.ShortRef.Name))
	} else {
		out = append(out, keyShort(digits(b.Spec.ShortRef.ID)))
	}
	if !resolved(b) || slices.ContainsFunc(b.Status.Targets, func(t v1beta1.TargetStatus) bool { return posting.Unmade(&t) }) {
		for _, a := range b.Spec.Accounts {
			out = append(out, keyAccount(a.Name))
		}
		for _, p := range b.Spec.Platforms {
			out = append(out, keyPlatform(p))
		}
	}
	return out
}

// BatchIndex fills IndexBatch.
func BatchIndex(o client.Object) []string { return []string{o.(*v1beta1.Post).Spec.Batch} }

// AccountIndex fills IndexAccount.
func AccountIndex(o client.Object) []string {
	p := o.(*v1beta1.Post)
	return []string{usesOf(p.Spec.Platform, p.Namespace, p.Spec.Account)}
}

// ShortIDIndex fills IndexShortID.
func ShortIDIndex(o client.Object) []string {
	if id := o.GetLabels()[v1beta1.LabelID]; id != "" {
		return []string{id}
	}
	return nil
}

func (r *Reconciler) waitingForShort(ctx context.Context, o client.Object) []ctrl.Request {
	return r.waiting(ctx, o.GetNamespace(), keyShow(o.GetName()), keyShort(o.GetLabels()[v1beta1.LabelID]))
}

func (r *Reconciler) waiting(ctx context.Context, namespace string, keys ...string) []ctrl.Request {
	var out []ctrl.Request
	for _, key := range keys {
		var list v1beta1.PostBatchList
		if err := r.Client.List(ctx, &list, client.InNamespace(namespace), client.MatchingFields{IndexWaiting: key}); err != nil {
			continue // the batches are reconciled when they are due
		}
		for i := range list.Items {
			out = append(out, ctrl.Request{NamespacedName: client.ObjectKeyFromObject(&list.Items[i])})
		}
	}
	return out
}

// Reconcile is one pass: observe, decide, act, report.
func (r *Reconciler) Reconcile(ctx context.Context, b *v1beta1.PostBatch) (ctrl.Result, error) {
	if b.DeletionTimestamp.IsZero() {
		if err := finalize.Ensure(ctx, r.Client, b, v1beta1.FinalizerPostBatch); err != nil {
			return outcome.Result(err)
		}
		if err := identity.Ensure(ctx, r.Client, b, r.NextID, &b.Spec.BrandRef); err != nil {
			return outcome.Result(err)
		}
	}
	o, err := r.observe(ctx, b)
	if err != nil {
		return outcome.Result(err)
	}
	if !b.DeletionTimestamp.IsZero() {
		return r.remove(ctx, b, o)
	}
	now := r.Clock.Now()
	if r.Ahead != nil { // a clock that was set must not make a batch due early
		now = now.Add(-clockskew.Beyond(r.Ahead()))
	}
	w := status.Begin(r.Client, b)
	p := decide(b, o, now)
	if p.kind == doCreate {
		if err := r.make(ctx, b, o, w, now); err != nil {
			return outcome.Result(err)
		}
	}
	if p.restore {
		if err := r.restore(ctx, b); err != nil {
			return outcome.Result(err)
		}
	}
	if err := r.follow(ctx, b, o, now); err != nil {
		return outcome.Result(err)
	}
	if err := r.hold(ctx, b, o, now); err != nil {
		return outcome.Result(err)
	}
	report(b, o, p, now)
	if wait := settleWait(w.Before(), b, r.written.last(client.ObjectKeyFromObject(b)), now); wait > 0 {
		return ctrl.Result{RequeueAfter: wait}, nil
	}
	before := w.Before()
	if err := w.Persist(ctx); err != nil {
		return outcome.Result(err)
	}
	r.written.note(b, now)
	r.announce(b, before)
	return ctrl.Result{RequeueAfter: p.wait}, nil
}

// remove deletes the posts of a batch that is being deleted, and releases the batch when no post is being sent. The posts are deleted before
// the batch: a new batch of the name must not adopt a canceled post. The deletion of an unsent post has the precondition of a cancellation,
// the resourceVersion: of the deletion and an attempt only one succeeds.
func (r *Reconciler) remove(ctx context.Context, b *v1beta1.PostBatch, o *observed) (ctrl.Result, error) {
	sending := false
	for i := range o.posts {
		p := &o.posts[i]
		switch {
		case !ours(b, p) || !p.DeletionTimestamp.IsZero() && !maybeSent(p):
		case maybeSent(p) && !p.Status.State.Final():
			sending = true
		case p.DeletionTimestamp.IsZero():
			err := r.Client.Delete(ctx, p, client.Preconditions{UID: &p.UID, ResourceVersion: &p.ResourceVersion})
			if client.IgnoreNotFound(err) != nil {
				return outcome.Result(fmt.Errorf("deleting post %s: %w", p.Name, err))
			}
		}
	}
	if sending {
		return ctrl.Result{}, nil // the outcome wakes the batch
	}
	return outcome.Result(finalize.Release(ctx, r.Client, b, v1beta1.FinalizerPostBatch, func() error { return nil }))
}

// settling is how long a status change waits for others that are likely to follow.
const settling = 3 * time.Second

// settleWait returns how long to wait before a status is written that reports progress only. Most posts end within settling, and their end is
// written at once. A batch of many posts is written every settling, not once per post. written is when the status was last written.
func settleWait(before, b *v1beta1.PostBatch, written, now time.Time) time.Duration {
	if !resolved(before) || before.Status.ObservedGeneration != b.Generation || b.Spec.ScheduledAt == nil ||
		b.Status.Open == 0 || len(before.Status.Targets) != len(b.Status.Targets) {
		return 0
	}
	changed := false
	for i := range b.Status.Targets {
		was, is := &before.Status.Targets[i], &b.Status.Targets[i]
		if was.Post != is.Post {
			return 0
		}
		changed = changed || was.State != is.State
	}
	if !changed {
		return 0
	}
	wait := written.Add(settling).Sub(now)
	if at := b.Spec.ScheduledAt.Time; !now.Before(at) {
		wait = max(wait, at.Add(settling).Sub(now))
	}
	if wait <= 0 || wait > settling { // the clock was set back
		return 0
	}
	return wait
}

// written holds when the status of each open batch was last written.
type written struct {
	mu sync.Mutex
	at map[client.ObjectKey]time.Time
}

func (w *written) last(key client.ObjectKey) time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.at[key]
}

// note records the time of a write, until the batch has ended.
func (w *written) note(b *v1beta1.PostBatch, now time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	key := client.ObjectKeyFromObject(b)
	if b.Status.Open == 0 || !b.DeletionTimestamp.IsZero() {
		delete(w.at, key)
		return
	}
	if w.at == nil {
		w.at = map[client.ObjectKey]time.Time{}
	}
	w.at[key] = now
}
