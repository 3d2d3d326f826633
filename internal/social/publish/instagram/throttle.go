// SPDX-License-Identifier: Apache-2.0

package instagram

import (
	"encoding/json"
	"net/http"
	"time"

	"github.com/reelops/reelops/internal/social/publish"
)

// Headers that report the used share of a quota. Instagram sends them only after much traffic.
const (
	headerBusiness = "X-Business-Use-Case-Usage"
	headerApp      = "X-App-Usage"
)

// exhausted is the percentage at which calls are refused.
const exhausted = 100

// longest caps a reported block. It exceeds every block that was ever observed; a longer one is an error in the
// response.
const longest = 7 * 24 * time.Hour

// regain returns how long calls are refused according to the response; 0 if it does not report a time.
func regain(a *publish.Answer, now time.Time) time.Duration {
	if d := a.RetryAfter(now); d > 0 {
		return min(d, longest)
	}
	return blocked(a.Header)
}

// blocked returns the longest of the reported waits until access is regained.
func blocked(h http.Header) time.Duration {
	var usage map[string][]struct {
		Minutes float64 `json:"estimated_time_to_regain_access"`
	}
	if json.Unmarshal([]byte(h.Get(headerBusiness)), &usage) != nil {
		return 0
	}
	minutes := 0.0
	for _, entries := range usage {
		for _, e := range entries {
			minutes = max(minutes, e.Minutes)
		}
	}
	return time.Duration(min(minutes, longest.Minutes()) * float64(time.Minute))
}

// appExhausted reports whether the app's quota is used up, rather than the account's.
func appExhausted(h http.Header) bool {
	var usage struct {
		Calls float64 `json:"call_count"`
		CPU   float64 `json:"total_cputime"`
		Time  float64 `json:"total_time"`
	}
	if json.Unmarshal([]byte(h.Get(headerApp)), &usage) != nil {
		return false
	}
	return max(usage.Calls, usage.CPU, usage.Time) >= exhausted
}
