// SPDX-License-Identifier: Apache-2.0

package fetch

import (
	"context"
	"errors"
	"io"
	"time"
)

const (
	// stallTimeout is the timeout for the next byte, and how long the transfer may be slower than slowest.
	stallTimeout = 20 * time.Second
	// slowest is the minimum transfer rate, in bytes per second of waiting.
	slowest = 4 << 10
)

// limitedBody is a response body with limits on its size, on pauses and on the transfer rate. Time that the reader spends
// between reads does not count.
type limitedBody struct {
	body  io.ReadCloser
	asked context.Context // the caller's context
	stop  context.CancelFunc

	left   int64
	got    int64
	waited time.Duration
	failed error
}

func (p *limitedBody) Read(b []byte) (int, error) {
	if p.failed != nil {
		return 0, p.failed
	}
	if int64(len(b)) > p.left+1 {
		b = b[:p.left+1]
	}
	began := time.Now()
	silence := time.AfterFunc(stallTimeout, p.stop)
	n, err := p.body.Read(b)
	fired := !silence.Stop()
	p.waited += time.Since(began)
	p.got += int64(n)
	if p.left -= int64(n); p.left < 0 {
		n, err = n-1, ErrTooLarge
	} else if fired && err != nil && !errors.Is(err, io.EOF) {
		err = &fault{ErrTooSlow, "it stopped sending"}
	} else if err == nil && p.waited > stallTimeout && float64(p.got) < slowest*p.waited.Seconds() {
		err = &fault{ErrTooSlow, "it sends too little at a time"}
	} else if err != nil && !errors.Is(err, io.EOF) {
		err = converted(p.asked, err)
	}
	if err != nil && !errors.Is(err, io.EOF) {
		p.failed = err
		p.stop()
	}
	return n, err
}

func (p *limitedBody) Close() error {
	p.stop()
	return p.body.Close()
}
