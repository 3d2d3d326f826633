// SPDX-License-Identifier: Apache-2.0

package offline

import (
	"sort"
	"strings"

	"github.com/reelops/reelops/internal/textgen"
)

// points returns at most n slides between the hook and the call, and how many of them are the text's own list. It returns fewer
// when the text and the brand's profile hold less: a slide that repeats or invents something is worse than none.
func (s *story) points(n int) ([]unit, int) {
	pool := s.fresh(s.m.units)
	kept := choose(s.tag, pool, n, s.telling)
	fromList := 0
	for _, u := range kept {
		if u.listed {
			fromList++
		}
	}
	if len(kept) < len(pool) && len(kept) > 0 && kept[0].listed && strings.Contains(kept[0].head, ". ") && kept[0].order == 0 && len(pool) > n {
		fromList = len(pool) // merged: all are there
	}
	if len(kept) < n {
		kept = s.interleave(kept, n)
	}
	kept = s.widen(kept, n)
	var out []unit
	for _, u := range kept {
		if f := fitUnit(s.tag, u); s.take(f) {
			out = append(out, f)
		}
	}
	for _, u := range s.extras() {
		if len(out) >= n {
			break
		}
		if f := fitUnit(s.tag, u); hasWord(f.head) && s.take(f) {
			out = append(out, f)
		}
	}
	return out, fromList
}

// fresh leaves out what is already said and what says the same again.
func (s *story) fresh(units []unit) []unit {
	var out []unit
	seen := map[string]bool{}
	for _, u := range units {
		f := fitUnit(s.tag, u)
		key := textgen.Fold(f.head)
		if seen[key] || s.used[key] || !hasWord(f.head) {
			continue
		}
		// A lone address is for the last slide.
		if a := reAddress.FindString(u.head); a != "" && weight(strings.Replace(u.head, a, "", 1)) < 2 {
			continue
		}
		seen[key] = true
		out = append(out, u)
	}
	return out
}

// interleave brings in the best sentences from beside the list, each where it stood.
func (s *story) interleave(units []unit, n int) []unit {
	spare := s.fresh(s.m.spare)
	order := make([]int, len(spare))
	for i := range order {
		order[i] = i
	}
	sort.SliceStable(order, func(a, b int) bool {
		return score(s.tag, spare[order[a]].head, s.telling) > score(s.tag, spare[order[b]].head, s.telling)
	})
	wanted := map[int]bool{}
	for i := 0; i < len(order) && len(units)+len(wanted) < n; i++ {
		wanted[order[i]] = true
	}
	var out []unit
	next := 0
	for i, u := range units {
		for next < len(spare) && spare[next].group <= i {
			if wanted[next] {
				out = append(out, spare[next])
			}
			next++
		}
		out = append(out, u)
	}
	for ; next < len(spare); next++ {
		if wanted[next] {
			out = append(out, spare[next])
		}
	}
	return out
}

// widen parts units until there are n, gently first: a body becomes its own slide, then sentences part at strong punctuation,
// then at commas and joining words.
func (s *story) widen(units []unit, n int) []unit {
	units = append([]unit(nil), units...)
	part := func(i int, a, b unit) {
		units = append(units[:i], append([]unit{a, b}, units[i+1:]...)...)
	}
	bodies := func(questions bool) {
		for len(units) < n {
			found := -1
			for i, u := range units {
				if u.body != "" && weight(u.body) >= 3 && asks(u.head) == questions && (found < 0 || runes(u.body) > runes(units[found].body)) {
					found = i
				}
			}
			if found < 0 {
				break
			}
			u := units[found]
			part(found, unit{head: u.head, listed: u.listed, para: -1}, unit{head: u.body, para: -1})
		}
	}
	bodies(false)
	for _, step := range []struct{ level, least int }{{0, 2}, {1, 3}, {3, 3}, {2, 2}} {
		for len(units) < n {
			found, long := -1, 0
			for i, u := range units {
				if _, _, ok := s.parted(u.head, step.level, step.least); ok && runes(u.head) > long {
					found, long = i, runes(u.head)
				}
			}
			if found < 0 {
				break
			}
			u := units[found]
			a, b, _ := s.parted(u.head, step.level, step.least)
			part(found, unit{head: a, listed: u.listed, para: -1}, unit{head: b, body: u.body, para: -1})
		}
	}
	bodies(true) // a question keeps its answer as long as it can
	return units
}

// parted is halves that leave nothing already said and nothing without a telling word.
func (s *story) parted(text string, level, least int) (a, b string, ok bool) {
	a, b, ok = halves(s.tag, text, level, least)
	if !ok || len(salient(s.tag, a)) == 0 || len(salient(s.tag, b)) == 0 || s.used[textgen.Fold(a)] || s.used[textgen.Fold(b)] {
		return "", "", false
	}
	return a, b, true
}

// extras are what the brand says of itself: for a context with too little in it.
func (s *story) extras() []unit {
	var out []unit
	add := func(t string) {
		for _, x := range sentences(clean(t)) {
			if x = tidy(cleanInline(x)); hasWord(x) {
				out = append(out, unit{head: x, para: -1})
			}
		}
	}
	for _, v := range s.r.Brand.ValuePoints {
		add(v)
	}
	add(s.r.Brand.Description)
	add(s.r.Brand.Offer)
	return out
}
