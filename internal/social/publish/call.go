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

// maxAnswer is how many bytes of a platform's response are read at most.
const maxAnswer = 1 << 20

// Answer is a platform's response.
type Answer struct {
	Status int
	Header http.Header
	Body   []byte
}

// longestWait caps the wait that a platform requests: no quota window is longer than a day. A call that comes too early
// receives the wait again.
const longestWait = 24 * time.Hour

// RetryAfter returns the wait in the Retry-After header, at most 24 hours; 0 if the header is absent or invalid. Dates
// are taken relative to now.
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

// Unsent is the error of a request that was never sent: no connection was opened, or it broke before the first byte of
// the request was written. After any other error the platform may have accepted the call.
type Unsent struct{ Err error }

func (u *Unsent) Error() string { return "not sent: " + u.Err.Error() }
func (u *Unsent) Unwrap() error { return u.Err }

// Do sends one request and returns the response; redirects are returned and not followed. An error means that no
// complete response arrived. The error is an Unsent if the request was not sent. It contains no address: addresses may
// hold secrets.
func Do(c *http.Client, req *http.Request) (*Answer, error) {
	var left atomic.Bool
	trace := &httptrace.ClientTrace{WroteHeaders: func() { left.Store(true) }}
	// left stays set when the transport retries the request on another connection: the retry would be a second send.
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

// bare returns the cause of a url.Error, without the address.
func bare(err error) error {
	if u := (*url.Error)(nil); errors.As(err, &u) {
		return u.Err
	}
	return err
}

// Once returns a request whose body the transport cannot send a second time: without GetBody, the transport never retries
// a request that is not idempotent.
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
