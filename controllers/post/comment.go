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
func decideComment(p *v1beta1.Post, o *observed) decision {
	local, c := o.local, p.Status.FirstComment
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
	unreachable := o.account == nil || !o.configured
	if c.State == v1beta1.CommentIntended {
		switch {
		case local.commented != nil && local.commented.began.Time.Equal(began.Time):
			return decision{kind: doEndComment, comment: local.commented}
		case slices.ContainsFunc(local.commentUnsent, func(at metav1.MicroTime) bool { return at.Time.Equal(began.Time) }):
			return end(v1beta1.CommentNotSent, nil)
		case o.now.Sub(began.Time) >= unknownTimeout && (unreachable || local.commentPolls > 0 && !local.commentPolledAt.Before(local.graceEndsAt)):
			return end(v1beta1.CommentUnknown, workError(catalog.InternalError,
				"The outcome of the first comment is still unknown after an hour: check the platform",
				map[string]string{detailReason: reasonUnknown}))
		case unreachable:
			return decision{again: began.Add(unknownTimeout)}
		case local.commentAfter.After(o.now):
			return decision{again: local.commentAfter}
		}
		return decision{kind: doFindComment}
	}
	published := p.Status.FinishedAt
	failure := c.Error.DeepCopy()
	if failure == nil {
		failure = workError(catalog.InternalError, "The first comment could not be published within six hours of the post", nil)
	}
	late := published == nil || o.now.Sub(published.Time) >= commentTimeout
	switch {
	case p.Status.DeliveryState != v1beta1.DeliveryPublished:
		return end(v1beta1.CommentFailed, workError(catalog.ValidationFailed, "The post is not public: it accepts no comments",
			map[string]string{detailReason: "not_public"}))
	case late || int(c.Tries) >= maxTries:
		return end(v1beta1.CommentFailed, failure)
	case unreachable:
		return decision{again: published.Add(commentTimeout)}
	case p.Status.PlatformPostID == "" && local.pollAfter.After(o.now):
		return decision{again: local.pollAfter}
	case p.Status.PlatformPostID == "":
		return decision{kind: doPoll}
	case local.commentAfter.After(o.now):
		return decision{again: local.commentAfter}
	}
	return decision{kind: doComment}
}

// comment records the intent, writes the comment and records the outcome.
func (r *Reconciler) comment(ctx context.Context, p *v1beta1.Post, o *observed, w *status.Writer[*v1beta1.Post]) (time.Time, error) {
	local := o.local
	commenter, ok := r.Platforms[p.Spec.Platform].(publish.Commenter)
	if !ok {
		return r.recordComment(ctx, p, &commentOutcome{state: v1beta1.CommentFailed, fail: workError(catalog.ValidationFailed,
			"The platform has no API for comments", nil)}, local)
	}
	account, err := r.Accounts.Account(ctx, o.account)
	if err == nil && local.renewed {
		account, err = r.Accounts.Renew(ctx, o.account, account.AccessToken)
		local.renewed = false
	}
	if err != nil { // nothing was recorded; commentTimeout ends the retries
		local.commentPolls++
		local.commentAfter = r.Clock.Now().Add(backOff(string(p.UID), local.commentPolls))
		return local.commentAfter, nil //nolint:nilerr // the token is read again after a wait of its own
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
			local.commentUnsent = append(local.commentUnsent, began)
		}
		return time.Time{}, err
	}
	local.commentUnsent, local.commentPolls = nil, 0
	out := r.callComment(ctx, commenter, p, account, began)
	if out.err != nil && out.err.Kind == publish.Unauthorized {
		local.renewed = true
	}
	if out.err != nil && out.err.Kind == publish.Auth { // a missing scope for comments does not affect publishing
		r.refusedToken(ctx, o.account, account.AccessToken, out.err)
	}
	return r.recordComment(ctx, p, out, local)
}

// callComment makes the one call that may write the comment, under the deadlines of a call that may publish.
func (r *Reconciler) callComment(
	ctx context.Context, commenter publish.Commenter, p *v1beta1.Post, account publish.Account, began metav1.MicroTime,
) *commentOutcome {
	out := &commentOutcome{began: began}
	now := r.Clock.Now()
	passed := max(now.Sub(began.Time), 0)
	if passed > maxStartDelay {
		out.state, out.err = v1beta1.CommentNotSent, &publish.Error{Kind: publish.Transient, Safe: "The call was delayed before it was sent"}
		return out
	}
	ctx, cancel := context.WithTimeout(ctx, baseCallTimeout-passed)
	defer cancel()
	id, err := commenter.Comment(ctx, account, p.Status.PlatformPostID, *p.Spec.Settings.FirstComment)
	if err == nil {
		out.state, out.id = v1beta1.CommentPublished, id
		return out
	}
	var e *publish.Error
	if !errors.As(err, &e) {
		e = &publish.Error{Kind: publish.Ambiguous, Safe: "The platform did not respond", Err: err}
	}
	out.err = e
	switch e.Kind {
	case publish.Ambiguous:
		out.state = v1beta1.CommentIntended // the comment stays unresolved
	case publish.Transient, publish.RateLimited, publish.Unauthorized, publish.Expired:
		out.state = v1beta1.CommentNotSent
	default:
		out.state = v1beta1.CommentFailed
	}
	return out
}

// findComment looks up an unresolved comment. It changes nothing on the platform.
func (r *Reconciler) findComment(ctx context.Context, p *v1beta1.Post, o *observed) (time.Time, error) {
	local, c := o.local, p.Status.FirstComment
	id, err := r.callFindComment(ctx, p, o)
	if err != nil && ctx.Err() != nil {
		return time.Time{}, err // the process stops
	}
	now := r.Clock.Now()
	switch {
	case err == nil:
		return r.recordComment(ctx, p, &commentOutcome{began: *c.StartedAt, state: v1beta1.CommentPublished, id: id}, local)
	case errors.Is(err, publish.ErrNotFound) && local.graceTimerFired():
		return r.recordComment(ctx, p, &commentOutcome{began: *c.StartedAt, state: v1beta1.CommentNotSent, err: &publish.Error{
			Kind: publish.Transient, Safe: "The platform does not have the comment",
		}}, local)
	}
	local.commentAfter, local.commentPolledAt = now.Add(pollInterval(string(p.UID), local.commentPolls, maxFindInterval)), now
	local.commentPolls++
	if errors.Is(err, publish.ErrNotFound) && local.commentAfter.After(local.graceEndsAt) && now.Before(local.graceEndsAt) {
		local.commentAfter = local.graceEndsAt
	}
	if end := c.StartedAt.Add(unknownTimeout); local.commentAfter.After(end) && now.Before(end) {
		local.commentAfter = end
	}
	return local.commentAfter, nil
}

func (r *Reconciler) callFindComment(ctx context.Context, p *v1beta1.Post, o *observed) (id string, err error) {
	commenter, ok := r.Platforms[p.Spec.Platform].(publish.Commenter)
	if !ok {
		return "", publish.ErrCannotTell
	}
	ctx, cancel := context.WithTimeout(ctx, pollTimeout)
	defer cancel()
	account, err := r.Accounts.Account(ctx, o.account)
	if err != nil {
		return "", err
	}
	text := *p.Spec.Settings.FirstComment
	id, err = commenter.FindComment(ctx, account, p.Status.PlatformPostID, text)
	if err != nil && publish.KindOf(err) == publish.Unauthorized {
		if account, err = r.Accounts.Renew(ctx, o.account, account.AccessToken); err != nil {
			return "", err
		}
		id, err = commenter.FindComment(ctx, account, p.Status.PlatformPostID, text)
	}
	return id, err
}

// settleComment writes an outcome into the post and reports whether it changed the post. It reads nothing but its
// arguments.
func settleComment(p *v1beta1.Post, out *commentOutcome, now time.Time) bool {
	c := p.Status.FirstComment
	switch {
	case !posting.Commenting(p):
		return false
	case c == nil:
		c = &v1beta1.PostComment{}
		p.Status.FirstComment = c
	case c.StartedAt != nil && !c.StartedAt.Time.Equal(out.began.Time) && out.state != v1beta1.CommentFailed:
		return false // another call was recorded since
	}
	c.State, c.Error = out.state, out.fail
	if out.err != nil {
		c.Error = catalogError(out.err, now)
	}
	if c.State == v1beta1.CommentPublished {
		c.ID = bounded(out.id, 256)
	}
	if c.State.Final() {
		at := metav1.NewMicroTime(now)
		c.SettledAt = &at
	}
	return true
}

// recordComment writes an outcome and returns when to reconcile again. Like record, it retries on conflicts.
func (r *Reconciler) recordComment(ctx context.Context, p *v1beta1.Post, out *commentOutcome, local *localState) (time.Time, error) {
	local.commented = out
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), recordTimeout)
	defer cancel()
	key := client.ObjectKeyFromObject(p)
	for range maxWrites {
		w := status.Begin(r.Client, p)
		now := r.Clock.Now()
		if !settleComment(p, out, now) {
			local.commented = nil
			return now, nil // another pass has settled it
		}
		err := r.persist(ctx, w, p, decision{})
		switch {
		case err == nil:
			return r.afterComment(ctx, p, out, local), nil
		case apierrors.IsNotFound(err):
			local.commented = nil
			return time.Time{}, err
		case !apierrors.IsConflict(err):
			return time.Time{}, fmt.Errorf("recording a first comment: %w", err)
		}
		fresh := &v1beta1.Post{}
		if err := r.Live.Get(ctx, key, fresh); err != nil {
			return time.Time{}, fmt.Errorf("reading the post to record a first comment: %w", err)
		}
		if fresh.UID != p.UID {
			local.commented = nil
			return time.Time{}, nil
		}
		p = fresh
	}
	return time.Time{}, fmt.Errorf("recording a first comment: conflict after %d retries", maxWrites)
}

// afterComment reports a recorded outcome and returns when to reconcile next.
func (r *Reconciler) afterComment(ctx context.Context, p *v1beta1.Post, out *commentOutcome, local *localState) time.Time {
	local.commented, local.commentUnsent = nil, nil
	now, c := r.Clock.Now(), p.Status.FirstComment
	if c.State.Final() {
		ctrl.LoggerFrom(ctx).Info("first comment finished", append(logFields(p), "state", c.State)...)
		if c.State != v1beta1.CommentPublished && c.Error != nil {
			r.Events.Eventf(p, nil, corev1.EventTypeWarning, string(v1beta1.ReasonFirstCommentFailed), "Comment", "%s: %s", c.Error.Code, c.Error.Message)
		}
		return now
	}
	local.commentAfter = now.Add(backOff(string(p.UID), int(c.Tries)))
	if c.State == v1beta1.CommentIntended {
		local.commentAfter = now.Add(pollInterval(string(p.UID), 0, time.Minute))
	} else if out.err != nil {
		if at := resets(out.err, now); out.err.Kind == publish.RateLimited && at.After(now) {
			local.commentAfter = at
		}
		if out.err.Kind == publish.Unauthorized && c.Tries < 2 {
			local.commentAfter = now
		}
	}
	return local.commentAfter
}
