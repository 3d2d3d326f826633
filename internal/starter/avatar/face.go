// SPDX-License-Identifier: Apache-2.0

package avatar

// faceShape returns the outline of skull and jaw.
func faceShape(f outline) shape {
	l := f.length
	return loop(mirrored(
		pt{0, -268}, pt{105, -248}, pt{f.temple * 0.94, -165}, pt{f.temple, -70}, pt{f.cheek, 20},
		pt{f.cheek - 8, 92}, pt{f.jaw, 168}, pt{f.jaw*0.72 + f.chin*0.14, 168 + (l-168)*0.58},
		pt{f.chin, l - 14}, pt{0, l},
	)...)
}

func earShape(f outline) shape {
	x := f.cheek - 6
	return loop(
		pt{x - 14, -26}, pt{x + 8, -48}, pt{x + 31, -42}, pt{x + 38, -12}, pt{x + 31, 22}, pt{x + 20, 46}, pt{x + 10, 66},
		pt{x - 4, 68}, pt{x - 16, 40},
	)
}

// drawFace paints skin, ears, nose and all other parts of a face that do not move by themselves. The light falls from
// the left.
func drawFace(lk *look) *layer {
	s, f := lk.skin, lk.face
	l := newLayer(lk.scale, -270, -310, 270, 330)
	for _, side := range []float32{-1, 1} {
		ear := earShape(f)
		in := curve(pt{f.cheek + 6, -24}, pt{f.cheek + 20, -24}, pt{f.cheek + 22, -4}, pt{f.cheek + 14, 22}, pt{f.cheek + 8, 40})
		if side < 0 {
			ear = ear.flip()
			in = bendLine(in, func(q pt) pt { return pt{-q.x, q.y} })
		}
		base := s.base.lerp(s.shadow, 0.28)
		if side > 0 {
			base = s.base.lerp(s.shadow, 0.5)
		}
		if lk.hair.overEars {
			break
		}
		l.fill(ear, flat(base, 1))
		l.soft(stroke(in, taper(9, 0.4)), 5, s.deep, 0.55)
		l.tint(stroke(in, taper(3.2, 0.4)), flat(s.deep, 0.5))
	}
	skin := l.like()
	face := faceShape(f)
	skin.fill(face, ramp(-190, -160, s.light, 210, 200, s.base.lerp(s.shadow, 0.30)))
	drawForm(skin, lk, face)
	drawCheeks(skin, lk)
	drawSockets(skin, lk)
	drawNose(skin, lk)
	drawAge(skin, lk)
	if lk.beard != nil {
		drawBeard(skin, lk)
	}
	l.over(skin)
	return l
}

// drawForm paints the light and shadows that make the head look round.
func drawForm(l *layer, lk *look, face shape) {
	s, f := lk.skin, lk.face
	l.rim(face.shift(-16, -10), 46, s.shadow, 0.62)
	l.rim(face.shift(14, 4), 30, s.shadow, 0.20)
	l.soft(loop(pt{-120, -150}, pt{-20, -190}, pt{70, -150}, pt{50, -90}, pt{-60, -84}), 40, s.light.lerp(tone{1, 1, 1}, 0.25), 0.34)
	l.soft(ellipse(-6, f.length-44, 42, 22, 0), 18, s.light, 0.5)                                              // chin
	l.soft(ellipse(0, lk.mouth.y+lk.mouth.full*25+20, 40, 9, 0), 9, s.shadow, 0.55)                            // under the lower lip
	l.soft(ellipse(0, (lk.mouth.y+lk.nose.length)/2+2, 9, 15, 0), 6, s.shadow, 0.26)                           // between nose and lip
	l.soft(ellipse(-f.jaw*0.62, 120, 20, 62, 0.35), 28, s.light, 0.20)                                         // lit side of the cheek
	l.soft(ellipse(f.cheek*0.86, 100, 40, 110, 0.25), 40, s.shadow, 0.35)                                      // far side of the face
	l.soft(ellipse(0, f.length+6, 90, 22, 0), 22, s.shadow.lerp(s.deep, 0.3), 0.45)                            // under the chin
	l.soft(loop(pt{-140, -300}, pt{140, -300}, pt{170, -205}, pt{0, -215}, pt{-170, -205}), 34, s.shadow, 0.4) // hair above
}

func drawCheeks(l *layer, lk *look) {
	s := lk.skin
	for _, x := range []float32{-1, 1} {
		l.soft(ellipse(x*118, 86, 52, 36, -0.25*x), 30, s.blush, 0.42*s.cheeks)
	}
	l.soft(ellipse(0, lk.nose.length-16, 24, 18, 0), 16, s.blush, 0.22*s.cheeks)
	l.soft(ellipse(-112, 52, 36, 15, 0.2), 14, s.light.lerp(tone{1, 1, 1}, 0.35), 0.34)
	l.soft(ellipse(104, 54, 28, 12, -0.2), 13, s.light.lerp(tone{1, 1, 1}, 0.2), 0.20)
}

// drawSockets shades the area around the eyes, including the lids. Open eyes are painted over it.
func drawSockets(l *layer, lk *look) {
	s, e := lk.skin, lk.eyes
	for _, x := range []float32{-1, 1} {
		cx := x * e.apart
		l.soft(ellipse(cx, -14, e.width*1.2, 26, -0.06*x), 18, s.shadow, 0.34)
		l.soft(ellipse(cx-x*e.width*0.78, -14, 17, 30, 0.2*x), 14, s.shadow, 0.30)
		l.soft(ellipse(cx, -46, e.width*0.9, 9, -0.1*x), 9, s.light, 0.5)
		if e.paint > 0 {
			l.soft(loop(pt{cx - e.width, 2}, pt{cx - e.width*0.5, -28}, pt{cx + e.width*0.3*x, -36}, pt{cx + e.width, -22}, pt{cx + e.width*1.05, 0}), 8, e.lid, 0.55*e.paint)
		}
		l.soft(ellipse(cx+x*2, 30, e.width*0.8, 7, 0.05*x), 8, s.shadow, 0.22)
	}
}

// drawNose paints a nose: a shadow on one side, a lit tip, wings and nostrils.
func drawNose(l *layer, lk *look) {
	s, n := lk.skin, lk.nose
	w, y := n.width, n.length
	l.soft(loop(pt{10, -58}, pt{20 + n.bridge*4, -20}, pt{15, 30}, pt{w * 0.72, y - 24}, pt{w * 0.9, y - 2}, pt{w * 0.25, y + 6}, pt{9, y - 30}, pt{6, 10}), 9, s.shadow, 0.48)
	l.soft(loop(pt{-12, -58}, pt{-17, -30}, pt{-9, 0}, pt{-7, -40}), 8, s.shadow, 0.30)
	l.soft(loop(pt{-6, -40}, pt{3, -40}, pt{4, y - 34}, pt{-7, y - 34}), 7, s.light.lerp(tone{1, 1, 1}, 0.3), 0.34*n.bridge+0.12)
	for _, x := range []float32{-1, 1} { // wings
		wing := curve(pt{x * w * 0.84, y - 32}, pt{x * w * 1.02, y - 14}, pt{x * w * 0.92, y + 2}, pt{x * w * 0.66, y + 3})
		l.soft(stroke(wing, taper(4.6, 0.6)), 3.4, s.deep, 0.32+0.12*x)
	}
	l.soft(ellipse(0, y+5, w*0.8, 7, 0), 6, s.shadow, 0.62)
	for _, x := range []float32{-1, 1} {
		nostril := loop(pt{x * w * 0.20, y + 1}, pt{x * w * 0.42, y - 7}, pt{x * w * 0.66, y - 3}, pt{x * w * 0.60, y + 3}, pt{x * w * 0.36, y + 4})
		l.soft(nostril, 2.4, s.deep.change(-0.14, 1, 0), 0.85)
	}
	l.soft(ellipse(-5, y-21, w*0.34, 10, -0.1), 6, s.light.lerp(tone{1, 1, 1}, 0.45), 0.55)
}

// drawAge adds the lines of age: beside nose and mouth, under the eyes, on the forehead.
func drawAge(l *layer, lk *look) {
	a := lk.lines
	if a == 0 {
		return
	}
	s := lk.skin
	for _, x := range []float32{-1, 1} {
		fold := curve(pt{x * (lk.nose.width + 10), lk.nose.length - 14}, pt{x * 74, lk.nose.length + 26}, pt{x * 88, lk.mouth.y - 2}, pt{x * 86, lk.mouth.y + 22})
		l.soft(stroke(fold, taper(5, 0.4)), 5, s.deep, 0.5*a)
		l.soft(stroke(fold, taper(2, 0.4)), 2, s.deep, 0.35*a)
		bag := curve(pt{x * (lk.eyes.apart - 38), 24}, pt{x * lk.eyes.apart, 37}, pt{x * (lk.eyes.apart + 38), 24})
		l.soft(stroke(bag, taper(3.6, 0.5)), 3.5, s.deep, 0.38*a)
		for i := range 3 {
			y := float32(i)*10 - 8
			crow := curve(pt{x * (lk.eyes.apart + 58), y}, pt{x * (lk.eyes.apart + 72), y*1.5 - 1}, pt{x * (lk.eyes.apart + 84), y*2 + 2})
			l.soft(stroke(crow, taper(2, 0.3)), 2.2, s.deep, 0.34*a)
		}
	}
	for i := range 2 {
		y := -118 - float32(i)*26
		l.soft(stroke(curve(pt{-84, y + 3}, pt{-40, y - 3}, pt{0, y}, pt{44, y - 3}, pt{88, y + 4}), taper(2.2, 0.5)), 3, s.deep, 0.26*a)
	}
}
