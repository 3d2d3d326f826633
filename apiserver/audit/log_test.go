// SPDX-License-Identifier: Apache-2.0

package audit

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"
	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clocktesting "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/testkit"
)

var caller = Actor{
	Kind: ByKey, KeyID: "3", KeyName: "web\nsite", Account: "acme", Brand: "coffee", Address: "192.0.2.7", RequestID: "req_1", Operation: "update_slideshow",
}

// world is a log over a cluster whose next write fails as set in fails.
type world struct {
	*Log
	client client.Client
	out    bytes.Buffer
	fails  error
	clock  *clocktesting.FakePassiveClock
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{clock: clocktesting.NewFakePassiveClock(time.Unix(1800000000, 0))}
	var mu sync.Mutex
	fail := func() (err error) {
		mu.Lock()
		defer mu.Unlock()
		err, w.fails = w.fails, nil
		return err
	}
	cluster := fake.NewClientBuilder().WithScheme(testkit.Scheme()).WithInterceptorFuncs(interceptor.Funcs{
		Create: func(ctx context.Context, c client.WithWatch, o client.Object, opts ...client.CreateOption) error {
			return errors.Join(fail(), c.Create(ctx, o, opts...))
		},
		Patch: func(ctx context.Context, c client.WithWatch, o client.Object, p client.Patch, opts ...client.PatchOption) error {
			if err := fail(); err != nil {
				return err
			}
			return c.Patch(ctx, o, p, opts...)
		},
	}).Build()
	var err error
	w.Log, err = New(Config{Out: &w.out, Log: slog.New(slog.DiscardHandler), Cluster: cluster, Replica: "one", Clock: w.clock}, prometheus.NewRegistry())
	if err != nil {
		t.Fatal(err)
	}
	w.client = w.Client(cluster)
	return w
}

// lines returns the lines written since the last call, without their times and uids.
func (w *world) lines(t *testing.T) []map[string]any {
	t.Helper()
	var out []map[string]any
	for text := range strings.Lines(w.out.String()) {
		one := map[string]any{}
		if err := json.Unmarshal([]byte(text), &one); err != nil {
			t.Fatalf("%v: %s", err, text)
		}
		delete(one, "time")
		out = append(out, one)
	}
	w.out.Reset()
	return out
}

func slideshow() *v1beta1.Slideshow {
	s := show(nil)
	s.Namespace, s.Name, s.Labels = "acme", "slideshow-7", map[string]string{v1beta1.LabelID: "7"}
	return s
}

func TestLog_WritesALinePerChange(t *testing.T) {
	w, ctx := newWorld(t), With(t.Context(), caller)
	s := slideshow()
	if err := w.client.Create(ctx, s); err != nil {
		t.Fatal(err)
	}
	if got := w.lines(t); len(got) != 1 || got[0]["verb"] != "create" || got[0]["outcome"] != Changed {
		t.Fatalf("got outcome %v of a creation", got)
	}
	before := s.DeepCopy()
	s.Spec.Context = "Sleep better."
	if err := w.client.Patch(ctx, s, Guarded(before)); err != nil {
		t.Fatal(err)
	}
	want := []map[string]any{{
		"level": "INFO", "msg": "audit", "logger": "audit", "outcome": "changed", "verb": "update", "operation": "update_slideshow", "request_id": "req_1",
		"actor":  map[string]any{"kind": "key", "key_id": "3", "key_name": "web site", "account": "acme", "brand": "coffee", "address": "192.0.2.7"},
		"object": map[string]any{"kind": "Slideshow", "namespace": "acme", "name": "slideshow-7", "id": "7"},
		"before": map[string]any{"context": "Sleep well."}, "after": map[string]any{"context": "Sleep better."},
	}}
	if diff := cmp.Diff(want, w.lines(t)); diff != "" {
		t.Error(diff)
	}
	if err := w.client.Delete(ctx, s); err != nil {
		t.Fatal(err)
	}
	if got := w.lines(t); len(got) != 1 || got[0]["verb"] != "delete" {
		t.Errorf("got outcome %v of a deletion", got)
	}
}

func TestLog_IgnoresRequestsWithoutChange(t *testing.T) {
	w, ctx := newWorld(t), With(t.Context(), caller)
	s := slideshow()
	if err := w.client.Create(ctx, s); err != nil {
		t.Fatal(err)
	}
	w.lines(t)
	resource := schema.GroupResource{Group: "reelops.dev", Resource: "slideshows"}
	for why, do := range map[string]func() error{
		"an empty patch":              func() error { return w.client.Patch(ctx, s.DeepCopy(), Guarded(s)) },
		"creating an existing object": func() error { return client.IgnoreAlreadyExists(w.client.Create(ctx, slideshow())) },
		"an idempotency record": func() error {
			return w.client.Create(ctx, &v1beta1.IdempotencyRecord{ObjectMeta: metav1.ObjectMeta{Namespace: "acme", Name: "r"}})
		},
		"reserved ids": func() error {
			return w.client.Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "acme", Name: "ids"}})
		},
		"a conflicting change": func() error {
			w.fails = apierrors.NewConflict(resource, "slideshow-7", errors.New("changed"))
			next := s.DeepCopy()
			next.Spec.Context = "Other."
			if err := w.client.Patch(ctx, next, Guarded(s)); !apierrors.IsConflict(err) {
				return errors.New("it was made")
			}
			return nil
		},
	} {
		if err := do(); err != nil {
			t.Errorf("%s: %v", why, err)
		}
		if got := w.lines(t); len(got) > 0 {
			t.Errorf("%s has outcome %v", why, got)
		}
	}
}

func TestLog_ReportsAnUnknownOutcome(t *testing.T) {
	w, ctx := newWorld(t), With(t.Context(), caller)
	w.fails = context.DeadlineExceeded
	if err := w.client.Create(ctx, slideshow()); err == nil {
		t.Fatal("the change must fail")
	}
	if got := w.lines(t); len(got) != 1 || got[0]["outcome"] != Unknown {
		t.Errorf("got outcome %v", got)
	}
	if len(w.events) != 0 {
		t.Error("the change has an Event")
	}
}

func TestLog_FallsBackToTheProcessLog(t *testing.T) {
	w, ctx := newWorld(t), With(t.Context(), caller)
	var log bytes.Buffer
	w.config.Out, w.config.Log = full{}, slog.New(slog.NewJSONHandler(&log, nil))
	if err := w.client.Create(ctx, slideshow()); err != nil {
		t.Fatal(err)
	}
	if text := log.String(); !strings.Contains(text, "no space") || !strings.Contains(text, `"request_id":"req_1"`) {
		t.Error(text)
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no space") }

func TestLog_WritesAnEventPerChange(t *testing.T) {
	w, ctx := newWorld(t), With(t.Context(), caller)
	s := slideshow()
	if err := w.client.Create(ctx, s); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"Better.", "Best."} {
		before := s.DeepCopy()
		s.Spec.Context = text
		if err := w.client.Patch(ctx, s, Guarded(before)); err != nil {
			t.Fatal(err)
		}
	}
	ended, end := context.WithCancel(t.Context())
	end()
	w.Run(ended) // queued Events are still written
	var list eventsv1.EventList
	if err := w.config.Cluster.List(ctx, &list); err != nil {
		t.Fatal(err)
	}
	notes := map[string]int{}
	for _, e := range list.Items {
		notes[e.Reason+" "+e.Note]++
		if e.Regarding.Kind != "Slideshow" || e.Regarding.Name != s.Name || e.ReportingController != reporter || e.Action != "update_slideshow" || e.Type != "Normal" {
			t.Errorf("%+v", e)
		}
	}
	want := map[string]int{
		"Requested update_slideshow by key 3 (web site), request req_1":        1,
		"Changed update_slideshow by key 3 (web site), request req_1: context": 2,
	}
	if diff := cmp.Diff(want, notes); diff != "" {
		t.Error(diff)
	}
}

func TestEventsAreBounded(t *testing.T) {
	w := newWorld(t)
	c := &change{verb: create, kind: "Slideshow", object: slideshow()}
	for range 3 * queueSize {
		w.announce(caller, c)
	}
	if n := len(w.events); n != mostAtOnce {
		t.Errorf("got %d events at once", n)
	}
	w.clock.SetTime(w.clock.Now().Add(time.Second))
	for range 3 * queueSize {
		w.announce(caller, c)
	}
	if n := len(w.events); n != mostAtOnce+perSecond {
		t.Errorf("got %d events after a second", n)
	}
	e := event{who: caller, verb: update, fields: []string{strings.Repeat("é", 2000)}}
	if n := len(e.render("one").Note); n > 1024 || n < 1000 {
		t.Errorf("got a note of %d bytes", n)
	}
}

func TestLog_ReopensARotatedFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.log")
	f, err := OpenFile(path, Rotation{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	say := func(text string) {
		if _, err := f.Write([]byte(text)); err != nil {
			t.Error(err)
		}
	}
	say("1\n")
	if err := os.Rename(path, path+".1"); err != nil {
		t.Fatal(err)
	}
	say("2\n")
	if err := f.Reopen(); err != nil {
		t.Fatal(err)
	}
	say("3\n")
	for name, want := range map[string]string{path + ".1": "1\n2\n", path: "3\n"} {
		if got, err := os.ReadFile(name); err != nil || string(got) != want {
			t.Errorf("%s has %q, %v", name, got, err)
		}
	}
}
