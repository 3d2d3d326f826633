// SPDX-License-Identifier: Apache-2.0

package post

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/kube/status"
)

// report sets the conditions. No other function sets them. Ready is true when the post has reached the state that its
// spec requests: published or canceled.
func report(p *v1beta1.Post, d decision) {
	s := &p.Status
	c := status.Conditions{List: &s.Conditions, Generation: p.Generation}
	// Do not remove and set a condition in one pass: its transition time would change, and every pass would write the
	// status.
	if s.State != v1beta1.PostFailed {
		c.Remove(v1beta1.ConditionStalled)
	}
	a := last(p)
	switch {
	case s.State == v1beta1.PostSuccess:
		c.Set(v1beta1.ConditionReady, true, v1beta1.ReasonReady, strings.Join(append([]string{location(p)}, s.Warnings...), ". "))
	case s.State == v1beta1.PostCancelled:
		c.Set(v1beta1.ConditionReady, true, v1beta1.ReasonCancelled, "Cancelled before publication")
	case s.State == v1beta1.PostFailed:
		message := "The post failed, and no error is recorded"
		if s.Error != nil {
			message = fmt.Sprintf("%s: %s", s.Error.Code, s.Error.Message)
		}
		c.Set(v1beta1.ConditionReady, false, v1beta1.ReasonFailed, message)
		c.Set(v1beta1.ConditionStalled, true, v1beta1.ReasonFailed, message)
	case s.State == v1beta1.PostHeld:
		c.Set(v1beta1.ConditionReady, false, cmp.Or(d.reason, v1beta1.ReasonSuspended), heldMessage(p))
	case a != nil && a.State == v1beta1.AttemptUnknown:
		c.Set(v1beta1.ConditionReady, false, v1beta1.ReasonOutcomeUnknown, "The platform may have accepted the post: looking it up there")
	case a != nil && a.State == v1beta1.AttemptIntended:
		c.Set(v1beta1.ConditionReady, false, v1beta1.ReasonProgressing, "Publishing")
	case a != nil && a.State == v1beta1.AttemptAccepted:
		c.Set(v1beta1.ConditionReady, false, v1beta1.ReasonProgressing, "The platform accepted the post and processes it")
	case d.kind == doNothing && (p.Spec.Hold || p.Spec.Cancel):
		// The outcome of an attempt was recorded after the spec had changed: the next decision sets the conditions of this
		// generation.
	case s.NextAttemptAt != nil:
		message := "Retrying at " + s.NextAttemptAt.UTC().Format(time.RFC3339)
		if s.Error != nil {
			message = fmt.Sprintf("%s: %s. %s", s.Error.Code, s.Error.Message, message)
		}
		c.Set(v1beta1.ConditionReady, false, v1beta1.ReasonProgressing, message)
	case d.kind == doPrepare || d.kind == doPublish:
		c.Set(v1beta1.ConditionReady, false, v1beta1.ReasonProgressing, "Preparing on the platform")
	case d.kind == doWait:
		c.Set(v1beta1.ConditionReady, false, d.reason, d.message)
	}
}

func location(p *v1beta1.Post) string {
	switch {
	case p.Status.DeliveryState == v1beta1.DeliveryPrivate:
		return "On the platform, visible only to the account"
	case p.Status.PostURL != "":
		return p.Status.PostURL
	case p.Status.DeliveryState == v1beta1.DeliveryInInbox:
		return "In the account's inbox of drafts"
	}
	return "Published; the platform has not reported the link yet"
}

// heldMessage returns why a post is held. A return by an approver is shown with its comment.
func heldMessage(p *v1beta1.Post) string {
	a := p.Spec.Approval
	if a == nil || a.State != v1beta1.ApprovalReturned || a.Edit != p.Edits() {
		return "Held until the post is approved or the batch is resumed"
	}
	message := "Returned by " + a.By
	if a.Comment != "" {
		message += ": " + a.Comment
	}
	return message
}
