// SPDX-License-Identifier: Apache-2.0

package ops

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/danielgtaylor/huma/v2"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/apiserver/operation"
	"github.com/reelops/reelops/apiserver/problem"
	"github.com/reelops/reelops/apiserver/read"
	"github.com/reelops/reelops/apiserver/view"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/process/fetch"
	"github.com/reelops/reelops/internal/store/outbox"
)

const (
	tagWebhooks = "Webhooks"
	whatWebhook = "webhook"
	// declaredWebhook explains webhooks of manifests.
	declaredWebhook = "A webhook that Argo CD, Flux, Helm or `kubectl apply` manages is a 409 `conflict` with `details.reason` `declared_elsewhere` and the tool in `details.managed_by`."
)

var exampleWebhook = view.Webhook{
	ID: 4, URL: "https://crm.example.com/reelops", Events: []string{"post.published", "post.failed"}, State: "active", Message: "Events are delivered",
	CreatedAt: view.Time{Time: time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)},
}

func exampleSecret() view.WebhookWithSecret {
	return view.WebhookWithSecret{Webhook: exampleWebhook, Secret: ptr.To("whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD")}
}

// WebhookEvents are types of events.
type WebhookEvents []string

// Schema lists the types that can be selected.
func (WebhookEvents) Schema(huma.Registry) *huma.Schema {
	most := len(view.WebhookEvents())
	return &huma.Schema{Type: huma.TypeArray, MaxItems: &most, Items: &huma.Schema{Type: huma.TypeString, Enum: view.WebhookEvents()}}
}

// spec returns the types as they are stored: sorted, each once.
func (e WebhookEvents) spec() (out []v1beta1.WebhookEvent) {
	for _, t := range e {
		out = append(out, v1beta1.WebhookEvent(t))
	}
	slices.Sort(out)
	return slices.Compact(out)
}

var listWebhooksSpec = operation.Spec{
	Name: "list_webhooks", Method: http.MethodGet, Path: "/api/v1/webhooks", Tag: tagWebhooks,
	Summary:     "List webhooks",
	Description: "Lists the brand's webhooks, the newest first. Webhooks of the whole account exist in manifests only and are not listed.",
	Scope:       v1beta1.ScopeBrandRead, ForBrand: true, Bucket: operation.Global, DataExample: []view.Webhook{exampleWebhook},
}

type listWebhooksInput struct{ operation.Paging }

func (s *Service) listWebhooks(ctx context.Context, c *operation.Call, in listWebhooksInput) (*operation.Reply[[]view.Webhook], error) {
	all, err := s.Reader.Webhooks(ctx, c.Namespace(), c.Brand.Name)
	if err != nil {
		return nil, err
	}
	reply := &operation.Reply[[]view.Webhook]{Data: []view.Webhook{}}
	var from, to int
	from, to, reply.Meta.Pagination = in.Of(len(all))
	for i := range all[from:to] {
		w := &all[from+i]
		reply.Data = append(reply.Data, *view.WebhookOf(read.ID(w), w))
	}
	return reply, nil
}

var webhookSpec = operation.Spec{
	Name: "get_webhook", Method: http.MethodGet, Path: "/api/v1/webhooks/{id}", Tag: tagWebhooks,
	Summary: "Get a webhook", Description: "Returns the settings and the state of a webhook. The signing secret is not part of them.",
	Scope: v1beta1.ScopeBrandRead, ForBrand: true, Bucket: operation.Global, DataExample: exampleWebhook,
}

type byWebhookID struct {
	ID operation.ID `path:"id" doc:"The webhook id."`
}

func (s *Service) webhook(ctx context.Context, c *operation.Call, in byWebhookID) (*operation.Reply[view.Webhook], error) {
	w, err := s.cachedWebhook(ctx, c, in.ID)
	if err != nil {
		return nil, err
	}
	return webhookReply(w), nil
}

func webhookReply(w *v1beta1.WebhookEndpoint) *operation.Reply[view.Webhook] {
	return &operation.Reply[view.Webhook]{Data: *view.WebhookOf(read.ID(w), w)}
}

var createWebhookSpec = operation.Spec{
	Name: "create_webhook", Method: http.MethodPost, Path: "/api/v1/webhooks", Tag: tagWebhooks,
	Summary: "Create a webhook",
	Description: "Sends the brand's events to a URL, by the rules of Standard Webhooks. The events contain posts, jobs and connected accounts. " +
		"Only this response has the signing `secret`. A repetition with the same Idempotency-Key returns null instead: rotate the secret if you do not have it. " +
		"The URL must be https on port 443, without redirects, at a public address, unless the installation exempts its host; otherwise `details.reason` is `forbidden_address`. " +
		"An account has at most 20 webhooks: another is a 409 `conflict` with `details.reason` `too_many`.",
	Scope: v1beta1.ScopeWebhooksWrite, ForBrand: true, Bucket: operation.Global, Idempotent: true, Status: http.StatusCreated,
	Errors:      []catalog.Code{catalog.Conflict},
	BodyExample: map[string]any{"url": exampleWebhook.URL, "events": exampleWebhook.Events}, DataExample: exampleSecret(),
}

// CreateWebhook is the body of a request to create a webhook.
type CreateWebhook struct {
	URL    string        `json:"url" minLength:"1" maxLength:"2048" doc:"URL that receives the events by POST."`
	Events WebhookEvents `json:"events,omitempty" doc:"Types of the events to send. Default: all, including types that are added later."`
	Paused bool          `json:"paused,omitempty" doc:"Whether the delivery starts paused. Default false."`
}

func (s *Service) createWebhook(ctx context.Context, c *operation.Call, in struct{ Body CreateWebhook }) (*operation.Reply[view.WebhookWithSecret], error) {
	if err := s.permitWebhook(ctx, in.Body.URL); err != nil {
		return nil, err
	}
	if _, resumed := c.Resumed(); !resumed {
		if err := s.withinWebhookLimit(ctx, c); err != nil {
			return nil, err
		}
	}
	w := &v1beta1.WebhookEndpoint{Spec: v1beta1.WebhookEndpointSpec{
		URL: in.Body.URL, Events: in.Body.Events.spec(), Suspend: in.Body.Paused, BrandRef: &v1beta1.LocalRef{Name: c.Brand.Name},
	}}
	made, found, err := createNamed(ctx, s, c, named[*v1beta1.WebhookEndpoint]{
		object: w, what: whatWebhook, prefix: "webhook-", next: s.NextWebhook,
		brand: func(w *v1beta1.WebhookEndpoint) *v1beta1.LocalRef { return w.Spec.BrandRef },
	})
	if err != nil {
		return nil, err
	}
	reply, err := s.withSecret(made)
	if reply != nil {
		reply.Found = found
	}
	return reply, err
}

// withSecret returns a webhook with its signing secret. The manager derives the same one.
func (s *Service) withSecret(w *v1beta1.WebhookEndpoint) (*operation.Reply[view.WebhookWithSecret], error) {
	secret, err := s.WebhookSecrets.Secret(w)
	if err != nil {
		return nil, fmt.Errorf("deriving the secret of a webhook: %w", err)
	}
	return &operation.Reply[view.WebhookWithSecret]{Data: view.WebhookWithSecret{Webhook: *view.WebhookOf(read.ID(w), w), Secret: &secret}}, nil
}

// permitWebhook refuses a URL to which nothing may be sent.
func (s *Service) permitWebhook(ctx context.Context, address string) error {
	if err := s.WebhookHosts.Permit(ctx, address); err != nil {
		p := problem.Field("url", "The webhook must have an https URL on port 443 at a public address.")
		p.Details["reason"] = fetch.ReasonForbidden
		return p
	}
	return nil
}

// withinWebhookLimit returns a problem if the account has as many webhooks as allowed. Of two requests at the same time
// both may pass; then the controller sends nothing to the newer webhook.
func (s *Service) withinWebhookLimit(ctx context.Context, c *operation.Call) error {
	all, err := s.Reader.Webhooks(ctx, c.Namespace(), "")
	if err != nil || len(all) < v1beta1.MaxWebhookEndpoints {
		return err
	}
	return problem.New(catalog.Conflict, problem.Details{"reason": "too_many", "limit": v1beta1.MaxWebhookEndpoints}).
		Saying(fmt.Sprintf("The account has %d webhooks, and no more are allowed: delete one.", len(all)))
}

var updateWebhookSpec = operation.Spec{
	Name: "update_webhook", Method: http.MethodPatch, Path: "/api/v1/webhooks/{id}", Tag: tagWebhooks,
	Summary: "Update a webhook",
	Description: "Changes settings: omitted members stay unchanged, null clears a member, and arrays are replaced. " +
		"Events that wait are sent to the new URL. Any change enables a disabled webhook again. " + declaredWebhook,
	Scope: v1beta1.ScopeWebhooksWrite, ForBrand: true, Bucket: operation.Global, Errors: []catalog.Code{catalog.Conflict},
	BodyExample: map[string]any{"paused": true}, DataExample: exampleWebhook,
}

// UpdateWebhook is the body of a request to change a webhook. Absent members stay unchanged.
type UpdateWebhook struct {
	URL    *string              `json:"url,omitempty" minLength:"1" maxLength:"2048" doc:"URL that receives the events by POST."`
	Events Merge[WebhookEvents] `json:"events,omitempty" doc:"Types of the events to send. null or empty: all."`
	Paused Switch               `json:"paused,omitempty" doc:"While true, nothing is sent. null: false."`
}

type updateWebhookInput struct {
	ID   operation.ID `path:"id" doc:"The webhook id."`
	Body UpdateWebhook
}

func (s *Service) updateWebhook(ctx context.Context, c *operation.Call, in updateWebhookInput) (*operation.Reply[view.Webhook], error) {
	if in.Body.URL != nil {
		if err := s.permitWebhook(ctx, *in.Body.URL); err != nil {
			return nil, err
		}
	}
	fetched := func() (*v1beta1.WebhookEndpoint, error) { return s.ownWebhook(ctx, c, in.ID) }
	w, err := changed(ctx, s, whatWebhook, problem.Details{}, fetched, func(w *v1beta1.WebhookEndpoint) error {
		if in.Body.URL != nil {
			w.Spec.URL = *in.Body.URL
		}
		if on := in.Body.Paused.Value; on != nil {
			w.Spec.Suspend = *on
		}
		if in.Body.Events.given {
			events, err := in.Body.Events.apply(nil)
			if err != nil {
				return err
			}
			w.Spec.Events = events.spec()
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return webhookReply(w), nil
}

var deleteWebhookSpec = operation.Spec{
	Name: "delete_webhook", Method: http.MethodDelete, Path: "/api/v1/webhooks/{id}", Tag: tagWebhooks,
	Summary: "Delete a webhook", Description: "Deletes a webhook and its signing secret. Events that wait are not sent. " + declaredWebhook,
	Scope: v1beta1.ScopeWebhooksWrite, ForBrand: true, Bucket: operation.Global, Errors: []catalog.Code{catalog.Conflict},
	DataExample: view.Deleted{ID: 4, Deleted: true},
}

func (s *Service) deleteWebhook(ctx context.Context, c *operation.Call, in byWebhookID) (*operation.Reply[view.Deleted], error) {
	w, err := s.ownWebhook(ctx, c, in.ID)
	if err != nil {
		return nil, err
	}
	if err := undeclaredObject(w, whatWebhook, problem.Details{}); err != nil {
		return nil, err
	}
	return s.remove(ctx, w, int64(in.ID))
}

var testWebhookSpec = operation.Spec{
	Name: "test_webhook", Method: http.MethodPost, Path: "/api/v1/webhooks/{id}/test", Tag: tagWebhooks,
	Summary: "Test a webhook",
	Description: "Sends the event `webhook.test` once, within seconds; `GET /webhooks/{id}/deliveries` has the result. " +
		"A paused webhook is a 409 `conflict` with `details.reason` `paused`. The request enables a disabled webhook again.",
	Scope: v1beta1.ScopeWebhooksWrite, ForBrand: true, Bucket: operation.Global, Idempotent: true, Status: http.StatusAccepted,
	Errors: []catalog.Code{catalog.Conflict}, DataExample: exampleWebhook,
}

func (s *Service) testWebhook(ctx context.Context, c *operation.Call, in byWebhookID) (*operation.Reply[view.Webhook], error) {
	w, err := s.request(ctx, c, in.ID, true, func(w *v1beta1.WebhookEndpoint, at metav1.MicroTime, again bool) {
		if !again || earlier(w.Spec.TestAt, at) {
			w.Spec.TestAt = &at
		}
	})
	if err != nil {
		return nil, err
	}
	return webhookReply(w), nil
}

var rotateWebhookSpec = operation.Spec{
	Name: "rotate_webhook", Method: http.MethodPost, Path: "/api/v1/webhooks/{id}/rotate", Tag: tagWebhooks,
	Summary: "Rotate the secret of a webhook",
	Description: "Generates another signing secret. For 24 hours, requests have signatures of both. " +
		"Only this response has the `secret`. A repetition with the same Idempotency-Key returns null instead.",
	Scope: v1beta1.ScopeWebhooksWrite, ForBrand: true, Bucket: operation.Global, Idempotent: true, DataExample: exampleSecret(),
}

func (s *Service) rotateWebhook(ctx context.Context, c *operation.Call, in byWebhookID) (*operation.Reply[view.WebhookWithSecret], error) {
	w, err := s.request(ctx, c, in.ID, false, func(w *v1beta1.WebhookEndpoint, at metav1.MicroTime, again bool) {
		if !again || earlier(w.Spec.RotateAt, at) { // else a later request has rotated it: the response has that secret
			w.Spec.RotateAt = &at
		}
	})
	if err != nil {
		return nil, err
	}
	return s.withSecret(w)
}

var replayWebhookSpec = operation.Spec{
	Name: "replay_webhook", Method: http.MethodPost, Path: "/api/v1/webhooks/{id}/replay", Tag: tagWebhooks,
	Summary: "Replay the events of a webhook",
	Description: "Sends the events since a time again, with the same ids. Events are stored for 30 days, from the creation of the account's first webhook. " +
		"A paused webhook is a 409 `conflict` with `details.reason` `paused`.",
	Scope: v1beta1.ScopeWebhooksWrite, ForBrand: true, Bucket: operation.Global, Idempotent: true, Status: http.StatusAccepted,
	Errors: []catalog.Code{catalog.Conflict}, BodyExample: map[string]any{"since": "2026-11-21T12:00:00Z"}, DataExample: exampleWebhook,
}

// ReplayWebhook is the body of a request to send events again.
type ReplayWebhook struct {
	Since *time.Time `json:"since,omitempty" doc:"Time of the first event to send again: at most 30 days ago. Required."`
}

type replayWebhookInput struct {
	ID   operation.ID `path:"id" doc:"The webhook id."`
	Body ReplayWebhook
}

func (s *Service) replayWebhook(ctx context.Context, c *operation.Call, in replayWebhookInput) (*operation.Reply[view.Webhook], error) {
	if _, err := s.cachedWebhook(ctx, c, in.ID); err != nil {
		return nil, err // before the body is checked
	}
	since, now := in.Body.Since, s.Clock.Now()
	if since == nil || since.Before(now.Add(-outbox.Retention)) || since.After(now) {
		return nil, problem.Field("since", "since must be a time of the last 30 days.")
	}
	w, err := s.request(ctx, c, in.ID, true, func(w *v1beta1.WebhookEndpoint, at metav1.MicroTime, again bool) {
		if !again || w.Spec.Replay == nil || earlier(&w.Spec.Replay.At, at) {
			w.Spec.Replay = &v1beta1.WebhookReplay{From: metav1.NewTime(since.UTC().Truncate(time.Second)), At: at}
		}
	})
	if err != nil {
		return nil, err
	}
	return webhookReply(w), nil
}

// request writes a request to the spec of a webhook, with its time. A repetition of the call has the same time: again is
// then true, and change must not replace a later request. sends means that the request sends events, which a paused
// webhook does not.
//
// A webhook of a manifest accepts requests: tools that apply manifests leave the fields of others as they are.
func (s *Service) request(
	ctx context.Context, c *operation.Call, id operation.ID, sends bool, change func(w *v1beta1.WebhookEndpoint, at metav1.MicroTime, again bool),
) (*v1beta1.WebhookEndpoint, error) {
	w, err := s.ownWebhook(ctx, c, id)
	if err != nil {
		return nil, err
	}
	if _, resumed := c.Resumed(); sends && w.Spec.Suspend && !resumed {
		return nil, problem.New(catalog.Conflict, problem.Details{"reason": "paused"}).Saying("The webhook is paused: set paused to false first.")
	}
	reserved, err := c.Accept(ctx, func(context.Context) (int64, string, error) {
		now := s.clusterNow().UnixMicro()
		return now, "request-" + strconv.FormatInt(now, 10), nil
	})
	if err != nil {
		return nil, err
	}
	at := metav1.NewMicroTime(time.UnixMicro(reserved.ID).UTC())
	fetched := func() (*v1beta1.WebhookEndpoint, error) { return s.ownWebhook(ctx, c, id) }
	return written(ctx, s, whatWebhook, fetched, func(w *v1beta1.WebhookEndpoint) error { change(w, at, reserved.Resumed); return nil }, nil)
}

// earlier reports whether the time of the last request, if there is one, is before another time.
func earlier(last *metav1.MicroTime, at metav1.MicroTime) bool {
	return last == nil || last.Before(&at)
}

var deliveriesSpec = operation.Spec{
	Name: "list_webhook_deliveries", Method: http.MethodGet, Path: "/api/v1/webhooks/{id}/deliveries", Tag: tagWebhooks,
	Summary: "List the deliveries of a webhook",
	Description: "Lists the events of the last 50 attempts, the newest attempt first, and the events that wait for another attempt. " +
		"Each event is listed once, with its last attempt. `body` needs `webhooks:write`, because it contains posts and jobs.",
	Scope: v1beta1.ScopeBrandRead, ForBrand: true, Bucket: operation.Global, DataExample: []view.WebhookDelivery{exampleDelivery()},
}

func exampleDelivery() view.WebhookDelivery {
	at := func(minute int) *view.Time {
		return &view.Time{Time: time.Date(2026, 11, 21, 12, minute, 0, 0, time.UTC)}
	}
	return view.WebhookDelivery{
		EventID: "evt_0f3a9c5d7e1b2a4c6d8e0f1a2b3c4d5e", Type: "post.published", Sequence: ptr.To[int64](2), ObjectID: ptr.To[int64](77), OccurredAt: at(0),
		State: "waiting", Attempts: 2, LastAttemptAt: at(1), DurationMS: ptr.To[int32](120), StatusCode: ptr.To[int32](503),
		Error: ptr.To("the server answered with status 503"), NextAttemptAt: at(6),
		Body: map[string]any{"type": "post.published", "timestamp": "2026-11-21T12:00:00Z", "sequence": 2, "data": map[string]any{"id": 77}},
	}
}

type deliveriesInput struct {
	operation.Paging
	ID operation.ID `path:"id" doc:"The webhook id."`
}

func (s *Service) webhookDeliveries(ctx context.Context, c *operation.Call, in deliveriesInput) (*operation.Reply[[]view.WebhookDelivery], error) {
	w, err := s.cachedWebhook(ctx, c, in.ID)
	if err != nil {
		return nil, err
	}
	all, positions := view.WebhookDeliveries(w)
	reply := &operation.Reply[[]view.WebhookDelivery]{}
	var from, to int
	from, to, reply.Meta.Pagination = in.Of(len(all))
	reply.Data, positions = append([]view.WebhookDelivery{}, all[from:to]...), positions[from:to]
	events, err := outbox.New(s.Store, s.Clock).At(ctx, c.Namespace(), positions)
	if err != nil {
		return nil, err
	}
	for i, at := range positions {
		if at == nil {
			continue
		}
		if e, ok := events[*at]; ok && (reply.Data[i].EventID == "" || reply.Data[i].EventID == e.ID) {
			reply.Data[i].Recorded(&e, c.Has(v1beta1.ScopeWebhooksWrite))
		}
	}
	return reply, nil
}

func (s *Service) cachedWebhook(ctx context.Context, c *operation.Call, id operation.ID) (*v1beta1.WebhookEndpoint, error) {
	w, err := s.Reader.WebhookByID(ctx, c.Namespace(), c.Brand.Name, int64(id))
	if errors.Is(err, read.ErrNotFound) {
		return nil, problem.New(catalog.NotFound, nil)
	}
	return w, err
}

// ownWebhook returns a webhook of the brand as the API server has it.
func (s *Service) ownWebhook(ctx context.Context, c *operation.Call, id operation.ID) (*v1beta1.WebhookEndpoint, error) {
	cached, err := s.cachedWebhook(ctx, c, id)
	if err != nil {
		return nil, err
	}
	w := &v1beta1.WebhookEndpoint{}
	return w, s.present(ctx, cached, w, whatWebhook)
}
