// SPDX-License-Identifier: Apache-2.0

package quota

import (
	"errors"
	"fmt"
	"time"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
)

// Month returns the start of the calendar month, in UTC, that contains t, and the start of the next month.
func Month(t time.Time) (start, end time.Time) {
	t = t.UTC()
	start = time.Date(t.Year(), t.Month(), 1, 0, 0, 0, 0, time.UTC)
	return start, start.AddDate(0, 1, 0)
}

// skew is the maximum difference between the clocks of two processes around the end of a period.
const skew = time.Hour

// period returns the account's current period. If another process has entered the next period a little early, the
// account stays in it: going back would lose its usage.
func period(a *v1beta1.Account, now time.Time) (start, end time.Time) {
	if u := a.Status.Usage; u != nil && u.PeriodStart.After(now) && u.PeriodStart.Sub(now) <= skew {
		now = u.PeriodStart.Time
	}
	return Month(now)
}

// State is the remaining quota of an account in the current period.
type State struct {
	// Unlimited reports whether the plan has no limit on slideshows. Limit and Remaining are then meaningless.
	Unlimited bool
	Limit     int32
	// Used is the number of charged and reserved slideshows.
	Used      int32
	Remaining int32
	// ShowsCredits reports whether AI images cost credits. The other fields are the credits granted for the period,
	// used, reserved for work in progress, and left.
	ShowsCredits                                            bool
	CreditsGranted, CreditsUsed, CreditsHeld, CreditsRemain int32
	// PeriodStart and PeriodEnd are the bounds of the current period.
	PeriodStart, PeriodEnd time.Time
}

// Of returns the state of an account. Usage and reservations of an earlier period do not count.
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

// Exhausted reports whether no slideshow is left.
func (s State) Exhausted() bool { return !s.Unlimited && s.Remaining == 0 }

// CurrentCredits returns the credits left; nil on a plan without credits.
func (s State) CurrentCredits() *int64 {
	if !s.ShowsCredits {
		return nil
	}
	left := int64(s.CreditsRemain)
	return &left
}

// ExhaustedError means that the plan has no slideshow left. It contains the state at the time of the decision.
type ExhaustedError struct{ State }

func (e *ExhaustedError) Error() string {
	return fmt.Sprintf("the plan's %d slideshows of this period are used up", e.Limit)
}

// CreditsError means that AI images cost more credits than are left.
type CreditsError struct {
	// Required are the credits of the whole work, Current those available for it.
	Required, Current int32
}

func (e *CreditsError) Error() string {
	return fmt.Sprintf("the AI images cost %d credits and %d are left", e.Required, e.Current)
}

// ErrTooManyHolds means that the account has the maximum number of reservations. It is temporary.
var ErrTooManyHolds = errors.New("too many slideshows of the account wait to be processed")

// Need is the quota that a slideshow requires.
type Need struct{ Slideshows, Credits int32 }

// Applies returns the need without credits if the account's plan has none. Slideshows are counted on every plan, even
// one without a limit.
func (n Need) Applies(a *v1beta1.Account) Need {
	if a.Spec.Plan.Credits == nil {
		n.Credits = 0
	}
	return n
}

// Check reports, without a change, whether the account could reserve the need: nil, *ExhaustedError or *CreditsError.
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
