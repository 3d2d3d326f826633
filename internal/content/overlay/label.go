// SPDX-License-Identifier: Apache-2.0

package overlay

import (
	"image"

	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/content/overlay/paint"
)

// Dimensions of labels as shares of the font size.
const (
	// buttonPadX and buttonPadY are added to the padding of a plate.
	buttonPadX = 0.5
	buttonPadY = 0.24
	// buttonRadius is the corner radius. It makes the ends of a button of one line round.
	buttonRadius = 0.96
	// liftMargin is the margin around a plate for its shadow.
	liftMargin = 0.4
	// liftShadow is the opacity of the shadow, from 0 to 255.
	liftShadow = 120
)

// DrawLabel returns the image of an overlay whose plate has a soft shadow, so that it is visible on a background of its
// own colour. A button has one plate with round corners behind all lines, and needs an opaque background colour. The
// bounds of the image are its position on the canvas. They are empty if there is nothing to draw. The overlay should be
// normalised.
func (e *Engine) DrawLabel(ratio catalog.AspectRatio, o Overlay, button bool) *image.NRGBA {
	w := e.take()
	defer e.giveBack(w)
	o = withDefaults(o)
	if button {
		o.MaxWidth -= 100 * 2 * buttonPadX * o.FontSize / catalog.OverlayCanvasWidth
	}
	b := w.layOut(o, ratio, true)
	if b.box.empty() {
		return &image.NRGBA{}
	}
	b.lifted, b.button = true, button
	if button {
		x, y := buttonPadX*b.size, buttonPadY*b.size
		b.box = rect{b.box.x0 - x, b.box.y0 - y, b.box.x1 + x, b.box.y1 + y}
	}
	dst := image.NewNRGBA(pixels(b.box.grow(liftMargin * b.size)).Intersect(image.Rect(0, 0, ratio.Width, ratio.Height)))
	w.drawBlock(dst, b)
	return cropped(dst)
}

// paint returns the rectangle as a paint.Box.
func (r rect) paint() paint.Box {
	return paint.Box{X0: float32(r.x0), Y0: float32(r.y0), X1: float32(r.x1), Y1: float32(r.y1)}
}
