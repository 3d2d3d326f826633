// SPDX-License-Identifier: Apache-2.0

package catalog

// OverlayFont is a typeface for overlays.
type OverlayFont struct {
	Family  string
	Weights []int    // ascending
	Scripts []string // scripts that the font files of this family cover, lower case
	Default bool
	Class   string // "sans", "serif", "display" or "script": selects a suitable fallback
}

// OverlayFonts lists the available families, the default first. Families for a single script are at the end; text in a
// script that the requested family lacks is set in one of them.
var OverlayFonts = []OverlayFont{
	{Family: "Inter", Weights: []int{300, 400, 500, 600, 700, 800, 900}, Scripts: []string{"latin", "cyrillic", "greek"}, Default: true, Class: "sans"},
	{Family: "Manrope", Weights: []int{300, 400, 500, 600, 700, 800}, Scripts: []string{"latin", "cyrillic", "greek"}, Class: "sans"},
	{Family: "League Spartan", Weights: []int{300, 400, 500, 600, 700, 800, 900}, Scripts: []string{"latin"}, Class: "display"},
	{Family: "Bebas Neue", Weights: []int{400}, Scripts: []string{"latin"}, Class: "display"},
	{Family: "EB Garamond", Weights: []int{400, 700}, Scripts: []string{"latin", "cyrillic", "greek"}, Class: "serif"},
	{Family: "Roboto Slab", Weights: []int{300, 400, 700}, Scripts: []string{"latin", "cyrillic", "greek"}, Class: "serif"},
	{Family: "Quicksand", Weights: []int{300, 400, 500, 700}, Scripts: []string{"latin"}, Class: "sans"},
	{Family: "Lobster Two", Weights: []int{400, 700}, Scripts: []string{"latin"}, Class: "script"},
	{Family: "Noto Sans", Weights: []int{400, 700}, Scripts: []string{"latin", "cyrillic", "greek"}, Class: "sans"},
	{Family: "Noto Serif", Weights: []int{400, 700}, Scripts: []string{"latin", "cyrillic", "greek"}, Class: "serif"},
	{Family: "Noto Sans Arabic", Weights: []int{400, 700}, Scripts: []string{"arabic"}, Class: "sans"},
	{Family: "Noto Naskh Arabic", Weights: []int{400, 700}, Scripts: []string{"arabic"}, Class: "serif"},
	{Family: "Noto Kufi Arabic", Weights: []int{400, 700}, Scripts: []string{"arabic"}, Class: "display"},
	{Family: "Noto Sans Hebrew", Weights: []int{400, 700}, Scripts: []string{"hebrew"}, Class: "sans"},
	{Family: "Noto Serif Hebrew", Weights: []int{400, 700}, Scripts: []string{"hebrew"}, Class: "serif"},
	{Family: "Noto Sans Devanagari", Weights: []int{400, 700}, Scripts: []string{"devanagari"}, Class: "sans"},
	{Family: "Noto Serif Devanagari", Weights: []int{400, 700}, Scripts: []string{"devanagari"}, Class: "serif"},
	{Family: "Noto Sans Thai", Weights: []int{400, 700}, Scripts: []string{"thai"}, Class: "sans"},
	{Family: "Noto Serif Thai", Weights: []int{400, 700}, Scripts: []string{"thai"}, Class: "serif"},
	{Family: "Noto Sans CJK JP", Weights: []int{400, 700}, Scripts: []string{"han", "hiragana", "katakana", "hangul", "latin"}, Class: "sans"},
	{Family: "Noto Sans CJK KR", Weights: []int{400, 700}, Scripts: []string{"han", "hiragana", "katakana", "hangul", "latin"}, Class: "sans"},
	{Family: "Noto Sans CJK SC", Weights: []int{400, 700}, Scripts: []string{"han", "hiragana", "katakana", "hangul", "latin"}, Class: "sans"},
	{Family: "Noto Sans CJK TC", Weights: []int{400, 700}, Scripts: []string{"han", "hiragana", "katakana", "hangul", "latin"}, Class: "sans"},
	{Family: "Noto Serif CJK JP", Weights: []int{400, 700}, Scripts: []string{"han", "hiragana", "katakana", "hangul", "latin"}, Class: "serif"},
	{Family: "Noto Serif CJK SC", Weights: []int{400, 700}, Scripts: []string{"han", "hiragana", "katakana", "hangul", "latin"}, Class: "serif"},
}

// OverlayFontByFamily returns the family with an exact name; false when there is none.
func OverlayFontByFamily(family string) (OverlayFont, bool) {
	for _, f := range OverlayFonts {
		if f.Family == family {
			return f, true
		}
	}
	return OverlayFont{}, false
}

// DefaultOverlayFont returns the default family.
func DefaultOverlayFont() OverlayFont {
	for _, f := range OverlayFonts {
		if f.Default {
			return f
		}
	}
	return OverlayFonts[0]
}
