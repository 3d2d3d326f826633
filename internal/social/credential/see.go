// SPDX-License-Identifier: Apache-2.0

package credential

import (
	"context"
	"errors"
	"time"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/social/publish"
)

// Sight is the known state of an account's permission, without the tokens.
type Sight struct {
	// Problem is why the state is unknown. An Auth error means that the tokens are missing or are not this account's. A
	// Misconfigured error means that this installation cannot open them. All other fields are then empty.
	Problem *publish.Error
	// Identity of the account as the platform described it.
	Identity    publish.Identity
	Scopes      []string
	Lacking     []string
	ConnectedAt time.Time
	// EndsAt is when the longest-lived credential expires, RenewAt when tokens are renewed by schedule. Each is zero if
	// that never happens.
	EndsAt, RenewAt time.Time
	// Renewable reports whether tokens can be renewed without a person.
	Renewable bool
	// Ended is set once the platform reported that the permission has ended.
	Ended *Ended
	// OldKey reports whether the Secret is sealed with a key other than the first of the key file. Reseal changes that.
	OldKey bool
}

// See returns the state of an account's permission. It calls no platform. Its errors are those of reading the cluster.
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
