// SPDX-License-Identifier: Apache-2.0

package limit

import (
	"net/http"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/reelops/reelops/apiserver/problem"
)

func TestRefusal(t *testing.T) {
	for _, c := range []struct {
		why  string
		wait time.Duration
		want int
	}{
		{"whole seconds stay", 17 * time.Second, 17},
		{"a part of a second counts as one", 17*time.Second + 1, 18},
		{"it is at least one", 1, 1},
		{"even when the room has just come", 0, 1},
		{"the whole window", time.Hour, 3600},
	} {
		t.Run(c.why, func(t *testing.T) {
			p := Refusal(State{Bucket: Generation, Limit: 20, Window: time.Hour, RetryAfter: c.wait, Refused: true})
			if p.Status != http.StatusTooManyRequests || p.Code != "rate_limited" || !p.Retryable {
				t.Errorf("%d %s, retryable %t", p.Status, p.Code, p.Retryable)
			}
			if p.RetryAfter != time.Duration(c.want)*time.Second {
				t.Errorf("Retry-After is %s", p.RetryAfter)
			}
			want := problem.Details{"retry_after_seconds": c.want, "limit": 20, "window_seconds": 3600, "bucket": "generation"}
			if diff := cmp.Diff(want, p.Details); diff != "" {
				t.Error(diff)
			}
			headers := map[string]string{"X-RateLimit-Limit": "20", "X-RateLimit-Remaining": "0", "X-RateLimit-Window": "3600"}
			for name, value := range headers {
				if got := p.Header.Get(name); got != value {
					t.Errorf("%s is %q, want %q", name, got, value)
				}
			}
		})
	}
}
