// SPDX-License-Identifier: Apache-2.0

package credential

import (
	"context"
	"errors"
	"time"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/social/publish"
)

// Sight is what is known of an account's permission, without the tokens.
type Sight struct {
	// Problem says why nothing is known: an Auth error that the tokens are gone or are not this account's, a Misconfigured one that they
	// cannot be opened here. Everything else is then empty.
	Problem *publish.Error
	// Identity of the account as the platform described it.
	Identity    publish.Identity
	Scopes      []string
	Lacking     []string
	ConnectedAt time.Time
	// EndsAt is when the longest-lived credential ends, RenewAt when tokens are renewed by themselves; zero when they do not or are not.
	EndsAt, RenewAt time.Time
	// Renewable says that no person is needed for that.
	Renewable bool
	// Ended is set once the platform said that it is over.
	Ended *Ended
	// OldKey reports whether the Secret is sealed with another key than the first of the key file. Reseal changes that.
	OldKey bool
}

// See tells what is known of an account's permission. It asks no platform. The error is one of reading the cluster.
func (k *Keeper) See(ctx context.Context, a *v1beta1.SocialAccount) (*Sight, error) {
	secret, g, err := k.read(ctx, secretOf(a))
	if err == nil && !g.Covers(a) {
		err = usable(g, a, k.clock.Now())
	}
	if err != nil {
		var e *publish.Error
		if !errors.As(err, &e) || e.Kind == publish.Transient {
			return nil, err
		}
		return &Sight{Problem: e}, nil
	}
	return &Sight{
		Identity: *g.identity(a), Scopes: g.Tokens.Scopes, Lacking: g.Lacking, ConnectedAt: g.ConnectedAt, EndsAt: g.endsAt(),
		RenewAt: renewAt(g.Platform, g.Tokens, a.Spec.TokenSecretRef.Name), Renewable: Renewable(g.Platform, g.Tokens), Ended: g.ended(a),
		OldKey: k.sealer.Stale(secret.Data[sealedKey]),
	}, nil
}
