// SPDX-License-Identifier: Apache-2.0

package render

import (
	"image"
	"image/color"
	"math"

	"github.com/reelops/reelops/internal/film/timeline"
)

// inset draws footage into a rectangle with round corners, with a soft shadow that separates it from the background.
type inset struct {
	reel   *reel
	x, y   int
	shadow *layer
	// planes are the coverage of each sample of the three planes, in 256ths.
	planes [3]coverage
}

// coverage is the coverage of each sample of a plane of w by h, in 256ths. The rows from top to bottom are fully
// covered.
type coverage struct {
	w, h, top, bottom int
	share             []uint16
}

// The shadow of an inset, as shares of the shorter side of the canvas.
const (
	shadowReach = 0.022 // how far the shadow reaches beyond the rectangle
	shadowDrop  = 0.006 // how far the shadow is shifted down from the rectangle
	shadowDepth = 0.45  // opacity beside the rectangle; 1 is black
)

// prepare computes the shadow and the corners of an inset on a canvas.
func (n *inset) prepare(at *timeline.Inset, canvas timeline.Canvas) {
	n.x, n.y = at.X, at.Y
	n.shadow = newShadow(at, canvas)
	for i := range n.planes {
		sub := 1 + min(i, 1) // chroma has half resolution
		n.planes[i] = newCoverage(at.Width, at.Height, at.Radius, sub)
	}
}

// newCoverage computes the coverage of a plane of which each sample is a square of sub by sub pixels.
func newCoverage(width, height, radius, sub int) coverage {
	c := coverage{w: width / sub, h: height / sub}
	c.top = min((radius+sub-1)/sub, c.h)
	c.bottom = max(c.h-c.top, c.top)
	c.share = make([]uint16, c.w*c.h)
	for y := range c.h {
		for x := range c.w {
			outside := corner(float64(x*sub)+float64(sub)/2, float64(y*sub)+float64(sub)/2, float64(width), float64(height), float64(radius))
			c.share[y*c.w+x] = uint16(math.Round(256 * min(max(0.5-outside/float64(sub), 0), 1)))
		}
	}
	return c
}

// corner returns the distance of a point from a rectangle with round corners, in pixels; it is negative inside.
func corner(x, y, w, h, radius float64) float64 {
	dx, dy := math.Abs(x-w/2)-w/2+radius, math.Abs(y-h/2)-h/2+radius
	return math.Hypot(max(dx, 0), max(dy, 0)) + min(max(dx, dy), 0) - radius
}

// newShadow draws the shadow around an inset.
func newShadow(at *timeline.Inset, canvas timeline.Canvas) *layer {
	side := float64(min(canvas.Width, canvas.Height))
	reach, drop := shadowReach*side, shadowDrop*side
	margin := int(math.Ceil(reach + drop))
	box := image.Rect(at.X-margin, at.Y-margin, at.X+at.Width+margin, at.Y+at.Height+margin).Intersect(image.Rect(0, 0, canvas.Width, canvas.Height))
	img := image.NewNRGBA(box)
	w, h, radius := float64(at.Width), float64(at.Height), float64(at.Radius)
	for y := box.Min.Y; y < box.Max.Y; y++ {
		for x := box.Min.X; x < box.Max.X; x++ {
			px, py := float64(x-at.X)+0.5, float64(y-at.Y)+0.5
			if corner(px, py, w, h, radius) < -1 { // hidden by the footage
				continue
			}
			far := min(max(corner(px, py-drop, w, h, radius)/reach, 0), 1)
			img.SetNRGBA(x, y, color.NRGBA{A: uint8(math.Round(255 * shadowDepth * (1 - far) * (1 - far)))})
		}
	}
	return newLayer(img, box.Min.X, box.Min.Y, canvas.Width, canvas.Height)
}

// over draws frame k of the footage for a shot.
func (n *inset) over(dst *frame, shot, k int) error {
	n.shadow.over(dst)
	return n.reel.show(shot, k, func(f *frame) {
		from := f.planes()
		for i, to := range dst.planes() {
			sub := 1 + min(i, 1)
			n.planes[i].over(to, from[i], n.x/sub, n.y/sub)
		}
	})
}

// over blends a plane over another one, with its top left corner at x, y.
func (c *coverage) over(dst, src plane, x, y int) {
	for r := range c.h {
		to, from := dst.row(y + r)[x:x+c.w], src.row(r)
		if r >= c.top && r < c.bottom {
			copy(to, from)
			continue
		}
		for i, share := range c.share[r*c.w : (r+1)*c.w] {
			to[i] = byte((uint32(from[i])*uint32(share) + uint32(to[i])*uint32(256-share) + 128) >> 8)
		}
	}
}
