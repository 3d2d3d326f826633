// SPDX-License-Identifier: Apache-2.0

package textsearch

import (
	"cmp"
	"math"
	"sync"
)

// The usual constants of BM25: how soon repeating a word stops to count, and how much a long record has to answer for its
// length.
const (
	saturation = 1.2
	lengthwise = 0.5
)

// Hit is a record that was found.
type Hit[V any] struct {
	Value V
	// All says that it holds every word.
	All   bool
	Score float32
	Rank  Rank
}

// Search finds the records of several indexes that hold at least one word of the query, the best first. keep says which of
// them may be found; nil keeps all. cut is told how many there are and says which are wanted, as a half-open range.
func Search[V any](in []*Index[V], q Query, keep func(V) bool, cut func(total int) (from, to int)) []Hit[V] {
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
			if r := &x.records[slot]; keep == nil || keep(r.value) {
				hits = append(hits, Hit[V]{Value: r.value, All: int(work[i].held[slot]) == len(q.words), Score: work[i].score[slot], Rank: r.rank})
			}
		}
		work[i].giveBack()
	}
	from, to := cut(len(hits))
	from, to = max(from, 0), min(to, len(hits))
	if from >= to {
		return nil
	}
	sortWindow(hits, from, to)
	return hits[from:to:to]
}

// compare is negative when h stands before o.
func (h *Hit[V]) compare(o *Hit[V]) int {
	if h.All != o.All {
		if h.All {
			return -1
		}
		return 1
	}
	return cmp.Or(cmp.Compare(o.Score, h.Score), h.Rank.compare(o.Rank))
}

// match notes how well each record holds a word, and returns how many do.
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

// scratch is what a search notes of the records of one index, by slot. All of it is zero between two searches.
type scratch struct {
	best, score []float32
	held        []uint8
	// touched hold the word at hand, found any word.
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

// count adds what the records are worth for the word at hand, and makes room for the next.
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

// sortWindow puts those hits in their places that belong between from and to, and no others: a page of a hundred thousand
// costs one walk through them.
func sortWindow[V any](hits []Hit[V], from, to int) {
	lo, hi := 0, len(hits)
	for hi-lo > 1 {
		// Of three the middle one, so that a list in order is not the worst.
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
		// What stands before j+1 is left of the pivot, from i on right of it.
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
