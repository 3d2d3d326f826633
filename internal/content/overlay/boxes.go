// SPDX-License-Identifier: Apache-2.0

package overlay

import (
	"image"
	"math"

	"github.com/reelops/reelops/internal/catalog"
)

// Boxes returns the area of each overlay's letters, stroke and plate on the canvas, in pixels. It is empty for an
// overlay that draws nothing. The soft shadow is not included.
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

// Stack positions the overlays without a position. Each is placed below the lowest positioned block, at a gap in pixels
// on a canvas 1080 wide, or above the highest if there is no room below. The first one keeps its position if no other
// has one.
func (e *Engine) Stack(ratio catalog.AspectRatio, gap float64, overlays []Overlay, placed []bool) {
	safe, gap := safeZone(ratio), gap*float64(ratio.Width)/catalog.OverlayCanvasWidth
	boxes := e.Boxes(ratio, overlays)
	var all image.Rectangle
	for i, b := range boxes {
		if placed[i] {
			all = all.Union(b)
		}
	}
	for i, b := range boxes {
		if placed[i] || b.Empty() {
			continue
		}
		if !all.Empty() {
			dy := float64(all.Max.Y-b.Min.Y) + gap
			if up := float64(all.Min.Y-b.Max.Y) - gap; float64(b.Max.Y)+dy > safe.y1 && float64(b.Min.Y)+up >= safe.y0 {
				dy = up
			}
			overlays[i].Position.Y = math.Round((overlays[i].Position.Y+dy/float64(ratio.Height)*100)*100) / 100
			b = b.Add(image.Pt(0, int(dy)))
		}
		all = all.Union(b)
	}
}
