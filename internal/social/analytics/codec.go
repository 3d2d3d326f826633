// SPDX-License-Identifier: Apache-2.0

package analytics

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	fastjson "github.com/goccy/go-json"
)

// version is the format version that Encode writes.
const version = 1

// Limits of Decode. maxLine and maxDocument are in bytes.
const (
	maxLine      = 4 << 20
	maxRows      = 100_000
	maxDocument  = 256 << 20
	expectedRows = 16_384
)

// Errors of Decode for a document that cannot be read.
var (
	// ErrDamaged means that bytes of the document are missing or wrong.
	ErrDamaged = errors.New("the analytics document is damaged")
	// ErrNewer means that a newer version of the service wrote the document.
	ErrNewer = errors.New("the analytics document is of a newer shape")
)

// head is the first line of a document. The rows follow, one per line.
type head struct {
	Version     int       `json:"version"`
	RefreshedAt time.Time `json:"refreshed_at"`
	WalkedAt    time.Time `json:"walked_at,omitzero"`
	Totals      Totals    `json:"totals"`
	History     []Day     `json:"history,omitempty"`
	Gone        []string  `json:"gone,omitempty"`
	// Rows is the number of lines that follow; Decode uses it to detect a truncated document.
	Rows int `json:"rows"`
}

// Encode writes the document as JSON lines: a head, then the rows. It holds one line in memory at a time.
func (d *Document) Encode(w io.Writer) error {
	b := bufio.NewWriterSize(w, 64<<10)
	e := json.NewEncoder(b)
	e.SetEscapeHTML(false)
	h := head{
		Version: version, RefreshedAt: d.RefreshedAt.UTC(), WalkedAt: d.WalkedAt.UTC(), Totals: d.Totals, History: d.History, Gone: d.Gone,
		Rows: len(d.Rows),
	}
	if err := e.Encode(h); err != nil {
		return fmt.Errorf("writing the analytics document: %w", err)
	}
	for i := range d.Rows {
		if err := e.Encode(&d.Rows[i]); err != nil {
			return fmt.Errorf("writing the analytics document: %w", err)
		}
	}
	if err := b.Flush(); err != nil {
		return fmt.Errorf("writing the analytics document: %w", err)
	}
	return nil
}

// Decode reads a document of at most 256 MiB and 100,000 rows. It returns ErrDamaged for a damaged document, ErrNewer
// for a format newer than this package, and the reader's errors as they are.
func Decode(r io.Reader) (*Document, error) {
	in := &limited{r: r, left: maxDocument}
	lines := bufio.NewScanner(in)
	lines.Buffer(make([]byte, 64<<10), maxLine)
	next := func() ([]byte, error) {
		if lines.Scan() {
			return lines.Bytes(), nil
		}
		if err := lines.Err(); err != nil && !errors.Is(err, bufio.ErrTooLong) && !errors.Is(err, errTooLarge) {
			return nil, fmt.Errorf("reading the analytics document: %w", err)
		}
		return nil, fmt.Errorf("%w: it ends too early, or a line of it does not end", ErrDamaged)
	}
	line, err := next()
	if err != nil {
		return nil, err
	}
	var h head
	if err := json.Unmarshal(line, &h); err != nil {
		// A newer format may use other types for these fields.
		var v struct {
			Version int `json:"version"`
		}
		if json.Unmarshal(line, &v) != nil || v.Version <= version {
			return nil, fmt.Errorf("%w: %w", ErrDamaged, err)
		}
		h.Version = v.Version
	}
	switch {
	case h.Version > version:
		return nil, fmt.Errorf("%w: %d", ErrNewer, h.Version)
	case h.Version < 1, h.Rows < 0, h.Rows > maxRows:
		return nil, fmt.Errorf("%w: version %d with %d rows", ErrDamaged, h.Version, h.Rows)
	}
	d := &Document{
		Version: h.Version, RefreshedAt: h.RefreshedAt.UTC(), WalkedAt: h.WalkedAt.UTC(), Totals: h.Totals, History: h.History, Gone: h.Gone,
		Rows: make([]Row, 0, min(h.Rows, expectedRows)),
	}
	for range h.Rows {
		line, err := next()
		if err != nil {
			return nil, err
		}
		d.Rows = append(d.Rows, Row{})
		if err := decodeRow(line, &d.Rows[len(d.Rows)-1]); err != nil {
			return nil, fmt.Errorf("%w: row %d: %w", ErrDamaged, len(d.Rows), err)
		}
	}
	if lines.Scan() {
		return nil, fmt.Errorf("%w: it goes on after its last row", ErrDamaged)
	}
	byDay := func(a, b Day) int { return strings.Compare(a.Day, b.Day) }
	if !slices.IsSortedFunc(d.History, byDay) {
		slices.SortStableFunc(d.History, byDay)
	}
	put(d.Rows)
	return d, nil
}

var errTooLarge = errors.New("too large")

// limited reads at most left bytes.
type limited struct {
	r    io.Reader
	left int64
}

func (l *limited) Read(p []byte) (int, error) {
	if l.left <= 0 {
		return 0, errTooLarge
	}
	n, err := l.r.Read(p[:min(int64(len(p)), l.left)])
	l.left -= int64(n)
	return n, err
}

// decodeRow decodes a row's line. It runs 10,000 times for a large account while a request waits, so it does not use
// encoding/json.
func decodeRow(line []byte, r *Row) error {
	if err := fastjson.Unmarshal(line, r); err != nil {
		return err
	}
	r.PostedAt, r.MeasuredAt = r.PostedAt.UTC(), r.MeasuredAt.UTC()
	return nil
}
