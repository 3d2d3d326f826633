// SPDX-License-Identifier: Apache-2.0

package post

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/kube/status"
	"github.com/reelops/reelops/internal/social/posting"
	"github.com/reelops/reelops/internal/social/publish"
)

// outcome is the outcome of an attempt.
type outcome struct {
	number int32
	state  v1beta1.AttemptState
	// receipt is set for an accepted attempt, err for every other.
	receipt *publish.Receipt
	err     *publish.Error
}

func notSent(number int32, message string) *outcome {
	return &outcome{number: number, state: v1beta1.AttemptNotSent, err: &publish.Error{Kind: publish.Transient, Safe: message}}
}

// outcomeOf returns the outcome of a call from its receipt and error.
func outcomeOf(number int32, r *publish.Receipt, err error) *outcome {
	switch {
	case err == nil && r != nil:
		return &outcome{number: number, state: v1beta1.AttemptAccepted, receipt: r}
	case err == nil:
		return &outcome{number: number, state: v1beta1.AttemptUnknown, err: &publish.Error{Kind: publish.Ambiguous, Safe: "The response of the platform was empty"}}
	}
	var e *publish.Error
	if !errors.As(err, &e) {
		// An error without a kind does not show whether the adapter sent the post.
		return &outcome{number: number, state: v1beta1.AttemptUnknown, err: &publish.Error{Kind: publish.Ambiguous, Safe: "The platform did not respond", Err: err}}
	}
	e = platformError(e)
	out := &outcome{number: number, err: e}
	switch e.Kind {
	case publish.Ambiguous:
		out.state = v1beta1.AttemptUnknown
	case publish.Transient, publish.RateLimited, publish.Unauthorized, publish.Expired:
		out.state = v1beta1.AttemptNotSent
	default:
		out.state = v1beta1.AttemptRejected
	}
	return out
}

// settles reports whether an outcome changes the record. The attempt must be open, or it was recorded as not sent, was
// found on the platform, and is still the last attempt of a post that has not ended.
func settles(p *v1beta1.Post, out *outcome) bool {
	a := attempt(p, out.number)
	switch {
	case a == nil:
		return false
	case a.State == v1beta1.AttemptNotSent && out.state == v1beta1.AttemptAccepted:
		return a == last(p) && !p.Status.State.Final()
	}
	return a.State.Open()
}

// settle writes the outcome of an attempt and its consequences into the post. It reads nothing but its arguments. A
// settled attempt does not change, except as settles allows.
func settle(p *v1beta1.Post, out *outcome, now time.Time) {
	if !settles(p, out) {
		return
	}
	a := attempt(p, out.number)
	at := metav1.NewMicroTime(now)
	before := tries(p) - 1 // without this attempt
	a.State = out.state
	switch out.state {
	case v1beta1.AttemptAccepted:
		a.SettledAt, a.Error = &at, nil
		a.Handle = out.receipt.Handle
		p.Status.Error, p.Status.NextAttemptAt = nil, nil
		p.Status.DeliveryState = v1beta1.DeliveryProcessing
		if out.receipt.View != nil {
			applyView(p, out.receipt.View, now)
		}
	case v1beta1.AttemptUnknown:
		a.Error = catalogError(out.err, now)
		p.Status.DeliveryState = v1beta1.DeliveryUnconfirmed
	default:
		a.SettledAt, a.Error = &at, catalogError(out.err, now)
		p.Status.DeliveryState = ""
		if out.err.Kind == publish.Expired {
			p.Status.Preparation = invalidated(p)
		}
		apply(p, afterFailure(p, out.err, before, now), now)
	}
}

// invalidated returns the record of a preparation that is no longer valid. It keeps the number of preparations.
func invalidated(p *v1beta1.Post) *v1beta1.PostPreparation {
	n := &v1beta1.PostPreparation{Sealed: []byte{}, Times: 1}
	if p.Status.Preparation != nil {
		n.Times = max(p.Status.Preparation.Times, 1)
	}
	return n
}

func attempt(p *v1beta1.Post, number int32) *v1beta1.PostAttempt {
	for i := range p.Status.Attempts {
		if p.Status.Attempts[i].Number == number {
			return &p.Status.Attempts[i]
		}
	}
	return nil
}

// Limits of the warnings of a post: how many are kept, and the length of one in bytes.
const maxWarnings, maxWarning = 8, 500

// applyView writes the platform's view into an accepted post.
func applyView(p *v1beta1.Post, v *publish.View, now time.Time) {
	s := &p.Status
	if v.Failed != nil {
		if s.State.Final() {
			return // the post was public: the record keeps that
		}
		w := catalogError(v.Failed, now)
		w.Retryable = false // the platform had accepted it, so it is not sent again
		if a := last(p); a != nil {
			a.Error = w.DeepCopy()
		}
		s.DeliveryState = ""
		apply(p, decision{kind: doFail, err: w}, now)
		return
	}
	for _, warning := range v.Warnings {
		if warning = bounded(warning, maxWarning); !slices.Contains(s.Warnings, warning) && len(s.Warnings) < maxWarnings {
			s.Warnings = append(s.Warnings, warning)
		}
	}
	if v.PostID != "" {
		s.PlatformPostID = bounded(v.PostID, 256)
	}
	if v.URL != "" && len(v.URL) <= 2000 {
		s.PostURL = v.URL
	}
	switch v.State {
	case v1beta1.DeliveryPublished, v1beta1.DeliveryInInbox, v1beta1.DeliveryPrivate:
	default:
		return // still processing
	}
	s.DeliveryState, s.RecheckAt = v.State, nil
	if v.Recheck > 0 {
		at := metav1.NewTime(now.Add(v.Recheck))
		s.RecheckAt = &at
	}
	if v.State == v1beta1.DeliveryPublished && (s.PublishedAt == nil || !v.PublishedAt.IsZero()) {
		at := metav1.NewTime(v.PublishedAt)
		if v.PublishedAt.IsZero() {
			at = metav1.NewTime(now)
		}
		s.PublishedAt = &at
	}
	if !s.State.Final() {
		finish(p, v1beta1.PostSuccess, now)
	}
}

func bounded(s string, n int) string {
	if len(s) > n {
		return ""
	}
	return s
}

// finish sets the final state of a post. It deletes the preparation, which holds secrets.
func finish(p *v1beta1.Post, state v1beta1.PostState, now time.Time) {
	at := metav1.NewTime(now)
	s := &p.Status
	s.State, s.FinishedAt, s.NextAttemptAt, s.Preparation = state, &at, nil, nil
	if state != v1beta1.PostFailed {
		s.Error = nil
	}
}

// apply writes a decision into the status. It is idempotent.
func apply(p *v1beta1.Post, d decision, now time.Time) {
	s := &p.Status
	if d.released && s.HeldUntil == nil {
		at := metav1.NewMicroTime(now)
		s.HeldUntil = &at
	}
	switch d.kind {
	case doCancel:
		finish(p, v1beta1.PostCancelled, now)
	case doHold:
		s.State, s.NextAttemptAt, s.HeldUntil = v1beta1.PostHeld, nil, nil
	case doFail:
		s.Error = d.err
		if a := last(p); a != nil && (a.State == v1beta1.AttemptAccepted || a.State.Open()) && d.err.Details[detailReason] == reasonUnknown {
			s.DeliveryState = v1beta1.DeliveryUnconfirmed
		}
		finish(p, v1beta1.PostFailed, now)
	case doWait:
		s.State = d.state
		s.Error = d.err
		s.NextAttemptAt = nil
		if !d.next.IsZero() {
			at := metav1.NewMicroTime(d.next)
			s.NextAttemptAt = &at
		}
	case doPrepare, doPublish:
		s.State = d.state
		if posting.WaitReason(s.Error) == v1beta1.ReasonPostingSuspended {
			s.Error = nil // posting was resumed
		}
	}
}

// persist writes the status with the resourceVersion of the decision as precondition, and records events.
func (r *Reconciler) persist(ctx context.Context, w *status.Writer[*v1beta1.Post], p *v1beta1.Post, d decision) error {
	before := w.Before()
	report(p, d)
	if err := w.Persist(ctx); err != nil {
		return err
	}
	r.announce(ctx, p, before.Status.State)
	r.announceWait(p, before)
	return nil
}

// maxWrites is how often the write of one outcome is tried. Each conflict means that another writer was first.
const maxWrites = 20

// record writes the outcome of an attempt, even if other fields of the post changed meanwhile: losing the outcome is
// worse than a late write. It uses its own timeout, because the timeout of the pass may have passed. An outcome that
// cannot be written stays in the in-process state for the next pass.
func (r *Reconciler) record(ctx context.Context, p *v1beta1.Post, out *outcome, local *localState) (*v1beta1.Post, error) {
	local.outcome = out
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), recordTimeout)
	defer cancel()
	key := client.ObjectKeyFromObject(p)
	for range maxWrites {
		w := status.Begin(r.Client, p)
		settle(p, out, r.Clock.Now())
		err := r.persist(ctx, w, p, decision{})
		if err == nil {
			local.outcome, local.unsent, local.pollAfter, local.polls = nil, nil, time.Time{}, 0
			return p, nil
		}
		if apierrors.IsNotFound(err) {
			local.outcome = nil
			return p, err // deleted without its finalizer
		}
		if !apierrors.IsConflict(err) {
			return p, fmt.Errorf("recording an attempt: %w", err)
		}
		fresh := &v1beta1.Post{}
		if err := r.Live.Get(ctx, key, fresh); err != nil {
			return p, fmt.Errorf("reading the post to record an attempt: %w", err)
		}
		if fresh.UID != p.UID || !settles(fresh, out) {
			local.outcome = nil
			return fresh, nil // another pass has settled it
		}
		p = fresh
	}
	return p, fmt.Errorf("recording an attempt: conflict after %d retries", maxWrites)
}
