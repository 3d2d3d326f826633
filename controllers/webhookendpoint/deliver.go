// SPDX-License-Identifier: Apache-2.0

package webhookendpoint

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/process/fetch"
	"github.com/reelops/reelops/internal/process/metric"
)

const (
	// Timeout of an attempt.
	Timeout = 15 * time.Second
	// batchSize is the maximum number of events that are sent to one endpoint at once.
	batchSize = 16
	// hostSlots is the maximum number of requests to one host at once, over all endpoints. slotWait is the time until an
	// event that found no free slot is tried again.
	hostSlots = 2 * batchSize
	slotWait  = time.Second
	codeGone  = http.StatusGone
)

// deliver sends a batch and waits for all responses.
func (r *Reconciler) deliver(
	ctx context.Context, w *v1beta1.WebhookEndpoint, keys []*standardwebhooks.Webhook, batch []*attempt,
) {
	var all sync.WaitGroup
	for _, a := range batch {
		release, ok := r.slots.TryAcquire(hostOf(w.Spec.URL))
		if !ok {
			a.skipped = true
			continue
		}
		all.Go(func() {
			defer release()
			r.attempt(ctx, w.Spec.URL, keys, a)
		})
	}
	all.Wait()
}

func hostOf(rawURL string) string {
	u, err := url.Parse(rawURL)
	if err != nil {
		return ""
	}
	return strings.ToLower(u.Host)
}

// attempt sends one event.
func (r *Reconciler) attempt(ctx context.Context, to string, keys []*standardwebhooks.Webhook, a *attempt) {
	a.began = r.Clock.Now()
	header, err := headers(keys, a.id, a.began, a.body)
	if err == nil {
		a.code, err = r.Sender.Post(ctx, to, header, a.body)
	}
	a.took = r.Clock.Now().Sub(a.began)
	a.failure = failureOf(a.code, err)
	result := "succeeded"
	if !a.ok() {
		result = "failed"
	}
	metric.WebhookDeliveries.WithLabelValues(result).Inc()
}

// failureOf returns why an attempt failed; empty for a success.
func failureOf(code int, err error) string {
	switch {
	case errors.Is(err, context.Canceled):
		return "the manager was stopped"
	case err != nil:
		return err.Error()
	case code >= 200 && code < 300:
		return ""
	case code >= 300 && code < 400:
		return fmt.Sprintf("the endpoint redirects with %d, which is not followed", code)
	}
	return fetch.StatusError(code).Error()
}

// headers returns the headers of a request, with a signature for each key.
func headers(keys []*standardwebhooks.Webhook, id string, at time.Time, body []byte) (http.Header, error) {
	signatures := make([]string, len(keys))
	for i, k := range keys {
		s, err := k.Sign(id, at, body)
		if err != nil {
			return nil, fmt.Errorf("signing: %w", err)
		}
		signatures[i] = s
	}
	h := http.Header{}
	h.Set("Content-Type", "application/json")
	h.Set(standardwebhooks.HeaderWebhookID, id)
	h.Set(standardwebhooks.HeaderWebhookTimestamp, strconv.FormatInt(at.Unix(), 10))
	h.Set(standardwebhooks.HeaderWebhookSignature, strings.Join(signatures, " "))
	return h, nil
}
