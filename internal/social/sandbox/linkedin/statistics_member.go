// SPDX-License-Identifier: Apache-2.0

package linkedin

import (
	"net/http"
	"regexp"
	"strings"
	"time"

	"github.com/reelops/reelops/internal/social/sandbox"
)

// mine returns the sum of the analytics of one post of the member, or of all posts. It writes an error if there is one.
func (p *Platform) mine(w http.ResponseWriter, r *request) (n sandbox.Numbers, ok bool) {
	q := r.URL.Query()
	p.mu.Lock()
	undeveloped := p.rules.Undeveloped
	p.mu.Unlock()
	switch {
	case undeveloped:
		refuse(w, http.StatusNotFound, "RESOURCE_NOT_FOUND", "No virtual resource found")
		return n, false
	case !r.token.Allows(scopeMine):
		denied(w, "memberCreatorAnalytics.FINDER.NO_VERSION")
		return n, false
	}
	now := p.core.Now()
	switch q.Get("q") {
	case "me":
		for _, l := range p.landed(r.member.ID) {
			m := l.Numbers(now)
			n.Views, n.Reach, n.Likes, n.Comments, n.Shares, n.Saves = n.Views+m.Views, n.Reach+m.Reach, n.Likes+m.Likes, n.Comments+m.Comments, n.Shares+m.Shares, n.Saves+m.Saves
			n.Watched += m.Watched
		}
		return n, true
	case "entity":
	default:
		refuse(w, http.StatusBadRequest, "ILLEGAL_ARGUMENT", "The finder is not known.")
		return n, false
	}
	m := entity.FindStringSubmatch(q.Get("entity"))
	if m == nil || (m[1] == "share") != strings.HasPrefix(m[2], shareURN) {
		refuse(w, http.StatusBadRequest, "ILLEGAL_ARGUMENT", "entity is not valid")
		return n, false
	}
	l, there := p.core.LandedByID(name, m[2])
	switch {
	case !there:
		refuse(w, http.StatusNotFound, "NOT_FOUND", "Could not find entity")
		return n, false
	case l.AccountID != r.member.ID:
		denied(w, "memberCreatorAnalytics.FINDER-entity.NO_VERSION")
		return n, false
	}
	return l.Numbers(now), true
}

// entity matches one post and the kind of its URN.
var entity = regexp.MustCompile(`^\((share|ugc):(urn:li:(?:share|ugcPost):[0-9]+)\)$`)

// memberPosts returns one metric of one post, or of all posts. Saves are available from version 202604.
func (p *Platform) memberPosts(w http.ResponseWriter, r *request) {
	n, ok := p.mine(w, r)
	if !ok {
		return
	}
	counts := map[string]int64{"IMPRESSION": n.Views, "MEMBERS_REACHED": n.Reach, "REACTION": n.Likes, "COMMENT": n.Comments, "RESHARE": n.Shares}
	if r.Header.Get("LinkedIn-Version") >= "202604" {
		counts["POST_SAVE"], counts["POST_SEND"] = n.Saves, n.Saves/2
	}
	p.metric(w, r, "CreatorPostAnalyticsMetricTypeV1", counts)
}

// memberVideos returns one metric of videos. Times are in milliseconds.
func (p *Platform) memberVideos(w http.ResponseWriter, r *request) {
	n, ok := p.mine(w, r)
	if !ok {
		return
	}
	p.metric(w, r, "CreatorVideoAnalyticsMetricTypeV1", map[string]int64{
		"VIDEO_PLAY": n.Views, "VIDEO_VIEWER": n.Reach, "VIDEO_WATCH_TIME": n.Watched.Milliseconds(),
	})
}

func (p *Platform) metric(w http.ResponseWriter, r *request, of string, counts map[string]int64) {
	q := r.URL.Query()
	kind := q.Get("queryType")
	count, known := counts[kind]
	switch {
	case !known:
		refuse(w, http.StatusBadRequest, "INVALID_VALUE_FOR_FIELD", "queryType is not known")
		return
	case q.Get("aggregation") != "" && q.Get("aggregation") != "TOTAL":
		refuse(w, http.StatusBadRequest, "INVALID_VALUE_FOR_FIELD", "aggregation is not supported")
		return
	}
	// Up to version 202604 the type was an object.
	var metric any = kind
	if r.Header.Get("LinkedIn-Version") < "202605" {
		metric = map[string]string{"com.linkedin.adsexternalapi.memberanalytics.v1." + of: kind}
	}
	r.page(w, []any{map[string]any{"count": count, "dateRange": map[string]any{}, "metricType": metric}}, 100)
}

// memberFollowers returns the number of followers now, or at the end of each day of a range.
func (p *Platform) memberFollowers(w http.ResponseWriter, r *request) {
	q := r.URL.Query()
	p.mu.Lock()
	undeveloped := p.rules.Undeveloped
	p.mu.Unlock()
	now := p.core.Now()
	switch {
	case undeveloped:
		refuse(w, http.StatusNotFound, "RESOURCE_NOT_FOUND", "No virtual resource found")
		return
	case !r.token.Allows(scopeFollow):
		denied(w, "memberFollowersCount.FINDER.NO_VERSION")
		return
	case q.Get("q") == "me":
		r.page(w, []any{map[string]any{"memberFollowersCount": followers(r.member, now)}}, 100)
		return
	case q.Get("q") != "dateRange":
		refuse(w, http.StatusBadRequest, "ILLEGAL_ARGUMENT", "The finder is not known.")
		return
	}
	m := dateRange.FindStringSubmatch(q.Get("dateRange"))
	if m == nil {
		refuse(w, http.StatusBadRequest, "ILLEGAL_ARGUMENT", "dateRange is not valid")
		return
	}
	date := func(m []string) time.Time {
		return time.Date(int(integer(m[0])), time.Month(integer(m[1])), int(integer(m[2])), 0, 0, 0, 0, time.UTC)
	}
	all := []any{}
	for day, end := date(m[1:]), date(m[4:]); day.Before(end); {
		next := day.AddDate(0, 0, 1)
		if next.After(now) {
			break // the day has not ended
		}
		all = append(all, map[string]any{"memberFollowersCount": followers(r.member, next), "dateRange": map[string]any{"start": calendar(day), "end": calendar(next)}})
		day = next
	}
	whole(w, all)
}

// dateRange matches a range of days.
var dateRange = regexp.MustCompile(`^\(start:\(year:([0-9]{4}),month:([0-9]{1,2}),day:([0-9]{1,2})\),end:\(year:([0-9]{4}),month:([0-9]{1,2}),day:([0-9]{1,2})\)\)$`)

func calendar(t time.Time) map[string]int {
	return map[string]int{"year": t.Year(), "month": int(t.Month()), "day": t.Day()}
}
