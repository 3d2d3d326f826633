// SPDX-License-Identifier: Apache-2.0

package serving

import (
	"context"
	"crypto/tls"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"net/http"

	"github.com/go-logr/logr"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/metrics/filters"
)

// Metrics is the configuration of the metrics listener. The zero value is plain HTTP without authentication.
type Metrics struct {
	// Secure serves HTTPS, and only to callers whose bearer token has the verb get on the path /metrics.
	Secure bool
	// Files have the certificate; without them it is self-signed.
	Files Files
}

// Flags adds the flags of the metrics listener.
func (m *Metrics) Flags(set *flag.FlagSet) {
	set.BoolVar(&m.Secure, "metrics-secure", false, "serve metrics over HTTPS, and only to clients whose bearer token is authorized to get the path /metrics, "+
		"as with the ClusterRole reelops-metrics-reader")
	m.Files.Flags(set, "metrics-", "the metrics listener with --metrics-secure; default: a self-signed certificate")
}

// Check returns an error about flags that contradict each other.
func (m Metrics) Check() error {
	if m.Files.Set() && !m.Secure {
		return errors.New("--metrics-tls-cert-file needs --metrics-secure")
	}
	return m.Files.Check()
}

// TLS returns the configuration of the listener; nil for plain HTTP. Files are watched until the context ends.
func (m Metrics) TLS(ctx context.Context, log *slog.Logger) (*tls.Config, error) {
	switch {
	case !m.Secure:
		return nil, nil
	case m.Files.Set():
		return Watch(ctx, m.Files, log)
	}
	return SelfSigned()
}

// Protect returns the handler of the metrics listener. With Secure, a caller may read /metrics only if the API server
// authenticates its token (else 401) and authorizes it (else 403). Other paths, such as those of probes, stay open. The
// API server's decisions are cached for some minutes.
func (m Metrics) Protect(config *rest.Config, log logr.Logger, next http.Handler) (http.Handler, error) {
	if !m.Secure {
		return next, nil
	}
	client, err := rest.HTTPClientFor(config)
	if err != nil {
		return nil, fmt.Errorf("connecting to the API server for the callers of metrics: %w", err)
	}
	filter, err := filters.WithAuthenticationAndAuthorization(config, client)
	if err != nil {
		return nil, fmt.Errorf("authenticating the callers of metrics: %w", err)
	}
	guarded, err := filter(log, next)
	if err != nil {
		return nil, fmt.Errorf("authenticating the callers of metrics: %w", err)
	}
	mux := http.NewServeMux()
	mux.Handle("/metrics", guarded)
	mux.Handle("/", next)
	return mux, nil
}
