// SPDX-License-Identifier: Apache-2.0

package overlay

import (
	"image"

	"github.com/reelops/reelops/internal/catalog"
)

// Boxes tells where each overlay's letters, stroke and plate lie on the canvas, in pixels; empty for one that draws
// nothing. The soft shadow is not counted.
func (e *Engine) Boxes(ratio catalog.AspectRatio, overlays []Overlay) []image.Rectangle {
	w := e.take()
	defer e.giveBack(w)
	out := make([]image.Rectangle, len(overlays))
	for i, o := range overlays {
		if b := w.layOut(withDefaults(o), ratio, true); !b.box.empty() {
			out[i] = pixels(b.box)
		}
	}
	return out
}
