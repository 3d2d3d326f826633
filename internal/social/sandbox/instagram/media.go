// SPDX-License-Identifier: Apache-2.0

package instagram

import (
	"fmt"
	"math"
	"net/http"
	"net/url"
	"path"
	"sort"
	"strconv"
	"strings"
	"time"

	"github.com/reelops/reelops/internal/social/sandbox"
	"github.com/reelops/reelops/internal/social/sandbox/timeline"
)

// chosen returns the fields that the query requests, or the usual ones. An unknown field makes the whole call fail.
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

// me returns the account: GET /me and GET /{ig}.
func (p *Platform) me(w http.ResponseWriter, r *http.Request) {
	a, g := p.caller(r, scopeBasic)
	if id := r.PathValue("id"); g == nil && id != "" && id != a.ID {
		g = missing(id)
	}
	if g != nil {
		g.write(w)
		return
	}
	all := map[string]any{
		// id is scoped to the app and differs from the account's own ID.
		"id": "9" + a.ID[1:], "user_id": a.ID, "username": a.Username, "name": a.Display, "account_type": a.Type,
		"profile_picture_url": a.Avatar, "followers_count": p.followers(a, p.core.Now()), "follows_count": 120,
		"biography": nil, "media_count": len(p.living(a, everything)),
	}
	out, g := chosen(r, all, "id")
	if g != nil {
		g.write(w)
		return
	}
	if p.now().WrappedMe {
		reply(w, http.StatusOK, map[string]any{"data": []any{out}})
		return
	}
	reply(w, http.StatusOK, out)
}

// fields returns all fields of a post.
func (p *Platform) fields(o *post, a sandbox.Account) map[string]any {
	mediaType, product := "VIDEO", "REELS"
	switch o.kind {
	case kindImage:
		mediaType, product = "IMAGE", "FEED"
	case kindCarousel:
		mediaType, product = "CAROUSEL_ALBUM", "FEED"
	}
	l := o.Landing
	n := l.Numbers(p.core.Now())
	out := map[string]any{
		"id": o.ID, "caption": o.Caption, "media_type": mediaType, "media_product_type": product, "permalink": o.URL,
		"shortcode": path.Base(o.URL), "timestamp": stamp(o.At), "username": a.Username, "like_count": n.Likes, "comments_count": n.Comments,
		"owner": map[string]any{"id": a.ID}, "is_comment_enabled": true, "is_shared_to_feed": !l.OffFeed,
		"alt_text": nil, "thumbnail_url": nil, "media_url": nil,
	}
	if o.Caption == "" {
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
	case o.kind != kindReel:
		out["media_url"] = a.Avatar
	}
	if o.kind == kindReel {
		out["thumbnail_url"] = a.Avatar
	}
	return out
}

// read returns a post: GET /{media}.
func (p *Platform) read(w http.ResponseWriter, r *http.Request) {
	a, o, ok := p.found(w, r, scopeBasic)
	if !ok {
		return
	}
	if g := pick(w, r, p.fields(o, a), "id"); g != nil {
		g.write(w)
	}
}

// visible returns a public post of the account, or nil.
func (p *Platform) visible(a sandbox.Account, id string) *post {
	l := p.landed.Find(id)
	if l == nil || l.Account != a.Name || l.Visibility != sandbox.Public {
		return nil
	}
	return postOf(l)
}

// list returns the account's posts, newest first: GET /{ig}/media.
func (p *Platform) list(w http.ResponseWriter, r *http.Request) {
	a, g := p.owner(r, scopeBasic)
	if g != nil {
		g.write(w)
		return
	}
	q := r.URL.Query()
	limit, which, g := listing(q)
	if g != nil {
		g.write(w)
		return
	}
	which.most = limit + 1
	posts := p.shown(a, which)
	page := posts[:min(limit, len(posts))]
	data := []any{}
	for _, o := range page {
		out, g := chosen(r, p.fields(o, a), "id")
		if g != nil {
			g.write(w)
			return
		}
		data = append(data, out)
	}
	answer := map[string]any{"data": data}
	if len(page) > 0 {
		last := cursor(page[len(page)-1])
		paging := map[string]any{"cursors": map[string]any{"before": cursor(page[0]), "after": last}}
		if len(posts) > len(page) {
			q.Set("limit", strconv.Itoa(limit))
			q.Set("after", last)
			q.Del("access_token")
			paging["next"] = p.core.URL(Name, "/"+r.PathValue("version")+"/"+a.ID+"/media?"+q.Encode())
		}
		answer["paging"] = paging
	}
	reply(w, http.StatusOK, answer)
}

// part selects posts of an account: from since to until, after the post behind, and at most most of them.
type part struct {
	since, until time.Time
	behind       *sandbox.Landing
	most         int
}

var everything = part{since: time.Unix(0, 0), until: time.Unix(1<<40, 0), most: math.MaxInt}

// listing parses the query of a list: the page size and the selection.
func listing(q url.Values) (limit int, which part, g *graphError) {
	limit, which = 25, everything
	if v := q.Get("limit"); v != "" {
		n, err := strconv.Atoi(v)
		if err != nil || n < 1 {
			return 0, which, refuse(100, 0, "(#100) Param limit must be a positive number")
		}
		limit = min(n, 100)
	}
	for name, at := range map[string]*time.Time{"since": &which.since, "until": &which.until} {
		if v := q.Get(name); v != "" {
			n, err := strconv.ParseInt(v, 10, 64)
			if err != nil {
				return 0, which, refuse(100, 0, "(#100) Param "+name+" must be a time")
			}
			*at = time.Unix(n, 0)
		}
	}
	if v := q.Get("after"); v != "" {
		at, id, _ := strings.Cut(strings.TrimPrefix(v, cursorPrefix), ".")
		n, err := strconv.ParseInt(at, 10, 64)
		if err != nil {
			return 0, which, refuse(100, 0, "(#100) Param after is not a cursor of this list")
		}
		which.behind = &sandbox.Landing{ID: id, At: time.Unix(0, n)}
	}
	return limit, which, nil
}

// cursor encodes the position of a post in its account's list. It stays valid when the post is deleted.
func cursor(o *post) string { return fmt.Sprintf("%s%d.%s", cursorPrefix, o.At.UnixNano(), o.ID) }

const cursorPrefix = "QVFI"

// living returns the selected public posts of an account, newest first.
func (p *Platform) living(a sandbox.Account, which part) []*post {
	all := p.landed.Of(a.Name)
	if which.behind != nil {
		all = all[sort.Search(len(all), func(i int) bool { return timeline.NewestFirst(which.behind, all[i]) < 0 }):]
	}
	var out []*post
	now := p.core.Now()
	for _, l := range all {
		if len(out) == which.most {
			break
		}
		if l.Visibility == sandbox.Public && !now.Before(l.At) && !l.At.Before(which.since) && !l.At.After(which.until) {
			out = append(out, postOf(l))
		}
	}
	return out
}

// shown returns the selected posts that appear in the account's list, which lags by Behaviour.ListLag.
func (p *Platform) shown(a sandbox.Account, which part) []*post {
	if until := p.core.Now().Add(-time.Duration(p.now().ListLag)); until.Before(which.until) {
		which.until = until
	}
	return p.living(a, which)
}
