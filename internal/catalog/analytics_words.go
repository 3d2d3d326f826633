// SPDX-License-Identifier: Apache-2.0

package catalog

import "time"

// Columns that an account's posts can be sorted by.
const (
	SortPostedAt  = "posted_at"
	SortViews     = "view_count"
	SortLikes     = "like_count"
	SortComments  = "comment_count"
	SortShares    = "share_count"
	SortFavorites = "favorite_count"
)

// AnalyticsSorts lists them in published order, the default first.
func AnalyticsSorts() []string {
	return []string{SortPostedAt, SortViews, SortLikes, SortComments, SortShares, SortFavorites}
}

// Which posts of an account are counted.
const (
	// PostsAll are all that the platform shows.
	PostsAll = "all"
	// PostsOurs are those published through the service, under the name that the contract has for them; PostsService is another
	// word for the same.
	PostsOurs    = "reelmoney"
	PostsService = "service"
)

// AnalyticsPeriod is a stretch of time, up to now, from which posts are counted.
type AnalyticsPeriod struct {
	Name   string
	Length time.Duration
}

// DefaultAnalyticsPeriod is the one that is meant where none is named.
const DefaultAnalyticsPeriod = "30d"

// AnalyticsPeriods in published order.
var AnalyticsPeriods = []AnalyticsPeriod{{"24h", 24 * time.Hour}, {"7d", 7 * 24 * time.Hour}, {DefaultAnalyticsPeriod, 30 * 24 * time.Hour}}

// RefreshPollAfter is how long a client should wait for the numbers that it asked for.
const RefreshPollAfter = 30 * time.Second

// RefreshCooldown is how long after an account's numbers were read nobody can ask for them again, where an installation sets no other.
const RefreshCooldown = 15 * time.Minute
