// SPDX-License-Identifier: Apache-2.0

package analytics

import (
	"math"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/reelops/reelops/internal/catalog"
)

// of returns a document with the rows.
func of(rows ...Row) *Document {
	put(rows)
	return &Document{Version: version, RefreshedAt: noon, Rows: rows}
}

// numbers returns views, likes, comments, shares and favorites of a post; -1 is unknown.
func numbers(v ...int64) Numbers {
	var out Numbers
	for i, into := range []**int64{&out.Views, &out.Likes, &out.Comments, &out.Shares, &out.Favorites} {
		if i < len(v) && v[i] >= 0 {
			*into = n(v[i])
		}
	}
	return out
}

func TestSummarize_Period(t *testing.T) {
	d := of(
		Row{Post: Post{ID: "ahead", PostedAt: noon.Add(1)}}, Row{Post: Post{ID: "now", PostedAt: noon}},
		Row{Post: Post{ID: "edge", PostedAt: ago(24 * time.Hour)}}, Row{Post: Post{ID: "past", PostedAt: ago(24*time.Hour + 1)}},
	)
	q := Query{Period: 24 * time.Hour}
	if got := ids(&Document{Rows: d.Select(q, noon)}); !slices.Equal(got, []string{"now", "edge"}) {
		t.Errorf("got posts %v of the period", got)
	}
	s := d.Summarize(q, noon.In(time.FixedZone("", 7*3600)))
	if s.Posts != 2 || !s.Since.Equal(ago(24*time.Hour)) || !s.Until.Equal(noon) || s.Since.Location() != time.UTC || s.Until.Location() != time.UTC {
		t.Errorf("got %+v", s)
	}
	if got := ids(&Document{Rows: d.Select(Query{}, noon)}); !slices.Equal(got, []string{"now", "edge", "past"}) {
		t.Errorf("without a period: got %v", got)
	}
	if s := of().Summarize(Query{}, noon); s.Posts != 0 || !s.Since.Equal(noon) {
		t.Errorf("of an empty document: got %+v", s)
	}
}

func TestSummarize_IgnoresUnknown(t *testing.T) {
	post := func(id string, ours int64, v ...int64) Row {
		return Row{Post: Post{ID: id, PostedAt: ago(time.Hour), Numbers: numbers(v...)}, OurPost: ours}
	}
	for _, c := range []struct {
		name string
		rows []Row
		ours bool
		want Summary
		rate float64 // NaN: unknown
		mean float64
	}{
		{"no posts", nil, false, Summary{}, math.NaN(), math.NaN()},
		{"no metrics", []Row{post("a", 0), post("b", 0)}, false, Summary{Posts: 2}, math.NaN(), math.NaN()},
		{"metrics of zero", []Row{post("a", 0, 0, 0, 0, 0, 0)}, false, Summary{Posts: 1, Views: n(0), Likes: n(0), Comments: n(0), Shares: n(0), Favorites: n(0)}, math.NaN(), 0},
		{
			"some metrics",
			[]Row{post("a", 0, 100, 10, -1, 3), post("b", 0, 300, -1, -1, 2), post("c", 0)},
			false,
			Summary{Posts: 3, Views: n(400), Likes: n(10), Shares: n(5)},
			15.0 / 400, 200,
		},
		{"views only", []Row{post("a", 0, 100)}, false, Summary{Posts: 1, Views: n(100)}, math.NaN(), 100},
		{"no views", []Row{post("a", 0, -1, 5)}, false, Summary{Posts: 1, Likes: n(5)}, math.NaN(), math.NaN()},
		{"ours", []Row{post("a", 7, 100, 10), post("b", 0, 300, 20)}, true, Summary{Posts: 1, Views: n(100), Likes: n(10)}, 0.1, 100},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := of(c.rows...)
			d.Totals.Followers = n(9)
			got := d.Summarize(Query{Period: day, OursOnly: c.ours}, noon)
			c.want.Since, c.want.Until, c.want.Followers = ago(day), noon, n(9)
			if !math.IsNaN(c.rate) {
				c.want.Rate = &c.rate
			}
			if !math.IsNaN(c.mean) {
				c.want.AverageViews = &c.mean
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestEngagement(t *testing.T) {
	for _, c := range []struct {
		name string
		v    []int64
		want float64 // NaN: unknown
	}{
		{"all", []int64{200, 10, 4, 3, 3}, 0.1},
		{"some", []int64{200, 10}, 0.05},
		{"no engagement", []int64{200, 0, 0}, 0},
		{"zero views", []int64{0, 0}, math.NaN()},
		{"unknown views", []int64{-1, 10}, math.NaN()},
		{"only views", []int64{200}, math.NaN()},
		{"a negative rate", []int64{-1}, math.NaN()},
	} {
		r := Row{Post: Post{Numbers: numbers(c.v...)}}
		got := r.Rate()
		if math.IsNaN(c.want) != (got == nil) || (got != nil && *got != c.want) {
			t.Errorf("%s: got %v, want %v", c.name, got, c.want)
		}
	}
}

func TestSelect_AllOrders(t *testing.T) {
	// All numbers of a post are equal, so every column has the same expected order.
	same := func(id string, age time.Duration, v int64) Row {
		return Row{Post: Post{ID: id, PostedAt: ago(age), Numbers: numbers(v, v, v, v, v)}}
	}
	d := of(
		same("two-old", 5*time.Hour, 2), same("unknown-new", time.Hour, -1), same("nine", 2*time.Hour, 9), same("two-new", 3*time.Hour, 2),
		same("zero", 4*time.Hour, 0), same("unknown-old", 6*time.Hour, -1), same("twin-b", 7*time.Hour, 4), same("twin-a", 7*time.Hour, 4),
	)
	down := []string{"nine", "twin-a", "twin-b", "two-new", "two-old", "zero", "unknown-new", "unknown-old"}
	up := []string{"zero", "two-new", "two-old", "twin-a", "twin-b", "nine", "unknown-new", "unknown-old"}
	newest := []string{"unknown-new", "nine", "two-new", "zero", "two-old", "unknown-old", "twin-a", "twin-b"}
	oldest := []string{"twin-a", "twin-b", "unknown-old", "two-old", "zero", "two-new", "nine", "unknown-new"}
	for _, column := range append(catalog.AnalyticsSorts(), "") {
		for _, ascending := range []bool{false, true} {
			want := map[bool][]string{false: down, true: up}[ascending]
			if column == catalog.SortPostedAt || column == "" {
				want = map[bool][]string{false: newest, true: oldest}[ascending]
			}
			q := Query{Period: day, Sort: column, Ascending: ascending}
			if got := ids(&Document{Rows: d.Select(q, noon)}); !slices.Equal(got, want) {
				t.Errorf("by %q, ascending %v: got %v, want %v", column, ascending, got, want)
			}
			var parts []string
			for from := 0; ; from += 3 {
				rows, total := d.Part(q, noon, from, 3)
				if total != len(want) || len(rows) > 3 {
					t.Fatalf("got a part of %d of %d", len(rows), total)
				}
				if len(rows) == 0 {
					break
				}
				parts = append(parts, ids(&Document{Rows: rows})...)
			}
			if !slices.Equal(parts, want) {
				t.Errorf("by %q, ascending %v, in parts: got %v, want %v", column, ascending, parts, want)
			}
		}
	}
	if got := ids(d); !slices.Equal(got, newest) {
		t.Errorf("Select changed the document: %v", got)
	}
	for _, edge := range [][2]int{{-1, 2}, {99, 2}, {math.MaxInt, math.MaxInt}, {0, -1}} {
		if rows, total := d.Part(Query{}, noon, edge[0], edge[1]); len(rows) > 2 || total != 8 {
			t.Errorf("part %v: got %d of %d", edge, len(rows), total)
		}
	}
}
