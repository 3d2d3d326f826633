// SPDX-License-Identifier: Apache-2.0

package instagram

import (
	"context"
	"encoding/json"
	"net/url"
	"strconv"
	"strings"
	"time"

	"golang.org/x/text/unicode/norm"

	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/social/publish"
)

const (
	// skew is the maximum difference between Instagram's clock and ours. Instagram's times are in whole seconds.
	skew = 30 * time.Second
	// pageSize and maxPages bound how many posts of an account are read: more than an account may publish in two days.
	pageSize = 50
	maxPages = 4
)

// match returns the account's post that fits an attempt at the given time: same kind and caption, not older than the
// attempt. Of several, it returns the one nearest in time; nil if there is none.
func (p *Platform) match(ctx context.Context, a publish.Account, d publish.Draft, at time.Time) (*media, error) {
	var best *media
	var distance time.Duration
	err := p.list(ctx, a, at.Add(-skew), func(m media) {
		if !kindFits(d, m) || plain(m.Caption) != plain(d.Caption) {
			return
		}
		if far := m.Timestamp.Sub(at).Abs(); best == nil || far < distance {
			best, distance = &m, far
		}
	})
	return best, err
}

// kindFits reports whether a post has the kind that the draft would have produced.
func kindFits(d publish.Draft, m media) bool {
	switch {
	case d.Kind == catalog.MediaVideo:
		return m.MediaType == "VIDEO" || m.ProductType == "REELS"
	case carousel(d):
		return m.MediaType == "CAROUSEL_ALBUM"
	}
	return m.MediaType == "IMAGE"
}

// plain returns a caption in a normalized form, without differences that a platform may introduce.
func plain(s string) string {
	return strings.Join(strings.Fields(norm.NFC.String(s)), " ")
}

// list calls f for the account's posts that are not older than since, newest first.
func (p *Platform) list(ctx context.Context, a publish.Account, since time.Time, f func(media)) error {
	q := url.Values{"fields": {"id,caption,permalink,timestamp,media_type,media_product_type"}, "limit": {strconv.Itoa(pageSize)}}
	for range maxPages {
		var page mediaPage
		err := p.get(ctx, a.AccessToken, p.versioned(a.ID, "media"), q, func(b []byte) error { return json.Unmarshal(b, &page) })
		if err != nil {
			return ofAccount(err)
		}
		for _, m := range page.Data {
			if m.Timestamp.Before(since) {
				return nil
			}
			f(m)
		}
		// The address of the next page is built here: an address from a response is not called with a token.
		after := page.Paging.Cursors.After
		if page.Paging.Next == "" || after == "" {
			return nil
		}
		q.Set("after", after)
	}
	return nil
}
