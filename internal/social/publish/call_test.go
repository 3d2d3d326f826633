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
		{"what is neither", "soon", 0},
		{"less than nothing", "-5", 0},
		{"a date that is past", "Sat, 21 Nov 2026 11:00:00 GMT", 0},
		{"a month: nobody counts for longer than a day", "2592000", 24 * time.Hour},
		{"more seconds than a duration holds", "9223372037", 24 * time.Hour},
		{"more than a number holds", "99999999999999999999", 24 * time.Hour},
		{"a date in a thousand years", "Wed, 21 Nov 3026 12:05:00 GMT", 24 * time.Hour},
	} {
		a := &publish.Answer{Header: http.Header{"Retry-After": {c.header}}}
		if got := a.RetryAfter(now); got != c.want {
			t.Errorf("%s: %v, not %v", c.why, got, c.want)
		}
	}
}
