// SPDX-License-Identifier: Apache-2.0

package catalog

// Limits of text overlays. Pixels are those of a canvas 1080 wide; positions are percent of the canvas and name the
// centre of a text block.
const (
	MaxOverlaysPerSlide   = 8
	MaxOverlayCharacters  = 500
	OverlayFontSizeMin    = 24.0
	OverlayFontSizeMax    = 160.0
	OverlayFontSizeUsual  = 64.0 // when none is asked for
	OverlayFontSizeFitMin = 16.0 // how small fitting may go
	OverlayFontSizeUnit   = "px_at_1080"
	OverlayCanvasWidth    = 1080
	OverlayPositionMin    = 0.0
	OverlayPositionMax    = 100.0
	OverlayPositionUnit   = "percent"
	OverlayPositionAnchor = "center"
	OverlayMaxWidthMin    = 20.0 // percent of the canvas width
	OverlayMaxWidthMax    = 90.0
	OverlayMaxWidthUsual  = 80.0
	OverlayLineHeightMin  = 0.8 // times the font size
	OverlayLineHeightMax  = 2.5
	OverlayLineHeightUse  = 1.2
	OverlayStrokeWidthMax = 24.0
	MinContrastRatio      = 4.5
)

// OverlayAlignments lists the accepted alignments of lines inside a block.
var OverlayAlignments = []string{"left", "center", "right"}

// Defaults and bounds of the shade laid between picture and text.
const (
	GradientEnabledDefault   = true
	GradientColorDefault     = "#000000"
	GradientOpacityDefault   = 0.55
	GradientDirectionDefault = "bottom"
	GradientCoverageDefault  = 0.5
)

// GradientDirections lists where a gradient can be darkest.
var GradientDirections = []string{"top", "bottom", "left", "right", "full", "radial"}
