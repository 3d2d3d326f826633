// SPDX-License-Identifier: Apache-2.0

package analytics

import (
	"context"
	"time"

	"github.com/reelops/reelops/internal/social/publish"
)

// Source is a social platform that tells numbers. It changes nothing there. Its errors are *publish.Error, of the kinds that calls
// without effect have. It is safe for use by many goroutines.
type Source interface {
	// Terms say how the platform wants to be asked about the account: what it tells may differ by what kind of account it is.
	Terms(a publish.Account) Terms
	// Totals of the account as a whole. What the granted scopes do not cover is unknown, no error.
	Totals(ctx context.Context, a publish.Account) (*Totals, error)
	// Page lists the account's public posts, newest first, from a cursor that an earlier page gave; empty begins. Where Terms.Lists is
	// false it is not asked.
	Page(ctx context.Context, a publish.Account, cursor string) (*Page, error)
	// Measure reads the numbers of at most Terms.Batch posts, and fills in what the listing did not tell of them. The answer holds them
	// in any order; gone names those that are on the platform no more. One that is in neither could not be read this time.
	Measure(ctx context.Context, a publish.Account, posts []Post) (measured []Post, gone []string, err error)
}

// Terms are how a platform wants to be asked, for one refresh of one account.
type Terms struct {
	// Lists says that it lists an account's posts; else only those are known that were published through the service.
	Lists bool
	// Pages bounds the pages that are listed.
	Pages int
	// Batch is how many posts Measure takes at once; 0 where a page tells all there is.
	Batch int
	// Measures bounds the calls of Measure.
	Measures int
}

// Totals are the numbers of an account as a whole; nil is unknown.
type Totals struct {
	Followers *int64 `json:"followers,omitempty"`
	Posts     *int64 `json:"posts,omitempty"`
	Views     *int64 `json:"views,omitempty"`
	// Changes of the followers by day, where the platform tells them; in any order.
	Changes []Change `json:"-"`
}

// Change is how many followers more, or fewer, a day brought.
type Change struct {
	// Day as YYYY-MM-DD, in UTC or as near to it as the platform's days are.
	Day       string
	Followers int64
}

// Page of a listing.
type Page struct {
	Posts []Post
	// Next is the cursor of the page after it; empty at the end.
	Next string
}

// Post is a post as its platform shows it. Empty texts are unknown or not there.
type Post struct {
	// ID is the platform's own.
	ID           string    `json:"id"`
	Title        string    `json:"title,omitempty"`
	Caption      string    `json:"caption,omitempty"`
	URL          string    `json:"url,omitempty"`
	ThumbnailURL string    `json:"thumbnail_url,omitempty"`
	PostedAt     time.Time `json:"posted_at"`
	// Seconds a video takes; 0 where that is unknown.
	Seconds float64 `json:"seconds,omitempty"`
	Numbers
	// MeasuredAt is when the platform told the numbers; zero when it has not.
	MeasuredAt time.Time `json:"measured_at,omitzero"`
}

// Numbers of a post; nil is what the platform does not report.
type Numbers struct {
	Views     *int64 `json:"views,omitempty"`
	Likes     *int64 `json:"likes,omitempty"`
	Comments  *int64 `json:"comments,omitempty"`
	Shares    *int64 `json:"shares,omitempty"`
	Favorites *int64 `json:"favorites,omitempty"`
}
