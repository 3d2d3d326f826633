// SPDX-License-Identifier: Apache-2.0

package view

import (
	"encoding/json"
	"slices"

	"k8s.io/apimachinery/pkg/api/meta"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/store/outbox"
)

// Webhook is a URL that receives the events of a brand.
type Webhook struct {
	ID           int64    `json:"id" example:"4" doc:"The id of the webhook."`
	URL          string   `json:"url" doc:"URL that receives the events by POST."`
	Events       []string `json:"events" doc:"Types of the events that are sent; empty: all."`
	Paused       bool     `json:"paused" doc:"While true, nothing is sent. Events that occur meanwhile are sent afterwards."`
	State        string   `json:"state" enum:"active,paused,failing,disabled" doc:"failing: the last attempts failed and are repeated. disabled: the endpoint returned 410, or failed for five days; any change enables it again."`
	Message      string   `json:"message" doc:"One sentence about the state."`
	FailingSince *Time    `json:"failing_since" nullable:"true" doc:"Time of the first failure after the last success."`
	DisabledAt   *Time    `json:"disabled_at" nullable:"true" doc:"When the webhook was disabled."`
	Waiting      int      `json:"waiting" doc:"Number of events that wait for another attempt: at most 64."`
	CreatedAt    Time     `json:"created_at" doc:"When the webhook was created."`
}

// WebhookOf returns the view of an endpoint.
func WebhookOf(id int64, w *v1beta1.WebhookEndpoint) *Webhook {
	out := &Webhook{
		ID: id, URL: w.Spec.URL, Events: []string{}, Paused: w.Spec.Suspend, State: w.DeliveryState(), Message: "The webhook was not checked yet.",
		FailingSince: at(w.Status.FailingSince), Waiting: len(w.Status.Pending), CreatedAt: Time{v1beta1.CreatedAt(w).Time},
	}
	if out.State == "suspended" {
		out.State = "paused"
	}
	for _, e := range w.Spec.Events {
		out.Events = append(out.Events, string(e))
	}
	if w.IsDisabled() {
		out.DisabledAt = at(&w.Status.Disabled.At)
	}
	if c := meta.FindStatusCondition(w.Status.Conditions, string(v1beta1.ConditionReady)); c != nil && c.ObservedGeneration == w.Generation {
		out.Message = c.Message
	}
	return out
}

// WebhookWithSecret is a webhook with its signing secret.
type WebhookWithSecret struct {
	Webhook
	Secret *string `json:"secret" nullable:"true" doc:"The signing secret: whsec_, then 32 bytes in base64. Only this response has it; null if the request was answered before."`
}

// Stored returns the response that is stored under an idempotency key: without the secret.
func (w WebhookWithSecret) Stored() any {
	w.Secret = nil
	return w
}

// WebhookDelivery is an event and its last attempt.
type WebhookDelivery struct {
	EventID       string         `json:"event_id" doc:"Value of the header webhook-id."`
	Type          string         `json:"type" doc:"Type of the event."`
	Sequence      *int64         `json:"sequence" nullable:"true" doc:"Number of the event among those of its object. null for webhook.test, and for events that are not stored any more."`
	ObjectID      *int64         `json:"object_id" nullable:"true" doc:"Id of the post, the short of the job or the connected account; otherwise null. Runs have names."`
	OccurredAt    *Time          `json:"occurred_at" nullable:"true" doc:"When the event occurred. null for webhook.test, and for events that are not stored any more."`
	State         string         `json:"state" enum:"delivered,waiting,failed" doc:"waiting: another attempt follows. failed: no attempt follows."`
	Attempts      int32          `json:"attempts" doc:"Number of attempts. A replay counts again."`
	LastAttemptAt *Time          `json:"last_attempt_at" nullable:"true" doc:"Start of the last attempt. null if it is not among the last 50 of the webhook."`
	DurationMS    *int32         `json:"duration_ms" nullable:"true" doc:"Duration of the last attempt in milliseconds."`
	StatusCode    *int32         `json:"status_code" nullable:"true" doc:"HTTP status of the last response; null without a response."`
	Error         *string        `json:"error" nullable:"true" doc:"Why the last attempt failed."`
	NextAttemptAt *Time          `json:"next_attempt_at" nullable:"true" doc:"Time of the next attempt."`
	Body          map[string]any `json:"body" nullable:"true" doc:"Body of the request. null for webhook.test, for events that are not stored any more, and for keys without webhooks:write."`
}

// WebhookDeliveries returns the events of the last attempts of an endpoint, the newest attempt first, and then the other
// events that wait. The positions of the events in the outbox have the same order; nil for webhook.test.
func WebhookDeliveries(w *v1beta1.WebhookEndpoint) (out []WebhookDelivery, positions []*v1beta1.WebhookCursor) {
	pending := slices.Clone(w.Status.Pending)
	seen := map[string]bool{}
	for i := range w.Status.Deliveries {
		d := &w.Status.Deliveries[i]
		if seen[d.EventID] {
			continue // an earlier attempt
		}
		seen[d.EventID] = true
		v := WebhookDelivery{
			EventID: d.EventID, Type: string(d.Event), State: "delivered", Attempts: d.Attempt, LastAttemptAt: &Time{d.At.Time}, DurationMS: &d.Milliseconds,
		}
		if d.Code != 0 {
			v.StatusCode = &d.Code
		}
		if d.Error != "" {
			v.State, v.Error = "failed", &d.Error
		}
		if d.Position != nil {
			pending = slices.DeleteFunc(pending, func(p v1beta1.WebhookPending) bool {
				if p.WebhookCursor != *d.Position {
					return false
				}
				v.State, v.NextAttemptAt = "waiting", &Time{p.NextAt.Time}
				return true
			})
		}
		out, positions = append(out, v), append(positions, d.Position)
	}
	for i := range pending {
		p := &pending[i]
		out = append(out, WebhookDelivery{State: "waiting", Attempts: p.Attempts, NextAttemptAt: &Time{p.NextAt.Time}})
		positions = append(positions, &p.WebhookCursor)
	}
	return out, positions
}

// Recorded adds what the outbox has about the event. body is true if the caller may see the body.
func (d *WebhookDelivery) Recorded(e *outbox.Event, body bool) {
	d.EventID, d.Type, d.OccurredAt = e.ID, string(e.Event), &Time{e.At.Time}
	d.Sequence = &e.Sequence
	var sent struct {
		Data struct {
			ID    *int64 `json:"id"`
			JobID *int64 `json:"job_id"`
		} `json:"data"`
	}
	_ = json.Unmarshal(e.Body, &sent) // data of another form has no id
	if d.ObjectID = sent.Data.ID; d.ObjectID == nil {
		d.ObjectID = sent.Data.JobID
	}
	if body {
		_ = json.Unmarshal(e.Body, &d.Body) // the manager encoded it
	}
}

// Webhook event types that endpoints can select.
var webhookEvents = []v1beta1.WebhookEvent{
	v1beta1.EventJobSucceeded, v1beta1.EventJobFailed,
	v1beta1.EventPostScheduled, v1beta1.EventPostAwaitingApproval, v1beta1.EventPostPublished, v1beta1.EventPostInInbox,
	v1beta1.EventPostFailed, v1beta1.EventPostUnconfirmed, v1beta1.EventPostCancelled,
	v1beta1.EventConnectionExpiring, v1beta1.EventConnectionExpired, v1beta1.EventConnectionRestored,
	v1beta1.EventRunSucceeded, v1beta1.EventRunFailed, v1beta1.EventRunMissed, v1beta1.EventQuotaReached,
}

// WebhookEvents returns the event types that a webhook can select.
func WebhookEvents() []any {
	out := make([]any, len(webhookEvents))
	for i, e := range webhookEvents {
		out[i] = string(e)
	}
	return out
}
