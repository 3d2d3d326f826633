// SPDX-License-Identifier: Apache-2.0

// Package deadline limits the duration of HTTP requests on servers for short requests.
package deadline

import (
	"net/http"
	"time"
)

// Within returns a handler that calls next. The whole request must arrive, and its response must be read, within limit
// after its headers were read. Without it, net/http waits indefinitely for the rest of a body, and for a client that
// does not read.
func Within(limit time.Duration, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		// net/http resets both deadlines before the next request on the connection.
		control, until := http.NewResponseController(w), time.Now().Add(limit)
		_ = control.SetReadDeadline(until)
		_ = control.SetWriteDeadline(until)
		next.ServeHTTP(w, r)
	})
}
