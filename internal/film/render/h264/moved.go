// SPDX-License-Identifier: Apache-2.0

package h264

import (
	"encoding/binary"
	"errors"
	"io"
)

// Vector is a displacement in quarters of a luma sample.
type Vector struct{ X, Y int16 }

// Moved writes the macroblocks of one picture that is predicted from the reference picture before it: a P picture
// without intra macroblocks, which no other picture refers to.
type Moved struct {
	width, height int // in macroblocks
	qp            int
	at            int // the next macroblock
	run           uint32
	w             bitWriter
	vectors       []Vector
	// skipped and coded are what Expected returns.
	skipped, coded Vector
	// luma and chroma are the numbers of coefficients of the blocks.
	luma   []uint8
	chroma [2][]uint8
}

// NewMoved returns a writer for pictures of a width and a height in samples.
func NewMoved(width, height int) *Moved {
	m := &Moved{width: (width + 15) / 16, height: (height + 15) / 16}
	n := m.width * m.height
	m.vectors, m.luma, m.chroma = make([]Vector, n), make([]uint8, 16*n), [2][]uint8{make([]uint8, 4*n), make([]uint8, 4*n)}
	return m
}

// Begin begins a picture with a quantization parameter of 0 to 51.
func (m *Moved) Begin(qp int) {
	m.at, m.run, m.w, m.qp = 0, 0, bitWriter{b: m.w.b[:0]}, qp
	clear(m.luma)
	clear(m.chroma[0])
	clear(m.chroma[1])
	m.expect()
}

// QP returns the quantization parameter of the picture.
func (m *Moved) QP() int { return m.qp }

// Expected returns the vectors of the next macroblock that cost least: of a skipped macroblock without residual, and of
// a coded one.
func (m *Moved) Expected() (skipped, coded Vector) { return m.skipped, m.coded }

// expect computes the vectors of Expected; see ITU-T H.264, 8.4.1.
func (m *Moved) expect() {
	x := m.at % m.width
	if m.at < m.width { // the first row: only the left neighbour counts
		m.skipped, m.coded = Vector{}, Vector{}
		if x > 0 {
			m.coded = m.vectors[m.at-1]
		}
		return
	}
	var left, corner Vector
	above := m.vectors[m.at-m.width]
	if x > 0 {
		left = m.vectors[m.at-1]
	}
	switch {
	case x < m.width-1:
		corner = m.vectors[m.at-m.width+1]
	case x > 0:
		corner = m.vectors[m.at-m.width-1]
	}
	m.coded = Vector{median(left.X, above.X, corner.X), median(left.Y, above.Y, corner.Y)}
	m.skipped = m.coded
	if x == 0 || left == (Vector{}) || above == (Vector{}) {
		m.skipped = Vector{}
	}
}

func median(a, b, c int16) int16 { return max(min(a, b), min(max(a, b), c)) }

// Add appends the next macroblock, in rows from the top. A nil residual means that the prediction is kept.
func (m *Moved) Add(v Vector, r *Residual) {
	skipped, expected := m.Expected()
	cbp := uint32(0)
	if r != nil {
		cbp = r.luma | r.chroma<<4
	}
	at := m.at
	m.vectors[at] = v
	m.at++
	m.expect()
	if cbp == 0 && v == skipped {
		m.run++
		return
	}
	m.w.ue(m.run)
	m.run = 0
	m.w.ue(0) // mb_type: P_L0_16x16
	m.w.se(int32(v.X) - int32(expected.X))
	m.w.se(int32(v.Y) - int32(expected.Y))
	m.w.ue(uint32(patterns[cbp]))
	if cbp == 0 {
		return
	}
	m.w.se(0) // mb_qp_delta
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

// End returns the picture as a unit for a segment, without its start code. Joiner adds the header of the slice.
func (m *Moved) End() []byte {
	if m.run > 0 {
		m.w.ue(m.run)
	}
	head := binary.BigEndian.AppendUint32([]byte{typeMoved, byte(m.qp)}, uint32(m.width*m.height))
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
