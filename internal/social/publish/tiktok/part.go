// SPDX-License-Identifier: Apache-2.0

package tiktok

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"

	"github.com/reelops/reelops/internal/social/publish"
)

// errRange means that TikTok expects other bytes than the sent ones.
var errRange = errors.New("the bytes are not those that are missing")

// part sends the bytes of a video from first up to end. Sending the last byte publishes the video: a lost response is
// then Ambiguous. After errRange and after any other kind of Error, TikTok did not accept the part.
func (p *Platform) part(ctx context.Context, d publish.Draft, n *note, first, end int64) error {
	if !p.allowsUpload(n.UploadURL) {
		return expired(errors.New("the address to upload to is not on the list any more"))
	}
	publishes := end == n.Plan.Total
	source, err := d.Video.Open(ctx, first)
	if err != nil {
		return unreadable(err)
	}
	body := &partReader{ReadCloser: source, left: end - first}
	req, err := http.NewRequestWithContext(ctx, http.MethodPut, n.UploadURL, body)
	if err != nil {
		_ = source.Close()
		return expired(errors.New("the address to upload to cannot be used"))
	}
	req.ContentLength = end - first
	req.Header.Set("Content-Type", d.Video.ContentType)
	req.Header.Set("Content-Range", fmt.Sprintf("bytes %d-%d/%d", first, end-1, n.Plan.Total))
	a, err := publish.Do(p.http, req)
	if err != nil {
		var unsent *publish.Unsent
		if read := body.stop(); read < end-first && !errors.As(err, &unsent) {
			// Bytes that were not read were not sent. TikTok publishes no video with missing bytes.
			return &publish.Error{Kind: publish.Transient, Safe: "The video did not reach TikTok completely.", Err: err}
		}
		return transportError(err, publishes)
	}
	cause := fmt.Errorf("an upload answered %d", a.Status)
	switch {
	case a.Status == http.StatusCreated:
		return nil
	case a.Status == http.StatusPartialContent && !publishes:
		return nil
	case a.Status >= 500 || a.Status == http.StatusRequestTimeout:
		e := inconclusive(publishes, cause)
		if !publishes {
			e.Safe = "TikTok had an internal error."
		}
		return e
	case a.Status == http.StatusRequestedRangeNotSatisfiable:
		return errRange
	case a.Status == http.StatusPartialContent || a.Status == http.StatusForbidden || a.Status == http.StatusNotFound:
		return expired(cause)
	case a.Status == http.StatusTooManyRequests:
		e := codes["rate_limit_exceeded"].as("", cause)
		e.RetryAfter = max(a.RetryAfter(p.clock.Now()), window)
		return e
	case a.Status >= 400:
		return codes["invalid_file_upload"].as("", cause)
	}
	return inconclusive(publishes, cause)
}

// asError converts errRange to an Expired error and returns other errors unchanged.
func asError(err error) error {
	if errors.Is(err, errRange) {
		return expired(err)
	}
	return err
}

func unreadable(err error) *publish.Error {
	return &publish.Error{Kind: publish.Transient, Safe: "The file could not be read from the store.", Err: err}
}

// partReader reads at most left bytes, until it is stopped. The transport reads a request's body on another goroutine,
// which may outlive the request.
type partReader struct {
	io.ReadCloser
	left int64

	mu      sync.Mutex
	read    int64
	stopped bool
}

func (c *partReader) Read(b []byte) (int, error) {
	if c.left <= 0 {
		return 0, io.EOF
	}
	if int64(len(b)) > c.left {
		b = b[:c.left]
	}
	n, err := c.ReadCloser.Read(b)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.stopped {
		return 0, errors.New("the request has ended")
	}
	c.left -= int64(n)
	c.read += int64(n)
	switch {
	case c.left == 0:
		return n, nil // the next read returns EOF
	case errors.Is(err, io.EOF):
		return n, io.ErrUnexpectedEOF
	}
	return n, err
}

// stop returns how many bytes were read. Later reads fail.
func (c *partReader) stop() int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.stopped = true
	return c.read
}
