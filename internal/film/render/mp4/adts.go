// SPDX-License-Identifier: Apache-2.0

package mp4

import (
	"bufio"
	"errors"
	"fmt"
	"io"
)

// ADTS reads a bare AAC stream, in which every frame has a header.
type ADTS struct {
	r *bufio.Reader
	// Rate and Channels are those of the last frame read.
	Rate, Channels int
	left           int
}

// NewADTS returns a reader of a stream from its beginning.
func NewADTS(r io.Reader) *ADTS { return &ADTS{r: bufio.NewReaderSize(r, 64<<10)} }

var errNotADTS = errors.New("reading audio: not an ADTS stream of AAC")

// Next moves to the next frame and returns its size without the header, or io.EOF.
func (a *ADTS) Next() (int, error) {
	if _, err := a.r.Discard(a.left); err != nil {
		return 0, fmt.Errorf("reading audio: %w", noEOF(err))
	}
	a.left = 0
	h, err := a.r.Peek(7)
	if len(h) == 0 && errors.Is(err, io.EOF) {
		return 0, io.EOF
	}
	if err != nil {
		return 0, fmt.Errorf("reading audio: %w", noEOF(err))
	}
	if h[0] != 0xff || h[1]&0xf6 != 0xf0 || h[2]>>6 != 1 || h[6]&3 != 0 {
		return 0, errNotADTS
	}
	index := int(h[2] >> 2 & 15)
	if index >= len(rates) {
		return 0, errNotADTS
	}
	head := 7
	if h[1]&1 == 0 { // a checksum follows
		head = 9
	}
	size := int(h[3]&3)<<11 | int(h[4])<<3 | int(h[5])>>5
	if size <= head {
		return 0, errNotADTS
	}
	a.Rate, a.Channels = rates[index], int(h[2]&1)<<2|int(h[3])>>6
	if _, err := a.r.Discard(head); err != nil {
		return 0, fmt.Errorf("reading audio: %w", noEOF(err))
	}
	a.left = size - head
	return a.left, nil
}

// Read reads the frames without their headers, one after the other.
func (a *ADTS) Read(p []byte) (int, error) {
	if a.left == 0 {
		if _, err := a.Next(); err != nil {
			return 0, err
		}
	}
	n, err := a.r.Read(p[:min(len(p), a.left)])
	a.left -= n
	if err != nil && a.left > 0 {
		return n, fmt.Errorf("reading audio: %w", noEOF(err))
	}
	return n, nil
}
