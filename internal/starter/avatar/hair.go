// SPDX-License-Identifier: Apache-2.0

package avatar

import (
	"math"

	p "github.com/reelops/reelops/internal/content/imagery/paint"
)

// hair is the hair of a head. It is drawn in two layers: the hair behind neck and face, and the hair in front of the
// face with the hair that falls over the shoulders.
type hair struct {
	c, light, dark tone
	draw           func(lk *look) hairLayers
	// loose is how far the hair swings when the head moves, 0 to 1.
	loose float32
	// overEars reports whether the hair hides the ears.
	overEars bool
}

type hairLayers struct{ back, front *layer }

// dyed returns hair in the colours that are derived from its middle tone.
func dyed(c uint32, draw func(*look) hairLayers, loose float32) hair {
	h := hex(c)
	return hair{c: h, light: h.change(0.11, 1.02, 4), dark: h.change(-0.085, 1, -4), draw: draw, loose: loose}
}

// covering returns h with the ears hidden.
func covering(h hair) hair {
	h.overEars = true
	return h
}

func hairLayer(lk *look) *layer { return newLayer(lk.scale, -360, -440, 360, 640) }

// strands paints n single hairs onto a layer, between two edges with the same number of points. Each of them is lighter
// or darker than the hair at random.
func strands(l *layer, h hair, a, b []pt, n int, width float32, seed uint64) {
	r := p.NewRand(seed)
	for range n {
		t := r.Float()
		line := between(a, b, t)
		from := r.Int(max(1, len(line)/3))
		to := len(line) - r.Int(max(1, len(line)/4))
		if to-from < 4 {
			continue
		}
		line = line[from:to]
		wob := r.In(-3, 3)
		line = bendLine(line, func(q pt) pt { return pt{q.x + wob, q.y} })
		c, al := h.light, r.In(0.10, 0.34)
		if r.Float() < 0.5 {
			c, al = h.dark, r.In(0.14, 0.42)
		}
		l.tint(stroke(line, taper(width*r.In(0.5, 1.4), 0.5)), flat(c, al))
	}
}

// sheen paints the soft band of light on combed hair.
func sheen(l *layer, line []pt, width float32, c tone, a float32) {
	l.soft(stroke(line, taper(width, 0.45)), width*0.8, c, a)
}

// curls draws a cloud of curls.
func curls(lk *look) hairLayers {
	h := lk.hair
	r := p.NewRand(lk.seed + 5)
	back, front := hairLayer(lk), hairLayer(lk)
	cloud := func(l *layer, pts []pt, size, lift float32) {
		for _, q := range pts {
			s := size * r.In(0.8, 1.2)
			l.fill(ellipse(q.x, q.y, s, s*r.In(0.88, 1.05), r.In(0, 3)), ramp(q.x-s, q.y-s, h.c.lerp(h.light, lift), q.x+s, q.y+s, h.dark))
		}
	}
	// coil paints one curl: a spiral that is lighter or darker than the hair at random.
	coil := func(l *layer, q pt, s float32) {
		a0 := r.In(0, 2*math.Pi)
		dir := r.Sign()
		var line []pt
		for i := range 26 {
			t := float32(i) / 25
			a := a0 + dir*t*2*math.Pi*1.25
			d := s * (1 - 0.72*t)
			line = append(line, pt{q.x + p.Cos(a)*d, q.y + p.Sin(a)*d*0.92})
		}
		c, al := h.light, float32(0.34)
		if r.Float() < 0.45 {
			c, al = h.dark, 0.5
		}
		l.tint(stroke(line, taper(s*0.17, 0.4)), flat(c, al))
	}
	var rim, fill []pt
	for i := range 46 {
		a := float32(i)/46*2*math.Pi + r.In(-0.05, 0.05)
		x, y := p.Cos(a), p.Sin(a)
		rx, ry := float32(272), float32(292)
		if y > 0.2 { // towards the shoulders
			rx += 26 * p.Smooth(0.2, 0.9, y)
			ry += 20
		}
		rim = append(rim, pt{x * rx * r.In(0.93, 1.05), -40 + y*ry*r.In(0.95, 1.04)})
	}
	for range 90 {
		a, d := r.In(0, 2*math.Pi), p.Sqrt(r.Float())
		fill = append(fill, pt{p.Cos(a) * 262 * d, -30 + p.Sin(a)*292*d})
	}
	back.fill(ellipse(0, -30, 268, 300, 0), flat(h.dark, 1))
	cloud(back, rim, 46, 0.12)
	cloud(back, fill, 44, 0.08)
	back.soft(ellipse(-130, -230, 150, 90, -0.5), 60, h.light, 0.45)
	for range 250 {
		a, d := r.In(0, 2*math.Pi), p.Sqrt(r.In(0.12, 1.15))
		coil(back, pt{p.Cos(a) * 278 * d, -34 + p.Sin(a)*308*d}, r.In(14, 27))
	}
	back.soft(ellipse(40, 190, 210, 120, 0), 60, h.dark.change(-0.06, 1, 0), 0.6)

	// Around the forehead.
	var edge []pt
	for i := range 21 {
		t := float32(i)/20*2 - 1
		x := t * 206
		y := -182 + 118*t*t*t*t + 34*t*t
		edge = append(edge, pt{x + r.In(-8, 8), y + r.In(-10, 10)})
	}
	var top []pt
	for range 60 {
		t := r.In(-1, 1)
		top = append(top, pt{t * 205, -214 + 100*t*t*t*t - r.In(0, 100)*(1-t*t*0.7)})
	}
	cloud(front, top, 40, 0.22)
	cloud(front, edge, 30, 0.16)
	for _, x := range []float32{-1, 1} {
		cloud(front, []pt{{x * 214, -60}, {x * 224, -14}, {x * 230, 34}, {x * 236, 82}}, 27, 0.1)
	}
	front.soft(ellipse(-90, -262, 130, 50, -0.3), 40, h.light, 0.5)
	for range 150 {
		t := r.In(-1.08, 1.08)
		coil(front, pt{t * 212, -200 + 122*t*t*t*t - r.In(-32, 120)*(1-0.6*t*t)}, r.In(11, 22))
	}
	for range 14 {
		coil(front, pt{r.Sign() * r.In(214, 244), r.In(-60, 90)}, r.In(12, 20))
	}
	return hairLayers{back, front}
}

// long draws straight hair over the shoulders with a fringe.
func long(lk *look) hairLayers {
	h := lk.hair
	back, front := hairLayer(lk), hairLayer(lk)
	back.fill(loop(mirrored(pt{0, -318}, pt{120, -300}, pt{206, -222}, pt{238, -90}, pt{246, 80}, pt{260, 260}, pt{266, 400}, pt{236, 510}, pt{170, 548}, pt{60, 530}, pt{0, 520})...),
		ramp(-240, -300, h.c, 240, 500, h.dark))
	for _, x := range []float32{-1, 1} {
		a := curve(pt{x * 60, -300}, pt{x * 180, -180}, pt{x * 214, 40}, pt{x * 236, 260}, pt{x * 226, 520})
		b := curve(pt{x * 30, -300}, pt{x * 120, -160}, pt{x * 150, 40}, pt{x * 150, 260}, pt{x * 110, 530})
		strands(back, h, a, b, 46, 4, lk.seed+uint64(10+x))
	}
	back.soft(ellipse(0, 330, 130, 190, 0), 70, h.dark.change(-0.07, 1, 0), 0.85)
	// The hair on both sides of the face, which falls over the shoulders.
	for _, x := range []float32{-1, 1} {
		out := curve(pt{x * 8, -316}, pt{x * 130, -292}, pt{x * 214, -196}, pt{x * 238, -40}, pt{x * 244, 140}, pt{x * 258, 330}, pt{x * 230, 520})
		in := curve(pt{x * 4, -250}, pt{x * 100, -214}, pt{x * 160, -122}, pt{x * 174, -40}, pt{x * 176, 100}, pt{x * 172, 300}, pt{x * 196, 540})
		side := shape{append(append([]pt(nil), out...), reversed(in)...)}
		front.fill(side, ramp(x*250, 0, h.dark.lerp(h.c, 0.4), x*170, 0, h.c))
		strands(front, h, out, in, 44, 3.2, lk.seed+uint64(20+x))
		sheen(front, curve(pt{x * 120, -262}, pt{x * 206, -170}, pt{x * 226, -60}), 17, h.light, 0.5)
	}
	fringe := curve(pt{-196, -84}, pt{-150, -92}, pt{-90, -84}, pt{-30, -80}, pt{30, -79}, pt{92, -84}, pt{150, -92}, pt{196, -84})
	crown := curve(pt{-196, -180}, pt{-150, -262}, pt{-80, -312}, pt{-20, -322}, pt{20, -322}, pt{80, -312}, pt{150, -262}, pt{196, -180})
	front.fill(shape{append(append([]pt(nil), crown...), reversed(fringe)...)}, ramp(0, -320, h.c, 0, -80, h.c.lerp(h.dark, 0.35)))
	r := p.NewRand(lk.seed + 31)
	for i := range 70 {
		t := float32(i) / 69
		x := -188 + 376*t
		top := pt{x * 0.42, -316 + 20*p.Abs(x)/188}
		end := pt{x + r.In(-5, 5), -80 - 10*(x/188)*(x/188) + r.In(-5, 9)}
		mid := pt{x*0.86 + r.In(-4, 4), -200 + r.In(-8, 8)}
		line := curve(top, mid, end)
		w := r.In(5, 10)
		front.fill(stroke(line, func(t float32) float32 { return w * (0.4 + 0.6*p.Smooth(0, 0.5, t)) * (1 - 0.7*p.Smooth(0.8, 1, t)) }), flat(h.c.lerp(h.dark, r.In(0, 0.5)), 0.9))
		if i%2 == 0 {
			front.tint(stroke(line, taper(r.In(1, 2.6), 0.55)), flat(h.light, r.In(0.1, 0.4)))
		}
	}
	sheen(front, curve(pt{-150, -196}, pt{-60, -226}, pt{50, -226}, pt{150, -192}), 17, h.light, 0.75)
	return hairLayers{back, front}
}

// bob draws chin-length hair, parted at one side.
func bob(lk *look) hairLayers {
	h := lk.hair
	back, front := hairLayer(lk), hairLayer(lk)
	back.fill(loop(mirrored(pt{0, -316}, pt{118, -296}, pt{204, -222}, pt{240, -90}, pt{256, 60}, pt{258, 190}, pt{226, 262}, pt{150, 274}, pt{0, 262})...),
		ramp(0, -200, h.c.lerp(h.dark, 0.4), 0, 260, h.dark))
	for _, x := range []float32{-1, 1} {
		a := curve(pt{x * 70, -300}, pt{x * 190, -180}, pt{x * 236, 0}, pt{x * 244, 130}, pt{x * 210, 258})
		b := curve(pt{x * 40, -300}, pt{x * 120, -160}, pt{x * 180, 0}, pt{x * 180, 130}, pt{x * 140, 264})
		strands(back, h, a, b, 36, 4, lk.seed+uint64(10+x))
	}
	part := pt{-62, -292}
	// The larger side is swept over the forehead to the right, the smaller one falls to the left.
	type sweep struct{ out, in []pt }
	for i, s := range []sweep{
		{
			curve(part, pt{-140, -272}, pt{-206, -196}, pt{-240, -60}, pt{-254, 80}, pt{-246, 200}, pt{-186, 268}),
			curve(part, pt{-104, -232}, pt{-160, -150}, pt{-190, -40}, pt{-198, 80}, pt{-188, 186}, pt{-172, 262}),
		},
		{
			curve(part, pt{30, -330}, pt{150, -296}, pt{226, -180}, pt{250, -10}, pt{254, 170}, pt{188, 270}),
			curve(part, pt{-26, -206}, pt{70, -150}, pt{164, -116}, pt{196, -20}, pt{198, 160}, pt{174, 264}),
		},
	} {
		front.fill(shape{append(append([]pt(nil), s.out...), reversed(s.in)...)}, ramp(s.out[len(s.out)/2].x, -100, h.c.lerp(h.dark, 0.25), s.in[len(s.in)/2].x, -60, h.c))
		strands(front, h, s.out, s.in, 70, 3.4, lk.seed+uint64(40+i))
		sheen(front, between(s.out, s.in, 0.4)[8:32], 20, h.light.lerp(tone{1, 1, 1}, 0.3), 0.55)
		front.tint(stroke(between(s.out, s.in, 0.97), taper(4, 0.6)), flat(h.dark, 0.5))
	}
	return hairLayers{back, front}
}

// swept draws short hair, brushed back and to the side with some height.
func swept(lk *look) hairLayers {
	h := lk.hair
	back, front := hairLayer(lk), hairLayer(lk)
	t := lk.face.temple
	back.fill(loop(mirrored(pt{0, -300}, pt{120, -276}, pt{t + 14, -190}, pt{t + 20, -60}, pt{t + 8, 40}, pt{100, 60}, pt{0, 60})...), flat(h.dark, 1))
	for _, x := range []float32{-1, 1} { // sides, cut short
		side := loop(pt{x * (t - 26), -196}, pt{x * (t + 16), -170}, pt{x * (t + 22), -70}, pt{x * (t + 14), 4}, pt{x * (t + 2), 30}, pt{x * (t - 8), -10}, pt{x * (t - 16), -90})
		front.fill(side, ramp(0, -180, h.c, 0, 34, h.dark))
		a := curve(pt{x * (t - 10), -190}, pt{x * (t + 14), -90}, pt{x * (t + 10), 20})
		b := curve(pt{x * (t - 22), -180}, pt{x * (t - 8), -90}, pt{x * t, 20})
		strands(front, h, a, b, 26, 2.2, lk.seed+uint64(9+x))
	}
	top := loop(pt{-t - 8, -150}, pt{-t - 12, -232}, pt{-130, -318}, pt{-30, -352}, pt{80, -350}, pt{168, -300}, pt{t + 14, -222}, pt{t + 6, -140}, pt{t - 22, -172}, pt{120, -206}, pt{40, -214}, pt{-60, -206}, pt{-120, -190}, pt{-t + 22, -168})
	front.fill(top, ramp(-60, -350, h.c.lerp(h.light, 0.2), 60, -180, h.c.lerp(h.dark, 0.3)))
	a := curve(pt{-t + 10, -166}, pt{-130, -258}, pt{-30, -330}, pt{90, -336}, pt{t + 4, -230})
	b := curve(pt{-60, -204}, pt{-20, -236}, pt{50, -262}, pt{130, -246}, pt{t - 4, -168})
	strands(front, h, a, b, 90, 4, lk.seed+3)
	sheen(front, between(a, b, 0.35)[4:30], 18, h.light, 0.6)
	r := p.NewRand(lk.seed + 8)
	for range 16 { // loose ends
		i := r.Int(30)
		q := between(a, b, 0)[5+i]
		d := pt{q.x + r.In(10, 34), q.y - r.In(6, 20)}
		front.fill(stroke(curve(pt{q.x - 26, q.y + 22}, q, d), taper(r.In(4, 7), 0.3)), flat(h.c.lerp(h.light, r.In(0, 0.5)), 0.95))
	}
	return hairLayers{back, front}
}

// fade draws very short hair, close to the skull and shaved at the sides.
func fade(lk *look) hairLayers {
	h := lk.hair
	back, front := hairLayer(lk), hairLayer(lk)
	t := lk.face.temple
	cap := loop(pt{-t + 4, -128}, pt{-t - 6, -200}, pt{-128, -284}, pt{-40, -312}, pt{40, -312}, pt{128, -284}, pt{t + 6, -200}, pt{t - 4, -128}, pt{t - 16, -168}, pt{128, -196}, pt{60, -201}, pt{0, -202}, pt{-60, -201}, pt{-128, -196}, pt{-t + 16, -168})
	sides := front.like()
	for _, x := range []float32{-1, 1} {
		sides.fill(loop(pt{x * (t - 20), -200}, pt{x * (t + 6), -190}, pt{x * (t + 9), -90}, pt{x * (t + 6), 8}, pt{x * (t - 8), 6}, pt{x * (t - 14), -90}), flat(h.c, 1))
	}
	sides.fade(func(_, y float32) float32 { return 0.85 * p.Smooth(10, -150, y) })
	front.over(sides)
	front.fill(cap, ramp(-60, -310, h.c.lerp(h.light, 0.35), 60, -180, h.dark))
	front.soft(ellipse(-60, -270, 96, 36, -0.3), 30, h.light, 0.6)
	r := p.NewRand(lk.seed + 4)
	for range 1500 { // tight curls, close to the head
		x, y := r.In(-t-8, t+8), r.In(-318, -130)
		a := r.In(0, 2*math.Pi)
		var line []pt
		for i := range 7 {
			f := a + float32(i)*0.75
			line = append(line, pt{x + 4*p.Cos(f), y + 4*p.Sin(f)})
		}
		c := h.light
		if r.Float() < 0.5 {
			c = h.dark
		}
		front.tint(stroke(line, even(1)), flat(c, r.In(0.25, 0.6)))
	}
	return hairLayers{back, front}
}

// waves draws short wavy hair that falls into the forehead.
func waves(lk *look) hairLayers {
	h := lk.hair
	back, front := hairLayer(lk), hairLayer(lk)
	t := lk.face.temple
	back.fill(loop(mirrored(pt{0, -326}, pt{126, -300}, pt{t + 20, -200}, pt{t + 24, -70}, pt{t + 10, 30}, pt{t - 24, 80}, pt{90, 90}, pt{0, 80})...), ramp(0, -200, h.c.lerp(h.dark, 0.6), 0, 90, h.dark))
	r := p.NewRand(lk.seed + 6)
	lock := func(l *layer, pts []pt, w float32) {
		line := curve(pts...)
		c := h.c.lerp(h.dark, r.In(0, 0.45)).lerp(h.light, r.In(0, 0.22))
		l.fill(stroke(line, func(t float32) float32 {
			return w * p.Pow(p.Clamp(1-t, 0, 1), 0.42) * (0.55 + 0.45*p.Smooth(0, 0.3, t))
		}), flat(c, 1))
		in := bendLine(line, func(q pt) pt { return pt{q.x - w*0.3, q.y - w*0.25} })
		l.tint(stroke(in[:len(in)*4/5], taper(w*0.22, 0.5)), flat(h.light, 0.55))
		in = bendLine(line, func(q pt) pt { return pt{q.x + w*0.45, q.y + w*0.3} })
		l.tint(stroke(in[:len(in)*4/5], taper(w*0.16, 0.5)), flat(h.dark, 0.55))
	}
	for _, x := range []float32{-1, 1} { // sides over the ears
		for i := range 9 {
			f := float32(i) / 8
			y := -220 + 118*f
			d := r.In(-10, 12)
			lock(front, []pt{{x * (96 + 50*f), -300 + 60*f}, {x * (t + 2), y - 22}, {x * (t + 24 + d), y + 34}, {x * (t + 4 + d*0.5), y + 80}, {x * (t + 20 + d + 14*f), y + 112 + r.In(-14, 22)}}, r.In(17, 26))
		}
	}
	front.fill(loop(pt{-t, -170}, pt{-t - 10, -240}, pt{-120, -318}, pt{0, -344}, pt{120, -318}, pt{t + 10, -240}, pt{t, -170}, pt{100, -190}, pt{0, -200}, pt{-100, -190}), ramp(0, -330, h.c, 0, -180, h.dark))
	for i := range 26 {
		f := r.In(-1, 1)
		if i < 11 {
			f = float32(i)/5 - 1
		}
		// Brushed to the left, in waves, some locks longer than others.
		x := f * 160
		long := r.In(-26, 22)
		lock(front, []pt{{40 + x*0.4, -326 + 34*f*f}, {x*0.8 + 4, -290 + 30*f*f}, {x - 30, -228 + 26*f*f}, {x + 2, -184 + 34*f*f + long*0.4}, {x - 34, -146 + 40*f*f + long*0.8}, {x - 18, -126 + 42*f*f + long}}, r.In(16, 29))
	}
	sheen(front, curve(pt{-140, -262}, pt{-60, -302}, pt{40, -306}), 22, h.light, 0.5)
	return hairLayers{back, front}
}
