// SPDX-License-Identifier: Apache-2.0

package overlay

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/reelops/reelops/internal/catalog"
)

// Position is the centre of a text block in percent of the canvas. If both values are at most 1, they are fractions.
type Position struct {
	X, Y float64
}

// DefaultPosition is the position of a block without one.
var DefaultPosition = Position{X: 50, Y: 50}

// Overlay is one block of text. Zero values of all fields except Text and Position mean the defaults of the catalog.
type Overlay struct {
	ID              int64
	Text            string // at most catalog.MaxOverlayCharacters; \n ends a line
	FontFamily      string // one of catalog.OverlayFonts
	FontWeight      int
	FontSize        float64 // pixels on a canvas 1080 wide
	Color           string  // #RGB, #RRGGBB or #RRGGBBAA
	StrokeColor     string  // the outline of the letters, drawn outside of them
	StrokeWidth     float64 // pixels on a canvas 1080 wide; 0 for none
	BackgroundColor string  // of the plate behind the text; empty for none. A transparent plate is one card, an opaque one fits the lines
	Position        Position
	Align           string  // left, center or right: the alignment of lines in their column
	MaxWidth        float64 // of the column, percent of the canvas width
	LineHeight      float64 // multiple of the font size
}

// Gradient is the shade between image and text.
type Gradient struct {
	Enabled   bool
	Color     string  // #RRGGBB
	Opacity   float64 // 0 to 1; a value above 1 and up to 100 is read as percent
	Direction string  // the darkest side, one of catalog.GradientDirections
	Coverage  float64 // 0 to 1, share of the canvas that the gradient covers
}

// DefaultGradient returns the gradient of a slideshow without its own.
func DefaultGradient() Gradient {
	return Gradient{
		Enabled: catalog.GradientEnabledDefault, Color: catalog.GradientColorDefault, Opacity: catalog.GradientOpacityDefault,
		Direction: catalog.GradientDirectionDefault, Coverage: catalog.GradientCoverageDefault,
	}
}

// Reason is the reason for a change by the normaliser.
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

// Change is one correction. Field is the JSON name ("fontSize", "position", "gradient_opacity", ...). OverlayIndex is
// the index in the given overlays, or -1 for the gradient.
type Change struct {
	OverlayIndex int
	Field        string
	From, To     any // string, float64, int, bool or Position; To is nil for a dropped overlay
	Reason       Reason
}

// Origin is the author of the overlays. Text that does not fit is rejected if submitted by a caller, and cut if
// generated.
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

// Invalid is the error for an overlay that the normaliser rejects. Field is the JSON path inside the slide, e.g.
// "textOverlays[2].text".
type Invalid struct {
	Field   string
	Message string // one sentence for users
}

func (e *Invalid) Error() string { return fmt.Sprintf("%s: %s", e.Field, e.Message) }

// SlideText is the text of a generated slide. Role is "hook", "point" or "call_to_action"; Index counts from 0.
type SlideText struct {
	Role          string
	Heading, Body string
	Index, Count  int
}

// ownNumber matches a heading that begins with the number of a list item.
var ownNumber = regexp.MustCompile(`^\s*(\d{1,2})[.)]\s+(\S.*)$`)

// Numbered returns the number of the style's badge, 0 for none, and the heading next to it. A slide has one number. If
// the heading begins with the slide's index, the badge shows it; if it begins with another number, there is no badge.
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
