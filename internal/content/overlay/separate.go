// SPDX-License-Identifier: Apache-2.0

package overlay

import (
	"math"
	"sort"

	"github.com/reelops/reelops/internal/catalog"
)

// apart is the gap between blocks that overlapped, in pixels on a canvas 1080 wide.
const apart = 14

// spot is a block in the search for positions without overlap.
type spot struct {
	it  *item
	box rect
	dy  float64
}

func (s *spot) top() float64    { return s.box.y0 + s.dy }
func (s *spot) bottom() float64 { return s.box.y1 + s.dy }

// beside reports whether two blocks overlap horizontally, so that they can collide.
func beside(a, b *spot) bool { return a.box.x0 < b.box.x1-slack && b.box.x0 < a.box.x1-slack }

// separate moves overlapping blocks apart vertically and keeps their order. If they do not all fit in the safe zone,
// the larger ones are reduced.
func (n *normaliser) separate() {
	spots := n.spots(math.Inf(1))
	if !collide(spots) {
		return
	}
	start := math.Ceil(n.tallest())
	limit := math.Inf(1)
	for !n.spread(spots) {
		if math.IsInf(limit, 1) {
			limit = start
		}
		if limit > catalog.OverlayFontSizeFitMin {
			limit = max(limit-1, catalog.OverlayFontSizeFitMin)
		} else if !n.shorten(spots) {
			break // not even a word of each fits
		}
		spots = n.spots(limit)
	}
	for _, s := range spots {
		if s.it.cur.FontSize > limit {
			s.it.cur.FontSize = limit
			s.it.why["fontSize"] = ReasonTextDoesNotFit
		}
		if s.dy != 0 {
			s.it.move(n.ratio, 0, s.dy, ReasonOverlap)
		}
	}
}

// shorten cuts the text of the tallest block by a quarter of its height. It returns false if nothing can be cut.
func (n *normaliser) shorten(spots []*spot) bool {
	most := spots[0]
	for _, s := range spots {
		if s.box.height() > most.box.height() {
			most = s
		}
	}
	it := most.it
	text := n.cut(it.cur, most.box.height()*0.75)
	if text == it.cur.Text {
		return false
	}
	it.cur.Text = text
	it.why["text"] = ReasonTextDoesNotFit
	return true
}

func (n *normaliser) tallest() float64 {
	size := 0.0
	for _, it := range n.items {
		size = max(size, it.cur.FontSize)
	}
	return size
}

// spots returns the blocks at sizes up to the limit, from top to bottom.
func (n *normaliser) spots(limit float64) []*spot {
	var out []*spot
	for _, it := range n.items {
		o := it.cur
		o.FontSize = min(o.FontSize, limit)
		if b := n.layOut(o, n.ratio, true); !b.box.empty() {
			out = append(out, &spot{it: it, box: b.box})
		}
	}
	sort.SliceStable(out, func(i, j int) bool {
		return out[i].box.y0+out[i].box.y1 < out[j].box.y0+out[j].box.y1
	})
	return out
}

func collide(spots []*spot) bool {
	for i, a := range spots {
		for _, b := range spots[:i] {
			if beside(a, b) && b.bottom() > a.top()+slack && a.bottom() > b.top()+slack {
				return true
			}
		}
	}
	return false
}

// spread moves blocks down from above, then up from the lower bound. It returns false if that does not suffice.
func (n *normaliser) spread(spots []*spot) bool {
	gap := apart * float64(n.ratio.Width) / catalog.OverlayCanvasWidth
	for i, a := range spots {
		for _, b := range spots[:i] {
			if beside(a, b) && b.bottom() > a.top()+slack {
				a.dy = b.bottom() + gap - a.box.y0
			}
		}
	}
	for i := len(spots) - 1; i >= 0; i-- {
		a := spots[i]
		if a.bottom() > n.safe.y1+slack {
			a.dy = n.safe.y1 - a.box.y1
		}
		for _, b := range spots[i+1:] {
			if beside(a, b) && a.bottom() > b.top()+slack {
				a.dy = b.top() - gap - a.box.y1
			}
		}
	}
	for _, s := range spots {
		if s.top() < n.safe.y0-slack {
			return false
		}
	}
	return !collide(spots)
}
