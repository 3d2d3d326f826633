// SPDX-License-Identifier: Apache-2.0

package schedule_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/reelops/reelops/internal/automation/schedule"
)

func TestDecide(t *testing.T) {
	daily := "0 9 * * *"
	hour := time.Hour
	skip := schedule.Policy{Lead: hour, StartingDeadline: 10 * time.Minute}
	once := schedule.Policy{Lead: hour, StartingDeadline: 10 * time.Minute, CatchUp: schedule.LatestOnce}
	for _, c := range []struct {
		why, expressions, last, now string
		policy                      schedule.Policy
		start, missed               string
		count                       int
		handled, wake               string
	}{
		{
			"before the lead", daily, "2026-03-01T09:00:00Z", "2026-03-02T07:59:59Z", skip,
			"", "", 0, "2026-03-01T09:00:00Z", "2026-03-02T08:00:00Z",
		},
		{
			"at the lead", daily, "2026-03-01T09:00:00Z", "2026-03-02T08:00:00Z", skip,
			"2026-03-02T09:00:00Z", "", 0, "2026-03-02T09:00:00Z", "2026-03-03T08:00:00Z",
		},
		{
			"at the slot", daily, "2026-03-01T09:00:00Z", "2026-03-02T09:00:00Z",
			schedule.Policy{},
			"2026-03-02T09:00:00Z", "", 0, "2026-03-02T09:00:00Z", "2026-03-03T09:00:00Z",
		},
		{
			"at the deadline", daily, "2026-03-01T09:00:00Z", "2026-03-02T09:10:00Z", skip,
			"2026-03-02T09:00:00Z", "", 0, "2026-03-02T09:00:00Z", "2026-03-03T08:00:00Z",
		},
		{
			"after the deadline", daily, "2026-03-01T09:00:00Z", "2026-03-02T09:10:01Z", skip,
			"", "2026-03-02T09:00:00Z", 1, "2026-03-02T09:00:00Z", "2026-03-03T08:00:00Z",
		},
		{
			"after the deadline, with catch-up", daily, "2026-03-01T09:00:00Z", "2026-03-04T12:00:00Z", once,
			"2026-03-04T09:00:00Z", "2026-03-02T09:00:00Z 2026-03-03T09:00:00Z", 2,
			"2026-03-04T09:00:00Z", "2026-03-05T08:00:00Z",
		},
		{
			"several within the deadline: only the latest", "*/2 * * * *", "2026-03-01T09:00:00Z", "2026-03-01T09:05:00Z",
			schedule.Policy{StartingDeadline: hour},
			"2026-03-01T09:04:00Z", "2026-03-01T09:02:00Z", 1, "2026-03-01T09:04:00Z", "2026-03-01T09:06:00Z",
		},
		{
			"a missed one and one in the lead", "0 9 * * *;0 10 * * *", "2026-03-01T10:00:00Z", "2026-03-02T09:30:00Z", skip,
			"2026-03-02T10:00:00Z", "2026-03-02T09:00:00Z", 1, "2026-03-02T10:00:00Z", "2026-03-03T08:00:00Z",
		},
		{
			"several in the lead: the earliest, and again at once", "*/20 * * * *",
			"2026-03-01T09:00:00Z", "2026-03-01T09:10:00Z", skip,
			"2026-03-01T09:20:00Z", "", 0, "2026-03-01T09:20:00Z", "2026-03-01T08:40:00Z",
		},
		{
			"the clock was set back", daily, "2026-03-09T09:00:00Z", "2026-03-02T09:00:00Z", once,
			"", "", 0, "2026-03-09T09:00:00Z", "2026-03-10T08:00:00Z",
		},
		{
			"no last slot: nothing is missed", daily, "", "2026-03-02T09:00:01Z", once,
			"", "", 0, "2026-03-02T09:00:01Z", "2026-03-03T08:00:00Z",
		},
		{
			"half a century of outage", "* * * * *", "1976-01-01T00:00:00Z", "2026-01-01T00:00:30Z", skip,
			"2026-01-01T00:00:00Z",
			"2025-12-31T23:50:00Z 2025-12-31T23:51:00Z 2025-12-31T23:52:00Z 2025-12-31T23:53:00Z 2025-12-31T23:54:00Z " +
				"2025-12-31T23:55:00Z 2025-12-31T23:56:00Z 2025-12-31T23:57:00Z 2025-12-31T23:58:00Z 2025-12-31T23:59:00Z",
			(50*365+13)*1440 - 1, "2026-01-01T00:00:00Z", "2025-12-31T23:01:00Z",
		},
	} {
		t.Run(c.why, func(t *testing.T) {
			var last time.Time
			if c.last != "" {
				last = at(t, c.last)
			}
			began := time.Now()
			d := parse(t, c.expressions, "").Decide(last, at(t, c.now), c.policy)
			if took := time.Since(began); took > 2*time.Second {
				t.Errorf("it took %v", took)
			}
			start := ""
			if !d.Start.IsZero() {
				start = d.Start.Format(time.RFC3339)
			}
			got := fmt.Sprintf("start %s, missed %s, count %d, handled %s, wake %s", start, texts(d.Missed), d.MissedCount,
				d.Handled.UTC().Format(time.RFC3339), d.Wake.UTC().Format(time.RFC3339))
			want := fmt.Sprintf("start %s, missed %s, count %d, handled %s, wake %s",
				c.start, c.missed, c.count, c.handled, c.wake)
			if got != want {
				t.Errorf("got  %s\nwant %s", got, want)
			}
		})
	}
}

// TestDecide_JumpingClock compares the slots that started with the promise, computed without Decide: the outcome of a
// slot depends on the first decision whose time is not before its lead.
func TestDecide_JumpingClock(t *testing.T) {
	rounds := 400
	if testing.Short() {
		rounds = 60
	}
	zones := []string{"UTC", "Europe/Berlin", "America/New_York", "Africa/Cairo", "Australia/Lord_Howe", "Asia/Kathmandu"}
	expressions := []string{
		"0 9 * * *", "*/20 * * * *", "0,30 */3 * * *", "15 2 * * *;45 2 * * *", "0 12 * * MON;0 12 1 * *", "7 1-5 * * *",
	}
	outcomes := map[string]int{}
	for round := range rounds {
		rnd := rand.New(rand.NewPCG(uint64(round), 7)) //nolint:gosec // a repeatable sequence
		s := parse(t, expressions[rnd.IntN(len(expressions))], zones[rnd.IntN(len(zones))])
		p := schedule.Policy{
			Lead:             []time.Duration{0, time.Minute, time.Hour, 5 * time.Hour}[rnd.IntN(4)],
			StartingDeadline: []time.Duration{0, 5 * time.Minute, time.Hour, 24 * time.Hour}[rnd.IntN(4)],
			CatchUp:          []schedule.CatchUp{schedule.Skip, schedule.LatestOnce}[rnd.IntN(2)],
		}
		from := time.Date(2026, time.Month(1+rnd.IntN(12)), 1+rnd.IntN(28), 0, 0, rnd.IntN(60), 0, time.UTC)
		now, last := from, from
		var looks []time.Time
		started := map[int64]int{}
		missed := 0
		for range 60 {
			switch rnd.IntN(10) {
			case 0: // an outage, or a clock set forward
				now = now.Add(time.Duration(rnd.Int64N(int64(5 * 24 * time.Hour))))
			case 1: // a clock set back
				now = now.Add(-time.Duration(rnd.Int64N(int64(24 * time.Hour))))
			default:
				now = now.Add(time.Duration(rnd.Int64N(int64(time.Hour))))
			}
			if rnd.IntN(3) == 0 {
				now = now.Truncate(time.Minute)
			}
			looks = append(looks, now)
			for again := true; again; {
				d := s.Decide(last, now, p)
				if d.Handled.Before(last) {
					t.Fatalf("round %d: handled went back", round)
				}
				if again = !d.Start.IsZero(); again {
					started[d.Start.Unix()]++
				} else if !d.Wake.After(now) {
					t.Fatalf("round %d: wakes at %v, which is not after %v", round, d.Wake, now)
				}
				missed += d.MissedCount
				last = d.Handled
			}
		}
		wantMissed, total := 0, 0
		all := s.Between(from, slices.MaxFunc(looks, time.Time.Compare).Add(p.Lead), 1<<20)
		for i, slot := range all {
			var next time.Time
			if i+1 < len(all) {
				next = all[i+1]
			}
			want := outcome(slot, next, looks, p)
			outcomes[want]++
			got := started[slot.Unix()]
			switch {
			case want == "missed":
				wantMissed++
				if got != 0 {
					t.Fatalf("round %d, %+v: %v started, want missed", round, p, slot)
				}
			case got != 1:
				t.Fatalf("round %d, %+v: %v (%s) started %d times, want once", round, p, slot, want, got)
			}
			total += got
		}
		if missed != wantMissed || total != len(started) {
			t.Fatalf("round %d, %+v: missed %d, want %d; %d starts of slots that exist, of %d",
				round, p, missed, wantMissed, total, len(started))
		}
	}
	for _, o := range []string{"on time", "late", "caught up", "missed"} {
		if outcomes[o] < 10 {
			t.Errorf("only %d slots were %s: the test shows nothing", outcomes[o], o)
		}
	}
}

// outcome returns what the policy promises for a slot, which next follows.
func outcome(slot, next time.Time, looks []time.Time, p schedule.Policy) string {
	for _, now := range looks {
		switch {
		case now.Before(slot.Add(-p.Lead)):
			continue
		case !now.After(slot):
			return "on time"
		case !next.IsZero() && next.Before(now):
			return "missed"
		case now.Sub(slot) <= p.StartingDeadline:
			return "late"
		case p.CatchUp == schedule.LatestOnce:
			return "caught up"
		}
		return "missed"
	}
	return "missed"
}
