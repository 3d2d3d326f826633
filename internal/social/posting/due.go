// SPDX-License-Identifier: Apache-2.0

package posting

import (
	"time"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
)

// OverdueAfter is how long after its time a post that no call was made for is overdue.
const OverdueAfter = time.Minute

// DueAt is when a post goes out.
func DueAt(p *v1beta1.Post) time.Time {
	at := p.Spec.ScheduledAt.Time
	if h := p.Status.HeldUntil; h != nil && h.After(at) {
		at = h.Time
	}
	return at
}

// NextCall is when the next call that publishes a post is due. It waits for none while somebody holds it back, while the outcome of a call
// is open, and at its end.
func NextCall(p *v1beta1.Post) (at time.Time, waits bool) {
	s := &p.Status
	switch {
	case s.State.Final() || s.State == v1beta1.PostHeld || p.Spec.Hold || p.Spec.Cancel || !p.DeletionTimestamp.IsZero():
		return time.Time{}, false
	case s.NextAttemptAt != nil:
		return s.NextAttemptAt.Time, true
	case len(s.Attempts) > 0:
		return time.Time{}, false
	}
	return DueAt(p), true
}
