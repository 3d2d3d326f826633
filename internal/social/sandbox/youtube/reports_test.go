// SPDX-License-Identifier: Apache-2.0

package youtube

import (
	"fmt"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestCountersGrow(t *testing.T) {
	r := newRig(t)
	id := r.upload(`{"snippet":{"title":"t"}}`)
	read := func() (views, likes int) {
		s := r.call("GET", "/youtube/v3/videos?part=statistics&id="+id, nil).items()[0].(map[string]any)["statistics"].(map[string]any)
		views, _ = strconv.Atoi(s["viewCount"].(string)) // as a string
		likes, _ = strconv.Atoi(s["likeCount"].(string))
		b := r.call("GET", "/youtube/v3/videos:batchGetStats?part=statistics,snippet,contentDetails&id="+id, nil).items()[0].(map[string]any)
		if b["statistics"].(map[string]any)["viewCount"] != s["viewCount"] || b["contentDetails"].(map[string]any)["duration"] != "1s" {
			t.Errorf("the batch has %v, the video %v", b, s)
		}
		return views, likes
	}
	last := -1
	for range 5 {
		views, likes := read()
		if views <= last || likes > views {
			t.Errorf("got %d views after %d, %d likes", views, last, likes)
		}
		last = views
		r.clock.Step(10 * time.Minute)
	}
	// Hiding the public statistics hides the likes.
	if a := r.call("PUT", "/youtube/v3/videos?part=status", fmt.Appendf(nil, `{"id":%q,"status":{"privacyStatus":"public","publicStatsViewable":false}}`, id)); a.status != 200 {
		t.Fatal(a.doc)
	}
	s := r.call("GET", "/youtube/v3/videos?part=statistics&id="+id, nil).items()[0].(map[string]any)["statistics"].(map[string]any)
	if _, there := s["likeCount"]; there {
		t.Errorf("hidden: got %v", s)
	}
}

func TestReports(t *testing.T) {
	r := newRig(t)
	id := r.upload(`{"snippet":{"title":"t"}}`)
	day := func(n int) string { return time.Date(2026, 11, 21+n, 0, 0, 0, 0, time.UTC).Format(time.DateOnly) }
	report := func(query string) answer {
		r.token = r.grant("maya", reporting[0])
		return r.call("GET", "/v2/reports?ids=channel%3D%3DMINE&startDate="+day(-1)+"&endDate="+day(9)+query, nil)
	}
	if a := report("&metrics=views&dimensions=day"); a.status != 200 || a.doc["rows"] != nil {
		t.Errorf("too early: got %d %v", a.status, a.doc)
	}
	r.clock.SetTime(time.Date(2026, 11, 24, 0, 0, 0, 0, california))
	r.token = r.grant("maya", scopes+"youtube")
	channel := r.call("GET", "/youtube/v3/channels?part=statistics&mine=true", nil).items()[0].(map[string]any)["statistics"].(map[string]any)
	r.clock.Step(54 * time.Hour) // the 26th: the 23rd is the last complete day in reports
	a := report("&metrics=views,likes,averageViewDuration&dimensions=day&sort=day")
	var days []string
	for _, row := range a.doc["rows"].([]any) {
		days = append(days, row.([]any)[0].(string))
	}
	if diff := cmp.Diff([]string{day(0), day(1), day(2)}, days); diff != "" {
		t.Errorf("days: got %s", diff)
	}
	if h := a.doc["columnHeaders"].([]any); len(h) != 4 || h[1].(map[string]any)["name"] != "views" || h[0].(map[string]any)["columnType"] != "DIMENSION" {
		t.Errorf("columns: got %v", h)
	}
	total := report("&metrics=views&dimensions=video&filters=video%3D%3D" + id + ",none&sort=-views&maxResults=200").doc["rows"].([]any)
	sum := 0.0
	for _, row := range a.doc["rows"].([]any) {
		sum += row.([]any)[1].(float64)
	}
	if len(total) != 1 || total[0].([]any)[0] != id || total[0].([]any)[1].(float64) != sum || sum == 0 {
		t.Errorf("of the video: got %v, of its days %v", total, sum)
	}
	for query, status := range map[string]int{
		"&metrics=nonsense": 400, "": 400, "&metrics=views&dimensions=planet": 400, "&metrics=views&filters=country%3D%3DDE": 400, "&metrics=estimatedRevenue": 403, "&metrics=views&sort=likes": 400,
		// A report by video is a ranking with at most 200 rows.
		"&metrics=views&dimensions=video": 400, "&metrics=views&dimensions=video&sort=-views": 400, "&metrics=views&dimensions=video&sort=-views&maxResults=201": 400,
	} {
		if a := report(query); a.status != status {
			t.Errorf("%s: got %d, want %d", query, a.status, status)
		}
	} // The scope to manage videos does not include reports.
	r.token = r.grant("maya", scopes+"youtube.force-ssl")
	if a := r.call("GET", "/v2/reports?ids=channel%3D%3DMINE&startDate=2026-11-01&endDate=2026-11-20&metrics=views", nil); a.status != 403 || a.reason() != "insufficientPermissions" {
		t.Errorf("without the scope: got %d %v", a.status, a.doc)
	}
	// Subscribers gained minus lost per day equals the growth of the channel up to the end of the last reported day.
	r.token = r.grant("maya", scopes+"youtube")
	a = r.call("GET", "/v2/reports?ids=channel%3D%3DMINE&startDate=2026-11-01&endDate=2026-11-30&metrics=subscribersGained,subscribersLost&dimensions=day&sort=day", nil)
	more := int64(0)
	for _, row := range a.doc["rows"].([]any) {
		more += int64(row.([]any)[1].(float64) - row.([]any)[2].(float64))
	}
	if then, _ := strconv.ParseInt(channel["subscriberCount"].(string), 10, 64); more <= 0 || then != rounded(1200+more) {
		t.Errorf("got %d more by day, and %d in total", more, then)
	}
}
