// SPDX-License-Identifier: Apache-2.0

package posting

import (
	"time"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
)

// OverdueAfter is the delay after its scheduled time from which a post without a publishing call is overdue.
const OverdueAfter = time.Minute

// DueAt returns when a post is due.
func DueAt(p *v1beta1.Post) time.Time {
	at := p.Spec.ScheduledAt.Time
	if h := p.Status.HeldUntil; h != nil && h.After(at) {
		at = h.Time
	}
	return at
}

// NextCall returns when the next publishing call of a post is due. A post has no next call while it is held or
// canceled, while the outcome of a call is unresolved, and when it is final.
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
