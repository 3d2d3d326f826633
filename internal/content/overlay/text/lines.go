// SPDX-License-Identifier: Apache-2.0

package text

import (
	"math"
	"slices"
	"strings"
	"unicode"

	"github.com/go-text/typesetting/font"
)

// Line is one line of shaped text with its glyphs from left to right. Lengths are in ems.
type Line struct {
	Glyphs []Glyph
	Width  float64
	Empty  bool

	// Ink bounds, from the line's left end and the baseline. Top is positive above the baseline, Bottom negative below.
	Left, Right, Top, Bottom float64
}

// Strain reports the drawbacks of breaking a paragraph at a width.
type Strain struct {
	// Torn reports whether a line break splits a word or a unit such as "8 am".
	Torn bool
	// Wide reports whether a word is wider than the width.
	Wide bool
}

// Break splits the paragraph into the fewest lines within the width (ems), of lengths as even as possible. Lines end
// between words and phrases. Only a stretch that is wider than a line is split inside, first at its hyphens. If a
// single word is wider, it is split between characters if parting is true or its script has no words; otherwise it
// extends beyond the width.
func (p *Paragraph) Break(width float64, parting bool) ([]Line, Strain) {
	if len(p.Runes) == 0 {
		return []Line{{Empty: true}}, Strain{}
	}
	var out []Line
	var strain Strain
	start := 0
	for _, end := range balance(p, p.spots(width, parting), width) {
		strain.Torn = strain.Torn || p.breaks[end] < betweenWord
		strain.Wide = strain.Wide || p.trimmed(start, end) > width+slack
		out = append(out, p.line(start, end))
		start = end
	}
	return out, strain
}

// slack is the tolerance for rounding errors of a width, in ems.
const slack = 1e-6

// spots returns the ends of the pieces of lines: words and phrases, and parts of those that are too wide.
func (p *Paragraph) spots(width float64, parting bool) []int {
	var out []int
	begin := 0
	for i := 1; i <= len(p.Runes); i++ {
		if p.breaks[i] == betweenWord {
			out, begin = p.part(out, begin, i, width, parting), i
		}
	}
	return out
}

// part appends the end of a piece, preceded by the ends of its parts if the piece is too wide.
func (p *Paragraph) part(out []int, begin, end int, width float64, parting bool) []int {
	if p.trimmed(begin, end) <= width {
		return append(out, end)
	}
	from := begin
	for i := begin + 1; i <= end; i++ {
		if i < end && p.breaks[i] != insideWord {
			continue
		}
		if p.trimmed(from, i) > width {
			used := 0.0
			for k := from; k < i; k++ {
				cut := p.breaks[k] >= atCluster && (parting || ideographic(p.Runes[k]) && ideographic(p.Runes[k-1]))
				if k > from && used+p.width[k] > width && cut {
					out, used = append(out, k), 0
				}
				used += p.width[k]
			}
		}
		out, from = append(out, i), i
	}
	return out
}

// trimmed returns the width of a stretch without trailing spaces.
func (p *Paragraph) trimmed(start, end int) float64 {
	for end > start && unicode.IsSpace(p.Runes[end-1]) {
		end--
	}
	w := 0.0
	for _, v := range p.width[start:end] {
		w += v
	}
	return w
}

// balance selects the line ends among the spots: as few lines as greedy filling needs, of lengths as even as possible.
// Splitting words and a last line of one short word have a cost.
func balance(p *Paragraph, spots []int, width float64) []int {
	n := len(spots)
	sum := make([]float64, len(p.Runes)+1)
	for i, v := range p.width {
		sum[i+1] = sum[i] + v
	}
	measure := func(start, end int) float64 {
		for end > start && unicode.IsSpace(p.Runes[end-1]) {
			end--
		}
		return sum[end] - sum[start]
	}
	begin := func(k int) int {
		if k == 0 {
			return 0
		}
		return spots[k-1]
	}
	lines := 0
	for k := 0; k < n; lines++ {
		e := k + 1
		for e < n && measure(begin(k), spots[e]) <= width+slack {
			e++
		}
		k = e
	}
	return p.fill(spots, lines, width, measure)
}

// fill returns the line ends with the lowest cost for a number of lines.
func (p *Paragraph) fill(spots []int, lines int, width float64, measure func(start, end int) float64) []int {
	n := len(spots)
	begin := func(k int) int {
		if k == 0 {
			return 0
		}
		return spots[k-1]
	}
	ideal := measure(0, len(p.Runes)) / float64(lines)
	cost := make([][]float64, lines+1)
	from := make([][]int, lines+1)
	for l := range cost {
		cost[l] = slices.Repeat([]float64{math.Inf(1)}, n+1)
		from[l] = make([]int, n+1)
	}
	// The cost of a stretch does not depend on its line. prices[first[e]:first[e+1]] are the costs of the stretches
	// that end at e, the shortest first.
	prices, first := make([]float64, 0, 2*n), make([]int, n+2)
	for e := 1; e <= n; e++ {
		first[e] = len(prices)
		for k := e - 1; k >= 0; k-- {
			w := measure(begin(k), spots[e-1])
			if w > width+slack && e-k > 1 {
				break
			}
			prices = append(prices, p.price(begin(k), spots[e-1], w, ideal, width))
		}
	}
	first[n+1] = len(prices)
	cost[0][0] = 0
	for l := 1; l <= lines; l++ {
		for e := l; e <= n; e++ {
			for i, price := range prices[first[e]:first[e+1]] {
				k := e - 1 - i
				if c := cost[l-1][k] + price; c < cost[l][e] {
					cost[l][e], from[l][e] = c, k
				}
			}
		}
	}
	ends := make([]int, 0, lines)
	for l, e := lines, n; l > 0; l-- {
		ends = append(ends, spots[e-1])
		e = from[l][e]
	}
	slices.Reverse(ends)
	return ends
}

func (p *Paragraph) price(start, end int, w, ideal, width float64) float64 {
	off := (w - ideal) / width
	c := off * off
	if start > 1 && isDash(p.Runes[start]) && !strings.ContainsRune(".!?…”“»\"", p.Runes[start-2]) {
		c += 0.03 // a leading dash looks like a list mark, except before the name below a quotation
	}
	switch {
	case end == len(p.Runes):
		if start > 0 && (w < width*0.25 || w < ideal*0.6 && !p.severalWords(start, end)) {
			c += 0.3
		}
	case p.breaks[end] == insideWord:
		c += 0.25
	case p.breaks[end] == atCluster:
		c += 0.6
	case danglesAt(p.Runes, start, end):
		c += 0.025
	case endsClause(p.Runes, start, end):
		c -= 0.025
	}
	return c
}

// severalWords reports whether a stretch has a word boundary inside.
func (p *Paragraph) severalWords(start, end int) bool {
	return slices.Contains(p.breaks[start+1:end], betweenWord)
}

// danglesAt reports whether the line would end in a very short word ("a", "of", "the"), which reads better on the next
// line.
func danglesAt(runes []rune, start, end int) bool {
	for end > start && unicode.IsSpace(runes[end-1]) {
		end--
	}
	k := end
	for k > start && unicode.In(runes[k-1], unicode.Latin, unicode.Cyrillic, unicode.Greek) {
		k--
	}
	short := end - k
	return k > start && (short == 1 || short > 0 && short <= 3 && unicode.IsLower(runes[k]))
}

// endsClause reports whether the line would end in a punctuation mark.
func endsClause(runes []rune, start, end int) bool {
	for end > start && unicode.IsSpace(runes[end-1]) {
		end--
	}
	return end > start && strings.ContainsRune(",.:;!?،؛؟、。，：；！？।", runes[end-1])
}

// line returns a line with the glyphs of a stretch in visual order.
func (p *Paragraph) line(start, end int) Line {
	for end > start && unicode.IsSpace(p.Runes[end-1]) {
		end--
	}
	for start < end && unicode.IsSpace(p.Runes[start]) {
		start++
	}
	out := Line{Empty: start == end, Top: math.Inf(-1), Bottom: math.Inf(1), Left: math.Inf(1), Right: math.Inf(-1)}
	for _, c := range p.visual(start, end) {
		out.Glyphs = append(out.Glyphs, p.glyphs[c]...)
	}
	pen := 0.0
	for _, g := range out.Glyphs {
		if g.ID != font.EmptyGlyph && g.right > g.left {
			out.Left, out.Right = min(out.Left, pen+g.left), max(out.Right, pen+g.right)
			out.Top, out.Bottom = max(out.Top, g.top, g.bottom), min(out.Bottom, g.bottom, g.top)
		}
		pen += g.Advance
	}
	out.Width = pen
	if out.Right < out.Left {
		out.Left, out.Right, out.Top, out.Bottom = 0, pen, 0, 0
	}
	return out
}

// visual returns the clusters of a line from left to right: every stretch of a level or higher is reversed, from the
// highest level down to the lowest odd one.
func (p *Paragraph) visual(start, end int) []int {
	var order, levels []int
	high, low := 0, 1<<10
	for i := start; i < end; i++ {
		if len(p.glyphs[i]) == 0 {
			continue
		}
		l := int(p.glyphs[i][0].level)
		order, levels = append(order, i), append(levels, l)
		high = max(high, l)
		if l%2 == 1 {
			low = min(low, l)
		}
	}
	for l := high; l >= low; l-- {
		for i := 0; i < len(order); {
			k := i
			for k < len(order) && levels[k] >= l {
				k++
			}
			if k == i {
				i++
				continue
			}
			slices.Reverse(order[i:k])
			slices.Reverse(levels[i:k])
			i = k
		}
	}
	return order
}
