// SPDX-License-Identifier: Apache-2.0

package analytics

import (
	"slices"
	"strings"
	"time"
)

// How old, before a period begins, the count of followers may be that the growth in it is told from, in days.
const maxBaseAge = 2

// dayOf is the day of a time, in UTC.
func dayOf(t time.Time) string { return t.UTC().Format(time.DateOnly) }

// Growth is what the account showed day by day, from the day of a time on, oldest first.
func (d *Document) Growth(since time.Time) []Day {
	i, _ := d.at(dayOf(since))
	return d.History[i:len(d.History):len(d.History)]
}

// at finds a day of the history, or where it would be.
func (d *Document) at(day string) (int, bool) {
	return slices.BinarySearchFunc(d.History, day, func(x Day, day string) int { return strings.Compare(x.Day, day) })
}

// followerChange is how many followers came, less those that left, between a time and the last refresh before another. It is nil when
// that refresh was before the period, and when neither a count that is old enough is known nor the platform told all days of it.
func (d *Document) followerChange(since, until time.Time) *int64 {
	if d.RefreshedAt.Before(since) {
		return nil
	}
	if n := d.changeByCount(since); n != nil {
		return n
	}
	return d.changeByDays(since, until)
}

// changeByCount is the difference to the last count at or before a time. That of the day of the refresh is the refresh's own.
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

// changeByDays adds up what the platform told of the whole days from the one in which a period begins: of each of them, or of none.
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

// remember is a history with what a document shows now, and what the platform told of days. Of one day the last counts; what is not told
// then stays as it was earlier in the day.
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
	tell(&x.Followers, now.Followers)
	tell(&x.Posts, now.Posts)
	tell(&x.Views, now.Views)
	tell(&x.Likes, sum(d.Rows, func(r *Row) *int64 { return r.Likes }))
	tell(&x.Comments, sum(d.Rows, func(r *Row) *int64 { return r.Comments }))
	tell(&x.Shares, sum(d.Rows, func(r *Row) *int64 { return r.Shares }))
	tell(&x.Favorites, sum(d.Rows, func(r *Row) *int64 { return r.Favorites }))
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

// tell sets what is known.
func tell[T any](to **T, from *T) {
	if from != nil {
		*to = from
	}
}
