// SPDX-License-Identifier: Apache-2.0

package fetch

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"testing"
)

// connectProxy is a real HTTP proxy on this machine. It connects every address to one server and records the
// requests.
type connectProxy struct {
	*httptest.Server
	target, authorization string // authorization is required if it is set

	mu       sync.Mutex
	requests []string
}

func (p *connectProxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	p.requests = append(p.requests, r.Method+" "+r.Host)
	p.mu.Unlock()
	switch {
	case p.authorization != "" && r.Header.Get("Proxy-Authorization") != p.authorization:
		w.WriteHeader(http.StatusProxyAuthRequired)
		return
	case r.Method != http.MethodConnect || p.target == "":
		w.WriteHeader(http.StatusForbidden)
		return
	}
	out, err := net.Dial("tcp", p.target)
	if err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	in, _, err := w.(http.Hijacker).Hijack()
	if err != nil {
		_ = out.Close()
		return
	}
	_, _ = io.WriteString(in, "HTTP/1.1 200 Connection established\r\n\r\n")
	go func() { _, _ = io.Copy(out, in); _ = out.Close() }()
	_, _ = io.Copy(in, out)
	_ = in.Close()
}

// proxied returns the world behind a proxy: all connections use the proxy.
func proxied(t *testing.T, authorization, user string) (*world, *connectProxy) {
	t.Helper()
	var server string
	w := play(t, func(rw http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/inside" {
			http.Redirect(rw, r, "https://10.0.0.1/file", http.StatusFound)
			return
		}
		_, _ = io.WriteString(rw, "a file")
	})
	conn, err := w.client.connect(t.Context(), netip.MustParseAddrPort("93.184.216.35:443"))
	if err != nil {
		t.Fatal(err)
	}
	server = conn.RemoteAddr().String()
	_ = conn.Close()
	p := &connectProxy{target: server, authorization: authorization}
	p.Server = httptest.NewServer(p)
	t.Cleanup(p.Close)
	address, err := ParseProxy(strings.Replace(p.URL, "http://", "http://"+user, 1))
	if err != nil {
		t.Fatal(err)
	}
	w.client.connect = newTunnel(address, func(string) error { return nil }).connect
	return w, p
}

func TestProxy_GetsTheCheckedAddress(t *testing.T) {
	w, p := proxied(t, "", "")
	if got, err := w.get(t, "https://example.com/file", 100); err != nil || got != "a file" {
		t.Fatalf("got %q, %v", got, err)
	}
	if len(p.requests) != 1 || p.requests[0] != "CONNECT 93.184.216.34:443" {
		t.Errorf("the proxy received %v, want the address and not the name", p.requests)
	}
	for _, url := range []string{"https://10.0.0.1/file", "https://example.com/inside", "https://localhost/file"} {
		if _, err := w.get(t, url, 100); !errors.Is(err, ErrForbidden) {
			t.Errorf("%s: got %v, want %v", url, err, ErrForbidden)
		}
	}
	for _, request := range p.requests {
		if strings.Contains(request, "10.0.0.1") || strings.Contains(request, "localhost") {
			t.Errorf("the proxy received %s", request)
		}
	}
	if _, err := w.client.connect(t.Context(), netip.MustParseAddrPort("10.0.0.1:443")); !errors.Is(err, ErrForbidden) {
		t.Errorf("a tunnel to a private address: got %v", err)
	}
}

func TestProxy_AuthenticatesByBasic(t *testing.T) {
	const basic = "Basic dXNlcjpodW50ZXIy" // user:hunter2
	w, _ := proxied(t, basic, "user:hunter2@")
	if got, err := w.get(t, "https://example.com/file", 100); err != nil || got != "a file" {
		t.Errorf("got %q, %v", got, err)
	}
	w, _ = proxied(t, basic, "")
	if _, err := w.get(t, "https://example.com/file", 100); !errors.Is(err, ErrUnreachable) || !strings.Contains(err.Error(), "user and a password") {
		t.Errorf("without a password: got %v", err)
	}
}

func TestProxy_FailuresNameNoAddress(t *testing.T) {
	w, p := proxied(t, "", "")
	p.target = ""
	if _, err := w.get(t, "https://example.com/file", 100); !errors.Is(err, ErrUnreachable) || strings.Contains(err.Error(), "93.184") {
		t.Errorf("a proxy that rejects: got %v", err)
	}
	p.Close()
	if _, err := w.get(t, "https://example.com/file", 100); !errors.Is(err, ErrUnreachable) || strings.Contains(err.Error(), "127.0.0.1") {
		t.Errorf("an unavailable proxy: got %v", err)
	}
}

func TestProxy_AHangingProxyEndsWithTheContext(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	address, err := ParseProxy("http://" + l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	go func() {
		conn, err := l.Accept() // and never responds
		if err == nil {
			stop()
			<-t.Context().Done()
			_ = conn.Close()
		}
	}()
	if _, err := newTunnel(address, func(string) error { return nil }).connect(ctx, netip.MustParseAddrPort("93.184.216.34:443")); err == nil {
		t.Error("a connection was opened")
	}
}

func TestOpen_UsesAProxyOnlyBySetting(t *testing.T) {
	p := &connectProxy{}
	p.Server = httptest.NewServer(p)
	t.Cleanup(p.Close)
	t.Setenv("HTTPS_PROXY", p.URL)
	resolver := &world{}
	reached := errors.New("this test opens no connection to the Internet")
	c := Open(Config{Resolver: resolver, Control: func(string) error { return reached }})
	if _, err := c.Get(t.Context(), "https://example.com/file", 100); !errors.Is(err, ErrUnreachable) || len(p.requests) > 0 {
		t.Errorf("with HTTPS_PROXY only: got %v, and the proxy received %v", err, p.requests)
	}
	address, err := ParseProxy(p.URL)
	if err != nil {
		t.Fatal(err)
	}
	c = Open(Config{Resolver: resolver, Proxy: address})
	if _, err := c.Get(t.Context(), "https://example.com/file", 100); !errors.Is(err, ErrUnreachable) || len(p.requests) == 0 {
		t.Errorf("with the setting: got %v, and the proxy received %v", err, p.requests)
	}
}

func TestParseProxy(t *testing.T) {
	for text, good := range map[string]bool{
		"": true, "http://proxy.example:3128": true, "https://proxy.example/": true, "http://user:hunter2@proxy.example:3128": true,
		"proxy.example:3128": false, "socks5://proxy.example": false, "http://": false, "http://proxy.example/path": false, "http://user:hunter2@%zz": false,
	} {
		if _, err := ParseProxy(text); (err == nil) != good || (err != nil && strings.Contains(err.Error(), "hunter2")) {
			t.Errorf("%s: got %v", text, err)
		}
	}
}
