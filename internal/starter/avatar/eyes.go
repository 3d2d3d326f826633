// SPDX-License-Identifier: Apache-2.0

package avatar

import (
	"image"

	p "github.com/reelops/reelops/internal/content/imagery/paint"
)

// gaze is the state of the eyes in one frame.
type gaze struct {
	x, y  float32 // offset of the irises from the middle of the eyes, in units
	shut  float32 // 0 open, 1 shut
	smile float32 // how far the lower lids are raised, 0 to 1
	brow  float32 // units by which the brows are raised
	frown float32 // units by which the inner ends of the brows are lowered
}

// drawEyes paints both eyes and brows.
func drawEyes(e *easel, lk *look, at *place, g gaze) {
	for _, side := range []float32{-1, 1} {
		drawEye(e, lk, at, g, side)
		drawBrow(e, lk, at, g, side)
	}
}

func drawEye(c *easel, lk *look, at *place, g gaze, side float32) {
	e, s := lk.eyes, lk.skin
	// In the eye's own space x increases outwards.
	out := func(q pt) pt { return pt{side * (e.apart + q.x), q.y - e.tilt*(q.x/e.width)} }
	place := func(q pt) pt { return at.at(out(q)) }
	w, o := e.width, e.open
	upper := curve(pt{-w, 8}, pt{-w * 0.66, -13 * o}, pt{-w * 0.08, -27 * o}, pt{w * 0.55, -21 * o}, pt{w * 0.98, -2})
	lower := curve(pt{-w, 8}, pt{-w * 0.55, 14 * o}, pt{w * 0.06, 19*o - 4*g.smile}, pt{w * 0.6, 13*o - 4*g.smile}, pt{w * 0.98, -2})
	shutAt := curve(pt{-w, 8}, pt{-w * 0.55, 12 * o}, pt{w * 0.06, 15 * o}, pt{w * 0.6, 10 * o}, pt{w * 0.98, -1})
	lid := between(upper, shutAt, g.shut)
	px := func(l []pt) []pt { return bendLine(l, place) }
	k := at.k

	dark := lk.brows.c.lerp(hex(0x1b1210), 0.65)
	open := append(append([]pt(nil), lid...), reversed(lower)...)
	slit := c.cover(shape{px(open)})
	if g.shut < 0.93 && slit != nil {
		top, low := place(pt{0, -27 * o}), place(pt{0, 19 * o})
		c.shaded(shape{px(open)}, ramp(top.x, top.y, hex(0xd9d3d2), low.x, low.y, hex(0xfbf8f5)), nil)
		inner := place(pt{-w + 5, 8})
		c.fill(ellipse(inner.x, inner.y, 8*k, 6*k, 0), s.blush.lerp(hex(0xe8a79b), 0.5), 0.75, slit)
		drawIris(c, lk, pt{g.x * side, g.y - 2}, out, at, slit)
		// The shadow of the upper lid on the eyeball.
		shadow := stroke(bendLine(lid, func(q pt) pt { return pt{q.x, q.y + 4} }), even(5.5))
		c.fill(shadow.bend(place), hex(0x3a2a2c), 0.30, slit)
		// The wet edge of the lower lid.
		c.fill(stroke(bendLine(lower, func(q pt) pt { return pt{q.x, q.y - 1} }), taper(1.6, 0.5)).bend(place), s.light.lerp(tone{1, 1, 1}, 0.4), 0.55, slit)
	}
	// A closing lid covers the eyeball: its skin is between the open and the current edge.
	if g.shut > 0.02 {
		skin := append(append([]pt(nil), upper...), reversed(lid)...)
		top := place(pt{0, -27 * o})
		end := place(pt{0, 15 * o})
		col := s.base.lerp(s.shadow, 0.34)
		if e.paint > 0 {
			col = col.lerp(e.lid, 0.5*e.paint)
		}
		c.shaded(shape{px(skin)}, ramp(top.x, top.y, col.lerp(s.shadow, 0.12), end.x, end.y, col.lerp(s.light, 0.22)), nil)
	}
	drawLashes(c, lk, place, lid, lower, dark, g.shut)
	if e.crease > 0 {
		fold := curve(pt{-w * 0.86, -6}, pt{-w * 0.5, -27*o - 3}, pt{w * 0.05, -39*o + 7*g.shut - 1}, pt{w * 0.6, -32*o + 6*g.shut}, pt{w * 1.0, -12})
		c.fill(stroke(fold, taper(2.1, 0.6)).bend(place), s.deep, 0.62*e.crease, nil)
	}
}

func drawIris(c *easel, lk *look, look pt, out func(pt) pt, at *place, slit *image.Alpha) {
	e := lk.eyes
	mid := at.at(out(look))
	r := 22.5 * at.k
	round := func(dx, dy, rx, ry float32) shape { return ellipse(mid.x+dx*at.k, mid.y+dy*at.k, rx, ry, 0) }
	ring := e.iris.change(-0.16, 1, 0).lerp(hex(0x120d0c), 0.35)
	c.fill(round(0, 0, r, r), ring, 1, slit)
	lit := e.iris.change(0.10, 1.05, 4)
	c.shaded(round(0, 0, r*0.88, r*0.88), func(x, y float32) (tone, float32) {
		dx, dy := (x-mid.x)/r, (y-mid.y)/r
		d := p.Sqrt(dx*dx + dy*dy)
		t := e.iris.lerp(ring, p.Smooth(0.55, 0.95, d)*0.6)
		return t.lerp(lit, p.Smooth(-0.2, 0.8, dy)*0.75*(1-p.Smooth(0.5, 0.95, d)*0.5)), 1
	}, slit)
	c.fill(round(0, 0, r*0.46, r*0.46), hex(0x0e0a0a), 1, slit)
	// The reflection of a window, and light from below.
	c.fill(ellipse(mid.x-7.2*at.k, mid.y-8.2*at.k, 5.6*at.k, 6.6*at.k, 0.3), tone{1, 1, 1}, 0.95, slit)
	c.fill(ellipse(mid.x+7.5*at.k, mid.y+8.5*at.k, 3*at.k, 2.6*at.k, 0), tone{1, 1, 1}, 0.5, slit)
}

// drawLashes paints the dark edge of the upper lid, which is thickest towards the outer corner. It also paints the
// lashes of the outer half, and a thin line along the lower lid.
func drawLashes(c *easel, lk *look, place func(pt) pt, lid, lower []pt, dark tone, shut float32) {
	e := lk.eyes
	line := append([]pt(nil), lid...)
	if e.lashes > 0.3 { // extended beyond the outer corner
		end := line[len(line)-1]
		line = append(line, pt{end.x + 7*e.lashes, end.y - 5*e.lashes*(1-1.2*shut)})
	}
	thick := 2.5 + 2.4*e.lashes
	c.fill(stroke(line, taper(thick, 0.72)).bend(place), dark, 0.95, nil)
	for i := range 5 {
		if e.lashes < 0.5 {
			break
		}
		t := 0.52 + 0.11*float32(i)
		from := lid[int(t*float32(len(lid)-1))]
		up := (1 - 1.9*shut) * (9 + 4*t) * e.lashes
		to := pt{from.x + (t-0.3)*16*e.lashes, from.y - up}
		c.fill(stroke(curve(from, pt{(from.x+to.x)/2 + 1.5, (from.y+to.y)/2 + 2}, to), func(t float32) float32 { return 1.9 * (1 - t*0.85) }).bend(place), dark, 0.9, nil)
	}
	c.fill(stroke(lower[len(lower)/5:], taper(1.2+0.4*e.lashes, 0.75)).bend(place), lk.skin.deep.lerp(dark, 0.35), 0.55*(1-shut*0.7), nil)
}

func drawBrow(c *easel, lk *look, at *place, g gaze, side float32) {
	b := lk.brows
	n := b.length
	up := b.y - g.brow
	line := curve(
		pt{-n * 0.50, up - 1 + g.frown}, pt{-n * 0.2, up - 6 + g.frown*0.5 - b.arch*3}, pt{n * 0.14, up - 8 - b.arch*7}, pt{n * 0.40, up - 1 - b.arch*3}, pt{n * 0.58, up + 12},
	)
	out := func(q pt) pt {
		return at.at(pt{side * (lk.eyes.apart + 3 + q.x), q.y - lk.eyes.tilt*0.4*(q.x/lk.eyes.width)})
	}
	body := stroke(line, func(t float32) float32 {
		if t < 0.12 {
			return b.thick * 0.9 * p.Sqrt(0.06+0.94*t/0.12)
		}
		return b.thick * (0.9 - 0.78*p.Pow((t-0.12)/0.88, 1.7))
	})
	c.fill(body.bend(out), b.c, 0.90, nil)
	r := p.NewRand(lk.seed + 77)
	hairs := int(26 * b.hairy)
	for range hairs {
		t := r.In(0.02, 0.9)
		q := line[int(t*float32(len(line)-1))]
		h := b.thick * (1 - 0.6*t)
		from := pt{q.x + r.In(-3, 3), q.y + r.In(-0.2, 0.8)*h}
		to := pt{from.x + r.In(5, 11), from.y - h*r.In(0.5, 1.3)*(1-t*0.9)}
		c.fill(stroke([]pt{from, from.lerp(to, 0.5), to}, func(t float32) float32 { return 1.3 * (1 - t*0.8) }).bend(out), b.c.lerp(hex(0x100a08), 0.25), 0.55, nil)
	}
}

func reversed(l []pt) []pt {
	out := make([]pt, len(l))
	for i, q := range l {
		out[len(l)-1-i] = q
	}
	return out
}
