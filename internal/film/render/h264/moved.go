// SPDX-License-Identifier: Apache-2.0

package h264

import (
	"encoding/binary"
	"errors"
	"io"
)

// Vector is a displacement in quarters of a luma sample.
type Vector struct{ X, Y int16 }

// Moved writes the macroblocks of one picture that is predicted from others and that no other picture refers to. It is a P
// picture, which displaces the reference picture before it, or a blend. A blend is a B picture that also displaces the
// reference picture after it, and mixes both. Neither has intra macroblocks.
type Moved struct {
	width, height int // in macroblocks
	qp, weight    int
	at            int // the next macroblock
	run           uint32
	w             bitWriter
	before, after field
	// luma and chroma are the numbers of coefficients of the blocks.
	luma   []uint8
	chroma [2][]uint8
}

// field has the vectors of a picture into one reference picture.
type field struct {
	width   int // in macroblocks
	vectors []Vector
	// expected is the vector of the next macroblock that costs least. skipped is that of a skipped macroblock in a P
	// picture.
	expected, skipped Vector
}

// NewMoved returns a writer for pictures of a width and a height in samples.
func NewMoved(width, height int) *Moved {
	m := &Moved{width: (width + 15) / 16, height: (height + 15) / 16}
	n := m.width * m.height
	m.before, m.after = field{width: m.width, vectors: make([]Vector, n)}, field{width: m.width, vectors: make([]Vector, n)}
	m.luma, m.chroma = make([]uint8, 16*n), [2][]uint8{make([]uint8, 4*n), make([]uint8, 4*n)}
	return m
}

// Begin begins a P picture with a quantization parameter of 0 to 51.
func (m *Moved) Begin(qp int) { m.begin(qp, 0) }

// BeginBlend begins a blend with a quantization parameter of 0 to 51. The weight is the share of the picture after it, in
// units of 1/WeightUnit, at least 1 and less than WeightUnit.
func (m *Moved) BeginBlend(qp, weight int) { m.begin(qp, weight) }

func (m *Moved) begin(qp, weight int) {
	m.at, m.run, m.w, m.qp, m.weight = 0, 0, bitWriter{b: m.w.b[:0]}, qp, weight
	clear(m.luma)
	clear(m.chroma[0])
	clear(m.chroma[1])
	m.before.expect(0)
	m.after.expect(0)
}

// QP returns the quantization parameter of the picture.
func (m *Moved) QP() int { return m.qp }

// Expected returns the vectors of the next macroblock of a P picture that cost least: of a skipped macroblock without
// residual, and of a coded one.
func (m *Moved) Expected() (skipped, coded Vector) { return m.before.skipped, m.before.expected }

// ExpectedBlend returns the vectors of the next macroblock of a blend that cost least.
func (m *Moved) ExpectedBlend() (before, after Vector) { return m.before.expected, m.after.expected }

// expect computes the expected vectors of a macroblock; see ITU-T H.264, 8.4.1.
func (f *field) expect(at int) {
	x := at % f.width
	if at < f.width { // the first row: only the left neighbour counts
		f.skipped, f.expected = Vector{}, Vector{}
		if x > 0 {
			f.expected = f.vectors[at-1]
		}
		return
	}
	var left, corner Vector
	above := f.vectors[at-f.width]
	if x > 0 {
		left = f.vectors[at-1]
	}
	switch {
	case x < f.width-1:
		corner = f.vectors[at-f.width+1]
	case x > 0:
		corner = f.vectors[at-f.width-1]
	}
	f.expected = Vector{median(left.X, above.X, corner.X), median(left.Y, above.Y, corner.Y)}
	f.skipped = f.expected
	if x == 0 || left == (Vector{}) || above == (Vector{}) {
		f.skipped = Vector{}
	}
}

func median(a, b, c int16) int16 { return max(min(a, b), min(max(a, b), c)) }

// add stores the vector of a macroblock and returns its coded difference.
func (f *field) add(at int, v Vector) (difference Vector) {
	difference = Vector{v.X - f.expected.X, v.Y - f.expected.Y}
	f.vectors[at] = v
	f.expect(at + 1)
	return difference
}

// Add appends the next macroblock of a P picture, in rows from the top. A nil residual means that the prediction is kept.
func (m *Moved) Add(v Vector, r *Residual) {
	skipped := v == m.before.skipped
	d := m.before.add(m.at, v)
	pattern := r.pattern()
	if m.skip(skipped && pattern == 0) {
		return
	}
	m.w.ue(0) // mb_type: P_L0_16x16
	m.vector(d)
	m.coefficients(r, pattern)
}

// AddBlend appends the next macroblock of a blend.
func (m *Moved) AddBlend(before, after Vector, r *Residual) {
	d0, d1 := m.before.add(m.at, before), m.after.add(m.at, after)
	pattern := r.pattern()
	// A direct macroblock has the expected vectors: the picture after the blend is coded without vectors, so none of
	// its macroblocks counts as still (8.4.1.2.2).
	direct := d0 == (Vector{}) && d1 == (Vector{})
	if m.skip(direct && pattern == 0) {
		return
	}
	if direct {
		m.w.ue(0) // mb_type: B_Direct_16x16
	} else {
		m.w.ue(3) // mb_type: B_Bi_16x16
		m.vector(d0)
		m.vector(d1)
	}
	m.coefficients(r, pattern)
}

// skip counts a skipped macroblock, or ends the run of skipped macroblocks before another one.
func (m *Moved) skip(skipped bool) bool {
	if m.at++; skipped {
		m.run++
		return true
	}
	m.w.ue(m.run)
	m.run = 0
	return false
}

func (m *Moved) vector(difference Vector) {
	m.w.se(int32(difference.X))
	m.w.se(int32(difference.Y))
}

// coefficients appends the pattern of the last macroblock and its residual.
func (m *Moved) coefficients(r *Residual, pattern uint32) {
	m.w.ue(uint32(patterns[pattern]))
	if pattern == 0 {
		return
	}
	m.w.se(0) // mb_qp_delta
	at := m.at - 1
	m.residual(r, at%m.width, at/m.width)
}

// patterns has the number of each coded block pattern of an inter macroblock; see ITU-T H.264, table 9-4.
var patterns = func() (n [48]uint8) {
	for i, pattern := range []uint8{
		0, 16, 1, 2, 4, 8, 32, 3, 5, 10, 12, 15, 47, 7, 11, 13, 14, 6, 9, 31, 35, 37, 42, 44,
		33, 34, 36, 40, 39, 43, 45, 46, 17, 18, 20, 24, 19, 21, 26, 28, 23, 27, 29, 30, 22, 25, 38, 41,
	} {
		n[pattern] = uint8(i)
	}
	return n
}()

// residual appends the coefficients of the macroblock at (x, y).
func (m *Moved) residual(r *Residual, x, y int) {
	for n := range 16 {
		if r.luma>>(n>>2)&1 == 0 {
			continue
		}
		dx, dy := lumaAt(n)
		count, around := neighbours(m.luma, 4*m.width, 4*x+dx/4, 4*y+dy/4)
		*count = uint8(m.w.block(r.blocks[n][:], around))
	}
	if r.chroma == 0 {
		return
	}
	m.w.chromaDC(r.dc[0][:])
	m.w.chromaDC(r.dc[1][:])
	if r.chroma == 1 {
		return
	}
	for p := range 2 {
		for k := range 4 {
			count, around := neighbours(m.chroma[p], 2*m.width, 2*x+k&1, 2*y+k>>1)
			*count = uint8(m.w.block(r.ac[p][k][:], around))
		}
	}
}

// neighbours returns the count of the block at (x, y) and the average of the counts to the left and above.
func neighbours(counts []uint8, stride, x, y int) (own *uint8, around int) {
	at := y*stride + x
	own = &counts[at]
	switch {
	case x > 0 && y > 0:
		around = (int(counts[at-1]) + int(counts[at-stride]) + 1) >> 1
	case x > 0:
		around = int(counts[at-1])
	case y > 0:
		around = int(counts[at-stride])
	}
	return own, around
}

// End returns the picture as a unit for a segment, without its start code. Joiner adds the header of the slice. Blends
// are the last pictures of their segment; the picture after them is the first of the next segment.
func (m *Moved) End() []byte {
	if m.run > 0 {
		m.w.ue(m.run)
	}
	head := binary.BigEndian.AppendUint32([]byte{typeMoved, byte(m.qp), byte(m.weight)}, uint32(m.width*m.height))
	return escape(append(head, m.w.end()...))
}

// Insert copies a segment's stream and inserts after each of its pictures the units of Moved that follow the picture.
func Insert(dst io.Writer, src io.Reader, moved [][][]byte) error {
	s := &splitter{r: src}
	write := func(unit []byte) error {
		if _, err := dst.Write(startCode); err != nil {
			return err
		}
		_, err := dst.Write(unit)
		return err
	}
	n := 0
	for {
		unit, err := s.next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := write(unit); err != nil {
			return err
		}
		if kind := unit[0] & 31; kind != typeSlice && kind != typeIDR {
			continue
		}
		if n < len(moved) {
			for _, one := range moved[n] {
				if err := write(one); err != nil {
					return err
				}
			}
		}
		n++
	}
}
