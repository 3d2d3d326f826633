// SPDX-License-Identifier: Apache-2.0

package heic

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"time"

	"github.com/tetratelabs/wazero/api"
)

// MaxMemory is all that the decoder may use for one picture, in bytes. Fifty megapixels need about three quarters of it.
const MaxMemory = 512 << 20

// headTime is how long the decoder may look at a file, and millionTime how much longer for each million pixels that it
// finds. Each is some three times what a picture needs on a small machine: a file that takes longer has more in it than
// the picture, to keep the decoder busy. Tests have less patience.
var headTime, millionTime = 5 * time.Second, 500 * time.Millisecond

// ErrUndecodable says that the decoder found no picture that it can read, or needed more memory than it may have.
var ErrUndecodable = errors.New("the decoder cannot read it")

// ErrSlow says that decoding took longer than a picture of that size can take.
var ErrSlow = errors.New("decoding takes too long")

// Decode gives the main picture of a HEIC file, turned as the file asks. Before any pixel is decoded, fits is asked
// whether the size is one to go on with, and its error is given back as it is. Other errors wrap ErrUndecodable or
// ErrSlow, or are those of ctx. One file is decoded at a time, in turns of the accounts that brought them.
func Decode(ctx context.Context, account string, data []byte, fits func(width, height int) error) (image.Image, error) {
	var img image.Image
	err := within(ctx, account, func(ctx context.Context, s *sandbox) error {
		d, err := s.open(ctx, data)
		if err != nil {
			return err
		}
		if err := fits(d.width, d.height); err != nil {
			return err
		}
		img, err = s.pixels(ctx, d)
		return err
	})
	return img, err
}

// opened is a file inside the sandbox.
type opened struct {
	at, length    uint64 // where its bytes are
	facts         uint64 // where the decoder writes what follows
	width, height int
	space, chroma uint32
}

// The words that the decoder says about a picture, in the order in which it writes them.
const (
	factWidth = iota * 4
	factHeight
	factSpace
	factChroma
	factPremultiplied
	factsSize
)

const (
	spaceYCbCr, spaceRGB, spaceGray = 0, 1, 2
	chroma420, chroma422, chroma444 = 1, 2, 3
	// widest bounds a side before anything is calculated with it.
	widest = 1 << 16
)

func (s *sandbox) open(ctx context.Context, data []byte) (opened, error) {
	ctx, cancel := context.WithTimeout(ctx, headTime)
	defer cancel()
	d := opened{length: uint64(len(data))}
	var err error
	if d.at, err = s.alloc(ctx, d.length); err != nil {
		return d, err
	}
	if !s.memory.Write(uint32(d.at), data) {
		return d, ErrUndecodable
	}
	if len(data) >= 12 && string(data[4:8]) == "ftyp" {
		// The decoder wants to read its own name first, where a file may also give the name of the container.
		s.memory.Write(uint32(d.at)+8, []byte("heic"))
	}
	if d.facts, err = s.alloc(ctx, factsSize); err != nil {
		return d, err
	}
	return d, s.look(ctx, &d, 0)
}

// look calls the decoder; it only reads the head where there is no place for the pixels.
func (s *sandbox) look(ctx context.Context, d *opened, pixels uint64) error {
	headOnly := uint64(0)
	if pixels == 0 {
		headOnly = 1
	}
	ok, err := s.call(ctx, s.decode, d.at, d.length, headOnly, d.facts+factWidth, d.facts+factHeight, d.facts+factSpace,
		d.facts+factChroma, d.facts+factPremultiplied, pixels)
	if err != nil {
		return err
	}
	facts, there := s.memory.Read(uint32(d.facts), factsSize)
	if ok == 0 || !there {
		return ErrUndecodable
	}
	w, h := binary.LittleEndian.Uint32(facts[factWidth:]), binary.LittleEndian.Uint32(facts[factHeight:])
	if w == 0 || h == 0 || w > widest || h > widest {
		return fmt.Errorf("%w: it says it has %d x %d pixels", ErrUndecodable, w, h)
	}
	d.width, d.height = int(w), int(h)
	d.space, d.chroma = binary.LittleEndian.Uint32(facts[factSpace:]), binary.LittleEndian.Uint32(facts[factChroma:])
	return nil
}

// pixels decodes the picture and copies it out of the sandbox.
func (s *sandbox) pixels(ctx context.Context, d opened) (image.Image, error) {
	ctx, cancel := context.WithTimeout(ctx, headTime+millionTime*time.Duration(d.width*d.height/1_000_000))
	defer cancel()
	r := image.Rect(0, 0, d.width, d.height)
	var planes []plane
	var img image.Image
	switch d.space {
	case spaceYCbCr:
		ratio, ok := map[uint32]image.YCbCrSubsampleRatio{
			chroma420: image.YCbCrSubsampleRatio420, chroma422: image.YCbCrSubsampleRatio422, chroma444: image.YCbCrSubsampleRatio444,
		}[d.chroma]
		if !ok {
			return nil, fmt.Errorf("%w: its colours are laid out in way %d", ErrUndecodable, d.chroma)
		}
		m := image.NewYCbCr(r, ratio)
		img = m
		rows := len(m.Cb) / m.CStride
		planes = []plane{{m.Y, m.YStride, d.height, 1}, {m.Cb, m.CStride, rows, 1}, {m.Cr, m.CStride, rows, 1}}
	case spaceGray:
		m := image.NewGray(r)
		img, planes = m, []plane{{m.Pix, m.Stride, d.height, 1}}
	case spaceRGB:
		m := image.NewNRGBA(r)
		img, planes = m, []plane{{m.Pix, m.Stride, d.height, 4}}
	default:
		return nil, fmt.Errorf("%w: its colours are of kind %d", ErrUndecodable, d.space)
	}
	size := uint64(0)
	for _, p := range planes {
		size += p.outside()
	}
	at, err := s.alloc(ctx, size)
	if err != nil {
		return nil, err
	}
	if err := s.look(ctx, &d, at); err != nil {
		return nil, err
	}
	for _, p := range planes {
		if err := p.fill(s.memory, &at); err != nil {
			return nil, err
		}
	}
	return img, nil
}

// plane is one kind of samples of a picture.
type plane struct {
	pix                []byte
	stride, rows, each int // each is the bytes of one sample
}

// outside is how many bytes the plane takes in the sandbox.
func (p plane) outside() uint64 { return uint64(p.wide()) * uint64(p.rows) }

// wide is the length of a row there: the decoder makes rows of at least 64 samples, of an even number of them, and of a
// multiple of 16 bytes.
func (p plane) wide() int {
	samples := max(64, (p.stride/p.each+1)&^1)
	return (samples*p.each + 15) &^ 15
}

func (p plane) fill(m api.Memory, at *uint64) error {
	from, ok := m.Read(uint32(*at), uint32(p.outside()))
	if !ok {
		return ErrUndecodable
	}
	for y := range p.rows {
		copy(p.pix[y*p.stride:][:p.stride], from[y*p.wide():])
	}
	*at += p.outside()
	return nil
}
