// SPDX-License-Identifier: Apache-2.0

package tiktok

import (
	"hash/fnv"
	"math"
	"net/http"
	"net/url"
	"slices"
	"sort"
	"strings"
	"time"

	"github.com/reelops/reelops/internal/social/sandbox"
)

const (
	pageDefault, pageMax = 10, 20
	listed               = 150 // maximum length of a text in a listing, in characters
)

// userFields maps fields to the scopes that they require.
var userFields = map[string]string{
	"open_id": scopeBasic, "union_id": scopeBasic, "avatar_url": scopeBasic, "avatar_url_100": scopeBasic, "avatar_large_url": scopeBasic,
	"display_name": scopeBasic, "bio_description": scopeProfile, "profile_deep_link": scopeProfile, "is_verified": scopeProfile,
	"username": scopeProfile, "follower_count": scopeStats, "following_count": scopeStats, "likes_count": scopeStats, "video_count": scopeStats,
}

// userInfo returns the requested fields of the account, if their scopes were granted.
func (p *Platform) userInfo(w http.ResponseWriter, r *request) {
	user := map[string]any{}
	all := p.profile(r.account)
	for _, f := range strings.Split(r.URL.Query().Get("fields"), ",") {
		scope, there := userFields[f]
		if !there {
			invalid(w, "fields has a value that is not known: "+f)
			return
		}
		if !p.allowed(w, r, scope) {
			return
		}
		user[f] = all[f]
	}
	ok(w, map[string]any{"user": user})
}

func (p *Platform) profile(a sandbox.Account) map[string]any {
	h := fnv.New64a()
	_, _ = h.Write([]byte(a.ID))
	seed := int64(h.Sum64() % 9000)
	now := p.core.Now()
	var likes, views, videos int64
	for _, l := range p.public(a.Name, 0, math.MaxInt) {
		n := l.Numbers(now)
		likes, views, videos = likes+n.Likes, views+n.Views, videos+1
	}
	return map[string]any{
		"open_id": a.ID, "union_id": "union-" + a.ID, "avatar_url": a.Avatar, "avatar_url_100": a.Avatar, "avatar_large_url": a.Avatar,
		"display_name": a.Display, "bio_description": "An account of the sandbox.", "profile_deep_link": p.core.URL(name, "/@"+a.Username),
		"is_verified": false, "username": a.Username, "follower_count": 1000 + seed + views/50, "following_count": 10 + seed%300,
		"likes_count": likes, "video_count": videos,
	}
}

// public returns the public posts of an account, newest first: those older than before in Unix milliseconds (0: now),
// and at most most of them.
func (p *Platform) public(account string, before int64, most int) []*sandbox.Landing {
	now := p.core.Now()
	all := p.landed.Of(account)
	if before > 0 {
		all = all[sort.Search(len(all), func(i int) bool { return all[i].At.UnixMilli() < before }):]
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	var out []*sandbox.Landing
	for _, l := range all {
		if len(out) == most {
			break
		}
		if p.seen(l, now) {
			out = append(out, l)
		}
	}
	return out
}

// seen reports whether a post is public now. Posts of an earlier run and posts that were not created through the API
// have no moderation delay. The caller holds the lock.
func (p *Platform) seen(l *sandbox.Landing, now time.Time) bool {
	b := p.byPost[l.ID]
	return l.Visibility == sandbox.Public && !now.Before(l.At) && (b == nil || b.shown(now))
}

// videoFields are the fields that a request may name.
var videoFields = []string{
	"id", "create_time", "cover_image_url", "share_url", "video_description", "duration", "height", "width", "title", "embed_html", "embed_link",
	"like_count", "comment_count", "share_count", "view_count", "is_aigc",
}

func fieldsOf(w http.ResponseWriter, r *request) ([]string, bool) {
	fields := strings.Split(r.URL.Query().Get("fields"), ",")
	if i := slices.IndexFunc(fields, func(f string) bool { return !slices.Contains(videoFields, f) }); i >= 0 {
		invalid(w, "fields has a value that is not known: "+fields[i])
		return nil, false
	}
	return fields, true
}

// videoList pages through public posts, newest first.
func (p *Platform) videoList(w http.ResponseWriter, r *request) {
	in := struct {
		Max    int   `json:"max_count"`
		Cursor int64 `json:"cursor"`
	}{Max: pageDefault}
	fields, right := fieldsOf(w, r)
	if !right || (r.ContentLength != 0 && !r.read(w, &in)) {
		return
	}
	if in.Max < 1 || in.Max > pageMax || in.Cursor < 0 {
		invalid(w, "max_count has to be 1 to 20.")
		return
	}
	videos := []map[string]any{}
	older := p.public(r.account.Name, in.Cursor, in.Max+1)
	page := older[:p.held(older, in.Max)]
	data := map[string]any{"has_more": len(page) < len(older), "cursor": in.Cursor}
	for _, l := range page {
		videos = append(videos, p.video(l, fields))
		data["cursor"] = l.At.UnixMilli()
	}
	data["videos"] = videos
	ok(w, data)
}

// held returns how many posts fit on a page, at most most. A page does not end between two posts with the same
// timestamp, because the cursor would skip the second one. If a whole page has the same timestamp, that cannot be
// avoided.
func (p *Platform) held(of []*sandbox.Landing, most int) int {
	p.mu.Lock()
	if p.limits.Page > 0 {
		most = min(most, p.limits.Page)
	}
	p.mu.Unlock()
	n := min(most, len(of))
	if n == len(of) {
		return n
	}
	for end := n; end > 0; end-- {
		if of[end-1].At.UnixMilli() != of[end].At.UnixMilli() {
			return end
		}
	}
	return n
}

// videoQuery returns posts by ID, if they belong to the account.
func (p *Platform) videoQuery(w http.ResponseWriter, r *request) {
	var in struct {
		Filters struct {
			IDs []string `json:"video_ids"`
		} `json:"filters"`
	}
	fields, right := fieldsOf(w, r)
	if !right || !r.read(w, &in) {
		return
	}
	if len(in.Filters.IDs) == 0 || len(in.Filters.IDs) > pageMax {
		invalid(w, "video_ids has to have 1 to 20 ids.")
		return
	}
	var found []*sandbox.Landing
	now := p.core.Now()
	p.mu.Lock()
	for _, id := range in.Filters.IDs {
		if l := p.landed.Find(id); l != nil && l.Account == r.account.Name && p.seen(l, now) {
			found = append(found, l)
		}
	}
	p.mu.Unlock()
	videos := []map[string]any{}
	for _, l := range found {
		videos = append(videos, p.video(l, fields))
	}
	ok(w, map[string]any{"videos": videos})
}

// video returns the requested fields of a post.
func (p *Platform) video(l *sandbox.Landing, fields []string) map[string]any {
	now := p.core.Now()
	n := l.Numbers(now)
	shared := l.URL + "?" + url.Values{"utm_campaign": {"tt4d_open_api"}, "utm_source": {sandbox.ClientID}}.Encode()
	title := l.Title
	if l.Kind == film {
		title = l.Caption
	}
	a, _ := p.core.AccountByName(name, l.Account)
	all := map[string]any{
		"id": l.ID, "create_time": l.At.Unix(), "cover_image_url": a.Avatar, "share_url": shared, "video_description": short(l.Caption),
		"duration": 0, "height": 0, "width": 0, "title": short(title), "embed_html": "", "embed_link": shared, "like_count": n.Likes,
		"comment_count": n.Comments, "share_count": n.Shares, "view_count": n.Views, "is_aigc": false,
	}
	if l.File != nil && (slices.Contains(fields, "duration") || slices.Contains(fields, "height") || slices.Contains(fields, "width")) {
		p.measure(l, all)
	}
	if len(l.Files) > 0 {
		all["cover_image_url"] = l.Files[0].URL
	}
	out := map[string]any{}
	for _, f := range fields {
		out[f] = all[f]
	}
	return out
}

func short(text string) string {
	r := []rune(text)
	return string(r[:min(len(r), listed)])
}

// seconds rounds down, as the API does.
func seconds(d time.Duration) int64 { return int64(d / time.Second) }
