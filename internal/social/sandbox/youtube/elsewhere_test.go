// SPDX-License-Identifier: Apache-2.0

package youtube

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	testclock "k8s.io/utils/clock/testing"

	"github.com/reelops/reelops/internal/social/sandbox"
)

func (r *rig) list() []string {
	r.t.Helper()
	a, _ := r.core.AccountByName(name, "maya")
	doc := r.call("GET", "/youtube/v3/playlistItems?part=contentDetails&maxResults=50&playlistId="+uploadsOf(a), nil)
	var out []string
	for _, i := range doc.items() {
		out = append(out, i.(map[string]any)["contentDetails"].(map[string]any)["videoId"].(string))
	}
	return out
}

func TestList_VideosOfTheApp(t *testing.T) {
	dir, clk := t.TempDir(), testclock.NewFakeClock(time.Date(2026, 11, 21, 20, 0, 0, 0, time.UTC))
	r := rigIn(t, dir, clk)
	hidden := r.upload(private)
	clk.Step(10 * time.Minute)
	made, err := r.core.PostElsewhere(sandbox.Elsewhere{Platform: name, Account: "maya", Title: "Rye", Caption: "Slow", Count: 2, Minutes: 24 * 60})
	if err != nil {
		t.Fatal(err)
	}
	before, now := made[0].ID, made[1].ID
	// Sorted by the time of publication, regardless of the order of creation.
	if diff := cmp.Diff([]string{now, hidden, before}, r.list()); diff != "" {
		t.Errorf("the list is (-want +got):\n%s", diff)
	}
	clk.Step(10 * time.Minute)
	if a := r.call("PUT", "/youtube/v3/videos?part=status", []byte(`{"id":"`+hidden+`","status":{"privacyStatus":"public"}}`)); a.status != 200 {
		t.Fatal(a.doc)
	}
	if got := r.list(); !slices.Equal(got, []string{hidden, now, before}) {
		t.Errorf("after the change to public: got %v", got)
	}
	v := r.call("GET", "/youtube/v3/videos?part=snippet,status,statistics,contentDetails,fileDetails&id="+now, nil).items()[0].(map[string]any)
	if s := v["snippet"].(map[string]any); s["title"] != "Rye 2" || s["description"] != "Slow 2" || s["thumbnails"].(map[string]any)["high"] == nil {
		t.Errorf("got snippet %v", s)
	}
	if d, _ := v["contentDetails"].(map[string]any)["duration"].(string); !strings.HasPrefix(d, "PT") || v["status"].(map[string]any)["uploadStatus"] != "processed" {
		t.Errorf("got duration %q, %v", d, v["status"])
	}
	if a := r.call("GET", r.base+"/watch?v="+now, nil); a.status != http.StatusFound || a.header.Get("Location") != made[1].URL {
		t.Errorf("the other URL: got %d to %s", a.status, a.header.Get("Location"))
	}
	if n := len(r.Videos()); n != 3 {
		t.Errorf("got %d videos", n)
	}
	if err := r.core.TakeDown(name, now); err != nil {
		t.Fatal(err)
	}
	if a := r.call("GET", "/youtube/v3/videos?part=id&id="+now, nil); len(a.items()) > 0 {
		t.Errorf("after the deletion: got %v", a.items())
	}
	if a := r.call("GET", r.base+"/watch?v="+now, nil); a.status != http.StatusNotFound {
		t.Errorf("after the deletion: got %d", a.status)
	}
	again := rigIn(t, dir, clk)
	if got := again.list(); !slices.Equal(got, []string{hidden, before}) {
		t.Errorf("after a restart: got %v", got)
	}
}

func TestList_HiddenByRules(t *testing.T) {
	r := newRig(t)
	rules := r.Rules()
	rules.HideSubscribers, rules.NoReports = map[string]bool{"maya": true}, true
	r.SetRules(rules)
	s := r.call("GET", "/youtube/v3/channels?part=statistics&mine=true", nil).items()[0].(map[string]any)["statistics"].(map[string]any)
	if _, there := s["subscriberCount"]; there || s["hiddenSubscriberCount"] != true {
		t.Errorf("hidden: got %v", s)
	}
	if a := r.call("GET", "/v2/reports?ids=channel%3D%3DMINE&startDate=2026-11-01&endDate=2026-11-20&metrics=views", nil); a.status != 403 || a.reason() != "accessNotConfigured" {
		t.Errorf("reports: got %d %v", a.status, a.doc)
	}
}
