// SPDX-License-Identifier: Apache-2.0

package audit

import (
	"fmt"
	"os"
	"sync"
)

// File is an append-only file. It can be reopened after log rotation has moved it away.
type File struct {
	path string
	mu   sync.Mutex
	f    *os.File
}

// OpenFile opens a file, and creates it if it does not exist. Only its owner can read it.
func OpenFile(path string) (*File, error) {
	out := &File{path: path}
	return out, out.Reopen()
}

// Reopen opens the path again and switches to that file. The previous file stays in use if this fails.
func (f *File) Reopen() error {
	next, err := os.OpenFile(f.path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("opening the audit log: %w", err)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.f != nil {
		_ = f.f.Close()
	}
	f.f = next
	return nil
}

// Write appends a line with a single write, so that lines of several processes do not mix.
func (f *File) Write(p []byte) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.f.Write(p)
}

// Close closes the file.
func (f *File) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.f.Close()
}
