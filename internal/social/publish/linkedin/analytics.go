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

// What one refresh may take. LinkedIn publishes no allowance but that of an app in development: 100 calls a day for a member, and 500 for
// the app. A member's post costs a call for each of its five numbers: twenty posts are what it takes to keep up with somebody who posts
// daily, 103 calls with the account's own three. An app in development has spent the member's day after one such refresh; the newest posts come
// first. A page's posts are asked for fifty at a time: four calls as a rule, and 72 at most with those that are looked for one by one.
// What is too much is answered with 429 until midnight, and what was read until then counts.
const (
	memberMeasures = 20
	pagePages      = 10
	pageMeasures   = 10
	pageBatch      = 50
)

// changedDays is for how many days changes of followers are read: the longest period that is shown, and how far LinkedIn is behind.
const changedDays = 35

// isPage says whether the account is a page.
func isPage(a publish.Account) bool { return strings.HasPrefix(a.ID, organizationURN) }

func granted(a publish.Account, scope string) bool { return slices.Contains(a.Scopes, scope) }

// Terms of a page, whose posts can be listed; and of a member, of whom only those posts are known that were published here. What was not
// granted is not asked for.
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

// Totals of the account: its followers, and how they changed lately; and of a member how often its posts were seen.
func (p *Platform) Totals(ctx context.Context, a publish.Account) (*analytics.Totals, error) {
	if isPage(a) {
		return p.pageTotals(ctx, a)
	}
	return p.memberTotals(ctx, a)
}

// Measure reads the numbers of posts.
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

// withheld says that an error means only that LinkedIn does not tell this: it is unknown then.
func withheld(err error) bool {
	e := asError(err)
	return e != nil && (e.Kind == publish.Scope || e.Kind == publish.Rejected)
}

// missed says that an error costs what the call would have told, and nothing else: all but those for the permission.
func missed(err error) bool {
	e := asError(err)
	return e != nil && e.Kind != publish.Unauthorized && e.Kind != publish.Auth
}

// known is a number that is one: LinkedIn takes what was taken back off from counts, and may get below zero for a while.
func known(n *int64) *int64 {
	if n == nil || *n < 0 {
		return nil
	}
	return n
}

// days from which changes are read, the first and the one after the last.
func (p *Platform) days() (from, to time.Time) {
	today := p.c.Clock.Now().UTC().Truncate(24 * time.Hour)
	return today.AddDate(0, 0, -changedDays), today.AddDate(0, 0, 1)
}
