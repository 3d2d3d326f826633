// SPDX-License-Identifier: Apache-2.0

package h264

import (
	"errors"
	"math/bits"
)

var errShort = errors.New("unexpected end of the unit")

// bitReader reads a raw byte sequence payload, the content of a unit without emulation prevention. The first error is
// kept.
type bitReader struct {
	b   []byte
	pos int // in bits
	err error
}

// u reads n bits, at most 32.
func (r *bitReader) u(n int) uint32 {
	if r.err != nil || r.pos+n > 8*len(r.b) {
		r.err = errShort
		return 0
	}
	var v uint32
	for range n {
		v = v<<1 | uint32(r.b[r.pos>>3]>>(7-r.pos&7)&1)
		r.pos++
	}
	return v
}

func (r *bitReader) flag() bool { return r.u(1) == 1 }

// ue reads an unsigned Exp-Golomb number.
func (r *bitReader) ue() uint32 {
	zeros := 0
	for r.err == nil && r.u(1) == 0 {
		if zeros++; zeros > 31 {
			r.err = errors.New("number exceeds 32 bits")
		}
	}
	if r.err != nil {
		return 0
	}
	return 1<<zeros - 1 + r.u(zeros)
}

// se reads a signed Exp-Golomb number: 0, 1, -1, 2, -2, ...
func (r *bitReader) se() int32 {
	v := r.ue()
	if v&1 == 1 {
		return int32(v/2) + 1
	}
	return -int32(v / 2)
}

// bitWriter builds a payload.
type bitWriter struct {
	b    []byte
	free int // unused bits of the last byte
}

// u appends the low n bits of v.
func (w *bitWriter) u(n int, v uint32) {
	for n > 0 {
		if w.free == 0 {
			w.b, w.free = append(w.b, 0), 8
		}
		k := min(n, w.free)
		n -= k
		w.free -= k
		w.b[len(w.b)-1] |= byte(v>>n&(1<<k-1)) << w.free
	}
}

// copy appends the bits of b from one position up to another.
func (w *bitWriter) copy(b []byte, from, to int) {
	for from < to {
		k := min(8-from&7, to-from)
		w.u(k, uint32(b[from>>3]>>(8-from&7-k)))
		from += k
	}
}

// lastBit returns the position of the stop bit of a payload, or -1.
func lastBit(b []byte) int {
	for i := len(b) - 1; i >= 0; i-- {
		if b[i] != 0 {
			return 8*i + 7 - bits.TrailingZeros8(b[i])
		}
	}
	return -1
}

// ue appends an unsigned Exp-Golomb number below 2^32-1.
func (w *bitWriter) ue(v uint32) {
	n := bits.Len32(v + 1)
	w.u(n-1, 0)
	w.u(n, v+1)
}

// se appends a signed Exp-Golomb number.
func (w *bitWriter) se(v int32) {
	if v > 0 {
		w.ue(uint32(2*v - 1))
	} else {
		w.ue(uint32(-2 * v))
	}
}

// end appends the stop bit and fills the last byte.
func (w *bitWriter) end() []byte {
	w.u(1, 1)
	w.free = 0
	return w.b
}

// setBits overwrites n bits at a bit position.
func setBits(b []byte, pos, n int, v uint32) {
	for i := range n {
		at := pos + i
		mask := byte(1) << (7 - at&7)
		if v>>(n-1-i)&1 == 1 {
			b[at>>3] |= mask
		} else {
			b[at>>3] &^= mask
		}
	}
}
