// SPDX-License-Identifier: Apache-2.0

// Package quota knows the periods of a plan and what an account has left in one. It decides nothing about who is charged:
// the slideshow controller charges, the front end reads.
package quota

import (
	"time"

	v1alpha1 "github.com/reelops/reelops/api/v1alpha1"
)

// Month is the calendar month in UTC that holds the time: its first instant and the next month's.
func Month(t time.Time) (start, end time.Time) {
	t = t.UTC()
	start = time.Date(t.Year(), t.Month(), 1, 0, 0, 0, 0, time.UTC)
	return start, start.AddDate(0, 1, 0)
}

// State is what an account may still use in the current period.
type State struct {
	// Unlimited says that the plan has no limit; Limit and Remaining then mean nothing.
	Unlimited bool
	Limit     int32
	Used      int32
	Remaining int32
	// PeriodStart and PeriodEnd bound the current period.
	PeriodStart, PeriodEnd time.Time
}

// Of tells the state of an account. Usage of an earlier period does not count.
func Of(a *v1alpha1.Account, now time.Time) State {
	s := State{Unlimited: a.Spec.Plan.SlideshowLimit == nil}
	s.PeriodStart, s.PeriodEnd = Month(now)
	if u := a.Status.Usage; u != nil && u.PeriodStart.Time.Equal(s.PeriodStart) {
		s.Used = u.SlideshowsUsed
	}
	if !s.Unlimited {
		s.Limit = *a.Spec.Plan.SlideshowLimit
		s.Remaining = max(0, s.Limit-s.Used)
	}
	return s
}

// Exhausted says that nothing is left.
func (s State) Exhausted() bool { return !s.Unlimited && s.Remaining == 0 }
