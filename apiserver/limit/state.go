// SPDX-License-Identifier: Apache-2.0

package limit

import (
	"net/http"
	"strconv"
	"time"

	"github.com/reelops/reelops/apiserver/problem"
	"github.com/reelops/reelops/internal/catalog"
)

// State is the state of a bucket for one subject.
type State struct {
	Bucket Bucket
	// Limit and Window of the rate limit.
	Limit int
	// Remaining is how many more requests are allowed now.
	Remaining int
	Window    time.Duration
	// RetryAfter is the exact time until one request is allowed; 0 if one is allowed now.
	RetryAfter time.Duration
	// Refused reports that the request was refused and not counted.
	Refused bool
}

// SetHeaders sets the X-RateLimit headers of a response.
func (s State) SetHeaders(h http.Header) {
	h.Set("X-RateLimit-Limit", strconv.Itoa(s.Limit))
	h.Set("X-RateLimit-Remaining", strconv.Itoa(s.Remaining))
	h.Set("X-RateLimit-Window", strconv.Itoa(int(s.Window/time.Second)))
}

// Refusal returns the problem for a refused request, with the headers of the bucket that refused it. The wait is in
// whole seconds, rounded up, at least one.
func Refusal(s State) *problem.Problem {
	wait := max(int((s.RetryAfter+time.Second-1)/time.Second), 1)
	p := problem.New(catalog.RateLimited, problem.Details{
		"retry_after_seconds": wait,
		"limit":               s.Limit,
		"window_seconds":      int(s.Window / time.Second),
		"bucket":              string(s.Bucket),
	})
	p.RetryAfter = time.Duration(wait) * time.Second
	p.Header = http.Header{}
	s.SetHeaders(p.Header)
	return p
}
