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

// prepareTime bounds one call of Prepare: an upload of the largest file over a slow line goes on from where it came to.
const prepareTime = 10 * time.Minute

// leastWait is how long to wait at least for what the platform works on.
const leastWait = 250 * time.Millisecond

// briefWait is the longest time that the platform works on a preparation before the preparation is recorded.
const briefWait = 5 * time.Second

// prepare does what can be done before the post's time, in a slot. The note of the adapter is written when the adapter saves it, when the
// platform works on the preparation for longer than briefWait, when the preparation ends early, and with the attempt. A process that dies
// in between resumes from the last note that was written.
func (r *Reconciler) prepare(ctx context.Context, p *v1beta1.Post, f *facts, st step, w *status.Writer[*v1beta1.Post]) (time.Time, error) {
	key, m := client.ObjectKeyFromObject(p), f.memo
	if !r.slots.Enter(key, placeOf(p)) {
		// It is woken when there is a slot, or when the others of its account have waited long enough.
		return st.again, r.waitForSlot(ctx, p, st, w)
	}
	defer r.slots.Leave(key)
	note, err := r.note(p, m)
	if err != nil { // whoever lost the key begins from the start
		ctrl.LoggerFrom(ctx).Error(err, "what was prepared cannot be read")
		note = nil
	}
	begins := len(note) == 0 || m.unrecorded
	if n := p.Status.Preparation; begins && n != nil && n.Times >= maxPreparations {
		return r.tryFailed(ctx, p, f, w, &publish.Error{Kind: publish.Rejected, Safe: "The platform forgot again and again what was prepared"})
	}
	apply(p, st, f.now)
	var stale error
	save := func(note []byte) error {
		if stale == nil {
			stale = r.keep(ctx, p, m, w, step{kind: stepPrepare}, publish.Step{Note: note}, begins)
			begins = begins && stale != nil
		}
		return stale
	}
	got, err := r.callPrepare(ctx, p, f, note, save)
	if stale != nil {
		m.known = false // what is written counts
		return time.Time{}, stale
	}
	if err != nil {
		return r.prepareFailed(ctx, p, f, w, err)
	}
	m.note, m.known, m.ready, m.expires, m.failures = got.Note, true, got.Ready, got.ExpiresAt, 0
	now := r.Clock.Now()
	if !got.Ready {
		m.prepareAfter = now.Add(max(got.Wait, leastWait))
		if begins && !m.unrecorded && !st.released && got.Wait <= briefWait {
			m.unrecorded = true // most often the next call ends the preparation, and one write records both
			return m.prepareAfter, nil
		}
		if begins || noteChanged(p, r, got.Note) {
			if err := r.keep(ctx, p, m, w, step{kind: stepPrepare}, got, begins); err != nil {
				return time.Time{}, err
			}
		}
		return m.prepareAfter, nil
	}
	m.prepareAfter = time.Time{}
	at := posting.DueAt(p)
	if begins && at.Sub(now) > recordTime {
		// One write records the preparation and that the post waits for its time.
		waiting := waitForTime(st.state, at)
		apply(p, waiting, now)
		if err := r.keep(ctx, p, m, w, waiting, got, begins); err != nil {
			return time.Time{}, err
		}
	}
	if at.After(now) {
		return at, nil
	}
	return now, nil
}

// waitForSlot writes that a post was released. That it waits for a slot is not worth a write.
func (r *Reconciler) waitForSlot(ctx context.Context, p *v1beta1.Post, st step, w *status.Writer[*v1beta1.Post]) error {
	if !st.released {
		return nil
	}
	st = step{kind: stepWait, state: st.state, released: st.released, reason: v1beta1.ReasonQueued, say: "Waiting for others to be uploaded"}
	apply(p, st, r.Clock.Now())
	return r.persist(ctx, w, p, st)
}

// callPrepare asks the adapter, and once more with a new token when the old one is refused.
func (r *Reconciler) callPrepare(ctx context.Context, p *v1beta1.Post, f *facts, note []byte, save func([]byte) error) (publish.Step, error) {
	ctx, cancel := context.WithTimeout(ctx, prepareTime)
	defer cancel()
	d, err := r.draft(ctx, p, f.memo)
	if err != nil {
		return publish.Step{}, err
	}
	var got publish.Step
	err = r.withAccount(ctx, f.account, func(account publish.Account) (err error) {
		if f.memo.known { // what was saved meanwhile
			note = f.memo.note
		}
		got, err = r.Platforms[p.Spec.Platform].Prepare(ctx, account, d, note, save)
		return err
	})
	return got, err
}

// keep writes a note, sealed, and the conditions of st.
func (r *Reconciler) keep(
	ctx context.Context, p *v1beta1.Post, m *memo, w *status.Writer[*v1beta1.Post], st step, got publish.Step, begins bool,
) error {
	if err := r.pack(p, got, begins); err != nil {
		return err
	}
	if err := r.persist(ctx, w, p, st); err != nil {
		return err
	}
	m.note, m.known, m.unrecorded = got.Note, true, false
	return nil
}

// pack puts a note into the status.
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

// noteChanged says that the status keeps another note.
func noteChanged(p *v1beta1.Post, r *Reconciler, note []byte) bool {
	n := p.Status.Preparation
	if n == nil || len(n.Sealed) == 0 {
		return true
	}
	plain, err := r.Sealer.Open(n.Sealed, aad(p))
	return err != nil || !bytes.Equal(plain, note)
}

// prepareFailed decides what follows when a post could not be prepared. Nothing of it was to be seen.
func (r *Reconciler) prepareFailed(ctx context.Context, p *v1beta1.Post, f *facts, w *status.Writer[*v1beta1.Post], err error) (time.Time, error) {
	m, now := f.memo, r.Clock.Now()
	if errors.Is(err, context.Canceled) && ctx.Err() != nil {
		return time.Time{}, err // the process stops
	}
	e := platformError(err)
	ctrl.LoggerFrom(ctx).Info("a post could not be prepared", "platform", p.Spec.Platform, "kind", e.Kind, "error", e.Error())
	if e.Kind == publish.Expired {
		again := forgotten(p)
		if m.unrecorded && p.Status.Preparation != nil {
			again.Times++
		}
		m.note, m.known, m.ready, m.expires, m.unrecorded = nil, true, false, time.Time{}, false
		p.Status.Preparation = again
	}
	switch at := posting.DueAt(p); {
	case e.Kind == publish.RateLimited && resets(e, now).After(now) && resets(e, now).Sub(at) <= lateness:
		// The platform's word on its calls is no failure of the post.
		m.prepareAfter = resets(e, now)
		return m.prepareAfter, nil
	case now.Before(at) && !lasting(e):
		// There is time until then: what fails now may do no harm.
		m.failures++
		m.prepareAfter = now.Add(backOff(string(p.UID), m.failures))
		if m.prepareAfter.After(at) {
			m.prepareAfter = at
		}
		return m.prepareAfter, r.persist(ctx, w, p, step{kind: stepPrepare})
	case now.Before(at) && (e.Kind == publish.Auth || e.Kind == publish.Scope || e.Kind == publish.Unauthorized):
		m.prepareAfter = at // a person may connect again until then; the account's change wakes the post
		return at, nil
	}
	return r.tryFailed(ctx, p, f, w, e)
}

// lasting says that trying again does not help.
func lasting(e *publish.Error) bool {
	switch e.Kind {
	case publish.Transient, publish.RateLimited, publish.Expired, publish.Ambiguous:
		return false
	}
	return true
}

// tryFailed writes that a try failed before there was an attempt.
func (r *Reconciler) tryFailed(ctx context.Context, p *v1beta1.Post, f *facts, w *status.Writer[*v1beta1.Post], e *publish.Error) (time.Time, error) {
	now := r.Clock.Now()
	st := afterFailure(p, e, tries(p), now)
	if e.Kind == publish.Unauthorized { // of a token that was renewed a moment ago
		st = step{kind: stepFail, err: inWords(e, now)}
	}
	p.Status.Tries++
	apply(p, st, now)
	if err := r.persist(ctx, w, p, st); err != nil {
		return time.Time{}, err
	}
	if at := resets(e, now); e.Kind == publish.RateLimited && at.After(now) {
		r.refused(ctx, p, e, at)
	}
	r.lines.Leave(client.ObjectKeyFromObject(p))
	if p.Status.State.Final() {
		r.memory.forget(client.ObjectKeyFromObject(p))
	}
	f.memo.prepareAfter = st.again
	return st.again, nil
}

// refused keeps the platform's word on when it takes more.
func (r *Reconciler) refused(ctx context.Context, p *v1beta1.Post, e *publish.Error, until time.Time) {
	mine, all := scopes(p)
	if e.AppWide {
		r.caps.Refused(all, until)
		return
	}
	r.caps.Refused(mine, until)
	r.limit(ctx, p, until)
}
