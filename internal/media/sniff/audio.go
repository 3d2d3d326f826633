// SPDX-License-Identifier: Apache-2.0

package sniff

import (
	"bytes"
	"slices"
)

// Audio returns the type of an audio file from its first bytes; "" if the type is not accepted.
func Audio(head []byte) string {
	switch {
	case riff(head) == "WAVE":
		return WAV
	case bytes.HasPrefix(head, []byte("fLaC")):
		return FLAC
	case bytes.HasPrefix(head, []byte("OggS")):
		return ogg(head)
	case bytes.HasPrefix(head, []byte("ID3")):
		return tagged(head)
	}
	if major, compatible, ok := brands(head); ok {
		if slices.Contains(audioBrands, major) || isoType(major, compatible) == MP4 {
			return M4A
		}
		return ""
	}
	return frames(head)
}

// ogg checks the codec in the first packet: a video stream is not accepted.
func ogg(b []byte) string {
	if len(b) < 27 {
		return ""
	}
	at := 27 + int(b[26])
	for _, codec := range []string{"\x01vorbis", "OpusHead", "\x7fFLAC", "Speex   "} {
		if len(b) >= at && bytes.HasPrefix(b[at:], []byte(codec)) {
			return Ogg
		}
	}
	return ""
}

// tagged returns the type of the data behind an ID3 tag. A tag with a cover is longer than head; the file then counts
// as MP3, the format for which such tags were designed.
func tagged(b []byte) string {
	if len(b) < 10 || slices.ContainsFunc(b[6:10], func(c byte) bool { return c >= 0x80 }) {
		return ""
	}
	at := 10 + int(b[6])<<21 + int(b[7])<<14 + int(b[8])<<7 + int(b[9])
	if b[5]&0x10 != 0 { // the tag has a footer
		at += 10
	}
	if at+4 > len(b) {
		return MP3
	}
	rest := bytes.TrimLeft(b[at:], "\x00")
	if bytes.HasPrefix(rest, []byte("fLaC")) {
		return "" // FLAC has its own tags; few programs read FLAC behind an ID3 tag
	}
	if len(rest) < 4 {
		return MP3
	}
	return frames(rest)
}

// frames returns the type of bare MPEG audio from the header of its first frame.
func frames(b []byte) string {
	if len(b) < 7 || b[0] != 0xff || b[1]&0xe0 != 0xe0 {
		return ""
	}
	version, layer := b[1]>>3&3, b[1]>>1&3
	switch {
	case layer == 0 && b[1]&0xf0 == 0xf0: // ADTS
		length := int(b[3]&3)<<11 | int(b[4])<<3 | int(b[5])>>5
		if b[2]>>2&15 < 13 && length >= 7 {
			return AAC
		}
	case version != 1 && layer == 1: // MPEG 1, 2 or 2.5, layer III
		if rate := b[2] >> 4; rate != 0 && rate != 15 && b[2]>>2&3 != 3 {
			return MP3
		}
	}
	return ""
}
