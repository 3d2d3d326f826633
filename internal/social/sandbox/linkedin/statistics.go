// SPDX-License-Identifier: Apache-2.0

package linkedin

import (
	"hash/fnv"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/reelops/reelops/internal/social/sandbox"
)

// statistics registers the statistics calls: those of pages, for administrators, and those of members, for themselves.
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

// followers returns the number of followers of an account at a point in time. It grows by one every hour.
func followers(a sandbox.Account, at time.Time) int64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(a.ID))
	return 500 + int64(h.Sum64()%5000) + int64(at.Sub(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)).Hours())
}

// behind is the delay of daily statistics.
const behind = 48 * time.Hour

func (p *Platform) networkSize(w http.ResponseWriter, r *request) {
	urn := r.PathValue("urn")
	if !p.administers(r, urn) || !r.token.Allows(scopeAdmin) {
		denied(w, "networkSizes.GET.NO_VERSION")
		return
	}
	write(w, http.StatusOK, map[string]any{"firstDegreeSize": followers(p.account(urn), p.core.Now())})
}

// landed returns an author's existing posts.
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

// followerStatistics returns the followers gained each day, week or month. Without timeIntervals it returns
// demographics.
func (p *Platform) followerStatistics(w http.ResponseWriter, r *request) {
	q := r.URL.Query()
	author := q.Get("organizationalEntity")
	if !p.administers(r, author) || !r.token.Allows(scopeAdmin) {
		denied(w, "organizationalEntityFollowerStatistics.FINDER-organizationalEntity.NO_VERSION")
		return
	}
	a := p.account(author)
	all := []any{}
	if q.Get("timeIntervals") == "" {
		n := followers(a, p.core.Now())
		r.page(w, append(all, map[string]any{"organizationalEntity": author, "followerCountsByGeoCountry": []any{
			map[string]any{"geo": "urn:li:geo:103644278", "followerCounts": map[string]int64{"organicFollowerCount": n, "paidFollowerCount": 0}},
		}}), 100)
		return
	}
	m := intervals.FindStringSubmatch(q.Get("timeIntervals"))
	if m == nil {
		refuse(w, http.StatusBadRequest, "ILLEGAL_ARGUMENT", "timeIntervals is not valid")
		return
	}
	from, to := time.UnixMilli(integer(m[1])).UTC(), time.UnixMilli(integer(m[2])).UTC()
	now := p.core.Now()
	if from.Before(now.AddDate(-1, 0, 0)) || !from.Before(to) {
		refuse(w, http.StatusBadRequest, "INVALID_VALUE_FOR_FIELD", "timeIntervals is not within the last twelve months")
		return
	}
	step := map[string][2]int{"DAY": {0, 1}, "WEEK": {0, 7}, "MONTH": {1, 0}}[m[3]]
	for at := from.Truncate(24 * time.Hour); at.Before(to); {
		next := at.AddDate(0, step[0], step[1])
		if next.After(now.Add(-behind)) {
			break // not available yet
		}
		all = append(all, map[string]any{
			"organizationalEntity": author, "timeRange": map[string]int64{"start": at.UnixMilli(), "end": next.UnixMilli()},
			"followerGains": map[string]int64{"organicFollowerGain": followers(a, next) - followers(a, at), "paidFollowerGain": 0},
		})
		at = next
	}
	whole(w, all)
}

// intervals matches a time range in milliseconds and its granularity.
var intervals = regexp.MustCompile(`^\(timeRange:\(start:([0-9]{1,15}),end:([0-9]{1,15})\),timeGranularityType:(DAY|WEEK|MONTH)\)$`)

func integer(s string) int64 {
	n, _ := strconv.ParseInt(s, 10, 64) // at most 15 digits, so parsing cannot fail
	return n
}

// whole writes a list without pagination.
func whole(w http.ResponseWriter, all []any) {
	write(w, http.StatusOK, map[string]any{"elements": all, "paging": map[string]any{"start": 0, "count": len(all), "links": []any{}}})
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
	views := followers(p.account(author), p.core.Now()) / 3
	r.page(w, []any{map[string]any{
		"organization": author, "totalPageStatistics": map[string]any{"views": map[string]any{"allPageViews": map[string]int64{"pageViews": views}}},
	}}, 100)
}

// socialMetadata returns the reactions and comments of a page's post.
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

// list parses List(a,b).
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
