// SPDX-License-Identifier: Apache-2.0

package overlay

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/reelops/reelops/internal/catalog"
)

// Position names the centre of a text block, in percent of the canvas. When both values are at most 1 they are read as
// fractions.
type Position struct {
	X, Y float64
}

// DefaultPosition is where a block stands that asks for no place.
var DefaultPosition = Position{X: 50, Y: 50}

// Overlay is one block of text. Zero values of all fields but Text and Position stand for the defaults of the catalog.
type Overlay struct {
	ID              int64
	Text            string // at most catalog.MaxOverlayCharacters; \n ends a line
	FontFamily      string // one of catalog.OverlayFonts
	FontWeight      int
	FontSize        float64 // pixels on a canvas 1080 wide
	Color           string  // #RGB, #RRGGBB or #RRGGBBAA
	StrokeColor     string  // the line round the letters, drawn outside of them
	StrokeWidth     float64 // pixels on a canvas 1080 wide; 0 is none
	BackgroundColor string  // of the plate behind the text; empty is none. A see-through plate is one card, a solid one hugs the lines
	Position        Position
	Align           string  // left, center or right: where lines stand in their column
	MaxWidth        float64 // of the column, percent of the canvas width
	LineHeight      float64 // times the font size
}

// Gradient is the shade between picture and text.
type Gradient struct {
	Enabled   bool
	Color     string  // #RRGGBB
	Opacity   float64 // 0 to 1; above 1 and up to 100 it is read as percent
	Direction string  // where it is darkest, one of catalog.GradientDirections
	Coverage  float64 // 0 to 1, share of the canvas it spans
}

// DefaultGradient is the shade of a slideshow that asks for no other.
func DefaultGradient() Gradient {
	return Gradient{
		Enabled: catalog.GradientEnabledDefault, Color: catalog.GradientColorDefault, Opacity: catalog.GradientOpacityDefault,
		Direction: catalog.GradientDirectionDefault, Coverage: catalog.GradientCoverageDefault,
	}
}

// Reason says why the normaliser changed something.
type Reason string

// The reasons of the normaliser.
const (
	ReasonFontUnsupported Reason = "font_unsupported"
	ReasonGlyphsMissing   Reason = "glyphs_missing"
	ReasonSizeOutOfRange  Reason = "size_out_of_range"
	ReasonTextDoesNotFit  Reason = "text_does_not_fit"
	ReasonOutsideSafeZone Reason = "outside_safe_zone"
	ReasonOverlap         Reason = "overlap"
	ReasonLowContrast     Reason = "low_contrast"
	ReasonColorInvalid    Reason = "color_invalid"
	ReasonTooManyOverlays Reason = "too_many_overlays"
)

// Change is one repair. Field is the wire name ("fontSize", "position", "gradient_opacity", ...); OverlayIndex counts the
// overlays as they came in and is -1 for the gradient.
type Change struct {
	OverlayIndex int
	Field        string
	From, To     any // string, float64, int, bool or Position; To is nil for a dropped overlay
	Reason       Reason
}

// Origin says who wrote the overlays: what a caller submitted is refused where what was generated is cut.
type Origin int

// The origins.
const (
	Submitted Origin = iota
	Generated
)

// Slide is a normalised slide.
type Slide struct {
	Overlays []Overlay
	Gradient Gradient
	Changes  []Change
}

// Invalid is what the normaliser refuses. Field is the wire path inside the slide, e.g. "textOverlays[2].text".
type Invalid struct {
	Field   string
	Message string // one sentence for people
}

func (e *Invalid) Error() string { return fmt.Sprintf("%s: %s", e.Field, e.Message) }

// SlideText is the words of a generated slide. Role is "hook", "point" or "call_to_action"; Index counts from 0.
type SlideText struct {
	Role          string
	Heading, Body string
	Index, Count  int
}

// ownNumber matches a heading that begins with the number of a list item.
var ownNumber = regexp.MustCompile(`^\s*(\d{1,2})[.)]\s+(\S.*)$`)

// Numbered returns the number of the style's badge, 0 for none, and the heading beside it. A slide has one number: where
// the heading begins with the slide's place, the badge shows it; where it begins with another number, there is no badge.
func (t SlideText) Numbered(style catalog.DesignStyle) (number int, heading string) {
	if !style.Numbers(t.Role, t.Index) {
		return 0, t.Heading
	}
	m := ownNumber.FindStringSubmatch(t.Heading)
	switch {
	case m != nil && m[1] == strconv.Itoa(t.Index):
		return t.Index, m[2]
	case ownNumber.MatchString(strings.SplitN(t.Heading, "\n", 2)[0]):
		return 0, t.Heading
	}
	return t.Index, t.Heading
}
