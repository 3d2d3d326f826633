// SPDX-License-Identifier: Apache-2.0

package hostile

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"sync"
)

func u8(v ...byte) []byte    { return v }
func u16(v uint16) []byte    { return binary.BigEndian.AppendUint16(nil, v) }
func u32(v uint32) []byte    { return binary.BigEndian.AppendUint32(nil, v) }
func u64(v uint64) []byte    { return binary.BigEndian.AppendUint64(nil, v) }
func little(v uint32) []byte { return binary.LittleEndian.AppendUint32(nil, v) }

func join(parts ...[]byte) []byte { return bytes.Join(parts, nil) }

// cuts returns truncated copies of the file, in steps of five percent.
func cuts(name, contentType string, whole []byte) []File {
	var out []File
	for percent := 5; percent < 100; percent += 5 {
		out = append(out, File{fmt.Sprintf("%s cut at %d%%", name, percent), contentType, Refused, whole[:len(whole)*percent/100]})
	}
	return out
}

// bomb is 256 MB of zeros, compressed.
var bomb = sync.OnceValue(func() []byte { return nothing(256 << 20) })

// nothing returns n zeros, compressed.
func nothing(n int) []byte {
	var b bytes.Buffer
	z, _ := zlib.NewWriterLevel(&b, zlib.BestSpeed)
	zeros := make([]byte, 1<<20)
	for ; n > 0; n -= len(zeros) {
		_, _ = z.Write(zeros[:min(n, len(zeros))]) // into memory
	}
	_ = z.Close()
	return b.Bytes()
}

// chunk returns a chunk of a PNG file.
func chunk(kind string, body []byte) []byte {
	sum := crc32.ChecksumIEEE(append([]byte(kind), body...))
	return join(u32(uint32(len(body))), []byte(kind), body, u32(sum))
}

// riff returns a chunk of a WebP file or, with the kind RIFF, the whole file.
func riff(kind string, parts ...[]byte) []byte {
	body := join(parts...)
	return join([]byte(kind), little(uint32(len(body))), body, make([]byte, len(body)&1))
}

// segment returns a segment of a JPEG file.
func segment(marker byte, body []byte) []byte {
	return join(u8(0xff, marker), u16(uint16(len(body)+2)), body)
}
