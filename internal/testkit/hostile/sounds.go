// SPDX-License-Identifier: Apache-2.0

package hostile

import "bytes"

const (
	mp3Type, m4aType, flacType = "audio/mpeg", "audio/mp4", "audio/flac"

	// coverSide is the side of a cover in pixels of eight bytes: one decoded cover takes 288 MB.
	coverSide = 6000
)

// Sounds returns the files that are declared as music.
func (s *Seeds) Sounds() []File {
	cover := s.cover()
	return []File{
		{"MP3", mp3Type, Taken, s.MP3},
		{"M4A", m4aType, Taken, s.M4A},
		{"FLAC", flacType, Taken, s.FLAC},
		{"MP3 with three covers of 6,000 x 6,000", mp3Type, Taken, join(id3(3, cover), s.MP3)},
		{"M4A with three covers of 6,000 x 6,000", m4aType, Taken, withCovers(s.M4A, 3, cover)},
		{"FLAC with three covers of 6,000 x 6,000", flacType, Taken, join(s.FLAC[:4], flacCovers(3, cover), s.FLAC[4:])},
	}
}

// cover returns a PNG of a few hundred kilobytes that takes hundreds of megabytes when decoded.
func (s *Seeds) cover() []byte {
	head := join(u32(coverSide), u32(coverSide), u8(16, 6, 0, 0, 0)) // red, green, blue and alpha of two bytes each
	return join(s.PNG[:8], chunk("IHDR", head), chunk("IDAT", nothing(coverSide*(1+8*coverSide))), chunk("IEND", nil))
}

// id3 returns a tag for the beginning of an MP3 file, with n covers. Each cover has another description, as players
// require.
func id3(n int, cover []byte) []byte {
	var frames bytes.Buffer
	for i := range n {
		body := join([]byte("\x00image/png\x00\x03"), u8('a'+byte(i), 0), cover)
		frames.Write(join([]byte("APIC"), u32(uint32(len(body))), u16(0), body))
	}
	size := frames.Len()
	return join([]byte("ID3\x03\x00\x00"), u8(byte(size>>21)&0x7f, byte(size>>14)&0x7f, byte(size>>7)&0x7f, byte(size)&0x7f), frames.Bytes())
}

// withCovers returns an MP4 file with n covers in its metadata.
func withCovers(mp4 []byte, n int, cover []byte) []byte {
	data := bytes.Repeat(box("data", u32(14), u32(0), cover), n) // 14 is PNG
	handler := full("hdlr", 0, 0, u32(0), []byte("mdirappl"), make([]byte, 9))
	return edit(mp4, func(moov []byte) []byte {
		return join(moov, box("udta", full("meta", 0, 0, handler, box("ilst", box("covr", data)))))
	}, "moov")
}

// flacCovers returns metadata blocks for the beginning of a FLAC file, with n covers.
func flacCovers(n int, cover []byte) []byte {
	block := join(u32(3), u32(9), []byte("image/png"), u32(0), u32(coverSide), u32(coverSide), u32(64), u32(0), u32(uint32(len(cover))), cover)
	size := len(block)
	return bytes.Repeat(join(u8(6, byte(size>>16), byte(size>>8), byte(size)), block), n)
}
