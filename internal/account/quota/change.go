// SPDX-License-Identifier: Apache-2.0

package quota

import (
	"fmt"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
)

// A change that returns an error may have modified the account partially: work on a copy.

// renewAfter is the age from which a repeated Hold renews a reservation, so that it is not treated as abandoned.
const renewAfter = 20 * time.Second

// Show identifies a short: a slideshow or a video. A plan counts both as slideshows.
type Show struct{ Name, UID string }

// ShowOf returns the Show of an object.
func ShowOf(o metav1.Object) Show { return Show{o.GetName(), string(o.GetUID())} }

// Hold reserves the quota for a slideshow with the given name before it is created. A repeated call for the same name
// does nothing more. Errors: *ExhaustedError, *CreditsError, ErrTooManyHolds.
func Hold(a *v1beta1.Account, name string, n Need, now time.Time) error {
	if n = n.Applies(a); n == (Need{}) {
		return nil
	}
	start, _ := period(a, now)
	if i := pendingHold(a, name); i >= 0 {
		h := &a.Status.Holds[i]
		if h.PeriodStart.Time.Equal(start) && h.Slideshows >= n.Slideshows && h.Credits >= n.Credits {
			if now.Sub(h.Since.Time) > renewAfter {
				h.Since = metav1.NewTime(now)
			}
			return nil
		}
		a.Status.Holds = slices.Delete(a.Status.Holds, i, i+1)
	} else if taken(a, name) {
		return nil
	}
	if err := Check(a, n, now); err != nil {
		return err
	}
	if len(a.Status.Holds) >= v1beta1.MaxHolds && a.Spec.Plan.SlideshowLimit == nil && n.Credits == 0 {
		return nil // the plan has no limits: the slideshow is counted when its work starts
	}
	return hold(a, v1beta1.Hold{
		Slideshow: name, Since: metav1.NewTime(now), PeriodStart: metav1.NewTime(start), Slideshows: n.Slideshows, Credits: n.Credits,
	})
}

func hold(a *v1beta1.Account, h v1beta1.Hold) error {
	if len(a.Status.Holds) >= v1beta1.MaxHolds {
		return ErrTooManyHolds
	}
	a.Status.Holds = append(a.Status.Holds, h)
	return nil
}

// taken reports whether the controller has recently counted a slideshow with this name: the slideshow that is about to
// be created exists already.
func taken(a *v1beta1.Account, name string) bool {
	for i := range a.Status.Holds {
		if a.Status.Holds[i].Slideshow == name {
			return true
		}
	}
	u := a.Status.Usage
	return u != nil && slices.ContainsFunc(u.Unsettled, func(op string) bool { return strings.HasPrefix(op, name+"/") })
}

// Release releases the reservation of a slideshow that was not created.
func Release(a *v1beta1.Account, name string) {
	if i := pendingHold(a, name); i >= 0 {
		a.Status.Holds = slices.Delete(a.Status.Holds, i, i+1)
	}
}

// Drop releases a reservation, if it has not changed since.
func Drop(a *v1beta1.Account, gone v1beta1.Hold) {
	a.Status.Holds = slices.DeleteFunc(a.Status.Holds, func(h v1beta1.Hold) bool {
		return h.Slideshow == gone.Slideshow && h.UID == gone.UID && h.Since.Equal(&gone.Since)
	})
}

// Charge charges a slideshow for the n-th time (counted from 1; again only after a refund) and returns the start of the
// period that was charged. A reservation for its name becomes the charge; reserved credits stay reserved for the
// slideshow. The error is *ExhaustedError or ErrTooManyHolds.
func Charge(a *v1beta1.Account, s Show, n int32, now time.Time) (time.Time, error) {
	if at, ok := counted(a, s, op("charge", n), now); ok {
		return at, nil
	}
	u := roll(a, now)
	start := u.PeriodStart.Time
	if i := pendingHold(a, s.Name); i >= 0 {
		h := a.Status.Holds[i]
		a.Status.Holds = slices.Delete(a.Status.Holds, i, i+1)
		start = h.PeriodStart.Time
		if start.Equal(u.PeriodStart.Time) {
			u.SlideshowsUsed += h.Slideshows
		}
		if h.Credits > 0 {
			if err := hold(a, v1beta1.Hold{Slideshow: s.Name, UID: s.UID, Since: metav1.NewTime(now), PeriodStart: h.PeriodStart, Credits: h.Credits}); err != nil {
				return start, err
			}
		}
	} else {
		if q := Of(a, now); q.Exhausted() {
			return start, &ExhaustedError{q}
		}
		u.SlideshowsUsed++
	}
	remember(u, s, op("charge", n), start)
	return start, nil
}

// Refund refunds the charge of a period for the n-th time (counted from 1). In a later period it changes nothing.
func Refund(a *v1beta1.Account, s Show, n int32, charged, now time.Time) {
	if _, ok := counted(a, s, op("refund", n), now); ok {
		return
	}
	if start, _ := period(a, now); !start.Equal(charged) {
		return
	}
	u := roll(a, now)
	u.SlideshowsUsed = max(0, u.SlideshowsUsed-1)
	remember(u, s, op("refund", n), charged)
}

// Reserve ensures that a slideshow has a reservation of the given credits in the current period. The error is
// *CreditsError or ErrTooManyHolds.
func Reserve(a *v1beta1.Account, s Show, credits int32, now time.Time) error {
	if a.Spec.Plan.Credits == nil || credits <= 0 {
		return nil
	}
	start, _ := period(a, now)
	i := heldBy(a, s)
	var have int32
	if i >= 0 && a.Status.Holds[i].PeriodStart.Time.Equal(start) {
		have = a.Status.Holds[i].Credits
	}
	if have >= credits {
		return nil
	}
	if left := Of(a, now).CreditsRemain; credits-have > left {
		return &CreditsError{Required: credits, Current: have + left}
	}
	if i >= 0 {
		a.Status.Holds[i].PeriodStart, a.Status.Holds[i].Credits = metav1.NewTime(start), credits
		return nil
	}
	return hold(a, v1beta1.Hold{Slideshow: s.Name, UID: s.UID, Since: metav1.NewTime(now), PeriodStart: metav1.NewTime(start), Credits: credits})
}

// Settle ends the credit reservation of a slideshow: the given credits are charged, the rest is released. n is the
// number of the settlement, counted from 1.
func Settle(a *v1beta1.Account, s Show, n, credits int32, now time.Time) {
	_, done := counted(a, s, op("credits", n), now)
	start, _ := period(a, now)
	if i := heldBy(a, s); i >= 0 {
		start = a.Status.Holds[i].PeriodStart.Time
		a.Status.Holds = slices.Delete(a.Status.Holds, i, i+1)
	}
	if done || credits <= 0 || a.Spec.Plan.Credits == nil {
		return
	}
	u := roll(a, now)
	if start.Equal(u.PeriodStart.Time) {
		u.CreditsUsed += credits
	}
	remember(u, s, op("credits", n), start)
}

// Close charges the reservation for the name of a slideshow that is deleted before it was charged: the slideshow was
// accepted.
func Close(a *v1beta1.Account, name string, now time.Time) {
	i := pendingHold(a, name)
	if i < 0 {
		return
	}
	h := a.Status.Holds[i]
	a.Status.Holds = slices.Delete(a.Status.Holds, i, i+1)
	if u := roll(a, now); h.PeriodStart.Equal(&u.PeriodStart) {
		u.SlideshowsUsed += h.Slideshows
	}
}

// Awaits reports whether there is a reservation for a slideshow with this name that is not charged yet.
func Awaits(a *v1beta1.Account, name string) bool { return pendingHold(a, name) >= 0 }

// Charged reports whether the account has charged a slideshow for the n-th time and still has the entry of it.
func Charged(a *v1beta1.Account, s Show, n int32, now time.Time) bool {
	_, ok := counted(a, s, op("charge", n), now)
	return ok
}

// Held returns the credits that are reserved for a slideshow.
func Held(a *v1beta1.Account, s Show) int32 {
	if i := heldBy(a, s); i >= 0 {
		return a.Status.Holds[i].Credits
	}
	return 0
}

func pendingHold(a *v1beta1.Account, name string) int {
	return slices.IndexFunc(a.Status.Holds, func(h v1beta1.Hold) bool { return h.Slideshow == name && h.UID == "" })
}

func heldBy(a *v1beta1.Account, s Show) int {
	return slices.IndexFunc(a.Status.Holds, func(h v1beta1.Hold) bool { return h.Slideshow == s.Name && h.UID == s.UID })
}

// roll switches the usage to the current period. Unsettled operations are carried over.
func roll(a *v1beta1.Account, now time.Time) *v1beta1.Usage {
	start, end := period(a, now)
	u := a.Status.Usage
	if u == nil || !u.PeriodStart.Time.Equal(start) {
		next := &v1beta1.Usage{PeriodStart: metav1.NewTime(start), PeriodEnd: metav1.NewTime(end)}
		if u != nil {
			next.Unsettled = u.Unsettled
		}
		a.Status.Usage, u = next, next
	}
	return u
}

func op(what string, n int32) string { return fmt.Sprintf("%s-%d", what, n) }

const monthForm = "2006-01"

func remember(u *v1beta1.Usage, s Show, op string, start time.Time) {
	u.Unsettled = append(u.Unsettled, strings.Join([]string{s.Name, s.UID, op, start.UTC().Format(monthForm)}, "/"))
}

// counted reports whether the account has counted an operation, and returns the start of its period.
func counted(a *v1beta1.Account, s Show, op string, now time.Time) (time.Time, bool) {
	start, _ := period(a, now)
	if a.Status.Usage == nil {
		return start, false
	}
	for _, o := range a.Status.Usage.Unsettled {
		c := ParseCounted(o)
		if c.Show != s || c.Operation != op {
			continue
		}
		if t, err := time.Parse(monthForm, c.Month); err == nil {
			start = t
		}
		return start, true
	}
	return start, false
}

// Counted is an entry in a usage's list of unsettled operations.
type Counted struct {
	Show
	// Operation, such as charge-1, refund-1 or credits-1, and the Month in which it was counted, such as 2026-11.
	Operation, Month string
}

// ParseCounted parses an entry. Object names and UIDs contain no slash.
func ParseCounted(entry string) Counted {
	p := append(strings.SplitN(entry, "/", 4), "", "", "")
	return Counted{Show{p[0], p[1]}, p[2], p[3]}
}

// Forget removes the settled entries from the list of unsettled operations.
func Forget(a *v1beta1.Account, settled func(Counted) bool) {
	if u := a.Status.Usage; u != nil {
		u.Unsettled = slices.DeleteFunc(u.Unsettled, func(o string) bool { return settled(ParseCounted(o)) })
	}
}

// SettledIn reports whether a short's own status records the operation, in its charge or its credits. Both may be nil.
func (c Counted) SettledIn(charge *v1beta1.Charge, credits *v1beta1.CreditUse) bool {
	var n int32
	what, number, _ := strings.Cut(c.Operation, "-")
	if _, err := fmt.Sscan(number, &n); err != nil {
		return true
	}
	switch what {
	case "charge":
		return charge != nil && charge.Charges >= n
	case "refund":
		return charge != nil && charge.Refunds >= n
	case "credits":
		return credits != nil && credits.Settlements >= n
	}
	return true
}
