// SPDX-License-Identifier: Apache-2.0

package mp4

import "encoding/binary"

// box is the content of a box, or a sequence of boxes.
type box []byte

func (b *box) u8(v ...byte) { *b = append(*b, v...) }
func (b *box) u16(v ...int) {
	b.each(v, func(n int) { *b = binary.BigEndian.AppendUint16(*b, uint16(n)) })
}

func (b *box) u32(v ...int) {
	b.each(v, func(n int) { *b = binary.BigEndian.AppendUint32(*b, uint32(n)) })
}
func (b *box) text(s string) { *b = append(*b, s...) }
func (b *box) zeros(n int)   { *b = append(*b, make([]byte, n)...) }
func (b *box) add(o ...box)  { b.join(o) }
func (b *box) join(o []box) {
	for _, x := range o {
		*b = append(*b, x...)
	}
}

func (b *box) each(v []int, put func(int)) {
	for _, n := range v {
		put(n)
	}
}

// wrap returns a box of a type around content.
func wrap(kind string, content ...box) box {
	var b box
	size := 8
	for _, c := range content {
		size += len(c)
	}
	b.u32(size)
	b.text(kind)
	b.add(content...)
	return b
}

// full returns a box with flags. The version is in the highest 8 bits of the flags; it is 0 for most boxes.
func full(kind string, flags int, content ...box) box {
	var head box
	head.u32(flags)
	return wrap(kind, append([]box{head}, content...)...)
}

// unity returns the identity matrix.
func unity() box {
	var b box
	b.u32(1<<16, 0, 0, 0, 1<<16, 0, 0, 0, 1<<30)
	return b
}
