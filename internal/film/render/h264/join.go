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

// Joiner joins segments, which were coded separately with the same settings, repeats their pictures, and completes the
// moved pictures that Insert added to them. Every segment begins with a key frame.
type Joiner struct {
	// Picture receives a picture: one unit without its start code, valid until Picture returns.
	Picture func(unit []byte, key bool) error
	// KeyEvery is the longest repetition without a key frame, in pictures; 0 means that none are added. Only a
	// repetition that follows a key frame directly gets more key frames.
	KeyEvery int

	spsUnit, ppsUnit []byte
	sps              sps
	pps              pps
	skipID           uint32
	skipUnit         []byte // the second picture parameter set
	countedUnit      []byte // the sequence parameter set of the joined stream

	frameNum  uint32 // of the last reference picture written
	order     uint32 // the picture order count of the last picture written
	key       []byte // the last picture read, if it is a key frame
	keyID     uint32 // of the last key frame
	afterKey  bool   // whether the last picture written is a key frame
	segmented bool   // whether no picture of the segment was read yet
}

// Parameters returns the sequence parameter set and the picture parameter sets of the joined stream.
func (l *Joiner) Parameters() (sps []byte, pps [][]byte) {
	return l.countedUnit, [][]byte{l.ppsUnit, l.skipUnit}
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
		case typeMoved:
			if n == 0 {
				return shape("segment begins with a moved picture")
			}
			if err := l.moved(unit); err != nil {
				return err
			}
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
			if l.sps, err = parseSPS(raw); err != nil {
				return err
			}
			l.countedUnit = counted(raw, l.sps)
			return nil
		})
	case typePPS:
		return l.parameters(&l.ppsUnit, unit, func(raw []byte) error {
			p, err := parsePPS(raw)
			if err == nil && (l.spsUnit == nil || p.sps != l.sps.id) {
				err = shape("picture parameter set without its sequence parameter set")
			}
			l.skipID = p.id + 1
			l.skipUnit = skipPPS(l.skipID, p.sps)
			l.pps = p
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
	head, err := parseSlice(unescape(unit[:min(len(unit), headBytes)]), l.sps, l.pps)
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
		l.frameNum, l.order, l.keyID = 0, 0, head.idrID
	} else {
		l.frameNum, l.order = l.nextFrameNum(), l.nextOrder()
	}
	unit = renumber(unit, head, l.sps, l.frameNum, l.order)
	if idr {
		l.key = unit
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
			l.frameNum, l.order, since = 0, 0, 0
			continue
		}
		l.frameNum, l.order = l.nextFrameNum(), l.nextOrder()
		if err := l.write(skipSlice(l.sps, l.skipID, l.frameNum, l.order), false); err != nil {
			return err
		}
	}
	return nil
}

// moved shows a picture of Moved. No picture refers to it, so the number of the last reference picture stays.
func (l *Joiner) moved(unit []byte) error {
	l.order = l.nextOrder()
	unit, err := movedSlice(l.sps, l.skipID, l.nextFrameNum(), l.order, unit)
	if err != nil {
		return err
	}
	return l.write(unit, false)
}

// nextOrder returns the next picture order count: one for each of the two fields of a picture.
func (l *Joiner) nextOrder() uint32 { return (l.order + 2) & (1<<orderBits - 1) }

func (l *Joiner) nextFrameNum() uint32 { return (l.frameNum + 1) & (1<<l.sps.frameNumBits - 1) }

func (l *Joiner) write(unit []byte, key bool) error {
	l.afterKey = key
	return l.Picture(unit, key)
}
