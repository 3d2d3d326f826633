// SPDX-License-Identifier: Apache-2.0

package avatar

import (
	"context"
	"image"

	p "github.com/reelops/reelops/internal/content/imagery/paint"
)

// figure is a person prepared for rendering. The parts that move only as a whole are painted already; the others are
// painted in every frame.
type figure struct {
	lk                                        *look
	w, h                                      int
	room                                      *image.RGBA
	back, neck, body, head, front, specs, gem *sprite
	moves                                     []pose
}

// newFigure paints a figure for frames of w x h pixels.
func newFigure(ctx context.Context, lk look, w, h int) *figure {
	zoom := float32(w) / Width
	f := &figure{w: w, h: h, moves: choreograph(&lk)}
	lk.scale, lk.x, lk.y = lk.scale*zoom, lk.x*zoom, lk.y*zoom
	f.lk = &lk
	f.room = drawRoom(ctx, lk.room, lk.seed, w, h)
	h1 := lk.hair.draw(&lk)
	f.back, f.front = h1.back.sprite(), h1.front.sprite()
	f.head = f.shadedHead(h1.front).sprite()
	f.neck = drawNeck(&lk).sprite()
	body := bodyLayer(&lk)
	lk.wear.draw(body, &lk)
	f.body = body.sprite()
	if lk.frame != nil {
		f.specs = drawGlasses(&lk).sprite()
	}
	if lk.jewels.kind != "" {
		f.gem = drawJewel(&lk).sprite()
	}
	return f
}

// shadedHead returns the face with the shadow of the front hair.
func (f *figure) shadedHead(hair *layer) *layer {
	l := drawFace(f.lk)
	m := &mask{r: hair.r, v: make([]float32, hair.r.Dx()*hair.r.Dy())}
	w := hair.r.Dx()
	drop := int(13 * hair.k)
	for y := hair.r.Min.Y; y < hair.r.Max.Y-drop; y++ {
		from := hair.pix[4*w*(y-hair.r.Min.Y):]
		to := m.row(y + drop)
		for x := range w - drop/2 {
			to[x+drop/2] = from[4*x+3]
		}
	}
	blur(m.v, w, hair.r.Dy(), 1, 11*hair.k)
	cut := &mask{r: l.r.Intersect(m.r)}
	cut.v = make([]float32, cut.r.Dx()*cut.r.Dy())
	for y := cut.r.Min.Y; y < cut.r.Max.Y; y++ {
		copy(cut.row(y), m.row(y)[cut.r.Min.X-m.r.Min.X:])
	}
	l.put(cut, flat(f.lk.skin.deep, 0.5), true)
	return l
}

// draw paints frame n on the easel.
func (f *figure) draw(e *easel, n int) {
	copy(e.img.Pix, f.room.Pix)
	lk, m := f.lk, f.moves[n%len(f.moves)]
	body := place{ox: lk.x, oy: lk.y, k: lk.scale, cos: p.Cos(m.lean), sin: p.Sin(m.lean), py: 900, dx: m.shift, dy: -52 - m.breath, swell: m.breath * 0.0006}
	// The head follows the neck, and the neck follows the body.
	head := place{
		ox: lk.x, oy: lk.y, k: lk.scale, sin: p.Sin(m.tilt + m.lean), cos: p.Cos(m.tilt + m.lean), py: 300,
		dx: m.shift + m.x + m.lean*560, dy: m.y - m.breath*0.9, yaw: m.yaw, pitch: m.pitch, depth: 1, jaw: m.mouth.jaw(),
	}
	behind := head
	behind.depth, behind.jaw = -0.35, 0
	behind.swing, behind.swingFrom, behind.swingSpan = m.swing*lk.hair.loose, 60, 320
	neck := body
	neck.swing, neck.swingFrom, neck.swingSpan = m.x+m.tilt*-160+m.yaw*0.3, 420, -200
	before := head
	before.depth, before.jaw = 1.06, 0
	before.swing, before.swingFrom, before.swingSpan = m.swing*lk.hair.loose*0.9, 90, 320
	specs := head
	specs.depth, specs.jaw = 1.12, 0

	e.stamp(f.back, &behind)
	e.stamp(f.neck, &neck)
	e.stamp(f.body, &body)
	e.stamp(f.head, &head)
	drawMouth(e, lk, &head, m.mouth)
	drawEyes(e, lk, &head, m.gaze)
	if f.specs != nil {
		e.stamp(f.specs, &specs)
	}
	if f.gem != nil {
		for _, side := range []float32{-1, 1} {
			ear := head
			ear.jaw = 0
			at := ear.at(pt{side * (lk.face.cheek + 9), 60})
			ring := place{ox: at.x, oy: at.y, k: lk.scale, sin: p.Sin(m.dangle), cos: p.Cos(m.dangle)}
			e.stamp(f.gem, &ring)
		}
	}
	e.stamp(f.front, &before)
}

func (f *figure) easel() *easel { return &easel{img: image.NewRGBA(image.Rect(0, 0, f.w, f.h))} }
