// SPDX-License-Identifier: Apache-2.0

package render

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
)

// pack is a file with the coded parts of a film by their content, so that the next render of the film has to code only what was
// changed. A render takes from one what it can use and writes one of what its own film is made of: packs never grow beyond one
// film.
//
// A pack is good for one build of the encoder and of this program; every other one ignores it. It is trusted as much as the
// films that are made of it: whoever may write a pack may write the film.
type pack struct {
	path  string
	parts map[string]part
}

// part is a piece of the pack's file.
type part struct {
	Key    string `json:"key"`
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
	at     int64
}

type packHead struct {
	Build string `json:"build"`
	Parts []part `json:"parts"`
}

// packMagic begins the file; the head follows as one line of JSON, then the parts one after the other.
const packMagic = "reelops pack 1\n"

// maxPackHead bounds the JSON of a head.
const maxPackHead = 1 << 20

// openPack reads the head of a pack. A file that is missing, damaged or of another build gives an empty pack: it is a cache.
func openPack(path, build string) pack {
	p := pack{path: path, parts: map[string]part{}}
	if path == "" {
		return p
	}
	head, at, err := readPackHead(path)
	if err != nil || head.Build != build {
		return p
	}
	for _, one := range head.Parts {
		one.at = at
		at += one.Bytes
		p.parts[one.Key] = one
	}
	return p
}

func readPackHead(path string) (head packHead, at int64, err error) {
	f, err := os.Open(path)
	if err != nil {
		return head, 0, err
	}
	defer f.Close()
	r := bufio.NewReader(io.LimitReader(f, int64(len(packMagic))+maxPackHead))
	magic := make([]byte, len(packMagic))
	if _, err := io.ReadFull(r, magic); err != nil || string(magic) != packMagic {
		return head, 0, errors.New("not a pack")
	}
	line, err := r.ReadBytes('\n')
	if err != nil {
		return head, 0, err
	}
	return head, int64(len(magic) + len(line)), json.Unmarshal(line, &head)
}

// take copies a part into a file, and tells whether it is there and whole.
func (p pack) take(key, to string) bool {
	one, ok := p.parts[key]
	if !ok || one.Bytes < 1 {
		return false
	}
	f, err := os.Open(p.path)
	if err != nil {
		return false
	}
	defer f.Close()
	h := sha256.New()
	err = toFile(to, func(w io.Writer) error {
		_, err := io.Copy(io.MultiWriter(w, h), io.NewSectionReader(f, one.at, one.Bytes))
		return err
	})
	if err != nil || hex.EncodeToString(h.Sum(nil)) != one.SHA256 {
		os.Remove(to)
		return false
	}
	return true
}

// MaxPackBytes bounds a pack. What a longer film is made of is not kept: fetching it would cost more than it saves.
const MaxPackBytes = 96 << 20

// writePack writes a pack of the parts with the keys given, which are files of one folder. It writes nothing when they weigh too
// much.
func writePack(to, build string, keys []string, dir string) error {
	head := packHead{Build: build}
	total := int64(0)
	for _, key := range keys {
		size, sum, err := digest(partPath(dir, key))
		if err != nil {
			return err
		}
		total += size
		head.Parts = append(head.Parts, part{Key: key, Bytes: size, SHA256: sum})
	}
	doc, err := json.Marshal(head)
	if err != nil || total+int64(len(doc))+int64(len(packMagic))+1 > MaxPackBytes || len(doc) >= maxPackHead {
		return err
	}
	return toFile(to, func(w io.Writer) error {
		if _, err := io.WriteString(w, packMagic+string(doc)+"\n"); err != nil {
			return err
		}
		for _, key := range keys {
			if err := copyFile(w, partPath(dir, key)); err != nil {
				return err
			}
		}
		return nil
	})
}

func copyFile(w io.Writer, path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = io.Copy(w, f)
	return err
}

// build names what makes films here: ffmpeg with its libraries, and this program. Debian's libraries have versions of their own,
// which ffmpeg does not tell; the encoder's is in the stream and is looked at there.
func (o Options) build(ctx context.Context) (string, error) {
	out, err := command(ctx, o.FFmpeg, "-version").output()
	if err != nil {
		return "", err
	}
	h := sha256.New()
	h.Write(out)
	if info, ok := debug.ReadBuildInfo(); ok {
		fmt.Fprintln(h, info.GoVersion, info.Main.Version)
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" || s.Key == "GOARCH" {
				fmt.Fprintln(h, s.Value)
			}
		}
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// encoderNote is what x264 says about its own build at the beginning of a part.
func encoderNote(dir, key string) string {
	f, err := os.Open(partPath(dir, key))
	if err != nil {
		return ""
	}
	defer f.Close()
	head := make([]byte, 4<<10)
	n, _ := io.ReadFull(f, head)
	head = head[:n]
	i := bytes.Index(head, []byte("x264 - core "))
	if i < 0 {
		return ""
	}
	note := head[i:]
	if j := bytes.Index(note, []byte(" - H.264")); j > 0 {
		return string(note[:j])
	}
	return ""
}

func partPath(dir, key string) string { return filepath.Join(dir, key+".part") }
