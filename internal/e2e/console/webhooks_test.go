// SPDX-License-Identifier: Apache-2.0

package console

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

// receiver receives webhooks, and verifies their signatures.
type receiver struct {
	url string

	mu      sync.Mutex
	secret  string
	events  map[received]bool
	refused []error
}

// received is the type of an event and the id of its object: a number, or the name of a run.
type received struct {
	event string
	id    any
}

func startReceiver(t *testing.T) *receiver {
	t.Helper()
	r := &receiver{events: map[received]bool{}}
	server := httptest.NewServer(r)
	t.Cleanup(server.Close)
	r.url = server.URL + "/hook"
	return r
}

func (r *receiver) ServeHTTP(_ http.ResponseWriter, req *http.Request) {
	body, err := io.ReadAll(req.Body)
	r.mu.Lock()
	defer r.mu.Unlock()
	var event struct {
		Type string
		Data struct{ ID any }
	}
	if err == nil {
		err = r.verify(body, req.Header)
	}
	if err == nil {
		err = json.Unmarshal(body, &event)
	}
	if err != nil {
		r.refused = append(r.refused, err)
		return
	}
	r.events[received{event.Type, event.Data.ID}] = true
}

func (r *receiver) verify(body []byte, header http.Header) error {
	key, err := standardwebhooks.NewWebhook(r.secret)
	if err != nil {
		return err
	}
	return key.Verify(body, header)
}

// trust sets the signing secret.
func (r *receiver) trust(secret string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.secret = secret
}

// got waits for an event of an object.
func (r *receiver) got(t *testing.T, event string, id any) {
	t.Helper()
	waitFor(t, func() bool {
		r.mu.Lock()
		defer r.mu.Unlock()
		return r.events[received{event, id}]
	}, fmt.Sprintf("the webhook receives %s of %v", event, id))
}

// check requires that all requests had valid signatures.
func (r *receiver) check(t *testing.T) {
	t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.refused) > 0 {
		t.Errorf("%d requests were refused: %v", len(r.refused), r.refused)
	}
}

// receive creates a webhook over REST.
func (a api) receive(t *testing.T, r *receiver, events ...string) {
	t.Helper()
	var made struct {
		ID     int64
		Secret string
	}
	a.call(t, http.MethodPost, "/webhooks", map[string]any{"url": r.url, "events": events}, &made)
	r.trust(made.Secret)
}

// webhooks adds a webhook, sends a test, pauses it, rotates its secret and deletes it.
func (c *consoleTest) webhooks(t *testing.T) {
	r := startReceiver(t)
	w := c.signedIn(t)
	w.size(widths[1])
	w.visit("/console/settings?tab=webhooks")
	w.reads("No webhooks")
	w.click("button", "Add webhook")
	w.enter("URL", "http://10.0.0.1/hook")
	w.expects("422 POST /console/api/v1/webhooks")
	w.click("button", "Add webhook")
	w.reads("must have an https URL")
	w.enter("URL", r.url)
	w.click("checkbox", "Post published")
	w.click("button", "Add webhook")
	r.trust(w.secret())
	c.picture(w, "webhook-secret")
	w.click("button", "I stored it")
	w.reads("post.published")
	w.reads("Active")

	w.action(r.url, "Send a test")
	w.reads("A test is sent")
	var created []struct{ ID float64 }
	api{c: c}.call(t, http.MethodGet, "/webhooks", nil, &created)
	r.got(t, "webhook.test", created[0].ID)
	r.check(t)
	w.action(r.url, "Deliveries")
	w.sees("dialog", "Deliveries")
	w.reads("Delivered")
	c.picture(w, "webhook-deliveries")
	w.fits("webhook-deliveries")
	w.accessible("webhook-deliveries")
	w.click("button", "Close")

	w.action(r.url, "Pause")
	w.reads("Paused")
	w.action(r.url, "Resume")
	w.reads("Active")
	w.action(r.url, "Edit")
	w.click("checkbox", "Post published")
	w.click("button", "Save")
	w.reads("All events")
	w.action(r.url, "Send events again")
	w.click("button", "Send again")
	w.reads("are sent again")
	before := r.secret
	w.action(r.url, "Rotate the secret")
	w.click("button", "Rotate")
	if next := w.secret(); next == before {
		t.Error("the rotation returned the same secret")
	}
	w.click("button", "I stored it")
	w.action(r.url, "Delete")
	w.click("button", "Delete webhook")
	w.reads("No webhooks")
	w.check("webhooks")
}

// action selects an item of the menu of a webhook.
func (w *window) action(url, item string) {
	w.t.Helper()
	w.click("button", ", "+url)
	w.click("button", item)
}

// secret returns the secret that a dialog shows.
func (w *window) secret() string {
	w.t.Helper()
	w.sees("dialog", "Copy the secret now")
	return run[string](w, `document.querySelector('dialog code, dialog pre').textContent.trim()`)
}
