// SPDX-License-Identifier: Apache-2.0

package docs

import (
	"log/slog"
	"net/http"
	"sync"
)

// Handler returns a handler that serves the page of an OpenAPI description.
func Handler(description []byte, log *slog.Logger) http.Handler {
	create := sync.OnceValues(func() ([]byte, error) { return Page(description) })
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		page, err := create()
		if err != nil {
			log.ErrorContext(r.Context(), "creating the documentation page failed", "error", err)
			http.Error(w, http.StatusText(http.StatusInternalServerError), http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Header().Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'")
		_, _ = w.Write(page)
	})
}
