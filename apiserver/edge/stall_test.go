// SPDX-License-Identifier: Apache-2.0

package edge_test

import (
	"bufio"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/reelops/reelops/apiserver/edge"
)

// patience is the timeout for events that never happen if the code is broken.
const patience = 3 * time.Minute

// serveWith runs a server with a handler and limits.
func serveWith(t *testing.T, limits edge.Limits, h http.HandlerFunc) (address string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := edge.NewServer(h, slog.New(slog.DiscardHandler))
	go func() { _ = s.Serve(edge.Listener(l, limits)) }()
	t.Cleanup(func() { _ = s.Close() })
	return l.Addr().String()
}

// ask sends a request and reads nothing.
func ask(t *testing.T, address string) net.Conn {
	t.Helper()
	c, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	if _, err := io.WriteString(c, "GET / HTTP/1.1\r\nHost: a\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	return c
}

func TestListener_ClosesAConnectionWhosePeerDoesNotRead(t *testing.T) {
	large := filepath.Join(t.TempDir(), "large")
	f, err := os.Create(large)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Truncate(1 << 30); err != nil {
		t.Fatal(err)
	}
	_ = f.Close()
	for name, answer := range map[string]http.HandlerFunc{
		"a file": func(w http.ResponseWriter, r *http.Request) { http.ServeFile(w, r, large) },
		"a written response": func(w http.ResponseWriter, _ *http.Request) {
			for p := make([]byte, 1<<20); ; {
				if _, err := w.Write(p); err != nil {
					return
				}
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			ended := make(chan struct{})
			address := serveWith(t, edge.Limits{Stall: 50 * time.Millisecond}, func(w http.ResponseWriter, r *http.Request) {
				defer close(ended)
				answer(w, r)
			})
			ask(t, address)
			select {
			case <-ended:
			case <-time.After(patience):
				t.Fatal("the response is still being written")
			}
		})
	}
}

func TestListener_KeepsTheDeadlineOfAHandler(t *testing.T) {
	failed := make(chan error, 1)
	address := serveWith(t, edge.Limits{}, func(w http.ResponseWriter, _ *http.Request) {
		_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(-time.Second))
		_, err := w.Write(make([]byte, 1<<20))
		failed <- err
	})
	ask(t, address)
	if err := <-failed; err == nil {
		t.Error("a write after the deadline succeeded")
	}
}

func TestListener_SendsAFileWhole(t *testing.T) {
	const size = 3*edge.WriteChunk + 17
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, make([]byte, size), 0o600); err != nil {
		t.Fatal(err)
	}
	address := serveWith(t, edge.Limits{}, func(w http.ResponseWriter, r *http.Request) { http.ServeFile(w, r, file) })
	for _, c := range []struct {
		ranged string
		want   int
	}{{"", size}, {"bytes=5-", size - 5}, {"bytes=0-9", 10}} {
		req, _ := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+address, nil)
		if c.ranged != "" {
			req.Header.Set("Range", c.ranged)
		}
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(res.Body)
		_ = res.Body.Close()
		if err != nil || len(body) != c.want {
			t.Errorf("%q: got %d bytes of %d: %v", c.ranged, len(body), c.want, err)
		}
	}
}

func TestListener_BoundsConnections(t *testing.T) {
	for name, c := range map[string]struct {
		limits edge.Limits
		third  bool
	}{
		"in total":                  {edge.Limits{Total: 2}, false},
		"per address":               {edge.Limits{PerAddress: 2}, false},
		"not for a trusted proxy":   {edge.Limits{PerAddress: 2, Proxies: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}}, true},
		"in total also for a proxy": {edge.Limits{Total: 2, Proxies: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}}, false},
	} {
		t.Run(name, func(t *testing.T) {
			address := serveWith(t, c.limits, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })
			answered := func(c net.Conn) bool {
				_ = c.SetReadDeadline(time.Now().Add(patience))
				res, err := http.ReadResponse(bufio.NewReader(c), nil)
				if err != nil {
					return false
				}
				return res.Body.Close() == nil
			}
			first := ask(t, address)
			if !answered(first) || !answered(ask(t, address)) {
				t.Fatal("the first two connections got no response")
			}
			if answered(ask(t, address)) != c.third {
				t.Errorf("the third connection got a response: %v", !c.third)
			}
			_ = first.Close()
			// The server sees the end with a delay.
			for deadline := time.Now().Add(patience); !answered(ask(t, address)); {
				if time.Now().After(deadline) {
					t.Fatal("a closed connection still counts")
				}
			}
		})
	}
}
