// SPDX-License-Identifier: Apache-2.0

package avatar

import (
	p "github.com/reelops/reelops/internal/content/imagery/paint"
)

// place says where and how a part of a figure stands in the picture. A point is first bent (a head that turns shows more of
// one cheek, a jaw drops, hair swings), then turned around a pivot, moved, and scaled to pixels.
type place struct {
	ox, oy, k float32 // the figure's origin in pixels, and pixels a unit
	sin, cos  float32 // of the turn
	px, py    float32 // pivot
	dx, dy    float32 // moved by, in units

	// yaw and pitch move what is nearest to the camera by that many units; depth says how far in front of the head's middle
	// the part lies: 1 the face, below 0 what is behind.
	yaw, pitch, depth float32
	// jaw lowers the chin by that many units.
	jaw float32
	// swing bends what is beyond swingFrom, the more the further, by that many units at a distance of swingSpan.
	swing, swingFrom, swingSpan float32
	// swell widens around x = 0: a chest that breathes.
	swell float32
}

// The head as a ball: half its width and height, from the middle between the eyes.
const ballW, ballH = 255, 330

// moved is how far bending moves a point.
func (a *place) moved(q pt) (dx, dy float32) {
	if a.yaw != 0 || a.pitch != 0 {
		u, v := q.x/ballW, (q.y-10)/ballH
		z := 1 - 0.75*(u*u+v*v)
		z = max(z, -0.6) * a.depth
		dx, dy = a.yaw*z, a.pitch*z
	}
	if a.jaw != 0 && q.y > 60 {
		dy += a.jaw * p.Smooth(60, 215, q.y)
	}
	if a.swing != 0 {
		if t := (q.y - a.swingFrom) / a.swingSpan; t > 0 {
			t = min(t, 1.5)
			dx += a.swing * t * t
		}
	}
	if a.swell != 0 {
		dx += q.x * a.swell
	}
	return dx, dy
}

// reach is the furthest that bending moves anything, in units.
func (a *place) reach() float32 {
	return (p.Abs(a.yaw)+p.Abs(a.pitch))*p.Abs(a.depth) + p.Abs(a.jaw) + 2.3*p.Abs(a.swing) + 500*p.Abs(a.swell)
}

// at leads from the figure's units to pixels.
func (a *place) at(q pt) pt {
	dx, dy := a.moved(q)
	return a.turned(pt{q.x + dx, q.y + dy})
}

func (a *place) turned(q pt) pt {
	x, y := q.x-a.px, q.y-a.py
	return pt{
		a.ox + a.k*(a.px+a.dx+x*a.cos-y*a.sin),
		a.oy + a.k*(a.py+a.dy+x*a.sin+y*a.cos),
	}
}

// back leads from pixels to the figure's units. Bending is undone by steps that come nearer to the truth each time;
// three are exact to less than a pixel for the small moves of somebody who talks.
func (a *place) back(q pt) pt {
	x, y := (q.x-a.ox)/a.k-a.px-a.dx, (q.y-a.oy)/a.k-a.py-a.dy
	t := pt{a.px + x*a.cos + y*a.sin, a.py - x*a.sin + y*a.cos}
	dx, dy := a.moved(t)
	for range 2 {
		dx, dy = a.moved(pt{t.x - dx, t.y - dy})
	}
	return pt{t.x - dx, t.y - dy}
}

// put places a shape.
func (a *place) put(s shape) shape { return s.bend(a.at) }
