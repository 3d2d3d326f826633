// SPDX-License-Identifier: Apache-2.0

package blob

import (
	"context"
	"errors"
	"time"

	"github.com/reelops/reelops/internal/metric"
)

// counted takes down how a call of the store ended. It is deferred with the time at which the call began. A call that its own caller
// gave up says nothing of the store and is not counted. The time is the machine's: nothing is decided by it.
func counted(operation string, began time.Time, err *error) {
	outcome := "ok"
	switch {
	case *err == nil:
	case errors.Is(*err, ErrNotFound):
		outcome = "absent"
	case errors.Is(*err, context.Canceled):
		return
	default:
		outcome = "failed"
	}
	metric.StoreCalls.WithLabelValues(operation, outcome).Inc()
	metric.StoreSeconds.WithLabelValues(operation).Observe(time.Since(began).Seconds())
}
