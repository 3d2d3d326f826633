// SPDX-License-Identifier: Apache-2.0

package analytics

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	testclock "k8s.io/utils/clock/testing"

	"github.com/reelops/reelops/internal/social/publish"
)

// lists is a platform whose pages contain all metrics, measures one whose pages contain none, silent one without a
// listing.
func lists(page int, posts ...Post) *pagedPlatform {
	return &pagedPlatform{terms: Terms{Lists: true, Pages: 100}, page: page, posts: posts}
}

func measures(page, batch int, posts ...Post) *pagedPlatform {
	return &pagedPlatform{terms: Terms{Lists: true, Pages: 100, Batch: batch, Measures: 100}, page: page, posts: posts, bare: true}
}

func silent(batch int, posts ...Post) *pagedPlatform {
	return &pagedPlatform{terms: Terms{Batch: batch, Measures: 100}, posts: posts}
}

// known returns a document of posts that were measured at a time, with a full listing then.
func known(measured time.Time, posts ...Post) *Document {
	d := of()
	for _, p := range posts {
		p.MeasuredAt = measured
		d.Rows = append(d.Rows, Row{Post: p})
	}
	put(d.Rows)
	d.RefreshedAt, d.WalkedAt = measured, measured
	return d
}

func TestRefresh_FirstReadsTheWindow(t *testing.T) {
	s := lists(2, at("a", time.Hour, 5), at("b", 2*day, 6), at("c", 80*day, 7), at("d", 90*day, 8), at("e", 90*day+1, 9), at("f", 95*day, 9), at("g", 99*day, 9))
	s.totals = Totals{Followers: n(12), Posts: n(7), Changes: []Change{{"2026-11-20", 3}}}
	d := refresh(t, s, noon, Ask{})
	if got := ids(d); !slices.Equal(got, []string{"a", "b", "c", "d"}) {
		t.Errorf("got rows %v", got)
	}
	if s.count("page") != 3 || s.count("measure") != 0 {
		t.Errorf("got calls %v", s.calls)
	}
	if r := row(t, d, "c"); !r.MeasuredAt.Equal(noon) || *r.Views != 7 || r.Likes != nil || r.Caption != "about c" {
		t.Errorf("got %+v", r)
	}
	if !d.RefreshedAt.Equal(noon) || !d.WalkedAt.Equal(noon) || d.Version != version || d.Incomplete != nil || *d.Totals.Followers != 12 || *d.Totals.Posts != 7 || d.Totals.Changes != nil {
		t.Errorf("got %+v", d)
	}
	want := []Day{{Day: "2026-11-20", Change: n(3)}, {Day: "2026-11-21", Totals: Totals{Followers: n(12), Posts: n(7), Views: n(26)}}}
	if diff := cmp.Diff(want, d.History); diff != "" {
		t.Errorf("history (-want +got):\n%s", diff)
	}
}

func TestRefresh_LaterListings(t *testing.T) {
	var posts []Post
	for i := range 80 {
		posts = append(posts, at(fmt.Sprintf("p%02d", i), time.Duration(i)*day+time.Hour, 1))
	}
	for _, c := range []struct {
		name      string
		requested bool
		walked    time.Time
		pages     int // of 5 posts, one a day
		walk      bool
	}{
		{"automatic", false, ago(time.Hour), 2, false},
		{"requested", true, ago(time.Hour), 7, false},
		{"a day after a full listing", false, ago(day), 16, true},
	} {
		s := lists(5, posts...)
		before := known(c.walked, posts...)
		d := refresh(t, s, noon, Ask{Before: before, Requested: c.requested})
		if s.count("page") != c.pages || len(d.Rows) != 80 || d.WalkedAt.Equal(noon) != c.walk {
			t.Errorf("%s: got %d pages, %d rows, full listing at %v", c.name, s.count("page"), len(d.Rows), d.WalkedAt)
		}
	}
}

func TestRefresh_TermsBoundTheCalls(t *testing.T) {
	var posts []Post
	for i := range 50 {
		posts = append(posts, at(fmt.Sprintf("p%02d", i), time.Duration(i)*time.Hour, int64(i)))
	}
	s := measures(10, 4, posts...)
	s.terms.Pages, s.terms.Measures = 3, 5
	d := refresh(t, s, noon, Ask{})
	if s.count("page") != 3 || s.count("measure") != 5 || len(d.Rows) != 30 {
		t.Errorf("got %v, %d rows", s.calls, len(d.Rows))
	}
	if len(s.measured) != 20 || s.measured[0] != "p00" || s.measured[19] != "p19" {
		t.Errorf("measured %v, want the newest", s.measured)
	}
	if r := row(t, d, "p20"); r.Views != nil || !r.MeasuredAt.IsZero() {
		t.Errorf("got %+v for a post that was not measured", r)
	}
	if !d.WalkedAt.Equal(noon) {
		t.Error("a listing that used its maximum of pages is not recorded: every refresh would repeat it")
	}
	// The next refresh measures the remaining posts, after the newest.
	s.measured = nil
	s.terms.Measures = 8
	d = refresh(t, s, noon.Add(time.Hour), Ask{Before: d})
	if len(s.measured) != 30 || row(t, d, "p29").Views == nil {
		t.Errorf("got measured %v", s.measured)
	}
}

func TestRefresh_BoundsThePosts(t *testing.T) {
	var posts []Post
	for i := range 30 {
		posts = append(posts, at(fmt.Sprintf("p%02d", i), time.Duration(i)*time.Hour, 1))
	}
	s := lists(7, posts...)
	r := &Refresher{Clock: testclock.NewFakePassiveClock(noon), MaxPosts: 10}
	d, err := r.Refresh(t.Context(), s, Ask{})
	if err != nil || len(d.Rows) != 10 || d.Rows[9].ID != "p09" || cap(d.Rows) > 10 || s.count("page") != 2 {
		t.Fatalf("got %v, %v after %d pages, %v", ids(d), cap(d.Rows), s.count("page"), err)
	}
}

func TestRefresh_DropsDeletedPosts(t *testing.T) {
	a, b, c, d, e := at("a", 1*time.Hour, 1), at("b", 2*time.Hour, 2), at("c", 3*time.Hour, 3), at("d", 10*day, 4), at("e", 11*day, 5)
	twin := at("c2", 3*time.Hour, 9)
	for _, x := range []struct {
		name   string
		page   int
		there  []Post
		before []Post
		pages  int
		want   []string
	}{
		{"in the middle of the listing", 9, []Post{a, c, d}, []Post{a, b, c, d}, 9, []string{"a", "c", "d"}},
		{"the newest", 9, []Post{b, c, d}, []Post{a, b, c, d}, 9, []string{"b", "c", "d"}},
		{"the oldest, with a complete listing", 9, []Post{a, b}, []Post{a, b, d}, 9, []string{"a", "b"}},
		{"all", 9, nil, []Post{a, b, d}, 9, []string{}},
		{"older than the listing", 2, []Post{a, c, at("y", 9*day, 1), at("z", 9*day, 1), d}, []Post{a, b, c, d, e}, 9, []string{"a", "c", "y", "z", "d", "e"}},
		{"beyond the maximum number of pages", 1, []Post{a, b, c}, []Post{a, b, c, d}, 2, []string{"a", "b", "c", "d"}},
		{"at the time of the last listed post", 3, []Post{a, b, c, twin}, []Post{a, b, c, twin}, 1, []string{"a", "b", "c", "c2"}},
		{"out of order: after the newest of the last page", 2, []Post{a, c, b, d, e}, []Post{a, at("x", 90*time.Minute, 1), b, c, d, e}, 2, []string{"a", "b", "c", "d", "e"}},
		{"out of order: within the last page, without a marker", 2, []Post{a, c, b, d, e}, []Post{a, b, at("x", 9*day, 1), c, d, e}, 2, []string{"a", "b", "c", "x", "d", "e"}},
	} {
		s := lists(x.page, x.there...)
		s.terms.Pages = x.pages
		got := refresh(t, s, noon, Ask{Before: known(ago(time.Hour), x.before...)})
		if diff := cmp.Diff(x.want, ids(got)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", x.name, diff)
		}
	}
}

func TestRefresh_MeasuresStalePostsOnly(t *testing.T) {
	fresh, old := at("fresh", 5*day, 3), at("old", 40*day, 4)
	posts := []Post{at("new", time.Hour, 1), at("week", 6*day, 2), fresh, at("month", 20*day, 5), old}
	s := measures(10, 10, posts...)
	before := known(ago(13*time.Hour), posts...)
	for i := range before.Rows {
		before.Rows[i].Views = n(0)
		if before.Rows[i].ID == "fresh" {
			before.Rows[i].MeasuredAt = ago(time.Hour)
		}
	}
	kept := before.Rows[0]
	d := refresh(t, s, noon, Ask{Before: before})
	if !slices.Equal(s.measured, []string{"new", "week", "month"}) {
		t.Errorf("got measured %v", s.measured)
	}
	if r := row(t, d, "old"); *r.Views != 0 || !r.MeasuredAt.Equal(ago(13*time.Hour)) {
		t.Errorf("a post that is not stale changed: %+v", r)
	}
	if r := row(t, d, "month"); *r.Views != 5 || !r.MeasuredAt.Equal(noon) {
		t.Errorf("got %+v for a stale post", r)
	}
	if diff := cmp.Diff(kept, before.Rows[0]); diff != "" {
		t.Errorf("the previous document was changed:\n%s", diff)
	}
	// A requested refresh covers thirty days.
	s.measured = nil
	before.Rows[len(before.Rows)-1].MeasuredAt = ago(10 * day)
	refresh(t, s, noon, Ask{Before: before, Requested: true})
	if slices.Contains(s.measured, "old") || !slices.Contains(s.measured, "month") {
		t.Errorf("requested: got measured %v", s.measured)
	}
}

func TestRefresh_UsesMetricsOfPages(t *testing.T) {
	told := at("told", time.Hour, 5)
	told.MeasuredAt = noon.Add(-time.Second)
	s := measures(5, 5, told, at("untold", 2*time.Hour, 6))
	s.bare = false
	d := refresh(t, s, noon, Ask{Before: known(ago(time.Hour), at("deleted", 20*day, 1), at("kept", 21*day, 1))})
	if !slices.Equal(s.measured, []string{"untold"}) || !row(t, d, "told").MeasuredAt.Equal(told.MeasuredAt) {
		t.Errorf("got measured %v, %+v", s.measured, d.Rows)
	}
}

func TestRefresh_MissingMetricBecomesUnknown(t *testing.T) {
	p := at("a", time.Hour, 5)
	p.Likes = n(3)
	before := known(ago(time.Hour), p)
	p.Likes = nil
	for name, s := range map[string]*pagedPlatform{"metrics in pages": lists(5, p), "measured": measures(5, 5, p)} {
		r := row(t, refresh(t, s, noon, Ask{Before: before}), "a")
		if r.Likes != nil || *r.Views != 5 {
			t.Errorf("%s: got %+v", name, r)
		}
	}
}

func TestRefresh_ArgumentsOfMeasure(t *testing.T) {
	// Measure receives the metrics of this listing. For a post without any, it receives the recorded ones.
	told, untold := at("told", time.Hour, 5), at("untold", 2*time.Hour, 6)
	before := known(ago(time.Hour), told, untold)
	for i := range before.Rows {
		before.Rows[i].Likes, before.Rows[i].Title = n(1), "T"
	}
	told.Numbers, untold.Numbers = numbers(-1, -1, 4), Numbers{}
	s := measures(5, 5, told, untold)
	s.bare = false
	refresh(t, s, noon, Ask{Before: before})
	if len(s.seen) != 2 || s.seen[0].Title != "T" || !s.seen[0].MeasuredAt.IsZero() {
		t.Fatalf("got arguments %+v", s.seen)
	}
	if diff := cmp.Diff([]Numbers{numbers(-1, -1, 4), numbers(6, 1)}, []Numbers{s.seen[0].Numbers, s.seen[1].Numbers}); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestRefresh_LinksPosts(t *testing.T) {
	bare := Post{ID: "a", PostedAt: ago(time.Hour)}
	s := lists(5, bare, at("b", 2*time.Hour, 1), at("c", 3*time.Hour, 1))
	before := known(ago(time.Hour), at("c", 3*time.Hour, 1))
	before.Rows[0].OurPost, before.Rows[0].OurShort = 31, 32
	d := refresh(t, s, noon, Ask{Before: before, Ours: []Ours{
		{PlatformPostID: "a", Post: 11, Short: 12, PostedAt: ago(time.Minute), Title: "T", Caption: "C", URL: "https://x/a"},
		{PlatformPostID: "", Post: 21, Short: 22, PostedAt: ago(time.Minute)},
		{PlatformPostID: "elsewhere", Post: 41, Short: 42, PostedAt: ago(time.Minute)},
	}})
	if got := ids(d); !slices.Equal(got, []string{"a", "b", "c"}) {
		t.Errorf("got rows %v, want no post that the platform does not list", got)
	}
	if r := row(t, d, "a"); r.OurPost != 11 || r.OurShort != 12 || r.Title != "T" || r.Caption != "C" || r.URL != "https://x/a" || !r.PostedAt.Equal(ago(time.Hour)) {
		t.Errorf("got %+v", r)
	}
	if r := row(t, d, "b"); r.OurPost != 0 || r.OurShort != 0 || r.Caption != "about b" {
		t.Errorf("got %+v", r)
	}
	if r := row(t, d, "c"); r.OurPost != 31 || r.OurShort != 32 {
		t.Errorf("got %+v, want the recorded link", r)
	}
}

// TestRefresh_ArchivedPosts refreshes after Posts have left the cluster: rows keep their links, and the texts of which
// the platform shows only the beginning.
func TestRefresh_ArchivedPosts(t *testing.T) {
	short := Post{ID: "a", PostedAt: ago(40 * day), Caption: "All about…"}
	listed := lists(5, short)
	live := []Ours{{PlatformPostID: "a", Post: 11, Short: 12, PostedAt: ago(40 * day), Title: "T", Caption: "All about coffee"}}
	d := refresh(t, listed, noon, Ask{Ours: live})
	for range 2 { // the second document is based on one without the Post
		d = refresh(t, listed, noon, Ask{Before: d})
		if r := row(t, d, "a"); r.OurPost != 11 || r.OurShort != 12 || r.Title != "T" || r.Caption != "All about coffee" {
			t.Errorf("got %+v", r)
		}
	}
	// A Post in the cluster takes precedence over the row.
	live[0].Post, live[0].Short = 21, 22
	if r := row(t, refresh(t, listed, noon, Ask{Before: d, Ours: live}), "a"); r.OurPost != 21 || r.OurShort != 22 {
		t.Errorf("got %+v", r)
	}
	// A platform without a listing measures it again.
	s := silent(2, at("a", 40*day, 5))
	d.Rows[0].MeasuredAt = ago(30 * day)
	d = refresh(t, s, noon, Ask{Before: d})
	if r := row(t, d, "a"); r.OurPost != 11 || r.Views == nil || *r.Views != 5 {
		t.Errorf("got %+v", r)
	}
}

func TestMatch_TruncatedTexts(t *testing.T) {
	for _, c := range []struct{ shown, sent, want string }{
		{"", "all of it", "all of it"},
		{"all of", "all of it", "all of it"},
		{"all of…", "all of it", "all of it"},
		{"changed there", "all of it", "changed there"},
		{"all of it, and more", "all of it", "all of it, and more"},
		{"shown", "", "shown"},
	} {
		if got := whole(c.shown, c.sent, 100); got != c.want {
			t.Errorf("shown %q, sent %q: got %q, want %q", c.shown, c.sent, got, c.want)
		}
	}
}

func TestRefresh_PlatformWithoutListing(t *testing.T) {
	s := silent(2, at("a", time.Hour, 5), at("c", 3*day, 7))
	ours := []Ours{
		{PlatformPostID: "a", Post: 1, Short: 2, PostedAt: ago(time.Hour), Title: "T", Caption: "C", URL: "https://x/a"},
		{PlatformPostID: "b", Post: 3, Short: 4, PostedAt: ago(2 * day)},
		{PlatformPostID: "c", Post: 5, Short: 6, PostedAt: ago(3 * day)},
		{PlatformPostID: "long ago", Post: 7, Short: 8, PostedAt: ago(91 * day)},
	}
	d := refresh(t, s, noon, Ask{Ours: ours})
	if s.count("page") != 0 || !slices.Equal(ids(d), []string{"a", "c"}) || !slices.Equal(d.Gone, []string{"b"}) {
		t.Errorf("got calls %v, rows %v, gone %v", s.calls, ids(d), d.Gone)
	}
	if r := row(t, d, "a"); *r.Views != 5 || r.OurPost != 1 || r.Title != "T" || r.URL != "https://x/a" || !r.MeasuredAt.Equal(noon) {
		t.Errorf("got %+v", r)
	}
	// A deleted post is not measured again, and dropped with its record.
	s.measured = nil
	d = refresh(t, s, noon.Add(time.Hour), Ask{Before: d, Ours: ours})
	if !slices.Equal(s.measured, []string{"a"}) || !slices.Equal(d.Gone, []string{"b"}) || len(d.Rows) != 2 {
		t.Errorf("got measured %v, gone %v, rows %v", s.measured, d.Gone, ids(d))
	}
	if d = refresh(t, s, noon.Add(2*time.Hour), Ask{Before: d, Ours: ours[:1]}); len(d.Gone) != 0 || len(d.Rows) != 2 {
		t.Errorf("got gone %v, rows %v", d.Gone, ids(d))
	}
	// A deleted post is dropped when it is too old.
	d = refresh(t, silent(2), noon, Ask{Ours: []Ours{{PlatformPostID: "x", PostedAt: ago(89 * day)}}})
	if !slices.Equal(d.Gone, []string{"x"}) {
		t.Errorf("got gone %v", d.Gone)
	}
	if d = refresh(t, silent(2), noon.Add(2*day), Ask{Before: d, Ours: []Ours{{PlatformPostID: "x", PostedAt: ago(89 * day)}}}); len(d.Gone) != 0 {
		t.Errorf("got gone %v", d.Gone)
	}
	// Deleted posts are not recorded for a platform with a listing.
	listing := measures(1, 5, at("a", time.Hour, 5), at("c", 30*day, 5))
	listing.terms.Pages = 1
	d = refresh(t, listing, noon, Ask{Before: known(ago(13*time.Hour), at("a", time.Hour, 1), at("b", 2*day, 1)), Ours: ours[1:2]})
	if len(d.Gone) != 0 || !slices.Equal(ids(d), []string{"a"}) {
		t.Errorf("got gone %v, rows %v", d.Gone, ids(d))
	}
	// If no post may be measured, the posts have no metrics.
	d = refresh(t, &pagedPlatform{}, noon, Ask{Ours: ours[:1]})
	if r := row(t, d, "a"); r.Views != nil || !r.MeasuredAt.IsZero() {
		t.Errorf("got %+v", r)
	}
}

func TestRefresh_KeepsPartialResults(t *testing.T) {
	a, b, c, d := at("a", time.Hour, 11), at("b", 2*time.Hour, 12), at("c", 3*time.Hour, 13), at("d", 4*time.Hour, 14)
	gone := at("gone", 90*time.Minute, 1)
	old := func() *Document {
		k := known(ago(25*time.Hour), a, gone, b, c, d)
		for i := range k.Rows {
			k.Rows[i].Views = n(1)
		}
		k.History = []Day{{Day: "2026-11-20", Totals: Totals{Followers: n(3)}}}
		return k
	}
	busy := &publish.Error{Kind: publish.RateLimited, RetryAfter: time.Minute, Safe: "slow down"}
	t.Run("in the second page", func(t *testing.T) {
		s := lists(2, a, b, c, d)
		s.fail, s.skip = map[string]error{"page": busy}, 1
		got := refresh(t, s, noon, Ask{Before: old()})
		if want := []string{"a", "b", "c", "d"}; !slices.Equal(ids(got), want) {
			t.Errorf("got rows %v, want %v", ids(got), want)
		}
		if *row(t, got, "b").Views != 12 || *row(t, got, "c").Views != 1 || !row(t, got, "c").MeasuredAt.Equal(ago(25*time.Hour)) {
			t.Errorf("got %+v", got.Rows)
		}
		if got.WalkedAt.Equal(noon) || !got.RefreshedAt.Equal(noon) || !errors.Is(got.Incomplete, busy) || len(got.History) != 2 {
			t.Errorf("got full listing at %v, refreshed at %v, %v", got.WalkedAt, got.RefreshedAt, got.Incomplete)
		}
	})
	t.Run("in the first page", func(t *testing.T) {
		s := lists(2, a, b)
		s.fail = map[string]error{"page": errors.New("cut off")}
		got := refresh(t, s, noon, Ask{Before: old()})
		if len(got.Rows) != 5 || got.Incomplete == nil {
			t.Errorf("got rows %v: without a listing, no post can be missing", ids(got))
		}
	})
	t.Run("in the second batch", func(t *testing.T) {
		s := measures(9, 2, a, b, c, d)
		s.fail, s.skip = map[string]error{"measure": busy}, 1
		got := refresh(t, s, noon, Ask{Before: old()})
		if *row(t, got, "b").Views != 12 || *row(t, got, "c").Views != 1 || !got.WalkedAt.Equal(noon) || got.Incomplete == nil || s.count("measure") != 2 {
			t.Errorf("got %+v, full listing at %v, %v", got.Rows, got.WalkedAt, s.calls)
		}
	})
}

func TestRefresh_Errors(t *testing.T) {
	for _, kind := range []publish.Kind{publish.Auth, publish.Unauthorized, publish.Scope} {
		for _, call := range []string{"totals", "page", "measure"} {
			s := measures(5, 5, at("a", time.Hour, 1))
			s.fail = map[string]error{call: &publish.Error{Kind: kind, Safe: "no"}}
			d, err := (&Refresher{Clock: testclock.NewFakePassiveClock(noon)}).Refresh(t.Context(), s, Ask{})
			if d != nil || publish.KindOf(err) != kind {
				t.Errorf("%s at %s: got %v, %v", kind, call, d, err)
			}
		}
	}
	s := lists(5, at("a", time.Hour, 1))
	s.fail = map[string]error{"totals": &publish.Error{Kind: publish.RateLimited, RetryAfter: 7 * time.Second}}
	_, err := (&Refresher{}).Refresh(t.Context(), s, Ask{})
	var e *publish.Error
	if !errors.As(err, &e) || e.RetryAfter != 7*time.Second || len(s.calls) != 1 {
		t.Errorf("got %v after %v", err, s.calls)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	why := errors.New("the leader has changed")
	s = lists(1, at("a", time.Hour, 1), at("b", 2*time.Hour, 1))
	s.after = func(call string) {
		if call == "page" {
			cancel(why)
		}
	}
	s.fail, s.skip = map[string]error{"page": errors.New("cut off")}, 1
	if d, err := (&Refresher{}).Refresh(ctx, s, Ask{}); d != nil || !errors.Is(err, why) {
		t.Errorf("with a canceled context: got %v, %v", d, err)
	}
}

func TestRefresh_InvalidPosts(t *testing.T) {
	huge := at("huge", time.Hour, 1)
	huge.Title, huge.Caption, huge.URL, huge.ThumbnailURL = strings.Repeat("é", 3000), "x"+strings.Repeat("🥖", 10_000), strings.Repeat("u", 5000), strings.Repeat("u", 5000)
	broken := at("broken", 2*time.Hour, 1)
	broken.Caption, broken.Seconds = "a\xffb", -1
	s := lists(9, huge, broken, at("", 3*time.Hour, 1), at(strings.Repeat("i", 300), 4*time.Hour, 1), Post{ID: "never"})
	d := refresh(t, s, noon, Ask{})
	if got := ids(d); !slices.Equal(got, []string{"huge", "broken"}) {
		t.Errorf("got rows %v", got)
	}
	r := row(t, d, "huge")
	if len(r.Title) > maxTitle || len(r.Caption) > maxCaption || len(r.Caption) < maxCaption-4 || !utf8.ValidString(r.Caption) || r.URL != "" || r.ThumbnailURL != "" {
		t.Errorf("got texts of %d, %d, %d bytes", len(r.Title), len(r.Caption), len(r.URL))
	}
	if r := row(t, d, "broken"); r.Caption != "a\uFFFDb" || r.Seconds != 0 {
		t.Errorf("got %+v", r)
	}
}

func TestRefresh_PageLoop(t *testing.T) {
	s := &loop{}
	d := refresh(t, s, noon, Ask{Before: known(ago(time.Hour), at("a", time.Hour, 1), at("old", 2*day, 1))})
	if s.pages != 2 || len(d.Rows) != 2 {
		t.Errorf("got %d pages, rows %v", s.pages, ids(d))
	}
	if d = refresh(t, &loop{none: true}, noon, Ask{}); d.Incomplete == nil || len(d.Rows) != 0 || d.Totals.Followers != nil {
		t.Errorf("from an empty platform: got %+v", d)
	}
}

// loop is a platform whose pages point to themselves, or that has none.
type loop struct {
	pagedPlatform
	none  bool
	pages int
}

func (*loop) Terms(publish.Account) Terms { return Terms{Lists: true, Pages: 50} }

func (l *loop) Totals(context.Context, publish.Account) (*Totals, error) { return nil, nil }

func (l *loop) Page(context.Context, publish.Account, string) (*Page, error) {
	if l.pages++; l.none {
		return nil, nil
	}
	return &Page{Posts: []Post{at("a", time.Hour, 1)}, Next: "again"}, nil
}
