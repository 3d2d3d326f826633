// SPDX-License-Identifier: Apache-2.0

package operation

import (
	"context"
	"time"
)

// MaxWait is the longest time that a call can wait for a change, in an operation with Spec.Waits.
const MaxWait = 25 * time.Second

// Wait calls settled until it returns true, at most for the time: at once, and after each value from changed. Its error
// is that of settled. A wait ends early when the server drains or the caller hangs up, and does not begin when as many
// calls wait as may. The operation then answers with the state at hand.
func Wait(ctx context.Context, most time.Duration, changed <-chan struct{}, settled func() (bool, error)) error {
	done, err := settled()
	if done || err != nil || most <= 0 {
		return err
	}
	in, _ := ctx.Value(inCall{}).(*handling)
	if in == nil {
		return nil
	}
	leave, ok := in.h.Gate.Wait()
	if !ok {
		return nil
	}
	defer leave()
	began := in.h.Clock.Now()
	defer func() { in.c.waited += in.h.Clock.Since(began) }()
	timer := time.NewTimer(min(most, MaxWait))
	defer timer.Stop()
	for {
		select {
		case <-timer.C:
			return nil
		case <-in.h.Draining:
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
