// SPDX-License-Identifier: Apache-2.0

package limit

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"k8s.io/utils/clock"
	clocktesting "k8s.io/utils/clock/testing"
)

var start = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

// at returns a limiter with one rate limit under test.
func at(c Ceiling) (*Limiter, *clocktesting.FakePassiveClock) {
	clock := clocktesting.NewFakePassiveClock(start)
	return New(Ceilings{Generation: c}, clock), clock
}

func TestWindowSlides(t *testing.T) {
	type step struct {
		after time.Duration // since the start
		want  State
	}
	ceiling := Ceiling{Limit: 2, Window: 10 * time.Second}
	room := func(remaining int) State {
		return State{Bucket: Generation, Limit: 2, Remaining: remaining, Window: 10 * time.Second}
	}
	full := func(wait time.Duration) State {
		return State{Bucket: Generation, Limit: 2, Window: 10 * time.Second, RetryAfter: wait, Refused: true}
	}
	for _, c := range []struct {
		why   string
		takes []step
	}{
		{"as many as the limit at the same moment, and no more", []step{{0, room(1)}, {0, room(0)}, {0, full(10 * time.Second)}}},
		{"no slot is free a nanosecond before the window has passed", []step{
			{0, room(1)}, {0, room(0)}, {10*time.Second - 1, full(1)},
		}},
		{"a slot is free when the window has passed", []step{{0, room(1)}, {0, room(0)}, {10 * time.Second, room(1)}}},
		{"the wait is the time until the oldest expires", []step{
			{0, room(1)},
			{4 * time.Second, room(0)},
			{5 * time.Second, full(5 * time.Second)},
			{10 * time.Second, room(0)},
			{11 * time.Second, full(3 * time.Second)},
			{14 * time.Second, room(0)},
		}},
		{"the window slides: half at its end and half after it count together", []step{
			{9 * time.Second, room(1)}, {9 * time.Second, room(0)}, {10 * time.Second, full(9 * time.Second)}, {18 * time.Second, full(time.Second)},
		}},
		{"a rejected request is not counted", []step{
			{0, room(1)}, {0, room(0)}, {1 * time.Second, full(9 * time.Second)}, {9 * time.Second, full(time.Second)}, {10 * time.Second, room(1)}, {10 * time.Second, room(0)},
		}},
	} {
		t.Run(c.why, func(t *testing.T) {
			l, clock := at(ceiling)
			for i, s := range c.takes {
				clock.SetTime(start.Add(s.after))
				seen := l.Peek(t.Context(), Generation, "key")
				got, _ := l.Take(t.Context(), Generation, "key")
				if diff := cmp.Diff(s.want, got); diff != "" {
					t.Errorf("request %d: %s", i, diff)
				}
				if seen.Refused != got.Refused || seen.RetryAfter != got.RetryAfter {
					t.Errorf("request %d: Peek predicted %+v", i, seen)
				}
			}
		})
	}
}

func TestSubjectsAndBucketsAreApart(t *testing.T) {
	l := New(Ceilings{Generation: {1, time.Hour}, Posting: {1, time.Hour}}, clocktesting.NewFakePassiveClock(start))
	for _, b := range []Bucket{Generation, Posting} {
		for _, subject := range []string{"one", "two"} {
			if s, _ := l.Take(t.Context(), b, subject); s.Refused {
				t.Errorf("%s of %s was rejected because of another", b, subject)
			}
			if s, _ := l.Take(t.Context(), b, subject); !s.Refused {
				t.Errorf("%s of %s has no rate limit", b, subject)
			}
		}
	}
}

func TestPeek_CountsNothing(t *testing.T) {
	l, _ := at(Ceiling{1, time.Hour})
	for range 3 {
		if s := l.Peek(t.Context(), Generation, "key"); s.Refused || s.Remaining != 1 {
			t.Fatalf("%+v", s)
		}
	}
	if n := l.windows[Generation].subjects(); n != 0 {
		t.Errorf("Peek created %d records", n)
	}
}

func TestReturn(t *testing.T) {
	l, clock := at(Ceiling{2, 10 * time.Second})
	take := func(after time.Duration) (State, Ticket) {
		clock.SetTime(start.Add(after))
		return l.Take(t.Context(), Generation, "key")
	}
	_, first := take(0)
	_, second := take(time.Second)
	refused, none := take(2 * time.Second)
	if !refused.Refused {
		t.Fatal("the request above the rate limit was accepted")
	}
	none.Return(t.Context())
	if s := l.Peek(t.Context(), Generation, "key"); !s.Refused {
		t.Error("returning a rejected request released a slot")
	}
	first.Return(t.Context())
	if s := l.Peek(t.Context(), Generation, "key"); s.Refused || s.Remaining != 1 {
		t.Errorf("after one return: %+v", s)
	}
	if s, _ := take(3 * time.Second); s.Refused {
		t.Error("the returned slot is not available")
	}
	if s, _ := take(3 * time.Second); s.RetryAfter != 8*time.Second {
		t.Errorf("the second request is now the oldest and expires at 11 s, not in %s", s.RetryAfter)
	}
	clock.SetTime(start.Add(time.Minute))
	second.Return(t.Context()) // expired by itself long ago
	if s := l.Peek(t.Context(), Generation, "key"); s.Remaining != 2 {
		t.Errorf("%+v", s)
	}
}

// TestLimiter_EqualsAReferenceImplementation makes the same random calls on the limiter and on a simple reference list.
func TestLimiter_EqualsAReferenceImplementation(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 7))
		ceiling := Ceiling{Limit: 1 + r.IntN(40), Window: time.Duration(1+r.IntN(20)) * time.Second}
		l, clock := at(ceiling)
		var model []time.Time
		var tickets []Ticket
		var times []time.Time
		now := start
		for i := range 600 {
			switch r.IntN(8) {
			case 0:
				now = now.Add(time.Duration(r.Int64N(int64(ceiling.Window))))
			case 1, 2:
				now = now.Add(time.Duration(r.Int64N(int64(ceiling.Window)) / int64(ceiling.Limit)))
			}
			clock.SetTime(now)
			model = slices.DeleteFunc(model, func(m time.Time) bool { return now.Sub(m) >= ceiling.Window })
			if r.IntN(6) == 0 && len(tickets) > 0 {
				n := r.IntN(len(tickets))
				tickets[n].Return(t.Context())
				if j := slices.Index(model, times[n]); j >= 0 {
					model = slices.Delete(model, j, j+1)
				}
				tickets, times = slices.Delete(tickets, n, n+1), slices.Delete(times, n, n+1)
				continue
			}
			want := State{Bucket: Generation, Limit: ceiling.Limit, Window: ceiling.Window}
			if len(model) == ceiling.Limit {
				want.Refused, want.RetryAfter = true, ceiling.Window-now.Sub(model[0])
			} else {
				model = append(model, now)
			}
			want.Remaining = ceiling.Limit - len(model)
			got, ticket := l.Take(t.Context(), Generation, "key")
			if diff := cmp.Diff(want, got); diff != "" {
				t.Fatalf("seed %d, step %d: %s", seed, i, diff)
			}
			if !got.Refused {
				tickets, times = append(tickets, ticket), append(times, now)
			}
		}
	}
}

func TestConcurrentTakesAreExact(t *testing.T) {
	const many, limit = 5000, 300
	l, _ := at(Ceiling{limit, time.Hour})
	var accepted atomic.Int64
	var all sync.WaitGroup
	for range many {
		all.Go(func() {
			if s, _ := l.Take(context.Background(), Generation, "key"); !s.Refused {
				accepted.Add(1)
			}
		})
	}
	all.Wait()
	if accepted.Load() != limit {
		t.Errorf("%d of %d requests were accepted, the limit is %d", accepted.Load(), many, limit)
	}
}

func TestReturnsUnderConcurrencyAreExact(t *testing.T) {
	const workers, limit = 50, 10
	l, _ := at(Ceiling{limit, time.Hour})
	var all sync.WaitGroup
	var most, now atomic.Int64
	for range workers {
		all.Go(func() {
			for range 200 {
				s, ticket := l.Take(context.Background(), Generation, "key")
				if s.Refused {
					continue
				}
				n := now.Add(1)
				for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
				}
				now.Add(-1)
				ticket.Return(context.Background())
			}
		})
	}
	all.Wait()
	if most.Load() > limit {
		t.Errorf("%d requests were in progress at once, the limit is %d", most.Load(), limit)
	}
	if s := l.Peek(t.Context(), Generation, "key"); s.Remaining != limit {
		t.Errorf("all were returned, but %d of %d remain", s.Remaining, limit)
	}
}

func TestIdleSubjectsAreEvicted(t *testing.T) {
	l, clock := at(Ceiling{5, time.Minute})
	w := l.windows[Generation]
	for i := range 10_000 {
		clock.SetTime(start.Add(time.Duration(i) * time.Second))
		l.Take(t.Context(), Generation, fmt.Sprint("key ", i))
	}
	// A shard evicts its own idle subjects when it is used, so a few stay longer than the 60 of the last minute.
	if n := w.subjects(); n > 60+4*shards {
		t.Errorf("%d subjects are held, of which 60 were used in the last minute", n)
	}
	if n := l.Peek(t.Context(), Generation, "key 9999").Remaining; n != 4 {
		t.Errorf("a used subject was evicted: %d remain", n)
	}
}

func TestAddressesAreBounded(t *testing.T) {
	clock := clocktesting.NewFakePassiveClock(start)
	l := New(Ceilings{Unauthenticated: {2, time.Hour}}, clock)
	for i := range 3 * mostAddresses {
		l.Take(t.Context(), Unauthenticated, fmt.Sprint(i))
		if i%1000 == 0 { // one of them keeps calling
			l.Take(t.Context(), Unauthenticated, "again")
		}
	}
	if n := l.windows[Unauthenticated].subjects(); n > mostAddresses {
		t.Errorf("%d addresses are held", n)
	}
	if s := l.Peek(t.Context(), Unauthenticated, fmt.Sprint(3*mostAddresses-1)); s.Remaining != 1 {
		t.Errorf("the last address was evicted: %+v", s)
	}
}

func TestRingsGrowAndShrink(t *testing.T) {
	const limit = 100_000
	l, clock := at(Ceiling{limit, time.Minute})
	l.Take(t.Context(), Generation, "key")
	w := l.windows[Generation]
	ring := func() int { return len(w.shard("key").records["key"].ring) }
	if ring() > firstRing {
		t.Errorf("the first request allocated %d slots", ring())
	}
	for range limit - 2 {
		l.Take(t.Context(), Generation, "key")
	}
	clock.SetTime(start.Add(30 * time.Second))
	l.Take(t.Context(), Generation, "key")
	if ring() != limit {
		t.Errorf("full: allocated %d slots", ring())
	}
	for i := range 20 { // used all the time, but little
		clock.SetTime(start.Add(time.Duration(i+2) * 30 * time.Second))
		l.Take(t.Context(), Generation, "key")
	}
	if ring() > keepRing {
		t.Errorf("nearly empty: allocated %d slots", ring())
	}
}

func TestDecisionsAllocateNothing(t *testing.T) {
	l, clock := at(Ceiling{1000, time.Minute})
	now := start
	do := func() {
		now = now.Add(time.Millisecond)
		clock.SetTime(now)
		_, ticket := l.Take(t.Context(), Generation, "6b0b1c1e-8a1f-4d0b-9d4f-0f4f6a3c2b10")
		l.Peek(t.Context(), Generation, "6b0b1c1e-8a1f-4d0b-9d4f-0f4f6a3c2b10")
		if now.UnixMilli()%2 == 0 {
			ticket.Return(t.Context())
		}
	}
	for range 200_000 { // fills the window: from here on some are refused
		do()
	}
	if n := testing.AllocsPerRun(10_000, do); n != 0 {
		t.Errorf("a decision allocates %v times", n)
	}
}

func TestRefusalsAreCounted(t *testing.T) {
	l, _ := at(Ceiling{1, time.Minute})
	for range 3 {
		l.Take(t.Context(), Generation, "key")
	}
	registry := prometheus.NewPedanticRegistry()
	if err := registry.Register(l); err != nil {
		t.Fatal(err)
	}
	want := `
# HELP reelops_ratelimit_refusals_total Requests refused by a rate limit, by bucket. The log has the key: status 429 with key_id.
# TYPE reelops_ratelimit_refusals_total counter
reelops_ratelimit_refusals_total{bucket="analytics_refresh"} 0
reelops_ratelimit_refusals_total{bucket="console"} 0
reelops_ratelimit_refusals_total{bucket="generation"} 2
reelops_ratelimit_refusals_total{bucket="global"} 0
reelops_ratelimit_refusals_total{bucket="posting"} 0
reelops_ratelimit_refusals_total{bucket="unauthenticated"} 0
`
	if err := testutil.GatherAndCompare(registry, strings.NewReader(want), "reelops_ratelimit_refusals_total"); err != nil {
		t.Error(err)
	}
	if n, err := testutil.GatherAndCount(registry, "reelops_ratelimit_shared_up"); err != nil || n != 0 {
		t.Errorf("without Redis: got %d metrics of Redis, %v", n, err)
	}
}

func BenchmarkTake(b *testing.B) {
	for _, keys := range []int{1, 100_000} {
		b.Run(fmt.Sprintf("%d keys", keys), func(b *testing.B) {
			l := New(Ceilings{Global: {300, 5 * time.Minute}}, clock.RealClock{})
			subjects := make([]string, keys)
			for i := range subjects {
				subjects[i] = fmt.Sprintf("6b0b1c1e-8a1f-4d0b-9d4f-%012d", i)
				l.Take(b.Context(), Global, subjects[i])
			}
			b.ReportAllocs()
			b.RunParallel(func(pb *testing.PB) {
				for i := rand.IntN(keys); pb.Next(); i++ {
					l.Take(context.Background(), Global, subjects[i%keys])
				}
			})
		})
	}
}
