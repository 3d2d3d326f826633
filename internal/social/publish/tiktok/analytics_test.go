// SPDX-License-Identifier: Apache-2.0

package tiktok_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/social/analytics"
	"github.com/reelops/reelops/internal/social/publish"
	"github.com/reelops/reelops/internal/social/publish/conformance"
	"github.com/reelops/reelops/internal/social/publish/tiktok"
	"github.com/reelops/reelops/internal/social/sandbox"
	stand "github.com/reelops/reelops/internal/social/sandbox/tiktok"
)

func TestAnalytics(t *testing.T) {
	post := func(l sandbox.Landing, now time.Time) analytics.Numbers {
		n := l.Numbers(now)
		return analytics.Numbers{
			Views: conformance.N(n.Views), Likes: conformance.N(n.Likes), Comments: conformance.N(n.Comments), Shares: conformance.N(n.Shares),
		}
	}
	everything := conformance.Told{Followers: true, Posts: true, Post: post}
	conformance.RunAnalytics(t, conformance.Analytics{
		Platform: catalog.TikTok,
		Mount:    func(core *sandbox.Sandbox) sandbox.Platform { return stand.New(core) },
		Open: func(o conformance.Options) (publish.Platform, error) {
			c := tiktok.Config{ClientID: o.ClientID, ClientSecret: o.ClientSecret, Scopes: tiktok.AllScopes, HTTP: o.HTTP, Clock: o.Clock}
			return tiktok.New(c.At(o.Base))
		},
		Kinds: []string{catalog.MediaVideo, catalog.MediaPhotoSet},
		Told:  everything,
		Less: map[string]conformance.Less{
			"without user.info.stats": {Withhold: "user.info.stats", Told: conformance.Told{Post: post}},
			"without video.list":      {Withhold: "video.list", Told: conformance.Told{Followers: true, Posts: true}},
			"pages with few posts": {Told: everything, Change: func(p sandbox.Platform) {
				l := stand.Default()
				l.Page = 3
				p.(*stand.Platform).SetLimits(l)
			}},
		},
	})
}

// answering returns an adapter to a server that responds to every call with one document.
func answering(t *testing.T, data string) *tiktok.Platform {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = fmt.Fprintf(w, `{"data":%s,"error":{"code":"ok"}}`, data)
	}))
	t.Cleanup(server.Close)
	p, err := tiktok.New(tiktok.Config{}.At(server.URL))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

var lists = publish.Account{AccessToken: "t", Scopes: []string{"user.info.stats", "video.list"}}

func TestTotals_MissingMetrics(t *testing.T) {
	p := answering(t, `{"videos":[{"id":"7000000000000000001","create_time":1795000000,"like_count":0}],"has_more":false,"cursor":0}`)
	page, err := p.Page(t.Context(), lists, "")
	if err != nil || len(page.Posts) != 1 {
		t.Fatalf("got %+v, %v", page, err)
	}
	if diff := cmp.Diff(analytics.Numbers{Likes: conformance.N(0)}, page.Posts[0].Numbers); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if totals, err := answering(t, `{"user":{}}`).Totals(t.Context(), lists); err != nil || totals.Followers != nil || totals.Posts != nil || totals.Views != nil {
		t.Errorf("got %+v, %v", totals, err)
	}
}

func TestPage_WithoutAnEnd(t *testing.T) {
	for _, data := range []string{`{"videos":[],"has_more":true,"cursor":0}`, `{"videos":[],"has_more":true,"cursor":1795000000000}`, `{"videos":[],"has_more":true,"cursor":1795000000001}`} {
		page, err := answering(t, data).Page(t.Context(), lists, "1795000000000")
		if err == nil {
			t.Errorf("%s: got %+v", data, page)
			continue
		}
		kind(t, err, publish.Transient)
	}
	page, err := answering(t, `{"videos":[],"has_more":true,"cursor":1794000000000}`).Page(t.Context(), lists, "1795000000000")
	if err != nil || page.Next != "1794000000000" {
		t.Errorf("a page without posts that is not the last: got %+v, %v", page, err)
	}
	for _, cursor := range []string{"0", "-1", "soon"} {
		if page, err := answering(t, `{}`).Page(t.Context(), lists, cursor); err == nil {
			t.Errorf("cursor %q: got %+v", cursor, page)
		}
	}
}

func TestMeasure_FieldsOfAPost(t *testing.T) {
	at := time.Unix(1795000000, 0).UTC()
	known := analytics.Post{ID: "1", Title: "Bread", Caption: "Slow", URL: "https://x/1", PostedAt: at}
	for _, c := range []struct {
		name, told string
		want       analytics.Post
	}{
		{"a video", `"title":"Slow #bread","video_description":"Slow #bread","duration":12`, analytics.Post{Caption: "Slow #bread", Title: "Bread", Seconds: 12}},
		{"a photo set", `"title":"More bread","video_description":"Slower"`, analytics.Post{Title: "More bread", Caption: "Slower"}},
		{"nothing", `"title":"","video_description":"","duration":0`, analytics.Post{Title: "Bread", Caption: "Slow"}},
		{"a link with the id of the sharing user", `"share_url":"https://y/2?utm_source=a&b=1"`, analytics.Post{Title: "Bread", Caption: "Slow", URL: "https://y/2?b=1"}},
		{"no link", `"share_url":"javascript:alert(1)"`, analytics.Post{Title: "Bread", Caption: "Slow"}},
		{"a cover", `"cover_image_url":"https://y/c.jpg"`, analytics.Post{Title: "Bread", Caption: "Slow", ThumbnailURL: "https://y/c.jpg"}},
	} {
		got, gone, err := answering(t, `{"videos":[{"id":"1",`+c.told+`}]}`).Measure(t.Context(), lists, []analytics.Post{known})
		if err != nil || len(gone) > 0 || len(got) != 1 {
			t.Fatalf("%s: got %+v %v, %v", c.name, got, gone, err)
		}
		c.want.ID, c.want.PostedAt = "1", at
		if c.want.URL == "" {
			c.want.URL = known.URL
		}
		got[0].MeasuredAt = time.Time{}
		if diff := cmp.Diff(c.want, got[0]); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}

func TestMeasure_TooManyPosts(t *testing.T) {
	var posts []analytics.Post
	for i := range 21 {
		posts = append(posts, analytics.Post{ID: strconv.Itoa(i)})
	}
	if _, _, err := answering(t, `{"videos":[]}`).Measure(t.Context(), lists, posts); err == nil {
		t.Error("21 posts are measured at once")
	}
	if _, gone, err := answering(t, `{"videos":[]}`).Measure(t.Context(), lists, nil); err != nil || len(gone) > 0 {
		t.Errorf("no posts: got %v, %v", gone, err)
	}
}
