// SPDX-License-Identifier: Apache-2.0

package idempotency

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clocktesting "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/apiserver/problem"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/testkit"
)

// TestStore_WithAnAPIServer runs stores as the front end's replicas do, against a real API server.
func TestStore_WithAnAPIServer(t *testing.T) {
	cluster := testkit.Start(t)
	for name, test := range map[string]func(*world, *testing.T){
		"a request is executed once":                            (*world).answeredOnce,
		"a request in progress":                                 (*world).inFlight,
		"nothing is written before it is necessary":             (*world).writesNothing,
		"a rejected request releases its key":                   (*world).refusedFrees,
		"a request with an unknown outcome":                     (*world).unknownEnd,
		"a key expires":                                         (*world).forgotten,
		"a name that is in use":                                 (*world).nameTaken,
		"a slow holder is not dead":                             (*world).slowHolder,
		"a record that a user deleted":                          (*world).removedByHand,
		"the same request on two replicas":                      (*world).race,
		"an abandoned request, resumed by two replicas at once": (*world).raceForTheLeft,
		"an answer without a created object":                    (*world).createsNothing,
		"an answer that is too large":                           (*world).tooLarge,
		"a disconnected caller retries for the answer":          (*world).hungUp,
		"a ResourceQuota of records":                            (*world).quota,
	} {
		t.Run(name, func(t *testing.T) { test(newWorld(t, cluster), t) })
	}
	t.Run("every write lost once", func(t *testing.T) { everyWriteLost(t, cluster) })
}

// world is one account with a key that requests slideshows.
type world struct {
	cluster *testkit.Cluster
	scope   Scope
	clock   *clocktesting.FakePassiveClock
	ids     atomic.Int64
}

var worlds atomic.Int64

func newWorld(t *testing.T, cluster *testkit.Cluster) *world {
	t.Helper()
	w := &world{cluster: cluster, clock: clocktesting.NewFakePassiveClock(time.Now().Truncate(time.Second))}
	w.scope = Scope{Namespace: fmt.Sprintf("acct-%d", worlds.Add(1)), KeyUID: "uid", Method: "POST", Path: "/api/v1/slideshows", Key: "very secret order 17", Brand: "acme"}
	if err := cluster.Client.Create(t.Context(), testkit.Namespace(w.scope.Namespace)); err != nil {
		t.Fatal(err)
	}
	return w
}

func (w *world) replica(name string) *Store { return New(w.cluster.Client, w.clock, name, Options{}) }

func (w *world) reserve(context.Context) (int64, string, error) {
	id := w.ids.Add(1)
	return id, "slideshow-" + strconv.FormatInt(id, 10), nil
}

// run makes a request as the front end does: it creates the slideshow that it reserved, or finds it, and responds.
// killed means that the process dies when an error occurs, without cleaning up.
func (w *world) run(ctx context.Context, s *Store, c client.Client, body string, killed bool) (Answer, error) {
	tx, replay, err := s.Begin(ctx, w.scope, Fingerprint(1, []byte(body)))
	if err != nil {
		return Answer{}, err
	}
	if replay != nil {
		return *replay, nil
	}
	if !killed {
		defer tx.Abort(ctx, false)
	}
	_, name, resumed, err := tx.Reserve(ctx, w.reserve)
	if err != nil {
		return Answer{}, err
	}
	show := testkit.Slideshow(w.scope.Namespace, name, "acme", body)
	err = c.Create(ctx, show)
	if apierrors.IsAlreadyExists(err) && resumed {
		err = c.Get(ctx, client.ObjectKeyFromObject(show), show)
	}
	if err != nil {
		return Answer{}, err
	}
	data, _ := json.Marshal(map[string]any{"name": name, "uid": show.UID, "answered_by": s.holder})
	return tx.Commit(ctx, Answer{Status: 202, Data: data, Meta: json.RawMessage(`{"warnings":["<é>"]}`), RetryAfter: 15 * time.Second})
}

func (w *world) must(t *testing.T, s *Store, body string) Answer {
	t.Helper()
	a, err := w.run(t.Context(), s, w.cluster.Client, body, false)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func (w *world) shows(t *testing.T) []v1beta1.Slideshow {
	t.Helper()
	var l v1beta1.SlideshowList
	if err := w.cluster.Client.List(t.Context(), &l, client.InNamespace(w.scope.Namespace)); err != nil {
		t.Fatal(err)
	}
	return l.Items
}

func (w *world) records(t *testing.T) []v1beta1.IdempotencyRecord {
	t.Helper()
	var l v1beta1.IdempotencyRecordList
	if err := w.cluster.Client.List(t.Context(), &l, client.InNamespace(w.scope.Namespace)); err != nil {
		t.Fatal(err)
	}
	return l.Items
}

// begin starts a request that must be admitted.
func (w *world) begin(t *testing.T, s *Store, body string) *Tx {
	t.Helper()
	tx, replay, err := s.Begin(t.Context(), w.scope, Fingerprint(1, []byte(body)))
	if err != nil || replay != nil {
		t.Fatalf("the request was not admitted: %v %v", replay, err)
	}
	return tx
}

// conflict starts a request that must be refused.
func (w *world) conflict(t *testing.T, s *Store, body string, inFlight, retryable bool) {
	t.Helper()
	_, _, err := s.Begin(t.Context(), w.scope, Fingerprint(1, []byte(body)))
	var p *problem.Problem
	if !errors.As(err, &p) || p.Code != "idempotency_conflict" || p.Status != 409 {
		t.Fatalf("got error %v", err)
	}
	if p.Details["endpoint"] != "POST /api/v1/slideshows" || p.Details["in_flight"] != inFlight || p.Retryable != retryable {
		t.Errorf("got %+v, retryable %v", p.Details, p.Retryable)
	}
}

// same compares responses, ignoring Replayed.
func same(t *testing.T, got, want Answer) {
	t.Helper()
	got.Replayed, want.Replayed = false, false
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("two answers to one request (-first +then):\n%s", d)
	}
}

// quota checks that a request whose record is over a ResourceQuota creates nothing, and does not block its key.
func (w *world) quota(t *testing.T) {
	const records = "count/idempotencyrecords.reelops.dev"
	none := corev1.ResourceList{records: resource.MustParse("0")}
	q := &corev1.ResourceQuota{
		ObjectMeta: metav1.ObjectMeta{Namespace: w.scope.Namespace, Name: "records"}, Spec: corev1.ResourceQuotaSpec{Hard: none},
	}
	if err := w.cluster.Client.Create(t.Context(), q); err != nil {
		t.Fatal(err)
	}
	q.Status = corev1.ResourceQuotaStatus{Hard: none, Used: none} // no quota controller runs here
	if err := w.cluster.Client.Status().Update(t.Context(), q); err != nil {
		t.Fatal(err)
	}
	s := w.replica("a")
	var refused error
	for i := 0; refused == nil && i < 300; i++ { // until the API server has read the quota
		w.scope.Key = strconv.Itoa(i)
		_, refused = w.run(t.Context(), s, w.cluster.Client, `{"context":"x"}`, false)
	}
	if p := problem.From(refused, ""); p.Code != catalog.QuotaExceeded {
		t.Fatalf("got %v", refused)
	}
	if shows, records := len(w.shows(t)), len(w.records(t)); shows != records {
		t.Errorf("got %d slideshows and %d records", shows, records)
	}
	if err := w.cluster.Client.Delete(t.Context(), q); err != nil {
		t.Fatal(err)
	}
	var err error
	for range 300 { // until the API server has read the deletion
		if _, err = w.run(t.Context(), s, w.cluster.Client, `{"context":"x"}`, false); err == nil {
			return
		}
	}
	t.Errorf("the key is blocked: %v", err)
}

func (w *world) answeredOnce(t *testing.T) {
	a, b := w.replica("a"), w.replica("b")
	first := w.must(t, a, `{"context":"x"}`)
	if first.Replayed {
		t.Error("the first answer is marked as a replay")
	}
	for _, s := range []*Store{a, b} {
		again := w.must(t, s, ` { "context" : "x" } `)
		same(t, again, first)
		if !again.Replayed {
			t.Error("the replay is not marked")
		}
		w.conflict(t, s, `{"context":"y"}`, false, false)
	}
	if n := len(w.shows(t)); n != 1 {
		t.Errorf("got %d slideshows", n)
	}
	records := w.records(t)
	if len(records) != 1 {
		t.Fatalf("got %d records", len(records))
	}
	r := &records[0]
	if doc, _ := json.Marshal(r); strings.Contains(string(doc), "very secret") {
		t.Error("the record contains the idempotency key")
	}
	if !strings.HasPrefix(r.Name, "idem-") || len(r.Name) != 25 || r.Spec.Operation != "POST /api/v1/slideshows" || r.Spec.Brand != "acme" ||
		r.Spec.Reserved.Name != "slideshow-1" || !r.Spec.ExpiresAt.Time.Equal(w.clock.Now().Add(24*time.Hour)) {
		t.Errorf("%s %+v", r.Name, r.Spec)
	}
	r.Status.Data = "{}"
	if err := w.cluster.Client.Status().Update(t.Context(), r); err == nil || !strings.Contains(err.Error(), "a stored response cannot be changed") {
		t.Errorf("changing an answer: %v", err)
	}
}

func (w *world) inFlight(t *testing.T) {
	a, b := w.replica("a"), w.replica("b")
	tx := w.begin(t, a, `{}`)
	w.conflict(t, a, `{}`, true, true)
	w.conflict(t, a, `{"other":1}`, true, false)
	late := w.begin(t, b, `{}`) // nothing is written yet, so the other replica cannot know of it
	if _, _, _, err := tx.Reserve(t.Context(), w.reserve); err != nil {
		t.Fatal(err)
	}
	var p *problem.Problem
	if _, _, _, err := late.Reserve(t.Context(), w.reserve); !errors.As(err, &p) || p.Details["in_flight"] != true || !p.Retryable {
		t.Errorf("the other replica may continue: %v", err)
	}
	late.Abort(t.Context(), true)
	w.conflict(t, b, `{}`, true, true)
	w.conflict(t, b, `{"other":1}`, true, false)
	if _, err := tx.Commit(t.Context(), Answer{Status: 202, Data: json.RawMessage(`1`)}); err != nil {
		t.Fatal(err)
	}
	w.conflict(t, a, `{"other":1}`, false, false)
}

func (w *world) writesNothing(t *testing.T) {
	s := w.replica("a")
	for range 2 {
		w.begin(t, s, `{}`).Abort(t.Context(), true)
		w.begin(t, s, `{"corrected":true}`).Abort(t.Context(), false)
	}
	if n := len(w.records(t)); n != 0 {
		t.Errorf("got %d records", n)
	}
}

func (w *world) refusedFrees(t *testing.T) {
	s := w.replica("a")
	tx := w.begin(t, s, `{}`)
	if _, _, _, err := tx.Reserve(t.Context(), w.reserve); err != nil {
		t.Fatal(err)
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel() // the caller may have disconnected
	tx.Abort(gone, true)
	tx.Abort(gone, true)
	if n := len(w.records(t)); n != 0 {
		t.Fatalf("got %d records", n)
	}
	if a := w.must(t, s, `{"corrected":true}`); a.Replayed {
		t.Error("the corrected request got the answer of another one")
	}
}

func (w *world) unknownEnd(t *testing.T) {
	s := w.replica("a")
	tx := w.begin(t, s, `{}`)
	id, name, resumed, err := tx.Reserve(t.Context(), w.reserve)
	if err != nil || resumed {
		t.Fatal(resumed, err)
	}
	tx.Abort(t.Context(), false)
	w.conflict(t, s, `{"other":1}`, true, false)

	t.Log("the same request resumes the reservation")
	tx = w.begin(t, s, `{}`)
	if i, n, ok := tx.Resumed(); !ok || i != id || n != name {
		t.Errorf("resumed %d %s %v, want %d %s", i, n, ok, id, name)
	}
	i, n, resumed, err := tx.Reserve(t.Context(), w.reserve)
	if err != nil || !resumed || i != id || n != name {
		t.Errorf("reserved %d %s, resumed %v, %v", i, n, resumed, err)
	}
	t.Log("a later rejection must keep the key: the first attempt may still create the object")
	tx.Abort(t.Context(), true)
	if len(w.records(t)) != 1 {
		t.Fatal("the record was deleted")
	}

	t.Log("the key is released after the timeout, unless the object exists")
	w.clock.SetTime(w.clock.Now().Add(DefaultForgetAfter))
	show := testkit.Slideshow(w.scope.Namespace, name, "acme", "late")
	if err := w.cluster.Client.Create(t.Context(), show); err != nil {
		t.Fatal(err)
	}
	w.conflict(t, s, `{"other":1}`, false, false)
	if err := w.cluster.Client.Delete(t.Context(), show); err != nil {
		t.Fatal(err)
	}
	if a := w.must(t, s, `{"other":1}`); a.Replayed {
		t.Error("a request without an answer was replayed")
	}
	w.conflict(t, s, `{}`, false, false)
	if r := w.records(t); len(r) != 1 || r[0].Spec.Reserved.Name == name {
		t.Errorf("%+v", r)
	}
}

func (w *world) forgotten(t *testing.T) {
	s := w.replica("a")
	first := w.must(t, s, `{}`)
	w.clock.SetTime(w.clock.Now().Add(DefaultTTL - time.Second))
	same(t, w.must(t, s, `{}`), first)
	w.clock.SetTime(w.clock.Now().Add(time.Second))
	if a := w.must(t, s, `{"other":1}`); a.Replayed || string(a.Data) == string(first.Data) {
		t.Error("the key is still reserved after its expiry")
	}
	if n := len(w.shows(t)); n != 2 {
		t.Errorf("got %d slideshows", n)
	}
	if r := w.records(t); len(r) != 1 || !r[0].Spec.ExpiresAt.Time.Equal(w.clock.Now().Add(DefaultTTL)) {
		t.Errorf("%+v", r)
	}
}

func (w *world) nameTaken(t *testing.T) {
	s := w.replica("a")
	tx := w.begin(t, s, `{}`)
	_, first, _, err := tx.Reserve(t.Context(), w.reserve)
	if err != nil {
		t.Fatal(err)
	}
	_, second, resumed, err := tx.Reserve(t.Context(), w.reserve)
	if err != nil || second == first || resumed {
		t.Fatalf("%s after %s, resumed %v, %v", second, first, resumed, err)
	}
	tx.Abort(t.Context(), false)
	if _, name, ok := w.begin(t, s, `{}`).Resumed(); !ok || name != second {
		t.Errorf("a later attempt resumed %q, want %q", name, second)
	}
}

func (w *world) slowHolder(t *testing.T) {
	a, b := w.replica("a"), w.replica("b")
	tx := w.begin(t, a, `{}`)
	if _, _, _, err := tx.Reserve(t.Context(), w.reserve); err != nil {
		t.Fatal(err)
	}
	w.clock.SetTime(w.clock.Now().Add(DefaultTakeOverAfter))
	first := w.must(t, b, `{}`)
	got, err := tx.Commit(t.Context(), Answer{Status: 202, Data: json.RawMessage(`"mine"`)})
	if err != nil || !got.Replayed {
		t.Fatalf("%+v %v", got, err)
	}
	same(t, got, first)
	same(t, w.must(t, a, `{}`), first)
}

func (w *world) removedByHand(t *testing.T) {
	s := w.replica("a")
	tx := w.begin(t, s, `{}`)
	if _, _, _, err := tx.Reserve(t.Context(), w.reserve); err != nil {
		t.Fatal(err)
	}
	if err := w.cluster.Client.Delete(t.Context(), &w.records(t)[0]); err != nil {
		t.Fatal(err)
	}
	if a, err := tx.Commit(t.Context(), Answer{Status: 202, Data: json.RawMessage(`1`)}); err != nil || string(a.Data) != "1" {
		t.Errorf("%+v %v", a, err)
	}
}

func (w *world) createsNothing(t *testing.T) {
	s := w.replica("a")
	tx := w.begin(t, s, `{}`)
	first, err := tx.Commit(t.Context(), Answer{Status: 200, Data: json.RawMessage(`{"already":true}`), RetryAfter: 1100 * time.Millisecond})
	if err != nil || first.RetryAfter != 2*time.Second {
		t.Fatalf("%+v %v", first, err)
	}
	same(t, w.must(t, w.replica("b"), `{}`), first)
}

func (w *world) hungUp(t *testing.T) {
	s := w.replica("a")
	tx := w.begin(t, s, `{}`)
	if _, _, _, err := tx.Reserve(t.Context(), w.reserve); err != nil {
		t.Fatal(err)
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	first, err := tx.Commit(gone, Answer{Status: 202, Data: json.RawMessage(`1`)})
	if err != nil {
		t.Fatal(err)
	}
	same(t, w.must(t, s, `{}`), first)
}

func (w *world) tooLarge(t *testing.T) {
	s := w.replica("a")
	tx := w.begin(t, s, `{}`)
	big := json.RawMessage(`"` + strings.Repeat("x", v1beta1.MaxAnswerData) + `"`)
	if a, err := tx.Commit(t.Context(), Answer{Status: 200, Data: big}); err == nil {
		t.Errorf("an answer that is too large to store is not rejected: %d bytes", len(a.Data))
	}
	tx = w.begin(t, s, `{}`)
	if _, err := tx.Commit(t.Context(), Answer{Status: 200, Data: big[:v1beta1.MaxAnswerData-1], Meta: json.RawMessage(`{}`)}); err != nil {
		t.Errorf("the largest answer: %v", err)
	}
}

// storm makes one request many times at once over the stores, each until it has a response, and returns the responses.
func (w *world) storm(t *testing.T, times int, stores ...*Store) []Answer {
	t.Helper()
	answers := make([]Answer, times)
	var wait sync.WaitGroup
	start := make(chan struct{})
	for i := range answers {
		wait.Go(func() {
			<-start
			for t.Context().Err() == nil {
				var err error
				var p *problem.Problem
				answers[i], err = w.run(t.Context(), stores[i%len(stores)], w.cluster.Client, `{"context":"x"}`, false)
				if err == nil {
					return
				}
				if !errors.As(err, &p) || !p.Retryable || p.Details["in_flight"] != true {
					t.Error(err)
					return
				}
			}
		})
	}
	close(start)
	wait.Wait()
	return answers
}

// once checks that all responses are equal, that one request created it, and that there is one slideshow.
func (w *world) once(t *testing.T, answers []Answer) {
	t.Helper()
	firsts := 0
	for i := range answers {
		same(t, answers[i], answers[0])
		if !answers[i].Replayed {
			firsts++
		}
	}
	if firsts != 1 {
		t.Errorf("got %d answers that are not replays, want 1", firsts)
	}
	if n := len(w.shows(t)); n != 1 {
		t.Errorf("got %d slideshows", n)
	}
}

func (w *world) race(t *testing.T) {
	w.once(t, w.storm(t, 200, w.replica("a"), w.replica("b")))
}

func (w *world) raceForTheLeft(t *testing.T) {
	tx := w.begin(t, w.replica("dead"), `{"context":"x"}`)
	if _, _, _, err := tx.Reserve(t.Context(), w.reserve); err != nil {
		t.Fatal(err)
	}
	w.clock.SetTime(w.clock.Now().Add(DefaultTakeOverAfter))
	w.once(t, w.storm(t, 100, w.replica("a"), w.replica("b"), w.replica("c")))
	if got := w.shows(t)[0].Name; got != "slideshow-1" {
		t.Errorf("got slideshow %s, want the reserved slideshow-1", got)
	}
}

// everyWriteLost makes a request whose n-th write fails, in each way. Its process then continues, or is killed and
// restarted, or is killed and another replica gets the retry. In all cases exactly one slideshow must exist.
func everyWriteLost(t *testing.T, cluster *testkit.Cluster) {
	next := map[string]func(*world, *Store) *Store{
		"the same process": func(_ *world, s *Store) *Store { return s },
		"the next process": func(w *world, _ *Store) *Store { return w.replica("a") },
		"another replica": func(w *world, _ *Store) *Store {
			w.clock.SetTime(w.clock.Now().Add(DefaultTakeOverAfter))
			return w.replica("b")
		},
	}
	const writes = 3 // the record, the slideshow, the answer
	for n := 1; n <= writes+1; n++ {
		for _, fault := range []testkit.Fault{testkit.Lost, testkit.Unanswered} {
			for who, choose := range next {
				t.Run(fmt.Sprintf("write %d %s, then %s", n, fault, who), func(t *testing.T) {
					w := newWorld(t, cluster)
					rec, err := cluster.Recorder(nil)
					if err != nil {
						t.Fatal(err)
					}
					rec.FailAt, rec.Fault = n, fault
					s := New(rec, w.clock, "a", Options{})
					first, err := w.run(t.Context(), s, rec, `{"context":"x"}`, who != "the same process")
					wrote := strings.Join(rec.Writes, ", ")
					switch {
					case n > writes && (err != nil || wrote != "create IdempotencyRecord, create Slideshow, patch IdempotencyRecord/status"):
						t.Fatalf("without a fault: %v, %s", err, wrote)
					case n < writes && err == nil:
						t.Fatalf("answered although a write before the answer failed: %s", wrote)
					}
					second := w.must(t, choose(w, s), `{"context":"x"}`)
					if err == nil {
						same(t, second, first)
					} else {
						first = second
					}
					for _, replica := range []string{"a", "b"} {
						again := w.must(t, w.replica(replica), `{"context":"x"}`)
						same(t, again, first)
						if !again.Replayed {
							t.Error("the third attempt is no replay")
						}
					}
					if n := len(w.shows(t)); n != 1 {
						t.Errorf("got %d slideshows", n)
					}
				})
			}
		}
	}
}
