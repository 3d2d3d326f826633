// SPDX-License-Identifier: Apache-2.0

package sniff

import (
	"bytes"
	"encoding/binary"
	"slices"
)

// Bytes is how many of a file's first bytes the detection uses. A shorter file may be passed whole.
const Bytes = 4096

// Types that are detected. The catalog defines those of images and videos.
const (
	JPEG      = "image/jpeg"
	PNG       = "image/png"
	WebP      = "image/webp"
	GIF       = "image/gif"
	HEIC      = "image/heic"
	HEIF      = "image/heif"
	MP4       = "video/mp4"
	WebM      = "video/webm"
	QuickTime = "video/quicktime"

	MP3  = "audio/mpeg"
	AAC  = "audio/aac"
	M4A  = "audio/mp4"
	WAV  = "audio/wav"
	FLAC = "audio/flac"
	Ogg  = "audio/ogg"
)

// ContentType returns the type of an image or video from its first bytes; "" if the type is not accepted.
func ContentType(head []byte) string {
	switch {
	case bytes.HasPrefix(head, []byte("\xff\xd8\xff")):
		return JPEG
	case bytes.HasPrefix(head, []byte("\x89PNG\r\n\x1a\n")):
		return PNG
	case bytes.HasPrefix(head, []byte("GIF87a")), bytes.HasPrefix(head, []byte("GIF89a")):
		return GIF
	case riff(head) == "WEBP":
		return webp(head)
	case bytes.HasPrefix(head, []byte("\x1a\x45\xdf\xa3")):
		if docType(head) == "webm" {
			return WebM
		}
		return ""
	}
	if major, compatible, ok := brands(head); ok {
		return isoType(major, compatible)
	}
	if oldQuickTime(head) {
		return QuickTime
	}
	return ""
}

// Extension returns the usual file extension of a type, with its dot; "" for an unknown type.
func Extension(contentType string) string {
	return map[string]string{
		JPEG: ".jpg", PNG: ".png", WebP: ".webp", GIF: ".gif", HEIC: ".heic", HEIF: ".heif",
		MP4: ".mp4", WebM: ".webm", QuickTime: ".mov",
		MP3: ".mp3", AAC: ".aac", M4A: ".m4a", WAV: ".wav", FLAC: ".flac", Ogg: ".ogg",
	}[contentType]
}

// Agree reports whether a file that was declared as one type may be detected as the other: HEIC is HEIF with HEVC
// images, and programs use the two names interchangeably.
func Agree(declared, found string) bool {
	return declared == found || (isHEIF(declared) && isHEIF(found))
}

func isHEIF(t string) bool { return t == HEIC || t == HEIF }

// riff returns the form type of a RIFF file, such as WEBP.
func riff(b []byte) string {
	if len(b) < 12 || string(b[:4]) != "RIFF" {
		return ""
	}
	return string(b[8:12])
}

func webp(b []byte) string {
	if len(b) >= 16 && slices.Contains([]string{"VP8 ", "VP8L", "VP8X"}, string(b[12:16])) {
		return WebP
	}
	return ""
}

// brands returns the brands in the file type box at the start of an ISO base media file.
func brands(b []byte) (major string, compatible []string, ok bool) {
	if len(b) < 16 || string(b[4:8]) != "ftyp" {
		return "", nil, false
	}
	n := int64(binary.BigEndian.Uint32(b))
	if n < 16 || n > 1<<12 {
		return "", nil, false
	}
	box := b[:min(n, int64(len(b)))]
	for at := 16; at+4 <= len(box); at += 4 {
		compatible = append(compatible, string(box[at:at+4]))
	}
	return string(box[8:12]), compatible, true
}

var (
	heicBrands = []string{"heic", "heix", "heim", "heis"}
	mp4Brands  = []string{
		"isom", "iso2", "iso3", "iso4", "iso5", "iso6", "iso7", "iso8", "iso9", "mp41", "mp42", "avc1", "dash",
		"M4V ", "M4VH", "M4VP", "MSNV", "mmp4", "f4v ", "XAVC",
	}
	audioBrands = []string{"M4A ", "M4B ", "M4P "}
)

// isoType returns the type for the major brand or, if that brand is unknown, for the compatible brands.
func isoType(major string, compatible []string) string {
	switch {
	case slices.Contains(heicBrands, major):
		return HEIC
	case major == "mif1" || major == "msf1":
		if slices.ContainsFunc(compatible, func(c string) bool { return slices.Contains(heicBrands, c) }) {
			return HEIF
		}
		return "" // images of another codec in the same container, for example AVIF
	case major == "qt  ":
		return QuickTime
	case slices.Contains(mp4Brands, major):
		return MP4
	case slices.Contains(audioBrands, major), major == "avif", major == "avis", major == "crx ", major == "hevc", major == "hevx":
		return ""
	}
	if slices.ContainsFunc(compatible, func(c string) bool { return c == "isom" || c == "mp41" || c == "mp42" }) {
		return MP4
	}
	return ""
}

// oldQuickTime reports whether a file is a QuickTime movie from before files began with a file type box.
func oldQuickTime(b []byte) bool {
	if len(b) < 16 {
		return false
	}
	n, kind, next := binary.BigEndian.Uint32(b), string(b[4:8]), string(b[12:16])
	switch kind {
	case "moov":
		return n >= 16 && slices.Contains([]string{"mvhd", "cmov", "rmra"}, next)
	case "wide":
		return n == 8 && next == "mdat"
	}
	return false
}

// docType returns the document type in the header of an EBML file.
func docType(b []byte) string {
	b = b[4:]
	size, n := vint(b)
	if n == 0 {
		return ""
	}
	b = b[n:]
	b = b[:min(size, uint64(len(b)))]
	for len(b) >= 2 {
		id, idLen := elementID(b)
		if idLen == 0 {
			return ""
		}
		b = b[idLen:]
		size, n := vint(b)
		if n == 0 || size > uint64(len(b)-n) {
			return ""
		}
		if id == 0x4282 {
			return string(bytes.TrimRight(b[n:n+int(size)], "\x00"))
		}
		b = b[n+int(size):]
	}
	return ""
}

// vint decodes a number of variable length without its length marker; n is 0 if there is none.
func vint(b []byte) (v uint64, n int) {
	if len(b) == 0 || b[0] == 0 {
		return 0, 0
	}
	n = 1
	for mask := byte(0x80); b[0]&mask == 0; mask >>= 1 {
		n++
	}
	if len(b) < n {
		return 0, 0
	}
	v = uint64(b[0]) & (1<<(8-n) - 1)
	for _, c := range b[1:n] {
		v = v<<8 | uint64(c)
	}
	return v, n
}

// elementID decodes the ID of an element including its length marker; n is 0 if there is none.
func elementID(b []byte) (id uint32, n int) {
	_, n = vint(b)
	if n == 0 || n > 4 {
		return 0, 0
	}
	for _, c := range b[:n] {
		id = id<<8 | uint32(c)
	}
	return id, n
}
