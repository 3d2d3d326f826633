// SPDX-License-Identifier: Apache-2.0

// Package deadline bounds the time of HTTP requests on servers for short exchanges.
package deadline

import (
	"net/http"
	"time"
)

// Within returns a handler that calls next. The whole request has to arrive, and its answer has to be read, within limit from the time
// that its headers were read: net/http by itself waits forever for the rest of a body, and for a peer that does not read.
func Within(limit time.Duration, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		// net/http removes both before the next request of the connection.
		control, until := http.NewResponseController(w), time.Now().Add(limit)
		_ = control.SetReadDeadline(until)
		_ = control.SetWriteDeadline(until)
		next.ServeHTTP(w, r)
	})
}
