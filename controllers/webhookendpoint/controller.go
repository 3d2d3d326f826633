// SPDX-License-Identifier: Apache-2.0

package webhookendpoint

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/events"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/utils/clock"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/account/webhooksecret"
	"github.com/reelops/reelops/internal/kube/identity"
	"github.com/reelops/reelops/internal/kube/status"
	"github.com/reelops/reelops/internal/process/fairqueue"
	"github.com/reelops/reelops/internal/process/outcome"
	"github.com/reelops/reelops/internal/store/outbox"
)

// workers is the number of endpoints that are worked on at once. A worker waits for responses and uses little memory:
// at most batchSize events and one segment.
const workers = 240

// Sender sends a request. *fetch.Client implements it.
type Sender interface {
	Post(ctx context.Context, url string, header http.Header, body []byte) (code int, err error)
}

// Reconciler delivers events to endpoints.
type Reconciler struct {
	Client client.Client
	// Live reads Secrets, which are not cached.
	Live   client.Reader
	Clock  clock.Clock
	Events events.EventRecorder
	Sender Sender
	Outbox *outbox.Outbox
	// Secrets derives the signing secrets.
	Secrets *webhooksecret.Deriver
	NextID  func(context.Context) (int64, error)
	// Recorder is set by New.
	Recorder *Recorder

	slots *fairqueue.Slots
	queue chan workqueue.TypedRateLimitingInterface[reconcile.Request]
}

// New returns a Reconciler and its Recorder.
func New(r Reconciler, data func(ctx context.Context, c client.Reader, o client.Object) (any, error)) *Reconciler {
	r.slots = fairqueue.NewSlots(workers*batchSize, hostSlots)
	r.queue = make(chan workqueue.TypedRateLimitingInterface[reconcile.Request], 1)
	r.Recorder = &Recorder{Client: r.Client, Outbox: r.Outbox, Data: data, Recorded: r.recorded}
	return &r
}

// +kubebuilder:rbac:groups=reelops.dev,resources=accounts,verbs=list;watch
// +kubebuilder:rbac:groups=reelops.dev,resources=webhookendpoints,verbs=list;watch;patch
// +kubebuilder:rbac:groups=reelops.dev,resources=webhookendpoints/status,verbs=patch
// +kubebuilder:rbac:groups="",roleName=reelops-manager-account,resources=secrets,verbs=get;update
// +kubebuilder:rbac:groups="",resources=secrets,verbs=create
// +kubebuilder:rbac:groups=events.k8s.io,resources=events,verbs=create;patch

// SetupWithManager registers the controller and the recorders. The endpoints of an account cannot occupy more workers
// than the account has endpoints.
func (r *Reconciler) SetupWithManager(mgr ctrl.Manager) error {
	if err := errors.Join(r.Recorder.setup(mgr), mgr.Add(&sweeper{r})); err != nil {
		return err
	}
	return ctrl.NewControllerManagedBy(mgr).Named("webhookendpoint").
		For(&v1beta1.WebhookEndpoint{}, builder.WithPredicates(predicate.GenerationChangedPredicate{})).
		WatchesRawSource(source.Func(
			func(_ context.Context, q workqueue.TypedRateLimitingInterface[reconcile.Request]) error {
				r.queue <- q
				return nil
			})).
		WithOptions(controller.Options{
			MaxConcurrentReconciles: workers, NewQueue: fairqueue.New(v1beta1.MaxWebhookEndpoints),
		}).
		Complete(reconcile.AsReconciler(mgr.GetClient(), r))
}

// recorded wakes the endpoints of a namespace.
func (r *Reconciler) recorded(namespace string) {
	select {
	case q := <-r.queue:
		r.queue <- q
		var list v1beta1.WebhookEndpointList
		if err := r.Client.List(context.Background(), &list, client.InNamespace(namespace)); err != nil {
			return // the cache never fails; without a cache, nothing waits for the queue
		}
		for i := range list.Items {
			q.Add(reconcile.Request{NamespacedName: client.ObjectKeyFromObject(&list.Items[i])})
		}
	default: // the controller has not started: it reconciles all endpoints when it does
	}
}

// Reconcile delivers one batch of events, and requeues while there is more.
func (r *Reconciler) Reconcile(ctx context.Context, w *v1beta1.WebhookEndpoint) (ctrl.Result, error) {
	if !w.DeletionTimestamp.IsZero() {
		return ctrl.Result{}, nil
	}
	if err := identity.Ensure(ctx, r.Client, w, r.NextID, w.Spec.BrandRef); err != nil {
		return outcome.Result(err)
	}
	now := r.Clock.Now()
	writer := status.Begin(r.Client, w)
	excess, err := r.excess(ctx, w)
	if err != nil {
		return outcome.Result(err)
	}
	keys, err := r.secrets(ctx, w, now)
	foreign := errors.Is(err, errForeign)
	if err != nil && !foreign {
		return outcome.Result(err)
	}
	if err := r.position(ctx, w, writer); err != nil {
		return outcome.Result(err)
	}
	again := time.Duration(0)
	if !excess && !foreign && !w.Spec.Suspend && !w.IsDisabled() {
		if again, err = r.send(ctx, w, keys, now); err != nil {
			return outcome.Result(err)
		}
	}
	report(w, excess, foreign)
	if err := writer.Persist(ctx); err != nil {
		return outcome.Result(err)
	}
	return ctrl.Result{RequeueAfter: again}, nil
}

// excess reports whether the account has more endpoints than allowed, and this one is not among the oldest.
func (r *Reconciler) excess(ctx context.Context, w *v1beta1.WebhookEndpoint) (bool, error) {
	var list v1beta1.WebhookEndpointList
	if err := r.Client.List(ctx, &list, client.InNamespace(w.Namespace)); err != nil {
		return false, fmt.Errorf("listing WebhookEndpoints: %w", err)
	}
	older := 0
	for i := range list.Items {
		o := &list.Items[i]
		if o.UID != w.UID && cmp.Or(o.CreationTimestamp.Compare(w.CreationTimestamp.Time), cmp.Compare(o.Name, w.Name)) < 0 {
			older++
		}
	}
	return older >= v1beta1.MaxWebhookEndpoints, nil
}

// position sets the cursor of a new endpoint, and moves it for a replay. It stores both before anything is sent. All
// transitions since the creation of a new endpoint are recorded first: the recorders may have seen their objects before
// they saw the endpoint.
func (r *Reconciler) position(
	ctx context.Context, w *v1beta1.WebhookEndpoint, writer *status.Writer[*v1beta1.WebhookEndpoint],
) error {
	st := &w.Status
	switch replay := w.Spec.Replay; {
	case st.Cursor == nil:
		end, err := r.Outbox.End(ctx, w.Namespace)
		if err != nil {
			return err
		}
		if err := r.Recorder.recordAll(ctx, w.Namespace); err != nil {
			return err
		}
		st.Cursor = &end
		if replay != nil { // a restored endpoint replays nothing
			st.ReplayedAt = &replay.At
		}
	case replay != nil && !replay.At.Equal(st.ReplayedAt):
		from, err := r.Outbox.Since(ctx, w.Namespace, replay.From.Time)
		if err != nil {
			return err
		}
		st.Cursor, st.Pending, st.ReplayedAt = &from, nil, &replay.At
	default:
		return nil
	}
	return writer.Persist(ctx)
}

// since returns the time from which the endpoint receives events: its creation, or the start of its replay. A replay
// never has events from before the creation of the account: a deleted account may have had the same namespace.
func (r *Reconciler) since(ctx context.Context, w *v1beta1.WebhookEndpoint) (time.Time, error) {
	created := w.CreationTimestamp.Time
	p := w.Spec.Replay
	if p == nil || !p.From.Time.Before(created) || !p.At.Equal(w.Status.ReplayedAt) {
		return created, nil
	}
	account := &v1beta1.Account{}
	if err := r.Client.Get(ctx, client.ObjectKey{Namespace: w.Namespace, Name: v1beta1.AccountName}, account); err != nil {
		return created, client.IgnoreNotFound(err)
	}
	if p.From.Time.Before(account.CreationTimestamp.Time) {
		return account.CreationTimestamp.Time, nil
	}
	return p.From.Time, nil
}

// send delivers one batch and records the results in the status. It returns the time until the next batch; 0 if nothing
// waits.
func (r *Reconciler) send(
	ctx context.Context, w *v1beta1.WebhookEndpoint, keys []*standardwebhooks.Webhook, now time.Time,
) (time.Duration, error) {
	batch, more, err := r.batch(ctx, w, now)
	if err != nil {
		return 0, err
	}
	if at := w.Spec.TestAt; at != nil && !at.Equal(w.Status.TestedAt) {
		test, err := testEvent(w, now)
		if err != nil {
			return 0, err
		}
		batch = append(batch, test)
		w.Status.TestedAt = at
	}
	r.deliver(ctx, w, keys, batch)
	if err := ctx.Err(); err != nil {
		return 0, err // the manager stops: the next one repeats the batch
	}
	now = r.Clock.Now()
	if settle(w, batch, now) {
		why := string(w.Status.Disabled.Reason)
		r.Events.Eventf(w, nil, corev1.EventTypeWarning, why, "Disable", "%s", disabledMessage(w))
		return 0, nil
	}
	if more {
		return time.Millisecond, nil
	}
	next := time.Duration(0)
	for _, p := range w.Status.Pending {
		if wait := max(p.NextAt.Sub(now), time.Millisecond); next == 0 || wait < next {
			next = wait
		}
	}
	return next, nil
}

// batch returns the events that are due: pending ones first, then those after the cursor, which it moves. It reports
// whether more may be due.
func (r *Reconciler) batch(
	ctx context.Context, w *v1beta1.WebhookEndpoint, now time.Time,
) (out []*attempt, more bool, err error) {
	st := &w.Status
	due := slices.DeleteFunc(slices.Clone(st.Pending), func(p v1beta1.WebhookPending) bool { return p.NextAt.After(now) })
	slices.SortStableFunc(due, func(a, b v1beta1.WebhookPending) int { return a.NextAt.Compare(b.NextAt.Time) })
	for _, p := range due[:min(len(due), batchSize)] {
		found, _, err := r.Outbox.Next(ctx, w.Namespace, p.WebhookCursor)
		if err != nil {
			return nil, false, err
		}
		if len(found) == 0 || found[0].Position != p.WebhookCursor { // its segment has expired
			st.Pending = without(st.Pending, p.WebhookCursor)
			continue
		}
		out = append(out, attemptOf(&found[0], p.Attempts+1))
	}
	since, err := r.since(ctx, w)
	if err != nil {
		return nil, false, err
	}
	more = len(due) > batchSize
	room := min(batchSize-len(out), v1beta1.MaxWebhookPending-len(st.Pending))
	for room > 0 {
		found, end, err := r.Outbox.Next(ctx, w.Namespace, *st.Cursor)
		if err != nil || len(found) == 0 {
			return out, more, err
		}
		for i := range found {
			if room == 0 {
				st.Cursor = &found[i].Position
				return out, true, nil
			}
			if e := &found[i]; w.Receives(e.Event.Event, e.Brand) && !e.At.Time.Before(since) {
				out, room = append(out, attemptOf(&found[i], 1)), room-1
			}
		}
		st.Cursor = &end
	}
	return out, more || len(out) == batchSize, nil
}

func attemptOf(e *outbox.Recorded, number int32) *attempt {
	return &attempt{id: e.ID, event: e.Event.Event, body: e.Body, position: &e.Position, number: number}
}

// testEvent returns the event of a requested test. Its id follows from the request.
func testEvent(w *v1beta1.WebhookEndpoint, now time.Time) (*attempt, error) {
	t := v1beta1.Transition{Event: v1beta1.EventTest, Sequence: w.Spec.TestAt.UnixMicro(), At: metav1.NewTime(now)}
	id := outbox.ID(w.UID, t)
	t.Sequence = 0
	number, _ := identity.Of(w)
	body, err := bodyOf(t, map[string]any{"id": number, "endpoint": w.Name}, w)
	return &attempt{id: id, event: t.Event, body: body, number: 1}, err
}

// report sets the conditions.
func report(w *v1beta1.WebhookEndpoint, excess, foreign bool) {
	c := status.Conditions{List: &w.Status.Conditions, Generation: w.Generation}
	set := func(ready bool, reason v1beta1.Reason, message string) {
		c.Set(v1beta1.ConditionReady, ready, reason, message)
		if stalled := foreign || excess || w.IsDisabled(); stalled {
			c.Set(v1beta1.ConditionStalled, true, reason, message)
		} else {
			c.Remove(v1beta1.ConditionStalled)
		}
	}
	switch {
	case foreign:
		set(false, v1beta1.ReasonSecretInvalid,
			fmt.Sprintf("The Secret %q is not a signing secret of Reelops: delete it, or set spec.secretRef to another name",
				w.SecretName()))
	case excess:
		set(false, v1beta1.ReasonTooManyEndpoints,
			fmt.Sprintf("The account has more than %d webhook endpoints: delete others to receive events",
				v1beta1.MaxWebhookEndpoints))
	case w.IsDisabled():
		set(false, w.Status.Disabled.Reason, disabledMessage(w))
	case w.Spec.Suspend:
		set(false, v1beta1.ReasonSuspended, "The delivery is suspended: events are sent when spec.suspend is false")
	case w.Status.FailingSince != nil:
		since := w.Status.FailingSince.UTC().Format(time.RFC3339)
		set(false, v1beta1.ReasonRetrying, fmt.Sprintf("Attempts have failed since %s: %s", since, lastError(w)))
	default:
		set(true, v1beta1.ReasonReady, "Events are delivered")
	}
}

func lastError(w *v1beta1.WebhookEndpoint) string {
	for _, d := range w.Status.Deliveries {
		if d.Error != "" {
			return d.Error
		}
	}
	return "the reason is unknown"
}

func disabledMessage(w *v1beta1.WebhookEndpoint) string {
	if w.Status.Disabled.Reason == v1beta1.ReasonGone {
		return "The endpoint returned 410 and receives no more events: change the spec to enable it again"
	}
	return "All attempts failed for five days, so the endpoint receives no more events: change the spec to enable it again"
}

// each calls f for each object of a list.
func each(list client.ObjectList, f func(client.Object) error) error {
	return meta.EachListItem(list, func(o runtime.Object) error { return f(o.(client.Object)) })
}
