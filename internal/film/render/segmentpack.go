// SPDX-License-Identifier: Apache-2.0

package render

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
)

// segmentCache is a file with the encoded parts of a video by their content, so that the next render of the video
// encodes only the changes. A render takes usable parts from one cache and writes a cache with the parts of its own
// video: a cache never grows beyond one video.
//
// A cache is valid for one build of the encoder and of this program; every other build ignores it. It is trusted as
// much as the videos that are built from it: write access to the cache is write access to the video.
type segmentCache struct {
	path  string
	parts map[string]part
}

// part is one entry in the file of a cache.
type part struct {
	Key    string `json:"key"`
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
	at     int64
}

type cacheHead struct {
	Build string `json:"build"`
	Parts []part `json:"parts"`
}

// cacheMagic begins the file; the head follows as one line of JSON, then the parts one after the other.
const cacheMagic = "reelops pack 1\n"

// maxCacheHead bounds the JSON of a head, in bytes.
const maxCacheHead = 1 << 20

// openCache reads the head of a cache. It returns an empty cache for a file that is missing, damaged or of another build.
func openCache(path, build string) segmentCache {
	p := segmentCache{path: path, parts: map[string]part{}}
	if path == "" {
		return p
	}
	head, at, err := readCacheHead(path)
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

func readCacheHead(path string) (head cacheHead, at int64, err error) {
	f, err := os.Open(path)
	if err != nil {
		return head, 0, err
	}
	defer f.Close()
	r := bufio.NewReader(io.LimitReader(f, int64(len(cacheMagic))+maxCacheHead))
	magic := make([]byte, len(cacheMagic))
	if _, err := io.ReadFull(r, magic); err != nil || string(magic) != cacheMagic {
		return head, 0, errors.New("not a pack")
	}
	line, err := r.ReadBytes('\n')
	if err != nil {
		return head, 0, err
	}
	return head, int64(len(magic) + len(line)), json.Unmarshal(line, &head)
}

// take copies a part into a file, and reports whether the part exists and is intact.
func (p segmentCache) take(key, to string) bool {
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

// MaxPackBytes bounds a segment cache, in bytes. The parts of a larger video are not cached: fetching them would cost
// more than it saves.
const MaxPackBytes = 96 << 20

// writeCache writes a cache of the parts with the given keys, which are files of one directory. It writes nothing if
// the parts exceed MaxPackBytes.
func writeCache(to, build string, keys []string, dir string) error {
	head := cacheHead{Build: build}
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
	if err != nil || total+int64(len(doc))+int64(len(cacheMagic))+1 > MaxPackBytes || len(doc) >= maxCacheHead {
		return err
	}
	return toFile(to, func(w io.Writer) error {
		if _, err := io.WriteString(w, cacheMagic+string(doc)+"\n"); err != nil {
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

// build returns a hash of the programs that render a video: the file of ffmpeg, and this program. A package of ffmpeg
// requires the libraries of exactly its own version. Debian's encoder is a separate package; its version is in the
// stream and is checked there.
func (o Options) build() (string, error) {
	path, err := exec.LookPath(o.FFmpeg)
	if err != nil {
		return "", err
	}
	h := sha256.New()
	if err := copyFile(h, path); err != nil {
		return "", err
	}
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

// encoderNote returns x264's note about its own build at the beginning of a part.
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
