// SPDX-License-Identifier: Apache-2.0

package hostile

import (
	"net"
	"os"
	"path/filepath"
	"sync"
	"testing"
)

// Marker is what the bait's file says. It must never be found anywhere else.
const Marker = "reelops-marker-7f3c1e90b2"

// Bait is what hostile files point to.
type Bait struct {
	// Address of the listener, host:port.
	Address string
	// File with the marker, readable for everybody.
	File string

	mu   sync.Mutex
	hits []string
}

// NewBait lays one out for as long as the test runs. The test fails when anybody connects.
func NewBait(tb testing.TB) *Bait {
	tb.Helper()
	b := lay(tb)
	// Cleanups run in the opposite order: this one before the listener is gone.
	tb.Cleanup(func() {
		for _, hit := range b.Taken() {
			tb.Errorf("somebody followed an address in a file: %q", hit)
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
	// Whoever could follow a path must be able to read the file, or it would prove nothing.
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

// Taken gives what each connection said first.
func (b *Bait) Taken() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return append([]string(nil), b.hits...)
}

func (b *Bait) url(path string) string { return "http://" + b.Address + path }
