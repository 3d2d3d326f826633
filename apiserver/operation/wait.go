// SPDX-License-Identifier: Apache-2.0

package operation

import (
	"context"
	"time"
)

// MaxWait is the longest time that a call can wait for a change, in an operation with Spec.Waits.
const MaxWait = 25 * time.Second

// Wait calls settled at once and after each value from changed, until settled returns true, for at most the given time.
// Its error is that of settled.
//
// Wait returns early if the server drains or the context ends. It does not wait if the limit of waiting calls is
// reached. The operation then responds with the current state.
func (c *Call) Wait(ctx context.Context, most time.Duration, changed <-chan struct{}, settled func() (bool, error)) error {
	done, err := settled()
	if done || err != nil || most <= 0 {
		return err
	}
	h := c.handler
	release, ok := h.Gate.Wait()
	if !ok {
		return nil
	}
	defer release()
	began := h.Clock.Now()
	defer func() { c.waited += h.Clock.Since(began) }()
	timer := time.NewTimer(min(most, MaxWait))
	defer timer.Stop()
	for {
		select {
		case <-timer.C:
			return nil
		case <-h.Draining:
			return nil
		case <-ctx.Done():
			return nil
		case <-changed:
			if done, err := settled(); done || err != nil {
				return err
			}
		}
	}
}
