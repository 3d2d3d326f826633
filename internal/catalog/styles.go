// SPDX-License-Identifier: Apache-2.0

package catalog

import "time"

// DesignStyle is a style of a slide's text: typefaces, colours, background, position and gradient. Sizes are pixels on
// a canvas 1080 wide, widths are percent of the canvas.
type DesignStyle struct {
	ID, Name, Description string
	DefaultFontFamily     string
	Heading, Body         TextLook
	Hook                  TextLook // the first slide's heading
	Badge                 BadgeLook
	Anchor                string  // position of the text in the safe zone: "top", "middle" or "bottom"
	Align                 string  // of lines inside their block
	MaxWidth              float64 // of a block
	Gap                   float64 // pixels between heading and body
	Gradient              GradientLook
	Film                  FilmLook
}

// TextLook is the style of one kind of text.
type TextLook struct {
	Family      string
	Weight      int
	Size        float64
	LineHeight  float64 // times Size
	Color       string
	StrokeColor string
	StrokeWidth float64
	Plate       string // background colour, empty for none
}

// Numbers reports whether the style numbers a slide with the given role and position, counted from 0.
func (s DesignStyle) Numbers(role string, place int) bool {
	return s.Badge.Look.Color != "" && role == "point" && place > 0
}

// BadgeLook is the small number of a point ("01"). Without a Color there is none.
type BadgeLook struct {
	Look   TextLook
	Digits int // minimum number of digits: 2 gives 01
}

// GradientLook is the gradient that a style lays over the image. Its fields correspond to the gradient fields of a
// slideshow.
type GradientLook struct {
	Enabled   bool
	Color     string
	Opacity   float64
	Direction string
	Coverage  float64
}

// FilmLook is the motion and the transitions of a style's slides, unless the slideshow overrides them.
type FilmLook struct {
	Zoom float64       // final scale of the slow zoom; 1 means no zoom
	Fade time.Duration // of a cross-fade; 0 is a cut
}

// DesignStyles lists the styles in display order.
var DesignStyles = []DesignStyle{
	{
		ID: "bold_center", Name: "Bold centre",
		Description:       "Heavy white type with a firm black outline in the middle of the image; reads at any speed.",
		DefaultFontFamily: "Inter",
		Hook:              TextLook{Family: "Inter", Weight: 900, Size: 116, LineHeight: 1.08, Color: "#FFFFFF", StrokeColor: "#000000", StrokeWidth: 7},
		Heading:           TextLook{Family: "Inter", Weight: 900, Size: 92, LineHeight: 1.1, Color: "#FFFFFF", StrokeColor: "#000000", StrokeWidth: 6},
		Body:              TextLook{Family: "Inter", Weight: 700, Size: 56, LineHeight: 1.28, Color: "#FFFFFF", StrokeColor: "#000000", StrokeWidth: 4},
		Anchor:            "middle", Align: "center", MaxWidth: 78, Gap: 50,
		Gradient: GradientLook{Enabled: true, Color: "#000000", Opacity: 0.22, Direction: "full", Coverage: 1},
		Film:     FilmLook{Zoom: 1.1},
	},
	{
		ID: "caption_plate", Name: "Caption plate",
		Description:       "Black type on white rounded plates that hug every line, as the apps' own captions do.",
		DefaultFontFamily: "Manrope",
		Hook:              TextLook{Family: "Manrope", Weight: 800, Size: 92, LineHeight: 1.34, Color: "#111111", Plate: "#FFFFFF"},
		Heading:           TextLook{Family: "Manrope", Weight: 800, Size: 74, LineHeight: 1.36, Color: "#111111", Plate: "#FFFFFF"},
		Body:              TextLook{Family: "Manrope", Weight: 600, Size: 50, LineHeight: 1.42, Color: "#FFFFFF", Plate: "#111111"},
		Anchor:            "middle", Align: "center", MaxWidth: 74, Gap: 40,
		Gradient: GradientLook{Enabled: false, Color: "#000000", Opacity: 0.3, Direction: "bottom", Coverage: 0.5},
		Film:     FilmLook{Zoom: 1},
	},
	{
		ID: "poster_caps", Name: "Poster capitals",
		Description:       "Tall condensed capitals in warm yellow at the foot of a dark fade, like a film poster.",
		DefaultFontFamily: "Bebas Neue",
		Hook:              TextLook{Family: "Bebas Neue", Weight: 400, Size: 152, LineHeight: 0.98, Color: "#FFD84D"},
		Heading:           TextLook{Family: "Bebas Neue", Weight: 400, Size: 120, LineHeight: 1.0, Color: "#FFD84D"},
		Body:              TextLook{Family: "Inter", Weight: 500, Size: 52, LineHeight: 1.34, Color: "#FFFFFF"},
		Anchor:            "bottom", Align: "left", MaxWidth: 84, Gap: 56,
		Gradient: GradientLook{Enabled: true, Color: "#050509", Opacity: 0.92, Direction: "bottom", Coverage: 1},
		Film:     FilmLook{Zoom: 1.06, Fade: 500 * time.Millisecond},
	},
	{
		ID: "editorial_serif", Name: "Editorial serif",
		Description:       "Quiet old-style serif on a veiled image, set like a magazine quote.",
		DefaultFontFamily: "EB Garamond",
		Hook:              TextLook{Family: "EB Garamond", Weight: 400, Size: 124, LineHeight: 1.06, Color: "#FFF8EC"},
		Heading:           TextLook{Family: "EB Garamond", Weight: 400, Size: 100, LineHeight: 1.08, Color: "#FFF8EC"},
		Body:              TextLook{Family: "EB Garamond", Weight: 400, Size: 60, LineHeight: 1.3, Color: "#F6E9D2"},
		Anchor:            "middle", Align: "center", MaxWidth: 72, Gap: 46,
		Gradient: GradientLook{Enabled: true, Color: "#1A120B", Opacity: 0.62, Direction: "full", Coverage: 1},
		Film:     FilmLook{Zoom: 1.05, Fade: 700 * time.Millisecond},
	},
	{
		ID: "soft_card", Name: "Soft card",
		Description:       "Dark rounded type on a translucent cream card; friendly and calm.",
		DefaultFontFamily: "Quicksand",
		Hook:              TextLook{Family: "Quicksand", Weight: 700, Size: 88, LineHeight: 1.14, Color: "#2B2340", Plate: "#FFF7EBE0"},
		Heading:           TextLook{Family: "Quicksand", Weight: 700, Size: 70, LineHeight: 1.16, Color: "#2B2340", Plate: "#FFF7EBE0"},
		Body:              TextLook{Family: "Quicksand", Weight: 500, Size: 52, LineHeight: 1.34, Color: "#43395C", Plate: "#FFF7EBE0"},
		Anchor:            "middle", Align: "left", MaxWidth: 76, Gap: 26,
		Gradient: GradientLook{Enabled: false, Color: "#000000", Opacity: 0.2, Direction: "full", Coverage: 1},
		Film:     FilmLook{Zoom: 1.06, Fade: 400 * time.Millisecond},
	},
	{
		ID: "neon_pop", Name: "Neon pop",
		Description:       "Chunky geometric type in acid lime over a deep violet wash, at the top of the image.",
		DefaultFontFamily: "League Spartan",
		Hook:              TextLook{Family: "League Spartan", Weight: 900, Size: 120, LineHeight: 0.98, Color: "#D7FF3E"},
		Heading:           TextLook{Family: "League Spartan", Weight: 900, Size: 94, LineHeight: 1.0, Color: "#D7FF3E"},
		Body:              TextLook{Family: "League Spartan", Weight: 500, Size: 56, LineHeight: 1.24, Color: "#FFFFFF"},
		Anchor:            "top", Align: "left", MaxWidth: 84, Gap: 50,
		Gradient: GradientLook{Enabled: true, Color: "#1B0638", Opacity: 0.9, Direction: "top", Coverage: 0.9},
		Film:     FilmLook{Zoom: 1.16},
	},
	{
		ID: "numbered_slab", Name: "Numbered slab",
		Description:       "A big coral numeral above slab-serif type, made for lists and steps.",
		DefaultFontFamily: "Roboto Slab",
		Hook:              TextLook{Family: "Roboto Slab", Weight: 700, Size: 104, LineHeight: 1.14, Color: "#FFFFFF"},
		Heading:           TextLook{Family: "Roboto Slab", Weight: 700, Size: 80, LineHeight: 1.16, Color: "#FFFFFF"},
		Body:              TextLook{Family: "Roboto Slab", Weight: 400, Size: 52, LineHeight: 1.36, Color: "#F2F4F8"},
		Badge: BadgeLook{Digits: 2, Look: TextLook{
			Family: "Roboto Slab", Weight: 700, Size: 80, LineHeight: 1.2, Color: "#1C1F26",
			Plate: "#FF8A6B",
		}},
		Anchor: "bottom", Align: "left", MaxWidth: 82, Gap: 44,
		Gradient: GradientLook{Enabled: true, Color: "#0B1220", Opacity: 0.88, Direction: "bottom", Coverage: 0.95},
		Film:     FilmLook{Zoom: 1, Fade: 300 * time.Millisecond},
	},
	{
		ID: "script_note", Name: "Script note",
		Description:       "A brush-script heading with plain text beneath, warm as a hand-lettered sign.",
		DefaultFontFamily: "Lobster Two",
		Hook:              TextLook{Family: "Lobster Two", Weight: 700, Size: 132, LineHeight: 1.12, Color: "#FFFFFF"},
		Heading:           TextLook{Family: "Lobster Two", Weight: 700, Size: 98, LineHeight: 1.14, Color: "#FFFFFF"},
		Body:              TextLook{Family: "Quicksand", Weight: 700, Size: 52, LineHeight: 1.34, Color: "#FFE9C9"},
		Anchor:            "middle", Align: "center", MaxWidth: 78, Gap: 46,
		Gradient: GradientLook{Enabled: true, Color: "#350D2E", Opacity: 0.66, Direction: "full", Coverage: 1},
		Film:     FilmLook{Zoom: 1.08, Fade: 600 * time.Millisecond},
	},
}

// DesignStyleByID returns the style with an ID; false when there is none.
func DesignStyleByID(id string) (DesignStyle, bool) {
	for _, s := range DesignStyles {
		if s.ID == id {
			return s, true
		}
	}
	return DesignStyle{}, false
}
