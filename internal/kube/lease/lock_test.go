// SPDX-License-Identifier: Apache-2.0

package lease_test

import (
	"bytes"
	"context"
	"errors"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"
	k8stesting "k8s.io/client-go/testing"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
	testclock "k8s.io/utils/clock/testing"

	"github.com/reelops/reelops/internal/kube/lease"
)

const term = 2 * time.Second

// world is a cluster with one Lease, and a clock.
type world struct {
	t     *testing.T
	kube  *fake.Clientset
	clock *testclock.FakeClock
	// slow is the duration of the next reads, away their error.
	slow time.Duration
	away error
}

func newWorld(t *testing.T) *world {
	w := &world{t: t, kube: fake.NewClientset(), clock: testclock.NewFakeClock(time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC))}
	w.kube.PrependReactor("get", "leases", func(k8stesting.Action) (bool, runtime.Object, error) {
		w.clock.Step(w.slow)
		return w.away != nil, nil, w.away
	})
	return w
}

// member is one process that wants the Lease.
func (w *world) member(name string) (l *lease.Lock, replaced *[]string) {
	w.t.Helper()
	replaced = &[]string{}
	l, err := lease.New(lease.Config{
		Client: w.kube.CoordinationV1(), Namespace: "reelops-system", Name: "manager", Identity: name, Term: term, Clock: w.clock,
		Replaced: func(by string) { *replaced = append(*replaced, by) },
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return l, replaced
}

func (w *world) see(l *lease.Lock) (holder string, seconds int, seen []byte) {
	w.t.Helper()
	r, seen, err := l.Get(context.Background())
	if err != nil {
		w.t.Fatal(err)
	}
	return r.HolderIdentity, r.LeaseDurationSeconds, seen
}

func (w *world) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

// as returns the record of client-go's election for a holder, with its own lease duration.
func as(name string) resourcelock.LeaderElectionRecord {
	return resourcelock.LeaderElectionRecord{HolderIdentity: name, LeaseDurationSeconds: 15}
}

func TestLock_WritesTheTerm(t *testing.T) {
	w := newWorld(t)
	one, _ := w.member("one")
	w.must(one.Create(t.Context(), as("one")))
	if holder, seconds, _ := w.see(one); holder != "one" || seconds != 2 {
		t.Errorf("got %s for %d s", holder, seconds)
	}
	w.must(one.Update(t.Context(), resourcelock.LeaderElectionRecord{LeaseDurationSeconds: 1}))
	if holder, seconds, _ := w.see(one); holder != "" || seconds != 1 {
		t.Errorf("released: got %q for %d s", holder, seconds)
	}
	if _, err := lease.New(lease.Config{Term: 1500 * time.Millisecond}); err == nil {
		t.Error("a Lease has whole seconds only")
	}
}

// TestLock_RestartsTheTermAfterMissedReads lists the cases in which a standby restarts the term: the bytes differ.
func TestLock_RestartsTheTermAfterMissedReads(t *testing.T) {
	for name, c := range map[string]struct {
		between func(*world, *lease.Lock)
		anew    bool
	}{
		"nothing happened": {func(*world, *lease.Lock) {}, false},
		"the API server was unavailable": {func(w *world, l *lease.Lock) {
			w.away = errors.New("connection refused")
			if _, _, err := l.Get(context.Background()); err == nil {
				w.t.Error("a read succeeds although the API server is unavailable")
			}
			w.away = nil
		}, true},
		"the API server is slow":     {func(w *world, _ *lease.Lock) { w.slow = time.Second }, true},
		"the API server is fast":     {func(w *world, _ *lease.Lock) { w.slow = 100 * time.Millisecond }, false},
		"this process was suspended": {func(w *world, _ *lease.Lock) { w.clock.Step(time.Minute) }, true},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			one, _ := w.member("one")
			two, _ := w.member("two")
			w.must(one.Create(t.Context(), as("one")))
			_, _, before := w.see(two)
			c.between(w, two)
			_, _, after := w.see(two)
			if anew := !bytes.Equal(before, after); anew != c.anew {
				t.Errorf("got restarted %v, want %v", anew, c.anew)
			}
			w.slow = 0
			_, _, again := w.see(two)
			if !bytes.Equal(after, again) {
				t.Error("the term restarts forever")
			}
		})
	}
}

func TestLock_ReportsAReplacementOnce(t *testing.T) {
	w := newWorld(t)
	one, replaced := w.member("one")
	two, other := w.member("two")
	w.must(one.Create(t.Context(), as("one")))
	w.see(one)
	w.see(two)
	w.must(two.Update(t.Context(), as("two")))
	w.see(one)
	w.see(one)
	if len(*replaced) != 1 || (*replaced)[0] != "two" {
		t.Errorf("the first was notified with %q", *replaced)
	}
	w.see(two)
	if len(*other) != 0 {
		t.Errorf("the second was notified with %q", *other)
	}
}

func TestLock_ReleaseIsNoReplacement(t *testing.T) {
	w := newWorld(t)
	one, replaced := w.member("one")
	two, _ := w.member("two")
	w.must(one.Create(t.Context(), as("one")))
	w.must(one.Update(t.Context(), resourcelock.LeaderElectionRecord{LeaseDurationSeconds: 1}))
	w.see(two)
	w.must(two.Update(t.Context(), as("two")))
	w.see(one)
	if len(*replaced) != 0 {
		t.Errorf("notified with %q", *replaced)
	}
}

// TestLock_DoesNotReleaseTheLeaseOfAnother ends a process that was replaced without noticing: the election releases
// the record that it read last.
func TestLock_DoesNotReleaseTheLeaseOfAnother(t *testing.T) {
	w := newWorld(t)
	one, _ := w.member("one")
	two, replaced := w.member("two")
	w.must(one.Create(t.Context(), as("one")))
	w.see(two)
	w.must(two.Update(t.Context(), as("two")))
	w.see(one)
	if err := one.Update(t.Context(), resourcelock.LeaderElectionRecord{LeaseDurationSeconds: 1}); err == nil {
		t.Error("the lease of another was released")
	}
	if holder, _, _ := w.see(two); holder != "two" || len(*replaced) != 0 {
		t.Errorf("the holder is %q, and the second was notified with %q", holder, *replaced)
	}
}

func TestLock_DoesNotWriteWithoutARead(t *testing.T) {
	w := newWorld(t)
	one, _ := w.member("one")
	if err := one.Update(t.Context(), as("one")); err == nil {
		t.Error("a lease was written that was never read")
	}
}
