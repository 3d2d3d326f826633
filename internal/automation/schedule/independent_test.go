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

	"github.com/adhocore/gronx"

	"github.com/reelops/reelops/internal/automation/schedule"
)

// TestSlots_AgreeWithAnIndependentComputation generates expressions and compares their slots with those of another cron
// library and of a clock that is read every minute. The clock keeps the latest local time that it read: a time that it
// passes or skips is due, a time that it reads again is not.
func TestSlots_AgreeWithAnIndependentComputation(t *testing.T) {
	zones, from, years, sets := []string{
		"UTC", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Africa/Cairo", "Pacific/Apia",
		"America/Sao_Paulo", "Africa/Casablanca", "Antarctica/Troll", "Asia/Pyongyang", "America/Caracas",
		"Pacific/Kwajalein",
	}, 1990, 50, 3
	if testing.Short() {
		zones, from, years, sets = zones[1:6], 2010, 3, 4
	}
	for i, zone := range zones {
		t.Run(zone, func(t *testing.T) {
			rnd := rand.New(rand.NewPCG(uint64(i), 20)) //nolint:gosec // a repeatable sequence
			begin := time.Date(from, 1, 1, 0, 0, 0, 0, time.UTC)
			end := begin.AddDate(years, 0, 0)
			var lists [][]string
			var subjects []*schedule.Schedule
			var libraries [][]table
			for range sets {
				var list []string
				var tables []table
				for range 1 + rnd.IntN(3) {
					e := expression(rnd)
					list = append(list, e)
					tables = append(tables, tabulate(t, e, begin.AddDate(0, 0, -2), end.AddDate(0, 0, 2)))
				}
				s, err := schedule.Parse(list, zone)
				if err != nil {
					t.Fatal(err)
				}
				lists, subjects, libraries = append(lists, list), append(subjects, s), append(libraries, tables)
			}
			wants := clock(t, zone, begin, end, libraries)
			for i, s := range subjects {
				got := s.Between(begin, end, 1<<30)
				if err := compare(got, wants[i]); err != nil {
					t.Errorf("%q: %v", lists[i], err)
				}
				if n := s.Count(begin, end); n != len(got) {
					t.Errorf("%q: counted %d, listed %d", lists[i], n, len(got))
				}
				parts(t, rnd, s, got)
			}
		})
	}
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

// table is what the library says about an expression: which minutes, hours and dates it names.
type table struct {
	minutes [60]bool
	hours   [24]bool
	first   int64 // days since 1970
	days    []bool
}

func tabulate(t *testing.T, e string, begin, end time.Time) table {
	t.Helper()
	f := strings.Fields(e)
	g := gronx.New()
	due := func(e string, at time.Time) bool {
		ok, err := g.IsDue(e, at)
		if err != nil {
			t.Fatalf("%q: %v", e, err)
		}
		return ok
	}
	var out table
	for m := range out.minutes {
		out.minutes[m] = due(f[0]+" * * * *", begin.Truncate(time.Hour).Add(time.Duration(m)*time.Minute))
	}
	for h := range out.hours {
		out.hours[h] = due("* "+f[1]+" * * *", begin.Truncate(24*time.Hour).Add(time.Duration(h)*time.Hour))
	}
	out.first = begin.Unix() / 86400
	for d := begin; d.Before(end); d = d.AddDate(0, 0, 1) {
		out.days = append(out.days, due("* * "+strings.Join(f[2:], " "), d))
	}
	return out
}

// has reports whether the expression names a local minute, in minutes since 1970.
func (x *table) has(local int64) bool {
	day := local/1440 - x.first
	return x.minutes[local%60] && x.hours[local/60%24] && day >= 0 && day < int64(len(x.days)) && x.days[day]
}

// clock returns the minutes at which lists of expressions are due.
func clock(t *testing.T, zone string, begin, end time.Time, lists [][]table) [][]int64 {
	t.Helper()
	loc, err := time.LoadLocation(zone)
	if err != nil {
		t.Fatal(err)
	}
	read := func(at int64) int64 {
		_, offset := time.Unix(at, 0).In(loc).Zone()
		return (at + int64(offset)) / 60
	}
	out := make([][]int64, len(lists))
	latest := read(begin.Unix())
	for at := begin.Unix() + 60; at <= end.Unix(); at += 60 {
		reads := read(at)
		for ; latest < reads; latest++ {
			for i, list := range lists {
				for j := range list {
					if n := len(out[i]); list[j].has(latest+1) && (n == 0 || out[i][n-1] != at) {
						out[i] = append(out[i], at)
					}
				}
			}
		}
	}
	return out
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
