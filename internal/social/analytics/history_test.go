// SPDX-License-Identifier: Apache-2.0

package analytics

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// count returns a day with a follower count.
func count(day string, followers int64) Day {
	return Day{Day: day, Totals: Totals{Followers: n(followers)}}
}

// word returns a day for which the platform reported only a change.
func word(day string, change int64) Day { return Day{Day: day, Change: n(change)} }

func TestSummarize_FollowerChange(t *testing.T) {
	words := func(from string, days int) []Day {
		first, _ := time.Parse(time.DateOnly, from)
		var out []Day
		for i := range days {
			out = append(out, word(first.AddDate(0, 0, i).Format(time.DateOnly), int64(i+1)))
		}
		return out
	}
	for _, c := range []struct {
		name      string
		history   []Day
		followers int64 // -1: unknown
		refreshed time.Time
		period    time.Duration
		want      *int64
	}{
		{"a count of the first day of the period", []Day{count("2026-11-14", 80), count("2026-11-21", 100)}, 100, noon, 7 * day, n(20)},
		{"fewer than before", []Day{count("2026-11-14", 130), count("2026-11-21", 100)}, 100, noon, 7 * day, n(-30)},
		{"the last of several", []Day{count("2026-11-13", 70), count("2026-11-14", 80), count("2026-11-15", 90)}, 100, noon, 7 * day, n(20)},
		{"two days older", []Day{count("2026-11-12", 60), count("2026-11-15", 90)}, 100, noon, 7 * day, n(40)},
		{"three days older", []Day{count("2026-11-11", 50), count("2026-11-15", 90)}, 100, noon, 7 * day, nil},
		{"only a count within the period", []Day{count("2026-11-15", 90)}, 100, noon, 7 * day, nil},
		{"a day without a count between", []Day{count("2026-11-13", 70), word("2026-11-14", 4), count("2026-11-15", 90)}, 100, noon, 7 * day, n(30)},
		{"yesterday", []Day{count("2026-11-20", 95), count("2026-11-21", 100)}, 100, noon, day, n(5)},
		{"a refresh before the period", []Day{count("2026-11-19", 80)}, 100, ago(day + 1), day, nil},
		{"yesterday's count is that of the refresh", []Day{count("2026-11-19", 91), count("2026-11-20", 95)}, 95, ago(13 * time.Hour), day, n(4)},
		{"the refresh without an older count", []Day{count("2026-11-20", 95)}, 95, ago(13 * time.Hour), day, nil},
		{"a change for each day", words("2026-11-14", 7), 100, noon, 7 * day, n(28)},
		{"the change of today is ignored", words("2026-11-14", 8), 100, noon, 7 * day, n(28)},
		{"a missing day", slices.Delete(words("2026-11-14", 7), 3, 4), 100, noon, 7 * day, nil},
		{"the last day is missing", words("2026-11-14", 6), 100, noon, 7 * day, nil},
		{"changes without a count", append(words("2026-11-14", 7), Day{Day: "2026-11-21"}), -1, noon, 7 * day, n(28)},
		{"counts take precedence over changes", append([]Day{count("2026-11-13", 90)}, words("2026-11-14", 7)...), 100, noon, 7 * day, n(10)},
		{"the change of yesterday", words("2026-11-20", 1), 100, noon, day, n(1)},
		{"nothing", nil, 100, noon, 7 * day, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := &Document{RefreshedAt: c.refreshed, History: c.history}
			if c.followers >= 0 {
				d.Totals.Followers = n(c.followers)
			}
			if diff := cmp.Diff(c.want, d.Summarize(Query{Period: c.period}, noon).FollowerChange); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestHistory_OneEntryForEachDay(t *testing.T) {
	d := &Document{
		RefreshedAt: noon,
		Totals: Totals{
			Followers: n(100), Posts: n(7),
			Changes: []Change{
				{"2026-11-20", 4}, {"2026-11-18", 2}, {"2026-11-21", 1}, {"2026-11-22", 9}, {"yesterday", 9}, {"2026-11-31", 9}, {"2026-07-01", 9},
			},
		},
		Rows: []Row{{Post: Post{Numbers: numbers(10, 3, -1, 0)}}, {Post: Post{Numbers: numbers(20, 4)}}},
	}
	before := []Day{
		{Day: "2026-11-11", Totals: Totals{Followers: n(1)}},
		{Day: "2026-11-12", Totals: Totals{Followers: n(2)}},
		{Day: "2026-11-20", Totals: Totals{Followers: n(95)}, Change: n(3)},
		{Day: "2026-11-21", Totals: Totals{Followers: n(98), Posts: n(6)}, Favorites: n(5)},
	}
	kept := slices.Clone(before)
	want := []Day{
		{Day: "2026-11-12", Totals: Totals{Followers: n(2)}},
		{Day: "2026-11-18", Change: n(2)},
		{Day: "2026-11-20", Totals: Totals{Followers: n(95)}, Change: n(4)},
		{Day: "2026-11-21", Totals: Totals{Followers: n(100), Posts: n(7), Views: n(30)}, Change: n(1), Likes: n(7), Shares: n(0), Favorites: n(5)},
	}
	got := remember(before, d, 10)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(kept, before); diff != "" {
		t.Errorf("the previous history was changed:\n%s", diff)
	}
	d.History = got
	for since, want := range map[string]int{"2026-11-01": 4, "2026-11-18": 3, "2026-11-19": 2, "2026-11-21": 1, "2026-11-22": 0} {
		from, _ := time.Parse(time.DateOnly, since)
		if got := d.Growth(from.Add(23 * time.Hour)); len(got) != want {
			t.Errorf("from %s on: got %d days, want %d", since, len(got), want)
		}
	}
}

func TestAccount_Views(t *testing.T) {
	d := of(Row{Post: Post{Numbers: numbers(10)}}, Row{Post: Post{Numbers: numbers(-1, 2)}}, Row{Post: Post{Numbers: numbers(5)}})
	d.Totals = Totals{Followers: n(3), Changes: []Change{{"2026-11-20", 1}}}
	if diff := cmp.Diff(Totals{Followers: n(3), Views: n(15)}, d.Account()); diff != "" {
		t.Errorf("without views of the platform (-want +got):\n%s", diff)
	}
	d.Totals.Views = n(0)
	if got := d.Account(); *got.Views != 0 {
		t.Errorf("got %d views, want those of the platform", *got.Views)
	}
	if got := of(Row{}).Account(); got.Views != nil {
		t.Errorf("got %d views, want unknown", *got.Views)
	}
}
