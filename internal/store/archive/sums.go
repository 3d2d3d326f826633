// SPDX-License-Identifier: Apache-2.0

package archive

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
)

// A Parquet file ends with a footer, the length of the footer and a magic number. Readers find all other parts by the
// offsets in the footer, so bytes before the footer that no offset leads to are allowed. These are the checksums here:
//
//	body      pages and page index
//	sums      CRC-32C of each block of the body, 4 bytes each
//	sum       CRC-32C of sums and footer
//	footer    footer, its length, magic number
const (
	// blockBytes is the size of a block of the body; the last one may be shorter. It is the unit of reads and of the
	// cache.
	blockBytes = 16 << 10
	sumBytes   = 4
	// endBytes is the size of the length of the footer and the magic number.
	endBytes = 8
	magic    = "PAR1"
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func sum(b []byte) uint32 { return crc32.Checksum(b, castagnoli) }

// seal returns a Parquet file with checksums.
func seal(file []byte) ([]byte, error) {
	start, err := footerStart(file, int64(len(file)))
	if err != nil {
		return nil, err
	}
	body, footer := file[:start], file[start:]
	table := make([]byte, 0, sumBytes*blocks(start))
	for b := body; len(b) > 0; {
		n := min(blockBytes, len(b))
		table, b = binary.LittleEndian.AppendUint32(table, sum(b[:n])), b[n:]
	}
	out := make([]byte, 0, len(file)+len(table)+sumBytes)
	out = append(append(out, body...), table...)
	out = binary.LittleEndian.AppendUint32(out, crc32.Update(sum(table), castagnoli, footer))
	return append(out, footer...), nil
}

// layout describes the parts of a sealed file.
type layout struct {
	// body is the size of the body in bytes, size that of the file.
	body, size int64
	sums       []uint32
}

// bodySize returns the size of the body of a file of size bytes. end is the end of the file.
func bodySize(end []byte, size int64) (int64, error) {
	start, err := footerStart(end, size)
	if err != nil {
		return 0, err
	}
	// The body and its checksums precede the sum. Each block takes its own bytes and those of its checksum.
	both := start - sumBytes
	if both <= 0 {
		return 0, errors.New("no room for the checksums")
	}
	n := (both + blockBytes + sumBytes - 1) / (blockBytes + sumBytes)
	body := both - sumBytes*n
	if body <= 0 || blocks(body) != n {
		return 0, errors.New("checksums of a fraction of a block")
	}
	return body, nil
}

// parseTail returns the layout of a file of size bytes. tail is the part of the file after the body.
func parseTail(tail []byte, size int64) (layout, error) {
	l := layout{body: size - int64(len(tail)), size: size}
	l.sums = make([]uint32, blocks(l.body))
	table, rest := tail[:sumBytes*len(l.sums)], tail[sumBytes*len(l.sums):]
	if want := binary.LittleEndian.Uint32(rest); crc32.Update(sum(table), castagnoli, rest[sumBytes:]) != want {
		return layout{}, errors.New("the checksum of the footer differs")
	}
	for i := range l.sums {
		l.sums[i] = binary.LittleEndian.Uint32(table[sumBytes*i:])
	}
	return l, nil
}

// verify returns an error if a block of the body is not the one that was written.
func (l *layout) verify(block int64, b []byte) error {
	if sum(b) != l.sums[block] {
		return fmt.Errorf("the checksum of block %d differs", block)
	}
	return nil
}

// blockLen returns the size of a block of the body.
func (l *layout) blockLen(block int64) int64 { return min(blockBytes, l.body-block*blockBytes) }

// blocks returns the number of blocks of n bytes.
func blocks(n int64) int64 { return (n + blockBytes - 1) / blockBytes }

// footerStart returns the offset of the footer in a file of size bytes. end is the end of the file.
func footerStart(end []byte, size int64) (int64, error) {
	if len(end) < endBytes || string(end[len(end)-len(magic):]) != magic {
		return 0, errors.New("not a Parquet file")
	}
	n := binary.LittleEndian.Uint32(end[len(end)-endBytes:])
	start := size - endBytes - int64(n)
	if start < int64(len(magic)) || n > math.MaxInt32 {
		return 0, fmt.Errorf("a footer of %d bytes", n)
	}
	return start, nil
}
