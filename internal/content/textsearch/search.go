// SPDX-License-Identifier: Apache-2.0

package textsearch

import (
	"cmp"
	"math"
	"sync"
)

// The usual constants of BM25: saturation is k1, the effect of a repeated word; lengthwise is b, the penalty for long
// records.
const (
	saturation = 1.2
	lengthwise = 0.5
)

// Hit is a search result.
type Hit[V any] struct {
	Value V
	// All reports whether the record has every word of the query.
	All   bool
	Score float32
	Rank  Rank
}

// Search returns the records of several indexes that match the query, the best first. keep reports whether a record may
// be returned; nil keeps all. cut receives the number of results and returns the wanted range, half-open.
func Search[V any](in []*Index[V], q Query, keep func(V) bool, cut func(total int) (from, to int)) []Hit[V] {
	hits := Find(in, q, keep)
	from, to := cut(len(hits))
	from, to = max(from, 0), min(to, len(hits))
	if from >= to {
		return nil
	}
	sortWindow(hits, from, to)
	return hits[from:to:to]
}

// Find returns the records of several indexes that match the query, in no order. keep is as in Search.
func Find[V any](in []*Index[V], q Query, keep func(V) bool) []Hit[V] {
	work := make([]*scratch, len(in))
	count, length := 0, 0.0
	for i, x := range in {
		work[i] = borrow(len(x.records))
		count, length = count+x.Len(), length+x.length
	}
	for _, w := range q.words {
		holding := 0
		for i, x := range in {
			holding += x.match(w, length/float64(max(count, 1)), work[i])
		}
		rarity := float32(math.Log(1 + (float64(count-holding)+0.5)/(float64(holding)+0.5)))
		for _, s := range work {
			s.count(rarity)
		}
	}
	n := 0
	for _, s := range work {
		n += len(s.found)
	}
	hits := make([]Hit[V], 0, n)
	for i, x := range in {
		for _, slot := range work[i].found {
			r, all := &x.records[slot], int(work[i].held[slot]) == len(q.words)
			if (all || !q.all) && (keep == nil || keep(r.value)) {
				hits = append(hits, Hit[V]{Value: r.value, All: all, Score: work[i].score[slot], Rank: r.rank})
			}
		}
		work[i].giveBack()
	}
	return hits
}

// compare returns a negative number if h sorts before o.
func (h *Hit[V]) compare(o *Hit[V]) int {
	if h.All != o.All {
		if h.All {
			return -1
		}
		return 1
	}
	return cmp.Or(cmp.Compare(o.Score, h.Score), h.Rank.compare(o.Rank))
}

// match stores how well each record matches a word, and returns the number of matching records.
func (x *Index[V]) match(w word, usual float64, s *scratch) int {
	x.each(w, func(t *term, likeness float32) {
		for _, p := range t.posts {
			long := float32(1 - lengthwise + lengthwise*float64(x.records[p.slot].length)/usual)
			worth := likeness * p.weight * (saturation + 1) / (p.weight + saturation*long)
			if s.best[p.slot] == 0 {
				s.touched = append(s.touched, p.slot)
			}
			s.best[p.slot] = max(s.best[p.slot], worth)
		}
	})
	return len(s.touched)
}

// scratch holds the intermediate results of a search in one index, by slot. All values are zero between two searches.
type scratch struct {
	best, score []float32
	held        []uint8
	// touched are the records with the current word, found the records with any word.
	touched, found []Slot
}

var scratches = sync.Pool{New: func() any { return &scratch{} }}

func borrow(n int) *scratch {
	s := scratches.Get().(*scratch)
	if len(s.best) < n {
		n += n / 4
		s.best, s.score, s.held = make([]float32, n), make([]float32, n), make([]uint8, n)
	}
	return s
}

// count adds the scores of the current word to the records and resets the state for the next word.
func (s *scratch) count(rarity float32) {
	for _, slot := range s.touched {
		if s.held[slot] == 0 {
			s.found = append(s.found, slot)
		}
		s.held[slot]++
		s.score[slot] += rarity * s.best[slot]
		s.best[slot] = 0
	}
	s.touched = s.touched[:0]
}

func (s *scratch) giveBack() {
	for _, slot := range s.found {
		s.score[slot], s.held[slot] = 0, 0
	}
	s.found = s.found[:0]
	scratches.Put(s)
}

// sortWindow sorts only the hits that belong between from and to. One page of 100,000 hits costs about one pass over
// them.
func sortWindow[V any](hits []Hit[V], from, to int) {
	lo, hi := 0, len(hits)
	for hi-lo > 1 {
		// Use the median of three as pivot, so that a sorted list is not the worst case.
		a, b, c := &hits[lo], &hits[lo+(hi-lo)/2], &hits[hi-1]
		if a.compare(b) > 0 {
			a, b = b, a
		}
		if b.compare(c) > 0 {
			b = c
			if a.compare(b) > 0 {
				b = a
			}
		}
		pivot := *b
		i, j := lo, hi-1
		for i <= j {
			for hits[i].compare(&pivot) < 0 {
				i++
			}
			for hits[j].compare(&pivot) > 0 {
				j--
			}
			if i <= j {
				hits[i], hits[j] = hits[j], hits[i]
				i, j = i+1, j-1
			}
		}
		// Hits before j+1 do not sort after the pivot; hits from i on do not sort before the pivot.
		left, right := from < j+1, to > i
		switch {
		case left && right:
			sortWindow(hits[lo:j+1], from-lo, to-lo)
			lo, hi, from, to = 0, hi-i, from-i, to-i
			hits = hits[i : i+hi]
		case left:
			hi = j + 1
		case right:
			lo = i
		default:
			return
		}
	}
}
