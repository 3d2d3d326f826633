// SPDX-License-Identifier: Apache-2.0

package youtube

import (
	"cmp"
	"fmt"
	"iter"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/reelops/reelops/internal/social/sandbox"
)

// numbers returns the analytics of a video up to a point in time.
func (p *Platform) numbers(v *video, until time.Time) sandbox.Numbers {
	l, ok := p.core.LandedByID(name, v.id)
	if !ok {
		return sandbox.Numbers{}
	}
	return l.Numbers(until)
}

// counters returns the statistics of a video in the format of the API: as strings, and without hidden counters.
func (p *Platform) counters(v *video, now time.Time) map[string]any {
	n := p.numbers(v, now)
	c := map[string]any{"viewCount": strconv.FormatInt(n.Views, 10), "favoriteCount": "0", "commentCount": strconv.FormatInt(n.Comments, 10)}
	if v.status.PublicStats == nil || *v.status.PublicStats {
		c["likeCount"] = strconv.FormatInt(n.Likes, 10)
	}
	return c
}

// stats returns the statistics of many videos.
func (p *Platform) stats(w http.ResponseWriter, r request) {
	parts, e := partsOf(r, "id", "statistics", "snippet", "contentDetails")
	var ids []string
	if e == nil {
		ids, e = idsOf(r)
	}
	if e != nil {
		e.write(w)
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.core.Now()
	items := []map[string]any{}
	for _, id := range ids {
		v := p.videos[id]
		if v == nil || v.privacy == sandbox.Private && v.account.Name != r.account.Name {
			continue
		}
		out := map[string]any{"kind": "youtube#videoStat", "id": id}
		for _, part := range parts {
			switch part {
			case "statistics":
				c := p.counters(v, now)
				delete(c, "favoriteCount")
				out[part] = c
			case "snippet":
				out[part] = map[string]any{"publishTime": v.stamp().Format(time.RFC3339)}
			case "contentDetails":
				if d, known := v.duration(); known {
					out[part] = map[string]any{"duration": fmt.Sprintf("%ds", int(d.Seconds()))}
				}
			}
		}
		items = append(items, out)
	}
	writeJSON(w, http.StatusOK, map[string]any{"kind": "youtube#batchGetStatsResponse", "etag": sandbox.Letters(27), "items": items})
}

// metrics computes metrics by name from the analytics at two points in time.
var metrics = map[string]func(from, to sandbox.Numbers) any{
	"views":                   func(f, t sandbox.Numbers) any { return t.Views - f.Views },
	"engagedViews":            func(f, t sandbox.Numbers) any { return t.Reach - f.Reach },
	"likes":                   func(f, t sandbox.Numbers) any { return t.Likes - f.Likes },
	"dislikes":                func(f, t sandbox.Numbers) any { return (t.Likes - f.Likes) / 50 },
	"comments":                func(f, t sandbox.Numbers) any { return t.Comments - f.Comments },
	"shares":                  func(f, t sandbox.Numbers) any { return t.Shares - f.Shares },
	"videosAddedToPlaylists":  func(f, t sandbox.Numbers) any { return t.Saves - f.Saves },
	"subscribersGained":       func(f, t sandbox.Numbers) any { return gained(t.Likes) - gained(f.Likes) },
	"subscribersLost":         func(f, t sandbox.Numbers) any { return lost(t.Likes) - lost(f.Likes) },
	"estimatedMinutesWatched": func(f, t sandbox.Numbers) any { return int64((t.Watched - f.Watched).Minutes()) },
	"averageViewDuration": func(f, t sandbox.Numbers) any {
		return int64((t.Watched - f.Watched).Seconds()) / max(1, t.Views-f.Views)
	},
	averageViewPercentage: func(f, t sandbox.Numbers) any {
		return min(100, 100*(t.Watched-f.Watched).Seconds()/float64(max(1, t.Views-f.Views))/typicalLength.Seconds())
	},
}

// averageViewPercentage is the only metric that is not an integer. It assumes typicalLength for every video.
const (
	averageViewPercentage = "averageViewPercentage"
	typicalLength         = 30 * time.Second
)

// gained and lost return the subscribers gained and lost for a number of likes.
func gained(likes int64) int64 { return likes / 20 }
func lost(likes int64) int64   { return likes / 200 }

// maxRanking is the maximum number of rows in a report by video.
const maxRanking = 200

// report is a parsed report query.
type report struct {
	from, to        time.Time
	metrics, by     []string
	videos          []string
	sort            string
	start, maxLines int
}

// reports writes a report: analytics by day and video, up to the reporting delay.
func (p *Platform) reports(w http.ResponseWriter, r request) {
	ask, e := readReport(r)
	if e != nil {
		e.write(w)
		return
	}
	p.mu.Lock()
	if p.rules.NoReports {
		p.mu.Unlock()
		reason(http.StatusForbidden, "accessNotConfigured", "YouTube Analytics API has not been used in project 404404404404 before or it is disabled.").write(w)
		return
	}
	rows := p.table(ask, r.account)
	p.mu.Unlock()
	head := []map[string]string{}
	for _, d := range ask.by {
		head = append(head, map[string]string{"name": d, "columnType": "DIMENSION", "dataType": "STRING"})
	}
	for _, m := range ask.metrics {
		kind := "INTEGER"
		if m == averageViewPercentage {
			kind = "FLOAT"
		}
		head = append(head, map[string]string{"name": m, "columnType": "METRIC", "dataType": kind})
	}
	doc := map[string]any{"kind": "youtubeAnalytics#resultTable", "columnHeaders": head}
	if len(rows) > 0 {
		doc["rows"] = rows
	}
	writeJSON(w, http.StatusOK, doc)
}

func readReport(r request) (*report, *problem) {
	q := r.URL.Query()
	no := invalid("badRequest", "The query is not supported.")
	ask := &report{start: 1, maxLines: 500, sort: q.Get("sort")}
	var err error
	if ask.from, err = time.ParseInLocation(time.DateOnly, q.Get("startDate"), california); err != nil {
		return nil, invalid("badRequest", "Field startDate is invalid.")
	}
	if ask.to, err = time.ParseInLocation(time.DateOnly, q.Get("endDate"), california); err != nil || ask.to.Before(ask.from) {
		return nil, invalid("badRequest", "Field endDate is invalid.")
	}
	if ids := q.Get("ids"); ids != "channel==MINE" && ids != "channel=="+r.account.ID {
		return nil, reason(http.StatusForbidden, "forbidden", "Forbidden")
	}
	ask.metrics = split(q.Get("metrics"))
	for _, m := range ask.metrics {
		if m == "estimatedRevenue" {
			return nil, reason(http.StatusForbidden, "forbidden", "Insufficient permission to access this report.")
		}
		if metrics[m] == nil {
			return nil, invalid("badRequest", "Unknown identifier ("+m+") given in field parameters.metrics.")
		}
	}
	ask.by = split(q.Get("dimensions"))
	if len(ask.metrics) == 0 || slices.ContainsFunc(ask.by, func(d string) bool { return d != "day" && d != "video" && d != "creatorContentType" }) {
		return nil, no
	}
	if f := q.Get("filters"); f != "" {
		ids, ok := strings.CutPrefix(f, "video==")
		if !ok {
			return nil, no
		}
		ask.videos = split(ids)
	}
	for _, n := range []struct {
		name string
		at   *int
	}{{"maxResults", &ask.maxLines}, {"startIndex", &ask.start}} {
		if v := q.Get(n.name); v != "" {
			if *n.at, err = strconv.Atoi(v); err != nil || *n.at < 1 {
				return nil, invalid("badRequest", "Field "+n.name+" is invalid.")
			}
		}
	}
	// Reports by video are rankings.
	if slices.Contains(ask.by, "video") && !slices.Contains(ask.by, "day") && (ask.sort == "" || !q.Has("maxResults") || ask.maxLines > maxRanking) {
		return nil, no
	}
	if s := strings.TrimPrefix(ask.sort, "-"); s != "" && !slices.Contains(ask.metrics, s) && !slices.Contains(ask.by, s) {
		return nil, no
	}
	return ask, nil
}

func split(s string) []string {
	return slices.DeleteFunc(strings.Split(s, ","), func(x string) bool { return x == "" })
}

// table returns the rows of a report. The caller holds the lock.
func (p *Platform) table(ask *report, a sandbox.Account) [][]any {
	last := p.core.Now().Add(-p.rules.ReportsLag).In(california)
	y, m, d := last.Date()
	if whole := time.Date(y, m, d, 0, 0, 0, 0, california); ask.to.After(whole.AddDate(0, 0, -1)) {
		ask.to = whole.AddDate(0, 0, -1) // the last complete day
	}
	if ask.to.Before(ask.from) {
		return nil
	}
	type sums struct{ from, to sandbox.Numbers }
	rows := map[string]*sums{}
	keys := map[string][]any{}
	for _, v := range p.of[a.Name] {
		if len(ask.videos) > 0 && !slices.Contains(ask.videos, v.id) {
			continue
		}
		for day, to := range ask.spans() {
			before, after := p.numbers(v, day), p.numbers(v, to)
			if after.Views == before.Views {
				continue // videos without views have no row
			}
			var key []any
			for _, by := range ask.by {
				switch by {
				case "day":
					key = append(key, day.Format(time.DateOnly))
				case "video":
					key = append(key, v.id)
				case "creatorContentType":
					key = append(key, map[bool]string{true: "shorts", false: "videoOnDemand"}[v.isShort()])
				}
			}
			k := fmt.Sprint(key...)
			if rows[k] == nil {
				rows[k], keys[k] = &sums{}, key
			}
			rows[k].from, rows[k].to = plus(rows[k].from, before), plus(rows[k].to, after)
		}
	}
	var out [][]any
	for k, s := range rows {
		line := slices.Clone(keys[k])
		for _, m := range ask.metrics {
			line = append(line, metrics[m](s.from, s.to))
		}
		out = append(out, line)
	}
	ask.order(out)
	if ask.start > len(out) {
		return nil
	}
	return out[ask.start-1 : min(len(out), ask.start-1+ask.maxLines)]
}

// spans returns the time ranges of a report: each day, or the whole range.
func (ask *report) spans() iter.Seq2[time.Time, time.Time] {
	return func(yield func(from, to time.Time) bool) {
		if !slices.Contains(ask.by, "day") {
			yield(ask.from, ask.to.AddDate(0, 0, 1))
			return
		}
		for day := ask.from; !day.After(ask.to); day = day.AddDate(0, 0, 1) {
			if !yield(day, day.AddDate(0, 0, 1)) {
				return
			}
		}
	}
}

func plus(a, b sandbox.Numbers) sandbox.Numbers {
	return sandbox.Numbers{
		Views: a.Views + b.Views, Reach: a.Reach + b.Reach, Likes: a.Likes + b.Likes, Comments: a.Comments + b.Comments,
		Shares: a.Shares + b.Shares, Saves: a.Saves + b.Saves, Watched: a.Watched + b.Watched,
	}
}

// order sorts rows by the requested column, then by their dimensions.
func (ask *report) order(rows [][]any) {
	name, down := strings.CutPrefix(ask.sort, "-")
	column := slices.Index(append(slices.Clone(ask.by), ask.metrics...), name)
	slices.SortFunc(rows, func(a, b []any) int {
		c := 0
		if column >= 0 {
			c = compare(a[column], b[column])
		}
		if down {
			c = -c
		}
		for i := 0; c == 0 && i < len(ask.by); i++ {
			c = compare(a[i], b[i])
		}
		return c
	})
}

func compare(a, b any) int {
	switch x := a.(type) {
	case int64:
		return cmp.Compare(x, b.(int64))
	case float64:
		return cmp.Compare(x, b.(float64))
	}
	return cmp.Compare(fmt.Sprint(a), fmt.Sprint(b))
}
