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
	// OurPost and OurShort are the ids of the post and the short that it was published from; 0 when it was made elsewhere.
	OurPost  int64 `json:"our_post,omitempty"`
	OurShort int64 `json:"our_short,omitempty"`
}

// Rate is how many of those who saw the post did something: likes, comments, shares and favorites, as far as they are known, by
// views. It is nil without views, without any of the four, and where nobody saw it.
func (r *Row) Rate() *float64 {
	return rate(r.Views, r.Likes, r.Comments, r.Shares, r.Favorites)
}

// Day is what an account showed at the end of a day: at the last refresh in it. Days before the first refresh hold what the platform
// tells of them, which is at most Change.
type Day struct {
	// Day as YYYY-MM-DD, in UTC.
	Day string `json:"day"`
	Totals
	// Change of the followers in the day, in the platform's own words; nil where it tells none.
	Change *int64 `json:"change,omitempty"`
	// Likes, Comments, Shares and Favorites of all posts that were known then.
	Likes     *int64 `json:"likes,omitempty"`
	Comments  *int64 `json:"comments,omitempty"`
	Shares    *int64 `json:"shares,omitempty"`
	Favorites *int64 `json:"favorites,omitempty"`
}

// Document is everything that is known of one account. It is not changed once made: readers may share it.
type Document struct {
	Version int
	// RefreshedAt is when its numbers were read, WalkedAt when all posts of the window were listed last; zero when they never were.
	RefreshedAt, WalkedAt time.Time
	// Totals as the platform told them. Account adds what follows from the posts.
	Totals Totals
	// History by day, oldest first.
	History []Day
	// Rows newest first; of those of one time, by id.
	Rows []Row
	// Gone are the ids of posts published through the service that the platform has no more, where it lists none: so that they are
	// not asked for again.
	Gone []string
	// Incomplete tells why the reading ended early, though what was read counts; nil when it did not. It is not kept.
	Incomplete error
}

// Account is the account as a whole: where the platform counts no views, those of the posts that are known.
func (d *Document) Account() Totals {
	t := d.Totals
	if t.Views == nil {
		t.Views = sum(d.Rows, func(r *Row) *int64 { return r.Views })
	}
	t.Changes = nil
	return t
}

// inOrder is how rows lie in a Document.
func inOrder(a, b *Row) int {
	return cmp.Or(b.PostedAt.Compare(a.PostedAt), cmp.Compare(a.ID, b.ID))
}

// put brings rows into their order, if they are not.
func put(rows []Row) {
	byValue := func(a, b Row) int { return inOrder(&a, &b) }
	if !slices.IsSortedFunc(rows, byValue) {
		slices.SortStableFunc(rows, byValue)
	}
}

// sum of a number over rows: of those that have it; nil when none has.
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
