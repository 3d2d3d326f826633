// SPDX-License-Identifier: Apache-2.0

package linkedin

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/social/publish"
)

const (
	// lag is how long a new post may be missing from its page's list.
	lag = 2 * time.Minute
	// skew is the maximum difference between LinkedIn's clock and ours.
	skew = 10 * time.Minute
	// perPage and maxPosts bound how many of a page's posts are read.
	perPage  = 50
	maxPosts = 500
	// byAsset is the prefix of a handle if LinkedIn returned no id for an accepted post; the URN of the post's unique
	// upload follows.
	byAsset = "asset:"
)

// readable reports whether the account's posts can be read. This needs a page and its read scope; a member's posts are
// never readable.
func readable(a publish.Account) bool {
	return isPage(a) && granted(a, scopeReadPage)
}

// Find looks up the post among a page's posts since the attempt: no other post has our upload. A member's posts cannot
// be read.
func (p *Platform) Find(ctx context.Context, a publish.Account, d publish.Draft, doc []byte, at time.Time) (*publish.Receipt, error) {
	n, err := prepared(doc, d)
	if err != nil || !readable(a) {
		return nil, publish.ErrCannotTell
	}
	found, all, err := p.search(ctx, a, n.Assets[0], at.Add(-skew))
	switch {
	case err != nil:
		return nil, err
	case found != nil:
		return p.receipt(found.ID, found.at(at)), nil
	case !all || p.c.Clock.Now().Sub(at) < lag:
		return nil, publish.ErrCannotTell
	}
	return nil, publish.ErrNotFound
}

// search returns the post of a page that has the upload, reading newest first. all reports whether every post since the
// given time was read.
func (p *Platform) search(ctx context.Context, a publish.Account, asset string, since time.Time) (found *shown, all bool, err error) {
	for start := 0; start < maxPosts; start += perPage {
		posts, err := p.authored(ctx, a, start)
		if err != nil {
			return nil, false, err
		}
		for i := range posts {
			s := &posts[i]
			if s.ID != "" && slices.Contains(s.Content.assets(), asset) {
				return s, true, nil
			}
			if at := s.at(since); at.Before(since) {
				return nil, true, nil
			}
		}
		if len(posts) < perPage {
			return nil, true, nil
		}
	}
	return nil, false, nil
}

// authored returns up to perPage of a page's posts, newest first; fewer at the end.
func (p *Platform) authored(ctx context.Context, a publish.Account, start int) ([]shown, error) {
	var l struct {
		Elements []shown `json:"elements"`
	}
	err := p.find(ctx, a.AccessToken, "/rest/posts?q=author&author="+key(a.ID)+"&count="+strconv.Itoa(perPage)+"&start="+strconv.Itoa(start)+"&sortBy=CREATED", &l)
	return l.Elements, err
}

// shown is a post as LinkedIn returns it. Times are in milliseconds since 1970; 0 if not reported.
type shown struct {
	ID          string  `json:"id"`
	Commentary  string  `json:"commentary"`
	Content     content `json:"content"`
	Lifecycle   string  `json:"lifecycleState"`
	Visibility  string  `json:"visibility"`
	PublishedAt int64   `json:"publishedAt"`
	CreatedAt   int64   `json:"createdAt"`
}

// at returns the time of publication or creation, or otherwise if neither is reported.
func (s *shown) at(otherwise time.Time) time.Time {
	for _, ms := range []int64{s.PublishedAt, s.CreatedAt} {
		if ms > 0 {
			return time.UnixMilli(ms).UTC()
		}
	}
	return otherwise
}

func (p *Platform) read(ctx context.Context, a publish.Account, urn string) (*shown, error) {
	var s shown
	err := p.get(ctx, a.AccessToken, "/rest/posts/"+key(urn), &s)
	return &s, err
}

// Look returns the state of a post. A post that cannot be read counts as published, as LinkedIn reported on creation.
func (p *Platform) Look(ctx context.Context, a publish.Account, _ publish.Draft, handle string) (*publish.View, error) {
	asset, nameless := strings.CutPrefix(handle, byAsset)
	switch {
	case nameless && !readable(a):
		return &publish.View{State: v1beta1.DeliveryPublished, Settled: true}, nil
	case nameless:
		found, _, err := p.search(ctx, a, asset, time.Time{})
		if err != nil {
			return nil, err
		}
		if found == nil {
			return &publish.View{State: v1beta1.DeliveryPublished, Wait: shortRetry}, nil
		}
		return p.view(found.ID, found.at(time.Time{})), nil
	case !readable(a):
		return p.view(handle, time.Time{}), nil
	}
	s, err := p.read(ctx, a, handle)
	switch e := asError(err); {
	case err == nil:
		return p.view(handle, s.at(time.Time{})), nil
	case e != nil && e.Code == notFound:
		return nil, publish.ErrNotFound
	}
	return nil, err
}

func (p *Platform) receipt(urn string, at time.Time) *publish.Receipt {
	return &publish.Receipt{Handle: urn, View: p.view(urn, at)}
}

func (p *Platform) view(urn string, at time.Time) *publish.View {
	return &publish.View{
		State: v1beta1.DeliveryPublished, PostID: urn, URL: p.link(urn), PublishedAt: at, Settled: true,
	}
}
