// SPDX-License-Identifier: Apache-2.0

package post

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	toolscache "k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/kube/identity"
	"github.com/reelops/reelops/internal/social/pacing"
	"github.com/reelops/reelops/internal/social/posting"
)

// IndexOpen is the cache index of posts that have not ended, all under one key.
const (
	IndexOpen = "reelops.post-open"
	isOpen    = "yes"
)

// OpenIndex fills IndexOpen.
func OpenIndex(o client.Object) []string {
	if hasEnded(o.(*v1beta1.Post)) {
		return nil
	}
	return []string{isOpen}
}

// hasEnded reports whether no work is left for a post.
func hasEnded(p *v1beta1.Post) bool {
	return p.DeletionTimestamp.IsZero() && p.Status.State.Final() && !seekingLink(p) && !posting.Commenting(p)
}

// sweepEvery is the interval at which all open posts are reconciled, whether or not an event or a time woke them.
const sweepEvery = time.Minute

// open indexes the posts that have not ended, as the informer reports them: the place of each in its account's queue,
// and the posts of each account.
type open struct {
	mu        sync.Mutex
	posts     map[client.ObjectKey]waiting
	byAccount map[client.ObjectKey]map[client.ObjectKey]struct{}
}

type waiting struct {
	account client.ObjectKey
	brand   client.ObjectKey
	place   pacing.Place
	sending bool // the post is sent at the time of its place, unless an obstacle is found
}

func newOpen() *open {
	return &open{posts: map[client.ObjectKey]waiting{}, byAccount: map[client.ObjectKey]map[client.ObjectKey]struct{}{}}
}

func (o *open) put(key client.ObjectKey, w waiting) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.posts[key] = w
	if o.byAccount[w.account] == nil {
		o.byAccount[w.account] = map[client.ObjectKey]struct{}{}
	}
	o.byAccount[w.account][key] = struct{}{}
}

func (o *open) remove(key client.ObjectKey) {
	o.mu.Lock()
	defer o.mu.Unlock()
	w, ok := o.posts[key]
	if !ok {
		return
	}
	delete(o.posts, key)
	if delete(o.byAccount[w.account], key); len(o.byAccount[w.account]) == 0 {
		delete(o.byAccount, w.account)
	}
}

func (o *open) get(key client.ObjectKey) (waiting, bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	w, ok := o.posts[key]
	return w, ok
}

func (o *open) of(account client.ObjectKey) []client.ObjectKey {
	o.mu.Lock()
	defer o.mu.Unlock()
	out := make([]client.ObjectKey, 0, len(o.byAccount[account]))
	for k := range o.byAccount[account] {
		out = append(out, k)
	}
	return out
}

func (o *open) ofBrand(brand client.ObjectKey) []client.ObjectKey {
	o.mu.Lock()
	defer o.mu.Unlock()
	var out []client.ObjectKey
	for k, w := range o.posts {
		if w.brand == brand {
			out = append(out, k)
		}
	}
	return out
}

// placeOf returns the place of a post in its account's queue.
func placeOf(p *v1beta1.Post) pacing.Place {
	id, _ := identity.Of(p)
	return pacing.Place{Due: posting.DueAt(p), ID: id}
}

func accountOf(p *v1beta1.Post) client.ObjectKey {
	return client.ObjectKey{Namespace: p.Namespace, Name: p.Spec.Account}
}

// watch feeds the due queue from the events of the cache.
func (r *Reconciler) watch(ctx context.Context, c cache.Cache) (synced func() bool, err error) {
	posts, err := c.GetInformer(ctx, &v1beta1.Post{})
	if err != nil {
		return nil, fmt.Errorf("watching posts: %w", err)
	}
	registered, err := posts.AddEventHandler(toolscache.ResourceEventHandlerFuncs{
		AddFunc:    func(o any) { r.onPost(o) },
		UpdateFunc: func(o, n any) { r.onPostUpdate(o, n) },
		DeleteFunc: r.onPostDelete,
	})
	if err != nil {
		return nil, fmt.Errorf("watching posts: %w", err)
	}
	accounts, err := c.GetInformer(ctx, &v1beta1.SocialAccount{})
	if err != nil {
		return nil, fmt.Errorf("watching accounts: %w", err)
	}
	_, err = accounts.AddEventHandler(toolscache.ResourceEventHandlerFuncs{
		AddFunc:    func(o any) { r.wakeAccount(o) },
		UpdateFunc: func(o, n any) { r.onAccountUpdate(o, n) },
		DeleteFunc: func(o any) { r.wakeAccount(o) },
	})
	if err != nil {
		return nil, fmt.Errorf("watching accounts: %w", err)
	}
	brands, err := c.GetInformer(ctx, &v1beta1.Brand{})
	if err != nil {
		return nil, fmt.Errorf("watching brands: %w", err)
	}
	if _, err := brands.AddEventHandler(toolscache.ResourceEventHandlerFuncs{UpdateFunc: r.onBrandUpdate}); err != nil {
		return nil, fmt.Errorf("watching brands: %w", err)
	}
	return func() bool { return registered.HasSynced() && brands.HasSynced() }, nil
}

// onPostUpdate ignores changes of a post that has ended: its analytics keep changing.
func (r *Reconciler) onPostUpdate(o, n any) {
	was, ok1 := o.(*v1beta1.Post)
	is, ok2 := n.(*v1beta1.Post)
	if ok1 && ok2 && was.UID == is.UID && was.Generation == is.Generation && hasEnded(was) && hasEnded(is) {
		return
	}
	r.onPost(n)
}

// onPost enqueues a post: overdue posts in the order of their due times, others behind them.
func (r *Reconciler) onPost(o any) {
	p, ok := o.(*v1beta1.Post)
	if !ok {
		return
	}
	key := client.ObjectKeyFromObject(p)
	mine, all := scopes(p)
	for _, a := range p.Status.Attempts {
		if a.State == v1beta1.AttemptAccepted || a.State.Open() {
			r.caps.Went(key, a.StartedAt.Time, mine, all)
		}
	}
	r.stamps.observe(p)
	if hasEnded(p) {
		r.onPostDelete(p)
		return
	}
	a := last(p)
	r.open.put(key, waiting{
		account: accountOf(p), brand: client.ObjectKey{Namespace: p.Namespace, Name: p.Spec.BrandRef.Name}, place: placeOf(p),
		sending: !p.Spec.Hold && !p.Spec.Cancel && p.DeletionTimestamp.IsZero() && !p.Status.State.Final() &&
			(a == nil || !a.State.Open() && a.State != v1beta1.AttemptAccepted) && p.Status.NextAttemptAt == nil,
	})
	at := r.Clock.Now()
	if d := posting.DueAt(p); d.Before(at) {
		at = d
	}
	r.queue.Add(key, at)
}

func (r *Reconciler) onPostDelete(o any) {
	if gone, ok := o.(toolscache.DeletedFinalStateUnknown); ok {
		o = gone.Obj
	}
	if p, ok := o.(*v1beta1.Post); ok {
		r.forget(client.ObjectKeyFromObject(p))
	}
}

// forget removes a post that has ended or no longer exists. A running pass removes its own state.
func (r *Reconciler) forget(key client.ObjectKey) {
	r.open.remove(key)
	r.queue.Add(key, r.Clock.Now()) // one more pass, which clears the in-process state
}

// onAccountUpdate enqueues the posts of an account when a field changed that they wait for.
func (r *Reconciler) onAccountUpdate(o, n any) {
	was, ok1 := o.(*v1beta1.SocialAccount)
	is, ok2 := n.(*v1beta1.SocialAccount)
	if !ok1 || !ok2 || was.Status.TokenStatus == is.Status.TokenStatus && was.DeletionTimestamp.Equal(is.DeletionTimestamp) &&
		was.Status.LimitedUntil.Equal(is.Status.LimitedUntil) {
		return
	}
	r.wakeAccount(is)
}

// onBrandUpdate enqueues the posts of a brand when its posting was suspended or resumed.
func (r *Reconciler) onBrandUpdate(o, n any) {
	was, ok1 := o.(*v1beta1.Brand)
	is, ok2 := n.(*v1beta1.Brand)
	if !ok1 || !ok2 || was.Spec.PostingSuspended == is.Spec.PostingSuspended {
		return
	}
	for _, key := range r.open.ofBrand(client.ObjectKeyFromObject(is)) {
		r.wake(key)
	}
}

// wakeAccount enqueues all posts of an account that was created, deleted or changed.
func (r *Reconciler) wakeAccount(o any) {
	if gone, ok := o.(toolscache.DeletedFinalStateUnknown); ok {
		o = gone.Obj
	}
	if a, ok := o.(*v1beta1.SocialAccount); ok {
		for _, key := range r.open.of(client.ObjectKeyFromObject(a)) {
			r.wake(key)
		}
	}
}

// wake enqueues a post at its due time if that has passed, else at the current time.
func (r *Reconciler) wake(key client.ObjectKey) {
	at := r.Clock.Now()
	if w, ok := r.open.get(key); ok && w.place.Due.Before(at) {
		at = w.place.Due
	}
	r.queue.Add(key, at)
}

// dispatch passes due posts to the workers. All of them join their accounts' queues first, so that the order of posts
// that are due at the same time does not depend on the workers.
func (r *Reconciler) dispatch(keys []client.ObjectKey, work func(client.ObjectKey)) {
	now := r.Clock.Now()
	for _, k := range keys {
		if w, ok := r.open.get(k); ok && w.sending && !w.place.Due.After(now) {
			r.queues.Join(w.account, k, w.place)
		}
	}
	for _, k := range keys {
		work(k)
	}
}

// urgent reports whether a post is to be sent now. When many posts are due at once, all are sent before the first is
// polled.
func (r *Reconciler) urgent(key client.ObjectKey) bool {
	w, ok := r.open.get(key)
	return ok && w.sending && !w.place.Due.After(r.Clock.Now())
}

// add enqueues a request, urgent ones first.
func add(work workqueue.TypedRateLimitingInterface[reconcile.Request], req reconcile.Request, urgent bool) {
	q, ok := work.(priorityqueue.PriorityQueue[reconcile.Request])
	if !ok || !urgent {
		work.Add(req)
		return
	}
	q.AddWithOpts(priorityqueue.AddOpts{Priority: ptr.To(1)}, req)
}

// sweep enqueues all open posts, in case an event or a wake-up was missed.
func (r *Reconciler) sweep(ctx context.Context) error {
	var list v1beta1.PostList
	if err := r.Client.List(ctx, &list, client.MatchingFields{IndexOpen: isOpen}); err != nil {
		return fmt.Errorf("listing open posts: %w", err)
	}
	for i := range list.Items {
		r.onPost(&list.Items[i])
	}
	return nil
}

// feeder runs the due queue while this process is the leader.
type feeder struct {
	r      *Reconciler
	synced func() bool
}

// Start feeds the workers until the context ends. It begins when the cache has all posts, so that overdue posts come
// first.
func (f *feeder) Start(ctx context.Context) error {
	if !toolscache.WaitForCacheSync(ctx.Done(), f.synced) {
		return nil
	}
	var work workqueue.TypedRateLimitingInterface[reconcile.Request]
	select {
	case work = <-f.r.work:
	case <-ctx.Done():
		return nil
	}
	tick := f.r.Clock.NewTicker(sweepEvery)
	defer tick.Stop()
	swept := make(chan error, 1)
	go func() {
		for {
			select {
			case <-ctx.Done():
				swept <- nil
				return
			case <-tick.C():
				_ = f.r.sweep(ctx) // the next sweep follows
				f.r.stamp(ctx)
			}
		}
	}()
	err := f.r.queue.Run(ctx, func(keys []client.ObjectKey) {
		f.r.dispatch(keys, func(k client.ObjectKey) { add(work, reconcile.Request{NamespacedName: k}, f.r.urgent(k)) })
	})
	return errors.Join(err, <-swept)
}
