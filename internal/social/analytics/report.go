// SPDX-License-Identifier: Apache-2.0

package analytics

import (
	"cmp"
	"slices"
	"time"

	"github.com/reelops/reelops/internal/catalog"
)

// Query selects and sorts posts of a Document.
type Query struct {
	// Period is the time before now in which posts were published; 0 means all known posts. PeriodName is the catalog's
	// name for it.
	Period     time.Duration
	PeriodName string
	// OursOnly excludes posts that were not published through the service.
	OursOnly bool
	// Sort is one of catalog.AnalyticsSorts; empty means posted_at.
	Sort      string
	Ascending bool
}

// Summary aggregates posts. Each sum covers the posts that report the metric, and is nil if none does.
type Summary struct {
	// Since and Until bound the period, both inclusive.
	Since, Until time.Time
	// Followers is the last reported count. FollowerChange is the change in the period; nil if unknown.
	Followers, FollowerChange                 *int64
	Posts                                     int
	Views, Likes, Comments, Shares, Favorites *int64
	// Rate is the sum of likes, comments, shares and favorites divided by views. AverageViews is the mean over the
	// posts that report views.
	Rate, AverageViews *float64
}

// Summarize aggregates the posts that match a query.
func (d *Document) Summarize(q Query, now time.Time) Summary {
	now = now.UTC()
	s := Summary{Since: d.since(q, now), Until: now, Followers: d.Totals.Followers, FollowerChange: d.followerChange(d.since(q, now), now)}
	var views, likes, comments, shares, favorites tally
	d.each(q, now, func(_ int, r *Row) {
		s.Posts++
		views.add(r.Views)
		likes.add(r.Likes)
		comments.add(r.Comments)
		shares.add(r.Shares)
		favorites.add(r.Favorites)
	})
	s.Views, s.Likes, s.Comments, s.Shares, s.Favorites = views.sum(), likes.sum(), comments.sum(), shares.sum(), favorites.sum()
	s.Rate = rate(s.Views, s.Likes, s.Comments, s.Shares, s.Favorites)
	if views.n > 0 {
		a := float64(views.all) / float64(views.n)
		s.AverageViews = &a
	}
	return s
}

// tally is the sum and the number of the known values.
type tally struct {
	all int64
	n   int
}

func (t *tally) add(n *int64) {
	if n != nil {
		t.all, t.n = t.all+*n, t.n+1
	}
}

func (t *tally) sum() *int64 {
	if t.n == 0 {
		return nil
	}
	return &t.all
}

// since returns the start of the period: the time of the oldest post if the query has no period.
func (d *Document) since(q Query, now time.Time) time.Time {
	switch {
	case q.Period > 0:
		return now.Add(-q.Period)
	case len(d.Rows) > 0:
		return d.Rows[len(d.Rows)-1].PostedAt.UTC()
	}
	return now
}

// each calls f for the rows that match a query, newest first.
func (d *Document) each(q Query, now time.Time, f func(i int, r *Row)) {
	since := d.since(q, now)
	from, _ := slices.BinarySearchFunc(d.Rows, now, func(r Row, t time.Time) int { return t.Compare(r.PostedAt) })
	for i := from; i < len(d.Rows); i++ {
		r := &d.Rows[i]
		if r.PostedAt.Before(since) {
			return
		}
		if !q.OursOnly || r.OurPost != 0 {
			f(i, r)
		}
	}
}

// Select returns the posts that match a query, in its order. Unknown metrics sort last in both directions; equal ones
// sort newest first, then by id.
func (d *Document) Select(q Query, now time.Time) []Row {
	rows, _ := d.Part(q, now, 0, len(d.Rows))
	return rows
}

// Part returns at most n rows of Select from an offset on, and the total number of rows.
func (d *Document) Part(q Query, now time.Time, offset, n int) (rows []Row, total int) {
	order := d.order(q, now)
	from := min(max(offset, 0), len(order))
	to := from + min(max(n, 0), len(order)-from)
	rows = make([]Row, 0, to-from)
	for _, k := range order[from:to] {
		rows = append(rows, d.Rows[k.row])
	}
	return rows, len(order)
}

// key is a row's index with the metric to sort by.
type key struct {
	number  int64
	unknown bool
	row     int
}

// order returns the sort keys of the rows that match a query. Rows are stored newest first, so their index breaks ties.
func (d *Document) order(q Query, now time.Time) []key {
	number := columns[q.Sort]
	out := make([]key, 0, len(d.Rows))
	d.each(q, now.UTC(), func(i int, r *Row) {
		k := key{row: i}
		if number == nil {
			k.number = r.PostedAt.UnixNano()
		} else if n := number(r); n != nil {
			k.number = *n
		} else {
			k.unknown = true
		}
		out = append(out, k)
	})
	if number == nil && !q.Ascending {
		return out
	}
	slices.SortFunc(out, func(a, b key) int {
		switch {
		case a.unknown != b.unknown && a.unknown:
			return 1
		case a.unknown != b.unknown:
			return -1
		case a.number != b.number && q.Ascending:
			return cmp.Compare(a.number, b.number)
		case a.number != b.number:
			return cmp.Compare(b.number, a.number)
		}
		return cmp.Compare(a.row, b.row)
	})
	return out
}

// columns are the metrics to sort by, apart from the time.
var columns = map[string]func(*Row) *int64{
	catalog.SortViews:     func(r *Row) *int64 { return r.Views },
	catalog.SortLikes:     func(r *Row) *int64 { return r.Likes },
	catalog.SortComments:  func(r *Row) *int64 { return r.Comments },
	catalog.SortShares:    func(r *Row) *int64 { return r.Shares },
	catalog.SortFavorites: func(r *Row) *int64 { return r.Favorites },
}
