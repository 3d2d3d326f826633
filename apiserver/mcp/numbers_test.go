// SPDX-License-Identifier: Apache-2.0

package mcp

import (
	"testing"
	"time"

	"github.com/reelops/reelops/apiserver/limit"
)

func TestTools_DescribeTheConfiguredRateLimits(t *testing.T) {
	for _, c := range []struct {
		ceiling limit.Ceiling
		want    string
	}{
		{limit.Ceiling{Limit: 1, Window: 15 * time.Minute}, "once in 15 minutes"},
		{limit.Ceiling{Limit: 2, Window: time.Hour}, "2 times in 1 hour"},
		{limit.Ceiling{Limit: 11, Window: 90 * time.Second}, "11 times in 90 seconds"},
	} {
		told := numbers(func(b limit.Bucket) limit.Ceiling {
			if b == limit.AnalyticsRefresh {
				return c.ceiling
			}
			return limit.Default()[b]
		})
		if got := told.Replace("{refreshes}"); got != c.want {
			t.Errorf("%+v is described as %q, want %q", c.ceiling, got, c.want)
		}
	}
}
