// SPDX-License-Identifier: Apache-2.0

package hostile

import (
	"bytes"
)

// Elements of Matroska and WebM.
const (
	idHeader, idVersion, idReadVersion, idMaxID, idMaxSize, idDocType, idDocVersion, idDocRead  = 0x1a45dfa3, 0x4286, 0x42f7, 0x42f2, 0x42f3, 0x4282, 0x4287, 0x4285
	idSegment, idInfo, idScale, idDuration, idTracks, idTrack, idNumber, idUID, idKind, idCodec = 0x18538067, 0x1549a966, 0x2ad7b1, 0x4489, 0x1654ae6b, 0xae, 0xd7, 0x73c5, 0x83, 0x86
	idVideo, idWidth, idHeight, idCluster, idTime, idBlock                                      = 0xe0, 0xb0, 0xba, 0x1f43b675, 0xe7, 0xa3
	idEncodings, idEncoding, idCompression, idAlgorithm, idScope                                = 0x6d80, 0x6240, 0x5034, 0x4254, 0x5032
	idAttachments, idAttachment, idFileName, idFileType, idFileData, idFileUID                  = 0x1941a469, 0x61a7, 0x466e, 0x4660, 0x465c, 0x46ae
	idTags, idTag, idTargets, idTrackUID, idSimple, idTagName, idTagString                      = 0x1254c367, 0x7373, 0x63c0, 0x63c5, 0x67c8, 0x45a3, 0x4487
	idChapters, idEdition, idChapter, idSegmentUID, idNextFile, idPrivate                       = 0x1043a770, 0x45b9, 0xb6, 0x73a4, 0x3e83bb, 0x63a2
)

// element returns an element of a Matroska file, with a size of eight bytes.
func element(id uint32, parts ...[]byte) []byte {
	body := join(parts...)
	return join(name(id), u64(uint64(len(body))|1<<56), body)
}

// name returns an element's ID, in its minimum number of bytes.
func name(id uint32) []byte { return bytes.TrimLeft(u32(id), "\x00") }

func (s *Seeds) matroskas(b *Bait) []File {
	header := element(idHeader, element(idVersion, u8(1)), element(idReadVersion, u8(1)), element(idMaxID, u8(4)), element(idMaxSize, u8(8)),
		element(idDocType, []byte("webm")), element(idDocVersion, u8(2)), element(idDocRead, u8(2)))
	info := element(idInfo, element(idScale, u32(1_000_000)))
	size := func(w, h uint32) []byte { return element(idVideo, element(idWidth, u32(w)), element(idHeight, u32(h))) }
	track := func(more ...[]byte) []byte {
		return element(idTrack, element(idNumber, u8(1)), element(idUID, u8(1)), element(idKind, u8(1)), element(idCodec, []byte("V_VP8")), size(Side, Side), join(more...))
	}
	cluster := func(data []byte) []byte {
		return element(idCluster, element(idTime, u8(0)), element(idBlock, u8(0x81, 0, 0, 0x80), data))
	}
	file := func(parts ...[]byte) []byte { return join(header, element(idSegment, parts...)) }
	deep := func(n int) []byte {
		c := element(idChapter)
		for range n {
			c = element(idChapter, c)
		}
		return element(idChapters, element(idEdition, c))
	}
	font := element(idAttachment, element(idFileName, []byte("../../../../tmp/"+Marker)), element(idFileType, []byte("application/x-truetype-font")), element(idFileData, noise(1000)), element(idFileUID, u8(1)))
	squeezed := element(idEncodings, element(idEncoding, element(idScope, u8(1)), element(idCompression, element(idAlgorithm, u8(0)))))
	squeezedHead := element(idEncodings, element(idEncoding, element(idScope, u8(2)), element(idCompression, element(idAlgorithm, u8(0)))))
	// One track with real frames and seven without any, each with a tag that a program may print in full.
	verbose := func(bytesEach int) []byte {
		var tracks, tags []byte
		for i := range 7 {
			tracks = append(tracks, element(idTrack, element(idNumber, u8(byte(i+2))), element(idUID, u8(byte(i+2))), element(idKind, u8(2)),
				element(idCodec, []byte("A_OPUS")))...)
		}
		for i := range 8 {
			tags = append(tags, element(idTag, element(idTargets, element(idTrackUID, u8(byte(i+1)))),
				element(idSimple, element(idTagName, []byte("alpha_mode")), element(idTagString, bytes.Repeat([]byte("1"), bytesEach))))...)
		}
		return file(info, element(idTracks, track(), tracks), element(idTags, tags), s.pictures())
	}
	var crowd []byte
	for i := range 1000 {
		crowd = append(crowd, element(idTrack, element(idNumber, u16(uint16(i+1))), element(idUID, u16(uint16(i+1))), element(idKind, u8(1)), element(idCodec, []byte("V_VP8")), size(Side, Side))...)
	}
	return []File{
		{"WebM whose header says 2^56 bytes", webmType, Refused, join(name(idHeader), u8(1, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xfe), header[12:])},
		{"WebM whose segment claims 2^56 bytes", webmType, Refused, join(header, name(idSegment), u8(1, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xfe), info)},
		{"WebM whose segment has no size and no content", webmType, Refused, join(header, name(idSegment), u8(0xff))},
		{"WebM of 1,000 tracks", webmType, Refused, file(info, element(idTracks, crowd), cluster(noise(100)))},
		{"WebM with eight tags of 2 MB", webmType, Refused, verbose(2 << 20)},
		{"WebM with eight tags", webmType, Harmless, verbose(1)},
		{"WebM with 300 attachments that are paths", webmType, Harmless, file(info, element(idTracks, track()), element(idAttachments, bytes.Repeat(font, 300)), cluster(noise(100)))},
		{"WebM with chapters 1,000 deep", webmType, Harmless, file(info, deep(1000), element(idTracks, track()), cluster(noise(100)))},
		{"WebM with a bomb as its frame", webmType, Refused, file(info, element(idTracks, track(squeezed)), cluster(bomb()))},
		{"WebM with a bomb in its track", webmType, Refused, file(info, element(idTracks, track(squeezedHead, element(idPrivate, bomb()))), cluster(noise(100)))},
		{"WebM of 2^32 x 2^32", webmType, Refused, file(info, element(idTracks, element(idTrack, element(idNumber, u8(1)), element(idUID, u8(1)), element(idKind, u8(1)), element(idCodec, []byte("V_VP8")), size(1<<32-1, 1<<32-1))), cluster(noise(100)))},
		{"WebM that goes on elsewhere", webmType, Harmless, file(element(idInfo, element(idScale, u32(1_000_000)), element(idSegmentUID, noise(16)), element(idNextFile, []byte(b.File))), element(idTracks, track()), cluster(noise(100)))},
		{"WebM that lasts forever", webmType, Harmless, bytes.Replace(s.WebM, durationOf(s.WebM), join(name(idDuration), u8(0x88, 0x7f, 0xef, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff)), 1)},
		{"WebM whose time is not a number", webmType, Harmless, bytes.Replace(s.WebM, durationOf(s.WebM), join(name(idDuration), u8(0x88, 0x7f, 0xf8, 0, 0, 0, 0, 0, 0)), 1)},
		{"WebM with noise as its frames", webmType, Refused, file(info, element(idTracks, track()), cluster(noise(100_000)))},
		{"WebM with a codec of subtitles", webmType, Refused, file(info, element(idTracks, element(idTrack, element(idNumber, u8(1)), element(idUID, u8(1)), element(idKind, u8(17)), element(idCodec, []byte("S_TEXT/ASS")), element(idPrivate, []byte(b.File)))), cluster([]byte(b.File)))},
	}
}

// pictures returns the clusters of the seed. Its frames are the first track.
func (s *Seeds) pictures() []byte {
	return s.WebM[bytes.Index(s.WebM, name(idCluster)):]
}

// durationOf returns the element with the duration, an eight-byte floating-point number.
func durationOf(webm []byte) []byte {
	at := bytes.Index(webm, append(name(idDuration), 0x88))
	if at < 0 {
		panic("the seed says how long it is")
	}
	return webm[at : at+11]
}
