// SPDX-License-Identifier: Apache-2.0

package h264

import (
	"bytes"
	"errors"
	"io"
)

// Drop, as a number of repetitions, leaves a picture out altogether. The next picture has to be a key frame.
const Drop = -1

// Plan says how a stream is lengthened.
type Plan struct {
	// Repeat tells how often picture n of the encoder, counted from 0, is shown again after itself, or Drop.
	Repeat func(n int) int
	// KeyEvery is the longest repetition without a key frame; 0 means that none are added. Only a repetition that follows a
	// key frame directly gets more of them.
	KeyEvery int
}

// Lengthen copies a byte stream of coded pictures and repeats pictures as planned. It gives the number of pictures read and
// written. An error that wraps ErrShape means that the stream cannot be lengthened; what was written until then is of no use.
func Lengthen(dst io.Writer, src io.Reader, plan Plan) (read, written int, err error) {
	l := &lengthener{dst: dst, plan: plan}
	s := &splitter{r: src}
	for {
		unit, err := s.next()
		if errors.Is(err, io.EOF) {
			return l.read, l.written, nil
		}
		if err != nil {
			return l.read, l.written, err
		}
		if err := l.unit(unit); err != nil {
			return l.read, l.written, err
		}
	}
}

type lengthener struct {
	dst           io.Writer
	plan          Plan
	read, written int

	spsUnit, ppsUnit []byte
	sps              sps
	skipID           uint32
	skipUnit         []byte            // the second picture parameter set
	skips            map[uint32][]byte // repeated pictures by frame number

	frameNum uint32 // of the last picture written
	dropped  bool   // the picture before was left out
	pending  bool   // parameter sets are to be written before the next picture
	key      []byte // the last picture read, when it is a key frame
}

func (l *lengthener) unit(unit []byte) error {
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
				err = shape("picture parameters without their sequence parameters")
			}
			l.skipID = p.id + 1
			l.skipUnit = skipPPS(l.skipID, p.sps)
			l.skips = map[uint32][]byte{}
			return err
		})
	case typeSEI, typeAUD: // nothing a film needs
		return nil
	case typeSlice, typeIDR:
		return l.picture(unit)
	}
	return shape("unit of type %d", unit[0]&31)
}

// parameters keeps the first parameter set of a kind and accepts only the same one from then on.
func (l *lengthener) parameters(have *[]byte, unit []byte, parse func([]byte) error) error {
	l.pending = true
	if *have != nil {
		if !bytes.Equal(*have, unit) {
			return shape("the parameters change")
		}
		return nil
	}
	if err := parse(unescape(unit)); err != nil {
		return err
	}
	*have = bytes.Clone(unit)
	return nil
}

// headBytes is enough of a unit for the beginning of its slice header.
const headBytes = 32

func (l *lengthener) picture(unit []byte) error {
	if l.ppsUnit == nil {
		return shape("a picture before its parameters")
	}
	head, err := parseSlice(unescape(unit[:min(len(unit), headBytes)]), l.sps)
	if err != nil {
		return err
	}
	if head.pps+1 != l.skipID {
		return shape("a picture with other parameters")
	}
	idr := unit[0]&31 == typeIDR
	if l.dropped && !idr {
		return shape("a picture that refers to a dropped one")
	}
	n := l.read
	l.read++
	times := l.plan.Repeat(n)
	if l.dropped = times == Drop; l.dropped {
		return nil
	}
	if err := l.begin(idr); err != nil {
		return err
	}
	l.key = nil
	if idr {
		l.frameNum = 0
		l.key = bytes.Clone(unit)
	} else {
		l.frameNum = l.nextFrameNum()
		if head.frameNum != l.frameNum {
			raw := unescape(unit)
			setBits(raw, head.frameNumPos, l.sps.frameNumBits, l.frameNum)
			unit = escape(raw)
		}
	}
	if err := l.write(unit); err != nil {
		return err
	}
	l.written++
	return l.repeat(times)
}

// begin writes the parameter sets where a group of pictures begins.
func (l *lengthener) begin(key bool) error {
	if !l.pending && !key {
		return nil
	}
	l.pending = false
	for _, u := range [][]byte{l.spsUnit, l.ppsUnit, l.skipUnit} {
		if err := l.write(u); err != nil {
			return err
		}
	}
	return nil
}

// repeat shows the last picture n times more.
func (l *lengthener) repeat(n int) error {
	since := 0 // pictures after the last key frame
	for range n {
		since++
		if l.key != nil && l.plan.KeyEvery > 1 && since == l.plan.KeyEvery {
			// The same key frame once more. It may keep its idr_pic_id: that must differ only from a key frame right next to it.
			if err := l.begin(true); err != nil {
				return err
			}
			if err := l.write(l.key); err != nil {
				return err
			}
			l.frameNum, since = 0, 0
			l.written++
			continue
		}
		l.frameNum = l.nextFrameNum()
		skip := l.skips[l.frameNum]
		if skip == nil {
			skip = skipSlice(l.sps, l.skipID, l.frameNum)
			l.skips[l.frameNum] = skip
		}
		if err := l.write(skip); err != nil {
			return err
		}
		l.written++
	}
	return nil
}

func (l *lengthener) nextFrameNum() uint32 { return (l.frameNum + 1) & (1<<l.sps.frameNumBits - 1) }

func (l *lengthener) write(unit []byte) error {
	if _, err := l.dst.Write([]byte{0, 0, 0, 1}); err != nil {
		return err
	}
	_, err := l.dst.Write(unit)
	return err
}
