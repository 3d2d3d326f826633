// SPDX-License-Identifier: Apache-2.0

package limit

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/reelops/reelops/internal/catalog"
)

// Bucket is the name of a rate limit; requests are counted per bucket and subject.
type Bucket string

// Buckets.
const (
	// Global counts every request of a key.
	Global Bucket = "global"
	// Console counts every request of a user of the console.
	Console Bucket = "console"
	// Generation counts requests that generate slides or videos, by key.
	Generation Bucket = "generation"
	// Posting counts posts, by key.
	Posting Bucket = "posting"
	// Unauthenticated counts requests without a valid key, by client address.
	Unauthenticated Bucket = "unauthenticated"
	// AnalyticsRefresh counts refreshes of analytics, by social account.
	AnalyticsRefresh Bucket = "analytics_refresh"
)

// Ceiling is a rate limit: at most Limit requests in any period as long as Window.
type Ceiling struct {
	Limit  int
	Window time.Duration
}

// Bounds of a rate limit. Responses state the window in whole seconds, and each counted request takes eight bytes.
const (
	leastWindow, mostWindow = time.Second, 31 * 24 * time.Hour
	leastLimit, mostLimit   = 1, 10_000_000
)

// String returns the form that Set parses, such as 300/5m.
func (c Ceiling) String() string {
	w := c.Window.String()
	if strings.HasSuffix(w, "m0s") {
		w = strings.TrimSuffix(w, "0s")
	}
	if strings.HasSuffix(w, "h0m") {
		w = strings.TrimSuffix(w, "0m")
	}
	return strconv.Itoa(c.Limit) + "/" + w
}

func (c Ceiling) check() error {
	if c.Limit < leastLimit || c.Limit > mostLimit {
		return fmt.Errorf("the limit %d is not between %d and %d", c.Limit, leastLimit, mostLimit)
	}
	if c.Window < leastWindow || c.Window > mostWindow || c.Window%time.Second != 0 {
		return fmt.Errorf("the window %s is not in whole seconds between %s and %s", c.Window, leastWindow, mostWindow)
	}
	return nil
}

// Ceilings holds one rate limit per bucket. It implements flag.Value: "global=300/5m,posting=30/1h" sets those two.
type Ceilings map[Bucket]Ceiling

// Default returns the default rate limits.
func Default() Ceilings {
	return Ceilings{
		Global:           {Limit: 300, Window: 5 * time.Minute},
		Console:          {Limit: 1200, Window: 5 * time.Minute},
		Generation:       {Limit: 20, Window: time.Hour},
		Posting:          {Limit: 30, Window: time.Hour},
		Unauthenticated:  {Limit: 60, Window: 5 * time.Minute},
		AnalyticsRefresh: {Limit: 1, Window: catalog.RefreshCooldown},
	}
}

// String lists the rate limits, sorted by bucket name.
func (c Ceilings) String() string {
	var out []string
	for _, b := range slices.Sorted(maps.Keys(c)) {
		out = append(out, string(b)+"="+c[b].String())
	}
	return strings.Join(out, ",")
}

// Set changes the rate limits named in the text, such as "global=300/5m,posting=30/1h". On an error it changes none.
func (c Ceilings) Set(text string) error {
	named := Ceilings{}
	known := Default()
	for _, part := range strings.Split(text, ",") {
		name, value, ok := strings.Cut(strings.TrimSpace(part), "=")
		limit, window, ok2 := strings.Cut(value, "/")
		if !ok || !ok2 {
			return fmt.Errorf("%q is not of the form global=300/5m", part)
		}
		b := Bucket(name)
		if _, ok := known[b]; !ok {
			return fmt.Errorf("unknown rate limit %q: choose from %s", name, joined(slices.Sorted(maps.Keys(known))))
		}
		n, nerr := strconv.Atoi(limit)
		w, werr := time.ParseDuration(window)
		if err := errors.Join(nerr, werr); err != nil {
			return fmt.Errorf("%q is not of the form global=300/5m", part)
		}
		named[b] = Ceiling{n, w}
		if err := named[b].check(); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	maps.Copy(c, named)
	return nil
}

func joined(bs []Bucket) string {
	var out []string
	for _, b := range bs {
		out = append(out, string(b))
	}
	return strings.Join(out, ", ")
}
