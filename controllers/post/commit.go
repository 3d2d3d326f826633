// SPDX-License-Identifier: Apache-2.0

package post

import (
	"context"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/kube/status"
	"github.com/reelops/reelops/internal/process/clockskew"
	"github.com/reelops/reelops/internal/social/posting"
	"github.com/reelops/reelops/internal/social/publish"
)

// commit publishes a post. It waits until the post is at the head of the account's queue and within the platform
// limits. Then it records the attempt, makes the one call and records its outcome.
func (r *Reconciler) commit(ctx context.Context, p *v1beta1.Post, o *observed, d decision, w *status.Writer[*v1beta1.Post]) (time.Time, error) {
	key, local := client.ObjectKeyFromObject(p), o.local
	if !r.queues.Turn(key) {
		return time.Time{}, nil // the queue wakes the post
	}
	defer r.queues.Leave(key)

	// Everything that can fail before the call comes before the record of the attempt.
	note, err := r.note(p, local)
	if err != nil {
		local.note, local.known, local.ready = nil, true, false
		return r.Clock.Now(), nil // prepare again
	}
	draft, err := r.draft(ctx, p, local)
	if err != nil {
		return r.tryFailed(ctx, p, o, w, platformError(err))
	}
	account, err := r.Accounts.Account(ctx, o.account)
	if err == nil && unauthorized(p) > 0 && !local.renewed {
		account, err = r.Accounts.Renew(ctx, o.account, account.AccessToken)
		local.renewed = err == nil
	}
	if err != nil {
		return r.tryFailed(ctx, p, o, w, platformError(err))
	}
	// The cache may not show yet that posting was suspended or the brand deleted. The record of the attempt is the next
	// call.
	if err = o.readBrand(ctx, r.Live, p); err != nil {
		return time.Time{}, err
	}
	now := r.Clock.Now()
	if now.Before(posting.DueAt(p)) {
		return posting.DueAt(p), nil // the clock was set back since the decision
	}
	switch wait := first([]rule{brandMissing, suspended}, p, o); wait.kind {
	case doWait:
		wait.released = d.released
		apply(p, wait, now)
		return wait.again, r.persist(ctx, w, p, wait)
	case doFail: // the next pass fails the post: the cache shows then that the brand is missing
		return now.Add(pollBrand), nil
	}
	mine, all := scopes(p)
	if from, ok := r.caps.Take(key, now, r.shares(p, o.account, now)...); !ok {
		d := limited(p, from, posting.DueAt(p))
		apply(p, d, now)
		return d.again, r.persist(ctx, w, p, d)
	}
	number, err := r.intend(ctx, p, local, w, d, note, now)
	if err != nil {
		r.caps.Return(key, mine, all)
		return time.Time{}, err
	}
	r.metrics.late(p, now)

	out := r.call(ctx, p, account, draft, note, number, now)
	if out.err == nil {
		logAccepted(ctx, p, number)
	} else {
		ctrl.LoggerFrom(ctx).Info("post not accepted", "platform", p.Spec.Platform, "attempt", number, "outcome", out.state, "kind", out.err.Kind, "error", out.err.Error())
		if out.state != v1beta1.AttemptUnknown {
			r.caps.Return(key, mine, all)
		}
		if out.err.Kind == publish.Expired {
			local.note, local.known, local.ready, local.expires = nil, true, false, time.Time{}
		}
	}
	p, err = r.record(ctx, p, out, local)
	if err != nil {
		return time.Time{}, err
	}
	if out.err != nil {
		r.refusedToken(ctx, o.account, account.AccessToken, out.err)
		if at := resets(out.err, r.Clock.Now()); out.err.Kind == publish.RateLimited && at.After(r.Clock.Now()) {
			r.refused(ctx, p, out.err, at)
		}
	}
	return r.afterRecord(p, local), nil
}

// call makes the one call and ends it within callTimeout of the start of the attempt: a process that replaces this one
// relies on that limit. A process that was delayed for longer than maxStartDelay does not make the call.
func (r *Reconciler) call(ctx context.Context, p *v1beta1.Post, account publish.Account, draft publish.Draft, note []byte, number int32, began time.Time) *outcome {
	now := r.Clock.Now()
	passed := max(now.Sub(began), now.Round(0).Sub(began.Round(0)), 0) // the monotonic clock of a suspended machine may have stopped
	if passed > maxStartDelay {
		return notSent(number, "The attempt was delayed before it was sent")
	}
	if clockskew.Beyond(r.Ahead()) != 0 { // the response to the attempt's write may have shown it
		return notSent(number, "The clocks of the manager and the cluster differ")
	}
	ctx, cancel := context.WithTimeout(ctx, callTimeout(p)-passed)
	defer cancel()
	receipt, err := r.Platforms[p.Spec.Platform].Commit(ctx, account, draft, note)
	return outcomeOf(number, receipt, err)
}

// intend records the attempt. Only the process whose write succeeded may send it. If the outcome of the write is
// unknown, the attempt is not sent; if it was recorded, it is settled as not sent.
func (r *Reconciler) intend(ctx context.Context, p *v1beta1.Post, local *localState, w *status.Writer[*v1beta1.Post], d decision, note []byte, now time.Time) (int32, error) {
	number, began := int32(len(p.Status.Attempts))+1, metav1.NewMicroTime(now.Truncate(time.Microsecond)) // as it is stored
	if a := last(p); a != nil {
		number = a.Number + 1
	}
	apply(p, d, now)
	p.Status.NextAttemptAt = nil
	p.Status.Attempts = append(p.Status.Attempts, v1beta1.PostAttempt{
		Number: number, State: v1beta1.AttemptIntended, Digest: digest(p), StartedAt: began,
	})
	if noteChanged(p, r, note) {
		if err := r.pack(p, publish.Step{Note: note, Ready: true, ExpiresAt: local.expires}, p.Status.Preparation == nil); err != nil {
			return 0, err
		}
	}
	p.Status.Preparation.Ready = true
	if err := r.persist(ctx, w, p, d); err != nil {
		if !refusedWrite(err) {
			local.unsent = append(local.unsent, began)
		}
		return 0, err
	}
	local.unsent, local.polls, local.unrecorded = nil, 0, false
	return number, nil
}

// refusedWrite reports whether the API server rejected a write, so that it certainly had no effect.
func refusedWrite(err error) bool {
	return apierrors.IsConflict(err) || apierrors.IsNotFound(err) || apierrors.IsInvalid(err) || apierrors.IsForbidden(err)
}

// afterRecord returns when to reconcile a post after the outcome of its attempt was recorded.
func (r *Reconciler) afterRecord(p *v1beta1.Post, local *localState) time.Time {
	now := r.Clock.Now()
	a := last(p)
	switch {
	case a == nil: // deleted without its finalizer and created again meanwhile
		return now
	case hasEnded(p):
		r.local.forget(client.ObjectKeyFromObject(p))
		return time.Time{}
	case posting.Commenting(p):
		return now
	case a.State == v1beta1.AttemptUnknown, a.State == v1beta1.AttemptAccepted:
		local.pollAfter = now.Add(pollInterval(string(p.UID), 0, time.Minute))
		return local.pollAfter
	case p.Status.NextAttemptAt != nil:
		return p.Status.NextAttemptAt.Time
	}
	return now
}
