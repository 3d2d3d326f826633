// SPDX-License-Identifier: Apache-2.0

package paint

// Noise is smooth gradient noise; the value is its seed.
type Noise uint32

func hash2(x, y, seed uint32) uint32 {
	h := x*0x9e3779b1 ^ y*0x85ebca77 ^ seed*0xc2b2ae3d
	h ^= h >> 15
	h *= 0x2c1b3c6d
	h ^= h >> 12
	h *= 0x297a2d39
	return h ^ h>>15
}

// gradients holds 16 directions on the unit circle. It is a table, so that all machines use the same values.
var gradients = [16][2]float32{
	{1, 0},
	{0.92388, 0.382683},
	{0.707107, 0.707107},
	{0.382683, 0.92388},
	{0, 1},
	{-0.382683, 0.92388},
	{-0.707107, 0.707107},
	{-0.92388, 0.382683},
	{-1, 0},
	{-0.92388, -0.382683},
	{-0.707107, -0.707107},
	{-0.382683, -0.92388},
	{0, -1},
	{0.382683, -0.92388},
	{0.707107, -0.707107},
	{0.92388, -0.382683},
}

// At returns a value of about -1 to 1, with features one unit wide.
func (n Noise) At(x, y float32) float32 {
	ix, iy := Floor(x), Floor(y)
	fx, fy := x-float32(ix), y-float32(iy)
	u, v := uint32(ix), uint32(iy)
	a := &gradients[hash2(u, v, uint32(n))&15]
	b := &gradients[hash2(u+1, v, uint32(n))&15]
	c := &gradients[hash2(u, v+1, uint32(n))&15]
	d := &gradients[hash2(u+1, v+1, uint32(n))&15]
	sx := fx * fx * fx * (fx*(fx*6-15) + 10)
	sy := fy * fy * fy * (fy*(fy*6-15) + 10)
	top := Lerp(a[0]*fx+a[1]*fy, b[0]*(fx-1)+b[1]*fy, sx)
	low := Lerp(c[0]*fx+c[1]*(fy-1), d[0]*(fx-1)+d[1]*(fy-1), sx)
	return Lerp(top, low, sy) * 1.5
}

// FBM returns the sum of octaves, each half as wide and half as strong; about -1 to 1.
func (n Noise) FBM(x, y float32, octaves int) float32 {
	sum, amp, norm := float32(0), float32(1), float32(0)
	for i := range octaves {
		sum += amp * (n+Noise(i)*101).At(x, y)
		norm += amp
		amp *= 0.5
		// The rotation prevents the lattices of the octaves from aligning.
		x, y = 1.6*x+1.2*y+17.3, -1.2*x+1.6*y+5.1
	}
	return sum / norm
}

// Ridged returns FBM folded into sharp crests; 0 to 1.
func (n Noise) Ridged(x, y float32, octaves int) float32 {
	sum, amp, norm := float32(0), float32(1), float32(0)
	for i := range octaves {
		v := 1 - Abs((n+Noise(i)*101).At(x, y))
		sum += amp * v * v
		norm += amp
		amp *= 0.5
		x, y = 1.6*x+1.2*y+17.3, -1.2*x+1.6*y+5.1
	}
	return sum / norm
}

// Billow returns FBM folded into round bulges, as in clouds; 0 to 1.
func (n Noise) Billow(x, y float32, octaves int) float32 {
	sum, amp, norm := float32(0), float32(1), float32(0)
	for i := range octaves {
		sum += amp * Abs((n+Noise(i)*101).At(x, y))
		norm += amp
		amp *= 0.5
		x, y = 1.6*x+1.2*y+17.3, -1.2*x+1.6*y+5.1
	}
	return sum / norm
}

// Line returns one-dimensional FBM, for ridges and shores; about -1 to 1.
func (n Noise) Line(x float32, octaves int) float32 {
	sum, amp, norm := float32(0), float32(1), float32(0)
	for i := range octaves {
		sum += amp * (n+Noise(i)*57).At(x, 0.37)
		norm += amp
		amp *= 0.5
		x = x*2 + 3.7
	}
	return sum / norm
}

// Grain returns white noise at a whole-pixel position, 0 to 1.
func (n Noise) Grain(x, y int) float32 {
	return float32(hash2(uint32(x), uint32(y), uint32(n))>>8) / (1 << 24)
}
