// SPDX-License-Identifier: Apache-2.0

package textsearch

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// newIndex returns an index of texts, the first of them the oldest.
func newIndex(texts ...string) *Index[string] {
	x := &Index[string]{}
	for i, t := range texts {
		x.Add(Rank{Major: int64(i)}, t, Field{t, 1})
	}
	return x
}

func all(total int) (int, int) { return 0, total }

func find(query string, in ...*Index[string]) []string {
	out := []string{}
	for _, h := range Search(in, Parse(query), nil, all) {
		out = append(out, h.Value)
	}
	return out
}

func TestSearch_Queries(t *testing.T) {
	for _, c := range []struct {
		why, query string
		texts      []string
		want       []string // best first
	}{
		{"a word anywhere", "beach", []string{"At the beach", "Mountains", "Beach"}, []string{"Beach", "At the beach"}},
		{"newest first among equals", "beach", []string{"beach one", "beach two", "beach six"}, []string{"beach six", "beach two", "beach one"}},
		{"all words before some words", "red car", []string{"red car at home in the evening", "red red red", "car"}, []string{"red car at home in the evening", "red red red", "car"}},
		{"the rarer word counts more", "office cactus", []string{"office chair", "office desk", "office plant", "cactus pot"}, []string{"cactus pot", "office plant", "office desk", "office chair"}},
		{"the last word may be a prefix", "sun bea", []string{"sun over a beach", "bear", "sun"}, []string{"sun over a beach", "sun", "bear"}},
		{"other words may not be prefixes", "bea sun", []string{"beach in the sun", "beach"}, []string{"beach in the sun"}},
		{"exact words before prefixes", "car", []string{"car", "cartoon"}, []string{"car", "cartoon"}},
		{"one and many", "beach photos", []string{"beaches photo"}, []string{"beaches photo"}},
		{"forms of a verb", "running", []string{"runs", "run", "runner"}, []string{"run", "runs"}},
		{"the requested form first", "shoe", []string{"shoe", "shoes"}, []string{"shoe", "shoes"}},
		{"Russian forms", "книги", []string{"книга", "книгой"}, []string{"книгой", "книга"}},
		{"ignores case", "BEACH", []string{"BeAcH"}, []string{"BeAcH"}},
		{"ignores accents", "creme brulee", []string{"Crème brûlée"}, []string{"Crème brûlée"}},
		{"ignores accents of the query", "crème", []string{"creme"}, []string{"creme"}},
		{"accents that form other letters", "cafe\u0301", []string{"café"}, []string{"café"}},
		{"letters that only look composed", "strasse", []string{"Straße"}, []string{"Straße"}},
		{"й is not и", "мои", []string{"мой край"}, []string{}},
		{"an elided article", "été", []string{"L'été à Paris"}, []string{"L'été à Paris"}},
		{"a possessive", "women's shoes", []string{"shoes of women", "women’s shoes"}, []string{"women’s shoes", "shoes of women"}},
		{"file names", "img_1234", []string{"IMG_1234.jpg", "IMG_1235.jpg"}, []string{"IMG_1234.jpg", "IMG_1235.jpg"}},
		{"Chinese inside a run", "海边", []string{"夏天的海边日落", "海上", "边"}, []string{"夏天的海边日落"}},
		{"one Chinese character", "海", []string{"夏天的海边", "大海", "山"}, []string{"大海", "夏天的海边"}},
		{"Japanese with voicing marks", "がく", []string{"おんがく", "おんかく"}, []string{"おんがく"}},
		{"half width and full width", "ｶﾒﾗ １", []string{"カメラ 1"}, []string{"カメラ 1"}},
		{"Korean with its endings", "서울", []string{"서울에서 만난"}, []string{"서울에서 만난"}},
		{"Thai", "ทะเล", []string{"ชายทะเลสวย"}, []string{"ชายทะเลสวย"}},
		{"Arabic without vowel signs", "بحر", []string{"بَحْر"}, []string{"بَحْر"}},
		{"an emoji", "🌊", []string{"wave 🌊", "wave"}, []string{"wave 🌊"}},
		{"two scripts in one query", "iphone 海边", []string{"海边 iphone", "iphone"}, []string{"海边 iphone", "iphone"}},
		{"stop words do not count beside others", "the sea", []string{"the mountain", "sea"}, []string{"sea"}},
		{"stop words alone count", "the who", []string{"The Who live", "somebody"}, []string{"The Who live"}},
		{"nothing", "", []string{"a"}, []string{}},
		{"signs only", "?! -- \x00 \u200d", []string{"a ? b"}, []string{}},
		{"no match", "zebra", []string{"horse"}, []string{}},
		{"invalid UTF-8", "beach\xff", []string{"beach"}, []string{"beach"}},
	} {
		if d := cmp.Diff(c.want, find(c.query, newIndex(c.texts...))); d != "" {
			t.Errorf("%s: got %s", c.why, d)
		}
	}
}

func TestQueryAll_FindsOnlyRecordsWithEveryWord(t *testing.T) {
	x := newIndex("red sea", "blue sea", "a red car", "seas and reds")
	for query, want := range map[string][]string{
		"red sea": {"red sea", "seas and reds"}, "the sea": {"red sea", "seas and reds", "blue sea"}, "sea yellow": {}, "": {}, "red c": {"a red car"},
	} {
		got, total := []string{}, 0
		for _, h := range Search([]*Index[string]{x}, Parse(query).All(), nil, func(n int) (int, int) { total = n; return 0, n }) {
			got = append(got, h.Value)
		}
		slices.Sort(got)
		slices.Sort(want)
		if d := cmp.Diff(want, got); d != "" || total != len(want) {
			t.Errorf("%q: total %d, got %s", query, total, d)
		}
	}
}

func TestSearch_Weights(t *testing.T) {
	x := &Index[string]{}
	x.Add(Rank{Major: 9}, "described", Field{"harbour", 4}, Field{"sunset", 1})
	x.Add(Rank{Major: 1}, "titled", Field{"sunset", 4}, Field{"harbour", 1})
	if d := cmp.Diff([]string{"titled", "described"}, find("sunset", x)); d != "" {
		t.Error(d)
	}
}

func TestSearch_SeveralIndexesRankAsOne(t *testing.T) {
	texts := []string{"red sea", "red house", "blue sea", "sea", "red", "a red red sea at night", "green"}
	together := newIndex(texts...)
	a, b, none := &Index[string]{}, &Index[string]{}, &Index[string]{}
	for i, text := range texts {
		[]*Index[string]{a, b}[i%2].Add(Rank{Major: int64(i)}, text, Field{text, 1})
	}
	for _, q := range []string{"red sea", "sea", "red", "b", "green night"} {
		if d := cmp.Diff(find(q, together), find(q, a, none, b)); d != "" {
			t.Errorf("%s: got %s", q, d)
		}
	}
}

// TestSearch_OtherIndexesDoNotAffectScores ranks the same records next to a full index that is not searched: every
// score is the same.
func TestSearch_OtherIndexesDoNotAffectScores(t *testing.T) {
	mine := newIndex("red sea", "blue sea", "red")
	q := Parse("red sea")
	before := Search([]*Index[string]{mine}, q, nil, all)
	others := &Index[string]{}
	for i := range 1000 {
		others.Add(Rank{Major: int64(i)}, "x", Field{"red " + strings.Repeat("sea ", i%3), 1})
	}
	Search([]*Index[string]{others}, q, nil, all) // its result is discarded
	if d := cmp.Diff(before, Search([]*Index[string]{mine}, q, nil, all)); d != "" {
		t.Error(d)
	}
}

func TestSearch_Pages(t *testing.T) {
	x := &Index[int]{}
	for i := range 500 {
		x.Add(Rank{Major: int64(i % 7), Minor: int64(i)}, i, Field{strings.Repeat("sea ", 1+i%5) + strings.Repeat("sand ", i%3), 1})
	}
	odd := func(v int) bool { return v%2 == 1 }
	q := Parse("sea sand")
	var whole, paged []int
	for _, h := range Search([]*Index[int]{x}, q, odd, all) {
		whole = append(whole, h.Value)
	}
	if len(whole) != 250 || slices.ContainsFunc(whole, func(v int) bool { return !odd(v) }) {
		t.Fatalf("got %d records", len(whole))
	}
	for from := 0; from < 280; from += 7 {
		for _, h := range Search([]*Index[int]{x}, q, odd, func(total int) (int, int) {
			if total != 250 {
				t.Errorf("got a total of %d", total)
			}
			return from, from + 7
		}) {
			paged = append(paged, h.Value)
		}
	}
	if d := cmp.Diff(whole, paged); d != "" {
		t.Error(d)
	}
}

func TestRemove(t *testing.T) {
	x := &Index[string]{}
	fields := func(s string) []Field { return []Field{{s, 2}, {"always " + s, 1}} }
	texts := []string{"running shoes", "run", "海边 runs", "été", "shoe 🌊"}
	slots := map[string]Slot{}
	for range 3 {
		for i, s := range texts {
			slots[s] = x.Add(Rank{Major: int64(i)}, s, fields(s)...)
		}
		if got := find("always", x); len(got) != len(texts) {
			t.Fatalf("got %q", got)
		}
		for i, s := range texts {
			x.Remove(slots[s], fields(s)...)
			if got := find("always", x); len(got) != len(texts)-i-1 {
				t.Errorf("after %d removals: got %q", i+1, got)
			}
			if slices.Contains(find(s, x), s) {
				t.Errorf("%s is still found", s)
			}
		}
		if x.Len() != 0 || x.terms != nil || x.records != nil {
			t.Errorf("the empty index is not empty: %+v", x)
		}
	}
}
