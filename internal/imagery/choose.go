// SPDX-License-Identifier: Apache-2.0

package imagery

import (
	"hash/fnv"
	"math"
	"sort"
)

// Query is what one slide is about. Words may be in any language; candidates are
// tagged in English, so Keywords should carry English ones when the text is not.
type Query struct {
	Keywords []string
	Heading  string
	Body     string
}

// Candidate is a picture that may be chosen.
type Candidate struct {
	ID          string // unique; a second candidate with the same ID is ignored
	World       string // image world, or "" for pictures that belong to none
	Title       string
	Description string
	Tags        []string
}

// Options steer one slideshow's choice.
type Options struct {
	World        string   // keep to this world while it has unused pictures; "" lets Choose find the mood
	RecentlyUsed []string // candidate IDs the brand used lately, latest first
	Seed         uint64   // decides between equals; different slideshows should differ
}

// Choice is the picture of one slide.
type Choice struct {
	Index   int      // place in the candidates given
	ID      string   // the candidate's ID
	Score   float64  // how well the words match, 0 (not at all) to 1
	Matched []string // the candidate's words that spoke for it, sorted
	Reused  bool     // an earlier slide already shows this picture
}

// scoreStep is how close two scores must be to count as equal. Small differences
// in wording must not make a brand show the same picture every day.
const scoreStep = 0.04

// Choose gives every slide a picture, in slide order; nil without candidates. It
// is pure: equal input gives equal output.
//
// The slideshow keeps one mood: it takes its pictures from the world asked for,
// else from the world that suits all slides together best, joined by worlds that
// go with it only when one has too few pictures. Inside, the best matching pairs
// of slide and picture come first; among equals the one the brand has not shown
// for longest, then the one the seed prefers. No picture appears twice while any
// candidate is unused; after that all are reused evenly, avoiding neighbours.
func Choose(slides []Query, candidates []Candidate, opts Options) []Choice {
	cands := unique(candidates)
	if len(slides) == 0 || len(cands) == 0 {
		return nil
	}
	m := match(slides, candidates, cands)
	a := &assignment{
		m: m, cands: cands, rank: recency(candidates, cands, opts.RecentlyUsed),
		dice: dice(candidates, cands, opts.Seed), picked: make([]int, len(slides)),
	}
	for i := range a.picked {
		a.picked[i] = -1
	}
	tiers := moods(candidates, cands, m, a.rank, opts, len(slides))
	for round := 0; a.open() > 0; round++ {
		used := make([]bool, len(cands))
		for _, tier := range tiers {
			a.fill(tier, used, round > 0)
		}
	}
	out := make([]Choice, len(slides))
	seen := make([]bool, len(cands))
	for s, k := range a.picked {
		c := candidates[cands[k]]
		out[s] = Choice{Index: cands[k], ID: c.ID, Score: math.Round(m.score[s][k]*1e4) / 1e4, Matched: m.words(s, k), Reused: seen[k]}
		seen[k] = true
	}
	return out
}

func unique(candidates []Candidate) []int {
	var out []int
	seen := map[string]bool{}
	for i, c := range candidates {
		if !seen[c.ID] {
			seen[c.ID] = true
			out = append(out, i)
		}
	}
	return out
}

// recency is 0 for pictures not used lately and grows the later they were used.
func recency(all []Candidate, cands []int, used []string) []int {
	rank := map[string]int{}
	for i, id := range used {
		if _, ok := rank[id]; !ok {
			rank[id] = len(used) - i
		}
	}
	out := make([]int, len(cands))
	for k, i := range cands {
		out[k] = rank[all[i].ID]
	}
	return out
}

// dice throws one number per picture from the seed and its ID, so that adding a
// candidate does not reshuffle the others.
func dice(all []Candidate, cands []int, seed uint64) []uint64 {
	out := make([]uint64, len(cands))
	for k, i := range cands {
		out[k] = throw(seed, all[i].ID)
	}
	return out
}

func throw(seed uint64, word string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(word))
	z := h.Sum64() ^ (seed+1)*0x9e3779b97f4a7c15
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

type assignment struct {
	m      *matches
	cands  []int
	rank   []int
	dice   []uint64
	picked []int // per slide, -1 while open
}

func (a *assignment) open() int {
	n := 0
	for _, k := range a.picked {
		if k < 0 {
			n++
		}
	}
	return n
}

type pair struct {
	slide, cand int
	level       int // score in steps, so that near equals are equal
}

// fill gives pictures of one tier to open slides, best pair first, until slides
// or unused pictures run out.
func (a *assignment) fill(tier []int, used []bool, reuse bool) {
	var pairs []pair
	for s, k := range a.picked {
		if k >= 0 {
			continue
		}
		for _, t := range tier {
			if !used[t] {
				pairs = append(pairs, pair{s, t, int(a.m.worth(s, t)/scoreStep + 0.5)})
			}
		}
	}
	sort.Slice(pairs, func(i, j int) bool {
		p, q := pairs[i], pairs[j]
		switch {
		case p.level != q.level:
			return p.level > q.level
		case a.rank[p.cand] != a.rank[q.cand]:
			return a.rank[p.cand] < a.rank[q.cand]
		case p.cand != q.cand:
			if a.dice[p.cand] != a.dice[q.cand] {
				return a.dice[p.cand] < a.dice[q.cand]
			}
			return p.cand < q.cand
		}
		return p.slide < q.slide
	})
	take := func(apart bool) {
		for _, p := range pairs {
			if a.picked[p.slide] >= 0 || used[p.cand] || apart && a.beside(p) {
				continue
			}
			a.picked[p.slide] = p.cand
			used[p.cand] = true
		}
	}
	if reuse {
		take(true) // the same picture on two slides in a row looks like a fault
	}
	take(false)
}

func (a *assignment) beside(p pair) bool {
	return p.slide > 0 && a.picked[p.slide-1] == p.cand ||
		p.slide+1 < len(a.picked) && a.picked[p.slide+1] == p.cand
}
