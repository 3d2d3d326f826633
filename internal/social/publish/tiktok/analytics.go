// SPDX-License-Identifier: Apache-2.0

package tiktok

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/reelops/reelops/internal/social/analytics"
	"github.com/reelops/reelops/internal/social/publish"
)

// Limits of one refresh, in calls. A call lists or measures pageSize posts. TikTok allows 600 calls a minute to these
// endpoints, and does not document whether the limit is per endpoint, per app or per account. A whole refresh stays
// below that limit. Only accounts with thousands of posts need that many calls: three months with a post a day are five
// pages.
const (
	pages    = 500 // 10,000 posts
	measures = 90  // 1,800 posts that the pages did not list
)

// videoFields are the requested fields of a post: everything that a page reports. TikTok's API does not report how many
// users saved a post.
const videoFields = "id,create_time,share_url,cover_image_url,title,video_description,duration,view_count,like_count,comment_count,share_count"

var _ analytics.Source = (*Platform)(nil)

// Terms returns the limits of a refresh for an account that granted video.list. Without that permission, no data of
// posts is available, and the result is empty.
func (*Platform) Terms(a publish.Account) analytics.Terms {
	if !slices.Contains(a.Scopes, scopeVideos) {
		return analytics.Terms{}
	}
	return analytics.Terms{Lists: true, Pages: pages, Batch: pageSize, Measures: measures}
}

// Totals returns the numbers of followers and public posts. TikTok reports neither the views of an account nor values
// of earlier days.
func (p *Platform) Totals(ctx context.Context, a publish.Account) (*analytics.Totals, error) {
	fields := "open_id"
	if slices.Contains(a.Scopes, scopeStats) {
		fields = "follower_count,video_count"
	}
	var u userAnswer
	err := p.send(ctx, call{method: http.MethodGet, path: "/v2/user/info/", fields: fields, token: a.AccessToken}, &u)
	if err != nil {
		return nil, err
	}
	return &analytics.Totals{Followers: u.User.Followers, Posts: u.User.Videos}, nil
}

// Page lists the public posts from before the cursor's time. A page that is not the last may hold few posts or none.
func (p *Platform) Page(ctx context.Context, a publish.Account, cursor string) (*analytics.Page, error) {
	body := videoList{MaxCount: pageSize}
	if cursor != "" {
		var err error
		if body.Cursor, err = strconv.ParseInt(cursor, 10, 64); err != nil || body.Cursor <= 0 {
			return nil, errors.New("the cursor is none that TikTok gave")
		}
	}
	now := p.clock.Now()
	var got videosAnswer
	err := p.send(ctx, call{method: http.MethodPost, path: "/v2/video/list/", fields: videoFields, token: a.AccessToken, body: body}, &got)
	if err != nil {
		return nil, err
	}
	page := &analytics.Page{}
	for _, v := range got.Videos {
		if post := v.post(analytics.Post{}, now); post.ID != "" && !post.PostedAt.IsZero() {
			page.Posts = append(page.Posts, post)
		}
	}
	if !got.HasMore {
		return page, nil
	}
	if got.Cursor <= 0 || (body.Cursor > 0 && got.Cursor >= body.Cursor) {
		// Following this cursor would never end. Treating it as the end would make older posts look deleted.
		return nil, inconclusive(false, errors.New("there are more posts, and the cursor does not lead to them"))
	}
	page.Next = strconv.FormatInt(got.Cursor, 10)
	return page, nil
}

// Measure reads posts by their ids. TikTok omits posts that are no longer public: deleted, switched to private, or
// taken down.
func (p *Platform) Measure(ctx context.Context, a publish.Account, posts []analytics.Post) (measured []analytics.Post, gone []string, err error) {
	if len(posts) == 0 || !slices.Contains(a.Scopes, scopeVideos) {
		return nil, nil, nil
	}
	if len(posts) > pageSize {
		return nil, nil, errors.New("TikTok measures at most 20 posts at once")
	}
	var body videoQuery
	for _, post := range posts {
		body.Filters.VideoIDs = append(body.Filters.VideoIDs, post.ID)
	}
	now := p.clock.Now()
	var got videosAnswer
	err = p.send(ctx, call{method: http.MethodPost, path: "/v2/video/query/", fields: videoFields, token: a.AccessToken, body: body}, &got)
	if err != nil {
		return nil, nil, err
	}
	for _, post := range posts {
		i := slices.IndexFunc(got.Videos, func(v video) bool { return v.ID == post.ID })
		if i < 0 {
			gone = append(gone, post.ID)
			continue
		}
		measured = append(measured, got.Videos[i].post(post, now))
	}
	return measured, gone, nil
}

// post returns the values that TikTok reports, merged over the known ones. TikTok truncates texts to 150 characters.
// For videos, the title repeats the caption.
func (v *video) post(known analytics.Post, now time.Time) analytics.Post {
	known.ID = v.ID
	if v.Description != "" {
		known.Caption = v.Description
	}
	if v.Title != "" && v.Title != v.Description {
		known.Title = v.Title
	}
	if link := withoutTracking(v.ShareURL); link != "" {
		known.URL = link
	}
	if link := v.CoverURL; link != "" && len(link) <= maxLink {
		known.ThumbnailURL = link
	}
	if v.CreateTime > 0 {
		known.PostedAt = time.Unix(v.CreateTime, 0).UTC()
	}
	if v.Duration > 0 {
		known.Seconds = v.Duration
	}
	known.Numbers = analytics.Numbers{Views: v.Views, Likes: v.Likes, Comments: v.Comments, Shares: v.Shares}
	known.MeasuredAt = now.UTC()
	return known
}
