// SPDX-License-Identifier: Apache-2.0

package socialaccount

import (
	"time"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/social/publish"
)

const (
	// expiringSoon is how long before its expiry a token that only a user can renew is reported.
	expiringSoon = 72 * time.Hour
	// recheckPeriod is the longest time between two reconciles of an account. The manager may read the Secret with the
	// tokens but not watch it, so a deleted Secret is noticed after this time at the latest. Each reconcile reads one
	// Secret.
	recheckPeriod = 10 * time.Minute
)

// tokenStatus derives the state of the token from the grant and the time. It stays as it was if the key to unseal the
// grant is missing.
func tokenStatus(a *v1beta1.SocialAccount, o *observed, now time.Time) v1beta1.TokenStatus {
	s := o.grant
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
	case !now.Before(s.EndsAt.Add(-expiringSoon)):
		return v1beta1.TokenExpiringSoon
	}
	return v1beta1.TokenActive
}

// nextChange returns the time until the status can change by time alone.
func nextChange(o *observed, now time.Time) time.Duration {
	out := recheckPeriod
	for _, t := range []time.Time{o.grant.RenewAt, o.grant.EndsAt, o.grant.EndsAt.Add(-expiringSoon)} {
		if d := t.Sub(now); d > 0 {
			out = min(out, d)
		}
	}
	return out
}
