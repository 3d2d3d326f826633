// SPDX-License-Identifier: Apache-2.0

package linkedin

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/reelops/reelops/internal/social/analytics"
	"github.com/reelops/reelops/internal/social/publish"
)

// savesSince is the first API version that reports saves of a post.
const savesSince = "202604"

// few is the number of followers below which a count cannot be distinguished from a change.
const few = 20

// metric is a metric of a member's posts, by LinkedIn's name.
type metric struct {
	name string
	at   func(*analytics.Numbers) **int64
}

var metrics = []metric{
	{"IMPRESSION", func(n *analytics.Numbers) **int64 { return &n.Views }},
	{"REACTION", func(n *analytics.Numbers) **int64 { return &n.Likes }},
	{"COMMENT", func(n *analytics.Numbers) **int64 { return &n.Comments }},
	{"RESHARE", func(n *analytics.Numbers) **int64 { return &n.Shares }},
	{"POST_SAVE", func(n *analytics.Numbers) **int64 { return &n.Favorites }},
}

// memberTotals reads the totals whose scopes were granted.
func (p *Platform) memberTotals(ctx context.Context, a publish.Account) (*analytics.Totals, error) {
	t := &analytics.Totals{}
	if granted(a, scopeFollowers) {
		var l struct {
			Elements []struct {
				Count *int64 `json:"memberFollowersCount"`
			} `json:"elements"`
		}
		err := p.find(ctx, a.AccessToken, "/rest/memberFollowersCount?q=me", &l)
		if err != nil && !withheld(err) {
			return nil, err
		}
		if len(l.Elements) > 0 {
			t.Followers = known(l.Elements[0].Count)
		}
		if t.Changes, err = p.memberChanges(ctx, a, t.Followers); err != nil {
			return nil, err
		}
	}
	if granted(a, scopePostNumbers) {
		n, err := p.metric(ctx, a, "q=me", metrics[0].name)
		if err != nil && !withheld(err) {
			return nil, err
		}
		t.Views = n
	}
	return t, nil
}

// memberChanges reads the follower changes by day.
func (p *Platform) memberChanges(ctx context.Context, a publish.Account, followers *int64) ([]analytics.Change, error) {
	from, to := p.days()
	var l struct {
		Elements []struct {
			Count *int64 `json:"memberFollowersCount"`
			Range struct {
				Start struct{ Year, Month, Day int } `json:"start"`
			} `json:"dateRange"`
		} `json:"elements"`
	}
	date := func(t time.Time) string {
		return fmt.Sprintf("(year:%d,month:%d,day:%d)", t.Year(), t.Month(), t.Day())
	}
	err := p.find(ctx, a.AccessToken, "/rest/memberFollowersCount?q=dateRange&dateRange=(start:"+date(from)+",end:"+date(to)+")", &l)
	if err != nil {
		if missed(err) {
			return nil, nil
		}
		return nil, err
	}
	var days []tally
	for _, e := range l.Elements {
		if s := e.Range.Start; e.Count != nil && s.Year > 0 {
			days = append(days, tally{time.Date(s.Year, time.Month(s.Month), s.Day, 0, 0, 0, 0, time.UTC), *e.Count})
		}
	}
	return changesOf(days, followers), nil
}

// tally is LinkedIn's number for a day.
type tally struct {
	day time.Time
	n   int64
}

// changesOf converts LinkedIn's daily numbers into changes. The documentation calls the number the "daily followers
// count", which can mean the total or the new followers. The newest day decides: a total is near the current number of
// followers, a change far below. With few followers this cannot be decided, and changesOf returns nil.
func changesOf(days []tally, followers *int64) []analytics.Change {
	if followers == nil || *followers < few || len(days) == 0 {
		return nil
	}
	slices.SortFunc(days, func(a, b tally) int { return a.day.Compare(b.day) })
	running := days[len(days)-1].n > *followers/2
	var out []analytics.Change
	for i, d := range days {
		n := d.n
		if running {
			if i == 0 || !days[i-1].day.AddDate(0, 0, 1).Equal(d.day) {
				continue
			}
			n -= days[i-1].n
		}
		out = append(out, analytics.Change{Day: d.day.Format(time.DateOnly), Followers: n})
	}
	return out
}

// metric reads one metric, of one post or of all posts.
func (p *Platform) metric(ctx context.Context, a publish.Account, finder, name string) (*int64, error) {
	var l struct {
		// The type of the metric is an object or a string, depending on the version. It is not decoded, because the
		// request determines it.
		Elements []struct {
			Count *int64 `json:"count"`
		} `json:"elements"`
	}
	if err := p.find(ctx, a.AccessToken, "/rest/memberCreatorPostAnalytics?"+finder+"&queryType="+name+"&aggregation=TOTAL", &l); err != nil {
		return nil, err
	}
	if len(l.Elements) == 0 {
		return nil, nil
	}
	return known(l.Elements[0].Count), nil
}

// measureMember reads each metric of each post.
func (p *Platform) measureMember(ctx context.Context, a publish.Account, posts []analytics.Post) (measured []analytics.Post, gone []string, err error) {
	for _, post := range posts {
		n, there, err := p.memberNumbers(ctx, a, post.ID)
		switch {
		case err != nil:
			return measured, gone, err
		case !there:
			gone = append(gone, post.ID)
		case n != (analytics.Numbers{}):
			post.Numbers = n
			measured = append(measured, post)
		}
	}
	return measured, gone, nil
}

// memberNumbers returns the metrics of a post, and whether the post exists. Metrics that are not reported are unknown.
func (p *Platform) memberNumbers(ctx context.Context, a publish.Account, urn string) (n analytics.Numbers, there bool, err error) {
	kind := "share"
	if strings.HasPrefix(urn, ugcPostURN) {
		kind = "ugc"
	}
	finder := "q=entity&entity=(" + kind + ":" + key(urn) + ")"
	for i, m := range metrics {
		if m.name == "POST_SAVE" && p.c.Version < savesSince {
			continue
		}
		v, err := p.metric(ctx, a, finder, m.name)
		if e := asError(err); e != nil && e.Code == notFound {
			return n, false, nil
		}
		if err != nil && !withheld(err) {
			return n, true, err
		}
		if i == 0 && err != nil && publish.KindOf(err) == publish.Scope {
			return n, true, nil // the others are not reported either
		}
		*m.at(&n) = v
	}
	return n, true, nil
}

// link returns the public address of a post.
func (p *Platform) link(urn string) string {
	return p.c.WebBase + "/feed/update/" + url.PathEscape(urn) + "/"
}
