// SPDX-License-Identifier: Apache-2.0

package post

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/kube/status"
	"github.com/reelops/reelops/internal/social/posting"
	"github.com/reelops/reelops/internal/social/publish"
)

// A first comment has the guarantees of a post. It is recorded as Intended before the one call that may write it, and
// its outcome is recorded after the call. A comment whose outcome was lost is looked up. It is sent again only when the
// platform provably does not have it. It is reported as Unknown when the look-up gives no answer within an hour. A
// first comment never changes the state of the post.

// commentTimeout is how long after a post was published its first comment may still be written.
const commentTimeout = maxLateness

// commentOutcome is the outcome of one comment call.
type commentOutcome struct {
	began metav1.MicroTime
	state v1beta1.CommentState
	id    string
	err   *publish.Error
	// fail is the catalog error, if there is no platform error.
	fail *v1beta1.WorkError
}

// decideComment decides about the first comment of a published post. It reads nothing but its arguments.
func decideComment(p *v1beta1.Post, f *observed) decision {
	m, c := f.local, p.Status.FirstComment
	if c == nil {
		c = &v1beta1.PostComment{}
	}
	began := metav1.MicroTime{}
	if c.StartedAt != nil {
		began = *c.StartedAt
	}
	end := func(state v1beta1.CommentState, e *v1beta1.WorkError) decision {
		return decision{kind: doEndComment, comment: &commentOutcome{began: began, state: state, fail: e}}
	}
	unreachable := f.account == nil || !f.configured
	if c.State == v1beta1.CommentIntended {
		switch {
		case m.commented != nil && m.commented.began.Time.Equal(began.Time):
			return decision{kind: doEndComment, comment: m.commented}
		case slices.ContainsFunc(m.commentUnsent, func(at metav1.MicroTime) bool { return at.Time.Equal(began.Time) }):
			return end(v1beta1.CommentNotSent, nil)
		case f.now.Sub(began.Time) >= unknownTimeout && (unreachable || m.commentPolls > 0 && !m.commentPolledAt.Before(m.graceEndsAt)):
			return end(v1beta1.CommentUnknown, workError(catalog.InternalError,
				"The outcome of the first comment is still unknown after an hour: check the platform",
				map[string]string{detailReason: reasonUnknown}))
		case unreachable:
			return decision{again: began.Add(unknownTimeout)}
		case m.commentAfter.After(f.now):
			return decision{again: m.commentAfter}
		}
		return decision{kind: doFindComment}
	}
	published := p.Status.FinishedAt
	failure := c.Error.DeepCopy()
	if failure == nil {
		failure = workError(catalog.InternalError, "The first comment could not be published within six hours of the post", nil)
	}
	late := published == nil || f.now.Sub(published.Time) >= commentTimeout
	switch {
	case p.Status.DeliveryState != v1beta1.DeliveryPublished:
		return end(v1beta1.CommentFailed, workError(catalog.ValidationFailed, "The post is not public: it accepts no comments",
			map[string]string{detailReason: "not_public"}))
	case late || int(c.Tries) >= maxTries:
		return end(v1beta1.CommentFailed, failure)
	case unreachable:
		return decision{again: published.Add(commentTimeout)}
	case p.Status.PlatformPostID == "" && m.pollAfter.After(f.now):
		return decision{again: m.pollAfter}
	case p.Status.PlatformPostID == "":
		return decision{kind: doPoll}
	case m.commentAfter.After(f.now):
		return decision{again: m.commentAfter}
	}
	return decision{kind: doComment}
}

// comment records the intent, writes the comment and records the outcome.
func (r *Reconciler) comment(ctx context.Context, p *v1beta1.Post, f *observed, w *status.Writer[*v1beta1.Post]) (time.Time, error) {
	m := f.local
	commenter, ok := r.Platforms[p.Spec.Platform].(publish.Commenter)
	if !ok {
		return r.recordComment(ctx, p, &commentOutcome{state: v1beta1.CommentFailed, fail: workError(catalog.ValidationFailed,
			"The platform has no API for comments", nil)}, m)
	}
	account, err := r.Accounts.Account(ctx, f.account)
	if err == nil && m.renewed {
		account, err = r.Accounts.Renew(ctx, f.account, account.AccessToken)
		m.renewed = false
	}
	if err != nil { // nothing was recorded; commentTimeout ends the retries
		m.commentPolls++
		m.commentAfter = r.Clock.Now().Add(backOff(string(p.UID), m.commentPolls))
		return m.commentAfter, nil //nolint:nilerr // the token is read again after a wait of its own
	}
	began := metav1.NewMicroTime(r.Clock.Now().Truncate(time.Microsecond)) // truncated to the precision of the stored value
	c := &v1beta1.PostComment{Tries: 1}
	if old := p.Status.FirstComment; old != nil {
		c = old.DeepCopy()
		c.Tries++
	}
	c.State, c.StartedAt, c.Error = v1beta1.CommentIntended, &began, nil
	p.Status.FirstComment = c
	if err := r.persist(ctx, w, p, decision{}); err != nil {
		if !refusedWrite(err) {
			m.commentUnsent = append(m.commentUnsent, began)
		}
		return time.Time{}, err
	}
	m.commentUnsent, m.commentPolls = nil, 0
	o := r.callComment(ctx, commenter, p, account, began)
	if o.err != nil && o.err.Kind == publish.Unauthorized {
		m.renewed = true
	}
	if o.err != nil && o.err.Kind == publish.Auth { // a missing scope for comments does not affect publishing
		r.refusedToken(ctx, f.account, account.AccessToken, o.err)
	}
	return r.recordComment(ctx, p, o, m)
}

// callComment makes the one call that may write the comment, under the deadlines of a call that may publish.
func (r *Reconciler) callComment(
	ctx context.Context, commenter publish.Commenter, p *v1beta1.Post, account publish.Account, began metav1.MicroTime,
) *commentOutcome {
	o := &commentOutcome{began: began}
	now := r.Clock.Now()
	passed := max(now.Sub(began.Time), 0)
	if passed > maxStartDelay {
		o.state, o.err = v1beta1.CommentNotSent, &publish.Error{Kind: publish.Transient, Safe: "The call was delayed before it was sent"}
		return o
	}
	ctx, cancel := context.WithTimeout(ctx, baseCallTimeout-passed)
	defer cancel()
	id, err := commenter.Comment(ctx, account, p.Status.PlatformPostID, *p.Spec.Settings.FirstComment)
	if err == nil {
		o.state, o.id = v1beta1.CommentPublished, id
		return o
	}
	var e *publish.Error
	if !errors.As(err, &e) {
		e = &publish.Error{Kind: publish.Ambiguous, Safe: "The platform did not respond", Err: err}
	}
	o.err = e
	switch e.Kind {
	case publish.Ambiguous:
		o.state = v1beta1.CommentIntended // the comment stays unresolved
	case publish.Transient, publish.RateLimited, publish.Unauthorized, publish.Expired:
		o.state = v1beta1.CommentNotSent
	default:
		o.state = v1beta1.CommentFailed
	}
	return o
}

// findComment looks up an unresolved comment. It changes nothing on the platform.
func (r *Reconciler) findComment(ctx context.Context, p *v1beta1.Post, f *observed) (time.Time, error) {
	m, c := f.local, p.Status.FirstComment
	id, err := r.callFindComment(ctx, p, f)
	if err != nil && ctx.Err() != nil {
		return time.Time{}, err // the process stops
	}
	now := r.Clock.Now()
	switch {
	case err == nil:
		return r.recordComment(ctx, p, &commentOutcome{began: *c.StartedAt, state: v1beta1.CommentPublished, id: id}, m)
	case errors.Is(err, publish.ErrNotFound) && m.graceTimerFired():
		return r.recordComment(ctx, p, &commentOutcome{began: *c.StartedAt, state: v1beta1.CommentNotSent, err: &publish.Error{
			Kind: publish.Transient, Safe: "The platform does not have the comment",
		}}, m)
	}
	m.commentAfter, m.commentPolledAt = now.Add(pollInterval(string(p.UID), m.commentPolls, maxFindInterval)), now
	m.commentPolls++
	if errors.Is(err, publish.ErrNotFound) && m.commentAfter.After(m.graceEndsAt) && now.Before(m.graceEndsAt) {
		m.commentAfter = m.graceEndsAt
	}
	if end := c.StartedAt.Add(unknownTimeout); m.commentAfter.After(end) && now.Before(end) {
		m.commentAfter = end
	}
	return m.commentAfter, nil
}

func (r *Reconciler) callFindComment(ctx context.Context, p *v1beta1.Post, f *observed) (id string, err error) {
	commenter, ok := r.Platforms[p.Spec.Platform].(publish.Commenter)
	if !ok {
		return "", publish.ErrCannotTell
	}
	ctx, cancel := context.WithTimeout(ctx, pollTimeout)
	defer cancel()
	account, err := r.Accounts.Account(ctx, f.account)
	if err != nil {
		return "", err
	}
	text := *p.Spec.Settings.FirstComment
	id, err = commenter.FindComment(ctx, account, p.Status.PlatformPostID, text)
	if err != nil && publish.KindOf(err) == publish.Unauthorized {
		if account, err = r.Accounts.Renew(ctx, f.account, account.AccessToken); err != nil {
			return "", err
		}
		id, err = commenter.FindComment(ctx, account, p.Status.PlatformPostID, text)
	}
	return id, err
}

// settleComment writes an outcome into the post and reports whether it changed the post. It reads nothing but its
// arguments.
func settleComment(p *v1beta1.Post, o *commentOutcome, now time.Time) bool {
	c := p.Status.FirstComment
	switch {
	case !posting.Commenting(p):
		return false
	case c == nil:
		c = &v1beta1.PostComment{}
		p.Status.FirstComment = c
	case c.StartedAt != nil && !c.StartedAt.Time.Equal(o.began.Time) && o.state != v1beta1.CommentFailed:
		return false // another call was recorded since
	}
	c.State, c.Error = o.state, o.fail
	if o.err != nil {
		c.Error = catalogError(o.err, now)
	}
	if c.State == v1beta1.CommentPublished {
		c.ID = bounded(o.id, 256)
	}
	if c.State.Final() {
		at := metav1.NewMicroTime(now)
		c.SettledAt = &at
	}
	return true
}

// recordComment writes an outcome and returns when to reconcile again. Like record, it retries on conflicts.
func (r *Reconciler) recordComment(ctx context.Context, p *v1beta1.Post, o *commentOutcome, m *localState) (time.Time, error) {
	m.commented = o
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), recordTimeout)
	defer cancel()
	key := client.ObjectKeyFromObject(p)
	for range maxWrites {
		w := status.Begin(r.Client, p)
		now := r.Clock.Now()
		if !settleComment(p, o, now) {
			m.commented = nil
			return now, nil // another pass has settled it
		}
		err := r.persist(ctx, w, p, decision{})
		switch {
		case err == nil:
			return r.afterComment(ctx, p, o, m), nil
		case apierrors.IsNotFound(err):
			m.commented = nil
			return time.Time{}, err
		case !apierrors.IsConflict(err):
			return time.Time{}, fmt.Errorf("recording a first comment: %w", err)
		}
		fresh := &v1beta1.Post{}
		if err := r.Live.Get(ctx, key, fresh); err != nil {
			return time.Time{}, fmt.Errorf("reading the post to record a first comment: %w", err)
		}
		if fresh.UID != p.UID {
			m.commented = nil
			return time.Time{}, nil
		}
		p = fresh
	}
	return time.Time{}, fmt.Errorf("recording a first comment: conflict after %d retries", maxWrites)
}

// afterComment reports a recorded outcome and returns when to reconcile next.
func (r *Reconciler) afterComment(ctx context.Context, p *v1beta1.Post, o *commentOutcome, m *localState) time.Time {
	m.commented, m.commentUnsent = nil, nil
	now, c := r.Clock.Now(), p.Status.FirstComment
	if c.State.Final() {
		ctrl.LoggerFrom(ctx).Info("first comment finished", append(logFields(p), "state", c.State)...)
		if c.State != v1beta1.CommentPublished && c.Error != nil {
			r.Events.Eventf(p, nil, corev1.EventTypeWarning, string(v1beta1.ReasonFirstCommentFailed), "Comment", "%s: %s", c.Error.Code, c.Error.Message)
		}
		return now
	}
	m.commentAfter = now.Add(backOff(string(p.UID), int(c.Tries)))
	if c.State == v1beta1.CommentIntended {
		m.commentAfter = now.Add(pollInterval(string(p.UID), 0, time.Minute))
	} else if o.err != nil {
		if at := resets(o.err, now); o.err.Kind == publish.RateLimited && at.After(now) {
			m.commentAfter = at
		}
		if o.err.Kind == publish.Unauthorized && c.Tries < 2 {
			m.commentAfter = now
		}
	}
	return m.commentAfter
}
