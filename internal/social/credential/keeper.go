// SPDX-License-Identifier: Apache-2.0

package credential

import (
	"context"
	"errors"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/social/publish"
	"github.com/reelops/reelops/internal/store/envelope"
)

// renewTime bounds one renewal, storeTime the storing of its result. Cancelling the caller's context does not shorten
// them: if a renewed token is not stored, the permission may be lost.
const (
	renewTime = 20 * time.Second
	storeTime = 10 * time.Second
)

// Config is the configuration of a Keeper.
type Config struct {
	// Client reads and writes Secrets without a cache: a cache would hold a second copy of the tokens.
	Client client.Client
	Sealer *envelope.Sealer
	// Platforms are the configured platforms, with their app secrets.
	Platforms map[v1beta1.Platform]publish.Platform
	Clock     clock.PassiveClock
}

// Keeper stores and renews tokens. It is safe for concurrent use. Only one process renews at a time: the leader.
type Keeper struct {
	client    client.Client
	sealer    *envelope.Sealer
	platforms map[v1beta1.Platform]publish.Platform
	clock     clock.PassiveClock

	mu      sync.Mutex
	cells   map[types.NamespacedName]*cell
	watcher func(types.NamespacedName)
}

// New returns a Keeper.
func New(c Config) *Keeper {
	return &Keeper{
		client: c.Client, sealer: c.Sealer, platforms: c.Platforms, clock: c.Clock,
		cells: map[types.NamespacedName]*cell{}, watcher: func(types.NamespacedName) {},
	}
}

// Watch registers f, which is called with the name of every Secret whose grant changed. f must return at once. Call
// Watch before any other method.
func (k *Keeper) Watch(f func(secret types.NamespacedName)) { k.watcher = f }

func secretOf(a *v1beta1.SocialAccount) types.NamespacedName {
	return types.NamespacedName{Namespace: a.Namespace, Name: a.Spec.TokenSecretRef.Name}
}

// Account returns the account with a token that is valid for some minutes, and renews a token that expires soon. While
// the old token is still valid, a failed renewal that can be retried is not an error.
func (k *Keeper) Account(ctx context.Context, a *v1beta1.SocialAccount) (publish.Account, error) {
	return k.AccountFor(ctx, a, 0)
}

// AccountFor is Account with a token that is valid for the time needs, if the platform issues such long-lived tokens.
func (k *Keeper) AccountFor(ctx context.Context, a *v1beta1.SocialAccount, needs time.Duration) (publish.Account, error) {
	g, err := k.tokens(ctx, a, false, func(g *Grant) bool {
		return Renewable(g.Platform, g.Tokens) && dueSoon(g.Tokens, k.clock.Now(), needs)
	})
	if err != nil {
		return publish.Account{}, err
	}
	return g.account(a), nil
}

// Renew returns a token other than used, which the platform rejected: the token of a concurrent renewal, or a renewed
// one.
func (k *Keeper) Renew(ctx context.Context, a *v1beta1.SocialAccount, used string) (publish.Account, error) {
	g, err := k.tokens(ctx, a, true, func(g *Grant) bool { return g.Tokens.AccessToken == used })
	if err != nil {
		return publish.Account{}, err
	}
	if g.Tokens.AccessToken == used {
		return publish.Account{}, notRenewed(nil)
	}
	return g.account(a), nil
}

// Refresh renews the account's tokens if their scheduled renewal is due.
func (k *Keeper) Refresh(ctx context.Context, a *v1beta1.SocialAccount) error {
	_, err := k.tokens(ctx, a, true, func(g *Grant) bool {
		at := renewAt(g.Platform, g.Tokens, a.Spec.TokenSecretRef.Name)
		return !at.IsZero() && !k.clock.Now().Before(at)
	})
	return err
}

// Refused records that the platform rejected a call with the token used with an error of kind Auth or Scope. Other
// errors change nothing, and neither does an error for a token that is no longer in use.
func (k *Keeper) Refused(ctx context.Context, a *v1beta1.SocialAccount, used string, cause error) error {
	var e *publish.Error
	if !errors.As(cause, &e) || (e.Kind != publish.Auth && e.Kind != publish.Scope) {
		return nil
	}
	key := secretOf(a)
	c, err := k.hold(ctx, key)
	if err != nil {
		return err
	}
	defer k.release(key, c)
	s, g, err := k.current(ctx, key, c)
	if err != nil {
		return err
	}
	if !g.Covers(a) || g.Tokens.AccessToken != used || g.ended(a) != nil {
		return nil
	}
	var of string
	if e.Kind == publish.Scope && len(g.Identities) > 1 {
		of = a.Spec.PlatformAccountID // a refusal for one page does not affect the person or other pages
	}
	_, err = k.end(ctx, key, s, g, of, e)
	return err
}

// tokens returns the account's grant, renewed if due returns true. If must is false and the token has not expired, a
// failed renewal that can be retried is not an error.
func (k *Keeper) tokens(ctx context.Context, a *v1beta1.SocialAccount, must bool, due func(*Grant) bool) (*Grant, error) {
	key := secretOf(a)
	if !k.pending(key) {
		_, g, err := k.read(ctx, key)
		if err == nil {
			err = usable(g, a, k.clock.Now())
		}
		if err != nil || !due(g) {
			return g, err
		}
	}
	c, err := k.hold(ctx, key)
	if err != nil {
		return nil, err
	}
	defer k.release(key, c)
	for range maxReads {
		s, g, err := k.current(ctx, key, c)
		if err == nil {
			err = usable(g, a, k.clock.Now())
		}
		if err != nil || !due(g) { // the former holder of the cell renewed it, or the account was connected again
			return g, err
		}
		next, err := k.renew(ctx, key, c, s, g)
		if err != nil && !must && passes(err) && !spent(g.Tokens, k.clock.Now()) {
			return g, nil
		}
		if err != nil || next != nil {
			return next, err
		}
	}
	return nil, &publish.Error{Kind: publish.Transient, Code: "tokens_busy", Safe: "The account's tokens are being changed by other processes"}
}

// passes reports whether a renewal error is retryable: it neither ends the permission nor leaves renewed tokens
// unstored.
func passes(err error) bool {
	kind := publish.KindOf(err)
	var e *publish.Error
	return kind != publish.Auth && kind != publish.Scope && !(errors.As(err, &e) && e.Code == codeUnstored)
}

// maxReads bounds how often a grant is read again after a concurrent change.
const maxReads = 4

// usable returns why the grant permits no call for the account, or nil.
func usable(g *Grant, a *v1beta1.SocialAccount, now time.Time) error {
	ended := g.ended(a)
	switch {
	case !g.Covers(a):
		return &publish.Error{Kind: publish.Auth, Code: "not_granted", Safe: "The user who connected last did not grant access to this account", Revoked: true}
	case ended != nil && ended.Status == v1beta1.TokenInsufficientScope:
		return &publish.Error{Kind: publish.Scope, Code: ended.Code, Safe: ended.Safe}
	case ended != nil:
		return &publish.Error{Kind: publish.Auth, Code: ended.Code, Safe: ended.Safe, Revoked: ended.Status == v1beta1.TokenRevoked}
	case len(g.Lacking) > 0:
		return &publish.Error{Kind: publish.Scope, Code: "scope_missing", Safe: "A permission that publishing needs was not granted"}
	case g.over(now) && !Renewable(g.Platform, g.Tokens):
		return again("token_expired", "The permission has expired", nil)
	}
	return nil
}

// changed notifies the watcher of the Secret.
func (k *Keeper) changed(s *corev1.Secret) {
	k.watcher(types.NamespacedName{Namespace: s.Namespace, Name: s.Name})
}
