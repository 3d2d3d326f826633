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
	// leastLeft is how much of an access token's life a call needs at least.
	leastLeft = 2 * time.Minute
	// mostLeft bounds how early a call renews a token that still works.
	mostLeft = time.Hour
	// shortLived tokens are renewed when somebody needs one, and otherwise once every aliveEvery, so that a permission that was
	// taken back is noticed and one that platforms drop when it lies unused is not.
	shortLived = 6 * time.Hour
	aliveEvery = 24 * time.Hour
)

// Renewable says that tokens can be renewed without a person: with a refresh token, or on Instagram with the access token itself.
func Renewable(p v1beta1.Platform, t publish.Tokens) bool {
	return t.RefreshToken != "" || p == catalog.Instagram
}

// life is how long an access token was given for; 0 when it has no end.
func life(t publish.Tokens) time.Duration {
	if t.AccessExpiresAt.IsZero() || t.IssuedAt.IsZero() {
		return 0
	}
	return t.AccessExpiresAt.Sub(t.IssuedAt)
}

// dueSoon says that a call which needs the token for so long should renew it first. needs 0 leaves it at what every call needs.
func dueSoon(t publish.Tokens, now time.Time, needs time.Duration) bool {
	if t.AccessExpiresAt.IsZero() {
		return false
	}
	left := max(min(life(t)/4, mostLeft), leastLeft, needs)
	return t.AccessExpiresAt.Sub(now) < left
}

// spent says that a call can no longer be made with it.
func spent(t publish.Tokens, now time.Time) bool {
	return !t.AccessExpiresAt.IsZero() && !now.Before(t.AccessExpiresAt)
}

// renewAt is when tokens are renewed though nobody asks: after two thirds of their life, give or take a few hundredths by the seed, so
// that accounts which were connected together do not all renew together. Zero when they never are.
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
