// SPDX-License-Identifier: Apache-2.0

package tiktok

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/social/publish"
)

// maxLink is the length of the longest link that is accepted, in bytes.
const maxLink = 2000

// link fills in the URL and publication time of a post as TikTok reports them. Without a reported URL, link builds the
// URL. A post without a URL is still published.
func (p *Platform) link(ctx context.Context, a publish.Account, d publish.Draft, h handle, v *publish.View) {
	if slices.Contains(a.Scopes, scopeVideos) {
		if found, err := p.query(ctx, a, v.PostID); err == nil && found != nil {
			v.URL, v.PublishedAt = found.URL, found.PublishedAt
		}
	}
	if v.URL == "" {
		v.URL = p.buildLink(a, d, h, v.PostID)
	}
}

// lookByPost returns the state of a post by its public id.
func (p *Platform) lookByPost(ctx context.Context, a publish.Account, d publish.Draft, h handle) (*publish.View, error) {
	v, err := p.query(ctx, a, h.PostID)
	if err != nil {
		return nil, err
	}
	if v == nil {
		return nil, publish.ErrNotFound
	}
	if v.URL == "" {
		v.URL = p.buildLink(a, d, h, h.PostID)
	}
	return v, nil
}

// query reads one public post of the account; nil if the account has no public post with that id.
func (p *Platform) query(ctx context.Context, a publish.Account, id string) (*publish.View, error) {
	var body videoQuery
	body.Filters.VideoIDs = []string{id}
	var got videosAnswer
	err := p.send(ctx, call{method: http.MethodPost, path: "/v2/video/query/", fields: "id,create_time,share_url", token: a.AccessToken, body: body}, &got)
	if err != nil {
		return nil, err
	}
	for _, post := range got.Videos {
		if post.ID != id {
			continue
		}
		v := &publish.View{State: v1beta1.DeliveryPublished, PostID: id, URL: withoutTracking(post.ShareURL), Settled: true}
		if post.CreateTime > 0 {
			v.PublishedAt = time.Unix(post.CreateTime, 0).UTC()
		}
		return v, nil
	}
	return nil, nil
}

// withoutTracking removes the utm_ parameters, which count only who shared the link. It returns an empty text for an
// invalid link.
func withoutTracking(link string) string {
	u, err := url.Parse(link)
	if err != nil || u.Host == "" || (u.Scheme != "https" && u.Scheme != "http") || len(link) > maxLink {
		return ""
	}
	q := u.Query()
	for k := range q {
		if strings.HasPrefix(k, "utm_") {
			q.Del(k)
		}
	}
	u.RawQuery = q.Encode()
	return u.String()
}

// buildLink returns the URL of a post in TikTok's form, or an empty text if the account's name is unknown.
func (p *Platform) buildLink(a publish.Account, d publish.Draft, h handle, id string) string {
	name := h.Username
	if name == "" {
		name = a.Username
	}
	if name == "" || id == "" {
		return ""
	}
	kind := "video"
	if d.Kind == catalog.MediaPhotoSet {
		kind = "photo"
	}
	return p.web.String() + "/@" + url.PathEscape(name) + "/" + kind + "/" + url.PathEscape(id)
}
