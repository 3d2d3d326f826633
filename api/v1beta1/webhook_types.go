// SPDX-License-Identifier: Apache-2.0

package v1beta1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// WebhookEvent is the type of an event that webhook endpoints receive.
// +kubebuilder:validation:Enum=job.succeeded;job.failed;post.scheduled;post.awaiting_approval;post.published;post.in_inbox;post.failed;post.unconfirmed;post.cancelled;connection.expiring;connection.expired;connection.restored;automation.run_succeeded;automation.run_failed;automation.run_missed;quota.reached;webhook.test
type WebhookEvent string

// Webhook events.
const (
	// EventJobSucceeded and EventJobFailed mean that slides, a video or a render have ended.
	EventJobSucceeded WebhookEvent = "job.succeeded"
	EventJobFailed    WebhookEvent = "job.failed"
	// EventPostScheduled means that a post waits for its time.
	EventPostScheduled WebhookEvent = "post.scheduled"
	// EventPostAwaitingApproval means that a post waits for an approver.
	EventPostAwaitingApproval WebhookEvent = "post.awaiting_approval"
	// EventPostPublished means that a post is on its platform. EventPostInInbox means that a draft is in the inbox of
	// the account.
	EventPostPublished WebhookEvent = "post.published"
	EventPostInInbox   WebhookEvent = "post.in_inbox"
	// EventPostFailed means that a post was not published. EventPostUnconfirmed means that this is unknown.
	EventPostFailed      WebhookEvent = "post.failed"
	EventPostUnconfirmed WebhookEvent = "post.unconfirmed"
	// EventPostCancelled means that a post was cancelled before its publication.
	EventPostCancelled WebhookEvent = "post.cancelled"
	// EventConnectionExpiring means that the permission of a connected account expires within three days.
	// EventConnectionExpired means that the permission cannot be used any more: it has expired, was revoked, or lacks a
	// scope. EventConnectionRestored means that a user reconnected such an account.
	EventConnectionExpiring WebhookEvent = "connection.expiring"
	EventConnectionExpired  WebhookEvent = "connection.expired"
	EventConnectionRestored WebhookEvent = "connection.restored"
	// EventRunSucceeded, EventRunFailed and EventRunMissed mean that a run of an automation has ended in that state. A
	// run that was skipped has no event.
	EventRunSucceeded WebhookEvent = "automation.run_succeeded"
	EventRunFailed    WebhookEvent = "automation.run_failed"
	EventRunMissed    WebhookEvent = "automation.run_missed"
	// EventQuotaReached means that the slideshows of the plan's period are used up.
	EventQuotaReached WebhookEvent = "quota.reached"
	// EventTest is sent on request, to one endpoint.
	EventTest WebhookEvent = "webhook.test"
)

// MaxTransitions is the maximum number of transitions that a status keeps.
const MaxTransitions = 16

// Transition is a change of state that webhook endpoints receive as an event.
type Transition struct {
	// Event is the type of the event.
	Event WebhookEvent `json:"event"`
	// Sequence is the number of the transition, from 1, without gaps.
	// +kubebuilder:validation:Minimum=1
	Sequence int64 `json:"sequence"`
	// At is the time of the transition.
	At metav1.Time `json:"at"`
}

// Limits of webhook endpoints.
const (
	// MaxWebhookEndpoints is the maximum number of endpoints of an account that receive events. The oldest receive them.
	MaxWebhookEndpoints = 20
	// MaxWebhookPending is the maximum number of events of an endpoint that wait for another attempt. While as many
	// wait, no further event is sent.
	MaxWebhookPending = 64
	// MaxWebhookDeliveries is the number of recorded attempts of an endpoint.
	MaxWebhookDeliveries = 50
)

// WebhookEndpointSpec is the desired state of the WebhookEndpoint.
type WebhookEndpointSpec struct {
	// URL that receives the events by POST: https on port 443, at a public address. The installation can allow hosts to
	// be exempt from this.
	// +kubebuilder:validation:MaxLength=2048
	// +kubebuilder:validation:Pattern=`^https?://[^\s]+$`
	URL string `json:"url"`
	// Events that are sent. Default all.
	// +optional
	// +kubebuilder:validation:MaxItems=32
	// +listType=set
	Events []WebhookEvent `json:"events,omitempty"`
	// BrandRef limits the events to those of one brand. Events of the account, such as quota.reached, are sent in any
	// case. Absent: the events of all brands.
	// +optional
	BrandRef *LocalRef `json:"brandRef,omitempty"`
	// Suspend stops the delivery. Events that occur meanwhile are sent when it is false. Default false.
	// +optional
	Suspend bool `json:"suspend,omitempty"`
	// SecretRef names the Secret with the signing secret in its key secret. Reelops creates the Secret. Default: the
	// name of the endpoint, followed by -webhook.
	// +optional
	SecretRef *LocalRef `json:"secretRef,omitempty"`
	// RotateAt is the time of a request for another signing secret. Each time that differs from the last one generates
	// one. For 24 hours, deliveries have signatures of both.
	// +optional
	RotateAt *metav1.MicroTime `json:"rotateAt,omitempty"`
	// TestAt is the time of a request for the event webhook.test. Each time that differs from the last one sends one
	// event.
	// +optional
	TestAt *metav1.MicroTime `json:"testAt,omitempty"`
	// Replay sends recorded events again.
	// +optional
	Replay *WebhookReplay `json:"replay,omitempty"`
}

// WebhookReplay is a request to send recorded events again.
type WebhookReplay struct {
	// From is the time of the first event that is sent again, at most 30 days ago.
	From metav1.Time `json:"from"`
	// At is the time of the request. Each time that differs from the last one is one replay.
	At metav1.MicroTime `json:"at"`
}

// WebhookCursor is a position in the recorded events of an account.
type WebhookCursor struct {
	// Segment is the number of a segment of the outbox.
	Segment int64 `json:"segment"`
	// Index is the number of an event in the segment, from 0.
	Index int32 `json:"index"`
}

// WebhookPending is an event that waits for another attempt.
type WebhookPending struct {
	// WebhookCursor is the position of the event.
	WebhookCursor `json:",inline"`
	// Attempts is the number of failed attempts.
	Attempts int32 `json:"attempts"`
	// NextAt is the time of the next attempt.
	NextAt metav1.MicroTime `json:"nextAt"`
}

// WebhookDelivery is the record of an attempt to deliver an event.
type WebhookDelivery struct {
	// EventID is the value of the header webhook-id.
	// +kubebuilder:validation:MaxLength=128
	EventID string `json:"eventID"`
	// Event is the type of the event.
	Event WebhookEvent `json:"event"`
	// Position of the event. Absent for webhook.test.
	// +optional
	Position *WebhookCursor `json:"position,omitempty"`
	// Attempt is the number of the attempt, from 1.
	Attempt int32 `json:"attempt"`
	// At is the time at which the attempt started.
	At metav1.MicroTime `json:"at"`
	// Milliseconds is the duration of the attempt.
	Milliseconds int32 `json:"milliseconds"`
	// Code is the HTTP status of the response. Absent without a response.
	// +optional
	Code int32 `json:"code,omitempty"`
	// Error is the reason why the attempt failed. Absent after a success.
	// +optional
	// +kubebuilder:validation:MaxLength=256
	Error string `json:"error,omitempty"`
}

// WebhookDisabled is the reason why an endpoint receives no events.
type WebhookDisabled struct {
	// Reason is EndpointGone (the endpoint returned 410) or EndpointFailing (five days without a success).
	// +kubebuilder:validation:Enum=EndpointGone;EndpointFailing
	Reason Reason `json:"reason"`
	// At is the time at which the endpoint was disabled.
	At metav1.Time `json:"at"`
	// Generation of the spec that is disabled. A change of the spec enables the endpoint again.
	Generation int64 `json:"generation"`
}

// WebhookEndpointStatus is the observed state of the WebhookEndpoint.
type WebhookEndpointStatus struct {
	// ObservedGeneration is the generation of the spec that the status describes. It is -1 until the first reconcile, so that a new
	// object never counts as current.
	// +optional
	// +kubebuilder:default=-1
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`
	// Conditions of the endpoint.
	// +optional
	// +listType=map
	// +listMapKey=type
	// +kubebuilder:validation:MaxItems=16
	Conditions []metav1.Condition `json:"conditions,omitempty"`
	// Cursor is the position of the next recorded event. Absent before the first one.
	// +optional
	Cursor *WebhookCursor `json:"cursor,omitempty"`
	// Pending events, before the cursor, that wait for another attempt.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=64
	Pending []WebhookPending `json:"pending,omitempty"`
	// Deliveries are the last attempts, newest first.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=50
	Deliveries []WebhookDelivery `json:"deliveries,omitempty"`
	// FailingSince is the time of the first failure after the last success. Absent while attempts succeed.
	// +optional
	FailingSince *metav1.Time `json:"failingSince,omitempty"`
	// Disabled is present if the endpoint receives no events because its attempts failed.
	// +optional
	Disabled *WebhookDisabled `json:"disabled,omitempty"`
	// TestedAt is the last handled value of spec.testAt.
	// +optional
	TestedAt *metav1.MicroTime `json:"testedAt,omitempty"`
	// ReplayedAt is the last handled value of spec.replay.at.
	// +optional
	ReplayedAt *metav1.MicroTime `json:"replayedAt,omitempty"`
}

// WebhookEndpoint is a URL that receives the events of an account, such as post.published. The requests are signed by
// the rules of Standard Webhooks. Each event is delivered at least once, in any order.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:categories=reelops,shortName=rlhook
// +kubebuilder:selectablefield:JSONPath=`.spec.brandRef.name`
// +kubebuilder:selectablefield:JSONPath=`.spec.url`
// +kubebuilder:printcolumn:name="Ready",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="Reason",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].reason`
// +kubebuilder:printcolumn:name="URL",type=string,JSONPath=`.spec.url`
// +kubebuilder:printcolumn:name="Brand",type=string,JSONPath=`.spec.brandRef.name`,priority=1
// +kubebuilder:printcolumn:name="Message",type=string,priority=1,JSONPath=`.status.conditions[?(@.type=="Ready")].message`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
type WebhookEndpoint struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec WebhookEndpointSpec `json:"spec"`
	// +kubebuilder:default={}
	Status WebhookEndpointStatus `json:"status,omitempty"`
}

// SecretName returns the name of the Secret with the signing secret.
func (w *WebhookEndpoint) SecretName() string {
	if w.Spec.SecretRef != nil {
		return w.Spec.SecretRef.Name
	}
	return w.Name + "-webhook"
}

// Receives reports whether the endpoint is to receive an event of a brand. The brand is empty for events of the
// account.
func (w *WebhookEndpoint) Receives(event WebhookEvent, brand string) bool {
	if w.Spec.BrandRef != nil && brand != "" && brand != w.Spec.BrandRef.Name {
		return false
	}
	for _, e := range w.Spec.Events {
		if e == event {
			return true
		}
	}
	return len(w.Spec.Events) == 0
}

// IsDisabled reports whether the endpoint is disabled because its attempts failed.
func (w *WebhookEndpoint) IsDisabled() bool {
	return w.Status.Disabled != nil && w.Status.Disabled.Generation == w.Generation
}

// DeliveryState returns how the delivery is: disabled, suspended, failing (the last attempts failed) or active.
func (w *WebhookEndpoint) DeliveryState() string {
	switch {
	case w.IsDisabled():
		return "disabled"
	case w.Spec.Suspend:
		return "suspended"
	case w.Status.FailingSince != nil:
		return "failing"
	}
	return "active"
}

// WebhookEndpointList is a list of WebhookEndpoint.
//
// +kubebuilder:object:root=true
type WebhookEndpointList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []WebhookEndpoint `json:"items"`
}
