// SPDX-License-Identifier: Apache-2.0

package limit

import (
	"net/http"
	"strconv"
	"time"

	"github.com/reelops/reelops/apiserver/problem"
	"github.com/reelops/reelops/internal/catalog"
)

// State is how a bucket stands for one subject.
type State struct {
	Bucket Bucket
	// Limit and Window are those of the ceiling.
	Limit int
	// Remaining is how many more requests there is room for now.
	Remaining int
	Window    time.Duration
	// RetryAfter is the exact time until there is room for one; 0 while there is.
	RetryAfter time.Duration
	// Refused says that there was no room: nothing was counted.
	Refused bool
}

// SetHeaders tells the state in the headers of an answer.
func (s State) SetHeaders(h http.Header) {
	h.Set("X-RateLimit-Limit", strconv.Itoa(s.Limit))
	h.Set("X-RateLimit-Remaining", strconv.Itoa(s.Remaining))
	h.Set("X-RateLimit-Window", strconv.Itoa(int(s.Window/time.Second)))
}

// Refusal is what the caller of a refused request is told, the headers of the bucket that refused included. The time to
// wait is in whole seconds, rounded up, at least one.
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
