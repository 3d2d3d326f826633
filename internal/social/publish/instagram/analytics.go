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

// What one refresh may ask. Instagram counts the calls for an account: 4,800 in 24 hours for each time that somebody saw something of it
// in the 24 hours before; publishing has to live from them too. An account that hardly anybody sees has few posts, and what decides is the
// number of its posts: a page shows pageSize of them, and measuring takes a call for each.
const (
	listPages = 200 // the 10,000 latest posts, which is all that Instagram lists
	measures  = 200
)

// listedFields are what is asked of a post. Instagram does not tell how long a video is.
const listedFields = "id,caption,permalink,timestamp,media_type,media_product_type,like_count,comments_count,thumbnail_url,media_url"

// metrics that reels, pictures and carousels all have.
var metrics = []string{"views", "likes", "comments", "shares", "saved"}

var _ analytics.Source = (*Platform)(nil)

// Terms depend on whether the person let insights be read: else a page tells all there is, likes and comments.
func (p *Platform) Terms(a publish.Account) analytics.Terms {
	if !insightful(a) {
		return analytics.Terms{Lists: true, Pages: listPages}
	}
	return analytics.Terms{Lists: true, Pages: listPages, Batch: 1, Measures: measures}
}

// insightful says whether insights may be read. Not every answer with a token names what was granted: then it is tried.
func insightful(a publish.Account) bool {
	return len(a.Scopes) == 0 || slices.Contains(a.Scopes, ScopeInsights)
}

// Totals are followers and posts. Instagram does not count an account's views since it began, and of its followers it tells by day who
// came alone, not who left: how their number changed is only known from counts that were kept.
func (p *Platform) Totals(ctx context.Context, a publish.Account) (*analytics.Totals, error) {
	var me totalsAnswer
	q := url.Values{"fields": {"user_id,followers_count,media_count"}}
	if err := p.get(ctx, a.AccessToken, p.versioned("me"), q, func(b []byte) error { return one(b, &me) }); err != nil {
		return nil, ofAccount(err)
	}
	return &analytics.Totals{Followers: me.Followers, Posts: me.Media}, nil
}

// Page lists posts, newest first, stories left out. It tells likes and comments, which is all there is where insights cannot be read.
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
	// The address of the next page is made here: one that an answer gives is not called with a token.
	page.Next = got.Paging.Cursors.After
	if page.Next == "" || page.Next == cursor {
		// It would never end, and to take it for the end would make older posts look deleted.
		return nil, unreadable(errors.New("there are more posts, and the cursor does not lead to them"), reading)
	}
	return page, nil
}

// Measure reads posts one by one. After an error, what was read before it is answered too.
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

// measure reads a post's insights, and the post itself where they say nothing or too little is known of it.
func (p *Platform) measure(ctx context.Context, a publish.Account, post analytics.Post) (analytics.Post, error) {
	now := p.c.Clock.Now()
	var n analytics.Numbers
	if insightful(a) {
		err := p.insights(ctx, a, post.ID, &n, metrics...)
		if refusesMetric(err) {
			// One that a post does not have fails all that are asked for with it.
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

// insights reads metrics of a post into the numbers. What is not in the answer stays unknown.
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

// insightsOneByOne asks for each metric by itself.
func (p *Platform) insightsOneByOne(ctx context.Context, a publish.Account, post string, n *analytics.Numbers) error {
	for _, name := range metrics {
		if err := p.insights(ctx, a, post, n, name); err != nil && !refusesMetric(err) {
			return err
		}
	}
	return nil
}

// isMissing says that a post is there no more, or is not shown to the app.
func isMissing(err error) bool {
	r := about(err)
	return r != nil && r.code == 100 && r.subcode == 33
}

// refusesMetric says that something that was asked for does not fit the post.
func refusesMetric(err error) bool {
	r := about(err)
	return r != nil && r.code == 100 && r.subcode != 33
}

// withoutInsights says that a post has no insights, or none for the app: too few people saw it so far, or the permission was taken back.
func withoutInsights(err error) bool {
	r := about(err)
	return r != nil && (r.code == 10 || publish.KindOf(err) == publish.Scope)
}

// numbers of a list: the owner may hide likes, which are then not told.
func (m *media) numbers() analytics.Numbers {
	return analytics.Numbers{Likes: m.Likes, Comments: m.Comments}
}

// post is what Instagram shows, over what was known. Videos have a picture that stands for them, pictures stand for themselves.
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
