// SPDX-License-Identifier: Apache-2.0

package main

import (
	"testing"
	"time"

	"github.com/reelops/reelops/internal/lease"
)

func TestTheTimesOfALeaderFitEachOther(t *testing.T) {
	for name, c := range map[string]struct {
		lease, renew, retry time.Duration
		good                bool
	}{
		"the usual":                       {defaultLease, defaultRenew, defaultRetry, true},
		"those of Kubernetes":             {15 * time.Second, 15 * time.Second, 2 * time.Second, true},
		"no whole seconds":                {1500 * time.Millisecond, defaultRenew, defaultRetry, false},
		"too few signs of life":           {defaultLease, defaultRenew, time.Second, false},
		"one that asks all the time":      {defaultLease, defaultRenew, time.Millisecond, false},
		"it ends before another takes it": {5 * time.Second, 4 * time.Second, defaultRetry, false},
		"longer than the ledger allows":   {defaultLease, lease.MaxUnheard + time.Second, defaultRetry, false},
	} {
		o := &options{leaderLease: c.lease, leaderRenew: c.renew, leaderRetry: c.retry}
		if err := o.checkLeader(); (err == nil) != c.good {
			t.Errorf("%s: %v", name, err)
		}
	}
}
