// SPDX-License-Identifier: Apache-2.0

package pressure

import (
	"net/http"
	"time"
)

// Transport wraps a round tripper and observes its responses. A watch counts only when it begins, because its end
// carries no information.
func (g *Gate) Transport(rt http.RoundTripper) http.RoundTripper { return &transport{g, rt} }

type transport struct {
	gate *Gate
	next http.RoundTripper
}

// RoundTrip requests a probe when a response is slow, missing, 429 or 5xx.
func (t *transport) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Context().Value(asking{}) != nil {
		return t.next.RoundTrip(r)
	}
	late := time.AfterFunc(patience, t.gate.doubted)
	res, err := t.next.RoundTrip(r)
	inTime := late.Stop()
	switch {
	case err != nil:
		if inTime && r.Context().Err() != nil {
			return res, err // the caller's context ended first
		}
		t.gate.doubted()
	case res.StatusCode == http.StatusTooManyRequests, res.StatusCode >= http.StatusInternalServerError:
		t.gate.doubted()
	default:
		t.gate.answered.Store(t.gate.clock.Now().UnixNano())
	}
	return res, err
}

// WrappedRoundTripper returns the wrapped round tripper, for callers that unwrap transports.
func (t *transport) WrappedRoundTripper() http.RoundTripper { return t.next }
