// SPDX-License-Identifier: Apache-2.0

package synth

import "math"

// svf is a state variable filter whose frequency can change at every sample.
type svf struct{ g, k, a1, a2, a3, s1, s2 float64 }

// tune sets the corner frequency and the quality; a quality of 0.707 has no resonance.
func (f *svf) tune(hertz, quality float64) {
	f.g = math.Tan(math.Pi * min(hertz, 0.45*Rate) / Rate)
	f.k = 1 / quality
	f.a1 = 1 / (1 + f.g*(f.g+f.k))
	f.a2 = f.g * f.a1
	f.a3 = f.g * f.a2
}

// step returns the low, band and high parts of the next sample. The gain of the band is 1 at its middle.
func (f *svf) step(in float64) (low, band, high float64) {
	v3 := in - f.s2
	v1 := f.a1*f.s1 + f.a2*v3
	v2 := f.s2 + f.a2*f.s1 + f.a3*v3
	f.s1, f.s2 = 2*v1-f.s1, 2*v2-f.s2
	return v2, f.k * v1, in - f.k*v1 - v2
}

func (f *svf) low(in float64) float64 {
	v, _, _ := f.step(in)
	return v
}

func (f *svf) band(in float64) float64 {
	_, v, _ := f.step(in)
	return v
}

func (f *svf) high(in float64) float64 {
	_, _, v := f.step(in)
	return v
}

func newSVF(hertz, quality float64) *svf {
	f := &svf{}
	f.tune(hertz, quality)
	return f
}

// pole is a low pass of first order.
type pole struct{ a, y float64 }

func newPole(hertz float64) pole { return pole{a: 1 - math.Exp(-2*math.Pi*hertz/Rate)} }

func (p *pole) step(in float64) float64 {
	p.y += p.a * (in - p.y)
	return p.y
}

// biquad is a filter of second order with fixed coefficients.
type biquad struct{ b0, b1, b2, a1, a2, z1, z2 float64 }

func (b *biquad) step(x float64) float64 {
	y := b.b0*x + b.z1
	b.z1 = b.b1*x - b.a1*y + b.z2
	b.z2 = b.b2*x - b.a2*y
	return y
}

// peaking returns a filter that raises or lowers a band by db.
func peaking(hertz, quality, db float64) biquad {
	a, w := math.Pow(10, db/40), 2*math.Pi*hertz/Rate
	alpha, c := math.Sin(w)/(2*quality), math.Cos(w)
	n := 1 + alpha/a
	return biquad{b0: (1 + alpha*a) / n, b1: -2 * c / n, b2: (1 - alpha*a) / n, a1: -2 * c / n, a2: (1 - alpha/a) / n}
}

// shelf returns a filter that raises or lowers all frequencies above a corner by db, or below the corner if low is set.
func shelf(hertz, db float64, low bool) biquad {
	a, w := math.Pow(10, db/40), 2*math.Pi*hertz/Rate
	c := math.Cos(w)
	s := 2 * math.Sqrt(a) * math.Sin(w) / 2 * math.Sqrt2
	if low {
		n := (a + 1) + (a-1)*c + s
		return biquad{
			b0: a * ((a + 1) - (a-1)*c + s) / n, b1: 2 * a * ((a - 1) - (a+1)*c) / n, b2: a * ((a + 1) - (a-1)*c - s) / n,
			a1: -2 * ((a - 1) + (a+1)*c) / n, a2: ((a + 1) + (a-1)*c - s) / n,
		}
	}
	n := (a + 1) - (a-1)*c + s
	return biquad{
		b0: a * ((a + 1) + (a-1)*c + s) / n, b1: -2 * a * ((a - 1) + (a+1)*c) / n, b2: a * ((a + 1) + (a-1)*c - s) / n,
		a1: 2 * ((a - 1) - (a+1)*c) / n, a2: ((a + 1) - (a-1)*c - s) / n,
	}
}
