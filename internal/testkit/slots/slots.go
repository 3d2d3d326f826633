// SPDX-License-Identifier: Apache-2.0

// Package slots computes the slots of cron expressions for tests, independently of the code under test: with another
// cron library, and with a clock that is read every minute. The clock keeps the latest local time that it read: a time
// that it passes or skips is due, a time that it reads again is not.
//
// It also states what the policy of an automation promises for a slot.
package slots

import (
	"fmt"
	"strings"
	"time"

	"github.com/adhocore/gronx"

	"github.com/reelops/reelops/internal/automation/schedule"
)

// Table is what the library reports about an expression: which minutes, hours and dates it names.
type Table struct {
	minutes [60]bool
	hours   [24]bool
	first   int64 // days since 1970
	days    []bool
}

// Tabulate returns the table of a five-field expression, for slots from begin to end in any time zone.
func Tabulate(expression string, begin, end time.Time) (*Table, error) {
	begin, end = begin.UTC().AddDate(0, 0, -2).Truncate(24*time.Hour), end.UTC().AddDate(0, 0, 2)
	f := strings.Fields(expression)
	g := gronx.New()
	var failed error
	due := func(e string, at time.Time) bool {
		ok, err := g.IsDue(e, at)
		if err != nil {
			failed = fmt.Errorf("%q: %w", e, err)
		}
		return ok
	}
	out := &Table{first: begin.Unix() / 86400}
	for m := range out.minutes {
		out.minutes[m] = due(f[0]+" * * * *", begin.Add(time.Duration(m)*time.Minute))
	}
	for h := range out.hours {
		out.hours[h] = due("* "+f[1]+" * * *", begin.Add(time.Duration(h)*time.Hour))
	}
	for d := begin; d.Before(end); d = d.AddDate(0, 0, 1) {
		out.days = append(out.days, due("* * "+strings.Join(f[2:], " "), d))
	}
	return out, failed
}

// has reports whether the expression names a local minute, in minutes since 1970.
func (x *Table) has(local int64) bool {
	day := local/1440 - x.first
	return x.minutes[local%60] && x.hours[local/60%24] && day >= 0 && day < int64(len(x.days)) && x.days[day]
}

// Of returns the slots in (begin, end] of several schedules in one zone, each a list of tables, in seconds since 1970.
// begin must be a whole minute.
func Of(zone *time.Location, begin, end time.Time, schedules [][]*Table) [][]int64 {
	read := func(at int64) int64 {
		_, offset := time.Unix(at, 0).In(zone).Zone()
		return (at + int64(offset)) / 60
	}
	out := make([][]int64, len(schedules))
	latest := read(begin.Unix())
	for at := begin.Unix() + 60; at <= end.Unix(); at += 60 {
		reads := read(at)
		for ; latest < reads; latest++ {
			for i, list := range schedules {
				for _, t := range list {
					if n := len(out[i]); t.has(latest+1) && (n == 0 || out[i][n-1] != at) {
						out[i] = append(out[i], at)
					}
				}
			}
		}
	}
	return out
}

// Outcome is what a policy promises for a slot.
type Outcome string

// Outcomes. OnTime, Late and CaughtUp slots start once, Missed ones never.
const (
	OnTime   Outcome = "on time"
	Late     Outcome = "late"
	CaughtUp Outcome = "caught up"
	Missed   Outcome = "missed"
)

// Promised returns the outcome of a slot that another, next, follows, and the first of the given times at which the
// slot could start, which determines the outcome. next is zero if no slot follows. times are when the slots of an
// automation were decided, in order. The outcome is Missed at a zero time if none of them is within the lead time of
// the slot, or after it.
func Promised(slot, next time.Time, times []time.Time, p schedule.Policy) (Outcome, time.Time) {
	for _, now := range times {
		switch {
		case now.Before(slot.Add(-p.Lead)):
			continue
		case !now.After(slot):
			return OnTime, now
		case !next.IsZero() && next.Before(now):
			return Missed, now
		case now.Sub(slot) <= p.StartingDeadline:
			return Late, now
		case p.CatchUp == schedule.LatestOnce:
			return CaughtUp, now
		}
		return Missed, now
	}
	return Missed, time.Time{}
}
