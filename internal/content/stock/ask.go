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
	// askTime bounds a call of a provider.
	askTime = 4 * time.Second
	// maxAnswer bounds its answer in bytes; a page of 100 results has some 200 kB.
	maxAnswer = 4 << 20
	// maxBusy bounds how long a provider is believed that it is busy.
	maxBusy = time.Hour
)

// Endpoint is where a provider is and how it knows us.
type Endpoint struct {
	BaseURL string            // without a slash at its end; "" for the provider's own
	Key     string            // of the installation
	HTTP    http.RoundTripper // nil for http.DefaultTransport
	Clock   clock.PassiveClock
}

// asker makes the calls of one provider.
type asker struct {
	provider string
	base     string
	key      string
	header   func(http.Header)
	client   *http.Client
	clock    clock.PassiveClock
	// reset reads when a provider that has had enough answers again; 0 when it does not say.
	reset func(h http.Header, now time.Time) time.Duration
	// busy says whether an answer means that we asked too often.
	busy func(status int, h http.Header) bool

	mu sync.Mutex
	// rests until this time: it said with its last answer that there will be no further one.
	rests time.Time
}

func newAsker(provider, usual string, e Endpoint) (*asker, error) {
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
	return &asker{
		provider: provider, base: base, key: e.Key, clock: e.Clock, header: func(http.Header) {},
		client: &http.Client{
			Transport: e.HTTP, Timeout: askTime,
			// A key must not travel to where nobody sent it.
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
		busy: func(status int, _ http.Header) bool { return status == http.StatusTooManyRequests },
	}, nil
}

// get asks for a path and reads the answer's JSON.
func (a *asker) get(ctx context.Context, path string, query url.Values, into any) error {
	return a.open(ctx, a.base+path+"?"+query.Encode(), into)
}

func (a *asker) open(ctx context.Context, address string, into any) error {
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

func (a *asker) wait(h http.Header) time.Duration {
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

// resetAt reads a time of the clock, in seconds since 1970.
func resetAt(header string) func(http.Header, time.Time) time.Duration {
	return func(h http.Header, now time.Time) time.Duration {
		at, err := strconv.ParseInt(h.Get(header), 10, 64)
		if err != nil {
			return 0
		}
		return time.Unix(at, 0).Sub(now)
	}
}

// resetIn reads a number of seconds from now.
func resetIn(header string) func(http.Header, time.Time) time.Duration {
	return func(h http.Header, _ time.Time) time.Duration {
		n, err := strconv.ParseInt(h.Get(header), 10, 32)
		if err != nil {
			return 0
		}
		return time.Duration(n) * time.Second
	}
}
