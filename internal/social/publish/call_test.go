// SPDX-License-Identifier: Apache-2.0

package publish_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/reelops/reelops/internal/social/publish"
)

func TestRetryAfter(t *testing.T) {
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		why, header string
		want        time.Duration
	}{
		{"seconds", "90", 90 * time.Second},
		{"a date", "Sat, 21 Nov 2026 12:05:00 GMT", 5 * time.Minute},
		{"nothing", "", 0},
		{"neither a number nor a date", "soon", 0},
		{"negative", "-5", 0},
		{"a past date", "Sat, 21 Nov 2026 11:00:00 GMT", 0},
		{"a month is limited to a day", "2592000", 24 * time.Hour},
		{"more seconds than a duration holds", "9223372037", 24 * time.Hour},
		{"more than an integer holds", "99999999999999999999", 24 * time.Hour},
		{"a date in a thousand years", "Wed, 21 Nov 3026 12:05:00 GMT", 24 * time.Hour},
	} {
		a := &publish.Answer{Header: http.Header{"Retry-After": {c.header}}}
		if got := a.RetryAfter(now); got != c.want {
			t.Errorf("%s: got %v, want %v", c.why, got, c.want)
		}
	}
}
