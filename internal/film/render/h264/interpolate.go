// SPDX-License-Identifier: Apache-2.0

package h264

// Picture is a decoded picture, by planes: luma, and both chroma planes at half the width and height.
type Picture struct {
	Width, Height int
	Y, Cb, Cr     []byte
}

// patchSize is the side of the samples that the prediction of a macroblock reads.
const patchSize = 16 + 5

// PredictLuma writes luma of the prediction of the macroblock whose first luma sample is (x, y), displaced by a vector. See
// ITU-T H.264, 8.4.2.2. Beyond its edges the picture continues with the samples of the edge.
func (p *Picture) PredictLuma(b *Block, x, y int, v Vector) {
	if v == (Vector{}) && x >= 0 && y >= 0 && x+16 <= p.Width && y+16 <= p.Height {
		for r := range 16 {
			copy(b.Y[16*r:16*r+16], p.Y[(y+r)*p.Width+x:])
		}
		return
	}
	p.luma(&b.Y, x, y, v)
}

// PredictChroma writes chroma of the prediction; see PredictLuma.
func (p *Picture) PredictChroma(b *Block, x, y int, v Vector) {
	w, h := p.Width/2, p.Height/2
	fx, fy := uint32(v.X&7), uint32(v.Y&7)
	topLeft, topRight, lowLeft, lowRight := (8-fx)*(8-fy), fx*(8-fy), (8-fx)*fy, fx*fy
	var patch [9 * 9]byte
	for i, src := range [2][]byte{p.Cb, p.Cr} {
		out := &b.Cb
		if i == 1 {
			out = &b.Cr
		}
		cut(patch[:], 9, src, w, h, x/2+int(v.X>>3), y/2+int(v.Y>>3))
		for r := range 8 {
			a, c := patch[9*r:9*r+9:9*r+9], patch[9*r+9:9*r+18:9*r+18]
			to := out[8*r : 8*r+8 : 8*r+8]
			for k := range 8 {
				to[k] = byte((topLeft*uint32(a[k]) + topRight*uint32(a[k+1]) + lowLeft*uint32(c[k]) + lowRight*uint32(c[k+1]) + 32) >> 6)
			}
		}
	}
}

// cut copies a square of samples whose first one is (x, y).
func cut(dst []byte, side int, src []byte, w, h, x, y int) {
	if x >= 0 && x+side <= w && y >= 0 && y+side <= h {
		for r := range side {
			copy(dst[r*side:(r+1)*side], src[(y+r)*w+x:])
		}
		return
	}
	for r := range side {
		row := src[min(max(y+r, 0), h-1)*w:]
		for k := range side {
			dst[r*side+k] = row[min(max(x+k, 0), w-1)]
		}
	}
}

// luma interpolates quarters of samples: halves with a filter of six taps, and quarters as the average of two
// neighbours.
func (p *Picture) luma(out *[256]byte, x, y int, v Vector) {
	var patch [patchSize * patchSize]byte
	cut(patch[:], patchSize, p.Y, p.Width, p.Height, x+int(v.X>>2)-2, y+int(v.Y>>2)-2)
	fx, fy := v.X&3, v.Y&3
	var other [256]byte
	switch {
	case fx == 0 && fy == 0:
		whole(out, &patch, 0, 0)
		return
	case fy == 0:
		across(out, &patch, 0)
		if fx == 2 {
			return
		}
		whole(&other, &patch, int(fx>>1), 0)
	case fx == 0:
		down(out, &patch, 0)
		if fy == 2 {
			return
		}
		whole(&other, &patch, 0, int(fy>>1))
	case fx != 2 && fy != 2:
		across(out, &patch, int(fy>>1))
		down(&other, &patch, int(fx>>1))
	default:
		centre(out, &patch)
		switch {
		case fx == 2 && fy == 2:
			return
		case fx == 2:
			across(&other, &patch, int(fy>>1))
		default:
			down(&other, &patch, int(fx>>1))
		}
	}
	for i, o := range other {
		out[i] = byte((uint32(out[i]) + uint32(o) + 1) >> 1)
	}
}

// whole copies the samples at (dx, dy) of the macroblock.
func whole(out *[256]byte, patch *[patchSize * patchSize]byte, dx, dy int) {
	for r := range 16 {
		copy(out[16*r:16*r+16], patch[(r+2+dy)*patchSize+2+dx:])
	}
}

// across interpolates halfway between columns, dy rows below.
func across(out *[256]byte, patch *[patchSize * patchSize]byte, dy int) {
	for r := range 16 {
		line := patch[(r+2+dy)*patchSize : (r+3+dy)*patchSize : (r+3+dy)*patchSize]
		for k := range 16 {
			s := line[k : k+6 : k+6]
			out[16*r+k] = clip((taps(int32(s[0]), int32(s[1]), int32(s[2]), int32(s[3]), int32(s[4]), int32(s[5])) + 16) >> 5)
		}
	}
}

// down interpolates halfway between rows, dx columns to the right.
func down(out *[256]byte, patch *[patchSize * patchSize]byte, dx int) {
	for r := range 16 {
		for k := range 16 {
			s := patch[r*patchSize+k+2+dx:]
			_ = s[5*patchSize]
			out[16*r+k] = clip((taps(int32(s[0]), int32(s[patchSize]), int32(s[2*patchSize]), int32(s[3*patchSize]), int32(s[4*patchSize]),
				int32(s[5*patchSize])) + 16) >> 5)
		}
	}
}

// centre interpolates halfway between columns and rows.
func centre(out *[256]byte, patch *[patchSize * patchSize]byte) {
	var half [patchSize * 16]int32
	for r := range patchSize {
		line := patch[r*patchSize : (r+1)*patchSize : (r+1)*patchSize]
		for k := range 16 {
			s := line[k : k+6 : k+6]
			half[16*r+k] = taps(int32(s[0]), int32(s[1]), int32(s[2]), int32(s[3]), int32(s[4]), int32(s[5]))
		}
	}
	for i := range 256 {
		out[i] = clip((taps(half[i], half[i+16], half[i+32], half[i+48], half[i+64], half[i+80]) + 512) >> 10)
	}
}

func taps(a, b, c, d, e, f int32) int32 { return a - 5*b + 20*c + 20*d - 5*e + f }

func clip(v int32) byte { return byte(min(max(v, 0), 255)) }

// WeightUnit is the sum of the weights of a blend.
const WeightUnit = 1 << (weightBits + 1)

// weightBits is the base 2 logarithm of the denominator of weights, luma_log2_weight_denom: the largest with which the
// two weights may be complements.
const weightBits = 6

// BlendLuma writes luma of the prediction that mixes two others, of which the second has a weight in units of 1/WeightUnit.
// See ITU-T H.264, 8.4.2.3.
func (b *Block) BlendLuma(before, after *Block, weight int) {
	blend(b.Y[:], before.Y[:], after.Y[:], weight)
}

// BlendChroma writes chroma of the prediction; see BlendLuma.
func (b *Block) BlendChroma(before, after *Block, weight int) {
	blend(b.Cb[:], before.Cb[:], after.Cb[:], weight)
	blend(b.Cr[:], before.Cr[:], after.Cr[:], weight)
}

func blend(dst, before, after []byte, weight int) {
	w1 := uint32(weight)
	w0 := WeightUnit - w1
	before, after = before[:len(dst)], after[:len(dst)]
	for i := range dst {
		dst[i] = byte((w0*uint32(before[i]) + w1*uint32(after[i]) + WeightUnit/2) >> (weightBits + 1))
	}
}
