// SPDX-License-Identifier: Apache-2.0

package tiktok

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"strconv"
	"time"

	"github.com/reelops/reelops/internal/social/sandbox"
)

// event is a webhook event.
type event struct {
	Client  string `json:"client_key"`
	Event   string `json:"event"`
	Created int64  `json:"create_time"` // Unix seconds
	User    string `json:"user_openid"`
	// Content is a JSON document, encoded as a string.
	Content string `json:"content"`

	account string
	content map[string]any
}

// event returns an event of a publication.
func (b *publication) event(what string, more map[string]any) event {
	content := map[string]any{"publish_id": b.id, "publish_type": "DIRECT_PUBLISH"}
	if b.mode == draft {
		content["publish_type"] = "INBOX_SHARE"
	}
	for k, v := range more {
		content[k] = v
	}
	return event{Event: what, account: b.account, content: content}
}

// hooks delivers events one at a time.
type hooks struct {
	client *http.Client
	queue  chan delivery
}

type delivery struct {
	to   string
	body []byte
	at   time.Time
}

const (
	hookTimeout = 5 * time.Second
	hookTries   = 3
	hookQueue   = 1000
)

func newHooks() *hooks { return &hooks{client: &http.Client{Timeout: hookTimeout}} }

// SetWebhook sets the URL for all later events; empty stops them. Call it before the first API call.
func (p *Platform) SetWebhook(address string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.hook = address
	if p.hooks.queue == nil && address != "" {
		p.hooks.queue = make(chan delivery, hookQueue)
		go p.hooks.deliver(p.hooks.queue)
	}
}

// notify queues an event, if a webhook is set. The caller holds the lock.
func (p *Platform) notify(e event) {
	if p.hook == "" {
		return
	}
	if e.User == "" {
		a, _ := p.core.AccountByName(name, e.account)
		e.User = a.ID
	}
	now := p.core.Now()
	content, err := json.Marshal(e.content)
	if err != nil {
		return
	}
	e.Client, e.Created, e.Content = sandbox.ClientID, now.Unix(), string(content)
	body, err := json.Marshal(e)
	if err != nil {
		return
	}
	select {
	case p.hooks.queue <- delivery{p.hook, body, now}:
	default: // the queue is full: drop the event
	}
}

// deliver sends events in order. It tries each one up to three times, until the response has status 200.
func (h *hooks) deliver(queue <-chan delivery) {
	for d := range queue {
		for range hookTries {
			if h.send(d) {
				break
			}
		}
	}
}

func (h *hooks) send(d delivery) bool {
	req, err := http.NewRequestWithContext(context.Background(), http.MethodPost, d.to, bytes.NewReader(d.body))
	if err != nil {
		return false
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("TikTok-Signature", signature(d.at, d.body))
	res, err := h.client.Do(req)
	if err != nil {
		return false
	}
	_ = res.Body.Close()
	return res.StatusCode == http.StatusOK
}

// signature signs a body with a timestamp.
func signature(at time.Time, body []byte) string {
	t := strconv.FormatInt(at.Unix(), 10)
	m := hmac.New(sha256.New, []byte(sandbox.ClientSecret))
	_, _ = m.Write([]byte(t + "."))
	_, _ = m.Write(body)
	return "t=" + t + ",s=" + hex.EncodeToString(m.Sum(nil))
}
