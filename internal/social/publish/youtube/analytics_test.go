// SPDX-License-Identifier: Apache-2.0

package youtube

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	testclock "k8s.io/utils/clock/testing"

	"github.com/reelops/reelops/internal/social/analytics"
	"github.com/reelops/reelops/internal/social/publish"
	"github.com/reelops/reelops/internal/social/sandbox"
)

// requests returns the requests since the last call, without the parts that all of them share.
func (r *rig) requests() []string {
	r.t.Helper()
	r.wire.mu.Lock()
	lines := slices.Clone(r.wire.lines)
	r.wire.mu.Unlock()
	r.wire.clear()
	for i, l := range lines {
		text, err := url.QueryUnescape(strings.Replace(l, "GET /youtube", "", 1))
		if err != nil {
			r.t.Fatal(err)
		}
		lines[i] = text
	}
	return lines
}

// people creates posts as a user does, the newest an hour ago.
func (r *rig) people(n int) []sandbox.Landing {
	r.t.Helper()
	list, err := r.core.PostElsewhere(sandbox.Elsewhere{Platform: "youtube", Account: "maya", Title: "Rye", Caption: "Slow", At: r.clock.Now().Add(-time.Hour), Count: n, Minutes: 7 * 60})
	if err != nil {
		r.t.Fatal(err)
	}
	return list
}

func (r *rig) page(cursor string) *analytics.Page {
	r.t.Helper()
	p, err := r.Page(r.t.Context(), r.account, cursor)
	if err != nil {
		r.t.Fatal(err)
	}
	return p
}

// Each request costs one quota unit. Reports have a quota of their own.
func TestRefresh_CostsFewUnits(t *testing.T) {
	r := newRig(t)
	posts := r.people(120)
	uploads := "UU" + strings.TrimPrefix(r.account.ID, "UC")
	r.wire.clear()

	if _, err := r.Totals(t.Context(), r.account); err != nil {
		t.Fatal(err)
	}
	want := []string{
		"/youtube/v3/channels?mine=true&part=statistics",
		"/v2/reports?dimensions=day&endDate=2026-11-21&ids=channel==MINE&metrics=subscribersGained,subscribersLost&sort=day&startDate=2026-10-17",
	}
	if diff := cmp.Diff(want, r.requests()); diff != "" {
		t.Errorf("requests of totals (-want +got):\n%s", diff)
	}

	var listed []analytics.Post
	cursor := ""
	for i, n := range []int{50, 50, 20} {
		p := r.page(cursor)
		if len(p.Posts) != n || (p.Next == "") != (i == 2) {
			t.Fatalf("page %d has %d posts, next %q", i+1, len(p.Posts), p.Next)
		}
		listed, cursor = append(listed, p.Posts...), p.Next
	}
	want = []string{
		"/youtube/v3/playlistItems?maxResults=50&part=snippet,contentDetails,status&playlistId=" + uploads,
		"/youtube/v3/playlistItems?maxResults=50&pageToken=PT50&part=snippet,contentDetails,status&playlistId=" + uploads,
		"/youtube/v3/playlistItems?maxResults=50&pageToken=PT100&part=snippet,contentDetails,status&playlistId=" + uploads,
	}
	if diff := cmp.Diff(want, r.requests()); diff != "" {
		t.Errorf("requests of the listing (-want +got):\n%s", diff)
	}
	first, newest := listed[0], posts[len(posts)-1]
	if first.ID != newest.ID || first.Title != "Rye 120" || first.Caption != "Slow 120" || first.ThumbnailURL == "" || !first.PostedAt.Equal(newest.At) || !first.MeasuredAt.IsZero() {
		t.Errorf("got %+v as the newest", first)
	}

	measured, gone, err := r.Measure(t.Context(), r.account, listed[:5])
	if err != nil || len(measured) != 5 || len(gone) > 0 {
		t.Fatalf("got measured %d, gone %v, %v", len(measured), gone, err)
	}
	ids := func(of []analytics.Post) string {
		var out []string
		for _, p := range of {
			out = append(out, p.ID)
		}
		return strings.Join(out, ",")
	}
	old := slices.Clone(listed[4:5]) // the others are less than a day old, so reports do not contain them yet
	want = []string{
		"/youtube/v3/videos?id=" + ids(listed[:5]) + "&part=status,statistics,contentDetails",
		"/v2/reports?dimensions=video&endDate=2026-11-21&filters=video==" + ids(old) + "&ids=channel==MINE&maxResults=200&metrics=views,shares&sort=-views&startDate=2026-11-18",
	}
	if diff := cmp.Diff(want, r.requests()); diff != "" {
		t.Errorf("requests of measuring (-want +got):\n%s", diff)
	}
	if m := measured[0]; m.Seconds < 10 || m.Title != "Rye 120" || m.Views == nil || m.Shares != nil {
		t.Errorf("got measured %+v", m)
	}
	if _, _, err := r.Measure(t.Context(), r.account, listed[:4]); err != nil || len(r.requests()) != 1 {
		t.Errorf("reports are requested for recent videos: %v", err)
	}
}

func TestPage_OmitsPrivateVideos(t *testing.T) {
	r := newRig(t)
	posts := r.people(2)
	r.ready(draft(newMedia(aFilm(t, 20_000)), "key")) // uploaded as private, newer than both
	if n := len(r.youtube.Videos()); n != 3 {
		t.Fatal("videos:", n)
	}
	page := r.page("")
	if len(page.Posts) != 2 || page.Posts[0].ID != posts[1].ID {
		t.Errorf("got posts %+v", page.Posts)
	}
	private := ""
	for _, v := range r.youtube.Videos() {
		if v.Privacy == "private" {
			private = v.ID
		}
	}
	if _, gone, err := r.Measure(t.Context(), r.account, []analytics.Post{{ID: posts[0].ID}, {ID: private}, {ID: "never_there"}}); err != nil || !slices.Equal(gone, []string{private, "never_there"}) {
		t.Errorf("gone %v, %v", gone, err)
	}
}

func TestTotals_SubscriberChanges(t *testing.T) {
	r := newRig(t)
	r.people(1)
	r.clock.Step(6 * 24 * time.Hour)
	r.connectAgain()
	totals, err := r.Totals(t.Context(), r.account)
	if err != nil {
		t.Fatal(err)
	}
	var sum int64
	for i, c := range totals.Changes {
		sum += c.Followers
		if want := fmt.Sprintf("2026-11-%02d", 21+i); c.Day != want {
			t.Errorf("change %d: got day %s, want %s", i, c.Day, want)
		}
	}
	if len(totals.Changes) == 0 || sum <= 0 || totals.Followers == nil || *totals.Followers > 1200+sum+1 {
		t.Errorf("got %d followers after %+v", *totals.Followers, totals.Changes)
	}
}

// connectAgain obtains a valid token.
func (r *rig) connectAgain() {
	r.t.Helper()
	g, err := r.connect(r.AuthorizeURL(authorization))
	if err != nil {
		r.t.Fatal(err)
	}
	r.account.AccessToken = g.Tokens.AccessToken
}

// Shares are unknown where reports are unavailable. After a transient error of the reports, the recorded metrics of the
// videos stay.
func TestReports_Unavailable(t *testing.T) {
	r := newRig(t)
	posts := r.people(12)
	old := []analytics.Post{{ID: posts[0].ID, PostedAt: posts[0].At}}
	for _, c := range []struct {
		why    string
		status int
		code   string
		want   publish.Kind
	}{
		{"off", 403, "accessNotConfigured", ""},
		{"not granted", 403, "insufficientPermissions", ""},
		{"quota exhausted", 429, "rateLimitExceeded", ""},
		{"invalid response", 400, "badRequest", ""},
		{"server error", 503, "", publish.Transient},
		{"token", 401, "", publish.Unauthorized},
	} {
		r.core.ClearFaults()
		r.fault(sandbox.Fault{Call: "reports.query", Do: sandbox.Status, Status: c.status, Code: c.code, Times: -1})
		measured, _, err := r.Measure(t.Context(), r.account, old)
		if kindOf(err) != c.want || err == nil && (len(measured) != 1 || measured[0].Shares != nil || measured[0].Views == nil) {
			t.Errorf("%s: got %v, %+v, want the kind %q", c.why, err, measured, c.want)
		}
		want := c.want
		if want == publish.Transient {
			want = "" // the current follower count matters more than its changes
		}
		if totals, err := r.Totals(t.Context(), r.account); kindOf(err) != want || err == nil && (totals.Followers == nil || totals.Changes != nil) {
			t.Errorf("%s: got totals %+v, %v", c.why, totals, err)
		}
	}
}

// scripted returns an adapter for a server with fixed responses by path.
func scripted(t *testing.T, answers map[string]string) *Platform {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		doc, ok := answers[r.URL.Path]
		if !ok {
			http.Error(w, `{"error":{"code":404,"errors":[{"reason":"videoNotFound"}]}}`, http.StatusNotFound)
			return
		}
		_, _ = w.Write([]byte(doc))
	}))
	t.Cleanup(server.Close)
	p, err := New(Config{ClientID: "x", Clock: testclock.NewFakePassiveClock(time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC))}.At(server.URL))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestMeasure_MissingMetrics(t *testing.T) {
	n := func(n int64) *int64 { return &n }
	posted := time.Date(2026, 11, 1, 9, 0, 0, 0, time.UTC)
	p := scripted(t, map[string]string{
		"/youtube/v3/videos": `{"items":[
			{"id":"a","status":{"privacyStatus":"public","uploadStatus":"processed"},"statistics":{"viewCount":"7","favoriteCount":"0"},"contentDetails":{"duration":"PT1M3S"}},
			{"id":"b","statistics":{"viewCount":"0","likeCount":"0","commentCount":"x"},"contentDetails":{"duration":"P0D"}},
			{"id":"c","status":{"privacyStatus":"public","uploadStatus":"rejected"},"statistics":{"viewCount":"1"}},
			{"id":"d","status":{"privacyStatus":"unlisted"},"statistics":{"viewCount":"1"}}]}`,
		"/v2/reports": `{"columnHeaders":[{"name":"shares"},{"name":"video"},{"name":"views"}],"rows":[[3.0,"a",9],[null,"b",4],[1]]}`,
	})
	measured, gone, err := p.Measure(t.Context(), publish.Account{}, []analytics.Post{{ID: "a", PostedAt: posted}, {ID: "b", PostedAt: posted}, {ID: "c"}, {ID: "d"}})
	if err != nil {
		t.Fatal(err)
	}
	now := p.c.Clock.Now()
	want := []analytics.Post{
		{ID: "a", PostedAt: posted, URL: p.c.SiteURL + "/watch?v=a", Seconds: 63, Numbers: analytics.Numbers{Views: n(7), Shares: n(3)}, MeasuredAt: now},
		{ID: "b", PostedAt: posted, URL: p.c.SiteURL + "/watch?v=b", Numbers: analytics.Numbers{Views: n(0), Likes: n(0)}, MeasuredAt: now},
	}
	if diff := cmp.Diff(want, measured); diff != "" || !slices.Equal(gone, []string{"c", "d"}) {
		t.Errorf("gone %v, measured (-want +got):\n%s", gone, diff)
	}

	// An error for several IDs does not identify the missing one: the state of all of them stays unknown.
	p = scripted(t, nil)
	if measured, gone, err := p.Measure(t.Context(), publish.Account{}, []analytics.Post{{ID: "a"}, {ID: "b"}}); err != nil || len(measured)+len(gone) > 0 {
		t.Errorf("got measured %v, gone %v, %v", measured, gone, err)
	}
	if _, gone, err := p.Measure(t.Context(), publish.Account{}, []analytics.Post{{ID: "a"}}); err != nil || !slices.Equal(gone, []string{"a"}) {
		t.Errorf("gone %v, %v", gone, err)
	}
}

// The ID of the uploads playlist is not documented. If a channel's playlist has another ID, it is read from the
// channel, which may have no playlist.
func TestPage_OtherPlaylistIDs(t *testing.T) {
	for list, posts := range map[string]int{"PLother": 1, "PLnone": 0, "": 0} {
		var asked []string
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			asked = append(asked, r.URL.Path+" "+r.URL.Query().Get("playlistId"))
			switch {
			case r.URL.Path == "/youtube/v3/channels":
				_, _ = fmt.Fprintf(w, `{"items":[{"id":"UC1","contentDetails":{"relatedPlaylists":{"uploads":%q}}}]}`, list)
			case r.URL.Query().Get("playlistId") == "PLother":
				_, _ = w.Write([]byte(`{"items":[{"snippet":{"publishedAt":"2026-11-01T09:00:00Z"},"contentDetails":{"videoId":"a"},"status":{"privacyStatus":"public"}}],"nextPageToken":"next"}`))
			default:
				http.Error(w, `{"error":{"code":404,"errors":[{"reason":"playlistNotFound"}]}}`, http.StatusNotFound)
			}
		}))
		defer server.Close()
		p, err := New(Config{ClientID: "x"}.At(server.URL))
		if err != nil {
			t.Fatal(err)
		}
		page, err := p.Page(t.Context(), publish.Account{ID: "UC1"}, "")
		if err != nil || len(page.Posts) != posts || (page.Next == "PLother next") != (posts == 1) {
			t.Errorf("%s: got %+v, %v", list, page, err)
		}
		want := []string{"/youtube/v3/playlistItems UU1", "/youtube/v3/channels "}
		if list != "" {
			want = append(want, "/youtube/v3/playlistItems "+list)
		}
		if diff := cmp.Diff(want, asked); diff != "" {
			t.Errorf("%s: requests (-want +got):\n%s", list, diff)
		}
	}
}

func TestSeconds(t *testing.T) {
	for text, want := range map[string]float64{
		"PT15S": 15, "PT1M3S": 63, "PT2M": 120, "PT1H0M1S": 3601, "P1DT2H": 26 * 3600, "P0D": 0, "": 0, "PT": 0, "nonsense": 0, "PT-5S": 0,
	} {
		if got := seconds(text); got != want {
			t.Errorf("%q: got %v s, want %v", text, got, want)
		}
	}
}
