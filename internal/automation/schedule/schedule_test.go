// SPDX-License-Identifier: Apache-2.0

package schedule_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/reelops/reelops/internal/automation/schedule"
)

// parse returns a schedule of expressions separated by semicolons.
func parse(t *testing.T, expressions, zone string) *schedule.Schedule {
	t.Helper()
	s, err := schedule.Parse(strings.Split(expressions, ";"), zone)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func at(t *testing.T, s string) time.Time {
	t.Helper()
	out, err := time.Parse(time.RFC3339, s)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func texts(times []time.Time) string {
	var out []string
	for _, t := range times {
		out = append(out, t.Format(time.RFC3339))
	}
	return strings.Join(out, " ")
}

func TestParse_RefusesWithASentence(t *testing.T) {
	for _, c := range []struct{ expressions, zone, want string }{
		{
			"0 9 * * *", "Mars/Olympus",
			`the time zone "Mars/Olympus" does not exist: use an IANA name such as Europe/Berlin or UTC`,
		},
		{"0 9 * * *", "Local", `the time zone "Local" does not exist`},
		{"0 9 * * *", "../../etc/passwd", "does not exist"},
		{"", "", "the list of cron expressions is not valid: at least one is needed"},
		{strings.Repeat("0 9 * * *;", 20) + "0 9 * * *", "", "at most 20 are allowed"},
		{
			"0 9 * *", "",
			`the cron expression "0 9 * *" is not valid: it needs five fields: minute, hour, day of month, month, day of week`,
		},
		{"0 0 9 * * *", "", "it needs five fields"},
		{"@daily", "", "it needs five fields"},
		{"@every 1h x y z", "", "it needs five fields"},
		{"TZ=UTC 9 * * *", "", "it needs five fields"},
		{"TZ= 0 9 * *", "", "it needs five fields"},
		{"TZ=0", "", "it needs five fields"},
		{"0 9 * * *;61 9 * * *", "", `its field minute, "61", is not valid: use 0-59`},
		{"0 24 * * *", "", `its field hour, "24", is not valid: use 0-23`},
		{"0 9 0 * *", "", `its field day of month, "0", is not valid: use 1-31`},
		{"0 9 * FOO *", "", `its field month, "FOO", is not valid: use 1-12 or JAN-DEC`},
		{"0 9 * * 7", "", `its field day of week, "7", is not valid: use 0-6 or SUN-SAT, with 0 for Sunday`},
		{"*/0 9 * * *", "", "its field minute"},
		{"0 9 30 2 *", "", "it names no time that exists"},
		{"0 9 31 4,6,9,11 *", "", "it names no time that exists"},
		{", 9 * * *", "", "its field minute"},
		{"0 , * * *", "", "its field hour"},
		{"0 1,,2 * * *", "", "its field hour"},
		{"*-5 9 * * *", "", "its field minute"},
		{"+5 9 * * *", "", "its field minute"},
		{"0\u00a09 * * *", "", "its fields must be separated by spaces"},
		{"0 9 * * *" + strings.Repeat(" ", 600), "", "more than 500 bytes"},
		{"0 9 \xff * *", "", "is not text"},
	} {
		list := strings.Split(c.expressions, ";")
		if c.expressions == "" {
			list = nil
		}
		if _, err := schedule.Parse(list, c.zone); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%.40q in %q: got %v, want %q", c.expressions, c.zone, err, c.want)
		}
	}
	var wrong *schedule.ExpressionError
	_, err := schedule.Parse([]string{"0 9 * * *", "x"}, "")
	if !errors.As(err, &wrong) || wrong.Index != 1 || wrong.Expression != "x" {
		t.Errorf("got %v, want the second expression", err)
	}
}

func TestNext(t *testing.T) {
	for _, c := range []struct{ why, expressions, zone, after, want string }{
		{"after, not at", "0 9 * * *", "", "2026-03-01T09:00:00Z", "2026-03-02T09:00:00Z 2026-03-03T09:00:00Z"},
		{
			"in the zone", "0 9 * * *", "Asia/Kolkata", "2026-03-01T00:00:00Z",
			"2026-03-01T09:00:00+05:30 2026-03-02T09:00:00+05:30",
		},
		{"a seconds fraction later", "0 9 * * *", "", "2026-03-01T08:59:59.9Z", "2026-03-01T09:00:00Z 2026-03-02T09:00:00Z"},
		{
			"two expressions with one slot in common", "0 9 * * *;0 9,12 * * *", "", "2026-03-01T00:00:00Z",
			"2026-03-01T09:00:00Z 2026-03-01T12:00:00Z",
		},
		{
			"expressions out of order", "0 12 * * *;0 9 * * *", "", "2026-03-01T00:00:00Z",
			"2026-03-01T09:00:00Z 2026-03-01T12:00:00Z",
		},
		{"day of month or of week", "0 9 13 * FRI", "", "2026-03-07T00:00:00Z", "2026-03-13T09:00:00Z 2026-03-20T09:00:00Z"},
		{
			"a step restricts the day, as in Kubernetes", "0 9 13 * */6", "", "2026-03-09T00:00:00Z",
			"2026-03-13T09:00:00Z 2026-03-14T09:00:00Z",
		},
		{"leap days around 2100", "0 9 29 2 *", "", "2095-01-01T00:00:00Z", "2096-02-29T09:00:00Z 2104-02-29T09:00:00Z"},
		{
			"skipped times run at the next valid minute, once", "30 2 * * *;45 2 * * *", "Europe/Berlin",
			"2026-03-28T12:00:00Z", "2026-03-29T03:00:00+02:00 2026-03-30T02:30:00+02:00",
		},
		{
			"a skipped time and the next valid minute are one slot", "30 2 * * *;0 3 * * *", "Europe/Berlin",
			"2026-03-28T12:00:00Z", "2026-03-29T03:00:00+02:00 2026-03-30T02:30:00+02:00",
		},
		{
			"a repeated time runs the first time", "30 2 * * *", "Europe/Berlin", "2026-10-24T12:00:00Z",
			"2026-10-25T02:30:00+02:00 2026-10-26T02:30:00+01:00",
		},
		{
			"not the second time either if asked in between", "30 2 * * *", "Europe/Berlin", "2026-10-25T01:00:00Z",
			"2026-10-26T02:30:00+01:00 2026-10-27T02:30:00+01:00",
		},
		{
			"the hour after the repeated one", "0 3 * * *", "Europe/Berlin", "2026-10-25T00:45:00Z",
			"2026-10-25T03:00:00+01:00 2026-10-26T03:00:00+01:00",
		},
		{
			"every half hour through a repeated hour", "*/30 * * * *", "America/New_York", "2026-11-01T05:00:00Z",
			"2026-11-01T01:30:00-04:00 2026-11-01T02:00:00-05:00",
		},
		{
			"midnight is skipped", "0 0 * * *", "Africa/Cairo", "2026-04-23T12:00:00Z",
			"2026-04-24T01:00:00+03:00 2026-04-25T00:00:00+03:00",
		},
		{
			"midnight is repeated", "0 0 * * *", "Africa/Cairo", "2026-10-28T22:00:00Z",
			"2026-10-30T00:00:00+02:00 2026-10-31T00:00:00+02:00",
		},
		{
			"half an hour is skipped", "15 2 * * *", "Australia/Lord_Howe", "2026-10-03T12:00:00Z",
			"2026-10-04T02:30:00+11:00 2026-10-05T02:15:00+11:00",
		},
		{
			"a day is skipped", "0 9 * * *", "Pacific/Apia", "2011-12-29T20:00:00Z",
			"2011-12-31T00:00:00+14:00 2011-12-31T09:00:00+14:00",
		},
		{
			"an offset with seconds ends", "30 0 * * *", "Africa/Monrovia", "1972-01-06T12:00:00Z",
			"1972-01-07T00:45:00Z 1972-01-08T00:30:00Z",
		},
		{"before 1970", "0 9 * * *", "", "1960-01-01T00:00:00Z", "1960-01-01T09:00:00Z 1960-01-02T09:00:00Z"},
	} {
		if got := texts(parse(t, c.expressions, c.zone).Next(at(t, c.after), 2)); got != c.want {
			t.Errorf("%s: got %s, want %s", c.why, got, c.want)
		}
	}
	if got := parse(t, "0 9 * * *", "").Next(time.Time{}, 0); len(got) != 0 {
		t.Errorf("got %v, want none", got)
	}
}

// A clock that is set back or forward across midnight changes the date, too.
func TestSlots_AcrossMidnight(t *testing.T) {
	// In Newfoundland the clock was set back from 00:01 to 23:01.
	back := parse(t, "0 0 * * *", "America/St_Johns")
	from, to := at(t, "2010-11-06T12:00:00Z"), at(t, "2010-11-07T02:45:00Z")
	if got := texts(back.Next(from, 2)); got != "2010-11-07T00:00:00-02:30 2010-11-08T00:00:00-03:30" {
		t.Errorf("got %s", got)
	}
	if d := back.Decide(from, to, schedule.Policy{}); d.MissedCount != 1 || len(d.Missed) != 1 {
		t.Errorf("got %+v, want the midnight before the clock was set back", d)
	}
	// In Greenland the hour from 23:00 is skipped.
	forward := parse(t, "30 23 * * *;45 23 * * *;0 0 * * *;15 0 * * *", "America/Nuuk")
	from, to = at(t, "2026-03-28T12:00:00Z"), at(t, "2026-03-29T12:00:00Z")
	want := "2026-03-29T00:00:00-01:00 2026-03-29T00:15:00-01:00"
	if got := texts(forward.Between(from, to, 9)); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if d := forward.Decide(from, to, schedule.Policy{}); texts(d.Missed) != want || d.MissedCount != 2 {
		t.Errorf("got %+v, want %s", d, want)
	}
}

func TestBetween(t *testing.T) {
	s := parse(t, "0 9 * * *", "")
	from, to := at(t, "2026-03-01T09:00:00Z"), at(t, "2026-03-04T09:00:00Z")
	if got := texts(s.Between(from, to, 9)); got != "2026-03-02T09:00:00Z 2026-03-03T09:00:00Z 2026-03-04T09:00:00Z" {
		t.Errorf("got %s", got)
	}
	if got := texts(s.Between(from, to, 1)); got != "2026-03-02T09:00:00Z" {
		t.Errorf("got %s", got)
	}
	if got := s.Between(to, from, 9); len(got) != 0 || s.Count(to, from) != 0 {
		t.Errorf("a reversed interval: got %v", got)
	}
}
