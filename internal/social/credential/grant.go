// SPDX-License-Identifier: Apache-2.0

package credential

import (
	"slices"
	"time"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/social/publish"
)

// Grant is the result of one approval. It is stored sealed.
type Grant struct {
	// Request is the UID of the ConnectionRequest that created the grant. Every approval has a new one.
	Request  string           `json:"request"`
	Platform v1beta1.Platform `json:"platform"`
	// Brand is the name of the brand that the grant belongs to.
	Brand string `json:"brand"`
	// Identities are the accounts that the grant covers.
	Identities []publish.Identity `json:"identities"`
	// Lacking lists the scopes that publishing needs and that were not granted.
	Lacking     []string       `json:"lacking,omitempty"`
	ConnectedAt time.Time      `json:"connected_at"`
	Tokens      publish.Tokens `json:"tokens"`
	// Renewals counts the renewals of the tokens.
	Renewals int64 `json:"renewals"`
	// Ended is set once the platform reported that the permission has ended.
	Ended *Ended `json:"ended,omitempty"`
	// Denied lists, by id, the identities that the platform no longer lets the person act for while other identities
	// still work.
	Denied map[string]*Ended `json:"denied,omitempty"`
}

// Ended describes how a permission ended.
type Ended struct {
	// Status is expired, revoked or insufficient_scope.
	Status v1beta1.TokenStatus `json:"status"`
	At     time.Time           `json:"at"`
	// Code is the platform's error code, Safe a sentence for users.
	Code string `json:"code,omitempty"`
	Safe string `json:"safe,omitempty"`
}

// Covers reports whether the grant covers the account.
func (g *Grant) Covers(a *v1beta1.SocialAccount) bool {
	return g.Platform == a.Spec.Platform && g.Brand == a.Spec.BrandRef.Name && g.identity(a) != nil
}

func (g *Grant) identity(a *v1beta1.SocialAccount) *publish.Identity {
	i := slices.IndexFunc(g.Identities, func(i publish.Identity) bool { return i.ID == a.Spec.PlatformAccountID })
	if i < 0 {
		return nil
	}
	return &g.Identities[i]
}

// ended returns how the permission ended for the account; nil if it has not.
func (g *Grant) ended(a *v1beta1.SocialAccount) *Ended {
	if g.Ended != nil {
		return g.Ended
	}
	return g.Denied[a.Spec.PlatformAccountID]
}

// account returns the account for calls to the platform.
func (g *Grant) account(a *v1beta1.SocialAccount) publish.Account {
	i := g.identity(a)
	return publish.Account{ID: i.ID, Username: i.Username, Type: i.Type, AccessToken: g.Tokens.AccessToken, Scopes: g.Tokens.Scopes}
}

// endsAt returns when the longest-lived credential expires; zero if the platform reported no expiry.
func (g *Grant) endsAt() time.Time {
	t := g.Tokens
	switch {
	case t.RefreshToken == "":
		return t.AccessExpiresAt
	case t.RefreshExpiresAt.IsZero(), t.RefreshExpiresAt.After(t.AccessExpiresAt):
		return t.RefreshExpiresAt
	}
	return t.AccessExpiresAt
}

// over reports whether every credential has expired.
func (g *Grant) over(now time.Time) bool {
	end := g.endsAt()
	return !end.IsZero() && !now.Before(end)
}

// merge returns the tokens after a renewal. Fields that the platform did not send again keep their old value.
func merge(old, renewed publish.Tokens, now time.Time) publish.Tokens {
	if renewed.RefreshToken == "" {
		renewed.RefreshToken = old.RefreshToken
	}
	if renewed.RefreshExpiresAt.IsZero() && renewed.RefreshToken == old.RefreshToken {
		renewed.RefreshExpiresAt = old.RefreshExpiresAt
	}
	if len(renewed.Scopes) == 0 {
		renewed.Scopes = old.Scopes
	}
	if renewed.IssuedAt.IsZero() {
		renewed.IssuedAt = now
	}
	return renewed
}
