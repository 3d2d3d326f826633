// SPDX-License-Identifier: Apache-2.0

package analytics

import "time"

const day = 24 * time.Hour

// How far back a refresh reads.
const (
	// requestedReach is for a requested refresh: the longest period that the API shows.
	requestedReach = 30 * day
	// usualReach is for a scheduled refresh between two walks of the whole window.
	usualReach = 7 * day
	// walkEvery is the time from one walk of the whole window to the next.
	walkEvery = 24 * time.Hour
)

// DefaultWindow, DefaultMaxPosts and DefaultHistoryDays apply if a Refresher sets none.
const (
	DefaultWindow      = 90 * day
	DefaultMaxPosts    = 10_000
	DefaultHistoryDays = 400
)

// DefaultInterval and MinInterval apply to scheduled refreshes.
const (
	DefaultInterval = 6 * time.Hour
	MinInterval     = 30 * time.Minute
)

// How scheduled refreshes slow down.
const (
	// quietAfter is the age of the newest post from which an account is quiet: it is refreshed half as often.
	quietAfter = 30 * day
	// maxFailedWait bounds the wait after failures, in intervals.
	maxFailedWait = 4
)

// freshness is how long the metrics of a post stay fresh, by the post's age: new posts change quickly.
var freshness = []struct{ age, fresh time.Duration }{
	{2 * day, 0},
	{7 * day, 3 * time.Hour},
	{30 * day, 12 * time.Hour},
}

// freshLong applies to older posts.
const freshLong = 3 * day

// stale reports whether the metrics of a post are due for a new read.
func stale(p *Post, now time.Time) bool {
	if p.MeasuredAt.IsZero() {
		return true
	}
	fresh := freshLong
	for _, f := range freshness {
		if now.Sub(p.PostedAt) < f.age {
			fresh = f.fresh
			break
		}
	}
	return now.Sub(p.MeasuredAt) >= fresh
}

// reach is the time back to which a refresh lists and measures posts. walk reports whether it covers the whole window.
type reach struct {
	list, measure time.Time
	walk          bool
}

func reachOf(now time.Time, window time.Duration, requested bool, walkedAt time.Time) reach {
	all := now.Add(-window)
	switch {
	case walkedAt.IsZero() || now.Sub(walkedAt) >= walkEvery:
		return reach{all, all, true}
	case requested:
		back := now.Add(-min(requestedReach, window))
		return reach{list: back, measure: back}
	}
	return reach{list: now.Add(-min(usualReach, window)), measure: all}
}

// Next returns when the next scheduled refresh of an account is due: one interval after the start of the last one, two
// for a quiet account. After consecutive failures the wait starts at MinInterval and doubles, up to maxFailedWait
// intervals. An account without an earlier refresh is due at once. d may be nil.
func Next(d *Document, interval time.Duration, failures int, started time.Time) time.Time {
	if started.IsZero() {
		return time.Time{}
	}
	interval = max(interval, MinInterval)
	if failures > 0 {
		wait := MinInterval
		for range min(failures-1, 16) {
			wait = min(2*wait, maxFailedWait*interval)
		}
		return started.Add(wait)
	}
	if d != nil && (len(d.Rows) == 0 || started.Sub(d.Rows[0].PostedAt) >= quietAfter) {
		interval *= 2
	}
	return started.Add(interval)
}
