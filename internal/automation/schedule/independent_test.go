// SPDX-License-Identifier: Apache-2.0

package schedule_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/reelops/reelops/internal/automation/schedule"
	"github.com/reelops/reelops/internal/testkit/slots"
)

// independentZones have every kind of change of the clock that the data of time zones contains: of an hour, of half an
// hour, of two hours, at midnight, backwards in summer, during Ramadan, and of a whole day.
var independentZones = []string{
	"UTC", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Africa/Cairo", "Pacific/Apia",
	"America/Sao_Paulo", "Africa/Casablanca", "Antarctica/Troll", "Asia/Pyongyang", "America/Caracas",
	"Pacific/Kwajalein", "Europe/London", "Europe/Dublin", "Europe/Moscow", "Europe/Istanbul", "Europe/Lisbon",
	"America/St_Johns", "America/Havana", "America/Santiago", "America/Asuncion", "America/Nuuk", "America/Phoenix",
	"America/Scoresbysund", "America/Anchorage", "Asia/Kolkata", "Asia/Kathmandu", "Asia/Tehran", "Asia/Gaza",
	"Asia/Amman",
	"Asia/Dhaka", "Asia/Tokyo", "Australia/Adelaide", "Pacific/Auckland", "Pacific/Chatham", "Pacific/Kiritimati",
	"Pacific/Norfolk", "Pacific/Fiji", "Africa/Windhoek", "Antarctica/Casey",
}

// TestSlots_AgreeWithAnIndependentComputation generates expressions, and compares their slots in 50 years and the
// decisions of a clock that jumps with those of package slots.
func TestSlots_AgreeWithAnIndependentComputation(t *testing.T) {
	zones, from, years, sets, rounds := independentZones, 1990, 50, 2, 40
	if testing.Short() {
		zones, from, years, sets, rounds = zones[1:6], 2010, 3, 4, 15
	}
	outcomes := map[slots.Outcome]int{}
	compared := 0
	for i, zone := range zones {
		t.Run(zone, func(t *testing.T) {
			rnd := rand.New(rand.NewPCG(uint64(i), 20)) //nolint:gosec // a repeatable sequence
			begin := time.Date(from, 1, 1, 0, 0, 0, 0, time.UTC)
			end := begin.AddDate(years, 0, 0)
			var lists [][]string
			var subjects []*schedule.Schedule
			var tables [][]*slots.Table
			for range sets {
				var list []string
				var of []*slots.Table
				for range 1 + rnd.IntN(3) {
					e := expression(rnd)
					table, err := slots.Tabulate(e, begin, end)
					if err != nil {
						t.Fatal(err)
					}
					list, of = append(list, e), append(of, table)
				}
				s, err := schedule.Parse(list, zone)
				if err != nil {
					t.Fatal(err)
				}
				lists, subjects, tables = append(lists, list), append(subjects, s), append(tables, of)
			}
			wants := slots.Of(subjects[0].Zone(), begin, end, tables)
			for i, s := range subjects {
				got := s.Between(begin, end, 1<<30)
				if err := compare(got, wants[i]); err != nil {
					t.Errorf("%q: %v", lists[i], err)
				}
				if n := s.Count(begin, end); n != len(got) {
					t.Errorf("%q: counted %d, listed %d", lists[i], n, len(got))
				}
				compared += len(got)
				parts(t, rnd, s, got)
				for range rounds {
					if err := jump(rnd, s, wants[i], outcomes); err != nil {
						t.Errorf("%q: %v", lists[i], err)
					}
				}
			}
		})
	}
	t.Logf("%d slots in %d zones and %d years; decisions of jumping clocks: %v", compared, len(zones), years, outcomes)
	for _, o := range []slots.Outcome{slots.OnTime, slots.Late, slots.CaughtUp, slots.Missed} {
		if outcomes[o] < 10 {
			t.Errorf("only %d slots were %s: the test shows nothing", outcomes[o], o)
		}
	}
}

// jump decides at times of a clock that jumps forward and back, from a random slot on, and compares the slots that
// start with what the policy promises. all are the independently computed slots, in seconds since 1970.
func jump(rnd *rand.Rand, s *schedule.Schedule, all []int64, outcomes map[slots.Outcome]int) error {
	if len(all) < 200 {
		return nil
	}
	p := schedule.Policy{
		Lead:             []time.Duration{0, time.Minute, time.Hour, 5 * time.Hour}[rnd.IntN(4)],
		StartingDeadline: []time.Duration{0, 5 * time.Minute, time.Hour, 24 * time.Hour}[rnd.IntN(4)],
		CatchUp:          []schedule.CatchUp{schedule.Skip, schedule.LatestOnce}[rnd.IntN(2)],
	}
	first := rnd.IntN(len(all) - 150)
	// The mean distance of slots, so that rare and frequent ones are met alike.
	unit := max(time.Minute, time.Duration(all[first+20]-all[first])*time.Second/20)
	from := time.Unix(all[first]+int64(rnd.IntN(3600)), 0)
	now, last := from, from
	var times []time.Time
	started := map[int64]int{}
	missed := 0
	for range 60 {
		switch rnd.IntN(10) {
		case 0: // an outage, or a clock set forward
			now = now.Add(time.Duration(rnd.Int64N(int64(8 * unit))))
		case 1: // a clock set back
			now = now.Add(-time.Duration(rnd.Int64N(int64(4 * unit))))
		default:
			now = now.Add(time.Duration(rnd.Int64N(int64(unit))))
		}
		if rnd.IntN(3) == 0 {
			now = now.Truncate(time.Minute)
		}
		times = append(times, now)
		for again := true; again; {
			d := s.Decide(last, now, p)
			if d.Handled.Before(last) {
				return fmt.Errorf("%+v: handled went back at %v", p, now)
			}
			if again = !d.Start.IsZero(); again {
				started[d.Start.Unix()]++
			} else if !d.Wake.After(now) {
				return fmt.Errorf("%+v: wakes at %v, which is not after %v", p, d.Wake, now)
			}
			missed += d.MissedCount
			last = d.Handled
		}
	}
	// A slot that no decision could see is neither started nor missed.
	until := slices.MaxFunc(times, time.Time.Compare).Add(p.Lead).Unix()
	if until >= all[len(all)-1] {
		return nil
	}
	wantMissed, total := 0, 0
	for i, _ := slices.BinarySearch(all, from.Unix()+1); all[i] <= until; i++ {
		want, at := slots.Promised(time.Unix(all[i], 0), time.Unix(all[i+1], 0), times, p)
		if at.IsZero() {
			continue
		}
		outcomes[want]++
		got := started[all[i]]
		switch {
		case want == slots.Missed:
			wantMissed++
			if got != 0 {
				return fmt.Errorf("%+v: %v started, want missed", p, time.Unix(all[i], 0).UTC())
			}
		case got != 1:
			return fmt.Errorf("%+v: %v (%s) started %d times, want once", p, time.Unix(all[i], 0).UTC(), want, got)
		}
		total += got
	}
	if missed != wantMissed || total != len(started) {
		return fmt.Errorf("%+v: missed %d, want %d; %d starts of slots that exist, of %d", p, missed, wantMissed, total,
			len(started))
	}
	return nil
}

// parts compares Count, Next and the latest slots of a decision with parts of the list of all slots.
func parts(t *testing.T, rnd *rand.Rand, s *schedule.Schedule, all []time.Time) {
	t.Helper()
	if len(all) < 100 {
		return
	}
	for range 50 {
		a := rnd.IntN(len(all) - 20)
		b := a + 1 + rnd.IntN(min(5000, len(all)-a-1))
		if n := s.Count(all[a], all[b]); n != b-a {
			t.Fatalf("counted %d in (%v, %v], want %d", n, all[a], all[b], b-a)
		}
		if got := s.Next(all[a], 5); !slices.EqualFunc(got, all[a+1:a+6], time.Time.Equal) {
			t.Fatalf("after %v: got %v, want %v", all[a], got, all[a+1:a+6])
		}
		d := s.Decide(all[a], all[b].Add(time.Second), schedule.Policy{})
		if want := all[max(a+1, b-9) : b+1]; d.MissedCount != b-a || !slices.EqualFunc(d.Missed, want, time.Time.Equal) {
			t.Fatalf("missed %d %v, want %d %v", d.MissedCount, d.Missed, b-a, want)
		}
	}
}

func compare(got []time.Time, want []int64) error {
	for i := range max(len(got), len(want)) {
		switch {
		case i >= len(got):
			return fmt.Errorf("slot %d is lost: %v", i, time.Unix(want[i], 0).UTC())
		case i >= len(want):
			return fmt.Errorf("slot %d is too many: %v", i, got[i])
		case got[i].Unix() != want[i]:
			return fmt.Errorf("slot %d: got %v, want %v", i, got[i], time.Unix(want[i], 0).UTC())
		}
	}
	return nil
}

// expression returns a generated expression. The libraries disagree on a day that only a step restricts, so that a step
// stands only in one of the two fields of days, and the other is not restricted.
func expression(rnd *rand.Rand) string {
	minute, hour := field(rnd, 0, 59, 2, true), field(rnd, 0, 23, 2, true)
	month := "*"
	if rnd.IntN(3) == 0 {
		month = field(rnd, 1, 12, 3, true)
	}
	day, week := "*", "*"
	switch rnd.IntN(4) {
	case 0:
		day = field(rnd, 1, 28, 3, true)
	case 1:
		week = field(rnd, 0, 6, 2, true)
	case 2:
		day, week = field(rnd, 1, 31, 2, false), field(rnd, 0, 6, 2, false)
	}
	return strings.Join([]string{minute, hour, day, month, week}, " ")
}

// field returns a list of up to most values, ranges and steps, or one step of all values.
func field(rnd *rand.Rand, low, high, most int, step bool) string {
	if step && rnd.IntN(4) == 0 {
		return "*/" + strconv.Itoa(2+rnd.IntN(high-low))
	}
	var list []string
	for range 1 + rnd.IntN(most) {
		a := low + rnd.IntN(high-low)
		item := strconv.Itoa(a)
		if rnd.IntN(3) == 0 {
			item += "-" + strconv.Itoa(a+1+rnd.IntN(high-a))
			if rnd.IntN(2) == 0 {
				item += "/" + strconv.Itoa(1+rnd.IntN(5))
			}
		}
		list = append(list, item)
	}
	return strings.Join(list, ",")
}

func FuzzParse(f *testing.F) {
	f.Add("0 9 * * *", "UTC")
	f.Add("TZ=0", "")
	f.Add("*/5 1-3,7 ? JAN-MAR MON", "Europe/Berlin")
	f.Fuzz(func(t *testing.T, e, zone string) {
		s, err := schedule.Parse([]string{e}, zone)
		if err != nil {
			return
		}
		if got := s.Next(time.Unix(1_800_000_000, 0), 2); len(got) != 2 || !got[0].Before(got[1]) {
			t.Errorf("%q in %q: got %v", e, zone, got)
		}
	})
}
