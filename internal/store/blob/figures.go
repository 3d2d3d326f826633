// SPDX-License-Identifier: Apache-2.0

package blob

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/reelops/reelops/internal/process/metric"
)

// counted takes down how a call of the store ended. It is deferred with the time at which the call began. A call that its own caller
// gave up, or gave nothing whole to, says nothing of the store and is not counted. The time is the machine's: nothing is decided by it.
func counted(operation string, began time.Time, err *error) {
	outcome := "ok"
	switch {
	case *err == nil:
	case errors.Is(*err, ErrNotFound):
		outcome = "absent"
	case errors.Is(*err, context.Canceled), errors.As(*err, new(callersError)):
		return
	default:
		outcome = "failed"
	}
	metric.StoreCalls.WithLabelValues(operation, outcome).Inc()
	metric.StoreSeconds.WithLabelValues(operation).Observe(time.Since(began).Seconds())
}

// callers is what a caller gives to be stored: an upload that breaks off, a page that is fetched. Its errors can be told from the store's.
type callers struct{ r io.Reader }

func (c callers) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		err = callersError{err}
	}
	return n, err
}

type callersError struct{ error }

func (e callersError) Unwrap() error { return e.error }
