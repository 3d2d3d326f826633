// SPDX-License-Identifier: Apache-2.0

package textsearch

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// model searches by reading every record.
type model struct{ records map[string]modelRecord }

type modelRecord struct {
	rank   Rank
	fields []Field
}

func (m *model) search(q Query) (names []string, scores []float64) {
	type found struct {
		name  string
		held  int
		score float64
		rank  Rank
	}
	usual := 0.0
	weights := map[string]map[string]float32{}
	for name, r := range m.records {
		weights[name] = weigh(r.fields)
		for _, w := range weights[name] {
			usual += float64(w)
		}
	}
	usual /= float64(max(len(m.records), 1))
	hits := map[string]*found{}
	for _, w := range q.words {
		best := map[string]float64{}
		for name, of := range weights {
			long := 0.0
			for _, k := range of {
				long += float64(k)
			}
			for text, k := range of {
				likeness := 0.0
				switch {
				case text == w.text:
					likeness = 1
				case text == w.stem || stem(text) == w.stem:
					likeness = likeForm
				case w.begins && strings.HasPrefix(text, w.text):
					likeness = likeBeginning
				}
				tf := float64(k)
				best[name] = max(best[name], likeness*tf*(saturation+1)/(tf+saturation*(1-lengthwise+lengthwise*long/usual)))
			}
			if best[name] == 0 {
				delete(best, name)
			}
		}
		n, df := float64(len(m.records)), float64(len(best))
		for name, b := range best {
			if hits[name] == nil {
				hits[name] = &found{name: name, rank: m.records[name].rank}
			}
			hits[name].held++
			hits[name].score += b * math.Log(1+(n-df+0.5)/(df+0.5))
		}
	}
	list := make([]*found, 0, len(hits))
	for _, h := range hits {
		list = append(list, h)
	}
	slices.SortFunc(list, func(a, b *found) int {
		alls := func(f *found) int {
			if f.held == len(q.words) {
				return 0
			}
			return 1
		}
		scores := cmp.Compare(b.score, a.score)
		if math.Abs(a.score-b.score) < 1e-4 { // the index counts with less precision
			scores = 0
		}
		return cmp.Or(cmp.Compare(alls(a), alls(b)), scores, a.rank.compare(b.rank))
	})
	for _, f := range list {
		names, scores = append(names, f.name), append(scores, f.score)
	}
	return names, scores
}

var vocabulary = strings.Fields("sun sunny sunset sea seas beach beaches run running runs red blue car cartoon 海边 日落 été ete the a")

func phrase(r *rand.Rand, most int) string {
	var out []string
	for range r.IntN(most + 1) {
		out = append(out, vocabulary[r.IntN(len(vocabulary))])
	}
	return strings.Join(out, " ")
}

// TestIndex_MatchesTheModel adds, changes and removes records at random and compares both.
func TestIndex_MatchesTheModel(t *testing.T) {
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 3))
		m := &model{records: map[string]modelRecord{}}
		shelves := []*Index[string]{{}, {}, {}}
		slots, on := map[string]Slot{}, map[string]*Index[string]{}
		for step := range 200 {
			name := fmt.Sprint("record", r.IntN(60))
			if old, ok := m.records[name]; ok {
				on[name].Remove(slots[name], old.fields...)
				delete(m.records, name)
			}
			if r.IntN(4) > 0 {
				rec := modelRecord{Rank{int64(r.IntN(5)), int64(step)}, []Field{{phrase(r, 4), 4}, {phrase(r, 6), 1}}}
				m.records[name], on[name] = rec, shelves[r.IntN(len(shelves))]
				slots[name] = on[name].Add(rec.rank, name, rec.fields...)
			}
			if step%10 != 0 {
				continue
			}
			q := Parse(phrase(r, 4))
			want, scores := m.search(q)
			hits := Search(shelves, q, nil, all)
			if len(hits) != len(want) {
				t.Fatalf("seed %d: got %d hits, want %d", seed, len(hits), len(want))
			}
			for i, h := range hits {
				if math.Abs(float64(h.Score)-scores[i]) > 1e-3 {
					t.Fatalf("seed %d: hit %d is %s with %f, want %s with %f", seed, i, h.Value, h.Score, want[i], scores[i])
				}
			}
		}
	}
}

// FuzzQuery searches with an arbitrary query: each hit is returned once and in order.
func FuzzQuery(f *testing.F) {
	texts := []string{"Crème brûlée at the beach", "海边日落 sunset", "women's running shoes", "L'été à Paris 🌊", "", "книга в траве", "ชายทะเล"}
	for _, s := range texts {
		f.Add(s, s)
	}
	f.Add("a'b'c ' '' \x00\xff\u200b\u200d\ufe0f", strings.Repeat("が", 600))
	f.Fuzz(func(t *testing.T, query, text string) {
		x := newIndex(texts...)
		slot := x.Add(Rank{Major: 99}, "fuzzed", Field{text, 1})
		seen := map[string]bool{}
		hits := Search([]*Index[string]{x}, Parse(query), nil, all)
		for i, h := range hits {
			if seen[h.Value] {
				t.Fatalf("%q is returned twice", h.Value)
			}
			seen[h.Value] = true
			if i > 0 && hits[i-1].compare(&h) > 0 {
				t.Fatalf("%v precedes %v", hits[i-1], h)
			}
			if math.IsNaN(float64(h.Score)) || h.Score <= 0 {
				t.Fatalf("%q has the score %f", h.Value, h.Score)
			}
		}
		if len(Parse(text).words) > 0 && !slices.ContainsFunc(Search([]*Index[string]{x}, Parse(text), nil, all), func(h Hit[string]) bool { return h.Value == "fuzzed" && h.All }) {
			t.Fatalf("%q is not found by its own text", text)
		}
		x.Remove(slot, Field{text, 1})
		if got := find("beach", x); len(got) != 1 || x.Len() != len(texts) {
			t.Fatalf("after the removal: got %q", got)
		}
	})
}
