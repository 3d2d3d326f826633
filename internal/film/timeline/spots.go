// SPDX-License-Identifier: Apache-2.0

package timeline

import (
	"slices"
	"sort"
)

// noSpots is the name of the empty set of spots.
const noSpots = 0

// spotSet is what a clip shows of its spots from one frame on.
type spotSet struct {
	// from is the first frame of the clip's own time.
	from int
	// name is noSpots, or one more than the first frame of the clip that shows the very same pictures in the very same places.
	name int
}

// spotSets lists the sets of a clip in the order of time, each until the next one. They change only where a spot begins or ends.
func (c *Clip) spotSets() []spotSet {
	if len(c.Spots) == 0 {
		return nil
	}
	at := []int{0}
	for k := range c.Spots {
		at = append(at, c.Spots[k].From, c.Spots[k].To)
	}
	slices.Sort(at)
	at = slices.Compact(at)
	ids := map[Layer]int{}    // the same picture in the same place is the same, whichever spot names it
	names := map[string]int{} // of what was shown before
	sets := make([]spotSet, 0, len(at))
	var shown []byte
	for _, from := range at {
		shown = shown[:0]
		for _, k := range c.shown(from) {
			id, known := ids[c.Spots[k].Layer]
			if !known {
				id = len(ids)
				ids[c.Spots[k].Layer] = id
			}
			shown = append(shown, byte(id), byte(id>>8))
		}
		name := noSpots
		if len(shown) > 0 {
			first, known := names[string(shown)]
			if !known {
				first = from
				names[string(shown)] = first
			}
			name = first + 1
		}
		sets = append(sets, spotSet{from, name})
	}
	return sets
}

// setAt is the name of the set that frame n of the clip shows.
func setAt(sets []spotSet, n int) int {
	i := sort.Search(len(sets), func(i int) bool { return sets[i].from > n })
	if i == 0 {
		return noSpots
	}
	return sets[i-1].name
}

// shown lists the spots that frame n of the clip shows, in the order in which they are drawn.
func (c *Clip) shown(n int) []int {
	var out []int
	for k := range c.Spots {
		if c.Spots[k].From <= n && n < c.Spots[k].To {
			out = append(out, k)
		}
	}
	return out
}

// ShownSpots lists the indices of the spots that a view of the clip shows, in the order in which they are drawn.
func (c *Clip) ShownSpots(v View) []int {
	if v.Spots == noSpots {
		return nil
	}
	return c.shown(v.Spots - 1)
}
