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

// event is one that TikTok tells an app of.
type event struct {
	Client  string `json:"client_key"`
	Event   string `json:"event"`
	Created int64  `json:"create_time"` // Unix seconds
	User    string `json:"user_openid"`
	// Content is JSON once more, as text.
	Content string `json:"content"`

	account string
	content map[string]any
}

// event of a publication.
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

// hooks are events on their way, one after the other.
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

// SetWebhook tells where events go from now on; empty ends them. It is called before calls come.
func (p *Platform) SetWebhook(address string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.hook = address
	if p.hooks.queue == nil && address != "" {
		p.hooks.queue = make(chan delivery, hookQueue)
		go p.hooks.deliver(p.hooks.queue)
	}
}

// tell sends an event on its way, if anybody wants it. The lock is held.
func (p *Platform) tell(e event) {
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
	default: // nobody takes them
	}
}

// deliver sends events in order, each until it is answered with 200, three times at most.
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

// signature of a body at a time.
func signature(at time.Time, body []byte) string {
	t := strconv.FormatInt(at.Unix(), 10)
	m := hmac.New(sha256.New, []byte(sandbox.ClientSecret))
	_, _ = m.Write([]byte(t + "."))
	_, _ = m.Write(body)
	return "t=" + t + ",s=" + hex.EncodeToString(m.Sum(nil))
}
