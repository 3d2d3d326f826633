// SPDX-License-Identifier: Apache-2.0

package socialaccount

import (
	"time"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/social/publish"
)

const (
	// soon is how long before its end a permission that needs a person is said to end.
	soon = 72 * time.Hour
	// recheckPeriod is the longest time between two reconciles of an account. The manager may read the Secret with the tokens but not watch
	// it, so a deleted Secret is noticed after this time at the latest. Each reconcile reads one Secret.
	recheckPeriod = 10 * time.Minute
)

// tokenStatus follows from the grant and the time. What cannot be opened for want of a key says nothing: then it stays as it was.
func tokenStatus(a *v1beta1.SocialAccount, o *observation, now time.Time) v1beta1.TokenStatus {
	s := o.sight
	switch {
	case s.Problem != nil && s.Problem.Kind == publish.Misconfigured:
		return a.Status.TokenStatus
	case s.Problem != nil && s.Problem.Revoked:
		return v1beta1.TokenRevoked
	case s.Problem != nil:
		return v1beta1.TokenExpired
	case s.Ended != nil:
		return s.Ended.Status
	case len(s.Lacking) > 0:
		return v1beta1.TokenInsufficientScope
	case s.EndsAt.IsZero():
		return v1beta1.TokenActive
	case !now.Before(s.EndsAt):
		return v1beta1.TokenExpired
	case !now.Before(s.EndsAt.Add(-soon)):
		return v1beta1.TokenExpiringSoon
	}
	return v1beta1.TokenActive
}

// wake is how long the status stays as it is by time alone.
func wake(o *observation, now time.Time) time.Duration {
	out := recheckPeriod
	for _, t := range []time.Time{o.sight.RenewAt, o.sight.EndsAt, o.sight.EndsAt.Add(-soon)} {
		if d := t.Sub(now); d > 0 {
			out = min(out, d)
		}
	}
	return out
}
