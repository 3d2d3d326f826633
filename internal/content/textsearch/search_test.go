// SPDX-License-Identifier: Apache-2.0

package textsearch

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// shelf is an index of texts, the first of them the oldest.
func shelf(texts ...string) *Index[string] {
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

func TestWhatAQueryFinds(t *testing.T) {
	for _, c := range []struct {
		why, query string
		texts      []string
		want       []string // best first
	}{
		{"a word wherever it stands", "beach", []string{"At the beach", "Mountains", "Beach"}, []string{"Beach", "At the beach"}},
		{"of equals the newest first", "beach", []string{"beach one", "beach two", "beach six"}, []string{"beach six", "beach two", "beach one"}},
		{"those with all words before those with some", "red car", []string{"red car at home in the evening", "red red red", "car"}, []string{"red car at home in the evening", "red red red", "car"}},
		{"the rarer word counts more", "office cactus", []string{"office chair", "office desk", "office plant", "cactus pot"}, []string{"cactus pot", "office plant", "office desk", "office chair"}},
		{"the last word may be a beginning", "sun bea", []string{"sun over a beach", "bear", "sun"}, []string{"sun over a beach", "sun", "bear"}},
		{"no other word may", "bea sun", []string{"beach in the sun", "beach"}, []string{"beach in the sun"}},
		{"the word itself before words that begin so", "car", []string{"car", "cartoon"}, []string{"car", "cartoon"}},
		{"one and many", "beach photos", []string{"beaches photo"}, []string{"beaches photo"}},
		{"forms of a verb", "running", []string{"runs", "run", "runner"}, []string{"run", "runs"}},
		{"the form that was asked for first", "shoe", []string{"shoe", "shoes"}, []string{"shoe", "shoes"}},
		{"Russian forms", "книги", []string{"книга", "книгой"}, []string{"книгой", "книга"}},
		{"no case", "BEACH", []string{"BeAcH"}, []string{"BeAcH"}},
		{"accents or none", "creme brulee", []string{"Crème brûlée"}, []string{"Crème brûlée"}},
		{"accents or none, the other way", "crème", []string{"creme"}, []string{"creme"}},
		{"accents as letters of their own", "cafe\u0301", []string{"café"}, []string{"café"}},
		{"letters that only look joined", "strasse", []string{"Straße"}, []string{"Straße"}},
		{"й is not и", "мои", []string{"мой край"}, []string{}},
		{"an elided article", "été", []string{"L'été à Paris"}, []string{"L'été à Paris"}},
		{"whose it is", "women's shoes", []string{"shoes of women", "women’s shoes"}, []string{"women’s shoes", "shoes of women"}},
		{"file names", "img_1234", []string{"IMG_1234.jpg", "IMG_1235.jpg"}, []string{"IMG_1234.jpg", "IMG_1235.jpg"}},
		{"Chinese inside a run", "海边", []string{"夏天的海边日落", "海上", "边"}, []string{"夏天的海边日落"}},
		{"one Chinese character", "海", []string{"夏天的海边", "大海", "山"}, []string{"大海", "夏天的海边"}},
		{"Japanese, and its marks tell", "がく", []string{"おんがく", "おんかく"}, []string{"おんがく"}},
		{"half width and full width", "ｶﾒﾗ １", []string{"カメラ 1"}, []string{"カメラ 1"}},
		{"Korean with its endings", "서울", []string{"서울에서 만난"}, []string{"서울에서 만난"}},
		{"Thai", "ทะเล", []string{"ชายทะเลสวย"}, []string{"ชายทะเลสวย"}},
		{"Arabic without its vowels", "بحر", []string{"بَحْر"}, []string{"بَحْر"}},
		{"an emoji", "🌊", []string{"wave 🌊", "wave"}, []string{"wave 🌊"}},
		{"two writings in one query", "iphone 海边", []string{"海边 iphone", "iphone"}, []string{"海边 iphone", "iphone"}},
		{"fillers count for nothing beside others", "the sea", []string{"the mountain", "sea"}, []string{"sea"}},
		{"fillers alone are words", "the who", []string{"The Who live", "somebody"}, []string{"The Who live"}},
		{"nothing", "", []string{"a"}, []string{}},
		{"signs alone", "?! -- \x00 \u200d", []string{"a ? b"}, []string{}},
		{"what is not there", "zebra", []string{"horse"}, []string{}},
		{"broken bytes", "beach\xff", []string{"beach"}, []string{"beach"}},
	} {
		if d := cmp.Diff(c.want, find(c.query, shelf(c.texts...))); d != "" {
			t.Errorf("%s: %s", c.why, d)
		}
	}
}

func TestWeightsTell(t *testing.T) {
	x := &Index[string]{}
	x.Add(Rank{Major: 9}, "described", Field{"harbour", 4}, Field{"sunset", 1})
	x.Add(Rank{Major: 1}, "titled", Field{"sunset", 4}, Field{"harbour", 1})
	if d := cmp.Diff([]string{"titled", "described"}, find("sunset", x)); d != "" {
		t.Error(d)
	}
}

func TestSeveralIndexesRankAsOne(t *testing.T) {
	texts := []string{"red sea", "red house", "blue sea", "sea", "red", "a red red sea at night", "green"}
	together := shelf(texts...)
	a, b, none := &Index[string]{}, &Index[string]{}, &Index[string]{}
	for i, text := range texts {
		[]*Index[string]{a, b}[i%2].Add(Rank{Major: int64(i)}, text, Field{text, 1})
	}
	for _, q := range []string{"red sea", "sea", "red", "b", "green night"} {
		if d := cmp.Diff(find(q, together), find(q, a, none, b)); d != "" {
			t.Errorf("%s: %s", q, d)
		}
	}
}

// TestNobodyLearnsFromOthers ranks the same records beside an index that is full and not searched: every score is the same.
func TestNobodyLearnsFromOthers(t *testing.T) {
	mine := shelf("red sea", "blue sea", "red")
	q := Parse("red sea")
	before := Search([]*Index[string]{mine}, q, nil, all)
	others := &Index[string]{}
	for i := range 1000 {
		others.Add(Rank{Major: int64(i)}, "x", Field{"red " + strings.Repeat("sea ", i%3), 1})
	}
	Search([]*Index[string]{others}, q, nil, all) // what it notes is thrown away
	if d := cmp.Diff(before, Search([]*Index[string]{mine}, q, nil, all)); d != "" {
		t.Error(d)
	}
}

func TestPagesAddUp(t *testing.T) {
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
		t.Fatalf("%d records were found", len(whole))
	}
	for from := 0; from < 280; from += 7 {
		for _, h := range Search([]*Index[int]{x}, q, odd, func(total int) (int, int) {
			if total != 250 {
				t.Errorf("the total is %d", total)
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

func TestWhatIsRemovedIsGone(t *testing.T) {
	x := &Index[string]{}
	fields := func(s string) []Field { return []Field{{s, 2}, {"always " + s, 1}} }
	texts := []string{"running shoes", "run", "海边 runs", "été", "shoe 🌊"}
	slots := map[string]Slot{}
	for range 3 {
		for i, s := range texts {
			slots[s] = x.Add(Rank{Major: int64(i)}, s, fields(s)...)
		}
		if got := find("always", x); len(got) != len(texts) {
			t.Fatalf("found %q", got)
		}
		for i, s := range texts {
			x.Remove(slots[s], fields(s)...)
			if got := find("always", x); len(got) != len(texts)-i-1 {
				t.Errorf("after %d were removed: %q", i+1, got)
			}
			if slices.Contains(find(s, x), s) {
				t.Errorf("%s is still found", s)
			}
		}
		if x.Len() != 0 || x.terms != nil || x.records != nil {
			t.Errorf("something is left of an empty index: %+v", x)
		}
	}
}
