// SPDX-License-Identifier: Apache-2.0

// Package layer writes image layers reproducibly: the same files give the same bytes. Entries are sorted, owned by root
// and dated 1970. Layers are cached by the hash of their inputs, and a cached layer is not written again.
package layer

import (
	"archive/tar"
	"bufio"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

// format is the version of the layer format. A change of it invalidates all cached layers.
const format = "1"

// Entry is one file, link or folder. Parent folders of mode 0755 need no entry.
type Entry struct {
	// Path is absolute.
	Path string
	// Mode holds the permissions, fs.ModeSticky if set, and fs.ModeDir for a folder.
	Mode fs.FileMode
	// Link is the target of a symbolic link.
	Link string
	// Data is the content of a file, unless Open returns it.
	Data []byte
	Open func() (io.ReadCloser, error)
}

// Cache stores layers in a folder.
type Cache struct{ Dir string }

// Key returns the cache key of a layer with these inputs. The inputs must be JSON-encodable.
func Key(from ...any) (string, error) {
	h := sha256.New()
	for _, f := range append([]any{format}, from...) {
		b, err := json.Marshal(f)
		if err != nil {
			return "", err
		}
		h.Write(b)
		h.Write([]byte{0})
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// Layer is a compressed layer in a file.
type Layer struct {
	file  string
	facts facts
}

type facts struct {
	Digest, DiffID v1.Hash
	Size           int64
	// Note is data of the layer's creator that is stored with the layer.
	Note json.RawMessage
}

// Get returns the layer of a key, and calls make to create it if it is not cached. The note returned by make is stored
// with the layer. The stored note is decoded into note, a pointer that may be nil.
func (c Cache) Get(key string, note any, make func() (entries []Entry, note any, err error)) (*Layer, error) {
	l := &Layer{file: filepath.Join(c.Dir, key+".tar.gz")}
	about := filepath.Join(c.Dir, key+".json")
	if b, err := os.ReadFile(about); err == nil && json.Unmarshal(b, &l.facts) == nil {
		if info, err := os.Stat(l.file); err == nil && info.Size() == l.facts.Size {
			return l, l.readNote(note)
		}
	}
	entries, said, err := make()
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(c.Dir, 0o755); err != nil {
		return nil, err
	}
	if l.facts, err = writeFile(l.file, entries); err != nil {
		return nil, err
	}
	if l.facts.Note, err = json.Marshal(said); err != nil {
		return nil, err
	}
	b, err := json.Marshal(l.facts)
	if err != nil {
		return nil, err
	}
	// The layer is written before its description, so an incomplete layer is never used.
	if err := os.WriteFile(about, b, 0o644); err != nil {
		return nil, err
	}
	return l, l.readNote(note)
}

func (l *Layer) readNote(note any) error {
	if note == nil {
		return nil
	}
	return json.Unmarshal(l.facts.Note, note)
}

func writeFile(name string, entries []Entry) (facts, error) {
	out, err := os.CreateTemp(filepath.Dir(name), ".layer-*")
	if err != nil {
		return facts{}, err
	}
	defer func() { _ = os.Remove(out.Name()) }()
	f, err := write(out, entries)
	if err := errors.Join(err, out.Chmod(0o644), out.Close()); err != nil {
		return facts{}, err
	}
	return f, os.Rename(out.Name(), name)
}

// write compresses the entries into w.
func write(w io.Writer, entries []Entry) (facts, error) {
	packed, plain, size := sha256.New(), sha256.New(), &counter{}
	buf := bufio.NewWriterSize(io.MultiWriter(w, packed, size), 1<<20)
	gz, err := gzip.NewWriterLevel(buf, gzip.BestSpeed+1)
	if err != nil {
		return facts{}, err
	}
	if err := writeTar(io.MultiWriter(gz, plain), entries); err != nil {
		return facts{}, err
	}
	if err := errors.Join(gz.Close(), buf.Flush()); err != nil {
		return facts{}, err
	}
	hash := func(h interface{ Sum([]byte) []byte }) v1.Hash {
		return v1.Hash{Algorithm: "sha256", Hex: hex.EncodeToString(h.Sum(nil))}
	}
	return facts{Digest: hash(packed), DiffID: hash(plain), Size: size.n}, nil
}

type counter struct{ n int64 }

func (c *counter) Write(p []byte) (int, error) {
	c.n += int64(len(p))
	return len(p), nil
}

// writeTar writes the entries and their parent folders. Two entries with one path are an error.
func writeTar(w io.Writer, entries []Entry) error {
	all, err := withFolders(entries)
	if err != nil {
		return err
	}
	t := tar.NewWriter(w)
	for _, e := range all {
		if err := add(t, e); err != nil {
			return fmt.Errorf("%s: %w", e.Path, err)
		}
	}
	return t.Close()
}

func withFolders(entries []Entry) ([]Entry, error) {
	seen := map[string]bool{}
	var all []Entry
	for _, e := range entries {
		e.Path = path.Clean(e.Path)
		if !path.IsAbs(e.Path) || seen[e.Path] {
			return nil, fmt.Errorf("%s is not absolute, or a duplicate", e.Path)
		}
		seen[e.Path] = true
		all = append(all, e)
	}
	for _, e := range slices.Clone(all) {
		for d := path.Dir(e.Path); d != "/" && !seen[d]; d = path.Dir(d) {
			seen[d] = true
			all = append(all, Entry{Path: d, Mode: fs.ModeDir | 0o755})
		}
	}
	slices.SortFunc(all, func(a, b Entry) int { return strings.Compare(a.Path, b.Path) })
	return all, nil
}

func add(t *tar.Writer, e Entry) error {
	h := &tar.Header{
		Name: strings.TrimPrefix(e.Path, "/"), Mode: int64(e.Mode.Perm()),
		ModTime: time.Unix(0, 0), Format: tar.FormatPAX, Typeflag: tar.TypeReg,
	}
	if e.Mode&fs.ModeSticky != 0 {
		h.Mode |= 0o1000
	}
	var content io.ReadCloser
	switch {
	case e.Mode.IsDir():
		h.Typeflag, h.Name = tar.TypeDir, h.Name+"/"
	case e.Link != "":
		h.Typeflag, h.Linkname, h.Mode = tar.TypeSymlink, e.Link, 0o777
	case e.Open != nil:
		in, err := e.Open()
		if err != nil {
			return err
		}
		defer func() { _ = in.Close() }()
		content = in
		if h.Size, err = sizeOf(in); err != nil {
			return err
		}
	default:
		h.Size = int64(len(e.Data))
	}
	if err := t.WriteHeader(h); err != nil {
		return err
	}
	if content != nil {
		_, err := io.Copy(t, content)
		return err
	}
	_, err := t.Write(e.Data)
	return err
}

func sizeOf(r io.Reader) (int64, error) {
	f, ok := r.(fs.File)
	if !ok {
		return 0, errors.New("content is not a file")
	}
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

// Digest returns the digest of the compressed layer.
func (l *Layer) Digest() (v1.Hash, error) { return l.facts.Digest, nil }

// DiffID returns the digest of the uncompressed layer.
func (l *Layer) DiffID() (v1.Hash, error) { return l.facts.DiffID, nil }

// Size returns the size of the compressed layer in bytes.
func (l *Layer) Size() (int64, error) { return l.facts.Size, nil }

// MediaType returns the media type of the compressed layer.
func (l *Layer) MediaType() (types.MediaType, error) { return types.OCILayer, nil }

// Compressed opens the layer.
func (l *Layer) Compressed() (io.ReadCloser, error) { return os.Open(l.file) }

// Uncompressed opens the layer's tar.
func (l *Layer) Uncompressed() (io.ReadCloser, error) {
	in, err := os.Open(l.file)
	if err != nil {
		return nil, err
	}
	gz, err := gzip.NewReader(in)
	if err != nil {
		return nil, errors.Join(err, in.Close())
	}
	return struct {
		io.Reader
		io.Closer
	}{gz, in}, nil
}
