// SPDX-License-Identifier: Apache-2.0

package analytics

import (
	"slices"
	"strings"
	"time"
)

// maxBaseAge is how many days before a period the follower count may be from which the growth in the period is
// computed.
const maxBaseAge = 2

// dayOf returns the day of a time, in UTC.
func dayOf(t time.Time) string { return t.UTC().Format(time.DateOnly) }

// Growth returns the account's metrics by day, from the day of since on, oldest first.
func (d *Document) Growth(since time.Time) []Day {
	i, _ := d.at(dayOf(since))
	return d.History[i:len(d.History):len(d.History)]
}

// at returns the index of a day in the history, or the index to insert it at, and whether the day exists.
func (d *Document) at(day string) (int, bool) {
	return slices.BinarySearchFunc(d.History, day, func(x Day, day string) int { return strings.Compare(x.Day, day) })
}

// followerChange returns the net change of followers from since to the last refresh before until. It returns nil if the
// last refresh was before since. It also returns nil if there is no recent enough count and the platform did not report
// every day of the period.
func (d *Document) followerChange(since, until time.Time) *int64 {
	if d.RefreshedAt.Before(since) {
		return nil
	}
	if n := d.changeByCount(since); n != nil {
		return n
	}
	return d.changeByDays(since, until)
}

// changeByCount returns the difference between the current count and the last count at or before since. It skips the
// day of the refresh, because that day's count is the refresh's own.
func (d *Document) changeByCount(since time.Time) *int64 {
	if d.Totals.Followers == nil {
		return nil
	}
	last := min(dayOf(since), dayOf(d.RefreshedAt.AddDate(0, 0, -1)))
	oldest := dayOf(since.AddDate(0, 0, -maxBaseAge))
	i, there := d.at(last)
	if there {
		i++
	}
	for _, x := range slices.Backward(d.History[:i]) {
		if x.Day < oldest {
			break
		}
		if x.Followers != nil {
			n := *d.Totals.Followers - *x.Followers
			return &n
		}
	}
	return nil
}

// changeByDays returns the sum of the reported daily changes, starting with the day of since. It returns nil if any day
// is not reported.
func (d *Document) changeByDays(since, until time.Time) *int64 {
	var all int64
	some := false
	for t := since; dayOf(t) < dayOf(until); t = t.AddDate(0, 0, 1) {
		i, there := d.at(dayOf(t))
		if !there || d.History[i].Change == nil {
			return nil
		}
		all, some = all+*d.History[i].Change, true
	}
	if !some {
		return nil
	}
	return &all
}

// remember returns the history with the current state of a document and the daily changes that the platform reported.
// The last refresh of a day wins. Metrics that it lacks keep their value from earlier in the day.
func remember(before []Day, d *Document, keep int) []Day {
	days := make(map[string]Day, len(before)+len(d.Totals.Changes)+1)
	for _, x := range before {
		days[x.Day] = x
	}
	today := dayOf(d.RefreshedAt)
	for _, c := range d.Totals.Changes {
		if t, err := time.Parse(time.DateOnly, c.Day); err != nil || dayOf(t) > today {
			continue
		}
		x, n := days[c.Day], c.Followers
		x.Day, x.Change = c.Day, &n
		days[c.Day] = x
	}
	x, now := days[today], d.Account()
	x.Day = today
	setKnown(&x.Followers, now.Followers)
	setKnown(&x.Posts, now.Posts)
	setKnown(&x.Views, now.Views)
	setKnown(&x.Likes, sum(d.Rows, func(r *Row) *int64 { return r.Likes }))
	setKnown(&x.Comments, sum(d.Rows, func(r *Row) *int64 { return r.Comments }))
	setKnown(&x.Shares, sum(d.Rows, func(r *Row) *int64 { return r.Shares }))
	setKnown(&x.Favorites, sum(d.Rows, func(r *Row) *int64 { return r.Favorites }))
	days[today] = x
	first := dayOf(d.RefreshedAt.AddDate(0, 0, 1-keep))
	out := make([]Day, 0, len(days))
	for day, x := range days {
		if day >= first {
			out = append(out, x)
		}
	}
	slices.SortFunc(out, func(a, b Day) int { return strings.Compare(a.Day, b.Day) })
	return out
}

// setKnown sets *to unless from is nil.
func setKnown[T any](to **T, from *T) {
	if from != nil {
		*to = from
	}
}
