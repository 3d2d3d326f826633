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
	// Picture receives a picture: one unit without its start code, valid until Picture returns. early is how many of the
	// following pictures are shown before it.
	Picture func(unit []byte, key bool, early int) error
	// KeyEvery is the longest repetition without a key frame, in pictures; 0 means that none are added. Only a
	// repetition that follows a key frame directly gets more key frames.
	KeyEvery int

	spsUnit, ppsUnit []byte
	sps              sps
	pps              pps
	skipID           uint32
	skipUnit         []byte // the second picture parameter set

	frameNum  uint32 // of the last reference picture written
	held      int    // the number of reference pictures that a decoder of a stream with blends holds
	order     uint32 // the picture order count of the last picture written
	key       []byte // the last picture read, if it is a key frame
	keyID     uint32 // of the last key frame
	afterKey  bool   // whether the last picture written is a key frame
	segmented bool   // whether no picture of the segment was read yet
	// blends are those of the segment before, which wait for the picture after them, and blended is whether there were
	// any in the stream.
	blends  [][]byte
	blended bool
}

// Parameters returns the sequence parameter set and the picture parameter sets of the joined stream.
func (l *Joiner) Parameters() (sps []byte, pps [][]byte) {
	if l.spsUnit != nil {
		sps = counted(unescape(l.spsUnit), l.sps, l.blended)
	}
	return sps, [][]byte{l.ppsUnit, l.skipUnit}
}

// End returns an error if a picture is missing at the end of the stream.
func (l *Joiner) End() error {
	if len(l.blends) > 0 {
		return shape("stream ends with a blend")
	}
	return nil
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
	if l.segmented && !head.idr {
		return shape("segment does not begin with a key frame")
	}
	l.segmented = false
	l.key = nil
	if head.idr {
		if l.afterKey && len(l.blends) == 0 && head.idrID == l.keyID {
			return shape("adjacent key frames with the same id")
		}
		l.keyID = head.idrID
		l.key = key(unit, head)
	}
	switch {
	case len(l.blends) > 0:
		err = l.after(unit, head)
	case head.idr:
		err = l.writeKey()
	default:
		m := l.reference(0)
		l.order = l.nextOrder()
		err = l.write(renumber(unit, head, l.sps, l.frameNum, l.order, m), false)
	}
	if err != nil {
		return err
	}
	return l.repeat(times)
}

// after writes the picture after the blends, the key frame at the beginning of the next segment, and then the blends.
func (l *Joiner) after(unit []byte, head sliceHead) error {
	if !head.idr {
		return shape("blend between pictures of one segment")
	}
	blends := l.blends
	l.blends, l.blended = nil, true
	first := l.nextOrder()
	m := l.reference(1)
	l.order = (l.order + 2*uint32(len(blends)+1)) & (1<<orderBits - 1)
	l.afterKey = false
	if err := l.Picture(renumber(unit, head, l.sps, l.frameNum, l.order, m), false, len(blends)); err != nil {
		return err
	}
	for n, raw := range blends {
		order := (first + 2*uint32(n)) & (1<<orderBits - 1)
		if err := l.write(movedSlice(l.sps, l.skipID, l.nextFrameNum(), order, raw), false); err != nil {
			return err
		}
	}
	return nil
}

// repeat shows the last picture n more times.
func (l *Joiner) repeat(n int) error {
	since := 0 // pictures after the last key frame
	for k := range n {
		since++
		// Key frames with the same number must not be adjacent, and the picture after the last repetition may be a key
		// frame.
		if l.key != nil && l.KeyEvery > 1 && since >= l.KeyEvery && k < n-1 {
			if err := l.writeKey(); err != nil {
				return err
			}
			since = 0
			continue
		}
		m := l.reference(0)
		l.order = l.nextOrder()
		if err := l.write(skipSlice(l.sps, l.skipID, l.frameNum, l.order, m), false); err != nil {
			return err
		}
	}
	return nil
}

// moved shows a picture of Moved, or keeps it if it is a blend. No picture refers to it, so the number of the last
// reference picture stays.
func (l *Joiner) moved(unit []byte) error {
	raw, weight, err := parseMoved(unit, l.sps)
	switch {
	case err != nil:
		return err
	case weight > 0:
		l.blends = append(l.blends, raw)
		return nil
	case len(l.blends) > 0:
		return shape("moved picture after a blend")
	}
	l.order = l.nextOrder()
	return l.write(movedSlice(l.sps, l.skipID, l.nextFrameNum(), l.order, raw), false)
}

// writeKey writes the last key frame read.
func (l *Joiner) writeKey() error {
	l.frameNum, l.order, l.held = 0, 0, 1
	return l.write(l.key, true)
}

// reference begins a reference picture that is no key frame. A decoder keeps the given number of reference pictures
// before it. Before the first blend it keeps as many as fit; only the last one is used.
func (l *Joiner) reference(keep int) marking {
	l.frameNum = l.nextFrameNum()
	if !l.blended {
		l.held = min(l.held+1, blendBuffer)
		return marking{}
	}
	m := marking{keep, l.held}
	l.held = min(keep, l.held) + 1
	return m
}

// nextOrder returns the next picture order count: one for each of the two fields of a picture.
func (l *Joiner) nextOrder() uint32 { return (l.order + 2) & (1<<orderBits - 1) }

func (l *Joiner) nextFrameNum() uint32 { return (l.frameNum + 1) & (1<<l.sps.frameNumBits - 1) }

func (l *Joiner) write(unit []byte, key bool) error {
	l.afterKey = key
	return l.Picture(unit, key, 0)
}
