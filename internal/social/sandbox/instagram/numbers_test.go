// SPDX-License-Identifier: Apache-2.0

package instagram_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/reelops/reelops/internal/social/sandbox"
	"github.com/reelops/reelops/internal/social/sandbox/instagram"
)

// byHand creates n posts of maya in the app, an hour apart, the last one now. It returns the IDs, the oldest first.
func (w *world) byHand(n int) (ids []string) {
	w.t.Helper()
	list, err := w.core.PostElsewhere(sandbox.Elsewhere{Platform: instagram.Name, Account: "maya", Caption: "By hand", Count: n})
	if err != nil {
		w.t.Fatal(err)
	}
	for _, l := range list {
		ids = append(ids, l.ID)
	}
	return ids
}

func listed(page map[string]any) (ids []string) {
	data, _ := page["data"].([]any)
	for _, d := range data {
		ids = append(ids, d.(map[string]any)["id"].(string))
	}
	return ids
}

func TestList_PostsOfTheApp(t *testing.T) {
	w := newWorld(t)
	ids := w.byHand(5)
	list := "/v25.0/" + w.maya.ID + "/media?fields=id,timestamp,media_product_type,thumbnail_url,media_url,permalink&limit=2"
	first := w.get(list)
	if diff := cmp.Diff([]string{ids[4], ids[3]}, listed(first)); diff != "" {
		t.Fatalf("(-want +got):\n%s", diff)
	}
	if post := first["data"].([]any)[0].(map[string]any); post["thumbnail_url"] == nil || post["media_product_type"] != "REELS" || post["media_url"] != nil {
		t.Errorf("got %v", post)
	}
	// The list continues after a cursor whose post was deleted.
	if err := w.core.TakeDown(instagram.Name, ids[3]); err != nil {
		t.Fatal(err)
	}
	next, _ := first["paging"].(map[string]any)["next"].(string)
	second := w.get(strings.TrimPrefix(next, w.base))
	if diff := cmp.Diff([]string{ids[2], ids[1]}, listed(second)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	w.refused("100/33", w.get("/v25.0/"+ids[3]+"/insights?metric=views"))
	w.refused("100", w.get(list+"&after=nonsense"))
	now := w.clock.Now().Unix()
	some := w.get(fmt.Sprintf("%s&since=%d&until=%d", list, now-3*3600, now-3600))
	if diff := cmp.Diff([]string{ids[2], ids[1]}, listed(some)); diff != "" {
		t.Errorf("since and until (-want +got):\n%s", diff)
	}
	if me := w.get("/v25.0/me?fields=media_count"); me["media_count"] != 4.0 {
		t.Errorf("got a count of %v posts", me["media_count"])
	}
	if limit := fmt.Sprint(w.get("/v25.0/" + w.maya.ID + "/content_publishing_limit")["data"]); limit != "[map[quota_usage:0]]" {
		t.Errorf("posts of the app count as published through the API: %s", limit)
	}
}

func TestInsights_Missing(t *testing.T) {
	w := newWorld(t)
	id := w.byHand(1)[0]
	w.clock.Step(time.Hour)
	path := "/v25.0/" + id + "/insights?metric=views,likes,saved"
	behave := func(change func(b *instagram.Behaviour)) {
		b := instagram.Usual
		change(&b)
		w.p.Behave(b)
	}
	if data, _ := w.get(path)["data"].([]any); len(data) != 3 {
		t.Errorf("got %v", data)
	}
	behave(func(b *instagram.Behaviour) { b.NoMetrics = []string{"saved"} })
	w.refused("100", w.get(path))
	if data, _ := w.get("/v25.0/" + id + "/insights?metric=views,likes")["data"].([]any); len(data) != 2 {
		t.Errorf("got %v", data)
	}
	behave(func(b *instagram.Behaviour) { b.NoInsights = instagram.NoViewers })
	w.refused("10", w.get(path))
	behave(func(b *instagram.Behaviour) { b.NoInsights = instagram.NoDataYet })
	if data, ok := w.get(path)["data"].([]any); !ok || len(data) > 0 {
		t.Errorf("got %v", data)
	}
	behave(func(b *instagram.Behaviour) { b.HideLikes = true })
	if post := w.get("/v25.0/" + id + "?fields=like_count,comments_count"); post["like_count"] != nil || post["comments_count"] == nil {
		t.Errorf("the likes are hidden: got %v", post)
	}
}

func TestInsights_NewFollowers(t *testing.T) {
	w := newWorld(t)
	w.byHand(10)
	w.clock.Step(5 * 24 * time.Hour)
	series := func(days int) []any {
		t.Helper()
		now := w.clock.Now()
		answer := w.get(fmt.Sprintf("/v25.0/%s/insights?metric=follower_count&period=day&metric_type=time_series&since=%d&until=%d", w.maya.ID, now.AddDate(0, 0, -days).Unix(), now.Unix()))
		data, _ := answer["data"].([]any)
		if len(data) == 0 {
			return nil
		}
		values, _ := data[0].(map[string]any)["values"].([]any)
		return values
	}
	values := series(3)
	if len(values) != 2 {
		t.Fatalf("within three days: got %v", values)
	}
	for i, v := range values {
		day := v.(map[string]any)
		if want := fmt.Sprintf("2026-11-%dT07:00:00+0000", 25+i); day["end_time"] != want {
			t.Errorf("a day ends at %v, want %s", day["end_time"], want)
		}
	}
	sum := 0.0
	for _, v := range series(29) {
		sum += v.(map[string]any)["value"].(float64)
	}
	if sum <= 0 {
		t.Errorf("no new followers: got %v", series(29))
	}
	now := w.clock.Now()
	w.refused("100", w.get(fmt.Sprintf("/v25.0/%s/insights?metric=follower_count&period=day&since=%d&until=%d", w.maya.ID, now.AddDate(0, 0, -40).Unix(), now.AddDate(0, 0, -35).Unix())))
	b := instagram.Usual
	b.FewFollowers = true
	w.p.Behave(b)
	if values := series(3); values != nil {
		t.Errorf("an account with few followers: got %v", values)
	}
	sums := w.get("/v25.0/" + w.maya.ID + "/insights?metric=views,follows_and_unfollows&period=day&metric_type=total_value")
	if data, _ := sums["data"].([]any); len(data) != 1 {
		t.Errorf("an account with few followers: got %v", sums)
	}
}
