// SPDX-License-Identifier: Apache-2.0

package audit

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"sync"
)

// Rotation limits the size of a File. The zero value sets no limit.
type Rotation struct {
	// MaxBytes is the size that a file does not exceed, unless a single line is longer. 0: the file is not rotated.
	MaxBytes int64
	// MaxBackups is the number of rotated files that are kept: PATH.1, the newest one, to PATH.N. At least 1 if
	// MaxBytes is set.
	MaxBackups int
}

// File is an append-only file. It can be reopened after log rotation has moved it away, or rotates itself. Several
// processes may append to one path.
type File struct {
	path     string
	rotation Rotation

	mu   sync.Mutex
	f    *os.File
	info fs.FileInfo
}

// OpenFile opens a file, and creates it if it does not exist. Only its owner can read it.
func OpenFile(path string, r Rotation) (*File, error) {
	out := &File{path: path, rotation: r}
	return out, out.Reopen()
}

// Reopen opens the path again and switches to that file. The previous file stays in use if this fails.
func (f *File) Reopen() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.reopen()
}

func (f *File) reopen() error {
	next, err := os.OpenFile(f.path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("opening the audit log: %w", err)
	}
	info, err := next.Stat()
	if err != nil {
		_ = next.Close()
		return fmt.Errorf("opening the audit log: %w", err)
	}
	if f.f != nil {
		_ = f.f.Close()
	}
	f.f, f.info = next, info
	return nil
}

// Write appends a line with a single write, so that lines of several processes do not mix. It writes nothing if the
// file has to be rotated and that fails.
func (f *File) Write(p []byte) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.reserve(int64(len(p))); err != nil {
		return 0, err
	}
	return f.f.Write(p)
}

// reserve rotates the file if n more bytes exceed the limit. If another process has rotated the file, reserve opens the
// new one: the open file is a backup, which is deleted after further rotations.
func (f *File) reserve(n int64) error {
	if f.rotation.MaxBytes == 0 {
		return nil
	}
	switch info, err := os.Stat(f.path); {
	case errors.Is(err, fs.ErrNotExist):
		return f.reopen()
	case err != nil:
		return fmt.Errorf("reading the size of the audit log: %w", err)
	case !os.SameFile(info, f.info):
		return f.reopen()
	case info.Size() == 0 || info.Size()+n <= f.rotation.MaxBytes:
		return nil
	}
	if err := f.rotate(); err != nil {
		return fmt.Errorf("rotating the audit log: %w", err)
	}
	return f.reopen()
}

// rotate renames the file and its backups to the next number, the oldest one first. So only the last backup is
// replaced, and a process that ends in between has lost no other file.
func (f *File) rotate() error {
	for i := f.rotation.MaxBackups - 1; i >= 0; i-- {
		if err := os.Rename(f.backup(i), f.backup(i+1)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// backup returns the path of a backup; number 0 is the file itself.
func (f *File) backup(i int) string {
	if i == 0 {
		return f.path
	}
	return f.path + "." + strconv.Itoa(i)
}

// Close closes the file.
func (f *File) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.f.Close()
}
