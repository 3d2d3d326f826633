// SPDX-License-Identifier: Apache-2.0

package paint

import "math"

// Color is an opaque colour in linear light. Values above 1 are allowed while drawing, because lamps add light; Finish
// compresses them smoothly.
type Color struct{ R, G, B float32 }

// Hex returns the colour of an sRGB value 0xRRGGBB.
func Hex(rgb uint32) Color {
	return Color{linear[rgb>>16&255], linear[rgb>>8&255], linear[rgb&255]}
}

// linear holds the linear light of each sRGB level. Scenes call Hex for every pixel, and computing a power for each
// would take most of their time.
var linear = func() (t [256]float32) {
	for i := range t {
		t[i] = fromSRGB(float64(i) / 255)
	}
	return t
}()

// Hexes returns the colours of 0xRRGGBB values.
func Hexes(rgb ...uint32) []Color {
	out := make([]Color, len(rgb))
	for i, v := range rgb {
		out[i] = Hex(v)
	}
	return out
}

// Scale returns the light multiplied by k.
func (c Color) Scale(k float32) Color { return Color{c.R * k, c.G * k, c.B * k} }

// Add returns the sum of two lights.
func (c Color) Add(o Color) Color { return Color{c.R + o.R, c.G + o.G, c.B + o.B} }

// Mul returns one colour filtered through another.
func (c Color) Mul(o Color) Color { return Color{c.R * o.R, c.G * o.G, c.B * o.B} }

// Lerp returns a mix in linear light, as with transparency; t is 0 to 1.
func (c Color) Lerp(o Color, t float32) Color {
	return Color{c.R + (o.R-c.R)*t, c.G + (o.G-c.G)*t, c.B + (o.B-c.B)*t}
}

// Luma returns the relative luminance, 0 (black) to 1 (white).
func (c Color) Luma() float32 { return 0.2126*c.R + 0.7152*c.G + 0.0722*c.B }

// Mix returns a perceptual blend of two colours (OKLab); t is 0 to 1.
func Mix(a, b Color, t float32) Color {
	return fromLab(toLab(a).lerp(toLab(b), t))
}

// Shift returns a colour changed in OKLCH: lightness by dl (-1 to 1), chroma by factor kc, hue by dh degrees.
func Shift(c Color, dl, kc, dh float32) Color {
	l := toLab(c)
	sin, cos := math.Sincos(float64(dh) * math.Pi / 180)
	a := (l.a*float32(cos) - l.b*float32(sin)) * kc
	b := (l.a*float32(sin) + l.b*float32(cos)) * kc
	return fromLab(lab{Clamp(l.l+dl, 0, 1), a, b})
}

type lab struct{ l, a, b float32 }

func (p lab) lerp(q lab, t float32) lab {
	return lab{p.l + (q.l-p.l)*t, p.a + (q.a-p.a)*t, p.b + (q.b-p.b)*t}
}

func toLab(c Color) lab {
	r, g, b := float64(c.R), float64(c.G), float64(c.B)
	l := math.Cbrt(0.4122214708*r + 0.5363325363*g + 0.0514459929*b)
	m := math.Cbrt(0.2119034982*r + 0.6806995451*g + 0.1073969566*b)
	s := math.Cbrt(0.0883024619*r + 0.2817188376*g + 0.6299787005*b)
	return lab{
		float32(0.2104542553*l + 0.7936177850*m - 0.0040720468*s),
		float32(1.9779984951*l - 2.4285922050*m + 0.4505937099*s),
		float32(0.0259040371*l + 0.7827717662*m - 0.8086757660*s),
	}
}

// fromLab clips at black, because mixes of very saturated colours may leave the gamut.
func fromLab(p lab) Color {
	l := p.l + 0.3963377774*p.a + 0.2158037573*p.b
	m := p.l - 0.1055613458*p.a - 0.0638541728*p.b
	s := p.l - 0.0894841775*p.a - 1.2914855480*p.b
	l, m, s = l*l*l, m*m*m, s*s*s
	return Color{
		max(0, 4.0767416621*l-3.3077115913*m+0.2309699292*s),
		max(0, -1.2684380046*l+2.6097574011*m-0.3413193965*s),
		max(0, -0.0041960863*l-0.7034186147*m+1.7076147010*s),
	}
}

func fromSRGB(v float64) float32 {
	if v <= 0.04045 {
		return float32(v / 12.92)
	}
	return float32(math.Pow((v+0.055)/1.055, 2.4))
}

func toSRGB(v float64) float64 {
	if v <= 0.0031308 {
		return v * 12.92
	}
	return 1.055*math.Pow(v, 1/2.4) - 0.055
}
