// SPDX-License-Identifier: Apache-2.0

package schedule_test

import (
	"fmt"
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
