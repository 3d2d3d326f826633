// SPDX-License-Identifier: Apache-2.0

package overlay

import (
	"image/color"
	"math"

	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/content/overlay/text"
)

// strokeNeeded returns the least stroke width that keeps letters of a size legible on any image.
func strokeNeeded(fontSize float64) float64 {
	return max(2, math.Round(fontSize*0.055*2)/2)
}

// makeReadable raises the contrast of a block to the minimum: with a stroke, else with a stronger shade, else with
// another letter colour. On a plate, only the colour can change.
func (n *normaliser) makeReadable(it *item) {
	if n.back == nil {
		return
	}
	b := n.layOut(it.cur, n.ratio, true)
	if b.box.empty() || !b.hasLetters() {
		return
	}
	under := n.back.samples(b, newShade(n.gradient, n.ratio.Width, n.ratio.Height))
	if legible(it.cur, under) {
		return
	}
	if b.plated {
		n.repaint(it, b, under)
		return
	}
	if n.outline(it, b, under) || n.deepen(it, b) {
		return
	}
	n.repaint(it, b, under)
}

// legible reports whether letters have enough contrast with the background, or with a stroke that is wide enough.
func legible(o Overlay, under []color.NRGBA) bool {
	fill, _ := ParseColor(o.Color)
	if readable(fill, under) >= catalog.MinContrastRatio {
		return true
	}
	line, _ := ParseColor(o.StrokeColor)
	return o.StrokeWidth >= strokeNeeded(o.FontSize) && outlined(fill, line, under) >= catalog.MinContrastRatio
}

func (b *block) hasLetters() bool {
	for _, l := range b.lines {
		for _, g := range l.Glyphs {
			if g.Font.Family != text.EmojiFamily {
				return true
			}
		}
	}
	return false
}

func (n *normaliser) outline(it *item, b *block, under []color.NRGBA) bool {
	line := farthest(b.fill)
	other := color.NRGBA{255 - line.R, 255 - line.G, 255 - line.B, 255}
	for _, c := range []color.NRGBA{line, other} {
		try := it.cur
		try.StrokeColor, try.StrokeWidth = FormatColor(c), max(try.StrokeWidth, strokeNeeded(try.FontSize))
		if legible(try, under) {
			it.set(try)
			return true
		}
	}
	return false
}

// set applies the colours of a trial overlay.
func (it *item) set(try Overlay) {
	for _, f := range fields {
		if f.of(try) != f.of(it.cur) {
			it.why[f.name] = ReasonLowContrast
		}
	}
	it.cur = try
}

// deepen makes the shade stronger, in its direction or over the whole image.
func (n *normaliser) deepen(it *item, b *block) bool {
	for _, direction := range []string{n.gradient.Direction, "full"} {
		for step := 1; step <= 18; step++ {
			g := n.gradient
			if !g.Enabled || direction != g.Direction {
				g.Opacity = 0
			}
			g.Enabled, g.Direction = true, direction
			g.Color = FormatColor(farthest(b.fill))
			g.Opacity = max(g.Opacity, float64(step)/20)
			if legible(it.cur, n.back.samples(b, newShade(g, n.ratio.Width, n.ratio.Height))) {
				for _, name := range []string{"gradient_enabled", "gradient_color", "gradient_opacity", "gradient_direction"} {
					n.shaded[name] = ReasonLowContrast
				}
				n.gradient = g
				return true
			}
		}
	}
	return false
}

// repaint sets the letters to black or white, whichever is more readable. If neither is readable, the plate becomes
// opaque or the letters get a stroke.
func (n *normaliser) repaint(it *item, b *block, under []color.NRGBA) {
	black, white := color.NRGBA{A: 255}, color.NRGBA{255, 255, 255, 255}
	best := black
	if readable(white, under) > readable(black, under) {
		best = white
	}
	try := it.cur
	try.Color = FormatColor(best)
	if !legible(try, under) {
		if b.plated {
			plate := b.plate
			plate.A = 255
			try.BackgroundColor = FormatColor(plate)
			try.Color = FormatColor(farthest(plate))
		} else {
			try.StrokeColor, try.StrokeWidth = FormatColor(farthest(best)), max(try.StrokeWidth, strokeNeeded(try.FontSize))
		}
	}
	it.set(try)
}
