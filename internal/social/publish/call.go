// SPDX-License-Identifier: Apache-2.0

package publish

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strconv"
	"sync/atomic"
	"time"
)

// maxAnswer bounds what is read of a platform's answer, in bytes.
const maxAnswer = 1 << 20

// Answer is what a platform said.
type Answer struct {
	Status int
	Header http.Header
	Body   []byte
}

// longestWait is for how long a platform is believed at most when it says when to come back: no allowance counts for longer than a day.
// Whoever comes back too early is told again.
const longestWait = 24 * time.Hour

// RetryAfter is what the answer says of when to come back, a day at most; 0 when it says nothing. Dates are taken relative to now.
func (a *Answer) RetryAfter(now time.Time) time.Duration {
	v := a.Header.Get("Retry-After")
	if s, err := strconv.ParseUint(v, 10, 64); err == nil || errors.Is(err, strconv.ErrRange) {
		return time.Duration(min(s, uint64(longestWait/time.Second))) * time.Second
	}
	if t, err := http.ParseTime(v); err == nil && t.After(now) {
		return min(t.Sub(now), longestWait)
	}
	return 0
}

// Unsent is the error of a call that never left: no connection was made, or it broke before the first byte of the request was
// written. Every other failure of a call may have been taken.
type Unsent struct{ Err error }

func (u *Unsent) Error() string { return "not sent: " + u.Err.Error() }
func (u *Unsent) Unwrap() error { return u.Err }

// Do makes one call. Redirects are answers. An error means that no whole answer came; it is an Unsent when the request did not
// leave. The error names no address: addresses may hold secrets.
func Do(c *http.Client, req *http.Request) (*Answer, error) {
	var left atomic.Bool
	trace := &httptrace.ClientTrace{WroteHeaders: func() { left.Store(true) }}
	// A request that the transport repeats on another connection by itself would be a second sending.
	req = req.WithContext(httptrace.WithClientTrace(req.Context(), trace))
	once := *c
	once.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	res, err := once.Do(req)
	if err != nil {
		err = bare(err)
		if !left.Load() {
			return nil, &Unsent{Err: err}
		}
		return nil, err
	}
	defer func() { _ = res.Body.Close() }()
	body, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer))
	if err != nil {
		return nil, fmt.Errorf("reading the answer (%d): %w", res.StatusCode, bare(err))
	}
	return &Answer{Status: res.StatusCode, Header: res.Header, Body: body}, nil
}

// bare takes the address off an error.
func bare(err error) error {
	if u := (*url.Error)(nil); errors.As(err, &u) {
		return u.Err
	}
	return err
}

// Once makes the body of a request one that the transport cannot send a second time by itself: without GetBody it never retries a
// request that is not idempotent.
func Once(ctx context.Context, method, address string, body []byte) (*http.Request, error) {
	req, err := http.NewRequestWithContext(ctx, method, address, io.NopCloser(bytes.NewReader(body)))
	if err != nil {
		return nil, errors.New("the platform gave an address that cannot be used")
	}
	req.ContentLength = int64(len(body))
	if len(body) == 0 {
		req.Body = http.NoBody
	}
	return req, nil
}
