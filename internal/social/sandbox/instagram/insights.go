// SPDX-License-Identifier: Apache-2.0

package instagram

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/reelops/reelops/internal/social/sandbox"
)

// Metrics of a post by its kind. A metric that does not apply makes the whole call fail.
var (
	bothMetrics = []string{"views", "reach", "likes", "comments", "shares", "saved", "reposts", "total_interactions"}
	feedMetrics = []string{"follows", "profile_visits", "profile_activity"}
	reelMetrics = []string{"ig_reels_avg_watch_time", "ig_reels_video_view_total_time", "reels_skip_rate"}
	userMetrics = []string{
		"views", "reach", "accounts_engaged", "replies", "reposts", "likes", "comments", "saves", "shares", "total_interactions",
		"follows_and_unfollows", "profile_links_taps",
	}
)

// values returns the analytics of a post or an account by metric name.
func values(n sandbox.Numbers) map[string]float64 {
	total := n.Likes + n.Comments + n.Shares + n.Saves
	out := map[string]float64{
		"views": float64(n.Views), "reach": float64(n.Reach), "likes": float64(n.Likes), "comments": float64(n.Comments), "shares": float64(n.Shares),
		"saved": float64(n.Saves), "saves": float64(n.Saves), "reposts": float64(n.Shares / 3), "total_interactions": float64(total),
		"follows": float64(n.Likes / 20), "profile_visits": float64(n.Reach / 40), "profile_activity": float64(n.Reach / 90),
		"accounts_engaged": float64(total * 8 / 10), "replies": 0, "follows_and_unfollows": float64(n.Likes / 20), "profile_links_taps": float64(n.Reach / 90),
		"ig_reels_video_view_total_time": float64(n.Watched.Milliseconds()), "reels_skip_rate": 23.5,
	}
	if n.Views > 0 {
		out["ig_reels_avg_watch_time"] = float64(n.Watched.Milliseconds() / n.Views)
	}
	return out
}

// mediaInsights returns the analytics of a post: GET /{media}/insights.
func (p *Platform) mediaInsights(w http.ResponseWriter, r *http.Request) {
	_, o, ok := p.found(w, r, scopeInsights)
	if !ok {
		return
	}
	valid := append(slices.Clone(bothMetrics), feedMetrics...)
	if o.kind == kindReel {
		valid = append(slices.Clone(bothMetrics), reelMetrics...)
	}
	b := p.now()
	if b.NoInsights == NoViewers {
		refuse(10, 0, "(#10) Not enough viewers for the media to show insights").write(w)
		return
	}
	all := values(o.Numbers(p.core.Now()))
	data := []any{}
	for _, m := range strings.Split(r.URL.Query().Get("metric"), ",") {
		if !slices.Contains(valid, m) || slices.Contains(b.NoMetrics, m) {
			refuse(100, 0, "(#100) metric "+m+" is not available for this media product type").write(w)
			return
		}
		if b.NoInsights == NoDataYet {
			continue
		}
		data = append(data, map[string]any{
			"name": m, "period": "lifetime", "title": m, "description": "", "id": o.ID + "/insights/" + m + "/lifetime",
			"values": []any{map[string]any{"value": all[m]}},
		})
	}
	reply(w, http.StatusOK, map[string]any{"data": data})
}

// accountInsights returns the analytics of an account for a time range: GET /{ig}/insights.
func (p *Platform) accountInsights(w http.ResponseWriter, r *http.Request) {
	a, g := p.owner(r, scopeInsights)
	if g != nil {
		g.write(w)
		return
	}
	q := r.URL.Query()
	now := p.core.Now()
	begin, end, ok := span(q.Get("since"), q.Get("until"), now)
	series := q.Get("metric_type") == "time_series"
	metrics := strings.Split(q.Get("metric"), ",")
	switch {
	case !ok:
		refuse(100, 0, "(#100) since and until have to be times at most 30 days apart").write(w)
		return
	case q.Get("period") != "day":
		refuse(100, 0, "(#100) period has to be day").write(w)
		return
	case q.Get("metric") == "follower_count" && q.Get("metric_type") != "total_value":
		p.newFollowers(w, a, begin, end, now)
		return
	case !series && q.Get("metric_type") != "total_value":
		refuse(100, 0, "(#100) metric_type has to be total_value or time_series").write(w)
		return
	case q.Get("breakdown") != "":
		refuse(1, 0, "An unknown error has occurred").write(w)
		return
	}
	data := []any{}
	few := p.now().FewFollowers
	for _, m := range metrics {
		if few && m == "follows_and_unfollows" {
			continue
		}
		if !slices.Contains(userMetrics, m) || series && m != "reach" {
			refuse(100, 0, "(#100) metric "+m+" is not available with this metric_type").write(w)
			return
		}
		entry := map[string]any{"name": m, "period": "day", "title": m, "description": "", "id": a.ID + "/insights/" + m + "/day"}
		if series {
			entry["values"] = p.days(a, m, begin, end)
		} else {
			entry["total_value"] = map[string]any{"value": p.within(a, m, begin, end)}
		}
		data = append(data, entry)
	}
	reply(w, http.StatusOK, map[string]any{"data": data})
}

func span(since, until string, now time.Time) (begin, end time.Time, ok bool) {
	begin, end = now.Add(-24*time.Hour), now
	if until != "" {
		n, err := strconv.ParseInt(until, 10, 64)
		if err != nil {
			return begin, end, false
		}
		end = time.Unix(n, 0).UTC()
		begin = end.Add(-24 * time.Hour)
	}
	if since != "" {
		n, err := strconv.ParseInt(since, 10, 64)
		if err != nil {
			return begin, end, false
		}
		begin = time.Unix(n, 0).UTC()
	}
	return begin, end, !end.Before(begin) && end.Sub(begin) <= 30*24*time.Hour
}

// newFollowers returns the followers gained on each whole day of a time range. Days end at midnight Pacific time.
func (p *Platform) newFollowers(w http.ResponseWriter, a sandbox.Account, begin, end, now time.Time) {
	if begin.Before(now.Add(-30 * 24 * time.Hour)) {
		refuse(100, 0, "(#100) (follower_count) metric only supports querying data for the last 30 days excluding the current day").write(w)
		return
	}
	if p.now().FewFollowers {
		reply(w, http.StatusOK, map[string]any{"data": []any{}})
		return
	}
	posts := p.shown(a, everything)
	list := []any{}
	const day = 24 * time.Hour
	at := begin.Add(-dayEnds).Truncate(day).Add(dayEnds + day) // the end of the day in which the range begins
	before := gained(posts, at)
	for at = at.Add(day); !at.After(end) && !at.After(now); at = at.Add(day) {
		n := gained(posts, at)
		list = append(list, map[string]any{"value": n - before, "end_time": stamp(at)})
		before = n
	}
	reply(w, http.StatusOK, map[string]any{"data": []any{map[string]any{
		"name": "follower_count", "period": "day", "title": "Follower Count", "description": "", "id": a.ID + "/insights/follower_count/day", "values": list,
	}}})
}

// dayEnds is midnight Pacific Daylight Time, in UTC.
const dayEnds = 7 * time.Hour

// within returns the increase of a metric in a time range, over all posts of the account.
func (p *Platform) within(a sandbox.Account, metric string, begin, end time.Time) float64 {
	if now := p.core.Now(); end.After(now) {
		end = now
	}
	sum := 0.0
	for _, o := range p.shown(a, everything) {
		sum += values(o.Numbers(end))[metric] - values(o.Numbers(begin))[metric]
	}
	return max(sum, 0)
}

func (p *Platform) days(a sandbox.Account, metric string, begin, end time.Time) []any {
	out := []any{}
	for at := begin; at.Before(end); at = at.Add(24 * time.Hour) {
		out = append(out, map[string]any{"value": p.within(a, metric, at, at.Add(24*time.Hour)), "end_time": stamp(at.Add(24 * time.Hour))})
	}
	return out
}

// followers returns the number of followers. It grows with the likes of the posts.
func (p *Platform) followers(a sandbox.Account, now time.Time) int64 {
	if p.now().FewFollowers {
		return 40
	}
	return 1200 + int64(a.ID[len(a.ID)-1]-'0')*310 + gained(p.shown(a, everything), now)
}

// gained returns how many followers the posts had gained by a point in time.
func gained(posts []*post, at time.Time) (n int64) {
	for _, o := range posts {
		n += o.Numbers(at).Likes / 20
	}
	return n
}
