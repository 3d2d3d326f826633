// SPDX-License-Identifier: Apache-2.0

package quota

import (
	"errors"
	"fmt"
	"time"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
)

// Month is the calendar month in UTC that holds the time: its first instant and the next month's.
func Month(t time.Time) (start, end time.Time) {
	t = t.UTC()
	start = time.Date(t.Year(), t.Month(), 1, 0, 0, 0, 0, time.UTC)
	return start, start.AddDate(0, 1, 0)
}

// skew is how far the clocks of two processes may differ around the end of a period.
const skew = time.Hour

// period is the account's current one. Where another process has entered the next a moment early, it stays entered: to go
// back would lose what was counted there.
func period(a *v1beta1.Account, now time.Time) (start, end time.Time) {
	if u := a.Status.Usage; u != nil && u.PeriodStart.After(now) && u.PeriodStart.Sub(now) <= skew {
		now = u.PeriodStart.Time
	}
	return Month(now)
}

// State is what an account may still use in the current period.
type State struct {
	// Unlimited says that the plan has no limit of slideshows; Limit and Remaining then mean nothing.
	Unlimited bool
	Limit     int32
	// Used counts what is charged and what is held.
	Used      int32
	Remaining int32
	// ShowsCredits says that AI pictures cost credits. The others then tell how many were granted for the period, were used,
	// are held for work that is going on, and are left.
	ShowsCredits                                            bool
	CreditsGranted, CreditsUsed, CreditsHeld, CreditsRemain int32
	// PeriodStart and PeriodEnd bound the current period.
	PeriodStart, PeriodEnd time.Time
}

// Of tells the state of an account. Usage and holds of an earlier period do not count.
func Of(a *v1beta1.Account, now time.Time) State {
	s := State{Unlimited: a.Spec.Plan.SlideshowLimit == nil, ShowsCredits: a.Spec.Plan.Credits != nil}
	s.PeriodStart, s.PeriodEnd = period(a, now)
	if u := a.Status.Usage; u != nil && u.PeriodStart.Time.Equal(s.PeriodStart) {
		s.Used, s.CreditsUsed = u.SlideshowsUsed, u.CreditsUsed
	}
	for i := range a.Status.Holds {
		if h := &a.Status.Holds[i]; h.PeriodStart.Time.Equal(s.PeriodStart) {
			s.Used += h.Slideshows
			s.CreditsHeld += h.Credits
		}
	}
	if !s.Unlimited {
		s.Limit = *a.Spec.Plan.SlideshowLimit
		s.Remaining = max(0, s.Limit-s.Used)
	}
	if s.ShowsCredits {
		s.CreditsGranted = *a.Spec.Plan.Credits
		s.CreditsRemain = max(0, s.CreditsGranted-s.CreditsUsed-s.CreditsHeld)
	}
	return s
}

// Exhausted says that no slideshow is left.
func (s State) Exhausted() bool { return !s.Unlimited && s.Remaining == 0 }

// CurrentCredits are the credits left; nil on a plan that shows none.
func (s State) CurrentCredits() *int64 {
	if !s.ShowsCredits {
		return nil
	}
	left := int64(s.CreditsRemain)
	return &left
}

// ExhaustedError says that the plan has no slideshow left. It carries the state that was refused upon.
type ExhaustedError struct{ State }

func (e *ExhaustedError) Error() string {
	return fmt.Sprintf("the plan's %d slideshows of this period are used up", e.Limit)
}

// CreditsError says that AI pictures cost more than is left.
type CreditsError struct {
	// Required by the work as a whole, Current: what it could have.
	Required, Current int32
}

func (e *CreditsError) Error() string {
	return fmt.Sprintf("the AI pictures cost %d credits and %d are left", e.Required, e.Current)
}

// ErrTooManyHolds says that more is waiting to be counted than an account may hold at a time. It passes by itself.
var ErrTooManyHolds = errors.New("too many slideshows of the account wait to be taken up")

// Need is what a slideshow takes from the plan.
type Need struct{ Slideshows, Credits int32 }

// Applies returns the need without credits if the account's plan has none. Slideshows are counted on every plan, also on
// one without a limit.
func (n Need) Applies(a *v1beta1.Account) Need {
	if a.Spec.Plan.Credits == nil {
		n.Credits = 0
	}
	return n
}

// Check says without changing anything whether the account could hold the need: nil, *ExhaustedError or *CreditsError.
func Check(a *v1beta1.Account, n Need, now time.Time) error {
	s := Of(a, now)
	if !s.Unlimited && n.Slideshows > s.Remaining {
		return &ExhaustedError{s}
	}
	if s.ShowsCredits && n.Credits > s.CreditsRemain {
		return &CreditsError{Required: n.Credits, Current: s.CreditsRemain}
	}
	return nil
}
