// SPDX-License-Identifier: Apache-2.0

package paint

import "math"

// Clamp returns v limited to the range from lo to hi.
func Clamp(v, lo, hi float32) float32 {
	if v < lo {
		return lo
	}
	if v > hi {
		return hi
	}
	return v
}

// Smooth returns 0 below a, 1 above b and an S-curve between; a may be above b.
func Smooth(a, b, v float32) float32 {
	t := Clamp((v-a)/(b-a), 0, 1)
	return t * t * (3 - 2*t)
}

// Lerp returns a linear interpolation of two numbers.
func Lerp(a, b, t float32) float32 { return a + (b-a)*t }

// Sqrt returns the square root.
func Sqrt(v float32) float32 { return float32(math.Sqrt(float64(v))) }

// Sin returns the sine of an angle in radians.
func Sin(v float32) float32 { return float32(math.Sin(float64(v))) }

// Cos returns the cosine of an angle in radians.
func Cos(v float32) float32 { return float32(math.Cos(float64(v))) }

// Exp returns e to the power v.
func Exp(v float32) float32 { return float32(math.Exp(float64(v))) }

// Pow returns v to the power e.
func Pow(v, e float32) float32 { return float32(math.Pow(float64(v), float64(e))) }

// Abs returns the absolute value.
func Abs(v float32) float32 {
	if v < 0 {
		return -v
	}
	return v
}

// Floor returns v rounded down.
func Floor(v float32) int {
	i := int(v)
	if v < float32(i) {
		i--
	}
	return i
}

// Rand is a small seeded generator (splitmix64). Equal seeds have equal sequences on every machine.
type Rand struct{ state uint64 }

// NewRand returns a generator.
func NewRand(seed uint64) *Rand { return &Rand{seed*0x9e3779b97f4a7c15 + 0x1234567} }

// Uint64 returns the next raw number.
func (r *Rand) Uint64() uint64 {
	r.state += 0x9e3779b97f4a7c15
	z := r.state
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// Float returns a number in [0, 1).
func (r *Rand) Float() float32 { return float32(r.Uint64()>>40) / (1 << 24) }

// In returns a number in [a, b).
func (r *Rand) In(a, b float32) float32 { return a + (b-a)*r.Float() }

// Int returns a number in [0, n).
func (r *Rand) Int(n int) int { return int((r.Uint64() >> 33) % uint64(n)) }

// Sign returns -1 or 1.
func (r *Rand) Sign() float32 {
	if r.Uint64()>>63 == 0 {
		return -1
	}
	return 1
}

// Bell returns a number around 0, mostly within -1 and 1 (sum of three).
func (r *Rand) Bell() float32 { return (r.Float() + r.Float() + r.Float() - 1.5) / 0.75 }

// Fork returns an independent generator, so that one part of a scene can use more numbers without changing the others.
func (r *Rand) Fork() *Rand { return &Rand{r.Uint64()} }

// Seed32 returns a seed for noise.
func (r *Rand) Seed32() uint32 { return uint32(r.Uint64() >> 32) }
