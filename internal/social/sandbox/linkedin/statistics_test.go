// SPDX-License-Identifier: Apache-2.0

package linkedin

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	testclock "k8s.io/utils/clock/testing"

	"github.com/reelops/reelops/internal/social/sandbox"
)

func TestStatistics(t *testing.T) {
	r := newRig(t)
	page, own := r.post(r.acme, "Hi"), r.post(r.maya, "Hi")
	r.clock.Step(2 * time.Hour)
	element := func(path string, header ...string) map[string]any {
		t.Helper()
		a := r.call("GET", path, nil, header...)
		list, _ := a.doc["elements"].([]any)
		if a.status != 200 || len(list) != 1 {
			t.Fatalf("%s: got %d %v", path, a.status, a.doc)
		}
		return list[0].(map[string]any)
	}
	shares := "/rest/organizationalEntityShareStatistics?q=organizationalEntity&organizationalEntity=" + escape(r.acme)
	total, one := element(shares), element(shares+"&shares=List("+escape(page)+","+escape("urn:li:share:1")+")")
	if one["share"] != page || !cmp.Equal(total["totalShareStatistics"], one["totalShareStatistics"]) || one["totalShareStatistics"].(map[string]any)["impressionCount"] == 0.0 {
		t.Errorf("got %v and %v", total, one)
	}
	if a := r.call("GET", "/rest/networkSizes/"+escape(r.acme)+"?edgeType=COMPANY_FOLLOWED_BY_MEMBER", nil); a.doc["firstDegreeSize"] == nil {
		t.Errorf("got %d %v", a.status, a.doc)
	}
	posts := "/rest/memberCreatorPostAnalytics?q=entity&aggregation=TOTAL&queryType=IMPRESSION&entity=(share:" + escape(own) + ")"
	now, older := element(posts), element(posts, "LinkedIn-Version: 202604")
	if now["metricType"] != "IMPRESSION" || now["count"] == 0.0 || now["count"] != older["count"] {
		t.Errorf("got %v and %v", now, older)
	}
	if _, is := older["metricType"].(map[string]any); !is {
		t.Errorf("before 202604 the type is an object: got %v", older)
	}
	if e := element("/rest/memberCreatorVideoAnalytics?q=me&queryType=VIDEO_PLAY"); e["count"] != now["count"] {
		t.Errorf("got %v and %v", e, now)
	}
	if e := element("/rest/memberFollowersCount?q=me"); e["memberFollowersCount"] == nil {
		t.Errorf("got %v", e)
	}
	r.want("an unknown metric", r.call("GET", strings.Replace(posts, "IMPRESSION", "X", 1), nil), 400, "INVALID_VALUE_FOR_FIELD")
	plain := "Authorization: Bearer " + r.grant("maya", scopeMember)
	for _, path := range []string{shares, posts, "/rest/memberFollowersCount?q=me", "/rest/networkSizes/" + escape(r.acme), "/rest/socialMetadata/" + escape(page)} {
		r.want(path, r.call("GET", path, nil, plain), 403, "ACCESS_DENIED")
	}
}

func TestStatistics_OfDays(t *testing.T) {
	r := newRig(t)
	elements := func(path string) []any {
		t.Helper()
		a := r.call("GET", path, nil)
		list, _ := a.doc["elements"].([]any)
		if a.status != 200 {
			t.Fatalf("%s: got %d %v", path, a.status, a.doc)
		}
		return list
	}
	member := elements("/rest/memberFollowersCount?q=dateRange&dateRange=(start:(year:2026,month:10,day:30),end:(year:2026,month:11,day:22))")
	newest := member[len(member)-1].(map[string]any)
	if diff := cmp.Diff(map[string]any{"year": 2026.0, "month": 11.0, "day": 20.0}, newest["dateRange"].(map[string]any)["start"]); diff != "" || len(member) != 22 {
		t.Errorf("got %d days, the newest is (-want +got):\n%s", len(member), diff)
	}
	now := elements("/rest/memberFollowersCount?q=me")[0].(map[string]any)["memberFollowersCount"].(float64)
	if last := newest["memberFollowersCount"].(float64); now-last != 20 { // at eight in the evening, with one new follower each hour
		t.Errorf("got %v at the end of yesterday, and %v now", last, now)
	}
	page := "/rest/organizationalEntityFollowerStatistics?q=organizationalEntity&organizationalEntity=" + escape(r.acme)
	from := time.Date(2026, 11, 10, 0, 0, 0, 0, time.UTC)
	within := func(from time.Time, by string) string {
		return page + fmt.Sprintf("&timeIntervals=(timeRange:(start:%d,end:%d),timeGranularityType:%s)", from.UnixMilli(), r.clock.Now().UnixMilli(), by)
	}
	for by, want := range map[string]int{"DAY": 9, "WEEK": 1, "MONTH": 0} { // two days behind
		if got := elements(within(from, by)); len(got) != want {
			t.Errorf("%s: got %d, want %d: %v", by, len(got), want, got)
		}
	}
	first := elements(within(from, "DAY"))[0].(map[string]any)
	if first["timeRange"].(map[string]any)["start"] != float64(from.UnixMilli()) || first["followerGains"].(map[string]any)["organicFollowerGain"] != 24.0 {
		t.Errorf("the first day: got %v", first)
	}
	if e := elements(page)[0].(map[string]any); e["followerGains"] != nil || e["followerCountsByGeoCountry"] == nil {
		t.Errorf("without a time: got %v", e)
	}
	r.want("more than a year", r.call("GET", within(from.AddDate(-1, 0, 0), "DAY"), nil), 400, "INVALID_VALUE_FOR_FIELD")
	r.want("hourly", r.call("GET", within(from, "HOUR"), nil), 400, "ILLEGAL_ARGUMENT")
	r.want("no days", r.call("GET", "/rest/memberFollowersCount?q=dateRange&dateRange=(start:(year:2026))", nil), 400, "ILLEGAL_ARGUMENT")
}

func TestStatistics_ForeignPosts(t *testing.T) {
	r := newRig(t)
	page, own := r.post(r.acme, "Hi"), r.post(r.maya, "Hi")
	of := func(entity string) string {
		return "/rest/memberCreatorPostAnalytics?q=entity&queryType=IMPRESSION&entity=(" + entity + ")"
	}
	r.want("a page's", r.call("GET", of("share:"+escape(page)), nil), 403, "ACCESS_DENIED")
	r.want("nobody's", r.call("GET", of("share:urn%3Ali%3Ashare%3A1"), nil), 404, "NOT_FOUND")
	r.want("another kind", r.call("GET", of("ugc:"+escape(own)), nil), 400, "ILLEGAL_ARGUMENT")
	r.want("by day", r.call("GET", of("share:"+escape(own))+"&aggregation=DAILY", nil), 400, "INVALID_VALUE_FOR_FIELD")
	r.want("saves in an older version", r.call("GET", strings.Replace(of("share:"+escape(own)), "IMPRESSION", "POST_SAVE", 1), nil, "LinkedIn-Version: 202603"), 400, "INVALID_VALUE_FOR_FIELD")
	r.Delete(own)
	r.want("deleted", r.call("GET", of("share:"+escape(own)), nil), 404, "NOT_FOUND")
	r.SetRules(Rules{Undeveloped: true})
	r.want("in development", r.call("GET", of("share:"+escape(page)), nil), 404, "RESOURCE_NOT_FOUND")
	r.want("in development", r.call("GET", "/rest/memberFollowersCount?q=me", nil), 404, "RESOURCE_NOT_FOUND")
}

func TestList_PostsOfTheApp(t *testing.T) {
	dir, clk := t.TempDir(), testclock.NewFakeClock(time.Date(2026, 11, 21, 20, 0, 0, 0, time.UTC))
	r := rigIn(t, dir, clk)
	uploaded := r.post(r.acme, "Hi")
	clk.Step(time.Hour)
	const text = `Slow (very) *rye* \o/ #bread #1 @[x](urn:li:person:1)`
	made, err := r.core.PostElsewhere(sandbox.Elsewhere{Platform: name, Account: "acme", Title: "Rye", Caption: text, At: clk.Now().Add(-2 * time.Hour)})
	if err != nil {
		t.Fatal(err)
	}
	list := func(r *rig) (urns []string, last map[string]any) {
		t.Helper()
		a := r.call("GET", "/rest/posts?q=author&author="+escape(r.acme)+"&sortBy=CREATED", nil, "X-RestLi-Method: FINDER")
		for _, e := range a.doc["elements"].([]any) {
			last = e.(map[string]any)
			urns = append(urns, last["id"].(string))
		}
		return urns, last
	}
	urns, last := list(r)
	if diff := cmp.Diff([]string{uploaded, made[0].ID}, urns); diff != "" {
		t.Fatalf("the list is (-want +got):\n%s", diff)
	}
	if shown := visible(last["commentary"].(string)); shown != text || last["content"].(map[string]any)["media"].(map[string]any)["title"] != "Rye" {
		t.Errorf("got text %q: %v", shown, last)
	}
	if n := r.Posts(r.acme); n != 2 {
		t.Errorf("got %d posts", n)
	}
	if err := r.core.TakeDown(name, uploaded); err != nil {
		t.Fatal(err)
	}
	r.want("taken down", r.call("GET", "/rest/posts/"+escape(uploaded), nil), 404, "NOT_FOUND")
	if urns, last := list(rigIn(t, dir, clk)); len(urns) != 1 || last["id"] != made[0].ID {
		t.Errorf("after a restart: got %v", urns)
	}
}
