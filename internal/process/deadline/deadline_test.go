// SPDX-License-Identifier: Apache-2.0

package deadline_test

import (
	"io"
	"net"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/reelops/reelops/internal/process/deadline"
)

// once is a listener of one connection.
type once struct {
	conns chan net.Conn
}

func (o once) Accept() (net.Conn, error) {
	c, ok := <-o.conns
	if !ok {
		return nil, net.ErrClosed
	}
	return c, nil
}
func (once) Close() error   { return nil }
func (once) Addr() net.Addr { return &net.TCPAddr{} }

func TestWithin(t *testing.T) {
	for name, c := range map[string]struct {
		request string
		serve   http.HandlerFunc
	}{
		"a body that does not arrive": {"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\nx", func(_ http.ResponseWriter, r *http.Request) {
			if _, err := io.ReadAll(r.Body); err == nil {
				t.Error("the body was read")
			}
		}},
		"a body that the handler does not read": {"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\nx", func(http.ResponseWriter, *http.Request) {}},
		"a peer that does not read": {"GET / HTTP/1.1\r\nHost: a\r\n\r\n", func(w http.ResponseWriter, _ *http.Request) {
			if _, err := w.Write(make([]byte, 1<<20)); err == nil {
				t.Error("the response was written")
			}
		}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				client, conn := net.Pipe()
				closed := make(chan struct{})
				s := &http.Server{
					Handler: deadline.Within(time.Minute, c.serve), ReadHeaderTimeout: time.Second,
					ConnState: func(_ net.Conn, state http.ConnState) {
						if state == http.StateClosed {
							close(closed)
						}
					},
				}
				l := once{make(chan net.Conn, 1)}
				l.conns <- conn
				go func() { _ = s.Serve(l) }()
				if _, err := io.WriteString(client, c.request); err != nil {
					t.Fatal(err)
				}
				select {
				case <-closed:
				case <-time.After(time.Hour): // of the bubble's clock
					t.Error("the connection stays open")
				}
				_ = client.Close()
				close(l.conns)
				_ = s.Close()
			})
		})
	}
}
