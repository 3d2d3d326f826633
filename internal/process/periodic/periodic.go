// SPDX-License-Identifier: Apache-2.0

// Package periodic repeats passes that delete what nothing needs any more.
package periodic

import (
	"context"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/utils/clock"
)

// Delete calls pass now, and again each time an interval has elapsed since the last call, until the context ends. It
// logs how many things a pass has deleted, and its error: the next pass repeats what failed. what names the things in
// the log.
func Delete(
	ctx context.Context, c clock.Clock, interval time.Duration, log logr.Logger, what string,
	pass func(context.Context) (deleted int, err error),
) {
	for {
		n, err := pass(ctx)
		if n > 0 {
			log.Info("deleted "+what, "count", n)
		}
		if err != nil && ctx.Err() == nil {
			log.Error(err, "deleting "+what+" failed; the next pass repeats it")
		}
		timer := c.NewTimer(interval)
		select {
		case <-ctx.Done():
			timer.Stop()
			return
		case <-timer.C():
		}
	}
}
