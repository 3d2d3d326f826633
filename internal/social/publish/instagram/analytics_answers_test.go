// SPDX-License-Identifier: Apache-2.0

package instagram_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	testclock "k8s.io/utils/clock/testing"

	"github.com/reelops/reelops/internal/social/analytics"
	"github.com/reelops/reelops/internal/social/publish"
	"github.com/reelops/reelops/internal/social/publish/conformance"
	"github.com/reelops/reelops/internal/social/publish/instagram"
)

// answering returns an adapter for a server that responds by the end of the path, and with an error for any other
// path.
func answering(t *testing.T, byPath map[string]string) *instagram.Platform {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for end, body := range byPath {
			if strings.HasSuffix(r.URL.Path, end) {
				if strings.Contains(body, `"error"`) {
					w.WriteHeader(http.StatusBadRequest)
				}
				_, _ = w.Write([]byte(body))
				return
			}
		}
		w.WriteHeader(http.StatusBadRequest)
		_, _ = w.Write([]byte(`{"error":{"code":100,"error_subcode":33,"type":"OAuthException"}}`))
	}))
	t.Cleanup(server.Close)
	p, err := instagram.New(instagram.Config{Clock: testclock.NewFakeClock(begin)}.At(server.URL))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// anyAccount is an account whose token was issued without a list of granted scopes.
var anyAccount = publish.Account{ID: "17841400000000001", AccessToken: "t"}

func TestTotals_MissingMetrics(t *testing.T) {
	for _, c := range []struct {
		name, me string
		want     analytics.Totals
	}{
		{"all fields", `{"followers_count":0,"media_count":3}`, analytics.Totals{Followers: conformance.N(0), Posts: conformance.N(3)}},
		{"no metrics", `{"user_id":"1"}`, analytics.Totals{}},
		{"one metric", `{"followers_count":9}`, analytics.Totals{Followers: conformance.N(9)}},
	} {
		got, err := answering(t, map[string]string{"/me": c.me}).Totals(t.Context(), anyAccount)
		if err != nil {
			t.Errorf("%s: got %v", c.name, err)
			continue
		}
		if diff := cmp.Diff(c.want, *got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
	for _, me := range []string{`{"error":{"code":190,"error_subcode":460}}`, `{"error":{"code":190}}`, `{"error":{"code":17}}`} {
		if got, err := answering(t, map[string]string{"/me": me}).Totals(t.Context(), anyAccount); err == nil {
			t.Errorf("the response %s: got %+v", me, got)
		}
	}
}

func TestMeasure_MetricsOfAPost(t *testing.T) {
	post := analytics.Post{ID: "1", Caption: "Bread", URL: "https://x/p/1/", PostedAt: begin.Add(-time.Hour), Numbers: analytics.Numbers{Likes: conformance.N(7), Comments: conformance.N(1)}}
	metric := func(name, value string) string {
		return `{"name":"` + name + `","period":"lifetime","values":[{"value":` + value + `}]}`
	}
	data := func(metrics ...string) string { return `{"data":[` + strings.Join(metrics, ",") + `]}` }
	for _, c := range []struct {
		name, insights, read string
		want                 analytics.Numbers
	}{
		{"metrics that are missing stay as listed", data(metric("views", "0"), metric("saved", "2")), "", analytics.Numbers{
			Views: conformance.N(0), Favorites: conformance.N(2), Likes: conformance.N(7), Comments: conformance.N(1),
		}},
		{"reported metrics", data(metric("likes", "8"), metric("comments", "0"), metric("shares", "9007199254740993")), "", analytics.Numbers{
			Likes: conformance.N(8), Comments: conformance.N(0), Shares: conformance.N(9007199254740993),
		}},
		{"as a total", `{"data":[{"name":"views","total_value":{"value":5}}]}`, "", analytics.Numbers{Views: conformance.N(5), Likes: conformance.N(7), Comments: conformance.N(1)}},
		{"not a number", data(metric("views", "1.5"), metric("shares", "3")), "", analytics.Numbers{Shares: conformance.N(3), Likes: conformance.N(7), Comments: conformance.N(1)}},
		{"no insights: the post is read again", data(), `{"id":"1","comments_count":4}`, analytics.Numbers{Comments: conformance.N(4)}},
		{"a revoked permission", `{"error":{"code":10,"message":"(#10) Application does not have permission for this action"}}`, `{"id":"1","like_count":5,"comments_count":4}`, analytics.Numbers{Likes: conformance.N(5), Comments: conformance.N(4)}},
		{"another revoked permission", `{"error":{"code":200}}`, `{"id":"1","like_count":5}`, analytics.Numbers{Likes: conformance.N(5)}},
	} {
		by := map[string]string{"/insights": c.insights}
		if c.read != "" {
			by["/1"] = c.read
		}
		measured, gone, err := answering(t, by).Measure(t.Context(), anyAccount, []analytics.Post{post})
		if err != nil || len(gone) > 0 || len(measured) != 1 {
			t.Errorf("%s: got %+v, %v, %v", c.name, measured, gone, err)
			continue
		}
		want := post
		want.Numbers, want.MeasuredAt = c.want, begin
		if diff := cmp.Diff(want, measured[0]); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}

func TestMeasure_KeepsPartialResults(t *testing.T) {
	p := answering(t, map[string]string{
		"/1/insights": `{"data":[{"name":"views","values":[{"value":5}]}]}`, "/3/insights": `{"error":{"code":80002}}`,
	})
	at := begin.Add(-time.Hour)
	posts := []analytics.Post{{ID: "1", URL: "u", PostedAt: at}, {ID: "2", URL: "u", PostedAt: at}, {ID: "3", URL: "u", PostedAt: at}}
	measured, gone, err := p.Measure(t.Context(), anyAccount, posts)
	if len(measured) != 1 || measured[0].ID != "1" || cmp.Diff([]string{"2"}, gone) != "" || err == nil || publish.KindOf(err) != publish.RateLimited {
		t.Errorf("got %+v, %v, %v", measured, gone, err)
	}
}

func TestPage_WithoutAnEnd(t *testing.T) {
	for _, paging := range []string{`{"next":"https://x/"}`, `{"next":"https://x/","cursors":{"after":"c"}}`} {
		page, err := answering(t, map[string]string{"/media": `{"data":[],"paging":` + paging + `}`}).Page(t.Context(), anyAccount, "c")
		if err == nil || publish.KindOf(err) != publish.Transient {
			t.Errorf("%s: got %+v, %v", paging, page, err)
		}
	}
	page, err := answering(t, map[string]string{"/media": `{"data":[{"id":1795000000000000001,"timestamp":"2026-11-21T07:00:00+0000"},{"id":""}],"paging":{"cursors":{"after":"d"}}}`}).Page(t.Context(), anyAccount, "c")
	if err != nil || page.Next != "" || len(page.Posts) != 1 || page.Posts[0].ID != "1795000000000000001" {
		t.Errorf("the last page: got %+v, %v", page, err)
	}
}

func TestPage_ThumbnailsOfPosts(t *testing.T) {
	for media, want := range map[string]string{
		`"media_type":"VIDEO","media_url":"https://x/film.mp4","thumbnail_url":"https://x/film.jpg"`: "https://x/film.jpg",
		`"media_type":"VIDEO","media_url":"https://x/film.mp4"`:                                      "",
		`"media_type":"IMAGE","media_url":"https://x/1.jpg"`:                                         "https://x/1.jpg",
		`"media_type":"CAROUSEL_ALBUM","media_url":"https://x/1.jpg"`:                                "https://x/1.jpg",
		`"media_type":"IMAGE"`: "",
	} {
		page, err := answering(t, map[string]string{"/media": `{"data":[{"id":"1","timestamp":"2026-11-21T07:00:00+0000",` + media + `}]}`}).Page(t.Context(), anyAccount, "")
		if err != nil || len(page.Posts) != 1 || page.Posts[0].ThumbnailURL != want {
			t.Errorf("%s: got %+v, %v", media, page, err)
		}
	}
}
