// SPDX-License-Identifier: Apache-2.0

// Package logfile stores the output of a process in a file of limited size, and reads it with the options of `kubectl
// logs`.
//
// A line in the file consists of a time in RFC 3339 with nanoseconds, "stdout" or "stderr", and the text. When the file
// is full it is renamed to NAME.1 and a new one begins; the older NAME.1 is replaced.
package logfile

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"sync"
	"time"
)

const (
	// MaxBytes is the size limit of one file; there are at most two.
	MaxBytes = 10 << 20
	// maxLine is the length in bytes at which a long line is split.
	maxLine = 64 << 10
)

// Writer is a rotating file. It is safe for concurrent use.
type Writer struct {
	mu   sync.Mutex
	name string
	f    *os.File
	size int64
	max  int64
	now  func() time.Time
}

// Create opens name for appending.
func Create(name string, now func() time.Time) (*Writer, error) {
	w := &Writer{name: name, max: MaxBytes, now: now}
	return w, w.open()
}

func (w *Writer) open() error {
	f, err := os.OpenFile(w.name, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	fi, err := f.Stat()
	if err != nil {
		f.Close()
		return err
	}
	w.f, w.size = f, fi.Size()
	return nil
}

// Write appends p unchanged, for logs with their own format.
func (w *Writer) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.f == nil {
		return 0, os.ErrClosed
	}
	if w.size > 0 && w.size+int64(len(p)) > w.max {
		w.f.Close()
		w.f = nil
		if err := os.Rename(w.name, w.name+".1"); err != nil {
			return 0, err
		}
		if err := w.open(); err != nil {
			return 0, err
		}
	}
	n, err := w.f.Write(p)
	w.size += int64(n)
	return n, err
}

// Close closes the file. Later writes fail.
func (w *Writer) Close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.f == nil {
		return nil
	}
	f := w.f
	w.f = nil
	return f.Close()
}

// Copy reads lines from r until its end, and appends each with the current time.
func (w *Writer) Copy(stream string, r io.Reader) {
	in := bufio.NewReaderSize(r, maxLine)
	for {
		line, err := in.ReadSlice('\n')
		if len(line) > 0 {
			text := bytes.TrimSuffix(line, []byte("\n"))
			// Ignore errors: a full disk must not block the process that writes.
			_, _ = fmt.Fprintf(w, "%s %s %s\n", w.now().UTC().Format(time.RFC3339Nano), stream, text)
		}
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			return
		}
	}
}

// Options are the options of Read, as in PodLogOptions.
type Options struct {
	// Tail is the number of last lines to return; negative means all.
	Tail int64
	// Since drops lines before this time; zero means none.
	Since time.Time
	// Timestamps puts the time before each line.
	Timestamps bool
	// LimitBytes limits the output in bytes; 0 means no limit.
	LimitBytes int64
}

// Read writes the stored lines to out. It returns the offset in the current file at which More continues. A missing
// file counts as empty.
func Read(name string, o Options, out io.Writer) (int64, error) {
	var lines []string
	var end int64
	for _, part := range []string{name + ".1", name} {
		raw, err := os.ReadFile(part)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		} else if err != nil {
			return 0, err
		}
		whole := raw[:bytes.LastIndexByte(raw, '\n')+1]
		end = int64(len(whole))
		for l := range strings.Lines(string(whole)) {
			lines = append(lines, l)
		}
	}
	if _, err := os.Stat(name); err != nil {
		end = 0
	}
	var kept []string
	for _, l := range lines {
		if text, ok := format(l, o); ok {
			kept = append(kept, text)
		}
	}
	if o.Tail >= 0 && int64(len(kept)) > o.Tail {
		kept = kept[int64(len(kept))-o.Tail:]
	}
	all := strings.Join(kept, "")
	if o.LimitBytes > 0 && int64(len(all)) > o.LimitBytes {
		all = all[:o.LimitBytes]
	}
	_, err := io.WriteString(out, all)
	return end, err
}

// More writes the lines after the offset place and returns the new offset. A file that is shorter than place has been
// rotated and is read from its beginning.
func More(name string, o Options, place int64, out io.Writer) (int64, error) {
	f, err := os.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	} else if err != nil {
		return place, err
	}
	defer f.Close()
	if fi, err := f.Stat(); err != nil {
		return place, err
	} else if fi.Size() < place {
		place = 0
	} else if fi.Size() == place {
		return place, nil
	}
	raw, err := io.ReadAll(io.NewSectionReader(f, place, MaxBytes+maxLine))
	if err != nil {
		return place, err
	}
	whole := raw[:bytes.LastIndexByte(raw, '\n')+1]
	for l := range strings.Lines(string(whole)) {
		if text, ok := format(l, o); ok {
			if _, err := io.WriteString(out, text); err != nil {
				return place, err
			}
		}
	}
	return place + int64(len(whole)), nil
}

func format(line string, o Options) (string, bool) {
	at, rest, ok := strings.Cut(line, " ")
	if !ok {
		return "", false
	}
	_, text, ok := strings.Cut(rest, " ")
	if !ok {
		return "", false
	}
	if !o.Since.IsZero() {
		if t, err := time.Parse(time.RFC3339Nano, at); err != nil || t.Before(o.Since) {
			return "", false
		}
	}
	if o.Timestamps {
		return at + " " + text, true
	}
	return text, true
}
