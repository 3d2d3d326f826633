// SPDX-License-Identifier: Apache-2.0

package linkedin_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/reelops/reelops/internal/social/analytics"
	"github.com/reelops/reelops/internal/social/publish"
	"github.com/reelops/reelops/internal/social/publish/linkedin"
	"github.com/reelops/reelops/internal/social/sandbox"
	stand "github.com/reelops/reelops/internal/social/sandbox/linkedin"
)

// newCounting returns a rig whose app may read metrics.
func newCounting(t *testing.T) *rig {
	t.Helper()
	r := newRig(t)
	r.config.Analytics = true
	r.open(r.config)
	r.connect()
	r.forget()
	return r
}

func (r *rig) forget() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.seen = nil
}

// requested returns the request URLs since the last call.
func (r *rig) requested() []string {
	r.t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	var out []string
	for _, s := range r.seen {
		if s.header.Get("X-RestLi-Method") != "FINDER" && strings.Contains(s.uri, "?q=") {
			r.t.Errorf("%s uses a finder without its header", s.uri)
		}
		out = append(out, s.uri)
	}
	r.seen = nil
	return out
}

// people creates posts of an account in LinkedIn's own app, the newest an hour ago.
func (r *rig) people(account string, n int) []sandbox.Landing {
	r.t.Helper()
	list, err := r.core.PostElsewhere(sandbox.Elsewhere{Platform: "linkedin", Account: account, Title: "Rye", Caption: "Slow (very) #bread", At: r.clock.Now().Add(-time.Hour), Count: n})
	if err != nil {
		r.t.Fatal(err)
	}
	return list
}

func TestAuthorizeURL_RequestsTheScopesOfTheApp(t *testing.T) {
	r := newRig(t)
	for _, c := range []struct {
		pages, numbers bool
		want           string
	}{
		{false, false, "openid profile w_member_social"},
		{true, false, "r_basicprofile w_member_social w_organization_social r_organization_social rw_organization_admin"},
		{false, true, "r_basicprofile w_member_social r_member_postAnalytics r_member_profileAnalytics"},
		{true, true, "r_basicprofile w_member_social w_organization_social r_organization_social rw_organization_admin r_member_postAnalytics r_member_profileAnalytics"},
	} {
		config := r.config
		config.Pages, config.Analytics = c.pages, c.numbers
		r.open(config)
		page := r.AuthorizeURL(publish.Authorization{State: "s", RedirectURI: redirectURI})
		if want := "scope=" + strings.ReplaceAll(c.want, " ", "%20") + "&"; !strings.Contains(page, want) {
			t.Errorf("pages %v, analytics %v: %s does not request %s", c.pages, c.numbers, page, c.want)
		}
		if r.TellsNumbers() != c.numbers {
			t.Errorf("pages %v, analytics %v: TellsNumbers is %v", c.pages, c.numbers, r.TellsNumbers())
		}
	}
}

// For accounts that were connected earlier, data without a granted scope is not requested. They continue to publish.
func TestAnalytics_WithoutGrantedScopes(t *testing.T) {
	r := newRig(t)
	r.forget()
	r.maya.Scopes = []string{"openid", "profile", "w_member_social"}
	none := publish.Account{ID: r.acme.ID, AccessToken: r.acme.AccessToken, Scopes: []string{"w_organization_social"}}
	for _, a := range []publish.Account{r.maya, none} {
		if terms := r.Terms(a); terms != (analytics.Terms{}) {
			t.Errorf("got terms %+v", terms)
		}
		if totals, err := r.Totals(t.Context(), a); err != nil || !cmp.Equal(totals, &analytics.Totals{}) {
			t.Errorf("got totals %+v, %v", totals, err)
		}
	}
	if requested := r.requested(); len(requested) > 0 {
		t.Errorf("got requests %v", requested)
	}
	// A page's metrics need only the scopes for publishing.
	if terms := r.Terms(r.acme); !terms.Lists || terms.Batch != 50 {
		t.Errorf("got terms %+v of the page", terms)
	}
}

func TestMeasure_PostsOfMembers(t *testing.T) {
	r := newCounting(t)
	posts := r.people("maya", 2)
	if err := r.core.Land(sandbox.Landing{Platform: "linkedin", Account: "maya", Kind: "photo_set", Visibility: sandbox.Public, Caption: "x", ID: "urn:li:share:71"}); err != nil {
		t.Fatal(err)
	}
	terms := r.Terms(r.maya)
	if terms.Lists || terms.Batch != 1 {
		t.Fatalf("got terms %+v", terms)
	}
	if _, err := r.Totals(t.Context(), r.maya); err != nil {
		t.Fatal(err)
	}
	post := "/rest/memberCreatorPostAnalytics?q=%s&queryType=%s&aggregation=TOTAL"
	want := []string{
		"/rest/memberFollowersCount?q=me",
		"/rest/memberFollowersCount?q=dateRange&dateRange=(start:(year:2026,month:10,day:17),end:(year:2026,month:11,day:22))",
		fmt.Sprintf(post, "me", "IMPRESSION"),
	}
	if diff := cmp.Diff(want, r.requested()); diff != "" {
		t.Errorf("requests of totals (-want +got):\n%s", diff)
	}
	id := posts[0].ID
	if _, _, err := r.Measure(t.Context(), r.maya, []analytics.Post{{ID: id}, {ID: "urn:li:share:71"}}); err != nil {
		t.Fatal(err)
	}
	want = nil
	for _, entity := range []string{"entity&entity=(ugc:" + strings.ReplaceAll(id, ":", "%3A") + ")", "entity&entity=(share:urn%3Ali%3Ashare%3A71)"} {
		for _, m := range []string{"IMPRESSION", "REACTION", "COMMENT", "RESHARE", "POST_SAVE"} {
			want = append(want, fmt.Sprintf(post, entity, m))
		}
	}
	if diff := cmp.Diff(want, r.requested()); diff != "" {
		t.Errorf("requests of measuring (-want +got):\n%s", diff)
	}
}

// Until a month in 2026, the type of a metric was an object, and saves were not counted.
func TestMeasure_OlderAPIVersions(t *testing.T) {
	r := newCounting(t)
	posts := r.people("maya", 1)
	r.config.Version = "202603"
	r.open(r.config)
	measured, _, err := r.Measure(t.Context(), r.maya, []analytics.Post{{ID: posts[0].ID}})
	if err != nil || len(measured) != 1 || measured[0].Views == nil || measured[0].Favorites != nil {
		t.Errorf("got measured %+v, %v", measured, err)
	}
	if requested := r.requested(); len(requested) != 4 {
		t.Errorf("got requests %v", requested)
	}
}

func TestPage_ReadsInParts(t *testing.T) {
	r := newCounting(t)
	posts := r.people("acme", 120)
	if _, err := r.Totals(t.Context(), r.acme); err != nil {
		t.Fatal(err)
	}
	acme := strings.ReplaceAll(r.acme.ID, ":", "%3A")
	ms := func(day string) int64 {
		at, _ := time.Parse(time.DateOnly, day)
		return at.UnixMilli()
	}
	want := []string{
		"/rest/networkSizes/" + acme + "?edgeType=COMPANY_FOLLOWED_BY_MEMBER",
		fmt.Sprintf("/rest/organizationalEntityFollowerStatistics?q=organizationalEntity&organizationalEntity=%s&timeIntervals=(timeRange:(start:%d,end:%d),timeGranularityType:DAY)", acme, ms("2026-10-17"), ms("2026-11-22")),
	}
	if diff := cmp.Diff(want, r.requested()); diff != "" {
		t.Errorf("requests of totals (-want +got):\n%s", diff)
	}
	var listed []analytics.Post
	cursor := ""
	for i, n := range []int{50, 50, 20} {
		p, err := r.Page(t.Context(), r.acme, cursor)
		if err != nil || len(p.Posts) != n || (p.Next == "") != (i == 2) {
			t.Fatalf("page %d: got %d posts, next %q, %v", i+1, len(p.Posts), p.Next, err)
		}
		listed, cursor = append(listed, p.Posts...), p.Next
	}
	for i, p := range listed {
		if l := posts[len(posts)-1-i]; p.ID != l.ID || p.Title != l.Title || p.Caption != l.Caption || p.URL != l.URL || !p.PostedAt.Equal(l.At) {
			t.Fatalf("post %d: got %+v, want %+v", i, p, l)
		}
	}
	r.forget()
	listed = append(listed[:2], analytics.Post{ID: "urn:li:share:71"})
	measured, gone, err := r.Measure(t.Context(), r.acme, listed)
	if err != nil || len(measured) != 2 || !slices.Equal(gone, []string{"urn:li:share:71"}) {
		t.Errorf("got measured %+v, gone %v, %v", measured, gone, err)
	}
	want = []string{
		"/rest/organizationalEntityShareStatistics?q=organizationalEntity&organizationalEntity=" + acme + "&count=3&shares=List(urn%3Ali%3Ashare%3A71)&ugcPosts=List(" +
			strings.ReplaceAll(listed[0].ID+","+listed[1].ID, ":", "%3A") + ")",
		"/rest/posts/urn%3Ali%3Ashare%3A71",
	}
	if diff := cmp.Diff(want, r.requested()); diff != "" {
		t.Errorf("requests of measuring (-want +got):\n%s", diff)
	}
}

// LinkedIn reports no metrics of a post without views. The metrics are then unknown, not 0, and the post still exists.
func TestMeasure_PostWithoutViews(t *testing.T) {
	r := newCounting(t)
	list, err := r.core.PostElsewhere(sandbox.Elsewhere{Platform: "linkedin", Account: "acme", Caption: "x"})
	if err != nil {
		t.Fatal(err)
	}
	measured, gone, err := r.Measure(t.Context(), r.acme, []analytics.Post{{ID: list[0].ID}})
	if err != nil || len(measured)+len(gone) > 0 {
		t.Errorf("got measured %+v, gone %v, %v", measured, gone, err)
	}
}

func TestTotals_FollowerChanges(t *testing.T) {
	r := newCounting(t)
	for name, c := range map[string]struct {
		account publish.Account
		newest  string
	}{
		"member": {r.maya, "2026-11-20"}, // yesterday
		"page":   {r.acme, "2026-11-18"}, // pages are two days behind
	} {
		totals, err := r.Totals(t.Context(), c.account)
		if err != nil || len(totals.Changes) < 30 {
			t.Fatalf("%s: got %+v, %v", name, totals, err)
		}
		for _, day := range totals.Changes {
			if day.Followers != 24 {
				t.Errorf("%s: got %+v, want one more each hour", name, day)
			}
		}
		if newest := totals.Changes[len(totals.Changes)-1].Day; newest != c.newest {
			t.Errorf("%s: the newest is %s, want %s", name, newest, c.newest)
		}
	}
}

// Errors of single calls: a rejected metric is unknown, a resource that is not available to the app is reported to
// the operator, and a temporary failure is an error.
func TestAnalytics_Errors(t *testing.T) {
	r := newCounting(t)
	post := analytics.Post{ID: r.people("maya", 1)[0].ID}
	of := func(call string, status int, code string) {
		r.core.ClearFaults()
		r.fault(sandbox.Fault{Call: call, Do: sandbox.Status, Status: status, Code: code, Times: -1})
	}
	of("memberPostAnalytics", 403, "")
	r.forget()
	if measured, gone, err := r.Measure(t.Context(), r.maya, []analytics.Post{post}); err != nil || len(measured)+len(gone) > 0 {
		t.Errorf("member, rejected: got %+v, %v, %v", measured, gone, err)
	}
	if requested := r.requested(); len(requested) != 1 {
		t.Errorf("calls continue after a rejection: %v", requested)
	}
	if totals, err := r.Totals(t.Context(), r.maya); err != nil || totals.Views != nil || totals.Followers == nil {
		t.Errorf("totals, rejected: got %+v, %v", totals, err)
	}
	r.core.ClearFaults()
	r.fault(sandbox.Fault{Call: "memberPostAnalytics", Do: sandbox.Status, Status: 403, Skip: 1})
	if measured, _, err := r.Measure(t.Context(), r.maya, []analytics.Post{post}); err != nil || len(measured) != 1 || measured[0].Likes != nil || measured[0].Comments == nil {
		t.Errorf("one metric rejected: got %+v, %v", measured, err)
	}
	of("memberPostAnalytics", 429, "MEMBER DAY")
	_, _, err := r.Measure(t.Context(), r.maya, []analytics.Post{post})
	if e := asError(err); e == nil || e.Kind != publish.RateLimited || !e.ResetsAt.Equal(noon.Truncate(24*time.Hour).Add(24*time.Hour)) {
		t.Errorf("quota exhausted: got %v", err)
	}
	of("shareStatistics", 403, "")
	if measured, gone, err := r.Measure(t.Context(), r.acme, []analytics.Post{{ID: "urn:li:share:71"}}); err != nil || len(measured)+len(gone) > 0 {
		t.Errorf("page, rejected: got %+v, %v, %v", measured, gone, err)
	}
	of("networkSizes", 403, "")
	if totals, err := r.Totals(t.Context(), r.acme); err != nil || totals.Followers != nil {
		t.Errorf("totals of a page, rejected: got %+v, %v", totals, err)
	}
	r.core.ClearFaults()
	r.stand.SetRules(stand.Rules{Undeveloped: true})
	_, _, err = r.Measure(t.Context(), r.maya, []analytics.Post{post})
	kind(t, err, publish.Misconfigured)
	_, err = r.Totals(t.Context(), r.maya)
	kind(t, err, publish.Misconfigured)
	if s := r.wire(http.MethodGet, "/rest/memberFollowersCount"); s.header.Get("LinkedIn-Version") != linkedin.DefaultVersion {
		t.Errorf("got version %q", s.header.Get("LinkedIn-Version"))
	}
}

func TestChangesOf(t *testing.T) {
	day := func(d int, n int64) linkedin.Tally {
		return linkedin.NewTally(time.Date(2026, 11, d, 0, 0, 0, 0, time.UTC), n)
	}
	n := func(n int64) *int64 { return &n }
	for _, c := range []struct {
		why       string
		followers *int64
		days      []linkedin.Tally
		want      []analytics.Change
	}{
		{"totals", n(1010), []linkedin.Tally{day(3, 1007), day(1, 1000), day(2, 1003)}, []analytics.Change{{Day: "2026-11-02", Followers: 3}, {Day: "2026-11-03", Followers: 4}}},
		{"totals with a missing day", n(1010), []linkedin.Tally{day(1, 1000), day(2, 998), day(4, 1007)}, []analytics.Change{{Day: "2026-11-02", Followers: -2}}},
		{"changes", n(1010), []linkedin.Tally{day(2, 0), day(1, 7), day(3, 4)}, []analytics.Change{{Day: "2026-11-01", Followers: 7}, {Day: "2026-11-02", Followers: 0}, {Day: "2026-11-03", Followers: 4}}},
		{"too few days", n(19), []linkedin.Tally{day(1, 12), day(2, 19)}, nil},
		{"an unknown total", nil, []linkedin.Tally{day(1, 1000), day(2, 1003)}, nil},
		{"no days", n(1010), nil, nil},
	} {
		if diff := cmp.Diff(c.want, linkedin.ChangesOf(c.days, c.followers)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.why, diff)
		}
	}
}

func TestSpoken(t *testing.T) {
	for text, want := range map[string]string{
		`Slow \(very\) \[\*\] \\o/ \#1 #bread`:            `Slow (very) [*] \o/ #1 #bread`,
		`With @[Acme \(Bikes\)](urn:li:organization:1) 🥖`: `With Acme (Bikes) 🥖`,
		`{hashtag|\#|slow\_food} and {hashtag|#|rye}`:     `#slow_food and #rye`,
		`a \n b \`: `a \n b \`,
		``:         ``,
	} {
		if got := linkedin.Spoken(text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
	for _, text := range []string{"Five *slow* steps: {flour}, @water | ~salt~, _time_ [heat] \\o/ & \"patience\" 🥖\n#bread #1 ##", `\`, `@[x](urn:li:person:1)`, `{hashtag|\#|x}`} {
		if got := linkedin.Spoken(linkedin.Little(text)); got != text {
			t.Errorf("%q does not round-trip: got %q", text, got)
		}
	}
}
