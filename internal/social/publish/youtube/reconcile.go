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
	// pages of uploads that are looked through, newest first, 50 on each.
	pages = 4
	// skew is how far YouTube's clock and ours may be apart.
	skew = 5 * time.Minute
)

// reconcile looks through the channel's uploads for the video that a forgotten session may have become: the empty id when there is
// none. Searching by words would be the wrong tool: it lags, and knows public videos only.
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
					found = list[i].ID // the oldest since the session was opened: lists are newest first
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

// same says whether a video is the draft's upload. Where YouTube keeps the file's name that is certain; else it is one that
// nobody has made visible, with the very size and title.
func same(v *video, d publish.Draft, t texts) likeness {
	name := v.FileDetails.FileName
	switch {
	case name == slug(d.Key):
		return certain
	case strings.HasPrefix(name, slugPrefix):
		return other // another draft's
	case v.said("privacyStatus") == "private" && v.Snippet.Title == t.title && v.FileDetails.FileSize == strconv.FormatInt(d.Video.Bytes, 10):
		return likely
	}
	return other
}
