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
	// lag is how long a post may be missing from the list of its page.
	lag = 2 * time.Minute
	// skew is how far LinkedIn's clock may be from ours.
	skew = 10 * time.Minute
	// perPage and maxPosts bound how many of a page's posts are looked through.
	perPage  = 50
	maxPosts = 500
	// byAsset begins a handle where LinkedIn gave no id for a post that it took: what follows is the upload that only it has.
	byAsset = "asset:"
)

// readable says whether the account's posts can be read: a page's, with the scope for it. A member's never.
func readable(a publish.Account) bool {
	return isPage(a) && granted(a, scopeReadPage)
}

// Find looks for the post among those of a page since the attempt: no other post has our upload. A member's posts cannot be read.
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

// search looks through a page's posts, newest first, for the one with the upload. all says that every post since the time was seen.
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

// authored lists perPage of a page's posts, newest first; fewer at the end.
func (p *Platform) authored(ctx context.Context, a publish.Account, start int) ([]shown, error) {
	var l struct {
		Elements []shown `json:"elements"`
	}
	err := p.find(ctx, a.AccessToken, "/rest/posts?q=author&author="+key(a.ID)+"&count="+strconv.Itoa(perPage)+"&start="+strconv.Itoa(start)+"&sortBy=CREATED", &l)
	return l.Elements, err
}

// shown is a post as it is read. Times are in milliseconds since 1970; 0 when they are not told.
type shown struct {
	ID          string  `json:"id"`
	Commentary  string  `json:"commentary"`
	Content     content `json:"content"`
	Lifecycle   string  `json:"lifecycleState"`
	Visibility  string  `json:"visibility"`
	PublishedAt int64   `json:"publishedAt"`
	CreatedAt   int64   `json:"createdAt"`
}

// at is when it was published, or otherwise.
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

// Look asks what became of a post. What cannot be read is taken for what LinkedIn said when it took it.
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
			return &publish.View{State: v1beta1.DeliveryPublished, Wait: soon}, nil
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
