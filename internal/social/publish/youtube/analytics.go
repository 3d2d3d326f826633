// SPDX-License-Identifier: Apache-2.0

package youtube

import (
	"cmp"
	"context"
	"errors"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/reelops/reelops/internal/social/analytics"
	"github.com/reelops/reelops/internal/social/publish"
)

var _ analytics.Source = (*Platform)(nil)

// Limits of one refresh of a channel's analytics. YouTube grants the whole installation 10,000 quota units a day.
// Publishing uses the same units and needs about sixty for a video, so analytics are read sparingly. The totals, a page
// of fifty uploads and the metrics of fifty videos cost one unit each. A refresh of a channel that posts daily
// therefore costs three units, and never more than 33. Reports belong to another API with its own quota. So does
// videos.batchGetStats, which is not used: it reports neither the visibility of a video nor whether an omitted video
// was deleted.
const (
	listedPages    = 20
	perPage        = 50
	measuredAtOnce = 50
	measures       = 10
)

// Terms returns the listing and batch limits of a channel.
func (p *Platform) Terms(publish.Account) analytics.Terms {
	return analytics.Terms{Lists: true, Pages: listedPages, Batch: measuredAtOnce, Measures: measures}
}

// Totals returns the totals of the channel and the recent changes of its subscribers. A channel may hide its subscriber
// count, and YouTube rounds it.
func (p *Platform) Totals(ctx context.Context, a publish.Account) (*analytics.Totals, error) {
	c, err := p.channel(ctx, a, "statistics")
	if err != nil {
		return nil, err
	}
	t := &analytics.Totals{Posts: counted(c.Statistics.VideoCount), Views: counted(c.Statistics.ViewCount)}
	if !c.Statistics.HiddenSubscriberCount {
		t.Followers = counted(c.Statistics.SubscriberCount)
	}
	if t.Changes, err = p.changes(ctx, a); err != nil {
		return nil, err
	}
	return t, nil
}

// Page returns a page of public uploads. The cursor consists of the playlist's ID and YouTube's page token.
func (p *Platform) Page(ctx context.Context, a publish.Account, cursor string) (*analytics.Page, error) {
	list, token, _ := strings.Cut(cursor, " ")
	if list == "" {
		list = usualUploads(a.ID)
	}
	items, next, err := p.playlist(ctx, a, list, token, "snippet,contentDetails,status")
	if noPlaylist(err) && token == "" {
		var c *channel
		if c, err = p.channel(ctx, a, "contentDetails"); err != nil {
			return nil, err
		}
		if list = c.ContentDetails.RelatedPlaylists.Uploads; list == "" {
			return &analytics.Page{}, nil
		}
		items, next, err = p.uploads(ctx, a, list, "", "snippet,contentDetails,status")
	}
	if err != nil {
		return nil, err
	}
	page := &analytics.Page{}
	if next != "" {
		page.Next = list + " " + next
	}
	for i := range items {
		if it := &items[i]; it.Status.PrivacyStatus == public && it.ContentDetails.VideoID != "" {
			page.Posts = append(page.Posts, p.listed(it))
		}
	}
	// YouTube sorts the playlist by the time of publication, but not to the second.
	slices.SortStableFunc(page.Posts, func(x, y analytics.Post) int { return y.PostedAt.Compare(x.PostedAt) })
	return page, nil
}

// usualUploads returns the observed ID of a channel's uploads playlist. YouTube does not document it. If that playlist
// does not exist, the ID is read from the channel, which costs one more unit.
func usualUploads(channel string) string { return "UU" + strings.TrimPrefix(channel, "UC") }

// listed returns an upload as listed, without metrics.
func (p *Platform) listed(it *item) analytics.Post {
	at := it.ContentDetails.VideoPublishedAt
	if at.IsZero() {
		at = it.Snippet.PublishedAt
	}
	t := it.Snippet.Thumbnails
	return analytics.Post{
		ID: it.ContentDetails.VideoID, Title: it.Snippet.Title, Caption: it.Snippet.Description, URL: p.watch(it.ContentDetails.VideoID),
		ThumbnailURL: cmp.Or(t.High.URL, t.Medium.URL, t.Default.URL), PostedAt: at.UTC(),
	}
}

// Measure returns the metrics of videos. Metrics from reports, which are days behind, are unknown for videos that the
// reports do not contain yet.
func (p *Platform) Measure(ctx context.Context, a publish.Account, posts []analytics.Post) (measured []analytics.Post, gone []string, err error) {
	ids := make([]string, len(posts))
	for i := range posts {
		ids[i] = posts[i].ID
	}
	there, err := p.videoList(ctx, a, strings.Join(ids, ","), "status,statistics,contentDetails")
	if e := (*publish.Error)(nil); errors.As(err, &e) && e.Kind == publish.Expired {
		// YouTube refused the request instead of omitting the video. For several IDs, the error does not identify the
		// missing one.
		if len(ids) == 1 {
			return nil, ids, nil
		}
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	found := make(map[string]*video, len(there))
	for i := range there {
		if there[i].shows() {
			found[there[i].ID] = &there[i]
		}
	}
	for _, post := range posts {
		if found[post.ID] == nil {
			gone = append(gone, post.ID)
			continue
		}
		measured = append(measured, post)
	}
	shares, err := p.shares(ctx, a, measured)
	if err != nil {
		return nil, nil, err
	}
	now := p.c.Clock.Now().UTC()
	for i := range measured {
		m := &measured[i]
		v := found[m.ID]
		m.Numbers = analytics.Numbers{Views: counted(v.Statistics.ViewCount), Likes: counted(v.Statistics.LikeCount), Comments: counted(v.Statistics.CommentCount)}
		if n, ok := shares[m.ID]; ok {
			m.Shares = &n
		}
		if s := seconds(v.ContentDetails.Duration); s > 0 {
			m.Seconds = s
		}
		m.URL = cmp.Or(m.URL, p.watch(m.ID))
		m.MeasuredAt = now
	}
	return measured, gone, nil
}

// shows reports whether the video is public.
func (v *video) shows() bool {
	if s := v.statusField("privacyStatus"); s != "" && s != public {
		return false
	}
	switch v.statusField("uploadStatus") {
	case "failed", "rejected", "deleted":
		return false
	}
	return true
}

// watch returns the URL of a video. YouTube redirects from it if the video is a Short.
func (p *Platform) watch(id string) string {
	return p.c.SiteURL + "/watch?v=" + url.QueryEscape(id)
}

// counted parses a counter, which YouTube sends as a string; nil when it is hidden or invalid.
func counted(text *string) *int64 {
	if text == nil {
		return nil
	}
	n, err := strconv.ParseInt(*text, 10, 64)
	if err != nil || n < 0 {
		return nil
	}
	return &n
}

// seconds parses an ISO 8601 duration such as PT1M3S; 0 when it is invalid.
func seconds(text string) float64 {
	days, clock, _ := strings.Cut(strings.TrimPrefix(text, "P"), "T")
	var all time.Duration
	if n, err := strconv.Atoi(strings.TrimSuffix(days, "D")); err == nil {
		all = time.Duration(n) * 24 * time.Hour
	}
	if d, err := time.ParseDuration(strings.ToLower(clock)); err == nil {
		all += d
	}
	return max(0, all.Seconds())
}
