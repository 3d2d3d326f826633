// SPDX-License-Identifier: Apache-2.0

package slideshow

import (
	"cmp"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/content/deck"
)

// designFor returns the design. Each open value comes from the spec, else from the earlier choice, else from the brand,
// else from the defaults. Earlier choices stay, so that an edit does not change everything else.
func designFor(s *v1beta1.Slideshow, o *observed) v1beta1.Design {
	open := deck.OfBrand(o.Brand)
	open.Style = cmp.Or(open.Style, o.freshStyle)
	return deck.DesignOf(s, open)
}
