// SPDX-License-Identifier: Apache-2.0

package edge

import (
	"log/slog"
	"net/http"
	"time"
)

// Limits of a connection. Bodies have no limit here, because videos are transferred through the public listener. The
// API sets its own limits.
const (
	// HeaderTime is the timeout of a request's headers.
	HeaderTime = 10 * time.Second
	// IdleTime is how long a connection may be idle between requests.
	IdleTime = 2 * time.Minute
	// MaxHeaderBytes limits the request line and the headers together; net/http allows some 4 KiB more.
	MaxHeaderBytes = 64 << 10
)

// NewServer returns a server with these limits. It logs its errors as warnings.
func NewServer(h http.Handler, log *slog.Logger) *http.Server {
	return &http.Server{
		Handler: h, ReadHeaderTimeout: HeaderTime, IdleTimeout: IdleTime, MaxHeaderBytes: MaxHeaderBytes,
		// Pass OPTIONS * to the handler, which responds that nothing exists at this path.
		DisableGeneralOptionsHandler: true,
		ErrorLog:                     slog.NewLogLogger(log.Handler(), slog.LevelWarn),
	}
}
