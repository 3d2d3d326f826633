// SPDX-License-Identifier: Apache-2.0

package instagram

import (
	"encoding/json"
	"net/http"
	"time"

	"github.com/reelops/reelops/internal/social/publish"
)

// Headers that tell how much of an allowance is used. They come only after much traffic.
const (
	headerBusiness = "X-Business-Use-Case-Usage"
	headerApp      = "X-App-Usage"
)

// exhausted is the percentage at which calls are refused.
const exhausted = 100

// longest is more than any block that was ever reported; a longer one is a mistake of somebody's.
const longest = 7 * 24 * time.Hour

// regain is how long calls are refused, in the answer's own words; 0 when it says nothing that can be read.
func regain(a *publish.Answer, now time.Time) time.Duration {
	if d := a.RetryAfter(now); d > 0 {
		return min(d, longest)
	}
	return blocked(a.Header)
}

// blocked reads the minutes until access is regained, the longest of all that are named.
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

// appExhausted says that it is the app's allowance which is used up, not the account's.
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
