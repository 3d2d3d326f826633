// SPDX-License-Identifier: Apache-2.0

package imagery

import (
	"bytes"
	"encoding/binary"
	"errors"
	"slices"

	"github.com/reelops/reelops/internal/media/sniff"
)

// errNotClean means that an image's structure cannot be followed to its end.
var errNotClean = errors.New("the image's structure cannot be followed")

// ErrArchive means that a file is an archive as well as an image.
var ErrArchive = errors.New("the file is an archive as well as an image")

// Clean returns an image file without data that its pixels and colours do not need: bytes after its end, comments,
// texts, and segments of unknown kinds. Such bytes can make a file valid in another format, such as an archive or a web
// page. The pixels are not encoded again. Clean returns data itself if there is nothing to remove. It returns
// ErrArchive for a file that remains an archive, or another error for a file whose structure cannot be followed.
func Clean(contentType string, data []byte) ([]byte, error) {
	f := map[string]func([]byte) ([]byte, error){
		sniff.JPEG: cleanJPEG, sniff.PNG: cleanPNG, sniff.GIF: cleanGIF, sniff.WebP: cleanWebP, sniff.HEIC: cleanHEIF, sniff.HEIF: cleanHEIF,
	}[contentType]
	if f == nil {
		return data, nil
	}
	out, err := f(data)
	switch {
	case err != nil:
		return nil, err
	case archive(out):
		return nil, ErrArchive
	case bytes.Equal(out, data):
		return data, nil
	}
	return out, nil
}

// archive reports whether ZIP readers, which start at the end of a file, would accept data as an archive.
func archive(data []byte) bool {
	const record, comment = 22, 1<<16 - 1
	tail := data[max(0, len(data)-record-comment):]
	at := bytes.LastIndex(tail, []byte("PK\x05\x06"))
	if at < 0 || len(tail)-at < record {
		return false
	}
	empty := bytes.Equal(tail[at+4:at+20], make([]byte, 16))
	return empty || bytes.Contains(data, []byte("PK\x01\x02"))
}

func cleanJPEG(b []byte) ([]byte, error) {
	if len(b) < 2 {
		return nil, errNotClean
	}
	out := append(make([]byte, 0, len(b)), b[:2]...)
	for at := 2; ; {
		for at+1 < len(b) && (b[at] != 0xff || b[at+1] == 0xff || b[at+1] == 0) {
			at++ // fill bytes
		}
		if at+1 >= len(b) {
			return nil, errNotClean
		}
		marker := b[at+1]
		switch {
		case marker == 0xd9:
			return append(out, 0xff, marker), nil
		case marker == 1 || marker >= 0xd0 && marker <= 0xd7:
			out, at = append(out, 0xff, marker), at+2
			continue
		}
		if at+4 > len(b) {
			return nil, errNotClean
		}
		end := at + 2 + int(binary.BigEndian.Uint16(b[at+2:]))
		if end > len(b) || end < at+4 {
			return nil, errNotClean
		}
		if marker == 0xda { // coded data follows
			for end+1 < len(b) && (b[end] != 0xff || b[end+1] == 0 || b[end+1] >= 0xd0 && b[end+1] <= 0xd7) {
				end++
			}
		}
		if keepsJPEG(marker, b[at+4:end]) {
			out = append(out, b[at:end]...)
		}
		at = end
	}
}

func keepsJPEG(marker byte, body []byte) bool {
	for m, kinds := range map[byte][]string{0xe0: {"JFIF\x00", "JFXX\x00"}, 0xe1: {"Exif\x00\x00"}, 0xe2: {"ICC_PROFILE\x00"}, 0xee: {"Adobe"}} {
		if marker == m {
			return slices.ContainsFunc(kinds, func(k string) bool { return bytes.HasPrefix(body, []byte(k)) })
		}
	}
	return marker != 0xfe && (marker < 0xe0 || marker > 0xef)
}

// pngChunks are the chunks that affect how an image looks. The last four are for animation and rotation.
var pngChunks = []string{
	"IHDR", "PLTE", "IDAT", "IEND", "tRNS", "gAMA", "cHRM", "sRGB", "iCCP", "cICP", "sBIT", "bKGD", "pHYs", "acTL", "fcTL", "fdAT", "eXIf",
}

func cleanPNG(b []byte) ([]byte, error) {
	const signature, around = 8, 12
	if len(b) < signature {
		return nil, errNotClean
	}
	out := append(make([]byte, 0, len(b)), b[:signature]...)
	for at := signature; at+around <= len(b); {
		n := int(binary.BigEndian.Uint32(b[at:]))
		if n > len(b)-at-around {
			break
		}
		kind, end := string(b[at+4:at+8]), at+around+n
		if slices.Contains(pngChunks, kind) {
			out = append(out, b[at:end]...)
		}
		if kind == "IEND" {
			return out, nil
		}
		at = end
	}
	return nil, errNotClean
}

func cleanGIF(b []byte) ([]byte, error) {
	table := func(flags byte) int {
		if flags&0x80 == 0 {
			return 0
		}
		return 3 << (flags&7 + 1)
	}
	if len(b) < 13 {
		return nil, errNotClean
	}
	at := 13 + table(b[10])
	if at > len(b) {
		return nil, errNotClean
	}
	out := append(make([]byte, 0, len(b)), b[:at]...)
	for at < len(b) {
		keep := true
		var blocks int
		switch b[at] {
		case 0x3b:
			return append(out, 0x3b), nil
		case 0x2c:
			if at+10 > len(b) {
				return nil, errNotClean
			}
			blocks = at + 10 + table(b[at+9]) + 1 // after the byte with the code size
		case 0x21:
			if at+2 > len(b) {
				return nil, errNotClean
			}
			blocks = at + 2
			rest := b[blocks:]
			keep = b[at+1] == 0xf9 || b[at+1] == 0xff && (bytes.HasPrefix(rest, []byte("\x0bNETSCAPE2.0")) || bytes.HasPrefix(rest, []byte("\x0bANIMEXTS1.0")))
		default:
			return nil, errNotClean
		}
		end := blocks
		for {
			if end >= len(b) {
				return nil, errNotClean
			}
			n := int(b[end])
			if end += 1 + n; n == 0 {
				break
			}
		}
		if keep {
			out = append(out, b[at:end]...)
		}
		at = end
	}
	return nil, errNotClean
}

// webpChunks are the chunks that affect how an image looks.
var webpChunks = []string{"VP8 ", "VP8L", "VP8X", "ALPH", "ANIM", "ANMF", "ICCP", "EXIF"}

func cleanWebP(b []byte) ([]byte, error) {
	const header, xmp = 12, 1 << 2
	if len(b) < header {
		return nil, errNotClean
	}
	whole := 8 + int(binary.LittleEndian.Uint32(b[4:]))
	if whole > len(b) || whole < header {
		return nil, errNotClean
	}
	out := append(make([]byte, 0, whole), b[:header]...)
	for at := header; at+8 <= whole; {
		n := int(binary.LittleEndian.Uint32(b[at+4:]))
		if n > whole-at-8 {
			return nil, errNotClean
		}
		end := min(at+8+n+n&1, whole)
		if kind := string(b[at : at+4]); slices.Contains(webpChunks, kind) {
			out = append(out, b[at:end]...)
			if kind == "VP8X" && n > 0 {
				out[len(out)-(end-at)+8] &^= xmp
			}
		}
		at = end
	}
	binary.LittleEndian.PutUint32(out[4:], uint32(len(out)-8))
	return out, nil
}

// heifBoxes are the boxes of an image. Others are blanked instead of removed, because offsets in the file are counted
// from its beginning.
var heifBoxes = []string{"ftyp", "meta", "mdat", "moov", "moof", "mfra", "idat"}

func cleanHEIF(b []byte) ([]byte, error) {
	out := slices.Clone(b)
	for at := 0; at < len(b); {
		if at+8 > len(b) {
			return out[:at], nil
		}
		size, head := int64(binary.BigEndian.Uint32(b[at:])), 8
		switch {
		case size == 1 && at+16 <= len(b):
			size, head = int64(binary.BigEndian.Uint64(b[at+8:])), 16
		case size == 0:
			size = int64(len(b) - at)
		}
		if size < int64(head) || size > int64(len(b)-at) {
			return out[:at], nil // no box
		}
		end := at + int(size)
		if !slices.Contains(heifBoxes, string(b[at+4:at+8])) {
			clear(out[at+head : end])
		}
		at = end
	}
	return out, nil
}
