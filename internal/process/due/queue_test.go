// SPDX-License-Identifier: Apache-2.0

package due_test

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	clocktesting "k8s.io/utils/clock/testing"

	"github.com/reelops/reelops/internal/process/due"
)

var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

func at(seconds int) time.Time { return noon.Add(time.Duration(seconds) * time.Second) }

func TestOrder(t *testing.T) {
	type add struct {
		key string
		at  int
	}
	for name, c := range map[string]struct {
		why    string
		adds   []add
		remove []string
		now    int
		want   []string
		next   time.Duration
	}{
		"overdue first":  {"after a downtime, the longest overdue comes first", []add{{"b", -5}, {"c", 0}, {"a", -3600}, {"d", 1}}, nil, 0, []string{"a", "b", "c"}, time.Second},
		"same time":      {"of two keys at the same time the one that was added first comes first", []add{{"x", 0}, {"y", 0}, {"z", 0}}, nil, 0, []string{"x", "y", "z"}, -1},
		"earliest wins":  {"a later time does not delay a due key", []add{{"a", 5}, {"a", 1}, {"a", 9}}, nil, 1, []string{"a"}, -1},
		"removed":        {"removed keys are not returned", []add{{"a", 1}, {"b", 2}, {"c", 3}}, []string{"b"}, 9, []string{"a", "c"}, -1},
		"nothing is due": {"no key is returned early, not even by a second", []add{{"a", 1}}, nil, 0, nil, time.Second},
		"nothing waits":  {"an empty queue returns nothing", nil, []string{"a"}, 0, nil, -1},
	} {
		t.Run(name, func(t *testing.T) {
			q := due.New[string](clocktesting.NewFakeClock(noon))
			for _, a := range c.adds {
				q.Add(a.key, at(a.at))
			}
			for _, k := range c.remove {
				q.Remove(k)
			}
			got, next := q.Pop(at(c.now))
			if d := cmp.Diff(c.want, got); d != "" || next != c.next {
				t.Errorf("%s: got next in %v, %s", c.why, next, d)
			}
		})
	}
}

// TestQueue_MatchesSorting compares the heap with sorting, over many additions, changes and removals.
func TestQueue_MatchesSorting(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	q := due.New[int](clocktesting.NewFakeClock(noon))
	model := map[int]time.Time{}
	now := noon
	for range 5000 {
		k, when := r.IntN(200), now.Add(time.Duration(r.IntN(4000)-1000)*time.Millisecond)
		switch r.IntN(4) {
		case 0:
			q.Remove(k)
			delete(model, k)
		case 1:
			now = now.Add(time.Duration(r.IntN(50)) * time.Millisecond)
			got, _ := q.Pop(now)
			var want []int
			for k, when := range model {
				if !when.After(now) {
					want = append(want, k)
				}
			}
			for i := 1; i < len(got); i++ {
				if model[got[i]].Before(model[got[i-1]]) {
					t.Fatal("a later key came first")
				}
			}
			for _, k := range want {
				delete(model, k)
			}
			slices.Sort(got)
			slices.Sort(want)
			if d := cmp.Diff(want, got); d != "" {
				t.Fatal(d)
			}
		default:
			q.Add(k, when)
			if old, ok := model[k]; !ok || when.Before(old) {
				model[k] = when
			}
		}
		if q.Len() != len(model) {
			t.Fatalf("got %d keys, want %d", q.Len(), len(model))
		}
	}
}

// running is a queue with its loop. Its clock is the wall clock of the loop: set changes it without affecting timers,
// like a user who sets a clock.
type running struct {
	t     *testing.T
	clock *wall
	q     *due.Queue[string]
	told  chan []string
}

// wall is a clock whose time can be set independently of its timers.
type wall struct {
	*clocktesting.FakeClock
	offset chan time.Duration // keeps one value
}

func (w *wall) Now() time.Time {
	o := <-w.offset
	w.offset <- o
	return w.FakeClock.Now().Add(o)
}

func (w *wall) set(by time.Duration) { w.offset <- <-w.offset + by }

func run(t *testing.T) *running {
	t.Helper()
	w := &wall{clocktesting.NewFakeClock(noon), make(chan time.Duration, 1)}
	w.offset <- 0
	r := &running{t: t, clock: w, q: due.New[string](w), told: make(chan []string)}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- r.q.Run(ctx, func(k []string) { r.told <- k }) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	return r
}

// pass advances the process's own time in steps of the loop, and collects the returned keys.
func (r *running) pass(d time.Duration) []string {
	r.t.Helper()
	var told []string
	for end := r.clock.FakeClock.Now().Add(d); r.clock.FakeClock.Now().Before(end); {
		for !r.clock.HasWaiters() {
			select {
			case k := <-r.told:
				told = append(told, k...)
			default:
			}
		}
		r.clock.Step(min(due.Reread, end.Sub(r.clock.FakeClock.Now())))
	}
	for !r.clock.HasWaiters() {
		select {
		case k := <-r.told:
			told = append(told, k...)
		default:
		}
	}
	return told
}

func TestQueue_ClockJumps(t *testing.T) {
	const five = 5 * time.Minute
	for name, c := range map[string]struct {
		why    string
		jump   time.Duration
		early  time.Duration // time during which no key may be returned
		within time.Duration // time after which the key must be returned
	}{
		"stands":               {"a clock that is not set", 0, 10*time.Minute - time.Millisecond, time.Millisecond},
		"jumps ahead":          {"five minutes ahead: ten minutes pass after five", five, five - time.Millisecond, time.Millisecond},
		"far ahead":            {"beyond the time, or a process that was suspended for an hour: returned at the next read of the clock", time.Hour, 0, due.Reread},
		"jumps back":           {"five minutes back: no key is returned when the timer of the old time fires", -five, 15*time.Minute - time.Millisecond, time.Millisecond},
		"back and forth":       {"a second ahead of the time is too early", 10*time.Minute - time.Second, time.Second - time.Millisecond, time.Millisecond},
		"just before the time": {"keys that become due by the jump are returned at once", 10 * time.Minute, 0, due.Reread},
	} {
		t.Run(name, func(t *testing.T) {
			r := run(t)
			r.q.Add("far", noon.Add(24*time.Hour)) // there is always a timer to wait for
			r.q.Add("post", noon.Add(10*time.Minute))
			r.pass(0)
			r.clock.set(c.jump)
			if c.early > 0 {
				if told := r.pass(c.early); len(told) > 0 {
					t.Fatalf("%s: returned %v too early", c.why, told)
				}
			}
			if told := r.pass(c.within); !slices.Equal(told, []string{"post"}) {
				t.Errorf("%s: got %v", c.why, told)
			}
		})
	}
}

func TestQueue_AddWhileWaiting(t *testing.T) {
	r := run(t)
	r.q.Add("far", noon.Add(24*time.Hour))
	r.pass(0)
	r.q.Add("now", noon)
	if got := <-r.told; !slices.Equal(got, []string{"now"}) {
		t.Errorf("got %v", got)
	}
}

func BenchmarkQueue(b *testing.B) {
	q := due.New[int](clocktesting.NewFakeClock(noon))
	r := rand.New(rand.NewPCG(1, 2))
	for i := range 100_000 {
		q.Add(i, noon.Add(time.Duration(r.IntN(1e9))))
	}
	for i := 0; b.Loop(); i++ {
		q.Remove(i % 100_000)
		q.Add(i%100_000, noon.Add(time.Duration(r.IntN(1e9))))
	}
}
