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

// current is the grant as it lies in the cluster, after what waited in memory was stored. The cell is held.
func (k *Keeper) current(ctx context.Context, key types.NamespacedName, c *cell) (*corev1.Secret, *Grant, error) {
	s, g, err := k.read(ctx, key)
	if err != nil || c.unstored == nil {
		return s, g, err
	}
	if !follows(c.unstored, g) { // connected again meanwhile, or stored after all
		k.setUnstored(c, nil)
		return s, g, nil
	}
	if _, err := k.store(ctx, key, c, s, c.unstored); err != nil {
		return nil, nil, err
	}
	return k.read(ctx, key)
}

// follows says that next is a renewal of what is stored.
func follows(next, stored *Grant) bool {
	return next.Request == stored.Request && next.Renewals > stored.Renewals
}

// renew has the platform renew the tokens and stores what it gives. It answers nil, nil when the grant was changed by somebody else
// and has to be read again.
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
		// Said of a call that publishes these would mean something; here they only say that it did not work.
		return nil, notRenewed(err)
	}
	return nil, e
}

func notRenewed(err error) *publish.Error {
	return &publish.Error{Kind: publish.Transient, Code: "not_renewed", Safe: "The account's token could not be renewed just now", Err: err}
}

// codeUnstored is the code of renewed tokens that wait to be stored.
const codeUnstored = "tokens_not_stored"

// store writes a renewed grant over the Secret that was read, and says whether it is what lies there now. What it finds there instead is
// judged: another round's grant stays, and so does a renewal that somebody else stored; everything else is overwritten, a verdict too
// that was found with the tokens before these. When the cluster does not take it, it stays in the cell.
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
		// Applied without an answer, or somebody was faster: look.
		found, stored, err := k.read(ctx, key)
		switch {
		case publish.KindOf(err) == publish.Auth: // the Secret is gone, and with it the connection
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

// Reseal seals the account's tokens with the first key of the key file, unless they are. The tokens stay the same and no platform is
// called. The error is one of reading or writing the Secret; a conflict is one too.
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

// over records that the permission has ended and answers with why; nil when the grant was changed since it was read. Whoever renewed
// just before, a manager that is on its way out, may have made our refresh token void: then there is a newer one.
func (k *Keeper) over(ctx context.Context, key types.NamespacedName, s *corev1.Secret, g *Grant, e *publish.Error) error {
	ended, err := k.end(ctx, key, s, g, "", e)
	if err != nil || !ended {
		return err
	}
	return e
}

// end records that the permission is over, for one of its identities or, without an id, for all, unless the grant was changed since it was
// read: then it answers false.
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
		// Somebody touched the Secret otherwise, or wrote the same verdict: the next refusal is recorded.
		return true, nil
	case apierrors.IsNotFound(err):
		return false, again("no_tokens", "The account's tokens are gone", err)
	case err != nil:
		// The verdict is not lost: the platform gives it again to whoever asks next.
		return true, nil
	}
	k.changed(s)
	return true, nil
}
