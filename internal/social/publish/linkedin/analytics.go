// SPDX-License-Identifier: Apache-2.0

package linkedin

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/reelops/reelops/internal/social/analytics"
	"github.com/reelops/reelops/internal/social/publish"
)

var _ analytics.Source = (*Platform)(nil)

// Limits of one refresh. LinkedIn documents only the quota of an app in development: 100 calls a day for a member, and
// 500 for the app. A member's post takes one call for each of its five metrics. Twenty posts are enough for daily
// posting: 103 calls, including the account's own three. In development, one such refresh uses up the member's day, so
// the newest posts are read first.
//
// A page's posts are read fifty at a time: usually four calls, and at most 72 with the posts that are looked up one by
// one. Beyond the quota, LinkedIn responds with 429 until midnight; metrics read until then count.
const (
	memberMeasures = 20
	pagePages      = 10
	pageMeasures   = 10
	pageBatch      = 50
)

// changedDays is for how many days follower changes are read: the longest period that is shown, plus LinkedIn's delay.
const changedDays = 35

// isPage reports whether the account is a page.
func isPage(a publish.Account) bool { return strings.HasPrefix(a.ID, organizationURN) }

func granted(a publish.Account, scope string) bool { return slices.Contains(a.Scopes, scope) }

// Terms returns the limits for a page, whose posts can be listed, or for a member, of whom only posts published through
// the service are known. Metrics whose scope was not granted are not requested.
func (p *Platform) Terms(a publish.Account) analytics.Terms {
	var t analytics.Terms
	switch {
	case isPage(a):
		if readable(a) {
			t.Lists, t.Pages = true, pagePages
		}
		if granted(a, scopeReadPage) || granted(a, scopeAdmin) {
			t.Batch, t.Measures = pageBatch, pageMeasures
		}
	case granted(a, scopePostNumbers):
		t.Batch, t.Measures = 1, memberMeasures
	}
	return t
}

// Totals returns the account's followers and their recent changes, and for a member also the views of its posts.
func (p *Platform) Totals(ctx context.Context, a publish.Account) (*analytics.Totals, error) {
	if isPage(a) {
		return p.pageTotals(ctx, a)
	}
	return p.memberTotals(ctx, a)
}

// Measure reads the metrics of posts.
func (p *Platform) Measure(ctx context.Context, a publish.Account, posts []analytics.Post) (measured []analytics.Post, gone []string, err error) {
	read := p.measureMember
	if isPage(a) {
		read = p.measurePage
	}
	measured, gone, err = read(ctx, a, posts)
	now := p.c.Clock.Now().UTC()
	for i := range measured {
		measured[i].MeasuredAt = now
		if measured[i].URL == "" {
			measured[i].URL = p.link(measured[i].ID)
		}
	}
	return measured, gone, err
}

// withheld reports whether an error only means that LinkedIn does not report the metric, which is then unknown.
func withheld(err error) bool {
	e := asError(err)
	return e != nil && (e.Kind == publish.Scope || e.Kind == publish.Rejected)
}

// missed reports whether an error affects only the result of its call. This is true of all errors except those of the
// permission.
func missed(err error) bool {
	e := asError(err)
	return e != nil && e.Kind != publish.Unauthorized && e.Kind != publish.Auth
}

// known returns n, or nil if n is unknown or negative. LinkedIn subtracts withdrawn actions, so a count can be negative
// for a while.
func known(n *int64) *int64 {
	if n == nil || *n < 0 {
		return nil
	}
	return n
}

// days returns the range of days to read changes for: the first, and the one after the last.
func (p *Platform) days() (from, to time.Time) {
	today := p.c.Clock.Now().UTC().Truncate(24 * time.Hour)
	return today.AddDate(0, 0, -changedDays), today.AddDate(0, 0, 1)
}
