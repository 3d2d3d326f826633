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

// How the words look that ask for nothing.
const (
	usualSize   = 92.0
	usualWeight = 800
	usualX      = 50.0
	usualY      = 30.0
	usualColor  = "#FFFFFF"
	lineHeight  = 1.14
	strokeShare = 0.085 // of the size of the letters
	// leastWidth and mostColumn bound the column in percent of the canvas.
	leastWidth = 50.0
	mostColumn = 80.0
)

// accents are tried in turn for the word that is spoken: the first that stands out from the other words and from what is
// behind it.
var accents = []string{"#FFD60A", "#3DF2FF", "#FF5C8A", "#B4005A", "#0B4FD6", "#FFFFFF", "#111111"}

// Picture is a PNG with transparency at its place on the canvas.
type Picture struct {
	PNG []byte
	// X and Y are the place of the top left corner, in pixels.
	X, Y          int
	Width, Height int
}

// Bounds returns the area of the canvas that the picture covers.
func (p Picture) Bounds() image.Rectangle { return image.Rect(p.X, p.Y, p.X+p.Width, p.Y+p.Height) }

// State is what is to be seen for a while.
type State struct {
	Picture
	// From and To are milliseconds.
	From, To int64
}

// Drawn are the pictures of a text that is spoken.
type Drawn struct {
	// States in the order of time; no two at once.
	States []State
	// Changes that were made to what was asked for, each kind once. Their index means nothing.
	Changes []overlay.Change
}

// Draw makes the pictures of the cues: one for every word, with all words of its cue that have been spoken. Letters that no font
// has are left out, a text that is too wide gets smaller or is cut; the words keep to the safe zone of the ratio, are of one size
// throughout and can be read on anything. The errors are *overlay.Invalid for numbers that are none, and those of the encoder.
func Draw(e *overlay.Engine, ratio catalog.AspectRatio, s v1beta1.TextSettings, cues []Cue) (*Drawn, error) {
	d := &drawing{engine: e, ratio: ratio, asked: s, seen: map[string]bool{}}
	look := lookOf(s, ratio)
	size, place := cmp.Or(look.FontSize, usualSize), look.Position
	for _, c := range cues { // of one size, the smallest that a cue needs, and at one place, from which none has to move
		o, err := d.normalised(look, c.Text(), size)
		if err != nil {
			return nil, err
		}
		if width(c.Text()) <= 2*mostWidth { // but for a monster
			size = min(size, o.FontSize)
			place = overlay.Position{X: farther(look.Position.X, place.X, o.Position.X), Y: farther(look.Position.Y, place.Y, o.Position.Y)}
		}
	}
	if asked := look.FontSize; size < asked {
		d.note(overlay.Change{Field: "fontSize", From: asked, To: size, Reason: overlay.ReasonTextDoesNotFit})
	}
	look.Position = place
	for _, c := range cues {
		own := size
		if n := width(c.Text()); n > 2*mostWidth { // a monster would fill the screen
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
	engine *overlay.Engine
	ratio  catalog.AspectRatio
	asked  v1beta1.TextSettings
	seen   map[string]bool
}

func (d *drawing) note(c overlay.Change) {
	if key := c.Field + string(c.Reason); !d.seen[key] {
		d.seen[key] = true
		d.Changes = append(d.Changes, c)
	}
}

// farther is whichever of two values is farther from a third.
func farther(from, a, b float64) float64 {
	if math.Abs(b-from) > math.Abs(a-from) {
		return b
	}
	return a
}

// lookOf spells out what was asked for. The column is as wide as it can be with its middle where it shall be.
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

// normalised returns the overlay of a whole text, repaired until it can be read on bright and on dark alike.
func (d *drawing) normalised(look overlay.Overlay, text string, size float64) (overlay.Overlay, error) {
	look.Text, look.FontSize = text, size
	plate, plated := overlay.ParseColor(look.BackgroundColor)
	if plated = plated && plate.A > 0; !plated || strings.TrimSpace(look.StrokeColor) != "" {
		look.StrokeWidth = strokeOf(size)
	}
	if fill, ok := overlay.ParseColor(look.Color); ok && fill.A < 255 { // what shines through cannot be read on everything
		from := look.Color
		fill.A = 255
		look.Color = overlay.FormatColor(fill)
		d.note(overlay.Change{Field: "color", From: from, To: look.Color, Reason: overlay.ReasonLowContrast})
	}
	slide, err := d.engine.Normalise(anything{}, d.ratio, overlay.Gradient{}, []overlay.Overlay{look}, overlay.Submitted)
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

// strokeOf is the width of the outline of letters of a size.
func strokeOf(size float64) float64 { return max(3, math.Round(strokeShare*size)) }

// wanted tells whether a field was asked for: what was chosen here is nobody's to hear about.
func (d *drawing) wanted(field string) bool {
	switch field {
	case "fontWeight", "strokeWidth":
		return false
	case "color":
		return strings.TrimSpace(d.asked.Color) != ""
	case "backgroundColor":
		return strings.TrimSpace(d.asked.BackgroundColor) != ""
	case "strokeColor":
		return strings.TrimSpace(d.asked.StrokeColor) != ""
	case "fontFamily":
		return d.asked.FontFamily != ""
	case "fontSize":
		return d.asked.FontSize != 0
	case "position":
		return d.asked.Position != nil
	}
	return true
}

// anything is a background of black and white: what can be read on both can be read on any picture.
type anything struct{}

func (anything) ColorModel() color.Model { return color.NRGBAModel }
func (anything) Bounds() image.Rectangle { return image.Rect(0, 0, 1080, 1920) }
func (anything) At(x, y int) color.Color {
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
			accent = "" // the words could not be told apart any more: all at once
		}
		said := overlay.Spoken{Shown: end, From: before, To: end, Accent: accent}
		before = end
		if to <= from {
			continue
		}
		img := d.engine.DrawSpoken(d.ratio, o, said)
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

// encode returns a drawn picture at the place of its bounds.
func encode(img *image.NRGBA) (Picture, error) {
	var b bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(&b, img); err != nil {
		return Picture{}, fmt.Errorf("encoding a subtitle: %w", err)
	}
	r := img.Rect
	return Picture{PNG: b.Bytes(), X: r.Min.X, Y: r.Min.Y, Width: r.Dx(), Height: r.Dy()}, nil
}

// wordEnds gives for each word of a cue how many runes of the repaired text have been said with it. When the words cannot be
// found there, all of the text is said with the first.
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
			} // else no font has it, and it was left out
		}
		out = append(out, at)
	}
	if at < len(runes) {
		return []int{len(runes)}
	}
	return out
}

// accentOf chooses the colour of the word that is spoken.
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

// distance of two colours as the eye tells them apart, roughly, 0 to 1.
func distance(a, b color.NRGBA) float64 {
	d := func(x, y uint8) float64 { return (float64(x) - float64(y)) / 255 }
	r, g, bl := d(a.R, b.R), d(a.G, b.G), d(a.B, b.B)
	return math.Sqrt((2*r*r + 4*g*g + 3*bl*bl) / 9)
}

// Frames turns the times of a state into frames of a film, the first that shows it and the first that does not any more.
func (s State) Frames(fps int) (from, to int) {
	at := func(ms int64) int { return int(math.Round(float64(ms) * float64(fps) / 1000)) }
	return at(s.From), at(s.To)
}

// Bounds returns the area of the canvas that the pictures cover together; empty when there are none.
func (d *Drawn) Bounds() image.Rectangle {
	var r image.Rectangle
	for _, s := range d.States {
		r = r.Union(s.Bounds())
	}
	return r
}

// Total is how much the pictures weigh together, in bytes.
func (d *Drawn) Total() int {
	n := 0
	for _, s := range d.States {
		n += len(s.PNG)
	}
	return n
}
