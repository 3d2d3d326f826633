// SPDX-License-Identifier: Apache-2.0

package hostile

import (
	"bytes"
	"fmt"
	"strings"
)

// Pictures returns all files that are declared as images, except for valid files of another type (see Mistaken).
func (s *Seeds) Pictures(b *Bait) []File {
	var out []File
	for _, f := range s.goodPictures() {
		out = append(out, cuts(f.Name, f.Type, f.Data)...)
	}
	for _, part := range [][]File{s.goodPictures(), s.polyglots(), s.pixelBombs(), s.movingBombs(), s.sideBombs(), s.liars(), s.strangers(b)} {
		out = append(out, part...)
	}
	return out
}

func (s *Seeds) goodPictures() []File {
	return []File{
		{"JPEG", jpegType, Taken, s.JPEG},
		{"progressive JPEG", jpegType, Taken, s.Progressive},
		{"PNG", pngType, Taken, s.PNG},
		{"GIF", gifType, Taken, s.GIF},
		{"moving GIF", gifType, Taken, s.MovingGIF},
		{"WebP", webpType, Taken, s.WebP},
		{"lossless WebP", webpType, Taken, s.Lossless},
		{"moving WebP", webpType, Taken, s.MovingWebP},
		{"HEIC", heicType, Taken, s.HEIC},
		{"HEIC of tiles", heicType, Taken, s.heic(heif{tiles: 2})},
		{"HEIF", heifType, Taken, s.heic(heif{brand: "mif1"})},
		{"turned HEIC", heicType, Taken, s.heic(heif{properties: func() []byte { return box("irot", u8(1)) }})},
	}
}

// Mistaken returns valid files, declared as each other type.
func (s *Seeds) Mistaken() []File {
	good := append(s.goodPictures(), File{"MP4", mp4Type, Taken, s.MP4}, File{"WebM", webmType, Taken, s.WebM}, File{"MOV", movType, Taken, s.MOV})
	same := func(a, b string) bool {
		return a == b || strings.HasPrefix(a, "image/hei") && strings.HasPrefix(b, "image/hei")
	}
	var out []File
	for _, f := range good {
		for _, t := range append(pictureTypes[:len(pictureTypes):len(pictureTypes)], filmTypes...) {
			// One file of each type is enough.
			if !same(f.Type, t) && !strings.Contains(f.Name, " ") {
				out = append(out, File{f.Name + " declared as " + t, t, Refused, f.Data})
			}
		}
	}
	return append(out, File{"Matroska declared as " + webmType, webmType, Refused, s.Matroska}, File{"Matroska declared as " + mp4Type, mp4Type, Refused, s.Matroska})
}

// polyglots returns valid images that are also valid files of another type. They may be accepted as images.
func (s *Seeds) polyglots() []File {
	page := []byte("<html><script>alert(document.domain)</script></html>")
	code := []byte("<?php system($_GET['c']); ?>")
	zip := []byte("PK\x03\x04\x14\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x01\x00\x00\x00aPK\x05\x06" + strings.Repeat("\x00", 18))
	return []File{
		{"JPEG with a ZIP behind it", jpegType, Harmless, join(s.JPEG, zip)},
		{"JPEG with a page in its comment", jpegType, Harmless, join(s.JPEG[:2], segment(0xfe, page), s.JPEG[2:])},
		{"JPEG with PHP in its comment", jpegType, Harmless, join(s.JPEG[:2], segment(0xfe, code), s.JPEG[2:])},
		{"JPEG with a video behind it", jpegType, Harmless, join(s.JPEG, s.MP4)},
		{"JPEG with a ZIP in its comment", jpegType, Harmless, join(s.JPEG[:2], segment(0xfe, zip), s.JPEG[2:])},
		{"JPEG with a ZIP in a segment of an application", jpegType, Harmless, join(s.JPEG[:2], segment(0xed, zip), s.JPEG[2:])},
		{"JPEG with a ZIP before its end", jpegType, Harmless, join(s.JPEG[:len(s.JPEG)-2], zip, s.JPEG[len(s.JPEG)-2:])},
		{"PNG with a ZIP in a chunk of an unknown kind", pngType, Harmless, join(s.PNG[:33], chunk("ziPs", zip), s.PNG[33:])},
		{"GIF with a page in its comment", gifType, Harmless, join(s.GIF[:len(s.GIF)-1], u8(0x21, 0xfe, byte(len(page))), page, u8(0, 0x3b))},
		{"WebP with a page in a chunk of an unknown kind", webpType, Harmless, riff("RIFF", s.WebP[8:], riff("page", page))},
		{"HEIC with a ZIP behind it", heicType, Harmless, join(s.HEIC, zip)},
		{"PNG with a page in its text", pngType, Harmless, join(s.PNG[:33], chunk("tEXt", join([]byte("Comment\x00"), page)), s.PNG[33:])},
		{"PNG with a ZIP behind it", pngType, Harmless, join(s.PNG, zip)},
		{"GIF with a script behind it", gifType, Harmless, join(s.GIF, []byte("/*"), page, []byte("*/=1;alert(1)"))},
		{"WebP with a page behind it", webpType, Harmless, join(s.WebP, page)},
		{"HEIC with a page in a free box", heicType, Harmless, join(s.HEIC, box("free", page))},
		{"script that begins like a GIF", gifType, Refused, []byte("GIF89a/*\x00\x00*/=1;alert(document.domain)//")},
		{"page that begins like a JPEG", jpegType, Refused, join([]byte("\xff\xd8\xff\xe0"), page)},
	}
}

// pixelBombs returns images that claim far too many pixels.
func (s *Seeds) pixelBombs() []File {
	const huge = 50000
	header := s.PNG[8:33] // the first chunk: length, kind, 13 bytes, checksum
	size := func(w, h uint32) []byte { return join(u32(w), u32(h), header[16:21]) }
	small := s.PNG[33:]
	sof := bytes.Index(s.JPEG, []byte("\xff\xc0"))
	canvas := func(w, h uint32) []byte { return riff("VP8X", little(0), little(w - 1)[:3], little(h - 1)[:3]) }
	most := append(u8(0x2f), little(0x3fff|0x3fff<<14)...)
	return []File{
		{"PNG of 50,000 x 50,000", pngType, Refused, join(s.PNG[:8], chunk("IHDR", size(huge, huge)), small)},
		{"PNG of 2^31 x 2^31", pngType, Refused, join(s.PNG[:8], chunk("IHDR", size(1<<31-1, 1<<31-1)), small)},
		{"PNG of 40,000,000 x 1", pngType, Refused, join(s.PNG[:8], chunk("IHDR", size(40_000_000, 1)), small)},
		{"PNG of no pixels", pngType, Refused, join(s.PNG[:8], chunk("IHDR", size(0, 0)), small)},
		{"JPEG of 50,000 x 50,000", jpegType, Refused, patched(s.JPEG, sof+5, 0xc3, 0x50, 0xc3, 0x50)},
		{"JPEG of 65,535 x 1", jpegType, Refused, patched(s.JPEG, sof+5, 0, 1, 0xff, 0xff)},
		{"JPEG of no height", jpegType, Refused, patched(s.JPEG, sof+5, 0, 0)},
		{"GIF of 50,000 x 50,000", gifType, Refused, patched(s.GIF, 6, 0x50, 0xc3, 0x50, 0xc3)},
		{"GIF with a frame beyond its screen", gifType, Refused, patched(s.GIF, 6, 1, 0, 1, 0)},
		{"WebP of 50,000 x 50,000", webpType, Refused, riff("RIFF", []byte("WEBP"), canvas(huge, huge), s.WebP[12:])},
		{"WebP of 16,384 x 16,384", webpType, Refused, riff("RIFF", []byte("WEBP"), riff("VP8L", most))},
		{"WebP of 1 x 1 around 16,384 x 16,384", webpType, Refused, riff("RIFF", []byte("WEBP"), canvas(1, 1), riff("VP8L", most))},
		{"HEIC of 50,000 x 50,000", heicType, Refused, s.heic(heif{width: huge, height: huge})},
		{"HEIC of 2^32 x 2^32", heicType, Refused, s.heic(heif{width: 1<<32 - 1, height: 1<<32 - 1})},
		{"HEIC of one tile as 50,000 x 50,000", heicType, Refused, s.heic(heif{tiles: 2, output: huge})},
		{"HEIC of 65,536 tiles", heicType, Refused, s.heic(heif{tiles: 255})},
		{"HEIC that is smaller than its image", heicType, Harmless, s.heic(heif{width: 8, height: 8})},
		{"HEIC that is larger than its image", heicType, Harmless, s.heic(heif{width: 4000, height: 4000})},
	}
}

// movingBombs returns images that take long to decode.
func (s *Seeds) movingBombs() []File {
	frame := join(u8(0x2c), make([]byte, 4), u8(1, 0, 1, 0, 0, 2, 2, 0x44, 1, 0)) // one pixel
	gif := func(frames int) []byte {
		return join([]byte("GIF89a"), u8(1, 0, 1, 0, 0x80, 0, 0), make([]byte, 6), bytes.Repeat(frame, frames), u8(0x3b))
	}
	// Each frame is at 0, 0 and has the size of the seed.
	still := join(make([]byte, 6), little(Side - 1)[:3], little(Side - 1)[:3], make([]byte, 4), s.Lossless[12:])
	webp := func(frames int) []byte {
		return riff("RIFF", []byte("WEBP"), riff("VP8X", little(2), little(Side - 1)[:3], little(Side - 1)[:3]),
			riff("ANIM", make([]byte, 6)), riff("ANMF", still), bytes.Repeat(riff("ANMF", still[:16]), frames-1))
	}
	return []File{
		{"GIF of 1,000 frames", gifType, Taken, gif(1000)},
		{"GIF of 1,001 frames", gifType, Refused, gif(1001)},
		{"GIF of 600,000 frames", gifType, Refused, gif(600_000)},
		{"GIF of one large frame and no data", gifType, Refused, join([]byte("GIF89a"), u8(0x58, 0x1b, 0x58, 0x1b, 0x80, 0, 0), make([]byte, 6),
			u8(0x2c, 0, 0, 0, 0, 0x58, 0x1b, 0x58, 0x1b, 0, 2, 2, 0x44, 1, 0, 0x3b))},
		{"WebP of 1,000 frames", webpType, Taken, webp(1000)},
		{"WebP of 300,000 frames", webpType, Refused, webp(300_000)},
		{"JPEG of 64 scans", jpegType, Taken, progressive(Side, Side, 64)},
		{"JPEG of 3,000 scans of 49 megapixels", jpegType, Refused, progressive(7000, 7000, 3000)},
		{"JPEG of 49 megapixels in 64 scans", jpegType, Taken, progressive(7000, 7000, 64)},
		{"HEIC with its image 300 times", heicType, Harmless, s.heic(heif{repeat: 300})},
	}
}

// sideBombs returns images with huge data besides the pixels.
func (s *Seeds) sideBombs() []File {
	profile := join([]byte("icc\x00\x00"), bomb())
	exif := func(tiff ...[]byte) []byte { return segment(0xe1, join([]byte("Exif\x00\x00"), join(tiff...))) }
	before := func(segments ...[]byte) []byte { return join(s.JPEG[:2], join(segments...), s.JPEG[2:]) }
	entry := func(tag uint16) []byte { return join(u16(tag), u16(4), u32(1), u32(8)) }
	big := segment(0xe1, join([]byte("Exif\x00\x00"), make([]byte, 65000)))
	icc := segment(0xe2, join([]byte("ICC_PROFILE\x00\x01\xff"), make([]byte, 65000)))
	only := func(w, h uint32, deep, kind byte, data []byte) []byte {
		return join(s.PNG[:8], chunk("IHDR", join(u32(w), u32(h), u8(deep, kind, 0, 0, 0))), chunk("IDAT", data), chunk("IEND", nil))
	}
	return []File{
		{"PNG with an ICC bomb", pngType, Harmless, join(s.PNG[:33], chunk("iCCP", profile), s.PNG[33:])},
		{"PNG with a zTXt bomb", pngType, Harmless, join(s.PNG[:33], chunk("zTXt", join([]byte("a\x00\x00"), bomb())), s.PNG[33:])},
		{"PNG with an iTXt bomb", pngType, Harmless, join(s.PNG[:33], chunk("iTXt", join([]byte("a\x00\x01\x00\x00\x00"), bomb())), s.PNG[33:])},
		{"PNG of one pixel with a bomb as its data", pngType, Refused, only(1, 1, 8, 6, bomb())},
		{"PNG with a chunk of 2^31 bytes", pngType, Refused, join(s.PNG[:33], u32(1<<31-1), []byte("iCCP"), s.PNG[33:])},
		{"PNG of 100,000 empty chunks", pngType, Harmless, join(s.PNG[:33], bytes.Repeat(chunk("teXt", nil), 100_000), s.PNG[33:])},
		{"JPEG with 5 MB of EXIF", jpegType, Harmless, before(bytes.Repeat(big, 80))},
		{"JPEG with 9 MB of ICC", jpegType, Harmless, before(bytes.Repeat(icc, 140))},
		{"JPEG with EXIF that leads to itself", jpegType, Harmless, before(exif([]byte("MM\x00*"), u32(8), u16(2), entry(0x8769), entry(0x8825), u32(8)))},
		{"JPEG with EXIF of 65,535 entries", jpegType, Harmless, before(exif([]byte("MM\x00*"), u32(8), u16(0xffff), entry(0x8769)))},
		{"JPEG with EXIF beyond its end", jpegType, Harmless, before(exif([]byte("MM\x00*"), u32(1<<32-1), u16(1)))},
		{"JPEG with a segment beyond its end", jpegType, Refused, join(s.JPEG[:2], u8(0xff, 0xe1), u16(0xffff), s.JPEG[2:60])},
		{"JPEG of nothing but fill", jpegType, Refused, join(s.JPEG[:2], bytes.Repeat(u8(0xff), 1<<20))},
		{"WebP with an ICC bomb", webpType, Harmless, riff("RIFF", []byte("WEBP"), riff("VP8X", little(0x20), little(Side - 1)[:3], little(Side - 1)[:3]), riff("ICCP", bomb()), s.Lossless[12:])},
		{"HEIC with an ICC bomb", heicType, Harmless, s.heic(heif{properties: func() []byte { return box("colr", []byte("prof"), bomb()) }})},
		{"HEIC of 30,000 images", heicType, Harmless, s.heic(heif{items: 30_000})},
	}
}

// liars returns images with contradictory data.
func (s *Seeds) liars() []File {
	return []File{
		{"WebP longer than it is", webpType, Refused, patched(s.WebP, 4, 0xff, 0xff, 0xff, 0xff)},
		{"WebP with a chunk longer than it is", webpType, Refused, patched(s.WebP, 16, 0xff, 0xff, 0xff, 0x7f)},
		{"WebP of no length", webpType, Refused, patched(s.WebP, 4, 0, 0, 0, 0)},
		{"WebP that only says it moves", webpType, Refused, riff("RIFF", []byte("WEBP"), riff("VP8X", little(2), make([]byte, 6)), s.Lossless[12:])},
		{"WebP with half a frame", webpType, Refused, riff("RIFF", []byte("WEBP"), riff("VP8X", little(2), make([]byte, 6)), riff("ANMF", make([]byte, 20)))},
		{"HEIC whose grid is its own tile", heicType, Refused, s.heic(heif{tiles: 2, loop: true})},
		{"HEIC whose image is elsewhere", heicType, Refused, s.heic(heif{beyond: true})},
		{"HEIC with a box of no length", heicType, Refused, join(s.HEIC[:24], u32(0), []byte("meta"))},
		{"HEIC with a box of 2^63 bytes", heicType, Refused, join(s.HEIC[:24], u32(1), []byte("meta"), u64(1<<63), s.HEIC[40:])},
		{"HEIC without an image", heicType, Refused, s.HEIC[:24]},
		{"HEIC without boxes", heicType, Refused, join(u32(24), []byte("ftypheic\x00\x00\x00\x00mif1heic"), bytes.Repeat(u8(0xaa), 1000))},
		{"HEIC that is AVIF inside", heicType, Refused, bytes.ReplaceAll(s.HEIC, []byte("hvc1"), []byte("av01"))},
	}
}

// strangers returns files that are not images, declared as each type of image and video.
func (s *Seeds) strangers(b *Bait) []File {
	svg := fmt.Sprintf(`<?xml version="1.0"?><!DOCTYPE svg [<!ENTITY x SYSTEM "file://%s"><!ENTITY y SYSTEM "%s">]>
<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="100" height="100"><style>@import url("%s");</style>
<image xlink:href="%s" width="10" height="10"/><image href="file://%s" width="10" height="10"/><use href="%s#a"/><text>&x;&y;</text><script href="%s"/></svg>`,
		b.File, b.url("/entity"), b.url("/style"), b.url("/image"), b.File, b.url("/use"), b.url("/script"))
	kinds := []File{
		{Name: "SVG", Data: []byte(svg)},
		{Name: "PostScript", Data: []byte("%!PS-Adobe-3.0 EPSF-3.0\n(" + b.File + ") (r) file pop\n")},
		{Name: "MVG", Data: []byte("push graphic-context\nimage over 0,0 0,0 '" + b.url("/mvg") + "'\npop graphic-context\n")},
		{Name: "page", Data: []byte("<html><img src='" + b.url("/page") + "'></html>")},
		{Name: "nothing", Data: []byte{}},
		{Name: "one byte", Data: []byte{0xff}},
		{Name: "zeros", Data: make([]byte, 5000)},
		{Name: "program", Data: join([]byte("\x7fELF\x02\x01\x01"), make([]byte, 500))},
	}
	var out []File
	for _, k := range kinds {
		for _, t := range append(pictureTypes[:len(pictureTypes):len(pictureTypes)], filmTypes...) {
			out = append(out, File{k.Name + " declared as " + t, t, Refused, k.Data})
		}
	}
	return out
}

// progressive returns a grey JPEG with many scans without content.
func progressive(w, h uint16, scans int) []byte {
	blocks := (int(w) + 7) / 8 * ((int(h) + 7) / 8)
	table := func(class, symbol byte) []byte {
		return segment(0xc4, join(u8(class, 1), make([]byte, 15), u8(symbol)))
	}
	// One bit per block: the same as the previous block.
	means := make([]byte, (blocks+7)/8)
	if rest := blocks % 8; rest != 0 {
		means[len(means)-1] = 0xff >> rest
	}
	if len(means) > 0 && means[len(means)-1] == 0xff {
		means = append(means, 0)
	}
	// Fifteen bits: the next 32,767 blocks are empty.
	var runs bitWriter
	for n := 0; n < blocks; n += 32767 {
		runs.write(15, 0x3fff)
	}
	scan := join(segment(0xda, u8(1, 1, 0x00, 1, 63, 0)), runs.end())
	return join(u8(0xff, 0xd8), segment(0xdb, join(u8(0), bytes.Repeat(u8(1), 64))),
		segment(0xc2, join(u8(8), u16(h), u16(w), u8(1, 1, 0x11, 0))), table(0x00, 0x00), table(0x10, 0xe0),
		segment(0xda, u8(1, 1, 0x00, 0, 0, 0)), means, bytes.Repeat(scan, scans-1), u8(0xff, 0xd9))
}

// bitWriter writes the entropy-coded part of a JPEG.
type bitWriter struct {
	out  []byte
	acc  uint32
	bits int
}

func (w *bitWriter) write(n int, v uint32) {
	w.acc, w.bits = w.acc<<n|v, w.bits+n
	for w.bits >= 8 {
		w.bits -= 8
		c := byte(w.acc >> w.bits)
		if w.out = append(w.out, c); c == 0xff {
			w.out = append(w.out, 0)
		}
	}
}

func (w *bitWriter) end() []byte {
	if w.bits > 0 {
		w.write(8-w.bits, 1<<(8-w.bits)-1)
	}
	return w.out
}

// LargestPictures returns valid images of the maximum size, in forms that take much memory. The last one has no
// practical use and may be refused.
func LargestPictures(pixels int) []File {
	w, h := 7000, pixels/7000
	colours := progressive(uint16(w), uint16(h), 1)
	// Three components in one scan of means: three bits per block.
	sof := bytes.Index(colours, []byte("\xff\xc2"))
	sos := bytes.Index(colours, []byte("\xff\xda"))
	blocks := 3 * ((w + 7) / 8) * ((h + 7) / 8)
	return []File{
		{"PNG of 16 bits and transparency", pngType, Taken, join([]byte("\x89PNG\r\n\x1a\n"),
			chunk("IHDR", join(u32(uint32(w)), u32(uint32(h)), u8(16, 6, 0, 0, 0))), chunk("IDAT", nothing(h*(1+8*w))), chunk("IEND", nil))},
		{"progressive JPEG of full colour", jpegType, Harmless, join(colours[:sof],
			segment(0xc2, join(u8(8), u16(uint16(h)), u16(uint16(w)), u8(3, 1, 0x11, 0, 2, 0x11, 0, 3, 0x11, 0))),
			colours[sof+13:sos], segment(0xda, u8(3, 1, 0, 2, 0, 3, 0, 0, 0, 0)), make([]byte, blocks/8), u8(0xff>>(blocks%8), 0, 0xff, 0xd9))},
	}
}
