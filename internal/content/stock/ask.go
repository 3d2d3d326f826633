// SPDX-License-Identifier: Apache-2.0

package stock

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"k8s.io/utils/clock"

	"github.com/reelops/reelops/internal/process/modelapi"
)

const (
	// askTime is the timeout of a request to a provider.
	askTime = 4 * time.Second
	// maxAnswer is the maximum size of a response in bytes; a page of 100 results has about 200 kB.
	maxAnswer = 4 << 20
	// maxBusy is the upper limit for the wait time that a provider requests.
	maxBusy = time.Hour
)

// Endpoint is the address and the credential of a provider.
type Endpoint struct {
	BaseURL string            // without a trailing slash; empty for the provider's default
	Key     string            // API key of the installation
	HTTP    http.RoundTripper // nil for http.DefaultTransport
	Clock   clock.PassiveClock
}

// apiClient is the HTTP client of one provider.
type apiClient struct {
	provider string
	base     string
	key      string
	header   func(http.Header)
	client   *http.Client
	clock    clock.PassiveClock
	// reset returns how long an exhausted rate limit lasts; 0 if not reported. It may be nil.
	reset func(h http.Header, now time.Time) time.Duration
	// busy reports whether a response means that the rate limit is exceeded.
	busy func(status int, h http.Header) bool

	mu sync.Mutex
	// rests is the time before which no request is sent. It is set when a response reports that no requests remain.
	rests time.Time
}

func newAPIClient(provider, usual string, e Endpoint) (*apiClient, error) {
	base := strings.TrimSuffix(e.BaseURL, "/")
	if base == "" {
		base = usual
	}
	u, err := url.Parse(base)
	if err != nil || u.Host == "" || (u.Scheme != "https" && u.Scheme != "http") {
		return nil, fmt.Errorf("the address of %s must be http(s)://host[/path]", provider)
	}
	if e.Key == "" {
		return nil, fmt.Errorf("%s needs a key", provider)
	}
	if e.Clock == nil {
		e.Clock = clock.RealClock{}
	}
	return &apiClient{
		provider: provider, base: base, key: e.Key, clock: e.Clock, header: func(http.Header) {},
		client: &http.Client{
			Transport: e.HTTP, Timeout: askTime,
			// Do not follow redirects: the API key must not be sent to another address.
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
		busy: func(status int, _ http.Header) bool { return status == http.StatusTooManyRequests },
	}, nil
}

// get requests a path and decodes the JSON response.
func (a *apiClient) get(ctx context.Context, path string, query url.Values, into any) error {
	return a.open(ctx, a.base+path+"?"+query.Encode(), into)
}

func (a *apiClient) open(ctx context.Context, address string, into any) error {
	a.mu.Lock()
	rest := a.rests.Sub(a.clock.Now())
	a.mu.Unlock()
	if rest > 0 {
		return &BusyError{a.provider, rest}
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return fmt.Errorf("asking %s: the address cannot be used", a.provider)
	}
	r.Header.Set("Accept", "application/json")
	r.Header.Set("User-Agent", "reelops")
	a.header(r.Header)
	res, err := a.client.Do(r)
	if err != nil {
		return fmt.Errorf("asking %s: %w", a.provider, modelapi.WithoutAddress(err))
	}
	defer func() { _ = res.Body.Close() }()
	if res.Header.Get("X-Ratelimit-Remaining") == "0" {
		a.mu.Lock()
		a.rests = a.clock.Now().Add(a.wait(res.Header))
		a.mu.Unlock()
	}
	switch {
	case a.busy(res.StatusCode, res.Header):
		return &BusyError{a.provider, a.wait(res.Header)}
	case res.StatusCode == http.StatusNotFound:
		return fmt.Errorf("%s: %w", a.provider, ErrGone)
	case res.StatusCode != http.StatusOK:
		return &AnswerError{a.provider, res.StatusCode}
	case into == nil:
		_, _ = io.Copy(io.Discard, io.LimitReader(res.Body, maxAnswer))
		return nil
	}
	if err := json.NewDecoder(io.LimitReader(res.Body, maxAnswer)).Decode(into); err != nil {
		if errors.Is(err, io.ErrUnexpectedEOF) {
			return fmt.Errorf("the answer of %s is cut off or has more than %d bytes", a.provider, maxAnswer)
		}
		return fmt.Errorf("the answer of %s cannot be read: %w", a.provider, modelapi.WithoutAddress(err))
	}
	return nil
}

func (a *apiClient) wait(h http.Header) time.Duration {
	var d time.Duration
	if seconds, err := strconv.ParseInt(h.Get("Retry-After"), 10, 32); err == nil {
		d = time.Duration(seconds) * time.Second
	} else if at, err := http.ParseTime(h.Get("Retry-After")); err == nil {
		d = at.Sub(a.clock.Now())
	} else if a.reset != nil {
		d = a.reset(h, a.clock.Now())
	}
	return min(max(0, d), maxBusy)
}

// resetAt returns a function that reads a header with a Unix time in seconds and returns the time until then.
func resetAt(header string) func(http.Header, time.Time) time.Duration {
	return func(h http.Header, now time.Time) time.Duration {
		at, err := strconv.ParseInt(h.Get(header), 10, 64)
		if err != nil {
			return 0
		}
		return time.Unix(at, 0).Sub(now)
	}
}

// resetIn returns a function that reads a header with a number of seconds from now.
func resetIn(header string) func(http.Header, time.Time) time.Duration {
	return func(h http.Header, _ time.Time) time.Duration {
		n, err := strconv.ParseInt(h.Get(header), 10, 32)
		if err != nil {
			return 0
		}
		return time.Duration(n) * time.Second
	}
}
