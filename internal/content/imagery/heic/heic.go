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

// MaxMemory is the memory limit of the decoder for one image, in bytes. 50 megapixels need about three quarters of it.
const MaxMemory = 512 << 20

// headTime is the time limit for reading the file header. Decoding the pixels may take headTime and, for each million
// pixels, millionTime. Each is about three times what an image needs on a small machine. A file that takes longer
// contains extra data to keep the decoder busy. Tests use shorter limits.
var headTime, millionTime = 5 * time.Second, 500 * time.Millisecond

// ErrUndecodable means that the decoder found no readable image, or needed more memory than allowed.
var ErrUndecodable = errors.New("the decoder cannot read it")

// ErrSlow means that decoding took longer than an image of that size can take.
var ErrSlow = errors.New("decoding takes too long")

// Decode returns the main image of a HEIC file, rotated as the file's properties specify. Before any pixel is decoded,
// Decode calls fits with the size, and returns the error of fits unchanged. Other errors wrap ErrUndecodable or
// ErrSlow, or are those of ctx or of starting the decoder. One file is decoded at a time, in a queue that alternates
// between accounts.
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
	at, length    uint64 // address and length of the file
	facts         uint64 // address to which the decoder writes the properties of the image
	width, height int
	space, chroma uint32
}

// Offsets in bytes of the properties of an image, in the order in which the decoder writes them.
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
	// widest is the maximum side length in pixels, checked before any calculation with the size.
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
		// The decoder expects its own brand as the major brand, where a file may also have a container brand such as
		// mif1.
		s.memory.Write(uint32(d.at)+8, []byte("heic"))
	}
	if d.facts, err = s.alloc(ctx, factsSize); err != nil {
		return d, err
	}
	return d, s.look(ctx, &d, 0)
}

// look calls the decoder and reads the properties of the image. pixels is the address for the samples; if it is 0, the
// decoder reads only the header.
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

// pixels decodes the image and copies it out of the sandbox.
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

// plane is one channel of samples of an image.
type plane struct {
	pix                []byte
	stride, rows, each int // each is the size of one sample in bytes
}

// outside returns the size of the plane in the sandbox in bytes.
func (p plane) outside() uint64 { return uint64(p.wide()) * uint64(p.rows) }

// wide returns the length of a row in the sandbox. The decoder's rows have at least 64 samples, an even number of them,
// and a multiple of 16 bytes.
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
