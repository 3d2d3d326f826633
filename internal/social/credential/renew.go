// SPDX-License-Identifier: Apache-2.0

package credential

import (
	"context"
	"errors"
	"fmt"
	"maps"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/social/publish"
)

// current returns the grant in the cluster, after storing renewed tokens that waited in memory. The caller holds the
// cell.
func (k *Keeper) current(ctx context.Context, key types.NamespacedName, c *cell) (*corev1.Secret, *Grant, error) {
	s, g, err := k.read(ctx, key)
	if err != nil || c.unstored == nil {
		return s, g, err
	}
	if !follows(c.unstored, g) { // connected again in the meantime, or already stored
		k.setUnstored(c, nil)
		return s, g, nil
	}
	if _, err := k.store(ctx, key, c, s, c.unstored); err != nil {
		return nil, nil, err
	}
	return k.read(ctx, key)
}

// follows reports whether next is a later renewal of the stored grant.
func follows(next, stored *Grant) bool {
	return next.Request == stored.Request && next.Renewals > stored.Renewals
}

// renew renews the tokens and stores the result. It returns nil, nil if a concurrent change means that the grant has to
// be read again.
func (k *Keeper) renew(ctx context.Context, key types.NamespacedName, c *cell, s *corev1.Secret, g *Grant) (*Grant, error) {
	p := k.platforms[g.Platform]
	if p == nil {
		return nil, &publish.Error{Kind: publish.Misconfigured, Code: "not_configured", Safe: fmt.Sprintf("The installation has no app on %s", g.Platform)}
	}
	call, cancel := context.WithTimeout(context.WithoutCancel(ctx), renewTime)
	defer cancel()
	renewed, err := p.Refresh(call, g.Tokens)
	if err == nil && renewed.AccessToken == "" {
		err = notRenewed(errors.New("no token in the answer"))
	}
	var e *publish.Error
	switch {
	case err == nil:
		next := *g
		next.Tokens, next.Renewals, next.Ended = merge(g.Tokens, renewed, k.clock.Now()), g.Renewals+1, nil
		k.setUnstored(c, &next)
		stored, err := k.store(ctx, key, c, s, &next)
		if err != nil || !stored {
			return nil, err
		}
		return &next, nil
	case !errors.As(err, &e):
		return nil, notRenewed(err)
	case e.Kind == publish.Auth || e.Kind == publish.Scope:
		return nil, k.over(ctx, key, s, g, e)
	case e.Kind == publish.Unauthorized || e.Kind == publish.Ambiguous || e.Kind == publish.Rejected:
		// For a publishing call these kinds mean more; for a renewal they only mean that it failed.
		return nil, notRenewed(err)
	}
	return nil, e
}

func notRenewed(err error) *publish.Error {
	return &publish.Error{Kind: publish.Transient, Code: "not_renewed", Safe: "The account's token could not be renewed at the moment", Err: err}
}

// codeUnstored is the error code for renewed tokens that are not stored yet.
const codeUnstored = "tokens_not_stored"

// store writes a renewed grant over the Secret that was read, and reports whether the Secret now holds it. After a
// failed write it compares with the stored grant. It keeps the grant of another approval and a renewal that is at least
// as new. It overwrites everything else, including an end of the permission that was recorded for the older tokens. If
// the write keeps failing, the renewed grant stays in the cell.
func (k *Keeper) store(ctx context.Context, key types.NamespacedName, c *cell, s *corev1.Secret, next *Grant) (bool, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), storeTime)
	defer cancel()
	var last error
	for range maxReads {
		if last = k.write(ctx, key, s, next); last == nil {
			k.setUnstored(c, nil)
			k.changed(s)
			return true, nil
		}
		// The write was applied and its response lost, or another writer wrote first: read again.
		found, stored, err := k.read(ctx, key)
		switch {
		case publish.KindOf(err) == publish.Auth: // the Secret was deleted, and with it the connection
			k.setUnstored(c, nil)
			return false, err
		case err != nil:
			continue
		case !follows(next, stored):
			k.setUnstored(c, nil)
			k.changed(s)
			return false, nil
		}
		s = found
	}
	return false, &publish.Error{Kind: publish.Transient, Code: codeUnstored, Safe: "The renewed tokens could not be stored yet", Err: last}
}

func (k *Keeper) write(ctx context.Context, key types.NamespacedName, s *corev1.Secret, g *Grant) error {
	sealed, err := k.seal(key, g)
	if err != nil {
		return err
	}
	w := s.DeepCopy()
	w.Data = map[string][]byte{sealedKey: sealed}
	return k.client.Update(ctx, w)
}

// Reseal seals the account's tokens with the first key of the key file, unless they already are. The tokens stay the
// same, and no platform is called. It returns errors of reading or writing the Secret, including conflicts.
func (k *Keeper) Reseal(ctx context.Context, a *v1beta1.SocialAccount) error {
	key := secretOf(a)
	c, err := k.hold(ctx, key)
	if err != nil {
		return err
	}
	defer k.release(key, c)
	s, g, err := k.current(ctx, key, c)
	if err != nil || !k.sealer.Stale(s.Data[sealedKey]) {
		return err
	}
	if err := k.write(ctx, key, s, g); err != nil {
		return fmt.Errorf("sealing tokens with the new key: %w", err)
	}
	return nil
}

// over records that the permission has ended and returns the reason. It returns nil if the grant was changed since it
// was read: a manager that is shutting down may have renewed just before and invalidated this refresh token. The Secret
// then holds a newer one.
func (k *Keeper) over(ctx context.Context, key types.NamespacedName, s *corev1.Secret, g *Grant, e *publish.Error) error {
	ended, err := k.end(ctx, key, s, g, "", e)
	if err != nil || !ended {
		return err
	}
	return e
}

// end records that the permission has ended: for the identity of, or for all if of is empty. It returns false without
// recording if the grant was changed since it was read.
func (k *Keeper) end(ctx context.Context, key types.NamespacedName, s *corev1.Secret, g *Grant, of string, e *publish.Error) (bool, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), storeTime)
	defer cancel()
	over := *g
	ended := &Ended{Status: v1beta1.TokenExpired, At: k.clock.Now().UTC(), Code: e.Code, Safe: e.Safe}
	switch {
	case e.Kind == publish.Scope:
		ended.Status = v1beta1.TokenInsufficientScope
	case e.Revoked:
		ended.Status = v1beta1.TokenRevoked
	}
	if of == "" {
		over.Ended = ended
	} else {
		over.Denied = maps.Clone(g.Denied)
		if over.Denied == nil {
			over.Denied = map[string]*Ended{}
		}
		over.Denied[of] = ended
	}
	switch err := k.write(ctx, key, s, &over); {
	case apierrors.IsConflict(err):
		_, now, rerr := k.read(ctx, key)
		if rerr != nil {
			return false, rerr
		}
		if now.Request != g.Request || now.Renewals != g.Renewals {
			return false, nil
		}
		// The Secret changed in another way, or the same end was already recorded: the next refusal is recorded.
		return true, nil
	case apierrors.IsNotFound(err):
		return false, again("no_tokens", "The account's tokens do not exist", err)
	case err != nil:
		// The refusal is not lost: the platform repeats it on the next call.
		return true, nil
	}
	k.changed(s)
	return true, nil
}
