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

// version of the shape that documents are written in.
const version = 1

// Bounds of what Decode reads.
const (
	maxLine      = 4 << 20
	maxRows      = 100_000
	maxDocument  = 256 << 20
	expectedRows = 16_384
)

// What is wrong with a document that cannot be read.
var (
	// ErrDamaged means that bytes of it are missing or wrong.
	ErrDamaged = errors.New("the analytics document is damaged")
	// ErrNewer means that a newer version of the service wrote it.
	ErrNewer = errors.New("the analytics document is of a newer shape")
)

// head is the first line of a document. Rows follow, one a line.
type head struct {
	Version     int       `json:"version"`
	RefreshedAt time.Time `json:"refreshed_at"`
	WalkedAt    time.Time `json:"walked_at,omitzero"`
	Totals      Totals    `json:"totals"`
	History     []Day     `json:"history,omitempty"`
	Gone        []string  `json:"gone,omitempty"`
	// Rows is how many lines follow: by it a document that was cut off is known.
	Rows int `json:"rows"`
}

// Encode writes the document as lines of JSON: a head, then its rows. It holds one line at a time in memory.
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

// Decode reads a document. What is damaged is ErrDamaged, what is newer than this package ErrNewer; other errors are the reader's. It
// reads 256 MiB and 100,000 rows at most.
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
		// A newer shape may have changed even the kinds of what stands here.
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

// limited reads so many bytes at most.
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

// decodeRow reads a row's line. A reader waits for this, ten thousand times on a large account: hence no encoding/json.
func decodeRow(line []byte, r *Row) error {
	if err := fastjson.Unmarshal(line, r); err != nil {
		return err
	}
	r.PostedAt, r.MeasuredAt = r.PostedAt.UTC(), r.MeasuredAt.UTC()
	return nil
}
