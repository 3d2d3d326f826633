// SPDX-License-Identifier: Apache-2.0

package instagram

import (
	"net/http"
	"net/url"
	"path"
	"strconv"
	"strings"
	"time"

	"github.com/reelops/reelops/internal/sandbox"
)

// chosen keeps the fields that are asked for, else the usual ones. One that does not exist fails the whole call.
func chosen(r *http.Request, all map[string]any, usual ...string) (map[string]any, *graphError) {
	fields := usual
	if v := r.URL.Query().Get("fields"); v != "" {
		fields = strings.Split(v, ",")
	}
	out := map[string]any{}
	for _, f := range fields {
		v, ok := all[strings.TrimSpace(f)]
		if !ok {
			return nil, refuse(100, 0, "(#100) Tried accessing nonexisting field ("+f+")")
		}
		if v != nil {
			out[f] = v
		}
	}
	if v, ok := all["id"]; ok {
		out["id"] = v
	}
	return out, nil
}

func pick(w http.ResponseWriter, r *http.Request, all map[string]any, usual ...string) *graphError {
	out, g := chosen(r, all, usual...)
	if g == nil {
		reply(w, http.StatusOK, out)
	}
	return g
}

// me describes the account: GET /me and GET /{ig}.
func (p *Platform) me(w http.ResponseWriter, r *http.Request) {
	a, g := p.caller(r, scopeBasic)
	if id := r.PathValue("id"); g == nil && id != "" && id != a.ID {
		g = missing(id)
	}
	if g != nil {
		g.write(w)
		return
	}
	p.mu.Lock()
	posts, wrapped := len(p.posts[a.Name]), p.behaviour.WrappedMe
	p.mu.Unlock()
	all := map[string]any{
		// The id is the app's own for the account, another one than that of the account.
		"id": "9" + a.ID[1:], "user_id": a.ID, "username": a.Username, "name": a.Display, "account_type": a.Type,
		"profile_picture_url": a.Avatar, "followers_count": p.followers(a, p.core.Now()), "follows_count": 120, "media_count": posts,
	}
	out, g := chosen(r, all, "id")
	if g != nil {
		g.write(w)
		return
	}
	if wrapped {
		reply(w, http.StatusOK, map[string]any{"data": []any{out}})
		return
	}
	reply(w, http.StatusOK, out)
}

// fields of a post.
func (p *Platform) fields(o *post, a sandbox.Account) map[string]any {
	mediaType, product := "VIDEO", "REELS"
	switch o.kind {
	case kindImage:
		mediaType, product = "IMAGE", "FEED"
	case kindCarousel:
		mediaType, product = "CAROUSEL_ALBUM", "FEED"
	}
	var n sandbox.Numbers
	l, _ := p.core.LandedByID(Name, o.id)
	n = l.Numbers(p.core.Now())
	out := map[string]any{
		"id": o.id, "caption": o.caption, "media_type": mediaType, "media_product_type": product, "permalink": o.url,
		"shortcode": path.Base(o.url), "timestamp": stamp(o.at), "username": a.Username, "like_count": n.Likes, "comments_count": n.Comments,
		"owner": map[string]any{"id": a.ID}, "is_comment_enabled": true, "is_shared_to_feed": true, "alt_text": nil, "thumbnail_url": nil, "media_url": nil,
	}
	if o.caption == "" {
		out["caption"] = nil
	}
	if p.now().HideLikes {
		out["like_count"] = nil
	}
	switch {
	case l.File != nil:
		out["media_url"] = l.File.URL()
	case len(l.Photos) > 0:
		out["media_url"] = l.Photos[0].URL()
	}
	return out
}

// read shows a post: GET /{media}.
func (p *Platform) read(w http.ResponseWriter, r *http.Request) {
	a, o, ok := p.found(w, r, scopeBasic)
	if !ok {
		return
	}
	if g := pick(w, r, p.fields(o, a), "id"); g != nil {
		g.write(w)
	}
}

// visible is a post of the account that is still there.
func (p *Platform) visible(a sandbox.Account, id string) *post {
	p.mu.Lock()
	o := p.byID[id]
	p.mu.Unlock()
	if o == nil || o.account != a.Name {
		return nil
	}
	if _, ok := p.core.LandedByID(Name, id); !ok {
		return nil
	}
	return o
}

// list shows the account's posts, newest first: GET /{ig}/media.
func (p *Platform) list(w http.ResponseWriter, r *http.Request) {
	a, g := p.owner(r, scopeBasic)
	if g != nil {
		g.write(w)
		return
	}
	q := r.URL.Query()
	limit := 25
	if v := q.Get("limit"); v != "" {
		n, err := strconv.Atoi(v)
		if err != nil || n < 1 {
			refuse(100, 0, "(#100) Param limit must be a positive number").write(w)
			return
		}
		limit = min(n, 100)
	}
	after := q.Get("after")
	data := []any{}
	last, more := "", false
	for _, o := range p.shown(a) {
		if after != "" {
			if o.id == after {
				after = ""
			}
			continue
		}
		if len(data) == limit {
			more = true
			break
		}
		out, g := chosen(r, p.fields(o, a), "id")
		if g != nil {
			g.write(w)
			return
		}
		data, last = append(data, out), o.id
	}
	answer := map[string]any{"data": data}
	if len(data) > 0 {
		first, _ := data[0].(map[string]any)["id"].(string)
		paging := map[string]any{"cursors": map[string]any{"before": first, "after": last}}
		if more {
			next := url.Values{"fields": {q.Get("fields")}, "limit": {strconv.Itoa(limit)}, "after": {last}}
			paging["next"] = p.core.URL(Name, "/"+r.PathValue("version")+"/"+a.ID+"/media?"+next.Encode())
		}
		answer["paging"] = paging
	}
	reply(w, http.StatusOK, answer)
}

// shown are the posts of an account that its list has already, newest first.
func (p *Platform) shown(a sandbox.Account) []*post {
	p.mu.Lock()
	list := p.posts[a.Name]
	lag := time.Duration(p.behaviour.ListLag)
	p.mu.Unlock()
	var out []*post
	now := p.core.Now()
	for i := len(list) - 1; i >= 0; i-- {
		o := list[i]
		if _, there := p.core.LandedByID(Name, o.id); there && !now.Before(o.at.Add(lag)) {
			out = append(out, o)
		}
	}
	return out
}
