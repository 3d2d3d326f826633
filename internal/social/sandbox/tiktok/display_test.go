// SPDX-License-Identifier: Apache-2.0

package tiktok

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/reelops/reelops/internal/social/sandbox"
)

func TestList_PostsOfAnAccount(t *testing.T) {
	r := newRig(t)
	doc := good(t)
	for i := range 23 {
		r.published(fmt.Sprintf(`{"title":"Post %d%s","privacy_level":"PUBLIC_TO_EVERYONE"}`, i, strings.Repeat(" 🥖", 100)), doc)
		r.clock.Step(time.Minute)
	}
	r.published(nobody, doc)
	r.clock.Step(time.Minute)
	const fields = "?fields=id,create_time,share_url,video_description,duration,width,height,view_count,like_count,comment_count,share_count"
	var seen []string
	cursor := int64(0)
	for page := 0; ; page++ {
		body := `{"max_count":20}`
		if cursor > 0 {
			body = fmt.Sprintf(`{"max_count":20,"cursor":%d}`, cursor)
		}
		a := r.post("/v2/video/list/"+fields, body)
		for _, v := range a.Data.Videos {
			seen = append(seen, strings.Fields(v["video_description"].(string))[1])
			if n := len([]rune(v["video_description"].(string))); n != listed {
				t.Errorf("got a text of %d characters", n)
			}
			if v["duration"] != 3.0 || v["width"] != 540.0 || v["height"] != 960.0 || !strings.Contains(v["share_url"].(string), "utm_source="+sandbox.ClientID) {
				t.Errorf("got %v", v)
			}
		}
		if cursor = a.Data.Cursor; !a.Data.HasMore || page > 5 {
			break
		}
	}
	if want := "22 21 20 19 18 17 16 15 14 13 12 11 10 9 8 7 6 5 4 3 2 1 0"; strings.Join(seen, " ") != want {
		t.Errorf("got posts %v", seen)
	}
	if a := r.post("/v2/video/list/?fields=id", `{"max_count":21}`); a.code() != "invalid_params" {
		t.Errorf("21 posts at once: got %s", a.code())
	}
	if a := r.post("/v2/video/list/?fields=id,secrets", `{}`); a.code() != "invalid_params" {
		t.Errorf("an unknown field: got %s", a.code())
	}
	if a := r.post("/v2/video/list/?fields=id", ``); len(a.Data.Videos) != pageDefault || !a.Data.HasMore {
		t.Errorf("without a body: got %d", len(a.Data.Videos))
	}
}

func TestQuery_MetricsGrow(t *testing.T) {
	r := newRig(t)
	r.published(everybody, good(t))
	r.clock.Step(5 * time.Second)
	id := r.core.Landed(name)[0].ID
	var last [2]float64
	for range 5 {
		r.clock.Step(time.Hour)
		v := r.post("/v2/video/query/?fields=id,view_count,like_count", `{"filters":{"video_ids":["`+id+`"]}}`).Data.Videos[0]
		u := r.get("/v2/user/info/?fields=follower_count,likes_count,video_count").Data.User
		if v["view_count"].(float64) <= last[0] || u["follower_count"].(float64) <= last[1] || u["likes_count"] != v["like_count"] || u["video_count"] != 1.0 {
			t.Errorf("got %v %v after %v", v, u, last)
		}
		last = [2]float64{v["view_count"].(float64), u["follower_count"].(float64)}
	}
}

func TestList_Visibility(t *testing.T) {
	r := newRig(t)
	r.published(everybody, good(t))
	r.clock.Step(5 * time.Second)
	id := r.core.Landed(name)[0].ID
	query := `{"filters":{"video_ids":["` + id + `"]}}`
	r.token = r.grant("studio", allScopes...)
	if a := r.post("/v2/video/query/?fields=id", query); a.code() != "ok" || len(a.Data.Videos) > 0 {
		t.Errorf("another account's post: got %s %v", a.code(), a.Data.Videos)
	}
	r.token = r.grant("maya", scopeBasic)
	for path, want := range map[string]string{
		"/v2/user/info/?fields=open_id,display_name": "ok", "/v2/user/info/?fields=open_id,username": "scope_not_authorized",
		"/v2/user/info/?fields=follower_count": "scope_not_authorized", "/v2/user/info/?fields=": "invalid_params",
	} {
		if a := r.get(path); a.code() != want {
			t.Errorf("%s: got %s, want %s", path, a.code(), want)
		}
	}
	if a := r.post("/v2/video/query/?fields=id", query); a.code() != "scope_not_authorized" {
		t.Errorf("without the scope: got %s", a.code())
	}
}
