// SPDX-License-Identifier: Apache-2.0

package post

import (
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"
	ctrl "sigs.k8s.io/controller-runtime"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/social/posting"
)

const eventAction = "Publish"

// announce records the events of a written status: the post failed, is retried, was canceled, or its outcome is
// unknown. before is the state stored before the write. A published post has no event of its own: its batch records one
// when all posts are published.
func (r *Reconciler) announce(ctx context.Context, p *v1beta1.Post, before v1beta1.PostState) {
	s := &p.Status
	if s.State != before {
		switch s.State {
		case v1beta1.PostFailed:
			r.Events.Eventf(p, nil, corev1.EventTypeWarning, string(v1beta1.ReasonFailed), eventAction, "%s: %s", s.Error.Code, s.Error.Message)
		case v1beta1.PostRetrying:
			r.Events.Eventf(p, nil, corev1.EventTypeWarning, string(v1beta1.ReasonProgressing), eventAction, "%s", again(p))
		case v1beta1.PostCancelled:
			r.Events.Eventf(p, nil, corev1.EventTypeNormal, string(v1beta1.ReasonCancelled), eventAction, "cancelled before publication")
		}
		r.metrics.ended(p)
		logEnd(ctx, p)
	}
	a := last(p)
	switch {
	case a == nil:
	case a.State == v1beta1.AttemptUnknown && !s.State.Final():
		if r.unknown.add(p.UID, r.metrics) {
			r.Events.Eventf(p, nil, corev1.EventTypeWarning, string(v1beta1.ReasonOutcomeUnknown), eventAction,
				"the outcome of attempt %d is unknown: looking it up on the platform", a.Number)
		}
	default:
		r.unknown.remove(p.UID, r.metrics)
	}
}

// announceWait records an event when a post that waits for its due time begins to wait for its account or platform as
// well. Such a post fails when it becomes due.
func (r *Reconciler) announceWait(p, before *v1beta1.Post) {
	is, was := posting.WaitReason(p.Status.Error), posting.WaitReason(before.Status.Error)
	if is == "" || is == was || p.Status.State.Final() {
		return
	}
	until := "; waiting until " + posting.DueAt(p).UTC().Format(time.RFC3339)
	if is == v1beta1.ReasonPostingSuspended {
		until = "" // that time has passed
	}
	r.Events.Eventf(p, nil, corev1.EventTypeWarning, string(is), eventAction, "%s%s", p.Status.Error.Message, until)
}

// again returns a text with the time and the cause of the next retry.
func again(p *v1beta1.Post) string {
	text := "retrying"
	if at := p.Status.NextAttemptAt; at != nil {
		text += " at " + at.UTC().Format(time.RFC3339)
	}
	if e := p.Status.Error; e != nil {
		text += ": " + e.Code + ": " + e.Message
	}
	return text
}

// logAccepted logs that a platform accepted a post, logEnd that a post has ended. Neither logs texts or URLs of a post.
func logAccepted(ctx context.Context, p *v1beta1.Post, number int32) {
	ctrl.LoggerFrom(ctx).Info("post accepted", append(logFields(p), "attempt", number)...)
}

func logEnd(ctx context.Context, p *v1beta1.Post) {
	if !p.Status.State.Final() {
		return
	}
	fields := append(logFields(p), "state", p.Status.State, "attempts", len(p.Status.Attempts))
	if e := p.Status.Error; e != nil {
		fields = append(fields, "code", e.Code)
	}
	ctrl.LoggerFrom(ctx).Info("post finished", fields...)
}

func logFields(p *v1beta1.Post) []any {
	return []any{"platform", p.Spec.Platform, "post_id", p.Labels[v1beta1.LabelID], "batch", p.Spec.Batch}
}
