// SPDX-License-Identifier: Apache-2.0

package linkedin

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/reelops/reelops/internal/social/analytics"
	"github.com/reelops/reelops/internal/social/publish"
)

// maxLookups is how many posts without metrics are looked up in one call of Measure. A post has no metrics if it has no
// views or was deleted.
const maxLookups = 5

// pageTotals reads the page's followers. LinkedIn does not report the number of posts, and reports the total views only
// for one year.
func (p *Platform) pageTotals(ctx context.Context, a publish.Account) (*analytics.Totals, error) {
	t := &analytics.Totals{}
	if !granted(a, scopeAdmin) {
		return t, nil
	}
	var size struct {
		Followers *int64 `json:"firstDegreeSize"`
	}
	err := p.get(ctx, a.AccessToken, "/rest/networkSizes/"+key(a.ID)+"?edgeType=COMPANY_FOLLOWED_BY_MEMBER", &size)
	if err != nil && !withheld(err) {
		return nil, err
	}
	t.Followers = known(size.Followers)
	t.Changes, err = p.pageChanges(ctx, a)
	if err != nil {
		return nil, err
	}
	return t, nil
}

// pageChanges reads the new followers by day. Times are in milliseconds since 1970.
func (p *Platform) pageChanges(ctx context.Context, a publish.Account) ([]analytics.Change, error) {
	from, to := p.days()
	ms := func(t time.Time) string { return strconv.FormatInt(t.UnixMilli(), 10) }
	var l struct {
		Elements []struct {
			Range struct {
				Start int64 `json:"start"`
			} `json:"timeRange"`
			Gains *struct {
				Organic int64 `json:"organicFollowerGain"`
				Paid    int64 `json:"paidFollowerGain"`
			} `json:"followerGains"`
		} `json:"elements"`
	}
	err := p.find(ctx, a.AccessToken, "/rest/organizationalEntityFollowerStatistics?q=organizationalEntity&organizationalEntity="+key(a.ID)+
		"&timeIntervals=(timeRange:(start:"+ms(from)+",end:"+ms(to)+"),timeGranularityType:DAY)", &l)
	if err != nil {
		if missed(err) {
			return nil, nil
		}
		return nil, err
	}
	var out []analytics.Change
	for _, e := range l.Elements {
		if e.Gains != nil && e.Range.Start > 0 {
			out = append(out, analytics.Change{Day: time.UnixMilli(e.Range.Start).UTC().Format(time.DateOnly), Followers: e.Gains.Organic + e.Gains.Paid})
		}
	}
	return out, nil
}

// Page lists a page's posts. The cursor is the number of posts before it.
func (p *Platform) Page(ctx context.Context, a publish.Account, cursor string) (*analytics.Page, error) {
	start, _ := strconv.Atoi(cursor) // empty is the beginning
	posts, err := p.authored(ctx, a, start)
	if err != nil {
		return nil, err
	}
	out := &analytics.Page{}
	for i := range posts {
		s := &posts[i]
		if s.ID == "" || s.Lifecycle != "" && s.Lifecycle != lifecyclePublished || s.Visibility != "" && s.Visibility != visiblePublic {
			continue
		}
		post := analytics.Post{ID: s.ID, Caption: spoken(s.Commentary), URL: p.link(s.ID), PostedAt: s.at(time.Time{})}
		if s.Content.Media != nil {
			post.Title = s.Content.Media.Title
		}
		out.Posts = append(out.Posts, post)
	}
	if len(posts) >= perPage {
		out.Next = strconv.Itoa(start + len(posts))
	}
	return out, nil
}

// measurePage reads the metrics of posts in one call. A post without views may have no metrics: they are unknown,
// unless the post no longer exists.
func (p *Platform) measurePage(ctx context.Context, a publish.Account, posts []analytics.Post) (measured []analytics.Post, gone []string, err error) {
	numbers, err := p.shareStatistics(ctx, a, posts)
	if withheld(err) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	looked := 0
	for _, post := range posts {
		n, ok := numbers[post.ID]
		if ok {
			post.Numbers = n
			measured = append(measured, post)
			continue
		}
		if looked++; looked > maxLookups || !readable(a) {
			continue
		}
		_, err := p.read(ctx, a, post.ID)
		switch e := asError(err); {
		case err == nil:
		case e != nil && e.Code == notFound:
			gone = append(gone, post.ID)
		case !withheld(err):
			return measured, gone, err
		}
	}
	return measured, gone, nil
}

// shareStatistics returns the metrics of posts by URN; those of missing posts are unknown.
func (p *Platform) shareStatistics(ctx context.Context, a publish.Account, posts []analytics.Post) (map[string]analytics.Numbers, error) {
	var shares, videos []string
	for i := range posts {
		if urn := posts[i].ID; strings.HasPrefix(urn, ugcPostURN) {
			videos = append(videos, key(urn))
		} else {
			shares = append(shares, key(urn))
		}
	}
	path := "/rest/organizationalEntityShareStatistics?q=organizationalEntity&organizationalEntity=" + key(a.ID) + "&count=" + strconv.Itoa(len(posts))
	if len(shares) > 0 {
		path += "&shares=List(" + strings.Join(shares, ",") + ")"
	}
	if len(videos) > 0 {
		path += "&ugcPosts=List(" + strings.Join(videos, ",") + ")"
	}
	var l struct {
		Elements []struct {
			Share   string `json:"share"`
			UGCPost string `json:"ugcPost"`
			Total   struct {
				Impressions *int64 `json:"impressionCount"`
				Likes       *int64 `json:"likeCount"`
				Comments    *int64 `json:"commentCount"`
				Shares      *int64 `json:"shareCount"`
			} `json:"totalShareStatistics"`
		} `json:"elements"`
	}
	if err := p.find(ctx, a.AccessToken, path, &l); err != nil {
		return nil, err
	}
	out := map[string]analytics.Numbers{}
	for _, e := range l.Elements {
		urn := e.Share
		if urn == "" {
			urn = e.UGCPost
		}
		if t := e.Total; urn != "" {
			out[urn] = analytics.Numbers{Views: known(t.Impressions), Likes: known(t.Likes), Comments: known(t.Comments), Shares: known(t.Shares)}
		}
	}
	return out, nil
}
