// SPDX-License-Identifier: Apache-2.0

package analytics

import (
	"cmp"
	"slices"
	"time"
)

// Row is a post in a Document.
type Row struct {
	Post
	// OurPost and OurShort are the ids of the post and the short that it was published from; 0 if the post was not
	// published through the service.
	OurPost  int64 `json:"our_post,omitempty"`
	OurShort int64 `json:"our_short,omitempty"`
}

// Rate returns the engagement rate: the known ones of likes, comments, shares and favorites, divided by views. It
// returns nil if views are unknown or 0, or if all four are unknown.
func (r *Row) Rate() *float64 {
	return rate(r.Views, r.Likes, r.Comments, r.Shares, r.Favorites)
}

// Day is an account's metrics at the last refresh of a day. Days before the first refresh hold only what the platform
// reports for past days: at most Change.
type Day struct {
	// Day is YYYY-MM-DD, in UTC.
	Day string `json:"day"`
	Totals
	// Change is the change of followers in the day as the platform reports it; nil if it reports none.
	Change *int64 `json:"change,omitempty"`
	// Likes, Comments, Shares and Favorites are sums over all posts known at that time.
	Likes     *int64 `json:"likes,omitempty"`
	Comments  *int64 `json:"comments,omitempty"`
	Shares    *int64 `json:"shares,omitempty"`
	Favorites *int64 `json:"favorites,omitempty"`
}

// Document holds everything known about one account. It is immutable: readers may share it.
type Document struct {
	Version int
	// RefreshedAt is when the metrics were read. WalkedAt is when all posts of the window were last listed; zero if
	// they never were.
	RefreshedAt, WalkedAt time.Time
	// Totals are the totals that the platform reported. Account adds totals derived from the posts.
	Totals Totals
	// History is by day, oldest first.
	History []Day
	// Rows are newest first; rows with the same time are ordered by id.
	Rows []Row
	// Gone holds the ids of posts published through the service that no longer exist on a platform that does not list
	// posts. They are not requested again.
	Gone []string
	// Incomplete is why the refresh ended early although its partial result counts; nil if it was complete. It is not
	// stored.
	Incomplete error
}

// Account returns the account's totals. If the platform reports no views, they are the sum over the known posts.
func (d *Document) Account() Totals {
	t := d.Totals
	if t.Views == nil {
		t.Views = sum(d.Rows, func(r *Row) *int64 { return r.Views })
	}
	t.Changes = nil
	return t
}

// inOrder compares rows by their order in a Document.
func inOrder(a, b *Row) int {
	return cmp.Or(b.PostedAt.Compare(a.PostedAt), cmp.Compare(a.ID, b.ID))
}

// put sorts rows into the order of a Document, unless they already are.
func put(rows []Row) {
	byValue := func(a, b Row) int { return inOrder(&a, &b) }
	if !slices.IsSortedFunc(rows, byValue) {
		slices.SortStableFunc(rows, byValue)
	}
}

// sum returns the sum of a metric over the rows that have it; nil if none has.
func sum(rows []Row, of func(*Row) *int64) *int64 {
	var all int64
	some := false
	for i := range rows {
		if n := of(&rows[i]); n != nil {
			all, some = all+*n, true
		}
	}
	if !some {
		return nil
	}
	return &all
}

func rate(views *int64, parts ...*int64) *float64 {
	if views == nil || *views <= 0 {
		return nil
	}
	var all int64
	some := false
	for _, n := range parts {
		if n != nil {
			all, some = all+*n, true
		}
	}
	if !some {
		return nil
	}
	r := float64(all) / float64(*views)
	return &r
}
