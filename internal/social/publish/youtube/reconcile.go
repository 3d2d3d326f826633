// SPDX-License-Identifier: Apache-2.0

package youtube

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/reelops/reelops/internal/social/publish"
)

const (
	// pages is the number of pages of uploads that reconcile reads, newest first, with 50 uploads each.
	pages = 4
	// skew is the tolerated difference between YouTube's clock and the local clock.
	skew = 5 * time.Minute
)

// reconcile searches the channel's uploads for the video that a lost session may have created. It returns an empty ID
// when there is none. YouTube's text search is unsuitable: its index lags and contains only public videos.
func (p *Platform) reconcile(ctx context.Context, a publish.Account, d publish.Draft, t texts, n *note) (string, error) {
	c, err := p.channel(ctx, a, "contentDetails")
	if err != nil {
		return "", err
	}
	found, page := "", ""
	for range pages {
		items, next, err := p.uploads(ctx, a, c.ContentDetails.RelatedPlaylists.Uploads, page, "snippet,contentDetails")
		if err != nil {
			return "", err
		}
		var ids []string
		older := false
		for _, i := range items {
			if i.Snippet.PublishedAt.Before(n.OpenedAt.Add(-skew)) {
				older = true
				continue
			}
			ids = append(ids, i.ContentDetails.VideoID)
		}
		if len(ids) > 0 {
			list, err := p.videos(ctx, a, strings.Join(ids, ","), "snippet,status,fileDetails")
			if err != nil {
				return "", err
			}
			for i := range list {
				switch same(&list[i], d, t) {
				case certain:
					return list[i].ID, nil
				case likely:
					found = list[i].ID // keep the oldest since the session was opened; lists are newest first
				}
			}
		}
		if page = next; page == "" || older {
			break
		}
	}
	return found, nil
}

type likeness int

const (
	other likeness = iota
	likely
	certain
)

// same returns how likely a video is the draft's upload. A matching file name, where YouTube keeps it, is certain. A
// private video with the same size and title is likely.
func same(v *video, d publish.Draft, t texts) likeness {
	name := v.FileDetails.FileName
	switch {
	case name == slug(d.Key):
		return certain
	case strings.HasPrefix(name, slugPrefix):
		return other // another draft's
	case v.statusField("privacyStatus") == "private" && v.Snippet.Title == t.title && v.FileDetails.FileSize == strconv.FormatInt(d.Video.Bytes, 10):
		return likely
	}
	return other
}
