// SPDX-License-Identifier: Apache-2.0

package subtitle

import (
	"bytes"
	"cmp"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/content/overlay"
)

// The default look of the words.
const (
	usualSize   = 92.0
	usualWeight = 800
	usualX      = 50.0
	usualY      = 30.0
	usualColor  = "#FFFFFF"
	lineHeight  = 1.14
	strokeShare = 0.085 // share of the font size
	// leastWidth and mostColumn bound the width of the column, in percent of the canvas.
	leastWidth = 50.0
	mostColumn = 80.0
)

// accents are the candidate colours of the current word. The first one is used that contrasts with the other words and
// with the background.
var accents = []string{"#FFD60A", "#3DF2FF", "#FF5C8A", "#B4005A", "#0B4FD6", "#FFFFFF", "#111111"}

// Picture is a PNG with transparency and its position on the canvas.
type Picture struct {
	PNG []byte
	// X and Y are the position of the top left corner, in pixels.
	X, Y          int
	Width, Height int
}

// Bounds returns the area of the canvas that the picture covers.
func (p Picture) Bounds() image.Rectangle { return image.Rect(p.X, p.Y, p.X+p.Width, p.Y+p.Height) }

// State is the image that is shown for some time.
type State struct {
	Picture
	// From and To are milliseconds.
	From, To int64
}

// Drawn contains the images of a spoken text.
type Drawn struct {
	// States in time order; no two at once.
	States []State
	// Changes are the deviations from the settings, each kind once. Their index has no meaning.
	Changes []overlay.Change
}

// Draw returns the images of the cues: one for every word, with all words of its cue that have been spoken. Characters
// that no font has are left out, and a text that is too wide gets smaller or is cut. The words keep to the safe zone of
// the ratio, have one size throughout, and are readable on any background. The errors are *overlay.Invalid for invalid
// numbers, and those of the encoder.
func Draw(e *overlay.Engine, ratio catalog.AspectRatio, s v1beta1.TextSettings, cues []Cue) (*Drawn, error) {
	d := &drawing{engine: e, ratio: ratio, settings: s, seen: map[string]bool{}}
	look := lookOf(s, ratio)
	size, place := cmp.Or(look.FontSize, usualSize), look.Position
	// Find one size, the smallest that a cue needs, and one position, from which no cue has to move.
	for _, c := range cues {
		o, err := d.normalised(look, c.Text(), size)
		if err != nil {
			return nil, err
		}
		if width(c.Text()) <= 2*mostWidth { // ignore an extremely long word
			size = min(size, o.FontSize)
			place = overlay.Position{X: farther(look.Position.X, place.X, o.Position.X), Y: farther(look.Position.Y, place.Y, o.Position.Y)}
		}
	}
	if configured := look.FontSize; size < configured {
		d.note(overlay.Change{Field: "fontSize", From: configured, To: size, Reason: overlay.ReasonTextDoesNotFit})
	}
	look.Position = place
	for _, c := range cues {
		own := size
		if n := width(c.Text()); n > 2*mostWidth { // an extremely long word would fill the screen
			own = math.Round(size * max(0.5, 2*mostWidth/float64(n)))
		}
		o, err := d.normalised(look, c.Text(), own)
		if err != nil {
			return nil, err
		}
		if err := d.cue(o, c); err != nil {
			return nil, err
		}
	}
	return &d.Drawn, nil
}

type drawing struct {
	Drawn
	engine   *overlay.Engine
	ratio    catalog.AspectRatio
	settings v1beta1.TextSettings
	seen     map[string]bool
}

func (d *drawing) note(c overlay.Change) {
	if key := c.Field + string(c.Reason); !d.seen[key] {
		d.seen[key] = true
		d.Changes = append(d.Changes, c)
	}
}

// farther returns a or b, the one that is farther from from.
func farther(from, a, b float64) float64 {
	if math.Abs(b-from) > math.Abs(a-from) {
		return b
	}
	return a
}

// lookOf returns the settings with their defaults. The column is as wide as possible around the position.
func lookOf(s v1beta1.TextSettings, ratio catalog.AspectRatio) overlay.Overlay {
	o := overlay.Overlay{
		FontFamily: s.FontFamily, FontWeight: usualWeight, FontSize: s.FontSize, Color: s.Color, StrokeColor: s.StrokeColor,
		BackgroundColor: s.BackgroundColor, Align: s.Align, LineHeight: lineHeight, Position: overlay.Position{X: usualX, Y: usualY},
	}
	if p := s.Position; p != nil {
		if o.Position = (overlay.Position{X: p.X, Y: p.Y}); p.X >= 0 && p.X <= 1 && p.Y >= 0 && p.Y <= 1 { // fractions
			o.Position = overlay.Position{X: 100 * p.X, Y: 100 * p.Y}
		}
	}
	zone := ratio.SafeZone
	o.MaxWidth = min(max(2*min(o.Position.X-zone.Left, 100-zone.Right-o.Position.X), leastWidth), mostColumn)
	if strings.TrimSpace(o.Color) == "" {
		o.Color = usualColor
		if plate, ok := overlay.ParseColor(o.BackgroundColor); ok && plate.A > 0 && bright(plate) {
			o.Color = "#111111"
		}
	}
	return o
}

func bright(c color.NRGBA) bool { return 3*int(c.R)+6*int(c.G)+int(c.B) > 1500 }

// normalised returns the overlay of a whole text, repaired until it is readable on bright and on dark backgrounds.
func (d *drawing) normalised(look overlay.Overlay, text string, size float64) (overlay.Overlay, error) {
	look.Text, look.FontSize = text, size
	plate, plated := overlay.ParseColor(look.BackgroundColor)
	if plated = plated && plate.A > 0; !plated || strings.TrimSpace(look.StrokeColor) != "" {
		look.StrokeWidth = strokeOf(size)
	}
	if fill, ok := overlay.ParseColor(look.Color); ok && fill.A < 255 { // not readable on every background
		from := look.Color
		fill.A = 255
		look.Color = overlay.FormatColor(fill)
		d.note(overlay.Change{Field: "color", From: from, To: look.Color, Reason: overlay.ReasonLowContrast})
	}
	slide, err := d.engine.Normalise(checkerboard{}, d.ratio, overlay.Gradient{}, []overlay.Overlay{look}, overlay.Submitted)
	if err != nil {
		return look, err
	}
	for _, ch := range slide.Changes {
		if ch.OverlayIndex >= 0 && d.wanted(ch.Field) {
			d.note(ch)
		}
	}
	return slide.Overlays[0], nil
}

// strokeOf returns the width of the outline of letters of a size.
func strokeOf(size float64) float64 { return max(3, math.Round(strokeShare*size)) }

// wanted reports whether the settings set a field. Changes of defaults are not reported to the user.
func (d *drawing) wanted(field string) bool {
	switch field {
	case "fontWeight", "strokeWidth":
		return false
	case "color":
		return strings.TrimSpace(d.settings.Color) != ""
	case "backgroundColor":
		return strings.TrimSpace(d.settings.BackgroundColor) != ""
	case "strokeColor":
		return strings.TrimSpace(d.settings.StrokeColor) != ""
	case "fontFamily":
		return d.settings.FontFamily != ""
	case "fontSize":
		return d.settings.FontSize != 0
	case "position":
		return d.settings.Position != nil
	}
	return true
}

// checkerboard is a background of black and white: a text that is readable on both is readable on any image.
type checkerboard struct{}

func (checkerboard) ColorModel() color.Model { return color.NRGBAModel }
func (checkerboard) Bounds() image.Rectangle { return image.Rect(0, 0, 1080, 1920) }
func (checkerboard) At(x, y int) color.Color {
	if (x/40+y/40)%2 == 0 {
		return color.NRGBA{A: 255}
	}
	return color.NRGBA{255, 255, 255, 255}
}

// cue draws the states of a cue.
func (d *drawing) cue(o overlay.Overlay, c Cue) error {
	ends := wordEnds(o.Text, c)
	accent := accentOf(o)
	before := 0
	for i, end := range ends {
		from, to := c.Words[i].StartMilliseconds, c.To
		if i == 0 {
			from = c.From
		}
		if i+1 < len(ends) {
			to = c.Words[i+1].StartMilliseconds
		} else if len(ends) < len(c.Words) {
			accent = "" // the words could not be separated any more: show all at once
		}
		spoken := overlay.Spoken{Shown: end, From: before, To: end, Accent: accent}
		before = end
		if to <= from {
			continue
		}
		img := d.engine.DrawSpoken(d.ratio, o, spoken)
		if img.Rect.Empty() {
			continue
		}
		p, err := encode(img)
		if err != nil {
			return err
		}
		d.States = append(d.States, State{Picture: p, From: from, To: to})
	}
	return nil
}

// encode returns a drawn image with the position of its bounds.
func encode(img *image.NRGBA) (Picture, error) {
	var b bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(&b, img); err != nil {
		return Picture{}, fmt.Errorf("encoding a subtitle: %w", err)
	}
	r := img.Rect
	return Picture{PNG: b.Bytes(), X: r.Min.X, Y: r.Min.Y, Width: r.Dx(), Height: r.Dy()}, nil
}

// wordEnds returns for each word of a cue how many runes of the repaired text have been spoken after the word. If the
// words cannot be found in the text, the whole text counts as spoken with the first word.
func wordEnds(text string, c Cue) []int {
	runes := []rune(strings.TrimSpace(text))
	squeeze := func(s string) []rune {
		return []rune(strings.Map(func(r rune) rune {
			if unicode.IsSpace(r) {
				return -1
			}
			return r
		}, norm.NFC.String(s)))
	}
	var out []int
	at := 0
	for _, w := range c.Words {
		for _, r := range squeeze(w.Text) {
			for at < len(runes) && unicode.IsSpace(runes[at]) {
				at++
			}
			if at < len(runes) && runes[at] == r {
				at++
			} // otherwise no font has the rune, and it was left out
		}
		out = append(out, at)
	}
	if at < len(runes) {
		return []int{len(runes)}
	}
	return out
}

// accentOf returns the colour of the current word.
func accentOf(o overlay.Overlay) string {
	fill, _ := overlay.ParseColor(o.Color)
	behind, ok := overlay.ParseColor(o.BackgroundColor)
	if !ok || behind.A == 0 {
		behind, _ = overlay.ParseColor(o.StrokeColor)
	}
	best, most := "", 0.0
	for _, a := range accents {
		c, _ := overlay.ParseColor(a)
		clear, apart := overlay.Contrast(c, behind), distance(c, fill)
		if clear >= catalog.MinContrastRatio && apart >= 0.35 {
			return a
		}
		if v := min(clear/catalog.MinContrastRatio, 1) * apart; v > most && apart >= 0.2 {
			best, most = a, v
		}
	}
	return best
}

// distance returns the approximate perceived distance of two colours, 0 to 1.
func distance(a, b color.NRGBA) float64 {
	d := func(x, y uint8) float64 { return (float64(x) - float64(y)) / 255 }
	r, g, bl := d(a.R, b.R), d(a.G, b.G), d(a.B, b.B)
	return math.Sqrt((2*r*r + 4*g*g + 3*bl*bl) / 9)
}

// Frames returns the times of a state as frames of a video: the first frame that shows the state, and the frame after
// the last one.
func (s State) Frames(fps int) (from, to int) {
	at := func(ms int64) int { return int(math.Round(float64(ms) * float64(fps) / 1000)) }
	return at(s.From), at(s.To)
}

// Bounds returns the area of the canvas that the images cover together; empty if there are none.
func (d *Drawn) Bounds() image.Rectangle {
	var r image.Rectangle
	for _, s := range d.States {
		r = r.Union(s.Bounds())
	}
	return r
}

// Total returns the total size of the images, in bytes.
func (d *Drawn) Total() int {
	n := 0
	for _, s := range d.States {
		n += len(s.PNG)
	}
	return n
}
