// SPDX-License-Identifier: Apache-2.0

package webhookendpoint

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/testkit"
)

// fakeWorld is a world on a client without a cluster. fail, if set, decides before each write of the manager whether it
// fails, and whether it is applied.
func fakeWorld(t *testing.T, fail func() (lost, unanswered bool)) *world {
	t.Helper()
	user := fake.NewClientBuilder().WithScheme(testkit.Scheme()).
		WithStatusSubresource(&v1beta1.WebhookEndpoint{}, &v1beta1.Slideshow{}).Build()
	write := func(do func() error) error {
		if fail == nil {
			return do()
		}
		lost, unanswered := fail()
		if lost {
			return testkit.ErrFault
		}
		if err := do(); err != nil || !unanswered {
			return err
		}
		return testkit.ErrFault
	}
	manager := interceptor.NewClient(user, interceptor.Funcs{
		Create: func(ctx context.Context, c client.WithWatch, o client.Object, opts ...client.CreateOption) error {
			return write(func() error { return c.Create(ctx, o, opts...) })
		},
		Update: func(ctx context.Context, c client.WithWatch, o client.Object, opts ...client.UpdateOption) error {
			return write(func() error { return c.Update(ctx, o, opts...) })
		},
		Patch: func(
			ctx context.Context, c client.WithWatch, o client.Object, p client.Patch, opts ...client.PatchOption,
		) error {
			return write(func() error { return c.Patch(ctx, o, p, opts...) })
		},
		SubResourcePatch: func(
			ctx context.Context, c client.Client, sub string, o client.Object, p client.Patch,
			opts ...client.SubResourcePatchOption,
		) error {
			return write(func() error { return c.SubResource(sub).Patch(ctx, o, p, opts...) })
		},
	})
	return newWorld(t, "tenant", user, manager)
}

func (w *world) record(s *v1beta1.Slideshow) {
	w.t.Helper()
	if err := w.r.Recorder.Record(w.t.Context(), s); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) check(r *receiver, want string) {
	w.t.Helper()
	if got := r.sequences("show"); got != want {
		w.t.Errorf("delivered %q, want %q", got, want)
	}
	if len(r.invalid) > 0 {
		w.t.Errorf("invalid requests: %v", r.invalid)
	}
}

// TestDeliver_SurvivesFaults fails each write of the manager in each way, and then starts another manager.
func TestDeliver_SurvivesFaults(t *testing.T) {
	cluster := shared.Start(t)
	scenario := func(t *testing.T, ns string, at int, f testkit.Fault) int {
		t.Helper()
		rec, err := cluster.Recorder(nil)
		if err != nil {
			t.Fatal(err)
		}
		rec.FailAt, rec.Fault = at, f
		if err := cluster.Client.Create(t.Context(), testkit.Namespace(ns)); err != nil {
			t.Fatal(err)
		}
		w := newWorld(t, ns, cluster.Client, rec)
		r := w.endpoint("a", nil)
		run := func() {
			t.Helper()
			for range 5 { // more than the number of faults
				if _, err := w.run("a"); err == nil {
					return
				} else if !errors.Is(err, testkit.ErrFault) {
					t.Fatal(err)
				}
				w.restart()
			}
			t.Fatal("the endpoint does not recover")
		}
		run()
		w.record(w.transition("show", 1, 2))
		run()
		w.restart()
		w.record(w.transition("show", 3))
		w.change("a", func(o *v1beta1.WebhookEndpoint) { o.Spec.RotateAt = ptr.To(metav1.NewMicroTime(w.clock.Now())) })
		run()
		w.check(r, "1 2 3")
		if !meta.IsStatusConditionTrue(w.get("a").Status.Conditions, "Ready") {
			t.Errorf("not ready: %+v", w.get("a").Status.Conditions)
		}
		n := len(rec.Writes)
		run()
		if len(rec.Writes) != n {
			t.Errorf("an idle endpoint is written: %v", rec.Writes[n:])
		}
		return n
	}
	writes := scenario(t, "plain", 0, testkit.Lost)
	if writes < 6 { // the id, the Secret, the cursor, two batches, the rotation
		t.Fatalf("%d writes", writes)
	}
	for name, f := range testkit.Faults() {
		for at := 1; at <= writes; at++ {
			t.Run(fmt.Sprintf("%s %d", name, at), func(t *testing.T) { scenario(t, fmt.Sprintf("%s-%d", name, at), at, f) })
		}
	}
}

func TestDeliver_RetriesAndRecovers(t *testing.T) {
	w := fakeWorld(t, nil)
	r := w.endpoint("a", nil)
	w.must(w.run("a"))
	r.reply = func(string) (int, error) { return http.StatusFound, nil }
	w.record(w.transition("show", 1))
	waited := []time.Duration{}
	for {
		wait := w.must(w.run("a"))
		if wait == 0 {
			break
		}
		waited = append(waited, wait)
		w.clock.Step(wait)
	}
	if len(waited) != len(delays)-1 || r.requests != len(delays) {
		t.Fatalf("%d attempts with the delays %v", r.requests, waited)
	}
	for i, got := range waited {
		if want := delays[i+1]; got < want || got > want+want/10 {
			t.Errorf("delay %d: got %s, want %s and at most a tenth more", i+1, got, want)
		}
	}
	o := w.get("a")
	failure := o.Status.Deliveries[0].Error
	kept := len(o.Status.Pending) != 0 || o.Status.FailingSince == nil || o.IsDisabled()
	if kept || !strings.Contains(failure, "redirects") {
		t.Errorf("after the last attempt: %+v", o.Status)
	}
	// An event that fails, and one that succeeds: the first is tried again at once.
	failing := true
	r.reply = func(string) (int, error) {
		if failing {
			return 0, errors.New("closed")
		}
		return http.StatusOK, nil
	}
	w.record(w.transition("show", 2))
	w.must(w.run("a"))
	failing = false
	w.clock.Step(time.Second)
	w.record(w.transition("show", 3))
	if wait := w.must(w.run("a")); wait != 0 {
		t.Errorf("something waits for %s after the recovery", wait)
	}
	if got := r.sequences("show"); got != "2 3" {
		t.Errorf("delivered %q, want 2 3: the first was given up", got)
	}
	// A replay sends all of it.
	w.change("a", func(o *v1beta1.WebhookEndpoint) {
		o.Spec.Replay = &v1beta1.WebhookReplay{From: o.CreationTimestamp, At: metav1.NewMicroTime(w.clock.Now())}
	})
	n := r.requests
	w.must(w.run("a"))
	w.check(r, "1 2 3")
	w.must(w.run("a"))
	if r.requests != n+3 {
		t.Errorf("a replay of 3 events made %d requests", r.requests-n)
	}
}

func TestDeliver_Disables(t *testing.T) {
	for name, c := range map[string]struct {
		reply  func(string) (int, error)
		reason v1beta1.Reason
	}{
		"gone":    {func(string) (int, error) { return http.StatusGone, nil }, v1beta1.ReasonGone},
		"failing": {func(string) (int, error) { return 0, errors.New("refused") }, v1beta1.ReasonFailing},
	} {
		t.Run(name, func(t *testing.T) {
			w := fakeWorld(t, nil)
			r := w.endpoint("a", nil)
			w.must(w.run("a"))
			r.reply = c.reply
			began := w.clock.Now()
			for n := int64(1); !w.get("a").IsDisabled(); n++ {
				if w.clock.Since(began) > 6*24*time.Hour {
					t.Fatal("not disabled after six days")
				}
				w.record(w.transition("show", n))
				w.must(w.run("a"))
				w.clock.Step(6 * time.Hour)
			}
			o := w.get("a")
			ready := meta.FindStatusCondition(o.Status.Conditions, "Ready")
			said := ready.Reason == string(c.reason) && ready.Status == metav1.ConditionFalse
			if o.Status.Disabled.Reason != c.reason || !said {
				t.Errorf("got %+v, %+v", o.Status.Disabled, ready)
			}
			least := failingTime - time.Second // the status has whole seconds
			if c.reason == v1beta1.ReasonFailing && o.Status.Disabled.At.Sub(began) < least {
				t.Errorf("disabled after %s", o.Status.Disabled.At.Sub(began))
			}
			select {
			case e := <-w.events.Events:
				if !strings.Contains(e, string(c.reason)) {
					t.Errorf("got the event %q", e)
				}
			default:
				t.Error("no event")
			}
			n := r.requests
			w.record(w.transition("late", 1))
			w.must(w.run("a"))
			if r.requests != n {
				t.Error("a disabled endpoint receives an event")
			}
			r.reply = nil
			w.change("a", func(o *v1beta1.WebhookEndpoint) { o.Spec.Suspend = false })
			w.must(w.run("a"))
			if got := r.sequences("late"); got != "1" {
				t.Errorf("after the change of the spec: got %q", got)
			}
		})
	}
}

// TestDeliver_DeadEndpointDelaysNoOther blocks one endpoint until another has everything.
func TestDeliver_DeadEndpointDelaysNoOther(t *testing.T) {
	w := fakeWorld(t, nil)
	dead, other := w.endpoint("dead", nil), w.endpoint("other", nil)
	w.must(w.run("dead"))
	w.must(w.run("other"))
	all := make([]int64, v1beta1.MaxTransitions)
	for i := range all {
		all[i] = int64(i + 1)
	}
	w.record(w.transition("show", all...))
	release, blocked := make(chan struct{}), make(chan struct{}, 100)
	dead.reply = func(string) (int, error) {
		blocked <- struct{}{}
		<-release
		return 0, errors.New("timeout")
	}
	ended := make(chan error)
	o := w.get("dead")
	go func() {
		_, err := w.r.Reconcile(context.Background(), o)
		ended <- err
	}()
	<-blocked
	w.must(w.run("other"))
	w.check(other, "1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16")
	close(release)
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if n := len(w.get("dead").Status.Pending); n != len(all) {
		t.Errorf("%d events wait for another attempt, want %d", n, len(all))
	}
}

func TestDeliver_PendingIsBounded(t *testing.T) {
	w := fakeWorld(t, nil)
	r := w.endpoint("a", nil)
	w.must(w.run("a"))
	r.reply = func(string) (int, error) { return http.StatusInternalServerError, nil }
	for i := range 10 {
		w.record(w.transition(fmt.Sprint("show-", i), 1, 2, 3, 4, 5, 6, 7, 8, 9, 10))
	}
	w.must(w.run("a"))
	o := w.get("a")
	if len(o.Status.Pending) != v1beta1.MaxWebhookPending || len(o.Status.Deliveries) != v1beta1.MaxWebhookDeliveries {
		t.Errorf("%d pending, %d recorded", len(o.Status.Pending), len(o.Status.Deliveries))
	}
	r.reply = nil
	w.clock.Step(time.Minute)
	w.must(w.run("a"))
	for i := range 10 {
		if got := r.sequences(fmt.Sprint("show-", i)); got != "1 2 3 4 5 6 7 8 9 10" {
			t.Errorf("object %d: delivered %q", i, got)
		}
	}
}

func TestSecrets_RotationSignsWithBoth(t *testing.T) {
	w := fakeWorld(t, nil)
	r := w.endpoint("a", nil)
	w.must(w.run("a"))
	first := string(w.secret("a").Data[keyCurrent])
	w.change("a", func(o *v1beta1.WebhookEndpoint) { o.Spec.RotateAt = ptr.To(metav1.NewMicroTime(w.clock.Now())) })
	w.must(w.run("a"))
	second := string(w.secret("a").Data[keyCurrent])
	if first == second || !strings.HasPrefix(second, "whsec_") {
		t.Fatalf("the secret was not rotated")
	}
	r.secrets = func() []string { return []string{first, second} } // both must verify
	w.record(w.transition("show", 1))
	w.must(w.run("a"))
	w.check(r, "1")
	w.clock.Step(rotationTime)
	r.secrets = func() []string { return []string{first} }
	w.record(w.transition("show", 2))
	w.must(w.run("a"))
	if len(r.invalid) != 1 {
		t.Errorf("the former secret signs after 24 hours: %v", r.invalid)
	}
}

func TestSecrets_Foreign(t *testing.T) {
	w := fakeWorld(t, nil)
	s := &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Namespace: w.ns, Name: "a-webhook"},
		Data:       map[string][]byte{keyCurrent: []byte("whsec_AAAA")},
	}
	if err := w.user.Create(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	r := w.endpoint("a", nil)
	w.must(w.run("a"))
	w.record(w.transition("show", 1))
	w.must(w.run("a"))
	ready := meta.FindStatusCondition(w.get("a").Status.Conditions, "Ready")
	if r.requests != 0 || ready.Reason != string(v1beta1.ReasonSecretInvalid) {
		t.Errorf("%d requests, %+v", r.requests, ready)
	}
}

func TestDeliver_FiltersAndTests(t *testing.T) {
	w := fakeWorld(t, nil)
	before := w.transition("show", 1) // older than every endpoint
	w.clock.Step(time.Hour)
	all := w.endpoint("all", nil)
	none := w.endpoint("none", func(s *v1beta1.WebhookEndpointSpec) {
		s.Events = []v1beta1.WebhookEvent{v1beta1.EventPostFailed}
	})
	brand := w.endpoint("brand", func(s *v1beta1.WebhookEndpointSpec) { s.BrandRef = &v1beta1.LocalRef{Name: "other"} })
	suspended := w.endpoint("suspended", func(s *v1beta1.WebhookEndpointSpec) { s.Suspend = true })
	tested := w.endpoint("tested", func(s *v1beta1.WebhookEndpointSpec) {
		s.Events, s.TestAt = []v1beta1.WebhookEvent{v1beta1.EventPostFailed}, ptr.To(metav1.NewMicroTime(w.clock.Now()))
	})
	names := []string{"all", "none", "brand", "suspended", "tested"}
	w.record(before)
	for range 2 {
		for _, n := range names {
			w.must(w.run(n))
		}
		w.record(w.transition("show", 2))
	}
	for name, c := range map[string]struct {
		r    *receiver
		want int
	}{"all": {all, 1}, "none": {none, 0}, "brand": {brand, 0}, "suspended": {suspended, 0}, "tested": {tested, 1}} {
		if c.r.requests != c.want || len(c.r.invalid) > 0 {
			t.Errorf("%s: %d requests, want %d: %v", name, c.r.requests, c.want, c.r.invalid)
		}
	}
	w.change("suspended", func(o *v1beta1.WebhookEndpoint) { o.Spec.Suspend = false })
	w.must(w.run("suspended"))
	w.check(suspended, "2")
}

// TestReplay_NotBeforeTheAccount deletes an account, and creates another one in a namespace of the same name.
func TestReplay_NotBeforeTheAccount(t *testing.T) {
	w := fakeWorld(t, nil)
	of := func(created time.Time) *v1beta1.Account {
		return &v1beta1.Account{ObjectMeta: metav1.ObjectMeta{
			Namespace: w.ns, Name: v1beta1.AccountName, CreationTimestamp: metav1.NewTime(created),
		}}
	}
	replay := func(name string) {
		w.must(w.run(name))
		w.change(name, func(o *v1beta1.WebhookEndpoint) {
			now := w.clock.Now()
			o.Spec.Replay = &v1beta1.WebhookReplay{
				From: metav1.NewTime(now.Add(-24 * time.Hour)), At: metav1.NewMicroTime(now),
			}
		})
		w.must(w.run(name))
	}
	w.endpoint("first", nil) // events are recorded for endpoints only
	first := of(w.clock.Now())
	w.ok(w.user.Create(t.Context(), first))
	w.record(w.transition("show", 1))
	w.clock.Step(time.Hour)
	same := w.endpoint("same", nil)
	replay("same")
	w.check(same, "1")

	w.ok(w.user.Delete(t.Context(), first))
	other := w.endpoint("without", nil)
	replay("without")
	w.check(other, "")
	w.clock.Step(time.Hour)
	w.ok(w.user.Create(t.Context(), of(w.clock.Now())))
	other = w.endpoint("other", nil)
	w.record(w.transition("show", 2))
	replay("other")
	w.check(other, "2")
}

// TestSweep_DeletesEventsOfDeletedAccounts also checks that a pass changes nothing for other accounts.
func TestSweep_DeletesEventsOfDeletedAccounts(t *testing.T) {
	w := fakeWorld(t, nil)
	account := &v1beta1.Account{ObjectMeta: metav1.ObjectMeta{Namespace: w.ns, Name: v1beta1.AccountName}}
	w.ok(w.user.Create(t.Context(), account))
	w.endpoint("a", nil)
	w.record(w.transition("show", 1))
	pass := func(want int) {
		t.Helper()
		if n, err := (&sweeper{w.r}).pass(t.Context()); n != want || err != nil {
			t.Errorf("deleted %d segments, %v; want %d", n, err, want)
		}
	}
	pass(0)
	w.ok(w.user.Delete(t.Context(), account))
	pass(1)
	pass(0)
	w.record(w.transition("show", 2))
	pass(1)
}

// Sizes of TestDeliver_ManyTransitionsAndKills. make chaos-webhooks runs the full size.
const (
	envTransitions = "REELOPS_TRANSITIONS" // number of transitions: ten of each object
	envKills       = "REELOPS_KILLS"       // number of kills, about
)

// TestDeliver_ManyTransitionsAndKills records many transitions while writes fail and managers end, and receivers close,
// fail and redirect. Every transition arrives with one id, without gaps in its sequence.
func TestDeliver_ManyTransitionsAndKills(t *testing.T) {
	const each = 10
	objects, kills := 100, 60
	if testing.Short() {
		objects, kills = 40, 20
	}
	objects, kills = testkit.Number(t, envTransitions, objects*each)/each, testkit.Number(t, envKills, kills)
	began := time.Now()
	random := rand.New(rand.NewPCG(1, 2))
	quiet := true
	w := fakeWorld(t, func() (bool, bool) { return !quiet && random.IntN(10) == 0, !quiet && random.IntN(10) == 0 })
	good, bad := w.endpoint("good", nil), w.endpoint("bad", nil)
	w.must(w.run("good"))
	w.must(w.run("bad"))
	quiet = false
	var n atomic.Int32
	bad.reply = func(string) (int, error) {
		switch n.Add(1) % 5 {
		case 0:
			return 0, errors.New("closed")
		case 1:
			return http.StatusMovedPermanently, nil
		case 2:
			return http.StatusServiceUnavailable, nil
		}
		return http.StatusOK, nil
	}
	shows, killed := make([]*v1beta1.Slideshow, objects), 0
	for step := range objects * each {
		i := step % objects
		shows[i] = w.transition(fmt.Sprint("show-", i), int64(step/objects+1))
		if random.IntN(3) > 0 { // else the manager is down, or its cache is late
			w.record(shows[i])
		}
		if random.IntN(objects*each) < kills {
			w.restart()
			killed++
		}
		if random.IntN(20) == 0 {
			_, _ = w.run("good") // fails at random
			_, _ = w.run("bad")
			w.clock.Step(time.Second)
		}
	}
	quiet = true
	w.restart()
	for _, s := range shows { // a manager that starts sees all objects
		w.record(s)
	}
	bad.reply = nil
	for range 3 {
		w.must(w.run("good"))
		w.must(w.run("bad"))
		w.clock.Step(25 * time.Hour)
	}
	t.Logf("%d transitions and %d kills in %v", objects*each, killed, time.Since(began).Round(time.Second))
	for name, r := range map[string]*receiver{"good": good, "bad": bad} {
		if len(r.bodies) != objects*each || len(r.invalid) > 0 {
			t.Errorf("%s: %d events, want %d: %v", name, len(r.bodies), objects*each, r.invalid)
		}
		all := r.delivered()
		for i := range objects {
			if got := all[fmt.Sprint("show-", i)]; got != "1 2 3 4 5 6 7 8 9 10" {
				t.Fatalf("%s: object %d: delivered %q", name, i, got)
			}
		}
	}
}

// TestRecord_RestoredObjects does not deliver the events of an object again that was restored from a backup or the
// archive.
func TestRecord_RestoredObjects(t *testing.T) {
	const first, second = "1b4e28ba-2fa1-41d2-883f-0016d3cca427", "6fa459ea-ee8a-4ca4-894e-db77e160355e"
	for name, c := range map[string]struct {
		restored bool
		want     string
	}{
		"restored": {true, "2"},
		// A clock that is behind that of the API server must not lose events.
		"created in the cluster": {false, "1 2"},
	} {
		w := fakeWorld(t, nil)
		r := w.endpoint("a", nil)
		_ = w.must(w.run("a"))
		w.clock.Step(time.Hour)
		s := w.transition("show", 1)
		w.clock.Step(time.Hour)
		s.UID, s.CreationTimestamp = second, metav1.NewTime(w.clock.Now())
		if c.restored {
			v1beta1.SetOrigin(s, first, metav1.NewTime(w.clock.Now().Add(-time.Hour)))
		}
		s.Status.Transitions = append(s.Status.Transitions, v1beta1.Transition{
			Event: v1beta1.EventJobSucceeded, Sequence: 2, At: metav1.NewTime(w.clock.Now()),
		})
		w.record(s)
		_ = w.must(w.run("a"))
		if got := r.sequences("show"); got != c.want {
			t.Errorf("%s: delivered %q, want %q", name, got, c.want)
		}
	}
}
