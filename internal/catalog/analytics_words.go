// SPDX-License-Identifier: Apache-2.0

package catalog

import "time"

// Sort keys of an account's posts.
const (
	SortPostedAt  = "posted_at"
	SortViews     = "view_count"
	SortLikes     = "like_count"
	SortComments  = "comment_count"
	SortShares    = "share_count"
	SortFavorites = "favorite_count"
)

// AnalyticsSorts returns the sort keys in published order, the default first.
func AnalyticsSorts() []string {
	return []string{SortPostedAt, SortViews, SortLikes, SortComments, SortShares, SortFavorites}
}

// Filters on the posts of an account.
const (
	// PostsAll selects all posts that the platform returns.
	PostsAll = "all"
	// PostsOurs selects the posts published through the service, under the name used in the contract; PostsService is
	// an alias.
	PostsOurs    = "reelmoney"
	PostsService = "service"
)

// AnalyticsPeriod is a period up to now from which posts are counted.
type AnalyticsPeriod struct {
	Name   string
	Length time.Duration
}

// DefaultAnalyticsPeriod is the default period.
const DefaultAnalyticsPeriod = "30d"

// AnalyticsPeriods in published order.
var AnalyticsPeriods = []AnalyticsPeriod{{"24h", 24 * time.Hour}, {"7d", 7 * 24 * time.Hour}, {DefaultAnalyticsPeriod, 30 * 24 * time.Hour}}

// RefreshPollAfter is how long a client should wait for the analytics after a refresh request.
const RefreshPollAfter = 30 * time.Second

// RefreshCooldown is the default minimum time between two refreshes of an account's analytics.
const RefreshCooldown = 15 * time.Minute
