// SPDX-License-Identifier: Apache-2.0

package archive

import (
	"bytes"
	"context"
	"errors"
	"io"
	"sync"
	"sync/atomic"
	"testing"

	"k8s.io/utils/clock"

	"github.com/reelops/reelops/internal/store/blob"
	"github.com/reelops/reelops/internal/testkit"
)

// counting counts the requests that read, and the bytes that they return. It records the ranges.
type counting struct {
	Blobs
	requests, bytes atomic.Int64

	mu     sync.Mutex
	ranges []span
}

func (c *counting) Size(ctx context.Context, key string) (int64, error) {
	c.requests.Add(1)
	return c.Blobs.Size(ctx, key)
}

func (c *counting) OpenRange(ctx context.Context, key string, offset, n int64) (io.ReadCloser, error) {
	c.requests.Add(1)
	c.mu.Lock()
	c.ranges = append(c.ranges, span{offset, offset + n})
	c.mu.Unlock()
	r, err := c.Blobs.OpenRange(ctx, key, offset, n)
	return &countingBody{r, c}, err
}

type countingBody struct {
	io.ReadCloser
	c *counting
}

func (b *countingBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.c.bytes.Add(int64(n))
	return n, err
}

// inMemory has one file under every key.
type inMemory struct {
	Blobs
	file []byte
	// hold delays reads until it is closed, unless it is nil.
	hold chan struct{}
}

func (m *inMemory) Size(context.Context, string) (int64, error) { return int64(len(m.file)), nil }

func (m *inMemory) OpenRange(_ context.Context, _ string, offset, n int64) (io.ReadCloser, error) {
	if m.hold != nil {
		<-m.hold
	}
	size := int64(len(m.file))
	return io.NopCloser(bytes.NewReader(m.file[min(offset, size):min(offset+n, size)])), nil
}

// fault is the way in which a call fails.
type fault string

const (
	lost       fault = "lost"
	unanswered fault = "applied, answer lost"
	broken     fault = "connection breaks in the body"
)

var errStore = errors.New("the store fails")

// failing fails call number at, or all calls from it on, counted from 1.
type failing struct {
	Blobs
	at, calls int64
	onward    bool
	fault     fault
}

func (f *failing) call(apply func() error) error {
	n := atomic.AddInt64(&f.calls, 1)
	if n != f.at && (n < f.at || !f.onward) {
		return apply()
	}
	if f.fault == unanswered {
		_ = apply()
	}
	return errStore
}

func (f *failing) Put(ctx context.Context, key, contentType string, r io.Reader) error {
	return f.call(func() error { return f.Blobs.Put(ctx, key, contentType, r) })
}

func (f *failing) Delete(ctx context.Context, key string) error {
	return f.call(func() error { return f.Blobs.Delete(ctx, key) })
}

func (f *failing) Size(ctx context.Context, key string) (size int64, err error) {
	return size, f.call(func() error {
		size, err = f.Blobs.Size(ctx, key)
		return err
	})
}

func (f *failing) OpenRange(ctx context.Context, key string, offset, n int64) (r io.ReadCloser, err error) {
	err = f.call(func() error {
		r, err = f.Blobs.OpenRange(ctx, key, offset, n)
		return err
	})
	if err == nil || f.fault != broken {
		return r, err
	}
	if r, err = f.Blobs.OpenRange(ctx, key, offset, n/2); err != nil {
		return nil, err
	}
	return &brokenBody{r}, nil
}

// brokenBody ends with an error, as a connection that is cut does.
type brokenBody struct{ io.ReadCloser }

func (b *brokenBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return n, err
}

// folder returns an empty folder store.
func folder(t testing.TB) *blob.Store { return testkit.Files(t, clock.RealClock{}) }
