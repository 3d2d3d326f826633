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
	// platformTime bounds one question to a platform.
	platformTime = 15 * time.Second
	// misconfiguredWait is how long a pass waits for whoever runs the installation, limitedWait for a platform that did not say how long.
	misconfiguredWait = 10 * time.Minute
	limitedWait       = 5 * time.Minute
)

// done is what a pass did outside.
type done struct {
	// headroom as the platform told it; told is when it was asked, zero when it was not or did not say.
	headroom *publish.Headroom
	told     time.Time
	// creator as the platform described it at a time; nil when it was not read or did not answer.
	creator     *publish.Creator
	creatorRead time.Time
	// refused is set while the platform does not accept the installation's app.
	refused *publish.Error
	// fault has the pass repeated with growing waits, wait after a time.
	fault error
	wait  time.Duration
}

// act seals the tokens with the newest key, renews them when it is time, and asks the platform what is asked now and then.
func (r *Reconciler) act(ctx context.Context, a *v1beta1.SocialAccount, o *observation) (*done, error) {
	d := &done{}
	if o.sight.OldKey {
		if err := r.Keeper.Reseal(ctx, a); err != nil {
			return nil, err
		}
	}
	now := r.Clock.Now()
	if o.platform == nil || !tokenStatus(a, o, now).Usable() && !o.renewable(now) {
		return d, nil
	}
	if at := o.sight.RenewAt; !at.IsZero() && !now.Before(at) {
		if err := r.Keeper.Refresh(ctx, a); err != nil {
			r.judge(d, err)
		}
		var err error
		if o.sight, err = r.Keeper.See(ctx, a); err != nil {
			return nil, err
		}
	}
	if d.fault == nil && tokenStatus(a, o, now).Usable() {
		return d, r.ask(ctx, a, o, d)
	}
	return d, nil
}

// renewable says that a permission whose time seems to be over by our clock may still be renewed: the platform's clock decides.
func (o *observation) renewable(time.Time) bool {
	return o.sight.Problem == nil && o.sight.Ended == nil && len(o.sight.Lacking) == 0 && o.sight.Renewable
}

// judge sorts the error of a renewal. That the permission has ended is in the grant by then.
func (r *Reconciler) judge(d *done, err error) {
	var e *publish.Error
	if !errors.As(err, &e) {
		d.fault = err
		return
	}
	switch e.Kind {
	case publish.Auth, publish.Scope:
	case publish.Misconfigured:
		d.refused, d.wait = e, misconfiguredWait
	case publish.RateLimited:
		d.wait = max(e.RetryAfter, e.ResetsAt.Sub(r.Clock.Now()), limitedWait)
	default:
		d.fault = err
	}
}

// ask asks for the headroom and the names, when their time has come and the budget allows it. Answers that do not come are
// asked for another time.
func (r *Reconciler) ask(ctx context.Context, a *v1beta1.SocialAccount, o *observation, d *done) error {
	now := r.Clock.Now()
	reader, describes := o.platform.(publish.CreatorReader)
	what, wait := r.budget.take(a.UID, now, o.sight.ConnectedAt, describes)
	d.wait = shorter(d.wait, wait)
	if what == (questions{}) {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, platformTime)
	defer cancel()
	account, err := r.Keeper.Account(ctx, a)
	if err != nil {
		r.budget.postpone(a.UID, now)
		return r.settle(ctx, a, o, "", err)
	}
	if what.headroom {
		d.headroom, err = o.platform.Headroom(ctx, account)
		if err != nil {
			d.headroom = nil
			r.budget.postpone(a.UID, now)
			return r.settle(ctx, a, o, account.AccessToken, err)
		}
		d.told = now
	}
	if what.creator {
		d.creator, err = reader.Creator(ctx, account)
		if err != nil {
			d.creator = nil // it is read again in an hour
			return r.settle(ctx, a, o, account.AccessToken, err)
		}
		d.creatorRead = now
	}
	if what.identity {
		who, err := o.platform.Identify(ctx, account)
		if err != nil || who == nil {
			return r.settle(ctx, a, o, account.AccessToken, err)
		}
		if err := r.Keeper.Describe(ctx, a, *who); err != nil {
			return err
		}
		o.sight, err = r.Keeper.See(ctx, a)
		return err
	}
	return nil
}

// settle makes of an error of the platform what it says of the permission, and of nothing else.
func (r *Reconciler) settle(ctx context.Context, a *v1beta1.SocialAccount, o *observation, used string, cause error) error {
	var e *publish.Error
	if !errors.As(cause, &e) {
		return nil
	}
	switch {
	case e.Kind == publish.Unauthorized && used != "":
		if _, err := r.Keeper.Renew(ctx, a, used); errors.As(err, &e) && e.Kind != publish.Auth && e.Kind != publish.Scope {
			return nil // it is tried again when somebody needs the token
		}
	case (e.Kind == publish.Auth || e.Kind == publish.Scope) && used != "":
		if err := r.Keeper.Refused(ctx, a, used, e); err != nil {
			return nil //nolint:nilerr // the platform says it again to whoever asks next
		}
	case e.Kind == publish.Auth || e.Kind == publish.Scope:
	default:
		return nil
	}
	var err error
	o.sight, err = r.Keeper.See(ctx, a)
	return err
}

func shorter(a, b time.Duration) time.Duration {
	if a == 0 || (b > 0 && b < a) {
		return b
	}
	return a
}
