// SPDX-License-Identifier: Apache-2.0

package pacing_test

import (
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/reelops/reelops/internal/social/pacing"
)

var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

func TestLines(t *testing.T) {
	place := func(second int, id int64) pacing.Place {
		return pacing.Place{Due: noon.Add(time.Duration(second) * time.Second), ID: id}
	}
	var triggered []string
	l := pacing.NewLines[string](func(k string) { triggered = append(triggered, k) })
	// Join in the order of arrival, not of the posts.
	for _, j := range []struct {
		account, key string
		place        pacing.Place
	}{{"a", "late", place(5, 1)}, {"a", "second", place(0, 7)}, {"b", "other", place(9, 9)}, {"a", "first", place(0, 3)}, {"a", "first", place(9, 9)}} {
		l.Join(j.account, j.key, j.place)
	}
	steps := []struct {
		why       string
		do        func() bool
		want      bool
		triggered []string
	}{
		{"the second waits for the first", func() bool { return l.Turn("second") }, false, nil},
		{"the first has its turn", func() bool { return l.Turn("first") }, true, nil},
		{"a turn can be queried again", func() bool { return l.Turn("first") }, true, nil},
		{"one at a time", func() bool { return l.Turn("second") }, false, nil},
		{"another account has its own queue", func() bool { return l.Turn("other") }, true, nil},
		{"leaving from behind triggers nothing", func() bool { l.Leave("late"); return true }, true, nil},
		{"a returning key gets its place", func() bool { l.Join("a", "late", place(5, 1)); return l.Turn("late") }, false, nil},
		{"the second is triggered when the first leaves", func() bool { l.Leave("first"); return true }, true, []string{"second"}},
		{"the next has its turn when the current one leaves", func() bool { l.Leave("second"); return l.Turn("late") }, true, []string{"late"}},
		{"a key that left has no turn", func() bool { return l.Turn("first") }, false, nil},
		{"a returning key waits for the current turn", func() bool { l.Join("a", "second", place(0, 7)); return l.Turn("second") }, false, nil},
		{"leaving twice has no effect", func() bool { l.Leave("first"); l.Leave("first"); return true }, true, nil},
		{"a returning key is triggered afterwards", func() bool { l.Leave("late"); return l.Turn("second") }, true, []string{"second"}},
	}
	for _, s := range steps {
		triggered = nil
		if got := s.do(); got != s.want || !slices.Equal(triggered, s.triggered) {
			t.Fatalf("%s: got %v, triggered %v", s.why, got, triggered)
		}
	}
	l.Leave("second")
	l.Leave("other")
	if l.Len() != 0 {
		t.Errorf("got %d keys in empty queues", l.Len())
	}
}

// TestLines_Concurrently publishes many posts of few accounts concurrently. It checks that the posts of one account
// are published one at a time and in order, and that all are published.
func TestLines_Concurrently(t *testing.T) {
	const accounts, each = 7, 60
	wake := make(chan int, accounts*each*2)
	l := pacing.NewLines[int](func(k int) { wake <- k })
	var going [accounts]atomic.Int32
	var working [accounts * each]sync.Mutex // a work queue gives a key to one worker at a time
	var mu sync.Mutex
	var order [accounts][]int
	for k := range accounts * each {
		k = accounts*each - 1 - k
		l.Join(k%accounts, k, pacing.Place{Due: noon, ID: int64(k)})
	}
	for k := range accounts * each {
		wake <- k
	}
	var workers, left sync.WaitGroup
	left.Add(accounts * each)
	for range 16 {
		workers.Go(func() {
			for k := range wake {
				working[k].Lock()
				if !l.Turn(k) {
					working[k].Unlock()
					continue
				}
				a := k % accounts
				if going[a].Add(1) != 1 {
					t.Error("two posts of one account are published at the same time")
				}
				mu.Lock()
				order[a] = append(order[a], k)
				mu.Unlock()
				going[a].Add(-1)
				l.Leave(k)
				working[k].Unlock()
				left.Done()
			}
		})
	}
	left.Wait()
	close(wake)
	workers.Wait()
	for a := range accounts {
		if len(order[a]) != each || !slices.IsSorted(order[a]) {
			t.Errorf("account %d: got %v", a, order[a])
		}
	}
}

func TestCaps(t *testing.T) {
	two := pacing.Cap{Max: 2, Window: time.Hour}
	minute := func(m int) time.Time { return noon.Add(time.Duration(m) * time.Minute) }
	mine := func(elsewhere int) pacing.Share { return pacing.Share{Scope: "mine", Cap: two, Elsewhere: elsewhere} }
	app := pacing.Share{Scope: "app", Cap: pacing.Cap{Max: 3, Window: time.Hour}}
	for name, c := range map[string]struct {
		why    string
		before func(*pacing.Caps[string])
		shares []pacing.Share
		from   time.Time
	}{
		"nothing sent":                    {"the first post may be sent", func(*pacing.Caps[string]) {}, []pacing.Share{mine(0), app}, noon},
		"one left":                        {"one of two was sent", func(c *pacing.Caps[string]) { c.Went("a", minute(-30), "mine") }, []pacing.Share{mine(0)}, noon},
		"full":                            {"the next may be sent when the oldest leaves the window", func(c *pacing.Caps[string]) { c.Went("a", minute(-50), "mine"); c.Went("b", minute(-10), "mine") }, []pacing.Share{mine(0)}, minute(10)},
		"old posts":                       {"posts before the window do not count", func(c *pacing.Caps[string]) { c.Went("a", minute(-60), "mine"); c.Went("b", minute(-10), "mine") }, []pacing.Share{mine(0)}, noon},
		"itself":                          {"a reservation of the same post does not block it", func(c *pacing.Caps[string]) { c.Went("a", minute(-50), "mine"); c.Went("me", minute(-1), "mine") }, []pacing.Share{mine(0)}, noon},
		"elsewhere":                       {"the platform counts posts of other programs", func(c *pacing.Caps[string]) { c.Went("a", minute(-50), "mine") }, []pacing.Share{mine(1)}, minute(10)},
		"all sent elsewhere":              {"the time at which posts of other programs leave the window is unknown", func(*pacing.Caps[string]) {}, []pacing.Share{mine(2)}, minute(60)},
		"all sent elsewhere, with a time": {"unless the platform reported a time", func(*pacing.Caps[string]) {}, []pacing.Share{{Scope: "mine", Cap: two, Elsewhere: 2, Frees: minute(5)}}, minute(5)},
		"some sent elsewhere, with a time": {
			"the first post that leaves the window counts", func(c *pacing.Caps[string]) { c.Went("a", minute(-20), "mine") },
			[]pacing.Share{{Scope: "mine", Cap: two, Elsewhere: 1, Frees: minute(5)}},
			minute(5),
		},
		"sent elsewhere without effect": {
			"our own posts reach the limit", func(c *pacing.Caps[string]) { c.Went("a", minute(-20), "mine"); c.Went("b", minute(-10), "mine") },
			[]pacing.Share{{Scope: "mine", Cap: two, Elsewhere: 1, Frees: minute(5)}},
			minute(40),
		},
		"returned": {"unsent posts do not count", func(c *pacing.Caps[string]) {
			c.Went("a", noon, "mine")
			c.Went("b", noon, "mine")
			c.Return("b", "mine")
		}, []pacing.Share{mine(0)}, noon},
		"limit of the app": {"the later of two limits counts", func(c *pacing.Caps[string]) {
			for i := range 3 {
				c.Went(fmt.Sprint(i), minute(-20), "app")
			}
		}, []pacing.Share{mine(0), app}, minute(40)},
		"refused": {"a time of the platform takes precedence over free places", func(c *pacing.Caps[string]) { c.Refused("mine", minute(7)) }, []pacing.Share{mine(0)}, minute(7)},
		"rejected earlier": {"a time of the platform takes precedence over a full window", func(c *pacing.Caps[string]) {
			c.Went("a", minute(-50), "mine")
			c.Went("b", minute(-10), "mine")
			c.Refused("mine", minute(-1))
		}, []pacing.Share{mine(0)}, noon},
		"no limit":  {"a platform without a known limit", func(c *pacing.Caps[string]) { c.Went("a", noon, "none") }, []pacing.Share{{Scope: "none"}}, noon},
		"another's": {"posts of another account do not count", func(c *pacing.Caps[string]) { c.Went("a", noon, "theirs"); c.Went("b", noon, "theirs") }, []pacing.Share{mine(0)}, noon},
	} {
		t.Run(name, func(t *testing.T) {
			caps := pacing.NewCaps[string]()
			c.before(caps)
			if from := caps.From("me", noon, c.shares...); !from.Equal(c.from) {
				t.Errorf("%s: got %s, want %s", c.why, from.Format(time.TimeOnly), c.from.Format(time.TimeOnly))
			}
			from, ok := caps.Take("me", noon, c.shares...)
			if ok != c.from.Equal(noon) || !from.Equal(c.from) {
				t.Errorf("%s: reserved %v from %s", c.why, ok, from.Format(time.TimeOnly))
			}
		})
	}
}

// TestCaps_DropOldEntries publishes posts for a month. Entries that are too old for every window are dropped, with a
// limit and without one.
func TestCaps_DropOldEntries(t *testing.T) {
	const each, a, day = 20 * time.Minute, 30 * 24 * 3, 24 * 3
	for name, run := range map[string]func(c *pacing.Caps[int], i int, at time.Time){
		"sent":          func(c *pacing.Caps[int], i int, at time.Time) { c.Take(i, at, pacing.Share{Scope: "none"}) },
		"seen":          func(c *pacing.Caps[int], i int, at time.Time) { c.Went(i, at, "none") },
		"counted again": func(c *pacing.Caps[int], i int, _ time.Time) { c.Went(i, noon.Add(-time.Duration(i)*each), "none") }, // the newest first
	} {
		t.Run(name, func(t *testing.T) {
			c := pacing.NewCaps[int]()
			for i := range a {
				run(c, i, noon.Add(time.Duration(i)*each))
			}
			if n := c.Len(); n < day || n > 3*day {
				t.Errorf("got %d of %d entries; a day has %d", n, a, day)
			}
		})
	}
	c := pacing.NewCaps[int]()
	week := pacing.Share{Scope: "long", Cap: pacing.Cap{Max: 1e6, Window: 7 * 24 * time.Hour}}
	for i := range a {
		c.Take(i, noon.Add(time.Duration(i)*each), week)
	}
	if n := c.Used("long", noon.Add(a*each), week.Cap.Window); n != 7*day-1 && n != 7*day {
		t.Errorf("got %d in a window of a week, want %d", n, 7*day)
	}
}

func TestCaps_Concurrently(t *testing.T) {
	caps := pacing.NewCaps[int]()
	var took atomic.Int32
	var all sync.WaitGroup
	for i := range 200 {
		all.Go(func() {
			if _, ok := caps.Take(i, noon, pacing.Share{Scope: "app", Cap: pacing.Cap{Max: 100, Window: time.Hour}}); ok {
				took.Add(1)
			}
		})
	}
	all.Wait()
	if took.Load() != 100 || caps.Used("app", noon, time.Hour) != 100 {
		t.Errorf("got %d reservations of a hundred, %d are counted", took.Load(), caps.Used("app", noon, time.Hour))
	}
}

func TestSlots(t *testing.T) {
	place := func(id int64) pacing.Place { return pacing.Place{Due: noon, ID: id} }
	var triggered []string
	s := pacing.NewSlots(2, 2, func(string) string { return "" }, func(k string) { triggered = append(triggered, k) })
	for _, c := range []struct {
		why       string
		do        func() bool
		want      bool
		triggered []string
	}{
		{"a free slot is reserved", func() bool { return s.Enter("a", place(1)) }, true, nil},
		{"a slot can be reserved again", func() bool { return s.Enter("a", place(1)) }, true, nil},
		{"the second as well", func() bool { return s.Enter("b", place(2)) }, true, nil},
		{"there is no third slot", func() bool { return s.Enter("late", place(9)) }, false, nil},
		{"a later caller may be due earlier", func() bool { return s.Enter("soon", place(3)) }, false, nil},
		{"the one that is due first is triggered", func() bool { s.Leave("a"); return true }, true, []string{"soon"}},
		{"it gets the slot", func() bool { return s.Enter("soon", place(3)) }, true, nil},
		{"leaving the queue triggers nothing while all slots are in use", func() bool { s.Leave("late"); return true }, true, nil},
		{"a free slot without waiters triggers nothing", func() bool { s.Leave("b"); return true }, true, nil},
		{"leaving twice releases nothing", func() bool { s.Leave("b"); return s.Enter("x", place(5)) && !s.Enter("y", place(6)) }, true, nil},
	} {
		triggered = nil
		if got := c.do(); got != c.want || !slices.Equal(triggered, c.triggered) {
			t.Fatalf("%s: got %v, triggered %v", c.why, got, triggered)
		}
	}
}

// One account with many slow uploads does not hold every slot, and its waiting posts do not block others.
func TestSlots_OfAnAccount(t *testing.T) {
	place := func(id int64) pacing.Place { return pacing.Place{Due: noon, ID: id} }
	var triggered []string
	s := pacing.NewSlots(4, 2, func(k string) byte { return k[0] }, func(k string) { triggered = append(triggered, k) })
	enter := func(key string, id int64, want bool) {
		t.Helper()
		if got := s.Enter(key, place(id)); got != want {
			t.Fatalf("%s got a slot: %v", key, got)
		}
	}
	enter("a1", 1, true)
	enter("a2", 2, true)
	enter("a3", 3, false)
	enter("a4", 4, false)
	enter("b1", 5, true)
	enter("c1", 6, true)
	enter("b2", 7, false)
	enter("b3", 8, false)
	s.Leave("c1")
	if !slices.Equal(triggered, []string{"b2"}) {
		t.Fatalf("triggered %v: account a, due before, has its slots", triggered)
	}
	enter("b2", 7, true)
	triggered = nil
	s.Leave("a1")
	s.Leave("a2")
	enter("a3", 3, true)
	if !slices.Equal(triggered, []string{"a3", "a3", "a4"}) {
		t.Fatalf("triggered %v, want both slots that became free before a3 arrived", triggered)
	}
	enter("a4", 4, true)
	enter("a5", 9, false)
}
