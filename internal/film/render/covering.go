// SPDX-License-Identifier: Apache-2.0

package render

import "sync"

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

// coverings keeps the covering of a clip for the set of spots that was shown last. Several goroutines use it.
type coverings struct {
	mu    sync.Mutex
	last  *covering
	spots int
}

// of returns the covering of an image of w by h pixels by layers, which are those of a set of spots.
func (c *coverings) of(spots int, layers []*layer, w, h int) *covering {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.last == nil || c.spots != spots {
		c.last, c.spots = newCovering(layers, w, h), spots
	}
	return c.last
}

// newCovering examines layers over an image of w by h pixels.
func newCovering(layers []*layer, w, h int) *covering {
	c := &covering{w: (w + 15) / 16 * 16 / cell, h: (h + 15) / 16 * 16 / cell}
	edged := make([]bool, c.w*c.h)
	c.full = make([]bool, c.w*c.h)
	for _, l := range layers {
		if l == nil {
			continue
		}
		p := l.planes[0]
		for cy := range c.h {
			from, to := p.extent(cy*cell, min(cy*cell+cell+1, h))
			for cx := max(from-1, 0) / cell; cx*cell < to; cx++ {
				edge, full := p.within(cx*cell, cy*cell, w)
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
	return c
}

// extent returns the range of the samples that the layer changes in the rows from top up to bottom.
func (p layerPlane) extent(top, bottom int) (from, to int) {
	for r := top; r < bottom; r++ {
		row := &p[r]
		switch n := len(row.add); {
		case n == 0:
		case to == 0:
			from, to = row.x, row.x+n
		default:
			from, to = min(from, row.x), max(to, row.x+n)
		}
	}
	return from, to
}

// within reports whether the cell at (x, y) of an image of width w has an edge of the layer, also at its right and lower
// side, and whether it is fully covered.
func (p layerPlane) within(x, y, w int) (edge, full bool) {
	lowKeep, highKeep, lowAdd, highAdd := uint16(256), uint16(0), uint16(0xffff), uint16(0)
	for r := y; r <= min(y+cell, len(p)-1); r++ {
		row := &p[r]
		for k := x; k <= min(x+cell, w-1); k++ {
			keep, add := uint16(256), uint16(128)
			if i := k - row.x; i >= 0 && i < len(row.add) {
				keep, add = row.keep[i], row.add[i]
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
