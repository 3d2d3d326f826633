// SPDX-License-Identifier: Apache-2.0

package avatar

import (
	"math"

	p "github.com/reelops/reelops/internal/content/imagery/paint"
)

// tone is a colour in sRGB, each channel 0 to 1. Flat illustration is mixed in sRGB values, as design tools do; only
// the rooms behind the figures are computed in linear light.
type tone struct{ r, g, b float32 }

// hex returns the tone of 0xRRGGBB.
func hex(v uint32) tone {
	return tone{float32(v>>16&255) / 255, float32(v>>8&255) / 255, float32(v&255) / 255}
}

func (t tone) lerp(o tone, k float32) tone {
	return tone{t.r + (o.r-t.r)*k, t.g + (o.g-t.g)*k, t.b + (o.b-t.b)*k}
}

// change makes a colour lighter by dl (-1 to 1), more colourful by the factor chroma, and turns its hue by degrees.
func (t tone) change(dl, chroma, hue float32) tone {
	return shown(p.Shift(t.light(), dl, chroma, hue))
}

func (t tone) light() p.Color {
	return p.Hex(uint32(level(t.r))<<16 | uint32(level(t.g))<<8 | uint32(level(t.b)))
}

func level(v float32) uint8 { return uint8(p.Clamp(v, 0, 1)*255 + 0.5) }

func shown(c p.Color) tone { return tone{screen(c.R), screen(c.G), screen(c.B)} }

// screen converts linear light to sRGB.
func screen(v float32) float32 {
	if v <= 0.0031308 {
		return v * 12.92
	}
	return min(1, float32(1.055*math.Pow(float64(v), 1/2.4)-0.055))
}
