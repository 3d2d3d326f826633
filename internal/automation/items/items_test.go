// SPDX-License-Identifier: Apache-2.0

package items_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/reelops/reelops/internal/automation/feed"
	"github.com/reelops/reelops/internal/automation/items"
)

func TestNextPrompt(t *testing.T) {
	for _, c := range []struct {
		why   string
		count int
		used  int64
		order items.Order
		after items.OnExhausted
		want  int
		ok    bool
	}{
		{"no prompts", 0, 0, items.Sequential, items.Repeat, 0, false},
		{"the first", 3, 0, items.Sequential, items.Repeat, 0, true},
		{"the last", 3, 2, items.Sequential, items.Stop, 2, true},
		{"after the last, stopped", 3, 3, items.Sequential, items.Stop, 0, false},
		{"after the last, repeated", 3, 3, items.Sequential, items.Repeat, 0, true},
		{"a prompt was added after the last", 4, 3, items.Sequential, items.Stop, 3, true},
		{"prompts were removed", 2, 7, items.Sequential, items.Repeat, 1, true},
		{"shuffled and stopped", 3, 3, items.Shuffled, items.Stop, 0, false},
		{"one prompt", 1, 9, items.Shuffled, items.Repeat, 0, true},
		{"a broken counter", 3, -1, items.Sequential, items.Repeat, 0, false},
		{"no order", 3, 4, "", "", 1, true},
	} {
		if got, ok := items.NextPrompt(c.count, c.used, c.order, c.after, "seed"); got != c.want || ok != c.ok {
			t.Errorf("%s: got %d, %v; want %d, %v", c.why, got, ok, c.want, c.ok)
		}
	}
}

func TestNextPrompt_Shuffled(t *testing.T) {
	list := func(count, rounds int, seed string) (out []int) {
		for used := range int64(count * rounds) {
			i, _ := items.NextPrompt(count, used, items.Shuffled, items.Repeat, seed)
			out = append(out, i)
		}
		return out
	}
	for _, count := range []int{2, 3, 10} {
		got := list(count, 200, "a")
		for round := range 200 {
			part := slices.Clone(got[round*count : (round+1)*count])
			slices.Sort(part)
			if part[0] != 0 || part[count-1] != count-1 || len(slices.Compact(part)) != count {
				t.Fatalf("round %d of %d prompts: got %v, want each once", round, count, part)
			}
		}
		for i := 1; count > 2 && i < len(got); i++ {
			if got[i] == got[i-1] {
				t.Fatalf("%d prompts: prompt %d twice in a row, at %d", count, got[i], i)
			}
		}
		if slices.Equal(got[:count*10], got[count*10:count*20]) {
			t.Errorf("%d prompts: the rounds have the same order", count)
		}
	}
	if slices.Equal(list(10, 1, "a"), list(10, 1, "b")) {
		t.Error("the seed has no effect")
	}
	// Running automations rely on this order.
	if got := fmt.Sprint(list(5, 2, "a")); got != "[4 2 3 1 0 2 0 3 4 1]" {
		t.Errorf("got %s", got)
	}
}

func TestCompileFilter_Refuses(t *testing.T) {
	for _, c := range []struct {
		include, exclude []string
		want             string
	}{
		{[]string{"tea", " "}, nil, "term 2 of include is not valid: it is empty"},
		{nil, []string{"/(/"}, "term 1 of exclude is not valid: /(/ is not an RE2 pattern"},
		{nil, []string{"/(?=x)/"}, "term 1 of exclude is not valid: /(?=x)/ is not an RE2 pattern"},
		{nil, []string{`/(\pL{1000}){1000}/`}, "is not an RE2 pattern"},
		{[]string{strings.Repeat("x", 201)}, nil, "term 1 of include is not valid: it has more than 200 characters"},
		{nil, make([]string, 51), "term 51 of exclude is not valid: at most 50 are allowed"},
		{[]string{"\xff"}, nil, "term 1 of include is not valid: it is not text"},
	} {
		_, err := items.CompileFilter(c.include, c.exclude)
		var term *items.TermError
		if !errors.As(err, &term) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got %v, want %q", err, c.want)
		}
	}
}

func TestNextOfFeed_Filter(t *testing.T) {
	for _, c := range []struct {
		text, include, exclude string
		want                   bool
	}{
		{"Green tea is back", "", "", true},
		{"Green tea is back", "TEA", "", true},
		{"A steady team", "tea", "", false},
		{"Green\u00a0  tea", "green tea", "", true},
		{"greentea", "green tea", "", false},
		{"Tea, again", "coffee;tea", "", true},
		{"Tea, again", "tea", "again", false},
		{"Tea (sponsored)", "", "sponsored", false},
		{"C++ and C", "c++", "", true},
		{"#tea time", "#tea", "", true},
		{"Thé noir", "thé", "", true},
		{"Théière", "thé", "", false},
		{"Чай и кофе", "чай", "", true},
		{"日本茶を飲む", "日本茶", "", true},
		{"Version 1.2", "/v[0-9]/", "", false},
		{"Version v12", "/v[0-9]/", "", true},
		{"VERSION", "/version/", "", false},
		{"VERSION", "/(?i)version/", "", true},
		{"either / or", "/", "", true},
		{"a.b", "a.b", "", true},
		{"axb", "a.b", "", false},
	} {
		list := func(s string) []string {
			if s == "" {
				return nil
			}
			return strings.Split(s, ";")
		}
		f, err := items.CompileFilter(list(c.include), list(c.exclude))
		if err != nil {
			t.Fatal(err)
		}
		for _, i := range []feed.Item{{ID: "1", Title: c.text}, {ID: "1", Title: "-", Summary: c.text}} {
			got := items.Rule{Filter: f}.NextOfFeed([]feed.Item{i}, nil, time.Now())
			if (got.Item != nil) != c.want || (got.Filtered == 0) != c.want {
				t.Errorf("%+v, include %q, exclude %q: got %+v", i, c.include, c.exclude, got)
			}
		}
	}
}

func TestNextOfFeed(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	day := 24 * time.Hour
	all := []feed.Item{
		{ID: "undated", Title: "An item without a date"},
		{ID: "old", Title: "Old", Published: now.Add(-100 * day)},
		{ID: "new", Title: "How to brew green tea at home", Published: now.Add(-day)},
		{ID: "newer", Title: "Brewing of green teas at home", Published: now.Add(-time.Hour)},
		{ID: "zone", Title: "In another zone", Published: now.Add(10 * time.Hour)},
		{ID: "future", Title: "Next year", Published: now.Add(365 * day)},
	}
	use := func(ids ...string) (out []items.Used) {
		for _, id := range ids {
			i := slices.IndexFunc(all, func(i feed.Item) bool { return i.ID == id })
			out = append(out, items.Used{ID: id, Text: items.TextOf(all[i]), At: now.Add(-10 * day)})
		}
		return out
	}
	for _, c := range []struct {
		why  string
		rule items.Rule
		used []items.Used
		want string
	}{
		{"the newest that is not in the future", items.Rule{}, nil, "zone 0 0 0 1 0"},
		{"used ones are left out", items.Rule{}, use("zone"), "newer 0 0 0 1 1"},
		{"the same text is another item", items.Rule{}, use("zone", "newer"), "new 0 0 0 1 2"},
		{"the same text is a duplicate", items.Rule{By: items.ByText}, use("zone", "newer"), "old 0 0 0 1 3"},
		{"undated ones are last", items.Rule{}, use("zone", "newer", "new", "old"), "undated 0 0 0 1 4"},
		{"all used", items.Rule{}, use("zone", "newer", "new", "old", "undated"), "- 0 0 0 1 5"},
		{"a window that ended", items.Rule{Window: 9 * day}, use("zone"), "zone 0 0 0 1 0"},
		{"a window that did not end", items.Rule{Window: 10 * day}, use("zone"), "newer 0 0 0 1 1"},
		{"too old, and undated", items.Rule{MaxAge: 50 * day}, use("zone", "newer", "new"), "- 0 1 1 1 3"},
	} {
		got := c.rule.NextOfFeed(all, c.used, now)
		id := "-"
		if got.Item != nil {
			id = got.Item.ID
		}
		counts := fmt.Sprint([]int{got.Filtered, got.TooOld, got.Undated, got.NotYet, got.Duplicate})
		if s := id + " " + strings.Trim(counts, "[]"); s != c.want {
			t.Errorf("%s: got %s, want %s", c.why, s, c.want)
		}
	}
	if got := (items.Rule{}).NextOfFeed(nil, nil, now); got != (items.Choice{}) {
		t.Errorf("no items: got %+v", got)
	}
	if all[0].ID != "undated" {
		t.Error("the list of the caller was sorted")
	}
}

func TestNextOfFeed_Similarity(t *testing.T) {
	for _, c := range []struct {
		a, b feed.Item
		want bool
	}{
		{feed.Item{Title: "Five teas for cold winter days"}, feed.Item{Title: "Five Teas for a Cold Winter Day"}, true},
		{feed.Item{Title: "Five teas for cold winter days"}, feed.Item{Title: "Five coffees for hot summer days"}, false},
		{
			feed.Item{Title: "Daily news"},
			feed.Item{Title: "Daily news", Summary: "The council opens a bridge over the river."},
			false,
		},
		{
			feed.Item{Title: "Daily news", Summary: "A storm closes all the schools."},
			feed.Item{Title: "Daily news", Summary: "The council opens a bridge over the river."},
			false,
		},
		{
			feed.Item{Title: "News", Summary: "The town council opens a bridge over the river."},
			feed.Item{Title: "Today", Summary: "The town council opens a bridge over the river."},
			true,
		},
		{
			feed.Item{Title: "Weather report for Berlin, 3 March"},
			feed.Item{Title: "Weather report for Berlin, 4 March"},
			false,
		},
		{feed.Item{Title: "Новый чай на рынке"}, feed.Item{Title: "Новые чаи на рынках"}, true},
		{feed.Item{Title: "冬の日のお茶五選"}, feed.Item{Title: "冬の日のお茶五選!"}, true},
		{feed.Item{Title: "the of and"}, feed.Item{Title: "the of and"}, false},
	} {
		c.a.ID, c.b.ID = "a", "b"
		now := time.Now()
		used := []items.Used{{ID: "a", Text: items.TextOf(c.a), At: now}}
		got := items.Rule{By: items.ByText}.NextOfFeed([]feed.Item{c.b}, used, now)
		if (got.Duplicate == 1) != c.want {
			t.Errorf("%q, %q: got %+v, want duplicate %v", c.a.Title, c.b.Title, got, c.want)
		}
	}
}

func TestTextOf_IsBounded(t *testing.T) {
	if got := len([]rune(items.TextOf(feed.Item{Title: "ä", Summary: strings.Repeat("ö", 5000)}))); got != 500 {
		t.Errorf("got %d characters, want 500", got)
	}
}
