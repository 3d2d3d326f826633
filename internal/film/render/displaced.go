// SPDX-License-Identifier: Apache-2.0

package render

import (
	"math"

	"github.com/reelops/reelops/internal/film/render/h264"
	"github.com/reelops/reelops/internal/film/timeline"
)

// tolerance is how far a vector may be from the exact displacement if it then takes fewer bits, in quarters of a sample.
const tolerance = 1.0

// displaced computes images of a clip as displacements of an anchor, an image of the clip that is drawn as a whole. A
// clip without a zoom is the anchor at every time.
type displaced struct {
	zoom     *zoom // nil without a zoom
	layers   []*layer
	covering *covering
	anchor   h264.Picture
	// held are the macroblocks that look like the anchor at all times, because the background below a layer hardly
	// changes. It is empty while they are computed in holds.
	held, holds []bool
	from        float64 // the scale of the anchor
	grow        float64 // how much larger the anchor is than the image, minus one
	// cols and rows are the samples of the image in the background.
	cols, rows     places
	strip          strip
	target         h264.Block
	still, shifted h264.Block
}

// show begins images of a clip with the anchor in f.
func (d *displaced) show(s *scene, v timeline.View, f *frame) error {
	c, err := s.clip(v.Clip)
	if err != nil {
		return err
	}
	p := f.planes()
	d.anchor = h264.Picture{Width: f.w, Height: f.h, Y: p[0].pix, Cb: p[1].pix, Cr: p[2].pix}
	d.held = d.held[:0]
	if d.zoom = c.zoom; d.zoom == nil {
		return nil
	}
	d.from = d.zoom.scale(v.Progress)
	d.layers = append(d.layers[:0], c.layer)
	for _, k := range s.tl.Clips[v.Clip].ShownSpots(v) {
		l, err := c.spots.layer(k, s.layer)
		if err != nil {
			return err
		}
		d.layers = append(d.layers, l)
	}
	d.covering = c.coverings.of(v.Spots, d.layers, f.w, f.h)
	return nil
}

// hold finds the macroblocks that look like the anchor in all shots, of which the last one is the furthest from the
// anchor. It compares that one and one before it: not half-way, because a pattern in the background may look the same
// twice. of returns the progress of the clip.
func (d *displaced) hold(shots []timeline.Shot, of func(timeline.Shot) float64, line *[]byte) {
	if d.zoom == nil || len(shots) == 0 {
		return
	}
	columns := (d.zoom.w + 15) / 16
	d.held, d.holds = d.held[:0], grown(d.holds, columns*((d.zoom.h+15)/16))
	last := len(shots) - 1
	for k, s := range []timeline.Shot{shots[last], shots[(5*last+4)/8]} {
		d.move(of(s))
		for n := range d.holds {
			if k > 0 && !d.holds[n] {
				continue
			}
			x, y := n%columns*16, n/columns*16
			if _, good := d.vector(x, y, h264.Vector{}, h264.Vector{}); good {
				d.holds[n] = false
				continue
			}
			d.draw(x, y, line)
			d.anchor.PredictLuma(&d.still, x, y, h264.Vector{})
			d.holds[n] = sad(&d.target.Y, &d.still.Y) <= acceptable
		}
	}
	d.held = d.holds
}

// move begins the image at a progress.
func (d *displaced) move(progress float64) {
	if z := d.zoom; z != nil {
		to := z.scale(progress)
		d.grow = d.from/to - 1
		d.strip.w = 0
		z.place(to, (z.w+15)&^15, (z.h+15)&^15, &d.cols, &d.rows)
	}
}

// vector returns the vector of the macroblock at (x, y), and whether it gives a good prediction. skipped
// and coded are the vectors that cost least: both in one, or each coordinate by itself.
func (d *displaced) vector(x, y int, skipped, coded h264.Vector) (v h264.Vector, good bool) {
	if d.zoom == nil || d.covering.opaque(x, y) {
		return h264.Vector{}, true
	}
	z := d.zoom
	dx, dy := 4*d.grow*(float64(x+8)-z.fx*float64(z.w)), 4*d.grow*(float64(y+8)-z.fy*float64(z.h))
	v = cheapest(dx, dy, skipped, coded)
	x0, y0 := x+int(v.X>>2), y+int(v.Y>>2)
	inside := x0 >= 0 && y0 >= 0 && x0+min(16, z.w-x) <= z.w && y0+min(16, z.h-y) <= z.h
	if inside && !d.covering.rough(x, y, 0) && !d.covering.rough(x0, y0, 1) {
		return v, true
	}
	if len(d.held) > 0 && d.held[y/16*((z.w+15)/16)+x/16] {
		return h264.Vector{}, true
	}
	return v, false
}

// cheapest returns the vector for a displacement that takes the fewest bits.
func cheapest(dx, dy float64, skipped, coded h264.Vector) h264.Vector {
	if near(skipped.X, dx) && near(skipped.Y, dy) {
		return skipped
	}
	v := h264.Vector{X: int16(math.Round(dx)), Y: int16(math.Round(dy))}
	if near(coded.X, dx) {
		v.X = coded.X
	}
	if near(coded.Y, dy) {
		v.Y = coded.Y
	}
	return v
}

func near(have int16, want float64) bool { return math.Abs(float64(have)-want) <= tolerance }

// closest draws luma of the macroblock at (x, y) into d.target. It returns luma of a good prediction of it: with the vector
// zero if the difference is acceptable, otherwise the better one of that and the given vector.
func (d *displaced) closest(x, y int, v h264.Vector, line *[]byte) (prediction *h264.Block, _ h264.Vector, difference int) {
	d.draw(x, y, line)
	d.anchor.PredictLuma(&d.still, x, y, h264.Vector{})
	difference = sad(&d.target.Y, &d.still.Y)
	if difference <= acceptable {
		return &d.still, h264.Vector{}, difference
	}
	d.anchor.PredictLuma(&d.shifted, x, y, v)
	if shifted := sad(&d.target.Y, &d.shifted.Y); shifted <= difference {
		return &d.shifted, v, shifted
	}
	return &d.still, h264.Vector{}, difference
}

// pair returns luma of the macroblock at (x, y) and of the better prediction of it. A good prediction is taken for the
// macroblock itself.
func (d *displaced) pair(x, y int, v h264.Vector, good bool, line *[]byte) (target, prediction *h264.Block, _ h264.Vector) {
	if good {
		d.anchor.PredictLuma(&d.shifted, x, y, v)
		return &d.shifted, &d.shifted, v
	}
	prediction, v, _ = d.closest(x, y, v, line)
	return &d.target, prediction, v
}

// chroma completes the macroblock at (x, y) and the prediction of it that closest or pair returned with a vector.
func (d *displaced) chroma(x, y int, target, prediction *h264.Block, v h264.Vector, line *[]byte) {
	d.anchor.PredictChroma(prediction, x, y, v)
	if target == prediction {
		return
	}
	s := &d.strip
	if !s.chroma {
		s.chroma = true
		d.paint(1, line)
		d.paint(2, line)
	}
	s.cut(1, x, target.Cb[:])
	s.cut(2, x, target.Cr[:])
}

// strip is a part of a row of macroblocks.
type strip struct {
	x, y, w int
	planes  [3][]byte
	chroma  bool // whether the planes of chroma are drawn
}

// draw writes luma of the macroblock at (x, y) to d.target. It draws all macroblocks up to the next one with a good
// prediction at once.
func (d *displaced) draw(x, y int, line *[]byte) {
	s := &d.strip
	if y != s.y || x < s.x || x >= s.x+s.w {
		s.x, s.y, s.w, s.chroma = x, y, 16, false
		for x+s.w < d.zoom.w {
			if _, good := d.vector(x+s.w, y, h264.Vector{}, h264.Vector{}); good {
				break
			}
			s.w += 16
		}
		d.paint(0, line)
	}
	s.cut(0, x, d.target.Y[:])
}

// paint draws a plane of the strip.
func (d *displaced) paint(i int, line *[]byte) {
	s := &d.strip
	k := min(i, 1) // chroma has half the width and height
	x, y, w, h := s.x>>k, s.y>>k, s.w>>k, 16>>k
	s.planes[i] = grown(s.planes[i], w*h)
	sample(plane{w, h, s.planes[i]}, d.zoom.src.planes()[i], d.cols[k][x:x+w], d.rows[k][y:y+h], line)
	for _, l := range d.layers {
		if l != nil {
			l.planes[i].over(s.planes[i], w, h, x, y)
		}
	}
}

// cut copies a plane of the macroblock at column x.
func (s *strip) cut(i, x int, to []byte) {
	side := 16 >> min(i, 1)
	from := s.planes[i][(x-s.x)*side/16:]
	for r := range side {
		copy(to[r*side:(r+1)*side], from[r*s.w*side/16:])
	}
}
