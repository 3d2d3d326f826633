// SPDX-License-Identifier: Apache-2.0

package text

import "unicode"

// emojiByDefault lists the runes that are emoji unless a text selector follows.
var emojiByDefault = &unicode.RangeTable{
	R16: []unicode.Range16{
		{0x231A, 0x231B, 1},
		{0x23E9, 0x23EC, 1},
		{0x23F0, 0x23F0, 1},
		{0x23F3, 0x23F3, 1},
		{0x25FD, 0x25FE, 1},
		{0x2614, 0x2615, 1},
		{0x2648, 0x2653, 1},
		{0x267F, 0x267F, 1},
		{0x2693, 0x2693, 1},
		{0x26A1, 0x26A1, 1},
		{0x26AA, 0x26AB, 1},
		{0x26BD, 0x26BE, 1},
		{0x26C4, 0x26C5, 1},
		{0x26CE, 0x26CE, 1},
		{0x26D4, 0x26D4, 1},
		{0x26EA, 0x26EA, 1},
		{0x26F2, 0x26F3, 1},
		{0x26F5, 0x26F5, 1},
		{0x26FA, 0x26FA, 1},
		{0x26FD, 0x26FD, 1},
		{0x2705, 0x2705, 1},
		{0x270A, 0x270B, 1},
		{0x2728, 0x2728, 1},
		{0x274C, 0x274C, 1},
		{0x274E, 0x274E, 1},
		{0x2753, 0x2755, 1},
		{0x2757, 0x2757, 1},
		{0x2795, 0x2797, 1},
		{0x27B0, 0x27B0, 1},
		{0x27BF, 0x27BF, 1},
		{0x2B1B, 0x2B1C, 1},
		{0x2B50, 0x2B50, 1},
		{0x2B55, 0x2B55, 1},
	},
	R32: []unicode.Range32{
		{0x1F004, 0x1F004, 1},
		{0x1F0CF, 0x1F0CF, 1},
		{0x1F18E, 0x1F18E, 1},
		{0x1F191, 0x1F19A, 1},
		{0x1F1E6, 0x1F1FF, 1},
		{0x1F201, 0x1F201, 1},
		{0x1F21A, 0x1F21A, 1},
		{0x1F22F, 0x1F22F, 1},
		{0x1F232, 0x1F236, 1},
		{0x1F238, 0x1F23A, 1},
		{0x1F250, 0x1F251, 1},
		{0x1F300, 0x1F64F, 1},
		{0x1F680, 0x1F6FF, 1},
		{0x1F7E0, 0x1F7EB, 1},
		{0x1F7F0, 0x1F7F0, 1},
		{0x1F90C, 0x1F9FF, 1},
		{0x1FA70, 0x1FAFF, 1},
	},
}

const (
	zwnj          = 0x200C
	zwj           = 0x200D
	textSelector  = 0xFE0E
	emojiSelector = 0xFE0F
	keycap        = 0x20E3
)

// isEmoji reports whether the grapheme cluster is drawn as a colour emoji.
func isEmoji(cluster []rune) bool {
	picture := false
	for _, r := range cluster {
		switch {
		case r == textSelector:
			return false
		case r == emojiSelector || r == keycap:
			picture = true
		case unicode.Is(emojiByDefault, r):
			picture = true
		}
	}
	return picture
}

// isPictograph reports whether the rune is a symbol that is drawn in colour if the text font lacks it.
func isPictograph(r rune) bool {
	return r >= 0x2600 && r <= 0x27BF || r >= 0x2B00 && r <= 0x2BFF || r >= 0x1F000
}

// isInvisible reports whether a rune needs no glyph of its own: joiners, selectors, directional marks, tags.
func isInvisible(r rune) bool {
	switch {
	case r >= 0xFE00 && r <= 0xFE0F, r >= 0xE0000 && r <= 0xE01EF:
		return true
	}
	return unicode.Is(unicode.Cf, r) || unicode.IsControl(r)
}

// isRightToLeft reports whether the rune is a strong letter of a right-to-left script.
func isRightToLeft(r rune) bool {
	switch {
	case r >= 0x0590 && r <= 0x08FF, r >= 0xFB1D && r <= 0xFDFF, r >= 0xFE70 && r <= 0xFEFC, r >= 0x10800 && r <= 0x10FFF, r >= 0x1E800 && r <= 0x1EFFF:
		return unicode.IsLetter(r)
	}
	return false
}

// RightToLeft reports whether most letters of the text belong to right-to-left scripts.
func RightToLeft(s string) bool {
	rtl, ltr := 0, 0
	for _, r := range s {
		if isRightToLeft(r) {
			rtl++
		} else if unicode.IsLetter(r) {
			ltr++
		}
	}
	return rtl > 0 && rtl*2 >= ltr
}
