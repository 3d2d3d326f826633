// SPDX-License-Identifier: Apache-2.0

package overlay

import (
	"strings"

	"github.com/reelops/reelops/internal/catalog"
)

// Family returns the overlay font with a name, ignoring case, spaces and quotes. In a list, as in style sheets, the
// first name counts.
func Family(name string) (font catalog.OverlayFont, ok bool) {
	plain := func(s string) string {
		return strings.ToLower(strings.NewReplacer(" ", "", "-", "", "_", "", "'", "", "\"", "").Replace(s))
	}
	name, _, _ = strings.Cut(name, ",")
	for _, f := range catalog.OverlayFonts {
		if plain(f.Family) == plain(name) {
			return f, true
		}
	}
	return catalog.OverlayFont{}, false
}

// NearestWeight returns the weight of a font that is nearest to the wanted one; for an unknown font the wanted one.
func NearestWeight(family string, want int) int {
	f, _ := Family(family)
	return nearest(f.Weights, want)
}

func nearest(weights []int, want int) int {
	best := want
	for i, w := range weights {
		if d, b := max(w-want, want-w), max(best-want, want-best); i == 0 || d <= b {
			best = w
		}
	}
	return best
}
