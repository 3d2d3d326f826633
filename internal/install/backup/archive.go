// SPDX-License-Identifier: Apache-2.0

package backup

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"strings"
	"time"
)

// Format is the version of the archive format that this package writes. It reads versions 1 to Format.
const Format = 1

const (
	headName  = "reelops-backup.json"
	endName   = "end.json"
	pagesName = "objects/"
	filesName = "files/"
)

// Head is the first entry of an archive. It describes the backup and its source.
type Head struct {
	// Format of the archive.
	Format int `json:"format"`
	// ID of the backup.
	ID string `json:"id"`
	// Made is the time at which the backup started.
	Made time.Time `json:"made"`
	// By is the version of the program that wrote the archive.
	By string `json:"by"`
	// APIVersion of the kinds.
	APIVersion string `json:"apiVersion"`
	// SystemNamespace of the installation.
	SystemNamespace string `json:"systemNamespace"`
	// Files reports whether the archive contains the files of the store.
	Files bool `json:"files"`
	// Retired reports whether the managers of the installation were stopped permanently before the backup. Such an
	// installation sends no more posts.
	Retired bool `json:"retired,omitempty"`
}

// End is the last entry of an archive. It has the counts and the checksum of the contents.
type End struct {
	// Objects is the number of objects by kind.
	Objects map[string]int `json:"objects"`
	// Files is the number of files, and Bytes their total size.
	Files int   `json:"files"`
	Bytes int64 `json:"bytes"`
	// SHA256 is the checksum of the names, sizes and contents of all preceding entries, in hexadecimal.
	SHA256 string `json:"sha256"`
}

// ErrDamaged indicates that an archive is incomplete or corrupt. The wrapping error has the location.
var ErrDamaged = errors.New("the archive is damaged")

// writer writes an archive.
type writer struct {
	zip *gzip.Writer
	tar *tar.Writer
	sum hash.Hash
	at  time.Time
}

func newWriter(w io.Writer, at time.Time) (*writer, error) {
	zip, err := gzip.NewWriterLevel(w, gzip.BestSpeed) // videos are already compressed
	if err != nil {
		return nil, err
	}
	return &writer{zip: zip, tar: tar.NewWriter(zip), sum: sha256.New(), at: at}, nil
}

// add writes an entry of exactly size bytes. It fails if r has fewer.
func (w *writer) add(name string, size int64, r io.Reader) error {
	if err := w.tar.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: name, Size: size, Mode: 0o600, ModTime: w.at, Format: tar.FormatPAX}); err != nil {
		return fmt.Errorf("writing %s: %w", name, err)
	}
	_, _ = fmt.Fprintf(w.sum, "%d:%s%d:", len(name), name, size) // a hash never fails
	n, err := io.Copy(io.MultiWriter(w.tar, w.sum), io.LimitReader(r, size))
	if err == nil && n < size {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		return fmt.Errorf("writing %s: %w", name, err)
	}
	return nil
}

func (w *writer) json(name string, v any) error {
	doc, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return w.add(name, int64(len(doc)), bytes.NewReader(doc))
}

func (w *writer) end(e End) error {
	e.SHA256 = hex.EncodeToString(w.sum.Sum(nil))
	return errors.Join(w.json(endName, e), w.tar.Close(), w.zip.Close())
}

// read reads an archive and verifies its checksum. It calls page with every page of objects and file with every file;
// either may be nil. The error is ErrDamaged if the archive is incomplete or corrupt.
func read(r io.Reader, page func(kind string, lines []byte) error, file func(key string, size int64, r io.Reader) error) (h Head, e End, err error) {
	zip, err := gzip.NewReader(r)
	if err != nil {
		return h, e, fmt.Errorf("%w: invalid header: %w", ErrDamaged, err)
	}
	defer func() { _ = zip.Close() }()
	in, sum := tar.NewReader(zip), sha256.New()
	for first := true; ; first = false {
		entry, err := in.Next()
		if errors.Is(err, io.EOF) {
			return h, e, fmt.Errorf("%w: it is truncated", ErrDamaged)
		}
		if err != nil {
			return h, e, fmt.Errorf("%w: %w", ErrDamaged, err)
		}
		if entry.Name == endName {
			if err := json.NewDecoder(in).Decode(&e); err != nil {
				return h, e, fmt.Errorf("%w: %s: %w", ErrDamaged, endName, err)
			}
			if got := hex.EncodeToString(sum.Sum(nil)); got != e.SHA256 {
				return h, e, fmt.Errorf("%w: its SHA-256 is %s, not %s", ErrDamaged, got, e.SHA256)
			}
			if _, err := in.Next(); !errors.Is(err, io.EOF) {
				return h, e, fmt.Errorf("%w: it has data after its end", ErrDamaged)
			}
			if _, err := io.Copy(io.Discard, zip); err != nil { // read on to verify gzip's own checksum
				return h, e, fmt.Errorf("%w: %w", ErrDamaged, err)
			}
			return h, e, nil
		}
		_, _ = fmt.Fprintf(sum, "%d:%s%d:", len(entry.Name), entry.Name, entry.Size) // a hash never fails
		content := io.TeeReader(in, sum)
		if err := entryOf(entry, content, first, &h, page, file); err != nil {
			return h, e, err
		}
		if _, err := io.Copy(io.Discard, content); err != nil {
			return h, e, fmt.Errorf("%w: %s: %w", ErrDamaged, entry.Name, err)
		}
	}
}

func entryOf(
	entry *tar.Header, content io.Reader, first bool, h *Head, page func(string, []byte) error, file func(string, int64, io.Reader) error,
) error {
	kind, isPage := pageKind(entry.Name)
	key, isFile := strings.CutPrefix(entry.Name, filesName)
	switch {
	case first != (entry.Name == headName):
		return fmt.Errorf("%w: it is not a backup of Reelops", ErrDamaged)
	case first:
		if err := json.NewDecoder(content).Decode(h); err != nil {
			return fmt.Errorf("%w: %s: %w", ErrDamaged, headName, err)
		}
		if h.Format < 1 || h.Format > Format {
			return fmt.Errorf("the archive has format %d, and this program reads formats up to %d: use the program of the release that wrote it (%s), or a later one", h.Format, Format, h.By)
		}
	case isPage && page != nil:
		doc, err := io.ReadAll(io.LimitReader(content, maxPage))
		if err != nil {
			return fmt.Errorf("%w: %s: %w", ErrDamaged, entry.Name, err)
		}
		return page(kind, doc)
	case isFile && file != nil:
		return file(key, entry.Size, content)
	}
	return nil
}
