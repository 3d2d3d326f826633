// SPDX-License-Identifier: Apache-2.0

package hostile

import (
	"bytes"
)

// heif describes the differences between a HEIC file and a valid one.
type heif struct {
	brand         string
	width, height uint32        // claimed size; Side when 0
	repeat        int           // number of copies of the coded image
	tiles         int           // if above 0, the main image is a grid of tiles x tiles tiles
	output        uint32        // the claimed side of the grid; 0: that of its tiles
	loop          bool          // the grid is one of its own tiles
	items         int           // number of additional images
	beyond        bool          // the location of the coded image is after the end of the file
	properties    func() []byte // additional properties of the main image
}

// heic returns a HEIF file with one HEVC image.
func (s *Seeds) heic(h heif) []byte {
	var params [3][]byte // video, sequence and picture parameter sets
	var coded []byte
	for _, nal := range bytes.Split(bytes.ReplaceAll(s.stream, []byte("\x00\x00\x00\x01"), []byte("\x00\x00\x01")), []byte("\x00\x00\x01")) {
		if len(nal) < 3 {
			continue
		}
		switch kind := nal[0] >> 1 & 0x3f; {
		case kind >= 32 && kind <= 34:
			params[kind-32] = nal
		case kind < 32:
			coded = join(coded, u32(uint32(len(nal))), nal)
		}
	}
	sequence := bytes.ReplaceAll(params[1], []byte("\x00\x00\x03"), []byte("\x00\x00"))
	config := join(u8(1), sequence[3:15], u8(0xf0, 0, 0xfc, 0xfd, 0xf8, 0xf8, 0, 0, 0x0f, 3))
	for i, p := range params {
		config = join(config, u8(0xa0+byte(i)), u16(1), u16(uint16(len(p))), p)
	}
	coded = bytes.Repeat(coded, max(1, h.repeat))

	or := func(v, usual uint32) uint32 {
		if v == 0 {
			return usual
		}
		return v
	}
	brand := h.brand
	if brand == "" {
		brand = "heic"
	}
	w, t := or(h.width, Side), or(h.height, Side)
	// Properties: 1 the decoder's configuration, 2 the size of a coded image, 3 the size of the grid, 4 the additional
	// ones.
	side := or(h.output, uint32(max(1, h.tiles))*Side)
	properties := [][]byte{box("hvcC", config), full("ispe", 0, 0, u32(w), u32(t)), full("ispe", 0, 0, u32(side), u32(side))}
	if h.properties != nil {
		properties = append(properties, h.properties())
	}

	const first, grid = 1, 2
	main := uint16(first)
	infos := [][]byte{full("infe", 2, 0, u16(first), u16(0), []byte("hvc1\x00"))}
	associations := [][]byte{join(u16(first), u8(2, 0x81, 2))}
	if h.properties != nil {
		associations[0] = join(u16(first), u8(3, 0x81, 2, 4))
	}
	for i := range h.items + h.tiles*h.tiles {
		id := u16(uint16(10 + i))
		infos = append(infos, full("infe", 2, 0, id, u16(0), []byte("hvc1\x00")))
		associations = append(associations, join(id, u8(2, 0x81, 2)))
	}
	var locations [][]byte
	var refs []byte
	payload := coded
	var laidOut []byte
	if h.tiles > 0 {
		main = grid
		laidOut = join(u8(0, 1, byte(h.tiles-1), byte(h.tiles-1)), u32(side), u32(side))
		infos = append(infos, full("infe", 2, 0, u16(grid), u16(0), []byte("grid\x00")))
		associations = append(associations, join(u16(grid), u8(1, 3)))
		var tiles []byte
		for i := range h.tiles * h.tiles {
			tiles = append(tiles, u16(uint16(10+h.items+i))...)
		}
		if h.loop {
			copy(tiles, u16(grid))
		}
		refs = full("iref", 0, 0, box("dimg", u16(grid), u16(uint16(h.tiles*h.tiles)), tiles))
		payload = join(coded, laidOut)
	}
	// The offsets depend on the length of everything before the data, which does not depend on the offsets.
	build := func(at uint32) []byte {
		place := func(id uint16, from, length uint32) []byte {
			return join(u16(id), u16(0), u16(1), u32(from), u32(length))
		}
		if h.beyond {
			at += 1 << 30
		}
		locations = [][]byte{place(first, at, uint32(len(coded)))}
		if h.tiles > 0 {
			locations = append(locations, place(grid, at+uint32(len(coded)), uint32(len(laidOut))))
		}
		for i := range h.items + h.tiles*h.tiles {
			locations = append(locations, place(uint16(10+i), at, uint32(len(coded))))
		}
		return join(
			box("ftyp", []byte(brand), u32(0), []byte("mif1heic")),
			full("meta", 0, 0,
				full("hdlr", 0, 0, u32(0), []byte("pict"), make([]byte, 13)),
				full("pitm", 0, 0, u16(main)),
				full("iloc", 0, 0, u8(0x44, 0), u16(uint16(len(locations))), join(locations...)),
				full("iinf", 0, 0, u16(uint16(len(infos))), join(infos...)),
				refs,
				box("iprp", box("ipco", properties...), full("ipma", 0, 0, u32(uint32(len(associations))), join(associations...))),
			),
		)
	}
	head := build(0)
	return join(build(uint32(len(head))+8), box("mdat", payload))
}
