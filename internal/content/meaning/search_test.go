// SPDX-License-Identifier: Apache-2.0

package meaning

import (
	"reflect"
	"strings"
	"testing"
)

func pictures() []Doc {
	return []Doc{
		{Title: "Sea at dusk", Tags: []string{"sea", "sunset", "calm"}},
		{Title: "Sea at noon", Tags: []string{"sea", "blue", "bright"}},
		{Title: "Forest path", Tags: []string{"forest", "green", "people"}},
		{Title: "Empty forest", Tags: []string{"forest", "green"}},
		{Title: "Coffee cup", Tags: []string{"coffee", "morning"}},
	}
}

func TestSearch_Queries(t *testing.T) {
	x := NewIndex(NewWords(dictionary(t), func(err error) { t.Error(err) }), pictures())
	for query, c := range map[string]struct {
		first []int // in this order
		never []int
		why   string
	}{
		"sea":                         {first: []int{0, 1}, why: "equal hits keep their order"},
		"ocean":                       {first: []int{0, 1}, why: "a synonym"},
		"sea without sunset":          {first: []int{1}, never: []int{0}, why: "excluded words are not found"},
		"forest, no people":           {first: []int{3}, never: []int{2}, why: "excluded words are not found"},
		"no people in the woods":      {first: []int{3}, never: []int{2}, why: "words after a place are wanted again"},
		"espresso":                    {first: []int{4}, why: "a hyponym"},
		"qwertzuiop":                  {never: []int{0, 1, 2, 3, 4}, why: "an unknown word"},
		"":                            {never: []int{0, 1, 2, 3, 4}, why: "an empty query"},
		"the and of":                  {never: []int{0, 1, 2, 3, 4}, why: "only stop words"},
		strings.Repeat("sea ", 10000): {first: []int{0, 1}, why: "the number of words is bounded"},
	} {
		t.Run(query[:min(len(query), 40)], func(t *testing.T) {
			hits := x.Search(query)
			for i, want := range c.first {
				if i >= len(hits) || hits[i].Doc != want {
					t.Fatalf("got %v, want %v first: %s", hits, c.first, c.why)
				}
			}
			for _, h := range hits {
				for _, no := range c.never {
					if h.Doc == no {
						t.Errorf("got %v: %s", hits, c.why)
					}
				}
			}
		})
	}
}

func TestSearch_IsDeterministic(t *testing.T) {
	d := dictionary(t)
	first := NewIndex(NewWords(d, nil), catalog()).Search("a quiet walk through the autumn woods at dawn")
	for range 20 {
		if again := NewIndex(NewWords(d, nil), catalog()).Search("a quiet walk through the autumn woods at dawn"); !reflect.DeepEqual(first, again) {
			t.Fatalf("got %v, then %v", first, again)
		}
	}
}

func FuzzSearch(f *testing.F) {
	for _, q := range []string{"calm evening by the sea", "no", "without", "not not not", "日本 の 海", "'s", "-–—", "a\x00b", "#summer", "ﬁre"} {
		f.Add(q)
	}
	d := dictionary(f)
	x := NewIndex(NewWords(d, func(err error) { f.Error(err) }), catalog())
	f.Fuzz(func(t *testing.T, query string) {
		last := 0.0
		for i, h := range x.Search(query) {
			if h.Score <= 0 || i > 0 && h.Score > last {
				t.Errorf("%q: hit %d has the score %v after %v", query, i, h.Score, last)
			}
			last = h.Score
		}
	})
}
