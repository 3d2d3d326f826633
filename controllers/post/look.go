// SPDX-License-Identifier: Apache-2.0

package post

import (
	"context"
	"errors"
	"fmt"
	"time"

	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/kube/status"
	"github.com/reelops/reelops/internal/social/publish"
)

const (
	// lookTime bounds one look.
	lookTime = 20 * time.Second
	// The longest gaps between looks: for an attempt that may have been taken, for an accepted post, for a link.
	findGap     = 5 * time.Minute
	acceptedGap = time.Minute
	linkGap     = time.Hour
	// recheckTime is how long after its time a check of a published post is tried.
	recheckTime = 6 * time.Hour
)

// find looks whether an attempt was taken. It changes nothing on the platform.
func (r *Reconciler) find(ctx context.Context, p *v1beta1.Post, f *facts) (time.Time, error) {
	m, a := f.memo, last(p)
	receipt, err := r.callFind(ctx, p, f, a)
	now := r.Clock.Now()
	if err != nil && ctx.Err() != nil {
		return time.Time{}, err // the process stops
	}
	if err == nil && receipt != nil && receipt.Guess {
		twin, failed := r.twin(ctx, p, receipt)
		if failed != nil {
			return time.Time{}, failed
		}
		if twin {
			receipt, err = nil, publish.ErrCannotTell
		}
	}
	var o *outcome
	switch {
	case err == nil && receipt != nil:
		o = &outcome{number: a.Number, state: v1beta1.AttemptAccepted, receipt: receipt}
	case errors.Is(err, publish.ErrNotFound) && m.believes():
		o = notSent(a.Number, "The platform has not got it")
	}
	if o != nil {
		if o.state == v1beta1.AttemptNotSent {
			mine, all := scopes(p)
			r.caps.Return(client.ObjectKeyFromObject(p), mine, all)
		} else {
			logAccepted(ctx, p, a.Number)
		}
		if p, err = r.record(ctx, p, o, m); err != nil {
			return time.Time{}, err
		}
		return r.afterRecord(p, m), nil
	}
	m.lookAfter, m.lookedAt = now.Add(lookGap(string(p.UID), m.looks, findGap)), now
	m.looks++
	if errors.Is(err, publish.ErrNotFound) && m.lookAfter.After(m.believeAt) && now.Before(m.believeAt) {
		m.lookAfter = m.believeAt
	}
	if a.State == v1beta1.AttemptIntended {
		ctrl.LoggerFrom(ctx).Info("whether a post was taken is not known", "platform", p.Spec.Platform, "attempt", a.Number)
		unknown := &outcome{number: a.Number, state: v1beta1.AttemptUnknown, err: &publish.Error{
			Kind: publish.Ambiguous, Safe: "What became of the call was not heard",
		}}
		after, looks := m.lookAfter, m.looks
		if _, err := r.record(ctx, p, unknown, m); err != nil {
			return time.Time{}, err
		}
		m.lookAfter, m.looks = after, looks
	}
	if end := a.StartedAt.Add(unknownTime); m.lookAfter.After(end) && now.Before(end) {
		m.lookAfter = end
	}
	return m.lookAfter, nil
}

func (r *Reconciler) callFind(ctx context.Context, p *v1beta1.Post, f *facts, a *v1beta1.PostAttempt) (*publish.Receipt, error) {
	ctx, cancel := context.WithTimeout(ctx, lookTime)
	defer cancel()
	f.memo.known = false // the note that was written with the attempt was sent, whatever this process has prepared itself
	note, err := r.note(p, f.memo)
	if err != nil {
		return nil, err
	}
	var receipt *publish.Receipt
	err = r.withAccount(ctx, f.account, func(account publish.Account) (err error) {
		receipt, err = r.Platforms[p.Spec.Platform].Find(ctx, account, r.sketch(p, f.memo), note, a.StartedAt.Time)
		return err
	})
	return receipt, err
}

// twin says that what was found by its words may be another post of the account: one that is known to be it, or one that says the same,
// came out or may have, and is not known to be something else.
func (r *Reconciler) twin(ctx context.Context, p *v1beta1.Post, found *publish.Receipt) (bool, error) {
	var list v1beta1.PostList
	if err := r.Client.List(ctx, &list, client.InNamespace(p.Namespace), client.UnsafeDisableDeepCopy); err != nil {
		return false, fmt.Errorf("listing posts: %w", err)
	}
	for i := range list.Items {
		q := &list.Items[i]
		a, id := last(q), q.Status.PlatformPostID
		switch {
		case q.UID == p.UID || q.Spec.Account != p.Spec.Account || a == nil:
		case id != "":
			if found.View != nil && id == found.View.PostID {
				return true, nil
			}
		case q.Spec.Title == p.Spec.Title && q.Spec.Caption == p.Spec.Caption && (a.State.Open() || a.State == v1beta1.AttemptAccepted):
			return true, nil
		}
	}
	return false, nil
}

// look asks what became of an accepted post, or for the link of a published one.
func (r *Reconciler) look(ctx context.Context, p *v1beta1.Post, f *facts) (time.Time, error) {
	m := f.memo
	view := r.callLook(ctx, p, f)
	now := r.Clock.Now()
	if err := ctx.Err(); err != nil {
		return time.Time{}, err // the process stops
	}
	gap := acceptedGap
	if p.Status.State.Final() {
		gap = linkGap
	}
	m.lookAfter = now.Add(lookGap(string(p.UID), m.looks, gap))
	m.looks++
	if view == nil {
		if at := p.Status.RecheckAt; at == nil || now.Sub(at.Time) < recheckTime {
			return m.lookAfter, nil
		}
		w := status.Begin(r.Client, p)
		p.Status.RecheckAt = nil // the platform does not show it: there is nothing more to find out
		return m.lookAfter, r.persist(ctx, w, p, step{})
	}
	if view.Wait > 0 && !p.Status.State.Final() {
		m.lookAfter = now.Add(view.Wait)
	}
	w := status.Begin(r.Client, p)
	see(p, view, now)
	if err := r.persist(ctx, w, p, step{}); err != nil {
		return time.Time{}, err
	}
	if at := p.Status.RecheckAt; at != nil && !commenting(p) {
		m.lookAfter = at.Time
		return m.lookAfter, nil
	}
	switch {
	case !p.Status.State.Final():
		return m.lookAfter, nil
	case commenting(p):
		if p.Status.PlatformPostID != "" {
			return now, nil
		}
		return m.lookAfter, nil
	case !seekingLink(p) || view.Settled:
		m.lookAfter = now.Add(linkTime) // there is nothing more to wait for
		return time.Time{}, nil
	}
	return m.lookAfter, nil
}

// callLook gives nil when the platform says nothing: it shows what it took a moment ago not at once, so that it is not to be found says
// little, and an error less.
func (r *Reconciler) callLook(ctx context.Context, p *v1beta1.Post, f *facts) *publish.View {
	ctx, cancel := context.WithTimeout(ctx, lookTime)
	defer cancel()
	var view *publish.View
	err := r.withAccount(ctx, f.account, func(account publish.Account) (err error) {
		view, err = r.Platforms[p.Spec.Platform].Look(ctx, account, r.sketch(p, f.memo), last(p).Handle)
		return err
	})
	if err != nil {
		ctrl.LoggerFrom(ctx).V(1).Info("an accepted post was not shown", "platform", p.Spec.Platform, "error", err.Error())
		return nil
	}
	return view
}

// withAccount makes a call that may be made again, and makes it once more with a new token when the old one is refused. That a person
// has to connect again is told to whoever keeps the permission.
func (r *Reconciler) withAccount(ctx context.Context, a *v1beta1.SocialAccount, call func(publish.Account) error) error {
	account, err := r.Accounts.Account(ctx, a)
	if err != nil {
		return err
	}
	if err = call(account); err != nil && publish.KindOf(err) == publish.Unauthorized {
		if account, err = r.Accounts.Renew(ctx, a, account.AccessToken); err != nil {
			return err
		}
		err = call(account)
	}
	r.refusedToken(ctx, a, account.AccessToken, err)
	return err
}

// refusedToken tells whoever keeps the permission that it has ended.
func (r *Reconciler) refusedToken(ctx context.Context, a *v1beta1.SocialAccount, used string, err error) {
	if k := publish.KindOf(err); err == nil || k != publish.Auth && k != publish.Scope {
		return
	}
	if err := r.Accounts.Refused(ctx, a, used, err); err != nil {
		ctrl.LoggerFrom(ctx).Error(err, "that a permission has ended could not be kept") // the next call finds it out again
	}
}
