// SPDX-License-Identifier: Apache-2.0

package oauth

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"time"

	"github.com/rs/cors"
	"github.com/zitadel/oidc/v3/pkg/oidc"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/reelops/reelops/apiserver/auth"
	"github.com/reelops/reelops/apiserver/limit"
	"github.com/reelops/reelops/apiserver/operation"
	"github.com/reelops/reelops/internal/process/fetch"
	"github.com/reelops/reelops/internal/store/envelope"
)

// Paths of the authorization server. AuthorizePath is a page of the console.
const (
	AuthorizePath = "/console/authorize"

	tokenPath    = "/mcp/oauth/token" //nolint:gosec // not a secret
	registerPath = "/mcp/oauth/register"
	revokePath   = "/mcp/oauth/revoke"
	// serverPath and resourcePath are those of the metadata of the authorization server and of the protected resource.
	serverPath   = "/.well-known/oauth-authorization-server"
	resourcePath = "/.well-known/oauth-protected-resource"
)

// maxBody is the maximum size of a body, in bytes.
const maxBody = 64 << 10

// Config holds the dependencies and settings of a Server.
type Config struct {
	// SigningKey of the installation, of at least 32 bytes.
	SigningKey []byte
	// BaseURL is the public address, which is the issuer. Transport and Path are the transport and the path of the
	// protected resource.
	BaseURL, Transport, Path string
	// Live reads from and writes to the cluster, and records changes in the audit log.
	Live client.Client
	// KeyPrefix is the prefix of API keys, and NextKey reserves the id of one.
	KeyPrefix string
	NextKey   func(context.Context) (int64, error)
	// Documents fetches metadata documents of clients.
	Documents *fetch.Client
	// Ready returns the reason why requests cannot be served now, or nil.
	Ready  func() error
	Limits *limit.Limiter
	// TrustedProxies are the networks whose X-Forwarded-For is trusted.
	TrustedProxies []netip.Prefix
	Clock          clock.PassiveClock
	Log            *slog.Logger
}

// Server is the authorization server.
type Server struct {
	Config
	issuer, resource string
	access           *auth.AccessTokens
	// registrations, codes and refreshes seal client ids, authorization codes and refresh tokens.
	registrations, codes, refreshes *envelope.Tokens

	mu      sync.Mutex
	clients map[string]cachedClient // by the URL of their document
}

// New returns a server for the configuration.
func New(c Config) (*Server, error) {
	issuer := strings.TrimRight(c.BaseURL, "/")
	s := &Server{Config: c, issuer: issuer, resource: issuer + c.Path, clients: map[string]cachedClient{}}
	var err error
	if s.access, err = auth.NewAccessTokens(c.SigningKey, c.Transport, issuer+resourcePath+c.Path); err != nil {
		return nil, err
	}
	for _, t := range []struct {
		purpose string
		most    int
		into    **envelope.Tokens
	}{
		{"client id", maxClientID, &s.registrations},
		{"authorization code", maxCode, &s.codes},
		{"refresh token", maxRefresh, &s.refreshes},
	} {
		if *t.into, err = envelope.NewTokens(c.SigningKey, "reelops oauth "+t.purpose+" v1", t.most); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// AccessTokens returns the access tokens, with which the MCP server authenticates clients.
func (s *Server) AccessTokens() *auth.AccessTokens { return s.access }

// Serves reports whether the server serves the path.
func (s *Server) Serves(path string) bool {
	return strings.HasPrefix(path, "/mcp/oauth/") || path == serverPath ||
		path == resourcePath || path == resourcePath+s.Path
}

// Routes returns the handler of the paths that Serves reports. Pages of other origins may use it, because no response
// depends on a cookie.
func (s *Server) Routes() http.Handler {
	m := http.NewServeMux()
	m.HandleFunc("GET "+serverPath, s.describeServer)
	m.HandleFunc("GET "+resourcePath, s.describeResource)
	m.HandleFunc("GET "+resourcePath+s.Path, s.describeResource)
	m.Handle("POST "+registerPath, s.endpoint(s.register))
	m.Handle("POST "+tokenPath, s.endpoint(s.token))
	m.Handle("POST "+revokePath, s.endpoint(s.revoke))
	return cors.New(cors.Options{
		AllowedOrigins: []string{"*"}, AllowedMethods: []string{http.MethodGet, http.MethodPost},
		AllowedHeaders: []string{"*"},
	}).Handler(m)
}

// endpoint returns a handler that sends the result of f, or its error in the form of RFC 6749. Refused requests count
// against the rate limit of requests without a key.
func (s *Server) endpoint(f func(r *http.Request) (status int, body any, err error)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "no-store")
		address := limit.ClientAddress(r, s.TrustedProxies)
		if state := s.Limits.Peek(r.Context(), limit.Unauthenticated, address); state.Refused {
			operation.Refuse(w, r, limit.Refusal(state))
			return
		}
		r.Body = http.MaxBytesReader(w, r.Body, maxBody)
		status, body, err := s.serve(r, f)
		if err == nil {
			writeJSON(w, status, body)
			return
		}
		if e := (*oidc.Error)(nil); errors.As(err, &e) {
			_, _ = s.Limits.Take(r.Context(), limit.Unauthenticated, address)
			writeJSON(w, http.StatusBadRequest, e)
			return
		}
		s.unavailable(w, r, err)
	})
}

func (s *Server) serve(r *http.Request, f func(r *http.Request) (int, any, error)) (int, any, error) {
	if err := s.Ready(); err != nil {
		return 0, nil, err
	}
	return f(r)
}

// unavailable sends the response to a request that failed for a reason that the client cannot change.
func (s *Server) unavailable(w http.ResponseWriter, r *http.Request, err error) {
	s.Log.Error("request of an OAuth client failed",
		"path", r.URL.Path, "request_id", operation.RequestID(r), "error", err.Error())
	w.Header().Set("Retry-After", "1")
	writeJSON(w, http.StatusServiceUnavailable, map[string]string{
		"error": "temporarily_unavailable", "error_description": "The request could not be served now. Try again.",
	})
}

// writeJSON sends a value as JSON; nothing for nil.
func writeJSON(w http.ResponseWriter, status int, v any) {
	if v == nil {
		w.WriteHeader(status)
		return
	}
	doc, err := json.Marshal(v)
	if err != nil { // the values of this package can always be encoded
		status = http.StatusInternalServerError
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(doc) // the client may have disconnected
}

// only returns the only value of a parameter; empty if it is absent. A parameter may not occur twice (RFC 6749, section
// 3.1).
func only(values map[string][]string, name string) (string, error) {
	switch v := values[name]; len(v) {
	case 0:
		return "", nil
	case 1:
		return v[0], nil
	}
	return "", oidc.ErrInvalidRequest().WithDescription("The parameter %s occurs more than once.", name)
}

// expired reports whether a time in Unix seconds has passed.
func (s *Server) expired(at int64) bool { return s.Clock.Now().Unix() >= at }

// in returns a later time in Unix seconds.
func (s *Server) in(d time.Duration) int64 { return s.Clock.Now().Add(d).Unix() }
