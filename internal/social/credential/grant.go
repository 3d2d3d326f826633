// SPDX-License-Identifier: Apache-2.0

package credential

import (
	"slices"
	"time"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/social/publish"
)

// Grant is what a person gave at once. It is stored sealed.
type Grant struct {
	// Request is the uid of the ConnectionRequest that brought it: a new one with each approval.
	Request  string           `json:"request"`
	Platform v1beta1.Platform `json:"platform"`
	// Brand is the name of the brand it was given for.
	Brand string `json:"brand"`
	// Identities are the accounts it covers.
	Identities []publish.Identity `json:"identities"`
	// Lacking lists the scopes that publishing needs and that were not granted.
	Lacking     []string       `json:"lacking,omitempty"`
	ConnectedAt time.Time      `json:"connected_at"`
	Tokens      publish.Tokens `json:"tokens"`
	// Renewals counts how often the tokens were renewed.
	Renewals int64 `json:"renewals"`
	// Ended is set once the platform has said that the permission is over.
	Ended *Ended `json:"ended,omitempty"`
	// Denied are those of several identities that the platform no longer lets the person act for, by their ids.
	Denied map[string]*Ended `json:"denied,omitempty"`
}

// Ended tells how a permission ended.
type Ended struct {
	// Status is expired, revoked or insufficient_scope.
	Status v1beta1.TokenStatus `json:"status"`
	At     time.Time           `json:"at"`
	// Code is the platform's word, Safe a sentence for people.
	Code string `json:"code,omitempty"`
	Safe string `json:"safe,omitempty"`
}

// Covers says that the grant is for the account.
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

// ended tells how the permission ended for the account; nil when it has not.
func (g *Grant) ended(a *v1beta1.SocialAccount) *Ended {
	if g.Ended != nil {
		return g.Ended
	}
	return g.Denied[a.Spec.PlatformAccountID]
}

// account is whom calls are made for.
func (g *Grant) account(a *v1beta1.SocialAccount) publish.Account {
	i := g.identity(a)
	return publish.Account{ID: i.ID, Username: i.Username, Type: i.Type, AccessToken: g.Tokens.AccessToken, Scopes: g.Tokens.Scopes}
}

// endsAt is when the longest-lived credential ends; zero when it does not, as far as the platform told.
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

// over says that the time of every credential is past.
func (g *Grant) over(now time.Time) bool {
	end := g.endsAt()
	return !end.IsZero() && !now.Before(end)
}

// merge is what stands after a renewal: what the platform did not send again is kept.
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
