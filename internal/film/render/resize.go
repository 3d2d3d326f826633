// SPDX-License-Identifier: Apache-2.0

package render

import "math"

// axis is the position of the n samples of one side of a plane in the source. Sample k has its centre
// at start + k*step, in source pixels counted from the edge of the first one.
type axis struct {
	n           int
	start, step float64
}

// taps are the weights of one output sample over the source samples first, first+1, ... They sum to one in 14-bit fixed
// point.
type taps struct {
	first  int
	weight []int32
}

const tapBits = 14

// kernel returns the taps of an axis over source samples. It uses the Catmull-Rom kernel, widened when the image
// shrinks, which avoids aliasing.
func (a axis) kernel(source int) []taps {
	wide := max(a.step, 1)
	radius := 2 * wide
	out := make([]taps, a.n)
	for k := range out {
		centre := a.start + float64(k)*a.step - 0.5 // in sample indices
		lo, hi := int(math.Ceil(centre-radius)), int(math.Floor(centre+radius))
		raw := make([]float64, 0, hi-lo+1)
		sum := 0.0
		for i := lo; i <= hi; i++ {
			w := catmullRom((float64(i) - centre) / wide)
			raw = append(raw, w)
			sum += w
		}
		first, last := min(max(lo, 0), source-1), min(max(hi, 0), source-1)
		weight := make([]int32, last-first+1)
		left, big := int32(1<<tapBits), 0
		for j, w := range raw { // samples beyond the edge repeat the edge
			at := min(max(lo+j, 0), source-1) - first
			v := int32(math.Round(w / sum * (1 << tapBits)))
			weight[at] += v
			left -= v
			if weight[at] > weight[big] {
				big = at
			}
		}
		weight[big] += left // rounding must not change flat areas
		for len(weight) > 1 && weight[len(weight)-1] == 0 {
			weight = weight[:len(weight)-1]
		}
		for len(weight) > 1 && weight[0] == 0 {
			weight, first = weight[1:], first+1
		}
		out[k] = taps{first, weight}
	}
	return out
}

func catmullRom(x float64) float64 {
	x = math.Abs(x)
	switch {
	case x < 1:
		return (1.5*x-2.5)*x*x + 1
	case x < 2:
		return ((-0.5*x+2.5)*x-4)*x + 2
	}
	return 0
}

// resize resamples src along both axes into out.
func resize(out, src plane, across, down axis) {
	cols, rows := across.kernel(src.w), down.kernel(src.h)
	top, bottom := src.h, 0
	for _, t := range rows {
		top, bottom = min(top, t.first), max(bottom, t.first+len(t.weight))
	}
	wide := plane{across.n, bottom - top, nil}
	if across == (axis{src.w, 0.5, 1}) { // no horizontal resampling
		wide.pix = src.pix[top*src.w : bottom*src.w]
	} else {
		wide.pix = make([]byte, across.n*(bottom-top))
		bands(wide.h, func(y0, y1 int) {
			for y := y0; y < y1; y++ {
				resizeRow(wide.row(y), src.row(top+y), cols)
			}
		})
	}
	bands(down.n, func(y0, y1 int) {
		sum := make([]int32, across.n)
		for y := y0; y < y1; y++ {
			t := rows[y]
			if len(t.weight) == 1 {
				copy(out.row(y), wide.row(t.first-top))
				continue
			}
			for i := range sum {
				sum[i] = 1 << (tapBits - 1)
			}
			for j, w := range t.weight {
				in := wide.row(t.first - top + j)[:len(sum)]
				for i := range sum {
					sum[i] += w * int32(in[i])
				}
			}
			dst := out.row(y)[:len(sum)]
			for i, s := range sum {
				dst[i] = clamp(s >> tapBits)
			}
		}
	})
}

func resizeRow(dst, src []byte, cols []taps) {
	for x := range dst {
		t := &cols[x]
		in := src[t.first : t.first+len(t.weight)]
		s := int32(1 << (tapBits - 1))
		for i, w := range t.weight {
			s += w * int32(in[i])
		}
		dst[x] = clamp(s >> tapBits)
	}
}

func clamp(v int32) byte {
	if uint32(v) > 255 {
		if v < 0 {
			return 0
		}
		return 255
	}
	return byte(v)
}

// window is a part of an image in pixels from its top left corner.
type window struct{ x, y, w, h float64 }

// cover returns the largest part of an image of sw by sh pixels with the aspect ratio of dw by dh. Its centre is as
// close to the focus (fx, fy), in shares of the sides, as the edges allow.
func cover(sw, sh, dw, dh int, fx, fy float64) window {
	w, h := float64(sw), float64(sh)
	if want := float64(dw) / float64(dh); w/h > want {
		w = h * want
	} else {
		h = w / want
	}
	x := min(max(fx*float64(sw)-w/2, 0), float64(sw)-w)
	y := min(max(fy*float64(sh)-h/2, 0), float64(sh)-h)
	return window{x, y, w, h}
}

// fit returns a window of an image as a frame of w by h. Chroma samples have the default H.264 position: at the left
// one of two luma samples, and halfway between two rows.
func fit(src [3]plane, part window, w, h int) *frame {
	f := newFrame(w, h)
	sx, sy := part.w/float64(w), part.h/float64(h)
	for i, p := range f.planes() {
		across := axis{p.w, part.x + 0.5*sx, sx}
		down := axis{p.h, part.y + 0.5*sy, sy}
		if i > 0 {
			across.step, down = 2*sx, axis{p.h, part.y + sy, 2 * sy}
		}
		resize(p, src[i], across, down)
	}
	return f
}
