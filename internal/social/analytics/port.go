// SPDX-License-Identifier: Apache-2.0

package analytics

import (
	"context"
	"time"

	"github.com/reelops/reelops/internal/social/publish"
)

// Source is a social platform that reports metrics. It only reads. Its errors are *publish.Error, of the kinds of calls
// without side effects. It is safe for concurrent use.
type Source interface {
	// Terms returns the request limits for the account. They may depend on the type of account.
	Terms(a publish.Account) Terms
	// Totals returns the totals of the account. Metrics that the granted scopes do not cover are unknown; this is not
	// an error.
	Totals(ctx context.Context, a publish.Account) (*Totals, error)
	// Page returns one page of the account's public posts, newest first. cursor is the Next of an earlier page; empty
	// starts at the beginning. Page is not called if Terms.Lists is false.
	Page(ctx context.Context, a publish.Account, cursor string) (*Page, error)
	// Measure returns the metrics of at most Terms.Batch posts, in any order, and fills in fields that the listing
	// lacks. deleted holds the ids of posts that no longer exist on the platform. A post in neither result could not be
	// read this time.
	Measure(ctx context.Context, a publish.Account, posts []Post) (measured []Post, deleted []string, err error)
}

// Terms are the limits of one refresh of one account.
type Terms struct {
	// Lists reports whether the platform lists an account's posts. If false, only posts that were published through the
	// service are known.
	Lists bool
	// Pages is the maximum number of pages to list.
	Pages int
	// Batch is the number of posts in one call of Measure; 0 if the pages already hold all metrics.
	Batch int
	// Measures is the maximum number of calls of Measure.
	Measures int
}

// Totals are the metrics of an account; nil is unknown.
type Totals struct {
	Followers *int64 `json:"followers,omitempty"`
	Posts     *int64 `json:"posts,omitempty"`
	Views     *int64 `json:"views,omitempty"`
	// Changes are the follower changes by day, if the platform reports them; in any order.
	Changes []Change `json:"-"`
}

// Change is the change of the number of followers in one day.
type Change struct {
	// Day is YYYY-MM-DD, in UTC or as near to it as the platform's days are.
	Day       string
	Followers int64
}

// Page is one page of a listing.
type Page struct {
	Posts []Post
	// Next is the cursor of the next page; empty on the last page.
	Next string
}

// Post is a post on its platform. Empty texts are unknown or absent.
type Post struct {
	// ID is the platform's id of the post.
	ID           string    `json:"id"`
	Title        string    `json:"title,omitempty"`
	Caption      string    `json:"caption,omitempty"`
	URL          string    `json:"url,omitempty"`
	ThumbnailURL string    `json:"thumbnail_url,omitempty"`
	PostedAt     time.Time `json:"posted_at"`
	// Seconds is the length of a video; 0 if unknown.
	Seconds float64 `json:"seconds,omitempty"`
	Numbers
	// MeasuredAt is when the metrics were read; zero if they never were.
	MeasuredAt time.Time `json:"measured_at,omitzero"`
}

// Numbers are the metrics of a post; nil means that the platform does not report the metric.
type Numbers struct {
	Views     *int64 `json:"views,omitempty"`
	Likes     *int64 `json:"likes,omitempty"`
	Comments  *int64 `json:"comments,omitempty"`
	Shares    *int64 `json:"shares,omitempty"`
	Favorites *int64 `json:"favorites,omitempty"`
}
