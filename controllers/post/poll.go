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
	"github.com/reelops/reelops/internal/social/posting"
	"github.com/reelops/reelops/internal/social/publish"
)

const (
	// pollTimeout bounds one request.
	pollTimeout = 20 * time.Second
	// The longest intervals between requests for an unresolved attempt, an accepted post and a link.
	maxFindInterval = 5 * time.Minute
	maxPollInterval = time.Minute
	maxLinkInterval = time.Hour
	// recheckTimeout limits how long after RecheckAt a published post is checked again.
	recheckTimeout = 6 * time.Hour
)

// find looks up an unresolved attempt. It changes nothing on the platform.
func (r *Reconciler) find(ctx context.Context, p *v1beta1.Post, o *observed) (time.Time, error) {
	local, a := o.local, last(p)
	receipt, err := r.callFind(ctx, p, o, a)
	now := r.Clock.Now()
	if err != nil && ctx.Err() != nil {
		return time.Time{}, err // the process stops
	}
	if err == nil && receipt != nil && receipt.Guess {
		duplicate, failed := r.duplicate(ctx, p, receipt)
		if failed != nil {
			return time.Time{}, failed
		}
		if duplicate {
			receipt, err = nil, publish.ErrCannotTell
		}
	}
	var out *outcome
	switch {
	case err == nil && receipt != nil:
		out = &outcome{number: a.Number, state: v1beta1.AttemptAccepted, receipt: receipt}
	case errors.Is(err, publish.ErrNotFound) && local.graceTimerFired():
		out = notSent(a.Number, "The platform does not have the post")
	}
	if out != nil {
		if out.state == v1beta1.AttemptNotSent {
			mine, all := scopes(p)
			r.caps.Return(client.ObjectKeyFromObject(p), mine, all)
		} else {
			logAccepted(ctx, p, a.Number)
		}
		if p, err = r.record(ctx, p, out, local); err != nil {
			return time.Time{}, err
		}
		return r.afterRecord(p, local), nil
	}
	local.pollAfter, local.polledAt = now.Add(pollInterval(string(p.UID), local.polls, maxFindInterval)), now
	local.polls++
	if errors.Is(err, publish.ErrNotFound) && local.pollAfter.After(local.graceEndsAt) && now.Before(local.graceEndsAt) {
		local.pollAfter = local.graceEndsAt
	}
	if a.State == v1beta1.AttemptIntended {
		ctrl.LoggerFrom(ctx).Info("outcome of attempt unknown", "platform", p.Spec.Platform, "attempt", a.Number)
		unknown := &outcome{number: a.Number, state: v1beta1.AttemptUnknown, err: &publish.Error{
			Kind: publish.Ambiguous, Safe: "The outcome of the call is unknown",
		}}
		after, polls := local.pollAfter, local.polls
		if _, err := r.record(ctx, p, unknown, local); err != nil {
			return time.Time{}, err
		}
		local.pollAfter, local.polls = after, polls
	}
	if end := a.StartedAt.Add(unknownTimeout); local.pollAfter.After(end) && now.Before(end) {
		local.pollAfter = end
	}
	return local.pollAfter, nil
}

func (r *Reconciler) callFind(ctx context.Context, p *v1beta1.Post, o *observed, a *v1beta1.PostAttempt) (*publish.Receipt, error) {
	ctx, cancel := context.WithTimeout(ctx, pollTimeout)
	defer cancel()
	o.local.known = false // the recorded note was sent, even if this process has prepared another one
	note, err := r.note(p, o.local)
	if err != nil {
		return nil, err
	}
	var receipt *publish.Receipt
	err = r.withAccount(ctx, o.account, func(account publish.Account) (err error) {
		receipt, err = r.Platforms[p.Spec.Platform].Find(ctx, account, r.lookupDraft(p, o.local), note, a.StartedAt.Time)
		return err
	})
	return receipt, err
}

// duplicate reports whether a post found by its text may be another post of the account: one with the found id, or one
// without an id that has the same text and was sent or may have been sent.
func (r *Reconciler) duplicate(ctx context.Context, p *v1beta1.Post, found *publish.Receipt) (bool, error) {
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

// pollStatus reads the status of an accepted post, or the link of a published one.
func (r *Reconciler) pollStatus(ctx context.Context, p *v1beta1.Post, o *observed) (time.Time, error) {
	local := o.local
	view := r.callPoll(ctx, p, o)
	now := r.Clock.Now()
	if err := ctx.Err(); err != nil {
		return time.Time{}, err // the process stops
	}
	gap := maxPollInterval
	if p.Status.State.Final() {
		gap = maxLinkInterval
	}
	local.pollAfter = now.Add(pollInterval(string(p.UID), local.polls, gap))
	local.polls++
	if view == nil {
		if at := p.Status.RecheckAt; at == nil || now.Sub(at.Time) < recheckTimeout {
			return local.pollAfter, nil
		}
		w := status.Begin(r.Client, p)
		p.Status.RecheckAt = nil // the platform does not show it
		return local.pollAfter, r.persist(ctx, w, p, decision{})
	}
	if view.Wait > 0 && !p.Status.State.Final() {
		local.pollAfter = now.Add(view.Wait)
	}
	w := status.Begin(r.Client, p)
	applyView(p, view, now)
	if err := r.persist(ctx, w, p, decision{}); err != nil {
		return time.Time{}, err
	}
	if at := p.Status.RecheckAt; at != nil && !posting.Commenting(p) {
		local.pollAfter = at.Time
		return local.pollAfter, nil
	}
	switch {
	case !p.Status.State.Final():
		return local.pollAfter, nil
	case posting.Commenting(p):
		if p.Status.PlatformPostID != "" {
			return now, nil
		}
		return local.pollAfter, nil
	case !seekingLink(p) || view.Settled:
		local.pollAfter = now.Add(linkTimeout) // nothing more follows
		return time.Time{}, nil
	}
	return local.pollAfter, nil
}

// callPoll returns the platform's view of a post, or nil when the platform does not report the post. Platforms show an
// accepted post with a delay, so neither a missing post nor an error means that the post failed.
func (r *Reconciler) callPoll(ctx context.Context, p *v1beta1.Post, o *observed) *publish.View {
	ctx, cancel := context.WithTimeout(ctx, pollTimeout)
	defer cancel()
	var view *publish.View
	err := r.withAccount(ctx, o.account, func(account publish.Account) (err error) {
		view, err = r.Platforms[p.Spec.Platform].Look(ctx, account, r.lookupDraft(p, o.local), last(p).Handle)
		return err
	})
	if err != nil {
		ctrl.LoggerFrom(ctx).V(1).Info("polling accepted post failed", "platform", p.Spec.Platform, "error", err.Error())
		return nil
	}
	return view
}

// withAccount makes an idempotent call, and repeats it with a new token when the platform refuses the old one. It
// reports a revoked permission to the SocialAccount.
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

// refusedToken reports a revoked permission to the SocialAccount.
func (r *Reconciler) refusedToken(ctx context.Context, a *v1beta1.SocialAccount, used string, err error) {
	if k := publish.KindOf(err); err == nil || k != publish.Auth && k != publish.Scope {
		return
	}
	if err := r.Accounts.Refused(ctx, a, used, err); err != nil {
		ctrl.LoggerFrom(ctx).Error(err, "recording revoked token failed") // the next call reports it again
	}
}
