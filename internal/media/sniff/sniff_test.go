// SPDX-License-Identifier: Apache-2.0

package sniff_test

import (
	"encoding/binary"
	"slices"
	"strings"
	"testing"

	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/media/sniff"
)

func ftyp(brands ...string) string {
	b := binary.BigEndian.AppendUint32(nil, uint32(12+4*len(brands)))
	out := string(b) + "ftyp" + brands[0] + "\x00\x00\x00\x00"
	return out + strings.Join(brands[1:], "") + "\x00\x00\x00\x08free"
}

// ebml returns a header with a document type, after an element that must be skipped.
func ebml(docType string) string {
	body := "\x42\x86\x81\x01" + "\x42\x82" + string([]byte{0x80 + byte(len(docType))}) + docType
	return "\x1a\x45\xdf\xa3" + string([]byte{0x80 + byte(len(body))}) + body
}

func TestContentType(t *testing.T) {
	for name, c := range map[string]struct{ head, want string }{
		"jpeg":                               {"\xff\xd8\xff\xe0\x00\x10JFIF", sniff.JPEG},
		"png":                                {"\x89PNG\r\n\x1a\n\x00\x00\x00\x0dIHDR", sniff.PNG},
		"gif":                                {"GIF89a\x01\x00", sniff.GIF},
		"webp":                               {"RIFF\x10\x00\x00\x00WEBPVP8X", sniff.WebP},
		"a RIFF with WEBP only":              {"RIFF\x10\x00\x00\x00WEBPXXXX", ""},
		"heic":                               {ftyp("heic", "mif1", "heic"), sniff.HEIC},
		"heif with HEVC pictures":            {ftyp("mif1", "mif1", "heic"), sniff.HEIF},
		"avif":                               {ftyp("avif", "mif1", "miaf"), ""},
		"avif with mif1 first":               {ftyp("mif1", "avif", "miaf"), ""},
		"mp4":                                {ftyp("isom", "isom", "iso2", "avc1", "mp41"), sniff.MP4},
		"mp4 of an unknown main brand":       {ftyp("abcd", "mp42"), sniff.MP4},
		"unknown brands":                     {ftyp("abcd", "efgh"), ""},
		"sound only":                         {ftyp("M4A ", "M4A ", "mp42", "isom"), ""},
		"quicktime":                          {ftyp("qt  ", "qt  "), sniff.QuickTime},
		"quicktime without a type box":       {"\x00\x00\x00\x08wide\x00\x00\x10\x00mdat", sniff.QuickTime},
		"quicktime, its index first":         {"\x00\x00\x10\x00moov\x00\x00\x00\x6cmvhd", sniff.QuickTime},
		"a box that is not a video":          {"\x00\x00\x10\x00moov\x00\x00\x00\x6cabcd", ""},
		"webm":                               {ebml("webm"), sniff.WebM},
		"matroska":                           {ebml("matroska"), ""},
		"webm with an unknown document type": {ebml("webmx"), ""},
		"truncated ebml":                     {ebml("webm")[:8], ""},
		"svg":                                {`<svg xmlns="http://www.w3.org/2000/svg">`, ""},
		"hls":                                {"#EXTM3U\n#EXT-X-VERSION:3\n", ""},
		"concat":                             {"ffconcat version 1.0\nfile /etc/passwd\n", ""},
		"html":                               {"<!doctype html>", ""},
		"bmp":                                {"BM\x00\x00\x00\x00", ""},
		"mp3":                                {"ID3\x03\x00\x00\x00\x00\x00\x00", ""},
		"nothing":                            {"", ""},
		"zeros":                              {strings.Repeat("\x00", 64), ""},
	} {
		t.Run(name, func(t *testing.T) {
			if got := sniff.ContentType([]byte(c.head)); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestAudio(t *testing.T) {
	for name, c := range map[string]struct{ head, want string }{
		"mp3":                    {"\xff\xfb\x90\x64\x00\x00\x00\x00", sniff.MP3},
		"mp3 with a tag":         {"ID3\x03\x00\x00\x00\x00\x00\x04abcd\xff\xfb\x90\x64\x00\x00\x00\x00", sniff.MP3},
		"mp3 with a long tag":    {"ID3\x03\x00\x00\x00\x7f\x00\x04abcd", sniff.MP3},
		"text with a tag":        {"ID3\x03\x00\x00\x00\x00\x00\x04abcd#EXTM3U and so on", ""},
		"a tag without a length": {"ID3\x03\x00\x00\xff\xff\xff\xff", ""},
		"aac":                    {"\xff\xf1\x50\x80\x02\x1f\xfc\x00", sniff.AAC},
		"aac without a length":   {"\xff\xf1\x50\x80\x00\x1f\xfc\x00", ""},
		"layer two":              {"\xff\xfd\x90\x64\x00\x00\x00\x00", ""},
		"m4a":                    {ftyp("M4A ", "isom"), sniff.M4A},
		"mp4":                    {ftyp("isom", "mp41"), sniff.M4A},
		"quicktime":              {ftyp("qt  "), ""},
		"heic":                   {ftyp("heic", "mif1"), ""},
		"wav":                    {"RIFF\x10\x00\x00\x00WAVEfmt ", sniff.WAV},
		"flac":                   {"fLaC\x00\x00\x00\x22", sniff.FLAC},
		"vorbis":                 {"OggS" + strings.Repeat("\x00", 22) + "\x01\x1e\x01vorbis", sniff.Ogg},
		"opus":                   {"OggS" + strings.Repeat("\x00", 22) + "\x01\x13OpusHead", sniff.Ogg},
		"theora":                 {"OggS" + strings.Repeat("\x00", 22) + "\x01\x2a\x80theora", ""},
		"truncated ogg":          {"OggS" + strings.Repeat("\x00", 22) + "\xff", ""},
		"webm":                   {ebml("webm"), ""},
		"playlist":               {"#EXTM3U\n", ""},
	} {
		t.Run(name, func(t *testing.T) {
			if got := sniff.Audio([]byte(c.head)); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestExtension_EveryTypeOfTheCatalog(t *testing.T) {
	seen := map[string]bool{}
	for _, ct := range slices.Concat(catalog.ImageContentTypes, catalog.VideoContentTypes) {
		e := sniff.Extension(ct)
		if !strings.HasPrefix(e, ".") || seen[e] {
			t.Errorf("%s: got extension %q", ct, e)
		}
		seen[e] = true
	}
	if sniff.Extension("text/html") != "" {
		t.Error("an unsupported type has an extension")
	}
}

func TestAgree(t *testing.T) {
	if !sniff.Agree("image/heic", "image/heif") || !sniff.Agree("video/mp4", "video/mp4") {
		t.Error("equal types differ")
	}
	if sniff.Agree("image/png", "image/jpeg") || sniff.Agree("video/mp4", "video/quicktime") || sniff.Agree("image/heic", "") {
		t.Error("different types agree")
	}
}

func FuzzSniff(f *testing.F) {
	for _, s := range []string{ebml("webm"), ftyp("mif1", "heic"), "ID3\x03\x00\x00\x00\x00\x00\x04abcd", "OggS"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		if ct := sniff.ContentType(b); ct != "" && sniff.Extension(ct) == "" {
			t.Errorf("%q has no extension", ct)
		}
		if ct := sniff.Audio(b); ct != "" && sniff.Extension(ct) == "" {
			t.Errorf("%q has no extension", ct)
		}
	})
}
