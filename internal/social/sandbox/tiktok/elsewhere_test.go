// SPDX-License-Identifier: Apache-2.0

package tiktok

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/reelops/reelops/internal/social/sandbox"
)

// pages lists an account's posts as clients do, and returns the number of posts on each page.
func (r *rig) pages(size int) (ids []string, held []int) {
	r.t.Helper()
	cursor := int64(0)
	for range 50 {
		a := r.post("/v2/video/list/?fields=id", fmt.Sprintf(`{"max_count":%d,"cursor":%d}`, size, cursor))
		for _, v := range a.Data.Videos {
			ids = append(ids, v["id"].(string))
		}
		held = append(held, len(a.Data.Videos))
		if cursor = a.Data.Cursor; !a.Data.HasMore {
			return ids, held
		}
	}
	r.t.Fatal("the list has no end")
	return nil, nil
}

// byHand creates posts of maya in the app, at times in hours before now.
func (r *rig) byHand(hours ...int) (ids []string) {
	r.t.Helper()
	for _, h := range hours {
		list, err := r.core.PostElsewhere(sandbox.Elsewhere{Platform: name, Account: "maya", Caption: "By hand", At: r.clock.Now().Add(-time.Duration(h) * time.Hour)})
		if err != nil {
			r.t.Fatal(err)
		}
		ids = append(ids, list[0].ID)
	}
	return ids
}

func TestList_PostsOfTheApp(t *testing.T) {
	r := newRig(t)
	r.published(everybody, good(t))
	r.clock.Step(time.Hour)
	api := r.core.Landed(name)[0].ID
	ids := r.byHand(5, 0)
	if got, _ := r.pages(20); cmp.Diff([]string{ids[1], api, ids[0]}, got) != "" {
		t.Errorf("got %v, want %v, %v, %v", got, ids[1], api, ids[0])
	}
	if err := r.core.TakeDown(name, ids[0]); err != nil {
		t.Fatal(err)
	}
	if got, _ := r.pages(20); cmp.Diff([]string{ids[1], api}, got) != "" {
		t.Errorf("after a deletion: got %v", got)
	}
	a := r.post("/v2/video/query/?fields=id,cover_image_url,duration", `{"filters":{"video_ids":["`+strings.Join(ids, `","`)+`"]}}`)
	if len(a.Data.Videos) != 1 || a.Data.Videos[0]["id"] != ids[1] || a.Data.Videos[0]["cover_image_url"] == "" {
		t.Errorf("an existing and a missing post: got %v", a.Data.Videos)
	}
	if n := r.get("/v2/user/info/?fields=video_count").Data.User["video_count"]; n != 2.0 {
		t.Errorf("got a count of %v posts", n)
	}
}

func TestList_PagesDoNotSplitEqualTimes(t *testing.T) {
	r := newRig(t)
	ids := r.byHand(9, 8, 7, 7, 7, 6)
	got, held := r.pages(3)
	if len(got) != len(ids) || cmp.Diff([]int{1, 3, 2}, held) != "" {
		t.Errorf("got pages of %v posts, %d in all", held, len(got))
	}
	l := Default()
	l.Page = 4
	r.SetLimits(l)
	if got, held := r.pages(20); len(got) != len(ids) || cmp.Diff([]int{4, 2}, held) != "" {
		t.Errorf("with smaller pages than requested: got %v posts, %d in all", held, len(got))
	}
}
