// SPDX-License-Identifier: Apache-2.0

package catalog

// AspectRatio is a canvas for which a short can be rendered, with its safe zone.
type AspectRatio struct {
	Value         string // as in requests, e.g. "9:16"
	Width, Height int    // pixels
	Default       bool
	SafeZone      SafeZone
}

// SafeZone holds the margins that text must not enter, in percent of the canvas width (Left, Right) or height (Top,
// Bottom).
type SafeZone struct {
	Left, Right, Top, Bottom float64
}

// AspectRatios lists the accepted ratios, the default first. The wide right and bottom margins of 9:16 are where the
// platforms' apps show their buttons and captions.
var AspectRatios = []AspectRatio{
	{Value: "9:16", Width: 1080, Height: 1920, Default: true, SafeZone: SafeZone{Left: 10, Right: 20, Top: 14, Bottom: 28}},
	{Value: "4:5", Width: 1080, Height: 1350, SafeZone: SafeZone{Left: 6, Right: 6, Top: 6, Bottom: 6}},
}

// AspectRatioByValue returns the ratio with the given value; false when there is none.
func AspectRatioByValue(value string) (AspectRatio, bool) {
	for _, r := range AspectRatios {
		if r.Value == value {
			return r, true
		}
	}
	return AspectRatio{}, false
}

// DefaultAspectRatio returns the default ratio.
func DefaultAspectRatio() AspectRatio {
	for _, r := range AspectRatios {
		if r.Default {
			return r
		}
	}
	return AspectRatios[0]
}
