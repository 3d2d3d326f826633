// SPDX-License-Identifier: Apache-2.0

package h264

import (
	"bytes"
	"errors"
	"fmt"
	"io"
)

// ErrCount means that a segment does not have the expected number of pictures.
var ErrCount = errors.New("unexpected number of pictures in the stream")

// Joiner joins segments, which were coded separately with the same settings, and repeats their pictures. Every segment
// begins with a key frame.
type Joiner struct {
	// Picture receives a picture: one unit without its start code, valid until Picture returns.
	Picture func(unit []byte, key bool) error
	// KeyEvery is the longest repetition without a key frame, in pictures; 0 means that none are added. Only a
	// repetition that follows a key frame directly gets more key frames.
	KeyEvery int

	spsUnit, ppsUnit []byte
	sps              sps
	skipID           uint32
	skipUnit         []byte            // the second picture parameter set
	skips            map[uint32][]byte // repeated pictures by frame number

	frameNum  uint32 // of the last picture written
	key       []byte // the last picture read, if it is a key frame
	keyID     uint32 // of the last key frame
	afterKey  bool   // whether the last picture written is a key frame
	segmented bool   // whether no picture of the segment was read yet
}

// Parameters returns the sequence parameter set and the picture parameter sets of the joined stream.
func (l *Joiner) Parameters() (sps []byte, pps [][]byte) {
	return l.spsUnit, [][]byte{l.ppsUnit, l.skipUnit}
}

// Size returns the size of the displayed pictures.
func (l *Joiner) Size() (width, height int) { return l.sps.width, l.sps.height }

// Add joins a segment. repeat has for each of its pictures how often the picture is shown again. An error that wraps
// ErrShape means that the streams cannot be joined; the pictures passed to Picture until then are unusable.
func (l *Joiner) Add(src io.Reader, repeat []int) error {
	s := &splitter{r: src}
	n := 0
	l.segmented = true
	for {
		unit, err := s.next()
		if errors.Is(err, io.EOF) {
			if n != len(repeat) {
				return fmt.Errorf("%w: %d instead of %d", ErrCount, n, len(repeat))
			}
			return nil
		}
		if err != nil {
			return err
		}
		switch unit[0] & 31 {
		case typeSlice, typeIDR:
			if n == len(repeat) {
				return fmt.Errorf("%w: more than %d", ErrCount, n)
			}
			if err := l.picture(unit, repeat[n]); err != nil {
				return err
			}
			n++
		default:
			if err := l.unit(unit); err != nil {
				return err
			}
		}
	}
}

func (l *Joiner) unit(unit []byte) error {
	switch unit[0] & 31 {
	case typeSPS:
		return l.parameters(&l.spsUnit, unit, func(raw []byte) (err error) {
			l.sps, err = parseSPS(raw)
			return err
		})
	case typePPS:
		return l.parameters(&l.ppsUnit, unit, func(raw []byte) error {
			p, err := parsePPS(raw)
			if err == nil && (l.spsUnit == nil || p.sps != l.sps.id) {
				err = shape("picture parameter set without its sequence parameter set")
			}
			l.skipID = p.id + 1
			l.skipUnit = skipPPS(l.skipID, p.sps)
			l.skips = map[uint32][]byte{}
			return err
		})
	case typeSEI, typeAUD: // not needed in a video
		return nil
	}
	return shape("unsupported unit type %d", unit[0]&31)
}

// parameters stores the first parameter set of a kind and rejects a different one afterwards.
func (l *Joiner) parameters(have *[]byte, unit []byte, parse func([]byte) error) error {
	if *have != nil {
		if !bytes.Equal(*have, unit) {
			return shape("parameter set changes within the stream")
		}
		return nil
	}
	if err := parse(unescape(unit)); err != nil {
		return err
	}
	*have = bytes.Clone(unit)
	return nil
}

// headBytes is enough bytes of a unit for the beginning of its slice header.
const headBytes = 32

func (l *Joiner) picture(unit []byte, times int) error {
	if l.ppsUnit == nil {
		return shape("picture before its parameter sets")
	}
	head, err := parseSlice(unescape(unit[:min(len(unit), headBytes)]), l.sps)
	if err != nil {
		return err
	}
	if head.pps+1 != l.skipID {
		return shape("picture with a different parameter set")
	}
	idr := unit[0]&31 == typeIDR
	if l.segmented && !idr {
		return shape("segment does not begin with a key frame")
	}
	l.segmented = false
	l.key = nil
	if idr {
		if l.afterKey && head.idrID == l.keyID {
			return shape("adjacent key frames with the same id")
		}
		l.frameNum, l.keyID = 0, head.idrID
		l.key = bytes.Clone(unit)
	} else {
		l.frameNum = l.nextFrameNum()
		if head.frameNum != l.frameNum {
			raw := unescape(unit)
			setBits(raw, head.frameNumPos, l.sps.frameNumBits, l.frameNum)
			unit = escape(raw)
		}
	}
	if err := l.write(unit, idr); err != nil {
		return err
	}
	return l.repeat(times)
}

// repeat shows the last picture n more times.
func (l *Joiner) repeat(n int) error {
	since := 0 // pictures after the last key frame
	for k := range n {
		since++
		// Key frames with the same number must not be adjacent, and the picture after the last repetition may be a key
		// frame.
		if l.key != nil && l.KeyEvery > 1 && since >= l.KeyEvery && k < n-1 {
			if err := l.write(l.key, true); err != nil {
				return err
			}
			l.frameNum, since = 0, 0
			continue
		}
		l.frameNum = l.nextFrameNum()
		skip := l.skips[l.frameNum]
		if skip == nil {
			skip = skipSlice(l.sps, l.skipID, l.frameNum)
			l.skips[l.frameNum] = skip
		}
		if err := l.write(skip, false); err != nil {
			return err
		}
	}
	return nil
}

func (l *Joiner) nextFrameNum() uint32 { return (l.frameNum + 1) & (1<<l.sps.frameNumBits - 1) }

func (l *Joiner) write(unit []byte, key bool) error {
	l.afterKey = key
	return l.Picture(unit, key)
}
