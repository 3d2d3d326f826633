// SPDX-License-Identifier: Apache-2.0

package h264

// Residual is the coded difference between a macroblock and its prediction: quantized coefficients in scan order.
type Residual struct {
	// luma has a bit for each 8x8 block with coefficients. chroma is 0 without coefficients, 1 with DC coefficients
	// only, and 2 with others.
	luma, chroma uint32
	blocks       [16][16]int16 // in coding order
	dc           [2][4]int16
	ac           [2][4][15]int16
}

// Block is the samples of a macroblock: luma by rows of 16, and both chroma planes by rows of 8.
type Block struct {
	Y      [256]byte
	Cb, Cr [64]byte
}

// pattern returns the coded block pattern: 0 for a nil residual.
func (r *Residual) pattern() uint32 {
	if r == nil {
		return 0
	}
	return r.luma | r.chroma<<4
}

// maxLevel is the largest coefficient that a code without extension holds.
const maxLevel = 2000

// scan is the position of each coefficient of a 4x4 block, in coding order.
var scan = [16]int{0, 1, 4, 8, 5, 2, 3, 6, 9, 12, 13, 10, 7, 11, 14, 15}

// factors are the multipliers of the quantization by the remainder of the quantization parameter: for positions with
// both coordinates even, both odd, and others.
var factors = [6][3]int32{{13107, 5243, 8066}, {11916, 4660, 7490}, {10082, 4194, 6554}, {9362, 3647, 5825}, {8192, 3355, 5243}, {7282, 2893, 4559}}

// chromaQPTable are the quantization parameters of chroma for those of luma from 30.
var chromaQPTable = [22]int{29, 30, 31, 32, 32, 33, 34, 34, 35, 35, 36, 36, 37, 37, 37, 38, 38, 38, 39, 39, 39, 39}

func chromaQP(qp int) int {
	if qp < 30 {
		return qp
	}
	return chromaQPTable[qp-30]
}

// quantizer divides coefficients. Its dead zone is a third of a step wide on each side, as in the reference encoder.
type quantizer struct {
	factor [16]int32 // by position
	round  int32
	shift  int
}

func newQuantizer(qp int) quantizer {
	q := quantizer{shift: 15 + qp/6}
	q.round = 1 << q.shift / 6
	f := factors[qp%6]
	for i := range q.factor {
		switch x, y := i&1, i>>2&1; {
		case x == 0 && y == 0:
			q.factor[i] = f[0]
		case x == 1 && y == 1:
			q.factor[i] = f[1]
		default:
			q.factor[i] = f[2]
		}
	}
	return q
}

func (q *quantizer) level(c, factor, round int32, shift int) int16 {
	if c < 0 {
		return -int16(min((-c*factor+round)>>shift, maxLevel))
	}
	return int16(min((c*factor+round)>>shift, maxLevel))
}

// Quantize replaces the residual by that of a target and a prediction, for a quantization parameter of 0 to 51. Blocks
// of 8x8 samples with few small coefficients are dropped.
func (r *Residual) Quantize(target, prediction *Block, qp int) {
	r.luma, r.chroma = 0, 0
	q := newQuantizer(qp)
	for part := range 4 {
		weight := 0
		for k := range 4 {
			n := 4*part + k
			x, y := lumaAt(n)
			var c [16]int32
			transform(&c, target.Y[16*y+x:], prediction.Y[16*y+x:], 16)
			for i, at := range scan {
				l := q.level(c[at], q.factor[at], q.round, q.shift)
				r.blocks[n][i] = l
				weight += cost(l, i)
			}
		}
		if weight > dropped {
			r.luma |= 1 << part
		}
	}
	q = newQuantizer(chromaQP(qp))
	weight := 0
	for p, planes := range [2][2]*[64]byte{{&target.Cb, &prediction.Cb}, {&target.Cr, &prediction.Cr}} {
		var dc [4]int32
		for k := range 4 {
			at := 32*(k>>1) + 4*(k&1)
			var c [16]int32
			transform(&c, planes[0][at:], planes[1][at:], 8)
			dc[k] = c[0]
			for i, at := range scan[1:] {
				l := q.level(c[at], q.factor[at], q.round, q.shift)
				r.ac[p][k][i] = l
				weight += cost(l, i+1)
			}
		}
		for i, v := range [4]int32{dc[0] + dc[1] + dc[2] + dc[3], dc[0] - dc[1] + dc[2] - dc[3], dc[0] + dc[1] - dc[2] - dc[3], dc[0] - dc[1] - dc[2] + dc[3]} {
			r.dc[p][i] = q.level(v, q.factor[0], 2*q.round, q.shift+1)
			if r.dc[p][i] != 0 {
				r.chroma = 1
			}
		}
	}
	if weight > dropped {
		r.chroma = 2
	}
}

// dropped is the cost up to which a part's coefficients are not worth their bits.
const dropped = 3

// cost estimates how much a coefficient matters: much if it is greater than 1, little if its frequency is high.
func cost(level int16, at int) int {
	switch {
	case level == 0:
		return 0
	case level > 1 || level < -1:
		return 9
	case at < 3:
		return 3
	case at < 6:
		return 2
	case at < 10:
		return 1
	}
	return 0
}

// lumaAt returns the position of a block in its macroblock, in samples.
func lumaAt(n int) (x, y int) { return 8*(n>>2&1) + 4*(n&1), 8*(n>>3) + 4*(n>>1&1) }

// transform computes the coefficients of the difference of two blocks of 4x4 samples.
func transform(c *[16]int32, target, prediction []byte, stride int) {
	for y := range 4 {
		t, p := target[y*stride:y*stride+4:y*stride+4], prediction[y*stride:y*stride+4:y*stride+4]
		d0, d1, d2, d3 := int32(t[0])-int32(p[0]), int32(t[1])-int32(p[1]), int32(t[2])-int32(p[2]), int32(t[3])-int32(p[3])
		s03, s12, m03, m12 := d0+d3, d1+d2, d0-d3, d1-d2
		c[4*y], c[4*y+1], c[4*y+2], c[4*y+3] = s03+s12, 2*m03+m12, s03-s12, m03-2*m12
	}
	for x := range 4 {
		d0, d1, d2, d3 := c[x], c[4+x], c[8+x], c[12+x]
		s03, s12, m03, m12 := d0+d3, d1+d2, d0-d3, d1-d2
		c[x], c[4+x], c[8+x], c[12+x] = s03+s12, 2*m03+m12, s03-s12, m03-2*m12
	}
}
