// SPDX-License-Identifier: Apache-2.0

package limit

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestRecordKeepsOrder adds times out of order, as requests do whose replies from Redis overtake each other, and
// removes some from any position.
func TestRecordKeepsOrder(t *testing.T) {
	for seed := range uint64(300) {
		random := rand.New(rand.NewPCG(seed, 1))
		limit := 1 + random.IntN(50)
		var r record
		var model []int64
		for at := int64(0); at < 400; at++ {
			switch some := random.IntN(4); {
			case some == 0 && len(model) > 0:
				gone := model[random.IntN(len(model))]
				r.remove(gone)
				model = slices.Delete(model, slices.Index(model, gone), slices.Index(model, gone)+1)
			case some == 1:
				until := at - int64(limit)
				r.drop(until)
				model = slices.DeleteFunc(model, func(m int64) bool { return m <= until })
			case len(model) < limit:
				early := max(at-random.Int64N(10), 0)
				r.add(early, limit)
				model = append(model, early)
				slices.Sort(model)
			}
			r.remove(-1) // never added
			var got []int64
			for i := range r.n {
				got = append(got, *r.slot(i))
			}
			if !slices.Equal(model, got) {
				t.Fatalf("seed %d, step %d: got %v, want %v", seed, at, got, model)
			}
			if len(r.ring) > max(limit, firstRing) {
				t.Fatalf("seed %d: allocated %d slots, the limit is %d", seed, len(r.ring), limit)
			}
		}
	}
}
