// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"hash"
	"io"
	"log/slog"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"os"
	"time"

	"github.com/reelops/reelops/internal/work/order"
)

// Retries and timeouts of requests. All pauses of one request are together 13 to 26 seconds, so that a restart of the
// front end does not fail an attempt.
const (
	attempts     = 10
	firstPause   = 200 * time.Millisecond
	longestPause = 5 * time.Second
	stallTimeout = 30 * time.Second
)

var errTooLarge = errors.New("the file is larger than allowed")

// web is an HTTP client for signed URLs. Its errors contain at most the host of a URL.
type web struct {
	client *http.Client
	log    *slog.Logger
	pause  time.Duration // before the second attempt; it doubles from then on
	stall  time.Duration // the longest time without a transferred byte
	tries  int           // 0 means attempts
}

// once returns the same client without retries.
func (w *web) once() *web {
	o := *w
	o.tries = 1
	return &o
}

// newWeb returns a client that trusts the authorities of the pool. If nil, it trusts those of the system.
func newWeb(log *slog.Logger, authorities *x509.CertPool) *web {
	return &web{
		log: log, pause: firstPause, stall: stallTimeout,
		client: &http.Client{
			Transport: &http.Transport{
				Proxy:                 http.ProxyFromEnvironment,
				DialContext:           (&net.Dialer{Timeout: 10 * time.Second}).DialContext,
				TLSClientConfig:       &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: authorities},
				TLSHandshakeTimeout:   10 * time.Second,
				ResponseHeaderTimeout: stallTimeout,
				MaxIdleConnsPerHost:   fetchAtOnce,
			},
			// A redirect of a signed URL is not followed, because it would pass the signature on.
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}
}

// statusError is a response other than success.
type statusError struct{ status int }

func (e *statusError) Error() string { return fmt.Sprintf("the server answered %d", e.status) }

// hopeless wraps a local error, which a retry cannot resolve.
type hopeless struct{ err error }

func (e *hopeless) Error() string { return e.err.Error() }
func (e *hopeless) Unwrap() error { return e.err }

// transient reports whether a retry may succeed.
func transient(err error) bool {
	var s *statusError
	if errors.As(err, &s) {
		return s.status >= 500 || s.status == http.StatusTooManyRequests || s.status == http.StatusRequestTimeout
	}
	var h *hopeless
	return !errors.As(err, &h)
}

// retry calls try until it succeeds, cannot succeed, or has reached the number of attempts.
func (w *web) retry(ctx context.Context, what, address string, try func(context.Context) error) error {
	pause := w.pause
	for n := 1; ; n++ {
		err := try(ctx)
		if cause := context.Cause(ctx); err != nil && cause != nil {
			return cause
		}
		if err == nil {
			return nil
		}
		err = bare(err)
		if n == attempts || n == w.tries || !transient(err) {
			return err
		}
		w.log.Info("retrying request", "what", what, "host", order.Redact(address), "attempt", n, "error", err)
		t := time.NewTimer(pause/2 + rand.N(pause/2+1))
		select {
		case <-t.C:
		case <-ctx.Done():
			t.Stop()
			return context.Cause(ctx)
		}
		pause = min(2*pause, longestPause)
	}
}

// bare returns an error of net/http without its URL.
func bare(err error) error {
	var u *url.Error
	if errors.As(err, &u) {
		return u.Err
	}
	return err
}

// request sends one request. It passes the body of a successful response to read.
func (w *web) request(ctx context.Context, method, address string, header map[string]string, size int64, body io.Reader, read func(io.Reader) error) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	watch := time.AfterFunc(w.stall, func() { stop(fmt.Errorf("no progress for %s", w.stall)) })
	defer watch.Stop()
	if body != nil {
		body = &watched{body, watch, w.stall}
	}
	req, err := http.NewRequestWithContext(ctx, method, address, body)
	if err != nil {
		return &hopeless{bare(err)}
	}
	req.ContentLength = size
	for k, v := range header {
		req.Header.Set(k, v)
	}
	resp, err := w.client.Do(req)
	if err != nil {
		if cause := context.Cause(ctx); cause != nil {
			return cause
		}
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode < 200 || resp.StatusCode > 299 {
		_, _ = io.CopyN(io.Discard, resp.Body, 4<<10) // so that the connection can be used again
		return &statusError{resp.StatusCode}
	}
	if read == nil {
		return nil
	}
	err = read(&watched{resp.Body, watch, w.stall})
	if cause := context.Cause(ctx); err != nil && cause != nil {
		return cause
	}
	return err
}

// watched is a reader that resets the stall timer at each read.
type watched struct {
	r     io.Reader
	watch *time.Timer
	stall time.Duration
}

func (r *watched) Read(p []byte) (int, error) {
	n, err := r.r.Read(p)
	r.watch.Reset(r.stall)
	return n, err
}

// get downloads a small document.
func (w *web) get(ctx context.Context, address string, limit int64) ([]byte, error) {
	var b bytes.Buffer
	err := w.retry(ctx, "document", address, func(ctx context.Context) error {
		b.Reset()
		return w.request(ctx, http.MethodGet, address, nil, 0, nil, func(r io.Reader) error { return copyLimited(&b, r, limit) })
	})
	return b.Bytes(), err
}

// download streams a file to disk and through a hash. It leaves no file if it fails.
func (w *web) download(ctx context.Context, address string, limit int64, path string, h hash.Hash) error {
	err := w.retry(ctx, "input", address, func(ctx context.Context) error {
		h.Reset()
		f, err := os.Create(path)
		if err != nil {
			return &hopeless{err}
		}
		err = w.request(ctx, http.MethodGet, address, nil, 0, nil, func(r io.Reader) error {
			return copyLimited(io.MultiWriter(local{f}, h), r, limit)
		})
		if cerr := f.Close(); err == nil && cerr != nil {
			err = &hopeless{cerr}
		}
		return err
	})
	if err != nil {
		os.Remove(path)
	}
	return err
}

// local marks failed writes to disk, which a retry cannot resolve.
type local struct{ f *os.File }

func (l local) Write(p []byte) (int, error) {
	n, err := l.f.Write(p)
	if err != nil {
		err = &hopeless{err}
	}
	return n, err
}

func copyLimited(dst io.Writer, src io.Reader, limit int64) error {
	n, err := io.Copy(dst, io.LimitReader(src, limit+1))
	if err == nil && n > limit {
		return &hopeless{errTooLarge}
	}
	return err
}

// put uploads a file as a stream of known length.
func (w *web) put(ctx context.Context, to order.Target, path, contentType string) error {
	return w.retry(ctx, "upload", to.URL, func(ctx context.Context) error {
		f, err := os.Open(path)
		if err != nil {
			return &hopeless{err}
		}
		defer f.Close()
		info, err := f.Stat()
		if err != nil {
			return &hopeless{err}
		}
		return w.request(ctx, http.MethodPut, to.URL, headers(to, contentType), info.Size(), io.NopCloser(f), nil)
	})
}

// putDocument uploads a JSON document, with retries.
func (w *web) putDocument(ctx context.Context, to order.Target, doc []byte) error {
	return w.retry(ctx, "document", to.URL, func(ctx context.Context) error {
		return w.request(ctx, http.MethodPut, to.URL, headers(to, "application/json"), int64(len(doc)), bytes.NewReader(doc), nil)
	})
}

// headers returns the headers of an upload.
func headers(to order.Target, contentType string) map[string]string {
	h := map[string]string{"Content-Type": contentType}
	for k, v := range to.Headers {
		h[http.CanonicalHeaderKey(k)] = v
	}
	return h
}

// postOnce sends a progress report without retries.
func (w *web) postOnce(ctx context.Context, address string, doc []byte) error {
	header := map[string]string{"Content-Type": "application/json"}
	return w.request(ctx, http.MethodPost, address, header, int64(len(doc)), bytes.NewReader(doc), nil)
}
