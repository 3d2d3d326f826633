// SPDX-License-Identifier: Apache-2.0

package socialaccount

import (
	"context"
	"errors"
	"time"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/social/publish"
)

const (
	// platformTimeout bounds the reads of one reconcile from the platform.
	platformTimeout = 15 * time.Second
	// misconfiguredWait is the requeue delay after the platform rejected the installation's app, which an operator has
	// to fix. limitedWait is the requeue delay after a rate limit, unless the platform reports a longer one.
	misconfiguredWait = 10 * time.Minute
	limitedWait       = 5 * time.Minute
)

// result is what act did and read.
type result struct {
	// headroom is the value that the platform returned at observedAt; nil if the platform does not report a quota.
	// observedAt is zero if headroom was not read or the read failed.
	headroom   *publish.Headroom
	observedAt time.Time
	// creator is the value that the platform returned at creatorRead; nil if it was not read or the read failed.
	creator     *publish.Creator
	creatorRead time.Time
	// refused is set while the platform rejects the installation's app.
	refused *publish.Error
	// retry is the error that requeues with backoff. wait is the longest time until the next reconcile, or 0.
	retry error
	wait  time.Duration
}

// act seals the tokens with the newest key, refreshes them if they are due, and reads headroom and profile if they are
// due.
func (r *Reconciler) act(ctx context.Context, a *v1beta1.SocialAccount, o *observed) (*result, error) {
	d := &result{}
	if o.grant.OldKey {
		if err := r.Keeper.Reseal(ctx, a); err != nil {
			return nil, err
		}
	}
	now := r.Clock.Now()
	if o.platform == nil || !tokenStatus(a, o, now).Usable() && !o.renewable() {
		return d, nil
	}
	if at := o.grant.RenewAt; !at.IsZero() && !now.Before(at) {
		if err := r.Keeper.Refresh(ctx, a); err != nil {
			r.refreshFailed(d, err)
		}
		var err error
		if o.grant, err = r.Keeper.See(ctx, a); err != nil {
			return nil, err
		}
	}
	if d.retry == nil && tokenStatus(a, o, now).Usable() {
		return d, r.read(ctx, a, o, d)
	}
	return d, nil
}

// renewable reports whether a refresh may succeed although the token has expired by the local clock. The platform's
// clock decides.
func (o *observed) renewable() bool {
	return o.grant.Problem == nil && o.grant.Ended == nil && len(o.grant.Lacking) == 0 && o.grant.Renewable
}

// refreshFailed sets the requeue after a failed refresh. The Keeper has already recorded a rejected token in the grant.
func (r *Reconciler) refreshFailed(d *result, err error) {
	var e *publish.Error
	if !errors.As(err, &e) {
		d.retry = err
		return
	}
	switch e.Kind {
	case publish.Auth, publish.Scope:
	case publish.Misconfigured:
		d.refused, d.wait = e, misconfiguredWait
	case publish.RateLimited:
		d.wait = max(e.RetryAfter, e.ResetsAt.Sub(r.Clock.Now()), limitedWait)
	default:
		d.retry = err
	}
}

// read reads headroom, creator and profile if they are due and the budget allows the calls. Failed reads are repeated
// later.
func (r *Reconciler) read(ctx context.Context, a *v1beta1.SocialAccount, o *observed, d *result) error {
	now := r.Clock.Now()
	reader, describes := o.platform.(publish.CreatorReader)
	what, wait := r.budget.acquire(a.UID, now, o.grant.ConnectedAt, describes)
	d.wait = shorter(d.wait, wait)
	if what == (reads{}) {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, platformTimeout)
	defer cancel()
	account, err := r.Keeper.Account(ctx, a)
	if err != nil {
		r.budget.postpone(a.UID, now)
		return r.platformFailed(ctx, a, o, "", err)
	}
	if what.headroom {
		d.headroom, err = o.platform.Headroom(ctx, account)
		if err != nil {
			d.headroom = nil
			r.budget.postpone(a.UID, now)
			return r.platformFailed(ctx, a, o, account.AccessToken, err)
		}
		d.observedAt = now
	}
	if what.creator {
		d.creator, err = reader.Creator(ctx, account)
		if err != nil {
			d.creator = nil // the next read is in an hour
			return r.platformFailed(ctx, a, o, account.AccessToken, err)
		}
		d.creatorRead = now
	}
	if what.identity {
		who, err := o.platform.Identify(ctx, account)
		if err != nil || who == nil {
			return r.platformFailed(ctx, a, o, account.AccessToken, err)
		}
		if err := r.Keeper.Describe(ctx, a, *who); err != nil {
			return err
		}
		o.grant, err = r.Keeper.See(ctx, a)
		return err
	}
	return nil
}

// platformFailed records what an error of the platform means for the token. It ignores errors that do not concern the
// token.
func (r *Reconciler) platformFailed(ctx context.Context, a *v1beta1.SocialAccount, o *observed, used string, cause error) error {
	var e *publish.Error
	if !errors.As(cause, &e) {
		return nil
	}
	switch {
	case e.Kind == publish.Unauthorized && used != "":
		if _, err := r.Keeper.Renew(ctx, a, used); errors.As(err, &e) && e.Kind != publish.Auth && e.Kind != publish.Scope {
			return nil // the next use of the token retries
		}
	case (e.Kind == publish.Auth || e.Kind == publish.Scope) && used != "":
		if err := r.Keeper.Refused(ctx, a, used, e); err != nil {
			return nil //nolint:nilerr // the next call is rejected again
		}
	case e.Kind == publish.Auth || e.Kind == publish.Scope:
	default:
		return nil
	}
	var err error
	o.grant, err = r.Keeper.See(ctx, a)
	return err
}

func shorter(a, b time.Duration) time.Duration {
	if a == 0 || (b > 0 && b < a) {
		return b
	}
	return a
}
