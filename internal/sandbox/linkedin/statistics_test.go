// SPDX-License-Identifier: Apache-2.0

package linkedin

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
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
			t.Fatalf("%s: %d %v", path, a.status, a.doc)
		}
		return list[0].(map[string]any)
	}
	shares := "/rest/organizationalEntityShareStatistics?q=organizationalEntity&organizationalEntity=" + escape(r.acme)
	total, one := element(shares), element(shares+"&shares=List("+escape(page)+","+escape("urn:li:share:1")+")")
	if one["share"] != page || !cmp.Equal(total["totalShareStatistics"], one["totalShareStatistics"]) || one["totalShareStatistics"].(map[string]any)["impressionCount"] == 0.0 {
		t.Errorf("%v and %v", total, one)
	}
	if a := r.call("GET", "/rest/networkSizes/"+escape(r.acme)+"?edgeType=COMPANY_FOLLOWED_BY_MEMBER", nil); a.doc["firstDegreeSize"] == nil {
		t.Errorf("%d %v", a.status, a.doc)
	}
	posts := "/rest/memberCreatorPostAnalytics?q=entity&aggregation=TOTAL&queryType=IMPRESSION&entity=(share:" + escape(own) + ")"
	now, older := element(posts), element(posts, "LinkedIn-Version: 202604")
	if now["metricType"] != "IMPRESSION" || now["count"] == 0.0 || now["count"] != older["count"] {
		t.Errorf("%v and %v", now, older)
	}
	if _, is := older["metricType"].(map[string]any); !is {
		t.Errorf("until 202604 it is an object: %v", older)
	}
	if e := element("/rest/memberCreatorVideoAnalytics?q=me&queryType=VIDEO_PLAY"); e["count"] != now["count"] {
		t.Errorf("%v and %v", e, now)
	}
	if e := element("/rest/memberFollowersCount?q=me"); e["memberFollowersCount"] == nil {
		t.Errorf("%v", e)
	}
	r.want("a number there is not", r.call("GET", strings.Replace(posts, "IMPRESSION", "X", 1), nil), 400, "INVALID_VALUE_FOR_FIELD")
	plain := "Authorization: Bearer " + r.grant("maya", scopeMember)
	for _, path := range []string{shares, posts, "/rest/memberFollowersCount?q=me", "/rest/networkSizes/" + escape(r.acme), "/rest/socialMetadata/" + escape(page)} {
		r.want(path, r.call("GET", path, nil, plain), 403, "ACCESS_DENIED")
	}
}
