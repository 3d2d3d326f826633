// SPDX-License-Identifier: Apache-2.0

package fetch

import (
	"compress/gzip"
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// world simulates the Internet: every public address leads to one server on this machine, whose certificate is for
// example.com.
type world struct {
	client     *Client
	refuseIPv4 bool // connections to the IPv4 address are refused

	mu       sync.Mutex
	dialled  []string
	lookedUp []string
	headers  []http.Header
}

// LookupNetIP resolves names to their addresses.
func (w *world) LookupNetIP(_ context.Context, _, host string) ([]netip.Addr, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.lookedUp = append(w.lookedUp, host)
	switch host {
	case "example.com.":
		return []netip.Addr{netip.MustParseAddr("2606:2800:220:1:248:1893:25c8:1946"), netip.MustParseAddr("93.184.216.34")}, nil
	case "other.example.org.":
		return []netip.Addr{netip.MustParseAddr("93.184.216.35")}, nil
	}
	if host == "broken.example.org." {
		return nil, &net.DNSError{Err: "server misbehaving", Name: host, IsTemporary: true}
	}
	return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
}

func play(t *testing.T, handler http.HandlerFunc) *world {
	t.Helper()
	w := &world{}
	server := httptest.NewTLSServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		w.mu.Lock()
		w.headers = append(w.headers, r.Header.Clone())
		w.mu.Unlock()
		handler(rw, r)
	}))
	t.Cleanup(server.Close)
	w.client = Open(Config{Timeout: time.Minute, Resolver: w})
	pool := x509.NewCertPool()
	pool.AddCert(server.Certificate())
	w.client.transport.TLSClientConfig.RootCAs = pool
	w.client.connect = func(ctx context.Context, a netip.AddrPort) (net.Conn, error) {
		w.mu.Lock()
		w.dialled = append(w.dialled, a.String())
		w.mu.Unlock()
		if a.Addr() == netip.MustParseAddr("93.184.216.34") && w.refuseIPv4 {
			return nil, errors.New("connect: connection refused by 93.184.216.34")
		}
		return (&net.Dialer{}).DialContext(ctx, "tcp", server.Listener.Addr().String())
	}
	return w
}

func (w *world) get(t *testing.T, url string, limit int64) (string, error) {
	t.Helper()
	body, err := w.client.Get(t.Context(), url, limit)
	if err != nil {
		return "", err
	}
	defer func() { _ = body.Close() }()
	all, err := io.ReadAll(body)
	return string(all), err
}

func TestGet_PublicServers(t *testing.T) {
	zeros := strings.Repeat("\x00", 1<<20)
	w := play(t, func(rw http.ResponseWriter, r *http.Request) {
		raw := func(answer string) {
			conn, _, err := rw.(http.Hijacker).Hijack()
			if err == nil {
				_, _ = io.WriteString(conn, answer)
				_ = conn.Close()
			}
		}
		switch r.URL.Path {
		case "/file":
			_, _ = io.WriteString(rw, "a file")
		case "/relative":
			http.Redirect(rw, r, "file", http.StatusTemporaryRedirect)
		case "/absolute":
			http.SetCookie(rw, &http.Cookie{Name: "a", Value: "b"})
			http.Redirect(rw, r, "https://example.com:443/file?second", http.StatusMovedPermanently)
		case "/elsewhere":
			http.Redirect(rw, r, "https://other.example.org/file", http.StatusFound)
		case "/inside":
			http.Redirect(rw, r, "https://10.0.0.1/file", http.StatusFound)
		case "/plain":
			http.Redirect(rw, r, "http://example.com/file", http.StatusFound)
		case "/round":
			http.Redirect(rw, r, "/round", http.StatusFound)
		case "/nowhere":
			rw.WriteHeader(http.StatusFound)
		case "/five", "/4", "/3", "/2", "/1":
			next := map[string]string{"/five": "/4", "/4": "/3", "/3": "/2", "/2": "/1", "/1": "/file"}
			http.Redirect(rw, r, next[r.URL.Path], http.StatusFound)
		case "/bomb":
			rw.Header().Set("Content-Encoding", "gzip")
			z := gzip.NewWriter(rw)
			_, _ = io.WriteString(z, zeros)
			_ = z.Close()
		case "/short":
			raw("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\na file")
		case "/long":
			raw("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\na file and more")
		case "/cut":
			raw("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n6\r\na file\r\n")
		case "/twice":
			raw("HTTP/1.1 200 OK\r\nContent-Length: 6\r\nContent-Length: 600\r\n\r\na file")
		case "/header":
			raw("HTTP/1.1 200 OK\r\nX: " + strings.Repeat("x", 70<<10) + "\r\nContent-Length: 6\r\n\r\na file")
		case "/endless":
			for r.Context().Err() == nil {
				if _, err := io.WriteString(rw, zeros); err != nil {
					return
				}
			}
		case "/nonsense":
			raw("SSH-2.0-OpenSSH_9.2\r\n")
		default:
			rw.WriteHeader(http.StatusTeapot)
		}
	})
	for _, c := range []struct {
		why, url string
		want     string
		err      error
	}{
		{"a file", "https://example.com/file", "a file", nil},
		{"a dot at the end", "https://example.com./file", "a file", nil},
		{"a redirect to the same host", "https://example.com/relative", "a file", nil},
		{"a redirect to an address", "https://example.com/absolute", "a file", nil},
		{"the maximum number of redirects", "https://example.com/five", "a file", nil},
		{"one redirect more", "https://example.com/round", "", ErrUnusable},
		{"a redirect to nowhere", "https://example.com/nowhere", "", StatusError(302)},
		{"a redirect into a network", "https://example.com/inside", "", ErrForbidden},
		{"a redirect to plain http", "https://example.com/plain", "", ErrForbidden},
		{"a server with another certificate", "https://other.example.org/file", "", ErrUnreachable},
		{"a redirect to such a server", "https://example.com/elsewhere", "", ErrUnreachable},
		{"a name without an address", "https://nobody.example.org/file", "", ErrUnknownHost},
		{"a name that cannot be resolved now", "https://broken.example.org/file", "", ErrUnreachable},
		{"a status", "https://example.com/none", "", StatusError(418)},
		{"unrequested compression", "https://example.com/bomb", "", ErrUnusable},
		{"less than declared", "https://example.com/short", "a file", ErrUnusable},
		{"more than declared", "https://example.com/long", "a file", nil},
		{"a truncated response", "https://example.com/cut", "a file", ErrUnusable},
		{"two lengths", "https://example.com/twice", "", ErrUnreachable},
		{"a huge header", "https://example.com/header", "", ErrUnreachable},
		{"a file without an end", "https://example.com/endless", "", ErrTooLarge},
		{"another protocol", "https://example.com/nonsense", "", ErrUnreachable},
	} {
		t.Run(c.why, func(t *testing.T) {
			got, err := w.get(t, c.url, 1000)
			if !errors.Is(err, c.err) || (c.want != "" && got != c.want) {
				t.Errorf("got %q, %v; want %q, %v", got, err, c.want, c.err)
			}
			if err != nil && (strings.Contains(err.Error(), "93.184") || strings.Contains(err.Error(), "127.0.0.1") || strings.Contains(err.Error(), "example")) {
				t.Errorf("the error contains too much: %v", err)
			}
		})
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, h := range w.headers {
		for _, name := range []string{"Referer", "Cookie", "Authorization"} {
			if h.Get(name) != "" {
				t.Errorf("got request %s: %q", name, h.Get(name))
			}
		}
		if h.Get("Accept-Encoding") != "identity" {
			t.Errorf("got Accept-Encoding %q", h.Get("Accept-Encoding"))
		}
	}
}

func TestGet_DialsTheCheckedAddress(t *testing.T) {
	w := play(t, func(rw http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(rw, "a file") })
	for range 2 {
		if _, err := w.get(t, "https://example.com/file", 10); err != nil {
			t.Fatal(err)
		}
	}
	if got, want := fmt.Sprint(w.lookedUp), "[example.com. example.com.]"; got != want {
		t.Errorf("looked up %s, want %s: once for each dial, as absolute names", got, want)
	}
	if got, want := fmt.Sprint(w.dialled), "[93.184.216.34:443 93.184.216.34:443]"; got != want {
		t.Errorf("dialled %s, want %s", got, want)
	}
}

func TestGet_FallsBackToIPv6(t *testing.T) {
	w := play(t, func(rw http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(rw, "a file") })
	w.refuseIPv4 = true
	if _, err := w.get(t, "https://example.com/file", 10); err != nil {
		t.Fatal(err)
	}
	if got, want := fmt.Sprint(w.dialled), "[93.184.216.34:443 [2606:2800:220:1:248:1893:25c8:1946]:443]"; got != want {
		t.Errorf("dialled %s, want %s", got, want)
	}
}

func TestGet_ChecksTheSocket(t *testing.T) {
	c := Open(Config{})
	conn, err := c.connect(t.Context(), netip.MustParseAddrPort("127.0.0.1:443"))
	if err == nil {
		_ = conn.Close()
	}
	if !errors.Is(err, ErrForbidden) {
		t.Errorf("a socket to loopback: got %v", err)
	}
}

func TestGet_OwnNetworksAreForbidden(t *testing.T) {
	near, err := neighbours()
	if err != nil || len(near) == 0 {
		t.Fatal(near, err)
	}
	w := play(t, func(http.ResponseWriter, *http.Request) {})
	for _, p := range near {
		if _, err := w.client.addresses(t.Context(), p.Addr().Next().String()); !errors.Is(err, ErrForbidden) {
			t.Errorf("%s: got %v", p, err)
		}
	}
}

// slowBody returns a few bytes at a time.
type slowBody struct {
	bytes int
	pause time.Duration
	ended <-chan struct{}
}

func (d *slowBody) Read(b []byte) (int, error) {
	select {
	case <-time.After(d.pause):
		return min(d.bytes, len(b)), nil
	case <-d.ended:
		return 0, context.Canceled
	}
}

func (d *slowBody) Close() error { return nil }

func TestGet_SlowServers(t *testing.T) {
	for _, c := range []struct {
		why    string
		server slowBody
		idle   time.Duration // time of the reader between reads
		want   error
	}{
		{"a fast server", slowBody{bytes: 1 << 10, pause: time.Millisecond}, 0, ErrTooLarge},
		{"a server that stops", slowBody{bytes: 1 << 10, pause: time.Hour}, 0, ErrTooSlow},
		{"a byte now and then", slowBody{bytes: 1, pause: 5 * time.Second}, 0, ErrTooSlow},
		{"a slow reader", slowBody{bytes: 1 << 10, pause: time.Millisecond}, time.Minute, ErrTooLarge},
	} {
		t.Run(c.why, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, stop := context.WithCancel(t.Context())
				c.server.ended = ctx.Done()
				p := &limitedBody{body: &c.server, left: 50 << 10, asked: t.Context(), stop: stop}
				defer func() { _ = p.Close() }()
				began, buf := time.Now(), make([]byte, 32<<10)
				var err error
				for err == nil {
					_, err = p.Read(buf)
					time.Sleep(c.idle)
				}
				if !errors.Is(err, c.want) {
					t.Errorf("got %v, want %v", err, c.want)
				}
				if took := time.Since(began); errors.Is(c.want, ErrTooSlow) && took > 2*stallTimeout {
					t.Errorf("canceled only after %s", took)
				}
				if _, again := p.Read(buf); !errors.Is(again, c.want) {
					t.Errorf("the next read returned %v", again)
				}
			})
		})
	}
}

func TestGet_Canceled(t *testing.T) {
	arrived := make(chan struct{})
	w := play(t, func(_ http.ResponseWriter, r *http.Request) {
		close(arrived)
		<-r.Context().Done()
	})
	ctx, stop := context.WithCancel(t.Context())
	go func() {
		<-arrived
		stop()
	}()
	if _, err := w.client.Get(ctx, "https://example.com/file", 10); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestGet_TotalTimeout(t *testing.T) {
	w := play(t, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	w.client.timeout = time.Nanosecond
	if _, err := w.client.Get(t.Context(), "https://example.com/file", 10); !errors.Is(err, ErrTooSlow) {
		t.Errorf("got %v", err)
	}
}
