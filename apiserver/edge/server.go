// SPDX-License-Identifier: Apache-2.0

package edge

import (
	"log/slog"
	"net/http"
	"time"
)

// What a connection may take. Bodies have no limit here: films are read and written through the public listener; the
// interface sets its own.
const (
	// HeaderTime is how long the headers of a request may take.
	HeaderTime = 10 * time.Second
	// IdleTime is how long a connection may rest between requests.
	IdleTime = 2 * time.Minute
	// MaxHeaderBytes bounds the request line and the headers together; net/http allows some 4 KiB more.
	MaxHeaderBytes = 64 << 10
)

// NewServer makes a server with these limits. What it complains of goes to the log as warnings.
func NewServer(h http.Handler, log *slog.Logger) *http.Server {
	return &http.Server{
		Handler: h, ReadHeaderTimeout: HeaderTime, IdleTimeout: IdleTime, MaxHeaderBytes: MaxHeaderBytes,
		// OPTIONS * is a request as any other: the handler says that there is nothing at this path.
		DisableGeneralOptionsHandler: true,
		ErrorLog:                     slog.NewLogLogger(log.Handler(), slog.LevelWarn),
	}
}
