// SPDX-License-Identifier: Apache-2.0

package status

import (
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
)

// ofPost derives an event when a post gets another externally visible state. A post that a platform processes has no
// event until the outcome is known.
var ofPost = of(
	func(p *v1beta1.Post) *[]v1beta1.Transition { return &p.Status.Transitions },
	func(before, after *v1beta1.Post) (v1beta1.WebhookEvent, *metav1.Time) {
		event := postEvent(after)
		if event == postEvent(before) {
			return "", nil
		}
		switch event {
		case v1beta1.EventPostPublished:
			return event, after.Status.PublishedAt
		case v1beta1.EventPostFailed, v1beta1.EventPostCancelled:
			return event, after.Status.FinishedAt
		}
		return event, nil
	})

// postEvent returns the event of the state of a post; empty for a state without one.
func postEvent(p *v1beta1.Post) v1beta1.WebhookEvent {
	if p.Status.DeliveryState == v1beta1.DeliveryUnconfirmed {
		return v1beta1.EventPostUnconfirmed
	}
	switch p.Status.State {
	case v1beta1.PostScheduled:
		return v1beta1.EventPostScheduled
	case v1beta1.PostHeld:
		if c := meta.FindStatusCondition(p.Status.Conditions, string(v1beta1.ConditionReady)); c != nil && c.Reason == string(v1beta1.ReasonAwaitingApproval) {
			return v1beta1.EventPostAwaitingApproval
		}
	case v1beta1.PostFailed:
		return v1beta1.EventPostFailed
	case v1beta1.PostCancelled:
		return v1beta1.EventPostCancelled
	case v1beta1.PostSuccess:
		switch p.Status.DeliveryState {
		case v1beta1.DeliveryInInbox:
			return v1beta1.EventPostInInbox
		case v1beta1.DeliveryProcessing:
			return ""
		}
		return v1beta1.EventPostPublished
	}
	return ""
}
