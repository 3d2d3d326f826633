// SPDX-License-Identifier: Apache-2.0

package probe

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/reelops/reelops/internal/media/sniff"
)

// maxBoxes bounds the walk through a fragmented video; half an hour has some thousands of boxes.
const maxBoxes = 200_000

var errCut = errors.New("a part is longer than the file")

// whole returns an error if a file is shorter than its outermost parts declare, which means that it was truncated.
// Decoders ignore much of such damage.
func whole(path, contentType string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	switch demuxers[contentType] {
	case "mov":
		err = wholeBoxes(f, info.Size())
	case "matroska":
		err = wholeSegment(f, info.Size())
	}
	var pathErr *os.PathError
	if err == nil || errors.As(err, &pathErr) {
		return err
	}
	return unreadable(err, "The file is truncated or damaged.")
}

// wholeBoxes checks the lengths of the boxes of an ISO base media file.
func wholeBoxes(r io.ReaderAt, size int64) error {
	index := false
	at := int64(0)
	for n := 0; size-at >= 8; n++ {
		if n == maxBoxes {
			return fmt.Errorf("more than %d parts", maxBoxes)
		}
		var head [16]byte
		got, err := r.ReadAt(head[:], at)
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		length := int64(binary.BigEndian.Uint32(head[:]))
		switch length {
		case 0: // box extends to the end of the file
			length = size - at
		case 1:
			if got < 16 || binary.BigEndian.Uint64(head[8:]) > 1<<62 {
				return errCut
			}
			length = int64(binary.BigEndian.Uint64(head[8:]))
		}
		if length < 8 || length > size-at {
			return errCut
		}
		index = index || string(head[4:8]) == "moov"
		at += length
	}
	if !index {
		return errors.New("there is no index")
	}
	return nil
}

// wholeSegment compares the length of the only segment of a WebM file with the file's length. A stream that was written
// without a known length declares an unknown length, which is accepted.
func wholeSegment(r io.ReaderAt, size int64) error {
	head := make([]byte, sniff.Bytes)
	n, err := r.ReadAt(head, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	head = head[:n]
	at := 0
	for range 16 { // the header, perhaps padding, then the segment
		if at+12 > len(head) {
			return errCut
		}
		id, idLength := head[at], 1
		switch {
		case id&0x80 != 0:
		case id&0x40 != 0:
			idLength = 2
		case id&0x20 != 0:
			idLength = 3
		default:
			idLength = 4
		}
		segment := idLength == 4 && binary.BigEndian.Uint32(head[at:]) == 0x18538067
		length, lengthBytes, unknown := vint(head[at+idLength:])
		body := int64(at + idLength + lengthBytes)
		switch {
		case lengthBytes == 0:
			return errors.New("a part has no length")
		case segment && unknown:
			return nil
		case !unknown && length > size-body:
			return errCut
		case segment:
			return nil
		case unknown:
			return errors.New("a part has no length")
		}
		at = int(body + length)
	}
	return errors.New("there is no segment")
}

// vint decodes a number of variable length; bytes is 0 if there is none.
func vint(b []byte) (v int64, bytes int, unknown bool) {
	if len(b) == 0 || b[0] == 0 {
		return 0, 0, false
	}
	bytes = 1
	for mask := byte(0x80); b[0]&mask == 0; mask >>= 1 {
		bytes++
	}
	if len(b) < bytes {
		return 0, 0, false
	}
	v = int64(b[0]) & (1<<(8-bytes) - 1)
	for _, c := range b[1:bytes] {
		v = v<<8 | int64(c)
	}
	return v, bytes, v == 1<<(7*bytes)-1
}
