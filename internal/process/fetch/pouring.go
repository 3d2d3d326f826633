// SPDX-License-Identifier: Apache-2.0

package fetch

import (
	"context"
	"errors"
	"io"
	"time"
)

const (
	// patience is how long a server may let us wait for the next byte, and for how long one may be slower than slowest.
	patience = 20 * time.Second
	// slowest is how fast a file has to come, in bytes a second of waiting for it.
	slowest = 4 << 10
)

// pouring is a file that is coming in: bounded in bytes, in silence and in slowness. Time that the reader takes for itself
// does not count against the server.
type pouring struct {
	body  io.ReadCloser
	asked context.Context // of the caller
	stop  context.CancelFunc

	left   int64
	got    int64
	waited time.Duration
	failed error
}

func (p *pouring) Read(b []byte) (int, error) {
	if p.failed != nil {
		return 0, p.failed
	}
	if int64(len(b)) > p.left+1 {
		b = b[:p.left+1]
	}
	began := time.Now()
	silence := time.AfterFunc(patience, p.stop)
	n, err := p.body.Read(b)
	fired := !silence.Stop()
	p.waited += time.Since(began)
	p.got += int64(n)
	if p.left -= int64(n); p.left < 0 {
		n, err = n-1, ErrTooLarge
	} else if fired && err != nil && !errors.Is(err, io.EOF) {
		err = &fault{ErrTooSlow, "it stopped sending"}
	} else if err == nil && p.waited > patience && float64(p.got) < slowest*p.waited.Seconds() {
		err = &fault{ErrTooSlow, "it sends too little at a time"}
	} else if err != nil && !errors.Is(err, io.EOF) {
		err = told(p.asked, err)
	}
	if err != nil && !errors.Is(err, io.EOF) {
		p.failed = err
		p.stop()
	}
	return n, err
}

func (p *pouring) Close() error {
	p.stop()
	return p.body.Close()
}
