// SPDX-License-Identifier: Apache-2.0

package pressure

import (
	"net/http"
	"time"
)

// Transport looks at the answers that pass through another. Watches count when they begin: their end says nothing.
func (g *Gate) Transport(rt http.RoundTripper) http.RoundTripper { return &transport{g, rt} }

type transport struct {
	gate *Gate
	next http.RoundTripper
}

// RoundTrip has the cluster asked whether it is there when an answer takes long, does not come, or tells of trouble.
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
			return res, err // whoever asked did not wait for it
		}
		t.gate.doubted()
	case res.StatusCode == http.StatusTooManyRequests, res.StatusCode >= http.StatusInternalServerError:
		t.gate.doubted()
	default:
		t.gate.answered.Store(t.gate.clock.Now().UnixNano())
	}
	return res, err
}

// WrappedRoundTripper is for those who look for the transport below.
func (t *transport) WrappedRoundTripper() http.RoundTripper { return t.next }
