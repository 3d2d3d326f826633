// SPDX-License-Identifier: Apache-2.0

package stock

import (
	"slices"
)

// place is where an item of the joined list comes from.
type place struct {
	list int // which of the lists
	at   int // place in it, counted from 0
}

// turns joins lists of known lengths: the first of each, then the second of each, and so on; a list that has ended is left
// out. It gives the places of n items from the one at from on; fewer at the end.
//
// So the joined list is the same however it is cut into pages, and the best of every list is near its beginning.
func turns(lengths []int, from, n int) []place {
	var out []place
	// All lists have items until the shortest ends, then all but that one, and so on.
	done := 0 // rounds behind us
	for _, end := range slices.Compact(slices.Sorted(slices.Values(lengths))) {
		var alive []int
		for i, l := range lengths {
			if l > done {
				alive = append(alive, i)
			}
		}
		if rounds := end - done; rounds > 0 {
			size := rounds * len(alive)
			for ; from < size && len(out) < n; from++ {
				out = append(out, place{alive[from%len(alive)], done + from/len(alive)})
			}
			if len(out) == n {
				return out
			}
			from -= size
			done = end
		}
	}
	return out
}
