// SPDX-License-Identifier: Apache-2.0

package avatar

import (
	p "github.com/reelops/reelops/internal/content/imagery/paint"
)

// beard is hair on jaw, chin and lip.
type beard struct {
	c    tone
	full float32 // 0.3 stubble, 1 full
}

// drawBeard paints a beard onto the skin. The mouth is painted over it.
func drawBeard(l *layer, lk *look) {
	b, f := lk.beard, lk.face
	m := lk.mouth
	form := shape{append(
		curve(pt{-f.cheek - 6, -10}, pt{-f.cheek + 22, 60}, pt{-f.jaw + 44, 118}, pt{-92, 128}, pt{-64, 122}, pt{-24, m.y - 34}, pt{0, m.y - 30}, pt{24, m.y - 34}, pt{64, 122}, pt{92, 128}, pt{f.jaw - 44, 118}, pt{f.cheek - 22, 60}, pt{f.cheek + 6, -10}),
		curve(pt{f.cheek + 30, 60}, pt{f.jaw + 40, 190}, pt{f.chin + 60, f.length + 12}, pt{0, f.length + 34}, pt{-f.chin - 60, f.length + 12}, pt{-f.jaw - 40, 190}, pt{-f.cheek - 30, 60})...,
	)}
	l.soft(form, 9, b.c, 0.86*b.full)
	l.soft(form.shift(0, 16), 18, b.c.change(-0.05, 1, 0), 0.45*b.full)
	bare := loop(pt{-m.width * 0.98, m.y + 2}, pt{-m.width * 0.5, m.y - 18}, pt{0, m.y - 17}, pt{m.width * 0.5, m.y - 18}, pt{m.width * 0.98, m.y + 2}, pt{m.width * 0.5, m.y + 26}, pt{0, m.y + 31}, pt{-m.width * 0.5, m.y + 26})
	l.soft(bare, 5, lk.skin.base.lerp(lk.skin.shadow, 0.25), 0.9)
	r := p.NewRand(lk.seed + 90)
	mask := l.blurred(form, 6)
	for range int(1900 * b.full) {
		x, y := r.In(-f.cheek, f.cheek), r.In(-6, f.length+4)
		px, py := p.Floor(x*l.k), p.Floor(y*l.k)
		if py < mask.r.Min.Y || py >= mask.r.Max.Y || px < mask.r.Min.X || px >= mask.r.Max.X || mask.row(py)[px-mask.r.Min.X] < r.In(0.2, 0.9) {
			continue
		}
		if dx, dy := x/(m.width*0.95), (y-m.y-6)/28; dx*dx+dy*dy < 1 {
			continue
		}
		d := r.In(5, 11)
		c := b.c.change(r.In(-0.1, 0.10), 1, 0)
		l.tint(stroke([]pt{{x, y}, {x + x/f.cheek*d*0.3, y + d*0.55}, {x + x/f.cheek*d*0.35, y + d}}, taper(1.1, 0.4)), flat(c, 0.55))
	}
}

// glasses are the glasses of a figure, with round or angular lenses.
type glasses struct {
	c           tone
	round       bool
	rx, ry, rim float32
	glint       float32
}

func drawGlasses(lk *look) *layer {
	g := lk.frame
	l := newLayer(lk.scale, -270, -120, 270, 140)
	x := lk.eyes.apart + 2
	lens := func(side, grow float32) shape {
		if g.round {
			return ellipse(side*x, 4, g.rx+grow, g.ry+grow, 0)
		}
		w, h := g.rx+grow, g.ry+grow
		return loop(pt{side*x - side*w, -h * 0.55}, pt{side*x - side*w*0.55, -h + 3}, pt{side*x + side*w*0.4, -h}, pt{side*x + side*w*1.02, -h * 0.78}, pt{side*x + side*w*0.98, h * 0.2}, pt{side*x + side*w*0.6, h + 6}, pt{side*x - side*w*0.3, h + 8}, pt{side*x - side*w*0.92, h * 0.45})
	}
	for _, s := range []float32{-1, 1} {
		l.haze(stroke(lens(s, 0).shift(1.5, 8)[0], even(g.rim)), 4, lk.skin.deep, 0.30)
		l.fill(lens(s, 0), flat(tone{0.85, 0.93, 1}, 0.07))
		// Two bands of light, the reflection of a window.
		cut := newLayer(lk.scale, -270, -120, 270, 140)
		cut.fill(lens(s, -3), flat(tone{1, 1, 1}, 1))
		cut.fade(func(px, py float32) float32 {
			d := (px - s*x) + (py-4)*0.6
			return g.glint * (0.13*(p.Smooth(-44, -40, d)-p.Smooth(-20, -16, d)) + 0.08*(p.Smooth(-11, -8, d)-p.Smooth(-3, 0, d)))
		})
		l.over(cut)
		ring := append([]pt(nil), lens(s, 0)[0]...)
		ring = append(ring, ring[0], ring[1])
		l.fill(stroke(ring, func(float32) float32 { return g.rim }), ramp(-150, -60, g.c.change(0.10, 1, 0), 120, 60, g.c))
		l.tint(stroke(bendLine(ring[len(ring)*5/10:len(ring)*8/10], func(q pt) pt { return pt{q.x, q.y - g.rim*0.3} }), taper(g.rim*0.3, 0.5)), flat(tone{1, 1, 1}, 0.35))
		arm := curve(pt{s * (x + g.rx), -10}, pt{s * (lk.face.cheek + 4), -16}, pt{s * (lk.face.cheek + 18), -14})
		l.fill(stroke(arm, func(float32) float32 { return g.rim * 0.95 }), flat(g.c, 1))
	}
	in := x - g.rx
	l.fill(stroke(curve(pt{-in - 2, -4}, pt{-in * 0.4, -15}, pt{in * 0.4, -15}, pt{in + 2, -4}), func(float32) float32 { return g.rim * 0.9 }), flat(g.c, 1))
	return l
}

// drawJewel paints one earring, which hangs from 0, 0: a hoop or a stud.
func drawJewel(lk *look) *layer {
	j := lk.jewels
	l := newLayer(lk.scale, -50, -12, 50, 100)
	shine := j.c.change(0.2, 0.6, 0)
	switch j.kind {
	case "hoop":
		ring := ellipse(0, 38, 25, 36, 0)[0]
		ring = append(ring, ring[0], ring[1])
		l.fill(stroke(ring, func(float32) float32 { return 4.2 }), ramp(-25, 0, j.c.change(0.06, 1, 0), 25, 60, j.c.change(-0.12, 1, 0)))
		l.tint(stroke(ring[18:30], taper(1.8, 0.5)), flat(shine, 0.9))
	default:
		l.fill(ellipse(0, 4, 7, 7, 0), ramp(-6, -4, shine, 6, 12, j.c.change(-0.1, 1, 0)))
		l.fill(ellipse(-2, 2, 2, 2, 0), flat(tone{1, 1, 1}, 0.9))
	}
	return l
}
