// SPDX-License-Identifier: Apache-2.0

package starter

import (
	p "github.com/reelops/reelops/internal/content/imagery/paint"
)

// scene draws one picture; r is seeded with the picture's seed.
type scene func(c *p.Canvas, r *p.Rand)

// entry is the declaration of a picture in its world's file.
type entry struct {
	title       string
	description string
	tags        string // separated by spaces; two-word tags carry a hyphen
	look        p.Look
	draw        scene
}

// tau is a full turn.
const tau = 6.2831853

// even returns a ramp of hex colours at equal distances.
func even(rgb ...uint32) *p.Ramp { return p.Even(p.Hexes(rgb...)...) }

// hex returns one colour.
func hex(rgb uint32) p.Color { return p.Hex(rgb) }

// stars scatters points of light over the sky above the height bottom (0 to 1 of the canvas), most of them faint, a few
// with colour.
func stars(c *p.Canvas, r *p.Rand, count int, bottom, strength float32) {
	tints := p.Hexes(0xffffff, 0xcfe0ff, 0xfff0d8, 0xffffff, 0xe6ecff)
	n := p.Noise(r.Seed32())
	for range count {
		x, y := r.Float()*c.W, r.Float()*bottom*c.H
		m := r.Float()
		size := (0.7 + 1.5*m*m*m*m*m) * c.U
		k := strength * (0.12 + 0.9*m*m*m*m)
		// Stars cluster in clouds and thin out towards the horizon.
		k *= 0.45 + 0.9*p.Smooth(-0.5, 0.6, n.FBM(x/c.W*3, y/c.W*3, 2))
		k *= 1 - p.Smooth(bottom*0.55, bottom, y/c.H)
		c.Star(x, y, size, tints[r.Int(len(tints))], k)
	}
}
