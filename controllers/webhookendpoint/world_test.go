// SPDX-License-Identifier: Apache-2.0

package webhookendpoint

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/events"
	clocktesting "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/account/webhooksecret"
	"github.com/reelops/reelops/internal/store/blob"
	"github.com/reelops/reelops/internal/store/outbox"
)

// world is a manager with endpoints, and the receivers of their URLs.
type world struct {
	t      *testing.T
	ns     string
	user   client.Client // whose writes never fail
	client client.Client // of the manager
	clock  *clocktesting.FakeClock
	store  *blob.Store
	events *events.FakeRecorder
	r      *Reconciler

	ids atomic.Int32

	mu        sync.Mutex
	receivers map[string]*receiver
}

// receiver is the server of a URL. It counts the events by id and verifies the signatures.
type receiver struct {
	// reply returns the status, or an error; nil for 204.
	reply func(id string) (int, error)
	// secrets returns the secrets of the receiver; any of them must verify.
	secrets func() []string

	mu       sync.Mutex
	requests int
	bodies   map[string]string
	invalid  []string
}

func newWorld(t *testing.T, ns string, user, c client.Client) *world {
	t.Helper()
	store, err := blob.Open(t.Context(), blob.Config{
		URL: "file://" + t.TempDir(), SigningKey: make([]byte, 32), BaseURL: "http://127.0.0.1",
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	w := &world{
		t: t, ns: ns, user: user, client: c, store: store, clock: clocktesting.NewFakeClock(time.Now().Add(time.Hour)),
		events: events.NewFakeRecorder(100), receivers: map[string]*receiver{},
	}
	w.restart()
	return w
}

// restart replaces the manager: what it had in memory is lost.
func (w *world) restart() {
	secrets, err := webhooksecret.New(make([]byte, 32))
	if err != nil {
		w.t.Fatal(err)
	}
	w.r = New(Reconciler{
		Client: w.client, Live: w.client, Clock: w.clock, Events: w.events, Sender: w, Outbox: outbox.New(w.store, w.clock),
		Secrets: secrets, NextID: func(context.Context) (int64, error) { return int64(w.ids.Add(1)), nil },
	}, func(_ context.Context, _ client.Reader, o client.Object) (any, error) {
		return map[string]string{"name": o.GetName()}, nil
	})
}

// Post delivers a request to the receiver of its URL.
func (w *world) Post(_ context.Context, to string, h http.Header, body []byte) (int, error) {
	w.mu.Lock()
	r := w.receivers[to]
	w.mu.Unlock()
	id := h.Get(standardwebhooks.HeaderWebhookID)
	code := http.StatusNoContent
	if r.reply != nil {
		var err error
		if code, err = r.reply(id); err != nil {
			return 0, err
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.requests++
	for _, s := range r.secrets() {
		key, err := standardwebhooks.NewWebhook(s)
		if err != nil {
			return 0, err
		}
		// The clock of the test is not that of the library.
		if err := key.VerifyIgnoringTimestamp(body, h); err != nil {
			r.invalid = append(r.invalid, err.Error())
		}
	}
	if code >= 300 {
		return code, nil
	}
	if before, ok := r.bodies[id]; ok && before != string(body) {
		r.invalid = append(r.invalid, "event "+id+" has two bodies")
	}
	r.bodies[id] = string(body)
	return code, nil
}

// endpoint creates an endpoint and its receiver.
func (w *world) endpoint(name string, change func(*v1beta1.WebhookEndpointSpec)) *receiver {
	w.t.Helper()
	o := &v1beta1.WebhookEndpoint{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: w.ns, Name: name, UID: types.UID("uid-" + name), CreationTimestamp: metav1.NewTime(w.clock.Now()),
		},
		Spec: v1beta1.WebhookEndpointSpec{URL: "https://" + name + ".example/"},
	}
	if change != nil {
		change(&o.Spec)
	}
	if err := w.user.Create(w.t.Context(), o); err != nil {
		w.t.Fatal(err)
	}
	r := &receiver{bodies: map[string]string{}}
	r.secrets = func() []string { return []string{string(w.secret(name).Data[keyCurrent])} }
	w.receivers[o.Spec.URL] = r
	return r
}

func (w *world) secret(endpoint string) *corev1.Secret {
	s := &corev1.Secret{}
	if err := w.user.Get(w.t.Context(), client.ObjectKey{Namespace: w.ns, Name: endpoint + "-webhook"}, s); err != nil {
		w.t.Error(err)
	}
	return s
}

func (w *world) get(name string) *v1beta1.WebhookEndpoint {
	w.t.Helper()
	o := &v1beta1.WebhookEndpoint{}
	if err := w.user.Get(w.t.Context(), client.ObjectKey{Namespace: w.ns, Name: name}, o); err != nil {
		w.t.Fatal(err)
	}
	return o
}

func (w *world) change(name string, f func(*v1beta1.WebhookEndpoint)) {
	w.t.Helper()
	o := w.get(name)
	f(o)
	o.Generation++ // the fake client does not count; a real API server sets its own
	if err := w.user.Update(w.t.Context(), o); err != nil {
		w.t.Fatal(err)
	}
}

// transition records transitions of a slideshow, as its controller does.
func (w *world) transition(name string, sequences ...int64) *v1beta1.Slideshow {
	w.t.Helper()
	s := &v1beta1.Slideshow{}
	err := w.user.Get(w.t.Context(), client.ObjectKey{Namespace: w.ns, Name: name}, s)
	if client.IgnoreNotFound(err) != nil {
		w.t.Fatal(err)
	} else if err != nil {
		s = &v1beta1.Slideshow{
			ObjectMeta: metav1.ObjectMeta{Namespace: w.ns, Name: name, Labels: map[string]string{v1beta1.LabelBrand: "acme"}},
			Spec:       v1beta1.SlideshowSpec{BrandRef: v1beta1.LocalRef{Name: "acme"}, Context: "x"},
		}
		s.UID = types.UID("uid-" + name) // the fake client sets none; a real API server sets its own
		if err := w.user.Create(w.t.Context(), s); err != nil {
			w.t.Fatal(err)
		}
	}
	for _, n := range sequences {
		s.Status.Transitions = append(s.Status.Transitions, v1beta1.Transition{
			Event: v1beta1.EventJobSucceeded, Sequence: n, At: metav1.NewTime(w.clock.Now()),
		})
	}
	if err := w.user.Status().Update(w.t.Context(), s); err != nil {
		w.t.Fatal(err)
	}
	return s
}

// errStuck means that a controller does not come to an end.
var errStuck = errors.New("the endpoint is not idle after 10,000 batches")

// run reconciles an endpoint until it waits for a time or for an event. It returns the time. The clock does not move
// meanwhile, so a wait of any length ends the run; a millisecond means that more is due.
func (w *world) run(name string) (time.Duration, error) {
	for range 10_000 {
		res, err := w.r.Reconcile(w.t.Context(), w.get(name))
		if err != nil || res.RequeueAfter == 0 || res.RequeueAfter > time.Millisecond {
			return res.RequeueAfter, err
		}
	}
	return 0, errStuck
}

func (w *world) ok(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) must(wait time.Duration, err error) time.Duration {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
	return wait
}

// sequences returns the delivered sequences of an object, such as "1 2 3".
func (r *receiver) sequences(object string) string { return r.delivered()[object] }

// delivered returns the delivered sequences by the names of the objects.
func (r *receiver) delivered() map[string]string {
	r.mu.Lock()
	defer r.mu.Unlock()
	found := map[string][]int64{}
	for _, b := range r.bodies {
		var m struct {
			Sequence int64
			Data     struct{ Name string }
		}
		if err := json.Unmarshal([]byte(b), &m); err != nil {
			r.invalid = append(r.invalid, err.Error())
		}
		found[m.Data.Name] = append(found[m.Data.Name], m.Sequence)
	}
	out := map[string]string{}
	for name, all := range found {
		slices.Sort(all)
		out[name] = strings.Trim(fmt.Sprint(slices.Compact(all)), "[]")
	}
	return out
}
