// SPDX-License-Identifier: Apache-2.0

package blob

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/reelops/reelops/internal/process/metric"
)

// counted records the outcome and duration of a call of the store. It is deferred with the time at which the call
// began. A call that its caller canceled, or whose input failed, is no evidence about the store and is not counted. The
// duration is measured with the machine's clock, because no decision depends on it.
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

// callers reads what a caller stores, such as an upload or a fetched page. It marks the caller's read errors to
// separate them from those of the store.
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
