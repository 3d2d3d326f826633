// SPDX-License-Identifier: Apache-2.0

package subtitle

import (
	"image"
	"math"
	"slices"
	"sort"
	"strings"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/content/overlay"
)

// Sizes of labels, in pixels on a canvas 1080 wide.
const (
	labelSize  = 64.0
	buttonSize = 54.0
	// labelEasy is the smallest size at which a label stays in the first area; below that size the next area is tried.
	labelEasy = 40.0
	// labelLeast is the smallest size. A text that does not fit at that size exceeds its area.
	labelLeast = 28.0
	// labelGap is the space between labels and words.
	labelGap = 28.0
)

// Shares of the safe zone's height that labels may take.
const (
	textShare   = 0.4
	buttonShare = 0.2
)

// Default colours of labels.
const (
	labelPlate  = "#FFFFFF"
	buttonPlate = "#FFD60A"
)

// Label is a fixed text over a video.
type Label struct {
	Text string
	// Button draws the text as a button at the lower end of the safe zone. Other labels are at its upper end.
	Button bool
}

// DrawLabels draws labels in the font and the colours of the settings. A label stays in the safe zone of the ratio and
// outside of the area words. That area is in pixels of the canvas, and empty if there are no words. A long text wraps
// and gets smaller. A label with nothing to draw, such as one of white space, has a picture without a PNG. The changes
// are deviations from the settings, each once; their index has no meaning. The errors are those of Draw.
func DrawLabels(e *overlay.Engine, ratio catalog.AspectRatio, s v1beta1.TextSettings, labels []Label, words image.Rectangle) ([]Picture, []overlay.Change, error) {
	var changes []overlay.Change
	out := make([]Picture, len(labels))
	for i, l := range labels {
		d := &drawing{engine: e, ratio: ratio, settings: labelSettings(s, l.Button), seen: map[string]bool{}}
		var err error
		if out[i], err = d.label(l, free(ratio, words)); err != nil {
			return nil, nil, err
		}
		for _, c := range d.Changes {
			if !slices.Contains(changes, c) {
				changes = append(changes, c)
			}
		}
	}
	return out, changes, nil
}

// labelSettings returns the settings that apply to labels. The plate of a button has the colour of the words' plate or,
// if the words have no opaque plate, the colour of the words.
func labelSettings(s v1beta1.TextSettings, button bool) v1beta1.TextSettings {
	out := v1beta1.TextSettings{FontFamily: s.FontFamily, BackgroundColor: s.BackgroundColor, Color: s.Color}
	if !button {
		out.StrokeColor = s.StrokeColor
		return out
	}
	if c, ok := overlay.ParseColor(s.BackgroundColor); ok && c.A == 255 {
		return out
	}
	out.BackgroundColor, out.Color = "", ""
	if c, ok := overlay.ParseColor(s.Color); ok {
		c.A = 255
		out.BackgroundColor = overlay.FormatColor(c)
	}
	return out
}

// label draws a label in the first area in which the label is easy to read, otherwise in the area in which it is
// largest.
func (d *drawing) label(l Label, areas []image.Rectangle) (Picture, error) {
	s, size, share := d.settings, labelSize, textShare
	height := (100 - d.ratio.SafeZone.Top - d.ratio.SafeZone.Bottom) / 100 * float64(d.ratio.Height)
	if l.Button {
		size, share = buttonSize, buttonShare
		slices.Reverse(areas)
	} else { // leave room for the button
		last := &areas[len(areas)-1]
		last.Max.Y = max(last.Max.Y-int(buttonShare*height+labelGap), last.Min.Y)
	}
	if strings.TrimSpace(s.Color+s.StrokeColor+s.BackgroundColor) == "" {
		s.BackgroundColor = labelPlate
		if l.Button {
			s.BackgroundColor = buttonPlate
		}
	}
	o, err := d.normalised(lookOf(s, d.ratio), l.Text, size)
	if err != nil {
		return Picture{}, err
	}
	best, at := 0.0, image.Rectangle{}
	for _, area := range areas {
		if fits := d.largest(o, l.Button, min(area.Dy(), int(share*height))); fits > best {
			best, at = fits, area
		}
		if best >= min(labelEasy, o.FontSize) {
			break
		}
	}
	if best == 0 { // too long for any area
		best = min(labelLeast, o.FontSize)
		at = slices.MaxFunc(areas, func(a, b image.Rectangle) int { return a.Dy() - b.Dy() })
	}
	img := d.still(o, l.Button, best)
	if img.Rect.Empty() {
		return Picture{}, nil
	}
	p, err := encode(img)
	if p.Y = at.Min.Y; l.Button {
		p.Y = at.Max.Y - p.Height
	}
	return p, err
}

// free returns the areas of the safe zone above and below the words, or the whole safe zone if there are no words.
func free(ratio catalog.AspectRatio, words image.Rectangle) []image.Rectangle {
	w, h, zone := float64(ratio.Width)/100, float64(ratio.Height)/100, ratio.SafeZone
	safe := image.Rect(int(math.Ceil(zone.Left*w)), int(math.Ceil(zone.Top*h)), int((100-zone.Right)*w), int((100-zone.Bottom)*h))
	if words.Intersect(safe).Empty() {
		return []image.Rectangle{safe}
	}
	gap := int(labelGap * float64(ratio.Width) / catalog.OverlayCanvasWidth)
	above, below := safe, safe
	above.Max.Y = max(words.Min.Y-gap, above.Min.Y)
	below.Min.Y = min(words.Max.Y+gap, below.Max.Y)
	return []image.Rectangle{above, below}
}

// largest returns the largest font size, from labelLeast to the overlay's own, at which a label is at most height
// pixels high; 0 if there is none. A smaller overlay has only its own size.
func (d *drawing) largest(o overlay.Overlay, button bool, height int) float64 {
	steps := 1 + max(int(o.FontSize-labelLeast), 0)
	k := sort.Search(steps, func(k int) bool { return d.still(o, button, o.FontSize-float64(k)).Rect.Dy() <= height })
	if k == steps {
		return 0
	}
	return o.FontSize - float64(k)
}

// still draws a whole text at a size.
func (d *drawing) still(o overlay.Overlay, button bool, size float64) *image.NRGBA {
	if o.FontSize = size; o.StrokeWidth > 0 {
		o.StrokeWidth = strokeOf(size)
	}
	return d.engine.DrawLabel(d.ratio, o, button)
}
