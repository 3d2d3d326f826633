// SPDX-License-Identifier: Apache-2.0

package avatar

import (
	p "github.com/reelops/reelops/internal/content/imagery/paint"
)

// outfit is the clothing of a figure.
type outfit struct {
	c, second tone
	draw      func(l *layer, lk *look)
	width     float32 // of the shoulders, 1 is usual
}

func drawNeck(lk *look) *layer {
	s, n := lk.skin, lk.face.neck
	l := newLayer(lk.scale, -220, 120, 220, 560)
	form := loop(mirrored(pt{0, 130}, pt{n * 0.9, 130}, pt{n * 0.97, 230}, pt{n, 320}, pt{n + 18, 376}, pt{n + 90, 420}, pt{150, 540}, pt{0, 548})...)
	l.fill(form, ramp(-n, 200, s.base, n, 260, s.shadow))
	l.rim(form.shift(-12, 0), 26, s.shadow, 0.5)
	chin := faceShape(lk.face)
	l.soft(chin.shift(14, 52), 22, s.deep, 0.62)
	l.soft(chin.shift(6, 22), 9, s.deep, 0.55)
	for _, x := range []float32{-1, 1} { // sinews and collar bones
		l.soft(stroke(curve(pt{x * n * 0.85, 250}, pt{x * n * 0.56, 330}, pt{x * 20, 398}), taper(8, 0.5)), 9, s.shadow, 0.5)
		l.soft(stroke(curve(pt{x * 26, 414}, pt{x * 80, 402}, pt{x * 150, 400}), taper(7, 0.4)), 6, s.light, 0.5)
		l.soft(stroke(curve(pt{x * 26, 426}, pt{x * 80, 416}, pt{x * 150, 414}), taper(7, 0.4)), 7, s.shadow, 0.7)
	}
	l.soft(ellipse(0, 404, 16, 12, 0), 9, s.shadow, 0.7)
	return l
}

// trunk returns the outline of shoulders and chest, with an opening for the neck. The opening begins at y = high; it is
// deep units deep, and wide is half its width. lk.wear.width scales the shoulders.
func trunk(lk *look, wide, deep, high float32) shape {
	w := lk.wear.width
	right := curve(pt{wide, high}, pt{wide + 70, high + 32}, pt{262 * w, high + 66}, pt{352 * w, high + 112}, pt{410 * w, high + 222}, pt{430 * w, high + 420}, pt{446 * w, 930})
	neck := curve(pt{-wide, high}, pt{-wide * 0.66, high + deep*0.72}, pt{0, high + deep}, pt{wide * 0.66, high + deep*0.72}, pt{wide, high})
	out := append([]pt(nil), neck...)
	out = append(out, right...)
	left := bendLine(right, func(q pt) pt { return pt{-q.x, q.y} })
	return shape{append(out, reversed(left)...)}
}

func bodyLayer(lk *look) *layer { return newLayer(lk.scale, -500, 250, 500, 930) }

// drape paints light and folds on cloth.
func drape(l *layer, form shape, c tone, seed uint64, folds int) {
	dark, lit := c.change(-0.10, 1.05, -4), c.change(0.055, 0.95, 3)
	l.tint(form, ramp(-420, 380, lit, 440, 820, c.lerp(dark, 0.55)))
	l.rim(form.shift(-26, 8), 60, dark, 0.55)
	l.soft(ellipse(-190, 520, 120, 60, -0.5), 60, lit, 0.7)
	r := p.NewRand(seed)
	for _, x := range []float32{-1, 1} { // the seams of the arms
		arm := curve(pt{x * 300, 560}, pt{x * 318, 680}, pt{x * 300, 820}, pt{x * 306, 930})
		l.soft(stroke(arm, taper(16, 0.7)), 16, dark, 0.7)
		l.soft(stroke(arm, taper(5, 0.75)), 5, dark.change(-0.04, 1, 0), 0.6)
		l.soft(stroke(bendLine(arm, func(q pt) pt { return pt{q.x + 18, q.y} }), taper(10, 0.7)), 12, lit, 0.5)
	}
	for range folds {
		s := r.Sign()
		x, y := s*r.In(90, 280), r.In(560, 820)
		line := curve(pt{x + s*50, y - 60}, pt{x, y}, pt{x - s*40, y + 90})
		l.soft(stroke(line, taper(r.In(5, 10), 0.5)), 11, dark, r.In(0.25, 0.5))
		l.soft(stroke(bendLine(line, func(q pt) pt { return pt{q.x - 13, q.y - 3} }), taper(r.In(4, 7), 0.5)), 10, lit, r.In(0.2, 0.4))
	}
}

// tee draws a T-shirt with a round neck.
func tee(l *layer, lk *look) {
	w := lk.wear
	form := trunk(lk, 118, 62, 356)
	l.fill(form, flat(w.c, 1))
	drape(l, form, w.c, lk.seed+50, 9)
	neckband(l, w.c, 118, 62, 356, 9)
}

func neckband(l *layer, c tone, wide, deep, high, width float32) {
	band := curve(pt{-wide, high}, pt{-wide * 0.66, high + deep*0.72}, pt{0, high + deep}, pt{wide * 0.66, high + deep*0.72}, pt{wide, high})
	l.soft(stroke(bendLine(band, func(q pt) pt { return pt{q.x, q.y + width + 5} }), even(5)), 5, c.change(-0.13, 1, 0), 0.6)
	l.fill(stroke(bendLine(band, func(q pt) pt { return pt{q.x, q.y + width*0.4} }), func(float32) float32 { return width }), ramp(-wide, high, c.change(0.03, 1, 0), wide, high+deep, c.change(-0.06, 1, 0)))
	l.tint(stroke(bendLine(band, func(q pt) pt { return pt{q.x, q.y - width*0.35} }), even(1.5)), flat(c.change(0.1, 0.9, 0), 0.6))
}

// sweater draws a knitted sweater with a high round collar.
func sweater(l *layer, lk *look) {
	w := lk.wear
	form := trunk(lk, 104, 44, 340)
	l.fill(form, flat(w.c, 1))
	drape(l, form, w.c, lk.seed+51, 11)
	dark := w.c.change(-0.08, 1, 0)
	for i := -12; i <= 12; i++ { // ribs
		x := float32(i) * 36
		l.tint(stroke(curve(pt{x * 0.75, 400}, pt{x * 0.96, 600}, pt{x, 930}), func(float32) float32 { return 1.6 }), flat(dark, 0.18))
	}
	neckband(l, w.c, 104, 44, 340, 17)
	for i := range 30 {
		t := float32(i)/29*2 - 1
		x, y := t*104, 340+44*(1-t*t)+7
		l.tint(stroke([]pt{{x, y - 15}, {x * 1.01, y}, {x * 1.02, y + 15}}, even(1.1)), flat(dark, 0.5))
	}
}

// hoodie draws a sweatshirt with strings and a hood around the neck.
func hoodie(l *layer, lk *look) {
	w := lk.wear
	dark, lit := w.c.change(-0.11, 1, 0), w.c.change(0.06, 1, 0)
	back := loop(mirrored(pt{0, 318}, pt{90, 312}, pt{152, 336}, pt{178, 396}, pt{120, 450}, pt{0, 460})...)
	inner := l.like()
	inner.fill(back, flat(dark.change(-0.05, 1, 0), 1))
	inner.fade(func(x, y float32) float32 {
		if p.Abs(x) < lk.face.neck-8 && y < 470 {
			return p.Smooth(lk.face.neck-16, lk.face.neck-8, p.Abs(x))
		}
		return 1
	})
	l.over(inner)
	under := trunk(lk, 112, 96, 372)
	l.fill(under, flat(w.c, 1))
	drape(l, under, w.c, lk.seed+52, 10)
	for _, x := range []float32{-1, 1} {
		lapel := loop(pt{x * 108, 322}, pt{x * 164, 340}, pt{x * 196, 396}, pt{x * 168, 452}, pt{x * 92, 500}, pt{x * 10, 520}, pt{x * 2, 486}, pt{x * 58, 450}, pt{x * 94, 398})
		l.haze(lapel.shift(4, 14), 12, dark.change(-0.06, 1, 0), 0.5)
		l.fill(lapel, ramp(x*180, 330, lit, x*20, 520, w.c.lerp(dark, 0.5)))
		l.soft(stroke(curve(pt{x * 106, 340}, pt{x * 84, 420}, pt{x * 40, 474}), taper(9, 0.5)), 8, dark, 0.6)
		l.tint(stroke(curve(pt{x * 168, 352}, pt{x * 178, 400}, pt{x * 152, 446}, pt{x * 84, 488}), even(1.5)), flat(lit, 0.6))
		line := curve(pt{x * 52, 494}, pt{x * 60, 560}, pt{x * 54, 630}, pt{x * 60, 690})
		l.haze(stroke(bendLine(line, func(q pt) pt { return pt{q.x + 6, q.y + 5} }), even(4.5)), 4, dark, 0.6)
		l.fill(stroke(line, func(float32) float32 { return 4.4 }), flat(w.second, 1))
		l.fill(stroke([]pt{{x * 60, 684}, {x * 60.3, 697}, {x * 60.6, 710}}, even(5.6)), flat(hex(0xc9ccd2), 1))
	}
}

// jacket draws a jacket, open over a T-shirt.
func jacket(l *layer, lk *look) {
	w := lk.wear
	inner := trunk(lk, 112, 66, 358)
	l.fill(inner, flat(w.second, 1))
	drape(l, inner, w.second, lk.seed+53, 7)
	neckband(l, w.second, 112, 66, 358, 9)
	dark, lit := w.c.change(-0.09, 1.05, 0), w.c.change(0.07, 1, 0)
	for _, x := range []float32{-1, 1} {
		v := lk.wear.width
		outer := curve(pt{x * 128, 348}, pt{x * 190, 376}, pt{x * 264 * v, 414}, pt{x * 362 * v, 460}, pt{x * 420 * v, 572}, pt{x * 440 * v, 760}, pt{x * 456 * v, 930})
		edge := curve(pt{x * 128, 348}, pt{x * 150, 430}, pt{x * 142, 520}, pt{x * 128, 640}, pt{x * 122, 780}, pt{x * 120, 930})
		side := l.like()
		form := shape{append(append([]pt(nil), outer...), reversed(edge)...)}
		l.haze(form.shift(-x*8, 8), 16, w.second.change(-0.2, 1, 0), 0.55)
		side.fill(form, flat(w.c, 1))
		drape(side, form, w.c, lk.seed+uint64(54+x), 8)
		seam := curve(pt{x * 262, 440}, pt{x * 300, 560}, pt{x * 318, 720}, pt{x * 322, 930})
		side.tint(stroke(seam, even(2)), flat(dark, 0.8))
		side.tint(stroke(bendLine(seam, func(q pt) pt { return pt{q.x - x*6, q.y} }), even(1)), flat(lit, 0.6))
		pocket := curve(pt{x * 168, 690}, pt{x * 280, 684}, pt{x * 282, 730}, pt{x * 226, 756}, pt{x * 168, 734}, pt{x * 168, 690})
		side.tint(stroke(pocket, even(2)), flat(dark, 0.8))
		side.fill(ellipse(x*225, 738, 6, 6, 0), flat(hex(0xb9a27c), 1))
		l.over(side)
		collar := loop(pt{x * 122, 338}, pt{x * 172, 346}, pt{x * 236, 410}, pt{x * 220, 470}, pt{x * 176, 520}, pt{x * 148, 470}, pt{x * 132, 410})
		l.haze(collar.shift(4, 10), 10, dark.change(-0.08, 1, 0), 0.55)
		l.fill(collar, ramp(x*130, 340, lit, x*210, 520, w.c))
		l.tint(stroke(curve(pt{x * 170, 356}, pt{x * 226, 412}, pt{x * 211, 466}, pt{x * 176, 506}), even(1.3)), flat(lit.change(0.05, 1, 0), 0.7))
		l.tint(stroke(edge, even(3)), flat(dark, 0.5))
	}
}

// shirt draws a shirt with a collar and buttons.
func shirt(l *layer, lk *look) {
	w := lk.wear
	dark, lit := w.c.change(-0.10, 1, 0), w.c.change(0.05, 0.9, 0)
	form := trunk(lk, 112, 92, 350)
	l.fill(form, flat(w.c, 1))
	drape(l, form, w.c, lk.seed+56, 10)
	l.soft(stroke([]pt{{16, 450}, {17, 690}, {18, 930}}, even(6)), 6, dark, 0.6)
	l.tint(stroke([]pt{{-18, 446}, {-18, 690}, {-18, 930}}, even(1.3)), flat(dark, 0.6))
	for i := range 5 {
		y := 506 + float32(i)*96
		l.soft(ellipse(2, y+3, 8, 8, 0), 4, dark, 0.8)
		l.fill(ellipse(0, y, 7, 7, 0), flat(lit.change(0.08, 0.5, 0), 1))
		l.fill(ellipse(0, y, 2, 2, 0), flat(dark, 0.8))
	}
	for _, x := range []float32{-1, 1} {
		collar := shape{curve(pt{x * 112, 330}, pt{x * 128, 356}, pt{x * 140, 400}, pt{x * 122, 470}, pt{x * 92, 508}, pt{x * 54, 476}, pt{x * 4, 440}, pt{x * 60, 412}, pt{x * 96, 368}, pt{x * 112, 330})}
		l.haze(collar.shift(3, 12), 10, dark, 0.7)
		l.fill(collar, ramp(x*130, 340, lit, x*40, 480, w.c.lerp(dark, 0.2)))
		l.tint(stroke(curve(pt{x * 132, 402}, pt{x * 116, 464}, pt{x * 91, 496}, pt{x * 58, 468}, pt{x * 14, 440}), even(1.2)), flat(dark, 0.55))
	}
}
