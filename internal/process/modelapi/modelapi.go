// SPDX-License-Identifier: Apache-2.0

// Package modelapi is the shared client code for OpenAI-compatible servers: a validated base URL, a limit on the size
// of responses, no redirects, and errors without keys and addresses. Callers interpret the responses.
package modelapi

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	sdk "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
)

// DefaultBaseURL is used when none is configured.
const DefaultBaseURL = "https://api.openai.com/v1"

// ErrRedirect is the error of a redirect. Redirects are not followed, so that the API key is not sent to another
// server.
var ErrRedirect = errors.New("the server answered with a redirect")

// Config selects the model and the server.
type Config struct {
	// BaseURL ends before the path of the call, for example "http://localhost:11434/v1". Empty means DefaultBaseURL.
	BaseURL string
	// APIKey may be empty for servers that need none.
	APIKey string
	// Model is the model's name on the server.
	Model string
	// Timeout is applied by the caller; it must not be negative.
	Timeout time.Duration
	// MaxAnswer is the maximum size of a response in bytes.
	MaxAnswer int64
	// HTTP carries the calls; nil means http.DefaultTransport. Its redirects are not followed.
	HTTP http.RoundTripper
}

// Server is a validated configuration.
type Server struct {
	// Host of the server, with its port if it has one.
	Host string
	// Options create one of the SDK's services. Create it without the SDK's client, which would read keys and addresses
	// from the environment.
	Options []option.RequestOption

	key string
}

// Open validates the configuration; it makes no call. A missing model or an unusable base URL is an error.
func Open(c Config) (*Server, error) {
	if c.Model == "" {
		return nil, errors.New("no model named")
	}
	if c.BaseURL == "" {
		c.BaseURL = DefaultBaseURL
	}
	u, err := url.Parse(c.BaseURL)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" {
		return nil, errors.New("the base URL must be http(s)://host[/path]")
	}
	if c.Timeout < 0 {
		return nil, errors.New("the timeout must not be negative")
	}
	if c.HTTP == nil {
		c.HTTP = http.DefaultTransport
	}
	s := &Server{Host: u.Host, key: c.APIKey, Options: []option.RequestOption{
		option.WithBaseURL(c.BaseURL),
		option.WithMaxRetries(0),
		option.WithHTTPClient(&http.Client{Transport: limited{c.HTTP, c.MaxAnswer}}),
	}}
	if c.APIKey != "" {
		s.Options = append(s.Options, option.WithAPIKey(c.APIKey))
	}
	return s, nil
}

// Answered formats an error response of the server for logs. It omits the server's message, which may repeat the
// request.
func (s *Server) Answered(e *sdk.Error) error {
	return fmt.Errorf("status %d, type %q, code %q", e.StatusCode, s.Redact(clip(e.Type, 80)), s.Redact(clip(e.Code, 80)))
}

// Unreached formats any other error of a call for logs.
func (s *Server) Unreached(err error) error {
	return errors.New(s.Redact(clip(WithoutAddress(err).Error(), 300)))
}

// Redact removes the API key from a text.
func (s *Server) Redact(text string) string {
	if s.key == "" {
		return text
	}
	return strings.ReplaceAll(text, s.key, "[key]")
}

// WithoutAddress removes the URL from an error, because the URL may be signed.
func WithoutAddress(err error) error {
	var at *url.Error
	if errors.As(err, &at) {
		return at.Err
	}
	return err
}

func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "") + fmt.Sprintf(" [%d bytes more]", len(s)-n)
}

// limited limits the size of responses and returns ErrRedirect for redirects.
type limited struct {
	next http.RoundTripper
	most int64
}

func (l limited) RoundTrip(r *http.Request) (*http.Response, error) {
	res, err := l.next.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	if res.StatusCode >= 300 && res.StatusCode < 400 {
		_ = res.Body.Close()
		return nil, ErrRedirect
	}
	res.Body = struct {
		io.Reader
		io.Closer
	}{io.LimitReader(res.Body, l.most), res.Body}
	return res, nil
}
