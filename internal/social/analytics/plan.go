// SPDX-License-Identifier: Apache-2.0

package analytics

import "time"

const day = 24 * time.Hour

// How far back a refresh looks.
const (
	// requestedReach is for one that somebody asked for: the longest period that is shown.
	requestedReach = 30 * day
	// usualReach is for one by itself, between walks through all there is.
	usualReach = 7 * day
	// walkEvery is how long after a walk through the whole window another is due.
	walkEvery = 24 * time.Hour
)

// DefaultWindow, DefaultMaxPosts and DefaultHistoryDays are a Refresher's where it names none.
const (
	DefaultWindow      = 90 * day
	DefaultMaxPosts    = 10_000
	DefaultHistoryDays = 400
)

// DefaultInterval and MinInterval are for refreshes that come by themselves.
const (
	DefaultInterval = 6 * time.Hour
	MinInterval     = 30 * time.Minute
)

// How refreshes by themselves become rarer.
const (
	// quietAfter is how old the newest post of a quiet account is; it is asked half as often.
	quietAfter = 30 * day
	// maxFailedWait bounds the wait after failures, in intervals.
	maxFailedWait = 4
)

// freshness is how long numbers of a post stay fresh, by its age: new posts change quickly.
var freshness = []struct{ age, fresh time.Duration }{
	{2 * day, 0},
	{7 * day, 3 * time.Hour},
	{30 * day, 12 * time.Hour},
}

// freshLong is for those that are older.
const freshLong = 3 * day

// stale says whether the numbers of a post are due to be read again.
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

// reach is the time back to which a refresh lists and measures posts. walk says that it is the whole window.
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

// Next is when an account is read again by itself: an interval after the last time was begun, two for a quiet account, and growing waits
// after failures in a row, of which the first is short. One that was never begun is due. d may be nil.
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
