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

// What one refresh of a channel may take of the 10,000 units that YouTube gives a whole installation for a day. Publishing lives on
// the same units, and needs some sixty for a video, so numbers are asked for sparingly: the totals, a page of fifty uploads and the numbers
// of fifty videos cost a unit each, so a channel that posts daily takes three units a refresh. The most that one can cost is 33. Reports are
// of another interface, and have an allowance of their own. So has videos.batchGetStats, which is not used: it tells neither who may see a
// video nor, of one that it leaves out, whether it is gone.
const (
	listedPages    = 20
	perPage        = 50
	measuredAtOnce = 50
	measures       = 10
)

// Terms of a channel.
func (p *Platform) Terms(publish.Account) analytics.Terms {
	return analytics.Terms{Lists: true, Pages: listedPages, Batch: measuredAtOnce, Measures: measures}
}

// Totals of the channel, and how its subscribers changed lately. A channel may hide its subscribers; YouTube rounds their number.
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

// Page lists uploads that everybody may see. The cursor is the list's id and YouTube's own token.
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
	// The list is by when videos became public, and not to the second.
	slices.SortStableFunc(page.Posts, func(x, y analytics.Post) int { return y.PostedAt.Compare(x.PostedAt) })
	return page, nil
}

// usualUploads is what the list of a channel's uploads is called, as far as anybody has seen. YouTube does not promise it, so where there
// is no such list the channel is asked; mostly that unit is spared.
func usualUploads(channel string) string { return "UU" + strings.TrimPrefix(channel, "UC") }

// listed is an upload as the list tells it: without numbers.
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

// Measure reads what people did with videos. What only reports tell is unknown of videos that they do not have yet: they are days behind.
func (p *Platform) Measure(ctx context.Context, a publish.Account, posts []analytics.Post) (measured []analytics.Post, gone []string, err error) {
	ids := make([]string, len(posts))
	for i := range posts {
		ids[i] = posts[i].ID
	}
	there, err := p.videoList(ctx, a, strings.Join(ids, ","), "status,statistics,contentDetails")
	if e := (*publish.Error)(nil); errors.As(err, &e) && e.Kind == publish.Expired {
		// Not a list without the video, but a refusal: of more than one video it does not say which is meant.
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

// shows says whether everybody may see the video.
func (v *video) shows() bool {
	if s := v.said("privacyStatus"); s != "" && s != public {
		return false
	}
	switch v.said("uploadStatus") {
	case "failed", "rejected", "deleted":
		return false
	}
	return true
}

// watch is where people find a video. YouTube leads on from there where it is a Short.
func (p *Platform) watch(id string) string {
	return p.c.SiteURL + "/watch?v=" + url.QueryEscape(id)
}

// counted reads a counter, which YouTube writes in quotes; nil when it is hidden.
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

// seconds reads a length such as PT1M3S; 0 when it is none.
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
