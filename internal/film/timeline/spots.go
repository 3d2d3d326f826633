// SPDX-License-Identifier: Apache-2.0

package timeline

import (
	"slices"
	"sort"
)

// noSpots is the name of the empty set of spots.
const noSpots = 0

// spotSet is the set of spots that a clip shows from one frame on.
type spotSet struct {
	// from is the first frame of the clip's own time.
	from int
	// name is noSpots, or one more than the first frame of the clip that shows the same images in the same places.
	name int
}

// spotSets returns the sets of a clip in time order, each valid until the next one. They change only where a spot
// begins or ends.
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
	ids := map[Layer]int{}    // the same image in the same place has the same id, whichever spot names it
	names := map[string]int{} // names of the sets shown before
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

// setAt returns the name of the set that frame n of the clip shows.
func setAt(sets []spotSet, n int) int {
	i := sort.Search(len(sets), func(i int) bool { return sets[i].from > n })
	if i == 0 {
		return noSpots
	}
	return sets[i-1].name
}

// shown returns the indices of the spots that frame n of the clip shows, in drawing order.
func (c *Clip) shown(n int) []int {
	var out []int
	for k := range c.Spots {
		if c.Spots[k].From <= n && n < c.Spots[k].To {
			out = append(out, k)
		}
	}
	return out
}

// ShownSpots returns the indices of the spots that a view of the clip shows, in drawing order.
func (c *Clip) ShownSpots(v View) []int {
	if v.Spots == noSpots {
		return nil
	}
	return c.shown(v.Spots - 1)
}
