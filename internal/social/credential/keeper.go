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

// renewTime bounds one renewal, and storeTime the storing of what it brought. They are not cut short by who waits: an answer that
// nobody stores can be the loss of the permission.
const (
	renewTime = 20 * time.Second
	storeTime = 10 * time.Second
)

// Config is what a Keeper is made of.
type Config struct {
	// Client reads and writes Secrets, live: a cache of them would be one more place where tokens lie.
	Client client.Client
	Sealer *envelope.Sealer
	// Platforms with their secrets.
	Platforms map[v1beta1.Platform]publish.Platform
	Clock     clock.PassiveClock
}

// Keeper keeps tokens. It is safe for use by many goroutines; one process at a time renews, the leader.
type Keeper struct {
	client    client.Client
	sealer    *envelope.Sealer
	platforms map[v1beta1.Platform]publish.Platform
	clock     clock.PassiveClock

	mu      sync.Mutex
	cells   map[types.NamespacedName]*cell
	watcher func(types.NamespacedName)
}

// New makes one.
func New(c Config) *Keeper {
	return &Keeper{
		client: c.Client, sealer: c.Sealer, platforms: c.Platforms, clock: c.Clock,
		cells: map[types.NamespacedName]*cell{}, watcher: func(types.NamespacedName) {},
	}
}

// Watch has f called with the name of every Secret whose grant changed. f returns at once. Call it before anything else.
func (k *Keeper) Watch(f func(secret types.NamespacedName)) { k.watcher = f }

func secretOf(a *v1beta1.SocialAccount) types.NamespacedName {
	return types.NamespacedName{Namespace: a.Namespace, Name: a.Spec.TokenSecretRef.Name}
}

// Account is the account with a token that works for some minutes, renewed before when it ends soon. A renewal that fails and can
// be tried again is no error while the token still works.
func (k *Keeper) Account(ctx context.Context, a *v1beta1.SocialAccount) (publish.Account, error) {
	return k.AccountFor(ctx, a, 0)
}

// AccountFor is Account with a token that works for so long, where the platform gives such long-lived ones.
func (k *Keeper) AccountFor(ctx context.Context, a *v1beta1.SocialAccount, needs time.Duration) (publish.Account, error) {
	g, err := k.tokens(ctx, a, false, func(g *Grant) bool {
		return Renewable(g.Platform, g.Tokens) && dueSoon(g.Tokens, k.clock.Now(), needs)
	})
	if err != nil {
		return publish.Account{}, err
	}
	return g.account(a), nil
}

// Renew is called when the platform did not accept the token used. It answers with another one: what somebody else has got since, or
// a renewed one.
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

// Refresh renews the account's tokens if their time has come, whether anybody needs them or not.
func (k *Keeper) Refresh(ctx context.Context, a *v1beta1.SocialAccount) error {
	_, err := k.tokens(ctx, a, true, func(g *Grant) bool {
		at := renewAt(g.Platform, g.Tokens, a.Spec.TokenSecretRef.Name)
		return !at.IsZero() && !k.clock.Now().Before(at)
	})
	return err
}

// Refused records that the platform answered a call with the token used by an error of kind Auth or Scope. Other errors, and one about
// a token that is not in use any more, change nothing.
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
		of = a.Spec.PlatformAccountID // what is refused for a page says nothing of the person and of other pages
	}
	_, err = k.end(ctx, key, s, g, of, e)
	return err
}

// tokens is the account's grant, renewed when due says so. Without must a renewal that can be tried again later is no error while the
// token is not spent.
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
		if err != nil || !due(g) { // whoever held it before has renewed it, or it was connected anew
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
	return nil, &publish.Error{Kind: publish.Transient, Code: "tokens_busy", Safe: "The account's tokens change too fast just now"}
}

// passes says that the error of a renewal leaves the permission as it is.
func passes(err error) bool {
	kind := publish.KindOf(err)
	var e *publish.Error
	return kind != publish.Auth && kind != publish.Scope && !(errors.As(err, &e) && e.Code == codeUnstored)
}

// maxReads bounds how often a grant that others changed meanwhile is read again.
const maxReads = 4

// usable says why no call can be made for the account with the grant, or nil.
func usable(g *Grant, a *v1beta1.SocialAccount, now time.Time) error {
	ended := g.ended(a)
	switch {
	case !g.Covers(a):
		return &publish.Error{Kind: publish.Auth, Code: "not_granted", Safe: "The person who connected last did not give this account", Revoked: true}
	case ended != nil && ended.Status == v1beta1.TokenInsufficientScope:
		return &publish.Error{Kind: publish.Scope, Code: ended.Code, Safe: ended.Safe}
	case ended != nil:
		return &publish.Error{Kind: publish.Auth, Code: ended.Code, Safe: ended.Safe, Revoked: ended.Status == v1beta1.TokenRevoked}
	case len(g.Lacking) > 0:
		return &publish.Error{Kind: publish.Scope, Code: "scope_missing", Safe: "A permission that publishing needs was not given"}
	case g.over(now) && !Renewable(g.Platform, g.Tokens):
		return again("token_expired", "The permission has run out", nil)
	}
	return nil
}

// changed wakes whoever shows the accounts of the Secret.
func (k *Keeper) changed(s *corev1.Secret) {
	k.watcher(types.NamespacedName{Namespace: s.Namespace, Name: s.Name})
}
