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

// Bucket names what is counted together.
type Bucket string

// Buckets.
const (
	// Global counts every request of a key.
	Global Bucket = "global"
	// Generation counts what makes slides or films, by key.
	Generation Bucket = "generation"
	// Posting counts posts, by key.
	Posting Bucket = "posting"
	// Unauthenticated counts requests without a good key, by client address.
	Unauthenticated Bucket = "unauthenticated"
	// AnalyticsRefresh counts refreshes of analytics, by social account.
	AnalyticsRefresh Bucket = "analytics_refresh"
)

// Ceiling allows so many requests in any stretch of time as long as the window.
type Ceiling struct {
	Limit  int
	Window time.Duration
}

// What a ceiling may be: windows are stated in whole seconds, and a log holds eight bytes a request.
const (
	leastWindow, mostWindow = time.Second, 31 * 24 * time.Hour
	leastLimit, mostLimit   = 1, 10_000_000
)

// String is the form that Set reads, such as 300/5m.
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

// Ceilings hold one ceiling a bucket. They are a flag.Value: "global=300/5m,posting=30/1h" sets those two.
type Ceilings map[Bucket]Ceiling

// Default returns the ceilings that hold where an installation sets no others.
func Default() Ceilings {
	return Ceilings{
		Global:           {Limit: 300, Window: 5 * time.Minute},
		Generation:       {Limit: 20, Window: time.Hour},
		Posting:          {Limit: 30, Window: time.Hour},
		Unauthenticated:  {Limit: 60, Window: 5 * time.Minute},
		AnalyticsRefresh: {Limit: 1, Window: catalog.RefreshCooldown},
	}
}

// String lists the ceilings in the order of their names.
func (c Ceilings) String() string {
	var out []string
	for _, b := range slices.Sorted(maps.Keys(c)) {
		out = append(out, string(b)+"="+c[b].String())
	}
	return strings.Join(out, ",")
}

// Set changes the ceilings that the text names, such as "global=300/5m,posting=30/1h", or none of them with an error.
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
			return fmt.Errorf("there is no ceiling %q; there are %s", name, joined(slices.Sorted(maps.Keys(known))))
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
