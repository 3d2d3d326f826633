// SPDX-License-Identifier: Apache-2.0

package credential

import (
	"hash/fnv"
	"time"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/social/publish"
)

const (
	// leastLeft is the minimum remaining lifetime of an access token for a call.
	leastLeft = 2 * time.Minute
	// mostLeft bounds how early a call renews a token that is still valid.
	mostLeft = time.Hour
	// shortLived bounds the lifetime of short-lived tokens. They are renewed on use, and otherwise once every
	// aliveEvery. That detects a revoked permission, and keeps platforms from dropping an unused one.
	shortLived = 6 * time.Hour
	aliveEvery = 24 * time.Hour
)

// Renewable reports whether tokens can be renewed without a person: with a refresh token, or on Instagram with the
// access token itself.
func Renewable(p v1beta1.Platform, t publish.Tokens) bool {
	return t.RefreshToken != "" || p == catalog.Instagram
}

// life returns the lifetime that an access token was issued with; 0 if it does not expire.
func life(t publish.Tokens) time.Duration {
	if t.AccessExpiresAt.IsZero() || t.IssuedAt.IsZero() {
		return 0
	}
	return t.AccessExpiresAt.Sub(t.IssuedAt)
}

// dueSoon reports whether a call that needs the token for the time needs should renew it first. 0 means the minimum of
// every call.
func dueSoon(t publish.Tokens, now time.Time, needs time.Duration) bool {
	if t.AccessExpiresAt.IsZero() {
		return false
	}
	left := max(min(life(t)/4, mostLeft), leastLeft, needs)
	return t.AccessExpiresAt.Sub(now) < left
}

// spent reports whether the access token has expired.
func spent(t publish.Tokens, now time.Time) bool {
	return !t.AccessExpiresAt.IsZero() && !now.Before(t.AccessExpiresAt)
}

// renewAt returns when unused tokens are renewed: after two thirds of their lifetime, or after aliveEvery for
// short-lived ones, less up to 5 percent by seed. The jitter keeps accounts that were connected together from renewing
// together. renewAt returns zero if tokens are never renewed by schedule.
func renewAt(p v1beta1.Platform, t publish.Tokens, seed string) time.Time {
	l := life(t)
	if l <= 0 || !Renewable(p, t) {
		return time.Time{}
	}
	after := l * 2 / 3
	if l < shortLived {
		after = aliveEvery
	}
	h := fnv.New32a()
	_, _ = h.Write([]byte(seed)) // never fails
	return t.IssuedAt.Add(after - after/20 + time.Duration(h.Sum32()%1000)*(after/20)/1000)
}
