// SPDX-License-Identifier: Apache-2.0

package analytics

import (
	"testing"
	"time"
)

func TestStale(t *testing.T) {
	for _, c := range []struct {
		name          string
		age, measured time.Duration // before noon; measured -1: never
		stale         bool
	}{
		{"never measured", 80 * day, -1, true},
		{"of today, just measured", time.Hour, 0, true},
		{"just under two days", 2*day - 1, 0, true},
		{"two days, within three hours", 2 * day, 3*time.Hour - 1, false},
		{"two days, after three hours", 2 * day, 3 * time.Hour, true},
		{"just under a week, after three hours", 7*day - 1, 3 * time.Hour, true},
		{"a week, within twelve hours", 7 * day, 12*time.Hour - 1, false},
		{"a week, after twelve hours", 7 * day, 12 * time.Hour, true},
		{"just under thirty days, after twelve hours", 30*day - 1, 12 * time.Hour, true},
		{"thirty days, within three days", 30 * day, 3*day - 1, false},
		{"thirty days, after three days", 30 * day, 3 * day, true},
	} {
		p := Post{PostedAt: ago(c.age)}
		if c.measured >= 0 {
			p.MeasuredAt = ago(c.measured)
		}
		if got := stale(&p, noon); got != c.stale {
			t.Errorf("%s: got stale %v", c.name, got)
		}
	}
}

func TestReachOf(t *testing.T) {
	walked := ago(walkEvery - 1)
	for _, c := range []struct {
		name          string
		window        time.Duration
		requested     bool
		walkedAt      time.Time
		list, measure time.Duration
		walk          bool
	}{
		{"the first refresh", 90 * day, false, time.Time{}, 90 * day, 90 * day, true},
		{"the first refresh, requested", 90 * day, true, time.Time{}, 90 * day, 90 * day, true},
		{"a day after a full listing", 90 * day, false, ago(walkEvery), 90 * day, 90 * day, true},
		{"a day after a full listing, requested", 90 * day, true, ago(walkEvery), 90 * day, 90 * day, true},
		{"automatic", 90 * day, false, walked, 7 * day, 90 * day, false},
		{"requested", 90 * day, true, walked, 30 * day, 30 * day, false},
		{"requested, with a small window", 3 * day, true, walked, 3 * day, 3 * day, false},
		{"automatic, with a small window", 3 * day, false, walked, 3 * day, 3 * day, false},
	} {
		got := reachOf(noon, c.window, c.requested, c.walkedAt)
		if want := (reach{ago(c.list), ago(c.measure), c.walk}); got != want {
			t.Errorf("%s: got %+v, want %+v", c.name, got, want)
		}
	}
}

func TestNext_ByActivity(t *testing.T) {
	busy := &Document{Rows: []Row{{Post: Post{PostedAt: ago(30*day - 1)}}}}
	quiet := &Document{Rows: []Row{{Post: Post{PostedAt: ago(30 * day)}}}}
	for _, c := range []struct {
		name     string
		d        *Document
		interval time.Duration
		failures int
		wait     time.Duration
	}{
		{"usual", busy, 6 * time.Hour, 0, 6 * time.Hour},
		{"without a document", nil, 6 * time.Hour, 0, 6 * time.Hour},
		{"a quiet account", quiet, 6 * time.Hour, 0, 12 * time.Hour},
		{"without posts", &Document{}, 6 * time.Hour, 0, 12 * time.Hour},
		{"too often", busy, time.Minute, 0, 30 * time.Minute},
		{"a failure", busy, 6 * time.Hour, 1, 30 * time.Minute},
		{"two", quiet, 6 * time.Hour, 2, time.Hour},
		{"five", nil, 6 * time.Hour, 5, 8 * time.Hour},
		{"six", nil, 6 * time.Hour, 6, 16 * time.Hour},
		{"seven", nil, 6 * time.Hour, 7, 24 * time.Hour},
		{"very many posts", nil, 6 * time.Hour, 1 << 30, 24 * time.Hour},
	} {
		if got := Next(c.d, c.interval, c.failures, noon).Sub(noon); got != c.wait {
			t.Errorf("%s: got %v, want %v", c.name, got, c.wait)
		}
	}
	if got := Next(busy, time.Hour, 3, time.Time{}); !got.IsZero() {
		t.Errorf("an account without a refresh is due %v", got)
	}
}
