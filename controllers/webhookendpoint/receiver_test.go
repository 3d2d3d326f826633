// SPDX-License-Identifier: Apache-2.0

package webhookendpoint

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

// inbox is the queue of receive.
type inbox map[string]string

func (i inbox) Add(id string, body []byte) { i[id] = string(body) }

var queue = inbox{}

func receive(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 32<<10))
	wh, keyErr := standardwebhooks.NewWebhook(os.Getenv("WEBHOOK_SECRET"))
	if errors.Join(err, keyErr) != nil || wh.Verify(body, r.Header) != nil {
		http.Error(w, "invalid", http.StatusUnauthorized)
		return
	}
	queue.Add(r.Header.Get("webhook-id"), body) // and respond within 15 seconds
	w.WriteHeader(http.StatusNoContent)
}

// TestGuide_Receiver runs the Go receiver of the guide, which is receive, against signed requests.
func TestGuide_Receiver(t *testing.T) {
	guide, err := os.ReadFile("../../docs/guides/webhooks.md")
	if err != nil {
		t.Fatal(err)
	}
	source, err := os.ReadFile("receiver_test.go")
	if err != nil {
		t.Fatal(err)
	}
	_, code, found := strings.Cut(string(guide), "```go\n")
	code, _, closed := strings.Cut(code, "```")
	if !found || !closed || !strings.Contains(string(source), code) {
		t.Fatal("receive differs from the guide")
	}
	const first, second = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD"
	keys := make([]*standardwebhooks.Webhook, 2)
	for i, s := range []string{first, second} {
		if keys[i], err = standardwebhooks.NewWebhook(s); err != nil {
			t.Fatal(err)
		}
	}
	const body = `{"type":"post.published","data":{"id":7}}`
	for name, c := range map[string]struct {
		secret, sent string
		age          time.Duration
		code         int
	}{
		"present secret":   {first, body, 0, http.StatusNoContent},
		"after a rotation": {second, body, 0, http.StatusNoContent},
		"changed body":     {first, body + " ", 0, http.StatusUnauthorized},
		"other secret":     {"whsec_" + strings.Repeat("A", 32), body, 0, http.StatusUnauthorized},
		"no secret":        {"", body, 0, http.StatusUnauthorized},
		"an old request":   {first, body, time.Hour, http.StatusUnauthorized},
		"a large body":     {first, strings.Repeat(" ", 33<<10), 0, http.StatusUnauthorized},
	} {
		t.Run(name, func(t *testing.T) {
			clear(queue)
			t.Setenv("WEBHOOK_SECRET", c.secret)
			req := httptest.NewRequest(http.MethodPost, "/reelops", strings.NewReader(c.sent))
			if req.Header, err = headers(keys, "evt_1", time.Now().Add(-c.age), []byte(body)); err != nil {
				t.Fatal(err)
			}
			res := httptest.NewRecorder()
			receive(res, req)
			if taken := queue["evt_1"] == body; res.Code != c.code || taken != (c.code == http.StatusNoContent) {
				t.Errorf("got %d, taken %v, want %d", res.Code, taken, c.code)
			}
		})
	}
}
