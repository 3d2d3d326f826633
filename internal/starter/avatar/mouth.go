// SPDX-License-Identifier: Apache-2.0

package avatar

import (
	"image"

	p "github.com/reelops/reelops/internal/content/imagery/paint"
)

// speech is the form of a mouth in one frame. All zero is a closed mouth at rest.
type speech struct {
	open  float32 // 0 closed, 1 the widest opening of a talking mouth
	wide  float32 // -1 pursed, 1 spread
	upper float32 // upper teeth shown, 0 to 1
	lower float32 // lower teeth shown, 0 to 1
	tuck  float32 // lower lip under the upper teeth, as for F and V
	press float32 // lips pressed together, as for M and P
	tip   float32 // the tongue's tip raised, as for L
	smile float32 // corners raised, 0 to 1
}

// mix interpolates between two forms: t = 0 returns a, t = 1 returns b.
func (a speech) mix(b speech, t float32) speech {
	l := p.Lerp
	return speech{
		l(a.open, b.open, t), l(a.wide, b.wide, t), l(a.upper, b.upper, t), l(a.lower, b.lower, t),
		l(a.tuck, b.tuck, t), l(a.press, b.press, t), l(a.tip, b.tip, t), l(a.smile, b.smile, t),
	}
}

// jaw returns the drop of the chin, in units.
func (a speech) jaw() float32 { return 40*a.open - 2*a.press }

// drawMouth paints lips, teeth and tongue. It ignores the jaw of the place, because the lines here already include the
// drop of the chin.
func drawMouth(c *easel, lk *look, at *place, sp speech) {
	still := *at
	still.jaw = 0
	m := lk.mouth
	s := lk.skin
	hw := m.width * (1 + 0.12*p.Clamp(sp.wide, 0, 1) + 0.34*p.Clamp(sp.wide, -1, 0) + 0.07*sp.smile)
	purse := p.Clamp(-sp.wide, 0, 1)
	drop := sp.jaw()
	gap := drop*0.96 + 4.5*purse*p.Clamp(sp.open*5, 0, 1) // between the lips, in the middle
	corner := m.y + drop*0.30 - 14*sp.smile - 1
	in := 0.93 + 0.03*sp.press
	topY := m.y - gap*0.16 - 2.0*sp.upper*p.Clamp(sp.open*6, 0, 1)
	lowY := m.y + gap*0.84 + 1 - 5*sp.tuck
	fu, fl := 14.5*m.full*(1-0.35*sp.press+0.25*purse), 18*m.full*(1-0.30*sp.press-0.42*sp.tuck+0.22*purse)
	q := func(x, y float32) pt { return pt{x * hw, y} }

	innerTop := curve(q(-in, corner), q(-0.55, p.Lerp(corner, topY, 0.72)), q(-0.16, topY-0.4), q(0, topY+1.6), q(0.16, topY-0.4), q(0.55, p.Lerp(corner, topY, 0.72)), q(in, corner))
	innerLow := curve(q(-in, corner), q(-0.58, p.Lerp(corner, lowY, 0.70)), q(-0.2, lowY), q(0, lowY+0.4), q(0.2, lowY), q(0.58, p.Lerp(corner, lowY, 0.70)), q(in, corner))
	outerTop := curve(q(-1, corner-0.5), q(-0.56, p.Lerp(corner, topY, 0.8)-fu*0.56), q(-0.2, topY-fu*1.04), q(0, topY-fu*0.80), q(0.2, topY-fu*1.04), q(0.56, p.Lerp(corner, topY, 0.8)-fu*0.56), q(1, corner-0.5))
	outerLow := curve(q(-1, corner+0.5), q(-0.6, p.Lerp(corner, lowY, 0.75)+fl*0.55), q(-0.22, lowY+fl*0.98), q(0, lowY+fl*1.02), q(0.22, lowY+fl*0.98), q(0.6, p.Lerp(corner, lowY, 0.75)+fl*0.55), q(1, corner+0.5))
	put := func(sh shape) shape { return still.put(sh) }
	ring := func(a, b []pt) shape { return shape{append(append([]pt(nil), a...), reversed(b)...)} }

	// Lips.
	dark := m.c.change(-0.10, 1.02, -4)
	t0, t1 := still.at(pt{0, topY - fu}), still.at(pt{0, topY})
	c.shaded(put(ring(outerTop, innerTop)), ramp(t0.x, t0.y, m.c.lerp(s.base, 0.45*(1-m.lipstick)), t1.x, t1.y, dark), nil)
	b0, b1 := still.at(pt{0, lowY}), still.at(pt{0, lowY + fl})
	c.shaded(put(ring(innerLow, outerLow)), ramp(b0.x, b0.y, m.c.change(-0.02, 1.04, 0), b1.x, b1.y, m.c.lerp(s.base, 0.4*(1-m.lipstick))), nil)
	lowLip := c.cover(put(ring(innerLow, outerLow)))
	shine := ellipse(-hw*0.16, lowY+fl*0.46, hw*0.26, 2.8*m.full, -0.03)
	c.fill(put(shine), tone{1, 0.96, 0.94}, 0.16+0.3*m.gloss, lowLip)
	c.fill(put(ellipse(-hw*0.16, lowY+fl*0.46, hw*0.15, 1.6*m.full, -0.03)), tone{1, 0.98, 0.97}, 0.12+0.35*m.gloss, lowLip)

	hole := put(ring(innerTop, innerLow))
	if inside := c.cover(hole); inside != nil && gap > 1.2 {
		drawInside(c, &still, sp, hole, inside, hw, topY, lowY, gap)
	}
	// The line where the lips meet, or the shadow of the upper one.
	meet := curve(q(-1.01, corner-0.6), q(-0.55, p.Lerp(corner, topY, 0.72)), q(-0.16, topY-0.2), q(0, topY+1.8), q(0.16, topY-0.2), q(0.55, p.Lerp(corner, topY, 0.72)), q(1.01, corner-0.6))
	c.fill(put(stroke(meet, even(2.0-0.6*p.Clamp(gap/14, 0, 1)))), s.deep.lerp(hex(0x3c1214), 0.55), 0.80, nil)
	for _, x := range []float32{-1, 1} {
		c.fill(put(ellipse(x*hw*1.02, corner, 5, 3.4, 0)), s.deep, 0.2, nil)
	}
}

// drawInside paints the visible part of teeth and tongue.
func drawInside(c *easel, at *place, sp speech, hole shape, inside *image.Alpha, hw, topY, lowY, gap float32) {
	a, b := at.at(pt{0, topY}), at.at(pt{0, lowY})
	c.shaded(hole, ramp(a.x, a.y, hex(0x2b0b0e), b.x, b.y, hex(0x5f1f22)), nil)
	put := at.put
	// The back of the tongue rises with spread vowels, and its tip for L.
	rise := 0.42 + 0.3*p.Clamp(sp.wide, 0, 1) + 0.45*sp.tip
	ty := lowY + 16 - gap*rise
	tongue := loop(pt{-hw * 0.60, lowY + 20}, pt{-hw * 0.52, ty + 5}, pt{-hw * 0.2, ty - 1}, pt{0, ty + 2 - 3*sp.tip}, pt{hw * 0.2, ty - 1}, pt{hw * 0.52, ty + 5}, pt{hw * 0.60, lowY + 20})
	t0, t1 := at.at(pt{0, ty}), at.at(pt{0, lowY + 10})
	c.shaded(put(tongue), ramp(t0.x, t0.y, hex(0xb4585a), t1.x, t1.y, hex(0xd27a78)), inside)
	c.fill(put(stroke(curve(pt{0, ty + 4}, pt{1, ty + 12}, pt{0, lowY + 14}), taper(1.6, 0.3))), hex(0x96444a), 0.5, inside)
	if sp.lower > 0.05 {
		y := lowY - 7*sp.lower
		teeth := loop(pt{-hw * 0.5, lowY + 8}, pt{-hw * 0.48, y + 3}, pt{-hw * 0.2, y}, pt{0, y - 0.4}, pt{hw * 0.2, y}, pt{hw * 0.48, y + 3}, pt{hw * 0.5, lowY + 8})
		c.fill(put(teeth), hex(0xe6ddd6), 0.9, inside)
	}
	if sp.upper > 0.05 {
		y := topY + 13.5*sp.upper
		teeth := loop(pt{-hw * 0.80, topY - 12}, pt{-hw * 0.78, y - 9}, pt{-hw * 0.5, y - 2.5}, pt{-hw * 0.2, y}, pt{0, y + 0.6}, pt{hw * 0.2, y}, pt{hw * 0.5, y - 2.5}, pt{hw * 0.78, y - 9}, pt{hw * 0.80, topY - 12})
		q0, q1 := at.at(pt{-hw * 0.8, y}), at.at(pt{0, y})
		white := hex(0xfaf6f0)
		c.shaded(put(teeth), func(x, _ float32) (tone, float32) {
			d := p.Abs(x-q1.x) / max(p.Abs(q0.x-q1.x), 1)
			return white.lerp(hex(0xa89a94), p.Smooth(0.25, 1.0, d)), 1
		}, inside)
		c.fill(put(stroke(curve(pt{-hw * 0.8, topY - 1}, pt{0, topY + 2}, pt{hw * 0.8, topY - 1}), even(3.2))), hex(0x4a2023), 0.28, inside)
		for i := -3; i <= 3; i++ { // faint, because clear gaps between the teeth look like a fence
			x := float32(i) * hw * 0.17
			c.fill(put(stroke([]pt{{x, topY - 6}, {x, (topY + y) / 2}, {x, y - 0.5}}, func(float32) float32 { return 0.55 })), hex(0x9c8f88), 0.30, inside)
		}
	}
}
