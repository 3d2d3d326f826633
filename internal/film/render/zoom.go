// SPDX-License-Identifier: Apache-2.0

package render

import (
	"math"

	"github.com/reelops/reelops/internal/film/timeline"
)

// oversample is how much larger than the canvas the background of a zoom is prepared. A source of exactly the canvas's
// size would be sharp where the pixel grids coincide and soft between, a pattern that moves over the image during the
// zoom. A larger source is equally sharp everywhere.
const oversample = 1.5

// zoom samples a prepared background at any scale.
type zoom struct {
	src      *frame
	from, to float64
	fx, fy   float64
	unitX    float64 // source pixels for one canvas pixel at scale 1
	unitY    float64
	w, h     int
}

// newZoom prepares a background. Its source is the canvas enlarged by oversample and by the square root of the largest
// scale of the motion.
func newZoom(src [3]plane, part window, w, h int, m timeline.Motion) *zoom {
	focus := timeline.Centre
	if m.Focus != nil {
		focus = *m.Focus
	}
	grow := oversample * math.Sqrt(max(m.From, m.To))
	even := func(n int) int { return int(math.Ceil(float64(n)*grow/2)) * 2 }
	sw, sh := even(w), even(h)
	return &zoom{
		src: fit(src, part, sw, sh), from: m.From, to: m.To, fx: focus.X, fy: focus.Y,
		unitX: float64(sw) / float64(w), unitY: float64(sh) / float64(h), w: w, h: h,
	}
}

// scale returns the zoom at a progress of 0 to 1. The zoom starts and ends gently and looks even: equal times multiply
// the size by equal factors.
func (z *zoom) scale(progress float64) float64 {
	eased := (1 - math.Cos(math.Pi*progress)) / 2
	return z.from * math.Pow(z.to/z.from, eased)
}

// spot is the position of one output sample between two source samples: the index of the first, and the share of the
// second in 256ths.
type spot struct {
	at int32
	w  uint32
}

// spots computes the positions along one side. centre0 and step are in indices of source samples.
func spots(dst []spot, centre0, step float64, source int) {
	for k := range dst {
		c := min(max(centre0+float64(k)*step, 0), float64(source-1))
		fixed := int64(math.Round(c * 256))
		at, w := int32(fixed>>8), uint32(fixed&255)
		if int(at) > source-2 { // the last sample has no right neighbour
			at, w = int32(source-2), 256
		}
		dst[k] = spot{at, w}
	}
}

// zoomScratch holds the buffers that one drawing goroutine reuses for every frame.
type zoomScratch struct {
	cols, rows places
	line       []byte
}

// places are the positions of the samples along a side: of luma, and of chroma.
type places [2][]spot

// place computes the positions of the samples at a scale, for an output of w by h pixels.
func (z *zoom) place(scale float64, w, h int, cols, rows *places) {
	// The view is the canvas divided by the scale, positioned so that the focal point stays fixed.
	x0 := z.fx * (float64(z.w) - float64(z.w)/scale) * z.unitX
	y0 := z.fy * (float64(z.h) - float64(z.h)/scale) * z.unitY
	stepX, stepY := z.unitX/scale, z.unitY/scale
	for i := range cols {
		cols[i], rows[i] = grown(cols[i], w>>i), grown(rows[i], h>>i)
	}
	src := z.src.planes()
	spots(cols[0], x0+0.5*stepX-0.5, stepX, src[0].w)
	spots(rows[0], y0+0.5*stepY-0.5, stepY, src[0].h)
	// Chroma is level with the left luma sample, halfway between two rows, in the source as in the frame.
	spots(cols[1], (x0+0.5*stepX-0.5)/2, stepX, src[1].w)
	spots(rows[1], (y0+stepY-1)/2, stepY, src[1].h)
}

// draw writes the background at a progress of 0 to 1. It does not draw the layer on top, which does not move.
func (z *zoom) draw(dst *frame, progress float64, s *zoomScratch) {
	z.place(z.scale(progress), dst.w, dst.h, &s.cols, &s.rows)
	in := z.src.planes()
	for i, out := range dst.planes() {
		k := min(i, 1)
		sample(out, in[i], s.cols[k], s.rows[k], &s.line)
	}
}

// sample blends two rows of the source into a line, eight samples at a time, and picks the output samples from that
// line.
func sample(out, src plane, cols, rows []spot, line *[]byte) {
	left := int(cols[0].at)
	right := int(cols[len(cols)-1].at) + 2
	*line = grown(*line, right-left)
	for y := range out.h {
		r := rows[y]
		mix(*line, src.row(int(r.at))[left:right], src.row(int(r.at) + 1)[left:right], r.w)
		pick(out.row(y), *line, cols, left)
	}
}

func pick(dst, line []byte, cols []spot, left int) {
	cols = cols[:len(dst)]
	for x, c := range cols {
		i := int(c.at) - left
		pair := line[i : i+2 : i+2]
		a, b := uint32(pair[0]), uint32(pair[1])
		dst[x] = byte((a<<8 + (b-a)*c.w + 128) >> 8)
	}
}

// grown returns a slice of exactly n elements, reusing the memory of s if it is large enough.
func grown[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}
