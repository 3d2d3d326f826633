// SPDX-License-Identifier: Apache-2.0

package hostile

import (
	"net"
	"os"
	"path/filepath"
	"sync"
	"testing"
)

// Marker is the content of the bait's file. It must never appear anywhere else.
const Marker = "reelops-marker-7f3c1e90b2"

// Bait is the target of references in hostile files.
type Bait struct {
	// Address of the listener, host:port.
	Address string
	// File with the marker, readable by all users.
	File string

	mu   sync.Mutex
	hits []string
}

// NewBait creates a bait for the duration of the test. The test fails when the listener receives a connection.
func NewBait(tb testing.TB) *Bait {
	tb.Helper()
	b := lay(tb)
	// Cleanups run in reverse order: this one before the listener is closed.
	tb.Cleanup(func() {
		for _, hit := range b.Taken() {
			tb.Errorf("a program followed an address in a file: %q", hit)
		}
	})
	return b
}

func lay(tb testing.TB) *Bait {
	tb.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	dir, err := os.MkdirTemp("", "bait-")
	if err != nil {
		tb.Fatal(err)
	}
	b := &Bait{Address: l.Addr().String(), File: filepath.Join(dir, "secret.ts")}
	// The file must be readable by any process that follows its path. Otherwise the test would prove nothing.
	if err := os.Chmod(dir, 0o755); err != nil {
		tb.Fatal(err)
	}
	if err := os.WriteFile(b.File, []byte(Marker+"\n"), 0o644); err != nil {
		tb.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			head := make([]byte, 512)
			n, _ := c.Read(head)
			_ = c.Close()
			b.mu.Lock()
			b.hits = append(b.hits, string(head[:n]))
			b.mu.Unlock()
		}
	}()
	tb.Cleanup(func() {
		_ = l.Close()
		<-done
		if err := os.RemoveAll(dir); err != nil {
			tb.Error(err)
		}
	})
	return b
}

// Taken returns the first data of each connection.
func (b *Bait) Taken() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return append([]string(nil), b.hits...)
}

func (b *Bait) url(path string) string { return "http://" + b.Address + path }
