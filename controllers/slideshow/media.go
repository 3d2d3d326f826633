// SPDX-License-Identifier: Apache-2.0

package slideshow

import (
	"fmt"

	"github.com/reelops/reelops/internal/content/imagery/starter"
	"github.com/reelops/reelops/internal/content/slides"
)

// unusableStock returns why a stock id can never be used as an image, or "".
func unusableStock(o *observed, id string) string {
	if a := o.Shared[id]; a != nil {
		switch {
		case a.Status.Error != nil:
			return fmt.Sprintf("The library's MediaAsset %q cannot be used: %s", a.Name, a.Status.Error.Message)
		case a.Status.Probe.Kind != "image":
			return fmt.Sprintf("The library's MediaAsset %q is not an image", a.Name)
		}
		return ""
	}
	if _, known := starter.ByID(id); !known && !(o.providers && slides.Provided(id)) {
		return fmt.Sprintf("There is no stock image %q", id)
	}
	return ""
}
