// SPDX-License-Identifier: Apache-2.0

package hostile

import (
	"bytes"
	"fmt"
	"strings"
)

// Films returns all files that are declared as videos, except for valid files of another type (see Mistaken) and those
// that are not media at all (see Pictures).
func (s *Seeds) Films(b *Bait) []File {
	var out []File
	for _, f := range s.goodFilms() {
		out = append(out, cuts(f.Name, f.Type, f.Data)...)
	}
	for _, part := range [][]File{s.goodFilms(), s.elsewhere(b), s.playlists(b), s.crowds(), s.absurd(), s.fragments(), s.matroskas(b), s.filmPolyglots(b)} {
		out = append(out, part...)
	}
	return out
}

func (s *Seeds) goodFilms() []File {
	return []File{{"MP4", mp4Type, Taken, s.MP4}, {"WebM", webmType, Taken, s.WebM}, {"MOV", movType, Taken, s.MOV}}
}

// elsewhere returns videos that reference another file for their content.
func (s *Seeds) elsewhere(b *Bait) []File {
	var out []File
	for _, f := range []File{{Name: "MP4", Type: mp4Type, Data: s.MP4}, {Name: "MOV", Type: movType, Data: s.MOV}} {
		for _, c := range []struct {
			name string
			ref  []byte
		}{
			{"the address of a server", full("url ", 0, 0, []byte(b.url("/dref")+"\x00"))},
			{"the address of a file", full("url ", 0, 0, []byte("file://"+b.File+"\x00"))},
			{"a path", full("url ", 0, 0, []byte(b.File+"\x00"))},
			{"a name", full("urn ", 0, 0, []byte(b.url("/urn")+"\x00"+b.url("/urn")+"\x00"))},
			{"an alias of a file", alias(b.File)},
			{"an alias of a server", alias(b.url("/alias"))},
			{"a resource", full("rsrc", 0, 0, []byte(b.File+"\x00"))},
			{"nothing", full("url ", 0, 0)},
		} {
			data := edit(f.Data, func([]byte) []byte { return join(u32(0), u32(1), c.ref) }, "moov", "trak", "mdia", "minf", "dinf", "dref")
			// The file also has its own content, which may be used.
			out = append(out, File{f.Name + " whose content is at " + c.name, f.Type, Harmless, data})
		}
	}
	movie := func(kind, to string) []byte {
		return join(s.MOV[:20], box("moov", box("rmra", box("rmda", full("rdrf", 0, 0, []byte(kind), u32(uint32(len(to)+1)), []byte(to+"\x00"))))))
	}
	return append(out,
		File{"MOV that leads to a server", movType, Refused, movie("url ", b.url("/rmra"))},
		File{"MOV that leads to a file", movType, Refused, movie("url ", "file://"+b.File)},
		File{"MOV that leads to an alias", movType, Refused, movie("alis", b.File)})
}

// alias returns a legacy file reference: an entry of a dref box with the path at its end.
func alias(path string) []byte {
	name := func(s string, room int) []byte {
		out := make([]byte, room)
		out[0] = byte(min(len(s), room-1))
		copy(out[1:], s)
		return out
	}
	record := join(u32(0), u16(0), u16(2), u16(0), name("disk", 28), u32(0), u16(0x482b), u16(0), u32(0), name("secret.ts", 64),
		make([]byte, 16), u16(0), u16(0), make([]byte, 16), // from no level to no level: the whole path
		u16(2), u16(uint16(len(path))), []byte(path), make([]byte, len(path)&1),
		u16(18), u16(uint16(len(path))), []byte(path), make([]byte, len(path)&1), u16(0xffff), u16(0))
	return full("alis", 0, 0, record)
}

// playlists returns texts with addresses for a player to fetch, with and without a valid beginning of the declared
// type.
func (s *Seeds) playlists(b *Bait) []File {
	texts := []struct{ name, text string }{
		{"HLS", "#EXTM3U\n#EXT-X-VERSION:3\n#EXT-X-TARGETDURATION:10\n#EXTINF:10.0,\n" + b.url("/hls.ts") + "\n#EXTINF:10.0,\nfile://" + b.File + "\n#EXT-X-ENDLIST\n"},
		{"HLS with a key", "#EXTM3U\n#EXT-X-TARGETDURATION:10\n#EXT-X-KEY:METHOD=AES-128,URI=\"" + b.url("/key") + "\"\n#EXT-X-MAP:URI=\"" + b.url("/map") + "\"\n#EXTINF:10.0,\nfile://" + b.File + "\n#EXT-X-ENDLIST\n"},
		{"HLS of HLS", "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\n" + b.url("/master.m3u8") + "\n#EXT-X-STREAM-INF:BANDWIDTH=2\nconcat:" + b.File + "|" + b.File + "\n"},
		{"concat script", "ffconcat version 1.0\nfile '" + b.File + "'\nfile '" + b.url("/concat") + "'\nduration 1\n"},
		{"session description", "v=0\r\no=- 0 0 IN IP4 127.0.0.1\r\ns=x\r\nc=IN IP4 127.0.0.1\r\nt=0 0\r\nm=video " + b.Address[strings.LastIndex(b.Address, ":")+1:] + " RTP/AVP/TCP 96\r\na=rtpmap:96 H264/90000\r\n"},
		{"DASH", `<?xml version="1.0"?><MPD xmlns="urn:mpeg:dash:schema:mpd:2011" type="static" mediaPresentationDuration="PT10S" profiles="urn:mpeg:dash:profile:isoff-on-demand:2011"><Period><AdaptationSet mimeType="video/mp4"><Representation id="1" bandwidth="1"><BaseURL>` + b.url("/dash") + `</BaseURL></Representation></AdaptationSet></Period></MPD>`},
		{"smooth streaming", `<?xml version="1.0"?><SmoothStreamingMedia MajorVersion="2"><StreamIndex Type="video" Url="` + b.url("/smooth") + `"/></SmoothStreamingMedia>`},
		{"ASX", `<asx version="3.0"><entry><ref href="` + b.url("/asx") + `"/></entry></asx>`},
		{"PLS", "[playlist]\nFile1=" + b.url("/pls") + "\nNumberOfEntries=1\n"},
		{"Real", b.url("/ram") + "\n"},
		{"old QuickTime", "RTSPtext\r\n" + b.url("/rtsptext")},
		{"image sequence", b.File + "%03d.png"},
		{"subtitles", "[Script Info]\n[Events]\nDialogue: 0,0:00:00.00,0:00:01.00,,,,,,," + b.File + "\n"},
		{"frame server", "LoadPlugin(\"" + b.File + "\")\nAviSource(\"" + b.File + "\")\n"},
		{"filter graph", "movie=" + b.File},
	}
	begin := map[string][]byte{
		mp4Type: box("ftyp", []byte("isom"), u32(0x200), []byte("isommp41")), movType: box("ftyp", []byte("qt  "), u32(0x200), []byte("qt  ")),
		webmType: s.WebM[:min(36, len(s.WebM))],
	}
	var out []File
	for _, t := range texts {
		for _, as := range filmTypes {
			out = append(out, File{fmt.Sprintf("%s declared as %s", t.name, as), as, Refused, []byte(t.text)},
				File{fmt.Sprintf("%s behind the beginning of %s", t.name, as), as, Refused, join(begin[as], []byte("\n"+t.text))})
		}
	}
	return out
}

// crowds returns videos with too many elements of one kind.
func (s *Seeds) crowds() []File {
	tracks := func(file []byte, n int) []byte {
		return edit(file, func(moov []byte) []byte {
			var out, trak []byte
			each(moov, func(kind string, body []byte) {
				if kind == "trak" && trak == nil {
					trak = body
				}
				out = join(out, box(kind, body))
			})
			var more bytes.Buffer
			for i := range n - 1 {
				more.Write(box("trak", edit(trak, func(b []byte) []byte { return patched(b, 12, u32(uint32(100+i))...) }, "tkhd")))
			}
			return join(out, more.Bytes())
		}, "moov")
	}
	deep := func(n int) []byte {
		b := box("free")
		for range n {
			b = box("udta", b)
		}
		return b
	}
	entry := find(s.MP4, "moov", "trak", "mdia", "minf", "stbl", "stsd")[8:]
	return []File{
		{"MP4 of 1,000 tracks", mp4Type, Refused, tracks(s.MP4, 1000)},
		{"MOV of 1,000 tracks", movType, Refused, tracks(s.MOV, 1000)},
		{"MP4 of 20,000 tracks", mp4Type, Refused, tracks(s.MP4, 20_000)},
		{"MP4 in 500,000 empty boxes", mp4Type, Harmless, join(s.MP4, bytes.Repeat(box("free"), 500_000))},
		{"MP4 with boxes 2,000 deep", mp4Type, Harmless, edit(s.MP4, func(b []byte) []byte { return join(b, deep(2000)) }, "moov")},
		{"MP4 with 100,000 edits", mp4Type, Harmless, edit(s.MP4, func([]byte) []byte {
			return join(u32(0), u32(100_000), bytes.Repeat(join(u32(1), u32(0), u32(0x10000)), 100_000))
		}, "moov", "trak", "edts", "elst")},
		{"MP4 of 1,000 sample descriptions", mp4Type, Harmless, edit(s.MP4, func([]byte) []byte {
			return join(u32(0), u32(1000), bytes.Repeat(entry, 1000))
		}, "moov", "trak", "mdia", "minf", "stbl", "stsd")},
		{"MP4 with 50,000 notes", mp4Type, Harmless, edit(s.MP4, func(b []byte) []byte {
			return join(b, box("udta", bytes.Repeat(box("\xa9cmt", u16(4), u16(0), []byte("note")), 50_000)))
		}, "moov")},
	}
}

// absurd returns videos with impossible numbers.
func (s *Seeds) absurd() []File {
	stbl := []string{"moov", "trak", "mdia", "minf", "stbl"}
	at := func(leaf string) []string { return append(stbl[:5:5], leaf) }
	set := func(offset int, v []byte, path ...string) []byte {
		return edit(s.MP4, func(b []byte) []byte { return patched(b, offset, v...) }, path...)
	}
	table := func(leaf string, body ...[]byte) []byte {
		return edit(s.MP4, func([]byte) []byte { return join(body...) }, at(leaf)...)
	}
	// The first sample description: 8 bytes of count, then the entry, whose size is at offsets 32 and 34.
	sides := func(w, h uint16) []byte { return set(8+32, join(u16(w), u16(h)), at("stsd")...) }
	long := join(u32(1), u64(0), u64(0), u32(1), u64(1<<63-1), make([]byte, 80))
	return []File{
		{"MP4 of 2^63 seconds", mp4Type, Refused, edit(edit(s.MP4, func([]byte) []byte { return long }, "moov", "mvhd"),
			func(b []byte) []byte { return table2(b, 1<<31-1) }, at("stts")...)},
		{"MP4 of a week", mp4Type, Refused, edit(s.MP4, func(b []byte) []byte { return table2(b, 7*86400*10240/20) }, at("stts")...)},
		{"MP4 whose time does not pass", mp4Type, Harmless, edit(s.MP4, func(b []byte) []byte { return table2(b, 0) }, at("stts")...)},
		{"MP4 of a million frames a second", mp4Type, Refused, set(12, u32(4_000_000_000), "moov", "trak", "mdia", "mdhd")},
		{"MP4 of a scale of zero", mp4Type, Harmless, set(12, u32(0), "moov", "trak", "mdia", "mdhd")},
		{"MP4 whose movie header has a scale of zero", mp4Type, Harmless, set(12, u32(0), "moov", "mvhd")},
		{"MP4 of 65,535 x 65,535", mp4Type, Harmless, sides(65535, 65535)},
		{"MP4 of 0 x 0", mp4Type, Harmless, sides(0, 0)},
		{"MP4 that is shown at 65,535 x 65,535", mp4Type, Harmless, set(76, join(u32(0xffff0000), u32(0xffff0000)), "moov", "trak", "tkhd")},
		{"MP4 with a matrix of zeros", mp4Type, Harmless, set(40, make([]byte, 36), "moov", "trak", "tkhd")},
		{"MP4 of four billion samples of one size", mp4Type, Refused, table("stsz", u32(0), u32(1), u32(1<<32-1))},
		{"MP4 of four billion samples", mp4Type, Refused, table("stsz", u32(0), u32(0), u32(1<<32-1), make([]byte, 100))},
		{"MP4 of four billion times", mp4Type, Harmless, table("stts", u32(0), u32(1<<32-1), u32(1<<32-1), u32(1))},
		{"MP4 of four billion chunks", mp4Type, Refused, table("stco", u32(0), u32(1<<32-1), make([]byte, 8))},
		{"MP4 whose chunks are elsewhere", mp4Type, Refused, table("stco", u32(0), u32(1), u32(1<<32-1))},
		{"MP4 of one chunk of everything", mp4Type, Harmless, table("stsc", u32(0), u32(1), u32(1), u32(1<<32-1), u32(1))},
		{"MP4 with an edit of minus forever", mp4Type, Harmless, edit(s.MP4, func([]byte) []byte {
			return join(u32(1<<24), u32(1), u64(1<<63), u64(1<<63+1), u32(0x10000))
		}, "moov", "trak", "edts", "elst")},
		{"MP4 with an edit of forever", mp4Type, Harmless, edit(s.MP4, func([]byte) []byte {
			return join(u32(1<<24), u32(1), u64(1<<63-1), u64(1<<64-1), u32(0x10000))
		}, "moov", "trak", "edts", "elst")},
	}
}

// table2 returns a table of sample times in which every sample has the given duration.
func table2(b []byte, each uint32) []byte { return patched(b, len(b)-4, u32(each)...) }

// fragments returns videos that lack a part.
func (s *Seeds) fragments() []File {
	none := func([]byte) []byte { return nil }
	moov := find(s.MP4, "moov")
	packed := func(size uint32, body []byte) []byte {
		return join(edit(s.MP4, none, "moov"), box("moov", box("cmov", box("dcom", []byte("zlib")), box("cmvd", u32(size), body))))
	}
	fragment := box("moof", full("mfhd", 0, 0, u32(1)), box("traf", full("tfhd", 0, 0, u32(1)), full("trun", 0, 0x201, u32(1<<32-1), u32(8), make([]byte, 64))))
	return []File{
		{"MP4 without its index", mp4Type, Refused, edit(s.MP4, none, "moov")},
		{"MP4 without its content", mp4Type, Refused, edit(s.MP4, none, "mdat")},
		{"MP4 with an empty index", mp4Type, Refused, edit(s.MP4, func([]byte) []byte { return []byte{} }, "moov")},
		{"MP4 that is only sound", mp4Type, Refused, edit(s.MP4, firstTrackOff(), "moov", "trak")},
		{"MP4 of fragments without their beginning", mp4Type, Refused, join(s.MP4[:32], bytes.Repeat(join(fragment, box("mdat", make([]byte, 100))), 1000))},
		{"MP4 of fragments of four billion samples", mp4Type, Harmless, join(edit(s.MP4, func(b []byte) []byte {
			return join(b, box("mvex", full("trex", 0, 0, u32(1), u32(1), u32(1), u32(1), u32(0))))
		}, "moov"), fragment)},
		{"MP4 with a bomb as its index", mp4Type, Refused, packed(256<<20, bomb())},
		{"MP4 with an index that says it unpacks to 4 GB", mp4Type, Refused, packed(1<<32-1, bomb()[:1000])},
		{"MP4 whose index is in itself", mp4Type, Harmless, join(edit(s.MP4, none, "moov"), box("moov", moov, box("moov", moov)))},
		{"MP4 with a box of 2^63 bytes", mp4Type, Refused, join(s.MP4[:32], u32(1), []byte("moov"), u64(1<<63), moov)},
		{"MP4 whose index is longer than it is", mp4Type, Refused, join(s.MP4[:32], u32(1<<31), []byte("moov"), moov)},
		{"MP4 with garbage as its frames", mp4Type, Refused, edit(s.MP4, func(b []byte) []byte { return noise(len(b)) }, "mdat")},
		{"MP4 with zeros as its frames", mp4Type, Refused, edit(s.MP4, func(b []byte) []byte { return make([]byte, len(b)) }, "mdat")},
		{"beginning of an MP4 and noise", mp4Type, Refused, join(s.MP4[:32], noise(100_000))},
	}
}

// firstTrackOff returns an edit function that removes the first track.
func firstTrackOff() func([]byte) []byte {
	n := 0
	return func(b []byte) []byte {
		if n++; n == 1 {
			return nil
		}
		return b
	}
}

func noise(n int) []byte {
	out, seed := make([]byte, n), uint32(7)
	for i := range out {
		seed = seed*1664525 + 1013904223
		out[i] = byte(seed >> 24)
	}
	return out
}

// filmPolyglots returns valid videos that are also valid files of another type.
func (s *Seeds) filmPolyglots(b *Bait) []File {
	page := []byte("<html><script src='" + b.url("/film") + "'></script></html>")
	return []File{
		{"MP4 with a page behind it", mp4Type, Harmless, join(s.MP4, page)},
		{"MP4 with a page in a free box", mp4Type, Harmless, join(s.MP4, box("free", page))},
		{"MP4 with a playlist behind it", mp4Type, Harmless, join(s.MP4, []byte("\n#EXTM3U\n#EXTINF:1,\n"+b.url("/behind")+"\n"))},
		{"WebM with an MP4 behind it", webmType, Harmless, join(s.WebM, s.MP4)},
	}
}
