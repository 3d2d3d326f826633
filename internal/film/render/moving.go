// SPDX-License-Identifier: Apache-2.0

package render

import (
	"math"

	"github.com/reelops/reelops/internal/film/render/h264"
	"github.com/reelops/reelops/internal/film/timeline"
)

// The images of a zoom are known displacements of each other. So only few of them, the anchors, are drawn as a whole
// and given to the encoder. The others are written as displacements of the anchor before them, with residuals where an
// image that does not move covers the background, or where the zoom shows more of the background than the anchor.
const (
	// maxMoved is how many images follow an anchor. With more, anchors are fewer, but the vectors take more bytes.
	maxMoved = 11
	// movedQP is the quantization parameter of residuals relative to the constant quality.
	movedQP = 2
	// tolerance is how far a vector may be from the exact displacement if it then takes fewer bits, in quarters of a
	// sample.
	tolerance = 0.75
	// acceptable is the mean difference of a macroblock's samples up to which it has no residual.
	acceptable = 1.5
)

// movesAfter reports whether an image can be written as a displacement of an anchor.
func movesAfter(tl *timeline.Timeline, anchor, s timeline.Shot) bool {
	c := &tl.Clips[s.A.Clip]
	return anchor.Mix <= 0 && s.Mix <= 0 && anchor.A.Clip == s.A.Clip && anchor.A.Spots == s.A.Spots &&
		c.Footage == nil && anchor.A.Inset == 0 && s.A.Inset == 0 && c.Motion.Kind == timeline.SlowZoom && c.Motion.From != c.Motion.To
}

// mover writes the images after an anchor. One drawing goroutine uses it.
type mover struct {
	picture  *h264.Moved
	covering covering
	// of are the clip and the set of spots that covering describes, plus one.
	of         [2]int
	cols, rows places
	line       []byte
	residual   h264.Residual
	target     h264.Block
	still      h264.Block
	moved      h264.Block
}

// move returns the images that follow shot n, which is in f.
func (s *scene) move(n int, f *frame, m *mover) ([][]byte, error) {
	if n >= len(s.moved) || len(s.moved[n]) == 0 {
		return nil, nil
	}
	v := s.shots[n].A
	c, err := s.clip(v.Clip)
	if err != nil {
		return nil, err
	}
	layers := []*layer{c.layer}
	for _, k := range s.tl.Clips[v.Clip].ShownSpots(v) {
		l, err := c.spots.layer(k, s.layer)
		if err != nil {
			return nil, err
		}
		layers = append(layers, l)
	}
	if of := [2]int{v.Clip + 1, v.Spots + 1}; m.of != of {
		m.of = of
		m.covering.describe(layers, f.w, f.h)
	}
	if m.picture == nil {
		m.picture = h264.NewMoved(f.w, f.h)
	}
	p := f.planes()
	anchor := &h264.Picture{Width: f.w, Height: f.h, Y: p[0].pix, Cb: p[1].pix, Cr: p[2].pix}
	from := c.zoom.scale(v.Progress)
	var units [][]byte
	for _, shot := range s.moved[n] {
		m.picture.Begin(s.movedQP)
		m.write(anchor, c.zoom, layers, from, c.zoom.scale(shot.A.Progress))
		units = append(units, m.picture.End())
	}
	return units, nil
}

// write writes the image at a scale by the anchor at another.
func (m *mover) write(anchor *h264.Picture, z *zoom, layers []*layer, from, to float64) {
	z.place(to, (z.w+15)&^15, (z.h+15)&^15, &m.cols, &m.rows)
	grow := from/to - 1
	for y := 0; y < z.h; y += 16 {
		dy := 4 * grow * (float64(y+8) - z.fy*float64(z.h))
		for x := 0; x < z.w; x += 16 {
			dx := 4 * grow * (float64(x+8) - z.fx*float64(z.w))
			m.macroblock(anchor, z, layers, x, y, dx, dy)
		}
	}
}

// macroblock writes the macroblock at (x, y), whose background is displaced by (dx, dy) quarters of a sample.
func (m *mover) macroblock(anchor *h264.Picture, z *zoom, layers []*layer, x, y int, dx, dy float64) {
	v := m.vector(dx, dy)
	x0, y0 := x+int(v.X>>2), y+int(v.Y>>2)
	switch {
	case m.covering.opaque(x, y):
		m.picture.Add(h264.Vector{}, nil)
		return
	case x0 >= 0 && y0 >= 0 && x0+min(16, z.w-x) <= z.w && y0+min(16, z.h-y) <= z.h && !m.covering.rough(x, y, 0) && !m.covering.rough(x0, y0, 1):
		m.picture.Add(v, nil)
		return
	}
	m.sample(z, x, y)
	for _, l := range layers {
		l.overBlock(&m.target, x, y)
	}
	anchor.Predict(&m.moved, x, y, v)
	best, difference := &m.moved, sad(&m.target.Y, &m.moved.Y)
	anchor.Predict(&m.still, x, y, h264.Vector{})
	if d := sad(&m.target.Y, &m.still.Y); d < difference {
		best, difference, v = &m.still, d, h264.Vector{}
	}
	if float64(difference) <= 256*acceptable {
		m.picture.Add(v, nil)
		return
	}
	hide(&m.target, best, z.w-x, z.h-y)
	m.residual.Quantize(&m.target, best, m.picture.QP())
	m.picture.Add(v, &m.residual)
}

// vector returns the vector for a displacement.
func (m *mover) vector(dx, dy float64) h264.Vector {
	skipped, coded := m.picture.Expected()
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

// sample writes the background of a macroblock to m.target.
func (m *mover) sample(z *zoom, x, y int) {
	src := z.src.planes()
	sample(plane{16, 16, m.target.Y[:]}, src[0], m.cols[0][x:x+16], m.rows[0][y:y+16], &m.line)
	sample(plane{8, 8, m.target.Cb[:]}, src[1], m.cols[1][x/2:x/2+8], m.rows[1][y/2:y/2+8], &m.line)
	sample(plane{8, 8, m.target.Cr[:]}, src[2], m.cols[1][x/2:x/2+8], m.rows[1][y/2:y/2+8], &m.line)
}

// sad returns the sum of the absolute differences of two blocks.
func sad(a, b *[256]byte) int {
	sum := 0
	for i, v := range a {
		d := int(v) - int(b[i])
		sum += max(d, -d)
	}
	return sum
}

// hide copies the samples of the prediction that are outside of the displayed picture, which is w by h samples from the
// macroblock on.
func hide(target, prediction *h264.Block, w, h int) {
	if w >= 16 && h >= 16 {
		return
	}
	for i := range target.Y {
		if i&15 >= w || i>>4 >= h {
			target.Y[i] = prediction.Y[i]
		}
	}
	for i := range target.Cb {
		if 2*(i&7) >= w || 2*(i>>3) >= h {
			target.Cb[i], target.Cr[i] = prediction.Cb[i], prediction.Cr[i]
		}
	}
}

// cell is the side of the squares by which a covering is described.
const cell = 8

// smooth is how much the share of the background may differ within a cell, in 256ths, so that a displaced background
// looks right. A gradient over half an image differs less, the edge of a letter more.
const smooth = 3

// covering describes what the layers above a background do to each part of it.
type covering struct {
	w, h int // in cells
	// edges is the number of cells with edges of a layer above and to the left of each corner.
	edges []int32
	full  []bool // the cells that show nothing of the background
}

// describe examines layers over an image of w by h pixels.
func (c *covering) describe(layers []*layer, w, h int) {
	c.w, c.h = (w+15)/16*16/cell, (h+15)/16*16/cell
	edged := make([]bool, c.w*c.h)
	c.full = make([]bool, c.w*c.h)
	for _, l := range layers {
		if l == nil {
			continue
		}
		p := &l.planes[0]
		for cy := max(p.y-1, 0) / cell; cy*cell < p.y+p.h; cy++ {
			for cx := max(p.x-1, 0) / cell; cx*cell < p.x+p.w; cx++ {
				edge, full := p.within(cx*cell, cy*cell, w, h)
				at := cy*c.w + cx
				edged[at], c.full[at] = edged[at] || edge, c.full[at] || full
			}
		}
	}
	c.edges = make([]int32, (c.w+1)*(c.h+1))
	for y := range c.h {
		row := int32(0)
		for x := range c.w {
			if edged[y*c.w+x] {
				row++
			}
			c.edges[(y+1)*(c.w+1)+x+1] = c.edges[y*(c.w+1)+x+1] + row
		}
	}
}

// within reports whether the cell at (x, y) of an image of w by h samples has an edge of the layer, also at its right and
// lower side, and whether it is fully covered.
func (p *layerPlane) within(x, y, w, h int) (edge, full bool) {
	lowKeep, highKeep, lowAdd, highAdd := uint16(256), uint16(0), uint16(0xffff), uint16(0)
	for r := y; r <= min(y+cell, h-1); r++ {
		for k := x; k <= min(x+cell, w-1); k++ {
			keep, add := uint16(256), uint16(128)
			if r >= p.y && r < p.y+p.h && k >= p.x && k < p.x+p.w {
				at := (r-p.y)*p.w + k - p.x
				keep, add = p.keep[at], p.add[at]
			}
			lowKeep, highKeep, lowAdd, highAdd = min(lowKeep, keep), max(highKeep, keep), min(lowAdd, add), max(highAdd, add)
		}
	}
	return highKeep-lowKeep > smooth || highAdd-lowAdd > smooth<<8, highKeep == 0
}

// opaque reports whether the macroblock at (x, y) shows nothing of the background.
func (c *covering) opaque(x, y int) bool {
	at := y/cell*c.w + x/cell
	return c.full[at] && c.full[at+1] && c.full[at+c.w] && c.full[at+c.w+1]
}

// rough reports whether a layer has an edge in the 16 by 16 samples from (x, y) on, or in the given number of samples
// around them and those that interpolation reads.
func (c *covering) rough(x, y, around int) bool {
	around *= 3
	x0, y0 := max(x-around, 0)/cell, max(y-around, 0)/cell
	x1, y1 := min((x+15+around)/cell, c.w-1)+1, min((y+15+around)/cell, c.h-1)+1
	w := c.w + 1
	return c.edges[y1*w+x1]-c.edges[y0*w+x1]-c.edges[y1*w+x0]+c.edges[y0*w+x0] > 0
}

// overBlock blends the layer into the macroblock at (x, y).
func (l *layer) overBlock(b *h264.Block, x, y int) {
	if l == nil {
		return
	}
	l.planes[0].overBlock(b.Y[:], 16, x, y)
	l.planes[1].overBlock(b.Cb[:], 8, x/2, y/2)
	l.planes[2].overBlock(b.Cr[:], 8, x/2, y/2)
}

func (p *layerPlane) overBlock(dst []byte, side, x, y int) {
	for r := max(y, p.y); r < min(y+side, p.y+p.h); r++ {
		s := p.spans[r-p.y]
		from, to := max(x, p.x+s.from), min(x+side, p.x+s.to)
		if from >= to {
			continue
		}
		row := dst[(r-y)*side+from-x : (r-y)*side+to-x]
		at := (r-p.y)*p.w + from - p.x
		add, keep := p.add[at:at+len(row)], p.keep[at:at+len(row)]
		for i, below := range row {
			row[i] = byte((uint32(add[i]) + uint32(keep[i])*uint32(below)) >> 8)
		}
	}
}
