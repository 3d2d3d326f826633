// SPDX-License-Identifier: Apache-2.0

package linkedin

import (
	"hash/fnv"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/reelops/reelops/internal/sandbox"
)

// statistics are those of pages, for administrators, and those of members for themselves.
func (p *Platform) statistics(call func(pattern, operation string, h http.HandlerFunc)) {
	call("GET /rest/networkSizes/{urn}", "networkSizes", p.as(p.networkSize))
	call("GET /rest/organizationalEntityShareStatistics", "shareStatistics", p.as(p.shareStatistics))
	call("GET /rest/organizationalEntityFollowerStatistics", "followerStatistics", p.as(p.followerStatistics))
	call("GET /rest/videoAnalytics", "videoAnalytics", p.as(p.videoAnalytics))
	call("GET /rest/organizationPageStatistics", "pageStatistics", p.as(p.pageStatistics))
	call("GET /rest/socialMetadata/{urn}", "socialMetadata", p.as(p.socialMetadata))
	call("GET /rest/memberCreatorPostAnalytics", "memberPostAnalytics", p.as(p.memberPosts))
	call("GET /rest/memberCreatorVideoAnalytics", "memberVideoAnalytics", p.as(p.memberVideos))
	call("GET /rest/memberFollowersCount", "memberFollowersCount", p.as(p.memberFollowers))
}

// followers of an account grow a little every hour.
func (p *Platform) followers(a sandbox.Account) int64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(a.ID))
	return 500 + int64(h.Sum64()%5000) + int64(p.core.Now().Sub(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)).Hours())
}

func (p *Platform) networkSize(w http.ResponseWriter, r *request) {
	urn := r.PathValue("urn")
	if !p.administers(r, urn) || !r.token.Allows(scopeAdmin) {
		denied(w, "networkSizes.GET.NO_VERSION")
		return
	}
	write(w, http.StatusOK, map[string]any{"firstDegreeSize": p.followers(p.account(urn))})
}

// landed lists an author's living posts.
func (p *Platform) landed(author string) []sandbox.Landing {
	a := p.account(author)
	return slices.DeleteFunc(p.core.Landed(name), func(l sandbox.Landing) bool { return l.Account != a.Name })
}

func (p *Platform) shareStatistics(w http.ResponseWriter, r *request) {
	q := r.URL.Query()
	author := q.Get("organizationalEntity")
	if !p.administers(r, author) || !(r.token.Allows(scopeReadPage) || r.token.Allows(scopeAdmin)) {
		denied(w, "organizationalEntityShareStatistics.FINDER-organizationalEntity.NO_VERSION")
		return
	}
	wanted := append(list(q.Get("shares")), list(q.Get("ugcPosts"))...)
	now := p.core.Now()
	sum := func(n sandbox.Numbers) map[string]any {
		return map[string]any{
			"uniqueImpressionsCount": n.Reach, "impressionCount": n.Views, "likeCount": n.Likes, "commentCount": n.Comments,
			"shareCount": n.Shares, "clickCount": n.Likes / 2, "engagement": 0.03,
		}
	}
	var total sandbox.Numbers
	elements := []any{}
	for _, l := range p.landed(author) {
		n := l.Numbers(now)
		total.Views, total.Reach, total.Likes = total.Views+n.Views, total.Reach+n.Reach, total.Likes+n.Likes
		total.Comments, total.Shares = total.Comments+n.Comments, total.Shares+n.Shares
		if slices.Contains(wanted, l.ID) && n.Views > 0 {
			key := "share"
			if strings.HasPrefix(l.ID, ugcPostURN) {
				key = "ugcPost"
			}
			elements = append(elements, map[string]any{"totalShareStatistics": sum(n), "organizationalEntity": author, key: l.ID})
		}
	}
	if len(wanted) == 0 {
		elements = append(elements, map[string]any{"totalShareStatistics": sum(total), "organizationalEntity": author})
	}
	r.page(w, elements, 1000)
}

func (p *Platform) followerStatistics(w http.ResponseWriter, r *request) {
	author := r.URL.Query().Get("organizationalEntity")
	if !p.administers(r, author) || !r.token.Allows(scopeAdmin) {
		denied(w, "organizationalEntityFollowerStatistics.FINDER-organizationalEntity.NO_VERSION")
		return
	}
	r.page(w, []any{map[string]any{"organizationalEntity": author, "followerGains": map[string]int64{"organicFollowerGain": 24, "paidFollowerGain": 0}}}, 100)
}

func (p *Platform) videoAnalytics(w http.ResponseWriter, r *request) {
	q := r.URL.Query()
	l, ok := p.core.LandedByID(name, q.Get("entity"))
	a, _ := p.core.AccountByName(name, l.Account)
	switch {
	case !ok:
		refuse(w, http.StatusNotFound, "NOT_FOUND", "Could not find entity")
		return
	case !p.administers(r, a.ID) || !r.token.Allows(scopeReadPage):
		denied(w, "videoAnalytics.FINDER-entity.NO_VERSION")
		return
	}
	n := l.Numbers(p.core.Now())
	value, known := map[string]int64{"VIDEO_VIEW": n.Views, "VIEWER": n.Reach, "TIME_WATCHED": n.Watched.Milliseconds()}[q.Get("type")]
	if !known {
		refuse(w, http.StatusBadRequest, "INVALID_VALUE_FOR_FIELD", "type is not known")
		return
	}
	r.page(w, []any{map[string]any{"value": value, "statisticsType": q.Get("type"), "entity": q.Get("entity")}}, 100)
}

func (p *Platform) pageStatistics(w http.ResponseWriter, r *request) {
	author := r.URL.Query().Get("organization")
	if !p.administers(r, author) || !r.token.Allows(scopeAdmin) {
		denied(w, "organizationPageStatistics.FINDER-organization.NO_VERSION")
		return
	}
	views := p.followers(p.account(author)) / 3
	r.page(w, []any{map[string]any{
		"organization": author, "totalPageStatistics": map[string]any{"views": map[string]any{"allPageViews": map[string]int64{"pageViews": views}}},
	}}, 100)
}

// socialMetadata counts what people said to a page's post.
func (p *Platform) socialMetadata(w http.ResponseWriter, r *request) {
	l, ok := p.core.LandedByID(name, r.PathValue("urn"))
	switch {
	case !ok:
		refuse(w, http.StatusNotFound, "NOT_FOUND", "Could not find entity")
		return
	case !p.administers(r, l.AccountID) || !r.token.Allows(scopeReadPage):
		denied(w, "socialMetadata.GET.NO_VERSION")
		return
	}
	n := l.Numbers(p.core.Now())
	write(w, http.StatusOK, map[string]any{
		"id": l.ID, "reactionSummaries": map[string]any{"LIKE": map[string]any{"reactionType": "LIKE", "count": n.Likes}},
		"commentSummary": map[string]any{"count": n.Comments, "topLevelCount": n.Comments},
	})
}

// mine adds up the numbers of one post of the member, or of all.
func (p *Platform) mine(r *request) (n sandbox.Numbers) {
	q := r.URL.Query()
	entity := strings.Trim(q.Get("entity"), "()")
	for _, prefix := range []string{"share:", "ugc:"} {
		entity = strings.TrimPrefix(entity, prefix)
	}
	for _, l := range p.landed(r.member.ID) {
		if q.Get("q") == "me" || l.ID == entity {
			m := l.Numbers(p.core.Now())
			n.Views, n.Reach, n.Likes, n.Comments, n.Shares, n.Saves = n.Views+m.Views, n.Reach+m.Reach, n.Likes+m.Likes, n.Comments+m.Comments, n.Shares+m.Shares, n.Saves+m.Saves
			n.Watched += m.Watched
		}
	}
	return n
}

// memberPosts tells one number of one post, or of all posts.
func (p *Platform) memberPosts(w http.ResponseWriter, r *request) {
	n := p.mine(r)
	p.metric(w, r, "CreatorPostAnalyticsMetricTypeV1", map[string]int64{
		"IMPRESSION": n.Views, "MEMBERS_REACHED": n.Reach, "REACTION": n.Likes, "COMMENT": n.Comments, "RESHARE": n.Shares, "POST_SAVE": n.Saves,
	})
}

// memberVideos is the same for videos. Times are in milliseconds.
func (p *Platform) memberVideos(w http.ResponseWriter, r *request) {
	n := p.mine(r)
	p.metric(w, r, "CreatorVideoAnalyticsMetricTypeV1", map[string]int64{
		"VIDEO_PLAY": n.Views, "VIDEO_VIEWER": n.Reach, "VIDEO_WATCH_TIME": n.Watched.Milliseconds(),
	})
}

func (p *Platform) metric(w http.ResponseWriter, r *request, of string, counts map[string]int64) {
	if !r.token.Allows(scopeMine) {
		denied(w, "memberCreatorAnalytics.FINDER.NO_VERSION")
		return
	}
	kind := r.URL.Query().Get("queryType")
	count, known := counts[kind]
	if !known {
		refuse(w, http.StatusBadRequest, "INVALID_VALUE_FOR_FIELD", "queryType is not known")
		return
	}
	// Until 202604 the type was an object.
	var metric any = kind
	if r.Header.Get("LinkedIn-Version") < "202605" {
		metric = map[string]string{"com.linkedin.adsexternalapi.memberanalytics.v1." + of: kind}
	}
	r.page(w, []any{map[string]any{"count": count, "dateRange": map[string]any{}, "metricType": metric}}, 100)
}

func (p *Platform) memberFollowers(w http.ResponseWriter, r *request) {
	if !r.token.Allows(scopeFollow) {
		denied(w, "memberFollowersCount.FINDER.NO_VERSION")
		return
	}
	r.page(w, []any{map[string]any{"memberFollowersCount": p.followers(r.member)}}, 100)
}

// list reads List(a,b).
func list(s string) []string {
	inner, ok := strings.CutPrefix(s, "List(")
	if !ok {
		return nil
	}
	inner = strings.TrimSuffix(inner, ")")
	if inner == "" {
		return nil
	}
	return strings.Split(inner, ",")
}
