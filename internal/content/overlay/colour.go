// SPDX-License-Identifier: Apache-2.0

package overlay

import (
	"fmt"
	"image/color"
	"math"
	"strconv"
	"strings"

	"golang.org/x/image/colornames"
)

// rebeccaPurple is the only CSS colour name that SVG 1.1, and therefore colornames, does not have.
const rebeccaPurple = "rebeccapurple"

// ParseColor parses #RGB, #RGBA, #RRGGBB and #RRGGBBAA, with or without the #, and the 148 CSS colour names in any
// case. Surrounding spaces are ignored.
func ParseColor(s string) (color.NRGBA, bool) {
	s = strings.TrimSpace(s)
	name := strings.ToLower(s)
	if c, ok := colornames.Map[name]; ok {
		return color.NRGBA(c), true // all are opaque
	}
	if name == rebeccaPurple {
		return color.NRGBA{0x66, 0x33, 0x99, 255}, true
	}
	h := strings.TrimPrefix(s, "#")
	if len(h) == 3 || len(h) == 4 {
		var b strings.Builder
		for i := range len(h) {
			b.WriteByte(h[i])
			b.WriteByte(h[i])
		}
		h = b.String()
	}
	if len(h) == 6 {
		h += "ff"
	}
	if len(h) != 8 {
		return color.NRGBA{}, false
	}
	v, err := strconv.ParseUint(h, 16, 32)
	if err != nil {
		return color.NRGBA{}, false
	}
	return color.NRGBA{uint8(v >> 24), uint8(v >> 16), uint8(v >> 8), uint8(v)}, true
}

// FormatColor returns a colour as #RRGGBB, or as eight digits if it is not opaque.
func FormatColor(c color.NRGBA) string {
	if c.A == 255 {
		return fmt.Sprintf("#%02X%02X%02X", c.R, c.G, c.B)
	}
	return fmt.Sprintf("#%02X%02X%02X%02X", c.R, c.G, c.B, c.A)
}

var linear = func() (t [256]float64) {
	for i := range t {
		v := float64(i) / 255
		if v <= 0.04045 {
			t[i] = v / 12.92
		} else {
			t[i] = math.Pow((v+0.055)/1.055, 2.4)
		}
	}
	return t
}()

// luminance returns the relative luminance of an opaque colour, from 0 to 1.
func luminance(c color.NRGBA) float64 {
	return 0.2126*linear[c.R] + 0.7152*linear[c.G] + 0.0722*linear[c.B]
}

// contrast returns the contrast ratio of two luminances, from 1 to 21.
func contrast(a, b float64) float64 {
	if a < b {
		a, b = b, a
	}
	return (a + 0.05) / (b + 0.05)
}

// blend returns an opaque colour with another colour over it; extra multiplies the alpha of the upper colour.
func blend(below, above color.NRGBA, extra float64) color.NRGBA {
	a := float64(above.A) / 255 * extra
	mix := func(b, t uint8) uint8 { return uint8(float64(b)*(1-a) + float64(t)*a + 0.5) }
	return color.NRGBA{mix(below.R, above.R), mix(below.G, above.G), mix(below.B, above.B), 255}
}

// farthest returns black or white, whichever has more contrast with the colour.
func farthest(c color.NRGBA) color.NRGBA {
	l := luminance(c)
	if contrast(l, 0) >= contrast(l, 1) {
		return color.NRGBA{A: 255}
	}
	return color.NRGBA{255, 255, 255, 255}
}

// Contrast returns the contrast ratio of two colours, from 1 to 21. Their alpha is ignored.
func Contrast(a, b color.NRGBA) float64 { return contrast(luminance(a), luminance(b)) }
