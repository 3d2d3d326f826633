// SPDX-License-Identifier: Apache-2.0

package instagram

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/reelops/reelops/internal/social/analytics"
	"github.com/reelops/reelops/internal/social/publish"
)

// Limits of one refresh. Instagram limits the calls for an account to 4,800 per impression of the previous 24 hours, in
// 24 hours; publishing shares that limit. An account with few impressions has few posts. The number of calls depends on
// the number of posts: a page holds pageSize of them, and measuring takes one call for each.
const (
	listPages = 200 // the 10,000 latest posts, which is all that Instagram lists
	measures  = 200
)

// listedFields are the requested fields of a post. Instagram does not report the length of a video.
const listedFields = "id,caption,permalink,timestamp,media_type,media_product_type,like_count,comments_count,thumbnail_url,media_url"

// metrics exist for reels, images and carousels alike.
var metrics = []string{"views", "likes", "comments", "shares", "saved"}

var _ analytics.Source = (*Platform)(nil)

// Terms returns limits that depend on whether insights may be read. Without insights, a page holds all available
// metrics: likes and comments.
func (p *Platform) Terms(a publish.Account) analytics.Terms {
	if !insightful(a) {
		return analytics.Terms{Lists: true, Pages: listPages}
	}
	return analytics.Terms{Lists: true, Pages: listPages, Batch: 1, Measures: measures}
}

// insightful reports whether insights may be read. Some token responses omit the granted scopes; insights are then
// tried.
func insightful(a publish.Account) bool {
	return len(a.Scopes) == 0 || slices.Contains(a.Scopes, ScopeInsights)
}

// Totals returns followers and posts. Instagram reports no total of an account's views. By day, it reports only new
// followers, not lost ones: the change is known only from stored counts.
func (p *Platform) Totals(ctx context.Context, a publish.Account) (*analytics.Totals, error) {
	var me totalsAnswer
	q := url.Values{"fields": {"user_id,followers_count,media_count"}}
	if err := p.get(ctx, a.AccessToken, p.versioned("me"), q, func(b []byte) error { return one(b, &me) }); err != nil {
		return nil, ofAccount(err)
	}
	return &analytics.Totals{Followers: me.Followers, Posts: me.Media}, nil
}

// Page returns posts, newest first, without stories. It reports likes and comments: without insights these are the only
// metrics.
func (p *Platform) Page(ctx context.Context, a publish.Account, cursor string) (*analytics.Page, error) {
	q := url.Values{"fields": {listedFields}, "limit": {strconv.Itoa(pageSize)}}
	if cursor != "" {
		q.Set("after", cursor)
	}
	now := p.c.Clock.Now()
	var got mediaPage
	err := p.get(ctx, a.AccessToken, p.versioned(a.ID, "media"), q, func(b []byte) error { return json.Unmarshal(b, &got) })
	if err != nil {
		return nil, ofAccount(err)
	}
	page := &analytics.Page{}
	for _, m := range got.Data {
		if m.ID == "" || m.Timestamp.IsZero() {
			continue
		}
		post := m.post(analytics.Post{})
		post.Numbers = m.numbers()
		if !insightful(a) {
			post.MeasuredAt = now.UTC()
		}
		page.Posts = append(page.Posts, post)
	}
	if got.Paging.Next == "" {
		return page, nil
	}
	// The address of the next page is built here: an address from a response is not called with a token.
	page.Next = got.Paging.Cursors.After
	if page.Next == "" || page.Next == cursor {
		// Following the cursor would never end, and treating it as the last page would make older posts look deleted.
		return nil, unreadable(errors.New("there are more posts, and the cursor does not lead to them"), reading)
	}
	return page, nil
}

// Measure reads posts one by one. After an error, it also returns what was read before.
func (p *Platform) Measure(ctx context.Context, a publish.Account, posts []analytics.Post) (measured []analytics.Post, gone []string, err error) {
	for _, post := range posts {
		m, err := p.measure(ctx, a, post)
		switch {
		case isMissing(err):
			gone = append(gone, post.ID)
		case err != nil:
			return measured, gone, err
		default:
			measured = append(measured, m)
		}
	}
	return measured, gone, nil
}

// measure reads a post's insights. It also reads the post itself if there are no insights, or if its URL or time is
// unknown.
func (p *Platform) measure(ctx context.Context, a publish.Account, post analytics.Post) (analytics.Post, error) {
	now := p.c.Clock.Now()
	var n analytics.Numbers
	if insightful(a) {
		err := p.insights(ctx, a, post.ID, &n, metrics...)
		if refusesMetric(err) {
			// A metric that a post does not have fails the whole request.
			err = p.insightsOneByOne(ctx, a, post.ID, &n)
		}
		if err != nil && !withoutInsights(err) {
			return post, err
		}
	}
	listed := post.Numbers
	if n == (analytics.Numbers{}) || post.URL == "" || post.PostedAt.IsZero() {
		var m media
		q := url.Values{"fields": {listedFields}}
		if err := p.get(ctx, a.AccessToken, p.versioned(post.ID), q, func(b []byte) error { return one(b, &m) }); err != nil {
			return post, err
		}
		m.ID = id(post.ID)
		post = m.post(post)
		listed = m.numbers()
	}
	post.Numbers, post.MeasuredAt = n, now.UTC()
	post.Likes, post.Comments = cmp.Or(n.Likes, listed.Likes), cmp.Or(n.Comments, listed.Comments)
	return post, nil
}

// insights reads metrics of a post into n. Metrics that the response lacks stay unknown.
func (p *Platform) insights(ctx context.Context, a publish.Account, post string, n *analytics.Numbers, names ...string) error {
	var in insightsAnswer
	q := url.Values{"metric": {strings.Join(names, ",")}}
	err := p.get(ctx, a.AccessToken, p.versioned(post, "insights"), q, func(b []byte) error { return json.Unmarshal(b, &in) })
	if err != nil {
		return err
	}
	into := map[string]**int64{"views": &n.Views, "likes": &n.Likes, "comments": &n.Comments, "shares": &n.Shares, "saved": &n.Favorites}
	for _, m := range in.Data {
		if at := into[m.Name]; at != nil {
			*at = m.number()
		}
	}
	return nil
}

// insightsOneByOne reads each metric in its own request.
func (p *Platform) insightsOneByOne(ctx context.Context, a publish.Account, post string, n *analytics.Numbers) error {
	for _, name := range metrics {
		if err := p.insights(ctx, a, post, n, name); err != nil && !refusesMetric(err) {
			return err
		}
	}
	return nil
}

// isMissing reports whether the post no longer exists or is not shown to the app.
func isMissing(err error) bool {
	r := about(err)
	return r != nil && r.code == 100 && r.subcode == 33
}

// refusesMetric reports whether a requested metric or field does not fit the post.
func refusesMetric(err error) bool {
	r := about(err)
	return r != nil && r.code == 100 && r.subcode != 33
}

// withoutInsights reports whether a post has no insights, or none for the app: too few views so far, or the permission
// was revoked.
func withoutInsights(err error) bool {
	r := about(err)
	return r != nil && (r.code == 10 || publish.KindOf(err) == publish.Scope)
}

// numbers returns the metrics of a listed post. The owner may hide likes; Instagram then does not report them.
func (m *media) numbers() analytics.Numbers {
	return analytics.Numbers{Likes: m.Likes, Comments: m.Comments}
}

// post returns known, updated with the fields of m. The thumbnail of a video is its preview image; an image is its own
// thumbnail.
func (m *media) post(known analytics.Post) analytics.Post {
	known.ID = string(m.ID)
	if m.Caption != "" {
		known.Caption = m.Caption
	}
	if m.Permalink != "" {
		known.URL = m.Permalink
	}
	switch {
	case m.Thumbnail != "":
		known.ThumbnailURL = m.Thumbnail
	case m.MediaType != "VIDEO" && m.MediaURL != "":
		known.ThumbnailURL = m.MediaURL
	}
	if !m.Timestamp.IsZero() {
		known.PostedAt = m.Timestamp.Time
	}
	return known
}
