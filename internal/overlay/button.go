// SPDX-License-Identifier: Apache-2.0

package overlay

import (
	"image"

	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/overlay/paint"
)

// Measures of a button, in shares of the font size.
const (
	// buttonPadX and buttonPadY are added to the padding of a plate.
	buttonPadX = 0.5
	buttonPadY = 0.24
	// buttonRadius of the corners makes the ends of a button of one line round.
	buttonRadius = 0.96
	// buttonMargin is the room round a button that its shadow needs.
	buttonMargin = 0.4
	// buttonShadow is the opacity of the shadow, 0 to 255.
	buttonShadow = 120
)

// DrawButton returns the picture of an overlay as a button: one plate with round corners behind all lines, and a soft shadow. The
// bounds of the picture are its place on the canvas. They are empty when there is nothing to draw. The overlay should be
// normalised and needs an opaque background colour.
func (e *Engine) DrawButton(ratio catalog.AspectRatio, o Overlay) *image.NRGBA {
	w := e.take()
	defer e.giveBack(w)
	o = withDefaults(o)
	o.MaxWidth -= 100 * 2 * buttonPadX * o.FontSize / catalog.OverlayCanvasWidth
	b := w.layOut(o, ratio, true)
	if b.box.empty() {
		return &image.NRGBA{}
	}
	b.button = true
	x, y := buttonPadX*b.size, buttonPadY*b.size
	b.box = rect{b.box.x0 - x, b.box.y0 - y, b.box.x1 + x, b.box.y1 + y}
	dst := image.NewNRGBA(pixels(b.box.grow(buttonMargin * b.size)).Intersect(image.Rect(0, 0, ratio.Width, ratio.Height)))
	w.drawBlock(dst, b)
	return cropped(dst)
}

// paint converts a rectangle for the brush.
func (r rect) paint() paint.Box {
	return paint.Box{X0: float32(r.x0), Y0: float32(r.y0), X1: float32(r.x1), Y1: float32(r.y1)}
}
