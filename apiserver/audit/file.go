// SPDX-License-Identifier: Apache-2.0

package audit

import (
	"fmt"
	"os"
	"sync"
)

// File is a file that lines are added to. It can be opened anew, after it was moved away.
type File struct {
	path string
	mu   sync.Mutex
	f    *os.File
}

// OpenFile opens a file, which is made when it is not there. Only its owner may read it.
func OpenFile(path string) (*File, error) {
	out := &File{path: path}
	return out, out.Reopen()
}

// Reopen goes on in the file that now has the name. The one before stays in use when that fails.
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

// Write adds a line with one write, so that lines of several processes do not mix.
func (f *File) Write(p []byte) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.f.Write(p)
}

// Close ends it.
func (f *File) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.f.Close()
}
