// SPDX-License-Identifier: Apache-2.0

package catalog

// Limits of text overlays. Pixels are those of a canvas 1080 wide. Positions are the center of a text block, in percent
// of the canvas.
const (
	MaxOverlaysPerSlide   = 8
	MaxOverlayCharacters  = 500
	OverlayFontSizeMin    = 24.0
	OverlayFontSizeMax    = 160.0
	OverlayFontSizeUsual  = 64.0 // the default
	OverlayFontSizeFitMin = 16.0 // minimum size when text is fitted
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

// Defaults of the gradient between image and text.
const (
	GradientEnabledDefault   = true
	GradientColorDefault     = "#000000"
	GradientOpacityDefault   = 0.55
	GradientDirectionDefault = "bottom"
	GradientCoverageDefault  = 0.5
)

// GradientDirections lists the positions at which a gradient can be darkest.
var GradientDirections = []string{"top", "bottom", "left", "right", "full", "radial"}
