// SPDX-License-Identifier: Apache-2.0

package h264

import (
	"bytes"
	"errors"
	"io"
)

// Types of units.
const (
	typeSlice = 1
	typeIDR   = 5
	typeSEI   = 6
	typeSPS   = 7
	typePPS   = 8
	typeAUD   = 9
	typeMoved = 24 // not in the standard: what Moved returns
)

// maxUnit bounds one coded picture, in bytes; the raw picture of the largest canvas is smaller.
const maxUnit = 64 << 20

var startCode = []byte{0, 0, 1}

// prevention is the emulation prevention byte. It follows two zeros if the next byte is not greater.
const prevention = 3

var prevented = []byte{0, 0, prevention}

// splitter splits a byte stream into units.
type splitter struct {
	r   io.Reader
	buf []byte
	// from is where the search for the next start code continues.
	from int
	eof  bool
	open bool // whether buf begins inside a unit, right after its start code
}

// next returns one unit without start code and trailing zeros, valid until the next call, or io.EOF.
func (s *splitter) next() ([]byte, error) {
	for {
		if i := bytes.Index(s.buf[s.from:], startCode); i >= 0 {
			end := s.from + i
			unit := s.buf[:end]
			was := s.open
			s.buf, s.from, s.open = s.buf[end+len(startCode):], 0, true
			if unit = bytes.TrimRight(unit, "\x00"); was && len(unit) > 0 {
				return unit, nil
			}
			if !was && len(unit) > 0 {
				return nil, errors.New("parsing the stream: no start code at its beginning")
			}
			continue
		}
		if s.eof {
			unit := bytes.TrimRight(s.buf, "\x00")
			s.buf, s.from = nil, 0
			if len(unit) == 0 || !s.open {
				return nil, io.EOF
			}
			s.open = false
			return unit, nil
		}
		s.from = max(len(s.buf)-len(startCode)+1, 0)
		if err := s.fill(); err != nil {
			return nil, err
		}
	}
}

func (s *splitter) fill() error {
	if len(s.buf) > maxUnit {
		return errors.New("parsing the stream: unit exceeds 64 MiB")
	}
	const step = 256 << 10
	if cap(s.buf)-len(s.buf) < step { // earlier units may still be in use: never move the buffer in place
		grown := make([]byte, len(s.buf), 2*len(s.buf)+2*step)
		copy(grown, s.buf)
		s.buf = grown
	}
	n, err := s.r.Read(s.buf[len(s.buf) : len(s.buf)+step])
	s.buf = s.buf[:len(s.buf)+n]
	if errors.Is(err, io.EOF) {
		s.eof, err = true, nil
	}
	return err
}

// unescape removes the emulation prevention bytes from a unit.
func unescape(unit []byte) []byte {
	out := make([]byte, 0, len(unit))
	for {
		i := bytes.Index(unit, prevented)
		if i < 0 {
			return append(out, unit...)
		}
		out = append(out, unit[:i+2]...)
		unit = unit[i+3:]
	}
}

// escape inserts emulation prevention bytes, so that no start code appears inside the unit.
func escape(raw []byte) []byte {
	out := make([]byte, 0, len(raw)+len(raw)/64+4)
	from := 0 // where the search for zeros continues
	for {
		i := bytes.Index(raw[from:], prevented[:2])
		if i < 0 || from+i+2 == len(raw) {
			return append(out, raw...)
		}
		after := from + i + 2
		if raw[after] > prevention {
			from = after + 1
			continue
		}
		out = append(append(out, raw[:after]...), prevention)
		raw, from = raw[after:], 0
	}
}
