// SPDX-License-Identifier: Apache-2.0

package mcp

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/reelops/reelops/apiserver/limit"
	"github.com/reelops/reelops/internal/catalog"
)

// numbers returns a replacer that inserts the enforced limits into tool descriptions: {page} is the maximum page size,
// and so on.
func numbers(ceiling func(limit.Bucket) limit.Ceiling) *strings.Replacer {
	in := func(b limit.Bucket, what string) string {
		c := ceiling(b)
		return fmt.Sprintf("%d %s in %s", c.Limit, what, stretch(c.Window))
	}
	refreshes := in(limit.AnalyticsRefresh, "times")
	if c := ceiling(limit.AnalyticsRefresh); c.Limit == 1 {
		refreshes = "once in " + stretch(c.Window)
	}
	return strings.NewReplacer(
		"{calls}", in(limit.Global, "calls"),
		"{creations}", in(limit.Generation, "creations and renders"),
		"{posts}", in(limit.Posting, "calls"),
		"{refreshes}", refreshes,
		"{page}", strconv.Itoa(catalog.MaxPerPage),
		"{slides}", fmt.Sprintf("%d to %d", catalog.MinSlides, catalog.MaxSlides),
		"{image}", strconv.Itoa(catalog.MaxImageBytes>>20), "{clip}", strconv.Itoa(catalog.MaxVideoBytes>>20),
		"{demos}", strconv.Itoa(catalog.MaxDemos),
		"{demo}", stretch(catalog.MaxDemoDuration), "{film}", stretch(catalog.MaxVideoDuration),
		"{lead}", stretch(catalog.MinScheduleLead), "{ahead}", strconv.Itoa(int(catalog.MaxScheduleAhead/(24*time.Hour)))+" days",
	)
}

// stretch returns a duration in words.
func stretch(d time.Duration) string {
	for _, unit := range []struct {
		of   time.Duration
		name string
	}{{time.Hour, "hour"}, {time.Minute, "minute"}, {time.Second, "second"}} {
		if n := d / unit.of; d%unit.of == 0 && n > 0 {
			if n == 1 {
				return "1 " + unit.name
			}
			return fmt.Sprintf("%d %ss", n, unit.name)
		}
	}
	return d.String()
}
