// SPDX-License-Identifier: Apache-2.0

package overlay

import (
	"math"
	"sort"
	"strings"
	"unicode"

	"github.com/go-text/typesetting/segmenter"

	"github.com/reelops/reelops/internal/catalog"
)

// partFloor is the font size below which a long word is split instead of reducing the size further.
const partFloor = 40

// slack is how far a block may extend beyond the safe zone, in pixels: invisible, but more than rounding errors.
const slack = 0.6

func (n *normaliser) within(b *block) bool {
	return b.box.width() <= n.safe.width()+slack && b.box.height() <= n.safe.height()+slack
}

// fit reduces the font size until the block fits, and cuts the text if even the smallest size does not fit.
func (n *normaliser) fit(it *item) {
	asked := it.cur.FontSize
	size, fits := n.largest(it.cur, it.cur.FontSize)
	if !fits {
		it.cur.Text = n.cut(it.cur, n.safe.height()+slack)
		it.why["text"] = ReasonTextDoesNotFit
		size, _ = n.largest(it.cur, it.cur.FontSize)
	}
	if size != asked {
		it.cur.FontSize = size
		it.why["fontSize"] = ReasonTextDoesNotFit
	}
}

// largest returns the largest size, at most the requested one, at which the block fits: first with whole words down to
// partFloor, then with long words split. Below the requested size only whole pixels are tried, so that repeating the
// search returns the same size.
func (n *normaliser) largest(o Overlay, asked float64) (float64, bool) {
	try := func(size float64, parting bool) bool {
		o.FontSize = size
		b := n.layOut(o, n.ratio, parting)
		return !b.wide && n.within(b)
	}
	for size := asked; size >= min(asked, partFloor); size = math.Ceil(size) - 1 {
		if try(size, false) {
			return size, true
		}
	}
	for size := asked; size >= catalog.OverlayFontSizeFitMin; size = math.Ceil(size) - 1 {
		if try(size, true) {
			return size, true
		}
	}
	return catalog.OverlayFontSizeFitMin, false
}

// cut returns as many words as fit into a height in pixels at the smallest size, or characters if there are no words,
// with an ellipsis.
func (n *normaliser) cut(o Overlay, height float64) string {
	o.FontSize = catalog.OverlayFontSizeFitMin
	whole := o.Text
	fits := func(s string) bool {
		o.Text = s
		b := n.layOut(o, n.ratio, true)
		return n.within(b) && b.box.height() <= height
	}
	if s, ok := longest(whole, wordEnds(whole), fits); ok {
		return s
	}
	s, _ := longest(whole, clusterEnds(whole), fits)
	return s
}

// longest returns the longest prefix of a text that ends at one of the offsets and fits with an ellipsis.
func longest(whole string, ends []int, fits func(string) bool) (string, bool) {
	shortened := func(i int) string {
		return strings.TrimRightFunc(whole[:ends[i]], func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune(",;:–—-…", r) }) + "…"
	}
	k := sort.Search(len(ends), func(i int) bool { return !fits(shortened(i)) })
	if k == 0 {
		return "…", false
	}
	return shortened(k - 1), true
}

func wordEnds(s string) []int {
	var out []int
	before := ' '
	for i, r := range s {
		if unicode.IsSpace(r) && !unicode.IsSpace(before) {
			out = append(out, i)
		}
		before = r
	}
	return out
}

func clusterEnds(s string) []int {
	var seg segmenter.Segmenter
	if seg.InitWithString(s) != nil {
		return nil
	}
	var out []int
	for it := seg.GraphemeIterator(); it.Next(); {
		g := it.Grapheme()
		out = append(out, g.OffsetInBytes+g.LengthInBytes)
	}
	return out
}

// moveInside moves the block into the safe zone.
func (n *normaliser) moveInside(it *item) {
	b := n.layOut(it.cur, n.ratio, true)
	if b.box.empty() {
		return
	}
	dx := into(b.box.x0, b.box.x1, n.safe.x0, n.safe.x1)
	dy := into(b.box.y0, b.box.y1, n.safe.y0, n.safe.y1)
	if dx != 0 || dy != 0 {
		it.move(n.ratio, dx, dy, ReasonOutsideSafeZone)
	}
}

// into returns how far a range has to move to be between two bounds; 0 if it is inside within the slack.
func into(a, b, low, high float64) float64 {
	switch {
	case b-a > high-low:
		if d := (low + high - a - b) / 2; math.Abs(d) > slack {
			return d
		}
	case a < low-slack:
		return low - a
	case b > high+slack:
		return high - b
	}
	return 0
}

// move shifts a block by a number of pixels.
func (it *item) move(ratio catalog.AspectRatio, dx, dy float64, why Reason) {
	round := func(v float64) float64 { return math.Round(v*1000) / 1000 }
	p := &it.cur.Position
	p.X = round(p.X + dx/float64(ratio.Width)*100)
	p.Y = round(p.Y + dy/float64(ratio.Height)*100)
	it.why["position"] = why
}
