// SPDX-License-Identifier: Apache-2.0

package webhookendpoint

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/kube/status"
	"github.com/reelops/reelops/internal/process/outcome"
	"github.com/reelops/reelops/internal/store/outbox"
)

// Recorder copies the transitions of objects to the outbox.
type Recorder struct {
	Client client.Client
	Outbox *outbox.Outbox
	// Data returns the record of the REST API of an object, without signed URLs.
	Data func(ctx context.Context, c client.Reader, o client.Object) (any, error)
	// Recorded is called with the namespace after events were recorded.
	Recorded func(namespace string)
}

// kinds returns an empty object and list of each kind with events.
func kinds() []kind {
	return []kind{
		{"post", &v1beta1.Post{}, &v1beta1.PostList{}},
		{"slideshow", &v1beta1.Slideshow{}, &v1beta1.SlideshowList{}},
		{"video", &v1beta1.Video{}, &v1beta1.VideoList{}},
		{"renderjob", &v1beta1.RenderJob{}, &v1beta1.RenderJobList{}},
		{"socialaccount", &v1beta1.SocialAccount{}, &v1beta1.SocialAccountList{}},
		{"account", &v1beta1.Account{}, &v1beta1.AccountList{}},
		{"automationrun", &v1beta1.AutomationRun{}, &v1beta1.AutomationRunList{}},
	}
}

type kind struct {
	name   string
	object client.Object
	list   client.ObjectList
}

// setup registers one controller for each kind.
func (r *Recorder) setup(mgr ctrl.Manager) error {
	for _, k := range kinds() {
		err := ctrl.NewControllerManagedBy(mgr).Named("events-"+k.name).
			For(k.object, builder.WithPredicates(predicate.Funcs{
				CreateFunc: func(e event.CreateEvent) bool { return len(status.Transitions(e.Object)) > 0 },
				UpdateFunc: func(e event.UpdateEvent) bool { return last(e.ObjectOld) != last(e.ObjectNew) },
				DeleteFunc: func(event.DeleteEvent) bool { return false },
			})).
			Complete(reconcile.Func(func(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
				o := k.object.DeepCopyObject().(client.Object)
				if err := r.Client.Get(ctx, req.NamespacedName, o); err != nil {
					return outcome.Result(err)
				}
				return outcome.Result(r.Record(ctx, o))
			}))
		if err != nil {
			return fmt.Errorf("setting up the recorder of %s events: %w", k.name, err)
		}
	}
	return nil
}

// last returns the sequence of the newest transition of an object; 0 if there is none.
func last(o client.Object) int64 {
	if all := status.Transitions(o); len(all) > 0 {
		return all[len(all)-1].Sequence
	}
	return 0
}

// Record records the transitions of an object that are not recorded and not older than the oldest endpoint. Those of a
// restored object that are older than the object itself were recorded from its original, under another uid: they are
// not recorded again. Controllers call Record before they remove their finalizer, or delete a run.
func (r *Recorder) Record(ctx context.Context, o client.Object) error {
	all := status.Transitions(o)
	if len(all) == 0 {
		return nil
	}
	since, found, err := r.since(ctx, o.GetNamespace())
	if err != nil || !found {
		return err
	}
	if at := o.GetCreationTimestamp().Time; v1beta1.Origin(o) != o.GetUID() && at.After(since) {
		since = at
	}
	todo, err := r.Outbox.Unrecorded(ctx, o.GetNamespace(), o.GetUID(), all)
	if err != nil {
		return err
	}
	todo = slices.DeleteFunc(todo, func(t v1beta1.Transition) bool { return t.At.Time.Before(since) })
	if len(todo) == 0 {
		return nil
	}
	data, err := r.Data(ctx, r.Client, o)
	if err != nil {
		return fmt.Errorf("reading the record of the object: %w", err)
	}
	events := make([]outbox.Event, len(todo))
	for i, t := range todo {
		body, err := bodyOf(t, data, o)
		if err != nil {
			return err
		}
		events[i] = outbox.Event{
			ID: outbox.ID(o.GetUID(), t), UID: o.GetUID(), Transition: t, Brand: o.GetLabels()[v1beta1.LabelBrand], Body: body,
		}
	}
	if err := r.Outbox.Record(ctx, o.GetNamespace(), events); err != nil {
		return fmt.Errorf("recording events: %w", err)
	}
	r.Recorded(o.GetNamespace())
	return nil
}

// since returns the creation time of the oldest endpoint of a namespace.
func (r *Recorder) since(ctx context.Context, namespace string) (oldest time.Time, found bool, err error) {
	var list v1beta1.WebhookEndpointList
	if err := r.Client.List(ctx, &list, client.InNamespace(namespace)); err != nil {
		return oldest, false, fmt.Errorf("listing WebhookEndpoints: %w", err)
	}
	for i := range list.Items {
		if at := list.Items[i].CreationTimestamp.Time; !found || at.Before(oldest) {
			oldest, found = at, true
		}
	}
	return oldest, found, nil
}

// recordAll records the transitions of all objects of a namespace.
func (r *Recorder) recordAll(ctx context.Context, namespace string) error {
	for _, k := range kinds() {
		if err := r.Client.List(ctx, k.list, client.InNamespace(namespace)); err != nil {
			return fmt.Errorf("listing objects with events: %w", err)
		}
		if err := each(k.list, func(o client.Object) error { return r.Record(ctx, o) }); err != nil {
			return err
		}
	}
	return nil
}

// message is the body of a request.
type message struct {
	Type      v1beta1.WebhookEvent `json:"type"`
	Timestamp metav1.Time          `json:"timestamp"`
	Sequence  int64                `json:"sequence,omitempty"`
	Data      any                  `json:"data"`
}

// shortened replaces data that is too large.
type shortened struct {
	ID        string `json:"id"`
	Truncated bool   `json:"truncated"`
}

// bodyOf returns the body of the event of a transition. A record that is too large is replaced by the id of the object.
func bodyOf(t v1beta1.Transition, data any, o client.Object) (json.RawMessage, error) {
	m := message{Type: t.Event, Timestamp: t.At, Sequence: t.Sequence, Data: data}
	body, err := json.Marshal(m)
	if err == nil && len(body) > outbox.MaxBody {
		m.Data = shortened{ID: o.GetLabels()[v1beta1.LabelID], Truncated: true}
		body, err = json.Marshal(m)
	}
	if err != nil {
		return nil, fmt.Errorf("encoding an event: %w", err)
	}
	return body, nil
}
