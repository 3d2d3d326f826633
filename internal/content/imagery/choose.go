// SPDX-License-Identifier: Apache-2.0

package imagery

import (
	"hash/fnv"
	"math"
	"sort"
)

// Candidate is an image that may be chosen.
type Candidate struct {
	ID    string // unique; a second candidate with the same ID is ignored
	World string // image world, or empty for images without one
}

// Options control the choice for one slideshow.
type Options struct {
	World        string   // its images are preferred; empty for none
	RecentlyUsed []string // candidate IDs that the brand used recently, latest first
	Seed         uint64   // decides between equals; it should differ between slideshows

	// Least is the minimum fit; a slide without a fitting image gets none. Strong is the fit of an image that may be
	// the only one among slides without an image. If Least is 0, every slide gets an image.
	Least, Strong float64
}

// Choice is the image of one slide.
type Choice struct {
	Index  int     // index in the candidates; -1 when none fits
	ID     string  // the candidate's ID; empty when none fits
	Score  float64 // its fit
	Reused bool    // an earlier slide already shows this image
}

const (
	// scoreStep is the difference up to which two scores count as equal. Small differences in wording should not make a
	// brand show the same image every day.
	scoreStep = 0.04
	// themeWeight is the weight of the fit to the slideshow as a whole in the score of an image on every slide.
	themeWeight = 0.35
)

// Choose returns the image of every slide, in slide order, or nil without candidates. fit holds for every slide how
// well each candidate shows the subject of the slide, from 0 to 1. The function is pure: equal input has equal output.
//
// The best matching pairs of slide and image are assigned first. An image scores higher if it fits the other slides
// too, and if it belongs to the world that suits the slideshow best or to a related one. Among equals, the image not
// used by the brand for the longest time comes first, then the one that the seed prefers. No image appears twice while
// any candidate is unused. After that, all are reused evenly, avoiding neighbours.
//
// If Least is set, the images of a slideshow belong together. A slide without a fitting image of its own takes one that
// fits half of the slides. If fewer than half of the slides have an image then, only strong fits are kept.
func Choose(fit [][]float64, candidates []Candidate, opts Options) []Choice {
	cands := unique(candidates)
	if len(fit) == 0 || len(cands) == 0 {
		return nil
	}
	m := match(fit, cands, opts.Least)
	a := &assignment{
		m: m, rank: recency(candidates, cands, opts.RecentlyUsed), dice: dice(candidates, cands, opts.Seed), least: opts.Least,
	}
	for range fit {
		a.picked = append(a.picked, -1)
	}
	m.mood = moods(candidates, cands, m, a.rank, opts)
	var first, rest []int
	for k, i := range cands {
		if opts.World != "" && candidates[i].World == opts.World {
			first = append(first, k)
		} else {
			rest = append(rest, k)
		}
	}
	for round := 0; a.open() > 0 && (round == 0 || opts.Least == 0); round++ {
		used := make([]bool, len(cands))
		a.fill(first, used, round > 0)
		a.fill(rest, used, round > 0)
	}
	if opts.Least > 0 && 2*a.open() > len(fit) {
		for s, k := range a.picked {
			if k >= 0 && m.fit[s][k] < opts.Strong {
				a.picked[s] = -1
			}
		}
	}
	out := make([]Choice, len(fit))
	seen := make([]bool, len(cands))
	for s, k := range a.picked {
		if k < 0 {
			out[s].Index = -1
			continue
		}
		out[s] = Choice{Index: cands[k], ID: candidates[cands[k]].ID, Score: math.Round(m.fit[s][k]*1e4) / 1e4, Reused: seen[k]}
		seen[k] = true
	}
	return out
}

// matches holds how well every slide and candidate match.
type matches struct {
	fit     [][]float64
	theme   []float64 // mean fit over the slides
	subject []bool    // fits half of the slides, and at least two
	mood    []float64 // bonus of a candidate for its world
}

func match(fit [][]float64, cands []int, least float64) *matches {
	m := &matches{theme: make([]float64, len(cands)), subject: make([]bool, len(cands))}
	for _, row := range fit {
		of := make([]float64, len(cands))
		for k, i := range cands {
			of[k] = row[i]
			m.theme[k] += row[i] / float64(len(fit))
		}
		m.fit = append(m.fit, of)
	}
	for k := range cands {
		n := 0
		for s := range m.fit {
			if least > 0 && m.fit[s][k] >= least {
				n++
			}
		}
		m.subject[k] = n >= 2 && 2*n >= len(m.fit)
	}
	return m
}

// fitting reports whether a slide may show an image.
func (a *assignment) fitting(slide, cand int) bool {
	return a.least == 0 || a.m.fit[slide][cand] >= a.least || a.m.subject[cand]
}

// worth returns the score for the assignment.
func (m *matches) worth(slide, cand int) float64 {
	return m.fit[slide][cand] + themeWeight*m.theme[cand] + m.mood[cand]
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

// recency returns the recency of use of each candidate: 0 for images not used recently, higher for later use.
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

// dice returns one pseudo-random number per image, from the seed and the image's ID, so that adding a candidate does
// not reshuffle the others.
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
	rank   []int
	dice   []uint64
	least  float64
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

// fill assigns images of one tier to open slides, the best pair first, until there are no more slides or unused images.
func (a *assignment) fill(tier []int, used []bool, reuse bool) {
	var pairs []pair
	for s, k := range a.picked {
		if k >= 0 {
			continue
		}
		for _, t := range tier {
			if !used[t] && a.fitting(s, t) {
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
		take(true) // the same image on two consecutive slides looks like a mistake
	}
	take(false)
}

func (a *assignment) beside(p pair) bool {
	return p.slide > 0 && a.picked[p.slide-1] == p.cand ||
		p.slide+1 < len(a.picked) && a.picked[p.slide+1] == p.cand
}
