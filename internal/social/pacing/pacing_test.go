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
	var woken []string
	l := pacing.NewLines[string](func(k string) { woken = append(woken, k) })
	// In the order in which the work arrives, not in that of the posts.
	for _, j := range []struct {
		account, key string
		place        pacing.Place
	}{{"a", "late", place(5, 1)}, {"a", "second", place(0, 7)}, {"b", "other", place(9, 9)}, {"a", "first", place(0, 3)}, {"a", "first", place(9, 9)}} {
		l.Join(j.account, j.key, j.place)
	}
	steps := []struct {
		why   string
		do    func() bool
		want  bool
		woken []string
	}{
		{"the second waits for the first", func() bool { return l.Turn("second") }, false, nil},
		{"the first goes", func() bool { return l.Turn("first") }, true, nil},
		{"whoever goes may ask again", func() bool { return l.Turn("first") }, true, nil},
		{"one at a time", func() bool { return l.Turn("second") }, false, nil},
		{"another account has its own line", func() bool { return l.Turn("other") }, true, nil},
		{"who waits behind may leave, and nobody is woken", func() bool { l.Leave("late"); return true }, true, nil},
		{"it comes back to its place", func() bool { l.Join("a", "late", place(5, 1)); return l.Turn("late") }, false, nil},
		{"when the first has gone the second is woken", func() bool { l.Leave("first"); return true }, true, []string{"second"}},
		{"who stands aside lets the next go", func() bool { l.Leave("second"); return l.Turn("late") }, true, []string{"late"}},
		{"who went before is in no line", func() bool { return l.Turn("first") }, false, nil},
		{"who comes back earlier in the line waits for who goes", func() bool { l.Join("a", "second", place(0, 7)); return l.Turn("second") }, false, nil},
		{"leaving twice is no harm", func() bool { l.Leave("first"); l.Leave("first"); return true }, true, nil},
		{"and is woken after it", func() bool { l.Leave("late"); return l.Turn("second") }, true, []string{"second"}},
	}
	for _, s := range steps {
		woken = nil
		if got := s.do(); got != s.want || !slices.Equal(woken, s.woken) {
			t.Fatalf("%s: %v, woken %v", s.why, got, woken)
		}
	}
	l.Leave("second")
	l.Leave("other")
	if l.Len() != 0 {
		t.Errorf("%d stand in lines that nobody stands in", l.Len())
	}
}

// TestLinesAtOnce publishes many posts of few accounts concurrently. It checks that the posts of one account are
// published one at a time and in order, and that all are published.
func TestLinesAtOnce(t *testing.T) {
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
					t.Error("two of one account go at once")
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
			t.Errorf("account %d: %v", a, order[a])
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
		"nothing went":        {"the first may go", func(*pacing.Caps[string]) {}, []pacing.Share{mine(0), app}, noon},
		"one is left":         {"one of two went", func(c *pacing.Caps[string]) { c.Went("a", minute(-30), "mine") }, []pacing.Share{mine(0)}, noon},
		"full":                {"the next may go when the oldest leaves the window", func(c *pacing.Caps[string]) { c.Went("a", minute(-50), "mine"); c.Went("b", minute(-10), "mine") }, []pacing.Share{mine(0)}, minute(10)},
		"old ones":            {"what left the window does not count", func(c *pacing.Caps[string]) { c.Went("a", minute(-60), "mine"); c.Went("b", minute(-10), "mine") }, []pacing.Share{mine(0)}, noon},
		"itself":              {"what was taken for the post already does not stand in its way", func(c *pacing.Caps[string]) { c.Went("a", minute(-50), "mine"); c.Went("me", minute(-1), "mine") }, []pacing.Share{mine(0)}, noon},
		"elsewhere":           {"the platform counts what others sent", func(c *pacing.Caps[string]) { c.Went("a", minute(-50), "mine") }, []pacing.Share{mine(1)}, minute(10)},
		"all elsewhere":       {"nobody here knows when those of others leave the window", func(*pacing.Caps[string]) {}, []pacing.Share{mine(2)}, minute(60)},
		"all elsewhere, told": {"unless the platform told when", func(*pacing.Caps[string]) {}, []pacing.Share{{Scope: "mine", Cap: two, Elsewhere: 2, Frees: minute(5)}}, minute(5)},
		"some elsewhere, told": {
			"the first that leaves the window counts", func(c *pacing.Caps[string]) { c.Went("a", minute(-20), "mine") },
			[]pacing.Share{{Scope: "mine", Cap: two, Elsewhere: 1, Frees: minute(5)}},
			minute(5),
		},
		"none elsewhere matters": {
			"when our own fill it", func(c *pacing.Caps[string]) { c.Went("a", minute(-20), "mine"); c.Went("b", minute(-10), "mine") },
			[]pacing.Share{{Scope: "mine", Cap: two, Elsewhere: 1, Frees: minute(5)}},
			minute(40),
		},
		"returned": {"what did not go out does not count", func(c *pacing.Caps[string]) {
			c.Went("a", noon, "mine")
			c.Went("b", noon, "mine")
			c.Return("b", "mine")
		}, []pacing.Share{mine(0)}, noon},
		"the app's": {"of two caps the later counts", func(c *pacing.Caps[string]) {
			for i := range 3 {
				c.Went(fmt.Sprint(i), minute(-20), "app")
			}
		}, []pacing.Share{mine(0), app}, minute(40)},
		"refused": {"the platform's word wins over a count that has room", func(c *pacing.Caps[string]) { c.Refused("mine", minute(7)) }, []pacing.Share{mine(0)}, minute(7)},
		"refused earlier": {"and over a count that has none", func(c *pacing.Caps[string]) {
			c.Went("a", minute(-50), "mine")
			c.Went("b", minute(-10), "mine")
			c.Refused("mine", minute(-1))
		}, []pacing.Share{mine(0)}, noon},
		"no cap":    {"a platform without a known cap", func(c *pacing.Caps[string]) { c.Went("a", noon, "none") }, []pacing.Share{{Scope: "none"}}, noon},
		"another's": {"another account's posts do not count", func(c *pacing.Caps[string]) { c.Went("a", noon, "theirs"); c.Went("b", noon, "theirs") }, []pacing.Share{mine(0)}, noon},
	} {
		t.Run(name, func(t *testing.T) {
			caps := pacing.NewCaps[string]()
			c.before(caps)
			if from := caps.From("me", noon, c.shares...); !from.Equal(c.from) {
				t.Errorf("%s: from %s, not %s", c.why, from.Format(time.TimeOnly), c.from.Format(time.TimeOnly))
			}
			from, ok := caps.Take("me", noon, c.shares...)
			if ok != c.from.Equal(noon) || !from.Equal(c.from) {
				t.Errorf("%s: taken %v from %s", c.why, ok, from.Format(time.TimeOnly))
			}
		})
	}
}

// TestCapsForget publishes posts for a month: entries that are too old for every window are dropped, with a cap and
// without one.
func TestCapsForget(t *testing.T) {
	const each, a, day = 20 * time.Minute, 30 * 24 * 3, 24 * 3
	for name, run := range map[string]func(c *pacing.Caps[int], i int, at time.Time){
		"sent":      func(c *pacing.Caps[int], i int, at time.Time) { c.Take(i, at, pacing.Share{Scope: "none"}) },
		"seen":      func(c *pacing.Caps[int], i int, at time.Time) { c.Went(i, at, "none") },
		"told anew": func(c *pacing.Caps[int], i int, _ time.Time) { c.Went(i, noon.Add(-time.Duration(i)*each), "none") }, // the newest first
	} {
		t.Run(name, func(t *testing.T) {
			c := pacing.NewCaps[int]()
			for i := range a {
				run(c, i, noon.Add(time.Duration(i)*each))
			}
			if n := c.Len(); n < day || n > 3*day {
				t.Errorf("%d of %d are remembered; a day has %d", n, a, day)
			}
		})
	}
	c := pacing.NewCaps[int]()
	week := pacing.Share{Scope: "long", Cap: pacing.Cap{Max: 1e6, Window: 7 * 24 * time.Hour}}
	for i := range a {
		c.Take(i, noon.Add(time.Duration(i)*each), week)
	}
	if n := c.Used("long", noon.Add(a*each), week.Cap.Window); n != 7*day-1 && n != 7*day {
		t.Errorf("of a window of a week %d are counted, not %d", n, 7*day)
	}
}

func TestCapsAtOnce(t *testing.T) {
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
		t.Errorf("%d took of a hundred, %d are counted", took.Load(), caps.Used("app", noon, time.Hour))
	}
}

func TestSlots(t *testing.T) {
	place := func(id int64) pacing.Place { return pacing.Place{Due: noon, ID: id} }
	var woken []string
	s := pacing.NewSlots(2, 2, func(string) string { return "" }, func(k string) { woken = append(woken, k) })
	for _, c := range []struct {
		why   string
		do    func() bool
		want  bool
		woken []string
	}{
		{"a free slot is taken", func() bool { return s.Enter("a", place(1)) }, true, nil},
		{"whoever has one keeps it", func() bool { return s.Enter("a", place(1)) }, true, nil},
		{"the second as well", func() bool { return s.Enter("b", place(2)) }, true, nil},
		{"there is no third", func() bool { return s.Enter("late", place(9)) }, false, nil},
		{"who comes later may be due before", func() bool { return s.Enter("soon", place(3)) }, false, nil},
		{"the one that is due first is woken", func() bool { s.Leave("a"); return true }, true, []string{"soon"}},
		{"and enters", func() bool { return s.Enter("soon", place(3)) }, true, nil},
		{"who gives up waiting wakes nobody while all are taken", func() bool { s.Leave("late"); return true }, true, nil},
		{"a slot that nobody waits for wakes nobody", func() bool { s.Leave("b"); return true }, true, nil},
		{"leaving twice frees nothing", func() bool { s.Leave("b"); return s.Enter("x", place(5)) && !s.Enter("y", place(6)) }, true, nil},
	} {
		woken = nil
		if got := c.do(); got != c.want || !slices.Equal(woken, c.woken) {
			t.Fatalf("%s: %v, woken %v", c.why, got, woken)
		}
	}
}

// One account with many slow uploads does not hold every slot, and its waiting posts do not block others.
func TestSlots_OfAnAccount(t *testing.T) {
	place := func(id int64) pacing.Place { return pacing.Place{Due: noon, ID: id} }
	var woken []string
	s := pacing.NewSlots(4, 2, func(k string) byte { return k[0] }, func(k string) { woken = append(woken, k) })
	enter := func(key string, id int64, want bool) {
		t.Helper()
		if got := s.Enter(key, place(id)); got != want {
			t.Fatalf("%s entered: %v", key, got)
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
	if !slices.Equal(woken, []string{"b2"}) {
		t.Fatalf("woken %v: account a, due before, has its slots", woken)
	}
	enter("b2", 7, true)
	woken = nil
	s.Leave("a1")
	s.Leave("a2")
	enter("a3", 3, true)
	if !slices.Equal(woken, []string{"a3", "a3", "a4"}) {
		t.Fatalf("woken %v: both slots that became free before a3 came are used", woken)
	}
	enter("a4", 4, true)
	enter("a5", 9, false)
}
