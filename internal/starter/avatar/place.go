// SPDX-License-Identifier: Apache-2.0

package avatar

import (
	p "github.com/reelops/reelops/internal/content/imagery/paint"
)

// place is the transform of a part of a figure in a frame. A point is first deformed (a turning head shows more of one
// cheek, a jaw drops, hair swings), then rotated around a pivot, moved, and scaled to pixels.
type place struct {
	ox, oy, k float32 // the figure's origin in pixels, and pixels per unit
	sin, cos  float32 // of the rotation
	px, py    float32 // pivot
	dx, dy    float32 // translation, in units

	// yaw and pitch move the part to the side and downwards: by that many units at the point nearest to the camera, and
	// less towards the edge of the head. depth is the distance of the part in front of the middle of the head: 1 for the
	// face, below 0 for parts behind the middle.
	yaw, pitch, depth float32
	// jaw is the drop of the chin, in units.
	jaw float32
	// swing moves points beyond swingFrom sideways, by the square of their distance. At the distance swingSpan it moves
	// them by swing units; beyond 1.5 spans the movement does not increase. A negative swingSpan moves points above
	// swingFrom.
	swing, swingFrom, swingSpan float32
	// swell is the share by which the part widens around x = 0, for a chest that breathes.
	swell float32
}

// ballW and ballH are half the width and height of the head as an ellipsoid, in units. Its middle is 10 units below the
// middle between the eyes.
const ballW, ballH = 255, 330

// moved returns the displacement of a point by the deformation.
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

// reach returns an upper bound of the displacement by the deformation, in units.
func (a *place) reach() float32 {
	return (p.Abs(a.yaw)+p.Abs(a.pitch))*p.Abs(a.depth) + p.Abs(a.jaw) + 2.3*p.Abs(a.swing) + 500*p.Abs(a.swell)
}

// at converts a point from the figure's units to pixels.
func (a *place) at(q pt) pt {
	dx, dy := a.moved(q)
	return a.turned(pt{q.x + dx, q.y + dy})
}

// turned rotates, moves and scales a point, without the deformation.
func (a *place) turned(q pt) pt {
	x, y := q.x-a.px, q.y-a.py
	return pt{
		a.ox + a.k*(a.px+a.dx+x*a.cos-y*a.sin),
		a.oy + a.k*(a.py+a.dy+x*a.sin+y*a.cos),
	}
}

// back converts a point from pixels to the figure's units. It inverts the deformation by fixed-point iteration. Three
// steps are exact to less than a pixel for the small movements of a talking person.
func (a *place) back(q pt) pt {
	x, y := (q.x-a.ox)/a.k-a.px-a.dx, (q.y-a.oy)/a.k-a.py-a.dy
	t := pt{a.px + x*a.cos + y*a.sin, a.py - x*a.sin + y*a.cos}
	dx, dy := a.moved(t)
	for range 2 {
		dx, dy = a.moved(pt{t.x - dx, t.y - dy})
	}
	return pt{t.x - dx, t.y - dy}
}

// put returns a shape in pixels.
func (a *place) put(s shape) shape { return s.bend(a.at) }
