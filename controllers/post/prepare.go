// SPDX-License-Identifier: Apache-2.0

package post

import (
	"bytes"
	"context"
	"errors"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/kube/status"
	"github.com/reelops/reelops/internal/social/posting"
	"github.com/reelops/reelops/internal/social/publish"
)

// prepareTimeout bounds one call of Prepare. An upload that takes longer resumes with the next call.
const prepareTimeout = 10 * time.Minute

// leastWait is the shortest interval between two calls while the platform processes an upload.
const leastWait = 250 * time.Millisecond

// briefWait is the longest wait, as reported by the platform, for which the start of a preparation is not recorded yet.
const briefWait = 5 * time.Second

// prepare does the work that can be done before the post's due time, in a slot. The adapter's note is written when the
// adapter saves it, when the platform works on the preparation for longer than briefWait, when the preparation ends
// early, and with the attempt. A process that replaces this one resumes from the last written note.
func (r *Reconciler) prepare(ctx context.Context, p *v1beta1.Post, o *observed, d decision, w *status.Writer[*v1beta1.Post]) (time.Time, error) {
	key, local := client.ObjectKeyFromObject(p), o.local
	if !r.slots.Enter(key, placeOf(p)) {
		// A free slot wakes the post, or the end of queueHeadTimeout does.
		return d.again, r.waitForSlot(ctx, p, d, w)
	}
	defer r.slots.Leave(key)
	note, err := r.note(p, local)
	if err != nil { // the key was lost: prepare from the start
		ctrl.LoggerFrom(ctx).Error(err, "opening preparation failed")
		note = nil
	}
	begins := len(note) == 0 || local.unrecorded
	if n := p.Status.Preparation; begins && n != nil && n.Times >= maxPreparations {
		return r.tryFailed(ctx, p, o, w, &publish.Error{Kind: publish.Rejected, Safe: "The platform discarded the preparation repeatedly"})
	}
	apply(p, d, o.now)
	var stale error
	save := func(note []byte) error {
		if stale == nil {
			stale = r.keep(ctx, p, local, w, decision{kind: doPrepare}, publish.Step{Note: note}, begins)
			begins = begins && stale != nil
		}
		return stale
	}
	got, err := r.callPrepare(ctx, p, o, note, save)
	if stale != nil {
		local.known = false // the recorded note is the valid one
		return time.Time{}, stale
	}
	if err != nil {
		return r.prepareFailed(ctx, p, o, w, err)
	}
	local.note, local.known, local.ready, local.expires, local.failures = got.Note, true, got.Ready, got.ExpiresAt, 0
	now := r.Clock.Now()
	if !got.Ready {
		local.prepareAfter = now.Add(max(got.Wait, leastWait))
		if begins && !local.unrecorded && !d.released && got.Wait <= briefWait {
			local.unrecorded = true // the next call usually ends the preparation, and one write records both
			return local.prepareAfter, nil
		}
		if begins || noteChanged(p, r, got.Note) {
			if err := r.keep(ctx, p, local, w, decision{kind: doPrepare}, got, begins); err != nil {
				return time.Time{}, err
			}
		}
		return local.prepareAfter, nil
	}
	local.prepareAfter = time.Time{}
	at := posting.DueAt(p)
	if begins && at.Sub(now) > recordTimeout {
		// One write records the preparation and that the post waits for its time.
		waiting := waitUntil(d.state, at)
		apply(p, waiting, now)
		if err := r.keep(ctx, p, local, w, waiting, got, begins); err != nil {
			return time.Time{}, err
		}
	}
	if at.After(now) {
		return at, nil
	}
	return now, nil
}

// waitForSlot records the release of a held post. Waiting for a slot alone is not recorded.
func (r *Reconciler) waitForSlot(ctx context.Context, p *v1beta1.Post, d decision, w *status.Writer[*v1beta1.Post]) error {
	if !d.released {
		return nil
	}
	d = decision{kind: doWait, state: d.state, released: d.released, reason: v1beta1.ReasonQueued, message: "Waiting for the uploads of other posts"}
	apply(p, d, r.Clock.Now())
	return r.persist(ctx, w, p, d)
}

// callPrepare calls the adapter, and repeats the call with a new token when the platform refuses the old one.
func (r *Reconciler) callPrepare(ctx context.Context, p *v1beta1.Post, o *observed, note []byte, save func([]byte) error) (publish.Step, error) {
	ctx, cancel := context.WithTimeout(ctx, prepareTimeout)
	defer cancel()
	draft, err := r.draft(ctx, p, o.local)
	if err != nil {
		return publish.Step{}, err
	}
	var got publish.Step
	err = r.withAccount(ctx, o.account, func(account publish.Account) (err error) {
		if o.local.known { // the first call may have saved a note
			note = o.local.note
		}
		got, err = r.Platforms[p.Spec.Platform].Prepare(ctx, account, draft, note, save)
		return err
	})
	return got, err
}

// keep writes a sealed note and the conditions of the decision.
func (r *Reconciler) keep(
	ctx context.Context, p *v1beta1.Post, local *localState, w *status.Writer[*v1beta1.Post], d decision, got publish.Step, begins bool,
) error {
	if err := r.pack(p, got, begins); err != nil {
		return err
	}
	if err := r.persist(ctx, w, p, d); err != nil {
		return err
	}
	local.note, local.known, local.unrecorded = got.Note, true, false
	return nil
}

// pack seals a note and sets it in the status.
func (r *Reconciler) pack(p *v1beta1.Post, got publish.Step, begins bool) error {
	sealed, err := r.Sealer.Seal(got.Note, aad(p))
	if err != nil {
		return err
	}
	n := p.Status.Preparation
	if n == nil {
		n = &v1beta1.PostPreparation{}
		p.Status.Preparation = n
	}
	if begins {
		n.Times++
	}
	n.Sealed, n.Ready, n.ExpiresAt, n.Digest = sealed, got.Ready, nil, digest(p)
	if !got.ExpiresAt.IsZero() {
		at := metav1.NewTime(got.ExpiresAt)
		n.ExpiresAt = &at
	}
	return nil
}

// noteChanged reports whether the status holds a note other than note, or none.
func noteChanged(p *v1beta1.Post, r *Reconciler, note []byte) bool {
	n := p.Status.Preparation
	if n == nil || len(n.Sealed) == 0 {
		return true
	}
	plain, err := r.Sealer.Open(n.Sealed, aad(p))
	return err != nil || !bytes.Equal(plain, note)
}

// prepareFailed decides what follows a failed preparation. Nothing was published.
func (r *Reconciler) prepareFailed(ctx context.Context, p *v1beta1.Post, o *observed, w *status.Writer[*v1beta1.Post], err error) (time.Time, error) {
	local, now := o.local, r.Clock.Now()
	if errors.Is(err, context.Canceled) && ctx.Err() != nil {
		return time.Time{}, err // the process stops
	}
	e := platformError(err)
	ctrl.LoggerFrom(ctx).Info("preparing post failed", "platform", p.Spec.Platform, "kind", e.Kind, "error", e.Error())
	if e.Kind == publish.Expired {
		again := invalidated(p)
		if local.unrecorded && p.Status.Preparation != nil {
			again.Times++
		}
		local.note, local.known, local.ready, local.expires, local.unrecorded = nil, true, false, time.Time{}, false
		p.Status.Preparation = again
	}
	switch at := posting.DueAt(p); {
	case e.Kind == publish.RateLimited && resets(e, now).After(now) && resets(e, now).Sub(at) <= maxLateness:
		// A rate limit of the platform is no failure of the post.
		local.prepareAfter = resets(e, now)
		return local.prepareAfter, nil
	case now.Before(at) && !permanent(e):
		// Other calls may succeed before the post's due time.
		local.failures++
		local.prepareAfter = now.Add(backOff(string(p.UID), local.failures))
		if local.prepareAfter.After(at) {
			local.prepareAfter = at
		}
		return local.prepareAfter, r.persist(ctx, w, p, decision{kind: doPrepare})
	case now.Before(at) && (e.Kind == publish.Auth || e.Kind == publish.Scope || e.Kind == publish.Unauthorized):
		local.prepareAfter = at // a user may connect the account again until then; that change wakes the post
		return at, nil
	}
	return r.tryFailed(ctx, p, o, w, e)
}

// permanent reports whether a retry cannot succeed.
func permanent(e *publish.Error) bool {
	switch e.Kind {
	case publish.Transient, publish.RateLimited, publish.Expired, publish.Ambiguous:
		return false
	}
	return true
}

// tryFailed records a failure before the attempt.
func (r *Reconciler) tryFailed(ctx context.Context, p *v1beta1.Post, o *observed, w *status.Writer[*v1beta1.Post], e *publish.Error) (time.Time, error) {
	now := r.Clock.Now()
	d := afterFailure(p, e, tries(p), now)
	if e.Kind == publish.Unauthorized { // the token was renewed a moment ago
		d = decision{kind: doFail, err: catalogError(e, now)}
	}
	p.Status.Tries++
	apply(p, d, now)
	if err := r.persist(ctx, w, p, d); err != nil {
		return time.Time{}, err
	}
	if at := resets(e, now); e.Kind == publish.RateLimited && at.After(now) {
		r.refused(ctx, p, e, at)
	}
	r.queues.Leave(client.ObjectKeyFromObject(p))
	if p.Status.State.Final() {
		r.local.forget(client.ObjectKeyFromObject(p))
	}
	o.local.prepareAfter = d.again
	return d.again, nil
}

// refused records when the platform accepts posts again.
func (r *Reconciler) refused(ctx context.Context, p *v1beta1.Post, e *publish.Error, until time.Time) {
	mine, all := scopes(p)
	if e.AppWide {
		r.caps.Refused(all, until)
		return
	}
	r.caps.Refused(mine, until)
	r.limit(ctx, p, until)
}
