// SPDX-License-Identifier: Apache-2.0

package linkedin

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/reelops/reelops/api/v1alpha1"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/publish"
)

const (
	// lag is how long a post may be missing from the list of its page.
	lag = 2 * time.Minute
	// newest is how many of a page's posts are looked through.
	newest = "50"
	// byAsset begins a handle where LinkedIn gave no id for a post that it took: what follows is the upload that only it has.
	byAsset = "asset:"
)

type image struct {
	ID      string `json:"id"`
	AltText string `json:"altText,omitempty"`
}

// content of a post, as it is sent and read.
type content struct {
	Media *struct {
		ID      string `json:"id"`
		Title   string `json:"title,omitempty"`
		AltText string `json:"altText,omitempty"`
	} `json:"media,omitempty"`
	MultiImage *struct {
		Images []image `json:"images"`
	} `json:"multiImage,omitempty"`
}

type distribution struct {
	Feed     string   `json:"feedDistribution"`
	Entities []string `json:"targetEntities"`
	Channels []string `json:"thirdPartyDistributionChannels"`
}

type post struct {
	Author       string       `json:"author"`
	Commentary   string       `json:"commentary"`
	Visibility   string       `json:"visibility"`
	Distribution distribution `json:"distribution"`
	Content      content      `json:"content"`
	Lifecycle    string       `json:"lifecycleState"`
	NoReshare    bool         `json:"isReshareDisabledByAuthor"`
}

func body(a publish.Account, d publish.Draft, n note) post {
	out := post{
		Author: a.ID, Commentary: little(d.Caption), Visibility: "PUBLIC", Lifecycle: "PUBLISHED",
		Distribution: distribution{Feed: "MAIN_FEED", Entities: []string{}, Channels: []string{}},
	}
	alt := func(i int) string {
		if i < len(d.Photos) {
			return d.Photos[i].AltText
		}
		return ""
	}
	if len(n.Assets) == 1 {
		m := &struct {
			ID      string `json:"id"`
			Title   string `json:"title,omitempty"`
			AltText string `json:"altText,omitempty"`
		}{ID: n.Assets[0], AltText: alt(0)}
		if d.Kind == catalog.MediaVideo {
			m.Title = d.Title
		}
		out.Content.Media = m
		return out
	}
	images := make([]image, len(n.Assets))
	for i, urn := range n.Assets {
		images[i] = image{ID: urn, AltText: alt(i)}
	}
	out.Content.MultiImage = &struct {
		Images []image `json:"images"`
	}{images}
	return out
}

// Commit makes the post. LinkedIn answers when it is public.
func (p *Platform) Commit(ctx context.Context, a publish.Account, d publish.Draft, doc []byte) (*publish.Receipt, error) {
	n, err := prepared(doc)
	if err != nil {
		return nil, err
	}
	answer, err := p.ask(ctx, call{method: http.MethodPost, path: "/rest/posts", token: a.AccessToken, body: body(a, d, n), publishes: true}, nil)
	if err != nil {
		return nil, err
	}
	if answer.Status != http.StatusCreated && answer.Status != http.StatusOK {
		return nil, unclear(true)
	}
	urn := answer.Header.Get("X-Restli-Id")
	if urn == "" {
		urn = answer.Header.Get("X-Linkedin-Id")
	}
	if !strings.HasPrefix(urn, "urn:li:") { // taken all the same; a page's list may tell the id
		return &publish.Receipt{Handle: byAsset + n.Assets[0], View: &publish.View{
			State: v1alpha1.DeliveryPublished, PublishedAt: p.c.Clock.Now(), Settled: !readable(a),
		}}, nil
	}
	return p.receipt(urn, p.c.Clock.Now()), nil
}

func prepared(doc []byte) (note, error) {
	var n note
	if json.Unmarshal(doc, &n) != nil || len(n.Assets) == 0 || n.Ready != len(n.Assets) {
		return n, &publish.Error{Kind: publish.Expired, Safe: "What was prepared for LinkedIn cannot be used."}
	}
	return n, nil
}

func (p *Platform) receipt(urn string, at time.Time) *publish.Receipt {
	return &publish.Receipt{Handle: urn, View: p.view(urn, at)}
}

func (p *Platform) view(urn string, at time.Time) *publish.View {
	return &publish.View{
		State: v1alpha1.DeliveryPublished, PostID: urn, URL: p.c.WebBase + "/feed/update/" + urn + "/", PublishedAt: at, Settled: true,
	}
}

// readable says whether the account's posts can be read: a page's, with the scope for it. A member's never.
func readable(a publish.Account) bool {
	return strings.HasPrefix(a.ID, organizationURN) && slices.Contains(a.Scopes, scopeReadPage)
}

// Find looks for the post among the newest of a page: no other post has our upload. A member's posts cannot be read.
func (p *Platform) Find(ctx context.Context, a publish.Account, _ publish.Draft, doc []byte, at time.Time) (*publish.Receipt, error) {
	n, err := prepared(doc)
	if err != nil {
		return nil, publish.ErrCannotTell
	}
	if !readable(a) {
		return nil, publish.ErrCannotTell
	}
	seen, err := p.newest(ctx, a)
	if err != nil {
		return nil, err
	}
	for _, s := range seen {
		if slices.Contains(s.assets(), n.Assets[0]) {
			return p.receipt(s.ID, s.at(at)), nil
		}
	}
	if p.c.Clock.Now().Sub(at) < lag {
		return nil, publish.ErrCannotTell
	}
	return nil, publish.ErrNotFound
}

// shown is a post as it is read.
type shown struct {
	ID          string  `json:"id"`
	Content     content `json:"content"`
	PublishedAt int64   `json:"publishedAt"` // milliseconds
	Lifecycle   string  `json:"lifecycleState"`
}

func (s shown) assets() (out []string) {
	if s.Content.Media != nil {
		out = append(out, s.Content.Media.ID)
	}
	if s.Content.MultiImage != nil {
		for _, i := range s.Content.MultiImage.Images {
			out = append(out, i.ID)
		}
	}
	return out
}

func (s shown) at(otherwise time.Time) time.Time {
	if s.PublishedAt > 0 {
		return time.UnixMilli(s.PublishedAt).UTC()
	}
	return otherwise
}

func (p *Platform) newest(ctx context.Context, a publish.Account) ([]shown, error) {
	var l struct {
		Elements []shown `json:"elements"`
	}
	err := p.find(ctx, a.AccessToken, "/rest/posts?q=author&author="+key(a.ID)+"&count="+newest+"&start=0&sortBy=CREATED", &l)
	return l.Elements, err
}

// Look asks what became of a post. What cannot be read is taken for what LinkedIn said when it took it.
func (p *Platform) Look(ctx context.Context, a publish.Account, _ publish.Draft, handle string) (*publish.View, error) {
	now := p.c.Clock.Now()
	if asset, ok := strings.CutPrefix(handle, byAsset); ok {
		if !readable(a) {
			return &publish.View{State: v1alpha1.DeliveryPublished, Settled: true}, nil
		}
		seen, err := p.newest(ctx, a)
		if err != nil {
			return nil, err
		}
		for _, s := range seen {
			if slices.Contains(s.assets(), asset) {
				return p.view(s.ID, s.at(now)), nil
			}
		}
		return &publish.View{State: v1alpha1.DeliveryPublished, Wait: 30 * time.Second}, nil
	}
	if !readable(a) {
		return p.view(handle, time.Time{}), nil
	}
	var s shown
	err := p.get(ctx, a.AccessToken, "/rest/posts/"+key(handle), &s)
	var e *publish.Error
	switch {
	case err == nil:
		return p.view(handle, s.at(time.Time{})), nil
	case errors.As(err, &e) && e.Code == notFound:
		return nil, publish.ErrNotFound
	}
	return nil, err
}
