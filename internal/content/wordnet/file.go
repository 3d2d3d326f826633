// SPDX-License-Identifier: Apache-2.0

package wordnet

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
)

const (
	// chunk is the number of bytes read at a time; most lines fit in one chunk.
	chunk = 1 << 10
	// maxLine is the maximum length of a line in bytes. The longest line of WordNet 3.0 has 13 kB.
	maxLine = 64 << 10
)

// file is one file of the database. It is safe for concurrent use.
type file struct {
	f    *os.File
	size int64
}

func open(path string) (*file, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return nil, errors.Join(fmt.Errorf("%s is no regular file", path), err, f.Close())
	}
	return &file{f, info.Size()}, nil
}

// line returns the line that begins at an offset, without the line break.
func (f *file) line(at int64) ([]byte, error) {
	if at < 0 || at >= f.size {
		return nil, fmt.Errorf("%s has no offset %d", f.f.Name(), at)
	}
	var line []byte
	buf := make([]byte, chunk)
	for len(line) < maxLine {
		n, err := f.f.ReadAt(buf, at+int64(len(line)))
		if end := bytes.IndexByte(buf[:n], '\n'); end >= 0 {
			return append(line, buf[:end]...), nil
		}
		line = append(line, buf[:n]...)
		if errors.Is(err, io.EOF) {
			return line, nil
		}
		if err != nil {
			return nil, err
		}
	}
	return nil, fmt.Errorf("%s: the line at %d has more than %d bytes", f.f.Name(), at, maxLine)
}

// find returns the line whose first word is the key, or nil if there is none. The file must be sorted by bytes.
func (f *file) find(key string) ([]byte, error) {
	// Invariant: lines that begin before low sort before the key; lines that begin at or after high do not.
	low, high := int64(0), f.size
	for low < high {
		start, err := f.startAfter(low + (high-low)/2 - 1)
		if err != nil {
			return nil, err
		}
		if start >= high { // the line in the middle is the last one of the range
			if start, err = f.startAfter(low - 1); err != nil {
				return nil, err
			}
		}
		line, err := f.line(start)
		if err != nil {
			return nil, err
		}
		word, _, _ := bytes.Cut(line, []byte(" "))
		switch c := bytes.Compare(word, []byte(key)); {
		case c == 0:
			return line, nil
		case c < 0:
			low = start + int64(len(line)) + 1
		default:
			if high == start { // cannot happen in a sorted file; ends the search in an unsorted one
				return nil, nil
			}
			high = start
		}
	}
	return nil, nil
}

// startAfter returns the offset of the line that follows the line containing offset at. An offset of -1 returns 0, the
// first line.
func (f *file) startAfter(at int64) (int64, error) {
	if at < 0 {
		return 0, nil
	}
	line, err := f.line(at)
	if err != nil {
		return 0, err
	}
	return at + int64(len(line)) + 1, nil
}
