// SPDX-License-Identifier: Apache-2.0

package outbox_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	testclock "k8s.io/utils/clock/testing"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/store/blob"
	"github.com/reelops/reelops/internal/store/outbox"
)

const tenant = "tenant"

type world struct {
	t     *testing.T
	dir   string
	store *blob.Store
	clock *testclock.FakePassiveClock
	box   *outbox.Outbox
}

func newWorld(t *testing.T) *world {
	t.Helper()
	now := time.Date(2026, 11, 27, 12, 0, 0, 0, time.UTC)
	w := &world{t: t, dir: t.TempDir(), clock: testclock.NewFakePassiveClock(now)}
	var err error
	w.store, err = blob.Open(t.Context(), blob.Config{
		URL: "file://" + w.dir, SigningKey: make([]byte, 32), BaseURL: "http://127.0.0.1",
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.store.Close() })
	w.restart()
	return w
}

func (w *world) restart() { w.box = outbox.New(w.store, w.clock) }

func (w *world) transition(sequence int64) v1beta1.Transition {
	return v1beta1.Transition{Event: v1beta1.EventJobFailed, Sequence: sequence, At: metav1.NewTime(w.clock.Now())}
}

func event(uid types.UID, t v1beta1.Transition) outbox.Event {
	return outbox.Event{ID: outbox.ID(uid, t), UID: uid, Transition: t, Body: json.RawMessage(`{"n":1}`)}
}

func (w *world) record(uid types.UID, sequences ...int64) {
	w.t.Helper()
	var all []outbox.Event
	for _, s := range sequences {
		all = append(all, event(uid, w.transition(s)))
	}
	if err := w.box.Record(w.t.Context(), tenant, all); err != nil {
		w.t.Fatal(err)
	}
}

// read returns the events after a position, such as "a1 a2 b1", and the position after them.
func (w *world) read(at v1beta1.WebhookCursor) (string, v1beta1.WebhookCursor) {
	w.t.Helper()
	text := ""
	for {
		found, end, err := w.box.Next(w.t.Context(), tenant, at)
		if err != nil {
			w.t.Fatal(err)
		}
		if len(found) == 0 {
			return text, at
		}
		for _, e := range found {
			text += fmt.Sprintf("%s%d ", e.UID, e.Sequence)
		}
		at = end
	}
}

func TestRecord_OnceAndInOrder(t *testing.T) {
	w := newWorld(t)
	w.record("a", 1)
	w.record("a", 1, 2)
	w.restart()
	w.record("a", 2)
	w.record("b", 1)
	got, end := w.read(v1beta1.WebhookCursor{})
	if got != "a1 a2 b1 " {
		t.Errorf("got %q", got)
	}
	w.record("b", 2)
	if got, _ := w.read(end); got != "b2 " {
		t.Errorf("after the end: got %q", got)
	}
	found, _, err := w.box.Next(t.Context(), tenant, v1beta1.WebhookCursor{})
	id := outbox.ID("a", w.transition(1))
	if err != nil || len(found) != 1 || found[0].ID != id || string(found[0].Body) != `{"n":1}` {
		t.Errorf("got %+v, %v", found, err)
	}
	if id == outbox.ID("a", w.transition(2)) || id == outbox.ID("b", w.transition(1)) {
		t.Error("two transitions have one id")
	}
}

func TestUnrecorded(t *testing.T) {
	w := newWorld(t)
	old := v1beta1.Transition{
		Event: v1beta1.EventJobFailed, Sequence: 1, At: metav1.NewTime(w.clock.Now().Add(-outbox.Latest - time.Second)),
	}
	w.record("a", 2)
	w.restart()
	got, err := w.box.Unrecorded(t.Context(), tenant, "a", []v1beta1.Transition{old, w.transition(2), w.transition(3)})
	if err != nil || len(got) != 1 || got[0].Sequence != 3 {
		t.Errorf("got %+v, %v, want number 3 alone", got, err)
	}
	got, err = w.box.Unrecorded(t.Context(), tenant, "b", []v1beta1.Transition{old})
	if err != nil || len(got) != 0 {
		t.Errorf("a transition that is too old: got %+v, %v", got, err)
	}
}

// TestRecord_Concurrent checks that concurrent calls lose nothing, and that they share segments.
func TestRecord_Concurrent(t *testing.T) {
	w := newWorld(t)
	var all sync.WaitGroup
	const objects, each = 40, 5
	for i := range objects {
		all.Go(func() {
			for s := range int64(each) {
				one := event(types.UID(fmt.Sprint("o", i, "-")), w.transition(s+1))
				if err := w.box.Record(context.Background(), tenant, []outbox.Event{one}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	w.restart()
	seen := map[string]bool{}
	at := v1beta1.WebhookCursor{}
	for {
		found, end, err := w.box.Next(t.Context(), tenant, at)
		if err != nil {
			t.Fatal(err)
		}
		if len(found) == 0 {
			break
		}
		for _, e := range found {
			if seen[e.ID] {
				t.Errorf("%s is recorded twice", e.ID)
			}
			seen[e.ID] = true
		}
		at = end
	}
	if len(seen) != objects*each {
		t.Errorf("%d events are recorded, want %d", len(seen), objects*each)
	}
}

// TestRecord_StoreFails loses the response of a write, and the write.
func TestRecord_StoreFails(t *testing.T) {
	w := newWorld(t)
	w.record("a", 1)
	folder := filepath.Join(w.dir, "webhooks", tenant)
	if err := os.Rename(folder, folder+"-away"); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(folder, nil, 0o600); err != nil { // a file in the place of the folder
		t.Fatal(err)
	}
	if err := w.box.Record(t.Context(), tenant, []outbox.Event{event("a", w.transition(2))}); err == nil {
		t.Fatal("a write to a broken store succeeded")
	}
	if err := os.Remove(folder); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(folder+"-away", folder); err != nil {
		t.Fatal(err)
	}
	got, err := w.box.Unrecorded(t.Context(), tenant, "a", []v1beta1.Transition{w.transition(1), w.transition(2)})
	if err != nil || len(got) != 1 || got[0].Sequence != 2 {
		t.Errorf("got %+v, %v, want number 2, whose write failed", got, err)
	}
	w.record("a", 2)
	if got, _ := w.read(v1beta1.WebhookCursor{}); got != "a1 a2 " {
		t.Errorf("got %q", got)
	}
}

func TestRetention(t *testing.T) {
	w := newWorld(t)
	w.record("a", 1)
	_, end := w.read(v1beta1.WebhookCursor{})
	since := w.clock.Now()
	w.clock.SetTime(since.Add(outbox.Retention + time.Hour))
	w.record("b", 1)
	if got, _ := w.read(v1beta1.WebhookCursor{}); got != "b1 " {
		t.Errorf("got %q, want the recent event alone", got)
	}
	if got, _ := w.read(end); got != "b1 " {
		t.Errorf("from a position in a deleted segment: got %q", got)
	}
	at, err := w.box.Since(t.Context(), tenant, since)
	if err != nil {
		t.Fatal(err)
	}
	if got, _ := w.read(at); got != "b1 " {
		t.Errorf("since a time before the first event: got %q", got)
	}
	if at, err = w.box.Since(t.Context(), tenant, w.clock.Now().Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	if got, _ := w.read(at); got != "" {
		t.Errorf("since a time after the last event: got %q", got)
	}
}

func TestSweep(t *testing.T) {
	w := newWorld(t)
	w.clock.SetTime(time.Now()) // segments have the time of the file system
	w.record("a", 1)
	sweep := func(keep bool, want int) {
		t.Helper()
		n, err := w.box.Sweep(t.Context(), func(namespace string) (bool, error) { return keep && namespace == tenant, nil })
		if n != want || err != nil {
			t.Errorf("deleted %d segments, %v; want %d", n, err, want)
		}
	}
	sweep(true, 0)
	w.clock.SetTime(time.Now().Add(outbox.Retention - time.Minute))
	sweep(true, 0)
	w.clock.SetTime(time.Now().Add(outbox.Retention + time.Minute))
	sweep(true, 1)
	if got, _ := w.read(v1beta1.WebhookCursor{}); got != "" {
		t.Errorf("got %q, want no old event", got)
	}
	w.record("b", 1)
	if got, _ := w.read(v1beta1.WebhookCursor{Segment: 1}); got != "b1 " {
		t.Errorf("after a sweep: got %q", got)
	}
	w.clock.SetTime(time.Now())
	sweep(false, 1)
	w.record("b", 1)
	if got, _ := w.read(v1beta1.WebhookCursor{}); got != "b1 " {
		t.Errorf("in a namespace that was swept: got %q", got)
	}
	n, err := w.box.Sweep(t.Context(), func(string) (bool, error) { return false, os.ErrDeadlineExceeded })
	if n != 0 || err == nil {
		t.Errorf("without an answer, deleted %d segments, %v", n, err)
	}
}

// TestAt reads events by position, as the front end does: with an Outbox that never writes, while the writer goes on.
func TestAt(t *testing.T) {
	w := newWorld(t)
	w.record("a", 1, 2)
	reader := outbox.New(w.store, w.clock)
	at := func(segment int64, index int32) *v1beta1.WebhookCursor {
		return &v1beta1.WebhookCursor{Segment: segment, Index: index}
	}
	positions := func() (first, second, third v1beta1.WebhookCursor) {
		found, next, err := w.box.Next(t.Context(), tenant, v1beta1.WebhookCursor{})
		if err != nil || len(found) != 2 {
			t.Fatalf("got %d events, %v", len(found), err)
		}
		later, _, err := w.box.Next(t.Context(), tenant, next)
		if err != nil || len(later) != 1 {
			t.Fatalf("got %d events, %v", len(later), err)
		}
		return found[0].Position, found[1].Position, later[0].Position
	}
	if _, err := reader.At(t.Context(), tenant, []*v1beta1.WebhookCursor{at(1, 0)}); err != nil {
		t.Fatal(err)
	}
	w.clock.SetTime(w.clock.Now().Add(time.Second))
	w.record("b", 1)
	one, two, three := positions()
	got, err := reader.At(t.Context(), tenant, []*v1beta1.WebhookCursor{
		&three, nil, &one, &two, at(1, 0), at(one.Segment, 2), at(one.Segment, -1),
	})
	if err != nil || len(got) != 3 || got[one].Sequence != 1 || got[two].Sequence != 2 || got[three].UID != "b" {
		t.Errorf("got %+v, %v", got, err)
	}
	if got, err := reader.At(t.Context(), "other", []*v1beta1.WebhookCursor{&one}); err != nil || len(got) > 0 {
		t.Errorf("another account: got %+v, %v", got, err)
	}
}
