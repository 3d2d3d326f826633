// SPDX-License-Identifier: Apache-2.0

package stock

import (
	"slices"
)

// place is the origin of an item of the merged list.
type place struct {
	list int // index of the list
	at   int // index in that list
}

// interleave merges lists of known lengths: the first of each, then the second of each, and so on, skipping lists that
// have ended. It returns the places of n items starting at from, or fewer at the end.
//
// The merged list is the same for every page size, and the best items of every list are near its beginning.
func interleave(lengths []int, from, n int) []place {
	var out []place
	// All lists have items until the shortest ends, then all but that one, and so on.
	done := 0 // completed rounds
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
